//! Rust constants that bodies take as sizes. They are found after the signatures: here they become sizes of what calls these functions, and of what is
//! derived of them.

mod written;

use super::context::number;
use crate::index::{Affine, Atom};
use crate::typed::{Definition, Expr, ExprKind, Function, Size, SizeOrigin};
pub(super) use written::{of_body, of_signature};

/// Completes the sizes of transforms and of calls. Callees come before callers.
pub(super) fn complete(functions: &mut [Function], order: &[usize]) {
    for &k in order {
        match functions[k].body.take() {
            Some(Definition::Transform { transform, of, wrt }) => {
                let all = functions[of].sizes.clone();
                let f = &mut functions[k];
                let methods = f
                    .linearization
                    .iter_mut()
                    .flat_map(|l| [&mut l.apply.sizes, &mut l.apply_transpose.sizes]);
                methods
                    .chain([&mut f.sizes])
                    .for_each(|sizes| sizes.extend(all.iter().skip(sizes.len()).cloned()));
                f.body = Some(Definition::Transform { transform, of, wrt });
            }
            Some(Definition::Expr(mut body)) => {
                let mut sizes = std::mem::take(&mut functions[k].sizes);
                let mut compared = std::mem::take(&mut functions[k].comparisons);
                let both = compared.iter_mut().flat_map(|c| [&mut c.left, &mut c.right]);
                [&mut body].into_iter().chain(both).for_each(|e| of_calls(e, functions, &mut sizes));
                let f = &mut functions[k];
                (f.sizes, f.comparisons, f.body) = (sizes, compared, Some(Definition::Expr(body)));
            }
            other => functions[k].body = other,
        }
    }
}

/// Completes the sizes of the calls in an expression, with constants among the sizes of the caller.
fn of_calls(e: &mut Expr, functions: &[Function], own: &mut Vec<Size>) {
    if let ExprKind::Call(callee, sizes, _) = &mut e.kind {
        let more = functions[*callee].sizes.iter().skip(sizes.len());
        sizes.extend(more.map(|s| constant(s, own)).collect::<Vec<_>>());
    }
    e.children_mut().into_iter().for_each(|e| of_calls(e, functions, own));
}

/// The size of the caller that is this constant.
fn constant(s: &Size, own: &mut Vec<Size>) -> Affine {
    let is_it = |o: &Size| o.name == s.name && matches!(o.origin, SizeOrigin::Constant(_));
    let k = own.iter().position(is_it).unwrap_or_else(|| {
        own.push(s.clone());
        own.len() - 1
    });
    Atom::Size(number(k)).into()
}
