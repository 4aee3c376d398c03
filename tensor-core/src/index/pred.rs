//! `Pred`: a conjunction of conditions, in an order in which they may be evaluated.

use super::affine::{Affine, Atom, Table, floor};
use crate::sorted::Set;

/// A condition on indices and sizes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cond {
    /// `a = 0`
    Zero(Affine),
    /// `a ≠ 0`: one test at run time, two halves for the solver
    NonZero(Affine),
    /// `a >= 0`
    NonNeg(Affine),
    /// `a ≡ 0 (mod k)`, `k >= 2`
    Residue(Affine, i64),
    /// `a ≢ 0 (mod k)`, `k >= 3`; made by [`Cond::not_residue`]
    NonResidue(Affine, i64),
    /// A relation or a comparison of reals, by name and arguments: `r[i, j]`, `x[i] > 0.0`. Its negation is
    /// `holds: false`, never the opposite comparison (NaN).
    Opaque {
        /// Which.
        id: u32,
        /// Of what.
        args: Vec<Affine>,
        /// `false` negates it.
        holds: bool,
    },
    /// One of them.
    Any(Vec<Pred>),
}

/// All of them, in an order in which they may be evaluated: `o < n` before `idx[o] == 3`.
pub type Pred = Vec<Cond>;

impl Cond {
    /// `a ≢ 0 (mod k)`, `k >= 2`. Modulo 2 it is `a + 1 ≡ 0`: a stride, as any other residue.
    #[must_use]
    pub fn not_residue(a: Affine, k: i64) -> Cond {
        if k == 2 { Cond::Residue(a.step(1), 2) } else { Cond::NonResidue(a, k) }
    }
    /// The forms that it speaks of.
    #[must_use]
    pub fn affines(&self) -> Vec<&Affine> {
        let mut out = vec![];
        self.each_affine(&mut |a| out.push(a));
        out
    }
    /// Each of them, in order.
    pub fn each_affine<'a>(&'a self, f: &mut dyn FnMut(&'a Affine)) {
        match self {
            Cond::Zero(a) | Cond::NonZero(a) | Cond::NonNeg(a) => f(a),
            Cond::Residue(a, _) | Cond::NonResidue(a, _) => f(a),
            Cond::Opaque { args, .. } => args.iter().for_each(f),
            Cond::Any(ps) => ps.iter().flatten().for_each(|c| c.each_affine(f)),
        }
    }
    /// The same condition of other forms. `None` where `f` is.
    pub fn map(&self, f: &dyn Fn(&Affine) -> Option<Affine>) -> Option<Cond> {
        Some(match self {
            Cond::Zero(a) => Cond::Zero(f(a)?),
            Cond::NonZero(a) => Cond::NonZero(f(a)?),
            Cond::NonNeg(a) => Cond::NonNeg(f(a)?),
            Cond::Residue(a, k) => Cond::Residue(f(a)?, *k),
            Cond::NonResidue(a, k) => Cond::NonResidue(f(a)?, *k),
            Cond::Opaque { id, args, holds } => {
                Cond::Opaque { id: *id, args: args.iter().map(f).collect::<Option<_>>()?, holds: *holds }
            }
            Cond::Any(ps) => {
                let one = |p: &Pred| p.iter().map(|c| c.map(f)).collect::<Option<Pred>>();
                Cond::Any(ps.iter().map(one).collect::<Option<_>>()?)
            }
        })
    }
    /// Whether `a` occurs anywhere.
    #[must_use]
    pub fn mentions(&self, a: &Atom) -> bool {
        self.any_atom(&|x| x == a)
    }
    /// Whether a product occurs anywhere.
    #[must_use]
    pub fn has_product(&self) -> bool {
        self.any_atom(&Atom::is_product)
    }
    /// Whether an atom with this property occurs anywhere.
    #[must_use]
    pub fn any_atom(&self, f: &dyn Fn(&Atom) -> bool) -> bool {
        match self {
            Cond::Zero(a) | Cond::NonZero(a) | Cond::NonNeg(a) => a.any_atom(f),
            Cond::Residue(a, _) | Cond::NonResidue(a, _) => a.any_atom(f),
            Cond::Opaque { args, .. } => args.iter().any(|a| a.any_atom(f)),
            Cond::Any(ps) => ps.iter().flatten().any(|c| c.any_atom(f)),
        }
    }
    /// The numbers of the indices that occur anywhere.
    #[must_use]
    pub fn indices(&self) -> Set<u32> {
        self.affines().into_iter().flat_map(Affine::indices).collect()
    }
    /// Whether it is defined wherever its indices are: nothing is read.
    #[must_use]
    pub fn is_total(&self) -> bool {
        let is_defined = match self {
            Cond::Opaque { .. } => false,
            Cond::Any(ps) => ps.iter().flatten().all(Cond::is_total),
            Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) => true,
            Cond::Residue(..) | Cond::NonResidue(..) => true,
        };
        is_defined && !self.any_atom(&|t| matches!(t, Atom::Element(..)))
    }
    /// Whether it speaks of sizes alone, and reads nothing.
    #[must_use]
    pub fn is_of_sizes(&self) -> bool {
        self.is_total() && self.indices().is_empty()
    }
    /// Whether it divides anywhere: a residue, or a floor in a form.
    #[must_use]
    pub fn divides(&self) -> bool {
        let is_residue = match self {
            Cond::Residue(..) | Cond::NonResidue(..) => true,
            Cond::Any(ps) => ps.iter().flatten().any(Cond::divides),
            Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) | Cond::Opaque { .. } => false,
        };
        is_residue || self.any_atom(&|t| matches!(t, Atom::Floor(..)))
    }
    /// Whether it is neither opaque nor a disjunction.
    #[must_use]
    pub fn is_affine(&self) -> bool {
        !matches!(self, Cond::Opaque { .. } | Cond::Any(_))
    }

    /// As [`Affine::rename`].
    #[must_use]
    pub fn rename(&self, f: &dyn Fn(&Atom) -> Option<Affine>) -> Option<Cond> {
        self.map(&|a| a.rename(f))
    }
    /// The same condition with other numbers for index arrays and for opaque conditions.
    #[must_use]
    pub fn renumber(&self, ids: &dyn Fn(Table, u32) -> u32) -> Cond {
        match self {
            Cond::Zero(a) => Cond::Zero(a.renumber(ids)),
            Cond::NonZero(a) => Cond::NonZero(a.renumber(ids)),
            Cond::NonNeg(a) => Cond::NonNeg(a.renumber(ids)),
            Cond::Residue(a, k) => Cond::Residue(a.renumber(ids), *k),
            Cond::NonResidue(a, k) => Cond::NonResidue(a.renumber(ids), *k),
            Cond::Opaque { id, args, holds } => {
                let args = args.iter().map(|a| a.renumber(ids)).collect();
                Cond::Opaque { id: ids(Table::Opaque, *id), args, holds: *holds }
            }
            Cond::Any(ps) => {
                Cond::Any(ps.iter().map(|p| p.iter().map(|c| c.renumber(ids)).collect()).collect())
            }
        }
    }
    /// `self{a := e / k}`, where `e ≡ 0 (mod k)` is known. `None` on overflow.
    #[must_use]
    pub fn substitute(&self, a: &Atom, e: &Affine, k: i64) -> Option<Cond> {
        let f = |x: &Affine| if x.mentions(a) { x.substitute(a, e, k) } else { Some(x.clone()) };
        Some(match self {
            Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) => self.map(&f)?,
            // Scaled, the modulus scales too.
            Cond::Residue(x, m) if x.mentions(a) => Cond::Residue(f(x)?, m.checked_mul(k)?),
            Cond::NonResidue(x, m) if x.mentions(a) => Cond::NonResidue(f(x)?, m.checked_mul(k)?),
            Cond::Residue(..) | Cond::NonResidue(..) => self.clone(),
            Cond::Opaque { .. } => {
                let q = floor(e, k)?;
                self.map(&|x| x.substitute(a, &q, 1))?
            }
            Cond::Any(ps) => {
                let one = |p: &Pred| p.iter().map(|c| c.substitute(a, e, k)).collect::<Option<Pred>>();
                Cond::Any(ps.iter().map(one).collect::<Option<_>>()?)
            }
        })
    }

    /// Truth at a point; opaque conditions by `opaque`.
    #[must_use]
    pub fn eval(&self, env: &dyn Fn(&Atom) -> i64, opaque: &dyn Fn(u32, &[i64]) -> bool) -> bool {
        match self {
            Cond::Zero(a) => a.eval(env) == 0,
            Cond::NonZero(a) => a.eval(env) != 0,
            Cond::NonNeg(a) => a.eval(env) >= 0,
            Cond::Residue(a, k) => a.eval(env).rem_euclid(*k) == 0,
            Cond::NonResidue(a, k) => a.eval(env).rem_euclid(*k) != 0,
            Cond::Opaque { id, args, holds } => {
                opaque(*id, &args.iter().map(|a| a.eval(env)).collect::<Vec<_>>()) == *holds
            }
            Cond::Any(ps) => ps.iter().any(|p| eval(p, env, opaque)),
        }
    }
    /// The negation, as alternatives of which exactly one holds where it holds.
    #[must_use]
    pub fn negate(&self) -> Vec<Pred> {
        let one = |c: Cond| vec![vec![c]];
        match self {
            Cond::Zero(a) => one(Cond::NonZero(a.clone())),
            Cond::NonZero(a) => one(Cond::Zero(a.clone())),
            Cond::NonNeg(a) => one(Cond::NonNeg(a.negated().step(-1))),
            Cond::Residue(a, k) => one(Cond::not_residue(a.clone(), *k)),
            Cond::NonResidue(a, k) => one(Cond::Residue(a.clone(), *k)),
            Cond::Opaque { id, args, holds } => {
                one(Cond::Opaque { id: *id, args: args.clone(), holds: !holds })
            }
            // ¬¬p = p, and ¬(p ∨ q) = ¬p ∧ ¬q
            Cond::Any(ps) => {
                vec![complemented(ps).unwrap_or_else(|| ps.iter().map(|p| any(complement(p))).collect())]
            }
        }
    }
}

/// `¬(c1 ∧ c2 ∧ …) = ¬c1 ∨ c1 ¬c2 ∨ c1 c2 ¬c3 ∨ …`: disjoint, and each condition is evaluated only
/// where those before it hold, so that `o < n ∧ x[o] > 0` never reads outside.
#[must_use]
pub fn complement(p: &[Cond]) -> Vec<Pred> {
    let mut out = vec![];
    for (k, c) in p.iter().enumerate() {
        for alt in c.negate() {
            out.push([&p[..k], &alt].concat());
        }
    }
    out
}

/// The conjunction without unions of which these are the [`complement`], by looks: to negate each of them again would take the cube of their number.
fn complemented(ps: &[Pred]) -> Option<Pred> {
    let is_union = |c: &Cond| matches!(c, Cond::Any(_));
    let is_chain = ps.iter().enumerate().all(|(k, q)| q.len() == k + 1);
    let (last, before) = ps.last().filter(|q| is_chain && !q.iter().any(is_union))?.split_last()?;
    let mut negated = last.negate();
    let p = [before, &negated.pop()?].concat();
    (complement(&p) == ps).then_some(p)
}

/// `p1 ∨ p2 ∨ …` as one condition.
#[must_use]
pub fn any(mut ps: Vec<Pred>) -> Cond {
    if let [p] = ps.as_mut_slice()
        && p.len() == 1
        && let Some(c) = p.pop()
    {
        return c;
    }
    Cond::Any(ps)
}

/// The same conjunction with what reads nothing before what reads: any of it may keep a read in range.
#[must_use]
pub fn total_first(p: &[Cond]) -> Pred {
    let (total, reading): (Vec<&Cond>, Vec<&Cond>) = p.iter().partition(|c| c.is_total());
    total.into_iter().chain(reading).cloned().collect()
}

/// Truth at a point; opaque conditions by `opaque`.
#[must_use]
pub fn eval(p: &[Cond], env: &dyn Fn(&Atom) -> i64, opaque: &dyn Fn(u32, &[i64]) -> bool) -> bool {
    p.iter().all(|c| c.eval(env, opaque))
}

/// As [`Affine::rename`].
#[must_use]
pub fn rename(p: &[Cond], f: &dyn Fn(&Atom) -> Option<Affine>) -> Option<Pred> {
    p.iter().map(|c| c.rename(f)).collect()
}

/// As [`Cond::renumber`].
#[must_use]
pub fn renumber(p: &[Cond], ids: &dyn Fn(Table, u32) -> u32) -> Pred {
    p.iter().map(|c| c.renumber(ids)).collect()
}

/// The numbers of the indices that occur anywhere.
#[must_use]
pub fn indices(p: &[Cond]) -> Set<u32> {
    p.iter().flat_map(Cond::indices).collect()
}
