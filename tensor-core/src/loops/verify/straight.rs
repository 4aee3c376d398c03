//! What `schedule::straight` promises of a straight body: no loop, each value computed once, each place of memory read once, and
//! what is written last. rustc takes long where one of these is not so, and nothing else would tell.

use crate::loops::straight::is_of_indices;
use crate::loops::visit::{How, Item, visit_expr, visit_test};
use crate::loops::{Expr, Leaf, Place, Program, Stmt, Test};
use crate::sorted::Set;

/// # Errors
/// What the body has, that it may not have.
pub(super) fn straight(p: &Program, body: &[Stmt]) -> Result<(), String> {
    let mut seen = Seen { program: p, names: Set::new(), values: Set::new(), writes: false };
    let mut rest = body;
    while let Some((first, others)) = rest.split_first() {
        rest = match (first, others) {
            // A local that is one of two values.
            (Stmt::Leaf(Leaf::Declare { var, .. }), [Stmt::If { tests, body, otherwise }, rest @ ..])
                if assigned(body).is_some_and(|a| a.0.var == *var) =>
            {
                let (Some((_, yes)), Some((_, no))) = (assigned(body), assigned(otherwise)) else {
                    return Err(format!("`{}` has no value on one side of a test", p.var(*var).name));
                };
                seen.tests(tests)?;
                let is_guarded =
                    matches!((yes, no), (Expr::Read(_), Expr::Number(_))) && tests.iter().all(is_of_indices);
                [yes, no]
                    .into_iter()
                    .skip(usize::from(is_guarded))
                    .try_for_each(|e| seen.reads_no_memory(e))?;
                let tests: Vec<String> = tests.iter().map(|t| format!("{t:?}")).collect();
                seen.declared(var.0, format!("{tests:?} {} {}", key(yes), key(no)))?;
                rest
            }
            (Stmt::Leaf(Leaf::Declare { var, value }), rest) => {
                if !matches!(value, Expr::Read(_)) {
                    seen.reads_no_memory(value)?;
                }
                seen.declared(var.0, key(value))?;
                rest
            }
            (other, rest) => {
                seen.written(other)?;
                rest
            }
        };
    }
    Ok(())
}

/// What has been gone through.
struct Seen<'a> {
    program: &'a Program,
    names: Set<u32>,
    /// Right-hand sides.
    values: Set<String>,
    /// Whether something has been written.
    writes: bool,
}

impl Seen<'_> {
    fn declared(&mut self, var: u32, value: String) -> Result<(), String> {
        let name = &self.program.vars[var as usize].name;
        if self.writes {
            Err(format!("`{name}` is computed after what is written"))
        } else if !self.names.insert(var) {
            Err(format!("`{name}` is declared twice"))
        } else if !self.values.insert(value) {
            Err(format!("`{name}` is computed twice, or a place is read twice"))
        } else {
            Ok(())
        }
    }

    /// What is written, added or compared, or that under tests.
    fn written(&mut self, s: &Stmt) -> Result<(), String> {
        self.writes = true;
        match s {
            Stmt::Leaf(
                Leaf::Assign { value, .. } | Leaf::Accumulate { value, .. } | Leaf::Extreme { value, .. },
            ) => self.reads_no_memory(value),
            Stmt::If { tests, body, otherwise } => {
                self.tests(tests)?;
                body.iter().chain(otherwise).try_for_each(|s| self.written(s))
            }
            Stmt::For { .. } | Stmt::Leaf(_) => {
                Err("in a straight body is what neither computes nor writes".to_string())
            }
        }
    }

    fn tests(&self, tests: &[Test]) -> Result<(), String> {
        for t in tests {
            match t {
                Test::Index(_) => {}
                Test::Any(all) => all.iter().try_for_each(|one| self.tests(one))?,
                Test::Real { .. } => {
                    let mut found = Ok(());
                    visit_test(t, &mut |item| found = found.clone().and_then(|()| self.is_no_memory(&item)));
                    found?;
                }
            }
        }
        Ok(())
    }

    /// Memory is read by declarations of their own.
    fn reads_no_memory(&self, e: &Expr) -> Result<(), String> {
        let mut found = Ok(());
        visit_expr(e, &mut |item| found = found.clone().and_then(|()| self.is_no_memory(&item)));
        found
    }

    fn is_no_memory(&self, item: &Item<'_>) -> Result<(), String> {
        match item {
            Item::Place(place, How::Read) if !self.names.contains(&place.var.0) => {
                Err(format!("`{}` is read inside an expression", self.program.var(place.var).name))
            }
            _ => Ok(()),
        }
    }
}

/// What one assignment assigns.
fn assigned(body: &[Stmt]) -> Option<(&Place, &Expr)> {
    match body {
        [Stmt::Leaf(Leaf::Assign { target, value })] => Some((target, value)),
        _ => None,
    }
}

/// The same for equal values, whatever the order of a sum or a product.
fn key(e: &Expr) -> String {
    let both = |a: &Expr, b: &Expr| {
        let (a, b) = (key(a), key(b));
        if a < b { format!("{a}, {b}") } else { format!("{b}, {a}") }
    };
    match e {
        Expr::Add(a, b) => format!("add({})", both(a, b)),
        Expr::Mul(a, b) => format!("mul({})", both(a, b)),
        Expr::Neg(a) => format!("neg({})", key(a)),
        Expr::Number(_)
        | Expr::Constant(_)
        | Expr::OfIndex(_)
        | Expr::Read(_)
        | Expr::Call(..)
        | Expr::If(..) => format!("{e:?}"),
    }
}
