//! What statements take, in the time of an addition, by `weights::cost`. Who chooses by time asks here, and says what an access takes where the statement
//! runs, and what sizes count as.

use crate::index::Affine;
use crate::loops::visit::{How, Item, visit_leaf, visit_test};
use crate::loops::{Expr, Leaf, Place, Program, Test};
use crate::prim::Prim;
use crate::weights;

/// So much for each of the elements of a space with so many along each dimension; of no dimension is one element.
pub(super) struct Taken<'a> {
    pub each: f64,
    pub times: Vec<&'a Affine>,
}

impl Taken<'_> {
    /// In all, where an extent counts as so many.
    pub fn total(&self, count: impl Fn(&Affine) -> f64) -> f64 {
        self.each * self.times.iter().map(|e| count(e)).product::<f64>()
    }
}

/// A statement that contains no other, in sequence or in lanes.
pub(super) fn leaf<'a>(
    p: &'a Program,
    leaf: &'a Leaf,
    in_lanes: bool,
    access: &dyn Fn(&Place, How) -> f64,
) -> Taken<'a> {
    let once = |each: f64| Taken { each, times: vec![] };
    match leaf {
        Leaf::Product(p) => Taken {
            each: weights::cost::PRODUCT[usize::from(p.band.is_some())],
            times: vec![&p.rows.1, &p.cols.1, &p.inner.1],
        },
        Leaf::Symmetrize(m) => Taken { each: weights::cost::SYMMETRIZED, times: vec![&m.rows, &m.rows] },
        Leaf::Fill { var, .. } => Taken {
            each: weights::cost::FILL[usize::from(in_lanes)],
            times: p.var(*var).extents.iter().collect(),
        },
        Leaf::Call(_) => once(weights::cost::CALL),
        Leaf::LetIndex { .. } | Leaf::DeclareIndex { .. } | Leaf::AssignIndex { .. } => {
            once(weights::cost::STATEMENT)
        }
        Leaf::Declare { .. }
        | Leaf::Assign { .. }
        | Leaf::Accumulate { .. }
        | Leaf::Extreme { .. }
        | Leaf::ArgExtreme { .. } => {
            let combined = match leaf {
                Leaf::Declare { .. } | Leaf::Assign { .. } => 0.0,
                _ => weights::cost::COMBINE,
            };
            let value = leaf.value().map_or(0.0, operations);
            once(weights::cost::STATEMENT + value + combined + accesses(|f| visit_leaf(leaf, f), access))
        }
    }
}

/// A test.
pub(super) fn test(t: &Test, access: &dyn Fn(&Place, How) -> f64) -> f64 {
    weights::cost::TEST + accesses(|f| visit_test(t, f), access)
}

fn accesses(walk: impl Fn(&mut dyn FnMut(Item<'_>)), access: &dyn Fn(&Place, How) -> f64) -> f64 {
    let mut cost = 0.0;
    walk(&mut |item| {
        if let Item::Place(p, how) = item {
            cost += access(p, how);
        }
    });
    cost
}

/// What an access takes in sequence: locals are in registers.
pub(super) fn access(p: &Place, _: How) -> f64 {
    if p.at.is_empty() { 0.0 } else { weights::cost::ACCESS }
}

/// Operations of an expression, by their time.
pub(crate) fn operations(e: &Expr) -> f64 {
    match e {
        Expr::Number(_) | Expr::Constant(_) | Expr::OfIndex(_) | Expr::Read(_) => 0.0,
        Expr::Neg(a) | Expr::If(_, a) => operations(a),
        Expr::Add(a, b) | Expr::Mul(a, b) => weights::cost::OPERATION + operations(a) + operations(b),
        Expr::Call(f, args) => weight(f) + args.iter().map(operations).sum::<f64>(),
    }
}

fn weight(f: &Prim) -> f64 {
    match f {
        Prim::Unary(f) => f.cost(),
        Prim::Binary(f) => f.cost(),
        Prim::Clamp | Prim::Stop | Prim::FiniteOrZero => weights::cost::OPERATION,
        Prim::Powi(_) => weights::cost::POWER,
        Prim::Formula(_) => weights::cost::FORMULA,
        Prim::Outer(_) => weights::cost::LONG_FUNCTION,
    }
}
