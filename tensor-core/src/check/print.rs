//! Typed functions as text, for tests: the core language in surface syntax.

use super::names;
use crate::index::{Cond, Names, Pred};
use crate::prim::Prim;
use crate::ssa::RealCompare;
use crate::typed::{Binder, Block, Definition, Expr, ExprKind, Function, Rec, SizeOrigin, Type};

/// Names of one kind, those that occur twice with their number.
fn unique(all: &[String]) -> Vec<String> {
    let name = |(k, n): (usize, &String)| {
        let twice = all.iter().filter(|m| *m == n).count() > 1;
        if twice { format!("{n}{k}") } else { n.clone() }
    };
    all.iter().enumerate().map(name).collect()
}

struct Printer<'a> {
    block: &'a Block,
    f: &'a Function,
    names: Names,
    variables: Vec<String>,
}

/// A function: its signature, what is checked on entry, its body.
pub(super) fn function(block: &Block, f: &Function) -> String {
    let p = Printer {
        block,
        f,
        names: Names {
            sizes: f.sizes.iter().map(|s| s.name.clone()).collect(),
            indices: unique(&f.indices),
            arrays: (0..f.elements.len()).map(|k| format!("arg{k}")).collect(),
            ..Names::default()
        },
        variables: unique(&f.variables),
    };
    let by_shape = f.sizes.iter().filter(|s| matches!(s.origin, SizeOrigin::Shape(_)));
    let sizes: Vec<_> = by_shape.map(|s| s.name.clone()).collect();
    let sizes = if sizes.is_empty() { String::new() } else { format!("<{}>", sizes.join(", ")) };
    let params: Vec<_> = f.params.iter().map(|q| format!("{}: {}", q.name, p.ty(&q.ty))).collect();
    let checks: Vec<_> = f.checks.iter().map(|c| c.text.clone()).collect();
    let checks = if checks.is_empty() { String::new() } else { format!(" where {}", checks.join(", ")) };
    let body = match &f.body {
        None => "no body".into(),
        Some(Definition::Expr(e)) => format!("{{ {} }}", p.expr(e)),
        Some(Definition::Foreign(k)) => format!("= {}", block.callees[*k].path),
        Some(Definition::Transform { transform, of, wrt }) => {
            format!("= {transform:?}({}, {wrt:?})", block.functions[*of].name)
        }
    };
    format!("fn {}{sizes}({}) -> {}{checks} {body}", f.name, params.join(", "), p.ty(&f.result))
}

impl Printer<'_> {
    fn ty(&self, t: &Type) -> String {
        names::ty(t, self.f.elem, &self.names)
    }
    fn pred(&self, p: &Pred) -> String {
        p.iter().map(|c| self.cond(c)).collect::<Vec<_>>().join(" && ")
    }
    fn cond(&self, c: &Cond) -> String {
        match c {
            Cond::Opaque { id, holds, .. } => {
                let c = &self.f.comparisons[*id as usize];
                let op = match c.op {
                    RealCompare::Lt => "<",
                    RealCompare::Le => "<=",
                    RealCompare::Eq => "==",
                };
                let text = format!("{} {op} {}", self.expr(&c.left), self.expr(&c.right));
                if *holds { text } else { format!("!({text})") }
            }
            Cond::Any(ps) => {
                format!("({})", ps.iter().map(|p| self.pred(p)).collect::<Vec<_>>().join(" || "))
            }
            c => self.names.cond(c),
        }
    }
    fn binders(&self, bs: &[Binder], guard: &Pred) -> String {
        let one = |b: &Binder| {
            let i = &self.names.indices[b.index as usize];
            format!("{i} in {}..{}", self.names.affine(&b.lower), self.names.affine(&b.upper))
        };
        let bs = bs.iter().map(one).collect::<Vec<_>>().join(", ");
        if guard.is_empty() { bs } else { format!("{bs} if {}", self.pred(guard)) }
    }
    /// With the names that it has inside.
    fn rec(&self, r: &Rec) -> String {
        let one = |(b, backward): (&Binder, &bool)| {
            let range = self.binders(std::slice::from_ref(b), &vec![]);
            match range.split_once(" in ") {
                Some((i, range)) if *backward => format!("{i} in ({range}).rev()"),
                Some(_) | None => range,
            }
        };
        let binders: Vec<_> = r.binders.iter().zip(&r.backward).map(one).collect();
        let guard = if r.guard.is_empty() { String::new() } else { format!(" if {}", self.pred(&r.guard)) };
        let vars: Vec<_> = r.vars.iter().map(|v| self.variables[v.0 as usize].clone()).collect();
        format!("rec {} by {}{guard} {{ {} }}", vars.join(", "), binders.join(", "), self.expr(&r.body))
    }
    fn list(&self, es: &[Expr]) -> String {
        es.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }
    fn prim(&self, prim: &Prim) -> String {
        match prim {
            Prim::Unary(u) => u.name().to_string(),
            Prim::Binary(b) => b.name().to_string(),
            Prim::Powi(k) => format!("powi[{}]", self.names.affine(k)),
            other => format!("{other:?}").to_lowercase(),
        }
    }
    fn expr(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Var(v) => self.variables[v.0 as usize].clone(),
            ExprKind::Number(x) => format!("{x}"),
            ExprKind::Constant(c) => c.clone(),
            ExprKind::OfIndex(a) => format!("({} as real)", self.names.affine(a)),
            ExprKind::Neg(a) => format!("-{}", self.expr(a)),
            ExprKind::Add(a, b) => format!("({} + {})", self.expr(a), self.expr(b)),
            ExprKind::Sub(a, b) => format!("({} - {})", self.expr(a), self.expr(b)),
            ExprKind::Mul(a, b) => format!("({} * {})", self.expr(a), self.expr(b)),
            ExprKind::Prim(p, args) => format!("{}({})", self.prim(p), self.list(args)),
            ExprKind::Tuple(es) => format!("({})", self.list(es)),
            ExprKind::Field(a, k) => format!("{}.{k}", self.expr(a)),
            ExprKind::Gen(bs, p, a) => format!("for {} {{ {} }}", self.binders(bs, p), self.expr(a)),
            ExprKind::Reduce(r, bs, p, a) => {
                let word = format!("{r:?}").to_lowercase();
                format!("{word} {} {{ {} }}", self.binders(bs, p), self.expr(a))
            }
            ExprKind::Access(a, at) => {
                let at: Vec<_> = at.iter().map(|i| self.names.affine(&i.index)).collect();
                format!("{}[{}]", self.expr(a), at.join(", "))
            }
            ExprKind::Guard(p, a) => format!("[{}] {}", self.pred(p), self.expr(a)),
            ExprKind::If(p, a, b) => {
                format!("if {} {{ {} }} else {{ {} }}", self.pred(p), self.expr(a), self.expr(b))
            }
            ExprKind::Let(v, a, rest) => {
                format!("let {} = {}; {}", self.variables[v.0 as usize], self.expr(a), self.expr(rest))
            }
            ExprKind::Rec(r) => self.rec(r),
            ExprKind::Grad(a, x) => format!("grad({}, {})", self.expr(a), self.variables[x.0 as usize]),
            ExprKind::Outer(o) => format!("{}({})", o.path, self.list(&o.args)),
            ExprKind::Ruled(r) => self.expr(&r.value),
            ExprKind::LetArg(l) => {
                let word = if l.is_max { "argmax" } else { "argmin" };
                let binders = self.binders(std::slice::from_ref(&l.binder), &l.guard);
                let name = &self.names.arrays[l.element as usize];
                format!("let {name} = {word} {binders} {{ {} }}; {}", self.expr(&l.value), self.expr(&l.rest))
            }
            ExprKind::Call(k, sizes, args) => {
                let sizes: Vec<_> = sizes.iter().map(|s| self.names.affine(s)).collect();
                let sizes =
                    if sizes.is_empty() { String::new() } else { format!("::<{}>", sizes.join(", ")) };
                format!("{}{sizes}({})", self.block.functions[*k].name, self.list(args))
            }
        }
    }
}
