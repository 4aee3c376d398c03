//! Bounds of an index, for loops.

use super::{Piece, Residue, scale_away, shadow, tidy};
use crate::index::affine::{Affine, Atom};
use crate::index::omega::{R, Stop, Work, gcd, inverse};
use crate::index::pred::{Cond, Pred};
use crate::index::query::{Columns, Context, Facts, facts_rows, gist};
use crate::{sorted, weights};

/// `⌈num / den⌉` as a lower bound, `⌊num / den⌋` as an upper one, which is the last value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// The numerator.
    pub num: Affine,
    /// The denominator, at least 1.
    pub den: i64,
}

/// What is known of an index where others are fixed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bounds {
    /// The greatest of these.
    pub lower: Vec<Bound>,
    /// The least of these.
    pub upper: Vec<Bound>,
    /// `i` is this, exactly: no loop.
    pub exactly: Option<Bound>,
    /// `i ≡ a (mod k)`: step by `k`.
    pub stride: Option<(Affine, i64)>,
    /// What must hold of the fixed indices alone.
    pub outer: Pred,
    /// Every value between the bounds has a point of `p` above it.
    pub exact: bool,
}

/// Which atoms can be computed when the indices in `fixed` are known.
#[must_use]
pub fn available(a: &Atom, fixed: &[Atom]) -> bool {
    !a.any_atom(&|x| matches!(x, Atom::Index(_)) && !fixed.contains(x))
}

/// The coefficient of column `i`, and the rest.
fn split_row(cols: &Columns, row: &[i64], i: usize) -> (i64, Affine) {
    let mut rest = row.to_vec();
    rest[i] = 0;
    (row[i], cols.affine_of(&rest))
}

/// The bounds of `i` where `p` and `given` hold, given the indices in `fixed`; what `given` says of them is not
/// repeated. They do not say whether there is a point at all. `Err(Empty)` where it was seen that there is none.
pub fn bounds(
    p: &[Cond],
    i: &Atom,
    fixed: &[Atom],
    given: &[Cond],
    facts: &Facts,
    work: &mut Work,
) -> R<Bounds> {
    let (p, around) = (convex(p), convex(given));
    let cols = Columns::of(&[&p, &around, &[Cond::NonNeg(i.clone().into())]], facts);
    let sys = facts_rows(&cols, &[&around, &p], facts)?;
    let me = cols.atoms.binary_search(i).map_err(|_| Stop::Unknown)?;
    let wanted: Vec<bool> = (0..cols.n())
        .map(|k| k != me && cols.atoms.get(k).is_none_or(|a| a.mentions(i) || !available(a, fixed)))
        .collect();
    let (mut piece, exact) = shadow(sys, &wanted, work)?;

    let mut b = Bounds { exact, ..Bounds::default() };
    take_equality(&cols, &mut piece, me, &mut b)?;
    for row in piece.sys.eqs() {
        b.outer.push(Cond::Zero(split_row(&cols, row, me).1));
    }
    let mut rows = vec![];
    for row in piece.sys.ges() {
        let (c, e) = split_row(&cols, row, me);
        if c == 0 {
            b.outer.push(Cond::NonNeg(e));
        } else {
            let num = if c > 0 { e.negated() } else { e };
            let bound = Bound { num, den: c.abs() };
            rows.push(Row { is_lower: c > 0, cond: Cond::NonNeg(cols.affine_of(row)), bound });
        }
    }
    for residue in &piece.residues {
        add_residue(&cols, residue, me, &mut b)?;
    }
    for row in irredundant(rows, given, facts, work).into_iter().rev() {
        if row.is_lower { b.lower.push(row.bound) } else { b.upper.push(row.bound) }
    }
    // An empty one shows here, or as a range that ends before it starts: whether p is empty is another question.
    b.outer = gist(&tidy(b.outer)?, given, facts, work).ok_or(Stop::Empty)?;
    Ok(b)
}

/// What bounds of a conjunction can come of: no unions, and, where there are many, no congruences of quotients, each of which has two more unknowns.
fn convex(p: &[Cond]) -> Pred {
    let has_quotient = |c: &Cond| c.any_atom(&|t| matches!(t, Atom::Floor(..)));
    let is_plain = |c: &&Cond| match c {
        Cond::Opaque { .. } | Cond::Any(_) | Cond::NonZero(_) => false,
        Cond::Residue(..) | Cond::NonResidue(..) => p.len() <= weights::index::LONG || !has_quotient(c),
        Cond::Zero(_) | Cond::NonNeg(_) => true,
    };
    p.iter().filter(is_plain).cloned().collect()
}

/// An equality determines i: what else is said of it is said of the others.
fn take_equality(cols: &Columns, piece: &mut Piece, me: usize, b: &mut Bounds) -> R<()> {
    let rows = piece.sys.eqs().enumerate().filter(|(_, row)| row[me] != 0);
    let Some((at, _)) = rows.min_by_key(|(_, row)| row[me].abs()) else { return Ok(()) };
    let eq = piece.sys.take_eq(at);
    piece.sys.eliminate(&eq, me)?;
    for (row, k) in piece.residues.iter_mut().filter(|(row, _)| row[me] != 0) {
        scale_away(row, k, &eq, me)?;
    }
    let (c, e) = split_row(cols, &eq, me);
    let num = if c > 0 { e.negated() } else { e };
    if c.abs() > 1 {
        b.outer.push(Cond::Residue(num.clone(), c.abs()));
    }
    b.exactly = Some(Bound { num, den: c.abs() });
    Ok(())
}

/// `c i + e ≡ 0 (mod k)`: a stride where `c` has an inverse, a condition on the others where it is zero; else it remains a
/// guard.
fn add_residue(cols: &Columns, (row, k): &Residue, me: usize, b: &mut Bounds) -> R<()> {
    let (c, e) = split_row(cols, row, me);
    let c = c.rem_euclid(*k);
    if c == 0 {
        b.outer.push(Cond::Residue(e, *k));
    } else if gcd(c, *k) == 1 && b.stride.is_none() {
        // i ≡ -e / c
        let a = e.scale(-inverse(c, *k)).ok_or(Stop::Unknown)?;
        // 1 rather than k - 1, where that is shorter
        let near = |c: i64| {
            let c = c.rem_euclid(*k);
            if c * 2 > *k { c - k } else { c }
        };
        let terms = a.terms.into_iter().map(|(t, c)| (t, near(c))).filter(|t| t.1 != 0).collect();
        b.stride = Some((Affine { terms, constant: a.constant.rem_euclid(*k) }, *k));
    }
    Ok(())
}

/// A bound, with the condition that it stands for.
struct Row {
    is_lower: bool,
    cond: Cond,
    bound: Bound,
}

/// Redundant bounds go, the most complicated first; one on each side is kept, whatever is known.
fn irredundant(mut rows: Vec<Row>, given: &[Cond], facts: &Facts, work: &mut Work) -> Vec<Row> {
    sorted::sort_by_key(&mut rows, |r| {
        (std::cmp::Reverse((r.bound.den, r.bound.num.terms.len())), r.bound.num.clone())
    });
    if rows.len() < 2 {
        return rows;
    }
    let conds: Pred = rows.iter().map(|r| r.cond.clone()).collect();
    let mut context = Context::new(&[given], &[&conds], facts);
    let mut k = 0;
    while k < rows.len() {
        let same_side = rows.iter().filter(|r| r.is_lower == rows[k].is_lower).count();
        let others: Vec<&Cond> =
            rows.iter().enumerate().filter(|(j, _)| *j != k).map(|(_, r)| &r.cond).collect();
        if same_side > 1 && context.entails_with(&others, &rows[k].cond, work) {
            rows.remove(k);
        } else {
            k += 1;
        }
    }
    rows
}
