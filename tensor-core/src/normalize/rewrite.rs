//! Substitution in right-hand sides: one walk over everything that mentions indices.

use crate::error::Site;
use crate::index::{Affine, Atom, Cond, Pred};
use crate::prim::{Formula, Outer, Prim};
use crate::sorted::{Map, Set};
use crate::ssa::{Access, Call, Index, Rhs, Term, Whole};
use std::cell::Cell;

/// What becomes of the parts of a right-hand side.
pub(super) trait Rewrite {
    /// An affine form.
    fn affine(&mut self, a: &Affine) -> Affine;
    /// An index that a sum or an extreme binds.
    fn bound(&mut self, index: Index) -> Index;
    /// An access.
    fn access(&mut self, a: &Access) -> Access {
        Access { array: a.array, at: a.at.iter().map(|e| self.affine(e)).collect() }
    }
    /// Where a function is called.
    fn site(&mut self, site: Site) -> Site {
        site
    }
    /// A comparison of reals.
    fn opaque(&mut self, id: u32, args: &[Affine], holds: bool) -> Cond {
        Cond::Opaque { id, args: args.iter().map(|e| self.affine(e)).collect(), holds }
    }
}

thread_local! {
    /// Whether index arithmetic left its range since [`all_fit`] began.
    static TOO_LARGE: Cell<bool> = const { Cell::new(false) };
}

/// What index arithmetic gives within 2⁴⁰; beyond, anything, and [`all_fit`] tells.
///
/// Literals and sums are bounded where they are parsed: what is left are products of indices that begin at large numbers.
pub(super) fn fits<T: Default>(result: Option<T>) -> T {
    result.unwrap_or_else(|| {
        TOO_LARGE.set(true);
        T::default()
    })
}

/// What is made, if all of its index arithmetic stays within 2⁴⁰.
pub(super) fn all_fit<T>(make: impl FnOnce() -> T) -> Option<T> {
    TOO_LARGE.set(false);
    let made = make();
    (!TOO_LARGE.take()).then_some(made)
}

/// `a + b`
pub(super) fn plus(a: &Affine, b: &Affine) -> Affine {
    fits(a.plus_scaled(1, b))
}

/// `a - b`
pub(super) fn minus(a: &Affine, b: &Affine) -> Affine {
    fits(a.plus_scaled(-1, b))
}

/// `a` with atoms replaced, at once and inside other atoms too.
pub(super) fn affine(a: &Affine, f: &dyn Fn(&Atom) -> Option<Affine>) -> Affine {
    fits(a.rename(f))
}

/// A condition.
pub(super) fn cond(c: &Cond, w: &mut dyn Rewrite) -> Cond {
    match c {
        Cond::Zero(a) => Cond::Zero(w.affine(a)),
        Cond::NonZero(a) => Cond::NonZero(w.affine(a)),
        Cond::NonNeg(a) => Cond::NonNeg(w.affine(a)),
        Cond::Residue(a, k) => Cond::Residue(w.affine(a), *k),
        Cond::NonResidue(a, k) => Cond::NonResidue(w.affine(a), *k),
        Cond::Opaque { id, args, holds } => w.opaque(*id, args, *holds),
        Cond::Any(ps) => Cond::Any(ps.iter().map(|p| pred(p, w)).collect()),
    }
}

/// A predicate.
pub(super) fn pred(p: &Pred, w: &mut dyn Rewrite) -> Pred {
    p.iter().map(|c| cond(c, w)).collect()
}

/// A term.
pub(super) fn term(t: &Term, w: &mut dyn Rewrite) -> Term {
    Term {
        sums: t.sums.iter().map(|s| w.bound(*s)).collect(),
        guard: pred(&t.guard, w),
        coeff: t.coeff,
        factors: t.factors.iter().map(|a| w.access(a)).collect(),
    }
}

/// A right-hand side.
pub(super) fn rhs(r: &Rhs, w: &mut dyn Rewrite) -> Rhs {
    match r {
        Rhs::Contract(terms) => Rhs::Contract(terms.iter().map(|t| term(t, w)).collect()),
        Rhs::Prim { guard, prim: f, args } => Rhs::Prim {
            guard: pred(guard, w),
            prim: prim(f, w),
            args: args.iter().map(|a| w.access(a)).collect(),
        },
        Rhs::Extreme { op, over, guard, arg } => {
            Rhs::Extreme { op: *op, over: w.bound(*over), guard: pred(guard, w), arg: w.access(arg) }
        }
        Rhs::ArgExtreme { op, over, guard, arg } => {
            Rhs::ArgExtreme { op: *op, over: w.bound(*over), guard: pred(guard, w), arg: w.access(arg) }
        }
        Rhs::OfIndex(e) => Rhs::OfIndex(w.affine(e)),
        Rhs::Constant(path) => Rhs::Constant(path.clone()),
        Rhs::Call(call) => {
            let whole = |a: &Whole| Whole {
                own: a.own.iter().map(|i| w.bound(*i)).collect(),
                access: w.access(&a.access),
            };
            let args = call.args.iter().map(whole).collect();
            let extents = |part: &Vec<Affine>| part.iter().map(|e| w.affine(e)).collect();
            let results = call.results.iter().map(extents).collect();
            let site = w.site(call.site);
            Rhs::Call(Box::new(Call { guard: pred(&call.guard, w), args, results, site, ..(**call).clone() }))
        }
    }
}

fn prim(f: &Prim, w: &mut dyn Rewrite) -> Prim {
    match f {
        Prim::Powi(e) => Prim::Powi(w.affine(e)),
        Prim::Formula(e) => Prim::Formula(Box::new(formula(e, w))),
        Prim::Outer(Outer::Missing(words, site)) => Prim::Outer(Outer::Missing(words.clone(), w.site(*site))),
        Prim::Unary(_) | Prim::Binary(_) | Prim::Clamp | Prim::Stop | Prim::FiniteOrZero | Prim::Outer(_) => {
            f.clone()
        }
    }
}

fn formula(e: &Formula, w: &mut dyn Rewrite) -> Formula {
    match e {
        Formula::Arg(_) | Formula::Number(_) => e.clone(),
        Formula::OfIndex(a) => Formula::OfIndex(w.affine(a)),
        Formula::Neg(a) => Formula::Neg(Box::new(formula(a, w))),
        Formula::Add(a, b) => Formula::Add(Box::new(formula(a, w)), Box::new(formula(b, w))),
        Formula::Mul(a, b) => Formula::Mul(Box::new(formula(a, w)), Box::new(formula(b, w))),
        Formula::Apply(f, args) => Formula::Apply(prim(f, w), args.iter().map(|a| formula(a, w)).collect()),
    }
}

/// `{i := e, …}` at once.
#[derive(Default)]
pub(super) struct Substitute(pub Map<Index, Affine>);

impl Rewrite for Substitute {
    fn affine(&mut self, a: &Affine) -> Affine {
        affine(a, &|t| match t {
            Atom::Index(i) => self.0.get(&Index(*i)).cloned(),
            Atom::Size(_) | Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => None,
        })
    }
    fn bound(&mut self, index: Index) -> Index {
        match self.0.get(&index).map(|e| e.terms.as_slice()) {
            Some([(Atom::Index(i), 1)]) => Index(*i),
            Some(_) | None => index,
        }
    }
}

/// The indices that occur free or bound.
#[derive(Default)]
pub(super) struct Mentioned(pub Set<Index>);

impl Mentioned {
    /// Those of an affine form.
    pub fn add(&mut self, a: &Affine) {
        a.terms.iter().for_each(|t| self.add_atom(&t.0));
    }
    fn add_atom(&mut self, t: &Atom) {
        match t {
            Atom::Size(_) => {}
            Atom::Index(i) => {
                self.0.insert(Index(*i));
            }
            Atom::Floor(e, _) => self.add(e),
            Atom::Element(_, args) => args.iter().for_each(|e| self.add(e)),
            Atom::Product(fs) => fs.iter().for_each(|t| self.add_atom(t)),
        }
    }
    /// Those of a condition.
    pub fn of_cond(c: &Cond) -> Set<Index> {
        let mut all = Mentioned::default();
        c.affines().into_iter().for_each(|a| all.add(a));
        all.0
    }
}

impl Rewrite for Mentioned {
    fn affine(&mut self, a: &Affine) -> Affine {
        self.add(a);
        a.clone()
    }
    fn bound(&mut self, index: Index) -> Index {
        index
    }
}
