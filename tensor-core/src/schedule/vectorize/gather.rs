//! Inside of a vectorized loop, sums that are spread over the elements of an array are gathered: each stays in a register.
//!
//! ```text
//! for a { A; for b { x[b] += e } }  →  for a { A }; for b { let s = 0; for a { s += e }; x[b] += s }
//! ```

use super::legal::Candidate;
use super::{Chooser, Loop};
use crate::index::{Affine, Cond};
use crate::loops::visit::{How, Item, visit};
use crate::loops::{Bound, Expr, Leaf, Order, Place, Stmt, Test};
use crate::mark::{self, Mark};
use crate::schedule::range::minus;
use crate::ssa::Index;

impl Chooser<'_> {
    /// The body of a vectorized loop, with sums gathered where that costs less.
    pub(super) fn gathered(&mut self, c: &Candidate, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = vec![];
        for s in stmts {
            match s {
                Stmt::For { index, lower, upper, step: None, order, body, .. } => {
                    let body = self.gathered(c, body);
                    let mut l = Loop { index, lower, upper, body };
                    let mut nests = vec![];
                    // What steps carry is there in its step alone.
                    let is_free = !matches!(order, Order::Steps(_));
                    for k in (0..l.body.len()).rev().filter(|_| is_free) {
                        nests.splice(0..0, self.taken_out(c, &mut l, k));
                    }
                    if !l.body.is_empty() {
                        out.push(l.stmt(order));
                    }
                    out.extend(nests);
                }
                Stmt::If { tests, body, otherwise } => {
                    let (body, otherwise) = (self.gathered(c, body), self.gathered(c, otherwise));
                    out.push(Stmt::If { tests, body, otherwise });
                }
                s => out.push(s),
            }
        }
        out
    }

    /// The k-th statement of a loop as a nest behind it, if that is legal and costs less.
    fn taken_out(&mut self, c: &Candidate, l: &mut Loop, k: usize) -> Option<Stmt> {
        let Stmt::For { index, lower, upper, step: None, body, .. } = &l.body[k] else { return None };
        let [Stmt::Leaf(Leaf::Accumulate { target, value })] = body.as_slice() else { return None };
        let spreads = target.moves(*index) && !target.moves(l.index);
        if !spreads || !c.depends_place(target) || !may_move(l, k, target) {
            return None;
        }
        let inner = Loop { index: *index, lower: lower.clone(), upper: upper.clone(), body: vec![] };
        let (target, value) = (target.clone(), value.clone());
        let (outer, mut inner, test) = exchanged(l, inner)?;
        let name = self.name(l.index).to_string();
        inner.index = self.new_index(&name);
        let value = value.substitute(&l.index.atom(), &inner.index.affine());
        let sum = self.local(target.var);
        let place = Place { var: sum, at: vec![] };
        let add = Stmt::Leaf(Leaf::Accumulate { target: place.clone(), value });
        let share = vec![
            Stmt::Leaf(Leaf::Declare { var: sum, value: Expr::Number(0.0) }),
            Loop { body: vec![add], ..inner }.stmt(Order::Sequence),
            Stmt::Leaf(Leaf::Accumulate { target, value: Expr::Read(place) }),
        ];
        let nest = Loop { body: share, ..outer }.stmt(Order::Sequence);
        let nest = match test {
            None => nest,
            Some(t) => Stmt::If { tests: vec![t], body: vec![nest], otherwise: vec![] },
        };
        let mut rest = l.clone();
        rest.body.remove(k);
        let before = self.flat(&[l.clone().stmt(Order::Sequence)], c);
        let after = self.flat(&[rest.clone().stmt(Order::Sequence), nest.clone()], c);
        if after >= before {
            self.locals.pop();
            return None;
        }
        mark::hit(Mark::Gathered);
        *l = rest;
        Some(nest)
    }
}

/// Whether the k-th statement of a loop may run after it: nothing else there has to do with where it adds, and what it reads stays as it is.
fn may_move(l: &Loop, k: usize, target: &Place) -> bool {
    let mut legal = true;
    let mut read: Vec<Place> = vec![];
    visit(&l.body[k..=k], &mut |item| match item {
        Item::Place(p, How::Read) => read.push(p.clone()),
        Item::Element(..) | Item::Whole => legal = false,
        _ => {}
    });
    for (n, s) in l.body.iter().enumerate().filter(|(n, _)| *n != k) {
        visit(std::slice::from_ref(s), &mut |item| match item {
            Item::Place(p, how) => {
                legal &= p.var != target.var;
                let own = |r: &Place| n < k && *p == *r && r.at.iter().any(|a| is_bare(a, l.index));
                legal &= how == How::Read || read.iter().all(|r| r.var != p.var || own(r));
            }
            Item::Declared(v) | Item::Filled(v) => {
                legal &= v != target.var && read.iter().all(|r| r.var != v);
            }
            Item::Bound(i) => legal &= !mentioned(&l.body[k], i),
            Item::Element(..) | Item::Whole => legal = false,
            Item::Form(_) | Item::Decides(_) => {}
        });
    }
    legal && read.iter().all(|r| r.var != target.var)
}

/// `i + c`, with no other index.
fn is_bare(a: &Affine, i: Index) -> bool {
    a.coeff(&i.atom()) == 1
        && a.indices().len() == 1
        && a.terms.iter().all(|(t, _)| *t == i.atom() || !t.mentions(&i.atom()))
}

fn mentioned(s: &Stmt, i: Index) -> bool {
    let mut found = false;
    visit(std::slice::from_ref(s), &mut |item| {
        if let Item::Form(a) = item {
            found |= a.mentions(&i.atom());
        }
    });
    found
}

/// The two loops the other way round, with the range of the inner one as a rectangle, or a triangle above or below the diagonal; and whether
/// there is any.
fn exchanged(outer: &Loop, inner: Loop) -> Option<(Loop, Loop, Option<Test>)> {
    let one = |bs: &[Bound]| match bs {
        [b] if b.den == 1 => Some(b.num.clone()),
        _ => None,
    };
    let (a, b) = (outer.index, inner.index);
    let (first, last) = (one(&outer.lower)?, one(&outer.upper)?);
    let (low, high) = (one(&inner.lower)?, one(&inner.upper)?);
    let bound = |a: Affine| Bound { num: a, den: 1 };
    // b ≤ a + u: a ≥ b − u. b ≥ a + u: a ≤ b − u.
    let offset = |e: &Affine| {
        let rest = e.minus(&a.affine())?;
        (!rest.mentions(&a.atom())).then_some(rest)
    };
    let mut swapped = (inner.clone(), Loop { body: vec![], ..outer.clone() });
    if high.mentions(&a.atom()) {
        let u = offset(&high)?;
        swapped.0.upper = vec![bound(last.plus(&u)?)];
        swapped.1.lower.push(bound(b.affine().minus(&u)?));
    }
    if low.mentions(&a.atom()) {
        let u = offset(&low)?;
        swapped.0.lower = vec![bound(first.plus(&u)?)];
        swapped.1.upper.push(bound(b.affine().minus(&u)?));
    }
    let both = high.mentions(&a.atom()) && low.mentions(&a.atom());
    let count = minus(&last, &first);
    let test = (!count.is_constant() || count.constant < 0).then_some(Test::Index(Cond::NonNeg(count)));
    (!both).then_some((swapped.0, swapped.1, test))
}
