//! Search over disjunctions and opaque conditions: a node is a system, and what is not yet decided.

use super::Facts;
use super::columns::{Clause, Columns, Lit, Row};
use super::congruent::joined;
use super::facts::assume_facts;
use crate::index::omega::{self, Answer, R, Stop, Sys, Work, eval};
use crate::index::pred::Cond;

/// A search node: rows, clauses not yet decided, opaque literals.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) sys: Sys,
    /// Of each, one alternative holds.
    pub(super) clauses: Vec<Clause>,
    pub(super) opaque: Vec<(u32, Vec<Row>, bool)>,
    /// Of each it is not yet known whether its range is empty.
    pub(super) places: Vec<Place>,
    /// Whether more holds than what is said here, so that a point need not be one.
    pub(super) is_partial: bool,
}

/// `lower <= K` and one of these: see [`super::Range::Place`].
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// `K < upper`
    pub(super) below: Row,
    /// `K <= lower`
    pub(super) at_least: Row,
}

impl Node {
    /// What holds where all of these do, with what holds of the columns. `quotient` is the next that is free.
    pub(super) fn of(cols: &Columns, preds: &[&[Cond]], facts: &Facts, quotient: &mut usize) -> R<Node> {
        let mut node = Node::new(cols, facts)?;
        preds.iter().try_for_each(|p| node.assume(cols, *p, quotient))?;
        node.settle()?;
        Ok(node)
    }
    /// What holds of the columns.
    fn new(cols: &Columns, facts: &Facts) -> R<Node> {
        let sys = Sys::new(cols.n());
        let mut node = Node { sys, clauses: vec![], opaque: vec![], places: vec![], is_partial: false };
        assume_facts(cols, facts, &mut node)?;
        Ok(node)
    }
    /// More conditions.
    pub(super) fn assume<'a>(
        &mut self,
        cols: &Columns,
        p: impl IntoIterator<Item = &'a Cond> + Clone,
        quotient: &mut usize,
    ) -> R<()> {
        let mut row = vec![];
        let is_congruence = |c: &&Cond| matches!(c, Cond::Residue(..));
        if p.clone().into_iter().filter(is_congruence).nth(1).is_some() {
            let p = joined(p.into_iter())?;
            return p.iter().try_for_each(|c| self.assume_one(cols, c, quotient, &mut row));
        }
        p.into_iter().try_for_each(|c| self.assume_one(cols, c, quotient, &mut row))
    }
    fn assume_one(&mut self, cols: &Columns, c: &Cond, quotient: &mut usize, row: &mut Row) -> R<()> {
        match c {
            Cond::NonNeg(a) => {
                cols.fill(row, a)?;
                self.sys.push_ge(row)
            }
            Cond::Zero(a) => {
                cols.fill(row, a)?;
                self.sys.push_eq(row)
            }
            Cond::NonZero(_) | Cond::Residue(..) | Cond::NonResidue(..) => self.add(cols.lit(c, quotient)?),
            Cond::Opaque { .. } | Cond::Any(_) => self.add(cols.lit(c, quotient)?),
        }
    }
    /// `K < upper` is a row where the others say that the range of `K` is not empty; else it is one of two alternatives.
    fn settle(&mut self) -> R<()> {
        let mut open = std::mem::take(&mut self.places);
        loop {
            let before = open.len();
            let mut empty = vec![];
            for place in open {
                if self.reaches_behind(&place) {
                    empty.push(place);
                } else {
                    self.sys.push_ge(&mut place.below.clone())?;
                }
            }
            open = empty;
            if open.len() == before {
                break;
            }
        }
        let alternatives = |p: Place| [vec![Lit::NonNeg(p.below)], vec![Lit::NonNeg(p.at_least)]].into();
        self.clauses.extend(open.into_iter().map(alternatives));
        Ok(())
    }
    /// Whether `upper <= K <= lower` may be.
    fn reaches_behind(&self, place: &Place) -> bool {
        let mut behind: Row = place.below.iter().map(|c| -c).collect();
        behind[self.sys.n] -= 1;
        let mut sys = self.sys.clone();
        let rows = [behind, place.at_least.clone()];
        let pushed = rows.into_iter().try_for_each(|mut row| sys.push_ge(&mut row));
        match pushed {
            Err(Stop::Empty) => false,
            Err(Stop::Unknown) => true,
            Ok(()) => omega::solve(&sys, &mut Work::default()) != Answer::Empty,
        }
    }
    fn add(&mut self, lit: Lit) -> R<()> {
        match lit {
            Lit::Zero(mut r) => self.sys.push_eq(&mut r),
            Lit::NonNeg(mut r) => self.sys.push_ge(&mut r),
            Lit::Residue(mut r, k, col) => {
                r[col] = -k;
                self.sys.push_eq(&mut r)
            }
            Lit::NonResidue(mut lo, k, col) => {
                // 1 <= a - k q <= k - 1
                let n = self.sys.n;
                lo[col] = -k;
                let mut hi: Row = lo.iter().map(|c| -c).collect();
                lo[n] -= 1;
                hi[n] += k - 1;
                self.sys.push_ge(&mut lo)?;
                self.sys.push_ge(&mut hi)
            }
            Lit::Opaque { id, args, holds } => {
                let literal = (id, args, holds);
                if !self.opaque.contains(&literal) {
                    self.opaque.push(literal);
                }
                Ok(())
            }
            Lit::Any(alternatives) => {
                self.clauses.push(alternatives);
                Ok(())
            }
        }
    }

    /// `r[a]` and `¬r[b]` with `a = b` in this model: they must differ.
    fn clash(&self, m: &[i64]) -> Option<Vec<Vec<Lit>>> {
        let o = &self.opaque;
        for (k, x) in o.iter().enumerate() {
            for y in &o[k + 1..] {
                let opposite = x.0 == y.0 && x.2 != y.2 && x.1.len() == y.1.len();
                if opposite && x.1.iter().zip(&y.1).all(|(a, b)| eval(a, m) == eval(b, m)) {
                    return Some(differ(&x.1, &y.1));
                }
            }
        }
        None
    }
}

fn true_at(lit: &Lit, m: &[i64]) -> bool {
    match lit {
        Lit::Zero(r) => eval(r, m) == 0,
        Lit::NonNeg(r) => eval(r, m) >= 0,
        Lit::Residue(r, k, _) => eval(r, m).rem_euclid(i128::from(*k)) == 0,
        Lit::NonResidue(r, k, _) => eval(r, m).rem_euclid(i128::from(*k)) != 0,
        // Must be put among the opaque literals and compared with them.
        Lit::Opaque { .. } => false,
        Lit::Any(alts) => alts.iter().any(|p| p.iter().all(|l| true_at(l, m))),
    }
}

/// `a ≠ b` in some place, as alternatives.
pub(super) fn differ(a: &[Row], b: &[Row]) -> Vec<Vec<Lit>> {
    let mut out = vec![];
    for (x, y) in a.iter().zip(b) {
        let n = x.len() - 1;
        let mut up: Row = x.iter().zip(y).map(|(x, y)| x - y).collect();
        let mut down: Row = up.iter().map(|c| -c).collect();
        up[n] -= 1;
        down[n] -= 1;
        out.push(vec![Lit::NonNeg(up)]);
        out.push(vec![Lit::NonNeg(down)]);
    }
    out
}

/// Is there a point? Clauses are split only where a model violates them.
pub(super) fn search(mut node: Node, work: &mut Work) -> Answer {
    match search_in(&mut node, work) {
        Answer::Sat(_) if node.is_partial => Answer::Unknown,
        answer => answer,
    }
}

/// The same; a node without a point is left as it was, so that on the way down no list is held but the rows.
fn search_in(node: &mut Node, work: &mut Work) -> Answer {
    let m = match omega::solve(&node.sys, work) {
        Answer::Sat(m) => m,
        other @ (Answer::Empty | Answer::Unknown) => return other,
    };
    let violated = node.clauses.iter().position(|c| !c.iter().any(|p| p.iter().all(|l| true_at(l, &m))));
    let alternatives = match violated {
        Some(k) => node.clauses.remove(k),
        None => match node.clash(&m) {
            Some(alternatives) => alternatives.into(),
            None => return Answer::Sat(m),
        },
    };
    let answer = one_of(node, &alternatives, work);
    if let Some(k) = violated {
        node.clauses.insert(k, alternatives);
    }
    answer
}

/// A point of one of the alternatives.
fn one_of(node: &mut Node, alternatives: &[Vec<Lit>], work: &mut Work) -> Answer {
    let (clauses, opaque) = (node.clauses.len(), node.opaque.len());
    let mut unknown = false;
    for alternative in alternatives {
        let sys = node.sys.clone();
        let answer = match alternative.iter().try_for_each(|l| node.add(l.clone())) {
            Err(Stop::Empty) => Answer::Empty,
            Err(Stop::Unknown) => Answer::Unknown,
            Ok(()) => search_in(node, work),
        };
        node.sys = sys;
        node.clauses.truncate(clauses);
        node.opaque.truncate(opaque);
        match answer {
            Answer::Sat(m) => return Answer::Sat(m),
            Answer::Unknown => unknown = true,
            Answer::Empty => {}
        }
        if work.is_spent() {
            return Answer::Unknown;
        }
    }
    if unknown { Answer::Unknown } else { Answer::Empty }
}

/// The rows of the convex part of `preds`, with facts: what is opaque, or a union, is left out.
pub(crate) fn facts_rows(cols: &Columns, preds: &[&[Cond]], facts: &Facts) -> R<Sys> {
    Ok(Node::of(cols, preds, facts, &mut 0)?.sys)
}
