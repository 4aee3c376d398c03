//! What a leaf mentions is what is replaced in it.

use super::{Leaf, Operand};
use crate::index::Affine;
use crate::loops::{Argument, Band, Call, Expr, Part, Place, Product, Symmetrize, VarId, Way, Whole};
use crate::ssa::{Extreme, Index};

const I: Index = Index(0);

fn place(var: u32) -> Place {
    Place { var: VarId(var), at: vec![I.affine(), Affine::from(2)] }
}

fn number(var: u32) -> Expr {
    Expr::Add(Box::new(Expr::Read(place(var))), Box::new(Expr::OfIndex(I.affine())))
}

/// One of each kind; no two of its variables are the same, and no two of its forms.
fn all() -> Vec<Leaf> {
    let (op, target, value, form) = (Extreme::Max, place(1), number(2), I.affine());
    let (one, two, three) = (Affine::from(1), Affine::from(2), Affine::from(3));
    let product = Product {
        rows: (Index(1), one.clone()),
        cols: (Index(2), two.clone()),
        inner: (Index(3), three.clone()),
        band: Some(Band::UpTo(4.into())),
        across: false,
        part: Some(Part { index: Index(3), lower: 5.into(), upper: 6.into() }),
        c: place(1),
        a: place(2),
        b: place(3),
        scale: 2.0,
        adds: true,
        work: VarId(4),
    };
    let whole = |var: u32| Whole { place: place(var), own: vec![(Index(var), i64::from(var).into())] };
    let args = vec![Argument::Number(number(5)), Argument::Tensor(whole(6))];
    let (best, at) = (VarId(3), VarId(4));
    vec![
        Leaf::LetIndex { index: Index(1), value: form.clone() },
        Leaf::Declare { var: VarId(1), value: value.clone() },
        Leaf::DeclareIndex { var: VarId(1), value: form.clone() },
        Leaf::Assign { target: target.clone(), value: value.clone() },
        Leaf::Accumulate { target: target.clone(), value: value.clone() },
        Leaf::Extreme { op, target: target.clone(), value: value.clone() },
        Leaf::ArgExtreme { op, best, at, first: one.clone(), value, index: form.clone() },
        Leaf::AssignIndex { target, value: form, least: one.clone() },
        Leaf::Product(Box::new(product)),
        Leaf::Symmetrize(Box::new(Symmetrize {
            c: place(1),
            stride: one,
            rows: two,
            block: three,
            above: true,
            way: Way::Kernel,
        })),
        Leaf::Call(Box::new(Call { path: "f".into(), args, outs: vec![whole(7), whole(8)] })),
        Leaf::Fill { var: VarId(1), value: 0.0 },
    ]
}

fn form(a: &Affine) -> Affine {
    a.scale(100).and_then(|a| a.plus_constant(7)).expect("small numbers")
}

fn var(v: VarId) -> VarId {
    VarId(v.0 + 100)
}

fn renamed(p: Place) -> Place {
    Place { var: var(p.var), at: p.at }
}

/// What is mentioned, as it is or replaced.
fn mentioned(leaf: &Leaf, is_replaced: bool) -> Vec<String> {
    let mut out = vec![];
    leaf.visit(&mut |o| {
        out.push(match (o, is_replaced) {
            (Operand::Form(a), true) => format!("{:?}", Operand::Form(&form(a))),
            (Operand::Value(e), true) => format!("{:?}", Operand::Value(&e.map(&mut form, &mut renamed))),
            (Operand::Place(p, how), true) => {
                format!("{:?}", Operand::Place(&renamed(p.map(&mut form)), how))
            }
            (Operand::Declared(v), true) => format!("{:?}", Operand::Declared(var(v))),
            (Operand::Filled(v), true) => format!("{:?}", Operand::Filled(var(v))),
            (o @ Operand::Bound(_), true) | (o, false) => format!("{o:?}"),
        });
    });
    out
}

#[test]
fn what_is_visited_is_what_is_replaced() {
    for leaf in all() {
        let expected = mentioned(&leaf, true);
        let found = mentioned(&leaf.clone().map(&mut form, &mut renamed, &mut var), false);
        assert!(!found.is_empty());
        assert_eq!(found, expected, "{leaf:?}");
    }
}

#[test]
fn nothing_replaced_is_the_same() {
    for leaf in all() {
        assert_eq!(leaf.clone().map(&mut Affine::clone, &mut |p| p, &mut |v| v), leaf);
    }
}
