//! Random programs of many series: recurrences side by side, which run in a loop around their steps, or in the steps.

use crate::check::Case;
use crate::generate::with_edges;
use fastrand::Rng;
use std::fmt::Write;

/// One to three recurrences of each of many series, the later ones of what the earlier ones have made; their sum, or an array.
pub fn case(seed: u64) -> Case {
    let mut made = Made { rng: Rng::with_seed(seed ^ 0x5e71e5), text: String::new(), all: vec![] };
    let order = made.one(["s, n", "n, s"]);
    made.all.push(Row { name: "x".into(), by_time: order == "n, s", is_long: true });
    for k in 0..made.rng.usize(1..4) {
        made.recurrence(k);
    }
    let (result, end) = made.end();
    let Made { mut rng, text, .. } = made;
    let source = format!(
        "fn f<n, s, p>(x: [f64; {order}], w: [f64; s], v: [f64; p], c: f64) -> {result} {{\n{text}    {end}\n}}"
    );
    let usual = vec![rng.i64(1..7), rng.i64(1..12), rng.i64(1..3)];
    let sizes = with_edges(usual, &mut rng);
    Case { source, name: "f".into(), sizes, seed }
}

/// What there is for each series.
#[derive(Clone)]
struct Row {
    name: String,
    /// Whether the time comes first.
    by_time: bool,
    /// Whether there is one for each time.
    is_long: bool,
}

impl Row {
    fn at(&self, i: &str, t: &str) -> String {
        let Row { name, by_time, is_long } = self;
        match (is_long, by_time) {
            (false, _) => format!("{name}[{i}]"),
            (true, false) => format!("{name}[{i}, {t}]"),
            (true, true) => format!("{name}[{t}, {i}]"),
        }
    }
}

/// The program so far, and what it has made.
struct Made {
    rng: Rng,
    text: String,
    all: Vec<Row>,
}

impl Made {
    fn one<const N: usize>(&mut self, of: [&'static str; N]) -> &'static str {
        of[self.rng.usize(0..N)]
    }

    fn add(&mut self, line: &str) {
        writeln!(self.text, "    {line}").expect("a string");
    }

    /// What a step reads of its series at its time.
    fn input(&mut self) -> String {
        let k = self.rng.usize(0..self.all.len());
        let row = self.all[k].clone();
        let now = row.at("i", "t");
        match self.rng.usize(0..8) {
            0 if row.is_long => format!("({now} + [t >= 1] * {})", row.at("i", "t - 1")),
            1 if row.is_long => format!("({now} - 0.5 * [t + 1 < n] * {})", row.at("i", "t + 1")),
            2 => format!("(w[i] * {now})"),
            3 => format!("{now}.sin()"),
            // The same for all series.
            4 => "(0.1 * t as f64).cos()".to_string(),
            5 => format!("({now} * sum k {{ v[k] }})"),
            _ => now,
        }
    }

    /// A number from those that a state has, bounded.
    fn next(&mut self, state: &[&str]) -> String {
        let (a, b) = (self.rng.usize(0..state.len()), self.rng.usize(0..state.len()));
        let (a, b, x) = (state[a], state[b], self.input());
        match self.rng.usize(0..9) {
            0 => format!("if {x} > 0.2 {{ 0.5 * {a} }} else {{ {x} - 0.3 * {b} }}"),
            1 => format!("0.4 * {a} + [i < t] * {x}"),
            2 => format!("({a} * {b} + {x}).tanh()"),
            3 => format!("c * ({x}).sin() + 0.5 * {a}"),
            4 => format!("0.5 * {a} + 0.1 / (1.0 + {x} * {x})"),
            5 => format!("if t % 2 == 0 {{ ({a} - {x}).cos() }} else {{ {b} }}"),
            6 => format!("{a} + 0.1 * {x}"),
            7 => format!("0.3 * max({a}, {x})"),
            _ => format!("0.5 * {a} + w[i] * {x}"),
        }
    }

    /// A recurrence of each series, and what is kept of it.
    fn recurrence(&mut self, k: usize) {
        let times = self.one(["0..n", "0..n", "0..n", "(0..n).rev()", "1..n", "0..n / 2"]);
        let (begins, keep) =
            (self.one(["0.1", "w[i]", "c", "0.0"]), self.one(["", "", "", "", "#[checkpoint(2)] "]));
        match self.rng.usize(0..7) {
            // A scan is of all times.
            0 | 1 => {
                let times = self.one(["0..n", "0..n", "(0..n).rev()"]);
                let next = self.next(&["a"]);
                self.add(&format!(
                    "let y{k} = for i in 0..s {{ scan t in {times} from a = {begins} {{ {next} }} }};"
                ));
                self.keep(k, false, true);
            }
            2 => {
                let (time, back) =
                    if self.rng.bool() { ("0..n", "t >= 1") } else { ("(0..n).rev()", "t + 1 < n") };
                let (at, far) = if time == "0..n" { ("t - 1", "t - 2") } else { ("t + 1", "t + 2") };
                let then = if time == "0..n" { "t >= 2" } else { "t + 2 < n" };
                let read = [
                    format!("(if {back} {{ y[{at}] }} else {{ c }})"),
                    format!("(if {then} {{ y[{far}] }} else {{ {begins} }})"),
                ];
                let next = self.next(&[&read[0], &read[1]]);
                self.add(&format!(
                    "let y{k} = for i in 0..s {{ let y = {keep}rec t in {time} {{ {next} }}; y }};"
                ));
                self.keep(k, false, true);
            }
            // All series in one step.
            3 => {
                let read = format!("(if t >= 1 {{ y{k}[t - 1, i] }} else {{ {begins} }})");
                let next = self.next(&[&read]);
                self.add(&format!("let y{k} = {keep}rec t in 0..n {{ for i in 0..s {{ {next} }} }};"));
                self.keep(k, true, true);
            }
            4 => {
                let (first, second) = (self.next(&["a", "b"]), self.next(&["a", "b"]));
                self.add(&format!("let y{k} = for i in 0..s {{ let (a, b) = {keep}fold t in {times} from (a, b) = ({begins}, 1.0) {{ ({first}, {second}) }}; a - 0.5 * b }};"));
                self.keep(k, false, false);
            }
            // A state of several numbers.
            5 => {
                let count = self.one(["2", "p", "3"]);
                let next = self.next(&["a[j]", "sum l { 0.2 * a[l] }"]);
                self.add(&format!("let y{k} = for i in 0..s {{ let a = {keep}fold t in {times} from a = (for j in 0..{count} {{ {begins} }}) {{ for j in 0..{count} {{ {next} }} }}; sum j {{ a[j] }} }};"));
                self.keep(k, false, false);
            }
            _ => {
                let next = self.next(&["a"]);
                self.add(&format!(
                    "let y{k} = for i in 0..s {{ {keep}fold t in {times} from a = {begins} {{ {next} }} }};"
                ));
                self.keep(k, false, false);
            }
        }
    }

    fn keep(&mut self, k: usize, by_time: bool, is_long: bool) {
        self.all.push(Row { name: format!("y{k}"), by_time, is_long });
    }

    /// The type of the result, and its value.
    fn end(&mut self) -> (String, String) {
        let Some(Row { name, by_time, is_long }) = self.all.last().cloned() else {
            return Default::default();
        };
        let places = if is_long { "i, j" } else { "i" };
        let shape = match (is_long, by_time) {
            (true, true) => "n, s",
            (true, false) => "s, n",
            (false, _) => "s",
        };
        match self.rng.usize(0..5) {
            0 => (format!("[f64; {shape}]"), name),
            1 => (format!("[f64; {shape}]"), format!("for {places} {{ {name}[{places}].sin() }}")),
            2 => ("f64".into(), format!("sum {places} {{ {name}[{places}] }}")),
            3 => ("f64".into(), format!("(1.0 + sum {places} {{ {name}[{places}].powi(2) }}).sqrt()")),
            _ => ("f64".into(), format!("sum {places} {{ {name}[{places}].powi(2) }}")),
        }
    }
}
