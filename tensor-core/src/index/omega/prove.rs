//! Short proofs by adding rows.

use super::{BIG, Sys, gcd};
use crate::weights;

/// Proves `goal >= 0` by putting for each column one of its bounds, depth first: quick, allocates nothing, and proves
/// most of what is true. `false` says nothing.
pub(crate) fn prove(sys: &Sys, goal: &[i64], budget: &mut u32) -> bool {
    let n = sys.n;
    if *budget == 0 || n > weights::index::COLUMNS {
        return false;
    }
    *budget -= 1;
    // The last column first: indices before sizes.
    let mut k = n;
    while k > 0 && goal[k - 1] == 0 {
        k -= 1;
    }
    if k == 0 {
        return goal[n] >= 0;
    }
    let k = k - 1;
    let mut next = [0i64; weights::index::COLUMNS + 1];
    let mut pass = 0;
    while pass < 2 {
        let rows = if pass == 0 { &sys.eq } else { &sys.ge };
        let mut at = 0;
        while at < rows.len() {
            let row = &rows[at..at + n + 1];
            at += n + 1;
            let r = row[k];
            if r == 0 || (pass == 1 && (r > 0) != (goal[k] > 0)) {
                continue;
            }
            if subtract_row(&mut next[..n + 1], goal, row, k) && prove(sys, &next[..n + 1], budget) {
                return true;
            }
        }
        pass += 1;
    }
    false
}

/// `next = a goal - b row + (a - 1)` without column `k`, which is enough: then `a goal > -a`. `false` if it is too large.
fn subtract_row(next: &mut [i64], goal: &[i64], row: &[i64], k: usize) -> bool {
    let (r, c) = (row[k], goal[k]);
    let g = gcd(r, c);
    let (a, b) = (r.abs() / g, r.signum() * (c / g));
    let mut j = 0;
    while j < next.len() {
        match (a.checked_mul(goal[j]), b.checked_mul(row[j])) {
            (Some(x), Some(y)) if x.abs() <= BIG && y.abs() <= BIG => next[j] = x - y,
            _ => return false,
        }
        j += 1;
    }
    next[next.len() - 1] += a - 1;
    true
}
