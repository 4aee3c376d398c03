//! Programs, and what is said of them.

use crate::error::Errors;
use crate::parse::Input;
use crate::typed::Block;
use crate::{check, parse};

mod order;

fn prove(program: &str) -> (Block, Vec<String>) {
    let mut errors = Errors::default();
    let Some(Input::Block(block)) = parse::parse(program.parse().unwrap(), &mut errors) else {
        panic!("no items: {program}")
    };
    let mut block = check::check(&block, &mut errors);
    assert!(errors.is_empty(), "{program}: {:?}", errors.0);
    super::prove(&mut block, &mut errors);
    (block, errors.0.into_iter().map(|e| e.message).collect())
}

/// The program is proved, given these checks on entry of its last function (beside those that it writes).
#[track_caller]
fn accepted(program: &str, checks: &[&str]) {
    let (block, errors) = prove(program);
    assert_eq!(errors, [""; 0], "{program}");
    assert!(block.functions.iter().all(|f| f.body.is_some()));
    let f = block.functions.last().unwrap();
    let texts: Vec<&str> = f.checks.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(texts, checks, "{program}");
}

/// The program is rejected with these messages.
#[track_caller]
fn rejected(program: &str, messages: &[&str]) {
    let (block, errors) = prove(program);
    assert_eq!(errors, messages, "{program}");
    assert!(block.functions.iter().any(|f| f.body.is_none()));
}

#[test]
fn accesses_in_range() {
    for (program, checks) in ACCEPTED {
        accepted(program, checks);
    }
}

const ACCEPTED: &[(&str, &[&str])] = &[
    // Facts of products that do not occur are left out first.
    (
        "fn f<n, m>(x: [f64; n], y: [f64; m], b: [f64; 2*n - m, n*m]) -> [f64; m, n] { for i in 0..m { for j in 0..n { sum k in 1..i, l in j - 2..j {
            [1 <= l < n - 1] * if j != m - 1 { 1.0 } else { [0 <= l + 2*j - n < 2*n - m] * b[l + 2*j - n, k*n + j] } } } } }",
        &["m <= 2*n"],
    ),
    // Of what an extreme may be, only one alternative is left under a condition: it is a factor of a product.
    (
        "fn f<n, m>(x: [f64; n], a: [f64; n*m], c: [f64; m]) -> [f64; n, m] { for i in 0..n { for j in 0..m {
            let k = argmax l in 1..=i { c[j] * (l as f64) }; [k >= 1] * a[k*m + j] } } }",
        &[],
    ),
    // What is said of others is not multiplied: with it there are more bounds than the solver takes.
    (
        "fn f<n>(x: [f64; 2*n], l: [f64; n*(n + 1) / 2]) -> f64 {
            sum i in 0..n, j in 0..i { l[i*(i + 1) / 2] * ([0 <= i + 2*j - n < 2*n] * x[i + 2*j - n]) } }",
        &[],
    ),
    (
        "fn f<n, m>(x: [f64; n], a: [f64; m], l: [f64; n*(n + 1)]) -> f64 {
            sum i in 0..n { l[i*i / 2] * ([0 <= m < 3 && 0 <= n - m < m] * [0 <= 1 + 2*i - n < m]) } }",
        &[],
    ),
    (
        "fn f<n>(x: [f64; n], y: [f64; n]) -> f64 {
            let k = argmax i in 1..n if y[i] > 0.0 { x[i] }; if k >= 1 { x[k] * y[k] } else { k as f64 } }",
        &[],
    ),
    ("fn f<n>(x: [f64; n]) -> f64 { let k = argmax i { x[i] }; [0 <= k && x[k] > 0.0] * x[k] }", &[]),
    ("fn f<n>(x: [f64; n]) -> f64 { let k = argmax i { x[i] }; [k != 1] * x[k] }", &["n >= 1"]),
    ("fn f<n>(x: [f64; n]) -> [f64; n] { for i in 0..n { x[n - 1 - i] } }", &[]),
    ("fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n - 1 { x[i + 1] - x[i] } }", &[]),
    ("fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { [i + 1 < n] * x[i + 1] } }", &[]),
    ("fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n if i >= 1 { x[i - 1] } }", &[]),
    ("fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { if i == 0 { 0.0 } else { x[i - 1] } } }", &[]),
    (
        "fn f<n, m>(x: [f64; n + m - 1], w: [f64; m]) -> [f64; n] {
            for i in 0..n { sum j in 0..m { x[i + j] * w[j] } } }",
        &["0 < n + m"],
    ),
    (
        "fn f<n, m>(x: [f64; n], y: [f64; m]) -> f64 where 2 * m <= n + 1 { sum i in 0..m { x[2 * i] * y[i] } }",
        &["2*m <= n + 1"],
    ),
    ("fn f<n>(x: [f64; n]) -> f64 { sum i in 0..8 * n { x[i / 8] } }", &[]),
    ("fn f(x: [f64; 8], n: usize) -> f64 { sum i in 0..n { x[i % 8] } }", &[]),
    (
        "fn f<n>(x: [f64; n]) -> f64 where n >= 1 { sum i in 0..n { if i % 2 == 0 { x[i / 2] } else { x[0] } } }",
        &["n >= 1"],
    ),
    (
        "fn f<n>(x: [f64; n * (n - 1) / 2], y: [f64; n]) -> f64 { sum i in 0..n, j in 0..i { x[i * (i - 1) / 2 + j] * y[j] } }",
        &[],
    ),
    (
        "fn f<n, m>(x: [f64; n * m], a: [f64; n], b: [f64; m]) -> f64 { sum i in 0..n, j in 0..m { x[i * m + j] * a[i] * b[j] } }",
        &[],
    ),
    // Ranges that are empty, or the wrong way round, sum to nothing.
    ("fn f<n>(x: [f64; n]) -> f64 { sum i in 3..n - 3 { x[i - 3] } }", &[]),
    // A column with hundreds of pairs, of which most add no row.
    (
        "fn f<n, m>(y: [f64; m], b: [f64; 2 * n - 1, 2 * n - 1], l: [f64; n * (n + 1) / 2]) -> f64 where n == m {
            sum i in 0..n, j in 0..=i {
                l[j + i * (i + 1) / 2] * [0 <= m - 2 * i < 2 * n - 1 && 0 <= j - n + 2 * i < 2 * n - 1] * b[m - 2 * i, j - n + 2 * i]
            }
        }",
        &["n == m", "2*n >= 1"],
    ),
    ("fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n, j in i + 1..n { x[i] * x[j - 1] } }", &[]),
    // Where a comparison is evaluated.
    ("fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { [i + 1 < n && x[i + 1] > 0.0] * x[i] } }", &[]),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { if i == 0 || x[i - 1] > 0.0 { x[i] } else { 0.0 } } }",
        &[],
    ),
    // A `for` and its entry check.
    ("fn f<n>(x: [f64; n]) -> [f64; n - 1] where n >= 1 { for i in 0..n - 1 { x[i] } }", &["n >= 1"]),
    // Extremes.
    (
        "fn f<n>(x: [f64; n], y: [f64; n]) -> f64 where n >= 1 { let k = argmax i in 0..n { x[i] }; y[k] }",
        &["n >= 1"],
    ),
    ("fn f<n>(x: [f64; n], y: [f64; n]) -> f64 { let k = argmax i in 0..n { x[i] }; y[k] }", &["n >= 1"]),
    (
        "fn f<n>(x: [f64; n]) -> f64 where n >= 2 { let k = argmax i in 0..n if i + 1 < n { x[i] }; x[k + 1] }",
        &["n >= 2"],
    ),
    (
        "fn f<n>(x: [f64; n, n]) -> f64 { sum j in 0..n { let k = argmin i in 0..=j { x[i, j] }; x[j - k, j] } }",
        &[],
    ),
    // Residues, and what equals what.
    ("fn f<n>(x: [f64; 2 * n]) -> f64 { sum i in 0..2 * n if i % 2 == 0 { x[i + 1] } }", &[]),
    ("fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n, k in 0..2 * n if k == 2 * i { x[k / 2] } }", &[]),
    ("fn f<n>(x: [f64; n]) -> f64 { sum k in 0..n, i in 0..n if i <= k { x[k - i] } }", &[]),
    // What a callee requires.
    (
        "fn g<n>(x: [f64; n]) -> f64 where n >= 3 { x[2] }
         fn f<m>(x: [f64; m + 3]) -> f64 { g(x) }",
        &[],
    ),
];

#[test]
fn what_callees_and_transforms_require() {
    accepted(
        "fn g<n>(x: [f64; n]) -> f64 where n >= 3 { x[2] }
         fn f<m>(x: [f64; m + 1]) -> f64 { g(x) }",
        &["m >= 2"],
    );
    accepted("fn f<n>(x: [f64; n]) -> f64 where n >= 3 { x[2] } fn df = grad(f, x);", &["n >= 3"]);
}

#[test]
fn accesses_out_of_range() {
    for (program, messages) in REJECTED {
        rejected(program, messages);
    }
}

const REJECTED: &[(&str, &[&str])] = &[
    (
        "fn f<n>(x: [f64; n]) -> f64 { let k = argmax i in 1..n if x[i] > 0.0 { x[i] }; [k > 0 - 1] * x[k - 1] }",
        &[
            "could not prove that `argmax` has an iteration where its guard holds\n  help: leave out its condition, require by `where` that it holds somewhere, or use `k` only `if k >= 1`: without an iteration it is one less",
        ],
    ),
    // Sizes in the order of the user, not of `<…>`.
    (
        "fn f<k, n>(c: [f64; k], x: [f64; n + k - 1]) -> f64 { sum i in 0..n + k { x[i] } }",
        &[
            "`x[i]` reaches `n + k - 1` at `i = n + k - 1`, past the end of `x` (length `n + k - 1`); with k = 1, n = 1, i = 1 the index is 1 and the length 1\n  help: end the range of `i` at `n + k - 1`, or guard it with `[i + 1 < n + k] *`",
        ],
    ),
    (
        "fn f<n>(c: [f64; n], l: [f64; n * (n - 1) / 2]) -> f64 { sum i in 0..n { l[i] } }",
        &[
            "`l[i]` reaches `n - 1` at `i = n - 1`, past the end of `l` (length `n*(n - 1) / 2`); with n = 1, i = 0 the index is 0 and the length 0\n  help: require `where n <= n*(n - 1) / 2`, or guard it with `[i < n*(n - 1) / 2] *`",
        ],
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n, j in 0..n { x[i - j] } }",
        &[
            "`x[i - j]` reaches `1 - n` at `i = 0, j = n - 1`; with n = 2, i = 0, j = 1 the index is -1\n  help: guard it with `[j <= i] *`",
        ],
    ),
    (
        "fn f<n, m>(x: [f64; n], y: [f64; m]) -> f64 { sum i in 0..n, j in 0..m { x[i + j] * y[j] } }",
        &[
            "`x[i + j]` reaches `n + m - 2` at `i = n - 1, j = m - 1`, past the end of `x` (length `n`); with n = 1, m = 2, i = 0, j = 1 the index is 1 and the length 1\n  help: guard it with `[i + j < n] *`",
        ],
    ),
    (
        "fn f<n>(x: [f64; 2 * n]) -> f64 { sum i in 0..2 * n if i % 2 == 1 { x[i + 1] } }",
        &[
            "`x[i + 1]` reaches `2*n` at `i = 2*n - 1`, past the end of `x` (length `2*n`); with n = 1, i = 1 the index is 2 and the length 2\n  help: end the range of `i` at `2*n - 1`, or guard it with `[i + 1 < 2*n] *`",
        ],
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i in 0..2 * n + 2 { x[i / 2] } }",
        &[
            "`x[i / 2]` reaches `n`, past the end of `x` (length `n`); with n = 1, i = 2 the index is 1 and the length 1\n  help: end the range of `i` at `2*n`, or guard it with `[i / 2 < n] *`",
        ],
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { x[i - 1] + x[i + 1] } }",
        &[
            "`x[i - 1]` reaches `-1` at `i = 0`; with n = 1, i = 0 the index is -1\n  help: start the range of `i` at `1`, or guard it with `[i >= 1] *`",
            "`x[i + 1]` reaches `n` at `i = n - 1`, past the end of `x` (length `n`); with n = 1, i = 0 the index is 1 and the length 1\n  help: end the range of `i` at `n - 1`, or guard it with `[i + 1 < n] *`",
        ],
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { let y = for i in n + 1..n { 1.0 }; sum i in 0..n { x[i] } }",
        &["the range of `i` ends before it starts"],
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 where n >= 1 { let k = argmax i in 0..n if 2 * i == n { x[i] }; x[k] }",
        &[
            "could not prove that `argmax` has an iteration where `2*i == n`\n  help: leave out its condition, require by `where` that it holds somewhere, or use `k` only `if k >= 0`: without an iteration it is one less",
        ],
    ),
    (
        "fn f<n>(x: [f64; n]) -> [f64; n] { for i in 0..n { x[i + 1] } }",
        &[
            "`x[i + 1]` reaches `n` at `i = n - 1`, past the end of `x` (length `n`); with n = 1, i = 0 the index is 1 and the length 1\n  help: end the range of `i` at `n - 1`, or guard it with `[i + 1 < n] *`",
        ],
    ),
    (
        "fn f<n>(x: [f64; n]) -> [f64; n] { for i in 0..n { x[i - 1] } }",
        &[
            "`x[i - 1]` reaches `-1` at `i = 0`; with n = 1, i = 0 the index is -1\n  help: start the range of `i` at `1`, or guard it with `[i >= 1] *`",
        ],
    ),
    (
        "fn f<n, m>(x: [f64; n], y: [f64; m]) -> f64 { sum i in 0..m { x[2 * i] * y[i] } }",
        &[
            "`x[2*i]` reaches `2*m - 2` at `i = m - 1`, past the end of `x` (length `n`); with n = 1, m = 2, i = 1 the index is 2 and the length 1\n  help: require `where 2*m <= n + 1`, or guard it with `[2*i < n] *`",
        ],
    ),
    (
        "fn f<n>(x: [f64; n, n]) -> f64 { sum i in 0..n, j in 0..=i + 1 { x[i, j] } }",
        &[
            "`x[i, j]` reaches `n` at `j = n`, past the end of `x` in dimension 1 (length `n`); with n = 1, i = 0, j = 1 the index is 1 and the length 1\n  help: guard it with `[j < n] *`",
        ],
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { x[0] }",
        &[
            "`x[0]` may pass the end of `x` (length `n`); with n = 0 the index is 0 and the length 0\n  help: require `where n >= 1`, or guard it with `[n >= 1] *`",
        ],
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { if i == 0 { x[i - 1] } else { x[i] } } }",
        &[
            "the index of `x[i - 1]` is always negative here\n  help: no guard can repair it: change the index, the range or the condition around it",
        ],
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { [x[i + 1] > 0.0 && i + 1 < n] * x[i] } }",
        &[
            "`x[i + 1]` reaches `n` at `i = n - 1`, past the end of `x` (length `n`); with n = 1, i = 0 the index is 1 and the length 1\n  help: end the range of `i` at `n - 1`, or guard it with `[i + 1 < n] *`",
        ],
    ),
    (
        "fn f<n>(x: [f64; n * (n - 1) / 2], y: [f64; n]) -> f64 { sum i in 0..n, j in 0..=i { x[i * (i - 1) / 2 + j] * y[j] } }",
        &[
            "`x[i*(i - 1) / 2 + j]` may pass the end of `x` (length `n*(n - 1) / 2`); with n = 1, i = 0, j = 0 the index is 0 and the length 0\n  help: guard it with `[i*(i - 1) / 2 + j < n*(n - 1) / 2] *`",
        ],
    ),
    (
        "fn f<n>(x: [f64; n], y: [f64; n]) -> [f64; n] { for j in 0..n { let k = argmax i in 0..j { x[i] }; y[k] } }",
        &[
            "could not prove that the range of `argmax` is not empty: `j >= 1`\n  help: evaluate it only where that holds: add `if j >= 1` to the loop around it",
        ],
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { let k = argmax i in 0..n if x[i] > 0.0 { x[i] }; x[k] }",
        &[
            "could not prove that `argmax` has an iteration where its guard holds\n  help: leave out its condition, require by `where` that it holds somewhere, or use `k` only `if k >= 0`: without an iteration it is one less",
        ],
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 where n >= 1 { let k = argmax i in 0..n { x[i] }; x[k + 1] }",
        &[
            "`x[k + 1]` may pass the end of `x` (length `n`); with n = 1, k = 0 the index is 1 and the length 1\n  help: guard it with `[k + 1 < n] *`",
        ],
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { (for j in 0..n { x[j] })[i + 1] } }",
        &[
            "`[i + 1]` reaches `n` at `i = n - 1`, past the end of the array (length `n`); with n = 1, i = 0 the index is 1 and the length 1\n  help: end the range of `i` at `n - 1`, or guard it with `[i + 1 < n] *`",
        ],
    ),
    (
        "fn g<n>(x: [f64; n]) -> f64 where n >= 3 { x[2] }
         fn f() -> f64 { g([1.0, 2.0]) }",
        &["`g` requires `n >= 3`, which never holds here"],
    ),
];

#[test]
fn programs_of_the_test_crate_are_in_range() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/programs");
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    assert!(files.len() > 10);
    for file in files {
        let (_, errors) = prove(&std::fs::read_to_string(&file).unwrap());
        assert_eq!(errors, [""; 0], "{}", file.display());
    }
}
