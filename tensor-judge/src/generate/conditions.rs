//! Conditions.

use super::scope::{Extent, Scope, Tensor};
use super::table::Sort::{Condition, Number, Place};
use super::table::{Feature, Generator, Out, Sort, always, has_index};

pub(super) const TABLE: &[Feature] = &[
    row("both of two", 3, false, &[Condition], always, |g, s, _| {
        Out::text({
            let (p, q) = (g.condition(s), g.condition(s));
            format!("{p} && {q}")
        })
    }),
    row("one of two", 2, false, &[Condition], always, |g, s, _| {
        Out::text({
            let (p, q) = (g.condition(s), g.condition(s));
            format!("({p} || {q})")
        })
    }),
    row("a negation", 2, false, &[Condition], always, |g, s, _| {
        Out::text({
            let p = g.condition(s);
            format!("!({p})")
        })
    }),
    row("an index beside a bound", 5, true, &[], has_index, |g, s, _| {
        Out::text({
            let (i, size) = (g.index(s).name, g.size(s));
            match g.rng.u8(..6) {
                0 => format!("{i} + 1 < {size}"),
                1 => format!("1 <= {i}"),
                2 => format!("{i} == {}", g.rng.u8(..3)),
                3 => format!("{i} != {size} - 1"),
                4 => format!("2*{i} < {size}"),
                _ => format!("1 <= {i} < {size} - 1"),
            }
        })
    }),
    row(
        "two indices compared",
        4,
        true,
        &[],
        |s, _| s.indices.len() > 1,
        |g, s, _| {
            Out::text({
                let (i, j) = (g.index(s).name, g.index(s).name);
                let op = g.comparison();
                match g.rng.u8(..4) {
                    0 => format!("0 <= {i} - {j} < 2"),
                    1 => format!("{i} <= {j} && {j} < {i} + 3"),
                    _ => format!("{i} {op} {j}"),
                }
            })
        },
    ),
    row("a residue", 3, true, &[Place], always, |g, s, _| {
        Out::text({
            let (e, k) = (g.place(s).text, g.rng.u8(2..5));
            format!("({e}) % {k} == {}", g.rng.u8(..k))
        })
    }),
    row("not a residue", 3, true, &[Place], always, |g, s, _| {
        Out::text({
            let (e, k) = (g.place(s).text, g.rng.u8(2..5));
            format!("({e}) % {k} != {}", g.rng.u8(..k))
        })
    }),
    row("places compared", 4, true, &[Place], always, |g, s, _| {
        Out::text({
            let (a, b, op) = (g.place(s).text, g.place(s).text, g.comparison());
            format!("{a} {op} {b}")
        })
    }),
    row("a place between sizes", 2, true, &[Place], always, |g, s, _| {
        Out::text({
            let (e, a, b) = (g.place(s).text, g.rng.u8(..3), g.size(s));
            format!("{a} <= {e} < {b}")
        })
    }),
    row("sizes compared", 2, true, &[], always, |g, s, _| {
        Out::text({
            let (a, b, op, c) = (g.size(s), g.size(s), g.comparison(), g.rng.u8(..4));
            if a == b { format!("{a} {op} {c}") } else { format!("{a} {op} {b}") }
        })
    }),
    row("exists", 1, false, &[Condition], always, |g, s, _| {
        Out::text({
            let (k, e) = (g.fresh("e"), g.extent_for_loop(s));
            let mut inner = s.with_index(&k, Some((0, e)), true);
            inner.plain = true;
            let p = g.condition(&inner);
            if g.rng.bool() {
                let i = g.index(&inner).name;
                format!("exists {k} in 0..{} {{ 2*{k} == {i} && {p} }}", e.text())
            } else {
                format!("exists {k} in 0..{} {{ {p} }}", e.text())
            }
        })
    }),
    row("a number beside a literal", 5, false, &[Number], always, |g, s, _| {
        Out::text({
            let op = if g.one_in(10) { g.comparison() } else { g.order() };
            let (e, c) = (g.factor(s).text, g.literal());
            if g.rng.bool() { format!("{e} {op} {c}") } else { format!("{c} {op} {e}") }
        })
    }),
    row(
        "an element beside a literal",
        4,
        true,
        &[Sort::Inside],
        |s, _| s.tensors.iter().any(|t| is_made(s, t)),
        |g, s, _| {
            let all: Vec<Tensor> = s.tensors.iter().filter(|t| is_made(s, t)).cloned().collect();
            let t = g.latest(&all);
            let at: Vec<String> = t.extents.iter().map(|e| g.write(Sort::Inside, s, &[*e]).text).collect();
            let (c, op) = (g.literal(), g.order());
            Out::text(format!("{} {op} {c}", g.element(&t, &at).text))
        },
    ),
    // What is equal where it is compared, and what is not, is so about it, too.
    row("a step equal to a number", 3, false, &[Number], always, |g, s, _| {
        let (e, step, op) = (g.factor(s).text, g.pick(&["floor", "ceil", "round", "signum"]), g.equality());
        Out::text(format!("(0.0625 + {e}).{step}() {op} {:?}", f64::from(g.rng.i8(-1..=1))))
    }),
    row("what a guard leaves out compared", 1, false, &[Condition, Number], always, |g, s, _| {
        let (p, e, op) = (g.condition(s), g.factor(s).text, g.equality());
        Out::text(format!("[{p}] * (0.0625 + {e}).floor() {op} 0.0"))
    }),
    row("a number beside an infinity", 1, false, &[Number], always, |g, s, _| {
        let (e, op) = (g.factor(s).text, g.comparison());
        Out::text(format!("{e} {op} {}", g.pick(&["INFINITY", "NEG_INFINITY"])))
    }),
    row(
        "equal elements",
        3,
        true,
        &[Sort::Inside],
        |s, _| s.tensors.iter().any(|t| is_given(s, t)),
        |g, s, _| {
            let all: Vec<Tensor> = s.tensors.iter().filter(|t| is_given(s, t)).cloned().collect();
            let (t, op) = (g.pick(&all), g.equality());
            let [a, b] = [(); 2].map(|()| {
                let at: Vec<String> =
                    t.extents.iter().map(|e| g.write(Sort::Inside, s, &[*e]).text).collect();
                g.element(&t, &at).text
            });
            Out::text(format!("{a} {op} {b}"))
        },
    ),
    row("two numbers compared", 1, false, &[Number], always, |g, s, _| {
        Out::text({
            let (a, b, op) = (g.number(s).text, g.number(s).text, g.order());
            format!("({a}).sin() {op} 0.71875 * ({b})")
        })
    }),
    row(
        "whether an extreme has a place",
        3,
        true,
        &[],
        |s, _| s.indices.iter().any(|i| i.least.is_some()),
        |g, s, _| {
            Out::text({
                let all: Vec<(String, String)> =
                    s.indices.iter().filter_map(|i| Some((i.name.clone(), i.least.clone()?))).collect();
                let (k, least) = g.pick(&all);
                format!("{k} >= {least}")
            })
        },
    ),
];

/// A tensor that is computed, whose elements can be read here.
fn is_made(s: &Scope, t: &Tensor) -> bool {
    let inside = |e: &Extent| super::places::can_be_inside(s, *e);
    t.made_by.is_some() && !t.extents.is_empty() && t.extents.iter().all(inside)
}

/// An argument, whose elements differ unless they are one.
fn is_given(s: &Scope, t: &Tensor) -> bool {
    let inside = |e: &Extent| super::places::can_be_inside(s, *e);
    let is_own = t.made_by.is_none() && s.params.iter().any(|p| t.name.split('.').next() == Some(p));
    is_own && !t.extents.is_empty() && t.extents.iter().all(inside)
}

const fn row(
    name: &'static str,
    weight: u32,
    is_small: bool,
    holds: &'static [Sort],
    fits: fn(&Scope, &[Extent]) -> bool,
    write: Write,
) -> Feature {
    Feature { name, sort: Condition, weight, is_small, holds, fits, write }
}

type Write = fn(&mut Generator, &Scope, &[Extent]) -> Out;

impl Generator {
    fn comparison(&mut self) -> &'static str {
        self.pick(&["<", "<=", "==", "!=", ">=", ">"])
    }

    fn equality(&mut self) -> &'static str {
        self.pick(&["==", "==", "!="])
    }

    fn order(&mut self) -> &'static str {
        self.pick(&["<", "<=", ">=", ">"])
    }
}
