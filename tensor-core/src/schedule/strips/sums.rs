//! Sums of loops inside of vectorized loops.

use crate::index::Affine;
use crate::loops::captures::Captures;
use crate::loops::inside::is_innermost;
use crate::loops::stride::Stride;
use crate::loops::strips::{Shifted, Sums};
use crate::loops::visit::{How, Item, visit, visit_test};
use crate::loops::{Bound, Expr, Leaf, Order, Place, Program, Stmt, Test, VarId};
use crate::mark::{self, Mark};
use crate::schedule::range::greatest;
use crate::sorted::Set;
use crate::ssa::Index;

/// See [`Shifted`].
fn shifted(k: Index, body: &[Stmt], lane: Index) -> Option<Shifted> {
    let [Stmt::Leaf(Leaf::Accumulate { target, value: Expr::Mul(a, b) })] = body else { return None };
    let (Expr::Read(a), Expr::Read(b)) = (&**a, &**b) else { return None };
    let (k, lane) = (k.atom(), lane.atom());
    let is_still = |p: &Place| !p.at.is_empty() && !p.at.iter().any(|a| a.mentions(&lane));
    let (moving, still) = if is_still(b) { (a, b) } else { (b, a) };
    let even = |a: &Affine| {
        a.terms.iter().all(|(t, _)| *t == k || *t == lane || !t.mentions(&k) && !t.mentions(&lane))
    };
    let (last, rest) = moving.at.split_last()?;
    let alone = !rest.iter().any(|a| a.mentions(&k) || a.mentions(&lane)) && last.coeff(&lane) == 1;
    let legal = target.at.is_empty() && is_still(still) && alone && even(last) && still.at.iter().all(even);
    (legal && last.coeff(&k).abs() == 1).then(|| Shifted {
        sum: target.var,
        moving: moving.clone(),
        back: last.coeff(&k) == -1,
        still: still.clone(),
    })
}

/// Whether a loop inside is a sum of shifted vectors: [`Inside::block`] has said so.
pub(super) fn has_shifted(body: &[Stmt]) -> bool {
    body.iter().any(|s| match s {
        Stmt::For { order: Order::Summing(Sums::Shifted(_)), .. } => true,
        s => s.blocks().into_iter().any(has_shifted),
    })
}

/// Whether bounds say by their looks that there is one iteration at most.
fn runs_once(lower: &[Bound], upper: &[Bound]) -> bool {
    let is_short = |a: &Bound, b: &Bound| {
        a.den == 1
            && b.den == 1
            && b.num.minus(&a.num).and_then(|d| greatest(&d)).is_some_and(|most| most <= 0)
    };
    lower.iter().any(|a| upper.iter().any(|b| is_short(a, b)))
}

/// Inside of a vectorized loop.
pub(super) struct Inside<'a> {
    pub p: &'a Program,
    pub lane: Index,
    pub captures: &'a Captures,
}

impl Inside<'_> {
    /// Says how the loops among statements sum. Under a mask, lanes are not summed together; in what runs once at most, as the last row where two run as
    /// one, partial sums are not worth their code.
    pub fn block(&self, stmts: &mut [Stmt], (masked, once): (bool, bool)) {
        for s in stmts {
            match s {
                Stmt::For { index, lower, upper, step, order, body, .. } => {
                    let is_free = step.is_none() && *order == Order::Sequence;
                    let sums = if is_free { self.sums(*index, body, masked) } else { None };
                    if let Some(sums) = sums.filter(|s| !(once && matches!(s, Sums::Chains(_)))) {
                        mark::hit(match sums {
                            Sums::Chains(_) => Mark::Chains,
                            Sums::Eights(_) => Mark::Eights,
                            Sums::Shifted(_) => Mark::Shifted,
                        });
                        *order = Order::Summing(sums);
                    }
                    self.block(body, (masked, once || runs_once(lower, upper)));
                }
                Stmt::If { tests, body, otherwise } => {
                    let masked = masked || tests.iter().any(|t| self.differs(t));
                    self.block(body, (masked, once));
                    self.block(otherwise, (masked, once));
                }
                Stmt::Leaf(_) => {}
            }
        }
    }

    fn sums(&self, k: Index, body: &[Stmt], masked: bool) -> Option<Sums> {
        let is_own = |v| self.captures.is_own(self.p, self.lane, v);
        if !masked
            && let Some(c) = shifted(k, body, self.lane)
            && self.captures.declared.contains(&c.sum)
            && !is_own(c.moving.var)
            && !is_own(c.still.var)
        {
            return Some(Sums::Shifted(Box::new(c)));
        }
        if !is_innermost(body) {
            return None;
        }
        let eights = || Some(self.element_sums(k, body)).filter(|all| !masked && !all.is_empty());
        self.chains(body).map(Sums::Chains).or_else(|| eights().map(Sums::Eights))
    }

    /// The locals that a loop adds to, if it does nothing else.
    fn chains(&self, body: &[Stmt]) -> Option<Set<VarId>> {
        let (mut sums, mut inside) = (Set::new(), Set::new());
        for s in body {
            match s {
                Stmt::Leaf(Leaf::Declare { var, .. }) => {
                    inside.insert(*var);
                }
                Stmt::Leaf(Leaf::Accumulate { target, .. })
                    if target.at.is_empty()
                        && self.captures.declared.contains(&target.var)
                        && !inside.contains(&target.var) =>
                {
                    sums.insert(target.var);
                }
                _ => return None,
            }
        }
        let mut read = false;
        visit(body, &mut |item| {
            read |= matches!(item, Item::Place(p, How::Read) if sums.contains(&p.var));
        });
        (!read && !sums.is_empty()).then_some(sums)
    }

    /// The sums over all lanes that a loop adds to elements next to each other, one in each iteration, of arrays that it has no other use for.
    fn element_sums(&self, k: Index, body: &[Stmt]) -> Vec<Place> {
        let mut uses = vec![];
        visit(body, &mut |item| {
            if let Item::Place(p, _) = item {
                uses.push(p.var);
            }
        });
        let one = |s: &Stmt| {
            let Stmt::Leaf(Leaf::Accumulate { target, .. }) = s else { return None };
            let summed = !self.moves(target) && !self.captures.totals.contains_key(&target.var);
            (summed && target.stride(&k.atom()) == Stride::One).then(|| target.clone())
        };
        let mut found: Vec<Place> = body.iter().filter_map(one).collect();
        let all = found.clone();
        let count = |v: VarId| all.iter().filter(|p| p.var == v).count();
        found.retain(|p| uses.iter().filter(|v| **v == p.var).count() == count(p.var));
        found
    }

    /// Whether each lane has a place of its own.
    fn moves(&self, p: &Place) -> bool {
        self.captures.is_own(self.p, self.lane, p.var) || p.moves(self.lane)
    }

    /// Whether a test may hold in some lanes alone.
    fn differs(&self, t: &Test) -> bool {
        let mut differs = false;
        visit_test(t, &mut |item| match item {
            Item::Place(p, _) => differs |= self.moves(p),
            Item::Form(a) => differs |= a.mentions(&self.lane.atom()),
            _ => {}
        });
        differs
    }
}
