//! Loops split at their ends: `for i in a..b` whose body tests `i == a`, `i + 1 < b`, … becomes a low piece, an interior
//! without those tests, and a high piece. Inside the pieces at the ends nothing more is split, so that a nest of d loops has
//! 2d + 1 bodies.
//!
//! Likewise where the range of a loop inside is `max(0, i - n)..min(i, m)`: in the interior it is `0..m`, so that iterations of the loop
//! outside are alike and may run in lanes. And where all that an innermost loop tests is on which side of an index outside it is.

mod points;

use super::Options;
use super::node::constant_difference;
use super::range::{at_most, gist, minus, of_sizes, reads_element};
use crate::index::{Affine, Cond, Pred};
use crate::loops::{Bound, Expr, Leaf, Order, Program, Stmt, Test};
use crate::mark::{self, Mark};
use crate::ssa::{Function, Index};
use crate::weights;
use points::{ends, middle, switches};

/// Splits the loops of a program, but for those over blocks.
pub(super) fn peel(mut p: Program, _: &Options) -> Program {
    let body = std::mem::take(&mut p.body);
    p.body = Splitter { f: &p.function, whole: &p.blocks }.block(body, &mut vec![]);
    p
}

struct Splitter<'a> {
    f: &'a Function,
    whole: &'a [Index],
}

struct Loop {
    index: Index,
    lower: Vec<Bound>,
    upper: Vec<Bound>,
    step: Option<(Affine, i64)>,
    body: Vec<Stmt>,
}

impl Loop {
    /// What holds inside, as far as it does not speak of elements.
    fn conditions(&self) -> Pred {
        let scaled = |k: i64| self.index.affine().scale(k);
        let low = self.lower.iter().filter_map(|b| Some(at_most(&b.num, &scaled(b.den)?)));
        let high = self.upper.iter().filter_map(|b| Some(at_most(&scaled(b.den)?, &b.num)));
        let step = self.step.iter().map(|(a, k)| Cond::Residue(minus(&self.index.affine(), a), *k));
        low.chain(high).chain(step).filter(|c| !c.affines().into_iter().any(reads_element)).collect()
    }

    fn stmt(self) -> Stmt {
        let Loop { index, lower, upper, step, body } = self;
        Stmt::looped(index, lower, upper, step, Order::Sequence, body)
    }
}

impl Splitter<'_> {
    fn block(&self, stmts: Vec<Stmt>, context: &mut Pred) -> Vec<Stmt> {
        let scope = context.len();
        let mut out = vec![];
        for s in stmts {
            match s {
                Stmt::For { index, lower, upper, step, order: order @ Order::Steps(_), body, .. } => {
                    let l = Loop { index, lower, upper, step, body };
                    let before = context.len();
                    context.extend(l.conditions());
                    let body = self.block(l.body, context);
                    context.truncate(before);
                    out.push(Stmt::looped(index, l.lower, l.upper, l.step, order, body));
                }
                Stmt::For { index, lower, upper, step, order: _, body, .. } => {
                    self.each(Loop { index, lower, upper, step, body }, context, &mut out);
                }
                Stmt::If { tests, body, otherwise } => {
                    let before = context.len();
                    context.extend(tests.iter().filter_map(assumed));
                    let body = self.block(body, context);
                    context.truncate(before);
                    let otherwise = self.block(otherwise, context);
                    out.push(Stmt::If { tests, body, otherwise });
                }
                Stmt::Leaf(Leaf::LetIndex { index, value }) => {
                    if !reads_element(&value) {
                        context.push(Cond::Zero(minus(&index.affine(), &value)));
                    }
                    out.push(Stmt::Leaf(Leaf::LetIndex { index, value }));
                }
                Stmt::Leaf(_) => out.push(s),
            }
        }
        context.truncate(scope);
        out
    }

    fn each(&self, mut l: Loop, context: &mut Pred, out: &mut Vec<Stmt>) {
        let scope = context.len();
        let splits = size(&l.body) <= weights::peel::BODY && !self.whole.contains(&l.index);
        let mut at = Mark::PeeledEnds;
        let (mut low, mut high) = if splits { ends(&l) } else { (None, None) };
        if low.is_none() && high.is_none() && splits && l.step.is_none() {
            at = Mark::PeeledSwitches;
            (low, high) = switches(&l);
        }
        if low.is_none() && high.is_none() && size(&l.body) <= weights::peel::BODY_INSIDE && l.step.is_none()
        {
            at = Mark::PeeledMiddle;
            (low, high) = middle(&l);
        }
        let pieces = low.is_some() || high.is_some();
        if pieces {
            mark::hit(at);
        }
        if let Some(p) = &low {
            let mut upper = l.upper.clone();
            upper.push(before(p));
            let piece =
                Loop { upper, lower: l.lower.clone(), body: l.body.clone(), step: l.step.clone(), ..l };
            self.piece(piece, context, out);
        }
        let mut last = None;
        if let Some(q) = &high {
            let mut lower = l.lower.clone();
            raise(&mut lower, low.as_ref());
            raise(&mut lower, Some(q));
            last =
                Some(Loop { lower, upper: l.upper.clone(), body: l.body.clone(), step: l.step.clone(), ..l });
            l.upper.retain(|b| b.den != 1 || constant_difference(q, &b.num).is_none_or(|d| d < 0));
            l.upper.push(before(q));
        }
        raise(&mut l.lower, low.as_ref());
        context.extend(l.conditions());
        if pieces {
            l.body = self.settle(l.body, l.index, context);
        }
        l.body = self.block(l.body, context);
        context.truncate(scope);
        out.push(l.stmt());
        if let Some(last) = last {
            self.piece(last, context, out);
        }
    }

    /// A piece at an end.
    fn piece(&self, mut l: Loop, context: &mut Pred, out: &mut Vec<Stmt>) {
        let scope = context.len();
        context.extend(l.conditions());
        l.body = self.settle(l.body, l.index, context);
        context.truncate(scope);
        if !l.body.is_empty() {
            out.push(l.stmt());
        }
    }

    /// A body without the tests of an index that the context decides.
    fn settle(&self, stmts: Vec<Stmt>, i: Index, context: &Pred) -> Vec<Stmt> {
        let mut out = vec![];
        for s in stmts {
            match s {
                Stmt::For { index, mut lower, mut upper, step, order, body, .. } => {
                    self.settle_bounds(&mut lower, context, |a, b| at_most(b, a));
                    self.settle_bounds(&mut upper, context, at_most);
                    let body = self.settle(body, i, context);
                    if !body.is_empty() {
                        out.push(Stmt::looped(index, lower, upper, step, order, body));
                    }
                }
                Stmt::If { tests, body, otherwise } => match self.tests(tests, i, context) {
                    None => out.extend(self.settle(otherwise, i, context)),
                    Some(tests) if tests.is_empty() => out.extend(self.settle(body, i, context)),
                    Some(tests) => {
                        let body = self.settle(body, i, context);
                        let otherwise = self.settle(otherwise, i, context);
                        if !(body.is_empty() && otherwise.is_empty()) {
                            out.push(Stmt::If { tests, body, otherwise });
                        }
                    }
                },
                Stmt::Leaf(mut leaf) => {
                    if let Some(value) = leaf.value_mut() {
                        let old = std::mem::replace(value, Expr::Number(0.0));
                        *value = self.expr(old, i, context);
                    }
                    let adds_zero =
                        matches!(&leaf, Leaf::Accumulate { value: Expr::Number(x), .. } if *x == 0.0);
                    if !adds_zero {
                        out.push(Stmt::Leaf(leaf));
                    }
                }
            }
        }
        out
    }

    /// Without the bounds that the context knows to follow from another; `stronger(a, b)` says that a implies b.
    fn settle_bounds(
        &self,
        bounds: &mut Vec<Bound>,
        context: &Pred,
        stronger: impl Fn(&Affine, &Affine) -> Cond,
    ) {
        let plain = |b: &Bound| b.den == 1 && !reads_element(&b.num);
        let mut k = 0;
        while k < bounds.len() {
            let weak = plain(&bounds[k])
                && bounds.iter().enumerate().any(|(j, b)| {
                    let holds = stronger(&b.num, &bounds[k].num);
                    j != k && plain(b) && gist(self.f, &[holds], context).is_some_and(|rest| rest.is_empty())
                });
            if weak {
                mark::hit(Mark::BoundSettled);
                bounds.remove(k);
            } else {
                k += 1;
            }
        }
    }

    /// What is left of tests; `None` where they do not hold.
    fn tests(&self, tests: Vec<Test>, i: Index, context: &Pred) -> Option<Vec<Test>> {
        let mut out = vec![];
        for t in tests {
            match t {
                Test::Index(c) if decided(&c, i) => {
                    let rest = gist(self.f, std::slice::from_ref(&c), context)?;
                    if !rest.is_empty() {
                        out.push(Test::Index(c));
                    }
                }
                Test::Index(_) => out.push(t),
                Test::Real { op, left, right, holds } => out.push(Test::Real {
                    op,
                    left: Box::new(self.expr(*left, i, context)),
                    right: Box::new(self.expr(*right, i, context)),
                    holds,
                }),
                Test::Any(ps) => {
                    let ps: Vec<Vec<Test>> =
                        ps.into_iter().filter_map(|p| self.tests(p, i, context)).collect();
                    if ps.is_empty() {
                        return None;
                    }
                    if !ps.iter().any(Vec::is_empty) {
                        out.push(Test::Any(ps));
                    }
                }
            }
        }
        Some(out)
    }

    fn expr(&self, e: Expr, i: Index, context: &Pred) -> Expr {
        let inner = |e: Box<Expr>| self.expr(*e, i, context);
        match e {
            Expr::Number(_) | Expr::Constant(_) | Expr::OfIndex(_) | Expr::Read(_) => e,
            Expr::Neg(a) => Expr::Neg(Box::new(inner(a))),
            Expr::Add(a, b) => match (inner(a), inner(b)) {
                (a, Expr::Number(0.0)) => a,
                (Expr::Number(0.0), b) => b,
                (a, b) => Expr::Add(Box::new(a), Box::new(b)),
            },
            Expr::Mul(a, b) => Expr::Mul(Box::new(inner(a)), Box::new(inner(b))),
            Expr::Call(f, args) => {
                Expr::Call(f, args.into_iter().map(|a| self.expr(a, i, context)).collect())
            }
            Expr::If(tests, a) => match self.tests(tests, i, context) {
                None => Expr::Number(0.0),
                Some(tests) if tests.is_empty() => inner(a),
                Some(tests) => Expr::If(tests, Box::new(inner(a))),
            },
        }
    }
}

/// Whether the range of an index may decide a condition: it speaks of that, or of sizes alone.
fn decided(c: &Cond, i: Index) -> bool {
    let forms = c.affines();
    (c.mentions(&i.atom()) || forms.iter().all(|a| of_sizes(a))) && !forms.into_iter().any(reads_element)
}

fn assumed(t: &Test) -> Option<Cond> {
    match t {
        Test::Index(c) if !c.affines().into_iter().any(reads_element) => Some(c.clone()),
        Test::Index(_) | Test::Real { .. } | Test::Any(_) => None,
    }
}

/// `i < p` as an upper bound.
fn before(p: &Affine) -> Bound {
    let mut num = p.clone();
    num.constant -= 1;
    Bound { num, den: 1 }
}

/// The bound `p <= i` in place of those that it implies.
fn raise(lower: &mut Vec<Bound>, p: Option<&Affine>) {
    if let Some(p) = p {
        lower.retain(|b| b.den != 1 || constant_difference(&b.num, p).is_none_or(|d| d < 0));
        lower.push(Bound { num: p.clone(), den: 1 });
    }
}

/// How many statements there are, inside others too.
pub(super) fn size(stmts: &[Stmt]) -> usize {
    stmts.iter().map(|s| 1 + s.blocks().into_iter().map(size).sum::<usize>()).sum()
}
