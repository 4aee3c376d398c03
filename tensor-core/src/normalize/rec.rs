//! Recurrences: `rec i < n. e` has its arrays before its body is translated, which reads them.
//!
//! `rec y i. e → let Y[o, i, k] = [path] e[k] in Y[o]`, with the indices `o` around: what reads Y, through whatever, has the times among its gens.
//! Which of the statements are recs in the end is left to `ssa::regrouped`.

use super::Translation;
use super::call::View;
use super::define::{guarded, tidy};
use super::rewrite::{self, Rewrite, Substitute, minus, plus};
use super::scope::Bound;
use super::value::Value;
use crate::index::Affine;
use crate::sorted::{Map, Set};
use crate::ssa::{ArrayId, Index, Level, Rhs, Stmt};
use crate::typed::{Rec, Type};

/// A recurrence around what is translated.
pub(super) struct Around {
    /// Its arrays, and what reads them so far.
    pub members: Set<ArrayId>,
    /// The levels that it runs along, each with its time here.
    pub times: Vec<(usize, Index)>,
}

/// How many times of so many come after this one.
fn left(extent: &Affine, time: Index) -> Affine {
    minus(&extent.clone().step(-1), &time.affine())
}

impl Translation<'_> {
    /// A recurrence: a tensor or, of several, their tuple.
    pub fn rec(&mut self, r: &Rec, ty: &Type) -> Value {
        let mut formals: Vec<(Index, Affine)> = vec![];
        let (mut times, mut turned) = (vec![], vec![]);
        for (k, (b, backward)) in r.binders.iter().zip(&r.backward).enumerate() {
            let (lower, upper) = (self.affine(&b.lower), self.affine(&b.upper));
            let name = self.index_name(b);
            let time = self.f.new_index(&name);
            let keep = r.checkpoint.as_ref().filter(|_| k == 0).map(|c| c.keep.clone());
            let extent = minus(&upper, &lower);
            // Steps with checkpoints run forwards, so that these are of one kind: what runs backwards is written by the times that are left.
            let is_turned = *backward && keep.is_some();
            let at = if is_turned { left(&extent, time) } else { time.affine() };
            self.levels.push(Level { name, backward: *backward && !is_turned, keep });
            times.push((self.levels.len() - 1, time));
            self.indices.insert(b.index, plus(&lower, &at));
            turned.push(is_turned);
            formals.push((time, extent));
        }
        let types = match (ty, r.vars.as_slice()) {
            (Type::Tuple(parts), [_, _, ..]) => parts.clone(),
            (ty, _) => vec![ty.clone()],
        };
        let mut members = Set::new();
        let mut values = vec![];
        for (var, ty) in r.vars.iter().zip(&types) {
            let name = self.typed.variables.get(var.0 as usize).map_or("y", |s| s).to_string();
            let mut leaves = vec![];
            self.rec_leaves(ty, &name, &[], &mut leaves);
            let own = self.scope.bounds.len();
            for (view, access) in &mut leaves {
                for k in (0..formals.len()).filter(|k| turned[*k]) {
                    access.at[own + k] = left(&formals[k].1, view[k]);
                }
            }
            members.extend(leaves.iter().map(|l| l.1.array));
            let value = self.assemble(ty, &[], &mut leaves.into_iter());
            self.vars.insert(*var, value.clone());
            values.push(value);
        }
        let own: Vec<ArrayId> = members.iter().copied().collect();
        self.around.push(Around { members, times });
        self.inside(&formals, |t| {
            let p = t.pred(&r.guard);
            let body = t.under(&p, |t| t.expr(&r.body, None)).guarded(&p, &t.thresholds);
            t.rec_elements(body, &mut own.into_iter());
        });
        self.around.pop();
        match values.len() {
            1 => values.swap_remove(0),
            _ => Value::Tuple(values),
        }
    }

    /// Arrays over the indices around and the dimensions of the leaves of a type, and those leaves.
    fn rec_leaves(&mut self, ty: &Type, name: &str, dims: &[Affine], out: &mut Vec<View>) {
        match ty {
            Type::Real => {
                let leaf = self.member(name, dims);
                out.push(leaf);
            }
            Type::Array(extents, element) => {
                let own = extents.iter().map(|e| self.affine(e));
                let dims = dims.iter().cloned().chain(own).collect::<Vec<_>>();
                self.rec_leaves(element, name, &dims, out);
            }
            Type::Tuple(parts) => {
                for (k, p) in parts.iter().enumerate() {
                    self.rec_leaves(p, &format!("{name}_{k}"), dims, out);
                }
            }
            Type::Size => {}
        }
    }

    /// An array over the indices around and these dimensions, as a view of these.
    pub fn member(&mut self, name: &str, dims: &[Affine]) -> View {
        let outer: Vec<(Affine, Affine)> = self
            .scope
            .bounds
            .iter()
            .map(|b| (minus(&b.index.affine(), &b.lower), b.extent.clone()))
            .collect();
        let extents = outer.iter().map(|b| b.1.clone()).chain(dims.iter().cloned()).collect();
        let array = self.f.new_array(name, extents);
        let formals: Vec<Index> = self.formals(dims).into_iter().map(|f| f.0).collect();
        let at = outer.into_iter().map(|b| b.0).chain(formals.iter().map(|f| f.affine())).collect();
        (formals, crate::ssa::Access { array, at })
    }

    /// Defines the arrays of the leaves of an element.
    fn rec_elements(&mut self, value: Value, arrays: &mut dyn Iterator<Item = ArrayId>) {
        match value {
            Value::Scalar(sum) => {
                if let Some(array) = arrays.next() {
                    self.define_member(array, Rhs::Contract(sum));
                }
            }
            Value::Tuple(parts) => parts.into_iter().for_each(|v| self.rec_elements(v, arrays)),
            Value::Array(formals, body) => {
                self.inside(&formals, |t| t.rec_elements(*body, arrays));
            }
        }
    }

    /// `array[all indices around] = [path] rhs`
    ///
    /// The gens by the indices that they stand for.
    pub fn define_member(&mut self, array: ArrayId, rhs: Rhs) -> Map<Index, Index> {
        let path = self.scope.path.clone();
        let (mut to, mut gens) = (Map::new(), vec![]);
        for Bound { index, lower, extent } in self.scope.bounds.clone() {
            let own = self.f.new_index(self.f.indices[index.0 as usize].clone());
            to.insert(index, plus(&lower, &own.affine()));
            gens.push((index, own, extent));
        }
        let mut w = Substitute(to);
        let rhs = guarded(rewrite::rhs(&rhs, &mut w), &rewrite::pred(&path, &mut w));
        let ranged: Vec<(Index, Affine)> = gens.iter().map(|(_, own, e)| (*own, e.clone())).collect();
        let rhs = tidy(rhs, &ranged, &self.f.assumptions);
        let by: Map<Index, Index> = gens.iter().map(|(index, own, _)| (*index, *own)).collect();
        self.along(array, &by);
        self.join(array, &rhs);
        let gens = gens.into_iter().map(|g| g.1).collect();
        self.f.stmts.push(Stmt { array, gens, rhs, step: None });
        by
    }

    /// Notes along which levels an array may run, by the gens that stand for times.
    pub fn along(&mut self, array: ArrayId, gens: &Map<Index, Index>) {
        let times = self.around.iter().flat_map(|a| &a.times);
        let along: Vec<(usize, Index)> =
            times.filter_map(|(level, time)| Some((*level, *gens.get(time)?))).collect();
        if !along.is_empty() {
            self.along.insert(array, along);
        }
    }

    /// The times that a statement runs along, since it reads members.
    pub fn times_of(&self, rhs: &Rhs) -> Set<Index> {
        let mut out = Set::new();
        for a in &self.around {
            if self.reads_member(rhs, a) {
                out.extend(a.times.iter().map(|t| t.1));
            }
        }
        out
    }

    fn reads_member(&self, rhs: &Rhs, around: &Around) -> bool {
        let mut found = false;
        rhs.reads(&self.f, &mut |_, array| found |= around.members.contains(&array));
        found
    }

    /// An array is a member where what it reads is one.
    pub fn join(&mut self, array: ArrayId, rhs: &Rhs) {
        for k in 0..self.around.len() {
            if self.reads_member(rhs, &self.around[k]) {
                self.around[k].members.insert(array);
            }
        }
    }
}
