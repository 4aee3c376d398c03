//! The tables, on the terminal and in `RESULTS.md`.

use crate::bench::{OURS, Record};
use crate::rows::{Row, Target};
use std::fmt::Write;

/// `1.25 ms`
pub fn time(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {unit}")
}

/// One line on the terminal, while the run goes on.
pub fn progress(record: &Record) {
    let mut line = format!("{:<24} {:>8} {:<9}", record.row, record.size, record.part);
    for t in &record.timings {
        let _ = write!(line, "  {} {}", t.name, time(t.seconds));
    }
    if let Some(ratio) = record.ratio() {
        let _ = write!(line, "  | {ratio:.2}");
    }
    println!("{line}");
}

/// What was asked, and whether it was reached.
fn verdict(record: &Record, target: Target) -> (String, &'static str) {
    let best = record.best().map_or(f64::INFINITY, |b| b.seconds);
    let (asked, met) = match target {
        Target::Ratio(r) => (format!("{r}"), record.ours() <= r * best),
        Target::Within(s) => (format!("+ {}", time(s)), record.ours() <= best + s),
        Target::Below(s) => (format!("< {}", time(s)), record.ours() < s),
        Target::Free => (String::new(), true),
    };
    (
        asked,
        if target == Target::Free {
            ""
        } else if met {
            "yes"
        } else {
            "no"
        },
    )
}

/// The table of ratios, at the sizes of the rows.
pub fn ratios(rows: &[&Row], records: &[Record]) -> String {
    let mut text = String::from(
        "| program | size | part | tensor! | best reference | | ratio | to reach | reached |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for (row, record) in lines(rows, records) {
        let (asked, met) = verdict(record, (row.target)(record.part, record.size));
        let best = record.best();
        let _ = writeln!(
            text,
            "| {} | {} = {} | {} | {} | {} | {} | {} | {asked} | {met} |",
            row.name,
            row.unit,
            record.size,
            record.part,
            time(record.ours()),
            best.map_or(String::new(), |b| time(b.seconds)),
            best.map_or("", |b| &b.name),
            record.ratio().map_or(String::new(), |r| format!("{r:.2}")),
        );
    }
    text
}

/// How many lines reach what was asked, and the geometric mean of the ratios.
pub fn summary(rows: &[&Row], records: &[Record]) -> String {
    let asked = |&(row, r): &(&Row, &Record)| (row.target)(r.part, r.size) != Target::Free;
    let met = |(row, r): &(&Row, &Record)| verdict(r, (row.target)(r.part, r.size)).1 == "yes";
    let all: Vec<_> = lines(rows, records).filter(asked).collect();
    let of = |kind: Kind| -> f64 {
        let part = |(_, r): &(&Row, &Record)| Kind::of(r.part) == kind;
        mean(&all.iter().copied().filter(part).filter_map(|(_, r)| r.ratio()).collect::<Vec<_>>())
    };
    format!(
        "{} of {} numbers are reached. Geometric mean of the ratios: {:.2} for values, {:.2} for gradients, {:.2} for Hessians.\n",
        all.iter().filter(|line| met(line)).count(),
        all.len(),
        of(Kind::Value),
        of(Kind::Gradient),
        of(Kind::Hessian),
    )
}

/// What a part of a row is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Value,
    Gradient,
    Hessian,
}

impl Kind {
    fn of(part: &str) -> Kind {
        match part {
            "Hessian" | "Hessian times vector" => Kind::Hessian,
            value if value.starts_with("value") => Kind::Value,
            _ => Kind::Gradient,
        }
    }
}

/// The records at the sizes of the table, each with its row.
pub fn lines<'a>(
    rows: &'a [&'a Row],
    records: &'a [Record],
) -> impl Iterator<Item = (&'a Row, &'a Record)> + 'a {
    rows.iter().flat_map(move |&row| {
        let at = |r: &&Record| r.row == row.name && row.sizes.contains(&r.size);
        records.iter().filter(at).map(move |r| (row, r))
    })
}

/// Every contender's time.
pub fn contenders(rows: &[&Row], records: &[Record]) -> String {
    let mut text = String::from("| program | size | part | times |\n| --- | --- | --- | --- |\n");
    for (row, record) in lines(rows, records) {
        let all: Vec<String> =
            record.timings.iter().map(|t| format!("{} {}", t.name, time(t.seconds))).collect();
        let _ = writeln!(
            text,
            "| {} | {} = {} | {} | {} |",
            row.name,
            row.unit,
            record.size,
            record.part,
            all.join(", ")
        );
    }
    text
}

/// Gradient over value, in the emitted code and in the best reference, at the largest size of each row, and their geometric means.
pub fn costs(rows: &[&Row], records: &[Record]) -> String {
    let mut text =
        format!("| program | size | gradient | {OURS} | best reference |\n| --- | --- | --- | --- | --- |\n");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for row in rows {
        let Some(&size) = row.sizes.last() else { continue };
        let here: Vec<&Record> = records.iter().filter(|r| r.row == row.name && r.size == size).collect();
        let Some(value) = here.iter().find(|r| r.part == "value") else { continue };
        for part in here.iter().filter(|r| !r.part.starts_with("value") && !r.part.ends_with("into")) {
            let mine = part.ours() / value.ours();
            let other = part.best().zip(value.best()).map(|(p, v)| p.seconds / v.seconds);
            let note = if row.writes.contains(&part.part) { " (bound by writing)" } else { "" };
            if note.is_empty() {
                ours.push(mine);
                theirs.extend(other);
            }
            let other = other.map_or(String::new(), |o| format!("{o:.2}"));
            let _ = writeln!(
                text,
                "| {} | {} = {size} | {}{note} | {mine:.2} | {other} |",
                row.name, row.unit, part.part
            );
        }
    }
    let _ = writeln!(
        text,
        "| **geometric mean** | | without those bound by writing | **{:.2}** | {:.2} |",
        mean(&ours),
        mean(&theirs)
    );
    text
}

fn mean(values: &[f64]) -> f64 {
    (values.iter().map(|v| v.ln()).sum::<f64>() / values.len().max(1) as f64).exp()
}

/// Slopes of log time by log size.
pub fn slopes(rows: &[&Row], records: &[Record]) -> String {
    let mut text = format!(
        "| program | sizes | part | {OURS} | best reference | difference |\n| --- | --- | --- | --- | --- | --- |\n"
    );
    for row in rows.iter().filter(|r| !r.slope.is_empty()) {
        let at = |size: usize| records.iter().filter(move |r| r.row == row.name && r.size == size);
        for first in at(row.slope[0]) {
            let all: Vec<&Record> =
                row.slope.iter().filter_map(|&s| at(s).find(|r| r.part == first.part)).collect();
            let points = |f: fn(&Record) -> Option<f64>| -> Option<Vec<(f64, f64)>> {
                all.iter().map(|r| Some((r.size as f64, f(r)?))).collect()
            };
            if all.len() < row.slope.len() {
                continue;
            }
            let ours = slope(&points(|r| Some(r.ours())).unwrap_or_default());
            let best = points(|r| r.best().map(|b| b.seconds)).map(|p| slope(&p));
            let (theirs, apart) = best
                .map_or((String::new(), String::new()), |b| (format!("{b:.2}"), format!("{:+.2}", ours - b)));
            let sizes: Vec<String> = row.slope.iter().map(ToString::to_string).collect();
            let _ = writeln!(
                text,
                "| {} | {} = {} | {} | {ours:.2} | {theirs} | {apart} |",
                row.name,
                row.unit,
                sizes.join(", "),
                first.part
            );
        }
    }
    text
}

/// The least-squares slope of the logarithms.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (x, y): (Vec<f64>, Vec<f64>) = points.iter().map(|(x, y)| (x.ln(), y.ln())).unzip();
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let xy: f64 = x.iter().zip(&y).map(|(x, y)| (x - mx) * (y - my)).sum();
    xy / x.iter().map(|x| (x - mx).powi(2)).sum::<f64>()
}
