//! What loops cost, in sequence and in lanes: the table of the module above.

use super::Chooser;
use super::legal::Candidate;
use crate::index::{Affine, Atom};
use crate::loops::stride::Stride;
use crate::loops::visit::{How, Item, visit_expr};
use crate::loops::{Bound, Leaf, Place, Stmt};
use crate::schedule::cost;
use crate::schedule::range::minus;
use crate::ssa::Index;
use crate::weights;

impl Chooser<'_> {
    /// How often a loop runs.
    pub fn iterations(&mut self, i: Index, lower: &[Bound], upper: &[Bound]) -> f64 {
        let value = |b: &Bound| self.nominal(&b.num) / real(b.den);
        let (first, last) = (|b: &Bound| value(b).ceil(), |b: &Bound| value(b).floor());
        let range = |is: &dyn Fn(&Bound) -> bool| {
            let low = lower.iter().filter(|b| is(b)).map(first).fold(f64::NEG_INFINITY, f64::max);
            let high = upper.iter().filter(|b| is(b)).map(last).fold(f64::INFINITY, f64::min);
            (low, high)
        };
        let (mut low, mut high) = range(&|_| true);
        if low > high {
            // Indices around are not what they count as.
            let (first, last) = range(&|b| b.num.indices().is_empty());
            low = if first.is_finite() { first } else { last.min(low) };
            high = if last.is_finite() { last } else { low };
        }
        let counts = lower.iter().flat_map(|a| upper.iter().map(move |b| (a, b)));
        let counts = counts.map(|(a, b)| match (a.den, b.den) {
            (1, 1) => self.nominal(&larger(&b.num, &a.num)) + 1.0,
            _ => last(b) - first(a) + 1.0,
        });
        let count = counts.fold(f64::INFINITY, f64::min).max(1.0);
        self.middle.insert(i, f64::midpoint(low, high));
        count
    }

    /// Each size counted as 100, each index as the middle of its range.
    pub fn nominal(&self, a: &Affine) -> f64 {
        real(a.constant) + a.terms.iter().map(|(t, c)| real(*c) * self.nominal_atom(t)).sum::<f64>()
    }

    fn nominal_atom(&self, t: &Atom) -> f64 {
        match t {
            Atom::Size(_) | Atom::Element(..) => weights::nominal::COUNT,
            Atom::Index(i) => self.middle.get(&Index(*i)).copied().unwrap_or(weights::nominal::INDEX),
            Atom::Floor(e, k) => (self.nominal(e) / real(*k)).floor(),
            Atom::Product(fs) => fs.iter().map(|t| self.nominal_atom(t)).product(),
        }
    }

    /// The cost of a body in lanes, for each vector.
    pub fn flat(&mut self, stmts: &[Stmt], c: &Candidate) -> f64 {
        let mut cost = 0.0;
        for s in stmts {
            cost += match s {
                Stmt::For { index, lower, upper, step, body, .. } => {
                    let n = self.iterations(*index, lower, upper) / step.as_ref().map_or(1.0, |s| real(s.1));
                    n * (self.flat(body, c)
                        + weights::cost::ITERATION_IN_LANES
                        + weights::cost::FAR * strides(body, *index, c))
                }
                Stmt::If { tests, body, otherwise } => {
                    let of_tests: f64 = tests.iter().map(|t| cost::test(t, &|p, _| in_lanes(p, c))).sum();
                    of_tests + self.flat(body, c) + self.flat(otherwise, c)
                }
                Stmt::Leaf(leaf) => self.leaf(leaf, c),
            }
        }
        cost
    }

    /// The cost of a statement without others inside.
    fn leaf(&self, leaf: &Leaf, c: &Candidate) -> f64 {
        let access = |p: &Place, how: How| {
            let is_summed = how == How::Combine && !p.at.is_empty() && !c.depends_place(p);
            in_lanes(p, c) + if is_summed { weights::cost::SUM_OF_LANES } else { 0.0 }
        };
        cost::leaf(self.program, leaf, true, &access).total(|a| self.nominal(a))
    }
}

/// What it takes to read or write a place in lanes.
fn in_lanes(p: &Place, c: &Candidate) -> f64 {
    if p.at.is_empty() {
        return 0.0;
    }
    if c.own.contains(&p.var) {
        return weights::cost::ACCESS;
    }
    match p.stride(&c.index.atom()) {
        Stride::None => weights::cost::ACCESS_OF_ALL,
        Stride::One | Stride::Back => weights::cost::ACCESS,
        Stride::Far => weights::cost::ACCESS_APART,
    }
}

/// How many arrays a loop inside lanes reads a vector of in each iteration, not next to the one before.
fn strides(body: &[Stmt], i: Index, c: &Candidate) -> f64 {
    let mut found = 0.0;
    for s in body {
        let Stmt::Leaf(
            Leaf::Declare { value, .. } | Leaf::Assign { value, .. } | Leaf::Accumulate { value, .. },
        ) = s
        else {
            continue;
        };
        visit_expr(value, &mut |item| {
            if let Item::Place(p, How::Read) = item
                && !c.own.contains(&p.var)
                && p.stride(&c.index.atom()) == Stride::One
                && p.at.split_last().is_some_and(|(_, rest)| rest.iter().any(|a| a.mentions(&i.atom())))
            {
                found += 1.0;
            }
        });
    }
    found
}

/// `b - a`, without the sizes that are taken away where others stay: of `n - m`, n counts as much the larger.
fn larger(b: &Affine, a: &Affine) -> Affine {
    let mut d = minus(b, a);
    let is_size = |t: &Atom| !t.any_atom(&|t| matches!(t, Atom::Index(_)));
    if d.terms.iter().any(|(t, c)| is_size(t) && *c > 0) {
        d.terms.retain(|(t, c)| !is_size(t) || *c > 0);
    }
    d
}

#[allow(clippy::cast_precision_loss)]
pub(super) fn real(k: i64) -> f64 {
    k as f64
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(super) fn rounded(x: f64) -> u64 {
    x.round() as u64
}
