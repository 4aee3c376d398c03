//! What is known of atoms by what they are.

use super::columns::{Columns, Lit};
use super::node::{Node, Place, differ, facts_rows};
use crate::index::affine::{Affine, Atom, product};
use crate::index::omega::{R, Stop, Work};
use crate::index::pred::{Cond, Pred};
use crate::index::project::shadow;
use crate::sorted::{self, Map};
use crate::weights;

/// What is known of atoms beside the predicates: that sizes are not negative is always known; elements of index arrays lie in
/// their ranges.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// By the id of `Atom::Element`; of an array without a range nothing is known.
    pub ranges: Map<u32, Range>,
}

/// What is known of the elements of an index array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Range {
    /// `0 <= idx[..] < extent`, checked on entry: a fact wherever an element is spoken of, so none may be evaluated where the
    /// extent is zero.
    Below(Affine),
    /// `lower <= K[formals]`, and `K[formals] < upper` or `K[formals] = lower`: the places of extremes, which are at `lower` where
    /// nothing counts.
    ///
    /// Some number fulfils this whatever the arguments. So no guard follows from it that keeps the arguments inside.
    Place {
        /// `Atom::Index` ids, used for nothing else, that stand for the arguments in the bounds.
        formals: Vec<u32>,
        /// The least value.
        lower: Affine,
        /// The end of the values. Neither mentions elements of the same array.
        upper: Affine,
    },
}

impl Range {
    /// The bounds for these arguments. `None` if they are of another rank: an array that lost dimensions.
    #[must_use]
    pub fn at(&self, args: &[Affine]) -> Option<(Affine, Affine)> {
        match self {
            Range::Below(extent) => Some((Affine::zero(), extent.clone())),
            Range::Place { formals, lower, upper } if formals.len() == args.len() => {
                let argument = |a: &Atom| match a {
                    Atom::Index(k) => formals.iter().position(|f| f == k).and_then(|p| args.get(p)).cloned(),
                    Atom::Size(_) | Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => None,
                };
                Some((lower.rename(&argument)?, upper.rename(&argument)?))
            }
            Range::Place { .. } => None,
        }
    }
    fn has_product(&self) -> bool {
        match self {
            Range::Below(extent) => has_product(extent),
            Range::Place { lower, upper, .. } => has_product(lower) || has_product(upper),
        }
    }
}

/// Whether a form is not negative by its looks: sizes are not.
pub(super) fn is_never_negative(a: &Affine) -> bool {
    a.constant >= 0 && a.terms.iter().all(|(t, c)| matches!(t, Atom::Size(_)) && *c > 0)
}

/// Adds what holds of the columns.
pub(super) fn assume_facts(cols: &Columns, facts: &Facts, node: &mut Node) -> R<()> {
    let mut unit = vec![0; cols.n() + 1];
    for (at, atom) in cols.atoms.iter().enumerate() {
        match atom {
            Atom::Size(_) => {
                unit[at] = 1;
                node.sys.push_ge(&mut unit)?;
                unit[at] = 0;
            }
            Atom::Index(_) | Atom::Product(_) => {}
            Atom::Floor(e, k) => {
                // 0 <= e - k q <= k - 1
                let rest = e.plus_scaled(-k, &atom.clone().into()).ok_or(Stop::Unknown)?;
                node.sys.push_ge(&mut cols.row(&rest)?)?;
                node.sys.push_ge(&mut cols.row(&rest.negated().step(k - 1))?)?;
            }
            Atom::Element(id, args) => {
                if let Some(range) = facts.ranges.get(id) {
                    assume_range(cols, atom, range, args, node)?;
                }
                for other in &cols.atoms[..at] {
                    if let Atom::Element(other_id, b) = other
                        && other_id == id
                    {
                        if node.clauses.len() == weights::index::PAIRS {
                            node.is_partial = true;
                            break;
                        }
                        assume_function(cols, (atom, args), (other, b), node)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Where the end is behind the least value by its looks, two rows; else what is above may be the least value itself.
fn assume_range(cols: &Columns, atom: &Atom, range: &Range, args: &[Affine], node: &mut Node) -> R<()> {
    let Some((lower, upper)) = range.at(args) else { return Ok(()) };
    let me = Affine::from(atom.clone());
    let row = |a: Option<Affine>| cols.row(&a.ok_or(Stop::Unknown)?);
    node.sys.push_ge(&mut row(me.minus(&lower))?)?;
    let mut below = row(upper.minus(&me).map(|a| a.step(-1)))?;
    let spare = upper.minus(&lower).ok_or(Stop::Unknown)?.step(-1);
    if matches!(range, Range::Below(_)) || is_never_negative(&spare) {
        return node.sys.push_ge(&mut below);
    }
    node.places.push(Place { below, at_least: row(lower.minus(&me))? });
    Ok(())
}

/// Equal arguments, equal values.
fn assume_function(
    cols: &Columns,
    (x, a): (&Atom, &[Affine]),
    (y, b): (&Atom, &[Affine]),
    node: &mut Node,
) -> R<()> {
    let rows = |args: &[Affine]| args.iter().map(|a| cols.row(a)).collect::<R<Vec<_>>>();
    let mut alternatives = differ(&rows(a)?, &rows(b)?);
    let same = Affine::from(x.clone()).minus(&y.clone().into()).ok_or(Stop::Unknown)?;
    alternatives.push(vec![Lit::Zero(cols.row(&same)?)]);
    node.clauses.push(alternatives.into());
    Ok(())
}

fn has_product(a: &Affine) -> bool {
    a.any_atom(&Atom::is_product)
}

/// How many linear facts are multiplied with one another.
const MAX_FACTS: usize = weights::index::FACTS;

/// `p ≥ 0, q ≥ 0 ⟹ p q ≥ 0`, for the linear conditions over the factors of the products that occur.
/// Products are looked for in `also` too, which is not assumed.
pub(super) fn products(preds: &[&[Cond]], also: &[&[Cond]], facts: &Facts) -> Pred {
    let all: Vec<&[Cond]> = preds.iter().chain(also).copied().collect();
    let in_facts = facts.ranges.values().any(Range::has_product);
    if !in_facts && !all.iter().copied().flatten().any(Cond::has_product) {
        return vec![];
    }
    let mut factors: Vec<Atom> = vec![];
    for a in &Columns::of(&all, facts).atoms {
        if let Atom::Product(fs) = a {
            factors.extend(fs.iter().cloned());
        }
    }
    sorted::sort(&mut factors);
    factors.dedup();
    if factors.is_empty() { vec![] } else { products_of(&factors, preds, facts) }
}

/// Those of `extra` that say something of products that occur, and of no others.
pub(super) fn of_these(extra: &[Cond], preds: &[&[Cond]], also: &[&[Cond]], facts: &Facts) -> Pred {
    let all: Vec<&[Cond]> = preds.iter().chain(also).copied().collect();
    let known = Columns::of(&all, facts).atoms;
    let occurs = |t: &(Atom, i64)| !t.0.is_product() || known.contains(&t.0);
    extra.iter().filter(|c| c.affines().iter().all(|a| a.terms.iter().all(occurs))).cloned().collect()
}

fn products_of(factors: &[Atom], preds: &[&[Cond]], facts: &Facts) -> Pred {
    // What the linear conditions say of the factors alone.
    let is_linear = |c: &&Cond| match c {
        Cond::NonNeg(a) | Cond::Zero(a) => {
            !a.terms.iter().any(|t| matches!(t.0, Atom::Product(_) | Atom::Floor(..)))
        }
        Cond::NonZero(_) | Cond::Residue(..) | Cond::NonResidue(..) => false,
        Cond::Opaque { .. } | Cond::Any(_) => false,
    };
    let mut linear: Pred = preds.iter().copied().flatten().filter(is_linear).cloned().collect();
    for c in preds.iter().copied().flatten() {
        let Cond::Any(ps) = c else { continue };
        let linear_of = |p: &Pred| p.iter().filter(is_linear).cloned().collect::<Pred>();
        let of_each: Vec<Pred> = ps.iter().map(linear_of).collect();
        let is_left = |p: &&Pred| !super::is_empty(&[&linear, p], facts, &mut Work::default());
        // Of alternatives the only one that the rest does not exclude.
        if let [only] = of_each.iter().filter(is_left).take(2).collect::<Vec<_>>().as_slice() {
            linear.extend(only.iter().cloned());
        }
    }
    let mut cols = Columns::of(&[&linear], facts);
    factors.iter().for_each(|f| cols.affine(&f.clone().into(), facts));
    let wanted: Vec<bool> =
        (0..cols.n()).map(|k| cols.atoms.get(k).is_none_or(|a| !factors.contains(a))).collect();
    let shadow = facts_rows(&cols, &[&linear], facts).and_then(|s| shadow(s, &wanted, &mut Work::default()));
    let Ok((piece, _)) = shadow else { return vec![] };
    let mut out = vec![];
    for r in piece.sys.eqs() {
        let a = cols.affine_of(r);
        out.extend(factors.iter().filter_map(|f| product(&a, &f.clone().into())).map(Cond::Zero));
    }
    let rows: Vec<Affine> = piece.sys.ges().map(|r| cols.affine_of(r)).collect();
    out.extend(rows.iter().cloned().map(Cond::NonNeg));
    for (k, a) in rows.iter().enumerate().take(MAX_FACTS) {
        for b in rows[k..].iter().take(MAX_FACTS - k) {
            out.extend(product(a, b).map(Cond::NonNeg));
        }
    }
    // x (x - 1) >= 0 over the integers
    for f in factors {
        let x = Affine::from(f.clone());
        out.extend(product(&x, &x).and_then(|s| s.minus(&x)).map(Cond::NonNeg));
    }
    out
}
