//! What a guard hides stays hidden from derivatives.

use super::run::{Values, run};
use super::text::function;
use crate::ad::{grad, jvp, vjp};

/// A program, its sizes and parameters, the gradient by the first.
type Case<'a> = (&'a str, &'a [i64], &'a [&'a [f64]], &'a [f64]);

/// Where a guard is false, no derivative depends on what it guards.
#[test]
fn no_masked_poison() {
    // program, parameters, the gradient by the first
    let nan = f64::NAN;
    let inf = f64::INFINITY;
    let cases: &[Case] = &[
        (
            "size n\n param x[n]\n q[i<n] = ln(x[i])\n s[] = sum i<n. [x[i] > 0.0] q[i]\n result s",
            &[3],
            &[&[0.0, 2.0, -1.0]],
            &[0.0, 0.5, 0.0],
        ),
        (
            "size n\n param x[n]\n q[i<n] = sqrt(x[i])\n s[] = sum i<n. [x[i] > 0.0] q[i]\n result s",
            &[3],
            &[&[0.0, 4.0, -1.0]],
            &[0.0, 0.25, 0.0],
        ),
        (
            "size n\n param x[n]\n q[i<n] = recip(x[i])\n s[] = sum i<n. [!x[i] == 0.0] q[i]\n result s",
            &[2],
            &[&[0.0, 2.0]],
            &[0.0, -0.25],
        ),
        (
            "size n\n param x[n]\n q[i<n] = ln(x[i])\n s[] = sum i<n. [1 <= i] q[i]\n result s",
            &[3],
            &[&[0.0, 2.0, 4.0]],
            &[0.0, 0.5, 0.25],
        ),
        // through two statements
        (
            "size n\n param x[n]\n q[i<n] = sqrt(x[i])\n r[i<n] = ln(q[i])\n s[] = sum i<n. [x[i] > 0.0] r[i]\n result s",
            &[2],
            &[&[0.0, 4.0]],
            &[0.0, 0.125],
        ),
        // the mask has another index, summed away
        (
            "size n m\n param x[n] u[n, m]\n q[i<n] = ln(x[i])\n s[] = sum i<n j<m. [u[i, j] > 0.0] q[i]\n result s",
            &[2, 2],
            &[&[0.0, 2.0], &[-1.0, -1.0, 1.0, 1.0]],
            &[0.0, 1.0],
        ),
        (
            "size n m\n param x[n] u[n, m]\n q[i<n] = ln(x[i])\n r[i<n] = 3 q[i]\n s[] = sum i<n j<m. [u[i, j] > 0.0] r[i]\n result s",
            &[2, 2],
            &[&[0.0, 2.0], &[-1.0, -1.0, 1.0, 1.0]],
            &[0.0, 3.0],
        ),
        // a hidden NaN in a product
        (
            "size n m\n param x[n] y[n] u[n, m]\n q[i<n] = x[i] y[i]\n s[] = sum i<n j<m. [u[i, j] > 0.0] q[i]\n result s",
            &[2, 1],
            &[&[1.0, 2.0], &[nan, 7.0], &[-1.0, 1.0]],
            &[0.0, 7.0],
        ),
        // division and powers
        (
            "size n\n param x[n] y[n]\n q[i<n] = div(y[i], x[i])\n s[] = sum i<n. [x[i] > 0.0] q[i]\n result s",
            &[2],
            &[&[0.0, 2.0], &[0.0, 4.0]],
            &[0.0, -1.0],
        ),
        (
            "size n\n param x[n] y[n]\n q[i<n] = powf(x[i], y[i])\n s[] = sum i<n. [x[i] > 0.0] q[i]\n result s",
            &[2],
            &[&[0.0, 2.0], &[0.5, 3.0]],
            &[0.0, 12.0],
        ),
        // not masked: the slope is infinite
        (
            "size n\n param x[n]\n q[i<n] = sqrt(x[i])\n s[] = sum i<n. q[i]\n result s",
            &[2],
            &[&[0.0, 4.0]],
            &[inf, 0.25],
        ),
        // what is not the maximum
        (
            "size n\n param x[n]\n q[i<n] = ln(x[i])\n s[] = max i<n. q[i]\n result s",
            &[3],
            &[&[0.0, 4.0, 4.0]],
            &[0.0, 0.25, 0.0],
        ),
        (
            "size n\n param x[n]\n q[i<n] = ln(x[i])\n s[] = max i<n. [x[i] > 9.0] q[i]\n result s",
            &[2],
            &[&[0.0, 4.0]],
            &[0.0, 0.0],
        ),
        ("size n\n param x[n]\n q[i<n] = sqrt(x[i])\n s[] = max i<n. q[i]\n result s", &[0], &[&[]], &[]),
        // a choice
        (
            "size n\n param x[n]\n q[i<n] = sqrt(x[i])\n y[i<n] = max(q[i], x[i])\n s[] = sum i<n. [1 <= i] y[i]\n result s",
            &[3],
            &[&[0.0, 0.25, 4.0]],
            &[0.0, 1.0, 1.0],
        ),
    ];
    for (text, sizes, params, expected) in cases {
        let f = function(text);
        let params: Vec<Values> = params.iter().map(|p| p.to_vec()).collect();
        let wrt: Vec<usize> = (0..params.len()).collect();
        assert_eq!(run(&grad(&f, &wrt), sizes, &params).0[0], *expected, "{text}");
        // The derivative by one direction at a time is the same.
        for (k, d) in expected.iter().enumerate() {
            let mut x_dot = vec![0.0; expected.len()];
            x_dot[k] = 1.0;
            let out = run(&jvp(&f, &[0]), sizes, &[params.clone(), vec![x_dot]].concat()).0;
            let finite = expected.iter().all(|d| d.is_finite());
            assert!(!finite || out[1] == [*d], "{text}: {out:?}");
        }
        // Once more, by products with a direction: still no NaN.
        if expected.iter().all(|d| d.is_finite()) {
            let direction = vec![1.0; expected.len()];
            let h =
                run(&jvp(&grad(&f, &[0]), &[0]), sizes, &[params.clone(), vec![direction.clone()]].concat())
                    .0;
            assert!(h[1].iter().all(|x| x.is_finite()), "{text}: {h:?}");
            let h = run(&vjp(&grad(&f, &[0]), &[0]), sizes, &[params, vec![direction]].concat()).0;
            assert!(h[1].iter().all(|x| x.is_finite()), "{text}: {h:?}");
        }
    }
}

/// A mask that is lost in a sum must not be read off the value: at an exact fit the cotangent vanishes, its derivative does not.
#[test]
fn second_derivatives_where_the_first_vanish() {
    let f = function(
        "size n m\n param x[n] u[n, m] z[n]
         q[i < n] = ln(x[i])
         r[i < n, j < m] = [u[i, j] > 0.0] q[i] + [u[i, j] > 0.0] - z[i]
         s[] = sum i < n j < m. 0.5 r[i, j] r[i, j]
         result s",
    );
    // q = z where the mask holds: H = m / x².
    let params = vec![vec![1.0, 2.0, 0.0], vec![1.0, 1.0, 1.0, 1.0, -1.0, -1.0], vec![0.0, 2.0f64.ln(), 7.0]];
    let v = vec![1.0, 4.0, 1.0];
    let out = run(&jvp(&grad(&f, &[0]), &[0]), &[3, 2], &[params.clone(), vec![v.clone()]].concat()).0;
    assert_eq!(out, [[0.0, 0.0, 0.0], [2.0, 2.0, 0.0]]);
    let out = run(&vjp(&grad(&f, &[0]), &[0]), &[3, 2], &[params, vec![v]].concat()).0;
    assert_eq!(out, [[0.0, 0.0, 0.0], [2.0, 2.0, 0.0]]);
}
