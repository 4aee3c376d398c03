//! Where a loop is split.

use super::Loop;
use crate::index::{Affine, Cond};
use crate::loops::{Bound, Expr, Leaf, Stmt, Test};
use crate::schedule::node::constant_difference;
use crate::schedule::range::{is_plain, minus};
use crate::sorted::{self, Set};
use crate::ssa::Index;
use crate::weights;

/// Where the interior begins, and where the high end does.
pub(super) fn ends(l: &Loop) -> (Option<Affine>, Option<Affine>) {
    let mut marks = vec![];
    marks_of(&l.body, l.index, &mut marks);
    let mut low: Option<(i64, Affine)> = None;
    let mut high = low.clone();
    for p in marks {
        let from = |bs: &[Bound], sign: i64| {
            let plain = bs.iter().filter(|b| b.den == 1);
            plain.filter_map(|b| Some(sign * constant_difference(&b.num, &p)?)).next()
        };
        if let Some(d) = from(&l.lower, 1).filter(|d| (1..=weights::peel::END).contains(d)) {
            if low.as_ref().is_none_or(|b| b.0 < d) {
                low = Some((d, p.clone()));
            }
        } else if let Some(d) =
            from(&l.upper, -1).map(|d| d + 1).filter(|d| (1..=weights::peel::END).contains(d))
            && high.as_ref().is_none_or(|b| b.0 < d)
        {
            high = Some((d, p.clone()));
        }
    }
    (low.map(|b| b.1), high.map(|b| b.1))
}

/// Where the ranges of the loops inside no longer depend on the index, and where they do again: at most one of each.
pub(super) fn switches(l: &Loop) -> (Option<Affine>, Option<Affine>) {
    let mut inside = Set::new();
    bound_in(&l.body, &mut inside);
    let mut found = Switches { index: l.index, inside, low: None, high: None };
    found.of(&l.body);
    (found.low, found.high)
}

/// Where all tests of an innermost loop change their truth: at one place, or at one and the next, which indices outside decide. So a loop
/// over a row of what is symmetrized at the diagonal has two halves without tests.
pub(super) fn middle(l: &Loop) -> (Option<Affine>, Option<Affine>) {
    let mut marks = vec![];
    marks_of(&l.body, l.index, &mut marks);
    sorted::sort(&mut marks);
    marks.dedup();
    let mut inside = Set::new();
    bound_in(&l.body, &mut inside);
    if l.body.iter().any(has_loop) || marks.iter().any(|p| !p.indices().is_disjoint(&inside)) {
        return (None, None);
    }
    match marks.as_slice() {
        [p] if !p.indices().is_empty() => (Some(p.clone()), None),
        [p, q] if constant_difference(p, q) == Some(1) => (Some(p.clone()), Some(q.clone())),
        [q, p] if constant_difference(p, q) == Some(1) => (Some(p.clone()), Some(q.clone())),
        _ => (None, None),
    }
}

fn has_loop(s: &Stmt) -> bool {
    matches!(s, Stmt::For { .. }) || s.blocks().into_iter().any(|block| block.iter().any(has_loop))
}

/// The indices that statements bind.
fn bound_in(stmts: &[Stmt], out: &mut Set<u32>) {
    for s in stmts {
        if let Stmt::For { index, .. } | Stmt::Leaf(Leaf::LetIndex { index, .. }) = s {
            out.insert(index.0);
        }
        s.blocks().into_iter().for_each(|block| bound_in(block, out));
    }
}

/// What [`switches`] has found.
struct Switches {
    index: Index,
    /// What is not known outside.
    inside: Set<u32>,
    low: Option<Affine>,
    high: Option<Affine>,
}

impl Switches {
    fn of(&mut self, stmts: &[Stmt]) {
        for s in stmts {
            if let Stmt::For { lower, upper, .. } = s {
                self.turn(lower, &|free, moving| minus(free, moving));
                self.turn(upper, &|free, moving| minus(moving, free));
            }
            s.blocks().into_iter().for_each(|block| self.of(block));
        }
    }

    /// Where the one bound that is free of the index decides: `stronger(free, moving)` is not negative there.
    fn turn(&mut self, bounds: &[Bound], stronger: &dyn Fn(&Affine, &Affine) -> Affine) {
        let i = self.index;
        let plain = bounds.iter().all(|b| b.den == 1 && is_plain(&b.num));
        let (moving, free): (Vec<_>, Vec<_>) = bounds.iter().partition(|b| b.num.mentions(&i.atom()));
        let ([free], true) = (free.as_slice(), plain) else { return };
        for b in moving {
            let a = stronger(&free.num, &b.num);
            let mut at = minus(&a, &i.affine().scale(a.coeff(&i.atom())).unwrap_or_default());
            if !at.indices().is_disjoint(&self.inside) {
                continue;
            }
            match a.coeff(&i.atom()) {
                1 if self.low.is_none() => self.low = Some(at.negated()),
                -1 if self.high.is_none() => {
                    at.constant += 1;
                    self.high = Some(at);
                }
                _ => {}
            }
        }
    }
}

/// The places p where a test changes its truth from p - 1 to p.
fn marks_of(stmts: &[Stmt], i: Index, out: &mut Vec<Affine>) {
    for s in stmts {
        match s {
            Stmt::For { body, .. } => marks_of(body, i, out),
            Stmt::If { tests, body, otherwise } => {
                tests.iter().for_each(|t| marks_of_test(t, i, out));
                marks_of(body, i, out);
                marks_of(otherwise, i, out);
            }
            Stmt::Leaf(leaf) => leaf.value().into_iter().for_each(|e| marks_of_expr(e, i, out)),
        }
    }
}

fn marks_of_test(t: &Test, i: Index, out: &mut Vec<Affine>) {
    match t {
        Test::Index(c) => marks_of_cond(c, i, out),
        Test::Real { left, right, .. } => {
            marks_of_expr(left, i, out);
            marks_of_expr(right, i, out);
        }
        Test::Any(ps) => ps.iter().flatten().for_each(|t| marks_of_test(t, i, out)),
    }
}

fn marks_of_expr(e: &Expr, i: Index, out: &mut Vec<Affine>) {
    match e {
        Expr::Number(_) | Expr::Constant(_) | Expr::OfIndex(_) | Expr::Read(_) => {}
        Expr::Neg(a) => marks_of_expr(a, i, out),
        Expr::Add(a, b) | Expr::Mul(a, b) => {
            marks_of_expr(a, i, out);
            marks_of_expr(b, i, out);
        }
        Expr::Call(_, args) => args.iter().for_each(|a| marks_of_expr(a, i, out)),
        Expr::If(tests, a) => {
            tests.iter().for_each(|t| marks_of_test(t, i, out));
            marks_of_expr(a, i, out);
        }
    }
}

fn marks_of_cond(c: &Cond, i: Index, out: &mut Vec<Affine>) {
    let (a, is_point) = match c {
        Cond::Zero(a) | Cond::NonZero(a) => (a, true),
        Cond::NonNeg(a) => (a, false),
        Cond::Residue(..) | Cond::NonResidue(..) | Cond::Opaque { .. } | Cond::Any(_) => return,
    };
    let sign = a.coeff(&i.atom());
    if sign.abs() != 1 || !is_plain(a) {
        return;
    }
    // `i + r >= 0` is true from -r on; `r - i >= 0` until r.
    let rest = minus(a, &i.affine().scale(sign).unwrap_or_default());
    let mut at = if sign > 0 { rest.negated() } else { rest };
    let next = |at: &mut Affine| at.constant += 1;
    if is_point {
        out.push(at.clone());
        next(&mut at);
    } else if sign < 0 {
        next(&mut at);
    }
    out.push(at);
}
