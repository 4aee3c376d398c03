//! Rust functions over tensors: a call is a statement, its arguments are whole arrays.

use super::Translation;
use super::value::monomial;
use crate::error::Site;
use crate::index::Affine;
use crate::sorted::Set;
use crate::ssa::{self, Access, ArrayId, Call, Callee, Index, Rhs, Stmt, Target, Whole};
use crate::typed;

/// The normal form of an `extern fn` over tensors, the function `k` of `callees`: a call with its parameters.
#[must_use]
pub fn foreign(f: &typed::Function, k: usize, callees: &[Callee]) -> ssa::Function {
    let mut t = Translation::new(f, Set::new(), &[]);
    t.f.callees = callees.to_vec();
    for p in &f.params {
        t.parameter(&p.ty, &p.name.to_string());
    }
    let mut results: Vec<Vec<Affine>> = vec![];
    crate::check::leaves(&f.result, &[], &mut results);
    for (part, extents) in results.iter().enumerate() {
        let args = t.f.params.clone().into_iter().map(|p| Whole::new(&mut t.f, p, vec![])).collect();
        let array = t.f.new_array(f.name.to_string(), extents.clone());
        let gens: Vec<Index> = t.formals(extents).into_iter().map(|f| f.0).collect();
        let target = Target::Function(k);
        let call = Call { guard: vec![], target, part, results: results.clone(), args, site: Site(None) };
        t.f.stmts.push(Stmt { array, gens, rhs: Rhs::Call(Box::new(call)), step: None });
        t.f.results.push(array);
    }
    t.f
}

impl Translation<'_> {
    /// What a call reads, of which the last dimensions have these extents, in one piece: as it is, or copied.
    pub(super) fn piece(&mut self, own: &[Index], access: &Access, extents: &[Affine]) -> Access {
        let known = &self.f.array(access.array).extents;
        if Whole::of(own, access).is_some() && known.ends_with(extents) {
            return access.clone();
        }
        let formals: Vec<(Index, Affine)> = own.iter().copied().zip(extents.iter().cloned()).collect();
        let name = self.f.array(access.array).name.clone();
        let sum = vec![monomial(vec![], 1.0, vec![access.clone()])];
        self.inside(&formals, |t| t.define(Rhs::Contract(sum), own, None, &name))
    }
}

/// The extents of the dimensions of an array that an argument reads all of.
pub(super) fn extents(f: &ssa::Function, array: ArrayId, a: &Whole) -> Vec<Affine> {
    let all = &f.array(array).extents;
    all[all.len() - a.own.len()..].to_vec()
}
