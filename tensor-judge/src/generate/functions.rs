//! Functions, with what they take and what they call.

use super::scope::{Extent, Helper, Scope, Tensor as Array};
use super::table::Generator;
use super::table::Sort::{self, Number, Tensor};
use std::fmt::Write;

/// So many sizes are judged.
const SIZES: usize = 5;

/// Coefficients of `n` and of `m`, and a number.
type Form = (i64, i64, i64);

/// Conditions on `n` and `m`, and what is not negative where they hold. The first of them speak of `n` alone.
const WHERE: &[(&str, &[Form])] = &[
    ("n >= 1", &[(1, 0, -1)]),
    ("n >= 2", &[(1, 0, -2)]),
    ("m >= 1", &[(0, 1, -1)]),
    ("n >= 1, m >= 1", &[(1, 0, -1), (0, 1, -1)]),
    ("n >= m", &[(1, -1, 0)]),
    ("m <= n + 1", &[(1, -1, 1)]),
    ("2 * m <= n + 3", &[(1, -2, 3)]),
    ("n == m", &[(1, -1, 0), (-1, 1, 0)]),
];

/// What is written of a function with a derivative of its own; and of a function of Rust.
const GIVEN: [&str; 2] = [
    "fn bent(a: f64) -> f64 { a.sin() * a + a.cos() }\nfn bent_dot(a: f64, a_dot: f64) -> f64 { a.cos() * a * a_dot }\nimpl jvp(bent) = bent_dot;\n",
    "fn bent(a: f64) -> f64 { a.sin() * a + a.cos() }\nfn bent_bar(a: f64, y_bar: f64) -> f64 { a.cos() * a * y_bar }\nimpl vjp(bent) = bent_bar;\n",
];
const OUTER: [&str; 2] = [
    "extern fn outer(a: f64) -> f64 = f64::sin { a: a.cos() }\n",
    "extern fn outer(a: f64) -> f64 = f64::cos { a: -a.sin() }\n",
];
const NUMBERS: [&str; 3] = [
    "fn h(a: f64, b: f64) -> f64 { let c = a * b; c.sin() + 0.5 * a }\n",
    "fn h(a: f64, b: f64) -> f64 { if a < b { [a > 0.3125] * b } else { max(a, 0.8125) } }\n",
    "fn h(a: f64, b: f64) -> f64 { a.tanh() - b.cos() * a }\n",
];
const PAIR: [&str; 2] = [
    "fn pair(a: f64, b: f64) -> (f64, f64) { (b, a.sin()) }\n",
    "fn pair(a: f64, b: f64) -> (f64, f64) { let c = a.tanh(); (c * b, [b < 0.4375] * c) }\n",
];

const OUTER_OF_TWO: [&str; 3] = [
    "extern fn both(a: f64, b: f64) -> f64 = f64::atan2 { a: b / hypot(a, b).powi(2), b: -a / hypot(a, b).powi(2) }\n",
    "extern fn both(a: f64, b: f64) -> f64 = f64::hypot { a: a / hypot(a, b), b: b / hypot(a, b) }\n",
    "extern fn both(a: f64, b: f64) -> f64 = f64::midpoint { a: 0.5, b: 0.5 }\n",
];
const STEPS: [&str; 3] = [
    "fn steps(a: f64, k: usize) -> [f64; k] { for i in 0..k { a.tanh().powi(i) } }\n",
    "fn steps(a: f64, k: usize) -> [f64; k] { for i in 0..k if 2*i < k { 0.125 * a * (k as f64) } }\n",
    "fn steps(a: f64, k: usize) -> [f64; k] { let s = sum j in 0..k { (a + (j as f64)).sin() }; for i in 0..k { if i + 1 < k { a } else { 0.125 * s } } }\n",
];

/// Functions of Rust of whole tensors, linear in all that they take: `crate::foreign` evaluates them.
const FOREIGN: &str = "extern fn spectrum<n>(v: [f64; n]) -> [f64; n] = tensor_tests::foreign::spectrum { transpose = tensor_tests::foreign::spectrum }
extern fn spread<n>(v: [f64; n], c: f64) -> ([f64; n], f64) = tensor_tests::foreign::spread { transpose = tensor_tests::foreign::gather }
";

/// A function that is written: its name, its parameters, its result, and what is in scope of them.
struct Signature {
    name: &'static str,
    sizes: &'static str,
    params: &'static str,
    tensors: fn() -> Vec<Array>,
    result: Gives,
}

/// The result of a function that is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    Number,
    Vector,
    Tuple,
}

const NORM: Signature = Signature {
    name: "norm",
    sizes: "n",
    params: "v: [f64; n]",
    tensors: || vec![Array::new("v", &[Extent::N], 1.5)],
    result: Gives::Number,
};
const MAP: Signature = Signature {
    name: "map",
    params: "v: [f64; n], c: f64",
    tensors: || vec![Array::new("v", &[Extent::N], 1.5), Array::new("c", &[], 2.0)],
    result: Gives::Vector,
    ..NORM
};
const DUO: Signature = Signature { name: "duo", result: Gives::Tuple, ..MAP };
const WEIGH: Signature = Signature {
    name: "weigh",
    params: "t: ([f64; n], f64)",
    tensors: || vec![Array::new("t.0", &[Extent::N], 1.5), Array::new("t.1", &[], 2.0)],
    ..NORM
};
const TOTAL: Signature = Signature {
    name: "total",
    sizes: "n, m",
    params: "w: [f64; n, m]",
    tensors: || vec![Array::new("w", &[Extent::N, Extent::M], 1.5)],
    ..NORM
};

/// What is derived of `norm`, and of `map`.
const OF_NORM: &str =
    "fn norm_bar = grad(norm);\nfn norm_both = value_and_grad(norm);\nfn norm_along = hvp(norm);\n";
const OF_MAP: &str = "fn map_dot = jvp(map, v);\nfn map_bar = vjp(map);\nfn map_by_v = jacobian(map, v);\n";

/// A matrix times a vector, in ways.
const TIMES: [&str; 2] = [
    "fn times<n, m>(a: [f64; n, m], v: [f64; m]) -> [f64; n] { for i in 0..n { 0.5 * sum j in 0..m { a[i, j] * v[j] } } }\n",
    "fn times<n, m>(a: [f64; n, m], v: [f64; m]) -> [f64; n] { 0.5 * sum j { v[j] * a[.., j] } }\n",
];

/// The functions that may be called, in their order, and the features that call them.
const CALLED: &[(Helper, &[&str])] = &[
    (Helper::Numbers, &["a call with numbers"]),
    (Helper::Pair, &["a pair of a call"]),
    (Helper::Given, &["a call with numbers"]),
    (Helper::Outer, &["a call with numbers"]),
    (Helper::OuterOfTwo, &["a call with numbers"]),
    (Helper::Steps, &["a call with a size"]),
    (Helper::Matrix, &["a call with a matrix and a vector"]),
    (Helper::Foreign, &["a call of Rust for a tensor", "a call of Rust for a tuple"]),
    (
        Helper::Norm,
        &[
            "a call with a tensor",
            "a row",
            "a column",
            "a call of a gradient",
            "a value and a gradient of a call",
        ],
    ),
    (Helper::Gradient, &["a call of a gradient", "a value and a gradient of a call"]),
    (Helper::Map, &["a call for a tensor", "a call of a Jacobian", "a value and a tangent of a call"]),
    (Helper::Tangent, &["a call of a Jacobian", "a value and a tangent of a call"]),
    (Helper::Weigh, &["a call with a tuple"]),
    (Helper::Duo, &["a call for a tuple"]),
    (Helper::Total, &["a call with a matrix"]),
];

impl Generator {
    /// A block, and sizes at which its last function may be called.
    pub fn functions(&mut self) -> (String, Vec<Vec<i64>>) {
        let (mut source, helpers) = self.helpers();
        let mut s =
            Scope { helpers, has_m: !self.one_in(5), may_require: true, work: 1.0, ..Scope::default() };
        let (sizes, params) = self.params(&mut s);
        let conditions = self.conditions(s.has_m);
        let mut body = String::new();
        for _ in 0..self.rng.usize(0..4) {
            self.budget = self.budget.max(2);
            let text = self.let_into(&mut s);
            let _ = writeln!(body, "    {text}");
        }
        self.budget = self.budget.max(4);
        let (ty, value) = self.result(&s);
        if self.one_in(10) {
            source += "#[threads]\n";
        }
        let _ = writeln!(source, "fn f<{sizes}>({params}) -> {ty}{conditions} {{\n{body}    {value}\n}}");
        (source, self.judged(s.has_m))
    }

    /// Some functions to call, each of which may call those before it.
    fn helpers(&mut self) -> (String, Vec<Helper>) {
        let mut source = String::new();
        let mut all = vec![];
        for (h, features) in CALLED {
            let is_called = features.iter().any(|f| self.is_themed(f));
            // What is derived stands behind what it is derived of.
            let is_there = (*h != Helper::Gradient || all.contains(&Helper::Norm))
                && (*h != Helper::Tangent || all.contains(&Helper::Map));
            if !is_there || !is_called && !self.one_in(6) {
                continue;
            }
            source += &match h {
                Helper::Numbers => self.pick(&NUMBERS).to_string(),
                Helper::Pair => self.pick(&PAIR).to_string(),
                Helper::Given => self.pick(&GIVEN).to_string(),
                Helper::Outer => self.pick(&OUTER).to_string(),
                Helper::OuterOfTwo => self.pick(&OUTER_OF_TWO).to_string(),
                Helper::Steps => self.pick(&STEPS).to_string(),
                Helper::Matrix => self.pick(&TIMES).to_string(),
                Helper::Norm => self.written(&NORM, &all),
                Helper::Map => self.written(&MAP, &all),
                Helper::Weigh => self.written(&WEIGH, &all),
                Helper::Duo => self.written(&DUO, &all),
                Helper::Total => self.written(&TOTAL, &all),
                Helper::Foreign => FOREIGN.into(),
                Helper::Gradient => OF_NORM.into(),
                Helper::Tangent => OF_MAP.into(),
            };
            all.push(*h);
        }
        (source, all)
    }

    /// A function with a random body.
    fn written(&mut self, of: &Signature, helpers: &[Helper]) -> String {
        let budget = std::mem::replace(&mut self.budget, 5);
        let Signature { name, sizes, params, .. } = of;
        let tensors = (of.tensors)();
        let names = tensors.iter().map(|t| t.name.clone()).filter(|name| !name.contains('.'));
        let s = Scope {
            params: names.collect(),
            tensors,
            helpers: helpers.to_vec(),
            work: 30.0,
            has_m: sizes.contains('m'),
            ..Scope::default()
        };
        let (ty, e) = match of.result {
            Gives::Number => ("f64", self.write(Number, &s, &[])),
            Gives::Vector => ("[f64; n]", self.write(Tensor, &s, &[Extent::N])),
            Gives::Tuple => ("([f64; n], f64)", self.write(Sort::Tuple, &s, &[Extent::N])),
        };
        self.budget = budget;
        let scale = if e.bound > 30.0 {
            format!("{:?} * ", 1.0 / e.bound.log2().ceil().exp2())
        } else {
            String::new()
        };
        format!("fn {name}<{sizes}>({params}) -> {ty} {{ {scale}({}) }}\n", e.text)
    }

    /// Sizes and parameters, in scope from here on.
    fn params(&mut self, s: &mut Scope) -> (&'static str, String) {
        let mut params = vec![];
        let mut param = |s: &mut Scope, name: &str, extents: &[Extent]| {
            s.tensors.push(Array::new(name, extents, 1.5));
            s.params.push(name.to_string());
            params.push(format!("{name}: {}", tensor_type(extents)));
        };
        let by_value = s.has_m && self.one_in(8);
        match (s.has_m, self.rng.u8(..11)) {
            (false, _) => param(s, "x", &[Extent::N]),
            (true, _) if by_value => param(s, "x", &[Extent::N]),
            (true, 0) => param(s, "x", &[Extent::N, Extent::M]),
            (true, 1) => {
                param(s, "x", &[Extent::new(1, 1, -1)]);
                self.required.push(Extent::new(1, 1, -1));
                param(s, "y", &[Extent::M]);
            }
            (true, 2) => {
                let of = [Extent::new(1, -1, 1), Extent::new(2, 0, 0), Extent::new(2, -1, 0)];
                let e = self.pick(&of);
                param(s, "x", &[e]);
                self.required.push(e);
                param(s, "y", &[Extent::M]);
            }
            (true, _) => {
                param(s, "x", &[Extent::N]);
                param(s, "y", &[Extent::M]);
            }
        }
        if s.has_m && (self.one_in(12) || self.is_themed("a row and a column in range")) {
            param(s, "z", &[Extent::PRODUCT]);
        }
        for name in &["a", "b", "c"][..self.rng.usize(0..4)] {
            let is_cut = self.is_themed("a row") || self.is_themed("a column");
            let of_rows = if self.is_themed("a call with a matrix") { 3 } else { 2 };
            let rank = if is_cut { of_rows } else { self.rng.usize(0..4) };
            let mut extents: Vec<Extent> = (0..rank).map(|_| self.extent(s)).collect();
            if is_cut {
                // Where rows or columns are cut, there are many ways to be in range.
                let long = if self.is_themed("a literal of tensors") {
                    vec![Extent::new(0, 0, 3)]
                } else if s.has_m && self.is_themed("a row and a column in range") {
                    vec![Extent::PRODUCT]
                } else {
                    vec![Extent::new(2, 0, 0), Extent::new(1, 0, 2), Extent::new(1, s.has_m.into(), -1)]
                };
                let cut = usize::from(self.is_themed("a column"));
                extents[cut] = self.pick(&long);
                self.required.push(extents[cut]);
            }
            param(s, name, &extents);
        }
        if self.one_in(6) {
            s.tensors.push(Array::new("t.0", &[Extent::N], 1.5));
            s.tensors.push(Array::new("t.1", &[], 1.5));
            s.params.push("t".into());
            params.push("t: ([f64; n], f64)".into());
        }
        if self.one_in(6) {
            let e = self.extent(s);
            for field in [".0", ".1"] {
                s.tensors.push(Array { field, ..Array::new("p", &[e], 1.5) });
            }
            s.params.push("p".into());
            params.push(format!("p: [(f64, f64); {}]", e.text()));
        }
        if self.one_in(8) || self.is_themed("a packed triangle") {
            s.has_packed = true;
            s.params.push("l".into());
            params.push("l: [f64; n * (n + 1) / 2]".into());
        }
        if by_value {
            params.push("m: usize".into());
        }
        (if s.has_m && !by_value { "n, m" } else { "n" }, params.join(", "))
    }

    fn conditions(&mut self, has_m: bool) -> String {
        if self.rng.bool() {
            return String::new();
        }
        let (text, all) = self.pick(if has_m { WHERE } else { &WHERE[..2] });
        self.required.extend(all.iter().map(|(n, m, c)| Extent::new(*n, *m, *c)));
        format!(" where {text}")
    }

    /// The type and value of the result.
    fn result(&mut self, s: &Scope) -> (String, String) {
        let tensor = |g: &mut Generator| {
            let extents = g.extents(s);
            (tensor_type(&extents), g.write(Tensor, s, &extents).text)
        };
        let result = match (self.themed_sort(), self.rng.u8(..15)) {
            (Sort::Tensor, 4..) => 5,
            (Sort::Tuple, 4..) => 9,
            (_, k) => k,
        };
        match result {
            0..=4 => ("f64".into(), self.number(s).text),
            5..=7 => tensor(self),
            8 => {
                let ((t, a), b) = (tensor(self), self.number(s).text);
                (format!("({t}, f64)"), format!("({a}, {b})"))
            }
            9 | 10 => {
                let e = self.tuple_extent(s);
                (format!("([f64; {}], f64)", e.text()), self.write(Sort::Tuple, s, &[e]).text)
            }
            11 => {
                let (e, k) = (self.tuple_extent(s), self.rng.u8(..3));
                let (a, b) = (self.write(Sort::Tuple, s, &[e]).text, self.number(s).text);
                let of = format!("([f64; {}], f64)", e.text());
                match k {
                    0 => (format!("({of}, f64)"), format!("({a}, {b})")),
                    1 => (format!("(f64, {of})"), format!("({b}, {a})")),
                    _ => (format!("(({of}, f64), f64)"), format!("(({a}, {b}), 0.5)")),
                }
            }
            12 => {
                let (a, b) = (self.number(s).text, self.number(s).text);
                ("(f64, f64)".into(), format!("({a}, {b})"))
            }
            13 => {
                let ((t, a), (u, b)) = (tensor(self), tensor(self));
                (format!("({t}, {u})"), format!("({a}, {b})"))
            }
            _ => {
                let (i, e, columns) = (self.fresh("i"), self.extent_for_loop(s), self.tuple_extent(s));
                let inner = s.with_index(&i, Some((0, e)), true).with_work(e.rough());
                let of_numbers = self.rng.bool();
                let (ty, value) = if of_numbers {
                    let (a, b) = (self.number(&inner).text, self.number(&inner).text);
                    ("(f64, f64)".to_string(), format!("({a}, {b})"))
                } else {
                    let value = self.write(Sort::Tuple, &inner, &[columns]).text;
                    (format!("([f64; {}], f64)", columns.text()), value)
                };
                (format!("[{ty}; {}]", e.text()), format!("for {i} in 0..{} {{ {value} }}", e.text()))
            }
        }
    }

    /// Sizes at which all that is required holds: some of 0 or 1, and some that are larger.
    fn judged(&mut self, has_m: bool) -> Vec<Vec<i64>> {
        let all = (0..7).flat_map(|n| (0..if has_m { 5 } else { 1 }).map(move |m| (n, m)));
        let holds = |&(n, m): &(i64, i64)| self.required.iter().all(|e| e.at(n, m) >= 0);
        let mut all: Vec<(i64, i64)> = all.filter(holds).collect();
        self.rng.shuffle(&mut all);
        let small = all.iter().position(|(n, m)| *n <= 1 || (has_m && *m <= 1));
        if let Some(k) = small {
            all.swap(0, k);
        }
        let large = (1..all.len()).find(|k| all[*k].0 >= 3 && (!has_m || all[*k].1 >= 2));
        if let Some(k) = large {
            all.swap(1, k);
        }
        all.truncate(SIZES);
        all.into_iter().map(|(n, m)| if has_m { vec![n, m] } else { vec![n] }).collect()
    }
}

fn tensor_type(extents: &[Extent]) -> String {
    if extents.is_empty() {
        return "f64".into();
    }
    let list: Vec<String> = extents.iter().map(|e| e.text()).collect();
    format!("[f64; {}]", list.join(", "))
}
