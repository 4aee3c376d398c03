//! How large functions are once what they call is put in: as each calls two of the one before, that doubles.

use crate::error::Errors;
use crate::typed::{Definition, Expr, ExprKind, Function};
use crate::weights::check::OPERATIONS;

/// Functions that are too large lose their bodies. Callees come before callers.
pub(super) fn put_in(functions: &mut [Function], order: &[usize], errors: &mut Errors) {
    let mut sizes = vec![0_usize; functions.len()];
    for &k in order {
        let f = &functions[k];
        let size = match &f.body {
            Some(Definition::Expr(body)) => {
                let compared = f.comparisons.iter().flat_map(|c| [&c.left, &c.right]);
                [body].into_iter().chain(compared).map(|e| size(e, &sizes)).fold(0, usize::saturating_add)
            }
            Some(Definition::Transform { of, .. }) => sizes[*of],
            Some(Definition::Foreign(_)) | None => 0,
        };
        if size <= OPERATIONS {
            sizes[k] = size;
            continue;
        }
        let text = format!(
            "`{}` has {size} operations once the functions that it calls are put in, and more than {OPERATIONS} are not compiled: call them in a loop, or less often",
            f.name
        );
        errors.push(f.name.span(), text);
        functions[k].body = None;
    }
}

/// The nodes of an expression, those of functions that it calls among them.
fn size(e: &Expr, sizes: &[usize]) -> usize {
    let mut size = 0_usize;
    e.visit(&mut |e| {
        let called = if let ExprKind::Call(callee, ..) = &e.kind { sizes[*callee] } else { 0 };
        size = size.saturating_add(called.saturating_add(1));
    });
    size
}
