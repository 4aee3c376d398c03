//! Whether random programs write all that the language has.

use std::collections::BTreeSet;
use tensor_core::ast::{self, BinaryOp, CompareOp, ReduceOp};
use tensor_core::{analyze, prim, typed};
use tensor_judge::generate;
use tensor_judge::syntax::{read, walk::walk};

/// The seeds of a run of the tests.
const PROGRAMS: u64 = 3000;

/// Those of them that are checked, too.
const CHECKED: u64 = 1000;

/// The variants of an enum by their names, all of them, and that of a value.
macro_rules! variants {
    ($all:ident $of:ident $ty:ty: $($v:ident)*) => {
        const $all: &[&str] = &[$(stringify!($v)),*];

        fn $of(e: &$ty) -> &'static str {
            use $ty as E;
            match e {
                $(E::$v { .. } => stringify!($v),)*
            }
        }
    };
}

variants! { SURFACE surface ast::ExprKind:
    Number Name Path Tuple Bracket Repeat Field Access Neg Not Binary Compare And Or Cast Call Method Gen Reduce Exists Recurrence If Block
}
variants! { CORE core typed::ExprKind:
    Var Number Constant OfIndex Neg Add Sub Mul Prim Tuple Field Gen Reduce Access Guard If Let LetArg Rec Grad Outer Ruled Call
}
variants! { TYPES type_of ast::TypeKind: Real Array Tuple Size }
variants! { ARITHMETIC arithmetic BinaryOp: Add Sub Mul Div Rem }
variants! { COMPARISONS comparison CompareOp: Lt Le Eq Ne Ge Gt }
variants! { REDUCTIONS reduction ReduceOp: Sum Max Min LogSumExp ArgMax ArgMin }

/// What has one index alone.
const NEVER: [&str; 2] = ["ArgMax over 2", "ArgMin over 2"];

fn missing<'a>(all: impl Iterator<Item = String> + 'a, written: &'a BTreeSet<String>) -> Vec<String> {
    all.filter(|name| !written.contains(name) && !NEVER.contains(&name.as_str())).collect()
}

fn names(all: &'static [&'static str]) -> impl Iterator<Item = String> {
    all.iter().map(ToString::to_string)
}

/// What is written of the surface in a program.
fn of_surface(source: &str, written: &mut BTreeSet<String>) {
    let mut block = read(source).unwrap_or_else(|| panic!("not parsed:\n{source}"));
    for f in block.items.iter().filter_map(|i| if let ast::Item::Function(f) = i { Some(f) } else { None }) {
        fn types(t: &ast::Type, written: &mut BTreeSet<String>) {
            written.insert(type_of(&t.kind).into());
            match &t.kind {
                ast::TypeKind::Array(of, _) => types(of, written),
                ast::TypeKind::Tuple(parts) => parts.iter().for_each(|t| types(t, written)),
                ast::TypeKind::Real(_) | ast::TypeKind::Size => {}
            }
        }
        f.params.iter().map(|p| &p.ty).chain([&f.result]).for_each(|t| types(t, written));
    }
    walk(&mut block, &mut |e, cx| {
        written.insert(surface(&e.kind).into());
        match &e.kind {
            ast::ExprKind::Call(f, _) | ast::ExprKind::Method(_, f, _) => {
                written.insert(f.to_string());
            }
            ast::ExprKind::Binary(op, ..) => {
                written.insert(arithmetic(op).into());
            }
            ast::ExprKind::Compare(first, rest) => {
                let of_indices = cx.is_affine(first) || rest.iter().any(|(_, e)| cx.is_affine(e));
                let of = if of_indices { "indices" } else { "reals" };
                written.extend(rest.iter().map(|(op, _)| format!("{} of {of}", comparison(op))));
            }
            ast::ExprKind::Reduce(op, l) => {
                written.insert(format!("{} over {}", reduction(op), l.binders.len()));
            }
            _ => {}
        }
    });
}

/// What is left of it once it is checked.
fn of_core(source: &str, written: &mut BTreeSet<String>) {
    let Ok(block) = analyze(source.parse().expect("tokens")) else { return };
    for f in &block.functions {
        let mut see = |e: &typed::Expr| {
            written.insert(core(&e.kind).into());
        };
        if let Some(typed::Definition::Expr(body)) = &f.body {
            body.visit(&mut see);
        }
        for c in &f.comparisons {
            c.left.visit(&mut see);
            c.right.visit(&mut see);
        }
    }
}

/// Each form of an expression and of a type, each function of numbers, each operator, and each reduction, over one index and over two.
#[test]
fn all_of_the_surface_is_written() {
    let mut written = BTreeSet::new();
    (0..PROGRAMS).for_each(|seed| of_surface(&generate::wide(seed).source, &mut written));
    let functions = prim::table::names().chain(["stop", "grad"]).map(String::from);
    let compared = |of: &'static str| names(COMPARISONS).map(move |op| format!("{op} of {of}"));
    let reduced = [1, 2].into_iter().flat_map(|k| names(REDUCTIONS).map(move |op| format!("{op} over {k}")));
    let all = names(SURFACE).chain(names(TYPES)).chain(names(ARITHMETIC)).chain(functions);
    let all = all.chain(compared("indices")).chain(compared("reals")).chain(reduced);
    let missing = missing(all, &written);
    assert!(missing.is_empty(), "{missing:?}");
}

/// Each form of an expression of the core language.
#[test]
fn all_of_the_core_is_written() {
    let mut written = BTreeSet::new();
    (0..CHECKED).for_each(|seed| of_core(&generate::wide(seed).source, &mut written));
    let missing = missing(names(CORE), &written);
    assert!(missing.is_empty(), "{missing:?}");
}
