//! Products of matrices, on one side of a diagonal too: programs, their loops, and the same values at no more cost.

use super::{Of, check, derived};

/// Up to the result.
const SIZES: &str = "size n m\n assume 2 <= n, 2 <= m\n param A[n, m] B[m, n] w[n] v[m]\n";

#[rustfmt::skip]
const PROGRAMS: &[(&str, &str, &str)] = &[
    (
        "above, which alone is read",
        "t[i<n, j<n] = sum l<m. [i <= j] A[i, l] B[l, j]\n u[i<n, j<n] = [i <= j] exp(t[i, j])\n result u",
        "matmul i < n, j < n, l < m if i <= j: t[i, j] = A[i, l]*B[l, j]\n",
    ),
    (
        "below, of a result: the others are zero",
        "t[i<n, j<n] = sum l<m. [j < i] A[i, l] B[l, j]\n result t",
        "t[..] = 0.0\nmatmul i < n, j < n, l < m if j <= i - 1: t[i, j] += A[i, l]*B[l, j]\n",
    ),
    (
        "by columns, about another diagonal",
        "t[j<n, i<n] = sum l<m. [i + 1 <= j] - A[i, l] B[l, j]\n result t",
        "t[..] = 0.0\nmatmul i < n, j < n, l < m if i + 1 <= j: t[j, i] += -1.0*A[i, l]*B[l, j]\n",
    ),
    (
        "about a diagonal of sizes",
        "t[i<n, j<n] = sum l<m. [j <= i + m - 2] A[i, l] B[l, j]\n result t",
        "matmul i < n, j < n, l < m if j <= m + i - 2: t[i, j] += A[i, l]*B[l, j]\n",
    ),
    (
        "a factor with less rows, which the band does not reach: loops",
        "t[i<n + m, j<n] = sum l<m. [i <= j] A[i, l] B[l, j]\n result t",
        "t2 += A[i, l]*B[l, j]\n",
    ),
    (
        "two diagonals: loops",
        "t[i<n, j<n] = sum l<m. [i <= j, j <= i + 2] A[i, l] B[l, j]\n result t",
        "for j in i..i + 3 {  ",
    ),
    (
        "symmetrized",
        "t[i<n, j<n] = sum l<m. [i <= j] A[i, l] B[l, j]\n H[i<n, j<n] = [i <= j] t[i, j] + [j < i] t[j, i]\n result H",
        "matmul i < n, j < n, l < m if i <= j: H[i, j] = A[i, l]*B[l, j], and across the diagonal\n",
    ),
    (
        "two products: symmetrized behind them",
        "t[i<n, j<n] = sum l<m. [i <= j] A[i, l] B[l, j] + sum l<m. [i <= j] A[j, l] B[l, i]\n H[i<n, j<n] = [i <= j] t[i, j] + [j < i] t[j, i]\n result H",
        "H[i, j] += A[j, l]*B[l, i]\nsymmetrize H: what is below the diagonal is what is above\n",
    ),
    (
        "an array of products, multiplied out: by what is shared of the indices",
        "d[i<n, l<m, k<m] = A[i, l] B[k, i] + [l == k] w[i] A[i, l]\n H[l<m, k<m] = sum i<n. [l <= k] A[i, l] d[i, l, k]\n result H",
        " if l <= k: H[l, k] += A_A[i - 656*i_block, l]*B[k, i]\n",
    ),
    (
        "the same for two sums, of which one reads it alone",
        "d[i<n, l<m, k<m] = A[i, l] B[k, i] + [l == k] w[i] A[i, l]\n s[l<m, k<m] = sum i<n. d[i, l, k]\n t[l<m, k<m] = sum i<n. B[k, i] d[i, l, k]\n result s t",
        "matmul l < m, k < m, i < n: s[l, k] = A[i, l]*B[k, i]\n",
    ),
    (
        "what is multiplied out is no product that is there already",
        "e[i<n, l<m] = w[i] v[l]\n y[l<m] = sum i<n. w[i] e[i, l]\n d[i<n, l<m, k<m] = v[l] B[k, i] + [l == k] w[i] A[i, l]\n H[l<m, k<m] = sum i<n. w[i] d[i, l, k]\n u[l<m] = exp(y[l])\n result u H",
        "H[l, k] += ",
    ),
    (
        "for three sums it is stored",
        "d[i<n, l<m, k<m] = A[i, l] B[k, i] + [l == k] w[i] A[i, l]\n s[l<m, k<m] = sum i<n. d[i, l, k]\n t[l<m, k<m] = sum i<n. B[k, i] d[i, l, k]\n u[l<m, k<m] = sum i<n. A[i, l] d[i, l, k]\n result s t u",
        "s[l, k] += d",
    ),
    (
        "symmetrized, then added to",
        "t[i<n, j<n] = sum l<m. [i <= j] A[i, l] B[l, j]\n H[i<n, j<n] = [i <= j] t[i, j] + [j < i] t[j, i] + [i == j] w[i]\n result H",
        "H[i, j] = A[i, l]*B[l, j], and across the diagonal\nvectorized ",
    ),
    (
        "symmetrized from below, then added to",
        "t[i<n, j<n] = sum l<m. [j <= i] A[i, l] B[l, j]\n H[i<n, j<n] = [j <= i] t[i, j] + [i < j] t[j, i] + [i == j] w[i]\n result H",
        "matmul i < n, j < n, l < m if j <= i: H[i, j] = A[i, l]*B[l, j]\nsymmetrize H: what is above the diagonal is what is below\nvectorized ",
    ),
    (
        "symmetrized by columns",
        "t[j<n, i<n] = sum l<m. [i <= j] A[i, l] B[l, j]\n H[i<n, j<n] = [j <= i] t[i, j] + [i < j] t[j, i]\n result H",
        "matmul i < n, j < n, l < m if i <= j: H[j, i] = A[i, l]*B[l, j]\nsymmetrize H: what is above the diagonal is what is below\n",
    ),
    (
        "no product: loops, then symmetrized",
        "t[i<n, j<n] = sum l<m. [i <= j] A[i, l] B[l, j] A[i, l]\n H[i<n, j<n] = [i <= j] t[i, j] + [j < i] t[j, i]\n result H",
        "            H[i, j] = H2\n        }\n    }\n}\nsymmetrize H: what is below the diagonal is what is above\n",
    ),
    (
        "two terms, and a diagonal that is in the triangle",
        "t[i<n, j<n] = [i <= j] w[i] w[j] + [i == j] w[i] + sum l<m. [i <= j] A[i, l] B[l, j] w[i]\n H[i<n, j<n] = [j < i] t[j, i] + [i <= j] t[i, j]\n result H",
        "symmetrize H: what is below the diagonal is what is above\n",
    ),
    (
        "a matrix of blocks",
        "t[i<n, a<2, k<n, b<2] = sum l<m. [i <= k] A[i, l] B[l, k] A[a, l] A[b, l]\n H[i<n, a<2, k<n, b<2] = [i <= k] t[i, a, k, b] + [k < i] t[k, b, i, a]\n result H",
        "symmetrize H: what is below the diagonal of blocks of 2 is what is above\n",
    ),
    (
        "read on its way: its blocks are symmetrized before",
        "t[i<n, j<n] = sum l<m. [i <= j] A[i, l] B[l, j] w[i]\n H[i<n, j<n] = [i <= j] t[i, j] + [j < i] t[j, i]\n y[i<n] = sum j<n. H[i, j] w[j]\n result y",
        "symmetrize H: what is below the diagonal is what is above\n",
    ),
    (
        "no symmetrize: blocks the wrong way around",
        "t[i<n, a<2, k<n, b<2] = sum l<m. [i <= k] A[i, l] B[l, k] A[a, l] A[b, l]\n H[i<n, a<2, k<n, b<2] = [i <= k] t[i, a, k, b] + [k < i] t[k, a, i, b]\n result H",
        "array t[n, n, 2]  // read by `H`",
    ),
    (
        "the diagonal is not in it: zeros",
        "t[i<n, j<n] = sum l<m. [i < j] A[i, l] B[l, j]\n H[i<n, j<n] = [i < j] t[i, j] + [j < i] t[j, i]\n result H",
        "H[..] = 0.0\nmatmul i < n, j < n, l < m if i + 1 <= j: H[i, j] += A[i, l]*B[l, j]\nsymmetrize H: what is below the diagonal is what is above\n",
    ),
    (
        "blocks on the diagonal, which are added later",
        "t[i<n, a<2, k<n, b<2] = sum l<m. [i < k] A[i, l] B[l, k] A[a, l] A[b, l]\n d[i<n, a<2, b<2] = sum l<m. [a <= b] A[i, l] A[a, l] A[b, l]\n H[i<n, a<2, k<n, b<2] = [i < k] t[i, a, k, b] + [k < i] t[k, b, i, a] + [i == k, a <= b] d[i, a, b] + [i == k, b < a] d[i, b, a]\n result H",
        "symmetrize H: what is below the diagonal of blocks of 2 is what is above\n",
    ),
    (
        "of what other loops compute, negated: one triangle",
        "t[i<n, j<n] = sum l<m. [j < i] A[i, l] B[l, j] w[i]\n H[i<n, j<n] = [i < j] - t[j, i] + [j < i] - t[i, j] + [i == j] w[i]\n result H",
        "        H[i, j] += -t[j]\n    }\n}\nsymmetrize H: what is above the diagonal is what is below\n",
    ),
    (
        "no triangle: it is a result, too",
        "t[i<n, j<n] = sum l<m. [i <= j] A[i, l] B[l, j]\n H[i<n, j<n] = [i <= j] t[i, j] + [j < i] t[j, i]\n result H t",
        "matmul i < n, j < n, l < m if i <= j: t[i, j] += A[i, l]*B[l, j]\n",
    ),
    (
        "no symmetrize: opposite signs",
        "t[i<n, j<n] = sum l<m. [i <= j] A[i, l] B[l, j]\n H[i<n, j<n] = [i <= j] t[i, j] + [j < i] - t[j, i]\n result H",
        "matmul i < n, j < n, l < m if i <= j: t[i, j] = A[i, l]*B[l, j]\nfor ",
    ),
];

/// Up to the result, with loops around.
const AROUND: &str =
    "size n m\n assume 2 <= n, 2 <= m\n param X[n, m] W[3, m, n] L[3, m, m] C[3, m] V[n, 3, m] I[n + 2, m]\n";

#[rustfmt::skip]
const IN_LOOPS: &[(&str, &str, &str)] = &[
    (
        "heads: a dimension of one factor alone",
        "q[a<3, i<n, b<n] = sum e<m. X[i, e] W[a, e, b]\n result q",
        "for a in 0..3 {\n    matmul i < n, b < n, e < m: q[a, i, b] = X[i, e]*W[a, e, b]\n",
    ),
    (
        "several sums: the longest by the kernel",
        "z[i<n, b<n] = sum a<3 e<m. V[i, a, e] W[a, e, b]\n result z",
        "for a in 0..3 {\n    matmul i < n, b < n, e < m: z[i, b] += V[i, a, e]*W[a, e, b]\n",
    ),
    (
        "a convolution with channels",
        "y[i<n, q<n] = sum a<3 r<m. I[i + a, r] W[a, r, q]\n result y",
        "for a in 0..3 {\n    matmul i < n, q < n, r < m: y[i, q] += I[i + a, r]*W[a, r, q]\n",
    ),
    (
        "padded: the loop decides which rows there are",
        "y[i<n, q<n] = sum a<3 r<m. [1 <= i + a, i + a <= n] X[i + a - 1, r] W[a, r, q]\n result y",
        "matmul i < n in 1 - a..=n - a, q < n, r < m: y[i, q] += X[i + a - 1, r]*W[a, r, q]\n",
    ),
    (
        "a triangle of sums: which terms",
        "y[i<n, q<n] = sum p<3 r<m. [p <= r] V[i, p, r] W[p, r, q]\n result y",
        "matmul i < n, q < n, r < m in p..=m - 1: y[i, q] += V[i, p, r]*W[p, r, q]\n",
    ),
    (
        "triangles of a batch",
        "g[a<3, i<n, q<n] = sum r<m. [i <= q] V[i, a, r] V[q, a, r]\n result g",
        "matmul i < n, q < n, r < m if i <= q: g[a, i, q] += V[i, a, r]*V[q, a, r]\n",
    ),
    (
        "a batch of what is given",
        "y[i<n, c<3, a<m] = sum b<m. L[c, a, b] V[i, c, b]\n result y",
        "matmul a < m, i < n, b < m: y[i, c, a] = L[c, a, b]*V[i, c, b]\n",
    ),
];

/// A factor that would be stored for the kernel alone.
const EXPANDED: &str = "r[i<n, c<3, b<m] = X[i, b] + - C[c, b]\n y[i<n, c<3, a<m] = sum b<m. L[c, a, b] r[i, c, b]\n z[] = sum i<n c<3 a<m. y[i, c, a] y[i, c, a]\n result z";

fn all(before: &str, programs: &[(&str, &str, &str)]) {
    let mut wrong = vec![];
    for (name, text, expected) in programs {
        let f = derived(&format!("{before} {text}"), Of::Itself);
        for sizes in [[6, 3], [3, 6], [2, 2]] {
            match check(&f, &sizes, name) {
                Ok((text, _)) if text.contains(expected) => {}
                Ok((text, _)) => wrong.push(format!("{name}: no `{expected}` in\n{text}")),
                Err(e) => wrong.push(e),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_side_of_a_diagonal() {
    all(SIZES, PROGRAMS);
}

#[test]
fn in_loops_around() {
    all(AROUND, IN_LOOPS);
}

#[test]
fn a_factor_that_is_larger_than_what_it_is_made_from_is_not_stored() {
    for of in [Of::Itself, Of::Vjp] {
        let f = derived(&format!("{AROUND} {EXPANDED}"), of);
        let (text, _) = check(&f, &[4, 3], "expanded").unwrap();
        assert!(!text.contains("matmul") && !text.contains("[n, 3, m]  //"), "{of:?}\n{text}");
    }
}
