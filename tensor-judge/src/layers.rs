//! Random programs of matrices: layers, products of what was made before, heads and centers, recurrent layers, so that kernels are fused and tiled with loops and steps.

use crate::check::Case;
use crate::generate::with_edges;
use fastrand::Rng;
use std::fmt::Write;

/// Rows of a batch through two to four layers; the sum of squares of the last, or an array.
pub fn case(seed: u64) -> Case {
    let mut rng = Rng::with_seed(seed ^ 0x1a7e5);
    let mut made =
        Made { rng: Rng::with_seed(seed), params: String::new(), text: String::new(), all: vec![] };
    made.all.push(("x".into(), "p"));
    for k in 0..rng.usize(2..5) {
        made.layer(k);
    }
    let (last, width) = made.all.last().cloned().expect("a layer");
    let (result, end) = match rng.usize(0..3) {
        0 => (format!("[f64; n, {width}]"), last),
        _ => ("f64".to_string(), format!("sum i, j {{ {last}[i, j].powi(2) }}")),
    };
    let Made { params, text, .. } = made;
    let source = format!(
        "fn f<n, p, q, h>(x: [f64; n, p], u: [f64; q, h]{params}) -> {result} {{\n{text}    {end}\n}}"
    );
    let usual = vec![rng.i64(1..7), rng.i64(1..4), rng.i64(1..4), rng.i64(1..3)];
    let sizes = with_edges(usual, &mut rng);
    Case { source, name: "f".into(), sizes, seed }
}

/// The program so far, and its matrices of `n` rows with their columns.
struct Made {
    rng: Rng,
    params: String,
    text: String,
    all: Vec<(String, &'static str)>,
}

impl Made {
    fn param(&mut self, name: &str, shape: &str) {
        write!(self.params, ", {name}: [f64; {shape}]").expect("a string");
    }

    /// Mostly the last.
    fn one(&mut self) -> (String, &'static str) {
        let last = self.all.len() - 1;
        let k = if self.rng.bool() { last } else { self.rng.usize(0..=last) };
        self.all[k].clone()
    }

    fn layer(&mut self, k: usize) {
        let (a, from) = self.one();
        let (b, of_b) = self.one();
        let to = if self.rng.bool() { "p" } else { "q" };
        let (w, c) = (format!("w{k}"), format!("c{k}"));
        let (sum, to) = match self.rng.usize(0..13) {
            // A layer, its weights either way.
            0 => {
                self.param(&w, &format!("{from}, {to}"));
                (format!("sum e {{ {a}[i, e] * {w}[e, j] }}"), to)
            }
            1 => {
                self.param(&w, &format!("{to}, {from}"));
                (format!("0.5 - sum e {{ {w}[j, e] * {a}[i, e] }}"), to)
            }
            // Rows with rows, and what that weighs.
            2 if from == of_b => (format!("sum e {{ {a}[i, e] * {b}[j, e] }}"), "n"),
            3 if from == "n" => (format!("sum e {{ {a}[i, e] * {b}[e, j] }}"), of_b),
            // Heads, and triangles of them.
            4 => {
                self.param(&w, &format!("h, {from}, {to}"));
                let test = ["", "", " if i <= j", " if j < i"][self.rng.usize(0..4)];
                let heads = format!("for s, i, j{test} {{ sum e {{ {a}[i, e] * {w}[s, e, j] }} }}");
                writeln!(self.text, "    let t{k} = {heads};").expect("a string");
                if self.rng.bool() {
                    self.param(&c, &format!("h, {to}, {from}"));
                    (format!("sum s, e {{ t{k}[s, i, e] * {c}[s, e, j] }}"), from)
                } else {
                    (format!("sum s {{ t{k}[s, i, j].sin() }}"), to)
                }
            }
            // A convolution of rows, with channels.
            5 => {
                self.param(&w, &format!("2, {from}, {to}"));
                let (test, at) = match self.rng.usize(0..3) {
                    0 => ("i + s < n", "i + s"),
                    1 => ("i >= s", "i - s"),
                    _ => ("i + s >= 1 && i + s <= n", "i + s - 1"),
                };
                (format!("sum s in 0..2, e if {test} {{ {a}[{at}, e] * {w}[s, e, j] }}"), to)
            }
            // A band, within what is there or beyond it.
            6 => {
                self.param(&w, &format!("{from}, {to}"));
                let range = match self.rng.usize(0..5) {
                    0 => "e if e <= i".to_string(),
                    1 => format!("e in 0..n if e <= i && e < {from}"),
                    2 => format!("e in 0..=i if e < {from}"),
                    3 => "e if i <= e".to_string(),
                    _ => format!("e in i..{from}"),
                };
                (format!("sum {range} {{ {a}[i, e] * {w}[e, j] }}"), to)
            }
            // A triangle of rows with rows, in a matrix with a column more than there are rows.
            7 if from == of_b => {
                writeln!(
                    self.text,
                    "    let t{k} = for i in 0..n, j in 0..n + 1 if j <= i {{ sum e {{ {a}[i, e] * {b}[j, e] }} }};"
                )
                .expect("a string");
                (format!("t{k}[i, j + 1] - t{k}[i, j]"), "n")
            }
            // Sums of products of what rows, columns and centers have.
            8 => {
                self.param(&w, &format!("h, {from}"));
                self.param(&c, &format!("h, {from}"));
                let sign = ["+", "-"][self.rng.usize(0..2)];
                let inner = format!("{a}[i, e] * {w}[s, e] {sign} {w}[s, e] * {c}[s, e]");
                writeln!(self.text, "    let t{k} = for i, s, e {{ {inner} }};").expect("a string");
                let has_factor = from == of_b && self.rng.usize(0..2) == 1;
                let factor = if has_factor { format!("{b}[i, e] * ") } else { String::new() };
                (format!("sum e {{ {factor}t{k}[i, j, e] }}"), "h")
            }
            10 => (self.recurrent(k, (&a, from), to), to),
            11 if from == to => (self.steps(k, (&a, from)), to),
            // Differences from centers, by a matrix for each.
            _ => {
                self.param(&c, &format!("h, {from}"));
                self.param(&w, &format!("h, {to}, {from}"));
                let inner = format!("sum e {{ {w}[s, j, e] * ({a}[i, e] - {c}[s, e]) }}");
                writeln!(self.text, "    let t{k} = for i, s, j {{ {inner} }};").expect("a string");
                (format!("sum s {{ t{k}[i, s, j].powi(2) }}"), to)
            }
        };
        let value = match self.rng.usize(0..4) {
            0 => format!("({sum}).tanh()"),
            1 => format!("let t = {sum}; t.sin() * t.cos()"),
            2 => {
                self.param(&format!("b{k}"), to);
                format!("(({sum}) + b{k}[j]).atan()")
            }
            // What is bounded stays so: differences of steep functions say little.
            _ => format!("0.3 * ({sum}).tanh() + 0.1"),
        };
        // Some look at the row before too.
        let all = if self.rng.usize(0..4) == 0 {
            writeln!(self.text, "    let r{k} = for i in 0..n, j in 0..{to} {{ {value} }};")
                .expect("a string");
            format!("r{k}[i, j] + [i >= 1] * r{k}[i - 1, j].cos()")
        } else {
            value
        };
        writeln!(self.text, "    let a{k} = for i in 0..n, j in 0..{to} {{ {all} }};").expect("a string");
        self.all.push((format!("a{k}"), to));
    }
    /// The rows one after the other, each with a product that needs no other and mostly one that does; or with what is added up.
    fn recurrent(&mut self, k: usize, (a, from): (&str, &str), to: &str) -> String {
        let (w, c) = (format!("w{k}"), format!("c{k}"));
        self.param(&w, &format!("{from}, {to}"));
        let free = match self.rng.usize(0..3) {
            0 => format!("(sum e {{ {a}[i, e] * {w}[e, j] }}).cos()"),
            _ => format!("sum e {{ {a}[i, e] * {w}[e, j] }}"),
        };
        let bound = if self.rng.bool() {
            self.param(&c, &format!("{to}, {to}"));
            format!("sum e {{ {c}[e, j] * s[e] }}")
        } else {
            "0.5 * s[j]".to_string()
        };
        let rows = ["0..n", "0..n", "(0..n).rev()"][self.rng.usize(0..3)];
        let (next, first) = (
            format!("for j in 0..{to} {{ ({free} + {bound}).tanh() }}"),
            format!("for j in 0..{to} {{ 0.1 }}"),
        );
        if self.rng.usize(0..3) == 0 {
            let step = format!("let q = {next}; (q, l + 0.1 * sum j {{ q[j] * q[j] }})");
            writeln!(
                self.text,
                "    let (t{k}, l{k}) = fold i in {rows} from (s, l) = ({first}, 0.0) {{ {step} }};"
            )
            .expect("a string");
            return format!("t{k}[j] * l{k}");
        }
        writeln!(self.text, "    let t{k} = scan i in {rows} from s = {first} {{ {next} }};")
            .expect("a string");
        format!("t{k}[i, j]")
    }

    /// All rows through as many layers as there are heads, each of which sees what the first one does.
    fn steps(&mut self, k: usize, (a, width): (&str, &str)) -> String {
        let (w, c) = (format!("w{k}"), format!("c{k}"));
        self.param(&w, &format!("h, {width}, {width}"));
        self.param(&c, &format!("h, {width}, {width}"));
        let sums = format!("sum e {{ z[i, e] * {w}[s, e, j] }} + sum e {{ {a}[i, e] * {c}[s, e, j] }}");
        let step = format!("for i in 0..n, j in 0..{width} {{ 0.5 * ({sums}).tanh() }}");
        writeln!(self.text, "    let t{k} = fold s in 0..h from z = {a} {{ {step} }};").expect("a string");
        format!("t{k}[i, j]")
    }
}
