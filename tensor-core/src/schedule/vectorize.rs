//! Which loops run in lanes: several iterations at once, one in each lane of a vector.
//!
//! # Cost
//!
//! The unit is about a scalar operation; a size that is not literal counts as 100. These numbers are those of [`weights::cost`] and [`weights::nominal`].
//!
//! | what | in sequence | in lanes, for each vector of 8 |
//! | --- | --- | --- |
//! | operation | 1 | 1 |
//! | `exp ln sin …` / `tanh …` / `sqrt` / division | 16 / 24 / 8 / 6 | the same |
//! | read that moves with the lane by 1, or of what each lane has for itself in memory | | 0.5 |
//! | read that moves by another stride, store that does | | 4 |
//! | read that does not move | 0.5 | 0.06 |
//! | statement | 0.3 | 0.3 |
//! | sum over the lanes into an array | | 2.5 |
//! | iteration | 0.5 | 0.2 |
//! | read of a vector in a loop inside, far from the one before | | 1.5 more |
//! | loop | | 12 |
//!
//! A loop in sequence costs `N · (body + 0.5)`, where the body may have vectorized loops; one in lanes `⌈N / 8⌉ · body + 12`, or `N · body + 12` where N is below 8. The least is taken,
//! from the inside out. Before, a loop may fall apart into several, and a nest of loops around one sum may be reordered (see `nests`).

mod collapse;
mod count;
mod gather;
mod legal;
mod nests;
mod pack;

use super::range::minus;
use super::{Options, cost};
use crate::index::{Affine, Names};
use crate::loops::inside::inside;
use crate::loops::strips::Strips;
use crate::loops::{
    Bound, Buffer, Derived, Order, Program, Stmt, Storage, VarId, Variable, WIDEST, has_steps,
};
use crate::mark::{self, Mark};
use crate::sorted::{Map, Set};
use crate::ssa::Index;
use crate::weights;
use count::{real, rounded};

/// Chooses the vectorized loops, and what lives inside them.
pub(super) fn vectorize(mut p: Program, _: &Options) -> Program {
    let body = p.body.clone();
    let inside = inside(&p);
    let mut chooser =
        Chooser { program: &p, inside, middle: Map::new(), locals: vec![], work: vec![], indices: vec![] };
    let (body, _) = chooser.block(body);
    let body = chooser.pack(body);
    let mut chosen = Map::new();
    in_lanes(&body, &mut chosen);
    let private: Vec<(VarId, Index)> =
        chosen.keys().flat_map(|i| chooser.private(*i).into_iter().map(move |v| (v, *i))).collect();
    let (locals, work, indices) = (chooser.locals, chooser.work, chooser.indices);
    p.vars.extend(locals);
    p.work.extend(work);
    p.indices.extend(indices);
    for (v, i) in private {
        if p.var(v).lanes.is_none()
            && let Storage::Work(k) = p.var(v).storage
        {
            let lanes = lanes(&mut p, v, &chosen[&i]);
            p.work[k].extents.push(lanes);
        }
        p.vars[v.0 as usize].lanes = Some(i);
    }
    let before = std::mem::replace(&mut p.body, body);
    forget_reordered(&mut p, &before);
    p
}

/// How many lanes a loop runs in at most. Of what is long there is not room for more than are in use.
fn lanes(p: &mut Program, v: VarId, iterations: &Option<Affine>) -> Affine {
    let is_short = p.var(v).extents.iter().all(Affine::is_constant);
    match iterations {
        Some(n) if !is_short && !n.is_constant() => {
            let names = Names { sizes: p.function.sizes.clone(), ..Names::default() };
            p.derived_size(Derived::Lanes(n.clone()), format!("lanes({})", names.affine(n)))
        }
        _ => WIDEST.into(),
    }
}

/// What was outside and is not any more, since the order that lanes want is another one, has no reason to be.
fn forget_reordered(p: &mut Program, before: &[Stmt]) {
    let (mut was, mut is) = (Set::new(), Set::new());
    nested(before, &mut vec![], &mut was);
    nested(&p.body, &mut vec![], &mut is);
    let stays = |i: &Index| !was.iter().any(|(outer, inner)| outer == i && is.contains(&(*inner, *i)));
    p.outside.retain(|i, _| stays(i));
}

/// All pairs of a loop and one inside it.
fn nested(stmts: &[Stmt], around: &mut Vec<Index>, out: &mut Set<(Index, Index)>) {
    for s in stmts {
        let own = if let Stmt::For { index, .. } = s { Some(*index) } else { None };
        out.extend(own.iter().flat_map(|i| around.iter().map(|outer| (*outer, *i))));
        around.extend(own);
        s.blocks().into_iter().for_each(|b| nested(b, around, out));
        around.truncate(around.len() - usize::from(own.is_some()));
    }
}

/// Whether the iterations of a loop may run in any order, or statement by statement: what lives inside the loop is one array, that each iteration would
/// overwrite for all.
pub(super) fn independent(p: &Program, i: Index, body: &[Stmt]) -> bool {
    let inside = vec![None; p.vars.len()];
    let chooser =
        Chooser { program: p, inside, middle: Map::new(), locals: vec![], work: vec![], indices: vec![] };
    chooser.independent(i, body)
}

/// The indices of vectorized loops, and how many iterations each has, if sizes say that of the only loop of it.
fn in_lanes(stmts: &[Stmt], out: &mut Map<Index, Option<Affine>>) {
    for s in stmts {
        if let Stmt::For { index, lower, upper, order: Order::Lanes { .. }, .. } = s {
            let is_only = !out.contains_key(index);
            out.insert(*index, iterations(lower, upper).filter(|_| is_only));
        } else {
            s.blocks().into_iter().for_each(|block| in_lanes(block, out));
        }
    }
}

/// How many iterations a loop has, if sizes say that.
fn iterations(lower: &[Bound], upper: &[Bound]) -> Option<Affine> {
    let ([Bound { num: low, den: 1 }], [Bound { num: high, den: 1 }]) = (lower, upper) else { return None };
    let n = minus(high, low).step(1);
    n.indices().is_empty().then_some(n)
}

struct Chooser<'a> {
    program: &'a Program,
    /// For each variable, the loops that all its uses are inside of.
    inside: Vec<Option<Set<Index>>>,
    /// The middle of the range of each index.
    middle: Map<Index, f64>,
    /// Variables that nests have got beside those of the program.
    locals: Vec<Variable>,
    /// Likewise, buffers.
    work: Vec<Buffer>,
    /// Likewise, names of indices.
    indices: Vec<String>,
}

/// A loop with step 1, as its parts.
#[derive(Clone)]
struct Loop {
    index: Index,
    lower: Vec<Bound>,
    upper: Vec<Bound>,
    body: Vec<Stmt>,
}

impl Loop {
    fn stmt(self, order: Order) -> Stmt {
        let Loop { index, lower, upper, body } = self;
        Stmt::looped(index, lower, upper, None, order, body)
    }
}

/// How often the body of a vectorized loop runs for so many iterations.
fn vectors(n: f64) -> f64 {
    if n < weights::cost::VECTOR { n } else { (n / weights::cost::VECTOR).ceil() }
}

/// What a statement becomes, and what it costs.
type Choice = (Vec<Stmt>, f64);

impl Chooser<'_> {
    fn name(&self, i: Index) -> &str {
        let (old, i) = (self.program.indices.len(), i.0 as usize);
        if i < old { &self.program.indices[i] } else { &self.indices[i - old] }
    }

    fn variable(&mut self, v: Variable) -> VarId {
        let id = self.program.vars.len() + self.locals.len();
        self.locals.push(v);
        VarId(u32::try_from(id).expect("fewer than 2³² variables"))
    }

    fn new_index(&mut self, name: &str) -> Index {
        let id = self.program.indices.len() + self.indices.len();
        self.indices.push(name.to_string());
        Index(u32::try_from(id).expect("fewer than 2³² indices"))
    }

    fn block(&mut self, stmts: Vec<Stmt>) -> Choice {
        let (mut out, mut cost) = (vec![], 0.0);
        for s in stmts {
            let (s, c) = self.stmt(s);
            out.extend(s);
            cost += c;
        }
        (out, cost)
    }

    fn stmt(&mut self, s: Stmt) -> Choice {
        match s {
            Stmt::For { index, lower, upper, step, order: order @ Order::Steps(_), body, .. } => {
                let n = self.iterations(index, &lower, &upper);
                let (body, inner) = self.block(body);
                let steps = Stmt::looped(index, lower, upper, step, order, body);
                (vec![steps], n * (inner + weights::cost::ITERATION))
            }
            Stmt::For { index, lower, upper, step: None, order: _, body, .. } => {
                self.each(Loop { index, lower, upper, body })
            }
            Stmt::For { index, lower, upper, step: Some(step), order, body, .. } => {
                let n = self.iterations(index, &lower, &upper) / real(step.1);
                let (body, inner) = self.block(body);
                let step = Some(step);
                (
                    vec![Stmt::looped(index, lower, upper, step, order, body)],
                    n * (inner + weights::cost::ITERATION),
                )
            }
            Stmt::If { tests, body, otherwise } => {
                let of_tests: f64 = tests.iter().map(|t| cost::test(t, &cost::access)).sum();
                let (body, a) = self.block(body);
                let (otherwise, b) = self.block(otherwise);
                (vec![Stmt::If { tests, body, otherwise }], of_tests + a + b)
            }
            Stmt::Leaf(leaf) => {
                let taken = cost::leaf(self.program, &leaf, false, &cost::access);
                let cost = taken.total(|a| self.nominal(a));
                (vec![Stmt::Leaf(leaf)], cost)
            }
        }
    }

    /// The cheapest way to run a loop.
    fn each(&mut self, l: Loop) -> Choice {
        let n = self.iterations(l.index, &l.lower, &l.upper);
        let candidate = self.candidate(l.index, &l.body);
        // What steps inside carry lives in an iteration of the loop as it stands.
        let legal = candidate.is_some() && !has_steps(&l.body);
        let lanes = candidate.map(|c| vectors(n) * self.flat(&l.body, &c) + weights::cost::LANES);
        let (body, inner) = self.block(l.body.clone());
        let sequence = n * (inner + weights::cost::ITERATION);
        let mut best = match lanes.filter(|cost| *cost < sequence) {
            Some(cost) => {
                mark::hit(Mark::Lanes);
                let order = Order::Lanes {
                    cost: rounded(cost),
                    sequence: rounded(sequence),
                    straight: None,
                    strips: Strips::default(),
                };
                (self.long(&l, order.clone()).unwrap_or_else(|| vec![l.clone().stmt(order)]), cost)
            }
            None => (vec![Loop { body, ..l.clone() }.stmt(Order::Sequence)], sequence),
        };
        if legal {
            let others = [
                (Mark::LanesApart, self.apart(&l)),
                (Mark::LanesReordered, self.reordered(&l)),
                (Mark::LanesAsOne, self.collapsed(&l)),
            ];
            for (mark, other) in others {
                if let Some(other) = other.filter(|o| o.1 < weights::cost::BETTER * best.1) {
                    mark::hit(mark);
                    best = other;
                }
            }
        }
        best
    }
}
