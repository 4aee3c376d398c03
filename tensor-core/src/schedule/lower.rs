//! The tree of loops to statements.

use super::call::{Call, Out};
use super::dense::Dense;
use super::fuse::Item;
use super::node::{Kind, Node, Part, constant_difference, extent, tests, value};
use super::range::{
    Bounds, bare, bounds, gist, known, known_form, minus, needs_others, never, reads_element,
};
use super::storage::Plan;
use crate::index::{Affine, Atom, Cond, Pred};
use crate::loops::walk::map_elements;
use crate::loops::{
    Bound, Buffer, Expr, Order, Place, Product, Program, Stmt, Storage, Test, VarId, Variable,
};
use crate::sorted::{Map, Set};
use crate::ssa::{Access, ArrayKind, Extreme, Function, Index};

/// What is known of a node inside the loops entered so far.
#[derive(Clone, Debug)]
struct State {
    node: Node,
    /// What the loops and tests around it say.
    context: Pred,
    /// Indices that are known.
    fixed: Vec<Index>,
    /// Conditions of its guard that say that a loop wider than the array is within it.
    within: Pred,
    /// Where it adds up privately: a number, and the index where it was found.
    private: Option<(VarId, VarId)>,
    /// Indices that equalities determine by a `let`.
    solved: Vec<Index>,
}

struct Lower {
    f: Function,
    indices: Vec<String>,
    plan: Plan,
    vars: Vec<Variable>,
    states: Vec<State>,
    work: Vec<Buffer>,
    /// The ranges of the loops of each node by sizes alone.
    extents: Map<(usize, Index), (Affine, Affine)>,
    /// What [`Program::unbounded`] says.
    unbounded: Vec<String>,
}

/// How many numbers the kernel for products of matrices needs; as much as the `WORK` of the runtime crate.
pub const PRODUCT_WORK: i64 = 152_512;

/// See the module documentation.
pub(super) fn lower(
    f: Function,
    nodes: Vec<Node>,
    indices: Vec<String>,
    tree: &[Item],
    plan: Plan,
) -> Program {
    let all = nodes.iter().enumerate().flat_map(|(k, n)| n.dims.iter().map(move |i| (k, n, *i)));
    let extents = all.filter_map(|(k, n, i)| Some(((k, i), extent(&f, n, i)?))).collect();
    let state = |node: Node| {
        let solved = node.lets.iter().map(|l| l.0).collect();
        State { context: vec![], node, fixed: vec![], within: vec![], private: None, solved }
    };
    let mut l = Lower {
        vars: vec![],
        states: nodes.into_iter().map(state).collect(),
        f,
        indices,
        plan,
        work: vec![],
        extents,
        unbounded: vec![],
    };
    l.work = l.variables();
    let body = l.block(tree, 0);
    let rank = |r: &crate::ssa::ArrayId| l.f.array(*r).extents.len();
    let scalar = |r| l.expr(&value(&l.f, &Access { array: r, at: vec![] }));
    let scalars = l.f.results.iter().filter(|r| rank(r) == 0).map(|r| scalar(*r)).collect();
    let (vars, indices, unbounded) = (l.vars, l.indices, l.unbounded);
    Program { work: l.work, vars, indices, body, scalars, unbounded, function: l.f }
}

impl Lower {
    /// One variable for each array, and the buffers.
    fn variables(&mut self) -> Vec<Buffer> {
        let mut work: Vec<Buffer> = vec![];
        for (x, a) in self.f.arrays.iter().enumerate() {
            let x = u32::try_from(x).expect("fewer than 2³² arrays");
            let holds_indices = a.kind != ArrayKind::Real;
            let mut v = Variable {
                name: a.name.clone(),
                storage: Storage::Local,
                extents: vec![],
                holds_indices,
                lanes: None,
                why: String::new(),
            };
            if let Some(k) = self.f.params.iter().position(|p| p.0 == x) {
                v.storage = Storage::Param(k);
                v.extents.clone_from(&a.extents);
            } else if let Some(slot) = self.plan.slots.get(&x) {
                v.why.clone_from(&slot.why);
                let kept = a.extents.iter().enumerate().filter(|(d, _)| !slot.dropped.contains(d));
                v.extents = kept.map(|(_, e)| e.clone()).collect();
                let result = self.f.results.iter().position(|r| r.0 == x && !a.extents.is_empty());
                if let Some(k) = result {
                    v.storage = Storage::Result(k);
                } else if !slot.local && !self.plan.alias.contains_key(&x) {
                    v.storage = Storage::Work(work.len());
                    let extents = v.extents.clone();
                    work.push(Buffer { name: v.name.clone(), extents, holds_indices });
                } else if !slot.local {
                    v.extents.clear();
                }
            }
            self.vars.push(v);
        }
        work
    }

    fn local(&mut self, name: &str, holds_indices: bool) -> VarId {
        let why = "private sum".to_string();
        let (name, extents) = (name.to_string(), vec![]);
        self.vars.push(Variable { name, storage: Storage::Local, extents, holds_indices, lanes: None, why });
        VarId(u32::try_from(self.vars.len() - 1).expect("fewer than 2³² variables"))
    }

    /// The buffer that an array lives in.
    fn home(&self, mut x: u32) -> VarId {
        while let Some(y) = self.plan.alias.get(&x) {
            x = *y;
        }
        VarId(x)
    }

    fn kept(&self, x: u32, at: Vec<Affine>) -> Vec<Affine> {
        let Some(slot) = self.plan.slots.get(&x) else { return at };
        at.into_iter().enumerate().filter(|(d, _)| !slot.dropped.contains(d)).map(|(_, a)| a).collect()
    }

    fn affine(&self, a: &Affine) -> Affine {
        map_elements(a, &|x, at| Atom::Element(self.home(x).0, self.kept(x, at)))
    }

    fn expr(&self, e: &Expr) -> Expr {
        e.map(&mut |a| self.affine(a), &mut |p| self.place(p.var.0, p.at))
    }

    fn place(&self, x: u32, at: Vec<Affine>) -> Place {
        Place { var: self.home(x), at: self.kept(x, at) }
    }

    fn target(&self, n: usize) -> Place {
        let node = &self.states[n].node;
        let at = node.target.iter().map(|a| self.affine(a)).collect();
        self.place(node.array.0, at)
    }

    fn tests(&self, p: &[Cond]) -> Vec<Test> {
        tests(&self.f, p)
            .iter()
            .map(|t| t.map(&mut |a| self.affine(a), &mut |p| self.place(p.var.0, p.at)))
            .collect()
    }

    fn block(&mut self, items: &[Item], depth: usize) -> Vec<Stmt> {
        let mut out = vec![];
        for item in items {
            self.begin(item, depth, &mut out);
            match item {
                Item::Leaf(n) => self.leaf(*n, depth, &mut out),
                Item::Loop { members, kids, .. } => self.enter(members, kids, depth, &mut out),
            }
        }
        out
    }

    /// Fills or declares what begins here.
    fn begin(&self, item: &Item, depth: usize, out: &mut Vec<Stmt>) {
        let inside = |n: usize| match item {
            Item::Leaf(m) => *m == n,
            Item::Loop { members, .. } => members.contains_key(&n),
        };
        for (x, slot) in &self.plan.slots {
            if slot.depth != depth || !inside(slot.first) {
                continue;
            }
            let var = self.home(*x);
            if self.vars[*x as usize].holds_indices {
                if slot.local {
                    out.push(Stmt::DeclareIndex { var, value: Affine::default() });
                }
            } else if let Some(value) = slot.fill {
                out.push(if slot.local {
                    Stmt::Declare { var, value: Expr::Number(value) }
                } else {
                    Stmt::Fill { var, value }
                });
            }
        }
    }

    /// The tests that can be made now: what is protected by an earlier condition waits for it.
    fn ready(&self, n: usize) -> Pred {
        let s = &self.states[n];
        let mut out = vec![];
        let mut waits = false;
        for c in &s.node.guard {
            if known(c, &s.fixed) && !(needs_others(c) && waits) {
                out.push(c.clone());
            } else {
                waits = true;
            }
        }
        out
    }

    /// `p` is tested: it need not be again.
    fn assume(&mut self, n: usize, p: &[Cond]) {
        let s = &mut self.states[n];
        s.node.guard.retain(|c| !p.contains(c));
        s.context.extend(p.iter().filter(|c| c.is_affine()).cloned());
    }

    /// `let k = e;` for what is known now: what reads an element waits for its tests.
    fn lets(&mut self, n: usize, out: &mut Vec<Stmt>) {
        let s = &mut self.states[n];
        let tested = s.node.guard.iter().all(|c| known(c, &s.fixed));
        let mut found = vec![];
        s.node.lets.retain(|(i, e)| {
            let now = known_form(e, &s.fixed) && (tested || !reads_element(e));
            if now {
                found.push((*i, e.clone()));
            }
            !now
        });
        for (i, e) in found {
            let s = &mut self.states[n];
            s.fixed.push(i);
            if !reads_element(&e) {
                s.context.push(Cond::Zero(minus(&i.affine(), &e)));
            }
            let value = self.affine(&e);
            out.push(Stmt::LetIndex { index: i, value });
        }
    }

    /// One loop, with what must stand around it.
    fn enter(&mut self, members: &Map<usize, Index>, kids: &[Item], depth: usize, out: &mut Vec<Stmt>) {
        let saved: Vec<(usize, State)> = members.keys().map(|n| (*n, self.states[*n].clone())).collect();
        let private: Vec<usize> =
            members.keys().copied().filter(|n| self.sums_privately(*n, depth)).collect();
        for n in &private {
            self.open_private(*n, out);
        }
        let first = saved[0].0;
        // Outside its array a node does nothing; elsewhere it may still have to write zeros.
        let mut common = self.ready(first);
        let wide = common.iter().any(|c| self.states[first].within.contains(c));
        if wide {
            common.retain(|c| self.states[first].within.contains(c));
        }
        let ready = |l: &Lower, n: usize| -> Pred {
            let mut p = l.ready(n);
            if p.iter().any(|c| l.states[n].within.contains(c)) {
                p.retain(|c| l.states[n].within.contains(c));
            }
            p
        };
        let hoist = !common.is_empty()
            && members.keys().all(|n| ready(self, *n) == common && (wide || self.may_hoist(*n)));
        let mut inner = vec![];
        if hoist {
            members.keys().for_each(|n| self.assume(*n, &common));
        }
        members.keys().for_each(|n| self.lets(*n, &mut inner));
        let here: Vec<(usize, State)> = members.keys().map(|n| (*n, self.states[*n].clone())).collect();
        self.each(members, kids, depth, &mut inner);
        for (n, s) in here {
            self.states[n] = s;
        }
        let mut after = vec![];
        for n in &private {
            // Where the tests do not hold an element is still written, if there is one.
            let is_there = self.is_free(*n) && !common.iter().any(|c| self.states[*n].within.contains(c));
            let place = if hoist && !is_there { &mut inner } else { &mut after };
            self.close_private(*n, hoist, place);
        }
        if hoist {
            let tests = self.tests(&common);
            out.push(Stmt::If { tests, body: inner, otherwise: vec![] });
        } else {
            out.append(&mut inner);
        }
        out.append(&mut after);
        for (n, s) in saved {
            self.states[n] = s;
        }
    }

    /// Whether a test may skip what is left of a node: not where that would leave elements unwritten.
    fn may_hoist(&self, n: usize) -> bool {
        !self.plan.assigns.contains(&n) || self.states[n].private.is_some()
    }

    /// Whether only sums are left from this depth on that the target does not depend on, and it is no local that may
    /// be added to directly.
    fn sums_privately(&self, n: usize, depth: usize) -> bool {
        let s = &self.states[n];
        let path = &self.plan.paths[n];
        let original = |k: usize| path[k].1;
        let own = |k: usize| {
            let i = original(k);
            s.node.is_sum(i) && !self.depends(n, i)
        };
        let inner = (depth..path.len()).all(own);
        let is_arg = matches!(s.node.kind, Kind::ArgExtreme(..));
        let local = self.plan.slots[&s.node.array.0].local && !is_arg;
        inner && s.private.is_none() && !local
    }

    /// Whether where a node writes depends on an index, through lets too.
    fn depends(&self, n: usize, i: Index) -> bool {
        let node = &self.states[n].node;
        let by = |a: &Affine, i: Index| a.mentions(&i.atom());
        node.target.iter().any(|a| by(a, i) || node.lets.iter().any(|(k, e)| by(a, *k) && by(e, i)))
    }

    /// Whether where a node writes is a loop of its own in each dimension: an equality determines none.
    fn is_free(&self, n: usize) -> bool {
        let s = &self.states[n];
        let entered = s.fixed.iter().zip(&self.plan.paths[n]);
        let gens: Vec<Index> = entered.filter(|(_, step)| !s.node.is_sum(step.1)).map(|(i, _)| *i).collect();
        let target: Set<Index> = s.node.target.iter().filter_map(bare).collect();
        target.len() == s.node.target.len()
            && target.iter().all(|i| gens.contains(i) && !s.solved.contains(i))
    }

    fn open_private(&mut self, n: usize, out: &mut Vec<Stmt>) {
        let (name, kind) =
            (self.f.array(self.states[n].node.array).name.clone(), self.states[n].node.kind.clone());
        let var = self.local(&name, false);
        let (start, at) = match &kind {
            Kind::Value(_) | Kind::Call(_) => (0.0, var),
            Kind::Extreme(Extreme::Max, _) => (f64::NEG_INFINITY, var),
            Kind::Extreme(Extreme::Min, _) => (f64::INFINITY, var),
            Kind::ArgExtreme(_, least, _) => {
                let at = self.local(&format!("{name}_at"), true);
                let mut value = self.affine(least);
                value.constant -= 1;
                out.push(Stmt::DeclareIndex { var: at, value });
                (f64::NAN, at)
            }
        };
        out.push(Stmt::Declare { var, value: Expr::Number(start) });
        self.states[n].private = Some((var, at));
    }

    /// Adds the private sum to where it belongs.
    fn close_private(&mut self, n: usize, tested: bool, out: &mut Vec<Stmt>) {
        let Some((var, at)) = self.states[n].private else { return };
        let free = self.is_free(n);
        // What could not be named before its tests stands where it is used.
        for (i, e) in self.states[n].node.lets.clone() {
            self.states[n].node.substitute(i, &e);
        }
        let target = self.target(n);
        let value = Expr::Read(Place { var, at: vec![] });
        let assigns = self.plan.assigns.contains(&n);
        let stmt = match &self.states[n].node.kind {
            Kind::ArgExtreme(_, least, _) => {
                let value = Affine::from(Atom::Element(at.0, vec![]));
                Stmt::AssignIndex { target, value, least: self.affine(least) }
            }
            Kind::Value(_) | Kind::Extreme(..) if assigns => Stmt::Assign { target, value },
            Kind::Value(_) | Kind::Call(_) => Stmt::Accumulate { target, value },
            Kind::Extreme(op, _) => Stmt::Extreme { op: *op, target, value },
        };
        // Where the target is determined by an equality it may be out of range unless its tests hold.
        let mut p = self.ready(n);
        if free {
            p.retain(|c| self.states[n].within.contains(c));
        } else {
            p.extend(self.target_range(n));
        }
        let tests = if tested && free { vec![] } else { self.tests(&p) };
        out.push(wrap(tests, vec![stmt], vec![]));
    }

    /// What is not known of the range of a target that equalities determine: the sums that entail it may be empty.
    fn target_range(&self, n: usize) -> Pred {
        let s = &self.states[n];
        let extents = &self.f.array(s.node.array).extents;
        let range = |(a, e): (&Affine, &Affine)| [Cond::NonNeg(a.clone()), super::range::less(a, e)];
        let all: Pred = s.node.target.iter().zip(extents).flat_map(range).collect();
        gist(&self.f, &all, &s.context).unwrap_or(all)
    }

    /// The loop itself.
    fn each(&mut self, members: &Map<usize, Index>, kids: &[Item], depth: usize, out: &mut Vec<Stmt>) {
        let (_, first) = members.iter().next().expect("a loop has members");
        self.indices.push(self.indices[first.0 as usize].clone());
        let index = Index(u32::try_from(self.indices.len() - 1).expect("fewer than 2³² indices"));
        let found: Vec<Option<Bounds>> = members.iter().map(|(n, i)| self.bounds(*n, *i)).collect();
        let range = self.join(members, &found).unwrap_or_else(|| self.no_range(members, index));
        for (n, i) in members {
            let s = &mut self.states[*n];
            s.node.substitute(*i, &index.affine());
            s.fixed.push(index);
            s.context.extend(range.conditions(index));
            // The ranges of gens that are open are not yet known.
            let open: Vec<Atom> = s
                .node
                .dims
                .iter()
                .map(|i| i.atom())
                .filter(|a| !s.fixed.iter().any(|j| j.atom() == *a))
                .collect();
            let given: Pred = s
                .context
                .iter()
                .chain(s.node.ranges.iter().filter(|c| open.iter().any(|a| c.mentions(a))))
                .cloned()
                .collect();
            if let Some(rest) = gist(&self.f, &s.node.guard, &given) {
                s.node.guard = rest;
            }
            let within: Pred = s.node.ranges.iter().filter(|c| known(c, &s.fixed)).cloned().collect();
            s.node.ranges.retain(|c| !within.contains(c));
            let rest = gist(&self.f, &within, &s.context).unwrap_or(within);
            s.within.extend(rest.iter().cloned());
            s.node.guard.splice(0..0, rest);
        }
        let body = self.block(kids, depth + 1);
        let bound = |b: &Bound| Bound { num: self.affine(&b.num), den: b.den };
        let lower = range.lower.iter().map(bound).collect();
        let upper = range.upper.iter().map(bound).collect();
        let step = range.step.map(|(a, k)| (self.affine(&a), k));
        out.push(Stmt::For { index, lower, upper, step, order: Order::Sequence, body });
    }

    /// The range of a loop that never runs; of another without a range the program says so.
    fn no_range(&mut self, members: &Map<usize, Index>, index: Index) -> Bounds {
        let never_runs = |n: &usize| {
            let State { node, context, .. } = &self.states[*n];
            never(&self.f, &[node.ranges.as_slice(), &node.guard].concat(), context)
        };
        if !members.keys().all(never_runs) {
            self.unbounded.push(self.indices[index.0 as usize].clone());
        }
        let end = |k: i64| vec![Bound { num: k.into(), den: 1 }];
        Bounds { lower: end(0), upper: end(-1), step: None }
    }

    /// The bounds of a loop of one node: of a gen by what is known of gens, of a sum by everything.
    fn bounds(&self, n: usize, i: Index) -> Option<Bounds> {
        let s = &self.states[n];
        let node = &s.node;
        let is_gen = !node.is_sum(i);
        let open_sum = |c: &Cond| node.sums().iter().any(|j| !self.entered(n, *j) && c.mentions(&j.atom()));
        let whole = matches!(node.kind, Kind::Extreme(..) | Kind::ArgExtreme(..));
        let counts = |c: &&Cond| !is_gen || !whole && !open_sum(c);
        let p: Pred = node.ranges.iter().chain(node.guard.iter().filter(counts)).cloned().collect();
        bounds(&self.f, &p, i, &s.fixed, &s.context)
    }

    fn entered(&self, n: usize, i: Index) -> bool {
        // An index is replaced by that of its loop on entry.
        let node = &self.states[n].node;
        let mentioned = |c: &Cond| c.mentions(&i.atom());
        !node.guard.iter().any(mentioned) && !node.ranges.iter().any(mentioned)
    }

    /// One range for all members: their common bounds, or what covers all of them.
    fn join(&self, members: &Map<usize, Index>, found: &[Option<Bounds>]) -> Option<Bounds> {
        let same = |f: &dyn Fn(&Bounds) -> Vec<Bound>| -> Option<Vec<Bound>> {
            let first = f(found[0].as_ref()?);
            found.iter().all(|b| b.as_ref().is_some_and(|b| f(b) == first)).then_some(first)
        };
        let step = found[0].as_ref().and_then(|b| b.step.clone());
        let step =
            step.filter(|s| found.iter().all(|b| b.as_ref().is_some_and(|b| b.step.as_ref() == Some(s))));
        let widest = |pick: &dyn Fn(&(Affine, Affine)) -> Affine, sign: i64| -> Option<Vec<Bound>> {
            let mut ends = members.iter().map(|(n, i)| self.extents.get(&(*n, *i)).map(pick));
            let mut best = ends.next()??;
            for e in ends {
                let e = e?;
                if constant_difference(&best, &e)? * sign > 0 {
                    best = e;
                }
            }
            Some(vec![Bound { num: best, den: 1 }])
        };
        let lower = same(&|b| b.lower.clone()).or_else(|| widest(&|e| e.0.clone(), -1))?;
        let upper = same(&|b| b.upper.clone()).or_else(|| widest(&|e| e.1.clone(), 1))?;
        Some(Bounds { lower, upper, step })
    }

    fn leaf(&mut self, n: usize, depth: usize, out: &mut Vec<Stmt>) {
        let saved = self.states[n].clone();
        // An `argmax` whose loops are all around it needs its private pair even so.
        let alone = matches!(saved.node.kind, Kind::ArgExtreme(..)) && saved.private.is_none() && depth == 0;
        if alone {
            self.open_private(n, out);
        }
        if let Some(d) = self.states[n].node.dense.clone() {
            // The range of the sum is that of the product.
            self.states[n].node.guard.retain(|c| !c.mentions(&d.inner.0.atom()));
        }
        let s = &self.states[n];
        let (within, guard): (Pred, Pred) = s.node.guard.iter().cloned().partition(|c| s.within.contains(c));
        let (within, tests) = (self.tests(&within), self.tests(&guard));
        let mut body = vec![];
        self.states[n].node.guard.clear();
        self.lets(n, &mut body);
        self.write(n, &mut body, out, tests.is_empty() && within.is_empty());
        let node = &self.states[n].node;
        let unwritten = self.plan.assigns.contains(&n) && node.sums().is_empty() && !tests.is_empty();
        let slot = &self.plan.slots[&node.array.0];
        match body.as_mut_slice() {
            // One store, of what is chosen.
            [Stmt::Assign { value, .. }] if unwritten && !slot.local => {
                let chosen = std::mem::replace(value, Expr::Number(0.0));
                *value = Expr::If(tests, Box::new(chosen));
                out.extend(wrap_all(within, body, vec![]));
            }
            [] => {}
            _ => {
                let zero = || Stmt::Assign { target: self.target(n), value: Expr::Number(0.0) };
                let otherwise = if unwritten && !slot.local { vec![zero()] } else { vec![] };
                out.extend(wrap_all(within, wrap_all(tests, body, otherwise), vec![]));
            }
        }
        self.states[n] = saved;
    }

    /// The value of a node to where it belongs. `plain`: no test stands around `body`.
    fn write(&mut self, n: usize, body: &mut Vec<Stmt>, out: &mut Vec<Stmt>, plain: bool) {
        let node = self.states[n].node.clone();
        if let Some(d) = &node.dense {
            body.push(self.product(n, d));
            return;
        }
        let private = self.states[n].private;
        let target = match private {
            Some((var, _)) => Place { var, at: vec![] },
            None => self.target(n),
        };
        let parts = match &node.kind {
            Kind::Value(parts) => parts,
            Kind::Extreme(op, e) => {
                body.push(Stmt::Extreme { op: *op, target, value: self.expr(e) });
                return;
            }
            Kind::Call(c) => {
                // What is not assigned is filled, and so declared, already.
                if self.plan.assigns.contains(&n) {
                    let local = |o: &&Out| self.plan.slots[&o.array.0].local;
                    let zero = |o: &Out| Stmt::Declare { var: VarId(o.array.0), value: Expr::Number(0.0) };
                    out.extend(c.outs.iter().filter(local).map(zero));
                }
                body.push(self.call(&node, c));
                return;
            }
            Kind::ArgExtreme(op, least, e) => {
                let Some((best, at)) = private else { return };
                let over = self.states[n].fixed.last().map_or(Affine::default(), |i| i.affine());
                let (first, value) = (self.affine(least), self.expr(e));
                body.push(Stmt::ArgExtreme { op: *op, best, at, first, value, index: over });
                return;
            }
        };
        let slot = self.plan.slots[&node.array.0].clone();
        let assigns = self.plan.assigns.contains(&n);
        if private.is_some() || !node.sums().is_empty() || !(assigns || slot.single) {
            self.add(&target, parts, body);
            return;
        }
        let simple = parts.iter().all(|p| p.guard.is_empty());
        let declares = slot.local && assigns;
        if declares && !(plain && simple) {
            out.push(Stmt::Declare { var: target.var, value: Expr::Number(0.0) });
        }
        if simple {
            let sum = parts.iter().map(|p| self.expr(&p.value));
            let value = sum.reduce(|a, b| Expr::Add(Box::new(a), Box::new(b))).unwrap_or(Expr::Number(0.0));
            body.push(if declares && plain {
                Stmt::Declare { var: target.var, value }
            } else {
                Stmt::Assign { target, value }
            });
        } else if slot.local {
            self.add(&target, parts, body);
        } else {
            let var = self.local(&self.f.array(node.array).name.clone(), false);
            body.push(Stmt::Declare { var, value: Expr::Number(0.0) });
            let sum = Place { var, at: vec![] };
            self.add(&sum, parts, body);
            body.push(Stmt::Assign { target, value: Expr::Read(sum) });
        }
    }

    fn call(&self, node: &Node, c: &Call) -> Stmt {
        let f = &self.f;
        c.lower(f, node, &|e| self.expr(e), &|x, at| {
            self.place(x, at.iter().map(|a| self.affine(a)).collect())
        })
    }

    fn product(&mut self, n: usize, d: &Dense) -> Stmt {
        let work = self.product_work();
        let place = |p: &Place| self.place(p.var.0, p.at.clone());
        Stmt::Product(Box::new(Product {
            rows: d.rows.clone(),
            cols: d.cols.clone(),
            inner: d.inner.clone(),
            c: self.target(n),
            a: place(&d.a),
            b: place(&d.b),
            scale: d.scale,
            adds: !self.plan.assigns.contains(&n),
            work,
        }))
    }

    /// The one buffer that all products of matrices use.
    fn product_work(&mut self) -> VarId {
        let name = "panels";
        if let Some(k) = self.work.iter().position(|b| b.name == name && b.extents == [PRODUCT_WORK.into()]) {
            let at = self.vars.iter().position(|v| v.storage == Storage::Work(k));
            return VarId(u32::try_from(at.unwrap_or_default()).expect("fewer than 2³² variables"));
        }
        let extents: Vec<Affine> = vec![PRODUCT_WORK.into()];
        let why = "blocks of the factors of products of matrices".to_string();
        let storage = Storage::Work(self.work.len());
        self.work.push(Buffer { name: name.into(), extents: extents.clone(), holds_indices: false });
        self.vars.push(Variable {
            name: name.into(),
            storage,
            extents,
            holds_indices: false,
            lanes: None,
            why,
        });
        VarId(u32::try_from(self.vars.len() - 1).expect("fewer than 2³² variables"))
    }

    fn add(&self, target: &Place, parts: &[Part], out: &mut Vec<Stmt>) {
        for p in parts {
            let stmt = Stmt::Accumulate { target: target.clone(), value: self.expr(&p.value) };
            out.push(wrap(self.tests(&p.guard), vec![stmt], vec![]));
        }
    }
}

/// `body` under tests.
fn wrap_all(tests: Vec<Test>, body: Vec<Stmt>, otherwise: Vec<Stmt>) -> Vec<Stmt> {
    if tests.is_empty() { body } else { vec![Stmt::If { tests, body, otherwise }] }
}

fn wrap(tests: Vec<Test>, mut body: Vec<Stmt>, otherwise: Vec<Stmt>) -> Stmt {
    match body.pop() {
        Some(s) if tests.is_empty() && body.is_empty() => s,
        last => {
            body.extend(last);
            Stmt::If { tests, body, otherwise }
        }
    }
}
