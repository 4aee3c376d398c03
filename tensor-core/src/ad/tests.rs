//! Derivatives against differences, against each other, against the cost bounds; and where they must be zero.

mod foreign;
mod poison;
pub(crate) mod random;
pub mod run;
pub mod text;

use super::{grad, jvp, value_and_grad, vjp};
use crate::simplify::simplify;
use crate::ssa::{Function, verify::verify};
use run::{Values, run};
use text::function;

/// Reproducible numbers.
struct Random(u64);

impl Random {
    /// In (-1, 1).
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    /// As many as the arrays have elements.
    fn values(&mut self, lengths: &[usize], low: f64, high: f64) -> Vec<Values> {
        let one = |n: &usize| (0..*n).map(|_| low + (high - low) * (self.next() + 1.0) / 2.0).collect();
        lengths.iter().map(one).collect()
    }
}

fn lengths(f: &Function, arrays: &[crate::ssa::ArrayId], sizes: &[i64]) -> Vec<usize> {
    let n = |e: &crate::index::Affine| {
        e.eval(&|a| match a {
            crate::index::Atom::Size(k) => sizes[*k as usize],
            _ => panic!("an extent over sizes alone"),
        }) as usize
    };
    arrays.iter().map(|a| f.array(*a).extents.iter().map(n).product()).collect()
}

/// How many numbers there are in each.
fn counts(of: &[Values]) -> Vec<usize> {
    of.iter().map(Vec::len).collect()
}

fn dot(a: &[Values], b: &[Values]) -> f64 {
    assert_eq!(counts(a), counts(b));
    a.iter().zip(b).flat_map(|(a, b)| a.iter().zip(b)).map(|(a, b)| a * b).sum()
}

fn close(what: &str, f: &Function, a: f64, b: f64, tolerance: f64) {
    assert!(
        (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs())),
        "{what} of {}: {a} and {b}\n{f:#?}",
        f.name
    );
}

/// Derivatives of `f` at `x` by all parameters: against differences, each other, and the bounds.
fn check(f: &Function, sizes: &[i64], x: &[Values], seed: u64, bounds: bool) {
    let mut random = Random(seed);
    let wrt: Vec<usize> = (0..f.params.len()).collect();
    for g in [f, &jvp(f, &wrt), &vjp(f, &wrt)] {
        assert_eq!(verify(g), Ok(()), "{g:#?}");
    }
    let (value, cost) = run(f, sizes, x);
    let x_dot = random.values(&lengths(f, &f.params, sizes), -1.0, 1.0);
    let y_bar = random.values(&lengths(f, &f.results, sizes), -1.0, 1.0);

    let (forward, jvp_cost) = run(&jvp(f, &wrt), sizes, &[x, &x_dot].concat());
    let (again, y_dot) = forward.split_at(value.len());
    assert_eq!(again, value);
    let moved = |h: f64| -> Vec<Values> {
        let step = |(x, d): (&Values, &Values)| x.iter().zip(d).map(|(x, d)| x + h * d).collect();
        run(f, sizes, &x.iter().zip(&x_dot).map(step).collect::<Vec<_>>()).0
    };
    let h = 1e-5;
    let slope = (dot(&moved(h), &y_bar) - dot(&moved(-h), &y_bar)) / (2.0 * h);
    close("jvp", f, dot(y_dot, &y_bar), slope, 1e-6);

    let (reverse, vjp_cost) = run(&vjp(f, &wrt), sizes, &[x, &y_bar].concat());
    let (again, x_bar) = reverse.split_at(value.len());
    assert_eq!(again, value);
    close("vjp", f, dot(x_bar, &x_dot), dot(y_dot, &y_bar), 1e-10);

    if value.len() == 1 && value[0].len() == 1 {
        let one: Vec<Values> = run(&vjp(f, &wrt), sizes, &[x, &[vec![1.0]]].concat()).0;
        assert_eq!(run(&grad(f, &wrt), sizes, x).0, one[1..]);
        assert_eq!(run(&value_and_grad(f, &wrt), sizes, x).0, one);
    }
    if bounds {
        let scalars = |v: &[Values]| v.iter().map(Vec::len).sum::<usize>();
        let io = scalars(x) + scalars(&value);
        assert!(jvp_cost <= 4 * cost, "jvp of {}: {jvp_cost} > 4 · {cost}", f.name);
        let outer = io + scalars(&value) + scalars(x);
        assert!(
            vjp_cost + outer <= 4 * (cost + io),
            "vjp of {}: {vjp_cost} + {outer} > 4 · ({cost} + {io})",
            f.name
        );
    }
}

/// First and second derivatives, the second in every order.
fn check_twice(text: &str, sizes: &[i64], low: f64, high: f64) {
    let f = function(text);
    for seed in 1..4 {
        let mut random = Random(seed);
        let x = random.values(&lengths(&f, &f.params, sizes), low, high);
        check(&f, sizes, &x, seed, true);
        let wrt: Vec<usize> = (0..f.params.len()).collect();
        for g in [jvp(&f, &wrt), vjp(&f, &wrt)] {
            let more = random.values(&lengths(&g, &g.params[x.len()..], sizes), -1.0, 1.0);
            check(&g, sizes, &[x.clone(), more].concat(), seed, false);
        }
    }
}

#[test]
fn programs() {
    let programs: &[(&str, &[i64])] = &[
        // deconvolution
        (
            "size n m\n assume 1 <= n, 1 <= m\n param x[n + m - 1] w[m] z[n]
          y[i < n] = sum j < m. x[i + j] w[j]
          r[i < n] = y[i] + - z[i]
          s[] = sum i < n. r[i] r[i]
          result s",
            &[5, 3],
        ),
        // quadratic form, trace, diagonal
        (
            "size n\n param A[n, n] x[n]
          y[i < n] = sum j < n. A[i, j] x[j]
          D[i < n, j < n] = [i == j] 3 x[i]
          s[] = sum i < n. x[i] y[i] + sum i < n. A[i, i] + sum i < n. D[i, i]
          result s y",
            &[4],
        ),
        // a repeated factor, and one at other places
        (
            "size n\n param a[n] b[n]
          c[i < n] = a[i] a[i]
          d[i < n] = 2 a[i] a[n - 1 - i] + 0.5 b[i]
          s[] = sum i < n. c[i] d[i]
          result s",
            &[4],
        ),
        // primitives, views and slices
        (
            "size n\n param x[n] y[n]
          e[i < n] = exp(x[i])
          q[i < n] = div(e[i], y[n - 1 - i])
          r[i < n] = sqrt(q[i])
          t[i < n] = [1 <= i] tanh(r[i - 1])
          u[i < n] = powf(y[i], x[i])
          v[i < n] = hypot(x[i], y[0])
          w[i < n] = atan2(x[i], v[i])
          s[] = sum i < n. t[i] u[i] + sum i < n. w[i]
          result s t",
            &[4],
        ),
        // strides
        (
            "size n m\n param x[2*n + m] w[m]
          q[k < 2*n + m] = sin(x[k])
          y[i < n] = sum j < m. q[2*i + j] w[j]
          result y",
            &[3, 4],
        ),
        // powers of an index
        (
            "size n\n param x[n]
          p[i < n] = powi(x[i], i)
          k[i < n] = index i + 1
          s[] = sum i < n. p[i] k[i]
          result s",
            &[5],
        ),
        // broadcast division: the reciprocal does not depend on j
        (
            "size n m\n param a[n, m] b[n]
          q[i < n, j < m] = div(a[i, j], b[i])
          result q",
            &[3, 4],
        ),
        // extremes, also of a part, and of a row
        (
            "size n m\n assume 1 <= n\n param x[n, m] y[n]
          q[i < n, j < m] = exp(x[i, j])
          a[i < n] = max j < m. q[i, j]
          b[] = min i < n. y[i]
          c[i < n] = max j < n. [j <= i] y[j]
          s[] = sum i < n. a[i] c[i] + b[]
          result s c",
            &[3, 4],
        ),
        // branches on data
        (
            "size n m\n param x[n] u[n, m]
          q[i < n] = exp(x[i])
          a[i < n] = abs(x[i])
          c[i < n] = max(q[i], a[i])
          d[i < n] = clamp(x[i], a[i], q[i])
          s[] = sum i < n j < m. [u[i, j] > 0.0] c[i] d[i]
          result s",
            &[3, 2],
        ),
        // two results that are the same, and one that is a parameter
        (
            "size n\n param x[n] y[n]
          q[i < n] = x[i] y[i]
          result q x q",
            &[3],
        ),
        // a union of supports
        (
            "size n\n assume 4 <= n\n param x[n]
          q[i < n] = exp(x[i])
          s[] = q[0] + q[2] + sum i < n. [3 <= i] q[i]
          result s",
            &[6],
        ),
        // nothing depends on y, and a result is constant
        (
            "size n\n param x[n] y[n]
          s[] = sum i < n. x[i]
          z[i < n] = 0
          result s z",
            &[3],
        ),
    ];
    for (text, sizes) in programs {
        check_twice(text, sizes, 0.5, 1.5);
    }
}

#[test]
fn signs() {
    // The same, at numbers of both signs.
    check_twice(
        "size n m\n assume 1 <= m\n param x[n, m] u[n, m]
          a[i < n, j < m] = abs(x[i, j])
          r[i < n, j < m] = max(x[i, j], u[i, j])
          l[i < n, j < m] = min(x[i, j], u[i, j])
          t[i < n] = max j < m. [x[i, j] > 0.0] a[i, j]
          s[] = sum i < n j < m. [u[i, j] < x[i, j], r[i, j] > 0.0] r[i, j] l[i, j]
          result s a",
        &[3, 4],
        -1.0,
        1.0,
    );
}

#[test]
fn wrt_subsets() {
    let f =
        function("size n\n param x[n] y[n]\n q[i < n] = x[i] y[i]\n s[] = sum i < n. q[i] q[i]\n result s");
    let (x, y) = (vec![1.0, 2.0], vec![3.0, 4.0]);
    let at = |g: &Function, more: &[Values]| run(g, &[2], &[&[x.clone(), y.clone()], more].concat()).0;
    // s = Σ x² y²
    assert_eq!(at(&grad(&f, &[1]), &[]), [[6.0, 32.0]]);
    assert_eq!(at(&grad(&f, &[1, 1]), &[]), [[6.0, 32.0], [6.0, 32.0]]);
    assert_eq!(at(&grad(&f, &[1, 0]), &[]), [[6.0, 32.0], [18.0, 64.0]]);
    assert_eq!(at(&grad(&f, &[]), &[]), Vec::<Values>::new());
    // J (e0 + e1) by x, given twice
    let dots = [vec![1.0, 0.0], vec![0.0, 1.0]];
    assert_eq!(at(&jvp(&f, &[0, 0]), &dots), [[73.0], [82.0]]);
    let identity = function("size n\n param x[n] y[n]\n result x");
    assert_eq!(at(&vjp(&identity, &[0, 1]), &[vec![5.0, 6.0]]), [[1.0, 2.0], [5.0, 6.0], [0.0, 0.0]]);
}

/// What is not asked for is not computed: operations of the gradient, the value included only where it is needed.
#[test]
fn cost_of_supports() {
    let cases: &[(&str, &[i64], usize)] = &[
        // one reciprocal
        ("size n\n param x[n]\n q[i<n] = ln(x[i])\n s[] = q[0]\n assume 1 <= n\n result s", &[9], 1),
        // exponentials of the part, and 4 to weight them
        (
            "size n\n param x[n] w[n]\n q[i<n] = ln(x[i])\n s[] = sum i<n. [i < 4] q[i] w[i]\n result s",
            &[9],
            8,
        ),
        // A is zero off its diagonal, and its cotangent is asked for there
        (
            "size n\n param x[n]\n A[i<n, j<n] = [i == j] x[i]\n B[i<n, j<n] = [i == j] ln(A[i, j])\n s[] = sum i<n. B[i, i]\n result s",
            &[9],
            9,
        ),
    ];
    for (text, sizes, expected) in cases {
        let f = function(text);
        let x = Random(7).values(&lengths(&f, &f.params, sizes), 0.5, 1.5);
        assert_eq!(run(&grad(&f, &[0]), sizes, &x).1, *expected, "{text}");
    }
}

#[test]
fn random_programs() {
    let count = std::env::var("AD_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    for seed in 0..count {
        let text = random::program(seed, 2 + (seed % 5) as usize);
        let f = function(&text);
        for sizes in [[3, 2], [1, 3]] {
            let x = Random(seed + 1).values(&lengths(&f, &f.params, &sizes), -1.0, 1.0);
            println!("{seed} {sizes:?}\n{text}");
            check(&f, &sizes, &x, seed, false);
            if seed % 3 == 0 {
                let wrt: Vec<usize> = (0..f.params.len()).collect();
                for g in [jvp(&f, &wrt), vjp(&f, &wrt)] {
                    let more = Random(seed).values(&lengths(&g, &g.params[x.len()..], &sizes), -1.0, 1.0);
                    check(&g, &sizes, &[x.clone(), more].concat(), seed, false);
                }
            }
        }
    }
}

/// Where the range of a maximum may be empty, or all of it masked, its place is one less than the first index.
#[test]
fn places_of_extremes() {
    let cases = [
        ("s[] = max j < n. [] x[j]", "0 1 n"),
        ("s[] = max j < m. [] x[j]", "-1 0 m"),
        ("s[] = max j < n. [2 <= j] x[j]", "-1 0 n"),
        ("s[] = max j < n. [0.0 < x[j]] x[j]", "-1 0 n"),
        ("s[i < n] = max j < n. [j <= i] x[j]", "0 1 n"),
        ("s[i < n] = max j < n. [i <= j] x[j]", "-1 0 n"),
    ];
    for (stmt, expected) in cases {
        let f = function(&format!("size n m\n assume 1 <= n, m <= n\n param x[n]\n {stmt}\n result s"));
        let d = jvp(&f, &[0]);
        let of = |a: &crate::ssa::Array| match &a.kind {
            crate::ssa::ArrayKind::Index { lower, upper, .. } => Some((lower.clone(), upper.clone())),
            crate::ssa::ArrayKind::Real => None,
        };
        let (lower, upper) = d.arrays.iter().find_map(of).expect("an array of indices");
        let names = crate::index::Names { sizes: d.sizes.clone(), ..Default::default() };
        let first = lower.plus_scaled(1, &1.into()).unwrap();
        let shown = [lower, first, upper].map(|a| names.affine(&a)).join(" ");
        assert_eq!(shown, expected, "{stmt}");
    }
}

/// What has no derivative, and what is there already: the number of statements that the gradient needs.
#[test]
fn statements_that_are_added() {
    let cases: &[(&str, &[usize], usize)] = &[
        // zero
        ("q[i<n] = stop(x[i])\n s[] = sum i<n. q[i]", &[0], 1),
        ("q[i<n] = floor(x[i])\n s[] = sum i<n. q[i]", &[0], 1),
        ("s[] = sum i<n. [x[i] > 0.0] y[i]", &[0], 1),
        // y
        ("s[] = sum i<n. x[i] y[i]", &[0], 0),
        // the cosine is there: q, c, -sin x is -q: x̄
        ("q[i<n] = sin(x[i])\n c[i<n] = cos(x[i])\n s[] = sum i<n. q[i] c[i]", &[0], 3),
        // exp is its own derivative: e, x̄
        ("e[i<n] = exp(x[i])\n s[] = sum i<n. e[i] y[i]", &[0], 2),
        // q, r = 1 / y, -q · r; x̄ is r
        ("q[i<n] = div(x[i], y[i])\n s[] = sum i<n. q[i]", &[0, 1], 4),
    ];
    for (text, wrt, expected) in cases {
        let f = function(&format!("size n\n param x[n] y[n]\n {text}\n result s"));
        assert_eq!(run::count_needed(&grad(&f, wrt)), *expected, "{text}");
    }
}

/// Derivatives of simplified functions, simplified: the same values, within the bounds.
#[test]
fn bounds_after_simplification() {
    let count = std::env::var("AD_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(25);
    for seed in 0..count {
        let text = random::program(seed, 2 + (seed % 2) as usize);
        println!("{seed}\n{text}");
        let f = simplify(function(&text));
        let wrt: Vec<usize> = (0..f.params.len()).collect();
        for sizes in [[3, 2], [4, 5]] {
            let x = Random(seed + 1).values(&lengths(&f, &f.params, &sizes), -1.0, 1.0);
            let y_bar = Random(seed).values(&lengths(&f, &f.results, &sizes), -1.0, 1.0);
            let (value, cost) = run(&f, &sizes, &x);
            let scalars = |v: &[Values]| v.iter().map(Vec::len).sum::<usize>();
            let io = cost + scalars(&x) + scalars(&value);
            for (d, more, most) in [(jvp(&f, &wrt), &x, 4 * cost), (vjp(&f, &wrt), &y_bar, 4 * io)] {
                let args = [x.as_slice(), more].concat();
                let (expected, _) = run(&d, &sizes, &args);
                let simple = simplify(d.clone());
                let (out, spent) = run(&simple, &sizes, &args);
                assert_eq!(counts(&expected), counts(&out));
                for (a, b) in expected.concat().iter().zip(&out.concat()) {
                    assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs()), "{a} and {b}");
                }
                let spent = if most == 4 * cost { spent } else { spent + scalars(&args) + scalars(&out) };
                assert!(spent <= most, "{}: {spent} > {most} (of {cost}, {io})\n{simple:#?}", d.name);
            }
        }
    }
}
