//! The table of features, and the walk that writes by it.

use super::said::Said;
use super::scope::{Extent, Index, Scope, Tensor};
use super::{arithmetic, blocks, conditions, folds, places, ranges, reads, recurrences, tensors, tuples};
use fastrand::Rng;

/// What a feature writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    /// A number.
    Number,
    /// A condition.
    Condition,
    /// An index, in range or not.
    Place,
    /// An index that is in range of a dimension.
    Inside,
    /// The range of a reduction.
    Range,
    /// A tensor of given extents.
    Tensor,
    /// A tensor of given extents and a number: `([f64; n], f64)`.
    Tuple,
    /// A `let`.
    Let,
}

/// A row of the table.
pub(super) struct Feature {
    pub name: &'static str,
    pub sort: Sort,
    /// How often it is written, beside the others of its sort.
    pub weight: u32,
    /// Whether it is written where the program is already long.
    pub is_small: bool,
    /// What stands directly inside.
    pub holds: &'static [Sort],
    /// Whether it can be written in a scope; for tensors and places, of these extents.
    pub fits: fn(&Scope, &[Extent]) -> bool,
    pub write: fn(&mut Generator, &Scope, &[Extent]) -> Out,
}

/// What was written, and what is known of it.
#[derive(Clone, Default)]
pub(super) struct Out {
    pub text: String,
    /// Of a number: about how large it may be.
    pub bound: f64,
    /// Of a place: it is not negative. Of a range: its indices are not.
    pub natural: bool,
    /// Of a range: where it begins, and in which extent all of it is.
    pub lower: String,
    pub within: Option<Extent>,
    /// Of a range: about how long it is; and whether it may have no element.
    pub length: f64,
    pub may_be_empty: bool,
    /// Of a `let`: what it puts in scope.
    pub tensors: Vec<Tensor>,
    pub indices: Vec<Index>,
}

impl Out {
    pub fn number(text: impl Into<String>, bound: f64) -> Out {
        Out { text: text.into(), bound, ..Out::default() }
    }

    pub fn place(text: impl Into<String>, natural: bool) -> Out {
        Out { text: text.into(), natural, ..Out::default() }
    }

    pub fn text(text: impl Into<String>) -> Out {
        Out { text: text.into(), ..Out::default() }
    }
}

/// All features.
pub(super) fn all() -> impl Iterator<Item = &'static Feature> {
    let tables: [&'static [Feature]; 10] = [
        arithmetic::TABLE,
        reads::TABLE,
        folds::TABLE,
        blocks::TABLE,
        conditions::TABLE,
        places::TABLE,
        ranges::TABLE,
        tensors::TABLE,
        tuples::TABLE,
        recurrences::TABLE,
    ];
    tables.into_iter().flatten()
}

/// Numbers above this are scaled.
const LARGE: f64 = 5000.0;

/// Writes a program.
pub(super) struct Generator {
    pub rng: Rng,
    features: Vec<&'static Feature>,
    names: usize,
    /// How many features may yet be written.
    pub budget: i32,
    /// The features that are being written, the outermost first.
    around: Vec<usize>,
    /// A pair that this program is to have, one nested in the other.
    theme: (usize, usize),
    /// Each feature with the one around it.
    pub pairs: Vec<(usize, usize)>,
    pub reached: Vec<usize>,
    /// Extents that must not be negative, besides those of loops.
    pub required: Vec<Extent>,
    /// The feature that gives the elements of the last `for`.
    pub made: Option<usize>,
    /// Conditions so far.
    pub said: Vec<Said>,
}

impl Generator {
    pub fn new(seed: u64) -> Generator {
        let mut rng = Rng::with_seed(seed);
        let features: Vec<&'static Feature> = all().collect();
        let budget = [4, 8, 12, 18, 28][rng.usize(..5)];
        let count = features.len();
        let pairs: Vec<(usize, usize)> = (0..count * count)
            .map(|k| (k / count, k % count))
            .filter(|(a, b)| can_hold(features[*a], features[*b]))
            .collect();
        // Neighbours in the list have the same parent: seeds in a row shall not.
        let theme = pairs[(seed as usize).wrapping_mul(7919) % pairs.len()];
        Generator {
            rng,
            features,
            names: 0,
            budget,
            around: vec![],
            theme,
            pairs: vec![],
            reached: vec![],
            required: vec![],
            made: None,
            said: vec![],
        }
    }

    pub fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.rng.usize(..of.len())].clone()
    }

    /// One time in so many.
    pub fn one_in(&mut self, k: u32) -> bool {
        self.rng.u32(..k) == 0
    }

    pub fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    pub fn name(&self, k: usize) -> &'static str {
        self.features[k].name
    }

    /// The feature that is being written.
    pub fn current(&self) -> Option<usize> {
        self.around.last().copied()
    }

    /// A read of what a feature made stands inside the feature that is being written.
    pub fn reads(&mut self, made_by: Option<usize>) {
        if let (Some(parent), Some(child)) = (self.current(), made_by) {
            self.pairs.push((parent, child));
        }
    }

    /// Something of a sort, and the feature that it is.
    pub fn write_as(&mut self, sort: Sort, scope: &Scope, extents: &[Extent]) -> (Out, usize) {
        let k = self.choose(sort, scope, extents);
        self.reached.push(k);
        if let Some(parent) = self.current() {
            self.pairs.push((parent, k));
        }
        self.around.push(k);
        self.budget -= 1;
        let mut out = (self.features[k].write)(self, scope, extents);
        self.around.pop();
        if sort == Sort::Number && out.bound > LARGE {
            let scale = (out.bound / 50.0).log2().ceil().exp2();
            out = Out::number(format!("{:?} * ({})", 1.0 / scale, out.text), out.bound / scale);
        }
        (out, k)
    }

    pub fn write(&mut self, sort: Sort, scope: &Scope, extents: &[Extent]) -> Out {
        self.write_as(sort, scope, extents).0
    }

    pub fn number(&mut self, scope: &Scope) -> Out {
        self.write(Sort::Number, scope, &[])
    }

    /// A number that may be multiplied.
    pub fn factor(&mut self, scope: &Scope) -> Out {
        let e = self.number(scope);
        // A sign stands outside of a method that is called.
        let is_open = e.text.contains(' ') || e.text.starts_with('-');
        if is_open { Out::number(format!("({})", e.text), e.bound) } else { e }
    }

    /// A tensor or a tuple in an operation.
    pub fn operand(&mut self, sort: Sort, s: &Scope, e: &[Extent]) -> Out {
        let t = self.write(sort, s, e);
        let is_open = t.text.contains(' ') || t.text.starts_with('-');
        if is_open { Out::number(format!("({})", t.text), t.bound) } else { t }
    }

    pub fn condition(&mut self, scope: &Scope) -> String {
        if self.one_in(6)
            && let Some(text) = self.said_before(scope)
        {
            return text;
        }
        let text = self.write(Sort::Condition, scope, &[]).text;
        self.said.push(Said::new(&text, scope));
        text
    }

    pub fn place(&mut self, scope: &Scope) -> Out {
        self.write(Sort::Place, scope, &[])
    }

    /// Whether a place can be written that is in range without a guard.
    pub fn can_be_inside(&self, scope: &Scope, extent: Extent) -> bool {
        places::can_be_inside(scope, extent)
    }

    /// Whether the pair that this program is to have speaks of a feature.
    pub fn is_themed(&self, name: &str) -> bool {
        [self.theme.0, self.theme.1].iter().any(|k| self.features[*k].name == name)
    }

    /// The sort of the outer one of the pair that this program is to have.
    pub fn themed_sort(&self) -> Sort {
        self.features[self.theme.0].sort
    }

    fn choose(&mut self, sort: Sort, scope: &Scope, extents: &[Extent]) -> usize {
        let is_long = self.budget <= 0;
        let (outer, inner) = self.theme;
        let fits = |k: usize| {
            let f = self.features[k];
            f.sort == sort && (f.fits)(scope, extents)
        };
        let is_met = self.pairs.contains(&self.theme);
        if self.current() == Some(outer) && fits(inner) && !is_met && self.rng.u8(..3) > 0 {
            return inner;
        }
        // What the pair needs around it, then the first of the pair.
        let needed = AROUND.iter().filter(|(name, ..)| self.is_themed(name));
        let around = needed.filter(|(_, in_loops, _)| !in_loops || !scope.indices.is_empty()).find_map(|n| {
            let is_next = |k: &usize| {
                n.2.contains(&self.features[*k].name) && !self.around.contains(k) && !is_met && fits(*k)
            };
            (0..self.features.len()).find(is_next).filter(|_| self.budget > LONGEST)
        });
        // What is in itself again and again grows with each time.
        let is_deep = self.around.iter().filter(|k| **k == outer).count() > 2;
        let is_next = !is_met && !is_deep && self.budget > LONGEST && fits(outer);
        let first = around.or(is_next.then_some(outer));
        if let Some(first) = first
            && self.rng.u8(..5) < 4
        {
            return first;
        }
        let features = &self.features;
        let candidates: Vec<usize> =
            (0..features.len()).filter(|k| (features[*k].is_small || !is_long) && fits(*k)).collect();
        assert!(!candidates.is_empty(), "nothing fits for {sort:?}");
        let total: u32 = candidates.iter().map(|k| features[*k].weight).sum();
        let mut at = self.rng.u32(..total);
        for k in &candidates {
            let weight = features[*k].weight;
            if at < weight {
                return *k;
            }
            at -= weight;
        }
        candidates[0]
    }
}

/// Whether the second of two features may stand directly in the first.
pub(super) fn can_hold(outer: &Feature, inner: &Feature) -> bool {
    outer.holds.contains(&inner.sort)
        && !(OF_VECTORS.contains(&outer.name) && OF_MATRICES.contains(&inner.name))
        && !(outer.name == "a call with a matrix" && VECTORS.contains(&inner.name))
        && !(STEPPED.contains(&outer.name) && NOT_IN_STEPS.contains(&inner.name))
}

/// What has steps.
const STEPPED: [&str; 10] = [
    "a fold",
    "a fold of two",
    "a product of all",
    "a reduction",
    "a fold of a tensor",
    "a scan",
    "a scan with an operation",
    "a recurrence",
    "a recurrence of two",
    "a recurrence along two",
];

/// What stands in none: the compiler says so.
const NOT_IN_STEPS: [&str; 6] = [
    "grad",
    "grad by a name",
    "grad by a tensor",
    "grad by a parameter",
    "a call of Rust for a tensor",
    "a call of Rust for a tuple",
];

/// What is of one dimension.
const VECTORS: [&str; 9] = [
    "a scan",
    "a scan with an operation",
    "a call of Rust for a tensor",
    "a call for a tensor",
    "a call of a gradient",
    "a call with a matrix and a vector",
    "a call with a size",
    "a column",
    "a tensor literal",
];

/// What takes vectors alone.
const OF_VECTORS: [&str; 12] = [
    "a call of Rust for a tensor",
    "a call of Rust for a tuple",
    "a tuple",
    "a tuple of two",
    "a call with a tensor",
    "a call for a tensor",
    "a call for a tuple",
    "a call of a gradient",
    "a call of a Jacobian",
    "a value and a gradient of a call",
    "a value and a tangent of a call",
    "an element of a tensor",
];

/// What is of two dimensions or more.
const OF_MATRICES: [&str; 4] =
    ["for in for", "a literal of tensors", "a call of a Jacobian", "a recurrence along two"];

/// Where the budget is so far overdrawn, the pair that a program is to have is not looked for any more.
const LONGEST: i32 = -6;

/// This needs, perhaps inside loops, one of those around it.
const AROUND: &[(&str, bool, &[&str])] = &[
    (
        "whether an extreme has a place",
        false,
        &["the place of an extreme", "the place of an extreme, by its name"],
    ),
    ("a row", true, &["a call with a tensor"]),
    ("a column", true, &["a call with a tensor"]),
];

pub(super) fn always(_: &Scope, _: &[Extent]) -> bool {
    true
}

pub(super) fn has_index(s: &Scope, _: &[Extent]) -> bool {
    !s.indices.is_empty()
}

/// No `let` is forbidden, and it is in no step of a recurrence.
pub(super) fn is_differentiated(s: &Scope, _: &[Extent]) -> bool {
    !s.plain && !s.in_step
}

/// No `let` is forbidden.
pub(super) fn is_free(s: &Scope, _: &[Extent]) -> bool {
    !s.plain
}
