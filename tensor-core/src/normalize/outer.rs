//! What the language does not define: functions of Rust, and derivatives that are given.

use super::Translation;
use super::rewrite::{self, Rewrite};
use super::value::{Sum, Value, monomial};
use crate::error::Site;
use crate::index::{Affine, cond};
use crate::prim::{self, Prim};
use crate::sorted::{Map, Set};
use crate::ssa::rename::Read;
use crate::ssa::{Access, ArrayId, Index, Rhs, Stmt, Term};
use crate::typed::{Outer, Ruled, Var};

impl Translation<'_> {
    fn call_outer(&mut self, f: prim::Outer, args: Vec<Access>) -> Access {
        self.apply_to(Prim::Outer(f), args)
    }

    /// `path(x, y)` becomes `custom(path(x, y), p, x, q, y)` with its partials p and q.
    pub fn outer(&mut self, o: &Outer) -> Sum {
        let mut args = vec![];
        for a in &o.args {
            let x = self.scalar(a);
            args.push(self.access(x, "x"));
        }
        let mut all = vec![self.call_outer(prim::Outer::Rust(o.path.clone()), args.clone())];
        for (x, partial) in args.iter().zip(&o.partials) {
            let p = match partial {
                Ok(e) => {
                    let p = self.scalar(e);
                    self.access(p, "partial")
                }
                Err(words) => self.call_outer(prim::Outer::Missing(words.clone(), Site(None)), args.clone()),
            };
            all.extend([p, x.clone()]);
        }
        Value::read(self.call_outer(prim::Outer::Custom, all)).scalar()
    }

    /// The value with the differential of the surrogate, in which only the copies are differentiated.
    pub fn ruled(&mut self, r: &Ruled) -> Value {
        let value = self.expr(&r.value, None);
        let value = self.bind(value, "value");
        let first = self.f.stmts.len();
        let mut copies = Set::new();
        for (copy, of) in &r.copies {
            let Some(x) = self.vars.get(of).cloned() else { continue };
            let x = self.bind_apart(x, "copy", &mut vec![]);
            x.visit(&mut |a| {
                copies.insert(a.array);
            });
            self.vars.insert(*copy, x);
        }
        let surrogate = self.expr(&r.surrogate, None);
        let surrogate = self.bind(surrogate, "surrogate");
        self.hold(first, copies);
        let missing = r.missing.iter().flat_map(|(x, words)| self.missing(*x, words)).collect();
        self.custom(value, surrogate, &missing)
    }

    /// In the statements from the first on that depend on `linear`, all else that multiplies is held.
    fn hold(&mut self, first: usize, mut linear: Set<ArrayId>) {
        let copies = linear.clone();
        let mut held: Map<ArrayId, ArrayId> = Map::new();
        for s in self.f.stmts.split_off(first) {
            let mut depends = false;
            s.rhs.reads(&self.f, &mut |how, a| match how {
                Read::Factor(_) | Read::Argument | Read::Whole => depends |= linear.contains(&a),
                Read::Compared | Read::Element => {}
            });
            if !depends || copies.contains(&s.array) {
                self.f.stmts.push(s);
                continue;
            }
            linear.insert(s.array);
            let mut found = vec![];
            s.rhs.reads(&self.f, &mut |how, a| match how {
                Read::Factor(_) | Read::Argument | Read::Whole if !linear.contains(&a) => found.push(a),
                Read::Factor(_) | Read::Argument | Read::Whole | Read::Compared | Read::Element => {}
            });
            for a in found {
                held.entry(a).or_insert_with(|| self.held(a));
            }
            let rhs = rewrite::rhs(&s.rhs, &mut Held(&held));
            self.f.stmts.push(Stmt { rhs, ..s });
        }
    }

    /// `gen i. hold(X[i])`
    fn held(&mut self, x: ArrayId) -> ArrayId {
        let (name, extents) = (self.f.array(x).name.clone(), self.f.array(x).extents.clone());
        let gens: Vec<Index> = extents.iter().map(|_| self.f.new_index("i")).collect();
        let array = self.f.new_array(name, extents);
        let at = gens.iter().map(|g| g.affine()).collect();
        let prim = Prim::Outer(prim::Outer::Hold);
        let rhs = Rhs::Prim { guard: vec![], prim, args: vec![Access { array: x, at }] };
        self.f.stmts.push(Stmt { array, gens, rhs, step: None });
        array
    }

    /// What makes `custom` depend on a parameter by which no derivative is given: the sum of its elements.
    fn missing(&mut self, x: Var, words: &str) -> Vec<Access> {
        let mut arrays = vec![];
        if let Some(x) = self.vars.get(&x) {
            x.visit(&mut |a| arrays.push(a.array));
        }
        let mut out = vec![];
        for array in arrays {
            let extents = self.f.array(array).extents.clone();
            let sums: Vec<Index> = extents.iter().map(|_| self.f.new_index("i")).collect();
            let ranges = sums.iter().zip(&extents);
            let guard = ranges
                .filter_map(|(s, n)| cond::within(&Affine::from(0), &s.affine(), n))
                .flatten()
                .collect();
            let factors = vec![Access { array, at: sums.iter().map(|s| s.affine()).collect() }];
            let all = vec![Term { sums, guard, coeff: 1.0, factors }];
            let all = self.access(all, "all");
            out.extend([self.call_outer(prim::Outer::Missing(words.to_string(), Site(None)), vec![]), all]);
        }
        out
    }

    /// `custom(value, 1, surrogate, missing…)` of each number.
    fn custom(&mut self, value: Value, surrogate: Value, missing: &Vec<Access>) -> Value {
        match value {
            Value::Scalar(v) => {
                let one = self.access(vec![monomial(vec![], 1.0, vec![])], "one");
                let (v, s) = (self.access(v, "value"), self.access(surrogate.scalar(), "surrogate"));
                let args = [vec![v, one, s], missing.clone()].concat();
                Value::read(self.call_outer(prim::Outer::Custom, args))
            }
            Value::Tuple(parts) => {
                let part = |(k, v)| self.custom(v, surrogate.clone().field(k), missing);
                Value::Tuple(parts.into_iter().enumerate().map(part).collect())
            }
            Value::Array(formals, body) => {
                let at: Vec<Affine> = formals.iter().map(|f| f.0.affine()).collect();
                let surrogate = surrogate.at(&at);
                let body = self.inside(&formals, |t| t.custom(*body, surrogate, missing));
                Value::Array(formals, Box::new(body))
            }
        }
    }
}

/// Reads what is held in the place of what it holds.
struct Held<'a>(&'a Map<ArrayId, ArrayId>);

impl Rewrite for Held<'_> {
    fn affine(&mut self, a: &Affine) -> Affine {
        a.clone()
    }
    fn bound(&mut self, index: Index) -> Index {
        index
    }
    fn access(&mut self, a: &Access) -> Access {
        Access { array: self.0.get(&a.array).copied().unwrap_or(a.array), at: a.at.clone() }
    }
}
