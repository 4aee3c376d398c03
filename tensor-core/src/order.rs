//! How often a block differentiates: a bound.

use crate::typed::{Block, Definition, Expr, ExprKind, Function, Transform};

/// The most derivatives that any function of the block takes of any other through calls and transforms, 1 at least and `most` at most. (A partial
/// derivative that is defined by a derivative of what calls its function has no bound.)
#[must_use]
pub fn most_often(block: &Block, most: usize) -> usize {
    let mut orders = vec![0; block.functions.len()];
    loop {
        let mut changed = false;
        for (k, f) in block.functions.iter().enumerate() {
            let order = of(f, &orders).min(most);
            changed |= order > orders[k];
            orders[k] = orders[k].max(order);
        }
        if !changed {
            return orders.into_iter().max().unwrap_or(0).max(1);
        }
    }
}

fn of(f: &Function, orders: &[usize]) -> usize {
    match &f.body {
        None | Some(Definition::Foreign(_)) => 0,
        Some(Definition::Transform { transform, of, .. }) => orders[*of] + twice_or_once(*transform),
        Some(Definition::Expr(body)) => {
            // Any may be of what another gives.
            let (mut own, mut inner) = (0, 0);
            let mut see = |e: &Expr| match &e.kind {
                ExprKind::Grad(..) => own += 1,
                ExprKind::Call(k, ..) => inner = inner.max(orders[*k]),
                _ => {}
            };
            body.visit(&mut see);
            for c in &f.comparisons {
                c.left.visit(&mut see);
                c.right.visit(&mut see);
            }
            own + inner
        }
    }
}

/// The map of a linearization is transposed besides.
fn twice_or_once(t: Transform) -> usize {
    match t {
        Transform::Grad | Transform::ValueAndGrad | Transform::Jvp | Transform::Vjp => 1,
        Transform::Jacobian | Transform::Transpose => 1,
        Transform::Hvp | Transform::Hessian | Transform::Linearize => 2,
    }
}
