//! What the iterations of a loop have to do with each variable: whether tasks can have parts of it.

use crate::index::Affine;
use crate::loops::inside::used_outside;
use crate::loops::leaf::InLanes;
use crate::loops::tasks::Part;
use crate::loops::visit::{How, Item, visit, visit_expr, visit_test};
use crate::loops::{Place, Program, Stmt, Storage, VarId};
use crate::sorted::{Map, Set};
use crate::ssa::{Extreme, Index};

/// How a loop uses a variable.
#[derive(Default)]
struct Uses {
    places: Vec<(Place, How)>,
    /// How often it is mentioned.
    count: usize,
    filled: bool,
    /// Whether the first to happen is that all of it, or an element, is overwritten.
    written_first: bool,
    /// What is added to it (none), or compared with it.
    ops: Vec<Option<Extreme>>,
}

/// What each task of a loop has of each variable from outside; none if its iterations may meet.
pub(super) fn parts(p: &Program, s: &Stmt) -> Option<Map<VarId, Part>> {
    let Stmt::For { index, body, .. } = s else { return None };
    let (mut bound, mut declared) = (Set::from([*index]), Set::new());
    let mut legal = true;
    visit(body, &mut |item| match item {
        Item::Bound(i) => {
            bound.insert(i);
        }
        Item::Declared(v) => {
            declared.insert(v);
        }
        Item::Whole => legal = false,
        Item::Filled(_) | Item::Place(..) | Item::Element(..) | Item::Form(_) | Item::Decides(_) => {}
    });
    if !legal {
        return None;
    }
    let mut uses = uses(body);
    let mut elsewhere = Set::new();
    outside(&p.body, *index, &mut elsewhere);
    p.scalars.iter().for_each(|e| visit_expr(e, &mut |item| elsewhere.extend(variable(&item))));
    combines(body, &mut uses);
    uses.retain(|v, _| !declared.contains(v));
    let loops = Loops { p, all: s, index: *index, bound, elsewhere };
    uses.iter().map(|(v, u)| Some((*v, loops.part(*v, u)?))).collect()
}

/// A loop, and the indices that it and those inside bind.
struct Loops<'a> {
    p: &'a Program,
    /// The statement.
    all: &'a Stmt,
    index: Index,
    bound: Set<Index>,
    /// What is used outside of loops over the index, of which there may be several: one loop, cut at its ends.
    elsewhere: Set<VarId>,
}

impl Loops<'_> {
    fn part(&self, v: VarId, uses: &Uses) -> Option<Part> {
        let var = self.p.var(v);
        if !uses.filled && uses.places.iter().all(|u| u.1 == How::Read) {
            return Some(Part::Shared);
        }
        if var.holds_indices {
            return None;
        }
        let combined = !uses.filled && uses.places.iter().all(|u| u.1 == How::Combine);
        if var.storage == Storage::Local {
            return match uses.ops.as_slice() {
                [op] if combined => Some(Part::Total(*op)),
                _ => None,
            };
        }
        let has_lanes = var.lanes.is_some_and(|i| self.bound.contains(&i));
        let moves = |u: &(Place, How)| u.0.moves(self.index);
        let alive_inside =
            !self.elsewhere.contains(&v) && uses.written_first && !uses.places.iter().any(moves);
        match self.p.on_stack(v) {
            // Pieces of the loop that are not in lanes have it too.
            Some(_) if has_lanes && !used_outside(self.p, std::slice::from_ref(self.all)).contains(&v) => {
                return Some(Part::Lanes);
            }
            Some(length) if has_lanes || alive_inside => return Some(Part::Local(length)),
            Some(_) | None if var.extents.is_empty() => return None,
            Some(_) | None => {}
        }
        if has_lanes || alive_inside {
            return Some(Part::Scratch);
        }
        if let Some(rows) = self.rows(v, uses) {
            return Some(rows);
        }
        (combined && uses.ops == [None]).then_some(Part::Sums)
    }

    /// The rows that each iteration has for itself.
    fn rows(&self, v: VarId, uses: &Uses) -> Option<Part> {
        if uses.filled {
            return None;
        }
        let by = uses.places.first()?.0.at.first()?.coeff(&self.index.atom());
        let mut rest = vec![];
        for (place, _) in &uses.places {
            let row = place.at.first()?.plus_scaled(-by, &self.index.affine())?;
            if self.bound.iter().any(|i| row.mentions(&i.atom())) {
                return None;
            }
            rest.push(row);
        }
        let rank = self.p.var(v).extents.len();
        let flat = |u: &(Place, How)| u.0.at.len() == 1 && rank > 1;
        let is_flat = flat(uses.places.first()?);
        if uses.places.iter().any(|u| flat(u) != is_flat) {
            return None;
        }
        let first = rest.iter().min_by_key(|a| a.constant)?.clone();
        let within = |a: &Affine| a.minus(&first).and_then(|d| d.as_constant()).is_some_and(|c| c < by);
        (by >= 1 && rest.iter().all(within)).then_some(Part::Rows { by, from: first, flat: is_flat })
    }
}

/// What statements use outside of loops over an index.
fn outside(stmts: &[Stmt], i: Index, out: &mut Set<VarId>) {
    for s in stmts {
        match s {
            Stmt::For { index, .. } if *index == i => {}
            Stmt::For { body, .. } => outside(body, i, out),
            Stmt::If { tests, body, otherwise } => {
                tests.iter().for_each(|t| visit_test(t, &mut |item| out.extend(variable(&item))));
                outside(body, i, out);
                outside(otherwise, i, out);
            }
            Stmt::Leaf(_) => visit(std::slice::from_ref(s), &mut |item| out.extend(variable(&item))),
        }
    }
}

fn variable(item: &Item<'_>) -> Option<VarId> {
    match item {
        Item::Declared(v) | Item::Filled(v) => Some(*v),
        Item::Place(p, _) => Some(p.var),
        Item::Element(v, _) => Some(VarId(*v)),
        Item::Bound(_) | Item::Form(_) | Item::Decides(_) | Item::Whole => None,
    }
}

/// How statements use each variable.
fn uses(stmts: &[Stmt]) -> Map<VarId, Uses> {
    let mut out: Map<VarId, Uses> = Map::new();
    let mut note = |item: Item<'_>| match item {
        Item::Filled(v) => {
            let uses = out.entry(v).or_default();
            uses.written_first |= uses.count == 0;
            uses.count += 1;
            uses.filled = true;
        }
        Item::Place(place, how) => {
            let uses = out.entry(place.var).or_default();
            uses.written_first |= uses.count == 0 && how == How::Assign;
            uses.count += 1;
            uses.places.push((place.clone(), how));
        }
        Item::Element(v, _) => out.entry(VarId(v)).or_default().count += 1,
        Item::Declared(_) | Item::Bound(_) | Item::Form(_) | Item::Decides(_) | Item::Whole => {}
    };
    visit(stmts, &mut note);
    out
}

fn note(v: VarId, op: Option<Extreme>, out: &mut Map<VarId, Uses>) {
    let ops = &mut out.entry(v).or_default().ops;
    if !ops.contains(&op) {
        ops.push(op);
    }
}

/// What is done to each variable that is added to or compared with.
fn combines(stmts: &[Stmt], out: &mut Map<VarId, Uses>) {
    for s in stmts {
        match s {
            Stmt::Leaf(leaf) => {
                if let Some(InLanes::Combine(op, target, _)) = leaf.in_lanes() {
                    note(target.var, op, out);
                }
            }
            Stmt::For { body, .. } => combines(body, out),
            Stmt::If { body, otherwise, .. } => {
                combines(body, out);
                combines(otherwise, out);
            }
        }
    }
}
