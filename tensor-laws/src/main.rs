//! `cargo run --release -p tensor-laws -- vjp`: see `HELP`.

use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use tensor_laws::families::{Family, all};
use tensor_laws::measure::counts;

const HELP: &str = "\
Compiles families of programs that grow, and shows how what that takes grows with them.

usage: tensor-laws [PART] [--seconds S]   the families whose names contain PART, each up to S seconds a program (10)
       tensor-laws text NAME K            prints a program
       tensor-laws one NAME K             compiles one, and prints what it took
";

/// How often it is looked whether a program is compiled.
const PAUSE: Duration = Duration::from_millis(2);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["text", name, k] => program(name, k).map(|text| println!("{text}")),
        ["one", name, k] => program(name, k).map(|text| one(&text)),
        ["--help"] => {
            print!("{HELP}");
            Some(())
        }
        [] => table("", 10.0),
        [part] => table(part, 10.0),
        [part, "--seconds", s] => s.parse().ok().and_then(|s| table(part, s)),
        _ => None,
    };
    if done.is_some() {
        return ExitCode::SUCCESS;
    }
    eprint!("{HELP}");
    ExitCode::FAILURE
}

fn program(name: &str, k: &str) -> Option<String> {
    Some(all().into_iter().find(|f| f.name == name)?.program(k.parse().ok()?))
}

/// Seconds, then the counts, then the error.
fn one(text: &str) {
    let start = Instant::now();
    let counts = counts(text);
    let time = start.elapsed().as_secs_f64();
    let each = counts.each().map(|(_, count)| count.to_string()).join(" ");
    println!("{time} {} {each} {}", counts.before, counts.error.unwrap_or_default());
}

/// Each family at sizes that double, each program in a process of its own.
fn table(part: &str, seconds: f64) -> Option<()> {
    for f in all().iter().filter(|f| f.name.contains(part)) {
        let mut k = f.from;
        let mut last: Option<Vec<f64>> = None;
        while k <= f.most {
            let Some(words) = compiled(f, k, seconds) else {
                println!("{:32} k={k:<6} more than {seconds} s, or it ends the process", f.name);
                break;
            };
            let numbers: Vec<f64> = words.iter().map_while(|w| w.parse().ok()).collect();
            let growth = |n: usize| last.as_ref().map_or(0.0, |l| numbers[n] / l[n].max(1e-9));
            let grown = |n: usize, name: &str| format!("{name} {} ({:.1})", numbers[n], growth(n));
            let names = ["tokens", "visits", "steps", "pairs", "allocations", "bytes"];
            let all: Vec<String> = (2..8).map(|n| grown(n, names[n - 2])).collect();
            let error = words[numbers.len()..].join(" ");
            println!(
                "{:32} k={k:<6} {:7.3} s ({:.1})  {} {error}",
                f.name,
                numbers[0],
                growth(0),
                all.join("  ")
            );
            if !error.is_empty() {
                break;
            }
            last = Some(numbers);
            k *= 2;
        }
    }
    Some(())
}

/// The words that [`one`] prints of a program; `None` where it takes longer.
fn compiled(f: &Family, k: usize, seconds: f64) -> Option<Vec<String>> {
    let mut child = Command::new(std::env::current_exe().ok()?)
        .args(["one", &f.name, &k.to_string()])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .ok()?;
    let start = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if start.elapsed().as_secs_f64() > seconds {
            child.kill().ok()?;
        }
        std::thread::sleep(PAUSE);
    }
    let out = child.wait_with_output().ok()?;
    let text = String::from_utf8_lossy(&out.stdout);
    out.status.success().then(|| text.split_whitespace().map(str::to_string).collect())
}
