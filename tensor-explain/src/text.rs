//! The report as text.

use crate::report::{Block, File, Function, Measure, Problem, Version};
use std::fmt::Write;

/// All of a file.
#[must_use]
pub fn page(file: &File) -> String {
    written(file, &function)
}

/// The loops of all versions of all functions, after each pass.
#[must_use]
pub fn passes(file: &File) -> String {
    written(file, &|out, f| f.versions.iter().for_each(|v| after_each(out, v)))
}

fn written(file: &File, function: &dyn Fn(&mut String, &Function)) -> String {
    let mut out = String::new();
    for block in &file.blocks {
        heading(&mut out, file, block);
        match &block.outcome {
            Err(problems) => problems.iter().for_each(|p| out.push_str(&(problem(file, p) + "\n"))),
            Ok(functions) => functions.iter().for_each(|f| function(&mut out, f)),
        }
    }
    out
}

/// `examples/a.rs:3:1: error: …`, with the line and what is to blame in it.
#[must_use]
pub fn problem(file: &File, p: &Problem) -> String {
    let line = file.source.lines().nth(p.line.saturating_sub(1)).unwrap_or_default();
    let number = p.line.to_string();
    let before: String = line.chars().take(p.column - 1).map(|c| if c == '\t' { c } else { ' ' }).collect();
    format!(
        "{}:{}:{}: error: {}\n {number} | {line}\n {} | {before}{}\n",
        file.name,
        p.line,
        p.column,
        p.message,
        " ".repeat(number.len()),
        "^".repeat(p.length)
    )
}

/// What a block is, in one line.
#[must_use]
pub fn about(block: &Block) -> String {
    let what = match &block.outcome {
        Err(problems) if problems.len() == 1 => "1 error".to_string(),
        Err(problems) => format!("{} errors", problems.len()),
        Ok(_) if block.inline => "an expression".to_string(),
        Ok(functions) if functions.len() == 1 => "1 function".to_string(),
        Ok(functions) => format!("{} functions", functions.len()),
    };
    if block.around.is_empty() { what } else { format!("{what}, in {}", block.around.join(", ")) }
}

fn heading(out: &mut String, file: &File, block: &Block) {
    let line = format!("{}:{}:{}: tensor! block, {}", file.name, block.line, block.column, about(block));
    let _ = writeln!(out, "{line}\n{}\n", "=".repeat(line.chars().count()));
}

fn indented(out: &mut String, title: &str, text: &str) {
    let _ = writeln!(out, "  {title}\n");
    for line in text.trim_end().lines() {
        let _ = if line.is_empty() { writeln!(out) } else { writeln!(out, "    {line}") };
    }
    out.push('\n');
}

fn function(out: &mut String, f: &Function) {
    let what = f.transform.as_ref().map(|t| format!(" = {t}")).unwrap_or_default();
    let line = format!("{}{what}, line {}", f.name, f.line);
    let _ = writeln!(out, "{line}\n{}\n", "-".repeat(line.chars().count()));
    indented(out, "source", &f.source);
    for v in &f.versions {
        version(out, v);
    }
    if let Some(why) = &f.underived {
        let _ = writeln!(out, "  no derivative is shown: {why}\n");
    }
    indented(out, "cost and memory, in scalars", &costs(f));
    indented(out, &format!("generated Rust of `{}`", f.name), &f.rust);
}

fn after_each(out: &mut String, v: &Version) {
    let mut before = None;
    for (pass, loops) in &v.passes {
        let same = before.replace(loops) == Some(loops);
        indented(out, &format!("`{}` after {pass}", v.name), if same { "as before" } else { loops });
    }
}

fn version(out: &mut String, v: &Version) {
    indented(out, &v.title, &v.program);
    let width = v.storage.iter().map(|s| s.array.chars().count()).max().unwrap_or(0);
    let rows = v.storage.iter().map(|s| format!("{:width$}  {:8}  {}", s.array, s.place.name(), s.why));
    let rows = rows.collect::<Vec<_>>().join("\n");
    indented(
        out,
        &format!("what `{}` stores, and why", v.name),
        if rows.is_empty() { "nothing" } else { &rows },
    );
    indented(out, &format!("loops of `{}`", v.name), &v.loops);
}

/// The three measures of a version, with what they are of.
#[must_use]
pub fn measures(v: &Version) -> [(&'static str, &Measure); 3] {
    [("operations", &v.operations), ("workspace", &v.workspace), ("results", &v.results)]
}

fn costs(f: &Function) -> String {
    let mut rows = vec![];
    for v in &f.versions {
        for (what, m) in measures(v) {
            let ratio = m.ratio.as_ref().map(|r| format!("ratio to the primal {r}")).unwrap_or_default();
            rows.push([v.name.clone(), what.to_string(), m.polynomial.clone(), ratio]);
        }
    }
    let width = |k: usize| rows.iter().map(|r| r[k].chars().count()).max().unwrap_or(0);
    let (a, b, c) = (width(0), width(1), width(2));
    let row =
        |r: &[String; 4]| format!("{:a$}  {:b$}  {:c$}  {}", r[0], r[1], r[2], r[3]).trim_end().to_string();
    rows.iter().map(row).collect::<Vec<_>>().join("\n")
}
