//! Tests in a straight body: decided where they are of literals, else truth values that are known inside of what they guard; and where elements of memory
//! may be read.

use super::Run;
use crate::index::{Affine, Cond};
use crate::loops::Test;
use crate::loops::straight::is_of_indices;
use crate::loops::walk::map_cond;
use crate::schedule::straight::graph::{Facts, Id, Mask, MaskId, Truth};

impl Run<'_> {
    /// A value where all tests hold, else zero.
    pub(super) fn guarded(
        &mut self,
        tests: &[Test],
        value: &mut dyn FnMut(&mut Self) -> Option<Id>,
    ) -> Option<Id> {
        match self.tests(tests)? {
            Truth::Known(false) => Some(self.graph.number(0.0)),
            Truth::Known(true) => value(self),
            Truth::Asked(m) => {
                let before = self.facts.len();
                self.suppose(m, true);
                let a = value(self)?;
                self.facts.truncate(before);
                let zero = self.graph.number(0.0);
                Some(self.graph.select(m, a, zero))
            }
        }
    }

    /// Until facts are truncated, a truth value is known.
    pub(super) fn suppose(&mut self, m: MaskId, holds: bool) {
        let mut more = vec![];
        self.graph.facts(m, holds, &mut more);
        self.facts.extend(more);
    }

    /// Tests in order: those behind one that does not hold are not looked at.
    pub(super) fn tests(&mut self, tests: &[Test]) -> Option<Truth> {
        let (mut all, before) = (vec![], self.facts.len());
        for t in tests {
            let t = self.test(t)?;
            all.push(t);
            match t {
                Truth::Known(true) => {}
                Truth::Known(false) => break,
                Truth::Asked(m) => self.suppose(m, true),
            }
        }
        self.facts.truncate(before);
        Some(self.graph.joined(all, true))
    }

    /// A condition of indices. That the first step is `t = 0`, and the others are `t >= 1`, is said in one way, likewise of the last.
    fn of_indices(&mut self, c: Cond) -> MaskId {
        let end = |a: &Affine| [a.clone(), a.negated()].into_iter().find(|e| self.around.contains(e));
        match &c {
            Cond::Zero(a) | Cond::NonZero(a) if let Some(e) = end(a) => {
                let m = self.graph.mask(Mask::Index(Cond::NonNeg(e.step(-1))));
                if matches!(c, Cond::Zero(_)) { self.graph.not(m) } else { m }
            }
            _ => self.graph.mask(Mask::Index(c)),
        }
    }

    /// A truth value, where some are known.
    fn asked(&self, m: MaskId) -> Truth {
        self.facts.iter().find(|f| f.0 == m).map_or(Truth::Asked(m), |f| Truth::Known(f.1))
    }

    fn test(&mut self, t: &Test) -> Option<Truth> {
        match t {
            Test::Index(c) => {
                let c = map_cond(c, &mut |a| self.form(a));
                if matches!(c, Cond::Opaque { .. } | Cond::Any(_)) {
                    return None;
                }
                if c.affines().into_iter().all(Affine::is_constant) {
                    return Some(Truth::Known(c.eval(&|_| 0, &|_, _| false)));
                }
                let m = self.of_indices(c);
                Some(self.asked(m))
            }
            Test::Real { op, left, right, holds } => {
                let (a, b) = (self.expr(left)?, self.expr(right)?);
                let m = self.graph.mask(Mask::Compare(*op, a, b));
                let m = if *holds { m } else { self.graph.not(m) };
                Some(self.asked(m))
            }
            Test::Any(ps) => {
                let all = ps.iter().map(|p| self.tests(p)).collect::<Option<Vec<Truth>>>()?;
                let truth = self.graph.joined(all, false);
                let is_mixed = |m: MaskId| self.graph.asks_index(m) && self.graph.asks_real(m);
                (!matches!(truth, Truth::Asked(m) if is_mixed(m))).then_some(truth)
            }
        }
    }

    /// Notes where an element of memory is read; whether it is known to be there: it was read where it is now, or under no more tests of indices, or less, or else
    /// where one of them does not hold.
    pub(super) fn reads(&mut self, id: Id) -> bool {
        let here = self.graph.of_indices(&self.facts);
        let guard = self.guards.entry(id).or_insert_with(|| here.clone());
        if guard.iter().all(|f| here.contains(f)) {
            return true;
        }
        let is_wider = here.iter().all(|f| guard.contains(f));
        let wider = if is_wider { Some(here) } else { either(guard, &here) };
        wider.is_some_and(|wider| {
            *guard = wider;
            true
        })
    }

    /// Whether an element of memory is there, here.
    pub(super) fn may_read(&self, id: Id) -> bool {
        let here = self.graph.of_indices(&self.facts);
        self.guards.get(&id).is_some_and(|guard| guard.iter().all(|f| here.contains(f)))
    }
}

/// What holds where one of two conjunctions does, which differ in one test that holds or does not.
fn either(a: &Facts, b: &Facts) -> Option<Facts> {
    let (m, _) = a.iter().find(|(m, holds)| b.contains(&(*m, !holds)))?;
    let rest = |all: &Facts| all.iter().filter(|f| f.0 != *m).copied().collect::<Facts>();
    let (rest, other) = (rest(a), rest(b));
    let is_same = rest.len() == other.len() && rest.iter().all(|f| other.contains(f));
    is_same.then_some(rest)
}

/// Tests of indices, and those of reals: the first are the same in all lanes, and may be asked first.
pub(super) fn apart(tests: &[Test]) -> (Vec<Test>, Vec<Test>) {
    tests.iter().cloned().partition(is_of_indices)
}
