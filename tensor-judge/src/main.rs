//! `cargo run --release -p tensor-judge -- 0..100000`: see `--help`.

use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tensor_judge::deep::{Options, drive, worker};

const HELP: &str = "\
Judges the compiler of tensor! by programs of all families, on all processors.

usage: tensor-judge [FIRST..END] [--random] [--sizes N] [--seconds S] [--keep DIR] [--first] [--dry] [--except N,N] [--with TEXT]

FIRST..END   the numbers of the programs; each number is always the same program
--random     these alone; otherwise those that once went wrong, in the folder `kept`, are judged first
--sizes N    judge a changed or rewritten program at so many sizes (3)
--seconds S  begin no program after so many seconds
--keep DIR   where what is found is written, made small (target/found)
--first      end with the first fault, and write nothing
--dry        write nothing
--except N,N leave out the programs of these numbers
--with TEXT  judge only programs in which this text stands, or another one that is given so: those that a change concerns

What is found has one file for each kind of fault, ready for the folder `kept`. The exit code is 1 if there are any.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match go(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            // Nothing can be done if this fails too.
            let _ = writeln!(std::io::stderr(), "tensor-judge: {message}");
            ExitCode::from(2)
        }
    }
}

/// Whether nothing was found.
fn go(arguments: &[String]) -> Result<bool, String> {
    let keep: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/found");
    let mut options = Options {
        programs: 0..0,
        kept: true,
        sizes: 3,
        seconds: None,
        keep,
        first: false,
        dry: false,
        except: vec![],
        with: vec![],
    };
    let mut is_worker = false;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{argument} needs a value; --help says more"));
        let number = |text: &String| text.parse::<u64>().map_err(|e| format!("{text}: {e}"));
        match argument.as_str() {
            "--help" | "-h" => {
                print!("{HELP}");
                return Ok(true);
            }
            "--sizes" => {
                options.sizes = usize::try_from(number(value()?)?).map_err(|e| e.to_string())?.max(1)
            }
            "--seconds" => options.seconds = Some(number(value()?)?),
            "--keep" => options.keep = value()?.into(),
            "--random" => options.kept = false,
            "--first" => options.first = true,
            "--dry" => options.dry = true,
            "--except" => options.except = value()?.split(',').filter_map(|n| n.parse().ok()).collect(),
            "--with" => options.with.push(value()?.clone()),
            // What the driver calls itself with.
            "--worker" => is_worker = true,
            flag if flag.starts_with("--") => return Err(format!("no flag {flag}; --help lists them")),
            range => options.programs = parsed(range)?,
        }
    }
    if options.programs.is_empty() && !options.kept {
        return Err("which programs? --help says more".to_string());
    }
    if is_worker { worker(&options).map(|()| true) } else { drive(&options) }
}

/// `0..100`
fn parsed(text: &str) -> Result<Range<u64>, String> {
    let ends = text.split_once("..").and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    ends.ok_or_else(|| format!("`{text}` is not a range as 0..100; --help says more"))
}
