//! Comparisons with numbers: of `x < 1` and `x < 2` the second follows.
//!
//! Each branch of a chain of choices says that those before it were not taken. Where these are intervals of one value, its last two ends say all.

use super::value::{Sum, as_literal};
use crate::ast::Elem;
use crate::index::{Affine, Cond, Pred};
use crate::mark::{self, Mark};
use crate::sorted::Map;
use crate::ssa::{ArrayId, RealCompare};

/// What is compared with a number, by the number of the comparison.
#[derive(Clone, Debug, Default)]
pub(super) struct Thresholds(Map<u32, Threshold>);

/// `x < c`, `x <= c`, or the same from below.
#[derive(Clone, Copy, Debug)]
struct Threshold {
    of: ArrayId,
    end: End,
}

/// The end of an interval.
#[derive(Clone, Copy, PartialEq, Debug)]
struct End {
    is_upper: bool,
    number: f64,
    /// Whether the number itself is outside.
    is_open: bool,
    /// Whether what is no number counts as inside: it is neither below nor above.
    takes_nan: bool,
}

impl End {
    /// Where the comparison is false.
    fn negated(self) -> End {
        End { is_upper: !self.is_upper, is_open: !self.is_open, takes_nan: !self.takes_nan, ..self }
    }
    fn implies(self, other: End) -> bool {
        let (far, near) =
            if self.is_upper { (other.number, self.number) } else { (self.number, other.number) };
        self.is_upper == other.is_upper
            && (near < far || near == far && (self.is_open || !other.is_open))
            && (other.takes_nan || !self.takes_nan)
    }
}

impl Thresholds {
    /// Notes a comparison of two values, each with the array that holds it, if one is a number.
    pub fn note(&mut self, c: &Cond, op: RealCompare, sides: [(&Sum, ArrayId); 2], elem: Elem) {
        let Cond::Opaque { id, .. } = c else { return };
        let is_open = match op {
            RealCompare::Lt => true,
            RealCompare::Le => false,
            RealCompare::Eq => return,
        };
        let [left, right] = sides.map(|(sum, _)| as_literal(sum).map(|c| rounded(c, elem)));
        let (of, number, is_upper) = match (left, right) {
            (None, Some(c)) => (sides[0].1, c, true),
            (Some(c), None) => (sides[1].1, c, false),
            (None, None) | (Some(_), Some(_)) => return,
        };
        self.0.insert(*id, Threshold { of, end: End { is_upper, number, is_open, takes_nan: false } });
    }

    /// The element that a condition speaks of, and what it says of it.
    fn said<'a>(&self, c: &'a Cond) -> Option<(ArrayId, &'a [Affine], End)> {
        let Cond::Opaque { id, args, holds } = c else { return None };
        let Threshold { of, end } = self.0.get(id)?;
        Some((*of, args, if *holds { *end } else { end.negated() }))
    }

    fn implies(&self, c: &Cond, d: &Cond) -> bool {
        match (self.said(c), self.said(d)) {
            (Some((x, at, c)), Some((y, other, d))) => x == y && at == other && c.implies(d),
            _ => false,
        }
    }

    /// `p ∧ c`. What follows from `c` goes, and `c` stands in its place: there is no reading between the two that could need it.
    pub fn and(&self, p: &mut Pred, c: Cond) {
        if p.contains(&c) {
            return;
        }
        if p.iter().any(|d| self.implies(d, &c)) {
            mark::hit(Mark::Thresholds);
            return;
        }
        let Some(first) = p.iter().position(|d| self.implies(&c, d)) else {
            p.push(c);
            return;
        };
        p.retain(|d| !self.implies(&c, d));
        p.insert(first, c);
    }
}

fn rounded(c: f64, elem: Elem) -> f64 {
    #[allow(clippy::cast_possible_truncation)]
    if elem == Elem::F32 { f64::from(c as f32) } else { c }
}

#[cfg(test)]
mod tests {
    use super::{Elem, Sum, Thresholds};
    use crate::index::{Affine, Cond, Pred};
    use crate::normalize::value::monomial;
    use crate::ssa::{ArrayId, RealCompare};

    /// `x op c` and `c op x` for three numbers, and their negations, each with how it is evaluated.
    type Case = (Cond, Box<dyn Fn(f64) -> bool>);

    fn cases() -> (Thresholds, Vec<Case>) {
        let (mut known, mut out): (Thresholds, Vec<Case>) = (Thresholds::default(), vec![]);
        let number = |c: f64| -> Sum { vec![monomial(vec![], c, vec![])] };
        for op in [RealCompare::Lt, RealCompare::Le, RealCompare::Eq] {
            for c in [0.0, 1.0, 2.0] {
                for is_left in [false, true] {
                    let id = u32::try_from(out.len()).unwrap();
                    let (sum, x) = (number(c), (&vec![], ArrayId(0)));
                    let literal = (&sum, ArrayId(1));
                    let sides = if is_left { [literal, x] } else { [x, literal] };
                    for holds in [true, false] {
                        let cond = Cond::Opaque { id, args: vec![Affine::index(0)], holds };
                        known.note(&cond, op, sides, Elem::F64);
                        let at = move |x: f64| if is_left { op.of(c, x) } else { op.of(x, c) };
                        out.push((cond, Box::new(move |x| at(x) == holds)));
                    }
                }
            }
        }
        (known, out)
    }

    const POINTS: [f64; 9] = [f64::NEG_INFINITY, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, f64::NAN];

    /// Against all points between the numbers, and what is no number.
    #[test]
    fn what_follows_is_found() {
        let (known, all) = cases();
        for (c, is_c) in &all {
            for (d, is_d) in &all {
                let follows = POINTS.iter().all(|x| !is_c(*x) || is_d(*x));
                let both = known.said(c).is_some() && known.said(d).is_some();
                assert_eq!(known.implies(c, d), follows && both, "{c:?} {d:?}");
            }
        }
    }

    /// What is said together is what each says, in few conditions.
    #[test]
    fn of_many_few_are_left() {
        let (known, all) = cases();
        for seed in 0..500usize {
            let picked: Vec<&Case> =
                (1..8).map(|k| &all[(seed * 7919 + k * k * 31 + k * seed) % all.len()]).collect();
            let mut p: Pred = vec![];
            picked.iter().for_each(|(c, _)| known.and(&mut p, c.clone()));
            let is = |c: &Cond, x: f64| all.iter().find(|(d, _)| d == c).unwrap().1(x);
            for x in POINTS {
                let wanted = picked.iter().all(|(_, holds)| holds(x));
                assert_eq!(p.iter().all(|c| is(c, x)), wanted, "{p:?} {x}");
            }
            // Of each end there may be one that takes what is no number, and one that does not.
            assert!(p.iter().filter(|c| known.said(c).is_some()).count() <= 4, "{p:?}");
        }
    }
}
