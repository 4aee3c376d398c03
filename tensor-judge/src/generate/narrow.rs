//! Random well-typed programs of the language, as source text.
//!
//! Values stay moderate and away from poles by construction: functions with a domain get an argument inside it. Accesses are in range by
//! construction too, each for a reason that the range prover must find.

use fastrand::Rng;
use std::fmt::Write;

/// An extent, as the programs write it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Extent {
    N,
    M,
    /// `n + 1`
    N1,
    /// `2 * n`
    N2,
    /// `n + m - 1`
    NM,
    /// `3`
    Three,
}

const EXTENTS: [Extent; 6] = [Extent::N, Extent::M, Extent::N1, Extent::N2, Extent::NM, Extent::Three];

impl Extent {
    fn text(self) -> &'static str {
        match self {
            Extent::N => "n",
            Extent::M => "m",
            Extent::N1 => "n + 1",
            Extent::N2 => "2 * n",
            Extent::NM => "n + m - 1",
            Extent::Three => "3",
        }
    }
}

/// A tensor in scope.
#[derive(Clone)]
struct Tensor {
    name: String,
    extents: Vec<Extent>,
}

/// An index in scope: `0 <= name < extent`.
#[derive(Clone)]
struct Index {
    name: String,
    extent: Extent,
}

#[derive(Clone, Default)]
struct Scope {
    tensors: Vec<Tensor>,
    indices: Vec<Index>,
    /// How many iterations the loops around multiply to, roughly.
    nesting: usize,
    /// Whether a two-argument scalar function `h` and a function of a tensor `norm` are in scope.
    has_helpers: bool,
}

struct Generator {
    rng: Rng,
    names: usize,
}

/// A program from a seed, of sizes `n >= 1` and `m >= 1`.
#[must_use]
pub fn program(seed: u64) -> String {
    let mut g = Generator { rng: Rng::with_seed(seed), names: 0 };
    let mut source = String::new();
    let has_helpers = g.rng.u8(..3) == 0;
    if has_helpers {
        source += "fn h(a: f64, b: f64) -> f64 { let c = a * b; c.sin() + 0.5 * a }\n";
        source += "fn norm<k>(v: [f64; k]) -> f64 { (1.0 + sum i { v[i] * v[i] }).sqrt() }\n";
    }
    // `x` and `y` give the sizes.
    let mut tensors = vec![
        Tensor { name: "x".into(), extents: vec![Extent::N] },
        Tensor { name: "y".into(), extents: vec![Extent::M] },
    ];
    let mut params = String::from("x: [f64; n], y: [f64; m]");
    for k in 0..g.rng.usize(1..4) {
        let name = ["a", "b", "c"][k].to_string();
        let extents: Vec<Extent> = (0..g.rng.usize(0..3)).map(|_| g.pick(&EXTENTS)).collect();
        let _ = write!(params, ", {name}: {}", tensor_type(&extents));
        tensors.push(Tensor { name, extents });
    }
    if g.rng.u8(..4) == 0 {
        params += ", t: ([f64; n], f64)";
        tensors.push(Tensor { name: "t.0".into(), extents: vec![Extent::N] });
        tensors.push(Tensor { name: "t.1".into(), extents: vec![] });
    }
    if g.rng.u8(..5) == 0 {
        params += ", p: [(f64, f64); m]";
        tensors.push(Tensor { name: "p#0".into(), extents: vec![Extent::M] });
        tensors.push(Tensor { name: "p#1".into(), extents: vec![Extent::M] });
    }
    let mut scope = Scope { tensors, has_helpers, ..Scope::default() };
    let mut body = String::new();
    for _ in 0..g.rng.usize(0..4) {
        let (text, tensor) = g.binding(&scope, 3);
        let _ = writeln!(body, "    let {} = {text};", tensor.name);
        scope.tensors.push(tensor);
    }
    let (ty, value) = g.result(&scope);
    let _ = writeln!(source, "fn f<n, m>({params}) -> {ty} where n >= 1, m >= 1 {{\n{body}    {value}\n}}");
    source
}

fn tensor_type(extents: &[Extent]) -> String {
    if extents.is_empty() {
        return "f64".into();
    }
    let list: Vec<&str> = extents.iter().map(|e| e.text()).collect();
    format!("[f64; {}]", list.join(", "))
}

impl Generator {
    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.rng.usize(..of.len())].clone()
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn number(&mut self) -> String {
        format!("{:?}", f64::from(self.rng.i32(-20..=20)) / 8.0 + 0.0625)
    }

    /// A value for a `let`: a scalar or a tensor.
    fn binding(&mut self, scope: &Scope, depth: usize) -> (String, Tensor) {
        let extents: Vec<Extent> = (0..self.rng.usize(0..3)).map(|_| self.pick(&EXTENTS)).collect();
        let name = self.fresh("v");
        (self.tensor(scope, &extents, depth), Tensor { name, extents })
    }

    /// An expression of a tensor type.
    fn tensor(&mut self, scope: &Scope, extents: &[Extent], depth: usize) -> String {
        let same: Vec<&Tensor> =
            scope.tensors.iter().filter(|t| t.extents == extents && !t.name.contains('#')).collect();
        if !extents.is_empty() && same.len() > 1 && self.rng.u8(..4) == 0 {
            let (a, b) = (self.pick(&same).name.clone(), self.pick(&same).name.clone());
            let c = self.number();
            return match self.rng.u8(..3) {
                0 => format!("{a} + {b}"),
                1 => format!("{c} * {a} - {b}"),
                _ => format!("-{a} / 2.0 + {b}"),
            };
        }
        if extents.is_empty() {
            return self.scalar(scope, depth);
        }
        let mut inner = scope.clone();
        let mut binders = vec![];
        for e in extents {
            let index = Index { name: self.fresh("i"), extent: *e };
            binders.push(format!("{} in 0..{}", index.name, e.text()));
            inner.indices.push(index);
        }
        inner.nesting += extents.len();
        let guard =
            if self.rng.u8(..5) == 0 { format!(" if {}", self.predicate(&inner, 1)) } else { String::new() };
        let body = self.body(&inner, depth);
        format!("for {}{guard} {{ {body} }}", binders.join(", "))
    }

    /// A scalar expression, perhaps with a `let` before it.
    fn body(&mut self, scope: &Scope, depth: usize) -> String {
        if depth == 0 || self.rng.u8(..4) != 0 {
            return self.scalar(scope, depth);
        }
        let name = self.fresh("u");
        let value = self.scalar(scope, depth - 1);
        let mut inner = scope.clone();
        inner.tensors.push(Tensor { name: name.clone(), extents: vec![] });
        format!("let {name} = {value}; {}", self.scalar(&inner, depth - 1))
    }

    fn scalar(&mut self, scope: &Scope, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(scope);
        }
        let d = depth - 1;
        match self.rng.u8(..18) {
            0..=2 => format!("({} + {})", self.scalar(scope, d), self.scalar(scope, d)),
            3 => format!("({} - {})", self.scalar(scope, d), self.scalar(scope, d)),
            4..=5 => format!("{} * {}", self.factor(scope, d), self.factor(scope, d)),
            6 => format!("{} * {}", self.number(), self.factor(scope, d)),
            7 => {
                let e = self.factor(scope, d);
                format!("-{e} * {e}")
            }
            8..=9 => self.function(scope, d),
            10 => format!("[{}] * {}", self.predicate(scope, d), self.factor(scope, d)),
            11 => format!(
                "(if {} {{ {} }} else {{ {} }})",
                self.predicate(scope, d),
                self.body(scope, d),
                self.body(scope, d)
            ),
            12 => format!("{{ {} }}", self.body(scope, d)),
            13..=15 if scope.nesting < 3 => self.reduction(scope, d),
            16 if scope.has_helpers => match self.rng.bool() {
                true => format!("h({}, {})", self.scalar(scope, d), self.scalar(scope, d)),
                false => {
                    let vectors: Vec<Tensor> = scope
                        .tensors
                        .iter()
                        .filter(|t| t.extents.len() == 1 && !t.name.contains('#'))
                        .cloned()
                        .collect();
                    format!("norm({})", self.pick(&vectors).name)
                }
            },
            17 if self.rng.u8(..6) == 0 => format!("stop({})", self.scalar(scope, d)),
            _ => self.leaf(scope),
        }
    }

    fn factor(&mut self, scope: &Scope, depth: usize) -> String {
        let e = self.scalar(scope, depth);
        if e.contains(' ') { format!("({e})") } else { e }
    }

    /// A function whose argument is in its domain, and whose value is moderate.
    fn function(&mut self, scope: &Scope, depth: usize) -> String {
        let e = self.factor(scope, depth);
        match self.rng.u8(..24) {
            0 => format!("{e}.sin()"),
            1 => format!("{e}.cos()"),
            2 => format!("{e}.tanh()"),
            3 => format!("{e}.sin().exp()"),
            4 => format!("(1.5 + {e}.sin()).ln()"),
            5 => format!("(1.5 + {e}.cos()).sqrt()"),
            6 => format!("{e} / (2.0 + {e}.cos())"),
            7 => format!("{e}.tanh().powi({})", self.rng.u8(0..5)),
            8 => format!("(1.25 + {e}.sin()).powf({e}.cos())"),
            9 => format!("{e}.sigmoid()"),
            10 => format!("{e}.softplus()"),
            11 => format!("{e}.abs()"),
            12 => format!("max({e}, {})", self.number()),
            13 => format!("{e}.min({})", self.number()),
            14 => format!("{e}.clamp(-0.77, 0.91)"),
            15 => format!("(1.5 + {e}.sin()).recip()"),
            16 => format!("{e}.atan2(2.5 + {e}.sin())"),
            17 => format!("hypot({e}, 1.5)"),
            18 => format!("erf({e})"),
            19 => format!("(0.5 * {e}.tanh()).asin()"),
            20 => format!("{e}.atan()"),
            21 => format!("{e}.asinh()"),
            22 => format!("({e}.tanh() * 0.5).ln_1p()"),
            _ => format!("({e}.tanh()).exp_m1()"),
        }
    }

    fn reduction(&mut self, scope: &Scope, depth: usize) -> String {
        let name = self.fresh("j");
        let extent = self.pick(&EXTENTS);
        let mut inner = scope.clone();
        let same: Vec<Index> = scope.indices.iter().filter(|i| i.extent == extent).cloned().collect();
        let range = match same.last() {
            Some(i) if self.rng.u8(..3) == 0 => match self.rng.u8(..3) {
                0 => format!("0..{}", i.name),
                1 => format!("0..={}", i.name),
                _ => format!("{}..{}", i.name, extent.text()),
            },
            Some(_) | None => format!("0..{}", extent.text()),
        };
        inner.indices.push(Index { name: name.clone(), extent });
        inner.nesting += 1;
        let guard =
            if self.rng.u8(..4) == 0 { format!(" if {}", self.predicate(&inner, 1)) } else { String::new() };
        let body = self.body(&inner, depth);
        let whole = range.starts_with("0..") && range.ends_with(extent.text()) && guard.is_empty();
        match self.rng.u8(..12) {
            0 if whole => format!("max {name} in {range} {{ {body} }}"),
            1 if whole => format!("min {name} in {range} {{ {body} }}"),
            2 if whole => format!("logsumexp {name} in {range} {{ {body} }}"),
            3 if whole => {
                let k = self.fresh("k");
                inner.indices.push(Index { name: k.clone(), extent });
                inner.indices.retain(|i| i.name != name);
                let leaf = self.leaf(&inner);
                format!("{{ let {k} = argmax {name} in {range} {{ {body} }}; {leaf} }}")
            }
            _ => format!("sum {name} in {range}{guard} {{ {body} }}"),
        }
    }

    /// A number, a scalar, or an access.
    fn leaf(&mut self, scope: &Scope) -> String {
        if self.rng.u8(..10) == 0 {
            return match scope.indices.last() {
                Some(i) if self.rng.bool() => format!("0.25 * ({} as f64)", i.name),
                Some(_) | None => self.number(),
            };
        }
        let t = self.pick(&scope.tensors);
        self.access(scope, &t)
    }

    fn access(&mut self, scope: &Scope, t: &Tensor) -> String {
        let mut guards = vec![];
        let at: Vec<String> = t.extents.iter().map(|e| self.index(scope, *e, &mut guards)).collect();
        let (name, field) = match t.name.split_once('#') {
            Some((name, field)) => (name, format!(".{field}")),
            None => (t.name.as_str(), String::new()),
        };
        let read = if at.is_empty() { name.to_string() } else { format!("{name}[{}]{field}", at.join(", ")) };
        if guards.is_empty() { read } else { format!("([{}] * {read})", guards.join(" && ")) }
    }

    /// An index that is in range, or is where the guards hold.
    fn index(&mut self, scope: &Scope, extent: Extent, guards: &mut Vec<String>) -> String {
        use Extent::{M, N, N1, N2, NM, Three};
        let mut options: Vec<(String, Option<String>)> = vec![("0".into(), None)];
        for i in &scope.indices {
            let (s, e) = (&i.name, extent.text());
            match (i.extent, extent) {
                (a, b) if a == b => {
                    options.extend([(s.clone(), None), (s.clone(), None), (s.clone(), None)]);
                    options.push((format!("{e} - 1 - {s}"), None));
                    options.push((format!("{s} + 1"), Some(format!("{s} + 1 < {e}"))));
                    options.push((format!("{s} - 1"), Some(format!("0 < {s}"))));
                    options.push((format!("{s} / 2"), None));
                }
                (N, N1) => options.extend([(s.clone(), None), (format!("{s} + 1"), None)]),
                (N, N2) => {
                    options.extend([
                        (format!("2 * {s}"), None),
                        (format!("2 * {s} + 1"), None),
                        (s.clone(), None),
                    ]);
                    options.push((format!("{s} + n"), None));
                }
                (N2, N) => {
                    options.push((format!("{s} / 2"), None));
                    options.push((format!("{s} / 2"), Some(format!("{s} % 2 == 0"))));
                    options.push((s.clone(), Some(format!("{s} < n"))));
                }
                (N, NM) | (M, NM) => options.push((s.clone(), None)),
                (_, Three) => options.push((format!("{s} % 3"), None)),
                (NM, N | M) => options.push((s.clone(), Some(format!("{s} < {e}")))),
                (N1, N) => options.push((s.clone(), Some(format!("{s} < n")))),
                _ => options.push((s.clone(), Some(format!("{s} < {e}")))),
            }
        }
        if extent == NM {
            for i in scope.indices.iter().filter(|i| i.extent == N) {
                for j in scope.indices.iter().filter(|j| j.extent == M) {
                    options.extend([
                        (format!("{} + {}", i.name, j.name), None),
                        (format!("{} + {}", i.name, j.name), None),
                    ]);
                }
            }
        }
        let first = usize::from(options.len() > 1 && self.rng.u8(..8) != 0);
        let (index, guard) = self.pick(&options[first..]);
        guards.extend(guard);
        index
    }

    fn predicate(&mut self, scope: &Scope, depth: usize) -> String {
        if depth > 0 && self.rng.u8(..4) == 0 {
            let (p, q) = (self.predicate(scope, depth - 1), self.predicate(scope, depth - 1));
            return match self.rng.u8(..3) {
                0 => format!("{p} && {q}"),
                1 => format!("({p} || {q})"),
                _ => format!("!({p})"),
            };
        }
        let Some(i) = (!scope.indices.is_empty()).then(|| self.pick(&scope.indices)) else {
            return self.comparison(scope);
        };
        let (s, e) = (&i.name, i.extent.text());
        let other = self.pick(&scope.indices).name;
        match self.rng.u8(..11) {
            0 => format!("{s} + 1 < {e}"),
            1 => format!("1 <= {s}"),
            2 => format!("{s} % 2 == {}", self.rng.u8(..2)),
            3 => format!("{s} == {other}"),
            4 => format!("{s} != {other}"),
            5 => format!("{s} < {other}"),
            6 => format!("0 <= {s} - {other} < 2"),
            7 => format!("{s} == {}", self.rng.u8(..2)),
            8 => {
                let k = self.fresh("e");
                format!("exists {k} in 0..{e} {{ 2 * {k} == {s} }}")
            }
            _ => self.comparison(scope),
        }
    }

    /// A comparison of reals, whose sides are hardly ever close.
    fn comparison(&mut self, scope: &Scope) -> String {
        let ts: Vec<Tensor> =
            scope.tensors.iter().filter(|t| t.extents.len() <= scope.indices.len()).cloned().collect();
        let t = if ts.is_empty() { self.pick(&scope.tensors) } else { self.pick(&ts) };
        let op = self.pick(&["<", "<=", ">", ">="]);
        format!("{} {op} {}", self.access(scope, &t), self.number())
    }

    fn result(&mut self, scope: &Scope) -> (String, String) {
        match self.rng.u8(..6) {
            0..=2 => ("f64".into(), self.scalar(scope, 4)),
            3..=4 => {
                let (text, t) = self.binding(scope, 3);
                (tensor_type(&t.extents), text)
            }
            _ => {
                let ((a, t), (b, u)) = (self.binding(scope, 3), self.binding(scope, 3));
                (format!("({}, {})", tensor_type(&t.extents), tensor_type(&u.extents)), format!("({a}, {b})"))
            }
        }
    }
}
