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
        let _ = writeln!(source, "fn f<{sizes}>({params}) -> {ty}{conditions} {{\n{body}    {value}\n}}");
        (source, self.judged(s.has_m))
    }

    /// Some functions to call, each of which may call those before it.
    fn helpers(&mut self) -> (String, Vec<Helper>) {
        let mut source = String::new();
        let mut all = vec![];
        for h in [Helper::Numbers, Helper::Pair, Helper::Given, Helper::Outer, Helper::Norm, Helper::Map] {
            let is_called = match h {
                Helper::Numbers | Helper::Given | Helper::Outer => self.is_themed("a call with numbers"),
                Helper::Pair => self.is_themed("a pair of a call"),
                Helper::Norm => {
                    ["a call with a tensor", "a row", "a column"].iter().any(|f| self.is_themed(f))
                }
                Helper::Map => self.is_themed("a call for a tensor"),
            };
            if !is_called && !self.one_in(5) {
                continue;
            }
            source += &match h {
                Helper::Numbers => self.pick(&NUMBERS).to_string(),
                Helper::Pair => self.pick(&PAIR).to_string(),
                Helper::Given => self.pick(&GIVEN).to_string(),
                Helper::Outer => self.pick(&OUTER).to_string(),
                Helper::Norm => self.of_vector("norm", "v: [f64; n]", &all),
                Helper::Map => self.of_vector("map", "v: [f64; n], c: f64", &all),
            };
            all.push(h);
        }
        (source, all)
    }

    /// `norm` or `map`
    fn of_vector(&mut self, name: &str, params: &str, helpers: &[Helper]) -> String {
        let budget = std::mem::replace(&mut self.budget, 5);
        let mut tensors = vec![Array::new("v", &[Extent::N], 1.5)];
        let is_map = name == "map";
        tensors.extend(is_map.then(|| Array::new("c", &[], 2.0)));
        let helpers = helpers.to_vec();
        let s = Scope { tensors, helpers, work: 30.0, ..Scope::default() };
        let e = if is_map { self.write(Tensor, &s, &[Extent::N]) } else { self.write(Number, &s, &[]) };
        self.budget = budget;
        let scale = if e.bound > 30.0 {
            format!("{:?} * ", 1.0 / e.bound.log2().ceil().exp2())
        } else {
            String::new()
        };
        let ty = if is_map { "[f64; n]" } else { "f64" };
        format!("fn {name}<n>({params}) -> {ty} {{ {scale}({}) }}\n", e.text)
    }

    /// Sizes and parameters, in scope from here on.
    fn params(&mut self, s: &mut Scope) -> (&'static str, String) {
        let mut params = vec![];
        let mut param = |s: &mut Scope, name: &str, extents: &[Extent]| {
            s.tensors.push(Array::new(name, extents, 1.5));
            params.push(format!("{name}: {}", tensor_type(extents)));
        };
        let by_value = s.has_m && self.one_in(8);
        match (s.has_m, self.rng.u8(..8)) {
            (false, _) => param(s, "x", &[Extent::N]),
            (true, _) if by_value => param(s, "x", &[Extent::N]),
            (true, 0) => param(s, "x", &[Extent::N, Extent::M]),
            (true, 1) => {
                param(s, "x", &[Extent::new(1, 1, -1)]);
                self.required.push(Extent::new(1, 1, -1));
                param(s, "y", &[Extent::M]);
            }
            (true, _) => {
                param(s, "x", &[Extent::N]);
                param(s, "y", &[Extent::M]);
            }
        }
        for name in &["a", "b", "c"][..self.rng.usize(0..4)] {
            let is_cut = self.is_themed("a row") || self.is_themed("a column");
            let rank = if is_cut { 2 } else { self.rng.usize(0..4) };
            let mut extents: Vec<Extent> = (0..rank).map(|_| self.extent(s)).collect();
            if is_cut {
                // Where rows or columns are cut, there are many ways to be in range.
                let long = [Extent::new(2, 0, 0), Extent::new(1, 0, 2), Extent::new(1, s.has_m.into(), -1)];
                let cut = usize::from(self.is_themed("a column"));
                extents[cut] = self.pick(&long);
                self.required.push(extents[cut]);
            }
            param(s, name, &extents);
        }
        if self.one_in(6) {
            s.tensors.push(Array::new("t.0", &[Extent::N], 1.5));
            s.tensors.push(Array::new("t.1", &[], 1.5));
            params.push("t: ([f64; n], f64)".into());
        }
        if self.one_in(6) {
            let e = self.extent(s);
            for field in [".0", ".1"] {
                s.tensors.push(Array { field, ..Array::new("p", &[e], 1.5) });
            }
            params.push(format!("p: [(f64, f64); {}]", e.text()));
        }
        if self.one_in(8) || self.is_themed("a packed triangle") {
            s.has_packed = true;
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
        let result = match (self.themed_sort(), self.rng.u8(..12)) {
            (Sort::Tensor, 3..) => 5,
            (_, k) => k % 8,
        };
        match result {
            0..=3 => ("f64".into(), self.number(s).text),
            4..=6 => tensor(self),
            _ => {
                let ((t, a), b) = (tensor(self), self.number(s).text);
                (format!("({t}, f64)"), format!("({a}, {b})"))
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
