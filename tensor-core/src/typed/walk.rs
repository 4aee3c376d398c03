//! The parts of an expression.

use super::{Definition, Expr, ExprKind, Function, Outer, Type, Var};
use crate::sorted::Set;

impl Expr {
    /// What it is made of. (Comparisons of reals stand in [`Function::comparisons`].)
    #[must_use]
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Var(_) | ExprKind::Number(_) | ExprKind::Constant(_) | ExprKind::OfIndex(_) => vec![],
            ExprKind::Neg(a)
            | ExprKind::Field(a, _)
            | ExprKind::Gen(_, _, a)
            | ExprKind::Reduce(_, _, _, a)
            | ExprKind::Access(a, _)
            | ExprKind::Guard(_, a)
            | ExprKind::Grad(a, _) => vec![a],
            ExprKind::Add(a, b)
            | ExprKind::Sub(a, b)
            | ExprKind::Mul(a, b)
            | ExprKind::If(_, a, b)
            | ExprKind::Let(_, a, b) => vec![a, b],
            ExprKind::LetArg(l) => vec![&l.value, &l.rest],
            ExprKind::Rec(r) => vec![&r.body],
            ExprKind::Outer(o) => o.args.iter().chain(o.partials.iter().flatten()).collect(),
            ExprKind::Ruled(r) => vec![&r.value, &r.surrogate],
            ExprKind::Prim(_, all) | ExprKind::Tuple(all) | ExprKind::Call(_, _, all) => all.iter().collect(),
        }
    }

    /// The same, to change.
    #[must_use]
    pub fn children_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            ExprKind::Var(_) | ExprKind::Number(_) | ExprKind::Constant(_) | ExprKind::OfIndex(_) => vec![],
            ExprKind::Neg(a)
            | ExprKind::Field(a, _)
            | ExprKind::Gen(_, _, a)
            | ExprKind::Reduce(_, _, _, a)
            | ExprKind::Access(a, _)
            | ExprKind::Guard(_, a)
            | ExprKind::Grad(a, _) => vec![a],
            ExprKind::Add(a, b)
            | ExprKind::Sub(a, b)
            | ExprKind::Mul(a, b)
            | ExprKind::If(_, a, b)
            | ExprKind::Let(_, a, b) => vec![a, b],
            ExprKind::LetArg(l) => vec![&mut l.value, &mut l.rest],
            ExprKind::Rec(r) => vec![&mut r.body],
            ExprKind::Outer(o) => o.args.iter_mut().chain(o.partials.iter_mut().flatten()).collect(),
            ExprKind::Ruled(r) => vec![&mut r.value, &mut r.surrogate],
            ExprKind::Prim(_, all) | ExprKind::Tuple(all) | ExprKind::Call(_, _, all) => {
                all.iter_mut().collect()
            }
        }
    }

    /// Calls `f` with it and all that it is made of.
    pub fn visit<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
        f(self);
        self.children().into_iter().for_each(|e| e.visit(f));
    }
}

impl Type {
    /// How many real numbers and tensors of them it is made of.
    #[must_use]
    pub fn leaves(&self) -> usize {
        match self {
            Type::Real => 1,
            Type::Size => 0,
            Type::Array(_, el) => el.leaves(),
            Type::Tuple(parts) => parts.iter().map(Type::leaves).sum(),
        }
    }
}

impl Function {
    /// The function of Rust that it stands for.
    #[must_use]
    pub fn outer(&self) -> Option<&Outer> {
        match &self.body {
            Some(Definition::Expr(Expr { kind: ExprKind::Outer(outer), .. })) => Some(outer),
            Some(Definition::Expr(_) | Definition::Transform { .. } | Definition::Foreign(_)) | None => None,
        }
    }

    /// How many leaves the parameters have.
    #[must_use]
    pub fn leaves(&self) -> usize {
        self.params.iter().map(|p| p.ty.leaves()).sum()
    }

    /// The variables that a `grad(e, x)` in it is by.
    #[must_use]
    pub fn differentiated(&self, body: &Expr) -> Set<Var> {
        let mut all = Set::new();
        let mut see = |e: &Expr| {
            if let ExprKind::Grad(_, x) = e.kind {
                all.insert(x);
            }
        };
        body.visit(&mut see);
        for c in &self.comparisons {
            c.left.visit(&mut see);
            c.right.visit(&mut see);
        }
        all
    }
}
