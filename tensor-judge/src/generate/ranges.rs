//! The ranges of reductions, and extents.

use super::scope::{Extent, Scope};
use super::table::Sort::{Place, Range};
use super::table::{Feature, Generator, Out, Sort, has_index};

pub(super) const TABLE: &[Feature] = &[
    row(
        "a whole range",
        10,
        &[],
        |s, _| s.has_room(3.0),
        |g, s, _| {
            let e = g.extent_for_loop(s);
            g.range_to("0", e, e.least() < 1)
        },
    ),
    row(
        "the rest of a range",
        2,
        &[],
        |s, _| s.has_room(3.0),
        |g, s, _| {
            let (e, c) = (g.extent_for_loop(s), g.rng.i64(1..4));
            g.range_to(&c.to_string(), e, e.least() <= c)
        },
    ),
    row(
        "a range up to an index",
        3,
        &[],
        |s, _| ranged(s).next().is_some(),
        |g, s, _| {
            let (i, e) = g.ranged_index(s);
            let (lower, end) =
                (g.pick(&["0", "0", "1"]), if g.rng.bool() { i.clone() } else { format!("={i}") });
            Out { may_be_empty: !(end.starts_with('=') && lower == "0"), ..within(lower, &end, e) }
        },
    ),
    row(
        "a range from an index",
        3,
        &[],
        |s, _| ranged(s).next().is_some(),
        |g, s, _| {
            let (i, e) = g.ranged_index(s);
            let (lower, may_be_empty) = if g.rng.bool() { (i, false) } else { (format!("{i} + 1"), true) };
            Out { may_be_empty, ..within(&lower, &e.text(), e) }
        },
    ),
    row(
        "a range that ends before it begins",
        3,
        &[],
        |s, _| ranged(s).next().is_some(),
        |g, s, _| {
            let (i, e) = g.ranged_index(s);
            let lower = g.pick(&["2", "3", "1"]);
            within(lower, &i, e)
        },
    ),
    row("a window", 2, &[], has_index, |g, s, _| {
        let i = g.index(s).name;
        let (lower, upper) = g.pick(&[("- 1", "+ 2"), ("", "+ 3"), ("- 2", ""), ("- 1", "+ 1")]);
        let lower = format!("{i} {lower}").trim_end().to_string();
        Out {
            length: 3.0,
            within: None,
            natural: false,
            ..within(&lower, &format!("{i} {upper}"), Extent::N)
        }
    }),
    row(
        "a range between places",
        2,
        &[Place],
        |s, _| s.has_room(3.0),
        |g, s, _| {
            let (a, b) = (g.place(s), g.place(s));
            Out { length: 4.0, within: None, natural: a.natural, ..within(&a.text, &b.text, Extent::N) }
        },
    ),
    row(
        "a range of sizes",
        1,
        &[],
        |s, _| s.has_room(3.0),
        |g, s, _| {
            let (a, b) = (g.size(s), g.size(s));
            let (lower, upper) = match g.rng.u8(..4) {
                0 => (a, b),
                1 => ("1".into(), a),
                2 => (format!("{a} - {b}"), a),
                _ => ("0".into(), format!("2*{a} - {b}")),
            };
            let natural = !lower.contains('-');
            Out { length: 4.0, within: None, natural, ..within(&lower, &upper, Extent::N) }
        },
    ),
];

const fn row(
    name: &'static str,
    weight: u32,
    holds: &'static [Sort],
    fits: fn(&Scope, &[Extent]) -> bool,
    write: fn(&mut Generator, &Scope, &[Extent]) -> Out,
) -> Feature {
    Feature { name, sort: Range, weight, is_small: true, holds, fits, write }
}

/// `lower..upper`, all of it in `0..e`, perhaps empty.
fn within(lower: &str, upper: &str, e: Extent) -> Out {
    Out {
        text: format!("{lower}..{upper}"),
        natural: true,
        lower: lower.into(),
        within: Some(e),
        length: e.rough(),
        may_be_empty: true,
        ..Out::default()
    }
}

/// Indices in `0..e`, by their names.
fn ranged(s: &Scope) -> impl Iterator<Item = (String, Extent)> {
    s.indices.iter().filter_map(|i| i.within.and_then(|(first, e)| (first == 0).then(|| (i.name.clone(), e))))
}

impl Generator {
    fn ranged_index(&mut self, s: &Scope) -> (String, Extent) {
        let all: Vec<(String, Extent)> = ranged(s).collect();
        self.pick(&all)
    }

    /// `lower..e`
    fn range_to(&mut self, lower: &str, e: Extent, may_be_empty: bool) -> Out {
        Out { may_be_empty, ..within(lower, &e.text(), e) }
    }

    /// An extent of what is in scope, or any.
    pub fn extent_for_loop(&mut self, s: &Scope) -> Extent {
        let of_tensors = s.tensors.iter().flat_map(|t| &t.extents);
        let of_indices = s.indices.iter().filter_map(|i| i.within.as_ref()).map(|w| &w.1);
        let all: Vec<Extent> = of_tensors.chain(of_indices).copied().collect();
        if all.is_empty() || self.one_in(5) { self.extent(s) } else { self.pick(&all) }
    }

    /// Any extent that is not negative.
    pub fn extent(&mut self, s: &Scope) -> Extent {
        let of_n = [(1, 0, 0), (1, 0, 0), (1, 0, 1), (2, 0, 0), (0, 0, 3), (0, 0, 2), (0, 0, 1), (1, 0, 2)];
        let of_both = [
            (0, 1, 0),
            (0, 1, 0),
            (0, 1, 0),
            (1, 1, -1),
            (1, 1, 0),
            (0, 2, 1),
            (0, 1, 2),
            (2, 0, -1),
            (1, -1, 1),
            (2, -1, 0),
        ];
        let of_n = of_n.map(|(n, m, c)| Extent::new(n, m, c));
        let of_both = of_both.map(|(n, m, c)| Extent::new(n, m, c));
        let more = [Extent { half: 1, ..Extent::M }, Extent::PRODUCT];
        let halves = [Extent::HALF, Extent { half: -1, ..Extent::N }];
        let mut all: Vec<Extent> = of_n.into_iter().chain(halves).collect();
        if s.has_m {
            all.extend(of_both.into_iter().chain(more));
        }
        let e = self.pick(&all);
        match (e.least() >= 0, s.may_require) {
            (true, _) => e,
            (false, true) => {
                self.required.push(e);
                e
            }
            (false, false) => Extent::N,
        }
    }
}
