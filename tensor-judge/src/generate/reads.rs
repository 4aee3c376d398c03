//! Numbers that are read.

use super::scope::{Extent, Scope, Tensor};
use super::table::Sort::{Inside, Number, Place};
use super::table::{Feature, Generator, Out, Sort};

pub(super) const TABLE: &[Feature] = &[
    row(
        "a number by its name",
        4,
        true,
        &[],
        |s, _| s.tensors.iter().any(|t| t.extents.is_empty()),
        |g, s, _| {
            let all: Vec<Tensor> = s.tensors.iter().filter(|t| t.extents.is_empty()).cloned().collect();
            let t = g.latest(&all);
            g.reads(t.made_by);
            g.shielded(&t, t.name.clone())
        },
    ),
    row(
        "a read",
        10,
        true,
        &[Inside],
        |s, _| !safe(s).is_empty(),
        |g, s, _| {
            let t = g.latest(&safe(s));
            let at: Vec<String> = t.extents.iter().map(|e| g.write(Inside, s, &[*e]).text).collect();
            g.element(&t, &at)
        },
    ),
    row(
        "an element of a row",
        3,
        true,
        &[Inside],
        |s, _| safe(s).iter().any(is_matrix),
        |g, s, _| {
            let all: Vec<Tensor> = safe(s).into_iter().filter(is_matrix).collect();
            let t = g.latest(&all);
            let at: Vec<String> = t.extents.iter().map(|e| g.write(Inside, s, &[*e]).text).collect();
            let by_column = at.len() == 2 && g.one_in(3);
            let brackets = match at.as_slice() {
                [i, j] if by_column => format!("[.., {j}][{i}]"),
                [i, j, k] if g.rng.bool() => format!("[{i}][{j}][{k}]"),
                [i, rest @ ..] => format!("[{i}][{}]", rest.join(", ")),
                [] => String::new(),
            };
            Out::number(format!("{}{brackets}", t.name), t.bound.max(2.5))
        },
    ),
    row(
        "an element of a tensor",
        2,
        false,
        &[Sort::Tensor, Inside],
        |s, _| s.has_room(10.0),
        |g, s, _| {
            let of_indices = s.indices.iter().filter_map(|i| i.within.map(|w| w.1));
            let all: Vec<Extent> = of_indices.chain([Extent::new(0, 0, 3)]).collect();
            let is_in_product =
                g.is_themed("a row and a column in range") && g.can_be_inside(s, Extent::PRODUCT);
            let e = if is_in_product { Extent::PRODUCT } else { g.pick(&all) };
            let t = g.operand(Sort::Tensor, s, &[e]);
            let at = g.write(Inside, s, &[e]).text;
            Out::number(format!("{}[{at}]", t.text), t.bound)
        },
    ),
    row(
        "a guarded read",
        7,
        true,
        &[Place, Inside],
        |s, _| !arrays(s).is_empty(),
        |g, s, _| {
            let t = g.latest(&arrays(s));
            let (at, guard) = g.somewhere(s, &t);
            let read = g.element(&t, &at);
            if guard.is_empty() {
                read
            } else {
                Out::number(format!("([{guard}] * {})", read.text), read.bound)
            }
        },
    ),
    row(
        "a chosen read",
        3,
        false,
        &[Place, Inside, Number],
        |s, _| !arrays(s).is_empty(),
        |g, s, _| {
            let t = g.latest(&arrays(s));
            let (at, guard) = g.somewhere(s, &t);
            let (read, other) = (g.element(&t, &at), g.number(s));
            let bound = read.bound.max(other.bound);
            match guard.as_str() {
                "" => read,
                guard => {
                    Out::number(format!("(if {guard} {{ {} }} else {{ {} }})", read.text, other.text), bound)
                }
            }
        },
    ),
    row(
        "a read of a diagonal",
        2,
        true,
        &[Place],
        |s, _| arrays(s).iter().any(|t| t.extents.len() == 2),
        |g, s, _| {
            let all: Vec<Tensor> = arrays(s).into_iter().filter(|t| t.extents.len() == 2).collect();
            let t = g.latest(&all);
            let place = g.place(s).text;
            let [first, second] = [t.extents[0].text(), t.extents[1].text()];
            let guard = match (first == second, g.rng.bool()) {
                (true, _) => format!("0 <= {place} < {first}"),
                (false, true) => format!("0 <= {place} < {first} && {place} < {second}"),
                (false, false) => format!("{place} < {second} && 0 <= {place} < {first}"),
            };
            let read = g.element(&t, &[place.clone(), place]);
            Out::number(format!("([{guard}] * {})", read.text), read.bound)
        },
    ),
    row(
        "what a guard makes readable",
        4,
        false,
        &[Place, Number],
        |s, _| !arrays(s).is_empty(),
        |g, s, _| {
            let (inner, guard, read) = g.made_readable(s);
            let e = g.factor(&inner);
            let text = match g.rng.u8(..3) {
                0 => format!("[{guard}] * ({} + {})", e.text, read.text),
                1 => format!("[{guard}] * {} * {}", e.text, read.text),
                _ => format!("{} * [{guard}] * {}", read.text, e.text),
            };
            Out::number(text, (1.0 + e.bound) * (1.0 + read.bound))
        },
    ),
    row(
        "what a choice makes readable",
        4,
        false,
        &[Place, Number],
        |s, _| !arrays(s).is_empty(),
        |g, s, _| {
            let (inner, guard, read) = g.made_readable(s);
            let (a, b) = (g.number(&inner), g.number(s));
            let bound = a.bound.max(b.bound) + read.bound;
            let read = read.text;
            Out::number(format!("(if {guard} {{ {} + {read} }} else {{ {} }})", a.text, b.text), bound)
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
    Feature { name, sort: Number, weight, is_small, holds, fits, write }
}

fn arrays(s: &Scope) -> Vec<Tensor> {
    s.tensors.iter().filter(|t| !t.extents.is_empty()).cloned().collect()
}

/// A tensor of two or more dimensions that may be read row by row.
fn is_matrix(t: &Tensor) -> bool {
    t.extents.len() > 1 && t.field.is_empty() && t.infinite.is_none()
}

/// Tensors with a place in range in each dimension.
fn safe(s: &Scope) -> Vec<Tensor> {
    let inside = |e: &Extent| super::places::can_be_inside(s, *e);
    arrays(s).into_iter().filter(|t| t.extents.iter().all(inside)).collect()
}

impl Generator {
    /// One of them, rather one that came last.
    pub fn latest(&mut self, of: &[Tensor]) -> Tensor {
        let k = self.rng.usize(..of.len());
        of[if self.rng.bool() { k.max(self.rng.usize(..of.len())) } else { k }].clone()
    }

    /// An element of a vector.
    pub fn read(&mut self, t: &Tensor, at: &str) -> Out {
        self.element(t, &[at.to_string()])
    }

    pub fn element(&mut self, t: &Tensor, at: &[String]) -> Out {
        self.reads(t.made_by);
        self.shielded(t, format!("{}[{}]{}", t.name, at.join(", "), t.field))
    }

    /// Without infinities: they would make NaN of much, whose place depends on the order of sums.
    fn shielded(&mut self, t: &Tensor, text: String) -> Out {
        let text = match t.infinite {
            None => text,
            Some(true) => self.without_infinity(&text, true),
            Some(false) => self.without_infinity(&text, false),
        };
        Out::number(text, t.bound.max(2.5))
    }

    /// The value of an extreme, of a maximum or of a minimum, that may be of nothing.
    pub fn without_infinity(&mut self, text: &str, is_max: bool) -> String {
        let limit = if is_max { "max" } else { "min" };
        let sign = if is_max { "-" } else { "" };
        match self.rng.u8(..4) {
            0 => format!("({text}).tanh()"),
            1 => format!("({text}).{limit}({sign}2.5)"),
            2 => format!("({text}).clamp(-2.25, 2.75)"),
            _ => format!("{limit}({text}, {sign}1.3125)"),
        }
    }

    /// Places in a tensor, and the condition under which they are in range.
    fn somewhere(&mut self, s: &Scope, t: &Tensor) -> (Vec<String>, String) {
        let mut guards = vec![];
        let mut at = vec![];
        for (k, e) in t.extents.iter().enumerate() {
            let is_last = k + 1 == t.extents.len() && guards.is_empty();
            if !is_last && self.can_be_inside(s, *e) && self.rng.bool() {
                at.push(self.write(Inside, s, &[*e]).text);
                continue;
            }
            let (place, guard) = self.place_and_guard(s, *e);
            guards.push(guard);
            at.push(place);
        }
        (at, guards.join(" && "))
    }

    /// A place, and that it is in range.
    pub fn place_and_guard(&mut self, s: &Scope, e: Extent) -> (String, String) {
        let Out { text, natural, .. } = self.place(s);
        let extent = e.text();
        let guard = match self.rng.u8(..8) {
            0 | 1 if natural => format!("{text} < {extent}"),
            2 => format!("{text} >= 0 && {text} <= {}", Extent { c: e.c - 1, ..e }.text()),
            3 => format!("{extent} > {text} && !({text} < 0)"),
            _ => format!("0 <= {text} < {extent}"),
        };
        (text, guard)
    }

    /// A scope in which a place is known to be in range of a dimension of a tensor; the condition for that; a read there.
    fn made_readable(&mut self, s: &Scope) -> (Scope, String, Out) {
        let t = self.latest(&arrays(s));
        let mut inner = s.clone();
        let mut guards = vec![];
        let mut at = vec![];
        for e in &t.extents {
            let (place, guard) = self.place_and_guard(s, *e);
            inner.known.push((place.clone(), *e));
            guards.push(guard);
            at.push(place);
        }
        (inner, guards.join(" && "), self.element(&t, &at))
    }
}
