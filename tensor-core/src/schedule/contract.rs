//! Array contraction in steps: of what the steps of a recurrence compute, no more times are stored than are read again.
//!
//! ```text
//! array s[n]                                let s = 0.0    let s_1 = 0.0
//! steps t in 0..n { s[t] = f(s[t - 1]) }    steps t in 0..n { s_1 = s    s = f(s_1) }
//! return s[n - 1]                           return s
//! ```
//!
//! Where all that steps and what comes behind them read is of the last `k` times, numbers and short rows are `k` variables, which move at the beginning of
//! a step. Long rows are overwritten in turn: `s[t % k, u]`. What stands before the steps may write the states that they begin with.

mod again;
mod blocks;
mod checkpoint;
mod replace;
mod uses;
mod window;

use super::Options;
use super::share::without;
use crate::loops::walk::map_places;
use crate::loops::{
    Buffer, Direction, Expr, Order, Place, Program, Stmt, Storage, VarId, Variable, has_steps,
};
use crate::mark::{self, Mark};
use crate::sorted::{Map, Set};
use crate::ssa::Index;
pub(super) use checkpoint::checkpoint;
pub(super) use replace::replace;
use uses::{ByArray, Uses};
use window::{Kind, Steps, Window};

/// See the module documentation.
pub(super) fn contract(mut p: Program, _: &Options) -> Program {
    if !has_steps(&p.body) {
        return p;
    }
    let body = std::mem::take(&mut p.body);
    let scalars = uses::of_exprs(&p.scalars);
    let mut pass = Contract { total: counted(&body, &p.scalars), p, contracted: Set::new(), gone: vec![] };
    let body = pass.block(body, scalars, &mut vec![]);
    let Contract { mut p, contracted, gone, .. } = pass;
    p.body = body;
    p.shares.retain(|(x, y)| !contracted.contains(x) && !contracted.contains(y));
    without(p, &gone)
}

/// How often each array is used.
fn counted(stmts: &[Stmt], scalars: &[Expr]) -> Map<VarId, usize> {
    let mut total: Map<VarId, usize> = Map::new();
    for (v, uses) in stmts.iter().map(uses::of_stmt).chain([uses::of_exprs(scalars)]).flatten() {
        *total.entry(v).or_default() += uses.count;
    }
    total
}

struct Contract {
    p: Program,
    /// By array: how often it is used.
    total: Map<VarId, usize>,
    contracted: Set<VarId>,
    /// The buffers of what are locals now.
    gone: Vec<usize>,
}

impl Contract {
    /// A block inside loops; `behind` is used when all of it is done.
    fn block(&mut self, stmts: Vec<Stmt>, behind: ByArray, around: &mut Vec<Index>) -> Vec<Stmt> {
        let found = if stmts.iter().any(|s| has_steps(std::slice::from_ref(s))) {
            self.windows(&stmts, behind, around)
        } else {
            return stmts;
        };
        let stmts = if found.is_empty() { stmts } else { self.apply(stmts, &found) };
        let inside = |s| match s {
            Stmt::For { index, lower, upper, step, order, body, .. } => {
                around.push(index);
                let body = self.block(body, ByArray::new(), around);
                around.pop();
                Stmt::looped(index, lower, upper, step, order, body)
            }
            Stmt::If { tests, body, otherwise } => {
                let [body, otherwise] = [body, otherwise].map(|b| self.block(b, ByArray::new(), around));
                Stmt::If { tests, body, otherwise }
            }
            Stmt::Leaf(_) => s,
        };
        stmts.into_iter().map(inside).collect()
    }

    /// The arrays of which the steps of a block need a window.
    fn windows(&mut self, stmts: &[Stmt], behind: ByArray, around: &[Index]) -> Map<VarId, Window> {
        let all: Vec<ByArray> = stmts.iter().map(uses::of_stmt).chain([behind]).collect();
        let mut places: Map<VarId, Vec<usize>> = Map::new();
        for (k, uses) in all.iter().enumerate() {
            uses.keys().for_each(|v| places.entry(*v).or_default().push(k));
        }
        let mut found = Map::new();
        for (k, s) in stmts.iter().enumerate() {
            let Some(steps) = Steps::of(s).filter(|steps| !self.waits(steps)) else { continue };
            for (v, uses) in all[k].iter() {
                if uses.writes.is_empty() || !self.is_stored(*v) {
                    continue;
                }
                let by: Vec<(usize, &Uses)> = places[v].iter().map(|at| (*at, &all[*at][v])).collect();
                let is_all = by.iter().map(|(_, u)| u.count).sum::<usize>() == self.total[v];
                let extents = &self.p.var(*v).extents;
                let window = is_all.then(|| Window::new(*v, (&steps, k), &by, around, extents)).flatten();
                if let Some(window) = window {
                    found.insert(*v, self.stored(*v, window));
                }
            }
        }
        found
    }

    /// Whether what steps compute stays as it is, until it is said what of it the reverse sweep finds stored.
    fn waits(&self, steps: &Steps<'_>) -> bool {
        steps.direction == Direction::Forward && self.p.checkpoints.iter().any(|c| c.0 == steps.index)
    }

    /// Whether it is an array of reals in the workspace.
    fn is_stored(&self, v: VarId) -> bool {
        let var = self.p.var(v);
        matches!(var.storage, Storage::Work(_)) && !var.holds_indices
    }

    /// The variables of a window.
    fn stored(&mut self, v: VarId, mut window: Window) -> Window {
        self.contracted.insert(v);
        mark::hit(if window.kind == Kind::Moved { Mark::Contracted } else { Mark::ContractedInTurn });
        let var = &mut self.p.vars[v.0 as usize];
        let Storage::Work(work) = var.storage else { return window };
        var.extents = window.extents();
        var.why = format!("the last {} times of steps", window.times);
        if var.extents.is_empty() {
            var.storage = Storage::Local;
            self.gone.push(work);
        } else {
            self.p.work[work].extents.clone_from(&var.extents);
        }
        if window.kind == Kind::Moved {
            let older = (1..window.times).map(|k| self.another(v, k));
            window.ages = [v].into_iter().chain(older).collect();
        }
        window
    }

    /// What an array was so many steps ago.
    fn another(&mut self, v: VarId, age: usize) -> VarId {
        let var = self.p.var(v);
        let name = format!("{}_{age}", var.name);
        let mut var = Variable { name: name.clone(), ..var.clone() };
        if !var.extents.is_empty() {
            var.storage = Storage::Work(self.p.work.len());
            self.p.work.push(Buffer { name, extents: var.extents.clone(), holds_indices: false });
        }
        self.p.vars.push(var);
        VarId(u32::try_from(self.p.vars.len() - 1).expect("fewer than 2³² variables"))
    }

    /// A block with windows for arrays.
    fn apply(&mut self, stmts: Vec<Stmt>, found: &Map<VarId, Window>) -> Vec<Stmt> {
        let place = |p: Place, k: usize| match found.get(&p.var) {
            Some(w) => w.place(p, k),
            None => p,
        };
        let behind = stmts.len();
        let mut here: Vec<[Vec<&Window>; 2]> = stmts.iter().map(|_| [vec![], vec![]]).collect();
        for w in found.values() {
            here[w.begins][0].push(w);
            here[w.at][1].push(w);
        }
        let mut out = vec![];
        for (k, (s, [begin, here])) in stmts.into_iter().zip(here).enumerate() {
            // All elements of it become something where its steps begin.
            if window::fills(&s, &|v| found.contains_key(&v)) {
                continue;
            }
            begin.iter().for_each(|w| w.begin(&mut out));
            let mut s = map_places(vec![s], &mut |p| place(p, k));
            if let [Stmt::For { body, order: Order::Steps(_), .. }] = s.as_mut_slice() {
                let mut moves = vec![];
                here.iter().for_each(|w| w.step(&mut self.p.indices, &mut moves));
                body.splice(..0, moves);
            }
            out.append(&mut s);
        }
        self.p.scalars =
            self.p.scalars.iter().map(|e| e.map(&mut Clone::clone, &mut |p| place(p, behind))).collect();
        out
    }
}
