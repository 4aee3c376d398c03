//! Tensors of given extents.

use super::arithmetic::calls;
use super::scope::{Extent, Helper, Scope, Tensor as Array};
use super::table::Sort::{Condition, Inside, Let, Number, Range, Tensor, Tuple};
use super::table::{Feature, Generator, Out, Sort, always, is_free};

pub(super) const TABLE: &[Feature] = &[
    row("for", 12, true, &[Number], always, |g, s, e| {
        let (binders, inner) = g.opened(s, e);
        let body = g.element_of_for(&inner);
        Out::number(format!("for {binders} {{ {} }}", body.text), body.bound)
    }),
    row("for with a condition", 5, true, &[Condition, Number], always, |g, s, e| {
        let (binders, inner) = g.opened(s, e);
        let p = g.condition(&inner);
        let body = g.element_of_for(&inner);
        Out::number(format!("for {binders} if {p} {{ {} }}", body.text), body.bound)
    }),
    row("for that makes something readable", 3, true, &[Number, Sort::Place], always, |g, s, e| {
        let (binders, mut inner) = g.opened(s, e);
        let extent = g.extent_for_loop(s);
        let (place, guard) = g.place_and_guard(&inner, extent);
        inner.known.push((place, extent));
        let body = g.element_of_for(&inner);
        Out::number(format!("for {binders} if {guard} {{ {} }}", body.text), body.bound)
    }),
    row(
        "for over ranges that are inferred",
        1,
        true,
        &[Number],
        |s, e| whole(s, e).next().is_some(),
        |g, s, e| {
            let all: Vec<Array> = whole(s, e).collect();
            let t = g.latest(&all);
            let names: Vec<String> = e.iter().map(|_| g.fresh("i")).collect();
            let (list, other) = (names.join(", "), g.factor(&s.clone().with_work(20.0)));
            let text = format!("for {list} {{ {}[{list}] * {} }}", t.name, other.text);
            Out::number(text, t.bound * other.bound)
        },
    ),
    row(
        "a tensor by its name",
        2,
        true,
        &[],
        |s, e| whole(s, e).next().is_some(),
        |g, s, e| {
            let all: Vec<Array> = whole(s, e).collect();
            let t = g.latest(&all);
            Out::number(t.name, t.bound)
        },
    ),
    row(
        "arithmetic of tensors",
        2,
        false,
        &[Tensor],
        |s, _| s.has_room(1.0),
        |g, s, e| {
            let (a, b, c) = (g.operand(Tensor, s, e), g.operand(Tensor, s, e), g.literal());
            let (text, bound) = match g.rng.u8(..4) {
                0 => (format!("{} + {}", a.text, b.text), a.bound + b.bound),
                1 => (format!("{c} * {} - {}", a.text, b.text), 2.6 * a.bound + b.bound),
                2 => (format!("-{} / 2.0 + {}", a.text, b.text), a.bound + b.bound),
                _ => (format!("{} * {c}", a.text), 2.6 * a.bound),
            };
            Out::number(text, bound)
        },
    ),
    row(
        "a row",
        2,
        true,
        &[Inside],
        |s, e| rows(s, e).next().is_some(),
        |g, s, e| {
            let all: Vec<Array> = rows(s, e).collect();
            let t = g.latest(&all);
            let at = g.write(Inside, s, &t.extents[..1]).text;
            Out::number(format!("{}[{at}]", t.name), t.bound)
        },
    ),
    row(
        "a column",
        2,
        true,
        &[Inside],
        |s, e| columns(s, e).next().is_some(),
        |g, s, e| {
            let all: Vec<Array> = columns(s, e).collect();
            let t = g.latest(&all);
            let at = g.write(Inside, s, &t.extents[1..]).text;
            Out::number(format!("{}[.., {at}]", t.name), t.bound)
        },
    ),
    row(
        "a constant tensor",
        1,
        true,
        &[],
        |_, e| e.iter().all(|e| e.least() >= 0),
        |g, _, e| {
            let list: Vec<String> = e.iter().map(|e| e.text()).collect();
            Out::number(format!("[{}; {}]", g.literal(), list.join(", ")), 2.6)
        },
    ),
    row(
        "a tensor literal",
        2,
        false,
        &[Number],
        |_, e| e.len() == 1 && e[0].is_constant() && e[0].c < 4,
        |g, s, e| {
            let parts: Vec<Out> = (0..e[0].c).map(|_| g.number(s)).collect();
            let list: Vec<&str> = parts.iter().map(|p| p.text.as_str()).collect();
            Out::number(format!("[{}]", list.join(", ")), parts.iter().fold(0.0, |b: f64, p| b.max(p.bound)))
        },
    ),
    row(
        "a literal of tensors",
        4,
        false,
        &[Tensor],
        |_, e| e.len() > 1 && e[0].is_constant() && e[0].c < 4,
        |g, s, e| {
            let parts: Vec<Out> = (0..e[0].c).map(|_| g.write(Tensor, s, &e[1..])).collect();
            let list: Vec<&str> = parts.iter().map(|p| p.text.as_str()).collect();
            Out::number(format!("[{}]", list.join(", ")), parts.iter().fold(0.0, |b: f64, p| b.max(p.bound)))
        },
    ),
    row(
        "for in for",
        4,
        true,
        &[Tensor],
        |_, e| e.len() > 1,
        |g, s, e| {
            let (binders, inner) = g.opened(s, &e[..1]);
            let body = g.write(Tensor, &inner, &e[1..]);
            Out::number(format!("for {binders} {{ {} }}", body.text), body.bound)
        },
    ),
    row(
        "a sum of tensors",
        2,
        false,
        &[Range, Condition, Tensor],
        |s, _| s.has_room(10.0),
        |g, s, e| {
            let l = g.looped(s);
            let body = g.write(Tensor, &l.inner, e);
            Out::number(format!("(sum {} {{ {} }})", l.binder, body.text), 0.5 * l.range.length * body.bound)
        },
    ),
    row("a product with a tensor", 2, false, &[Tensor, Number], is_free, |g, s, e| {
        let (a, c) = (g.operand(Tensor, s, e), g.factor(s));
        match g.rng.u8(..3) {
            0 => Out::number(format!("{} * {}", c.text, a.text), a.bound * c.bound),
            1 => Out::number(format!("{} * -{}", a.text, c.text), a.bound * c.bound),
            _ => Out::number(format!("{} / (1.25 + {}.sin())", a.text, c.text), 4.0 * a.bound),
        }
    }),
    row("stop of a tensor", 1, false, &[Tensor], is_free, |g, s, e| {
        let t = g.write(Tensor, s, e);
        // Differences know nothing of it: few programs have it.
        Out::number(if g.one_in(3) { format!("stop({})", t.text) } else { t.text }, t.bound)
    }),
    row("the tensor of a tuple", 2, false, &[Tuple], is_free, |g, s, e| {
        let t = g.operand(Tuple, s, e);
        Out::number(format!("{}.0", t.text), t.bound)
    }),
    row(
        "grad by a tensor",
        1,
        false,
        &[Tensor, Number],
        |s, e| !s.in_step && s.has_room(e.iter().map(|e| e.rough()).product::<f64>() * 4.0),
        |g, s, e| {
            let (t, u, w) = (g.write(Tensor, s, e), g.fresh("u"), g.fresh("w"));
            let mut inner = s.clone();
            inner.tensors.push(Array::new(&u, e, t.bound));
            let value = g.number(&inner);
            let text = format!("{{ let {u} = {}; let {w} = {}; grad({w}, {u}) }}", t.text, value.text);
            Out::number(text, 8.0 + value.bound)
        },
    ),
    row(
        "grad by a parameter",
        1,
        false,
        &[Number],
        |s, e| !s.in_step && s.has_room(20.0) && whole(s, e).any(|t| s.params.contains(&t.name)),
        |g, s, e| {
            let all: Vec<Array> = whole(s, e).filter(|t| s.params.contains(&t.name)).collect();
            let (x, value) = (g.pick(&all), g.number(s));
            Out::number(format!("grad({}, {})", value.text, x.name), 8.0 + value.bound)
        },
    ),
    row(
        "a call with a matrix and a vector",
        3,
        false,
        &[Tensor],
        |s, e| e.len() == 1 && calls(s, Helper::Matrix) && s.has_room(30.0),
        |g, s, e| {
            let columns = g.vector_extent(s);
            let (a, v) = (g.write(Tensor, s, &[e[0], columns]), g.write(Tensor, s, &[columns]));
            Out::number(format!("times({}, {})", a.text, v.text), 3.0 * a.bound * v.bound)
        },
    ),
    row(
        "a call of Rust for a tensor",
        3,
        false,
        &[Tensor],
        |s, e| e.len() == 1 && calls(s, Helper::Foreign) && s.has_room(30.0),
        |g, s, e| {
            let v = g.write(Tensor, s, e);
            Out::number(format!("spectrum({})", v.text), 3.0 * v.bound)
        },
    ),
    row(
        "a call with a size",
        3,
        false,
        &[Number],
        |s, e| e.len() == 1 && calls(s, Helper::Steps),
        |g, s, e| {
            let c = g.number(s);
            Out::number(format!("steps({}, {})", c.text, e[0].text()), 3.0 + c.bound)
        },
    ),
    row(
        "a call of a gradient",
        3,
        false,
        &[Tensor],
        |s, e| e.len() == 1 && calls(s, Helper::Gradient) && s.has_room(20.0),
        |g, s, e| {
            let v = g.write(Tensor, s, e);
            let text = match g.rng.u8(..4) {
                0 => format!("0.25 * norm_both({}).1", v.text),
                1 => format!("0.25 * norm_along({}, {}).1", v.text, g.write(Tensor, s, e).text),
                _ => format!("0.25 * norm_bar({})", v.text),
            };
            Out::number(text, 40.0)
        },
    ),
    row(
        "a call of a Jacobian",
        3,
        false,
        &[Tensor, Number],
        |s, e| e.len() == 2 && e[0] == e[1] && calls(s, Helper::Tangent) && s.has_room(30.0),
        |g, s, e| {
            let (v, c) = (g.write(Tensor, s, &e[..1]), g.number(s));
            Out::number(format!("0.25 * map_by_v({}, {})", v.text, c.text), 40.0)
        },
    ),
    row(
        "a call for a tensor",
        3,
        false,
        &[Tensor, Number],
        |s, e| e.len() == 1 && calls(s, Helper::Map),
        |g, s, e| {
            let (v, c) = (g.write(Tensor, s, e), g.number(s));
            Out::number(format!("map({}, {})", v.text, c.text), 30.0)
        },
    ),
    row("a choice of tensors", 1, false, &[Condition, Tensor], always, |g, s, e| {
        let (p, a, b) = (g.condition(s), g.write(Tensor, s, e), g.write(Tensor, s, e));
        Out::number(format!("(if {p} {{ {} }} else {{ {} }})", a.text, b.text), a.bound.max(b.bound))
    }),
    row("a guarded tensor", 1, false, &[Condition, Tensor], always, |g, s, e| {
        let (p, a) = (g.condition(s), g.operand(Tensor, s, e));
        Out::number(format!("[{p}] * {}", a.text), a.bound)
    }),
    row(
        "a block of a tensor",
        2,
        false,
        &[Let, Tensor],
        |s, _| s.has_room(10.0),
        |g, s, e| {
            let mut inner = s.clone();
            let text = g.let_into(&mut inner);
            let value = g.write(Tensor, &inner, e);
            Out::number(format!("{{ {text} {} }}", value.text), value.bound)
        },
    ),
    row("a part of a tuple of tensors", 1, false, &[Tensor, Number], always, |g, s, e| {
        let (c, a) = (g.number(s), g.write(Tensor, s, e));
        Out::number(format!("({}, {}).1", c.text, a.text), a.bound)
    }),
];

const fn row(
    name: &'static str,
    weight: u32,
    is_small: bool,
    holds: &'static [Sort],
    fits: fn(&Scope, &[Extent]) -> bool,
    write: fn(&mut Generator, &Scope, &[Extent]) -> Out,
) -> Feature {
    Feature { name, sort: Tensor, weight, is_small, holds, fits, write }
}

/// Tensors of just these extents.
fn whole(s: &Scope, e: &[Extent]) -> impl Iterator<Item = Array> {
    let is_plain = move |t: &&Array| t.extents == e && t.field.is_empty() && t.infinite.is_none();
    s.tensors.iter().filter(is_plain).cloned()
}

fn rows(s: &Scope, e: &[Extent]) -> impl Iterator<Item = Array> {
    let has = |t: &&Array| {
        t.extents.len() == e.len() + 1
            && t.extents[1..] == *e
            && t.field.is_empty()
            && t.infinite.is_none()
            && super::places::can_be_inside(s, t.extents[0])
    };
    s.tensors.iter().filter(has).cloned()
}

fn columns(s: &Scope, e: &[Extent]) -> impl Iterator<Item = Array> {
    let has = |t: &&Array| {
        t.extents.len() == 2
            && t.extents[..1] == *e
            && t.field.is_empty()
            && t.infinite.is_none()
            && super::places::can_be_inside(s, t.extents[1])
    };
    s.tensors.iter().filter(has).cloned()
}

impl Generator {
    /// Opens the loops of a `for`: some begin at 1 or 2.
    fn opened(&mut self, s: &Scope, e: &[Extent]) -> (String, Scope) {
        let mut inner = s.clone();
        let mut binders = vec![];
        for e in e {
            let (i, first) = (self.fresh("i"), if self.one_in(8) { self.rng.i64(1..3) } else { 0 });
            let end = Extent { c: e.c + first, ..*e };
            binders.push(format!("{i} in {first}..{}", end.text()));
            inner = inner.with_index(&i, Some((first, *e)), true).with_work(e.rough());
        }
        (binders.join(", "), inner)
    }

    /// The element of a `for`; what it is made by is remembered for reads of the tensor.
    fn element_of_for(&mut self, s: &Scope) -> Out {
        let (e, k) = self.write_as(Number, s, &[]);
        self.made = Some(k);
        e
    }
}
