//! How large functions are once what they call is put in: as each calls two of the one before, that doubles.

use crate::error::Errors;
use crate::typed::{Definition, Expr, ExprKind, Function};
use crate::weights::check::OPERATIONS;
use std::cmp::Reverse;

/// Functions that are too large lose their bodies. Callees come before callers.
pub(super) fn put_in(functions: &mut [Function], order: &[usize], errors: &mut Errors) {
    let mut sizes = vec![0_usize; functions.len()];
    for &k in order {
        let f = &functions[k];
        let parts: Vec<&Expr> = match &f.body {
            Some(Definition::Expr(body)) => {
                let compared = f.comparisons.iter().flat_map(|c| [&c.left, &c.right]);
                [body].into_iter().chain(compared).collect()
            }
            Some(Definition::Transform { of, .. }) => {
                sizes[k] = sizes[*of];
                continue;
            }
            Some(Definition::Foreign(_)) | None => continue,
        };
        let size = parts.iter().map(|e| size(e, &sizes)).fold(0, usize::saturating_add);
        if size <= OPERATIONS {
            sizes[k] = size;
            continue;
        }
        let mut text = format!(
            "`{}` has {size} operations once the functions that it calls are put in, and more than {OPERATIONS} are not compiled",
            f.name
        );
        let largest = parts.iter().flat_map(|e| calls(e)).min_by_key(|(_, callee)| Reverse(sizes[*callee]));
        if let Some((_, callee)) = largest {
            text += &format!(": each call of `{}` has {}", functions[callee].name, sizes[callee]);
        }
        text += "\n  help: call them in a loop, or less often";
        errors.push(largest.map_or(f.name.span().into(), |(call, _)| call.span), text);
        functions[k].body = None;
    }
}

/// The nodes of an expression, those of functions that it calls among them.
fn size(e: &Expr, sizes: &[usize]) -> usize {
    let mut size = 0_usize;
    e.visit(&mut |_| size = size.saturating_add(1));
    calls(e).into_iter().map(|(_, callee)| sizes[callee]).fold(size, usize::saturating_add)
}

/// The calls in an expression, each with what it calls.
fn calls(e: &Expr) -> Vec<(&Expr, usize)> {
    let mut found = vec![];
    e.visit(&mut |e| {
        if let ExprKind::Call(callee, ..) = &e.kind {
            found.push((e, *callee));
        }
    });
    found
}
