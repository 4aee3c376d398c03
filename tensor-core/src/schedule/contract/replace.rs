//! Scalar replacement in steps: what they read of the last times of an array that is stored is in variables beside it.
//!
//! ```text
//!                                           let s = 0.0    let s_1 = 0.0
//! steps t in 0..n { x[t] = f(x[t - 1]) }    steps t in 0..n { s_1 = s    s = f(s_1)    x[t] = s }
//! ```
//!
//! A step need not wait until what the one before has stored can be loaded. Source: Callahan, Carr and Kennedy, *Improving register allocation for subscripted
//! variables* (1990).

use super::window::{Steps, age};
use crate::index::Affine;
use crate::loops::visit::{How, Item, visit};
use crate::loops::walk::map_places;
use crate::loops::{Direction, Expr, Leaf, Place, Program, Stmt, Storage, VarId, Variable, has_steps};
use crate::mark::{self, Mark};
use crate::schedule::Options;
use crate::schedule::range::bare;
use crate::sorted::{Map, Set};
use crate::ssa::Index;
use crate::weights::contract::REPLACED;

/// By array: how many statements write an element of it, if nothing else is written.
type Writes = Map<VarId, Option<usize>>;

/// See the module documentation.
pub(in crate::schedule) fn replace(mut p: Program, _: &Options) -> Program {
    if !has_steps(&p.body) {
        return p;
    }
    let mut writes = Writes::new();
    visit(&p.body, &mut |item| match item {
        Item::Place(Place { var, .. }, How::Assign) => {
            let count = writes.entry(*var).or_insert(Some(0));
            *count = count.map(|n| n + 1);
        }
        Item::Place(Place { var, .. }, How::Combine) => *writes.entry(*var).or_default() = None,
        Item::Filled(var) => *writes.entry(var).or_default() = None,
        _ => {}
    });
    let body = std::mem::take(&mut p.body);
    p.body = block(&mut p, body, &writes);
    p
}

fn block(p: &mut Program, stmts: Vec<Stmt>, writes: &Writes) -> Vec<Stmt> {
    let mut out = vec![];
    for s in stmts {
        let found = all(p, &s, writes);
        let s = match s {
            Stmt::For { index, lower, upper, step, order, body, .. } => {
                let body = block(p, body, writes);
                let body = found.iter().fold(body, |body, r| r.apply(body));
                Stmt::looped(index, lower, upper, step, order, body)
            }
            Stmt::If { tests, body, otherwise } => {
                let [body, otherwise] = [body, otherwise].map(|stmts| block(p, stmts, writes));
                Stmt::If { tests, body, otherwise }
            }
            s @ Stmt::Leaf(_) => s,
        };
        let variables = found.iter().flat_map(|r| &r.ages);
        out.extend(variables.map(|var| Stmt::Leaf(Leaf::Declare { var: *var, value: Expr::Number(0.0) })));
        out.push(s);
    }
    out
}

/// An array that steps write at one place, and the variables for its last times.
struct Replaced {
    place: Place,
    /// The dimension that is the time, and the time of a step.
    time: usize,
    now: Affine,
    direction: Direction,
    /// By age, that of the step itself first.
    ages: Vec<VarId>,
}

/// Those of a loop over steps.
fn all(p: &mut Program, s: &Stmt, writes: &Writes) -> Vec<Replaced> {
    let Stmt::For { lower, upper, body, .. } = s else { return vec![] };
    let Some(steps) = Steps::of(s) else { return vec![] };
    let of_bounds: Set<u32> = lower.iter().chain(upper).flat_map(|b| b.num.indices()).collect();
    let mut uses: Map<VarId, Vec<(Place, How)>> = Map::new();
    let (mut bound, mut others) = (Set::new(), Set::new());
    visit(body, &mut |item| match item {
        Item::Bound(i) => drop(bound.insert(i)),
        Item::Place(place, how) => uses.entry(place.var).or_default().push((place.clone(), how)),
        Item::Element(v, _) => drop(others.insert(VarId(v))),
        _ => {}
    });
    let mut out = vec![];
    for (v, uses) in uses {
        let var = p.var(v);
        let is_array = matches!(var.storage, Storage::Work(_) | Storage::Result(_)) && !var.holds_indices;
        if !is_array || others.contains(&v) {
            continue;
        }
        let written: Vec<&Place> = uses.iter().filter(|u| u.1 == How::Assign).map(|u| &u.0).collect();
        let Some(place) = written.first().copied() else { continue };
        let here = written.iter().all(|w| *w == place) && writes[&v] == Some(written.len());
        if !here || assigned(body, place) != written.len() {
            continue;
        }
        let moves = |a: &Affine| a.mentions(&steps.index.atom());
        let moving: Vec<usize> = (0..place.at.len()).filter(|d| moves(&place.at[*d])).collect();
        let is_still = |a: &Affine| !bound.iter().any(|i| a.mentions(&i.atom()));
        // Steps of a block go on where those of the one before ended, unless they are of another element.
        let is_other = |i: &u32| (0..place.at.len()).any(|d| bare(&place.at[d]) == Some(Index(*i)));
        let is_whole = of_bounds.iter().all(is_other) && place.at.iter().all(is_still);
        let ([time], true) = (moving.as_slice(), is_whole) else { continue };
        let now = place.at[*time].clone();
        let mut r =
            Replaced { place: place.clone(), time: *time, now, direction: steps.direction, ages: vec![] };
        let oldest = uses.iter().filter_map(|(read, _)| r.age(read)).max().unwrap_or_default();
        if oldest > 0 {
            mark::hit(Mark::Replaced);
            r.ages = (0..=oldest).map(|k| variable(p, v, k)).collect();
            out.push(r);
        }
    }
    out
}

/// How many statements assign to a place in a step, in none of its loops.
fn assigned(stmts: &[Stmt], place: &Place) -> usize {
    let count = |s: &Stmt| match s {
        Stmt::Leaf(Leaf::Assign { target, .. }) => usize::from(target == place),
        Stmt::If { body, otherwise, .. } => assigned(body, place) + assigned(otherwise, place),
        Stmt::Leaf(_) | Stmt::For { .. } => 0,
    };
    stmts.iter().map(count).sum()
}

/// What an array was so many steps ago.
fn variable(p: &mut Program, v: VarId, age: usize) -> VarId {
    let var = p.var(v);
    let name = if age == 0 { format!("{}_now", var.name) } else { format!("{}_{age}", var.name) };
    let why = "the last times of steps, beside the array".to_string();
    p.vars.push(Variable {
        name,
        storage: Storage::Local,
        extents: vec![],
        holds_indices: false,
        lanes: None,
        why,
    });
    VarId(u32::try_from(p.vars.len() - 1).expect("fewer than 2³² variables"))
}

impl Replaced {
    /// How many steps ago an element was written, if that is said by its place, and was not long ago.
    fn age(&self, read: &Place) -> Option<usize> {
        let is_other = |d: usize| d != self.time && read.at.get(d) != self.place.at.get(d);
        if read.var != self.place.var || (0..self.place.at.len()).any(is_other) {
            return None;
        }
        age(self.direction, &self.now, read.at.get(self.time)?).filter(|n| *n < REPLACED)
    }

    /// A step with variables for what it reads of earlier ones.
    fn apply(&self, body: Vec<Stmt>) -> Vec<Stmt> {
        let body = map_places(body, &mut |place| match self.age(&place) {
            Some(age @ 1..) => Place { var: self.ages[age], at: vec![] },
            _ => place,
        });
        let moves = self.ages.windows(2).rev().map(|pair| {
            let value = Expr::Read(Place { var: pair[0], at: vec![] });
            Stmt::Leaf(Leaf::Assign { target: Place { var: pair[1], at: vec![] }, value })
        });
        moves.chain(self.written(body)).collect()
    }

    /// What is stored is in a variable, too.
    fn written(&self, body: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = vec![];
        for s in body {
            match s {
                Stmt::Leaf(Leaf::Assign { target, value }) if target == self.place => {
                    let now = Place { var: self.ages[0], at: vec![] };
                    out.push(Stmt::Leaf(Leaf::Assign { target: now.clone(), value }));
                    out.push(Stmt::Leaf(Leaf::Assign { target, value: Expr::Read(now) }));
                }
                Stmt::If { tests, body, otherwise } => {
                    let [body, otherwise] = [body, otherwise].map(|stmts| self.written(stmts));
                    out.push(Stmt::If { tests, body, otherwise });
                }
                s => out.push(s),
            }
        }
        out
    }
}
