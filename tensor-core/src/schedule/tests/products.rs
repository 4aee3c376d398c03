//! Products of matrices on one side of a diagonal: programs, their loops, and the same values at no more cost.

use super::{Of, check, derived};

/// Up to the result.
const SIZES: &str = "size n m\n assume 2 <= n, 2 <= m\n param A[n, m] B[m, n] w[n]\n";

#[rustfmt::skip]
const PROGRAMS: &[(&str, &str, &str)] = &[
    (
        "above, which alone is read",
        "t[i<n, j<n] = sum l<m. [i <= j] A[i, l] B[l, j]\n u[i<n, j<n] = [i <= j] exp(t[i, j])\n result u",
        "product i < n, j < n, l < m if i <= j: t[i, j] = A[i, l]*B[l, j]\n",
    ),
    (
        "below, of a result: the others are zero",
        "t[i<n, j<n] = sum l<m. [j < i] A[i, l] B[l, j]\n result t",
        "t[..] = 0.0\nproduct i < n, j < n, l < m if j <= i - 1: t[i, j] += A[i, l]*B[l, j]\n",
    ),
    (
        "by columns, about another diagonal",
        "t[j<n, i<n] = sum l<m. [i + 1 <= j] - A[i, l] B[l, j]\n result t",
        "t[..] = 0.0\nproduct i < n, j < n, l < m if i + 1 <= j: t[j, i] += -1.0*A[i, l]*B[l, j]\n",
    ),
    (
        "about a diagonal of sizes",
        "t[i<n, j<n] = sum l<m. [j <= i + m - 2] A[i, l] B[l, j]\n result t",
        "product i < n, j < n, l < m if j <= m + i - 2: t[i, j] += A[i, l]*B[l, j]\n",
    ),
    (
        "two diagonals: loops",
        "t[i<n, j<n] = sum l<m. [i <= j, j <= i + 2] A[i, l] B[l, j]\n result t",
        "for j in i..i + 3 {\n",
    ),
    (
        "mirrored",
        "t[i<n, j<n] = sum l<m. [i <= j] A[i, l] B[l, j]\n H[i<n, j<n] = [i <= j] t[i, j] + [j < i] t[j, i]\n result H",
        "product i < n, j < n, l < m if i <= j: H[i, j] = A[i, l]*B[l, j], mirrored\n",
    ),
    (
        "mirrored from below, then added to",
        "t[i<n, j<n] = sum l<m. [j <= i] A[i, l] B[l, j]\n H[i<n, j<n] = [j <= i] t[i, j] + [i < j] t[j, i] + [i == j] w[i]\n result H",
        "product i < n, j < n, l < m if j <= i: H[i, j] = A[i, l]*B[l, j], mirrored\n",
    ),
    (
        "mirrored by columns",
        "t[j<n, i<n] = sum l<m. [i <= j] A[i, l] B[l, j]\n H[i<n, j<n] = [j <= i] t[i, j] + [i < j] t[j, i]\n result H",
        "product i < n, j < n, l < m if i <= j: H[j, i] = A[i, l]*B[l, j], mirrored\n",
    ),
    (
        "no half: the diagonal is not in it",
        "t[i<n, j<n] = sum l<m. [i < j] A[i, l] B[l, j]\n H[i<n, j<n] = [i < j] t[i, j] + [j < i] t[j, i]\n result H",
        "product i < n, j < n, l < m if i + 1 <= j: t[i, j] = A[i, l]*B[l, j]\nfor ",
    ),
    (
        "no half: it is a result, too",
        "t[i<n, j<n] = sum l<m. [i <= j] A[i, l] B[l, j]\n H[i<n, j<n] = [i <= j] t[i, j] + [j < i] t[j, i]\n result H t",
        "product i < n, j < n, l < m if i <= j: t[i, j] += A[i, l]*B[l, j]\n",
    ),
    (
        "no mirror: opposite signs",
        "t[i<n, j<n] = sum l<m. [i <= j] A[i, l] B[l, j]\n H[i<n, j<n] = [i <= j] t[i, j] + [j < i] - t[j, i]\n result H",
        "product i < n, j < n, l < m if i <= j: t[i, j] = A[i, l]*B[l, j]\nfor ",
    ),
];

#[test]
fn one_side_of_a_diagonal() {
    let mut wrong = vec![];
    for (name, text, expected) in PROGRAMS {
        let f = derived(&format!("{SIZES} {text}"), Of::Itself);
        for sizes in [[6, 3], [3, 6], [2, 2]] {
            match check(&f, &sizes, name, false) {
                Ok((text, _)) if text.contains(expected) => {}
                Ok((text, _)) => wrong.push(format!("{name}: no `{expected}` in\n{text}")),
                Err(e) => wrong.push(e),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
