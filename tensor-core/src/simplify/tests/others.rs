//! Springs, guards, constants, and what is shared.

use super::{Of, Program};
use Of::{Grad, Itself};

pub(super) const PROGRAMS: &[Program] = &[
    // springs
    (
        "size n
         param x[n]
         d[i<n] = [i + 1 < n] x[i + 1] + [i + 1 < n] - x[i]
         e[i<n] = [i + 1 < n] d[i] d[i]
         s[] = sum i<n. e[i]
         result s",
        &[6],
        Grad,
        "d[i < n] = [i + 1 < n] x[i + 1] + [i + 1 < n] -1 x[i]
         d_bar[i < n] = [i + 1 < n] 2 d[i]
         x_bar[i < n] = [i >= 1] d_bar[i - 1] + [i + 1 < n] -1 d_bar[i]
         result x_bar",
        14,
    ),
    // exclude
    (
        "size n
         param A[n, n] x[n]
         t[j<n] = sum i<n. A[i, j] x[i]
         s[] = sum j<n. t[j]
         result s",
        &[4],
        Itself,
        "s[i < n] = sum j. [0 <= j, j < n] A[i, j]
         s2[] = sum i. [0 <= i, i < n] x[i] s[i]
         result s2",
        19,
    ),
    // product moved out
    (
        "size n m
         param a[n] B[n, m]
         y[i<n] = sum j<m. a[i] B[i, j]
         result y",
        &[4, 3],
        Itself,
        "y[i < n] = sum j. [0 <= j, j < m] B[i, j]
         y2[i < n] = [m >= 1] a[i] y[i]
         result y2",
        12,
    ),
    // count
    (
        "size n m
         param x[n]
         y[i<n] = sum j<m. x[i]
         z[] = sum i<n j<n. [j < i] x[i]
         result y z",
        &[4, 3],
        Itself,
        "count[] = index m
         y[i < n] = [m == 1] x[i] + [m >= 2] x[i] count[]
         count2[i < n] = index i
         z[] = [n >= 2] x[1] + sum i. [i >= 2, i < n] x[i] count2[i]
         result y z",
        8,
    ),
    // broadcast exp
    (
        "size n m
         param q[n]
         A[i<n, j<m] = [j < i] q[i]
         e[i<n, j<m] = [j < i] exp(q[i])
         result e",
        &[4, 3],
        Itself,
        "e[i < n] = [m >= 1, i >= 1] exp(q[i])
         e2[i < n, j < m] = [j < i] e[i]
         result e2",
        3,
    ),
    // relu
    (
        "size n
         param x[n]
         y[i<n] = [x[i] > 0.0] x[i]
         s[] = sum i<n. y[i] y[i]
         result s",
        &[4],
        Grad,
        "0.0[] = 0
         x_bar[i < n] = [0.0<x[i]] 2 x[i]
         result x_bar",
        4,
    ),
    // one hot sum
    (
        "size n
         assume 1 <= n
         param x[n]
         y[i<n] = [i == 0] exp(x[i])
         s[] = sum i<n. y[i]
         result s",
        &[4],
        Itself,
        "y[] = exp(x[0])
         result y",
        1,
    ),
    // cse
    (
        "size n
         param x[n]
         a[i<n] = exp(x[i])
         b[i<n] = exp(x[i])
         y[i<n] = a[i] b[i]
         result y",
        &[4],
        Itself,
        "a[i < n] = exp(x[i])
         y[i < n] = a[i] a[i]
         result y",
        8,
    ),
    // constants
    (
        "size n
         param x[n]
         c[i<n] = 2
         d[i<n] = exp(c[i])
         h[i<n] = recip(c[i])
         e[i<n] = h[i] x[i]
         g[i<n] = [1 <= i] powi(c[i], 3)
         result e g",
        &[4],
        Itself,
        "e[i < n] = 0.5 x[i]
         g[i < n] = [i >= 1] 8
         result e g",
        4,
    ),
    // squares
    (
        "size n
         param x[n]
         a[i<n] = powi(x[i], 2)
         b[i<n] = powi(x[i], 1)
         s[] = sum i<n. a[i] + sum i<n. b[i]
         result s",
        &[4],
        Itself,
        "s[] = sum i. [0 <= i, i < n] x[i] x[i] + sum i2. [0 <= i2, i2 < n] x[i2]
         result s",
        11,
    ),
];
