//! Every read and write is in range: `0 <= at < extent`, by what stands around it and before it.
//!
//! Given is what entry points check: sizes are not negative, and [`Function::assumptions`](crate::ssa::Function) hold, which say that extents of arguments are lengths. Beside that, the ranges
//! of loops, tests of indices where they hold, and what assignments give to elements of index arrays. Tests of reals give nothing, but that a search has found something which has
//! tested the same. A test is judged by
//! those before it in its conjunction: there it is evaluated.

mod reads;
mod whole;

use super::known::{Writers, Written, count, writers};
use super::links::relevant;
use super::prove::{self, Prover, Verdict};
use super::reals::Reals;
use super::searched::missed;
use crate::index::pred::{any, complement};
use crate::index::query::Model;
use crate::index::{Affine, Atom, Cond, Pred};
use crate::loops::display::{form, statement};
use crate::loops::{Bound, Leaf, Order, Program, Stmt, Storage, Test, VarId};
use crate::sorted::{Map, Set};
use crate::ssa::Index;
use crate::weights;

/// What was asked of a program, and what came out.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    /// Ends of ranges that are proved to be kept.
    pub proved: usize,
    /// Those that the solver cannot decide, though they are affine.
    pub undecided: Vec<String>,
    /// How many it cannot decide and is not expected to (`prove::is_hard`): too many to write each down.
    pub hard: usize,
    /// Those that are not, each with a point.
    pub outside: Vec<String>,
}

/// The ranges of a program. What elements of index arrays say of each other after their loops is asked only where it is needed: it makes all
/// questions longer.
#[must_use]
pub fn ranges(program: &Program, prover: &mut Prover) -> Ranges {
    let is_settled = |found: &Ranges| found.outside.is_empty() && found.undecided.is_empty();
    let found = walked(program, prover, false);
    if is_settled(&found) {
        return found;
    }
    let again = walked(program, prover, true);
    if is_settled(&again) { again } else { found }
}

fn walked(program: &Program, prover: &mut Prover, keeps: bool) -> Ranges {
    let mut here = Here { context: program.function.assumptions.clone(), read: vec![] };
    for v in program.vars.iter().filter(|v| matches!(v.storage, Storage::Param(_))) {
        let lengths = v.extents.iter().filter(|e| !e.is_constant()).cloned().map(Cond::NonNeg);
        // What a linear map has stored was computed in a scope that may have been empty.
        here.context.extend(lengths.filter(|c| prover.follows(&program.function.assumptions, c)));
        here.context.extend(of_products(&v.extents));
    }
    let writers = Writers::new(program);
    let (reals, out) = Default::default();
    let foresees = false;
    let mut walk = Walk { program, prover, writers, reals, here, keeps, foresees, at: None, out };
    walk.statements(&program.body);
    walk.at = None;
    program.scalars.iter().for_each(|e| walk.expr(e));
    walk.out
}

/// Products of extents that follow each other are not negative, where the solver does not see that: one of them is a difference.
fn of_products(extents: &[Affine]) -> Pred {
    let is_difference = |e: &Affine| e.constant < 0 || e.terms.iter().any(|t| t.1 < 0);
    let several = (0..extents.len()).flat_map(|a| (a + 2..=extents.len()).map(move |b| &extents[a..b]));
    let some = several.filter(|own| own.iter().any(is_difference));
    some.filter_map(reads::size).map(Cond::NonNeg).collect()
}

/// What holds at a statement.
#[derive(Clone)]
struct Here {
    context: Pred,
    /// Elements of index arrays of which the context says what is known.
    read: Vec<(u32, Vec<Affine>)>,
}

struct Walk<'a> {
    program: &'a Program,
    prover: &'a mut Prover,
    writers: Writers,
    reals: Reals,
    here: Here,
    /// Whether what is known of elements by other elements lasts after the loops that write both, and tests of reals are known by what they read.
    keeps: bool,
    /// Whether it only looks for what steps assign.
    foresees: bool,
    /// Where.
    at: Option<&'a Stmt>,
    out: Ranges,
}

impl<'a> Walk<'a> {
    /// What `f` finds in an inner scope.
    fn scope(&mut self, f: impl FnOnce(&mut Self)) {
        let here = self.here.clone();
        f(self);
        self.here = here;
    }

    fn statements(&mut self, stmts: &'a [Stmt]) {
        for (k, s) in stmts.iter().enumerate() {
            self.at = Some(s);
            self.stmt(s);
            for before in &stmts[..k] {
                let Stmt::Leaf(Leaf::DeclareIndex { var, .. }) = before else { continue };
                let (keeps, reals) = (self.keeps, &mut self.reals);
                let mut real = |t: &Test| if keeps { reals.lasting(t, s) } else { None };
                if let Some(unless) = missed(s, *var, &mut real) {
                    self.writers.assigned(*var, unless);
                }
            }
        }
    }

    /// What is known of index arrays that statements write does not last, but that of the elements which a loop over a dimension, just left, has
    /// written one in each iteration.
    fn forget(&mut self, stmts: &[Stmt], left: Option<Index>) {
        self.reals.forget(stmts);
        let mut written = Map::new();
        writers(stmts, &mut written);
        if written.is_empty() {
            return;
        }
        let left = left.filter(|_| self.keeps);
        let stays = |w: &Written, at: &[Affine]| left.is_some_and(|i| w.writes_only(at, i));
        let is_written = |t: &Atom| match t {
            Atom::Element(v, at) => written.get(v).is_some_and(|w| !stays(w, at)),
            Atom::Size(_) | Atom::Index(_) | Atom::Floor(..) | Atom::Product(_) => false,
        };
        self.here.context.retain(|c| !c.any_atom(&is_written));
        let stays = |(v, at): &(u32, Vec<Affine>)| {
            !written.contains_key(v) && !at.iter().any(|a| a.any_atom(&is_written))
        };
        self.here.read.retain(stays);
        self.writers.forget(&is_written);
    }

    fn stmt(&mut self, s: &'a Stmt) {
        match s {
            Stmt::For { index, lower, upper, step, order, body, .. } => {
                lower.iter().chain(upper).for_each(|b| self.form(&b.num));
                step.iter().for_each(|s| self.form(&s.0));
                self.forget(body, None);
                let range = iterations(*index, lower, upper, step.as_ref());
                let steps = matches!(order, Order::Steps(_)) && !self.foresees;
                let lasting = if steps { self.writers.lasting(*index, body) } else { Set::new() };
                if !lasting.is_empty() {
                    self.foresee(*index, &range, body, &lasting);
                }
                self.iteration(*index, &range, body);
                self.writers.forget_foreseen(&lasting);
                self.forget(body, Some(*index));
            }
            Stmt::If { tests, body, otherwise } => {
                self.scope(|w| {
                    w.tests(tests);
                    w.statements(body);
                });
                self.forget(body, None);
                self.scope(|w| {
                    w.here.context.extend(fails(tests));
                    w.statements(otherwise);
                });
                self.forget(otherwise, None);
            }
            Stmt::Leaf(leaf) => {
                self.leaf(s, leaf);
                self.reals.forget(std::slice::from_ref(s));
            }
        }
    }

    /// The body of a loop.
    fn iteration(&mut self, index: Index, range: &[Cond], body: &'a [Stmt]) {
        self.writers.enter(index, body);
        self.scope(|w| {
            w.here.context.extend(range.iter().cloned());
            w.statements(body);
        });
        self.writers.leave();
    }

    /// What steps assign to elements that others read: all of it, before any is asked.
    fn foresee(&mut self, index: Index, range: &[Cond], body: &'a [Stmt], vars: &Set<u32>) {
        let (program, keeps, at, out) = (self.program, self.keeps, self.at, Ranges::default());
        let (writers, reals, here) = (self.writers.clone(), self.reals.clone(), self.here.clone());
        let prover = &mut *self.prover;
        let mut first = Walk { program, prover, writers, reals, here, keeps, foresees: true, at, out };
        first.iteration(index, range, body);
        first.forget(body, None);
        let walked = first.writers;
        self.writers.foresee(walked, vars);
    }

    fn leaf(&mut self, s: &Stmt, leaf: &Leaf) {
        match leaf {
            Leaf::LetIndex { index, value } => {
                self.form(value);
                self.here.context.extend(index.affine().minus(value).map(Cond::Zero));
            }
            Leaf::Declare { value, .. } => self.expr(value),
            Leaf::Assign { target, value }
            | Leaf::Accumulate { target, value }
            | Leaf::Extreme { target, value, .. } => {
                self.expr(value);
                self.place(target);
            }
            Leaf::DeclareIndex { var, value } => {
                self.form(value);
                let is = |v: &Affine| Some(vec![Cond::Zero(v.minus(value)?)]);
                self.writers.declare(*var, &self.here.context, &is);
                self.forget(std::slice::from_ref(s), None);
            }
            Leaf::ArgExtreme { at, first, value, index, .. } => {
                self.expr(value);
                self.form(first);
                self.form(index);
                self.assign(s, *at, &[], &|v| Some(vec![Cond::Zero(v.minus(index)?)]));
            }
            Leaf::AssignIndex { target, value, least } => {
                self.form(value);
                self.form(least);
                self.place(target);
                let greater = |v: &Affine| {
                    let (a, b) = (v.minus(value)?, v.minus(least)?);
                    let one = Cond::Any(vec![vec![Cond::Zero(a.clone())], vec![Cond::Zero(b.clone())]]);
                    Some(vec![Cond::NonNeg(a), Cond::NonNeg(b), one])
                };
                self.assign(s, target.var, &target.at, &greater);
                let element = Atom::Element(target.var.0, target.at.clone());
                self.here.context.extend(greater(&element.into()).into_iter().flatten());
                self.here.read.push((target.var.0, target.at.clone()));
            }
            Leaf::Product(p) => self.product(p),
            Leaf::Symmetrize(m) => self.symmetrize(m),
            Leaf::Call(c) => self.call(c),
            Leaf::Fill { .. } => {}
        }
    }

    fn assign(&mut self, s: &Stmt, v: VarId, at: &[Affine], value: &dyn Fn(&Affine) -> Option<Pred>) {
        self.writers.assign(v, at, &self.here.context, value);
        self.forget(std::slice::from_ref(s), None);
    }

    /// Whether a condition holds here; if not, it is noted with what it is of.
    fn holds(&mut self, c: Option<Cond>, what: &dyn Fn(&Program) -> String) -> bool {
        let Some(c) = c else {
            self.out.undecided.push(self.note(what, "its numbers are too large"));
            return false;
        };
        match self.prover.ask(&self.here.context, &c) {
            Verdict::Proved => {
                self.out.proved += 1;
                return true;
            }
            Verdict::Undecided | Verdict::Unseen => {
                // That a loop runs whose length is a product may be what says it.
                let by_products = prove::of_products(&self.here.context, &c);
                let is_long = count(&self.here.context) > weights::verify::ASKED;
                if by_products || is_long || prove::is_hard(&relevant(&self.here.context, &c), &c) {
                    self.out.hard += 1;
                } else {
                    self.out.undecided.push(self.note(what, "not decided"));
                }
            }
            // A point where not all was kept that is known of an element.
            Verdict::Fails(_) if self.writers.are_cut(&relevant(&self.here.context, &c)) => {
                self.out.hard += 1
            }
            Verdict::Fails(m) => {
                let why = format!("not where {}", point(self.program, &m));
                self.out.outside.push(self.note(what, &why));
            }
        }
        false
    }

    /// Whether a condition is known to hold here.
    fn is_proved(&mut self, c: &Cond) -> bool {
        self.prover.follows(&self.here.context, c)
    }

    /// Something that no sizes make right.
    fn fails(&mut self, what: &dyn Fn(&Program) -> String) {
        self.out.outside.push(self.note(what, "nowhere right"));
    }

    fn note(&self, what: &dyn Fn(&Program) -> String, why: &str) -> String {
        let at = self.at.map_or_else(|| "return".to_string(), |s| statement(self.program, s));
        format!("{}: {why}\nat {at}", what(self.program))
    }
}

/// What holds of an index inside its loop.
pub(super) fn iterations(i: Index, lower: &[Bound], upper: &[Bound], step: Option<&(Affine, i64)>) -> Pred {
    let at_least = |b: &Bound| {
        let Bound { num, den } = b;
        let conds = [Some(i.affine().scale(*den)?.minus(num)?), whole(&i.affine(), b, 1)];
        Some(conds.into_iter().flatten().map(Cond::NonNeg).collect::<Pred>())
    };
    let at_most = |b: &Bound| {
        let Bound { num, den } = b;
        let conds = [Some(num.minus(&i.affine().scale(*den)?)?), whole(&i.affine(), b, -1)];
        Some(conds.into_iter().flatten().map(Cond::NonNeg).collect::<Pred>())
    };
    let ends = lower.iter().filter_map(at_least).chain(upper.iter().filter_map(at_most));
    let step = step.and_then(|(a, k)| Some(Cond::Residue(i.affine().minus(a)?, *k)));
    ends.flatten().chain(step).collect()
}

/// `⌊e / k⌋ + r <= i` as `0 <= k (i - r) - e + k - 1`, and `i <= ⌊e / k⌋ + r` as `0 <= e - k (i - r)`: where products of indices are bounded, no quotient is.
fn whole(i: &Affine, b: &Bound, sign: i64) -> Option<Affine> {
    let (floor, e, k) = b.num.terms.iter().find_map(|t| match t {
        (floor @ Atom::Floor(e, k), 1) if b.den == 1 => Some((floor, e, *k)),
        _ => None,
    })?;
    let rest = b.num.minus(&floor.clone().into())?;
    let difference = i.minus(&rest)?.scale(k)?.minus(e)?.scale(sign)?;
    if sign > 0 { difference.plus_constant(k - 1) } else { Some(difference) }
}

/// What holds where tests do not; nothing where one asks of reals.
fn fails(tests: &[Test]) -> Option<Cond> {
    fn conds(tests: &[Test]) -> Option<Pred> {
        let one = |t: &Test| match t {
            Test::Index(c) => Some(c.clone()),
            Test::Real { .. } => None,
            Test::Any(ps) => Some(Cond::Any(ps.iter().map(|p| conds(p)).collect::<Option<_>>()?)),
        };
        tests.iter().map(one).collect()
    }
    Some(any(complement(&conds(tests)?)))
}

/// A point in words.
fn point(program: &Program, m: &Model) -> String {
    let one = |(t, value): (&Atom, &i64)| format!("{} = {value}", form(program, &t.clone().into()));
    m.atoms.iter().zip(&m.values).map(one).collect::<Vec<_>>().join(", ")
}
