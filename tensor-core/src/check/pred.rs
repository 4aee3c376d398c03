//! Conditions on indices, sizes and reals.

use super::affine::Kind;
use super::context::{Cx, real};
use super::names;
use crate::ast::{self, BinaryOp, CompareOp, Expr, ExprKind};
use crate::error::Span;
use crate::index::omega::Work;
use crate::index::pred::{any, complement};
use crate::index::project::exists;
use crate::index::query::Facts;
use crate::index::{Affine, Atom, Cond, Pred};
use crate::ssa::RealCompare;
use crate::typed::{self, Comparison, Reduce, Type};

/// A condition that never holds.
fn never() -> Cond {
    Cond::NonNeg((-1).into())
}

/// The conjunction without what holds anyway.
fn push(p: &mut Pred, c: Cond) {
    let known = match &c {
        Cond::Zero(a) if a.is_constant() => Some(a.constant == 0),
        Cond::NonZero(a) if a.is_constant() => Some(a.constant != 0),
        Cond::NonNeg(a) if a.is_constant() => Some(a.constant >= 0),
        Cond::Residue(a, k) if a.is_constant() => Some(a.constant.rem_euclid(*k) == 0),
        Cond::NonResidue(a, k) if a.is_constant() => Some(a.constant.rem_euclid(*k) != 0),
        Cond::Any(ps) if ps.iter().any(Vec::is_empty) => Some(true),
        Cond::Zero(_)
        | Cond::NonZero(_)
        | Cond::NonNeg(_)
        | Cond::Residue(..)
        | Cond::NonResidue(..)
        | Cond::Opaque { .. }
        | Cond::Any(_) => None,
    };
    match known {
        Some(true) => {}
        Some(false) => p.push(never()),
        None => p.push(c),
    }
}

fn has_opaque(p: &[Cond]) -> bool {
    p.iter().any(|c| match c {
        Cond::Opaque { .. } => true,
        Cond::Any(ps) => ps.iter().any(|p| has_opaque(p)),
        Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) | Cond::Residue(..) | Cond::NonResidue(..) => {
            false
        }
    })
}

/// One of `ps`.
fn one_of(mut ps: Vec<Pred>) -> Pred {
    if ps.iter().any(Vec::is_empty) {
        return vec![];
    }
    match ps.len() {
        0 => vec![never()],
        1 => ps.swap_remove(0),
        _ => vec![any(ps)],
    }
}

/// `¬p`
pub(super) fn not(p: &Pred) -> Pred {
    one_of(complement(p))
}

/// `p ∨ q ∨ …`, where what reads values is evaluated only if all before it are false: `p ∨ (¬p ∧ q) ∨ …`.
fn or(ps: Vec<Pred>) -> Pred {
    let mut alternatives = vec![];
    let mut otherwise: Pred = vec![];
    let opaque: Vec<bool> = ps.iter().map(|p| has_opaque(p)).collect();
    for (k, p) in ps.into_iter().enumerate() {
        if p.is_empty() {
            return p;
        }
        let negation = if opaque[k] || !opaque[k..].contains(&true) { vec![] } else { not(&p) };
        let assumed = if opaque[k] { otherwise.clone() } else { vec![] };
        alternatives.push([assumed, p].concat());
        otherwise.extend(negation);
    }
    one_of(alternatives)
}

/// `p || q || r` as `p`, `q`, `r`, and so `!(p && q && r)` as `!p`, `!q`, `!r`: each with whether it must hold.
fn disjuncts<'e>(e: &'e Expr, holds: bool, out: &mut Vec<(&'e Expr, bool)>) {
    match (&e.kind, holds) {
        (ExprKind::Or(p, q), true) | (ExprKind::And(p, q), false) => {
            disjuncts(p, holds, out);
            disjuncts(q, holds, out);
        }
        (ExprKind::Not(p), _) => disjuncts(p, !holds, out),
        _ => out.push((e, holds)),
    }
}

/// Whether `e` is a condition, by its form: what makes `[e]` a bracket.
pub(super) fn is_condition(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Compare(..)
        | ExprKind::Not(_)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Exists(_) => true,
        ExprKind::Block(b) => is_condition(&b.value),
        ExprKind::Number { .. }
        | ExprKind::Name(_)
        | ExprKind::Path(_)
        | ExprKind::Tuple(_)
        | ExprKind::Bracket(_)
        | ExprKind::Repeat(..)
        | ExprKind::Field(..)
        | ExprKind::Access(..)
        | ExprKind::Neg(_)
        | ExprKind::Binary(..)
        | ExprKind::Cast(..)
        | ExprKind::Call(..)
        | ExprKind::Method(..)
        | ExprKind::Gen(_)
        | ExprKind::Reduce(..)
        | ExprKind::Recurrence(_)
        | ExprKind::If(..) => false,
    }
}

impl Cx<'_> {
    /// `e` as a condition.
    pub(super) fn pred(&mut self, e: &Expr) -> Option<Pred> {
        self.truth(e, true)
    }

    /// That `e` holds, or that it does not. Negations go inward, to the comparisons: so it is no longer than `e`.
    fn truth(&mut self, e: &Expr, holds: bool) -> Option<Pred> {
        match (&e.kind, holds) {
            (ExprKind::Not(p), _) => self.truth(p, !holds),
            (ExprKind::And(p, q), true) | (ExprKind::Or(p, q), false) => {
                let (p, q) = (self.truth(p, holds), self.truth(q, holds));
                let (mut p, q) = (p?, q?);
                p.extend(q);
                Some(p)
            }
            (ExprKind::Or(..), true) | (ExprKind::And(..), false) => {
                let mut parts = vec![];
                disjuncts(e, holds, &mut parts);
                let parts: Vec<_> = parts.into_iter().map(|(p, holds)| self.truth(p, holds)).collect();
                Some(or(parts.into_iter().collect::<Option<_>>()?))
            }
            (ExprKind::Block(b), _) if b.lets.is_empty() => self.truth(&b.value, holds),
            (_, true) => self.simple(e),
            (_, false) => Some(not(&self.simple(e)?)),
        }
    }

    /// A condition that is no combination of others.
    fn simple(&mut self, e: &Expr) -> Option<Pred> {
        match &e.kind {
            ExprKind::Compare(first, rest) => self.chain(first, rest),
            ExprKind::Exists(l) => self.exists(l, e.span),
            ExprKind::Block(_)
            | ExprKind::Not(_)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Number { .. }
            | ExprKind::Name(_)
            | ExprKind::Path(_)
            | ExprKind::Tuple(_)
            | ExprKind::Bracket(_)
            | ExprKind::Repeat(..)
            | ExprKind::Field(..)
            | ExprKind::Access(..)
            | ExprKind::Neg(_)
            | ExprKind::Binary(..)
            | ExprKind::Cast(..)
            | ExprKind::Call(..)
            | ExprKind::Method(..)
            | ExprKind::Gen(_)
            | ExprKind::Reduce(..)
            | ExprKind::Recurrence(_)
            | ExprKind::If(..) => {
                let text = names::expr(e);
                self.error(e.span, format!("`{text}` is not a condition: compare it with something"))
            }
        }
    }

    /// `a < b <= c`
    fn chain(&mut self, first: &Expr, rest: &[(CompareOp, Expr)]) -> Option<Pred> {
        let mut out = vec![];
        let mut left = first;
        let mut ok = true;
        for (op, right) in rest {
            // The middle of a chain stands in two comparisons; its mistakes are reported by the first.
            let p = if ok { self.compare(left, *op, right) } else { None };
            match p {
                Some(p) => out.extend(p),
                None => ok = false,
            }
            left = right;
        }
        ok.then_some(out)
    }

    fn compare(&mut self, a: &Expr, op: CompareOp, b: &Expr) -> Option<Pred> {
        match self.kind(a).max(self.kind(b)) {
            Kind::Error => {
                self.report_unknown(a);
                self.report_unknown(b);
                None
            }
            Kind::Literal | Kind::Index => self.compare_indices(a, op, b),
            Kind::Constant if divides(a) => self.rounded_or_not(a),
            Kind::Constant if divides(b) => self.rounded_or_not(b),
            Kind::Constant | Kind::Real => self.compare_reals(a, op, b),
        }
    }

    /// Of constants alone nobody knows whether they are sizes.
    fn rounded_or_not<T>(&mut self, e: &Expr) -> Option<T> {
        let message = format!(
            "`{}` is rounded down if its constants are sizes, and not if they are numbers: write the divisor with a point, as in `2.0`, or compare without a division, as in `D >= 2`",
            names::expr(e)
        );
        self.error(e.span, message)
    }

    /// Reports the unknown names of an expression that is one because of them.
    pub(super) fn report_unknown(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Name(n)
                if self.lookup(&n.to_string()).is_none() && !super::affine::is_constant_name(n) =>
            {
                self.unknown::<()>(n);
            }
            ExprKind::Neg(a) => self.report_unknown(a),
            ExprKind::Binary(_, a, b) => {
                self.report_unknown(a);
                self.report_unknown(b);
            }
            ExprKind::Block(b) => self.report_unknown(&b.value),
            _ => {}
        }
    }

    fn compare_indices(&mut self, a: &Expr, op: CompareOp, b: &Expr) -> Option<Pred> {
        let mut out = vec![];
        if let (ExprKind::Binary(BinaryOp::Rem, e, k), CompareOp::Eq | CompareOp::Ne) = (&a.kind, op)
            && let (Some(k), Some(r)) = (self.small_literal(k), self.small_literal(b))
        {
            let mut e = self.affine(e)?;
            e.constant -= r;
            let holds = (0..k).contains(&r);
            let c = match op {
                CompareOp::Eq if k == 1 => Cond::Zero(r.into()),
                CompareOp::Eq if holds => Cond::Residue(e, k),
                CompareOp::Eq => never(),
                _ if k == 1 => Cond::NonZero(r.into()),
                _ if holds => Cond::not_residue(e, k),
                _ => return Some(out),
            };
            push(&mut out, c);
            return Some(out);
        }
        let (x, y) = (self.affine(a), self.affine(b));
        let (x, y) = (x?, y?);
        let (Some(up), Some(down)) = (y.plus_scaled(-1, &x), x.plus_scaled(-1, &y)) else {
            return self.error(a.span.to(b.span), "the numbers in this comparison are too large");
        };
        let less = |mut d: Affine| {
            d.constant -= 1;
            Cond::NonNeg(d)
        };
        push(
            &mut out,
            match op {
                CompareOp::Lt => less(up),
                CompareOp::Le => Cond::NonNeg(up),
                CompareOp::Eq => Cond::Zero(down),
                CompareOp::Ne => Cond::NonZero(down),
                CompareOp::Ge => Cond::NonNeg(down),
                CompareOp::Gt => less(down),
            },
        );
        Some(out)
    }

    /// A literal, positive or not.
    fn small_literal(&mut self, e: &Expr) -> Option<i64> {
        if self.kind(e) != Kind::Literal {
            return None;
        }
        let a = self.quietly(|cx| cx.affine(e))?;
        a.is_constant().then_some(a.constant)
    }

    fn compare_reals(&mut self, a: &Expr, op: CompareOp, b: &Expr) -> Option<Pred> {
        let (x, y) = (self.expr(a), self.expr(b));
        let (x, y) = (x?, y?);
        for (value, e) in [(&x, a), (&y, b)] {
            if value.ty != Type::Real {
                let (text, ty) = (names::expr(e), self.type_text(&value.ty));
                return self.error(e.span, format!("`{text}` is `{ty}`: only scalars can be compared"));
            }
        }
        Some(vec![match op {
            CompareOp::Lt => self.opaque(RealCompare::Lt, x, y, true),
            CompareOp::Le => self.opaque(RealCompare::Le, x, y, true),
            CompareOp::Eq => self.opaque(RealCompare::Eq, x, y, true),
            CompareOp::Ne => self.opaque(RealCompare::Eq, x, y, false),
            CompareOp::Ge => self.opaque(RealCompare::Le, y, x, true),
            CompareOp::Gt => self.opaque(RealCompare::Lt, y, x, true),
        }])
    }

    fn opaque(&mut self, op: RealCompare, left: typed::Expr, right: typed::Expr, holds: bool) -> Cond {
        self.comparisons.push(Comparison { op, left, right });
        Cond::Opaque { id: super::context::number(self.comparisons.len() - 1), args: vec![], holds }
    }

    /// `exists j in a..b { p }`: without `j` where that can be had, else `max j in a..b if p { 1 } > 1/2`.
    fn exists(&mut self, l: &ast::Loop, span: Span) -> Option<Pred> {
        if let Some(first) = l.body.lets.first() {
            return self.error(
                first.value.span,
                "the body of `exists` is a condition alone: put the `let` before it",
            );
        }
        let mark = self.lifted.len();
        let opened = self.open(l, None);
        let guard = l.guard.as_ref().map_or(Some(vec![]), |p| self.pred(p));
        let body = self.pred(&l.body.value);
        let binders = self.close(&opened, guard.is_some() && body.is_some());
        let (binders, mut p, body) = (binders?, guard?, body?);
        p.extend(body);
        if self.lifted.len() > mark {
            self.lifted.truncate(mark);
            return self.error(span, "`argmax` in `exists`: bind it with a `let` before");
        }
        if !has_opaque(&p) {
            let mut all = vec![];
            let mut gone = vec![];
            for b in &binders {
                let index = Affine::from(Atom::Index(b.index));
                all.push(Cond::NonNeg(index.plus_scaled(-1, &b.lower)?));
                let mut below = b.upper.plus_scaled(-1, &index)?;
                below.constant -= 1;
                all.push(Cond::NonNeg(below));
                gone.push(Atom::Index(b.index));
            }
            all.extend(p.iter().cloned());
            let facts = Facts::default();
            if let Some(pieces) = exists(&all, &gone, false, &self.facts, &facts, &mut Work::default()) {
                return Some(one_of(pieces));
            }
        }
        let one = real(typed::ExprKind::Number(1.0), span);
        let most = real(typed::ExprKind::Reduce(Reduce::Max, binders, p, Box::new(one)), span);
        let half = real(typed::ExprKind::Number(0.5), span);
        Some(vec![self.opaque(RealCompare::Lt, half, most, true)])
    }
}

/// Whether an expression of constants and literals divides by an integer.
fn divides(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary(BinaryOp::Div, _, b)
            if matches!(b.kind, ExprKind::Number { is_integer: true, .. }) =>
        {
            true
        }
        ExprKind::Binary(_, a, b) => divides(a) || divides(b),
        ExprKind::Neg(a) => divides(a),
        _ => false,
    }
}
