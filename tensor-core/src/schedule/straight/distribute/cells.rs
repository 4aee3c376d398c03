//! What the iterations of a block hand from body to body: rows of a block, one element for each iteration, those of variables that are used alike in one array.
//!
//! ```text
//! states[3], x[20, 3], t[20], each for each lane   ↦   states[3, 16], x_and_more[20, 4, 16]
//! ```

use super::last::elements;
use super::uses::{Body, Uses, bodies, uses};
use super::{Loop, Part};
use crate::index::Affine;
use crate::loops::strips::start;
use crate::loops::walk::map_places;
use crate::loops::{Bound, Buffer, Expr, Leaf, Place, Program, Stmt, Storage, VarId, Variable};
use crate::schedule::straight::run::Run;
use crate::sorted::{Map, Set};
use crate::ssa::{Extreme, Index};
use crate::weights;

/// All elements of an array get this value.
#[derive(Clone, Copy)]
pub(super) struct Fill(VarId, f64);

impl Fill {
    pub fn stmt(self) -> Stmt {
        Stmt::Leaf(Leaf::Fill { var: self.0, value: self.1 })
    }
}

/// Where a variable is.
struct Cell {
    array: VarId,
    /// So many of its indices come first.
    outer: usize,
    /// Its row, of those at them,
    row: i64,
    /// and what a step along each of its other dimensions is in rows.
    strides: Vec<i64>,
    /// How many rows it has.
    rows: i64,
}

/// A total: a variable that all iterations add to, or are compared with, in one way.
struct Total {
    var: VarId,
    op: Option<Extreme>,
}

/// What each iteration of a loop that walks the first dimension of a variable begins with, as all of that is filled before: the fill of what it reaches.
struct Begun {
    var: VarId,
    value: f64,
    at: Affine,
}

/// Variables in one array: what its first extents are, where it is filled, and which bodies write it.
#[derive(PartialEq)]
struct Alike {
    outer: Vec<Affine>,
    fills: Vec<(Option<usize>, u64)>,
    written: Set<usize>,
}

/// See the module documentation.
pub(super) struct Cells {
    of: Map<VarId, Cell>,
    /// The coordinate of an iteration.
    at: Affine,
    /// How many of them are in a block.
    block: i64,
    totals: Vec<Total>,
    /// Which arrays are filled before which body, or at the beginning of a block.
    fills: Map<Option<usize>, Vec<Fill>>,
    /// What bodies begin with.
    begun: Map<usize, Vec<Begun>>,
    /// What is filled before the body that fills it.
    ahead: Set<VarId>,
    /// The bodies that have been rewritten.
    done: usize,
}

impl Cells {
    /// `None` where a variable cannot be rows.
    pub fn of(p: &mut Program, l: &Loop<'_>, parts: &[Part], around: &[Affine]) -> Option<Cells> {
        let mut all = vec![];
        bodies(parts, &mut vec![], &mut all);
        let uses = uses(p, &all);
        let handed = |u: &Uses| u.bodies.len() > 1 || u.outer > 0;
        let rows: Set<VarId> = uses.iter().filter(|(_, u)| handed(u)).map(|(v, _)| *v).collect();
        let mut unknown = Set::new();
        for body in all.iter().filter(|b| b.in_loop()) {
            let around = [around.to_vec(), body.within()].concat();
            unknown.extend(Run::unknown(p, l.lane, &around, &rows, body.stmts)?);
        }
        let at = l.lane.affine().minus(&l.first()?)?;
        let mut cells = Cells {
            of: Map::new(),
            at,
            block: l.block,
            totals: vec![],
            fills: Map::new(),
            begun: Map::new(),
            ahead: Set::new(),
            done: 0,
        };
        let mut found: Vec<(Alike, Vec<VarId>)> = vec![];
        for (v, u) in &uses {
            let is_own = u.is_declared || p.var(*v).lanes == Some(l.lane);
            let fills = if !is_own {
                let Some(op) = total(p, *v, u, &all) else { continue };
                cells.totals.push(Total { var: *v, op });
                vec![(None, start(op).to_bits())]
            } else if rows.contains(v) || unknown.contains(v) {
                cells.ahead(p, (*v, u), &all)?
            } else {
                continue;
            };
            if u.is_flat || p.var(*v).holds_indices {
                return None;
            }
            let alike =
                Alike { outer: p.var(*v).extents[..u.outer].to_vec(), fills, written: u.written().collect() };
            match found.iter_mut().find(|f| f.0 == alike) {
                Some(f) => f.1.push(*v),
                None => found.push((alike, vec![*v])),
            }
        }
        found.into_iter().try_for_each(|(alike, members)| cells.array(p, alike, &members))?;
        Some(cells)
    }

    /// Before which bodies a variable is filled that has rows for more than the iterations. `None` where something in the body comes before that.
    fn ahead(
        &mut self,
        p: &Program,
        (v, u): (VarId, &Uses),
        all: &[Body<'_>],
    ) -> Option<Vec<(Option<usize>, u64)>> {
        let filled = u.bodies.iter().filter(|(_, b)| !b.fills.is_empty());
        let fills: Vec<(Option<usize>, u64)> =
            filled.clone().flat_map(|(k, b)| b.fills.iter().map(|x| (Some(*k), *x))).collect();
        if u.outer == 0 || fills.is_empty() {
            return Some(vec![]);
        }
        self.ahead.insert(v);
        if let Some((body, index)) = walked(p, v, u, all) {
            let begun = Begun { var: v, value: f64::from_bits(fills[0].1), at: index.affine() };
            self.begun.entry(body).or_default().push(begun);
            return Some(vec![]);
        }
        let are_first = filled.clone().all(|(_, b)| b.begins_filled && b.fills.len() == 1);
        are_first.then_some(fills)
    }

    /// The array of some variables.
    fn array(&mut self, p: &mut Program, alike: Alike, members: &[VarId]) -> Option<()> {
        let array = VarId(u32::try_from(p.vars.len()).ok()?);
        let mut row = 0_i64;
        for v in members {
            let mut strides = vec![];
            let mut rows = 1_i64;
            for e in p.var(*v).extents[alike.outer.len()..].iter().rev() {
                strides.insert(0, rows);
                rows = rows.checked_mul(e.as_constant()?)?;
            }
            self.of.insert(*v, Cell { array, outer: alike.outer.len(), row, strides, rows });
            row = row.checked_add(rows)?;
        }
        // Each may be a value of a straight body.
        usize::try_from(row).is_ok_and(|n| n <= weights::straight::VALUES).then_some(())?;
        for (at, value) in &alike.fills {
            self.fills.entry(*at).or_default().push(Fill(array, f64::from_bits(*value)));
        }
        let (name, why) = named(p, members, self.block);
        let mut extents = alike.outer;
        extents.extend([Affine::from(row), self.block.into()]);
        let variable = Variable {
            name,
            storage: Storage::Work(p.work.len()),
            extents: extents.clone(),
            holds_indices: false,
            lanes: None,
            why,
        };
        p.work.push(Buffer { name: variable.name.clone(), extents, holds_indices: false });
        p.vars.push(variable);
        p.padded.push(array);
        Some(())
    }

    /// What fills the totals of a block, and what adds them up, for one of its iterations.
    pub fn totals(&self, p: &Program) -> Option<(Vec<Stmt>, Vec<Stmt>)> {
        let fills = self.fills.get(&None).into_iter().flatten().map(|f| f.stmt()).collect();
        let mut sums = vec![];
        for Total { var, op } in &self.totals {
            let extents: Vec<i64> =
                p.var(*var).extents.iter().map(Affine::as_constant).collect::<Option<_>>()?;
            for at in elements(&extents) {
                let target = Place { var: *var, at };
                let value = Expr::Read(self.place(&target)?);
                sums.push(Stmt::Leaf(match op {
                    None => Leaf::Accumulate { target, value },
                    Some(op) => Leaf::Extreme { op: *op, target, value },
                }));
            }
        }
        Some((fills, sums))
    }

    /// A place, or that of its row for an iteration. `None` where its number is too large.
    fn place(&self, p: &Place) -> Option<Place> {
        let Some(cell) = self.of.get(&p.var) else { return Some(p.clone()) };
        let (outer, inner) = p.at.split_at(cell.outer);
        let mut along = inner.iter().zip(&cell.strides);
        let row = along.try_fold(Affine::from(cell.row), |row, (a, k)| row.plus_scaled(*k, a))?;
        let mut at = outer.to_vec();
        at.extend([row, self.at.clone()]);
        Some(Place { var: cell.array, at })
    }

    /// The next body, and what is filled before it.
    pub fn rewritten(&mut self, stmts: Vec<Stmt>) -> Option<(Vec<Fill>, Vec<Stmt>)> {
        let here = self.done;
        self.done += 1;
        let fills = self.fills.get(&Some(here)).cloned().unwrap_or_default();
        let begun = self.begun.get(&here).into_iter().flatten();
        let mut out: Vec<Stmt> =
            begun.flat_map(|b| self.rows(b.var, std::slice::from_ref(&b.at), b.value)).collect();
        let mut fits = true;
        out.extend(map_places(self.filled(stmts), &mut |p| {
            self.place(&p).unwrap_or_else(|| {
                fits = false;
                p
            })
        }));
        fits.then_some((fills, out))
    }

    /// Assignments to all rows of a variable at the first of its indices.
    fn rows(&self, v: VarId, outer: &[Affine], value: f64) -> Vec<Stmt> {
        let Some(cell) = self.of.get(&v) else { return vec![] };
        let one = |k: i64| {
            let mut at = outer.to_vec();
            at.extend([Affine::from(cell.row + k), self.at.clone()]);
            Stmt::Leaf(Leaf::Assign { target: Place { var: cell.array, at }, value: Expr::Number(value) })
        };
        (0..cell.rows).map(one).collect()
    }

    /// With declarations, and fills of few elements, as assignments. Other fills stand before the body.
    fn filled(&self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut out: Vec<Stmt> = vec![];
        for s in stmts {
            match s {
                Stmt::Leaf(Leaf::Declare { var, value }) if self.of.contains_key(&var) => {
                    out.push(Stmt::Leaf(Leaf::Assign { target: Place { var, at: vec![] }, value }));
                }
                Stmt::Leaf(Leaf::Fill { var, .. }) if self.ahead.contains(&var) => {}
                Stmt::Leaf(Leaf::Fill { var, value }) if self.of.contains_key(&var) => {
                    out.extend(self.rows(var, &[], value));
                }
                Stmt::For { index, lower, upper, step, order, body, .. } => {
                    out.push(Stmt::looped(index, lower, upper, step, order, self.filled(body)));
                }
                Stmt::If { tests, body, otherwise } => {
                    let (body, otherwise) = (self.filled(body), self.filled(otherwise));
                    out.push(Stmt::If { tests, body, otherwise });
                }
                s @ Stmt::Leaf(_) => out.push(s),
            }
        }
        out
    }
}

/// What the array of some variables is called, and why it is there.
fn named(p: &Program, members: &[VarId], block: i64) -> (String, String) {
    let names: Vec<&str> = members.iter().map(|v| p.var(*v).name.as_str()).collect();
    let (some, more) = names.split_at(names.len().min(weights::text::NAMED));
    let all: Vec<String> = some.iter().map(|n| format!("`{n}`")).collect();
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let name = if names.len() == 1 { names[0].to_string() } else { format!("{}_and_more", names[0]) };
    (name, format!("{}{more} of {block} iterations", all.join(", ")))
}

/// How a variable from outside is a total that may be summed at the end of a block: one that steps add to, of few elements.
fn total(p: &Program, v: VarId, u: &Uses, all: &[Body<'_>]) -> Option<Option<Extreme>> {
    let var = p.var(v);
    let length = var.extents.iter().map(Affine::as_constant).product::<Option<i64>>()?;
    let is_short = usize::try_from(length).ok()? <= weights::ON_STACK;
    let in_steps = u.bodies.keys().any(|k| all[*k].in_loop());
    match u.ops.as_slice() {
        [op] if u.is_combined && u.outer == 0 && !u.is_flat && is_short && in_steps => Some(*op),
        _ => None,
    }
}

/// The body that walks the first dimension of an array, and the index of its loop, if that body is the first behind the one fill of it.
fn walked(p: &Program, v: VarId, u: &Uses, all: &[Body<'_>]) -> Option<(usize, Index)> {
    let mut bodies = u.bodies.iter();
    let ((filled, first), (body, here)) = (bodies.next()?, bodies.next()?);
    let [Stmt::For { index, lower, upper, step: None, .. }] = all[*body].around[..] else { return None };
    let ([Bound { num: low, den: 1 }], [Bound { num: high, den: 1 }]) = (&lower[..], &upper[..]) else {
        return None;
    };
    let is_whole = *low == Affine::from(0) && high.clone().step(1) == *p.var(v).extents.first()?;
    let own = |all: &[Affine]| all.iter().all(|at| *at == index.affine());
    let walks = u.outer == 1 && own(&here.read) && own(&here.written) && here.fills.is_empty();
    let is_alone = first.count == 1 && first.begins_filled && !all[*filled].in_loop();
    let is_once = u.bodies.values().filter(|b| !b.fills.is_empty()).count() == 1;
    (is_whole && walks && is_alone && is_once).then_some((*body, *index))
}
