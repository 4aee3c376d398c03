//! The rules that declared derivatives make.

use super::Shapes;
use crate::index::Affine;
use crate::ssa::{Callee, Derivative, Rule, Slot};

/// A derivative of an `extern fn` as it is declared.
pub(super) struct Declared {
    pub mode: Mode,
    /// By these arguments, in order.
    pub by: Vec<usize>,
    /// Whether it is given the results.
    pub with_result: bool,
    /// Its number.
    pub function: usize,
}

/// Which.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Jvp,
    Vjp,
    Transpose,
}

impl Declared {
    /// What it takes, and what it gives, as a derivative of a function that takes `xs` and gives `ys`.
    pub fn shape(&self, (xs, ys): (&[Vec<Affine>], &[Vec<Affine>])) -> Shapes {
        let own: Vec<Vec<Affine>> = self.by.iter().map(|k| xs[*k].clone()).collect();
        let given = if self.with_result { [xs, ys].concat() } else { xs.to_vec() };
        match self.mode {
            Mode::Jvp => ([given, own].concat(), ys.to_vec()),
            Mode::Vjp => ([given.as_slice(), ys].concat(), own),
            Mode::Transpose => {
                let others = (0..xs.len()).filter(|k| !self.by.contains(k)).map(|k| xs[k].clone());
                (others.chain(ys.iter().cloned()).collect(), own)
            }
        }
    }
}

/// What is declared as rules, and that a `jvp` is the transpose of a `vjp`.
pub(super) fn rules(number: usize, (xs, ys): (usize, usize), declared: &[Declared], callees: &mut [Callee]) {
    let given = |d: &Declared| -> Vec<Slot> {
        let results = (0..if d.with_result { ys } else { 0 }).map(Slot::Result);
        (0..xs).map(Slot::Argument).chain(results).collect()
    };
    let directions = |of: &[usize]| of.iter().map(|k| Slot::Direction(*k)).collect::<Vec<_>>();
    let bars: Vec<usize> = (0..ys).collect();
    for d in declared.iter().filter(|d| d.mode == Mode::Transpose) {
        let others: Vec<usize> = (0..xs).filter(|k| !d.by.contains(k)).collect();
        let slot = |k: usize| if d.by.contains(&k) { Slot::Direction(k) } else { Slot::Argument(k) };
        let jvp = Derivative { function: number, takes: (0..xs).map(slot).collect() };
        let kept: Vec<Slot> = others.iter().map(|k| Slot::Argument(*k)).collect();
        let vjp = Derivative { function: d.function, takes: [kept, directions(&bars)].concat() };
        add(&mut callees[number], d.by.clone(), (Some(jvp), Some(vjp)), true);
        // The function is the transpose of its transpose.
        let slot = |k: usize| match d.by.iter().position(|x| *x == k) {
            Some(part) => Slot::Direction(part),
            None => Slot::Argument(others.iter().position(|x| *x == k).unwrap_or_default()),
        };
        let back = Derivative { function: number, takes: (0..xs).map(slot).collect() };
        linear(d.function, (others.len(), ys), back, callees);
    }
    for d in declared.iter().filter(|d| d.mode != Mode::Transpose) {
        let own = if d.mode == Mode::Jvp { directions(&d.by) } else { directions(&bars) };
        let derivative = Derivative { function: d.function, takes: [given(d), own].concat() };
        let both = if d.mode == Mode::Jvp { (Some(derivative), None) } else { (None, Some(derivative)) };
        add(&mut callees[number], d.by.clone(), both, false);
    }
    let pairs = |g: &&Declared, h: &Declared| {
        g.mode == Mode::Jvp && h.mode == Mode::Vjp && g.by == h.by && g.with_result == h.with_result
    };
    for h in declared {
        let Some(g) = declared.iter().find(|g| pairs(g, h)) else { continue };
        let kept = given(g).len();
        let back = |count: usize, function: usize| Derivative {
            function,
            takes: (0..kept).map(Slot::Argument).chain((0..count).map(Slot::Direction)).collect(),
        };
        linear(g.function, (kept, g.by.len()), back(ys, h.function), callees);
        linear(h.function, (kept, ys), back(h.by.len(), g.function), callees);
    }
}

/// One more derivative of a function; the two modes by the same arguments are one rule.
fn add(
    callee: &mut Callee,
    by: Vec<usize>,
    (jvp, vjp): (Option<Derivative>, Option<Derivative>),
    is_linear: bool,
) {
    match callee.rules.iter_mut().find(|r| r.by == by && r.is_linear == is_linear) {
        Some(rule) => {
            rule.jvp = jvp.or(rule.jvp.take());
            rule.vjp = vjp.or(rule.vjp.take());
        }
        None => {
            let at = if is_linear { 0 } else { callee.rules.len() };
            callee.rules.insert(at, Rule { by, is_linear, jvp, vjp });
        }
    }
}

/// A function is linear in its last `count` arguments, behind `kept` others, with this transpose.
fn linear(f: usize, (kept, count): (usize, usize), transpose: Derivative, callees: &mut [Callee]) {
    let by: Vec<usize> = (kept..kept + count).collect();
    if callees[f].rules.iter().any(|r| r.is_linear && r.by == by) {
        return;
    }
    let own = (0..kept).map(Slot::Argument).chain(by.iter().map(|k| Slot::Direction(*k)));
    let jvp = Derivative { function: f, takes: own.collect() };
    add(&mut callees[f], by, (Some(jvp), Some(transpose)), true);
}
