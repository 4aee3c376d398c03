//! Checkpoints: the reverse sweep finds each so many states stored, and computes the steps between two of them once more.
//!
//! ```text
//! steps t in 0..n { x[t] = f(x[t - 1]) }      steps q in 0..(n - 1) / k + 1 {
//! steps t in (0..n).rev() { … x[t] … }            steps t in k q..min(k q + k, n) { if t == k q { kept[q] = x[t - 1] }    x[t] = f(x[t - 1]) }
//!                                             }
//!                                             steps q in (0..(n - 1) / k + 1).rev() {
//!                                                 again[0] = kept[q]
//!                                                 steps t in k q..min(k q + k, n) { again[t - k q + 1] = f(again[t - k q]) }
//!                                                 steps t in (k q..min(k q + k, n)).rev() { … again[t - k q + 1] … }
//!                                             }
//! ```
//!
//! `x` is read by its own steps alone then, and has a window: that is found before the steps are cut in blocks. So has `again`, which begins with the state that was kept, where a
//! level inside keeps some of its states in turn: with `(k, l)` one before each l steps of a block. With `(sqrt)` k is a size beside those of the
//! function, the root of the number of steps, and there are k blocks. What else steps compute is computed once: sums over all times, results.

use super::again::{Read, found, is_tested, kept, needed, written};
use super::blocks::{Blocks, Copy, Sweep, Timed, in_blocks};
use super::uses::{self, ByArray, Uses};
use super::window::{Steps, Window, each};
use super::{Options, contract, counted};
use crate::ast::Keep;
use crate::index::affine::floor;
use crate::index::{Affine, Atom, Cond, Names};
use crate::loops::leaf::Leaf;
use crate::loops::walk::{map, map_elements, map_places, substitute};
use crate::loops::{
    Bound, Buffer, Derived, Direction, Expr, Order, Place, Program, Stmt, Storage, Test, VarId, Variable,
};
use crate::mark::{self, Mark};
use crate::schedule::node::constant_difference;
use crate::schedule::range::minus;
use crate::sorted::{Map, Set};
use crate::ssa::Index;

/// See the module documentation.
pub(in crate::schedule) fn checkpoint(mut p: Program, options: &Options) -> Program {
    if p.checkpoints.is_empty() {
        return p;
    }
    let body = std::mem::take(&mut p.body);
    let behind = uses::of_exprs(&p.scalars);
    let mut pass = Checkpoints { total: counted(&body, &p.scalars), cuts: vec![], p };
    let body = pass.block(body, &behind, &mut vec![]);
    let mut p = contract(Program { body, checkpoints: vec![], ..pass.p }, options);
    p.blocks.extend(pass.cuts.iter().map(|c| c.1.index));
    p.body = in_blocks(p.body, &pass.cuts);
    p
}

struct Checkpoints {
    p: Program,
    /// By array: how often it is used.
    total: Map<VarId, usize>,
    /// The steps of first sweeps, and their blocks.
    cuts: Vec<(Index, Blocks)>,
}

impl Checkpoints {
    /// A block inside loops; `behind` is used when all of it is done.
    fn block(&mut self, mut stmts: Vec<Stmt>, behind: &ByArray, around: &mut Vec<Index>) -> Vec<Stmt> {
        let mut k = 0;
        while k < stmts.len() {
            if let Some((back, changed)) = self.pair(&stmts, k, behind, around) {
                mark::hit(Mark::Checkpointed);
                let [forwards, backwards] = changed;
                self.recount(
                    &[stmts[k].clone(), stmts[back].clone()],
                    &[forwards.as_slice(), &backwards].concat(),
                );
                stmts.splice(back..=back, backwards);
                let many = forwards.len();
                stmts.splice(k..=k, forwards);
                k += many;
            } else {
                k += 1;
            }
        }
        let inside = |s| match s {
            Stmt::For { index, lower, upper, step, order, body, .. } => {
                around.push(index);
                let body = self.block(body, &ByArray::new(), around);
                around.pop();
                Stmt::looped(index, lower, upper, step, order, body)
            }
            Stmt::If { tests, body, otherwise } => {
                let [body, otherwise] = [body, otherwise].map(|b| self.block(b, &ByArray::new(), around));
                Stmt::If { tests, body, otherwise }
            }
            Stmt::Leaf(_) => s,
        };
        stmts.into_iter().map(inside).collect()
    }

    fn recount(&mut self, before: &[Stmt], after: &[Stmt]) {
        for (v, n) in counted(before, &[]).iter() {
            let all = self.total.entry(*v).or_default();
            *all = all.saturating_sub(*n);
        }
        for (v, n) in counted(after, &[]).iter() {
            *self.total.entry(*v).or_default() += n;
        }
    }

    fn keep(&self, i: Index) -> Option<&Keep> {
        self.p.checkpoints.iter().find(|c| c.0 == i).map(|c| &c.1)
    }

    /// Steps with checkpoints, and those that run back over them: the place of these, and what stands for both.
    fn pair(
        &mut self,
        stmts: &[Stmt],
        at: usize,
        behind: &ByArray,
        around: &[Index],
    ) -> Option<(usize, [Vec<Stmt>; 2])> {
        let forwards = Sweep::of(&stmts[at], Direction::Forward)?;
        let keep = self.keep(forwards.index)?.clone();
        let is_back =
            |s: &Stmt| Sweep::of(s, Direction::Backward).is_some_and(|b| self.keep(b.index).is_some());
        let back = at + 1 + stmts[at + 1..].iter().position(is_back)?;
        let backwards = Sweep::of(&stmts[back], Direction::Backward)?;
        let all: Vec<ByArray> = stmts.iter().map(uses::of_stmt).collect();
        let steps = Steps::of(&stmts[at])?;
        let (timed, wanted) =
            self.again(&all, (at, &forwards, &steps), (back, &backwards), behind, around)?;
        let begun = |(v, t): (VarId, Timed)| {
            let begins = (0..at).find(|k| all[*k].get(&v).is_some_and(|u| !u.writes.is_empty()));
            (v, Timed { begun: begins.map(|k| conditions(&stmts[k])), ..t })
        };
        let timed: Map<VarId, Timed> = timed.into_iter().map(begun).collect();
        let (blocks, rest) = match &keep {
            Keep::Every(levels) => {
                let (many, rest) = levels.split_first()?;
                (self.blocks(*many, &forwards, &backwards)?, rest)
            }
            Keep::Sqrt => (self.as_many_as_steps(&timed, &forwards)?, &[][..]),
        };
        let live = self.live(&all, (at, &forwards), back, behind, (&timed, &wanted));
        let copies: Map<VarId, Copy> =
            timed.into_iter().map(|(v, t)| (v, self.copy(v, t, &blocks, live.contains(&v)))).collect();
        let first = self.forwards(&stmts[at], &forwards, &live, &copies, &blocks);
        let second = self.backwards(&forwards, &backwards, &wanted, &copies, &blocks, rest);
        Some((back, [first, second]))
    }

    /// What is computed once more: the arrays of which each step computes an element, and everything.
    fn again(
        &self,
        all: &[ByArray],
        (at, forwards, steps): (usize, &Sweep<'_>, &Steps<'_>),
        (back, backwards): (usize, &Sweep<'_>),
        behind: &ByArray,
        around: &[Index],
    ) -> Option<(Map<VarId, Timed>, Set<VarId>)> {
        let of = |v: VarId| -> Vec<(usize, &Uses)> {
            all.iter().chain([behind]).enumerate().filter_map(|(k, uses)| Some((k, uses.get(&v)?))).collect()
        };
        // Arrays that are read by their own steps alone, but for those that run back, need not be stored.
        let is_free = |v: VarId| {
            let by = of(v);
            let is_all = by.iter().map(|(_, u)| u.count).sum::<usize>() == self.total[&v];
            let own: Vec<(usize, &Uses)> = by.into_iter().filter(|(k, _)| *k != back).collect();
            let var = self.p.var(v);
            let is_stored = matches!(var.storage, Storage::Work(_)) && !var.holds_indices;
            is_stored && is_all && Window::new(v, (steps, at), &own, around, &var.extents).is_some()
        };
        let (mut timed, mut wanted): (Map<VarId, Timed>, Set<VarId>) = (Map::new(), Set::new());
        for (v, uses) in all[at].iter().filter(|(v, u)| !u.writes.is_empty() && is_free(**v)) {
            let Some(mut t) = Timed::of(forwards.index, uses) else { continue };
            t.fill = of(*v).into_iter().find_map(|(k, u)| u.fill.filter(|_| k < at));
            if let Some(uses) = all[back].get(v) {
                let Some(age) = t.age_in(backwards.index, uses) else { continue };
                t.age = t.age.max(age);
                wanted.insert(*v);
            }
            timed.insert(*v, t);
        }
        (!wanted.is_empty()).then_some(())?;
        let own = written(forwards.body);
        let read = |v: VarId| {
            if !own.contains(&v) {
                return Read::There;
            }
            let uses = all[at].get(&v);
            if timed.contains_key(&v) {
                return Read::Again;
            }
            let is_timed = |w: &Vec<Affine>| w.iter().any(|a| a.mentions(&forwards.index.atom()));
            // What each step fills lives in it, whatever its places mention; of what else has times all are stored.
            match uses.filter(|u| !u.is_filled) {
                Some(u) if !u.writes.is_empty() && u.writes.iter().all(is_timed) => return Read::There,
                Some(u) if u.writes.iter().any(is_timed) => return Read::Never,
                Some(_) | None => {}
            }
            let is_inside = uses.is_some_and(|u| self.total.get(&v) == Some(&u.count));
            if self.p.var(v).storage == Storage::Local || is_inside { Read::Again } else { Read::Never }
        };
        let wanted = needed(forwards.body, wanted, &read)?;
        let tested = |v: &VarId, t: &Timed| t.age > 0 && t.fill.is_none() && is_tested(forwards.body, *v);
        let some = timed.into_iter().filter(|(v, _)| wanted.contains(v));
        // A state that is not computed at all times is nothing at others: that is kept as a number.
        let timed = some.map(|(v, t)| (v, Timed { begins: tested(&v, &t), ..t })).collect();
        Some((timed, wanted))
    }

    /// What the first sweep computes of its steps: not what only those that run back read, which have it computed once more.
    fn live(
        &self,
        all: &[ByArray],
        (at, forwards): (usize, &Sweep<'_>),
        back: usize,
        behind: &ByArray,
        (timed, wanted): (&Map<VarId, Timed>, &Set<VarId>),
    ) -> Set<VarId> {
        let own = written(forwards.body);
        let stored = found(forwards.body, wanted);
        let is_live = |v: &&VarId| {
            let uses = |k: usize| all[k].get(v).map_or(0, |u| u.count);
            let others = (0..all.len()).filter(|k| ![at, back].contains(k));
            let fills: usize = others.filter_map(|k| all[k].get(v)?.fill.map(|_| uses(k))).sum();
            let is_returned = !matches!(self.p.var(**v).storage, Storage::Local | Storage::Work(_));
            let timed = timed.get(v);
            is_returned
                || stored.contains(v)
                || behind.contains_key(v)
                || self.total[v] != uses(at) + uses(back) + fills
                || uses(back) > 0 && timed.is_none()
                || timed.is_some_and(|t| t.age > 0)
        };
        let live = own.iter().filter(is_live).copied().collect();
        let read = |v: VarId| if own.contains(&v) { Read::Again } else { Read::There };
        needed(forwards.body, live, &read).unwrap_or(own.clone())
    }

    /// The blocks of both sweeps.
    fn blocks(&mut self, steps: i64, forwards: &Sweep<'_>, backwards: &Sweep<'_>) -> Option<Blocks> {
        let [Bound { num: first, .. }] = forwards.lower else { return None };
        let is_behind = |b: &Bound| constant_difference(first, &b.num).is_some_and(|d| d >= 0);
        backwards.lower.iter().any(is_behind).then_some(())?;
        let ends = forwards.upper.iter().flat_map(|a| backwards.upper.iter().map(move |b| (&a.num, &b.num)));
        let later = |(a, b)| constant_difference(a, b).map(|d| if d > 0 { b } else { a });
        let last = ends.filter_map(later).min_by_key(|e| !minus(e, first).is_constant())?;
        let last = floor(&minus(last, first), steps)?;
        Some(Blocks { steps: steps.into(), first: first.clone(), last, index: self.index("block") })
    }

    /// As many blocks as a block has steps.
    fn as_many_as_steps(&mut self, timed: &Map<VarId, Timed>, forwards: &Sweep<'_>) -> Option<Blocks> {
        let [Bound { num: first, .. }] = forwards.lower else { return None };
        // There is an element of each step.
        let (v, t) = timed.iter().next()?;
        let steps = self.root(&self.p.var(*v).extents[t.time].clone());
        Some(Blocks { last: steps.clone().step(-1), steps, first: first.clone(), index: self.index("block") })
    }

    /// The root of a number of steps, rounded up: a number, or a size.
    fn root(&mut self, of: &Affine) -> Affine {
        if let Some(n) = of.as_constant() {
            return crate::loops::root(n).into();
        }
        let named = self.named(of);
        let name = if named.contains(' ') { format!("√({named})") } else { format!("√{named}") };
        self.p.derived_size(Derived::Root(of.clone()), name)
    }

    /// A form over sizes as text.
    fn named(&self, a: &Affine) -> String {
        Names { sizes: self.p.function.sizes.clone(), ..Names::default() }.affine(a)
    }

    fn index(&mut self, name: &str) -> Index {
        self.p.indices.push(name.to_string());
        Index(u32::try_from(self.p.indices.len() - 1).expect("fewer than 2³² indices"))
    }

    fn array(&mut self, like: VarId, name: String, extents: Vec<Affine>, why: String) -> VarId {
        let var = self.p.var(like).clone();
        let storage = match var.storage {
            Storage::Local => Storage::Local,
            _ => Storage::Work(self.p.work.len()),
        };
        if storage != Storage::Local {
            let (name, extents) = (name.clone(), extents.clone());
            self.p.work.push(Buffer { name, extents, holds_indices: var.holds_indices });
        }
        self.p.vars.push(Variable { name, storage, extents, why, ..var });
        VarId(u32::try_from(self.p.vars.len() - 1).expect("fewer than 2³² variables"))
    }

    /// The arrays that stand for one of all times, which itself is one of them if the first sweep does not compute it.
    fn copy(&mut self, v: VarId, timed: Timed, blocks: &Blocks, is_live: bool) -> Copy {
        let Variable { name, extents, storage, .. } = self.p.var(v).clone();
        let mut row = extents;
        row.remove(timed.time);
        let mut block = row.clone();
        block.insert(timed.time, blocks.steps.clone().step(timed.age));
        let steps = self.named(&blocks.steps);
        let why = format!("{steps} steps, once more");
        let again = match storage {
            Storage::Work(k) if !is_live => {
                self.p.work[k].extents.clone_from(&block);
                let var = &mut self.p.vars[v.0 as usize];
                (var.extents, var.why) = (block, why);
                v
            }
            _ => self.array(v, format!("{name}_again"), block, why),
        };
        let kept = (timed.age > 0).then(|| {
            let all = [vec![blocks.last.clone().step(1), timed.age.into()], row.clone()].concat();
            self.array(v, format!("{name}_kept"), all, format!("before each {steps} steps"))
        });
        Copy { timed, again, kept, row }
    }

    /// The steps, which keep their state before each block.
    fn forwards(
        &mut self,
        s: &Stmt,
        sweep: &Sweep<'_>,
        live: &Set<VarId>,
        copies: &Map<VarId, Copy>,
        blocks: &Blocks,
    ) -> Vec<Stmt> {
        let mut out = vec![];
        let blocks = Blocks { index: self.index("block"), ..blocks.clone() };
        let since = minus(&sweep.index.affine(), &blocks.first);
        let mut keeps = vec![];
        for (v, c) in copies.iter() {
            if c.timed.begins && c.again != *v {
                out.push(Stmt::Leaf(Leaf::Fill { var: *v, value: 0.0 }));
            }
            let Some(kept) = c.kept else { continue };
            for ago in 1..=c.timed.age {
                let copy = each(&c.row, &mut self.p.indices, &|row| {
                    let at = c.before(&sweep.index.affine(), ago, row.clone());
                    let value = Expr::Read(Place { var: *v, at });
                    let at = [vec![blocks.index.affine(), (ago - 1).into()], row].concat();
                    Leaf::Assign { target: Place { var: kept, at }, value }
                });
                keeps.push(under(c.is_there(&since, ago), copy));
            }
        }
        let mut s = s.clone();
        if let Stmt::For { body, .. } = &mut s {
            *body = kept(body, live);
            if !keeps.is_empty() {
                let tests = vec![Test::Index(Cond::Zero(minus(&sweep.index.affine(), &blocks.start())))];
                body.insert(0, Stmt::If { tests, body: keeps, otherwise: vec![] });
                self.cuts.push((sweep.index, blocks));
            }
        }
        out.push(s);
        out
    }

    /// The blocks from the last to the first: in each, the steps once more, and then back over them.
    fn backwards(
        &mut self,
        forwards: &Sweep<'_>,
        backwards: &Sweep<'_>,
        wanted: &Set<VarId>,
        copies: &Map<VarId, Copy>,
        blocks: &Blocks,
        rest: &[i64],
    ) -> Vec<Stmt> {
        let mut inside = vec![];
        let (start, end) = (blocks.start(), blocks.end());
        for c in copies.values() {
            self.restore(c, forwards, blocks, &mut inside);
        }
        let step = self.index("t");
        let own = written(forwards.body);
        let others = wanted.iter().filter(|v| own.contains(v) && !copies.contains_key(v));
        let others: Vec<VarId> = others.copied().collect();
        let new = |pass: &mut Checkpoints, v: VarId| {
            let Variable { name, extents, why, .. } = pass.p.var(v).clone();
            (v, pass.array(v, name, extents, why))
        };
        let others: Map<VarId, VarId> = others.into_iter().map(|v| new(self, v)).collect();
        let var = |v: VarId| others.get(&v).copied().unwrap_or(v);
        let element = |v: u32, at: Vec<Affine>| Atom::Element(var(VarId(v)).0, at);
        let form =
            |a: &Affine| map_elements(&substitute(a, &forwards.index.atom(), &step.affine()), &element);
        let place = |p: Place| match copies.get(&p.var) {
            Some(c) => c.place(p.at, blocks),
            None => Place { var: var(p.var), at: p.at },
        };
        let body = map(kept(forwards.body, wanted), &mut { form }, &mut { place }, &mut { var });
        let bounds = |own: &[Bound], other: &Affine| [own, &[Bound { num: other.clone(), den: 1 }]].concat();
        let first = vec![Bound { num: start.clone(), den: 1 }];
        let order = Order::Steps(Direction::Forward);
        inside.push(Stmt::looped(step, first, bounds(forwards.upper, &end), None, order, body));
        let body = map_places(backwards.body.to_vec(), &mut { place });
        let order = Order::Steps(Direction::Backward);
        let (lower, upper) = (bounds(backwards.lower, &start), bounds(backwards.upper, &end));
        inside.push(Stmt::looped(backwards.index, lower, upper, None, order, body));
        self.p.checkpoints.retain(|c| c.0 != backwards.index && c.0 != forwards.index);
        if !rest.is_empty() {
            self.p.checkpoints.extend([step, backwards.index].map(|i| (i, Keep::Every(rest.to_vec()))));
        }
        let all = blocks.all(Direction::Backward, inside);
        // What is read once more may not be overwritten in between.
        let used = uses::of_stmt(&all);
        self.p.shares.retain(|(x, y)| !used.contains_key(x) && !used.contains_key(y));
        vec![all]
    }

    /// The state before a block.
    fn restore(&mut self, c: &Copy, forwards: &Sweep<'_>, blocks: &Blocks, out: &mut Vec<Stmt>) {
        if let Some(value) = c.timed.fill.or(c.timed.begins.then_some(0.0)) {
            out.push(Stmt::Leaf(Leaf::Fill { var: c.again, value }));
        }
        let Some(kept) = c.kept else { return };
        let start = blocks.start();
        for ago in 1..=c.timed.age {
            let copy = each(&c.row, &mut self.p.indices, &|row| {
                let at = [vec![blocks.index.affine(), (ago - 1).into()], row.clone()].concat();
                let value = Expr::Read(Place { var: kept, at });
                Leaf::Assign { target: c.place(c.before(&start, ago, row), blocks), value }
            });
            let mut tests = c.is_there(&minus(&start, &blocks.first), ago);
            tests.extend(forwards.upper.iter().map(|b| Test::Index(Cond::NonNeg(minus(&b.num, &start)))));
            out.push(under(tests, copy));
        }
    }
}

/// The conditions on indices under which a statement runs.
fn conditions(s: &Stmt) -> Vec<Test> {
    match s {
        Stmt::If { tests, .. } => tests.clone(),
        Stmt::For { .. } | Stmt::Leaf(_) => vec![],
    }
}

/// A statement under tests, if there are any.
fn under(tests: Vec<Test>, s: Stmt) -> Stmt {
    if tests.is_empty() { s } else { Stmt::If { tests, body: vec![s], otherwise: vec![] } }
}
