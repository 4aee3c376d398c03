//! Names of indices.

use super::Printer;
use crate::ssa::{Index, Rhs, Stmt};

impl Printer {
    /// Gives a name to an index that comes into scope.
    pub(super) fn bind(&mut self, index: Index) -> String {
        let hint = self.f.indices.get(index.0 as usize).cloned().unwrap_or_default();
        let name = self.fresh(if hint.is_empty() { "i" } else { &hint });
        self.indices.push((index, name.clone()));
        name
    }

    /// The same, around others: of two of one name it is this that takes another.
    pub(super) fn bind_around(&mut self, index: Index, inner: &[Index]) -> String {
        let hint = |i: &Index| self.f.indices.get(i.0 as usize).cloned().unwrap_or_default();
        let inside: Vec<String> = inner.iter().map(hint).collect();
        if inside.contains(&hint(&index)) {
            let is_free = |n: &&str| !inside.iter().any(|i| i == n) && self.fresh(n) == **n;
            if let Some(name) = ["k", "l", "m"].into_iter().find(is_free) {
                self.indices.push((index, name.into()));
                return name.into();
            }
        }
        self.bind(index)
    }

    /// The indices that are bound within a statement, those of each `argmax` that stands there too.
    pub(super) fn bound_within(&self, s: &Stmt) -> Vec<Index> {
        let mut inner = s.rhs.bound();
        s.rhs.reads(&self.f, &mut |_, a| {
            let argmax = self.definition(a).filter(|s| matches!(s.rhs, Rhs::ArgExtreme { .. }));
            inner.extend(argmax.iter().flat_map(|s| s.rhs.bound()));
        });
        inner
    }
}
