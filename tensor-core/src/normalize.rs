//! Typed programs to Tensor SSA.
//!
//! The four passes of *Differentiating a Tensor Language* (Figures 7 to 12) at once, by evaluation: an expression that stands in a
//! scope (the indices around it, and the path of conditions on which it is evaluated) denotes a `Value`, a tuple of arrays of sums of
//! terms, and what takes work becomes a statement as it is met.
//!
//! * `value`: pairs and gens are eliminated where they meet projections and accesses (Figures 8 and 9).
//! * `define`: a let leaves its scope as a statement over the indices that it depends on (Figure 7).
//! * `scope`: the path that the statement keeps.
//! * `threshold`: of several comparisons of one value with numbers, what says all.
//! * `scalar`, `reduce`, `condition`, `call`: the rules for each construct (Figures 11 and 12).
//! * `grad`: a derivative of what is computed so far.
//! * `rec`: recurrences, whose arrays are there before what defines them.
//! * `rewrite`: substitution.
//!
//! Invariant: no expression is translated twice in one scope, and no sum of terms is used twice: what is, is first bound.
//! Invariant: a statement keeps the path of its expression, so it costs what the expression does, or less.

mod call;
mod condition;
mod define;
mod foreign;
mod grad;
mod outer;
mod product;
mod rec;
mod reduce;
mod rewrite;
mod scalar;
mod scope;
#[cfg(test)]
pub(crate) mod tests;
mod threshold;
mod value;

use crate::index::{Affine, Atom};
use crate::simplify;
use crate::sorted::{Map, Set};
use crate::ssa::{self, Access, ArrayId, Index, Rhs};
use crate::typed::{self, SizeOrigin, Type, Var};
use call::View;
pub use foreign::foreign;
use scope::{Bound, Scope};
use threshold::Thresholds;
use value::{Value, as_access};

/// The normal form of the body of `f`; `callees[k]` is that of `typed::Block::functions[k]`, where it has been made. None if index arithmetic
/// leaves 2⁴⁰, as where indices that begin at large numbers are multiplied.
#[must_use]
pub fn normalize(
    f: &typed::Function,
    body: &typed::Expr,
    callees: &[Option<ssa::Function>],
) -> Option<ssa::Function> {
    let mut t = Translation::new(f, f.differentiated(body), callees);
    rewrite::all_fit(|| {
        for p in &f.params {
            if let Some(var) = p.var {
                let value = t.parameter(&p.ty, &p.name.to_string());
                t.vars.insert(var, value);
            }
        }
        let value = t.expr(body, None);
        t.result(value);
        let Translation { f, levels, along, .. } = t;
        if levels.is_empty() {
            return Some(simplify::numbers_where_read(f));
        }
        // Which are recs; a cycle runs along one of them.
        ssa::regrouped(f, &levels, &along)
    })
    .flatten()
}

/// What is known while an expression is translated.
struct Translation<'a> {
    /// The function so far.
    f: ssa::Function,
    /// What is translated.
    typed: &'a typed::Function,
    callees: &'a [Option<ssa::Function>],
    scope: Scope,
    /// By `Atom::Index` of the typed program.
    indices: Map<u32, Affine>,
    vars: Map<Var, Value>,
    /// By the id of `Atom::Element` of the typed program.
    elements: Map<u32, Access>,
    /// Statements so far, for sharing.
    defined: Map<String, ArrayId>,
    /// The variables that a `grad(e, x)` is by.
    differentiated: Set<Var>,
    /// Arrays that no variable of the program has named.
    unnamed: Set<ArrayId>,
    thresholds: Thresholds,
    /// The recurrences around, the outermost first.
    around: Vec<rec::Around>,
    /// The sequential dimensions of all recurrences.
    levels: Vec<ssa::Level>,
    /// Along which of them an array may run, and by which of its gens.
    along: ssa::Along,
}

impl<'a> Translation<'a> {
    fn new(
        f: &'a typed::Function,
        differentiated: Set<Var>,
        callees: &'a [Option<ssa::Function>],
    ) -> Translation<'a> {
        let size = |s: &typed::Size| match &s.origin {
            SizeOrigin::Shape(_) | SizeOrigin::Parameter(_) | SizeOrigin::Constant(_) => s.name.clone(),
        };
        let function = ssa::Function {
            name: f.name.to_string(),
            elem: f.elem,
            sizes: f.sizes.iter().map(size).collect(),
            assumptions: f.checks.iter().map(|c| c.condition.clone()).collect(),
            arrays: vec![],
            params: vec![],
            stmts: vec![],
            results: vec![],
            indices: vec![],
            comparisons: vec![],
            callees: vec![],
            recs: vec![],
        };
        Translation {
            f: function,
            typed: f,
            callees,
            scope: Scope::default(),
            indices: Map::new(),
            vars: Map::new(),
            elements: Map::new(),
            defined: Map::new(),
            differentiated,
            unnamed: Set::new(),
            thresholds: Thresholds::default(),
            around: vec![],
            levels: vec![],
            along: Map::new(),
        }
    }

    /// A parameter: each leaf is an array, an array of pairs is a pair of arrays.
    fn parameter(&mut self, ty: &Type, name: &str) -> Value {
        let mut leaves = vec![];
        self.parameter_leaves(ty, name, &[], &mut leaves);
        self.assemble(ty, &[], &mut leaves.into_iter())
    }

    fn parameter_leaves(&mut self, ty: &Type, name: &str, extents: &[Affine], leaves: &mut Vec<View>) {
        match ty {
            Type::Real => {
                let array = self.f.new_array(name, extents.to_vec());
                self.f.params.push(array);
                let formals: Vec<Index> = self.formals(extents).into_iter().map(|f| f.0).collect();
                let at = formals.iter().map(|f| f.affine()).collect();
                leaves.push((formals, Access { array, at }));
            }
            Type::Array(inner, element) => {
                self.parameter_leaves(element, name, &[extents, inner].concat(), leaves);
            }
            Type::Tuple(parts) => {
                for (k, p) in parts.iter().enumerate() {
                    self.parameter_leaves(p, &format!("{name}_{k}"), extents, leaves);
                }
            }
            Type::Size => {}
        }
    }

    /// New indices for the dimensions of an array.
    fn formals(&mut self, extents: &[Affine]) -> Vec<(Index, Affine)> {
        let letter = |k: usize| ["i", "j", "k", "l"].get(k).map_or("m", |s| *s);
        extents.iter().enumerate().map(|(k, e)| (self.f.new_index(letter(k)), e.clone())).collect()
    }

    /// The results: an array as it is if the value is all of it, otherwise a statement.
    fn result(&mut self, value: Value) {
        self.results(value, &mut vec![]);
    }

    fn results(&mut self, value: Value, outer: &mut Vec<(Index, Affine)>) {
        match value {
            Value::Scalar(sum) => {
                let gens: Vec<Index> = outer.iter().map(|f| f.0).collect();
                let extents: Vec<Affine> = outer.iter().map(|f| f.1.clone()).collect();
                let all: Vec<Affine> = gens.iter().map(|g| g.affine()).collect();
                let whole =
                    as_access(&sum).filter(|a| a.at == all && self.f.array(a.array).extents == extents);
                let array = match whole {
                    Some(a) => a.array,
                    None => self.define(Rhs::Contract(sum), &gens, None, "result").array,
                };
                self.f.results.push(array);
            }
            Value::Tuple(parts) => parts.into_iter().for_each(|v| self.results(v, outer)),
            Value::Array(formals, body) => {
                let depth = outer.len();
                outer.extend(formals.iter().cloned());
                self.inside(&formals, |t| t.results(*body, outer));
                outer.truncate(depth);
            }
        }
    }

    /// What `run` does inside `gen formals`.
    fn inside<T>(&mut self, formals: &[(Index, Affine)], run: impl FnOnce(&mut Self) -> T) -> T {
        let bound = |f: &(Index, Affine)| Bound { index: f.0, lower: Affine::default(), extent: f.1.clone() };
        let depth = self.scope.bounds.len();
        self.scope.bounds.extend(formals.iter().map(bound));
        let out = run(self);
        self.scope.bounds.truncate(depth);
        out
    }

    /// What `run` does where `p` holds too.
    fn under<T>(&mut self, p: &[crate::index::Cond], run: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.scope.path.clone();
        p.iter().for_each(|c| self.thresholds.and(&mut self.scope.path, c.clone()));
        let out = run(self);
        self.scope.path = before;
        out
    }

    /// An index form of the program.
    fn affine(&self, a: &Affine) -> Affine {
        rewrite::affine(a, &|t| match t {
            Atom::Index(i) => self.indices.get(i).cloned(),
            Atom::Element(id, _) => {
                self.elements.get(id).map(|k| Atom::Element(k.array.0, k.at.clone()).into())
            }
            Atom::Size(_) | Atom::Floor(..) | Atom::Product(_) => None,
        })
    }
}
