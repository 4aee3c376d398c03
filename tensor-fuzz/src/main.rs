//! `cargo run --release -p tensor-fuzz -- 1000000`: see `--help`.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use tensor_fuzz::judge::{Verdict, judge, listen};
use tensor_fuzz::run::{self, Options};
use tensor_fuzz::tree::Tree;

const HELP: &str = "\
Mutated programs for the compiler of tensor!: it must answer each within a second and 2 GiB, and not panic.

usage: tensor-fuzz COUNT [--seed N] [--first N] [--keep]
       tensor-fuzz FILE...

COUNT      how many inputs
--seed N   of which run (1); input k of run N is always the same
--first N  the number of the first input (0)
--keep     add the shortest input for each error message to corpus/kept.txt
FILE       judge the content of this file

Failures are made short and written to corpus/failed. The exit code is 1 if there are any.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run::on_stack(move || go(&arguments)).flatten() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            // Nothing can be done if this fails too.
            let _ = writeln!(std::io::stderr(), "tensor-fuzz: {message}");
            ExitCode::from(2)
        }
    }
}

/// Whether all inputs were answered.
fn go(arguments: &[String]) -> Result<bool, String> {
    let mut options = Options::default();
    let mut files = vec![];
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut number = |what: &str| {
            let value = rest.next().and_then(|v| v.parse().ok());
            value.ok_or_else(|| format!("{what} needs a number; --help says more"))
        };
        match argument.as_str() {
            "--help" | "-h" => {
                print!("{HELP}");
                return Ok(true);
            }
            "--seed" => options.seed = number("--seed")?,
            "--first" => options.first = number("--first")?,
            "--keep" => options.keep = true,
            // What the driver calls itself with.
            "--worker" => options.worker = true,
            "--trace" => options.trace = true,
            flag if flag.starts_with("--") => return Err(format!("no flag {flag}; --help lists them")),
            other => match other.parse() {
                Ok(count) => options.count = Some(count),
                Err(_) => files.push(other.to_string()),
            },
        }
    }
    match options.count {
        Some(_) if !files.is_empty() => Err("either a count or files".to_string()),
        Some(count) if options.worker => run::worker(&options, count).map(|()| true),
        Some(count) => run::drive(&options, count),
        None if files.is_empty() => Err("how many inputs? --help says more".to_string()),
        None => one_by_one(&files),
    }
}

fn one_by_one(files: &[String]) -> Result<bool, String> {
    listen();
    let mut sound = true;
    for file in files {
        let text = std::fs::read_to_string(Path::new(file)).map_err(|e| format!("{file}: {e}"))?;
        let tree = Tree::parse(&text).ok_or_else(|| format!("{file}: not made of tokens"))?;
        let verdict = judge(&tree.tokens());
        sound &= verdict.failure().is_none();
        match verdict {
            Verdict::Compiles => println!("{file}: compiles"),
            Verdict::Mistake(message) => println!("{file}: {message}"),
            Verdict::Panics(message) => println!("{file}: panics: {message}"),
            Verdict::Gap(message) => println!("{file}: expands to a mistake: {message}"),
            Verdict::Slow(time) => println!("{file}: takes {time:?}"),
        }
    }
    Ok(sound)
}
