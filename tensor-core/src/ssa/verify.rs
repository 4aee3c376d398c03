//! The invariants of [`super`], checked.

mod rec;

use super::rename::{Read, atom_indices, elements_of, indices_of};
use super::{Access, ArrayId, ArrayKind, Call, Function, Index, Rhs, Stmt, Target, Whole};
use crate::index::{Affine, Atom, Cond, Pred};
use crate::prim::{Formula, Prim};
use crate::sorted::Set;

/// Whether `f` keeps every invariant of Tensor SSA; if not, which one it breaks and where.
///
/// # Errors
/// The first breach found, in words.
pub fn verify(f: &Function) -> Result<(), String> {
    let mut v = Verifier { f, defined: Set::new(), bound: Set::new() };
    v.table()?;
    for p in &f.params {
        v.known(*p)?;
        ensure(f.array(*p).kind == ArrayKind::Real, || format!("parameter {} is not real", v.name(*p)))?;
        ensure(v.defined.insert(*p), || format!("parameter {} stands twice", v.name(*p)))?;
    }
    for s in &f.stmts {
        v.known(s.array)?;
    }
    rec::places(f)?;
    for unit in f.units() {
        let (stmts, is_rec) = (&f.stmts[unit.clone()], f.stmts[unit.start].step.is_some());
        let define = |v: &mut Verifier, s: &Stmt| {
            ensure(v.defined.insert(s.array), || format!("{} is defined twice", v.name(s.array)))
        };
        if is_rec {
            stmts.iter().try_for_each(|s| define(&mut v, s))?;
        }
        for s in stmts {
            v.stmt(s).map_err(|e| format!("in the definition of {}: {e}", v.name(s.array)))?;
        }
        if is_rec { rec::order(f, &unit)? } else { stmts.iter().try_for_each(|s| define(&mut v, s))? }
    }
    for r in &f.results {
        ensure(v.defined.contains(r), || format!("result {r:?} is not defined"))?;
    }
    Ok(())
}

fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}

struct Verifier<'a> {
    f: &'a Function,
    defined: Set<ArrayId>,
    bound: Set<Index>,
}

impl Verifier<'_> {
    fn name(&self, a: ArrayId) -> String {
        self.f.arrays.get(a.0 as usize).map_or_else(|| format!("{a:?}"), |x| format!("{}#{}", x.name, a.0))
    }

    fn known(&self, a: ArrayId) -> Result<(), String> {
        ensure((a.0 as usize) < self.f.arrays.len(), || format!("{a:?} is not in the table"))
    }

    /// Extents, assumptions and the ranges of index arrays.
    fn table(&mut self) -> Result<(), String> {
        self.pred(&self.f.assumptions, &Set::new()).map_err(|e| format!("in the assumptions: {e}"))?;
        for (k, a) in self.f.arrays.iter().enumerate() {
            for e in &a.extents {
                self.affine(e, &Set::new()).map_err(|e| format!("in an extent of {}#{k}: {e}", a.name))?;
            }
            if let ArrayKind::Index { formals, .. } = &a.kind {
                ensure(formals.len() == a.extents.len(), || {
                    format!("{}#{k}: formals against extents", a.name)
                })?;
                self.bind(formals)?;
            }
        }
        Ok(())
    }

    fn bind(&mut self, indices: &[Index]) -> Result<(), String> {
        for i in indices {
            ensure((i.0 as usize) < self.f.indices.len(), || format!("{i:?} has no name"))?;
            ensure(self.bound.insert(*i), || format!("{i:?} is bound twice"))?;
        }
        Ok(())
    }

    fn stmt(&mut self, s: &Stmt) -> Result<(), String> {
        let array = self.f.array(s.array);
        ensure(s.gens.len() == array.extents.len(), || "indices against extents".into())?;
        self.bind(&s.gens)?;
        self.bind(&s.rhs.bound())?;
        let is_index = matches!(s.rhs, Rhs::ArgExtreme { .. });
        ensure(is_index == matches!(array.kind, ArrayKind::Index { .. }), || "the kind of the array".into())?;
        let gens: Set<Index> = s.gens.iter().copied().collect();
        if let ArrayKind::Index { formals, lower, upper } = &array.kind {
            let formals: Set<Index> = formals.iter().copied().collect();
            [lower, upper].into_iter().try_for_each(|e| self.affine(e, &formals))?;
        }
        match &s.rhs {
            Rhs::Contract(terms) => {
                for t in terms {
                    ensure(t.factors.len() <= 2, || "more than two factors".into())?;
                    ensure(!t.coeff.is_nan(), || "a coefficient is NaN".into())?;
                    self.guarded(&t.guard, &t.sums, &gens, &t.factors)?;
                }
            }
            Rhs::Prim { guard, prim, args } => {
                self.guarded(guard, &[], &gens, args)?;
                self.prim(prim, Some(args.len()), &gens)?;
            }
            Rhs::Extreme { over, guard, arg, .. } | Rhs::ArgExtreme { over, guard, arg, .. } => {
                self.guarded(guard, &[*over], &gens, std::slice::from_ref(arg))?;
            }
            Rhs::OfIndex(e) => self.affine(e, &gens)?,
            Rhs::Constant(_) => ensure(gens.is_empty(), || "a constant of rank above 0".into())?,
            Rhs::Call(call) => self.call(s, call)?,
        }
        Ok(())
    }

    fn call(&self, s: &Stmt, call: &Call) -> Result<(), String> {
        let extents = &self.f.array(s.array).extents;
        let own = call.results.get(call.part).ok_or("a call without this part")?;
        ensure(extents.ends_with(own), || "the shape of a part of a call".into())?;
        let batch: Set<Index> = s.gens[..call.batch(&s.gens)].iter().copied().collect();
        self.pred(&call.guard, &batch)?;
        if let Target::Function(k) = &call.target {
            ensure(*k < self.f.callees.len(), || "a call of nothing".into())?;
        }
        for a in &call.args {
            ensure(Whole::of(&a.own, &a.access).is_some(), || "an argument of a call in pieces".into())?;
            let mut scope = batch.clone();
            scope.extend(&a.own);
            self.access(&a.access, &scope)?;
        }
        Ok(())
    }

    fn guarded(&self, p: &Pred, sums: &[Index], gens: &Set<Index>, reads: &[Access]) -> Result<(), String> {
        let mut scope = gens.clone();
        scope.extend(sums);
        self.pred(p, &scope)?;
        if let Some(s) = unbounded(p, sums).first() {
            return Err(format!("no range for {}", self.f.indices[s.0 as usize]));
        }
        reads.iter().try_for_each(|a| self.access(a, &scope))
    }

    fn access(&self, a: &Access, scope: &Set<Index>) -> Result<(), String> {
        self.read(Read::Argument, a.array, &a.at)?;
        a.at.iter().try_for_each(|e| self.affine(e, scope))
    }

    fn read(&self, how: Read, array: ArrayId, at: &[Affine]) -> Result<(), String> {
        ensure(self.defined.contains(&array), || {
            format!("{} is read before it is defined", self.name(array))
        })?;
        let a = self.f.array(array);
        ensure(a.extents.len() == at.len(), || format!("the rank of {}", self.name(array)))?;
        let is_index = matches!(a.kind, ArrayKind::Index { .. });
        ensure(is_index == (how == Read::Element), || format!("the kind of {}", self.name(array)))
    }

    fn affine(&self, e: &Affine, scope: &Set<Index>) -> Result<(), String> {
        if let Some(i) = indices_of(e).find(|i| !scope.contains(i)) {
            let name = self.f.indices.get(i.0 as usize).map_or("?", |s| s);
            return Err(format!("{name} ({i:?}) is not bound here"));
        }
        let mut result = Ok(());
        elements_of(e, &mut |array, at| {
            if result.is_ok() {
                result = self.known(array).and_then(|()| self.read(Read::Element, array, at));
            }
        });
        result?;
        e.terms.iter().try_for_each(|(t, _)| self.sizes(t))
    }

    fn sizes(&self, t: &Atom) -> Result<(), String> {
        match t {
            Atom::Size(s) => ensure((*s as usize) < self.f.sizes.len(), || format!("size {s} has no name")),
            Atom::Index(_) => Ok(()),
            Atom::Floor(e, k) => {
                ensure(*k >= 2, || format!("a division by {k}"))?;
                e.terms.iter().try_for_each(|(t, _)| self.sizes(t))
            }
            Atom::Element(_, at) => at.iter().flat_map(|e| &e.terms).try_for_each(|(t, _)| self.sizes(t)),
            Atom::Product(factors) => factors.iter().try_for_each(|t| self.sizes(t)),
        }
    }

    fn pred(&self, p: &Pred, scope: &Set<Index>) -> Result<(), String> {
        p.iter().try_for_each(|c| self.cond(c, scope))
    }

    fn cond(&self, c: &Cond, scope: &Set<Index>) -> Result<(), String> {
        match c {
            Cond::Zero(a) | Cond::NonZero(a) | Cond::NonNeg(a) => self.affine(a, scope),
            Cond::Residue(a, k) | Cond::NonResidue(a, k) => {
                ensure(*k >= 2, || format!("a residue modulo {k}"))?;
                self.affine(a, scope)
            }
            Cond::Opaque { id, args, .. } => {
                let compared = self.f.comparisons.get(*id as usize).ok_or("an unknown comparison")?;
                self.known(compared.left)?;
                self.known(compared.right)?;
                let ranks = [compared.left, compared.right].map(|a| self.f.array(a).extents.len());
                ensure(args.len() == ranks[0] + ranks[1], || "the arguments of a comparison".into())?;
                let (_, left, right) = self.f.compared(*id, args);
                self.access(&left, scope)?;
                self.access(&right, scope)
            }
            Cond::Any(ps) => ps.iter().try_for_each(|p| self.pred(p, scope)),
        }
    }

    fn prim(&self, p: &Prim, args: Option<usize>, scope: &Set<Index>) -> Result<(), String> {
        let arity = match p {
            Prim::Unary(_) | Prim::Powi(_) | Prim::Stop | Prim::FiniteOrZero => Some(1),
            Prim::Binary(_) => Some(2),
            Prim::Clamp => Some(3),
            Prim::Formula(_) | Prim::Outer(_) => None,
        };
        ensure(arity.is_none() || arity == args, || format!("the arguments of {p:?}"))?;
        match p {
            Prim::Powi(e) => self.affine(e, scope),
            Prim::Formula(e) => self.formula(e, args.unwrap_or(0), scope),
            Prim::Unary(_)
            | Prim::Binary(_)
            | Prim::Clamp
            | Prim::Stop
            | Prim::FiniteOrZero
            | Prim::Outer(_) => Ok(()),
        }
    }

    fn formula(&self, e: &Formula, args: usize, scope: &Set<Index>) -> Result<(), String> {
        match e {
            Formula::Arg(k) => ensure(*k < args, || format!("argument {k} of a formula")),
            Formula::Number(_) => Ok(()),
            Formula::OfIndex(a) => self.affine(a, scope),
            Formula::Neg(a) => self.formula(a, args, scope),
            Formula::Add(a, b) | Formula::Mul(a, b) => {
                self.formula(a, args, scope)?;
                self.formula(b, args, scope)
            }
            Formula::Apply(p, list) => {
                ensure(!matches!(p, Prim::Formula(_)), || "a formula within a formula".into())?;
                self.prim(p, Some(list.len()), scope)?;
                list.iter().try_for_each(|a| self.formula(a, args, scope))
            }
        }
    }
}

/// The private sums that cannot be given a range by this guard: a range speaks of the ranged sums before it.
#[must_use]
pub fn unbounded(p: &[Cond], sums: &[Index]) -> Vec<Index> {
    let mut rest = sums.to_vec();
    while let Some(k) = rest.iter().position(|s| {
        let later: Vec<Index> = rest.iter().copied().filter(|r| r != s).collect();
        [true, false].iter().all(|lower| p.iter().any(|c| bounds(c, *s, *lower, &later)))
    }) {
        rest.remove(k);
    }
    rest
}

/// Whether a condition bounds an index from below, or from above, by what does not depend on `later`.
#[must_use]
pub fn bounds(c: &Cond, i: Index, lower: bool, later: &[Index]) -> bool {
    let known = |a: &Affine| {
        a.terms.iter().all(|(t, _)| *t == i.atom() || !atom_indices(t).any(|j| j == i || later.contains(&j)))
            && !has_element(a)
    };
    match c {
        Cond::NonNeg(a) if lower => a.coeff(&i.atom()) > 0 && known(a),
        Cond::NonNeg(a) => a.coeff(&i.atom()) < 0 && known(a),
        Cond::Zero(a) => a.coeff(&i.atom()) != 0 && known(a),
        Cond::Any(ps) => ps.iter().all(|p| p.iter().any(|c| bounds(c, i, lower, later))),
        Cond::NonZero(_) | Cond::Residue(..) | Cond::NonResidue(..) | Cond::Opaque { .. } => false,
    }
}

fn has_element(a: &Affine) -> bool {
    let mut found = false;
    elements_of(a, &mut |_, _| found = true);
    found
}
