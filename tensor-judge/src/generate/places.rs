//! Indices: those that may be anywhere, and those that are in range.

use super::scope::{Extent, Index, Scope};
use super::table::Sort::{Inside, Place};
use super::table::{Feature, Generator, Out, Sort, always, has_index};

pub(super) const TABLE: &[Feature] = &[
    place("an index alone", 4, true, &[], has_index, |g, s, _| {
        let i = g.index(s);
        Out::place(&i.name, i.natural)
    }),
    place("a shifted index", 5, true, &[], has_index, |g, s, _| {
        let (i, c) = (g.index(s), g.rng.u8(1..4));
        if g.rng.bool() {
            Out::place(format!("{} + {c}", i.name), i.natural)
        } else {
            Out::place(format!("{} - {c}", i.name), false)
        }
    }),
    place("an index from the end", 3, true, &[], has_index, |g, s, _| {
        let (i, size) = (g.index(s).name, g.size(s));
        Out::place(format!("{size} - 1 - {i}"), false)
    }),
    place("a stride", 4, true, &[], has_index, |g, s, _| {
        let (i, size, c) = (g.index(s), g.size(s), g.rng.u8(0..3));
        let text = match g.rng.u8(..5) {
            0 => return Out::place(format!("2*{}", i.name), i.natural),
            1 => return Out::place(format!("3*{} + {c}", i.name), i.natural),
            2 => format!("{size} - 1 - 2*{}", i.name),
            3 => format!("-2*{} + {size} + {c}", i.name),
            _ => format!("2*{} - {c}", i.name),
        };
        Out::place(text, false)
    }),
    place(
        "two indices",
        4,
        true,
        &[],
        |s, _| s.indices.len() > 1,
        |g, s, _| {
            let (i, j, size, c) = (g.index(s), g.index(s), g.size(s), g.rng.u8(0..3));
            let (is_natural, i, j) = (i.natural && j.natural, i.name, j.name);
            let text = match g.rng.u8(..6) {
                0 | 1 => return Out::place(format!("{i} + {j}"), is_natural),
                2 => format!("{i} - {j}"),
                3 => format!("{i} - {j} + {c}"),
                4 => format!("2*{i} - {j} - {c}"),
                _ => format!("{i} + 2*{j} - {size}"),
            };
            Out::place(text, false)
        },
    ),
    place("sizes alone", 3, true, &[], always, |g, s, _| {
        let (a, b) = (g.size(s), g.size(s));
        let text = match g.rng.u8(..8) {
            0 | 1 => format!("{a} - 1"),
            2 => format!("{a} - 2"),
            3 => format!("{a} / 2"),
            4 if a != b => format!("{a} - {b}"),
            5 => format!("2*{a} - {b} - 1"),
            6 => format!("3*{a}/2 - {b}"),
            _ => a.clone(),
        };
        let natural = text == a;
        Out::place(text, natural)
    }),
    place("a number as an index", 2, true, &[], always, |g, _, _| {
        Out::place(g.rng.u8(0..4).to_string(), true)
    }),
    place(
        "a product of indices",
        1,
        true,
        &[],
        |s, _| factors(s).next().is_some(),
        |g, s, _| {
            let all: Vec<Index> = factors(s).cloned().collect();
            let (i, j, size, c) = (g.pick(&all), g.pick(&all), g.size(s), g.rng.u8(0..3));
            let (is_natural, i, j) = (i.natural && j.natural, i.name, j.name);
            let text = match g.rng.u8(..4) {
                0 => format!("{i}*({i} + 1)/2 + {j}"),
                1 => format!("{i}*{j} + {c}"),
                2 => format!("{i}*{size} + {c}"),
                _ => format!("{i}*{size} + {j}"),
            };
            Out::place(text, is_natural)
        },
    ),
    place("a floor", 2, false, &[Place], always, |g, s, _| {
        let (e, k) = (g.place(s), g.rng.u8(2..4));
        let sign = if g.one_in(4) { "-" } else { "" };
        Out::place(format!("{sign}({}) / {k}", e.text), e.natural && sign.is_empty())
    }),
    place("a remainder", 2, false, &[Place], always, |g, s, _| {
        let (e, k) = (g.place(s).text, g.rng.u8(2..5));
        Out::place(format!("({e}) % {k}"), true)
    }),
    place("a sum of indices", 2, false, &[Place], always, |g, s, _| {
        let (a, b) = (g.place(s), g.place(s));
        if g.rng.bool() {
            Out::place(format!("{} + {}", a.text, b.text), a.natural && b.natural)
        } else {
            Out::place(format!("{} - ({})", a.text, b.text), false)
        }
    }),
    inside(
        "an index in its range",
        12,
        &[],
        |s, e| own(s, e[0]).next().is_some(),
        |g, s, e| {
            let all: Vec<String> = own(s, e[0]).collect();
            Out::text(g.pick(&all))
        },
    ),
    inside(
        "an index from the end of its range",
        2,
        &[],
        |s, e| own(s, e[0]).next().is_some(),
        |g, s, e| {
            let all: Vec<String> = own(s, e[0]).collect();
            let i = g.pick(&all);
            Out::text(format!("{} - 1 - ({i})", e[0].text()))
        },
    ),
    inside(
        "half an index in its range",
        3,
        &[],
        |s, e| own(s, e[0]).next().is_some(),
        |g, s, e| {
            let all: Vec<String> = own(s, e[0]).collect();
            let i = g.pick(&all);
            Out::text(format!("({i}) / 2"))
        },
    ),
    inside(
        "an index of a shorter range",
        4,
        &[],
        |s, e| shorter(s, e[0]).next().is_some(),
        |g, s, e| {
            let all: Vec<(String, i64)> = shorter(s, e[0]).collect();
            let (i, most) = g.pick(&all);
            let shift = g.rng.i64(0..=most.min(3));
            Out::text(if shift == 0 { i } else { format!("{i} + {shift}") })
        },
    ),
    inside(
        "a stride in range",
        3,
        &[],
        |s, e| doubled(s, e[0]).next().is_some(),
        |g, s, e| {
            let all: Vec<String> = doubled(s, e[0]).collect();
            let i = g.pick(&all);
            Out::text(if g.rng.bool() { format!("2*({i})") } else { format!("2*({i}) + 1") })
        },
    ),
    inside(
        "a sum in range",
        4,
        &[],
        |s, e| sums(s, e[0]).next().is_some(),
        |g, s, e| {
            let all: Vec<String> = sums(s, e[0]).collect();
            Out::text(g.pick(&all))
        },
    ),
    inside(
        "a remainder in range",
        2,
        &[Place],
        |_, e| e[0].is_constant() && e[0].c > 1,
        |g, s, e| {
            let p = g.place(s).text;
            Out::text(format!("({p}) % {}", e[0].c))
        },
    ),
    inside(
        "a row and a column in range",
        6,
        &[],
        |s, e| of_product(s, e[0]).next().is_some(),
        |g, s, e| {
            let all: Vec<String> = of_product(s, e[0]).collect();
            Out::text(g.pick(&all))
        },
    ),
    inside(
        "a number in range",
        1,
        &[],
        |_, e| e[0].least() > 0,
        |g, _, e| Out::text(g.rng.i64(0..e[0].least()).to_string()),
    ),
    inside(
        "a place that is known to be in range",
        8,
        &[],
        |s, e| known(s, e[0]).next().is_some(),
        |g, s, e| {
            let all: Vec<String> = known(s, e[0]).collect();
            Out::text(g.pick(&all))
        },
    ),
];

const fn place(
    name: &'static str,
    weight: u32,
    is_small: bool,
    holds: &'static [Sort],
    fits: fn(&Scope, &[Extent]) -> bool,
    write: fn(&mut Generator, &Scope, &[Extent]) -> Out,
) -> Feature {
    Feature { name, sort: Place, weight, is_small, holds, fits, write }
}

const fn inside(
    name: &'static str,
    weight: u32,
    holds: &'static [Sort],
    fits: fn(&Scope, &[Extent]) -> bool,
    write: fn(&mut Generator, &Scope, &[Extent]) -> Out,
) -> Feature {
    Feature { name, sort: Inside, weight, is_small: true, holds, fits, write }
}

/// An index in `0..e`, as it is written.
fn from_zero(i: &Index) -> Option<(String, Extent)> {
    let (first, e) = i.within?;
    Some((if first == 0 { i.name.clone() } else { format!("{} - {first}", i.name) }, e))
}

fn own(s: &Scope, e: Extent) -> impl Iterator<Item = String> {
    s.indices.iter().filter_map(from_zero).filter(move |(_, own)| *own == e).map(|(i, _)| i)
}

/// Indices of ranges that are shorter by a number.
fn shorter(s: &Scope, e: Extent) -> impl Iterator<Item = (String, i64)> {
    let longer = move |(i, own): (String, Extent)| {
        let rest = e.minus(own);
        (own != e && rest.product == 0 && rest.least() >= 0).then_some((i, rest.c))
    };
    s.indices.iter().filter_map(from_zero).filter_map(longer)
}

fn doubled(s: &Scope, e: Extent) -> impl Iterator<Item = String> {
    let is_triangle = move |own: Extent| own.product == 0 && e.minus(own).minus(own).least() >= 0;
    s.indices.iter().filter_map(from_zero).filter(move |(_, own)| is_triangle(*own)).map(|(i, _)| i)
}

/// Indices of loops: what a `let` names may be a product already.
fn factors(s: &Scope) -> impl Iterator<Item = &Index> {
    s.indices.iter().filter(|i| i.within.is_some())
}

/// `i * m + j` in `n * m`.
fn of_product(s: &Scope, e: Extent) -> impl Iterator<Item = String> {
    let in_range = |e: Extent| {
        let all = s.indices.iter().filter_map(from_zero).filter(move |(_, own)| *own == e);
        all.map(|(i, _)| i).collect::<Vec<_>>()
    };
    let (rows, columns) =
        if e == Extent::PRODUCT { (in_range(Extent::N), in_range(Extent::M)) } else { (vec![], vec![]) };
    let at = |i: &String| {
        let all = columns.iter().flat_map(move |j| [format!("({i}) * m + {j}"), format!("({j}) * n + {i}")]);
        all.collect::<Vec<_>>()
    };
    rows.iter().flat_map(at).collect::<Vec<_>>().into_iter()
}

/// `i + j` in `n + m - 1`.
fn sums(s: &Scope, e: Extent) -> impl Iterator<Item = String> {
    let all: Vec<(String, Extent)> = s.indices.iter().filter_map(from_zero).collect();
    let mut out = vec![];
    for (i, a) in &all {
        for (j, b) in &all {
            let rest = e.minus(*a).minus(*b);
            if rest.product == 0 && rest.least() >= -1 {
                out.push(format!("{i} + {j}"));
            }
        }
    }
    out.into_iter()
}

fn known(s: &Scope, e: Extent) -> impl Iterator<Item = String> {
    s.known.iter().filter(move |k| k.1 == e).map(|k| k.0.clone())
}

/// Whether a place can be written that is in range without a guard.
pub(super) fn can_be_inside(s: &Scope, e: Extent) -> bool {
    TABLE.iter().any(|f| f.sort == Inside && (f.fits)(s, &[e]))
}

impl Generator {
    pub fn index(&mut self, s: &Scope) -> Index {
        let k = self.rng.usize(..s.indices.len());
        s.indices[k.max(self.rng.usize(..s.indices.len()))].clone()
    }

    /// `n` or `m`
    pub fn size(&mut self, s: &Scope) -> String {
        if s.has_m && self.rng.bool() { "m".into() } else { "n".into() }
    }
}
