//! `tensor!` against hand-written C, OpenBLAS and Rust crates, in one interleaved run. See the README of this folder.

mod bench;
mod data;
mod environment;
mod kernels;
mod machine;
mod plot;
mod programs;
mod python;
mod report;
mod results;
mod rows;

use bench::{Bench, Effort};
use rows::Row;
use std::process::ExitCode;

const HELP: &str = "\
usage: cargo run --release --manifest-path benches/Cargo.toml -- [options]
  --only WORD   rows whose name has this word; may be given several times
  --quick       short samples, no sizes for slopes alone, and neither JAX nor PyTorch
  --python      with JAX and PyTorch all the same
  --list        the rows
A run of all rows without --quick writes RESULTS.md and results.svg.";

#[derive(Default)]
struct Options {
    only: Vec<String>,
    quick: bool,
    python: bool,
    list: bool,
}

fn options() -> Result<Options, String> {
    let mut options = Options::default();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--only" => options.only.push(words.next().ok_or("--only needs a word")?.to_lowercase()),
            "--quick" => options.quick = true,
            "--python" => options.python = true,
            "--list" => options.list = true,
            other => return Err(format!("unknown option `{other}`\n{HELP}")),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    environment::clear();
    match options() {
        Ok(options) => run(&options),
        Err(what) => {
            eprintln!("{what}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> ExitCode {
    let wanted =
        |r: &&Row| options.only.is_empty() || options.only.iter().any(|w| r.name.to_lowercase().contains(w));
    let rows: Vec<&Row> = rows::ALL.iter().copied().flatten().filter(wanted).collect();
    if options.list {
        rows.iter().for_each(|r| println!("{}", r.name));
        return ExitCode::SUCCESS;
    }
    #[cfg(feature = "candle")]
    // SAFETY: no other thread runs yet.
    unsafe {
        std::env::set_var("RAYON_NUM_THREADS", "1");
    }
    let python =
        if options.python || !options.quick { python::Python::start() } else { python::Python::none() };
    let machine = format!("{}\n* JAX, PyTorch: {}", machine::describe(), python.describe());
    println!("{machine}");
    let effort = if options.quick {
        Effort { sample: 2e-4, budget: 0.03 }
    } else {
        Effort { sample: 1e-3, budget: 1.0 }
    };
    let mut bench = Bench::new(effort, python);
    for row in &rows {
        let slope = if options.quick { &[] } else { row.slope };
        let extra = slope.iter().filter(|s| !row.sizes.contains(s));
        for &size in row.sizes.iter().chain(extra) {
            bench.enter(row.name, size);
            (row.run)(&mut bench, size);
        }
    }
    let text = results::tables(&machine, &rows, &bench.records);
    println!("\n{text}");
    let whole = options.only.is_empty() && !options.quick && bench.failures.is_empty();
    let written =
        if whole { results::write(&text).and_then(|()| plot::write(&rows, &bench.records)) } else { Ok(()) };
    if let Err(what) = written {
        eprintln!("the results are not written: {what}");
        return ExitCode::FAILURE;
    }
    if bench.failures.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("results that differ:\n  {}", bench.failures.join("\n  "));
    ExitCode::FAILURE
}
