//! Systems and what must come of them. The strings are what the user would read.

mod ask;

use ask::*;

#[test]
fn of_entailment() {
    let e = &mut env("n m h q", "i j k l b");
    t_entails(e, "0 <= i < n && 0 <= j < m", "0 <= i + j < n + m - 1", true);
    t_entails(e, "0 <= i < h && 0 <= j < m", "2*i + j < 2*h + m - 2", true);
    t_entails(e, "0 <= i < h && 0 <= j < m", "2*i + j < 2*h + m - 1", true);
    t_entails(e, "0 <= i < n", "0 <= n - 1 - i < n", true);
    t_entails(e, "0 <= j < i && i < n", "0 <= j < n && i >= 1 && n >= 2", true);
    t_entails(e, "0 <= j <= i && i < n", "j < n", true);
    t_entails(e, "0 <= i < n && i + 1 < n", "0 <= i + 1 < n", true);
    t_entails(e, "0 <= i < n", "i + 1 < n", false);
    t_entails(e, "0 <= i < m && 2*m <= n", "2*i < n", true);
    t_entails(e, "0 <= i < m && 2*m <= n + 1", "2*i < n", true);
    t_entails(e, "0 <= i < m && 2*m <= n + 2", "2*i < n", false);
    t_entails(e, "0 <= i < n && i % 2 == 0 && n % 2 == 0", "i + 1 < n", true);
    t_entails(e, "0 <= i < n && i % 2 == 0", "i + 1 < n", false);
    t_entails(e, "0 <= b < n && 0 <= l < 8 && i == 8*b + l", "0 <= i < 8*n", true);
    t_entails(e, "0 <= i < 8*n", "0 <= i / 8 < n && 0 <= i - 8*(i/8) < 8", true);
    t_entails(e, "3*i + 6*j == k && k % 3 != 0", "i == 7", true);
    t_entails(e, "0 <= 2*i <= 1", "i == 0", true);
    t_entails(e, "0 <= i < n && i != 0", "i - 1 >= 0", true);
    t_entails(e, "0 <= i < n && 0 <= j < n && j != i && n <= 1", "i == 7", true);
    t_entails(e, "i % 2 == 0 || i % 2 == 1", "true", true);
    t_entails(e, "0 <= i < 6 && i % 2 != 0 && i % 3 != 0", "i == 1 || i == 5", true);
}

#[test]
fn of_opaque() {
    let e = &mut env("n m", "i j o").array("idx", "m");
    t_entails(e, "0 <= o < n", "0 <= idx[o] < m", true);
    t_entails(e, "r[i, j] && i == j", "r[i, i] && r[j, i]", true);
    t_entails(e, "r[i, j]", "r[j, i]", false);
    t_entails(e, "o == i + 1 && idx[o] == 3", "idx[i + 1] == 3", true);
    t_entails(e, "0 <= i - j <= 1 && idx[i] == 3 && idx[j+1] == 4 ", "i == j", true);
    t_empty(e, "r[i] && !r[j] && i <= j && j <= i", true);
    t_empty(e, "0 <= i && i <= j && j <= 1 && r[0] && r[1] && !r[i]", true);
}

/// What is known of a place holds of some number whatever its argument: no guard follows that keeps the argument inside.
#[test]
fn of_places() {
    let e = &mut env("n m", "i j k g h")
        .places("upto", "g", "0", "g + 1")
        .places("behind", "g", "2", "g")
        .places("all", "h", "-1", "n");
    t_entails(e, "0 <= i < n", "0 <= upto[i] <= i", true);
    t_entails(e, "0 <= i < n", "upto[i - 1] < i", false);
    t_entails(e, "1 <= i < n", "upto[i - 1] < i", true);
    t_entails(e, "upto[i - 1] < i && upto[i - 1] >= 0", "i >= 1", true);
    t_entails(e, "upto[i - 1] <= n", "i >= 1", false);
    t_entails(e, "upto[n - 1] <= m", "n >= 1", false);
    t_entails(e, "0 <= i", "behind[i] >= 2 && behind[i] >= i", false);
    t_entails(e, "0 <= i <= 2", "behind[i] == 2", true);
    t_entails(e, "behind[i] > 2", "behind[i] < i && i >= 4", true);
    t_entails(e, "0 <= i < m", "-1 <= all[i] < n", true);
    t_entails(e, "all[i] >= 0", "n >= 1", true);
    t_gist(e, "i >= 1 && 0 <= upto[i - 1] < n", "0 <= i < n", "i >= 1");
    t_gist(e, "all[i] < 2 && n >= 1", "0 <= i < m", "n >= 1 && all[i] <= 1");
    t_bounds(e, "0 <= j <= n - 1 && j <= upto[i]", "j", "i", "0 <= i < n", "0..upto[i] + 1");
    t_bounds(e, "0 <= i < n && 0 <= j <= upto[i]", "j", "", "", "0..n if n >= 1");
    t_bounds(e, "0 <= i < m && i <= n + upto[i - 1]", "i", "", "", "0..m");
    // Where an element is compared, there was something to compare it with.
    t_solve(e, "k", "k == upto[n - 1] && 0 <= k < n", "", "k := upto[n - 1] if n >= 1");
    t_solve(
        e,
        "k",
        "k == upto[i] && 0 <= k < n && k % 2 == 1",
        "0 <= i < n",
        "k := upto[i] if n >= 2 && upto[i] % 2 == 1",
    );
}

#[test]
fn of_residues() {
    let e = &mut env("n m", "i j");
    t_bounds(e, "0 <= i < n && i % 2 != 0", "i", "", "", "0..n step 2 from 1 mod 2");
    t_bounds(e, "0 <= i < n && (i + j) % 2 != 0", "i", "j", "", "0..n step 2 from j + 1 mod 2");
    t_solve(e, "i", "i == 2*j && (i + 2) % 8 != 0", "", "i := 2*j if j % 4 != 3");
    t_solve(e, "i", "i == 2*j && i % 4 != 0", "", "i := 2*j if j % 2 == 1");
    t_solve(e, "i", "i == 2*j && i % 4 != 3", "", "i := 2*j if true");
    t_solve(e, "i", "i == 2*j && i % 2 != 0", "", "Empty");
}

#[test]
fn of_empty() {
    let e = &mut env("n m", "i j k");
    t_empty(e, "0 <= i < n && n <= 0", true);
    t_empty(e, "0 <= i < n - 1 && n <= 1", true);
    t_empty(e, "2*i == 2*j + 1", true);
    t_empty(e, "27 <= 11*i + 13*j <= 45 && -10 <= 7*i - 9*j <= 4", true);
    t_empty(e, "0 <= i < n && 0 <= j < n && i + j >= 2*n - 1", true);
    t_empty(e, "i == 2 && 0 <= 2 - i < m", false);
    t_empty(e, "3*i + 5*j == 7 && 0 <= i && 0 <= j", true);
    t_empty(e, "3*i + 5*j == 8 && 0 <= i && 0 <= j", false);
}

#[test]
fn of_bounds() {
    let e = &mut env("n m h", "i j k b l");
    t_bounds(
        e,
        "0 <= i < n && 0 <= j < m && k == i + j",
        "j",
        "k",
        "0 <= k < n + m - 1",
        "max(0, k - n + 1)..min(k + 1, m)",
    );
    t_bounds(
        e,
        "0 <= k - j < n && 0 <= j < m",
        "j",
        "k",
        "0 <= k < n + m - 1",
        "max(0, k - n + 1)..min(k + 1, m)",
    );
    t_bounds(
        e,
        "0 <= i < h && 0 <= k - 2*i < m",
        "i",
        "k",
        "0 <= k < 2*h + m - 2",
        "max(0, (k - m + 2) / 2)..min(h, (k + 2) / 2)",
    );
    t_bounds(e, "0 <= i < n && k == 2*i", "i", "k", "0 <= k < 2*n", "= k / 2 if k % 2 == 0");
    t_bounds(e, "0 <= j < i && i < n", "j", "i", "0 <= i < n", "0..i");
    t_bounds(e, "0 <= j < i && i < n", "i", "j", "0 <= j < n", "j + 1..n");
    t_bounds(e, "0 <= j < i && i < n", "j", "", "", "0..n - 1");
    t_bounds(e, "0 <= i < n && i + 1 < n && i >= 3", "i", "", "", "3..n - 1");
    t_bounds(e, "0 <= i < n && i % 2 == 1", "i", "", "", "0..n step 2 from 1 mod 2");
    t_bounds(e, "0 <= i < n && (i + j) % 3 == 0", "i", "j", "n >= 1", "0..n step 3 from -j mod 3");
    t_bounds(
        e,
        "0 <= 2*i + 3*j - k <= 0 && 0 <= i < n && 0 <= j < m",
        "j",
        "k",
        "k >= 0 && n >= 1 && m >= 1",
        "max(0, (k - 2*n + 4) / 3)..min(m, (k + 3) / 3) step 2 from k mod 2",
    );
    t_bounds(e, "i == 8*b + l && 0 <= l < 8 && 0 <= i < n", "b", "", "", "0..(n + 7) / 8 if n >= 1");
    t_bounds(
        e,
        "i == 8*b + l && 0 <= l < 8 && 0 <= i < n",
        "l",
        "b",
        "0 <= b && 8*b < n",
        "0..min(8, n - 8*b)",
    );
    t_bounds(e, "0 <= i < n && n <= 0", "i", "", "", "0..n if n == 0");
}

#[test]
fn of_gist() {
    let e = &mut env("n m", "i j k");
    t_gist(e, "0 <= i < n && i + 1 < n", "0 <= i < n", "i + 1 < n");
    // What is said of the factors beside a product counts, too.
    t_gist(e, "0 <= i < 2 && 0 <= j < 2 && i * j > 1", "n >= 0", "false");
    t_gist(e, "0 <= i < 2 && i * j > 1", "0 <= j < 2", "false");
    t_gist(e, "0 <= i < n && i + 1 < n", "0 <= i && i < n - 1", "true");
    t_gist(e, "0 <= k - i && k - i < 1 && 0 <= i < n", "0 <= k < n", "i == k");
    t_gist(e, "0 <= i && i < n && x[i]", "0 <= i && i < n", "x[i]");
    t_gist(e, "i != 0", "0 <= i < n", "i >= 1");
    t_gist(e, "i < 0", "0 <= i < n", "false");
    t_gist(e, "0 <= n + m", "", "true");
}

#[test]
fn of_complement_disjoint_coalesce() {
    let e = &mut env("n m", "i j k");
    t_complement(e, "0 <= i && i < n", "i < 0  |  0 <= i && n <= i");
    t_complement(e, "i == j", "i != j");
    t_complement(e, "i < n && x[i]", "n <= i  |  i < n && !x[i]");
    t_disjoint(
        e,
        &["0 <= i - j < n", "0 <= i < n"],
        "0 <= i && 0 <= j < m",
        "j <= i && i < n + j  |  i < n && i < j",
    );
    t_disjoint(e, &["i == 0", "0 <= i < n"], "", "i == 0  |  i < n && i >= 1");
    t_disjoint(e, &["i % 2 == 0", "i % 3 == 0"], "", "i % 2 == 0  |  i % 3 == 0 && i % 2 == 1");
    t_coalesce(e, "i == 0", "0 < i && i < n", "0 <= i < n", "true");
    t_coalesce(e, "0 <= i <= 1", "3 <= i < n", "0 <= i < n && n >= 4", "i != 2");
    t_coalesce(e, "i < j", "j < i", "", "j != i");
    t_coalesce(e, "i % 2 == 0", "i % 2 == 1", "", "true");
    t_coalesce(e, "i == 0", "i == 2", "", "0 <= i && i <= 2 && i != 1");
}

#[test]
fn of_exists() {
    let e = &mut env("n m h", "i j k g").array("idx", "m");
    t_exists(
        e,
        "i j",
        "0 <= i < n && 0 <= j < m && k == i + j",
        "n >= 1 && m >= 1",
        "0 <= k && k + 1 < n + m",
    );
    t_exists(e, "i", "0 <= i < n && k == 2*i", "", "0 <= k && k + 1 < 2*n && k % 2 == 0");
    t_exists(
        e,
        "i j",
        "0 <= i < h && 0 <= j < m && k == 2*i + j",
        "h >= 1 && m >= 2",
        "0 <= k && k + 2 < m + 2*h",
    );
    t_exists(
        e,
        "i j",
        "0 <= i < h && 0 <= j < 1 && k == 2*i + j",
        "h >= 1",
        "0 <= k && k + 1 < 2*h && k % 2 == 0",
    );
    t_exists(
        e,
        "i",
        "k <= 3*i && 3*i <= j",
        "",
        "k + 1 < j  |  k <= j && k % 3 == 0  |  k < j && k % 3 == 2",
    );
    t_exists(e, "i", "0 <= i < n && j != i", "n >= 1", "j + 1 < n  |  j >= 1");
    t_exists(e, "i", "0 <= i < n && idx[i] == k", "", "kept");
}

#[test]
fn of_solve() {
    let e = &mut env("n m h", "i j k b l").array("idx", "m");
    t_solve(
        e,
        "j i",
        "k == i + j && 0 <= i < n && 0 <= j < m",
        "0 <= i < n",
        "j := k - i if i <= k && k < m + i",
    );
    t_solve(e, "i", "k == 2*i && 0 <= i < n", "0 <= k < 2*n", "i := k / 2 if k % 2 == 0");
    t_solve(
        e,
        "i j",
        "k == 2*i + j && 0 <= i < h && 0 <= j < m",
        "0 <= i < h",
        "j := k - 2*i if 2*i <= k && k < m + 2*i",
    );
    t_solve(
        e,
        "i j",
        "k == 2*i + 3*j && 0 <= i < n && 0 <= j < m",
        "0 <= j < m",
        "i := (j + k) / 2 - 2*j if (j + k) % 2 == 0 && 3*j <= k && k + 1 < 2*n + 3*j",
    );
    t_solve(
        e,
        "b l",
        "k == 8*b + l && 0 <= b < n && 0 <= l < 8",
        "0 <= b < n",
        "l := k - 8*b if 8*b <= k && k <= 8*b + 7",
    );
    t_solve(e, "i", "k == n - 1 - i && 0 <= i < n", "0 <= k < n", "i := n - k - 1 if true");
    t_solve(e, "i j", "i == j && i == 0 && 0 <= i < n", "n >= 1", "i := 0, j := 0 if true");
    t_solve(e, "i", "k == idx[i] && 0 <= i < n", "", " if 0 <= i && i < n && k == idx[i]");
    t_solve(e, "k", "k == idx[i] && 0 <= i < n && 0 <= k < m", "0 <= i < n", "k := idx[i] if true");
    t_solve(e, "i j", "i + j == 3 && i - j == 0", "", "Empty");
    t_solve(
        e,
        "i j",
        "i + j == k && i - j == l",
        "",
        "i := (k + l) / 2, j := (k - l) / 2 if (k + l) % 2 == 0",
    );
}

#[test]
fn of_sizes() {
    t_sizes("n m", "n + m - 1, m, n", "m = d1; n = d2 check d0");
    t_sizes("n m", "n + m - 1, m", "m = d1; n = d0 - d1 + 1");
    t_sizes("h kh", "2*h + kh - 2, kh", "kh = d1; h = (d0 - d1 + 2) / 2 exactly");
    t_sizes("n m", "n + m, n - m", "n = (d0 + d1) / 2 exactly; m = (d0 - d1) / 2 exactly");
    t_sizes("n m", "n + m", " undetermined n m");
    t_sizes("n", "3, n, n", "n = d1 check d0 d2");
    t_sizes("n m", "2*n + 3*m, 3*n + 5*m", "n = 5*d0 - 3*d1; m = 2*d1 - 3*d0");
    t_sizes("n m q", "n, n + m", "n = d0; m = d1 - d0 undetermined q");
}

#[test]
fn of_access() {
    let e = &mut env("n m h", "i j p").array("idx", "m");
    t_access(
        e,
        "0 <= i < n",
        "i + 1",
        "n",
        "`x[i + 1]` reaches `n` at `i = n - 1`, past the end of `x` (length `n`); with n = 1, i = 0 the index is 1 and the length 1\n  help: end the range of `i` at `n - 1`, or guard it with `[i + 1 < n] *`",
    );
    t_access(
        e,
        "0 <= i < n",
        "i - 1",
        "n",
        "`x[i - 1]` reaches `-1` at `i = 0`; with n = 1, i = 0 the index is -1\n  help: start the range of `i` at `1`, or guard it with `[i >= 1] *`",
    );
    t_access(
        e,
        "0 <= i < m",
        "2*i",
        "n",
        "`x[2*i]` reaches `2*m - 2` at `i = m - 1`, past the end of `x` (length `n`); with n = 1, m = 2, i = 1 the index is 2 and the length 1\n  help: require `where 2*m <= n + 1`, or guard it with `[2*i < n] *`",
    );
    t_access(e, "0 <= i < h && 0 <= p < m", "2*i + p", "2*h + m - 2", "ok");
    t_access(e, "0 <= i < n && 0 <= j < m", "i + j", "n + m - 1", "ok");
    t_access(
        e,
        "0 <= i < n && 0 <= j < m",
        "i + j",
        "n",
        "`x[i + j]` reaches `n + m - 2` at `i = n - 1, j = m - 1`, past the end of `x` (length `n`); with n = 1, m = 2, i = 0, j = 1 the index is 1 and the length 1\n  help: guard it with `[i + j < n] *`",
    );
    t_access(
        e,
        "0 <= i < n",
        "idx[i]",
        "n",
        "`x[idx[i]]` reaches `m - 1`, past the end of `x` (length `n`); with n = 1, m = 2, i = 0, idx[i] = 1 the index is 1 and the length 1\n  help: require `where m <= n`, or guard it with `[idx[i] < n] *`",
    );
    t_access(
        e,
        "0 <= i < n && 0 <= j < n",
        "i - j",
        "n",
        "`x[i - j]` reaches `1 - n` at `i = 0, j = n - 1`; with n = 2, i = 0, j = 1 the index is -1\n  help: guard it with `[j <= i] *`",
    );
    t_access(
        e,
        "0 <= i < n",
        "0",
        "m",
        "`x[0]` may pass the end of `x` (length `m`); with n = 1, m = 0, i = 0 the index is 0 and the length 0\n  help: require `where m >= 1`, or guard it with `[m >= 1] *`",
    );
    t_access(
        e,
        "true",
        "0",
        "n",
        "`x[0]` may pass the end of `x` (length `n`); with n = 0 the index is 0 and the length 0\n  help: require `where n >= 1`, or guard it with `[n >= 1] *`",
    );
}

#[test]
fn of_non_affine() {
    let e = &mut env("n m t", "i j");
    t_entails(e, "0 <= j < i && i < n", "i*(i-1) + 2*j < n*(n-1)", true);
    t_entails(e, "0 <= j < i && i < n", "(i*(i-1))/2 + j < (n*(n-1))/2", true);
    t_entails(e, "0 <= j <= i && i < n", "(i*(i+1))/2 + j < (n*(n+1))/2", true);
    t_entails(e, "0 <= j < i && i < n", "0 <= (i*(i-1))/2 + j", true);
    t_entails(e, "0 <= i < n && 0 <= j < m", "0 <= i*m + j < n*m", true);
    t_entails(e, "0 <= i < n && 0 <= j < m", "i*m + j < n*m - 1", false);
    t_entails(e, "0 <= i <= j && j < n && t == n*(n+1)", "0 <= 2*j + 2*n*i - i*i - i < t", true);
    t_access(
        e,
        "0 <= j < i && i < n",
        "i*(i-1)/2 + j + 1",
        "n*(n-1)/2",
        "`x[i*(i-1)/2 + j + 1]` may pass the end of `x` (length `(n*n - n) / 2`); with n = 2, i = 1, j = 0 the index is 1 and the length 1\n  help: guard it with `[i*(i-1)/2 + j + 1 < (n*n - n) / 2] *`",
    );
}

#[test]
fn of_zero_sizes_negative_numbers_limits() {
    let e = &mut env("n m h", "i j k l p q");
    t_entails(e, "true", "n + m - 1 >= 0", false);
    t_entails(e, "0 <= i < n", "n >= 1", true);
    t_entails(e, "0 <= i < n + m - 1", "n + m >= 2", true);
    t_entails(e, "i % 2 == 1", "i != 0 && i != -2", true);
    t_empty(e, "-3 <= i <= -1 && i % 3 == 1", false);
    t_entails(e, "-3 <= i <= -1 && i % 3 == 1", "i == -2", true);
    t_entails(e, "i / 2 == -1", "-2 <= i <= -1", true);
    t_bounds(e, "i == j && 0 <= i < n && 0 <= j < m", "i", "", "", "0..min(m, n)");
    t_bounds(e, "0 <= k + 2*i && 2*i <= k", "i", "k", "", "(1 - k) / 2..(k + 2) / 2");
    t_bounds(e, "2*i + 1 == 2*k && 0 <= i < n", "i", "k", "", "Empty");
    t_exists(
        e,
        "i j",
        "0 <= i < h && 0 <= j < m && k == 2*i + j",
        "h >= 1 && m >= 1",
        "m >= 2 && 0 <= k && k + 2 < m + 2*h  |  m <= k + 1 && k + 2 < m + 2*h && (m + k) % 2 == 1",
    );
    t_exists(e, "i", "0 <= i < n", "", "n >= 1");
    t_exists(e, "i j", "k == 6*i + 10*j", "", "k % 2 == 0");
    t_solve(e, "i j", "4*i + 6*j == k", "", "i := (2*j + k) / 4 - 2*j if (2*j + k) % 4 == 0");
    t_gist(e, "i >= 1 && i != 0 && i <= n - 1 && i != n", "0 <= i <= n", "i >= 1 && i < n");
    t_gist(e, "k - 2*i >= 0 && k - 2*i < m && 0 <= k < 2*n + m - 2", "0 <= i < n", "2*i <= k && k < m + 2*i");
    t_disjoint(
        e,
        &["0 <= k - i < n", "0 <= k - j < n"],
        "i < j",
        "i <= k && k < n + i  |  j <= k && k < n + j && n + i <= k",
    );
    t_entails(e, "0 <= 1099511627776*i && 1099511627775*i < 1099511627776", "0 <= i <= 1", true);
}
