//! What goes in, what comes out; and that values stay and costs do not rise.

mod random;
mod show;

use super::simplify;
use crate::ad::tests::run::run;
use crate::ad::tests::text::function;
use crate::ad::{grad, jvp, vjp};
use crate::ssa::Function;
use crate::ssa::verify::verify;
use random::random;
use show::show;

/// Which function of the program to simplify.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Of {
    Itself,
    Grad,
    Vjp,
    Jvp,
}
use Of::{Grad, Itself, Jvp, Vjp};

fn derived(f: &Function, of: Of) -> Function {
    let wrt: Vec<usize> = (0..f.params.len()).collect();
    match of {
        Itself => f.clone(),
        Grad => grad(f, &wrt),
        Vjp => vjp(f, &wrt),
        Jvp => jvp(f, &wrt),
    }
}

/// Values of all parameters in (0.5, 1.5), reproducible.
fn arguments(f: &Function, sizes: &[i64]) -> Vec<Vec<f64>> {
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
    let count = |p: &crate::ssa::ArrayId| f.array(*p).extents.iter().map(extent).product::<usize>();
    f.params.iter().map(|p| (0..count(p)).map(|_| next()).collect()).collect()
}

/// Simplifies; the result is verified, has the same values and costs no more: `(it, its cost)`.
fn check(f: &Function, sizes: &[i64]) -> (Function, usize) {
    check_at(f, &[sizes], true)
}

fn check_at(f: &Function, sizes: &[&[i64]], costs: bool) -> (Function, usize) {
    assert_eq!(verify(f), Ok(()), "{}", show(f));
    let g = simplify(f.clone());
    if std::env::var("SHOW").is_ok() { eprintln!("FN {}\n{}\n→\n{}", f.name, show(f), show(&g)); }
    assert_eq!(verify(&g), Ok(()), "{}\n→\n{}", show(f), show(&g));
    let mut last = 0;
    for sizes in sizes {
        let x = arguments(f, sizes);
        let (before, cost) = run(f, sizes, &x);
        let (after, new_cost) = run(&g, sizes, &x);
        for (a, b) in before.iter().flatten().zip(after.iter().flatten()) {
            let close = a == b || (a - b).abs() <= 1e-9 * (1.0 + a.abs()) || a.is_nan();
            assert!(close, "{} at {sizes:?}: {a} {b}\n{}\n→\n{}", f.name, show(f), show(&g));
        }
        assert!(
            !costs || new_cost <= cost,
            "{} at {sizes:?}: {new_cost} > {cost}\n{}\n→\n{}",
            f.name,
            show(f),
            show(&g)
        );
        last = new_cost;
    }
    (g, last)
}

fn trimmed(text: &str) -> String {
    text.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Each program: sizes to run it with, which function, what comes out, at what cost.
#[test]
fn programs() {
    let programs: &[(&str, &[i64], Of, &str, usize)] = &[
        // trace of eye
        ("size n\n param x[]\n A[i<n, j<n] = [i == j] x[]\n s[] = sum i<n. A[i, i]\n result s", &[5], Grad, "", 0),
        // trace adj
        ("size n\n param A[n, n]\n s[] = sum i<n. A[i, i]\n result s", &[5], Vjp, "", 0),
        // diag trace k
        ("size n\n param x[n]\n A[i<n, j<n] = [i == j] x[i]\n t[] = sum i<n. A[i, i]\n u[] = sum i<n. A[i, i]\n v[] = sum i<n. A[i, i]\n a[] = t[] + u[]\n b[] = a[] + v[]\n result b", &[5], Grad, "", 0),
        // diag dot
        ("size n\n assume 1 <= n\n param x[n]\n A[i<n, j<n] = [i == j] x[i]\n s[] = sum i<n. A[i, 0] A[0, i]\n result s", &[5], Grad, "", 0),
        // diag dot value
        ("size n\n assume 1 <= n\n param x[n]\n A[i<n, j<n] = [i == j] x[i]\n s[] = sum i<n. A[i, 0] A[0, i]\n result s", &[5], Itself, "", 0),
        // conv one-hot
        ("size n m\n assume 3 <= n, 1 <= m\n param c[m]\n d[k < n + m - 1] = [k == 2] 1\n y[i<n] = sum j<m. d[i + j] c[j]\n result y", &[5, 3], Itself, "", 0),
        // conv
        ("size n m\n assume 1 <= n, 1 <= m\n param x[n + m - 1] c[m]\n y[i<n] = sum j<m. x[i + j] c[j]\n result y", &[5, 3], Vjp, "", 0),
        // lsq
        ("size n m\n assume 1 <= n, 1 <= m\n param x[n + m - 1] w[m] z[n]\n y[i < n] = sum j < m. x[i + j] w[j]\n r[i < n] = y[i] + - z[i]\n s[] = sum i < n. r[i] r[i]\n result s", &[5, 3], Grad, "", 0),
        // 2x
        ("size n\n param x[n]\n z0[i<n] = x[i]\n z1[i<n] = z0[i]\n z2[i<n] = z1[i]\n y[i<n] = 2 z2[i]\n result y", &[5], Vjp, "", 0),
        // x+x
        ("size n\n param x[n]\n y[i<n] = x[i] + x[i]\n result y", &[5], Vjp, "", 0),
        // linear
        ("param x[] y[]\n a[] = 2 x[] + 3 y[]\n b[] = 4 x[] + 1 a[]\n z[] = 8 x[]\n w[] = 5 a[] + 6 b[]\n result z w", &[], Vjp, "", 0),
        // elements
        ("size n\n assume 6 <= n\n param x[6]\n s0[] = x[0] + x[2]\n s1[] = s0[] + x[3]\n s2[] = s1[] + x[4]\n s3[] = s2[] + x[5]\n result s3", &[6], Vjp, "", 0),
        // elements lit
        ("param x[4]\n s0[] = x[0] + x[2]\n s1[] = s0[] + x[3]\n result s1", &[], Vjp, "", 0),
        // sum
        ("size n\n param x[n]\n s[] = sum i<n. x[i]\n result s", &[5], Grad, "", 0),
        // dot
        ("size n\n param a[n] b[n]\n s[] = sum i<n. a[i] b[i]\n result s", &[5], Grad, "", 0),
        // xAx
        ("size n\n param A[n, n] x[n]\n y[i<n] = sum j<n. A[i, j] x[j]\n s[] = sum i<n. x[i] y[i]\n result s", &[5], Grad, "", 0),
        // xAx jvp
        ("size n\n param A[n, n] x[n]\n y[i<n] = sum j<n. A[i, j] x[j]\n s[] = sum i<n. x[i] y[i]\n result s", &[5], Jvp, "", 0),
        // xCBAx
        ("size n\n param C[n, n] B[n, n] A[n, n] x[n]\n u[i<n] = sum j<n. A[i, j] x[j]\n v[i<n] = sum j<n. B[i, j] u[j]\n w[i<n] = sum j<n. C[i, j] v[j]\n s[] = sum i<n. x[i] w[i]\n result s", &[5], Vjp, "", 0),
        // a2b2
        ("size n\n param a[n, n] b[n, n]\n p[i<n, j<n] = a[i, j] a[i, j]\n q[i<n, j<n] = b[i, j] b[i, j]\n s[] = sum i<n j<n. p[i, j] q[i, j]\n result s", &[3], Grad, "", 0),
        // stride
        ("size n\n param x[2*n]\n y[i<n] = x[2*i]\n result y", &[4], Vjp, "", 0),
        // stride conv
        ("size n m\n assume 1 <= n, 1 <= m\n param x[2*n + m - 2] w[m]\n y[i<n] = sum j<m. x[2*i + j] w[j]\n result y", &[4, 3], Vjp, "", 0),
        // springs
        ("size n\n param x[n]\n d[i<n] = [i + 1 < n] x[i + 1] + [i + 1 < n] - x[i]\n e[i<n] = [i + 1 < n] d[i] d[i]\n s[] = sum i<n. e[i]\n result s", &[6], Grad, "", 0),
        // exclude
        ("size n\n param A[n, n] x[n]\n t[j<n] = sum i<n. A[i, j] x[i]\n s[] = sum j<n. t[j]\n result s", &[4], Itself, "", 0),
        // product moved out
        ("size n m\n param a[n] B[n, m]\n y[i<n] = sum j<m. a[i] B[i, j]\n result y", &[4, 3], Itself, "", 0),
        // count
        ("size n m\n param x[n]\n y[i<n] = sum j<m. x[i]\n z[] = sum i<n j<n. [j < i] x[i]\n result y z", &[4, 3], Itself, "", 0),
        // broadcast exp
        ("size n m\n param q[n]\n A[i<n, j<m] = [j < i] q[i]\n e[i<n, j<m] = [j < i] exp(q[i])\n result e", &[4, 3], Itself, "", 0),
        // relu
        ("size n\n param x[n]\n y[i<n] = [x[i] > 0.0] x[i]\n s[] = sum i<n. y[i] y[i]\n result s", &[4], Grad, "", 0),
        // one hot sum
        ("size n\n assume 1 <= n\n param x[n]\n y[i<n] = [i == 0] exp(x[i])\n s[] = sum i<n. y[i]\n result s", &[4], Itself, "", 0),
        // cse
        ("size n\n param x[n]\n a[i<n] = exp(x[i])\n b[i<n] = exp(x[i])\n y[i<n] = a[i] b[i]\n result y", &[4], Itself, "", 0),
        // constants
        ("size n\n param x[n]\n c[i<n] = 2\n d[i<n] = exp(c[i])\n h[i<n] = recip(c[i])\n e[i<n] = h[i] x[i]\n g[i<n] = [1 <= i] powi(c[i], 3)\n result e g", &[4], Itself, "", 0),
        // squares
        ("size n\n param x[n]\n a[i<n] = powi(x[i], 2)\n b[i<n] = powi(x[i], 1)\n s[] = sum i<n. a[i] + sum i<n. b[i]\n result s", &[4], Itself, "", 0),
    ];
    let mut wrong = String::new();
    for (text, sizes, of, expected, cost) in programs {
        let (g, new_cost) = check(&derived(&function(text), *of), sizes);
        let shown = show(&g);
        if shown != trimmed(expected) || new_cost != *cost {
            wrong += &format!("---- {of:?} of{text}\n{shown}\ncost {new_cost}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Random functions and their derivatives: values stay, at sizes that make ranges empty too, and where loops have some length costs do not
/// rise.
#[test]
fn random_functions() {
    for seed in 0..200 {
        let f = random(seed);
        for g in [f.clone(), derived(&f, Vjp), derived(&f, Jvp)] {
            if g.name != f.name && verify(&g).is_err() {
                continue;
            }
            check_at(&g, &[&[4, 5], &[5, 4]], true);
            check_at(&g, &[&[0, 2], &[3, 0], &[1, 1], &[2, 3], &[0, 0]], false);
        }
    }
}
