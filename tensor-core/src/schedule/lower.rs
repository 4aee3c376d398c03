//! The tree of loops to statements.

mod each;
mod enter;
mod leaf;

use super::fuse::Item;
use super::node::{Node, extent, tests, value};
use super::range::{entails, known, known_form, may_be_asked, minus, reads_element};
use super::storage::Plan;
use crate::ast::Keep;
use crate::index::project::seen_without;
use crate::index::{Affine, Atom, Cond, Pred};
use crate::loops::outside::Reasons;
use crate::loops::walk::map_elements;
use crate::loops::{Buffer, Expr, Leaf, Place, Program, Stmt, Storage, Test, VarId, Variable};
use crate::sorted::{self, Map};
use crate::ssa::{Access, ArrayId, ArrayKind, Function, Index};

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
    /// By node: the arrays that are first used by it.
    begins: Map<usize, Vec<u32>>,
    vars: Vec<Variable>,
    states: Vec<State>,
    work: Vec<Buffer>,
    /// The ranges of the loops of each node by sizes alone.
    extents: Map<(usize, Index), (Affine, Affine)>,
    /// What [`Program::unbounded`] says.
    unbounded: Vec<String>,
    /// What [`Program::outside`] says.
    outside: Reasons,
    /// What [`Program::checkpoints`] says.
    checkpoints: Vec<(Index, Keep)>,
}

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
    let mut begins: Map<usize, Vec<u32>> = Map::new();
    for (x, slot) in &plan.slots {
        begins.entry(slot.first).or_default().push(*x);
    }
    let mut l = Lower {
        begins,
        vars: vec![],
        states: nodes.into_iter().map(state).collect(),
        f,
        indices,
        plan,
        work: vec![],
        extents,
        unbounded: vec![],
        outside: Reasons::new(),
        checkpoints: vec![],
    };
    l.work = l.variables();
    let body = l.block(tree, 0);
    let rank = |r: &crate::ssa::ArrayId| l.f.array(*r).extents.len();
    let scalar = |r| l.expr(&value(&l.f, &Access { array: r, at: vec![] }));
    let scalars = l.f.results.iter().filter(|r| rank(r) == 0).map(|r| scalar(*r)).collect();
    let Lower { f: function, indices, plan, vars, work, unbounded, outside, checkpoints, .. } = l;
    let shares = plan.alias.iter().map(|(x, y)| (VarId(*x), VarId(*y))).collect();
    let (blocks, threads) = (vec![], false);
    Program {
        function,
        work,
        vars,
        indices,
        body,
        scalars,
        unbounded,
        outside,
        shares,
        checkpoints,
        derived: vec![],
        blocks,
        padded: vec![],
        threads,
    }
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
                } else if !slot.local {
                    v.storage = Storage::Work(work.len());
                    let extents = v.extents.clone();
                    work.push(Buffer { name: v.name.clone(), extents, holds_indices });
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

    fn kept(&self, x: u32, at: Vec<Affine>) -> Vec<Affine> {
        let Some(slot) = self.plan.slots.get(&x) else { return at };
        at.into_iter().enumerate().filter(|(d, _)| !slot.dropped.contains(d)).map(|(_, a)| a).collect()
    }

    fn affine(&self, a: &Affine) -> Affine {
        map_elements(a, &|x, at| Atom::Element(x, self.kept(x, at)))
    }

    fn expr(&self, e: &Expr) -> Expr {
        e.map(&mut |a| self.affine(a), &mut |p| self.place(p.var.0, p.at))
    }

    fn place(&self, x: u32, at: Vec<Affine>) -> Place {
        Place { var: VarId(x), at: self.kept(x, at) }
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
                Item::Loop(l) => self.enter(l, depth, &mut out),
            }
        }
        out
    }

    /// Fills or declares what begins here.
    fn begin(&self, item: &Item, depth: usize, out: &mut Vec<Stmt>) {
        let first_in = |n: &usize| self.begins.get(n).into_iter().flatten().copied();
        let mut here: Vec<u32> = match item {
            Item::Leaf(n) => first_in(n).collect(),
            Item::Loop(l) => l.members.keys().flat_map(first_in).collect(),
        };
        sorted::sort(&mut here);
        for (x, slot) in here.iter().map(|x| (x, &self.plan.slots[x])) {
            if slot.depth != depth {
                continue;
            }
            let var = VarId(*x);
            if self.vars[*x as usize].holds_indices {
                if slot.local {
                    out.push(Stmt::Leaf(Leaf::DeclareIndex { var, value: Affine::default() }));
                }
            } else if let Some(value) = slot.fill {
                out.push(if slot.local {
                    Stmt::Leaf(Leaf::Declare { var, value: Expr::Number(value) })
                } else {
                    Stmt::Leaf(Leaf::Fill { var, value })
                });
            }
        }
    }

    /// The tests that can be made now. What reads waits for those before it, and until what it reads is in range: what said so may be
    /// the range of a loop that is not entered yet.
    fn ready(&self, n: usize) -> Pred {
        let s = &self.states[n];
        let mut out = vec![];
        let mut waits = false;
        for c in &s.node.guard {
            let now = known(c, &s.fixed)
                && (s.node.times.is_empty() || !self.asks_of_members(c))
                && (c.is_total()
                    || !waits && may_be_asked(&self.f, c, &[&s.context, out.as_slice()].concat()));
            if now {
                if self.asks_of_some(c) {
                    let some = self.inner_loops(n);
                    out.extend(some.into_iter().filter(|c| !entails(&self.f, &s.context, &[], c)));
                }
                out.push(c.clone());
            } else {
                waits = true;
            }
        }
        out
    }

    /// Whether a condition reads what steps compute.
    fn asks_of_members(&self, c: &Cond) -> bool {
        let mut found = false;
        let is_member = |a: ArrayId| self.f.definition(a).is_some_and(|s| s.step.is_some());
        self.f.each_compared(c, &mut |a| found |= is_member(a.array));
        found || self.f.elements_in(c.affines()).iter().any(|a| is_member(a.array))
    }

    /// Whether a condition compares what is computed for some sizes only.
    fn asks_of_some(&self, c: &Cond) -> bool {
        let mut some = false;
        self.f.each_compared(c, &mut |a| {
            let guards = self.f.definition(a.array).map_or(vec![], |s| s.rhs.guards());
            some |= guards.into_iter().flatten().any(Cond::is_of_sizes);
        });
        some
    }

    /// What holds of sizes where the loops that a node still enters run: a test of what is computed for them alone may stand outside.
    fn inner_loops(&self, n: usize) -> Pred {
        let s = &self.states[n];
        let total = s.node.ranges.iter().chain(&s.node.guard).filter(|c| c.is_total());
        let is_open = |a: &Atom| matches!(a, Atom::Index(i) if !s.fixed.contains(&Index(*i)));
        let mut all = seen_without(&total.cloned().collect::<Pred>(), &is_open);
        all.retain(Cond::is_of_sizes);
        all
    }

    /// `p` is tested: it need not be again.
    fn assume(&mut self, n: usize, p: &[Cond]) {
        let s = &mut self.states[n];
        s.node.guard.retain(|c| !p.contains(c));
        s.context.extend(p.iter().filter(|c| c.is_affine()).cloned());
    }

    /// `let k = e;` for what is known now: what reads an element waits for its tests, and for the loops that say that it is there; at the last,
    /// behind all of these, nothing waits.
    fn lets(&mut self, n: usize, out: &mut Vec<Stmt>, is_last: bool) {
        let f = &self.f;
        let s = &mut self.states[n];
        // A test that could be made here may yet have to wait for what else is in the loop.
        let tested = s.node.guard.is_empty();
        let is_there = |a: &Access| {
            f.in_range(a).is_some_and(|range| range.iter().all(|c| entails(f, &s.context, &[], c)))
        };
        let mut found = vec![];
        s.node.lets.retain(|(i, e)| {
            let may_be_read =
                || !reads_element(e) || is_last || tested && f.elements_in([e]).iter().all(is_there);
            let now = known_form(e, &s.fixed) && may_be_read();
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
            out.push(Stmt::Leaf(Leaf::LetIndex { index: i, value }));
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
