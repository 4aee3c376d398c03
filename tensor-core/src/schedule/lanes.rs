//! Which loops run in lanes: several iterations at once, one in each lane of a vector.
//!
//! # Cost
//!
//! The unit is about a scalar operation; a size that is not literal counts as 100.
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
//! | loop | | 12 |
//!
//! A loop in sequence costs `N · (body + 0.5)`, where the body may have loops in lanes; one in lanes `⌈N / 8⌉ · body + 12`. The least is taken,
//! from the inside out.

use super::range::minus;
use crate::index::{Affine, Atom};
use crate::loops::visit::{How, Item, visit, visit_expr, visit_test};
use crate::loops::{Bound, Expr, Order, Place, Program, Stmt, Storage, Test, VarId};
use crate::prim::{Binary, Prim, Unary};
use crate::ssa::Index;
use std::collections::{BTreeMap, BTreeSet};

/// The most numbers that a vector of any instruction set holds.
const WIDEST: i64 = 64;

/// Chooses the loops in lanes, and what lives inside them.
pub(super) fn choose(p: &mut Program) {
    let body = std::mem::take(&mut p.body);
    let inside = inside(&body, &p.scalars, p.vars.len());
    let mut chooser = Chooser { program: p, inside, middle: BTreeMap::new(), chosen: vec![] };
    let (body, _) = chooser.block(body);
    let private: Vec<(VarId, Index)> =
        chooser.chosen.iter().flat_map(|i| chooser.private(*i).into_iter().map(move |v| (v, *i))).collect();
    for (v, i) in private {
        let var = &mut p.vars[v.0 as usize];
        if var.lanes.is_none()
            && let Storage::Work(k) = var.storage
        {
            p.work[k].extents.push(Affine::from(WIDEST));
        }
        var.lanes = Some(i);
    }
    p.body = body;
}

/// For each variable, the loops that all its uses are inside of.
fn inside(stmts: &[Stmt], scalars: &[Expr], vars: usize) -> Vec<Option<BTreeSet<Index>>> {
    fn walk(stmts: &[Stmt], around: &mut Vec<Index>, out: &mut [Option<BTreeSet<Index>>]) {
        for s in stmts {
            match s {
                Stmt::For { index, body, .. } => {
                    around.push(*index);
                    walk(body, around, out);
                    around.pop();
                }
                Stmt::If { tests, body, otherwise } => {
                    tests.iter().for_each(|t| visit_test(t, &mut |item| note(&item, around, out)));
                    walk(body, around, out);
                    walk(otherwise, around, out);
                }
                Stmt::LetIndex { .. }
                | Stmt::Declare { .. }
                | Stmt::DeclareIndex { .. }
                | Stmt::Assign { .. }
                | Stmt::Accumulate { .. }
                | Stmt::Extreme { .. }
                | Stmt::ArgExtreme { .. }
                | Stmt::AssignIndex { .. }
                | Stmt::Fill { .. } => {
                    visit(std::slice::from_ref(s), &mut |item| note(&item, around, out));
                }
            }
        }
    }
    fn note(item: &Item<'_>, around: &[Index], out: &mut [Option<BTreeSet<Index>>]) {
        let v = match item {
            Item::Declared(v) | Item::Filled(v) => v.0,
            Item::Place(p, _) => p.var.0,
            Item::Element(v, _) => *v,
            Item::Bound(_) | Item::Form(_) | Item::Decides(_) | Item::OfIndices => return,
        };
        let here: BTreeSet<Index> = around.iter().copied().collect();
        let slot = &mut out[v as usize];
        *slot = Some(match slot.take() {
            None => here,
            Some(before) => before.intersection(&here).copied().collect(),
        });
    }
    let mut out = vec![None; vars];
    walk(stmts, &mut vec![], &mut out);
    scalars.iter().for_each(|e| visit_expr(e, &mut |item| note(&item, &[], &mut out)));
    out
}

struct Chooser<'a> {
    program: &'a Program,
    /// See [`inside`].
    inside: Vec<Option<BTreeSet<Index>>>,
    /// The middle of the range of each index.
    middle: BTreeMap<Index, f64>,
    /// The loops that are in lanes.
    chosen: Vec<Index>,
}

/// A loop that may run in lanes.
struct Candidate {
    index: Index,
    /// What each lane has for itself.
    own: BTreeSet<VarId>,
}

impl Chooser<'_> {
    /// The block with its loops chosen, and its cost in sequence.
    fn block(&mut self, stmts: Vec<Stmt>) -> (Vec<Stmt>, f64) {
        let (mut out, mut cost) = (vec![], 0.0);
        for s in stmts {
            let (s, c) = self.stmt(s);
            out.push(s);
            cost += c;
        }
        (out, cost)
    }

    fn stmt(&mut self, s: Stmt) -> (Stmt, f64) {
        match s {
            Stmt::For { index, lower, upper, step, order: _, body } => {
                let n = self.iterations(index, &lower, &upper) / step.as_ref().map_or(1.0, |s| real(s.1));
                let candidate = if step.is_none() { self.candidate(index, &body) } else { None };
                let lanes = candidate.map(|c| (n / 8.0).ceil() * self.flat(&body, &c) + 12.0);
                let (before, seen) = (body.clone(), self.chosen.len());
                let (body, inner) = self.block(body);
                let sequence = n * (inner + 0.5);
                match lanes.filter(|l| *l < sequence) {
                    Some(cost) => {
                        self.chosen.truncate(seen);
                        self.chosen.push(index);
                        let order = Order::Lanes { cost: rounded(cost), sequence: rounded(sequence) };
                        (Stmt::For { index, lower, upper, step, order, body: before }, cost)
                    }
                    None => {
                        (Stmt::For { index, lower, upper, step, order: Order::Sequence, body }, sequence)
                    }
                }
            }
            Stmt::If { tests, body, otherwise } => {
                let of_tests: f64 = tests.iter().map(|t| self.test(t, None)).sum();
                let (body, a) = self.block(body);
                let (otherwise, b) = self.block(otherwise);
                (Stmt::If { tests, body, otherwise }, of_tests + a + b)
            }
            Stmt::LetIndex { .. }
            | Stmt::Declare { .. }
            | Stmt::DeclareIndex { .. }
            | Stmt::Assign { .. }
            | Stmt::Accumulate { .. }
            | Stmt::Extreme { .. }
            | Stmt::ArgExtreme { .. }
            | Stmt::AssignIndex { .. }
            | Stmt::Fill { .. } => {
                let cost = self.leaf(&s, None);
                (s, cost)
            }
        }
    }

    /// How often a loop runs.
    fn iterations(&mut self, i: Index, lower: &[Bound], upper: &[Bound]) -> f64 {
        let value = |b: &Bound| self.nominal(&b.num) / real(b.den);
        let low = lower.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
        let high = upper.iter().map(value).fold(f64::INFINITY, f64::min);
        let counts = lower.iter().flat_map(|a| upper.iter().map(move |b| (a, b)));
        let counts = counts.map(|(a, b)| match (a.den, b.den) {
            (1, 1) => self.nominal(&larger(&b.num, &a.num)) + 1.0,
            _ => value(b) - value(a) + 1.0,
        });
        let count = counts.fold(f64::INFINITY, f64::min).max(1.0);
        self.middle.insert(i, f64::midpoint(low, high));
        count
    }

    /// Each size counted as 100, each index as the middle of its range.
    fn nominal(&self, a: &Affine) -> f64 {
        real(a.constant) + a.terms.iter().map(|(t, c)| real(*c) * self.nominal_atom(t)).sum::<f64>()
    }

    fn nominal_atom(&self, t: &Atom) -> f64 {
        match t {
            Atom::Size(_) | Atom::Element(..) => 100.0,
            Atom::Index(i) => self.middle.get(&Index(*i)).copied().unwrap_or(50.0),
            Atom::Floor(e, k) => (self.nominal(e) / real(*k)).floor(),
            Atom::Product(fs) => fs.iter().map(|t| self.nominal_atom(t)).product(),
        }
    }

    /// Work buffers that live inside a loop, without its index.
    fn private(&self, i: Index) -> BTreeSet<VarId> {
        let all = (0..).zip(&self.program.vars).zip(&self.inside);
        let lives = all.filter(|((_, v), inside)| {
            matches!(v.storage, Storage::Work(_) | Storage::Local)
                && !v.holds_indices
                && inside.as_ref().is_some_and(|s| s.contains(&i))
        });
        lives.map(|((k, _), _)| VarId(k)).collect()
    }

    /// The loop, if its iterations may run in lanes: the invariant of the loop IR.
    fn candidate(&self, i: Index, body: &[Stmt]) -> Option<Candidate> {
        let atom = i.atom();
        let mut own = self.private(i);
        let (mut bound, mut legal) = (vec![], true);
        let mut places: BTreeMap<VarId, Vec<(Place, How)>> = BTreeMap::new();
        visit(body, &mut |item| match item {
            Item::Bound(j) => bound.push(j),
            Item::Declared(v) => {
                own.insert(v);
            }
            Item::Filled(v) => legal &= own.contains(&v),
            Item::Place(p, how) => places.entry(p.var).or_default().push((p.clone(), how)),
            Item::Element(_, at) => legal &= !at.iter().any(|a| a.mentions(&atom)),
            Item::Form(a) => legal &= moves_evenly(a, &atom),
            Item::Decides(a) => legal &= !a.mentions(&atom),
            Item::OfIndices => legal = false,
        });
        for (v, uses) in &places {
            let moves = |p: &Place| p.at.iter().any(|a| a.mentions(&atom));
            if own.contains(v) {
                if uses.iter().any(|u| moves(&u.0)) {
                    // Not a copy for each lane, but elements of one array.
                    own.remove(v);
                } else {
                    continue;
                }
            }
            legal &= apart(uses, &atom, &bound);
        }
        let whole = |s: &Stmt| self.chooses_evenly(s, &Candidate { index: i, own: own.clone() });
        (legal && body.iter().all(whole)).then_some(Candidate { index: i, own })
    }

    /// Whether tests that differ from lane to lane stand where a selection can take their place.
    fn chooses_evenly(&self, s: &Stmt, c: &Candidate) -> bool {
        let lanes = |t: &Test| depends_test(t, c);
        match s {
            Stmt::For { body, .. } => body.iter().all(|s| self.chooses_evenly(s, c)),
            Stmt::If { tests, body, otherwise } => {
                let mixed = tests.iter().any(lanes) && !tests.iter().all(lanes) && !otherwise.is_empty();
                !mixed
                    && tests.iter().all(|t| selectable(t, c))
                    && body.iter().chain(otherwise).all(|s| self.chooses_evenly(s, c))
            }
            Stmt::Declare { value, .. }
            | Stmt::Assign { value, .. }
            | Stmt::Accumulate { value, .. }
            | Stmt::Extreme { value, .. } => selectable_expr(value, c),
            Stmt::LetIndex { .. }
            | Stmt::DeclareIndex { .. }
            | Stmt::ArgExtreme { .. }
            | Stmt::AssignIndex { .. }
            | Stmt::Fill { .. } => true,
        }
    }

    /// The cost of a body in lanes, for each vector.
    fn flat(&mut self, stmts: &[Stmt], c: &Candidate) -> f64 {
        let mut cost = 0.0;
        for s in stmts {
            cost += match s {
                Stmt::For { index, lower, upper, step, body, .. } => {
                    let n = self.iterations(*index, lower, upper) / step.as_ref().map_or(1.0, |s| real(s.1));
                    n * (self.flat(body, c) + 0.2)
                }
                Stmt::If { tests, body, otherwise } => {
                    let of_tests: f64 = tests.iter().map(|t| self.test(t, Some(c))).sum();
                    of_tests + self.flat(body, c) + self.flat(otherwise, c)
                }
                Stmt::LetIndex { .. }
                | Stmt::Declare { .. }
                | Stmt::DeclareIndex { .. }
                | Stmt::Assign { .. }
                | Stmt::Accumulate { .. }
                | Stmt::Extreme { .. }
                | Stmt::ArgExtreme { .. }
                | Stmt::AssignIndex { .. }
                | Stmt::Fill { .. } => self.leaf(s, Some(c)),
            }
        }
        cost
    }

    /// The cost of a statement without others inside.
    fn leaf(&mut self, s: &Stmt, c: Option<&Candidate>) -> f64 {
        let of = |e: &Expr| 0.3 + operations(e) + self.reads(|f| visit_expr(e, f), c);
        match s {
            Stmt::Declare { value, .. } => of(value),
            Stmt::Assign { target, value } => of(value) + self.access(target, c),
            Stmt::Accumulate { target, value } | Stmt::Extreme { target, value, .. } => {
                let summed = c.is_some_and(|c| !target.at.is_empty() && !c.depends_place(target));
                of(value) + 1.0 + self.access(target, c) + if summed { 2.5 } else { 0.0 }
            }
            Stmt::ArgExtreme { value, .. } => of(value) + 1.0,
            Stmt::Fill { var, .. } => {
                let extents = &self.program.var(*var).extents;
                extents.iter().map(|e| self.nominal(e)).product::<f64>() * if c.is_some() { 1.0 } else { 0.12 }
            }
            Stmt::LetIndex { .. } | Stmt::DeclareIndex { .. } | Stmt::AssignIndex { .. } => 0.3,
            Stmt::For { .. } | Stmt::If { .. } => 0.0,
        }
    }

    fn test(&self, t: &Test, c: Option<&Candidate>) -> f64 {
        1.0 + self.reads(|f| visit_test(t, f), c)
    }

    fn reads(&self, walk: impl Fn(&mut dyn FnMut(Item<'_>)), c: Option<&Candidate>) -> f64 {
        let mut cost = 0.0;
        walk(&mut |item| {
            if let Item::Place(p, How::Read) = item {
                cost += self.access(p, c);
            }
        });
        cost
    }

    /// A read or write of a place.
    fn access(&self, p: &Place, c: Option<&Candidate>) -> f64 {
        let Some(c) = c else { return if p.at.is_empty() { 0.0 } else { 0.5 } };
        if p.at.is_empty() {
            return 0.0;
        }
        if c.own.contains(&p.var) {
            return 0.5;
        }
        match stride(p, &c.index.atom()) {
            Stride::None => 0.06,
            Stride::One | Stride::Back => 0.5,
            Stride::Far => 4.0,
        }
    }
}

impl Candidate {
    fn depends_place(&self, p: &Place) -> bool {
        self.own.contains(&p.var) || p.at.iter().any(|a| a.mentions(&self.index.atom()))
    }
}

/// How a place moves from lane to lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stride {
    /// Not at all.
    None,
    /// To the next element.
    One,
    /// To the element before.
    Back,
    /// By another number of elements.
    Far,
}

/// See [`Stride`].
pub(crate) fn stride(p: &Place, lane: &Atom) -> Stride {
    let Some((last, rest)) = p.at.split_last() else { return Stride::None };
    let outer = rest.iter().any(|a| a.mentions(lane));
    match (outer, last.coeff(lane)) {
        (false, 0) => Stride::None,
        (false, 1) => Stride::One,
        (false, -1) => Stride::Back,
        _ => Stride::Far,
    }
}

/// Whether a form is affine in an index: not inside a quotient, a product or an element.
fn moves_evenly(a: &Affine, atom: &Atom) -> bool {
    a.terms.iter().all(|(t, _)| t == atom || !t.mentions(atom))
}

/// Whether the iterations of a loop do not meet in what they do with one array: each has elements of its own, or all only add to it.
fn apart(uses: &[(Place, How)], atom: &Atom, bound: &[Index]) -> bool {
    if uses.iter().all(|u| u.1 == How::Read) {
        return true;
    }
    let own = |p: &Place| {
        let moving: Vec<_> = p.at.iter().enumerate().filter(|(_, a)| a.mentions(atom)).collect();
        let fixed = |a: &Affine| !bound.iter().any(|j| a.mentions(&j.atom()));
        (!moving.is_empty() && moving.iter().all(|(_, a)| fixed(a))).then_some(moving.len()).map(|_| {
            moving.into_iter().map(|(d, a)| (d, a.clone())).collect::<Vec<_>>()
        })
    };
    let first = own(&uses[0].0);
    if first.is_some() && uses.iter().all(|u| own(&u.0) == first) {
        return true;
    }
    let moves = |p: &Place| p.at.iter().any(|a| a.mentions(atom));
    let alike = uses.iter().all(|u| moves(&u.0) == moves(&uses[0].0));
    alike && uses.iter().all(|u| u.1 == How::Combine)
}

/// `b - a`, without the sizes that are taken away where others stay: of `n - m`, n counts as much the larger.
fn larger(b: &Affine, a: &Affine) -> Affine {
    let mut d = minus(b, a);
    let is_size = |t: &Atom| !t.any_atom(&|t| matches!(t, Atom::Index(_)));
    if d.terms.iter().any(|(t, c)| is_size(t) && *c > 0) {
        d.terms.retain(|(t, c)| !is_size(t) || *c > 0);
    }
    d
}

fn depends_test(t: &Test, c: &Candidate) -> bool {
    let mut depends = false;
    visit_test(t, &mut |item| {
        if let Item::Place(p, _) = item {
            depends |= c.depends_place(p);
        }
    });
    depends
}

/// Whether a test that differs from lane to lane asks of reals alone: what it reads is in range wherever it stands.
fn selectable(t: &Test, c: &Candidate) -> bool {
    match t {
        Test::Index(_) => true,
        Test::Real { left, right, .. } => selectable_expr(left, c) && selectable_expr(right, c),
        Test::Any(ps) => {
            let of_indices = |t: &Test| matches!(t, Test::Index(_));
            !depends_test(t, c) || ps.iter().flatten().all(|t| !of_indices(t) && selectable(t, c))
        }
    }
}

fn selectable_expr(e: &Expr, c: &Candidate) -> bool {
    match e {
        Expr::Number(_) | Expr::Constant(_) | Expr::OfIndex(_) | Expr::Read(_) => true,
        Expr::Neg(a) => selectable_expr(a, c),
        Expr::Add(a, b) | Expr::Mul(a, b) => selectable_expr(a, c) && selectable_expr(b, c),
        Expr::Call(_, args) => args.iter().all(|a| selectable_expr(a, c)),
        Expr::If(tests, a) => tests.iter().all(|t| selectable(t, c)) && selectable_expr(a, c),
    }
}

/// Operations of an expression, by their time.
fn operations(e: &Expr) -> f64 {
    match e {
        Expr::Number(_) | Expr::Constant(_) | Expr::OfIndex(_) | Expr::Read(_) => 0.0,
        Expr::Neg(a) | Expr::If(_, a) => operations(a),
        Expr::Add(a, b) | Expr::Mul(a, b) => 1.0 + operations(a) + operations(b),
        Expr::Call(f, args) => weight(f) + args.iter().map(operations).sum::<f64>(),
    }
}

fn weight(f: &Prim) -> f64 {
    match f {
        Prim::Unary(Unary::Abs | Unary::Signum | Unary::Floor | Unary::Ceil | Unary::Round)
        | Prim::Binary(Binary::Max | Binary::Min)
        | Prim::Clamp
        | Prim::Stop
        | Prim::FiniteOrZero => 1.0,
        Prim::Unary(Unary::Recip) | Prim::Binary(Binary::Div) => 6.0,
        Prim::Unary(Unary::Sqrt) => 8.0,
        Prim::Unary(Unary::Exp | Unary::Exp2 | Unary::Ln | Unary::Log2 | Unary::Log10 | Unary::Sin | Unary::Cos) => 16.0,
        Prim::Powi(_) => 4.0,
        Prim::Unary(_) | Prim::Binary(_) => 24.0,
        Prim::Formula(_) => 3.0,
    }
}

#[allow(clippy::cast_precision_loss)]
fn real(k: i64) -> f64 {
    k as f64
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn rounded(x: f64) -> u64 {
    x.round() as u64
}
