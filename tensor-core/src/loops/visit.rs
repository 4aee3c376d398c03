//! One walk over statements for all who ask what a block mentions.

use super::leaf::Operand;
use super::walk::elements;
use super::{Expr, Leaf, Place, Stmt, Test, VarId};
use crate::index::{Affine, Cond};
use crate::ssa::Index;

/// How a statement uses a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum How {
    /// It is read.
    Read,
    /// It is overwritten.
    Assign,
    /// Something is added to it, or it is compared with something.
    Combine,
}

/// One thing that a block mentions.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item<'a> {
    /// An index that a loop or a `let` binds.
    Bound(Index),
    /// A local that is declared.
    Declared(VarId),
    /// All elements of a variable, overwritten.
    Filled(VarId),
    /// An element of an array, or a local.
    Place(&'a Place, How),
    /// An element of an array of indices, which is read.
    Element(u32, &'a [Affine]),
    /// Any affine form, those in places too.
    Form(&'a Affine),
    /// A form that decides what is done: a bound, a test, a `let`, a power, an index that is stored.
    Decides(&'a Affine),
    /// A statement that has no form in lanes: of indices, a matmul, a call of a function over tensors.
    Whole,
}

/// Everything that statements mention, in order.
pub(crate) fn visit(stmts: &[Stmt], f: &mut dyn FnMut(Item<'_>)) {
    stmts.iter().for_each(|s| visit_stmt(s, f));
}

fn visit_stmt(s: &Stmt, f: &mut dyn FnMut(Item<'_>)) {
    head(s, f);
    s.blocks().into_iter().for_each(|block| visit(block, f));
}

/// What a statement mentions by itself, without the blocks inside.
pub(crate) fn head(s: &Stmt, f: &mut dyn FnMut(Item<'_>)) {
    match s {
        Stmt::For { index, lower, upper, step, order: _, body: _, .. } => {
            lower.iter().chain(upper).for_each(|b| decides(&b.num, f));
            step.iter().for_each(|s| decides(&s.0, f));
            f(Item::Bound(*index));
        }
        Stmt::If { tests, body: _, otherwise: _ } => tests.iter().for_each(|t| visit_test(t, f)),
        Stmt::Leaf(leaf) => visit_leaf(leaf, f),
    }
}

/// Everything that a leaf mentions.
pub(crate) fn visit_leaf(leaf: &Leaf, f: &mut dyn FnMut(Item<'_>)) {
    leaf.visit(&mut |o| match o {
        Operand::Form(a) => decides(a, f),
        Operand::Bound(i) => f(Item::Bound(i)),
        Operand::Value(e) => visit_expr(e, f),
        Operand::Place(p, how) => place(p, how, f),
        Operand::Declared(v) => f(Item::Declared(v)),
        Operand::Filled(v) => f(Item::Filled(v)),
    });
    if leaf.in_lanes().is_none() {
        f(Item::Whole);
    }
}

/// Everything that an expression mentions.
pub(crate) fn visit_expr(e: &Expr, f: &mut dyn FnMut(Item<'_>)) {
    match e {
        Expr::Number(_) | Expr::Constant(_) => {}
        Expr::OfIndex(a) => form(a, f),
        Expr::Read(p) => place(p, How::Read, f),
        Expr::Neg(a) => visit_expr(a, f),
        Expr::Add(a, b) | Expr::Mul(a, b) => {
            visit_expr(a, f);
            visit_expr(b, f);
        }
        Expr::Call(p, args) => {
            p.visit_indices(&mut |a| decides(a, f));
            args.iter().for_each(|a| visit_expr(a, f));
        }
        Expr::If(tests, a) => {
            tests.iter().for_each(|t| visit_test(t, f));
            visit_expr(a, f);
        }
    }
}

pub(crate) fn visit_test(t: &Test, f: &mut dyn FnMut(Item<'_>)) {
    match t {
        Test::Index(c) => visit_cond(c, f),
        Test::Real { left, right, .. } => {
            visit_expr(left, f);
            visit_expr(right, f);
        }
        Test::Any(ps) => ps.iter().flatten().for_each(|t| visit_test(t, f)),
    }
}

fn visit_cond(c: &Cond, f: &mut dyn FnMut(Item<'_>)) {
    c.affines().into_iter().for_each(|a| decides(a, f));
}

fn decides(a: &Affine, f: &mut dyn FnMut(Item<'_>)) {
    f(Item::Decides(a));
    form(a, f);
}

fn place(p: &Place, how: How, f: &mut dyn FnMut(Item<'_>)) {
    p.at.iter().for_each(|a| form(a, f));
    f(Item::Place(p, how));
}

fn form(a: &Affine, f: &mut dyn FnMut(Item<'_>)) {
    f(Item::Form(a));
    let mut found = vec![];
    elements(a, &mut found);
    found.iter().for_each(|(v, at)| f(Item::Element(*v, at)));
}
