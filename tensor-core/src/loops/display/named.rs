//! Names that tell things apart: no two variables have the same one, no loop that of another around it.

use crate::loops::visit::{Item, visit};
use crate::loops::{Program, Stmt, Storage, VarId};
use crate::sorted::{Map, Set};
use crate::ssa::Index;

/// The names of variables and of indices.
pub(super) fn names(p: &Program) -> (Vec<String>, Vec<String>) {
    let mut taken: Set<String> = p.function.sizes.iter().cloned().collect();
    let vars = variables(p, &mut taken);
    let mut of_indices = Indices { p, taken: &taken, found: Map::new() };
    of_indices.block(&p.body, &mut vec![]);
    let found = of_indices.found;
    let index = |(i, name): (usize, &String)| {
        let id = u32::try_from(i).map(Index);
        id.ok().and_then(|id| found.get(&id)).unwrap_or(name).clone()
    };
    (vars, p.indices.iter().enumerate().map(index).collect())
}

/// Parameters and results keep their names; the others follow in the order in which they occur.
fn variables(p: &Program, taken: &mut Set<String>) -> Vec<String> {
    let mut out: Vec<Option<String>> = vec![None; p.vars.len()];
    let mut give = |v: usize| {
        if out[v].is_none() {
            out[v] = Some(free(&p.vars[v].name, taken));
        }
    };
    let outer = |s: Storage| matches!(s, Storage::Param(_) | Storage::Result(_));
    (0..p.vars.len()).filter(|v| outer(p.vars[*v].storage)).for_each(&mut give);
    visit(&p.body, &mut |item| match item {
        Item::Declared(v) | Item::Filled(v) => give(v.0 as usize),
        Item::Place(place, _) => give(place.var.0 as usize),
        Item::Element(v, _) => give(VarId(v).0 as usize),
        Item::Bound(_) | Item::Form(_) | Item::Decides(_) | Item::Whole => {}
    });
    out.into_iter().zip(&p.vars).map(|(name, v)| name.unwrap_or_else(|| v.name.clone())).collect()
}

/// The name, or the first of `name2`, `name3`, … that is not taken, which it then is.
fn free(name: &str, taken: &mut Set<String>) -> String {
    let found = first(name, &|n| taken.contains(n));
    taken.insert(found.clone());
    found
}

fn first(name: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let mut found = name.to_string();
    let mut k = 2;
    while taken(&found) {
        found = format!("{name}{k}");
        k += 1;
    }
    found
}

struct Indices<'a> {
    p: &'a Program,
    taken: &'a Set<String>,
    found: Map<Index, String>,
}

impl Indices<'_> {
    fn bind(&mut self, i: Index, around: &[String]) -> String {
        let name = &self.p.indices[i.0 as usize];
        let taken = |n: &str| self.taken.contains(n) || around.iter().any(|a| a == n);
        let found = self.found.get(&i).cloned().unwrap_or_else(|| first(name, &taken));
        self.found.insert(i, found.clone());
        found
    }

    fn block(&mut self, stmts: &[Stmt], around: &mut Vec<String>) {
        let depth = around.len();
        for s in stmts {
            match s {
                Stmt::For { index, body, .. } => {
                    let name = self.bind(*index, around);
                    around.push(name);
                    self.block(body, around);
                    around.pop();
                }
                Stmt::If { body, otherwise, .. } => {
                    self.block(body, around);
                    self.block(otherwise, around);
                }
                Stmt::LetIndex { index, .. } => {
                    let name = self.bind(*index, around);
                    around.push(name);
                }
                Stmt::Product(p) => {
                    for i in [p.rows.0, p.cols.0, p.inner.0] {
                        let name = self.bind(i, around);
                        around.push(name);
                    }
                    around.truncate(around.len() - 3);
                }
                Stmt::Call(c) => {
                    let depth = around.len();
                    for (i, _) in c.places().flat_map(|w| &w.own) {
                        let name = self.bind(*i, around);
                        around.push(name);
                    }
                    around.truncate(depth);
                }
                Stmt::Declare { .. }
                | Stmt::DeclareIndex { .. }
                | Stmt::Assign { .. }
                | Stmt::Accumulate { .. }
                | Stmt::Extreme { .. }
                | Stmt::ArgExtreme { .. }
                | Stmt::AssignIndex { .. }
                | Stmt::Fill { .. } => {}
            }
        }
        around.truncate(depth);
    }
}
