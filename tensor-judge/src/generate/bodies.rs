//! Random programs with long bodies: for each row of some matrices with few columns, scalars and short vectors by sums, matrices, extremes and choices, so
//! that vectorized loops become straight lines.

use super::with_edges;
use fastrand::Rng;
use std::fmt::Write;

/// A function of `n` rows of `w` columns, in four to eight steps of a body; up to three results, of which some are added up or compared over all rows.
pub(super) fn program(seed: u64) -> (String, Vec<Vec<i64>>) {
    let mut rng = Rng::with_seed(seed ^ 0xb0d1e5);
    let width = [2, 3, 3, 4, 6][rng.usize(..5)];
    let count = rng.usize(4..9);
    let mut body = Body {
        rng,
        width,
        text: String::new(),
        scalars: vec!["s[i]".into(), "q[i]".into()],
        vectors: vec!["x".into(), "y".into()],
    };
    for k in 0..count {
        body.step(k);
    }
    let (types, results): (Vec<String>, Vec<String>) =
        (0..body.rng.usize(1..4)).map(|_| body.result()).unzip();
    let (ty, result) = match (types.as_slice(), results.as_slice()) {
        ([ty], [result]) => (ty.clone(), result.clone()),
        _ => (format!("({})", types.join(", ")), format!("({})", results.join(", "))),
    };
    let source = format!(
        "fn f<n>(x: [f64; n, {width}], y: [f64; n, {width}], s: [f64; n], q: [f64; n], w: [f64; {width}, {width}], b: [f64; {width}]) -> {ty} {{\n{}    {result}\n}}",
        body.text
    );
    let usual = vec![body.rng.i64(2..12)];
    let sizes = with_edges(usual, &mut body.rng);
    (source, sizes)
}

/// A body so far.
struct Body {
    rng: Rng,
    /// How many columns there are.
    width: usize,
    text: String,
    /// Numbers of a row, as they are read.
    scalars: Vec<String>,
    /// Names of matrices.
    vectors: Vec<String>,
}

impl Body {
    /// Mostly one of the last.
    fn recent(rng: &mut Rng, all: &[String]) -> String {
        let last = all.len() - 1;
        all[if rng.bool() { last - rng.usize(..all.len().min(2)) } else { rng.usize(..all.len()) }].clone()
    }

    fn scalar(&mut self) -> String {
        match self.rng.u8(..8) {
            0 => {
                let (v, c) = (Self::recent(&mut self.rng, &self.vectors), self.rng.usize(..self.width));
                format!("{v}[i, {c}]")
            }
            1 => format!("b[{}]", self.rng.usize(..self.width)),
            2 => ["0.5", "1.0", "-0.25", "0.0"][self.rng.usize(..4)].into(),
            3 => format!("(-{})", Self::recent(&mut self.rng, &self.scalars)),
            _ => Self::recent(&mut self.rng, &self.scalars),
        }
    }

    /// An element of column `c`.
    fn element(&mut self, c: &str) -> String {
        match self.rng.u8(..8) {
            0 => format!("b[{c}]"),
            1 => self.scalar(),
            2 => format!("[i >= 1] * x[i - 1, {c}]"),
            3 => format!("[i + 1 < n] * y[i + 1, {c}]"),
            _ => format!("{}[i, {c}]", Self::recent(&mut self.rng, &self.vectors)),
        }
    }

    /// Of what a row has: numbers that are compared, one way or the other, alone or together.
    fn condition(&mut self) -> String {
        let op = ["<", "<=", ">", ">="][self.rng.usize(..4)];
        let one = format!("{} {op} {}", self.scalar(), self.scalar());
        match self.rng.u8(..6) {
            0 => format!("{one} && {}", self.condition()),
            1 => format!("({one} || {})", self.condition()),
            2 => format!("!({one})"),
            _ => one,
        }
    }

    /// What is multiplied, added and chosen of one column.
    fn of_column(&mut self, c: &str) -> String {
        let (a, b) = (self.element(c), self.element(c));
        match self.rng.u8(..9) {
            0 => format!("{a} - {b}"),
            1 => format!("({a} - {b}).powi(2)"),
            2 => format!("{a} * {b}"),
            3 => format!("({a}).max({b})"),
            4 => format!("if {a} < {b} {{ {a} * 0.5 }} else {{ {b} - 1.0 }}"),
            5 => format!("[{}] * {a} + {b}", self.condition()),
            6 => format!("if {} {{ {a} }} else {{ {b} * {b} }}", self.condition()),
            7 => format!("({a}).sin() + {b}"),
            _ => format!("({a}).clamp(-0.77, 0.91) * {b}"),
        }
    }

    /// A matrix, or a number of each row.
    fn step(&mut self, k: usize) {
        let is_matrix = self.rng.u8(..5) < 2;
        let value = if is_matrix { self.of_columns() } else { self.of_row() };
        let column = if is_matrix { format!(", c in 0..{}", self.width) } else { String::new() };
        let name = if is_matrix { format!("v{k}") } else { format!("r{k}") };
        let test = self.guard();
        writeln!(self.text, "    let {name} = for i in 0..n{column}{test} {{ {value} }};").expect("a string");
        if is_matrix {
            self.vectors.push(name);
        } else {
            self.scalars.push(format!("{name}[i]"));
        }
    }

    /// An element of column `c` of a matrix. Sums of products stay moderate.
    fn of_columns(&mut self) -> String {
        let w = self.width;
        let value = match self.rng.u8(..5) {
            0 => format!("sum d in 0..{w} {{ w[c, d] * {} }}", self.element("d")),
            1 => format!("sum d in 0..=c {{ w[c, d] * {} }}", self.element("d")),
            2 => format!("sum d in 0..{w} if {} {{ w[d, c] * {} }}", self.condition(), self.element("d")),
            _ => self.of_column("c"),
        };
        if self.rng.bool() { format!("0.5 * ({value}).tanh()") } else { format!("0.3 * ({value})") }
    }

    /// A number of a row.
    fn of_row(&mut self) -> String {
        let w = self.width;
        let value = match self.rng.u8(..9) {
            0 | 1 => format!("sum c in 0..{w} {{ {} }}", self.of_column("c")),
            2 => format!("sum c in 0..{w} if {} {{ {} }}", self.condition(), self.of_column("c")),
            3 => {
                let op = ["max", "min"][self.rng.usize(..2)];
                format!("{op} c in 0..{w} {{ {} }}", self.of_column("c"))
            }
            4 => format!("if {} {{ {} }} else {{ {} }}", self.condition(), self.scalar(), self.scalar()),
            5 => {
                let (p, q) = (self.condition(), self.condition());
                let [a, b, c] = [self.scalar(), self.scalar(), self.scalar()];
                format!("if {p} {{ {a} }} else if {q} {{ {b} * {a} }} else {{ {c} }}")
            }
            6 => format!("[{}] * {} + {}", self.condition(), self.scalar(), self.scalar()),
            7 => format!("({}).cos() * {}", self.scalar(), self.scalar()),
            _ => format!(
                "sum c in 0..{w}, d in 0..c {{ w[c, d] * {} * {} }}",
                self.element("c"),
                self.element("d")
            ),
        };
        match self.rng.u8(..4) {
            0 => format!("({value}).atan()"),
            1 => format!("{{ let t = {value}; t / (1.0 + t * t) }}"),
            _ => format!("0.4 * ({value})"),
        }
    }

    /// Some are there in some rows alone.
    fn guard(&mut self) -> String {
        if self.rng.u8(..4) == 0 { format!(" if {}", self.condition()) } else { String::new() }
    }

    /// The type of a result, and it.
    fn result(&mut self) -> (String, String) {
        let w = self.width;
        let (r, t) = (Self::recent(&mut self.rng, &self.scalars), self.scalar());
        let v = Self::recent(&mut self.rng, &self.vectors);
        let guard = self.guard();
        match self.rng.u8(..7) {
            0 => ("[f64; n]".into(), format!("for i in 0..n{guard} {{ {r} * {t} }}")),
            1 => {
                (format!("[f64; n, {w}]"), format!("for i in 0..n, c in 0..{w}{guard} {{ {v}[i, c] + {r} }}"))
            }
            // Each lane adds to the same elements.
            2 => (
                format!("[f64; {w}]"),
                format!("for c in 0..{w} {{ sum i in 0..n{guard} {{ {v}[i, c] * {r} }} }}"),
            ),
            3 => {
                let op = ["max", "min"][self.rng.usize(..2)];
                ("f64".into(), format!("({op} i in 0..n{guard} {{ {r} + {t} }}).clamp(-9.0, 9.0)"))
            }
            _ => ("f64".into(), format!("sum i in 0..n{guard} {{ {r} * {r} + {t} }}")),
        }
    }
}
