//! Substitution of indices, fresh names for bound ones, and what a statement reads.

mod reads;

pub use reads::{Read, atom_indices, cond_indices, elements_of, indices_of};

use super::{Access, ArrayId, Call, Function, Index, Rhs, Step, Stmt, Term, Whole};
use crate::index::affine::{floor, product};
use crate::index::{Affine, Atom, Cond, Pred};
use crate::prim::{Formula, Prim};

/// `{i := e, j := e', …}`, all at once: what is put in is not looked into again. Every application is `None` where a coefficient
/// grows beyond what index algebra admits.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    indices: Vec<(Index, Affine)>,
    elements: Vec<(ArrayId, ArrayId)>,
}

impl Substitution {
    /// Puts `to` for `from`, one by one.
    #[must_use]
    pub fn new(from: &[Index], to: &[Affine]) -> Substitution {
        Substitution { indices: from.iter().copied().zip(to.iter().cloned()).collect(), elements: vec![] }
    }

    /// Renames `from` to `to`, one by one.
    #[must_use]
    pub fn renaming(from: &[Index], to: &[Index]) -> Substitution {
        Substitution {
            indices: from.iter().copied().zip(to.iter().map(|i| i.affine())).collect(),
            elements: vec![],
        }
    }

    /// Reads elements of other index arrays, of the same shape.
    #[must_use]
    pub fn of_elements(elements: Vec<(ArrayId, ArrayId)>) -> Substitution {
        Substitution { indices: vec![], elements }
    }

    fn get(&self, i: u32) -> Option<&Affine> {
        self.indices.iter().find(|(j, _)| j.0 == i).map(|(_, e)| e)
    }

    /// In an affine form.
    #[must_use]
    pub fn affine(&self, a: &Affine) -> Option<Affine> {
        if self.elements.is_empty() && !indices_of(a).any(|i| self.get(i.0).is_some()) {
            return Some(a.clone());
        }
        let mut out = Affine::from(a.constant);
        for (t, c) in &a.terms {
            out = out.plus_scaled(*c, &self.atom(t)?)?;
        }
        Some(out)
    }

    fn atom(&self, a: &Atom) -> Option<Affine> {
        Some(match a {
            Atom::Size(_) => a.clone().into(),
            Atom::Index(i) => self.get(*i).cloned().unwrap_or_else(|| a.clone().into()),
            Atom::Floor(e, k) => floor(&self.affine(e)?, *k)?,
            Atom::Element(k, at) => {
                let to = self.elements.iter().find(|(from, _)| from.0 == *k).map_or(*k, |(_, to)| to.0);
                Atom::Element(to, self.affines(at)?).into()
            }
            Atom::Product(factors) => {
                factors.iter().try_fold(Affine::from(1), |out, factor| product(&out, &self.atom(factor)?))?
            }
        })
    }

    /// In a list of affine forms.
    #[must_use]
    pub fn affines(&self, list: &[Affine]) -> Option<Vec<Affine>> {
        list.iter().map(|a| self.affine(a)).collect()
    }

    /// In a condition.
    #[must_use]
    pub fn cond(&self, c: &Cond) -> Option<Cond> {
        Some(match c {
            Cond::Zero(a) => Cond::Zero(self.affine(a)?),
            Cond::NonZero(a) => Cond::NonZero(self.affine(a)?),
            Cond::NonNeg(a) => Cond::NonNeg(self.affine(a)?),
            Cond::Residue(a, k) => Cond::Residue(self.affine(a)?, *k),
            Cond::NonResidue(a, k) => Cond::NonResidue(self.affine(a)?, *k),
            Cond::Opaque { id, args, holds } => {
                Cond::Opaque { id: *id, args: self.affines(args)?, holds: *holds }
            }
            Cond::Any(ps) => Cond::Any(ps.iter().map(|p| self.pred(p)).collect::<Option<_>>()?),
        })
    }

    /// In a predicate.
    #[must_use]
    pub fn pred(&self, p: &[Cond]) -> Option<Pred> {
        p.iter().map(|c| self.cond(c)).collect()
    }

    /// In the indices of an access.
    #[must_use]
    pub fn access(&self, a: &Access) -> Option<Access> {
        Some(Access { array: a.array, at: self.affines(&a.at)? })
    }

    /// In a term, whose private sums are left alone.
    #[must_use]
    pub fn term(&self, t: &Term) -> Option<Term> {
        Some(Term {
            sums: t.sums.clone(),
            guard: self.pred(&t.guard)?,
            coeff: t.coeff,
            factors: t.factors.iter().map(|a| self.access(a)).collect::<Option<_>>()?,
        })
    }

    /// In a primitive.
    #[must_use]
    pub fn prim(&self, p: &Prim) -> Option<Prim> {
        Some(match p {
            Prim::Powi(e) => Prim::Powi(self.affine(e)?),
            Prim::Formula(e) => Prim::Formula(Box::new(self.formula(e)?)),
            Prim::Unary(_)
            | Prim::Binary(_)
            | Prim::Clamp
            | Prim::Stop
            | Prim::FiniteOrZero
            | Prim::Outer(_) => p.clone(),
        })
    }

    fn formula(&self, e: &Formula) -> Option<Formula> {
        let sub = |e: &Formula| self.formula(e).map(Box::new);
        Some(match e {
            Formula::Arg(_) | Formula::Number(_) => e.clone(),
            Formula::OfIndex(a) => Formula::OfIndex(self.affine(a)?),
            Formula::Neg(a) => Formula::Neg(sub(a)?),
            Formula::Add(a, b) => Formula::Add(sub(a)?, sub(b)?),
            Formula::Mul(a, b) => Formula::Mul(sub(a)?, sub(b)?),
            Formula::Apply(p, args) => {
                Formula::Apply(self.prim(p)?, args.iter().map(|a| self.formula(a)).collect::<Option<_>>()?)
            }
        })
    }

    /// In a right-hand side; what it binds itself is left alone.
    #[must_use]
    pub fn rhs(&self, rhs: &Rhs) -> Option<Rhs> {
        Some(match rhs {
            Rhs::Contract(terms) => Rhs::Contract(terms.iter().map(|t| self.term(t)).collect::<Option<_>>()?),
            Rhs::Prim { guard, prim, args } => Rhs::Prim {
                guard: self.pred(guard)?,
                prim: self.prim(prim)?,
                args: args.iter().map(|a| self.access(a)).collect::<Option<_>>()?,
            },
            Rhs::Extreme { op, over, guard, arg } => {
                Rhs::Extreme { op: *op, over: *over, guard: self.pred(guard)?, arg: self.access(arg)? }
            }
            Rhs::ArgExtreme { op, over, guard, arg } => {
                Rhs::ArgExtreme { op: *op, over: *over, guard: self.pred(guard)?, arg: self.access(arg)? }
            }
            Rhs::OfIndex(e) => Rhs::OfIndex(self.affine(e)?),
            Rhs::Constant(path) => Rhs::Constant(path.clone()),
            Rhs::Call(call) => {
                let whole = |a: &Whole| Some(Whole { own: a.own.clone(), access: self.access(&a.access)? });
                Rhs::Call(Box::new(Call {
                    guard: self.pred(&call.guard)?,
                    args: call.args.iter().map(whole).collect::<Option<_>>()?,
                    ..(**call).clone()
                }))
            }
        })
    }
}

impl Stmt {
    /// The same definition for another array, with indices of its own.
    #[must_use]
    pub fn freshened(&self, f: &mut Function, array: ArrayId) -> Option<Stmt> {
        let gens = f.fresh(&self.gens);
        let mut rhs = Substitution::renaming(&self.gens, &gens).rhs(&self.rhs)?;
        match &mut rhs {
            Rhs::Contract(terms) => {
                for t in terms {
                    *t = t.freshened(f)?;
                }
            }
            Rhs::Extreme { over, guard, arg, .. } | Rhs::ArgExtreme { over, guard, arg, .. } => {
                let fresh = f.fresh(&[*over]);
                let rename = Substitution::renaming(&[*over], &fresh);
                *guard = rename.pred(guard)?;
                *arg = rename.access(arg)?;
                *over = fresh[0];
            }
            Rhs::Call(call) => {
                for a in &mut call.args {
                    let fresh = f.fresh(&a.own);
                    a.access = Substitution::renaming(&a.own, &fresh).access(&a.access)?;
                    a.own = fresh;
                }
            }
            Rhs::Prim { .. } | Rhs::OfIndex(_) | Rhs::Constant(_) => {}
        }
        let own = |t: &Index| self.gens.iter().position(|g| g == t).map_or(*t, |k| gens[k]);
        let step = self.step.as_ref().map(|s| Step { rec: s.rec, times: s.times.iter().map(own).collect() });
        Some(Stmt { array, gens, rhs, step })
    }
}

impl Function {
    /// New indices with the names of others.
    pub fn fresh(&mut self, like: &[Index]) -> Vec<Index> {
        like.iter()
            .map(|i| {
                let name = self.indices.get(i.0 as usize).cloned().unwrap_or_default();
                self.new_index(name)
            })
            .collect()
    }

    /// What the comparisons in a condition read.
    pub fn each_compared(&self, c: &Cond, visit: &mut dyn FnMut(Access)) {
        match c {
            Cond::Opaque { id, args, .. } => {
                let (_, left, right) = self.compared(*id, args);
                visit(left);
                visit(right);
            }
            Cond::Any(ps) => ps.iter().flatten().for_each(|c| self.each_compared(c, visit)),
            Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) | Cond::Residue(..) | Cond::NonResidue(..) => {
            }
        }
    }

    /// Rewrites what the comparisons in a condition read: `change` returns the access to read instead. A condition in which an
    /// element or an index does not change stays as it is.
    pub fn map_compared(&mut self, c: &Cond, change: &dyn Fn(&Access) -> Option<Access>) -> Cond {
        match c {
            Cond::Opaque { id, args, holds } => {
                let (op, left, right) = self.compared(*id, args);
                match (change(&left), change(&right)) {
                    (None, None) => c.clone(),
                    (l, r) => self.compare(op, l.unwrap_or(left), r.unwrap_or(right), *holds),
                }
            }
            Cond::Any(ps) => Cond::Any(
                ps.iter().map(|p| p.iter().map(|c| self.map_compared(c, change)).collect()).collect(),
            ),
            Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) | Cond::Residue(..) | Cond::NonResidue(..) => {
                c.clone()
            }
        }
    }
}
