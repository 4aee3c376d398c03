//! Many questions about one predicate, each answered as cheaply as it can be.

use super::columns::Columns;
use super::facts::{of_these, products};
use super::node::{Node, search};
use super::{Facts, Found, Model};
use crate::index::affine::{Affine, Atom};
use crate::index::omega::{self, Answer, BIG, R, Stop, Work, eval};
use crate::index::pred::{Cond, Pred};
use crate::weights;
use std::borrow::Cow;

/// Steps of a short proof.
const BUDGET: u32 = weights::index::STEPS;

/// A conjunction made ready for many questions, with the points of it that were met on the way.
pub struct Context {
    cols: Columns,
    /// The first quotient column that the conjunction itself does not use.
    quotient: usize,
    node: R<Node>,
    models: Vec<Vec<i64>>,
}

impl Context {
    /// `preds` are assumed; `asked` may be asked about.
    #[must_use]
    pub fn new(preds: &[&[Cond]], asked: &[&[Cond]], facts: &Facts) -> Context {
        let short: Vec<Pred> = asked
            .iter()
            .copied()
            .flatten()
            .filter(|c| is_wide(c))
            .map(|c| vec![first_of(c).into_owned()])
            .collect();
        if !short.is_empty() {
            let plain = asked.iter().copied().flatten().filter(|c| !is_wide(c)).map(std::slice::from_ref);
            let all: Vec<&[Cond]> = plain.chain(short.iter().map(Vec::as_slice)).collect();
            return Context::new(preds, &all, facts);
        }
        Context::with(&products(preds, asked, facts), preds, asked, facts)
    }
    /// The same for one question, by products that occur alone; none if there are no others.
    #[must_use]
    pub(super) fn without_others(preds: &[&[Cond]], c: &Cond, facts: &Facts) -> Option<Context> {
        let first = [first_of(c).into_owned()];
        let asked: &[&[Cond]] = &[&first];
        let extra = products(preds, asked, facts);
        let few = of_these(&extra, preds, asked, facts);
        (few.len() < extra.len()).then(|| Context::with(&few, preds, asked, facts))
    }
    fn with(extra: &[Cond], preds: &[&[Cond]], asked: &[&[Cond]], facts: &Facts) -> Context {
        let mut assumed: Vec<&[Cond]> = preds.to_vec();
        assumed.push(extra);
        let cols = Columns::with_asked(&assumed, asked, facts);
        let mut quotient = 0;
        let node = Node::of(&cols, &assumed, facts, &mut quotient);
        Context { cols, quotient, node, models: vec![] }
    }
    /// The node with more conditions, for `ask`.
    fn and<'a>(&self, p: impl IntoIterator<Item = &'a Cond> + Clone) -> (R<Node>, usize) {
        let mut q = self.quotient;
        let node = self.node.clone().and_then(|mut n| n.assume(&self.cols, p, &mut q).map(|()| n));
        (node, q)
    }
    /// A point where `more` holds too.
    fn point(&mut self, more: &[Cond], work: &mut Work) -> Answer {
        let answer = match self.and(more).0 {
            Ok(node) => search(node, work),
            Err(Stop::Empty) => Answer::Empty,
            Err(Stop::Unknown) => Answer::Unknown,
        };
        if let Answer::Sat(m) = &answer {
            self.models.push(m.clone());
        }
        answer
    }
    /// A point.
    pub fn model(&mut self, work: &mut Work) -> Found {
        match self.point(&[], work) {
            Answer::Empty => Found::None,
            Answer::Unknown => Found::Unknown,
            Answer::Sat(mut values) => {
                values.truncate(self.cols.atoms.len());
                Found::Some(Model { atoms: self.cols.atoms.clone(), values })
            }
        }
    }
    /// `true` only if there is no point.
    pub fn is_empty(&mut self, work: &mut Work) -> bool {
        self.is_empty_with(&[], work)
    }
    /// The same where `p` holds too, which was announced.
    pub fn is_empty_with(&mut self, p: &[Cond], work: &mut Work) -> bool {
        (!p.is_empty() || self.models.is_empty()) && self.point(p, work) == Answer::Empty
    }
    /// `true` only if every point satisfies `c`, which was announced.
    pub fn entails(&mut self, c: &Cond, work: &mut Work) -> bool {
        match &self.node {
            Err(Stop::Empty) => true,
            Err(Stop::Unknown) => false,
            Ok(node) => ask((&self.cols, node, self.quotient), &mut self.models, c, work),
        }
    }
    /// The same where `p` holds too, which was announced.
    pub fn entails_with(&mut self, p: &[&Cond], c: &Cond, work: &mut Work) -> bool {
        let probes: Option<Vec<Probe>> = p.iter().map(|d| Probe::new(&self.cols, d)).collect();
        let is_point = |m: &&Vec<i64>| probes.iter().flatten().all(|d| d.holds(m));
        // Where the truth of a condition is not seen, no point is known.
        let known = if probes.is_some() { &self.models[..] } else { &[] };
        let mut models: Vec<Vec<i64>> = known.iter().filter(is_point).cloned().collect();
        let known = models.len();
        let (node, q) = self.and(p.iter().copied());
        match node {
            Err(Stop::Empty) => true,
            Err(Stop::Unknown) => false,
            Ok(node) => {
                let entailed = ask((&self.cols, &node, q), &mut models, c, work);
                self.models.extend(models.drain(known..));
                entailed
            }
        }
    }
}

/// A condition to be looked at in many points: its form by columns.
struct Probe<'a> {
    c: &'a Cond,
    terms: Vec<(usize, i64)>,
    constant: i64,
}

impl Probe<'_> {
    /// `None` where its truth cannot be seen at a point.
    fn new<'a>(cols: &Columns, c: &'a Cond) -> Option<Probe<'a>> {
        let a = match c {
            Cond::Zero(a)
            | Cond::NonZero(a)
            | Cond::NonNeg(a)
            | Cond::Residue(a, _)
            | Cond::NonResidue(a, _) => a,
            Cond::Opaque { .. } | Cond::Any(_) => return None,
        };
        let column = |t: &(Atom, i64)| Some((cols.atoms.binary_search(&t.0).ok()?, t.1));
        let terms = a.terms.iter().map(column).collect::<Option<_>>()?;
        Some(Probe { c, terms, constant: a.constant })
    }
    fn holds(&self, point: &[i64]) -> bool {
        let terms = self.terms.iter().map(|(k, c)| i128::from(*c) * i128::from(point[*k]));
        let value = i128::from(self.constant) + terms.sum::<i128>();
        match self.c {
            Cond::Zero(_) => value == 0,
            Cond::NonZero(_) => value != 0,
            Cond::NonNeg(_) => value >= 0,
            Cond::Residue(_, k) => value.rem_euclid(i128::from(*k)) == 0,
            Cond::NonResidue(_, k) => value.rem_euclid(i128::from(*k)) != 0,
            // No probe is made of these.
            Cond::Opaque { .. } | Cond::Any(_) => false,
        }
    }
}

/// The conditions `sign · a - less >= 0` whose proof proves `c`, and how many of them are needed.
fn goals(c: &Cond) -> (&[(i64, i64)], Option<&Affine>, usize) {
    match c {
        Cond::NonNeg(a) => (&[(1, 0)], Some(a), 1),
        Cond::Zero(a) => (&[(1, 0), (-1, 0)], Some(a), 2),
        Cond::NonZero(a) => (&[(1, 1), (-1, 1)], Some(a), 1),
        Cond::Residue(..) | Cond::NonResidue(..) | Cond::Opaque { .. } | Cond::Any(_) => (&[], None, 1),
    }
}

/// Of many alternatives the first: where one of these holds, one of all does.
fn first_of(c: &Cond) -> Cow<'_, Cond> {
    match c {
        Cond::Any(ps) if is_wide(c) => Cow::Owned(Cond::Any(ps[..weights::index::ALTERNATIVES].to_vec())),
        _ => Cow::Borrowed(c),
    }
}

/// Whether a condition has more alternatives than are asked about.
pub(super) fn is_wide(c: &Cond) -> bool {
    matches!(c, Cond::Any(ps) if ps.len() > weights::index::ALTERNATIVES)
}

/// Does `node` entail `c`? A known point that refutes it, a proof by bounds, a known point moved so that it refutes it,
/// and only then the solver.
fn ask(
    (cols, node, quotient): (&Columns, &Node, usize),
    models: &mut Vec<Vec<i64>>,
    c: &Cond,
    work: &mut Work,
) -> bool {
    if Probe::new(cols, c).is_some_and(|probe| models.iter().any(|m| !probe.holds(m))) {
        return false;
    }
    let first = first_of(c);
    let c = first.as_ref();
    let (signs, form, needed) = goals(c);
    let mut proved = 0;
    for (sign, less) in signs {
        let Some(Ok(mut row)) = form.map(|a| cols.row(a)) else { break };
        row.iter_mut().for_each(|x| *x *= sign);
        row[cols.n()] -= less;
        if omega::prove(&node.sys, &row, &mut BUDGET.clone()) {
            proved += 1;
        } else if *less == 0
            && let Some(m) = nudge(node, models, &row)
        {
            models.push(m);
            return false;
        }
    }
    proved >= needed
        || c.negate().iter().all(|alternative| {
            let mut child = node.clone();
            match child.assume(cols, alternative, &mut quotient.clone()) {
                Err(Stop::Empty) => true,
                Err(Stop::Unknown) => false,
                Ok(()) => match search(child, work) {
                    Answer::Empty => true,
                    Answer::Unknown => false,
                    Answer::Sat(m) => {
                        models.push(m);
                        false
                    }
                },
            }
        })
}

/// A known point moved along one column until `goal < 0`.
fn nudge(node: &Node, models: &[Vec<i64>], goal: &[i64]) -> Option<Vec<i64>> {
    if !node.clauses.is_empty() || node.opaque.len() > 1 {
        return None;
    }
    for m in models.iter().rev().take(weights::index::MODELS) {
        let v = i64::try_from(eval(goal, m)).ok().filter(|v| *v >= 0)?;
        for (k, c) in goal[..node.sys.n].iter().enumerate().filter(|(_, c)| **c != 0) {
            let mut m = m.clone();
            let by = (v / c.abs()).checked_add(1)?.checked_mul(c.signum())?;
            m[k] = m[k].checked_sub(by)?;
            if m[k].unsigned_abs() < BIG.unsigned_abs() && node.sys.holds(&m) {
                return Some(m);
            }
        }
    }
    None
}
