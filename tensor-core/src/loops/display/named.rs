//! Names that tell things apart: no two variables have the same one, no loop that of another around it.

use crate::loops::leaf::Operand;
use crate::loops::visit::{Item, visit};
use crate::loops::{Leaf, Program, Stmt, Storage, VarId};
use crate::sorted::{Map, Set};
use crate::ssa::Index;

/// The names of variables and of indices.
pub(super) fn names(p: &Program) -> (Vec<String>, Vec<String>) {
    let mut taken: Set<String> = p.function.sizes.iter().cloned().collect();
    let vars = variables(p, &mut taken);
    let mut scopes = Scopes::default();
    scopes.block(&p.body, &mut vec![]);
    let mut indices = p.indices.clone();
    let mut named = Set::new();
    // Loops inside others are called after those.
    crate::sorted::sort_by_key(&mut scopes.order, |o| o.1);
    for (i, _) in scopes.order {
        let beside =
            |n: &str| scopes.beside[&i].iter().any(|j| named.contains(j) && indices[j.0 as usize] == n);
        indices[i.0 as usize] = first(&p.indices[i.0 as usize], &|n| taken.contains(n) || beside(n));
        named.insert(i);
    }
    (vars, indices)
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

/// Which indices are there at the same time.
#[derive(Default)]
struct Scopes {
    /// In the order in which they occur, and the most loops that are around.
    order: Vec<(Index, usize)>,
    beside: Map<Index, Set<Index>>,
}

impl Scopes {
    fn bind(&mut self, i: Index, around: &mut Vec<Index>) {
        match self.order.iter_mut().find(|o| o.0 == i) {
            Some(o) => o.1 = o.1.max(around.len()),
            None => self.order.push((i, around.len())),
        }
        self.beside.entry(i).or_default().extend(around.iter().copied());
        for outer in around.iter() {
            self.beside.entry(*outer).or_default().insert(i);
        }
        around.push(i);
    }

    fn block(&mut self, stmts: &[Stmt], around: &mut Vec<Index>) {
        let depth = around.len();
        for s in stmts {
            let here = around.len();
            match s {
                Stmt::For { index, body, .. } => {
                    self.bind(*index, around);
                    self.block(body, around);
                    around.truncate(here);
                }
                Stmt::If { body, otherwise, .. } => {
                    self.block(body, around);
                    self.block(otherwise, around);
                }
                Stmt::Leaf(leaf) => {
                    leaf.visit(&mut |o| {
                        if let Operand::Bound(i) = o {
                            self.bind(i, around);
                        }
                    });
                    if !matches!(leaf, Leaf::LetIndex { .. }) {
                        around.truncate(here);
                    }
                }
            }
        }
        around.truncate(depth);
    }
}
