//! Numbers with `let`s before them, and the `let`s.

use super::arithmetic::calls;
use super::scope::{Extent, Helper, Index, Scope, Tensor as Array};
use super::table::Sort::{Condition, Let, Number, Place, Range, Tensor, Tuple};
use super::table::{Feature, Generator, Out, Sort, always, is_free};

pub(super) const TABLE: &[Feature] = &[
    Feature {
        name: "a block",
        sort: Number,
        weight: 4,
        is_small: false,
        holds: &[Let, Number],
        fits: is_free,
        write: |g, s, _| g.block(s),
    },
    Feature {
        name: "a sum over a range that is inferred",
        sort: Number,
        weight: 2,
        is_small: false,
        holds: &[Number],
        fits: |s, _| {
            s.has_room(20.0) && s.tensors.iter().any(|t| !t.extents.is_empty() && t.infinite.is_none())
        },
        write: |g, s, _| {
            let (binders, read, t) = g.inferred(s, "j");
            let e = g.factor(&s.clone().with_work(t.extents.iter().map(|e| e.rough()).product()));
            let length: f64 = t.extents.iter().map(|e| e.rough()).product();
            Out::number(format!("(sum {binders} {{ {read} * {} }})", e.text), length * t.bound * e.bound)
        },
    },
    Feature {
        name: "an element of a literal",
        sort: Number,
        weight: 1,
        is_small: false,
        holds: &[Number, Place],
        fits: is_free,
        write: |g, s, _| {
            let is_matrix = g.one_in(3);
            let parts: Vec<Out> = (0..if is_matrix { 4 } else { 3 }).map(|_| g.number(s)).collect();
            let (w, at) = (g.fresh("w"), g.place(s).text);
            let bound = parts.iter().fold(0.0, |b: f64, p| b.max(p.bound));
            let list: Vec<&str> = parts.iter().map(|p| p.text.as_str()).collect();
            let text = match list.as_slice() {
                [a, b, c, d] => {
                    let other = g.place(s).text;
                    format!("{{ let {w} = [[{a}, {b}], [{c}, {d}]]; {w}[({at}) % 2, ({other}) % 2] }}")
                }
                _ => format!("{{ let {w} = [{}]; {w}[({at}) % 3] }}", list.join(", ")),
            };
            Out::number(text, bound)
        },
    },
    Feature {
        name: "a packed triangle",
        sort: Number,
        weight: 5,
        is_small: false,
        holds: &[Number],
        fits: |s, _| s.has_packed && s.has_room(25.0),
        write: |g, s, _| {
            let (i, j) = (g.fresh("i"), g.fresh("j"));
            let inner =
                s.with_index(&i, Some((0, Extent::N)), true).with_index(&j, Some((0, Extent::N)), true);
            let e = g.factor(&inner.with_work(12.0));
            let (at, range) = match g.rng.u8(..3) {
                0 => (format!("{j} + {i} * ({i} + 1) / 2"), format!("0..={i}")),
                1 => (format!("{i} * ({i} + 1) / 2"), format!("0..{i}")),
                _ => (format!("{i} * ({i} + 1) / 2 + {i} - {j}"), format!("0..={i}")),
            };
            Out::number(
                format!("(sum {i} in 0..n, {j} in {range} {{ l[{at}] * {} }})", e.text),
                15.0 * e.bound,
            )
        },
    },
    row("a number by a let", 5, &[Number], always, |g, s, _| {
        let (e, k) = g.write_as(Number, s, &[]);
        let u = g.fresh("u");
        let t = Array { made_by: Some(k), ..Array::new(&u, &[], e.bound) };
        Out { tensors: vec![t], ..Out::text(format!("let {u} = {};", e.text)) }
    }),
    row(
        "a tensor",
        8,
        &[Tensor],
        |s, _| s.has_room(10.0),
        |g, s, _| {
            let extents = g.extents(s);
            let v = g.fresh("v");
            g.made = None;
            let (e, k) = g.write_as(Tensor, s, &extents);
            let made_by = g.made.take().or(Some(k));
            let how = if g.one_in(8) { "#[recompute] " } else { "" };
            let t = Array { made_by, ..Array::new(&v, &extents, e.bound) };
            Out { tensors: vec![t], ..Out::text(format!("{how}let {v} = {};", e.text)) }
        },
    ),
    row(
        "a tensor of extremes",
        4,
        &[Range, Condition, Number],
        |s, _| s.has_room(20.0),
        |g, s, _| {
            let (v, i, e) = (g.fresh("v"), g.fresh("i"), g.extent_for_loop(s));
            let inner = s.with_index(&i, Some((0, e)), true).with_work(e.rough());
            let op = g.pick(&["max", "min", "logsumexp"]);
            let l = g.looped(&inner);
            let value = g.body(&l.inner);
            let name = match op {
                "max" => "a maximum",
                "min" => "a minimum",
                _ => "logsumexp",
            };
            let t = Array {
                infinite: Some(op != "min"),
                made_by: super::table::all().position(|f| f.name == name),
                ..Array::new(&v, &[e], value.bound + 3.0)
            };
            let text =
                format!("let {v} = for {i} in 0..{} {{ {op} {} {{ {} }} }};", e.text(), l.binder, value.text);
            Out { tensors: vec![t], ..Out::text(text) }
        },
    ),
    row(
        "a longer tensor of one that is zero at its end",
        2,
        &[Number],
        |s, _| s.has_room(20.0),
        |g, s, _| {
            let (u, v, i, e) = (g.fresh("u"), g.fresh("v"), g.fresh("i"), g.extent_for_loop(s));
            let longer = Extent { c: e.c + 2, ..e };
            let value = g.body(&s.with_index(&i, Some((0, e)), true).with_work(e.rough()));
            let made_by = super::table::all().position(|f| f.name == "a guarded read");
            let (of, to) = (e.text(), longer.text());
            // The one, the other or both of them through a function.
            let (first, last) = (g.pick(&["", ".sin()", ".tanh()"]), g.pick(&["", ".cos()", ".tanh()"]));
            let text = format!(
                "let {u} = for {i} in 0..{of} if {i} + 1 < {of} {{ ({}){first} }}; \
                 let {v} = for {i} in 0..{to} {{ ([{i} + 1 < {of}] * {u}[{i}]){last} }};",
                value.text
            );
            let all = [(u, e), (v, longer)];
            let bound = value.bound.max(1.0);
            let tensors = all.map(|(name, e)| Array { made_by, ..Array::new(&name, &[e], bound) });
            Out { tensors: tensors.into(), ..Out::text(text) }
        },
    ),
    row("an index", 3, &[Place], always, |g, s, _| {
        let k = g.fresh("k");
        let p = g.place(s);
        let index = Index { name: k.clone(), within: None, natural: p.natural, least: None };
        Out { indices: vec![index], ..Out::text(format!("let {k} = {};", p.text)) }
    }),
    row(
        "the place of an extreme, by its name",
        2,
        &[Number],
        |s, _| s.has_room(10.0),
        |g, s, _| {
            let (op, k, j) = (g.pick(&["argmax", "argmin"]), g.fresh("k"), g.fresh("j"));
            let e = g.extent_not_empty(s);
            let value = g.body(&s.with_index(&j, Some((0, e)), true).with_work(e.rough()));
            let least = Some("0".into());
            let index = Index { name: k.clone(), within: Some((0, e)), natural: true, least };
            let text = format!("let {k} = {op} {j} in 0..{} {{ {} }};", e.text(), value.text);
            Out { indices: vec![index], ..Out::text(text) }
        },
    ),
    row(
        "a tuple",
        2,
        &[Number, Tensor],
        |s, _| s.has_room(10.0),
        |g, s, _| {
            let (p, q, e) = (g.fresh("p"), g.fresh("q"), g.extent_for_loop(s));
            let (a, b) = (g.number(s), g.write(Tensor, s, &[e]));
            let tensors = vec![Array::new(&p, &[], a.bound), Array::new(&q, &[e], b.bound)];
            Out { tensors, ..Out::text(format!("let ({p}, {q}) = ({}, {});", a.text, b.text)) }
        },
    ),
    row(
        "a tuple by a let",
        3,
        &[Tuple],
        |s, _| s.has_room(10.0),
        |g, s, _| {
            let e = g.tuple_extent(s);
            let t = g.write(Tuple, s, &[e]);
            if g.rng.bool() {
                let (p, q) = (g.fresh("p"), g.fresh("q"));
                let tensors = vec![Array::new(&p, &[e], t.bound), Array::new(&q, &[], t.bound)];
                return Out { tensors, ..Out::text(format!("let ({p}, {q}) = {};", t.text)) };
            }
            let d = g.fresh("d");
            Out { tensors: parts(&d, e, t.bound), ..Out::text(format!("let {d} = {};", t.text)) }
        },
    ),
    row(
        "a tuple of tuples",
        2,
        &[Tuple, Number],
        |s, _| s.has_room(10.0),
        |g, s, _| {
            let (e, f) = (g.tuple_extent(s), g.tuple_extent(s));
            let (a, b) = (g.write(Tuple, s, &[e]), g.write(Tuple, s, &[f]));
            let d = g.fresh("d");
            let (text, tensors) = match g.rng.u8(..3) {
                0 => {
                    let all = [parts(&format!("{d}.0"), e, a.bound), parts(&format!("{d}.1"), f, b.bound)];
                    (format!("let {d} = ({}, {});", a.text, b.text), all.concat())
                }
                1 => {
                    let (p, q, c) = (g.fresh("p"), g.fresh("q"), g.number(s));
                    let all = vec![
                        Array::new(&p, &[e], a.bound),
                        Array::new(&q, &[], a.bound),
                        Array::new(&d, &[], c.bound),
                    ];
                    (format!("let (({p}, {q}), {d}) = ({}, {});", a.text, c.text), all)
                }
                _ => {
                    let c = g.factor(s);
                    let both = format!("({}, {})", a.text, b.text);
                    let all = [
                        parts(&format!("{d}.0"), e, c.bound * a.bound),
                        parts(&format!("{d}.1"), f, c.bound * b.bound),
                    ];
                    (format!("let {d} = {} * {both};", c.text), all.concat())
                }
            };
            Out { tensors, ..Out::text(text) }
        },
    ),
    row(
        "a tensor of tuples of tensors",
        2,
        &[Tuple],
        |s, _| s.has_room(30.0),
        |g, s, _| {
            let (d, i, e) = (g.fresh("d"), g.fresh("i"), g.extent_for_loop(s));
            let inner = s.with_index(&i, Some((0, e)), true).with_work(e.rough());
            let columns = g.tuple_extent(s);
            let t = g.write(Tuple, &inner, &[columns]);
            let tensors = vec![
                Array::new(&format!("{d}.0"), &[e, columns], t.bound),
                Array::new(&format!("{d}.1"), &[e], t.bound),
            ];
            let text = format!("let {d} = for {i} in 0..{} {{ {} }};", e.text(), t.text);
            Out { tensors, ..Out::text(text) }
        },
    ),
    row(
        "a value and a gradient of a call",
        2,
        &[Tensor],
        |s, _| calls(s, Helper::Gradient) && s.has_room(20.0),
        |g, s, _| {
            let (e, p, q) = (g.vector_extent(s), g.fresh("p"), g.fresh("q"));
            let v = g.write(Tensor, s, &[e]).text;
            let tensors = vec![Array::new(&p, &[], 40.0), Array::new(&q, &[e], 40.0)];
            Out { tensors, ..Out::text(format!("let ({p}, {q}) = 0.25 * norm_both({v});")) }
        },
    ),
    row(
        "a value and a tangent of a call",
        2,
        &[Tensor, Number],
        |s, _| calls(s, Helper::Tangent) && s.has_room(20.0),
        |g, s, _| {
            let (e, p, q) = (g.vector_extent(s), g.fresh("p"), g.fresh("q"));
            let (v, c, w) = (g.write(Tensor, s, &[e]).text, g.number(s).text, g.write(Tensor, s, &[e]).text);
            let tensors = vec![Array::new(&p, &[e], 40.0), Array::new(&q, &[e], 40.0)];
            Out { tensors, ..Out::text(format!("let ({p}, {q}) = 0.25 * map_dot({v}, {c}, {w});")) }
        },
    ),
    row(
        "a pair of a call",
        2,
        &[Number],
        |s, _| s.helpers.contains(&Helper::Pair),
        |g, s, _| {
            let (p, q) = (g.fresh("p"), g.fresh("q"));
            let (a, b) = (g.number(s), g.number(s));
            let tensors = vec![Array::new(&p, &[], 20.0), Array::new(&q, &[], 20.0)];
            Out { tensors, ..Out::text(format!("let ({p}, {q}) = pair({}, {});", a.text, b.text)) }
        },
    ),
    row(
        "a tensor of tuples",
        2,
        &[Number],
        |s, _| s.has_room(10.0),
        |g, s, _| {
            let (t, i, e) = (g.fresh("t"), g.fresh("i"), g.extent_for_loop(s));
            let inner = s.with_index(&i, Some((0, e)), true).with_work(e.rough());
            let (a, b) = (g.number(&inner), g.number(&inner));
            let part = |field, bound| Array { field, ..Array::new(&t, &[e], bound) };
            let tensors = vec![part(".0", a.bound), part(".1", b.bound)];
            let range = e.text();
            Out {
                tensors,
                ..Out::text(format!("let {t} = for {i} in 0..{range} {{ ({}, {}) }};", a.text, b.text))
            }
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
    Feature { name, sort: Let, weight, is_small: true, holds, fits, write }
}

/// The parts of a tuple of a tensor and a number.
fn parts(name: &str, e: Extent, bound: f64) -> Vec<Array> {
    vec![Array::new(&format!("{name}.0"), &[e], bound), Array::new(&format!("{name}.1"), &[], bound)]
}

impl Generator {
    /// A number, perhaps with `let`s before it.
    pub fn body(&mut self, s: &Scope) -> Out {
        self.number(s)
    }

    fn block(&mut self, s: &Scope) -> Out {
        let mut inner = s.clone();
        let mut text = String::new();
        for _ in 0..self.rng.usize(1..3) {
            if self.budget <= 0 && !text.is_empty() {
                break;
            }
            text += &self.let_into(&mut inner);
            text.push(' ');
        }
        let e = self.number(&inner);
        Out::number(format!("{{ {text}{} }}", e.text), e.bound)
    }

    /// A `let`, whose names come into scope.
    pub fn let_into(&mut self, s: &mut Scope) -> String {
        let Out { text, tensors, indices, .. } = self.write(Let, s, &[]);
        s.tensors.extend(tensors);
        s.indices.extend(indices);
        text
    }

    /// The extents of a tensor: few of three dimensions.
    pub fn extents(&mut self, s: &Scope) -> Vec<Extent> {
        if !self.one_in(4) {
            if self.is_themed("a literal of tensors") {
                return vec![Extent::new(0, 0, 2), self.vector_extent(s)];
            }
            for (name, e) in [("a tensor literal", Extent::new(0, 0, 3)), ("a call for a tensor", Extent::N)]
            {
                if self.is_themed(name) {
                    return vec![e];
                }
            }
            if s.has_m && self.is_themed("a row and a column in range") {
                return vec![Extent::N, Extent::M];
            }
            if self.is_themed("a call of a Jacobian") {
                let e = self.vector_extent(s);
                return vec![e, e];
            }
            let whole: Vec<&Array> = s
                .tensors
                .iter()
                .filter(|t| t.extents.len() == 1 && t.field.is_empty() && t.infinite.is_none())
                .collect();
            if self.is_themed("for over ranges that are inferred") && !whole.is_empty() {
                return self.pick(&whole).extents.clone();
            }
            let matrix = s.tensors.iter().find(|t| t.extents.len() == 2 && t.infinite.is_none());
            for (name, k) in [("a row", 1), ("a column", 0)] {
                if let (true, Some(t)) = (self.is_themed(name), matrix) {
                    return vec![t.extents[k]];
                }
            }
        }
        let arrays: Vec<&Array> =
            s.tensors.iter().filter(|t| !t.extents.is_empty() && t.extents.len() < 3).collect();
        if !arrays.is_empty() && self.one_in(4) {
            return self.pick(&arrays).extents.clone();
        }
        let rank = self.pick(&[1, 1, 1, 1, 2, 2, 2, 3]);
        let mut all: Vec<Extent> = vec![];
        for _ in 0..rank {
            // Matrices are often square.
            let e = match all.last() {
                Some(e) if self.one_in(3) => *e,
                Some(_) | None => self.extent_for_loop(s),
            };
            if s.has_room(all.iter().chain([&e]).map(|e| e.rough()).product()) {
                all.push(e);
            }
        }
        if all.is_empty() { vec![Extent::N] } else { all }
    }

    /// `j, k` and `a[j, k]`, for a tensor in scope.
    pub fn inferred(&mut self, s: &Scope, stem: &str) -> (String, String, Array) {
        let is_plain = |t: &&Array| !t.extents.is_empty() && t.infinite.is_none();
        let all: Vec<Array> = s.tensors.iter().filter(is_plain).cloned().collect();
        let t = self.latest(&all);
        let names: Vec<String> = t.extents.iter().map(|_| self.fresh(stem)).collect();
        let list = names.join(", ");
        self.reads(t.made_by);
        (list.clone(), format!("{}[{list}]{}", t.name, t.field), t)
    }
}
