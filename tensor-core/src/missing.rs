//! Derivatives of functions of Rust that were not declared, and are needed once all is derived: an error at the call that is differentiated.

use crate::error::{Errors, Site, Span};
use crate::prim::{Outer, Prim};
use crate::ssa::{Function, Rhs, Target};
use crate::typed::{Block, Definition, Expr, ExprKind};
use crate::{normal_forms, simplify};

/// Reports them, each once: in the first function that needs it.
pub fn check(block: &Block, errors: &mut Errors) {
    let mut has_foreign = !block.callees.is_empty();
    for f in &block.functions {
        if let Some(Definition::Expr(body)) = &f.body {
            let is_foreign = |e: &Expr| matches!(e.kind, ExprKind::Outer(_) | ExprKind::Ruled(_));
            body.visit(&mut |e| has_foreign |= is_foreign(e));
        }
    }
    if !has_foreign {
        return;
    }
    let normal = normal_forms(block);
    let mut reported: Vec<String> = vec![];
    for &k in &block.order {
        let f = &block.functions[k];
        for (words, site) in normal[k].as_ref().map(of).unwrap_or_default() {
            let span: Span = site.0.unwrap_or_else(|| f.name.span().into());
            // Spans cannot be compared.
            let key = format!("{:?} {words}", span.start);
            if !reported.contains(&key) {
                reported.push(key);
                errors.push(span, words);
            }
        }
    }
}

/// The derivatives that a function needs and that are not declared: how to say so, and where they are called.
#[must_use]
pub fn of(f: &Function) -> Vec<(String, Site)> {
    let f = simplify::erase_stops(f.clone());
    let all = f.stmts.into_iter().filter_map(|s| match s.rhs {
        Rhs::Prim { prim: Prim::Outer(Outer::Missing(words, site)), .. } => Some((words, site)),
        Rhs::Call(call) => match call.target {
            Target::Missing(words) => Some((words, call.site)),
            Target::Function(_) => None,
        },
        Rhs::Prim { .. } | Rhs::Contract(_) | Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => None,
        Rhs::OfIndex(_) | Rhs::Constant(_) => None,
    });
    all.collect()
}
