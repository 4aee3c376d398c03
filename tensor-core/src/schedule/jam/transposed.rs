//! What lanes read down a column while the rows of a loop read along it.
//!
//! ```text
//! for i { lanes k { y[i, k] = a[k, i] + b[i, k] } }  →  for i { lanes k { let t = a[k, i]; y[i, k] = t + b[i, k] } }
//! ```
//!
//! Of eight rows, such reads are eight elements next to each other for each lane: loaded together, and transposed by shuffles.

use super::uses::Uses;
use super::{Loop, groups, is_plain, local};
use crate::loops::walk::map_places;
use crate::loops::{Expr, Leaf, Order, Place, Program, Stmt};
use crate::schedule::peel::size;
use crate::schedule::vectorize::independent;
use crate::ssa::Index;
use crate::weights;

/// A loop around one vectorized loop that reads so, in groups of eight, and the remainder.
pub(super) fn jammed(p: &mut Program, l: &Loop<'_>) -> Option<Vec<Stmt>> {
    let [Stmt::For { index, lower, upper, step: None, order: order @ Order::Lanes { .. }, body, .. }] =
        l.body
    else {
        return None;
    };
    let (low, high) = l.ends()?;
    let few =
        high.plus_scaled(-1, low)?.as_constant().is_some_and(|last| last + 1 < weights::jam::TRANSPOSED);
    let free = lower.iter().chain(upper).all(|b| !b.num.mentions(&l.index.atom()));
    if few || !free || size(body) > weights::jam::BODY_OF_TRANSPOSED || !independent(p, l.index, l.body) {
        return None;
    }
    let body = named(p, body, l.index, *index)?;
    let (lower, upper) = (lower.clone(), upper.clone());
    let body = [Stmt::looped(*index, lower, upper, None, order.clone(), body)];
    let groups = groups(p, &Loop { body: &body, ..*l }, weights::jam::TRANSPOSED, "rows")?;
    let all = groups.members.copy(&body);
    Some(groups.stmts(l, all))
}

/// The body of a vectorized loop with such reads by names of their own, if there are any.
pub(super) fn named(p: &mut Program, body: &[Stmt], row: Index, lane: Index) -> Option<Vec<Stmt>> {
    let uses = Uses::of(body);
    let mut found: Vec<Place> = vec![];
    for s in body {
        always(s, &mut |place| {
            if is_transposed(p, place, row, lane) && !uses.writes(place.var) && !found.contains(place) {
                found.push(place.clone());
            }
        })?;
    }
    if found.is_empty() {
        return None;
    }
    let mut out = vec![];
    let mut names = vec![];
    for place in found {
        let name = format!("{}_transposed", p.var(place.var).name);
        let var = local(p, name, lane);
        out.push(Stmt::Leaf(Leaf::Declare { var, value: Expr::Read(place.clone()) }));
        names.push((place, Place { var, at: vec![] }));
    }
    let mut renamed = |q: Place| names.iter().find(|n| n.0 == q).map_or(q, |n| n.1.clone());
    out.extend(map_places(body.to_vec(), &mut renamed));
    Some(out)
}

/// Whether a place moves along its last dimension with the rows, and along another with the lanes.
fn is_transposed(p: &Program, place: &Place, row: Index, lane: Index) -> bool {
    let Some((last, others)) = place.at.split_last() else { return false };
    let whole = p.var(place.var).extents.len() == place.at.len();
    let by_lane = others.iter().map(|a| a.coeff(&lane.atom())).collect::<Vec<_>>();
    whole
        && last.coeff(&row.atom()) == 1
        && !last.mentions(&lane.atom())
        && others.iter().all(|a| !a.mentions(&row.atom()))
        && by_lane.iter().all(|c| *c >= 0)
        && by_lane.iter().any(|c| *c > 0)
}

/// Every place that a statement without others inside reads whatever holds. None for other statements.
fn always(s: &Stmt, f: &mut dyn FnMut(&Place)) -> Option<()> {
    fn of(e: &Expr, f: &mut dyn FnMut(&Place)) -> Option<()> {
        match e {
            Expr::Number(_) | Expr::Constant(_) | Expr::OfIndex(_) => Some(()),
            Expr::Read(p) => {
                f(p);
                Some(())
            }
            Expr::Neg(a) => of(a, f),
            Expr::Add(a, b) | Expr::Mul(a, b) => {
                of(a, f)?;
                of(b, f)
            }
            Expr::Call(_, args) => args.iter().try_for_each(|a| of(a, f)),
            Expr::If(..) => None,
        }
    }
    match s {
        Stmt::Leaf(leaf) if is_plain(s) => of(leaf.value()?, f),
        Stmt::Leaf(_) | Stmt::For { .. } | Stmt::If { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::schedule::tests::{Of, as_evaluated};

    fn checked(terms: &str) -> String {
        let text = format!("size n m\n param a[m, n] b[n, m] w[n]\n {terms}\n result y");
        let sizes = [0, 1, 7, 8, 9, 17].into_iter().flat_map(|n| [0, 3, 8, 11].map(|m| [n, m]));
        as_evaluated(&text, Of::Itself, sizes, 0.0)
    }

    #[test]
    fn columns_are_read_eight_rows_at_a_time() {
        for terms in [
            "y[i<n, j<m] = a[j, i]",
            "y[i<n, j<m] = a[j, i] + b[i, j]",
            "y[i<n, j<m] = a[j, i] + w[i] b[i, j]",
        ] {
            let loops = checked(terms);
            assert!(
                loops.contains("i_rows in 0..n / 8 {") && loops.contains("let a_transposed = "),
                "{loops}"
            );
        }
    }

    #[test]
    fn what_only_some_lanes_read_is_read_there() {
        let loops = checked("y[i<n, j<m] = [w[i] < b[i, j]] a[j, i]");
        assert!(!loops.contains("transposed"), "{loops}");
    }
}
