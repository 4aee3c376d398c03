//! Numbers of numbers.

use super::scope::{Extent, Helper, Scope};
use super::table::Sort::{Condition, Number, Tensor, Tuple};
use super::table::{Feature, Generator, Out, Sort, always, is_differentiated, is_free};

/// Functions with arguments in their domains, and values that are moderate: about how large, or 0 where that is as large as the argument.
const FUNCTIONS: &[(&str, f64)] = &[
    ("$.sin()", 1.0),
    ("$.cos()", 1.0),
    ("$.tanh()", 1.0),
    ("$.sin().exp()", 2.8),
    ("(1.5 + $.sin()).ln()", 1.0),
    ("(1.5 + $.cos()).sqrt()", 1.6),
    ("(2.0 + $.powi(2)).ln()", 8.0),
    ("{ let q = $; q / (2.0 + q.cos()) }", 0.0),
    ("{ let q = $; (1.25 + q.sin()).powf(q.cos()) }", 4.0),
    ("{ let q = $; q.atan2(2.5 + q.sin()) }", 1.6),
    ("$.sigmoid()", 1.0),
    ("$.softplus()", 0.0),
    ("$.atan()", 1.6),
    ("$.asinh()", 0.0),
    ("erf($)", 1.0),
    ("hypot($, 1.5)", 0.0),
    ("(1.5 + $.sin()).recip()", 2.0),
    ("(0.5 * $.tanh()).asin()", 1.0),
    ("(0.4 * $.sin()).acos()", 2.0),
    ("(0.5 * $.tanh()).atanh()", 1.0),
    ("(1.5 + $.cos().powi(2)).acosh()", 2.0),
    ("($.tanh() * 0.5).ln_1p()", 1.0),
    ("$.tanh().exp_m1()", 2.0),
    ("$.sin().sinh()", 1.2),
    ("$.tanh().cosh()", 1.6),
    ("(0.5 * $.sin()).tan()", 1.0),
    ("$.sin().exp2()", 2.0),
    ("(2.0 + $.sin()).log2()", 2.0),
    ("(2.0 + $.cos()).log10()", 1.0),
    ("(1.5 + $.sin()).cbrt()", 1.4),
];

/// Functions of two, and the values of those that have a bound.
const OF_TWO: &[(&str, Option<f64>)] = &[
    ("(1.25 + $.sin()).powf(#.cos())", Some(4.0)),
    ("$.atan2(2.5 + #.sin())", Some(1.6)),
    ("hypot($, 1.25 + #.cos())", None),
    ("max($, #)", None),
    ("$.min(#)", None),
];

/// Functions with kinks and steps, which no number meets exactly.
const STEPS: &[&str] = &[
    "$.abs()",
    "max($, #)",
    "$.min(#)",
    "$.clamp(-0.77, 0.91)",
    "max(#, $)",
    "(0.0625 + $).signum()",
    "0.5 * (0.0625 + $).floor()",
    "0.5 * (0.0625 + $).ceil()",
    "0.5 * (0.0625 + $).round()",
];

/// Functions around a sum of products.
const OUTER: &[&str] = &[
    "$.tanh()",
    "$.sin()",
    "$.softplus()",
    "(0.1 * $).powi(3)",
    "(3.0 + $.powi(2)).ln()",
    "(1.0 + $ * $).sqrt()",
];

/// Functions of what is weighted.
const WEIGHTED: &[&str] = &["$.exp()", "$.sin()", "$.tanh()", "$.powi(2)", "$.powi(3)", "$"];

pub(super) const TABLE: &[Feature] = &[
    row("a literal", 2, true, &[], always, |g, _, _| Out::number(g.literal(), 2.6)),
    row("a constant", 1, true, &[], always, |g, _, _| {
        const BY_PATH: [&str; 3] =
            ["std::f64::consts::SQRT_2", "core::f64::consts::LN_2", "std::f64::consts::FRAC_PI_2"];
        let name = if g.one_in(3) { g.pick(&BY_PATH) } else { g.pick(&["PI", "E", "TAU"]) };
        Out::number(format!("0.25 * {name}"), 1.6)
    }),
    row("a size as a number", 1, true, &[], always, |g, s, _| {
        let size = if s.has_m && g.rng.bool() { "m" } else { "n" };
        Out::number(format!("0.125 * ({size} as f64)"), 1.0)
    }),
    row(
        "an index as a number",
        2,
        true,
        &[Sort::Place],
        |s, _| !s.indices.is_empty(),
        |g, s, _| {
            let place = g.place(s).text;
            Out::number(format!("0.125 * (({place}) as f64)"), 2.0)
        },
    ),
    row("a sum of two", 8, false, &[Number], always, |g, s, _| {
        let (a, b) = (g.number(s), g.number(s));
        Out::number(format!("({} + {})", a.text, b.text), a.bound + b.bound)
    }),
    row("a difference", 4, false, &[Number], always, |g, s, _| {
        let (a, b) = (g.number(s), g.factor(s));
        Out::number(format!("({} - {})", a.text, b.text), a.bound + b.bound)
    }),
    row("a product", 7, false, &[Number], always, |g, s, _| {
        let (a, b) = (g.factor(s), g.factor(s));
        Out::number(format!("{} * {}", a.text, b.text), a.bound * b.bound)
    }),
    row(
        "a scaled number",
        3,
        false,
        &[Number],
        |s, _| s.has_room(1.0),
        |g, s, _| {
            let (c, e) = (g.literal(), g.factor(s));
            Out::number(
                if g.rng.bool() { format!("{c} * {}", e.text) } else { format!("-{} / 2.0", e.text) },
                2.6 * e.bound,
            )
        },
    ),
    row("a square", 2, false, &[Number], is_free, |g, s, _| {
        let e = g.factor(s);
        let text = if g.rng.bool() {
            format!("{}.powi(2)", e.text)
        } else {
            format!("{{ let q = {}; q * q }}", e.text)
        };
        Out::number(text, e.bound * e.bound)
    }),
    row("a quotient", 2, false, &[Number], always, |g, s, _| {
        let (a, b) = (g.factor(s), g.factor(s));
        Out::number(format!("{} / (1.25 + {}.sin())", a.text, b.text), 4.0 * a.bound)
    }),
    row("a function", 6, false, &[Number], is_free, |g, s, _| {
        let (f, bound) = g.pick(FUNCTIONS);
        let e = g.factor(s);
        Out::number(f.replace('$', &e.text), if bound == 0.0 { e.bound + 2.0 } else { bound })
    }),
    row("a function of two", 3, false, &[Number], is_free, |g, s, _| {
        let (a, b) = (g.factor(s), g.factor(s));
        let (f, bound) = g.pick(OF_TWO);
        let text = f.replace('#', &b.text).replace('$', &a.text);
        Out::number(text, bound.unwrap_or(a.bound.max(b.bound) + 2.25))
    }),
    row("a function with steps", 3, false, &[Number], always, |g, s, _| {
        let e = g.factor(s);
        let (f, c) = (g.pick(STEPS), g.literal());
        Out::number(f.replace('#', &c).replace('$', &e.text), e.bound + 3.0)
    }),
    row("a power", 2, false, &[Number], always, |g, s, _| {
        let e = g.factor(s);
        let natural: Vec<String> = s.indices.iter().filter(|i| i.natural).map(|i| i.name.clone()).collect();
        let k = match g.rng.u8(..4) {
            0 => "n".to_string(),
            1 if !natural.is_empty() => g.pick(&natural),
            _ => g.rng.u8(0..5).to_string(),
        };
        Out::number(format!("{}.tanh().powi({k})", e.text), 1.0)
    }),
    row("a power that may be negative", 2, false, &[Number, Sort::Place], always, |g, s, _| {
        let e = g.factor(s);
        // An index may be some tens.
        match g.rng.u8(..6) {
            0 => Out::number(format!("(1.0 + 0.125 * {}.tanh()).powi({})", e.text, g.place(s).text), 30.0),
            1 => Out::number(format!("(2.0 + {}.sin()).powi(-n)", e.text), 1.0),
            _ => Out::number(format!("(1.5 + {}.sin()).powi(-{})", e.text, g.rng.u8(1..4)), 8.0),
        }
    }),
    row("a clamp between numbers", 2, false, &[Number], is_free, |g, s, _| {
        let (e, a, b) = (g.factor(s), g.number(s), g.factor(s));
        let q = g.fresh("q");
        let (low, high) = match g.rng.u8(..3) {
            0 => (q.clone(), format!("{q} + {:?}", g.rng.f64() + 0.5)),
            1 => (format!("{q} - {}.powi(2)", b.text), q.clone()),
            _ => (q.clone(), format!("{q} + {}.cosh().min(9.0)", b.text)),
        };
        let bound = e.bound.min(a.bound + 9.0) + b.bound * b.bound + a.bound;
        Out::number(format!("{{ let {q} = {}; {}.clamp({low}, {high}) }}", a.text, e.text), bound)
    }),
    row("a guard", 6, false, &[Condition, Number], always, |g, s, _| {
        let (p, e) = (g.condition(s), g.factor(s));
        Out::number(format!("[{p}] * {}", e.text), e.bound)
    }),
    row("a guard in a product", 2, false, &[Condition, Number], always, |g, s, _| {
        let (a, p, b) = (g.factor(s), g.condition(s), g.factor(s));
        Out::number(format!("{} * ([{p}] * -{})", a.text, b.text), a.bound * b.bound)
    }),
    row("a guard of a let", 2, false, &[Condition, Number], is_free, |g, s, _| {
        let (e, p) = (g.number(s), g.condition(s));
        let u = g.fresh("u");
        Out::number(format!("{{ let {u} = {}; [{p}] * {u} }}", e.text), e.bound)
    }),
    row("a guard twice", 2, false, &[Condition, Number], is_free, |g, s, _| {
        let (p, a, b) = (g.condition(s), g.factor(s), g.number(s));
        let u = g.fresh("u");
        let text = format!("{{ let {u} = [{p}] * {} + {}; [{p}] * {u} - {u}.sin() }}", a.text, b.text);
        Out::number(text, a.bound + b.bound + 1.0)
    }),
    row(
        "an element where all are compared",
        2,
        false,
        &[Number],
        |s, _| s.has_room(10.0),
        |g, s, _| {
            let (u, i, k) = (g.fresh("u"), g.fresh("i"), g.fresh("k"));
            let (extent, c) = (g.extent_for_loop(s), g.literal());
            let inside = |i: &str| s.clone().with_work(extent.rough()).with_index(i, Some((0, extent)), true);
            let (each, e) = (g.number(&inside(&i)), g.number(&inside(&k)));
            let n = extent.text();
            let text = format!(
                "{{ let {u} = for {i} in 0..{n} {{ {} }}; (sum {k} in 0..{n} if {u}[{k}] > {c} {{ {} }}) + [0 < {n}] * {u}[0] }}",
                each.text, e.text
            );
            Out::number(text, extent.rough() * e.bound + each.bound)
        },
    ),
    row("a bracket", 2, false, &[Condition], always, |g, s, _| {
        let (p, c) = (g.condition(s), g.literal());
        Out::number(if g.rng.bool() { format!("({c} - [{p}])") } else { format!("[{p}]") }, 3.6)
    }),
    row("a choice", 5, false, &[Condition, Number], always, |g, s, _| {
        let (p, a, b) = (g.condition(s), g.number(s), g.number(s));
        Out::number(format!("(if {p} {{ {} }} else {{ {} }})", a.text, b.text), a.bound.max(b.bound))
    }),
    row("a choice of three", 2, false, &[Condition, Number], always, |g, s, _| {
        let (p, a, q) = (g.condition(s), g.number(s), g.condition(s));
        let (b, c) = (g.number(s), g.number(s));
        let text = format!("(if {p} {{ {} }} else if {q} {{ {} }} else {{ {} }})", a.text, b.text, c.text);
        Out::number(text, a.bound.max(b.bound).max(c.bound))
    }),
    row("a part of a tuple", 1, false, &[Number], always, |g, s, _| {
        let (a, b) = (g.number(s), g.number(s));
        let k = g.rng.usize(..2);
        Out::number(format!("({}, {}).{k}", a.text, b.text), a.bound.max(b.bound))
    }),
    row("stop", 1, false, &[Number], always, |g, s, _| {
        let e = g.number(s);
        // Differences know nothing of it: few programs have it.
        let text = if g.one_in(3) { format!("stop({})", e.text) } else { e.text };
        Out::number(text, e.bound)
    }),
    row("grad", 1, false, &[Number], is_differentiated, |g, s, _| {
        let e = g.number(s);
        let (u, w) = (g.fresh("u"), g.fresh("w"));
        let mut inner = s.clone();
        inner.tensors.push(super::scope::Tensor::new(&u, &[], e.bound));
        let (f, _) = g.pick(FUNCTIONS);
        let of = f.replace('$', &u);
        let rest = g.factor(&inner);
        let text = format!("{{ let {u} = {}; let {w} = {of} * {}; grad({w}, {u}) }}", e.text, rest.text);
        Out::number(text, 8.0 * (1.0 + rest.bound))
    }),
    row("a function of a sum of products", 3, false, &[Number], weighted, |g, s, _| {
        let vectors = vectors(s);
        let (a, x) = (g.pick(&vectors), g.pick(&vectors));
        let same: Vec<_> = vectors.iter().filter(|t| t.extents == x.extents).cloned().collect();
        let a = if a.extents == x.extents { a } else { g.pick(&same) };
        let (j, outer, of) = (g.fresh("j"), g.pick(OUTER), g.pick(WEIGHTED));
        let of = of.replace('$', &format!("{}[{j}]", x.name));
        let sum = format!("(sum {j} in 0..{} {{ {}[{j}] * {of} }})", x.extents[0].text(), a.name);
        let value = outer.replace('$', &sum);
        let text = match g.rng.u8(..4) {
            0 => format!("{value} / (1.0 + (sum {j} {{ {}[{j}].powi(2) }}))", x.name),
            1 => value,
            _ => format!("{value} - {} * {sum}", g.factor(s).text),
        };
        Out::number(text, 200.0)
    }),
    row(
        "a call with numbers",
        2,
        false,
        &[Number],
        |s, _| OF_NUMBERS.iter().any(|(h, _)| calls(s, *h)),
        |g, s, _| {
            let all: Vec<&str> =
                OF_NUMBERS.iter().filter(|(h, _)| calls(s, *h)).map(|(_, text)| *text).collect();
            let (text, a) = (g.pick(&all), g.number(s).text);
            let text = if text.contains('#') { text.replace('#', &g.factor(s).text) } else { text.into() };
            Out::number(text.replace('$', &a), 40.0)
        },
    ),
    row(
        "a call with a tensor",
        3,
        false,
        &[Tensor],
        |s, _| calls(s, Helper::Norm) && s.has_room(20.0),
        |g, s, _| {
            let extents = g.vector_extent(s);
            Out::number(format!("norm({})", g.write(Tensor, s, &[extents]).text), 40.0)
        },
    ),
    row(
        "a call with a matrix",
        3,
        false,
        &[Tensor],
        |s, _| calls(s, Helper::Total) && s.has_room(25.0),
        |g, s, _| {
            let extents = g.matrix_extents(s);
            Out::number(format!("total({})", g.write(Tensor, s, &extents).text), 40.0)
        },
    ),
    row(
        "a call with a tuple",
        3,
        false,
        &[Tuple],
        |s, _| calls(s, Helper::Weigh) && s.has_room(20.0),
        |g, s, _| {
            let e = g.tuple_extent(s);
            Out::number(format!("weigh({})", g.write(Tuple, s, &[e]).text), 40.0)
        },
    ),
    row("the number of a tuple", 2, false, &[Tuple], is_free, |g, s, _| {
        let e = g.tuple_extent(s);
        let t = g.operand(Tuple, s, &[e]);
        Out::number(format!("{}.1", t.text), t.bound)
    }),
    row(
        "grad by a name",
        1,
        false,
        &[Number],
        |s, e| is_differentiated(s, e) && names(s).next().is_some(),
        |g, s, _| {
            let all: Vec<String> = names(s).collect();
            let (x, w, e) = (g.pick(&all), g.fresh("w"), g.number(s));
            Out::number(format!("{{ let {w} = {}; grad({w}, {x}) }}", e.text), 8.0 + e.bound)
        },
    ),
];

/// Functions of numbers that may be called.
const OF_NUMBERS: &[(Helper, &str)] = &[
    (Helper::Numbers, "h($, #)"),
    (Helper::Given, "bent($)"),
    (Helper::Outer, "outer($)"),
    (Helper::OuterOfTwo, "both(1.75 + #.sin(), ($).tanh())"),
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

/// Whether a function may be called here.
pub(super) fn calls(s: &Scope, helper: Helper) -> bool {
    // Functions that may call functions of Rust over tensors stand in no step, as these.
    let is_in_order = !s.in_step || ALONE.contains(&helper) || !s.helpers.contains(&Helper::Foreign);
    !s.plain && is_in_order && s.helpers.contains(&helper)
}

/// Functions that call no others.
const ALONE: [Helper; 7] = [
    Helper::Numbers,
    Helper::Pair,
    Helper::Given,
    Helper::Outer,
    Helper::OuterOfTwo,
    Helper::Steps,
    Helper::Matrix,
];

/// The names of numbers that are variables of their own.
fn names(s: &Scope) -> impl Iterator<Item = String> {
    let is_own =
        |t: &&super::scope::Tensor| t.extents.is_empty() && t.infinite.is_none() && !t.name.contains('.');
    s.tensors.iter().filter(is_own).map(|t| t.name.clone())
}

fn vectors(s: &Scope) -> Vec<super::scope::Tensor> {
    let is_vector = |t: &&super::scope::Tensor| {
        t.extents.len() == 1 && t.infinite.is_none() && t.field.is_empty() && t.bound < 4.0
    };
    s.tensors.iter().filter(is_vector).cloned().collect()
}

fn weighted(s: &Scope, _: &[Extent]) -> bool {
    s.has_room(20.0) && !vectors(s).is_empty()
}

impl Generator {
    /// A sixteenth off the eighths: what is computed of indices and arguments hardly meets it.
    pub fn literal(&mut self) -> String {
        format!("{:?}", f64::from(self.rng.i32(-20..=20)) / 8.0 + 0.0625)
    }

    /// The extents of a matrix in scope, of what a row leaves of more, or any.
    pub fn matrix_extents(&mut self, s: &Scope) -> [Extent; 2] {
        let columns = self.vector_extent(s);
        if self.is_themed("a literal of tensors") {
            return [Extent::new(0, 0, 2), columns];
        }
        if self.is_themed("a call of a Jacobian") {
            return [columns, columns];
        }
        let of = |t: &super::scope::Tensor| match t.extents.as_slice() {
            [.., n, m] if t.infinite.is_none() => Some([*n, *m]),
            _ => None,
        };
        let all: Vec<[Extent; 2]> = s.tensors.iter().filter_map(of).collect();
        if all.is_empty() || self.one_in(3) { [self.vector_extent(s), columns] } else { self.pick(&all) }
    }

    /// The extent of a vector in scope, of rows or columns of a matrix, or any.
    pub fn vector_extent(&mut self, s: &Scope) -> Extent {
        for (name, k) in [("a row", 0), ("a column", 1)] {
            let is_cut = |t: &&super::scope::Tensor| {
                t.extents.len() == 2 && t.infinite.is_none() && super::places::can_be_inside(s, t.extents[k])
            };
            let all: Vec<Extent> = s.tensors.iter().filter(is_cut).map(|t| t.extents[1 - k]).collect();
            if self.is_themed(name) && !all.is_empty() {
                return self.pick(&all);
            }
        }
        if self.is_themed("a tensor literal") && self.rng.bool() {
            return Extent::new(0, 0, 3);
        }
        let all: Vec<Extent> =
            s.tensors.iter().filter(|t| t.extents.len() == 1).map(|t| t.extents[0]).collect();
        if all.is_empty() { Extent::N } else { self.pick(&all) }
    }
}
