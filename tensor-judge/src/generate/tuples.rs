//! Tuples of a tensor and a number.

use super::arithmetic::calls;
use super::scope::{Extent, Helper, Scope};
use super::table::Sort::{Condition, Let, Number, Tensor, Tuple};
use super::table::{Feature, Generator, Out, Sort, always};

pub(super) const TABLE: &[Feature] = &[
    row("a tuple of two", 8, true, &[Tensor, Number], always, |g, s, e| {
        let (a, b) = (g.write(Tensor, s, e), g.number(s));
        Out::number(format!("({}, {})", a.text, b.text), a.bound.max(b.bound))
    }),
    row(
        "a tuple by its name",
        4,
        true,
        &[],
        |s, e| !s.pairs(e).is_empty(),
        |g, s, e| {
            let all = s.pairs(e);
            let name = g.pick(&all);
            let parts =
                s.tensors.iter().filter(|t| t.name == format!("{name}.0") || t.name == format!("{name}.1"));
            let bound = parts.fold(1.5, |b: f64, t| b.max(t.bound));
            Out::number(name, bound)
        },
    ),
    row("arithmetic of tuples", 4, false, &[Tuple], always, |g, s, e| {
        let (a, b, c) = (g.operand(Tuple, s, e), g.operand(Tuple, s, e), g.literal());
        let (text, bound) = match g.rng.u8(..4) {
            0 => (format!("{} + {}", a.text, b.text), a.bound + b.bound),
            1 => (format!("{c} * {} - {}", a.text, b.text), 2.6 * a.bound + b.bound),
            2 => (format!("-{} / 2.0 + {}", a.text, b.text), a.bound + b.bound),
            _ => (format!("{} * {c}", a.text), 2.6 * a.bound),
        };
        Out::number(text, bound)
    }),
    row("a product with a tuple", 2, false, &[Tuple, Number], always, |g, s, e| {
        let (a, c) = (g.operand(Tuple, s, e), g.factor(s));
        Out::number(format!("{} * {}", c.text, a.text), a.bound * c.bound)
    }),
    row("a choice of tuples", 3, false, &[Condition, Tuple], always, |g, s, e| {
        let (p, a, b) = (g.condition(s), g.write(Tuple, s, e), g.write(Tuple, s, e));
        Out::number(format!("(if {p} {{ {} }} else {{ {} }})", a.text, b.text), a.bound.max(b.bound))
    }),
    row("a guarded tuple", 3, false, &[Condition, Tuple], always, |g, s, e| {
        let (p, a) = (g.condition(s), g.operand(Tuple, s, e));
        Out::number(format!("[{p}] * {}", a.text), a.bound)
    }),
    row("stop of a tuple", 1, false, &[Tuple], always, |g, s, e| {
        let t = g.write(Tuple, s, e);
        // Differences know nothing of it: few programs have it.
        Out::number(if g.one_in(3) { format!("stop({})", t.text) } else { t.text }, t.bound)
    }),
    row("a part of a tuple of tuples", 1, false, &[Tuple, Number], always, |g, s, e| {
        let (a, c) = (g.write(Tuple, s, e), g.number(s));
        let text = if g.rng.bool() {
            format!("({}, {}).0", a.text, c.text)
        } else {
            format!("(0.5, ({}, {})).1.1", c.text, a.text)
        };
        Out::number(text, a.bound)
    }),
    row(
        "a block of a tuple",
        2,
        false,
        &[Let, Tuple],
        |s, _| s.has_room(10.0),
        |g, s, e| {
            let mut inner = s.clone();
            let text = g.let_into(&mut inner);
            let value = g.write(Tuple, &inner, e);
            Out::number(format!("{{ {text} {} }}", value.text), value.bound)
        },
    ),
    row(
        "a call of Rust for a tuple",
        3,
        false,
        &[Tensor, Number],
        |s, e| e.len() == 1 && calls(s, Helper::Foreign) && s.has_room(30.0),
        |g, s, e| {
            let (v, c) = (g.write(Tensor, s, e), g.number(s));
            Out::number(format!("spread({}, {})", v.text, c.text), 3.0 * v.bound + c.bound)
        },
    ),
    row(
        "a call for a tuple",
        3,
        false,
        &[Tensor, Number],
        |s, e| e.len() == 1 && (calls(s, Helper::Duo) || calls(s, Helper::Tangent)),
        |g, s, e| {
            let (v, c) = (g.write(Tensor, s, e), g.number(s));
            if calls(s, Helper::Duo) {
                return Out::number(format!("duo({}, {})", v.text, c.text), 30.0);
            }
            let y = g.write(Tensor, s, e);
            Out::number(format!("0.25 * map_bar({}, {}, {}).1", v.text, c.text, y.text), 40.0)
        },
    ),
];

const fn row(
    name: &'static str,
    weight: u32,
    is_small: bool,
    holds: &'static [Sort],
    fits: fn(&Scope, &[Extent]) -> bool,
    write: fn(&mut Generator, &Scope, &[Extent]) -> Out,
) -> Feature {
    Feature { name, sort: Tuple, weight, is_small, holds, fits, write }
}

impl Generator {
    /// The extent of the tensor of a tuple: of one in scope, or of any vector.
    pub fn tuple_extent(&mut self, s: &Scope) -> Extent {
        let of = |t: &super::scope::Tensor| match t.extents.as_slice() {
            [e] if !s.pairs(&[*e]).is_empty() => Some(*e),
            _ => None,
        };
        let all: Vec<Extent> = s.tensors.iter().filter_map(of).collect();
        if all.is_empty() || self.one_in(4) { self.vector_extent(s) } else { self.pick(&all) }
    }
}
