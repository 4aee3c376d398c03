//! Tables that are filled in order: paths, alignments, partitions; values and gradients against Rust by hand, and differences.

use tensor_rt::ndarray::Array1;
use tensor_rt::tensor;
use tensor_tests::by_hand::{close, differences, matrix, noise};

tensor! {
    /// The log-probability of a hidden Markov model: of all paths, from the first emission on.
    pub fn hidden_markov<n, s>(start: [f64; s], step: [f64; s, s], emit: [f64; n, s]) -> f64 where n >= 1, s >= 1 {
        let a = rec t in 0..n {
            for k in 0..s { emit[t, k] + if t == 0 { start[k] } else { logsumexp j in 0..s { a[t - 1, j] + step[j, k] } } }
        };
        logsumexp k in 0..s { a[n - 1, k] }
    }
    pub fn hidden_markov_grad = grad(hidden_markov);

    /// Soft dynamic time warping (Cuturi and Blondel 2017).
    pub fn soft_dtw<n, m>(x: [f64; n], y: [f64; m], g: f64) -> f64 where n >= 1, m >= 1 {
        let r = rec i in 0..n, j in 0..m {
            let up = if i >= 1 { -r[i - 1, j] / g } else { NEG_INFINITY };
            let left = if j >= 1 { -r[i, j - 1] / g } else { NEG_INFINITY };
            let both = if i >= 1 && j >= 1 { -r[i - 1, j - 1] / g } else if i == j { 0.0 } else { NEG_INFINITY };
            (x[i] - y[j]).powi(2) - g * logsumexp k in 0..3 { [up, left, both][k] }
        };
        r[n - 1, m - 1]
    }
    pub fn soft_dtw_grad = grad(soft_dtw);

    /// Edit distance of two sequences of points: a gap costs 1, and what is put in the place of another their distance; the cheapest way.
    pub fn edits<n, m>(x: [f64; n], y: [f64; m]) -> f64 {
        let d = rec i in 0..n + 1, j in 0..m + 1 {
            if i == 0 { j as f64 } else if j == 0 { i as f64 } else {
                min(min(d[i - 1, j] + 1.0, d[i, j - 1] + 1.0), d[i - 1, j - 1] + (x[i - 1] - y[j - 1]).abs())
            }
        };
        d[n, m]
    }
    pub fn edits_grad = grad(edits, x);

    /// The least cost of a chain of products of matrices, softly, over all ways to put brackets: `e[i, j]` of the matrices from `i` to `j`.
    pub fn brackets<n>(size: [f64; n + 1]) -> f64 where n >= 1 {
        let e = rec i in (0..n).rev(), j in 0..n if i <= j {
            if i == j { 0.0 } else { -(logsumexp k in i..j { -(e[i, k] + e[k + 1, j] + size[i] * size[k + 1] * size[j + 1]) }) }
        };
        e[0, n - 1]
    }
    pub fn brackets_grad = grad(brackets);

    /// Connectionist temporal classification: the log-probability of labels `0, 1, …` in order, each for one time or more, with blanks between.
    pub fn labels<n, l>(blank: [f64; n], label: [f64; n, l]) -> f64 where n >= 1, l >= 1 {
        // State 2 k is the blank before label k, state 2 k + 1 label k. At time t no more than 2 t + 2 of them are reached: the guard keeps logarithms of
        // zero, which have no derivative, out of what is differentiated.
        let a = rec t in 0..n {
            for s in 0..2 * l + 1 {
                if s > 2 * t + 1 { NEG_INFINITY } else {
                    let stay = if t >= 1 { a[t - 1, s] } else { 0.0 };
                    let next = if t >= 1 && s >= 1 { a[t - 1, s - 1] } else { NEG_INFINITY };
                    let skip = if t >= 1 && s >= 2 && s % 2 == 1 { a[t - 1, s - 2] } else { NEG_INFINITY };
                    let emitted = if s % 2 == 0 { blank[t] } else { label[t, s / 2] };
                    emitted + logsumexp k in 0..3 { [stay, next, skip][k] }
                }
            }
        };
        logsumexp k in 0..2 { a[n - 1, 2 * l - k] }
    }
    pub fn labels_grad = grad(labels, label);

    /// The greatest of the elements so far.
    pub fn running_max<n>(x: [f64; n]) -> [f64; n] { scan i in 0..n from m = NEG_INFINITY { max(m, x[i]) } }
    pub fn running_max_vjp = vjp(running_max);
}

/// All paths, one by one.
#[test]
fn paths_of_a_markov_chain() {
    for (n, s) in [(1, 1), (1, 3), (4, 2), (5, 3)] {
        let (start, step, emit) = (noise(s, 0.1), noise(s * s, 0.3), noise(n * s, 0.6));
        let of = |start: &[f64], step: &[f64], emit: &[f64]| {
            hidden_markov(start, &matrix(s, s, step), &matrix(n, s, emit)).expect("one shape")
        };
        let path = |number: usize| {
            let at: Vec<usize> = (0..n).map(|t| number / s.pow(t as u32) % s).collect();
            let moves: f64 = at.windows(2).map(|w| step[w[0] * s + w[1]]).sum();
            (start[at[0]] + moves + at.iter().enumerate().map(|(t, k)| emit[t * s + k]).sum::<f64>()).exp()
        };
        let all: f64 = (0..s.pow(n as u32)).map(path).sum();
        close(&[of(&start, &step, &emit)], &[all.ln()], 1e-13);
        let (by_start, by_step, by_emit) =
            hidden_markov_grad(&start, &matrix(s, s, &step), &matrix(n, s, &emit)).expect("one shape");
        close(&by_start.to_vec(), &differences(&start, |x| of(x, &step, &emit)), 1e-8);
        close(&by_step.into_raw_vec_and_offset().0, &differences(&step, |x| of(&start, x, &emit)), 1e-8);
        // Of each time the probabilities of all states are 1.
        by_emit.rows().into_iter().for_each(|row| close(&[row.sum()], &[1.0], 1e-12));
    }
}

#[test]
fn time_warping() {
    let soft = |all: &[f64], g: f64| {
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        least - g * all.iter().map(|v| (-(v - least) / g).exp()).sum::<f64>().ln()
    };
    for (n, m) in [(1, 1), (1, 4), (3, 1), (5, 4)] {
        let (x, y, g) = (noise(n, 0.2), noise(m, 0.7), 0.3);
        // A table with a border.
        let mut r = vec![vec![f64::INFINITY; m + 1]; n + 1];
        r[0][0] = 0.0;
        for i in 0..n {
            for j in 0..m {
                r[i + 1][j + 1] = (x[i] - y[j]).powi(2) + soft(&[r[i][j + 1], r[i + 1][j], r[i][j]], g);
            }
        }
        let of = |x: &[f64], y: &[f64]| soft_dtw(x, y, g).expect("any lengths");
        close(&[of(&x, &y)], &[r[n][m]], 1e-13);
        let (by_x, by_y, by_g) = soft_dtw_grad(&x, &y, g).expect("any lengths");
        close(&by_x.to_vec(), &differences(&x, |x| of(x, &y)), 1e-8);
        close(&by_y.to_vec(), &differences(&y, |y| of(&x, y)), 1e-8);
        close(&[by_g], &differences(&[g], |g| soft_dtw(&x, &y, g[0]).expect("any lengths")), 1e-8);
    }
}

#[test]
fn edit_distance() {
    for (n, m) in [(0, 0), (0, 3), (2, 0), (5, 7)] {
        let (x, y) = (noise(n, 0.2), noise(m, 0.7));
        let mut row: Vec<f64> = (0..=m).map(|j| j as f64).collect();
        for v in &x {
            let mut corner = row[0];
            row[0] += 1.0;
            for j in 0..m {
                let best = (row[j + 1] + 1.0).min(row[j] + 1.0).min(corner + (v - y[j]).abs());
                corner = std::mem::replace(&mut row[j + 1], best);
            }
        }
        let of = |x: &[f64]| edits(x, &y).expect("any lengths");
        close(&[of(&x)], &row[m..], 1e-13);
        close(&edits_grad(&x, &y).expect("any lengths").to_vec(), &differences(&x, of), 1e-8);
    }
}

#[test]
fn brackets_around_products() {
    fn by_hand(size: &[f64]) -> f64 {
        let n = size.len() - 1;
        let cost = |k: usize| by_hand(&size[..=k]) + by_hand(&size[k..]) + size[0] * size[k] * size[n];
        if n == 1 { 0.0 } else { -(1..n).map(|k| (-cost(k)).exp()).sum::<f64>().ln() }
    }
    for n in [1, 2, 3, 6] {
        let size = noise(n + 1, 0.4);
        let of = |size: &[f64]| brackets(size).expect("one matrix or more");
        close(&[of(&size)], &[by_hand(&size)], 1e-13);
        let found = brackets_grad(&size).expect("one matrix or more");
        close(&found.to_vec(), &differences(&size, of), 1e-7);
    }
}

/// All ways to label each time, one by one.
#[test]
fn temporal_classification() {
    for (n, l) in [(1, 1), (2, 1), (4, 2), (5, 3)] {
        let (blank, label) = (noise(n, 0.1), noise(n * l, 0.5));
        let of = |label: &[f64]| labels(&blank, &matrix(n, l, label)).expect("one shape");
        // Label `l` is the blank. All labels differ, so that those of a way without repeats and blanks are in order once.
        let way = |number: usize| {
            let at: Vec<usize> = (0..n).map(|t| number / (l + 1).pow(t as u32) % (l + 1)).collect();
            let mut said = at.clone();
            said.dedup();
            said.retain(|k| *k < l);
            let value = |(t, k): (usize, &usize)| if *k == l { blank[t] } else { label[t * l + k] };
            let is_it = said.iter().copied().eq(0..l);
            if is_it { at.iter().enumerate().map(value).sum::<f64>().exp() } else { 0.0 }
        };
        let all: f64 = (0..(l + 1).pow(n as u32)).map(way).sum();
        close(&[of(&label)], &[all.ln()], 1e-13);
        let found = labels_grad(&blank, &matrix(n, l, &label)).expect("one shape");
        close(&found.into_raw_vec_and_offset().0, &differences(&label, of), 1e-8);
    }
}

/// The cotangent of a maximum goes to where it was reached first.
#[test]
fn maxima() {
    let x = [1.0, 3.0, 2.0, 3.0, 5.0, 4.0];
    let (y, back) = running_max_vjp(&x, &[1.0, 10.0, 100.0, 1e3, 1e4, 1e5]).expect("one shape");
    assert_eq!(y, Array1::from_vec(vec![1.0, 3.0, 3.0, 3.0, 5.0, 5.0]));
    assert_eq!(back, Array1::from_vec(vec![1.0, 1110.0, 0.0, 0.0, 110_000.0, 0.0]));
    // Without ties, by differences.
    let (x, bar) = (noise(9, 0.4), noise(9, 0.8));
    let weighted = |x: &[f64]| running_max(x).expect("one shape").iter().zip(&bar).map(|(y, b)| y * b).sum();
    close(&running_max_vjp(&x, &bar).expect("one shape").1.to_vec(), &differences(&x, weighted), 1e-8);
    assert_eq!(running_max(&[] as &[f64]).expect("of nothing").len(), 0);
}
