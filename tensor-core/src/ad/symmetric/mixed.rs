//! The blocks of a Hessian by two variables: `H_xy[i, k]` is `H_yx[k, i]`.

use super::triangle::Entries;
use super::{define, own, support_of};
use crate::ad::rename::{Renaming, at_gens};
use crate::cost;
use crate::mark::{self, Mark};
use crate::sorted::Set;
use crate::ssa::{ArrayId, Function, Term};
use crate::weights;

/// The block of the one variable by the other as the transpose of that of the other by the one, or that as the transpose of this: whichever costs less.
pub(super) fn transposed(f: &mut Function, [r, c]: [usize; 2], variables: usize) {
    let (a, b) = (r * variables + c, c * variables + r);
    let rank = |r: usize| f.array(f.results[r * variables + r]).extents.len() / 2;
    let (Some(at_a), Some(at_b)) = (own(f, a), own(f, b)) else { return };
    let (rows_a, rows_b) = (rank(r), rank(c));
    let is_computed = |at: usize, rows: usize| {
        let rank = f.stmts[at].gens.len();
        let all = Entries::of(f, f.stmts[at].array, [0, rows.min(rank.saturating_sub(1))]);
        rank == 0 || all.iter().any(|e| e.differ(f))
    };
    if !is_computed(at_a, rows_a) || !is_computed(at_b, rows_b) {
        return;
    }
    mark::hit(Mark::Transposed);
    let (from, from_at, to, rows) =
        if cost_without(f, a) <= cost_without(f, b) { (b, at_b, a, rows_a) } else { (a, at_a, b, rows_b) };
    let (support, source) = (support_of(f, from_at), f.results[from]);
    if f.stmts[from_at].gens.is_empty() {
        f.results[to] = source;
        return;
    }
    let own_gens = f.stmts[from_at].gens.clone();
    define(f, to, &|gens| {
        let (row, column) = gens.split_at(rows);
        let across = [column, row].concat();
        let guard = Renaming::new(&own_gens, &across).pred(&support);
        vec![Term { sums: vec![], guard, coeff: 1.0, factors: vec![at_gens(source, &across)] }]
    });
}

/// The cost of all other results.
fn cost_without(f: &Function, result: usize) -> i64 {
    let mut all: Set<ArrayId> = f.results.iter().copied().collect();
    all.remove(&f.results[result]);
    let mut rest = f.clone();
    rest.keep_only(&mut all);
    cost::polynomial(&rest).eval(&vec![weights::nominal::SIZE; f.sizes.len()])
}
