//! `cargo run -p tensor-explain -- FILE.rs`: see `--help`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tensor_explain::{explain, html, report, text};

const HELP: &str = "\
Shows what tensor! makes of each function of each block in a Rust file: source, normal form, derivatives, cost and memory as polynomials in
the sizes, what is stored and why, loops, generated Rust.

usage: tensor-explain [--html [-o PAGE.html]] [--only NAME] FILE.rs...

FILE.rs       a file with tensor! blocks: items or expressions
--html        write one self-contained page, with the data-flow graphs, instead of text
-o PAGE.html  where to (the name of the first file, with .html, in the current folder)
--passes      the loops of each function and its derivatives after each pass that makes them, and nothing else
--only NAME   the functions of this name only
--help        this

The exit code is 0 if all is well, 1 if a block has mistakes (they are shown, with line and column), 2 if nothing can be shown.
";

#[derive(Default)]
struct Options {
    html: bool,
    passes: bool,
    output: Option<PathBuf>,
    only: Option<String>,
    files: Vec<String>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            say(&mut std::io::stderr(), &format!("tensor-explain: {message}\n"));
            ExitCode::from(2)
        }
    }
}

/// Writes, as far as someone reads: `| head` closes the other end.
fn say(out: &mut impl Write, text: &str) {
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn parse(arguments: &[String]) -> Result<Option<Options>, String> {
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = |what: &str| rest.next().cloned().ok_or_else(|| format!("{argument} needs {what}"));
        match argument.as_str() {
            "--help" | "-h" => return Ok(None),
            "--html" => options.html = true,
            "--passes" => options.passes = true,
            "-o" => options.output = Some(value("the name of a file")?.into()),
            "--only" => options.only = Some(value("the name of a function")?),
            flag if flag.starts_with('-') => {
                return Err(format!("there is no flag `{flag}`: --help lists them"));
            }
            file => options.files.push(file.to_string()),
        }
    }
    if options.files.is_empty() {
        return Err("which file? --help says more".to_string());
    }
    if options.output.is_some() && !options.html {
        return Err("-o is where --html writes: give both".to_string());
    }
    if options.passes && options.html {
        return Err("--passes is text, --html a page: give one".to_string());
    }
    Ok(Some(options))
}

/// Whether there are no mistakes.
fn run(arguments: &[String]) -> Result<bool, String> {
    let Some(options) = parse(arguments)? else {
        say(&mut std::io::stdout(), HELP);
        return Ok(true);
    };
    let mut files = vec![];
    for name in &options.files {
        let source = std::fs::read_to_string(name).map_err(|e| format!("{name}: {e}"))?;
        files.push(explain(name, &source)?);
    }
    if let Some(name) = &options.only {
        let found = files.iter_mut().fold(false, |found, f| f.retain(name) | found);
        if !found && files.iter().all(report::File::is_sound) {
            return Err(format!("there is no function `{name}` in a block without mistakes"));
        }
    }
    if options.html {
        let stem = Path::new(&options.files[0]).file_stem().unwrap_or_default();
        let path = options.output.unwrap_or_else(|| Path::new(stem).with_extension("html"));
        std::fs::write(&path, html::page(&files)).map_err(|e| format!("{}: {e}", path.display()))?;
        say(&mut std::io::stdout(), &format!("{}\n", path.display()));
        for file in &files {
            file.problems().for_each(|p| say(&mut std::io::stderr(), &text::problem(file, p)));
        }
    } else {
        let text = if options.passes { text::passes } else { text::page };
        files.iter().for_each(|f| say(&mut std::io::stdout(), &text(f)));
    }
    Ok(files.iter().all(report::File::is_sound))
}
