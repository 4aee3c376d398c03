//! What checkpoints are about: sweeps over steps, blocks of them, and arrays with a time.

use super::uses::Uses;
use crate::index::affine::product;
use crate::index::{Affine, Cond};
use crate::loops::{Bound, Direction, Order, Place, Stmt, Test, VarId};
use crate::schedule::range::minus;
use crate::ssa::Index;

/// A loop over steps.
#[derive(Clone, Copy)]
pub(super) struct Sweep<'a> {
    pub index: Index,
    pub lower: &'a [Bound],
    pub upper: &'a [Bound],
    pub body: &'a [Stmt],
}

impl<'a> Sweep<'a> {
    pub fn of(s: &'a Stmt, direction: Direction) -> Option<Sweep<'a>> {
        match s {
            Stmt::For { index, lower, upper, step: None, order: Order::Steps(d), body, .. }
                if *d == direction =>
            {
                let is_plain = lower.iter().chain(upper).all(|b| b.den == 1);
                is_plain.then_some(Sweep { index: *index, lower, upper, body })
            }
            _ => None,
        }
    }
}

/// An array of which each step computes the elements of its time.
pub(super) struct Timed {
    /// The dimension that is the time.
    pub time: usize,
    /// The time of a step, less its index.
    pub shift: Affine,
    /// How many steps back it is read.
    pub age: i64,
    /// What each element is before it is computed, if it is anything.
    pub fill: Option<f64>,
    /// It is nothing, and has to be zero.
    pub begins: bool,
    /// Where there are states before the first step, as in the steps of a block.
    pub begun: Option<Vec<Test>>,
}

/// Blocks of so many steps.
#[derive(Clone)]
pub(super) struct Blocks {
    pub steps: Affine,
    /// The first step of all, and the last block.
    pub first: Affine,
    pub last: Affine,
    /// The index of a block.
    pub index: Index,
}

impl Blocks {
    /// The first step of a block.
    pub fn start(&self) -> Affine {
        let before = product(&self.steps, &self.index.affine()).expect("coefficients are capped");
        plus(&self.first, &before)
    }

    /// The loop over all blocks.
    pub fn all(&self, direction: Direction, body: Vec<Stmt>) -> Stmt {
        let [lower, upper] = [Affine::zero(), self.last.clone()].map(|num| vec![Bound { num, den: 1 }]);
        Stmt::looped(self.index, lower, upper, None, Order::Steps(direction), body)
    }

    /// Its last step, if there are so many.
    pub fn end(&self) -> Affine {
        plus(&self.start(), &self.steps).step(-1)
    }
}

/// An array that is computed once more, and the states of it that are kept.
pub(super) struct Copy {
    pub timed: Timed,
    pub again: VarId,
    pub kept: Option<VarId>,
    /// The other extents.
    pub row: Vec<Affine>,
}

impl Copy {
    /// The place in the block of what stands at a place of all times.
    pub fn place(&self, mut at: Vec<Affine>, blocks: &Blocks) -> Place {
        let since = minus(&minus(&at[self.timed.time], &self.timed.shift), &blocks.start());
        let then = since.step(self.timed.age);
        at[self.timed.time] = then;
        Place { var: self.again, at }
    }

    /// Whether there is a state so many steps before one that is so many behind the first.
    pub fn is_there(&self, since: &Affine, ago: i64) -> Vec<Test> {
        let own = Test::Index(Cond::NonNeg(since.clone().step(-ago)));
        match &self.timed.begun {
            None => vec![own],
            Some(tests) if tests.is_empty() => vec![],
            Some(tests) => vec![Test::Any(vec![vec![own], tests.clone()])],
        }
    }

    /// An element of the step so many before this one.
    pub fn before(&self, step: &Affine, ago: i64, mut row: Vec<Affine>) -> Vec<Affine> {
        row.insert(self.timed.time, plus(step, &self.timed.shift).step(-ago));
        row
    }
}

/// `a + b`
fn plus(a: &Affine, b: &Affine) -> Affine {
    a.plus(b).expect("coefficients are capped")
}

impl Timed {
    /// An array whose elements steps compute each in the step of its time, and read of that or of one before.
    pub fn of(step: Index, uses: &Uses) -> Option<Timed> {
        let t = step.atom();
        let time = uses.writes.first()?.iter().position(|a| a.mentions(&t))?;
        let now = &uses.writes[0][time];
        let shift = minus(now, &step.affine());
        (!shift.mentions(&t) && uses.writes.iter().all(|w| w[time] == *now)).then_some(())?;
        let found = Timed { time, shift, age: 0, fill: None, begins: false, begun: None };
        found.age_in(step, uses).map(|age| Timed { age, ..found })
    }

    /// How many steps back it is read in a loop over steps.
    pub fn age_in(&self, step: Index, uses: &Uses) -> Option<i64> {
        let t = step.atom();
        let age = |at: &Vec<Affine>| {
            let is_own = at.iter().enumerate().all(|(d, a)| (d == self.time) == a.mentions(&t));
            let ago = minus(&plus(&step.affine(), &self.shift), &at[self.time]).as_constant()?;
            (is_own && ago >= 0).then_some(ago)
        };
        (uses.count == uses.reads.len() + uses.writes.len()).then_some(())?;
        let ages: Option<Vec<i64>> = uses.reads.iter().chain(&uses.writes).map(age).collect();
        ages?.into_iter().max()
    }
}

/// The steps of first sweeps, block by block.
pub(super) fn in_blocks(stmts: Vec<Stmt>, cuts: &[(Index, Blocks)]) -> Vec<Stmt> {
    let one = |s| match s {
        Stmt::For { index, mut lower, mut upper, step, order, body, .. } => {
            let body = in_blocks(body, cuts);
            let Some((_, blocks)) = cuts.iter().find(|c| c.0 == index) else {
                return Stmt::looped(index, lower, upper, step, order, body);
            };
            lower.push(Bound { num: blocks.start(), den: 1 });
            upper.push(Bound { num: blocks.end(), den: 1 });
            let steps = Stmt::looped(index, lower, upper, step, order, body);
            blocks.all(Direction::Forward, vec![steps])
        }
        Stmt::If { tests, body, otherwise } => {
            Stmt::If { tests, body: in_blocks(body, cuts), otherwise: in_blocks(otherwise, cuts) }
        }
        Stmt::Leaf(_) => s,
    };
    stmts.into_iter().map(one).collect()
}
