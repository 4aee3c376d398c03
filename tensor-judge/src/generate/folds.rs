//! Sums, extremes and their places.

use super::scope::{Extent, Index, Scope, Tensor};
use super::table::Sort::{Condition, Number, Range};
use super::table::{Feature, Generator, Out, Sort};

pub(super) const TABLE: &[Feature] = &[
    row("a sum", 9, |g, s, _| {
        let l = g.looped(s);
        let e = g.body(&l.inner);
        Out::number(format!("(sum {} {{ {} }})", l.binder, e.text), 0.5 * l.range.length * e.bound)
    }),
    row("a sum over two indices", 3, |g, s, _| {
        let l = g.looped_twice(s);
        let e = g.body(&l.inner);
        Out::number(format!("(sum {} {{ {} }})", l.binder, e.text), 0.3 * l.range.length * e.bound)
    }),
    row("a maximum", 4, |g, s, _| g.extreme(s, "max")),
    row("a minimum", 3, |g, s, _| g.extreme(s, "min")),
    row("logsumexp", 3, |g, s, _| g.extreme(s, "logsumexp")),
    row("an extreme over two indices", 3, |g, s, _| {
        let op = g.pick(&["max", "min", "logsumexp"]);
        let l = g.looped_twice(s);
        g.extreme_of(l, op)
    }),
    row("the place of an extreme", 4, |g, s, _| {
        let (k, bound) = g.bound_place(s);
        let (inside, outside) = (g.found(s, &k), g.asked(s, &k));
        let (e, other) = (g.body(&inside), g.number(&outside));
        let (name, least) = (&k.name, &k.least.unwrap_or_default());
        let rest = match g.rng.u8(..3) {
            0 => format!("[{name} >= {least}] * ({}) + {}", e.text, other.text),
            _ => format!("if {name} >= {least} {{ {} }} else {{ {} }}", e.text, other.text),
        };
        Out::number(format!("{{ {bound} {rest} }}"), e.bound + other.bound)
    }),
    Feature {
        fits: |s, _| s.has_room(5.0) && s.tensors.iter().any(|t| t.extents.len() == 1),
        ..row("a guarded read at the place of an extreme", 3, |g, s, _| {
            let arrays: Vec<Tensor> = s.tensors.iter().filter(|t| t.extents.len() == 1).cloned().collect();
            let (k, bound) = g.bound_place(s);
            let inner = g.asked(s, &k);
            let t = g.latest(&arrays);
            let shift = match g.rng.u8(..4) {
                0 => k.name.clone(),
                1 => format!("{} - {}", k.name, g.rng.u8(1..3)),
                2 => format!("2*{} + {}", k.name, g.rng.u8(0..3)),
                _ => format!("{} + {}", k.name, g.place(s).text),
            };
            let guard = format!("0 <= {shift} < {}", t.extents[0].text());
            let read = g.read(&t, &shift);
            let other = g.number(&inner);
            let text = match g.rng.bool() {
                true => format!("{{ {bound} ([{guard}] * {}) + {} }}", read.text, other.text),
                false => format!("{{ {bound} if {guard} {{ {} }} else {{ {} }} }}", read.text, other.text),
            };
            Out::number(text, read.bound + other.bound)
        })
    },
    Feature {
        holds: &[Number],
        ..row("the place of an extreme of sizes alone", 2, |g, s, _| {
            let (op, name, j) = (g.pick(&["argmax", "argmin"]), g.fresh("k"), g.fresh("j"));
            let e = g.extent_not_empty(s);
            let value = g.body(&s.with_index(&j, Some((0, e)), true).with_work(e.rough()));
            let inner = s.with_index(&name, Some((0, e)), true);
            let rest = if g.one_in(5) {
                Out::number(format!("0.25 * ({name} as f64)"), 2.0)
            } else {
                g.body(&inner)
            };
            let range = format!("0..{}", e.text());
            Out::number(
                format!("{{ let {name} = {op} {j} in {range} {{ {} }}; {} }}", value.text, rest.text),
                rest.bound,
            )
        })
    },
];

const fn row(
    name: &'static str,
    weight: u32,
    write: fn(&mut Generator, &Scope, &[Extent]) -> Out,
) -> Feature {
    const HOLDS: &[Sort] = &[Range, Condition, Number];
    let fits: fn(&Scope, &[Extent]) -> bool = |s, _| s.has_room(5.0);
    Feature { name, sort: Number, weight, is_small: false, holds: HOLDS, fits, write }
}

/// A loop that is open.
pub(super) struct Looped {
    /// `j in 0..n if p`
    pub binder: String,
    pub inner: Scope,
    pub range: Out,
    pub name: String,
    /// Whether there is a condition.
    pub is_guarded: bool,
}

impl Generator {
    /// Opens a loop of a reduction, perhaps with a condition.
    pub fn looped(&mut self, s: &Scope) -> Looped {
        let range = self.write(Range, s, &[]);
        let name = self.fresh("j");
        let inner = s.with_index(&name, range.within.map(|e| (0, e)), range.natural).with_work(range.length);
        let is_guarded = self.one_in(4);
        let guard = if is_guarded { format!(" if {}", self.condition(&inner)) } else { String::new() };
        Looped { binder: format!("{name} in {}{guard}", range.text), inner, range, name, is_guarded }
    }

    /// Opens the loops of a reduction over two indices: `j in 0..n, k in j..n if p`.
    fn looped_twice(&mut self, s: &Scope) -> Looped {
        let first = self.looped(s);
        let second = self.looped(&first.inner);
        let mut parts = vec![];
        let mut guards = vec![];
        for l in [&first, &second] {
            let (binder, guard) = l.binder.split_once(" if ").unwrap_or((&l.binder, ""));
            parts.push(binder);
            guards.extend((!guard.is_empty()).then_some(guard));
        }
        let guard = if guards.is_empty() { String::new() } else { format!(" if {}", guards.join(" && ")) };
        let range = Out {
            length: first.range.length * second.range.length,
            may_be_empty: first.range.may_be_empty || second.range.may_be_empty,
            ..second.range.clone()
        };
        Looped {
            binder: format!("{}{guard}", parts.join(", ")),
            inner: second.inner,
            range,
            name: second.name,
            is_guarded: first.is_guarded || second.is_guarded,
        }
    }

    /// `max`, `min` or `logsumexp`; of what may be nothing without its infinity.
    fn extreme(&mut self, s: &Scope, op: &str) -> Out {
        let l = self.looped(s);
        self.extreme_of(l, op)
    }

    fn extreme_of(&mut self, l: Looped, op: &str) -> Out {
        let e = self.body(&l.inner);
        let text = format!("{op} {} {{ {} }}", l.binder, e.text);
        let text = if l.range.may_be_empty || l.is_guarded {
            self.without_infinity(&text, op != "min")
        } else {
            format!("({text})")
        };
        Out::number(text, e.bound.max(2.75) + 3.0)
    }

    /// `let k = argmax j in a..b if p { e };`, and the index `k`: it is `a - 1` where nothing counts.
    fn bound_place(&mut self, s: &Scope) -> (Index, String) {
        let op = self.pick(&["argmax", "argmin"]);
        let l = self.looped(s);
        let e = self.body(&l.inner);
        let k = self.fresh("k");
        let within = l.range.within.map(|e| (0, e));
        let index = Index { name: k.clone(), within, natural: l.range.natural, least: Some(l.range.lower) };
        debug_assert!(!l.name.is_empty());
        (index, format!("let {k} = {op} {} {{ {} }};", l.binder, e.text))
    }

    /// A scope in which something counted.
    fn found(&self, s: &Scope, k: &Index) -> Scope {
        let mut out = s.clone();
        out.indices.push(k.clone());
        out
    }

    /// A scope in which perhaps nothing did.
    fn asked(&self, s: &Scope, k: &Index) -> Scope {
        let mut out = s.clone();
        out.indices.push(Index { within: None, natural: false, ..k.clone() });
        out
    }

    /// An extent that is positive, by itself or as is required.
    pub fn extent_not_empty(&mut self, s: &Scope) -> Extent {
        let e = self.extent_for_loop(s);
        if e.least() > 0 {
            return e;
        }
        if !s.may_require {
            return Extent { c: 3, ..Extent::new(0, 0, 0) };
        }
        self.required.push(Extent { c: e.c - 1, ..e });
        e
    }
}
