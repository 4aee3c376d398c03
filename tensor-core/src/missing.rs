//! Derivatives of functions of Rust that were not declared, and are needed once all is derived: an error at the call that is differentiated.

use crate::error::{Errors, Site, Span};
use crate::middle::Part;
use crate::prim::{Outer, Prim};
use crate::ssa::{Function, Rhs, Stmt, Target};
use crate::typed::{Block, Definition, Expr, ExprKind};

/// Whether there may be any.
#[must_use]
pub fn possible(block: &Block) -> bool {
    let mut has_foreign = !block.callees.is_empty();
    for f in &block.functions {
        if let Some(Definition::Expr(body)) = &f.body {
            let is_foreign = |e: &Expr| matches!(e.kind, ExprKind::Outer(_) | ExprKind::Ruled(_));
            body.visit(&mut |e| has_foreign |= is_foreign(e));
        }
    }
    has_foreign
}

/// Reports them, each once: in the first function that needs it. Only what is computed needs any, so functions are as they are scheduled.
pub fn check(block: &Block, functions: &[Option<Part>], errors: &mut Errors) {
    let mut reported: Vec<String> = vec![];
    for &k in &block.order {
        let f = &block.functions[k];
        for (words, site) in functions[k].as_ref().map(|f| of(f.program())).unwrap_or_default() {
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

/// The derivatives that a function, as it is scheduled, needs and that are not declared: how to say so, and where they are called.
#[must_use]
pub fn of(f: &Function) -> Vec<(String, Site)> {
    let missing = |s: &Stmt| match &s.rhs {
        Rhs::Prim { prim: Prim::Outer(Outer::Missing(words, site)), .. } => Some((words.clone(), *site)),
        Rhs::Call(call) => match &call.target {
            Target::Missing(words) => Some((words.clone(), call.site)),
            Target::Function(_) => None,
        },
        Rhs::Prim { .. } | Rhs::Contract(_) | Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => None,
        Rhs::OfIndex(_) | Rhs::Constant(_) => None,
    };
    f.stmts.iter().filter_map(missing).collect()
}
