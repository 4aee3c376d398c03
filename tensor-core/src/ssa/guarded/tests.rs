//! What is asked of conditions that read.

use super::*;
use crate::ast::Elem;
use crate::index::Atom;
use crate::ssa::Array;
use std::cell::Cell;

/// A function with one array of indices, of three elements.
fn function() -> Function {
    let kind = ArrayKind::Index { formals: vec![], lower: Affine::zero(), upper: Affine::from(3) };
    let array = Array { name: "at".into(), extents: vec![Affine::from(3)], kind, recompute: false };
    Function {
        name: "f".into(),
        elem: Elem::F64,
        sizes: vec![],
        assumptions: vec![],
        arrays: vec![array],
        params: vec![],
        stmts: vec![],
        results: vec![],
        indices: vec![],
        comparisons: vec![],
        callees: vec![],
        recs: vec![],
    }
}

#[test]
fn in_unions_of_unions_each_read_is_asked_once() {
    let element = Atom::Element(0, vec![Atom::Index(0).into()]);
    let mut c = Cond::Zero(element.into());
    for _ in 0..16 {
        c = Cond::Any(vec![vec![c]]);
    }
    let asked = Cell::new(0);
    let holds = |_: &[Cond], _: &Cond| {
        asked.set(asked.get() + 1);
        true
    };
    assert_eq!(function().guarded(std::slice::from_ref(&c), &holds), [c]);
    // 0 <= i, and i < 3.
    assert_eq!(asked.get(), 2);
}
