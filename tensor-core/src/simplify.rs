//! Directed rules to a fixpoint; none raises the cost.
//!
//! Two kinds of rules alternate. Those of the first leave every definition where it is, and make equal ones equal:
//! `guard`, `merge`, `view`, `fold` (each statement after those that it reads: `forward`), `share`, `storage`, `sums`. Where none of them applies, definitions that are read once move into
//! their readers, and sums are narrowed by what they read (`view`, `support`); last, arrays by where they are read (`narrow`).
//!
//! Invariant: what the solver cannot decide stays as it is.

mod ask;
mod fold;
mod forward;
pub(crate) mod guard;
mod handed;
mod merge;
mod narrow;
mod needed;
mod share;
mod steps;
mod storage;
mod sums;
mod support;
mod view;

use crate::index::Affine;
use crate::index::query::Facts;
use crate::prim::{Outer, Prim};
use crate::sorted::{Map, Set};
use crate::ssa::{Access, ArrayId, Call, Function, Index, Rhs, Stmt, Term, regroup};
use crate::tally::{self, Tally};
use std::rc::Rc;

/// Rounds after which a function is left as it is: more than any program has needed.
const MOST_ROUNDS: usize = crate::weights::simplify::ROUNDS;

/// Simplifies a function.
#[must_use]
pub fn simplify(f: Function) -> Function {
    let mut s = State::new(f);
    to_fixpoint(&mut s);
    // What is narrowed may be put in where it was not; some rules drop conditions that this adds.
    if needed::narrow(&mut s) {
        to_fixpoint(&mut s);
        needed::narrow(&mut s);
    }
    s.f
}

fn to_fixpoint(s: &mut State) {
    share::drop_dead(s);
    let changes = |s: &mut State| {
        handed::handed_on(s) | in_place(s)
            || view::read_once(s) | support::supports(s)
            || narrow::narrow(s)
            || recs(s)
            || steps::sums(s)
    };
    if (0..MOST_ROUNDS).all(|_| changes(s)) {
        tally::add(Tally::Unfinished, 1);
    }
    share::drop_dead(s);
}

/// What is in no cycle any more, as guards were decided, is in no recurrence.
fn recs(s: &mut State) -> bool {
    let places = |f: &Function| {
        let place = |s: &Stmt| (s.array, f.recs_of(s).len());
        f.stmts.iter().map(place).collect::<Vec<_>>()
    };
    if !s.f.stmts.iter().any(Stmt::is_member) {
        return false;
    }
    let new = regroup(s.f.clone());
    let changed = places(&new) != places(&s.f);
    if changed {
        s.f = new;
    }
    changed
}

/// What has no indices, where it is read alone: before loops that are empty, as sizes say, nothing is computed.
#[must_use]
pub fn numbers_where_read(f: Function) -> Function {
    let mut s = State::new(f);
    needed::narrow(&mut s);
    s.f
}

/// `stop(e)` is `e` once nothing is differentiated any more; so are other values whose derivative is declared. A function without any stays as
/// it is.
#[must_use]
pub fn erase_stops(f: Function) -> Function {
    erased(&f).unwrap_or(f)
}

/// A function without them; none if it has none.
#[must_use]
pub fn erased(f: &Function) -> Option<Function> {
    let mut s = State::new(simplify(stops_as_values(f)?));
    needed::factors(&mut s);
    needed::narrow(&mut s);
    Some(s.f)
}

/// Reads `e` where `stop(e)` is read, and drops what only its declared derivative read; every other statement stays as it stands. None if there
/// is none.
#[must_use]
pub fn stops_as_values(f: &Function) -> Option<Function> {
    let is_stop = |s: &Stmt| {
        matches!(s.rhs, Rhs::Prim { prim: Prim::Stop | Prim::Outer(Outer::Custom | Outer::Hold), .. })
    };
    if !f.stmts.iter().any(is_stop) {
        return None;
    }
    let mut f = f.clone();
    for s in f.stmts.iter_mut().filter(|s| is_stop(s)) {
        if let Rhs::Prim { guard, args, .. } = &s.rhs {
            let factors = args.iter().take(1).cloned().collect();
            s.rhs = Rhs::Contract(vec![Term { sums: vec![], guard: guard.clone(), coeff: 1.0, factors }]);
        }
    }
    let mut s = State::new(f);
    share::drop_dead(&mut s);
    Some(s.f)
}

/// The function for a reader: without conditions on sizes that hold wherever a number is read. Where they are false the number would be
/// computed for nothing.
#[must_use]
pub fn readable(f: &Function) -> Function {
    let mut s = State::new(f.clone());
    // What was different by such a condition alone is one then.
    if needed::forget(&mut s) {
        while share::share(&mut s) {}
    }
    s.f
}

fn in_place(s: &mut State) -> bool {
    let changed = forward::in_order(s) | share::named_twice(s) | share::share(s);
    // What can be shared is not split first.
    changed || storage::storage(s) | sums::sums(s)
}

/// A function under simplification.
struct State {
    f: Function,
    /// Those of its arrays of indices: no rule makes one.
    facts: Rc<Facts>,
    /// Right-hand sides that are in normal form.
    done: Map<ArrayId, Rhs>,
    /// Of statements that [`narrow`] has seen to: their reads, and right-hand sides.
    narrowed: narrow::Seen,
    /// Literals made on the way, not yet among the statements.
    literals: Vec<Stmt>,
}

impl State {
    fn new(f: Function) -> State {
        State { facts: ask::facts(&f), f, done: Map::new(), narrowed: Map::new(), literals: vec![] }
    }

    /// The extents of the dimensions that the indices of a statement run through.
    fn extents_of(&self, gens: &[Index]) -> Vec<Affine> {
        let stmt = self.f.stmts.iter().find(|s| s.gens == gens);
        stmt.map_or(vec![], |s| self.f.array(s.array).extents.clone())
    }

    /// A scalar of this value.
    fn literal(&mut self, c: f64) -> Access {
        Access { array: self.all(c, vec![]), at: vec![] }
    }

    /// An array of one value: one that stands before all others, if there is one, so that comparisons with it are the same.
    fn all(&mut self, c: f64, extents: Vec<Affine>) -> ArrayId {
        let terms = if c == 0.0 { vec![] } else { vec![Term::product(c, vec![])] };
        let rhs = Rhs::Contract(terms);
        let before = self.f.stmts.iter().take_while(|s| fold::literal(&s.rhs).is_some());
        let is_it = |s: &&Stmt| s.rhs == rhs && self.f.array(s.array).extents == extents;
        let known = self.literals.iter().chain(before).find(is_it).map(|s| s.array);
        known.unwrap_or_else(|| {
            let gens = extents.iter().map(|_| self.f.new_index("i")).collect();
            let array = self.f.new_array("literal", extents);
            self.literals.push(Stmt { array, gens, rhs, step: None });
            array
        })
    }

    fn put_literals_first(&mut self) {
        self.f.stmts.splice(0..0, std::mem::take(&mut self.literals));
    }
}

/// Puts the right-hand side of a statement into normal form by itself. Returns whether it changed.
fn normal_form(s: &mut State, k: usize) -> bool {
    let stmt = &s.f.stmts[k];
    if s.done.get(&stmt.array) == Some(&stmt.rhs) {
        return false;
    }
    let given = ask::known(s, stmt.around(), &s.f.array(stmt.array).extents);
    let mut rhs = statement(stmt, &given);
    for guard in rhs.guards_mut() {
        *guard = guard::in_range(s, &given, guard);
    }
    let stmt = &mut s.f.stmts[k];
    let changed = rhs != stmt.rhs;
    if changed {
        stmt.rhs = rhs;
        bind_once(&mut s.f, k);
    }
    s.done.insert(s.f.stmts[k].array, s.f.stmts[k].rhs.clone());
    changed
}

fn statement(stmt: &Stmt, given: &ask::Known) -> Rhs {
    match &stmt.rhs {
        Rhs::Contract(terms) => {
            let terms = terms.iter().flat_map(|t| guard::term(given, t.clone())).collect();
            Rhs::Contract(merge::merged(terms, &stmt.gens, given))
        }
        Rhs::Prim { guard, prim, args } => match guard::of_statement(given, guard, &[]) {
            Some(guard) => Rhs::Prim { guard, prim: prim.clone(), args: args.clone() },
            None => Rhs::Contract(vec![]),
        },
        Rhs::Extreme { op, over, guard, arg } => match guard::of_reduction(given, guard, *over) {
            Some(guard) => Rhs::Extreme { op: *op, over: *over, guard, arg: arg.clone() },
            None => stmt.rhs.clone(),
        },
        Rhs::ArgExtreme { op, over, guard, arg } => match guard::of_reduction(given, guard, *over) {
            Some(guard) => Rhs::ArgExtreme { op: *op, over: *over, guard, arg: arg.clone() },
            None => stmt.rhs.clone(),
        },
        Rhs::Call(call) => match guard::of_statement(given, &call.guard, &[]) {
            Some(guard) => Rhs::Call(Box::new(Call { guard, ..(**call).clone() })),
            None => Rhs::Contract(vec![]),
        },
        Rhs::OfIndex(e) if e.is_constant() => Rhs::Contract(if e.constant == 0 {
            vec![]
        } else {
            vec![Term::product(e.constant as f64, vec![])]
        }),
        Rhs::OfIndex(_) | Rhs::Constant(_) => stmt.rhs.clone(),
    }
}

/// A term that was split leaves its private sums to each of its parts: they get names of their own.
fn bind_once(f: &mut Function, k: usize) {
    let Rhs::Contract(terms) = f.stmts[k].rhs.clone() else { return };
    let mut seen: Set<Index> = Set::new();
    let mut out = vec![];
    for t in terms {
        let twice = t.sums.iter().any(|s| seen.contains(s));
        seen.extend(t.sums.iter().copied());
        out.push(if twice { t.freshened(f).unwrap_or(t) } else { t });
    }
    f.stmts[k].rhs = Rhs::Contract(out);
}

#[cfg(test)]
mod tests;
