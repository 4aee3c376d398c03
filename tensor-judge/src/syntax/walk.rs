//! The expressions of a program with what is in scope at each, by their number.

use super::edit::{self, functions};
use tensor_core::ast::{
    BinaryOp, Block, Body, Expr, ExprKind, Form, Function, IndexArg, Let, Loop, Pattern, Recurrence,
    ReduceOp, Type,
};

/// What an expression is of, as far as its place tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Numbers.
    Value,
    /// Indices and sizes.
    Index,
    /// True or false.
    Condition,
}

/// What a name in scope stands for.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A size of the function.
    Size,
    /// An index of a loop or of a `let`.
    Index,
    /// A parameter of a type.
    Param(Type),
    /// Numbers.
    Value,
}

/// What is known where an expression stands.
#[derive(Clone, Debug)]
pub struct Context {
    /// By its place.
    pub role: Role,
    /// Whether it is part of a chain of `*` and `/`, which a bracket in it guards as a whole.
    pub chained: bool,
    /// The names in scope, innermost last.
    pub scope: Vec<(String, Kind)>,
    /// The functions of the block.
    pub functions: Vec<Function>,
}

impl Context {
    /// A function of the block.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|f| f.name == name)
    }

    /// What a name stands for.
    #[must_use]
    pub fn kind(&self, name: &str) -> Option<&Kind> {
        self.scope.iter().rev().find(|(n, _)| n == name).map(|(_, k)| k)
    }

    /// Whether a name is an index or a size.
    #[must_use]
    pub fn is_index(&self, name: &str) -> bool {
        match self.kind(name) {
            Some(Kind::Size | Kind::Index) => true,
            Some(Kind::Param(t)) => matches!(t.kind, tensor_core::ast::TypeKind::Size),
            Some(Kind::Value) | None => false,
        }
    }

    /// Whether an expression is arithmetic of indices and sizes, and has at least one.
    #[must_use]
    pub fn is_affine(&self, e: &Expr) -> bool {
        fn plain(cx: &Context, e: &Expr) -> bool {
            match &e.kind {
                ExprKind::Number { is_integer, .. } => *is_integer,
                ExprKind::Name(x) => cx.is_index(&x.to_string()),
                ExprKind::Neg(a) => plain(cx, a),
                ExprKind::Binary(_, a, b) => plain(cx, a) && plain(cx, b),
                ExprKind::Path(_)
                | ExprKind::Tuple(_)
                | ExprKind::Bracket(_)
                | ExprKind::Repeat(..)
                | ExprKind::Field(..)
                | ExprKind::Access(..)
                | ExprKind::Not(_)
                | ExprKind::Compare(..)
                | ExprKind::And(..)
                | ExprKind::Or(..)
                | ExprKind::Cast(..)
                | ExprKind::Call(..)
                | ExprKind::Method(..)
                | ExprKind::Gen(_)
                | ExprKind::Reduce(..)
                | ExprKind::Exists(_)
                | ExprKind::Recurrence(_)
                | ExprKind::If(..)
                | ExprKind::Block(_) => false,
            }
        }
        plain(self, e) && edit::names(e).iter().any(|n| self.is_index(n))
    }

    /// The extents of a parameter of numbers.
    #[must_use]
    pub fn extents(&self, name: &str) -> Option<&[Expr]> {
        match self.kind(name)? {
            Kind::Param(Type { kind: tensor_core::ast::TypeKind::Array(_, extents), .. }) => Some(extents),
            Kind::Param(_) | Kind::Size | Kind::Index | Kind::Value => None,
        }
    }
}

/// Whether what stands in a bracket is a condition.
#[must_use]
pub fn is_condition(e: &Expr) -> bool {
    matches!(
        e.kind,
        ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Not(_) | ExprKind::Exists(_)
    )
}

/// What is done at each expression.
type With<'a> = &'a mut dyn FnMut(&mut Expr, &Context);

/// All expressions of the bodies of a block, each before those below it. What `with` puts in the place of one is walked, too.
pub fn walk(block: &mut Block, with: With) {
    let all: Vec<Function> = functions(block).map(|f| f.clone()).collect();
    for f in functions(block) {
        let sizes = f.sizes.iter().map(|n| (n.to_string(), Kind::Size));
        let params = f.params.iter().map(|p| (p.name.to_string(), Kind::Param(p.ty.clone())));
        let mut cx = Context {
            role: Role::Value,
            chained: false,
            scope: sizes.chain(params).collect(),
            functions: all.clone(),
        };
        if let Some(b) = &mut f.body {
            body(b, &mut cx, with);
        }
    }
}

/// The same block with another expression for one, by its number in [`walk`].
#[must_use]
pub fn replaced(block: &Block, number: usize, by: &Expr) -> Block {
    let mut block = block.clone();
    let mut next = 0;
    walk(&mut block, &mut |e, _| {
        if next == number {
            *e = by.clone();
        }
        next += 1;
    });
    block
}

/// What `of` makes of each expression, with its number: the outermost first.
pub fn proposals<T>(block: &Block, mut of: impl FnMut(&Expr, &Context) -> Vec<T>) -> Vec<(usize, T)> {
    let mut out = vec![];
    let mut next = 0;
    walk(&mut block.clone(), &mut |e, cx| {
        out.extend(of(e, cx).into_iter().map(|t| (next, t)));
        next += 1;
    });
    out
}

fn visit(e: &mut Expr, role: Role, cx: &mut Context, with: With) {
    link(e, role, false, cx, with);
}

fn link(e: &mut Expr, role: Role, chained: bool, cx: &mut Context, with: With) {
    (cx.role, cx.chained) = (role, chained);
    with(e, cx);
    let affine = |cx: &Context, e: &Expr| if cx.is_affine(e) { Role::Index } else { Role::Value };
    match &mut e.kind {
        ExprKind::Number { .. } | ExprKind::Name(_) | ExprKind::Path(_) => {}
        ExprKind::Bracket(parts) => {
            for p in parts {
                let role = if is_condition(p) { Role::Condition } else { Role::Value };
                visit(p, role, cx, with);
            }
        }
        ExprKind::Tuple(parts) | ExprKind::Call(_, parts) => {
            for p in parts {
                let role = affine(cx, p);
                visit(p, role, cx, with);
            }
        }
        ExprKind::Repeat(of, extents) => {
            visit(of, Role::Value, cx, with);
            extents.iter_mut().for_each(|e| visit(e, Role::Index, cx, with));
        }
        ExprKind::Neg(of) => link(of, role, true, cx, with),
        ExprKind::Not(of) => visit(of, Role::Condition, cx, with),
        ExprKind::Cast(of, _) => visit(of, Role::Index, cx, with),
        ExprKind::Field(of, _) => visit(of, Role::Value, cx, with),
        ExprKind::Access(of, at) => {
            visit(of, Role::Value, cx, with);
            for i in at {
                match i {
                    IndexArg::At(e) => visit(e, Role::Index, cx, with),
                    IndexArg::All(_) => {}
                }
            }
        }
        ExprKind::Binary(op, a, b) => {
            let chained = matches!(op, BinaryOp::Mul | BinaryOp::Div);
            link(a, role, chained, cx, with);
            link(b, role, chained, cx, with);
        }
        ExprKind::And(a, b) | ExprKind::Or(a, b) => {
            visit(a, Role::Condition, cx, with);
            visit(b, Role::Condition, cx, with);
        }
        ExprKind::Compare(first, rest) => {
            let all_affine = affine(cx, first) == Role::Index || rest.iter().any(|(_, e)| cx.is_affine(e));
            let role = if all_affine { Role::Index } else { Role::Value };
            visit(first, role, cx, with);
            rest.iter_mut().for_each(|(_, e)| visit(e, role, cx, with));
        }
        ExprKind::Method(of, name, args) => {
            let role = if name == "powi" { Role::Index } else { Role::Value };
            visit(of, Role::Value, cx, with);
            args.iter_mut().for_each(|e| visit(e, role, cx, with));
        }
        ExprKind::Gen(l) | ExprKind::Reduce(_, l) => looped(l, Role::Value, cx, with),
        ExprKind::Exists(l) => looped(l, Role::Condition, cx, with),
        ExprKind::Recurrence(r) => recurrence(r, None, cx, with),
        ExprKind::If(p, a, b) => {
            visit(p, Role::Condition, cx, with);
            body(a, cx, with);
            body(b, cx, with);
        }
        ExprKind::Block(b) => body(b, cx, with),
    }
}

fn binders(l: &mut Loop, cx: &mut Context, with: With) {
    for b in &mut l.binders {
        if let Some(range) = &mut b.range {
            visit(&mut range.lower, Role::Index, cx, with);
            visit(&mut range.upper, Role::Index, cx, with);
        }
        cx.scope.push((b.index.to_string(), Kind::Index));
    }
}

/// A recurrence; within a `rec` the names of what it gives are known, too.
fn recurrence(r: &mut Recurrence, named: Option<&mut Pattern>, cx: &mut Context, with: With) {
    let depth = cx.scope.len();
    let values = |p: &mut Pattern, cx: &mut Context| {
        edit::bound(p, &mut |x| cx.scope.push((x.to_string(), Kind::Value)));
    };
    match &mut r.form {
        Form::Rec | Form::Prod => {}
        Form::Fold(_, from) | Form::Scan(_, from) => visit(from, Role::Value, cx, with),
        Form::Reduce(o) | Form::ScanWith(o) => {
            visit(&mut o.unit, Role::Value, cx, with);
            values(&mut o.left, cx);
            values(&mut o.right, cx);
            body(&mut o.value, cx, with);
            cx.scope.truncate(depth);
        }
    }
    if let Some(named) = named {
        values(named, cx);
    }
    binders(&mut r.steps, cx, with);
    if let Form::Fold(state, _) | Form::Scan(state, _) = &mut r.form {
        values(state, cx);
    }
    if let Some(p) = &mut r.steps.guard {
        visit(p, Role::Condition, cx, with);
    }
    body(&mut r.steps.body, cx, with);
    cx.scope.truncate(depth);
}

fn looped(l: &mut Loop, role: Role, cx: &mut Context, with: With) {
    let depth = cx.scope.len();
    binders(l, cx, with);
    if let Some(p) = &mut l.guard {
        visit(p, Role::Condition, cx, with);
    }
    lets(&mut l.body.lets, cx, with);
    visit(&mut l.body.value, role, cx, with);
    cx.scope.truncate(depth);
}

fn body(b: &mut Body, cx: &mut Context, with: With) {
    let depth = cx.scope.len();
    lets(&mut b.lets, cx, with);
    visit(&mut b.value, Role::Value, cx, with);
    cx.scope.truncate(depth);
}

fn lets(all: &mut [Let], cx: &mut Context, with: With) {
    for Let { pattern, value, .. } in all {
        let role = if cx.is_affine(value) { Role::Index } else { Role::Value };
        match &mut value.kind {
            ExprKind::Recurrence(r) if matches!(r.form, Form::Rec) => recurrence(r, Some(pattern), cx, with),
            _ => visit(value, role, cx, with),
        }
        let kind = if cx.is_affine(value) || is_place(value) { Kind::Index } else { Kind::Value };
        edit::bound(pattern, &mut |x| cx.scope.push((x.to_string(), kind.clone())));
        if matches!(pattern, Pattern::Tuple(..)) {
            pairs(pattern, value, cx);
        }
    }
}

/// `argmax …`
fn is_place(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Reduce(ReduceOp::ArgMax | ReduceOp::ArgMin, _) => true,
        ExprKind::Block(b) => is_place(&b.value),
        ExprKind::Reduce(ReduceOp::Sum | ReduceOp::Max | ReduceOp::Min | ReduceOp::LogSumExp, _)
        | ExprKind::Number { .. }
        | ExprKind::Name(_)
        | ExprKind::Path(_)
        | ExprKind::Tuple(_)
        | ExprKind::Bracket(_)
        | ExprKind::Repeat(..)
        | ExprKind::Field(..)
        | ExprKind::Access(..)
        | ExprKind::Neg(_)
        | ExprKind::Not(_)
        | ExprKind::Binary(..)
        | ExprKind::Compare(..)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Cast(..)
        | ExprKind::Call(..)
        | ExprKind::Method(..)
        | ExprKind::Gen(_)
        | ExprKind::Exists(_)
        | ExprKind::Recurrence(_)
        | ExprKind::If(..) => false,
    }
}

/// `let (k, l) = (i + 1, j);` binds indices by their places.
fn pairs(pattern: &Pattern, value: &Expr, cx: &mut Context) {
    let (Pattern::Tuple(names, _), ExprKind::Tuple(values)) = (pattern, &value.kind) else { return };
    for (p, v) in names.iter().zip(values) {
        if let (Pattern::Name(x), true) = (p, cx.is_affine(v)) {
            cx.scope.push((x.to_string(), Kind::Index));
        }
    }
}
