//! Loops that are rebuilt before the order of their iterations is chosen.
//!
//! ```text
//! for i { A; B }  →  for i { A }; for i { B }     where B needs nothing of A that lives inside the loop
//! for i { for k { x[k] += e } }  →  for k { let s = 0; for i { s += e }; x[k] += s }
//! ```
//!
//! A long sum of the second kind runs in blocks, for each of which all elements of the result get their share: what it reads stays in the cache.

use super::{Choice, Chooser, Loop, vectors};
use crate::index::affine::floor;
use crate::index::{Affine, Atom, Cond};
use crate::loops::names::seams;
use crate::loops::strips::Strips;
use crate::loops::{Bound, Expr, Leaf, Order, Place, Stmt, Storage, Test, VarId, Variable};
use crate::schedule::range::{minus, reads_element};
use crate::ssa::Index;
use crate::weights;

impl Chooser<'_> {
    /// A loop whose iterations are independent, as one loop for each part of its body that needs nothing of another but what is stored.
    pub(super) fn apart(&mut self, l: &Loop) -> Option<Choice> {
        let cuts = seams(&l.body, &self.private(l.index));
        if cuts.is_empty() {
            return None;
        }
        let (mut out, mut total): (Vec<Stmt>, f64) = (vec![], 0.0);
        for (from, to) in std::iter::once(&0).chain(&cuts).zip(cuts.iter().chain([&l.body.len()])) {
            let part = Loop { body: l.body[*from..*to].to_vec(), ..l.clone() };
            let (stmts, cost) = self.each(part);
            total += cost;
            out = joined(out, stmts, l.index);
        }
        Some((out, total))
    }

    /// A nest around one sum with a loop over elements of the result in lanes, and the sums inside, each lane adding up by itself.
    pub(super) fn reordered(&mut self, l: &Loop) -> Option<Choice> {
        let (loops, target, value) = nest(l)?;
        let is_free = |l: &Loop| target.moves(l.index);
        let (free, sums): (Vec<Loop>, Vec<Loop>) = loops.into_iter().partition(is_free);
        if sums.is_empty() || free.is_empty() {
            return None;
        }
        let mut best: Option<Choice> = None;
        for k in 0..free.len() {
            let (stmt, cost) = self.summed(&free, k, &sums, &target, &value)?;
            if best.as_ref().is_none_or(|b| cost < b.1) {
                best = Some((vec![stmt], cost));
            }
        }
        let (mut stmts, cost) = best?;
        // Of what loops around the store said, its range may be left.
        let tests = if self.is_within(&free, &target) { vec![] } else { not_empty(&sums)? };
        if let Some((block, inner)) = self.blocks(&sums[0]) {
            narrow(&mut stmts, &inner);
            stmts = vec![Loop { body: stmts, ..block }.stmt(Order::Sequence)];
        }
        if !tests.is_empty() {
            stmts = vec![Stmt::If { tests, body: stmts, otherwise: vec![] }];
        }
        Some((stmts, cost))
    }

    /// Whether a place is in range by some loops alone, to be seen from their bounds.
    fn is_within(&self, loops: &[Loop], place: &Place) -> bool {
        let never_negative = |a: &Affine| {
            a.constant >= 0 && a.terms.iter().all(|(t, c)| matches!(t, Atom::Size(_)) && *c >= 0)
        };
        let extents = &self.program.var(place.var).extents;
        place.at.iter().zip(extents).all(|(at, extent)| {
            let Some(l) = loops.iter().find(|l| *at == l.index.affine()) else { return false };
            let whole = |b: &&Bound| b.den == 1;
            l.lower.iter().filter(whole).any(|b| never_negative(&b.num))
                && l.upper.iter().filter(whole).any(|b| never_negative(&minus(extent, &b.num).step(-1)))
        })
    }

    /// A vectorized loop around one long sum: its blocks, with all lanes inside each, if there is more than one of them.
    pub(super) fn long(&mut self, l: &Loop, order: Order) -> Option<Vec<Stmt>> {
        let [Stmt::Leaf(Leaf::Declare { .. }), sum, last] = l.body.as_slice() else { return None };
        let Stmt::For { index, lower, upper, step: None, order: Order::Sequence, body, .. } = sum else {
            return None;
        };
        let Stmt::Leaf(Leaf::Assign { target, value } | Leaf::Accumulate { target, value }) = last else {
            return None;
        };
        let sum = Loop { index: *index, lower: lower.clone(), upper: upper.clone(), body: body.clone() };
        // An element may be there only where the loop around runs.
        let moves = |b: &Bound| b.num.mentions(&l.index.atom()) || reads_element(&b.num);
        let simple =
            matches!(body.as_slice(), [Stmt::Leaf(Leaf::Accumulate { .. })]) && !target.at.is_empty();
        if !simple || lower.iter().chain(upper).any(moves) {
            return None;
        }
        let (block, inner) = self.blocks(&sum)?;
        let mut share = l.body.clone();
        share[2] = Stmt::Leaf(Leaf::Accumulate { target: target.clone(), value: value.clone() });
        narrow(&mut share, &inner);
        let shares = Loop { body: share, ..l.clone() }.stmt(order.clone());
        let mut longer = block.upper[0].num.clone();
        longer.constant -= weights::vectorize::TERMS;
        let mut blocks = vec![Loop { body: vec![shares], ..block }.stmt(Order::Sequence)];
        if let Stmt::Leaf(Leaf::Assign { target, .. }) = last {
            let zero = Stmt::Leaf(Leaf::Assign { target: target.clone(), value: Expr::Number(0.0) });
            blocks.insert(0, Loop { body: vec![zero], ..l.clone() }.stmt(order.clone()));
        }
        Some(vec![Stmt::If {
            tests: vec![Test::Index(Cond::NonNeg(longer))],
            body: blocks,
            otherwise: vec![l.clone().stmt(order)],
        }])
    }

    /// A loop over blocks of a sum, if that is long, and the sum within one.
    fn blocks(&mut self, outer: &Loop) -> Option<(Loop, Loop)> {
        let ([low], [high]) = (outer.lower.as_slice(), outer.upper.as_slice()) else { return None };
        let length = minus(&high.num, &low.num);
        if low.den != 1
            || high.den != 1
            || length.is_constant() && length.constant < weights::vectorize::TERMS
        {
            return None;
        }
        let index = self.new_index(&format!("{}_block", self.name(outer.index)));
        let first = low.num.plus_scaled(weights::vectorize::TERMS, &index.affine())?;
        let mut last = first.clone();
        last.constant += weights::vectorize::TERMS - 1;
        let block = Loop {
            index,
            lower: vec![Bound { num: Affine::default(), den: 1 }],
            upper: vec![Bound { num: length, den: weights::vectorize::TERMS }],
            body: vec![],
        };
        let lower = vec![Bound { num: first, den: 1 }];
        let upper = vec![high.clone(), Bound { num: last, den: 1 }];
        Some((block, Loop { lower, upper, ..outer.clone() }))
    }

    /// The nest with the k-th free vectorized loop.
    fn summed(
        &mut self,
        free: &[Loop],
        k: usize,
        sums: &[Loop],
        target: &Place,
        value: &Expr,
    ) -> Option<(Stmt, f64)> {
        let sum = self.local(target.var);
        let place = Place { var: sum, at: vec![] };
        let add = Stmt::Leaf(Leaf::Accumulate { target: place.clone(), value: value.clone() });
        let inner = sums
            .iter()
            .rev()
            .fold(add, |body, l| Loop { body: vec![body], ..l.clone() }.stmt(Order::Sequence));
        let body = vec![
            Stmt::Leaf(Leaf::Declare { var: sum, value: Expr::Number(0.0) }),
            inner,
            Stmt::Leaf(Leaf::Accumulate { target: target.clone(), value: Expr::Read(place) }),
        ];
        let mut outer: Vec<f64> = vec![];
        for l in free.iter().chain(sums) {
            outer.push(self.iterations(l.index, &l.lower, &l.upper));
        }
        let candidate = self.candidate(free[k].index, &body)?;
        let mut cost = vectors(outer[k]) * self.flat(&body, &candidate) + weights::cost::LANES;
        let all: f64 = outer.iter().product();
        let order = Order::Lanes {
            cost: super::rounded(cost),
            sequence: super::rounded(all * weights::cost::SUMMED_IN_SEQUENCE),
            straight: None,
            strips: Strips::default(),
        };
        let mut stmt = Loop { body, ..free[k].clone() }.stmt(order);
        for (j, l) in free.iter().enumerate().rev().filter(|(j, _)| *j != k) {
            stmt = Loop { body: vec![stmt], ..l.clone() }.stmt(Order::Sequence);
            cost = outer[j] * (cost + weights::cost::ITERATION);
        }
        Some((stmt, cost))
    }

    /// A new local, named as a variable.
    pub(super) fn local(&mut self, like: VarId) -> VarId {
        let name = self.program.var(like).name.clone();
        let (storage, extents, why) = (Storage::Local, vec![], "private sum".into());
        self.variable(Variable { name, storage, extents, holds_indices: false, lanes: None, why })
    }
}

/// Whether loops run at all; `None` if that is not to be said before them.
fn not_empty(loops: &[Loop]) -> Option<Vec<Test>> {
    let mut tests = vec![];
    for l in loops {
        for (low, high) in l.lower.iter().flat_map(|low| l.upper.iter().map(move |high| (low, high))) {
            let (first, last) = (floor(&low.num.negated(), low.den)?.negated(), floor(&high.num, high.den)?);
            let some = minus(&last, &first);
            if reads_element(&some) {
                return None;
            }
            if !some.is_constant() || some.constant < 0 {
                tests.push(Test::Index(Cond::NonNeg(some)));
            }
        }
    }
    Some(tests)
}

/// The range of one loop in place of that of the loop with the same index.
fn narrow(stmts: &mut [Stmt], to: &Loop) {
    for s in stmts {
        if let Stmt::For { index, lower, upper, body, .. } = s {
            if *index == to.index {
                (*lower, *upper) = (to.lower.clone(), to.upper.clone());
            }
            narrow(body, to);
        }
    }
}

/// Statements after others; two vectorized loops over one range become one again.
fn joined(mut out: Vec<Stmt>, stmts: Vec<Stmt>, index: Index) -> Vec<Stmt> {
    for s in stmts {
        match (out.last_mut(), s) {
            (
                Some(Stmt::For {
                    index: i,
                    order: Order::Lanes { cost, sequence, straight: _, strips: _ },
                    body,
                    ..
                }),
                Stmt::For {
                    index: j,
                    order: Order::Lanes { cost: more, sequence: slower, straight: _, strips: _ },
                    body: rest,
                    ..
                },
            ) if *i == index && j == index => {
                body.extend(rest);
                *cost += more;
                *sequence += slower;
            }
            (_, s) => out.push(s),
        }
    }
    out
}

/// The loops of a rectangular nest around `target += value`, where the target is an array.
fn nest(l: &Loop) -> Option<(Vec<Loop>, Place, Expr)> {
    let mut loops = vec![l.clone()];
    loop {
        let last = loops.last()?;
        match last.body.as_slice() {
            [Stmt::For { index, lower, upper, step: None, order: _, body, .. }] => {
                // An element may be there only where the loops around run.
                let moves = |b: &Bound| {
                    reads_element(&b.num) || loops.iter().any(|l: &Loop| b.num.mentions(&l.index.atom()))
                };
                if lower.iter().chain(upper).any(moves) {
                    return None;
                }
                let next =
                    Loop { index: *index, lower: lower.clone(), upper: upper.clone(), body: body.clone() };
                loops.push(next);
            }
            [Stmt::Leaf(Leaf::Accumulate { target, value })] if !target.at.is_empty() => {
                let (target, value) = (target.clone(), value.clone());
                return Some((loops, target, value));
            }
            _ => return None,
        }
    }
}
