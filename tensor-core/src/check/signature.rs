//! Signatures: types, sizes, and what is checked on entry.

use super::context::{Binding, Cx, Signatures, number};
use super::names;
use crate::ast::{self, Elem, TypeKind};
use crate::error::{Errors, Span};
use crate::index::omega::Work;
use crate::index::project::{Sizes, solve_sizes};
use crate::index::query::{Facts, entails};
use crate::index::{Affine, Atom, Cond};
use crate::typed::{self, EntryCheck, Param, Size, SizeOrigin, Type};
use proc_macro2::Ident;

/// The extents of the leaves of a type: `outer` stands before them.
/// Tuples are taken apart, arrays of tuples are tuples of arrays; `usize` has no leaf.
pub(crate) fn leaves(t: &Type, outer: &[Affine], out: &mut Vec<Vec<Affine>>) {
    match t {
        Type::Real => out.push(outer.to_vec()),
        Type::Size => {}
        Type::Array(extents, el) => leaves(el, &[outer, extents].concat(), out),
        Type::Tuple(parts) => parts.iter().for_each(|p| leaves(p, outer, out)),
    }
}

/// The extents of the dimensions of the parameters' leaves.
pub(super) fn dims(params: &[Param]) -> Vec<Affine> {
    let mut all = vec![];
    params.iter().for_each(|p| leaves(&p.ty, &[], &mut all));
    all.concat()
}

/// How the sizes follow from the dimensions. What is not linear in sizes, and what is known beforehand, is not solved for.
pub(super) fn solve(sizes: &[Size], params: &[Param]) -> Option<Sizes> {
    let dims = dims(params);
    let known = |k: usize| !matches!(sizes[k].origin, SizeOrigin::Shape(_));
    let count = number(dims.len());
    let mut extents = vec![];
    for e in &dims {
        let linear = e.terms.iter().all(|t| matches!(t.0, Atom::Size(_)));
        let mut e = if linear { e.clone() } else { Affine::from(0) };
        for k in (0..sizes.len()).filter(|k| known(*k)) {
            e = e.substitute(&Atom::Size(number(k)), &Atom::Index(count + number(k)).into(), 1)?;
        }
        extents.push(e);
    }
    let mut out = solve_sizes(&extents, number(sizes.len()))?;
    for v in &mut out.found {
        for k in (0..sizes.len()).filter(|k| known(*k)) {
            v.num = v.num.substitute(&Atom::Index(count + number(k)), &Atom::Size(number(k)).into(), 1)?;
        }
    }
    out.free.retain(|a| !matches!(a, Atom::Size(k) if known(*k as usize)));
    Some(out)
}

/// The element type of the first real of a signature.
fn elem_of(t: &ast::Type) -> Option<Elem> {
    match &t.kind {
        TypeKind::Real(e) => Some(*e),
        TypeKind::Array(t, _) => elem_of(t),
        TypeKind::Tuple(ts) => ts.iter().find_map(elem_of),
        TypeKind::Size => None,
    }
}

/// The element type of a function by its types.
pub(super) fn elem_of_all<'t>(ts: impl IntoIterator<Item = &'t ast::Type>) -> Elem {
    ts.into_iter().find_map(elem_of).unwrap_or(Elem::F64)
}

impl Cx<'_> {
    /// A type as written, not itself `usize`.
    pub(super) fn ty(&mut self, t: &ast::Type) -> Option<Type> {
        match &t.kind {
            TypeKind::Real(e) if *e == self.elem => Some(Type::Real),
            TypeKind::Real(e) => {
                let (this, elem) = (names::elem(*e), names::elem(self.elem));
                self.error(
                    t.span,
                    format!("`{this}` in a function of `{elem}`: a function has one element type"),
                )
            }
            TypeKind::Size => {
                self.error(
                    t.span,
                    "`usize` is the type of a parameter, not of a part or a result\n  help: instead of an array of indices pass scalars, and compare: `sum c if label[i] == (c as f64) { … }`",
                )
            }
            TypeKind::Array(inner, extents) => {
                let inner = self.ty(inner);
                let extents: Vec<_> = extents.iter().map(|e| self.extent(e)).collect();
                let mut extents = extents.into_iter().collect::<Option<Vec<_>>>()?;
                match inner? {
                    Type::Array(more, el) => {
                        extents.extend(more);
                        Some(Type::Array(extents, el))
                    }
                    el @ (Type::Real | Type::Tuple(_) | Type::Size) => {
                        Some(Type::Array(extents, Box::new(el)))
                    }
                }
            }
            TypeKind::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(|p| self.ty(p)).collect();
                Some(Type::Tuple(parts.into_iter().collect::<Option<_>>()?))
            }
        }
    }

    /// Brings the sizes of a signature into scope, each once.
    fn declare_sizes(&mut self, f: &ast::Function) {
        for n in &f.sizes {
            if self.lookup(&n.to_string()).is_some() {
                self.errors.push(n.span(), format!("the size `{n}` is declared twice"));
                continue;
            }
            let size = self.new_size(n, SizeOrigin::Shape(n.span().into()));
            self.bind(n, Binding::Index(size));
        }
        for (k, p) in f.params.iter().enumerate() {
            if f.params[..k].iter().any(|q| q.name == p.name) {
                self.errors.push(p.name.span(), format!("there are two parameters `{}`", p.name));
            } else if f.sizes.contains(&p.name) {
                let advice = if matches!(p.ty.kind, TypeKind::Size) {
                    ": a `usize` parameter is a size, leave it out of `<…>`"
                } else {
                    ""
                };
                self.errors.push(p.name.span(), format!("`{}` is a size already{advice}", p.name));
            } else if matches!(p.ty.kind, TypeKind::Size) {
                let size = self.new_size(&p.name, SizeOrigin::Parameter(k));
                self.bind(&p.name, Binding::Index(size));
            }
        }
    }

    fn param(&mut self, p: &ast::Param) -> Option<Param> {
        if matches!(p.ty.kind, TypeKind::Size) {
            return Some(Param { name: p.name.clone(), ty: Type::Size, var: None });
        }
        let ty = self.ty(&p.ty)?;
        let var = Some(self.new_var(&p.name));
        Some(Param { name: p.name.clone(), ty, var })
    }

    /// `where` conditions, checked on entry.
    fn conditions(&mut self, conditions: &[ast::Expr]) -> Option<Vec<EntryCheck>> {
        let mut out = vec![];
        let mut ok = true;
        for c in conditions {
            let Some(p) = self.pred(c) else {
                ok = false;
                continue;
            };
            if !self.comparisons.is_empty() {
                self.comparisons.clear();
                self.errors.push(c.span, "a condition of `where` may contain sizes only");
                ok = false;
                continue;
            }
            let texts = self.texts(c, &p);
            out.extend(p.iter().zip(texts).map(|(c, text)| EntryCheck { condition: c.clone(), text }));
            self.facts.extend(p);
        }
        ok.then_some(out)
    }

    /// The parts of a condition as the user wrote them.
    fn texts(&self, e: &ast::Expr, p: &[Cond]) -> Vec<String> {
        let names = self.names();
        let mut texts = vec![];
        conjuncts(e, &mut texts);
        if texts.len() == p.len() { texts } else { p.iter().map(|c| names.cond(c)).collect() }
    }

    /// Extents that may be negative are checked on entry.
    pub(super) fn check_extents(&mut self, types: &[Type], checks: &mut Vec<EntryCheck>) {
        let mut all = vec![];
        types.iter().for_each(|t| leaves(t, &[], &mut all));
        for e in all.concat() {
            let condition = Cond::NonNeg(e);
            if !entails(
                &self.facts,
                std::slice::from_ref(&condition),
                &Facts::default(),
                &mut Work::default(),
            ) {
                let text = self.names().cond(&condition);
                self.facts.push(condition.clone());
                checks.push(EntryCheck { condition, text });
            }
        }
    }

    /// Reports the sizes that the arguments do not give.
    pub(super) fn report_free(&mut self, solution: &Sizes, params: &[Param]) {
        let free = solution.free.iter().filter_map(|atom| match atom {
            Atom::Size(k) => self.sizes.get(*k as usize).zip(Some(*k as usize)),
            Atom::Index(_) | Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => None,
        });
        let free: Vec<_> = free.filter(|(s, _)| matches!(s.origin, SizeOrigin::Shape(_))).collect();
        // The first of those that stand in one equation: the others follow from it.
        let mut sizes = self.sizes.clone();
        let mut rest: Vec<u32> = free.iter().map(|(_, k)| number(*k)).collect();
        for (Size { name, origin }, k) in &free {
            let (SizeOrigin::Shape(span), true) = (origin, rest.contains(&number(*k))) else { continue };
            if let Some(s) = sizes.get_mut(*k) {
                s.origin = SizeOrigin::Parameter(0);
            }
            let was = std::mem::take(&mut rest);
            if let Some(solution) = solve(&sizes, params) {
                rest = was.iter().copied().filter(|k| solution.free.contains(&Atom::Size(*k))).collect();
            }
            let with = was.iter().filter(|other| *other != &number(*k) && !rest.contains(*other));
            let with: Vec<_> =
                with.filter_map(|k| self.sizes.get(*k as usize)).map(|s| format!("`{}`", s.name)).collect();
            let gives =
                if with.is_empty() { String::new() } else { format!(", which gives {}", with.join(", ")) };
            let message = format!(
                "the size `{name}` does not follow from the shapes of the arguments: add a parameter `{name}: usize`, \
                 or a tensor that has the dimension `{name}`{gives}"
            );
            self.errors.push(*span, message);
        }
    }
}

/// The comparisons of `a < b <= c && p`, one by one.
fn conjuncts(e: &ast::Expr, out: &mut Vec<String>) {
    match &e.kind {
        ast::ExprKind::And(p, q) => {
            conjuncts(p, out);
            conjuncts(q, out);
        }
        ast::ExprKind::Compare(first, rest) => {
            let mut left = first.as_ref();
            for (op, right) in rest {
                out.push(names::compared(left, *op, right));
                left = right;
            }
        }
        _ => out.push(names::index(e)),
    }
}

/// The signature of a function; the body is `None` yet.
pub(super) fn function(f: &ast::Function, errors: &mut Errors) -> Option<typed::Function> {
    let elem = elem_of_all(f.params.iter().map(|p| &p.ty).chain([&f.result]));
    let none = Signatures { functions: vec![], by_name: Default::default() };
    let before = errors.0.len();
    let mut cx = Cx::new(&none, elem, errors);
    cx.declare_sizes(f);
    cx.constant_sizes(super::constants::of_signature(f));
    let params: Vec<_> = f.params.iter().map(|p| cx.param(p)).collect();
    let result = cx.ty(&f.result);
    let checks = cx.conditions(&f.conditions);
    let params = params.into_iter().collect::<Option<Vec<_>>>()?;
    let (result, mut checks) = (result?, checks?);
    let mut types: Vec<Type> = params.iter().map(|p| p.ty.clone()).collect();
    types.push(result.clone());
    cx.check_extents(&types, &mut checks);
    let Some(solution) = solve(&cx.sizes, &params) else {
        return cx.error(f.name.span(), "the numbers in the extents are too large");
    };
    if cx.errors.0.len() == before {
        cx.report_free(&solution, &params);
    }
    let (sizes, variables, written) = (cx.sizes, cx.variables, cx.written);
    (errors.0.len() == before).then(|| typed::Function {
        attrs: f.attrs.clone(),
        threads: f.threads,
        vis: f.vis.clone(),
        name: f.name.clone(),
        sizes,
        params,
        result,
        is_inner: f.outer.is_some(),
        linearization: None,
        elem,
        solution,
        checks,
        body: None,
        indices: vec![],
        variables,
        recomputed: Default::default(),
        comparisons: vec![],
        elements: vec![],
        written,
    })
}

/// The state for the body of a function: its sizes and parameters are in scope.
pub(super) fn enter<'a>(f: &typed::Function, block: &'a Signatures, errors: &'a mut Errors) -> Cx<'a> {
    let mut cx = Cx::new(block, f.elem, errors);
    cx.sizes.clone_from(&f.sizes);
    cx.variables.clone_from(&f.variables);
    cx.written.clone_from(&f.written);
    cx.facts = f.checks.iter().map(|c| c.condition.clone()).collect();
    for (k, s) in f.sizes.iter().enumerate() {
        if !matches!(s.origin, SizeOrigin::Constant(_)) {
            cx.bind(&s.name, Binding::Index(Atom::Size(number(k)).into()));
        }
    }
    for p in &f.params {
        if let Some(var) = p.var {
            cx.bind(&p.name, Binding::Value(var, p.ty.clone()));
        }
    }
    cx
}

/// Whether an item may have this name; reports it if not.
pub(super) fn check_name(name: &Ident, errors: &mut Errors) -> bool {
    let text = name.to_string();
    let message = if let Some(suffix) = ["_into", "_pattern", "_values"].iter().find(|s| text.ends_with(**s))
    {
        format!("names that end in `{suffix}` are reserved for what is generated")
    } else if super::call::built_in().any(|b| b == text) {
        format!("`{text}` is built in: choose another name")
    } else if super::transform::is_transform(&text) {
        format!("`{text}` is a transform: choose another name")
    } else {
        return true;
    };
    errors.push(Span::from(name.span()), message);
    false
}
