//! Calls: the statements of the callee, with the caller's scope around them.

use super::rewrite::{self, Rewrite};
use super::value::{Value, as_access};
use super::{Translation, foreign};
use crate::error::{Site, Span};
use crate::index::{Affine, Atom, Cond};
use crate::mark::{self, Mark};
use crate::sorted::Map;
use crate::ssa::{self, Access, ArrayId, ArrayKind, Call, Index, Level, Rhs, Stmt};
use crate::typed::{Expr, Type};

/// A leaf: `gen formals. access`.
pub(super) type View = (Vec<Index>, Access);

/// What stands for the sizes, indices and arrays of the callee.
struct Import<'t, 'a> {
    t: &'t mut Translation<'a>,
    callee: &'t ssa::Function,
    sizes: Vec<Affine>,
    indices: Map<u32, Affine>,
    arrays: Map<ArrayId, View>,
    /// By the recs of the callee.
    levels: Vec<usize>,
    /// Where the call is written.
    span: Span,
}

impl Translation<'_> {
    /// `f(e, …) → let X = e in …` the statements of `f`, each with the indices of the scope that it now depends on, and the path.
    pub fn call(&mut self, k: usize, sizes: &[Affine], args: &[Expr], ty: &Type, span: Span) -> Value {
        let callees = self.callees;
        let mut leaves: Vec<View> = vec![];
        for a in args {
            let value = self.expr(a, None);
            self.views(value, &mut vec![], &mut leaves);
        }
        // A callee with errors has none; nothing is emitted then.
        let Some(callee) = callees.get(k).and_then(Option::as_ref) else { return self.zero(ty) };
        if self.f.callees.is_empty() {
            self.f.callees.clone_from(&callee.callees);
        }
        let sizes = sizes.iter().map(|s| self.affine(s)).collect();
        let arrays = callee.params.iter().copied().zip(leaves).collect();
        let mut import = Import { t: self, callee, sizes, indices: Map::new(), arrays, levels: vec![], span };
        import.recs();
        if !import.t.scope.bounds.is_empty() && !callee.stmts.is_empty() {
            mark::hit(Mark::CalledInLoops);
        }
        callee.stmts.iter().for_each(|s| import.stmt(s));
        let results: Vec<View> =
            callee.results.iter().filter_map(|r| import.arrays.get(r).cloned()).collect();
        self.assemble(ty, &[], &mut results.into_iter())
    }

    /// The leaves of an argument, as views.
    fn views(&mut self, value: Value, outer: &mut Vec<Index>, out: &mut Vec<View>) {
        match value {
            Value::Scalar(sum) => {
                let access = match as_access(&sum) {
                    Some(a) => a.clone(),
                    None => self.access(sum, "t"),
                };
                out.push((outer.clone(), access));
            }
            Value::Tuple(parts) => parts.into_iter().for_each(|v| self.views(v, outer, out)),
            Value::Array(formals, body) => {
                let depth = outer.len();
                outer.extend(formals.iter().map(|f| f.0));
                self.inside(&formals, |t| t.views(*body, outer, out));
                outer.truncate(depth);
            }
        }
    }

    /// The value of a type from its leaves.
    pub fn assemble(&mut self, ty: &Type, outer: &[Affine], leaves: &mut dyn Iterator<Item = View>) -> Value {
        match ty {
            Type::Real => match leaves.next() {
                Some((formals, access)) => Value::Array(
                    formals.into_iter().map(|f| (f, Affine::default())).collect(),
                    Box::new(Value::read(access)),
                )
                .at(outer),
                None => Value::Scalar(vec![]),
            },
            Type::Array(extents, element) => {
                let extents: Vec<Affine> = extents.iter().map(|e| self.affine(e)).collect();
                let formals = self.formals(&extents);
                let at: Vec<Affine> =
                    outer.iter().cloned().chain(formals.iter().map(|f| f.0.affine())).collect();
                let body = self.assemble(element, &at, leaves);
                Value::Array(formals, Box::new(body))
            }
            Type::Tuple(parts) => {
                Value::Tuple(parts.iter().map(|p| self.assemble(p, outer, leaves)).collect())
            }
            Type::Size => Value::Tuple(vec![]),
        }
    }

    fn zero(&mut self, ty: &Type) -> Value {
        self.assemble(ty, &[], &mut std::iter::empty())
    }
}

impl Import<'_, '_> {
    /// The levels of the recs of the callee, and the arrays of their members, which read each other: over all indices around.
    fn recs(&mut self) {
        for r in &self.callee.recs {
            let level = Level { name: r.name.clone(), backward: r.backward, keep: r.keep.clone() };
            self.t.levels.push(level);
            self.levels.push(self.t.levels.len() - 1);
        }
        for s in self.callee.stmts.iter().filter(|s| s.step.is_some()) {
            let array = self.callee.array(s.array);
            let extents: Vec<Affine> = array.extents.iter().map(|e| self.form(e)).collect();
            let view = self.t.member(&array.name, &extents);
            if let ArrayKind::Index { formals, lower, upper } = &array.kind {
                let all = self.t.f.array(view.1.array).extents.clone();
                let own: Vec<Index> = self.t.formals(&all).into_iter().map(|f| f.0).collect();
                for (f, g) in formals.iter().zip(&own[all.len() - formals.len()..]) {
                    self.indices.insert(f.0, g.affine());
                }
                let kind =
                    ArrayKind::Index { formals: own, lower: self.form(lower), upper: self.form(upper) };
                self.t.f.arrays[view.1.array.0 as usize].kind = kind;
            }
            self.arrays.insert(s.array, view);
        }
    }

    /// The definition of a member, over all indices around.
    fn member(&mut self, s: &Stmt, rhs: Rhs, formals: &[(Index, Affine)]) {
        let Some((_, Access { array, .. })) = self.arrays.get(&s.array).cloned() else { return };
        let gens = self.t.inside(formals, |t| t.define_member(array, rhs));
        let recs = self.callee.recs_of(s);
        let times = s.step.iter().flat_map(|step| &step.times);
        for (rec, time) in recs.into_iter().zip(times) {
            let own = s.gens.iter().position(|g| g == time).and_then(|k| gens.get(&formals[k].0));
            if let Some(own) = own {
                self.t.along.entry(array).or_default().push((self.levels[rec.0 as usize], *own));
            }
        }
    }

    /// A statement of the callee: its gens are indices around it, and always kept.
    fn stmt(&mut self, s: &Stmt) {
        let array = self.callee.array(s.array);
        let extents: Vec<Affine> = array.extents.iter().map(|e| self.form(e)).collect();
        let mut formals = vec![];
        for (g, extent) in s.gens.iter().zip(extents) {
            formals.push((self.fresh(*g), extent));
        }
        let forced: Vec<Index> = formals.iter().map(|f| f.0).collect();
        self.bind_inner(&s.rhs);
        let mut rhs = rewrite::rhs(&s.rhs, self);
        if let (Rhs::Call(own), Rhs::Call(call)) = (&s.rhs, &mut rhs) {
            self.pieces(own, call, &formals[..own.batch(&s.gens)]);
        }
        if s.step.is_some() {
            self.member(s, rhs, &formals);
            return;
        }
        let values = match &array.kind {
            ArrayKind::Real => None,
            ArrayKind::Index { formals, lower, upper } => {
                for (f, g) in formals.iter().zip(&forced) {
                    self.indices.insert(f.0, g.affine());
                }
                Some((self.form(lower), self.form(upper)))
            }
        };
        let name = array.name.clone();
        let access = self.t.inside(&formals, |t| t.define(rhs, &forced, values, &name));
        self.arrays.insert(s.array, (forced, access));
    }

    /// The arguments of a call of a Rust function, each in one piece.
    fn pieces(&mut self, own: &Call, call: &mut Call, around: &[(Index, Affine)]) {
        for (a, read) in own.args.iter().zip(&mut call.args) {
            let extents: Vec<Affine> =
                foreign::extents(self.callee, a.access.array, a).iter().map(|e| self.form(e)).collect();
            read.access = self.t.inside(around, |t| t.piece(&read.own, &read.access, &extents));
        }
    }

    /// A new index of the caller.
    fn fresh(&mut self, index: Index) -> Index {
        let name = self.callee.indices.get(index.0 as usize).map_or("i", |s| s);
        let own = self.t.f.new_index(name);
        self.indices.insert(index.0, own.affine());
        own
    }

    fn bind_inner(&mut self, rhs: &Rhs) {
        match rhs {
            Rhs::Contract(terms) => {
                for s in terms.iter().flat_map(|t| &t.sums) {
                    self.fresh(*s);
                }
            }
            Rhs::Extreme { over, .. } | Rhs::ArgExtreme { over, .. } => {
                self.fresh(*over);
            }
            Rhs::Call(call) => {
                for i in call.args.iter().flat_map(|a| &a.own) {
                    self.fresh(*i);
                }
            }
            Rhs::Prim { .. } | Rhs::OfIndex(_) | Rhs::Constant(_) => {}
        }
    }

    fn form(&self, a: &Affine) -> Affine {
        rewrite::affine(a, &|t| match t {
            Atom::Size(k) => self.sizes.get(*k as usize).cloned(),
            Atom::Index(i) => self.indices.get(i).cloned(),
            Atom::Element(id, args) => {
                let here = self.view(ArrayId(*id), args)?;
                Some(Atom::Element(here.array.0, here.at).into())
            }
            Atom::Floor(..) | Atom::Product(_) => None,
        })
    }

    /// An element of an array of the callee.
    fn view(&self, array: ArrayId, at: &[Affine]) -> Option<Access> {
        let (formals, access) = self.arrays.get(&array)?;
        let to = formals.iter().copied().zip(at.iter().map(|a| self.form(a))).collect();
        Some(rewrite::Substitute(to).access(access))
    }

    fn read(&self, a: &Access) -> Access {
        // Every array is defined before it is read.
        self.view(a.array, &a.at).unwrap_or_else(|| a.clone())
    }
}

impl Rewrite for Import<'_, '_> {
    fn affine(&mut self, a: &Affine) -> Affine {
        self.form(a)
    }
    fn bound(&mut self, index: Index) -> Index {
        match self.indices.get(&index.0).map(|e| e.terms.as_slice()) {
            Some([(Atom::Index(i), 1)]) => Index(*i),
            Some(_) | None => index,
        }
    }
    fn access(&mut self, a: &Access) -> Access {
        self.read(a)
    }
    fn site(&mut self, site: Site) -> Site {
        Site(site.0.or(Some(self.span)))
    }
    fn opaque(&mut self, id: u32, args: &[Affine], holds: bool) -> Cond {
        let (op, left, right) = self.callee.compared(id, args);
        let (left, right) = (self.read(&left), self.read(&right));
        self.t.f.compare(op, left, right, holds)
    }
}
