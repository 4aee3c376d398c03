//! What statements bring into scope, and what they need of those before.

use super::visit::{Item, head};
use super::{Leaf, Stmt, VarId};
use crate::sorted::{Map, Set};
use crate::ssa::Index;

/// The names in a block. Who takes a block apart, or has statements change places, asks here whether each name is still declared before it is used.
#[derive(Default)]
pub(crate) struct Names {
    /// What is in scope behind the statements.
    declared: Set<VarId>,
    bound: Set<Index>,
    /// What they use of the scope around.
    vars: Set<VarId>,
    indices: Set<Index>,
    /// Variables that are used anywhere.
    all: Set<VarId>,
}

impl Names {
    /// Of statements one after the other.
    pub fn of(stmts: &[Stmt]) -> Names {
        let mut names = Names::default();
        stmts.iter().for_each(|s| names.stmt(s));
        names
    }

    /// Whether these statements use a local or an index that those before bring into scope: then they stay behind them, in their block.
    pub fn need(&self, before: &Names) -> bool {
        self.vars.iter().any(|v| before.declared.contains(v))
            || self.indices.iter().any(|i| before.bound.contains(i))
    }

    /// Whether a variable of the scope around is used.
    pub fn has(&self, v: VarId) -> bool {
        self.vars.contains(&v)
    }

    /// Variables that both use, also those that both declare for themselves.
    pub fn common<'a>(&'a self, other: &'a Names) -> impl Iterator<Item = &'a VarId> {
        self.all.intersection(&other.all)
    }

    fn stmt(&mut self, s: &Stmt) {
        // An index that a statement binds is its own, but for a `let`.
        let mut own = vec![];
        head(s, &mut |item| {
            let v = match item {
                Item::Bound(i) => return own.push(i),
                Item::Declared(v) => {
                    self.declared.insert(v);
                    return;
                }
                Item::Form(a) => return self.free_indices(a.indices().into_iter().map(Index), &own),
                Item::Filled(v) => v,
                Item::Place(p, _) => p.var,
                Item::Element(v, _) => VarId(v),
                Item::Decides(_) | Item::Whole => return,
            };
            self.all.insert(v);
            self.free_var(v);
        });
        for block in s.blocks().map(Names::of) {
            self.all.extend(block.all.iter().copied());
            block.vars.iter().for_each(|v| self.free_var(*v));
            self.free_indices(block.indices.iter().copied(), &own);
        }
        if let Stmt::Leaf(Leaf::LetIndex { index, .. }) = s {
            self.bound.insert(*index);
        }
    }

    fn free_var(&mut self, v: VarId) {
        if !self.declared.contains(&v) {
            self.vars.insert(v);
        }
    }

    fn free_indices(&mut self, used: impl Iterator<Item = Index>, own: &[Index]) {
        for i in used {
            if !own.contains(&i) && !self.bound.contains(&i) {
                self.indices.insert(i);
            }
        }
    }
}

/// Where a block may be taken apart, by the numbers of the statements before: what stands behind needs no local and no index that is brought into scope before,
/// and of the variables `kept` none is used on both sides.
pub(crate) fn seams(stmts: &[Stmt], kept: &Set<VarId>) -> Vec<usize> {
    let mut declared: Map<VarId, usize> = Map::new();
    let mut bound: Map<Index, usize> = Map::new();
    let mut used: Map<VarId, usize> = Map::new();
    // By place: how many more things are needed from before it than from before the one in front of it.
    let mut open = vec![0_i64; stmts.len() + 1];
    let mut tie = |from: Option<&usize>, to: usize| {
        if let Some(from) = from {
            open[from + 1] += 1;
            open[to + 1] -= 1;
        }
    };
    for (k, s) in stmts.iter().enumerate() {
        let names = Names::of(std::slice::from_ref(s));
        names.vars.iter().for_each(|v| tie(declared.get(v), k));
        names.indices.iter().for_each(|i| tie(bound.get(i), k));
        for v in names.all.iter().filter(|v| kept.contains(v)) {
            tie(used.get(v), k);
            used.insert(*v, k);
        }
        declared.extend(names.declared.iter().map(|v| (*v, k)));
        bound.extend(names.bound.iter().map(|i| (*i, k)));
    }
    let mut needed = 0;
    let is_free = |k: &usize| {
        needed += open[*k];
        needed == 0
    };
    (1..stmts.len()).filter(is_free).collect()
}
