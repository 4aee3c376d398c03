//! Accesses.

use super::walk::Prover;
use crate::index::explain::{Question, check_access, missed};
use crate::index::omega::Work;
use crate::index::query::Facts;
use crate::typed::{Expr, ExprKind, IndexArg, Type};

impl Prover<'_> {
    /// `0 <= index < extent` in every dimension.
    pub(super) fn access(&mut self, array: &Expr, args: &[IndexArg]) {
        let Type::Array(extents, _) = &array.ty else { return };
        let name = if let ExprKind::Var(v) = &array.kind {
            self.function.variables.get(v.0 as usize).cloned()
        } else {
            None
        };
        let text = |a: &IndexArg| a.text.clone().unwrap_or_else(|| self.names.affine(&a.index));
        let indices: Vec<String> = args.iter().map(text).collect();
        let access = format!("{}[{}]", name.as_deref().unwrap_or_default(), indices.join(", "));
        let before = self.errors.0.len();
        for (d, (arg, extent)) in args.iter().zip(extents).enumerate() {
            let mut array = name.as_ref().map_or_else(|| "the array".into(), |n| format!("`{n}`"));
            if args.len() > 1 {
                array += &format!(" in dimension {d}");
            }
            let question = Question {
                path: &self.path,
                index: &arg.index,
                text: &indices[d],
                extent,
                array: &array,
                access: &access,
                names: &self.names,
                facts: &Facts::default(),
            };
            if self.tried.is_some() {
                if let Some((_, needed)) = missed(question, &mut Work::default()) {
                    self.missed(arg.span, needed);
                }
            } else if let Err(failure) = check_access(question, &mut Work::default()) {
                self.errors.push(arg.span, failure.text);
            }
        }
        if self.errors.0.len() == before {
            self.order(array, args, name.as_deref().unwrap_or_default(), &access);
        }
    }
}
