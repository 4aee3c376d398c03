//! Programs, and the loops that come out; the same values at no more cost.

mod products;
mod sources;

use super::{Blocks, Options, prepared, schedule, scheduled};
use crate::ad::tests::text::function;
use crate::ad::{grad, hessian, jvp, value_and_grad, vjp};
use crate::eval::{Tensor, ssa};
use crate::loops::Program;
use crate::loops::eval::{Counts, run};
use crate::simplify::{erase_stops, simplify};
use crate::ssa::Function;

/// Which function of the program to schedule.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Of {
    Itself,
    Grad,
    Both,
    Vjp,
    Jvp,
    Hessian,
}
use Of::{Both, Grad, Hessian, Itself, Jvp, Vjp};

pub(crate) fn derived(text: &str, of: Of) -> Function {
    let f = simplify(function(text));
    let wrt: Vec<usize> = (0..f.params.len()).collect();
    let g = match of {
        Itself => f,
        Grad => grad(&f, &wrt),
        Both => value_and_grad(&f, &wrt),
        Vjp => vjp(&f, &wrt),
        Jvp => jvp(&f, &wrt),
        Hessian => hessian(&simplify(grad(&f, &wrt)), &wrt),
    };
    erase_stops(simplify(g))
}

/// Values of all parameters in (0.5, 1.5), reproducible.
pub(crate) fn arguments(f: &Function, sizes: &[i64]) -> Vec<Tensor> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        0.5 + (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let extent = |e: &crate::index::Affine| {
        e.eval(&|a| match a {
            crate::index::Atom::Size(k) => sizes[*k as usize],
            _ => 0,
        }) as usize
    };
    f.params
        .iter()
        .map(|p| {
            let shape: Vec<usize> = f.array(*p).extents.iter().map(extent).collect();
            Tensor::from_fn(&shape, |_| next())
        })
        .collect()
}

/// Whether there are as many results as are expected, each with as many elements, and all of these as they should be.
fn agree(expected: &[Tensor], found: &[Vec<f64>], same: &dyn Fn(f64, f64) -> bool) -> bool {
    let one = |(a, b): (&Tensor, &Vec<f64>)| {
        a.data.len() == b.len() && a.data.iter().zip(b).all(|(x, y)| same(*x, *y))
    };
    expected.len() == found.len() && expected.iter().zip(found).all(one)
}

/// The loops of a program of two sizes, as text; their values are those of the evaluator for all of these, but for so much of each.
pub(crate) fn as_evaluated(
    text: &str,
    of: Of,
    all: impl IntoIterator<Item = [i64; 2]>,
    within: f64,
) -> String {
    let f = derived(text, of);
    let p = schedule(&f);
    for sizes in all {
        let x = arguments(&f, &sizes);
        let (expected, _) = ssa::run(&f, &sizes, &x).expect("a program that the evaluator runs");
        let leaves: Vec<Vec<f64>> = x.iter().map(|t| t.data.clone()).collect();
        let (found, _) = run(&p, &sizes, &leaves, &|_| 1.25).unwrap_or_else(|e| panic!("{e}\n{p}"));
        let close = |x: f64, y: f64| (x - y).abs() <= within * x.abs().max(1.0);
        assert!(agree(&expected, &found, &close), "{sizes:?}\n{expected:?}\n{found:?}\n{p}");
    }
    p.to_string()
}

/// Schedules and runs: the text of the loops, and what was counted. Values are those of the SSA, at no more cost.
fn check(f: &Function, sizes: &[i64], what: &str) -> Result<(String, Counts), String> {
    let p = schedule(f);
    let text = p.to_string();
    let x = arguments(f, sizes);
    let (expected, _) = ssa::run(f, sizes, &x).map_err(|e| format!("{what}: {e}"))?;
    // What is cheap is computed again where it is read: the judge bounds what that adds.
    let (_, cost) = ssa::run(&prepared(f), sizes, &x).map_err(|e| format!("{what}, prepared: {e}"))?;
    let leaves: Vec<Vec<f64>> = x.iter().map(|t| t.data.clone()).collect();
    let (found, counts) = run(&p, sizes, &leaves, &|_| 1.25).map_err(|e| format!("{what}\n{e}\n{text}"))?;
    let same = |x: f64, y: f64| {
        (x - y).abs() <= 1e-10 * (1.0 + x.abs())
            || x.to_bits() == y.to_bits()
            || x == y
            || x.is_nan() && y.is_nan()
    };
    if !agree(&expected, &found, &same) {
        return Err(format!("{what}\n{expected:?}\n{found:?}\n{text}"));
    }
    if counts.cost() > cost {
        return Err(format!("{what}\ncosts {} > {cost}\n{text}", counts.cost()));
    }
    Ok((text, counts))
}

pub(crate) const PROGRAMS: &[(&str, &str, &[i64], Of)] = &[
    ("misfit", MISFIT, &[5, 3], Itself),
    ("misfit gradient", MISFIT, &[5, 3], Both),
    (
        "trace of eye",
        "size n\n param x[]\n A[i<n, j<n] = [i == j] x[]\n s[] = sum i<n. A[i, i]\n result s",
        &[5],
        Grad,
    ),
    ("trace", "size n\n param A[n, n]\n s[] = sum i<n. A[i, i]\n result s", &[5], Vjp),
    ("diag dot", DIAG, &[5], Grad),
    ("diag dot value", DIAG, &[5], Itself),
    (
        "conv one-hot",
        "size n m\n assume 3 <= n, 1 <= m\n param c[m]\n d[k < n + m - 1] = [k == 2] 1\n y[i<n] = sum j<m. d[i + j] c[j]\n result y",
        &[5, 3],
        Itself,
    ),
    (
        "conv",
        "size n m\n assume 1 <= n, 1 <= m\n param x[n + m - 1] c[m]\n y[i<n] = sum j<m. x[i + j] c[j]\n result y",
        &[5, 3],
        Vjp,
    ),
    ("2x", "size n\n param x[n]\n z0[i<n] = x[i]\n y[i<n] = 2 z0[i]\n result y", &[5], Vjp),
    (
        "linear",
        "param x[] y[]\n a[] = 2 x[] + 3 y[]\n b[] = 4 x[] + 1 a[]\n z[] = 8 x[]\n w[] = 5 a[] + 6 b[]\n result z w",
        &[],
        Vjp,
    ),
    (
        "elements",
        "size n\n assume 6 <= n\n param x[n]\n s0[] = x[0] + x[2]\n s1[] = s0[] + x[3]\n s2[] = s1[] + x[4]\n s3[] = s2[] + x[5]\n result s3",
        &[8],
        Vjp,
    ),
    ("sum", "size n\n param x[n]\n s[] = sum i<n. x[i]\n result s", &[5], Grad),
    ("dot", "size n\n param a[n] b[n]\n s[] = sum i<n. a[i] b[i]\n result s", &[5], Grad),
    ("xAx", XAX, &[5], Grad),
    ("xAx value", XAX, &[5], Itself),
    ("xAx jvp", XAX, &[5], Jvp),
    (
        "xCBAx",
        "size n\n param C[n, n] B[n, n] A[n, n] x[n]\n u[i<n] = sum j<n. A[i, j] x[j]\n v[i<n] = sum j<n. B[i, j] u[j]\n w[i<n] = sum j<n. C[i, j] v[j]\n s[] = sum i<n. x[i] w[i]\n result s",
        &[5],
        Vjp,
    ),
    (
        "a2b2",
        "size n\n param a[n, n] b[n, n]\n p[i<n, j<n] = a[i, j] a[i, j]\n q[i<n, j<n] = b[i, j] b[i, j]\n s[] = sum i<n j<n. p[i, j] q[i, j]\n result s",
        &[3],
        Grad,
    ),
    ("stride", "size n\n param x[2*n]\n y[i<n] = x[2*i]\n result y", &[4], Vjp),
    (
        "stride conv",
        "size n m\n assume 1 <= n, 1 <= m\n param x[2*n + m - 2] w[m]\n y[i<n] = sum j<m. x[2*i + j] w[j]\n result y",
        &[4, 3],
        Vjp,
    ),
    (
        "springs",
        "size n\n param x[n]\n d[i<n] = [i + 1 < n] x[i + 1] + [i + 1 < n] - x[i]\n e[i<n] = [i + 1 < n] d[i] d[i]\n s[] = sum i<n. e[i]\n result s",
        &[6],
        Grad,
    ),
    (
        "exclude",
        "size n\n param A[n, n] x[n]\n t[j<n] = sum i<n. A[i, j] x[i]\n s[] = sum j<n. t[j]\n result s",
        &[4],
        Itself,
    ),
    ("Aᵀx", "size n m\n param A[n, m] x[n]\n t[j<m] = sum i<n. A[i, j] x[i]\n result t", &[4, 3], Itself),
    (
        "AB",
        "size n m k\n param A[n, m] B[m, k]\n t[i<n, j<k] = sum l<m. A[i, l] B[l, j]\n u[i<n, j<k] = exp(t[i, j])\n result u",
        &[4, 3, 2],
        Itself,
    ),
    (
        "3AB",
        "size n m k\n param A[n, m] B[m, k]\n t[i<n, j<k] = sum l<m. 3 A[i, l] B[l, j]\n result t",
        &[4, 3, 2],
        Itself,
    ),
    (
        "triangle",
        "size n\n param A[n, n] x[n]\n y[i<n] = sum j<n. [j <= i] A[i, j] x[j]\n result y",
        &[4],
        Vjp,
    ),
    (
        "count",
        "size n m\n param x[n]\n y[i<n] = sum j<m. x[i]\n z[] = sum i<n j<n. [j < i] x[i]\n result y z",
        &[4, 3],
        Itself,
    ),
    (
        "broadcast exp",
        "size n m\n param q[n]\n A[i<n, j<m] = [j < i] q[i]\n e[i<n, j<m] = [j < i] exp(q[i])\n result e",
        &[4, 3],
        Itself,
    ),
    (
        "relu",
        "size n\n param x[n] z[]\n y[i<n] = [x[i] > z[]] x[i]\n s[] = sum i<n. y[i] y[i]\n result s",
        &[4],
        Grad,
    ),
    (
        "rows",
        "size n m\n param x[n] z[] A[n, m]\n y[i<n, j<m] = [x[i] > z[]] exp(A[i, j])\n result y",
        &[4, 3],
        Vjp,
    ),
    (
        "one hot sum",
        "size n\n assume 1 <= n\n param x[n]\n y[i<n] = [i == 0] exp(x[i])\n s[] = sum i<n. y[i]\n result s",
        &[4],
        Grad,
    ),
    (
        "cse",
        "size n\n param x[n]\n a[i<n] = exp(x[i])\n b[i<n] = exp(x[i])\n y[i<n] = a[i] b[i]\n result y",
        &[4],
        Grad,
    ),
    (
        "constants",
        "size n\n param x[n]\n c[i<n] = 2\n d[i<n] = exp(c[i])\n h[i<n] = recip(c[i])\n e[i<n] = h[i] x[i]\n g[i<n] = [1 <= i] powi(c[i], 3)\n result e g",
        &[4],
        Itself,
    ),
    (
        "interior",
        "size n\n param x[n]\n y[i<n] = [1 <= i, i + 1 < n] x[i - 1] + [1 <= i, i + 1 < n] -2 x[i] + [1 <= i, i + 1 < n] x[i + 1]\n result y",
        &[6],
        Vjp,
    ),
    ("max", "size n m\n param x[n, m]\n z[i < n] = max j<m. [] x[i, j]\n result z", &[4, 3], Vjp),
    ("max of columns", "size n m\n param x[n, m]\n z[j < m] = max i<n. [] x[i, j]\n result z", &[4, 3], Vjp),
    (
        "parameters twice",
        "size n\n param x[n] c[]\n s[] = sum i<n. x[i] c[]\n result x s x c s",
        &[4],
        Itself,
    ),
    (
        "two dims",
        "size h w\n param u[h, w]\n d[i<h, j<w] = [j + 1 < w] u[i, j + 1] + [j + 1 < w] - u[i, j]\n e[i<h, j<w] = [i + 1 < h] u[i + 1, j] + [i + 1 < h] - u[i, j]\n s[] = sum i<h j<w. d[i, j] d[i, j] + sum i<h j<w. e[i, j] e[i, j]\n result s",
        &[4, 5],
        Grad,
    ),
    (
        "softmax",
        "size n m\n param x[n, m]\n z[i < n] = max j<m. [] x[i, j]\n d[i<n, j<m] = x[i, j] + - z[i]\n e[i<n, j<m] = exp(d[i, j])\n t[i<n] = sum j<m. e[i, j]\n l[i<n] = ln(t[i])\n s[] = sum i<n. l[i] + sum i<n. z[i]\n result s",
        &[4, 3],
        Both,
    ),
    (
        "mlp",
        "size b d k\n param x[b, d] W[d, k] v[k] y[b]\n h[i<b, j<k] = sum l<d. x[i, l] W[l, j]\n t[i<b, j<k] = tanh(h[i, j])\n o[i<b] = sum j<k. t[i, j] v[j]\n r[i<b] = o[i] + - y[i]\n s[] = sum i<b. r[i] r[i]\n result s",
        &[4, 3, 2],
        Both,
    ),
];

const MISFIT: &str = "size n m\n assume 1 <= n, 1 <= m\n param x[n + m - 1] w[m] z[n]\n y[i < n] = sum j < m. x[i + j] w[j]\n r[i < n] = y[i] + - z[i]\n s[] = sum i < n. r[i] r[i]\n result s";
const DIAG: &str = "size n\n assume 1 <= n\n param x[n]\n A[i<n, j<n] = [i == j] x[i]\n s[] = sum i<n. A[i, 0] A[0, i]\n result s";
const XAX: &str =
    "size n\n param A[n, n] x[n]\n y[i<n] = sum j<n. A[i, j] x[j]\n s[] = sum i<n. x[i] y[i]\n result s";

#[test]
fn programs() {
    let mut wrong = String::new();
    for (name, text, sizes, of) in PROGRAMS {
        match check(&derived(text, *of), sizes, name) {
            Ok((text, counts)) => println!("---- {name}: {counts:?}\n{text}"),
            Err(e) => wrong += &format!("---- {e}\n"),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn random_programs() {
    let count = std::env::var("SCHEDULE_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let mut wrong = String::new();
    for seed in 0..count {
        let text = crate::ad::tests::random::program(seed, 2 + (seed % 5) as usize);
        for of in [Itself, Vjp, Jvp] {
            let f = derived(&text, of);
            for sizes in [[3, 2], [1, 3], [4, 5]] {
                let what = format!("{of:?} {sizes:?} of {seed}\n{text}");
                if let Err(e) = check(&f, &sizes, &what) {
                    wrong += &format!("---- {e}\n");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn buffers_are_shared_by_liveness() {
    // Each array is read next to where it is written, so that none is computed in the loop of another.
    let next = |to: &str, from: &str| format!(" {to}[i<n] = sum j<n. {from}[i] {from}[j] x[j]\n");
    let arrays = ["x", "a", "b", "c", "d", "e"];
    let steps: String = arrays.windows(2).map(|w| next(w[1], w[0])).collect();
    let text = format!("size n\n param x[n]\n{steps} result e");
    let f = derived(&text, Itself);
    let p = schedule(&f);
    // b is in use while c is computed, c while d is: a and c, b and d (and e, the result) are one.
    assert_eq!(p.work.len(), 1, "{p}");
    check(&f, &[4], &text).unwrap();
}

fn in_blocks(f: &Function, blocks: Option<Blocks>) -> Program {
    scheduled(f, &Options::in_blocks(blocks))
}

/// In blocks of two elements, from which all lengths are covered that differ: the values of the SSA.
fn tiled(text: &str, of: Of, sizes: &[i64]) -> String {
    let f = derived(text, of);
    let p = in_blocks(&f, Some(Blocks { elements: 2, halos: 0, of_products: 2, rows: 2 }));
    for n in 0..7 {
        let sizes: Vec<i64> = sizes.iter().map(|s| s + n).collect();
        let x = arguments(&f, &sizes);
        let (expected, _) = ssa::run(&f, &sizes, &x).unwrap();
        let leaves: Vec<Vec<f64>> = x.iter().map(|t| t.data.clone()).collect();
        let (found, _) = run(&p, &sizes, &leaves, &|_| 1.25).unwrap_or_else(|e| panic!("{e}\n{p}"));
        let close = |x: f64, y: f64| (x - y).abs() <= 1e-12 * x.abs().max(1.0);
        assert!(agree(&expected, &found, &close), "{sizes:?}: {expected:?}\n{found:?}\n{p}");
    }
    in_blocks(&f, Some(Blocks::default())).to_string()
}

#[test]
fn a_producer_and_its_consumer_are_tiled() {
    // Three operations on x are more than is computed again.
    let text = "size n\n assume 1 <= n\n param x[n]\n a[i<n] = exp(x[i])\n b[i<n] = sin(a[i])\n y[i<n] = [1 <= i] b[i - 1] + [i + 1 < n] b[i + 1]\n result y";
    let loops = tiled(text, Itself, &[1]);
    assert!(loops.contains("array b[770]"), "{loops}");
    assert!(loops.contains("for i_block in 0..(n + 768) / 768"), "{loops}");
}

#[test]
fn a_chain_is_tiled() {
    let stage = |to: &str, from: &str| {
        format!(
            " {to}[i<n] = [1 <= i] {from}[i - 1] + [i + 1 < n] {from}[i + 1]\n e{to}[i<n] = sin({to}[i])\n"
        )
    };
    let text = format!(
        "size n\n assume 1 <= n\n param x[n]\n ex[i<n] = sin(x[i])\n{}{}{} result ec",
        stage("a", "ex"),
        stage("b", "ea"),
        stage("c", "eb")
    );
    tiled(&text, Vjp, &[1]);
    for of in [Itself, Jvp] {
        let loops = tiled(&text, of, &[1]);
        assert_eq!(loops.matches("_block in").count(), 1, "{of:?}\n{loops}");
        assert!(!loops.contains("[n]  //"), "{of:?}: nothing of length n is stored\n{loops}");
    }
}

#[test]
fn layers_are_tiled() {
    let text = "size n p h\n assume 1 <= n, 1 <= p, 1 <= h\n param X[n, p] W[p, h] V[h, h]\n a[i<n, j<h] = sum e<p. X[i, e] W[e, j]\n z[i<n, j<h] = tanh(a[i, j])\n s[i<n, j<h] = sum e<h. z[i, e] V[e, j]\n t[i<n, j<h] = exp(s[i, j])\n y[] = sum i<n j<h. t[i, j]\n result y";
    for of in [Itself, Vjp] {
        let loops = tiled(text, of, &[1, 1, 1]);
        assert_eq!(loops.matches("_block in").count(), 1, "{of:?}\n{loops}");
        assert!(!loops.contains("[n, h]  //"), "{of:?}: nothing as long as the batch is stored\n{loops}");
    }
}

#[test]
fn rows_of_an_image_are_tiled() {
    let text = "size h w\n assume 1 <= h, 1 <= w\n param x[h + 4, w]\n e[i<h + 4, j<w] = exp(x[i, j])\n s[i<h + 4, j<w] = sin(e[i, j])\n y[i<h, j<w] = sum k<5. s[i + k, j] 0.2\n t[] = sum i<h j<w. y[i, j] y[i, j]\n result t";
    let loops = tiled(text, Itself, &[1, 2]);
    assert!(loops.contains("array s[20, w]"), "{loops}");
    let loops = tiled(text, Both, &[1, 2]);
    assert!(loops.contains("array s[20, w]") && loops.contains("array y_bar[20, w]"), "{loops}");
}

#[test]
fn a_total_between_is_waited_for() {
    // y needs the whole sum of b: it cannot run in the same turn.
    let text = "size n\n assume 1 <= n\n param x[n]\n a[i<n] = exp(x[i])\n b[i<n] = sin(a[i])\n s[] = sum i<n. b[i] b[i]\n y[i<n] = [1 <= i] b[i - 1] s[] + [i + 1 < n] b[i + 1]\n z[i<n] = tanh(y[i])\n result z";
    let loops = tiled(text, Itself, &[1]);
    assert!(!loops.contains("_block"), "{loops}");
}
