//! The last times of an array that steps compute.

use super::uses::Uses;
use crate::index::Affine;
use crate::index::affine::modulo;
use crate::loops::leaf::Leaf;
use crate::loops::{Bound, Direction, Expr, Order, Place, Stmt, VarId};
use crate::schedule::range::{bare, minus};
use crate::ssa::Index;
use crate::weights::contract::{MOVED, TIMES};

/// A loop over the steps of a recurrence.
pub(super) struct Steps<'a> {
    pub index: Index,
    pub direction: Direction,
    /// Its first iteration, and its last one, if each is one form.
    first: Option<&'a Affine>,
    last: Option<&'a Affine>,
}

impl Steps<'_> {
    /// The steps that a statement runs.
    pub fn of(s: &Stmt) -> Option<Steps<'_>> {
        let Stmt::For { index, lower, upper, step: None, order: Order::Steps(direction), .. } = s else {
            return None;
        };
        let is_forward = *direction == Direction::Forward;
        let (from, to) = if is_forward { (lower, upper) } else { (upper, lower) };
        let [first, last] = [from, to].map(|end| match end.as_slice() {
            [Bound { num, den: 1 }] => Some(num),
            _ => None,
        });
        Some(Steps { index: *index, direction: *direction, first, last })
    }
}

/// How many steps before `now` something is.
pub(super) fn age(direction: Direction, now: &Affine, then: &Affine) -> Option<usize> {
    let ago = if direction == Direction::Forward { minus(now, then) } else { minus(then, now) };
    usize::try_from(ago.as_constant()?).ok()
}

/// How the elements of a window are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One variable for each age: what they hold moves from one to the next at the beginning of a step.
    Moved,
    /// In turn.
    Rows,
}

/// The last times of an array.
pub(super) struct Window {
    /// The place of the steps in their block, and of the first statement that uses what they begin with.
    pub at: usize,
    pub begins: usize,
    /// How many there are.
    pub times: usize,
    pub kind: Kind,
    /// By age, if they move.
    pub ages: Vec<VarId>,
    array: VarId,
    /// The dimension that is the time.
    time: usize,
    /// The time of a step, that of the last one, and that before the first one.
    now: Affine,
    last: Option<Affine>,
    before: Option<Affine>,
    direction: Direction,
    /// The other extents.
    extents: Vec<Affine>,
    /// What each element is before something is added to it.
    fill: Option<f64>,
}

impl Window {
    /// What is kept of an array of which only these steps write elements, if all that is read, by them and behind them, is of the last times; `by` are its uses by the
    /// statements of a block, of which the steps are number `at`, inside the loops `around`.
    pub fn new(
        array: VarId,
        (steps, at): (&Steps<'_>, usize),
        by: &[(usize, &Uses)],
        around: &[Index],
        extents: &[Affine],
    ) -> Option<Window> {
        let mut fill = None;
        let (mut begun, mut begins) = (vec![], at);
        let (mut writes, mut reads, mut behind) = (vec![], vec![], vec![]);
        for (k, uses) in by {
            let has = (uses.reads.len(), uses.writes.len());
            match (k.cmp(&at), uses.fill) {
                (std::cmp::Ordering::Less, Some(value)) if uses.count == 1 && fill.is_none() => {
                    fill = Some(value)
                }
                // The state that steps begin with.
                (std::cmp::Ordering::Less, None) if (0, uses.count) == has => {
                    begun.extend(&uses.writes);
                    begins = begins.min(*k);
                }
                (std::cmp::Ordering::Equal, None) if uses.count == has.0 + has.1 => {
                    writes.extend(&uses.writes);
                    reads.extend(&uses.reads);
                }
                (std::cmp::Ordering::Greater, None) if (uses.count, 0) == has => behind.extend(&uses.reads),
                _ => return None,
            }
        }
        let all = || writes.iter().chain(&reads).chain(&behind).chain(&begun);
        let t = steps.index.atom();
        let time = writes.first()?.iter().position(|a| a.mentions(&t))?;
        let now = writes[0][time].clone();
        (!minus(&now, &steps.index.affine()).mentions(&t)).then_some(())?;
        let others =
            |place: &&Vec<Affine>| place.iter().enumerate().all(|(d, a)| d == time || !a.mentions(&t));
        // What other loops around have computed is of other places, if they say so.
        let is_apart = |i: &Index| {
            let own = |d: usize| d != time && all().all(|place| bare(&place[d]) == Some(*i));
            let mentions = |place: &Vec<Affine>| {
                place.iter().enumerate().any(|(d, a)| d != time && a.mentions(&i.atom()))
            };
            !all().any(|place| mentions(place)) || (0..extents.len()).any(own)
        };
        (writes.iter().all(|w| w[time] == now) && all().all(others) && around.iter().all(is_apart))
            .then_some(())?;
        let [first, last] = [steps.first, steps.last]
            .map(|end| end.map(|e| now.substitute(&t, e, 1).expect("coefficients are capped")));
        let before = first.map(|f| f.step(if steps.direction == Direction::Forward { -1 } else { 1 }));
        let mut ages: Vec<usize> = vec![];
        for r in &reads {
            ages.push(age(steps.direction, &now, &r[time])?);
        }
        for r in &behind {
            ages.push(age(steps.direction, last.as_ref()?, &r[time])?);
        }
        for w in &begun {
            ages.push(age(steps.direction, before.as_ref()?, &w[time])? + 1);
        }
        let times = ages.into_iter().max().unwrap_or_default() + 1;
        let is_less =
            |n: &Affine| n.as_constant().is_none_or(|n| usize::try_from(n).is_ok_and(|n| times < n));
        (times <= TIMES && is_less(&extents[time])).then_some(())?;
        let extents: Vec<Affine> =
            extents.iter().enumerate().filter(|(d, _)| *d != time).map(|(_, e)| e.clone()).collect();
        let size =
            extents.iter().map(|e| e.as_constant()).try_fold(1, |n, e| Some(e?.max(0).saturating_mul(n)));
        let kind = if times == 1 || size.is_some_and(|n| n <= MOVED) { Kind::Moved } else { Kind::Rows };
        let direction = steps.direction;
        Some(Window {
            at,
            begins,
            times,
            kind,
            ages: vec![],
            array,
            time,
            now,
            last,
            before,
            direction,
            extents,
            fill,
        })
    }

    /// What is left of the extents: in turn, each time is a row.
    pub fn extents(&self) -> Vec<Affine> {
        let mut out = self.extents.clone();
        if self.kind == Kind::Rows {
            out.insert(0, self.many().into());
        }
        out
    }

    fn many(&self) -> i64 {
        i64::try_from(self.times).expect("a few")
    }

    /// What an element is stored as, for a statement of this place in the block.
    pub fn place(&self, p: Place, k: usize) -> Place {
        let Place { var, mut at } = p;
        let then = at.remove(self.time);
        if self.kind == Kind::Rows {
            at.insert(0, self.turn(&then));
            return Place { var, at };
        }
        let now = match k.cmp(&self.at) {
            std::cmp::Ordering::Less => self.before.as_ref(),
            std::cmp::Ordering::Equal => Some(&self.now),
            std::cmp::Ordering::Greater => self.last.as_ref(),
        };
        let age = now.and_then(|now| age(self.direction, now, &then)).expect("it was found before");
        Place { var: self.ages[age], at }
    }

    /// The row of a time.
    fn turn(&self, time: &Affine) -> Affine {
        modulo(time, self.many()).expect("coefficients are capped")
    }

    /// Before the steps.
    pub fn begin(&self, out: &mut Vec<Stmt>) {
        for var in self.variables() {
            let leaf = match (self.extents().is_empty(), self.fill) {
                (true, fill) => Leaf::Declare { var, value: Expr::Number(fill.unwrap_or(0.0)) },
                (false, Some(value)) => Leaf::Fill { var, value },
                (false, None) => continue,
            };
            out.push(Stmt::Leaf(leaf));
        }
    }

    fn variables(&self) -> Vec<VarId> {
        if self.kind == Kind::Moved { self.ages.clone() } else { vec![self.array] }
    }

    /// At the beginning of each step.
    pub fn step(&self, names: &mut Vec<String>, out: &mut Vec<Stmt>) {
        for pair in self.ages.windows(2).rev() {
            out.push(each(&self.extents, names, &|at| {
                let value = Expr::Read(Place { var: pair[0], at: at.clone() });
                Leaf::Assign { target: Place { var: pair[1], at }, value }
            }));
        }
        let Some(value) = self.fill else { return };
        out.push(each(&self.extents, names, &|mut at| {
            if self.kind == Kind::Rows {
                at.insert(0, self.turn(&self.now));
            }
            Leaf::Assign { target: Place { var: self.array, at }, value: Expr::Number(value) }
        }));
    }
}

/// Loops over the elements of a row.
pub(super) fn each(extents: &[Affine], names: &mut Vec<String>, leaf: &dyn Fn(Vec<Affine>) -> Leaf) -> Stmt {
    let first = u32::try_from(names.len()).expect("fewer than 2³² indices");
    let indices: Vec<Index> = (first..).map(Index).take(extents.len()).collect();
    names.extend(extents.iter().map(|_| "e".to_string()));
    let mut stmt = Stmt::Leaf(leaf(indices.iter().map(|i| i.affine()).collect()));
    for (i, n) in indices.iter().zip(extents).rev() {
        let [lower, upper] = [Affine::zero(), n.clone().step(-1)].map(|num| vec![Bound { num, den: 1 }]);
        stmt = Stmt::sequence(*i, lower, upper, vec![stmt]);
    }
    stmt
}

/// Whether a statement does no more than to give all elements of one of these arrays a value.
pub(super) fn fills(s: &Stmt, is_one: &dyn Fn(VarId) -> bool) -> bool {
    matches!(s, Stmt::Leaf(Leaf::Fill { var, .. }) if is_one(*var))
}
