//! Linear algebra: views, one-hot arrays, strides.

use super::{Of, Program};
use Of::{Grad, Itself, Jvp, Vjp};

pub(super) const PROGRAMS: &[Program] = &[
    // trace of eye
    (
        "size n
         param x[]
         A[i<n, j<n] = [i == j] x[]
         s[] = sum i<n. A[i, i]
         result s",
        &[5],
        Grad,
        "count[] = index n
         result count",
        0,
    ),
    // trace adj
    (
        "size n
         param A[n, n]
         s[] = sum i<n. A[i, i]
         result s",
        &[5],
        Vjp,
        "s[] = sum i. [0 <= i, i < n] a[i, i]
         a_bar[i < n, k < n] = [i == k] y_bar[]
         result s a_bar",
        4,
    ),
    // diag trace k
    (
        "size n
         param x[n]
         A[i<n, j<n] = [i == j] x[i]
         t[] = sum i<n. A[i, i]
         u[] = sum i<n. A[i, i]
         v[] = sum i<n. A[i, i]
         a[] = t[] + u[]
         b[] = a[] + v[]
         result b",
        &[5],
        Grad,
        "x_bar[i < n] = 3
         result x_bar",
        0,
    ),
    // diag dot
    (
        "size n
         assume 1 <= n
         param x[n]
         A[i<n, j<n] = [i == j] x[i]
         s[] = sum i<n. A[i, 0] A[0, i]
         result s",
        &[5],
        Grad,
        "x_bar[] = 2 x[0]
         x_bar2[i < n] = [i == 0] x_bar[]
         result x_bar2",
        1,
    ),
    // diag dot value
    (
        "size n
         assume 1 <= n
         param x[n]
         A[i<n, j<n] = [i == j] x[i]
         s[] = sum i<n. A[i, 0] A[0, i]
         result s",
        &[5],
        Itself,
        "s[] = x[0] x[0]
         result s",
        1,
    ),
    // conv one-hot
    (
        "size n m
         assume 3 <= n, 1 <= m
         param c[m]
         d[k < n + m - 1] = [k == 2] 1
         y[i<n] = sum j<m. d[i + j] c[j]
         result y",
        &[5, 3],
        Itself,
        "y[i < n] = [i <= 2, 2 < m + i] c[2 - i]
         result y",
        0,
    ),
    // conv
    (
        "size n m
         assume 1 <= n, 1 <= m
         param x[n + m - 1] c[m]
         y[i<n] = sum j<m. x[i + j] c[j]
         result y",
        &[5, 3],
        Vjp,
        "y[i < n] = sum j. [0 <= j, j < m] x[i + j] c[j]
         x_bar[k < n + m - 1] = sum j. [j <= k, k < n + j, 0 <= j, j < m] c[j] y_bar[k - j]
         c_bar[j < m] = sum i. [0 <= i, i < n] x[j + i] y_bar[i]
         result y x_bar c_bar",
        75,
    ),
    // lsq
    (
        "size n m
         assume 1 <= n, 1 <= m
         param x[n + m - 1] w[m] z[n]
         y[i < n] = sum j < m. x[i + j] w[j]
         r[i < n] = y[i] + - z[i]
         s[] = sum i < n. r[i] r[i]
         result s",
        &[5, 3],
        Grad,
        "r[i < n] = sum j. [0 <= j, j < m] x[i + j] w[j] + -1 z[i]
         r_bar[i < n] = 2 r[i]
         x_bar[k < n + m - 1] = sum j. [j <= k, k < n + j, 0 <= j, j < m] w[j] r_bar[k - j]
         w_bar[j < m] = sum i. [0 <= i, i < n] x[j + i] r_bar[i]
         z_bar[i < n] = -1 r_bar[i]
         result x_bar w_bar z_bar",
        85,
    ),
    // 2x
    (
        "size n
         param x[n]
         z0[i<n] = x[i]
         z1[i<n] = z0[i]
         z2[i<n] = z1[i]
         y[i<n] = 2 z2[i]
         result y",
        &[5],
        Vjp,
        "y[i < n] = 2 x[i]
         z2_bar[i < n] = 2 y_bar[i]
         result y z2_bar",
        10,
    ),
    // x+x
    (
        "size n
         param x[n]
         y[i<n] = x[i] + x[i]
         result y",
        &[5],
        Vjp,
        "y[i < n] = 2 x[i]
         x_bar[i < n] = 2 y_bar[i]
         result y x_bar",
        10,
    ),
    // linear
    (
        "param x[] y[]
         a[] = 2 x[] + 3 y[]
         b[] = 4 x[] + 1 a[]
         z[] = 8 x[]
         w[] = 5 a[] + 6 b[]
         result z w",
        &[],
        Vjp,
        "z[] = 8 x[]
         w[] = 46 x[] + 33 y[]
         x_bar[] = 8 y_bar0[] + 46 y_bar1[]
         y_bar[] = 33 y_bar1[]
         result z w x_bar y_bar",
        8,
    ),
    // elements
    (
        "size n
         assume 6 <= n
         param x[6]
         s0[] = x[0] + x[2]
         s1[] = s0[] + x[3]
         s2[] = s1[] + x[4]
         s3[] = s2[] + x[5]
         result s3",
        &[6],
        Vjp,
        "s3[] = x[0] + x[2] + x[3] + x[4] + x[5]
         x_bar[k < 6] = [k != 1] y_bar[]
         result s3 x_bar",
        4,
    ),
    // elements lit
    (
        "param x[4]
         s0[] = x[0] + x[2]
         s1[] = s0[] + x[3]
         result s1",
        &[],
        Vjp,
        "s1[] = x[0] + x[2] + x[3]
         x_bar[k < 4] = [k != 1] y_bar[]
         result s1 x_bar",
        2,
    ),
    // sum
    (
        "size n
         param x[n]
         s[] = sum i<n. x[i]
         result s",
        &[5],
        Grad,
        "x_bar[i < n] = 1
         result x_bar",
        0,
    ),
    // dot
    (
        "size n
         param a[n] b[n]
         s[] = sum i<n. a[i] b[i]
         result s",
        &[5],
        Grad,
        "result b a",
        0,
    ),
    // xAx
    (
        "size n
         param A[n, n] x[n]
         y[i<n] = sum j<n. A[i, j] x[j]
         s[] = sum i<n. x[i] y[i]
         result s",
        &[5],
        Grad,
        "a_bar[i < n, j < n] = x[j] x[i]
         x_bar[j < n] = sum j2. [0 <= j2, j2 < n] a[j, j2] x[j2] + sum i. [0 <= i, i < n] a[i, j] x[i]
         result a_bar x_bar",
        120,
    ),
    // xAx jvp
    (
        "size n
         param A[n, n] x[n]
         y[i<n] = sum j<n. A[i, j] x[j]
         s[] = sum i<n. x[i] y[i]
         result s",
        &[5],
        Jvp,
        "y[i < n] = sum j. [0 <= j, j < n] a[i, j] x[j]
         s[] = sum i. [0 <= i, i < n] x[i] y[i]
         y_dot[i < n] = sum j. [0 <= j, j < n] x[j] a_dot[i, j] + sum j2. [0 <= j2, j2 < n] a[i, j2] x_dot[j2]
         s_dot[] = sum i. [0 <= i, i < n] y[i] x_dot[i] + sum i2. [0 <= i2, i2 < n] x[i2] y_dot[i2]
         result s s_dot",
        168,
    ),
    // xCBAx
    (
        "size n
         param C[n, n] B[n, n] A[n, n] x[n]
         u[i<n] = sum j<n. A[i, j] x[j]
         v[i<n] = sum j<n. B[i, j] u[j]
         w[i<n] = sum j<n. C[i, j] v[j]
         s[] = sum i<n. x[i] w[i]
         result s",
        &[5],
        Vjp,
        "u[i < n] = sum j. [0 <= j, j < n] a[i, j] x[j]
         v[i < n] = sum j. [0 <= j, j < n] b[i, j] u[j]
         w[i < n] = sum j. [0 <= j, j < n] c[i, j] v[j]
         s[] = sum i. [0 <= i, i < n] x[i] w[i]
         w_bar[i < n] = x[i] y_bar[]
         v_bar[i < n] = sum i2. [0 <= i2, i2 < n] c[i2, i] w_bar[i2]
         u_bar[i < n] = sum i2. [0 <= i2, i2 < n] b[i2, i] v_bar[i2]
         c_bar[i < n, j < n] = v[j] w_bar[i]
         b_bar[i < n, j < n] = u[j] v_bar[i]
         a_bar[i < n, j < n] = x[j] u_bar[i]
         x_bar[j < n] = w[j] y_bar[] + sum i. [0 <= i, i < n] a[i, j] u_bar[i]
         result s c_bar b_bar a_bar x_bar",
        369,
    ),
    // a2b2
    (
        "size n
         param a[n, n] b[n, n]
         p[i<n, j<n] = a[i, j] a[i, j]
         q[i<n, j<n] = b[i, j] b[i, j]
         s[] = sum i<n j<n. p[i, j] q[i, j]
         result s",
        &[3],
        Grad,
        "p[i < n, j < n] = a[i, j] a[i, j]
         q[i < n, j < n] = b[i, j] b[i, j]
         a_bar[i < n, j < n] = 2 a[i, j] q[i, j]
         b_bar[i < n, j < n] = 2 b[i, j] p[i, j]
         result a_bar b_bar",
        54,
    ),
    // stride
    (
        "size n
         param x[2*n]
         y[i<n] = x[2*i]
         result y",
        &[4],
        Vjp,
        "y[i < n] = x[2*i]
         x_bar[k < 2*n] = [k % 2 == 0] y_bar[k / 2]
         result y x_bar",
        0,
    ),
    // stride conv
    (
        "size n m
         assume 1 <= n, 1 <= m
         param x[2*n + m - 2] w[m]
         y[i<n] = sum j<m. x[2*i + j] w[j]
         result y",
        &[4, 3],
        Vjp,
        "y[i < n] = sum j. [0 <= j, j < m] x[2*i + j] w[j]
         x_bar[k < 2*n + m - 2] = sum i. [0 <= i, i < n, 2*i <= k, k < m + 2*i] w[k - 2*i] y_bar[i]
         w_bar[j < m] = sum i. [0 <= i, i < n] x[j + 2*i] y_bar[i]
         result y x_bar w_bar",
        56,
    ),
];
