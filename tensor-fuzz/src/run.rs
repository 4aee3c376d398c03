//! Long runs. A worker process answers for a batch of inputs; the driver starts it again after the input that ended it (an overflow of the
//! stack cannot be caught), so that one failure does not hide the next.
//!
//! A worker writes lines: `start N` before each input if it traces, `failure N WHAT says MORE`, `input N TEXT` after it, `hang N` or
//! `memory N` where it gives up, `message N SIZE TEXT`, `count COMPILED`.

use crate::corpus::{corpus, failed, kept, kept_inputs};
use crate::judge::{STACK, Verdict, judge, listen};
use crate::shrink::{shrink, shrink_to};
use crate::tree::Tree;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tensor_judge::limits::{Clock, resident};

/// What to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Of which run.
    pub seed: u64,
    /// The first input.
    pub first: u64,
    /// How many inputs.
    pub count: Option<u64>,
    /// Whether to add to the kept inputs.
    pub keep: bool,
    /// Whether this is a worker.
    pub worker: bool,
    /// Whether the worker says each input before it runs.
    pub trace: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { seed: 1, first: 0, count: None, keep: false, worker: false, trace: false }
    }
}

/// How many inputs a worker runs.
const BATCH: u64 = 10_000;

/// A worker gives up on an input after this time.
const HANGS: Duration = Duration::from_secs(20);

/// A worker gives up on an input when it holds so many bytes: a compiler that takes them all takes the machine down.
const MEMORY: u64 = 2 << 30;

/// The input that a worker runs, and the clock of the worker with what it read at the start.
type Now = Mutex<Option<(u64, Clock, Duration)>>;

/// What an error message begins with, but for what it quotes and its numbers.
#[must_use]
pub fn shape(message: &str) -> String {
    let message = message.trim_matches('"');
    let quotes = message.split('`').enumerate().map(|(k, part)| if k % 2 == 0 { part } else { "_" });
    let text: String = quotes.collect();
    let text = text.split([':', ';', '(', '\\']).next().unwrap_or_default().trim_end();
    text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
}

/// Runs `work` on a stack of the size that rustc gives to macros.
///
/// # Errors
/// Where it panics, or there is no thread.
pub fn on_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).map_err(|e| e.to_string())?;
    thread.join().map_err(|_| "the driver panicked".to_string())
}

/// Runs inputs, and writes what came of them.
///
/// # Errors
/// Where the corpus cannot be read.
pub fn worker(options: &Options, count: u64) -> Result<(), String> {
    listen();
    let now: Arc<Now> = Arc::default();
    let (at, o) = (Arc::clone(&now), options.clone());
    let work = std::thread::Builder::new().stack_size(STACK).spawn(move || answer(&o, count, &at));
    let work = work.map_err(|e| e.to_string())?;
    while !work.is_finished() {
        std::thread::sleep(Duration::from_millis(20));
        let current = now.lock().map_err(|e| e.to_string())?;
        if let Some((number, clock, start)) = &*current
            && let Some(why) = gives_up(clock.read().saturating_sub(*start))
        {
            println!("{why} {number}");
            std::process::exit(3);
        }
    }
    work.join().map_err(|_| "the worker panicked".to_string())?
}

/// Why no more is to be waited for an input that has run for so long.
fn gives_up(time: Duration) -> Option<&'static str> {
    if time > HANGS {
        return Some("hang");
    }
    (resident() > MEMORY).then_some("memory")
}

fn answer(options: &Options, count: u64, at: &Now) -> Result<(), String> {
    let set = |value| at.lock().map(|mut now| *now = value).map_err(|e| e.to_string());
    let clock = Clock::of_this_thread();
    let corpus = corpus().map_err(|e| e.to_string())?;
    let mut compiled = 0_u64;
    let mut messages: BTreeMap<String, (usize, u64)> = BTreeMap::new();
    for number in options.first..options.first + count {
        if options.trace {
            println!("start {number}");
        }
        let input = crate::input(&corpus, options.seed, number);
        set(Some((number, clock.clone(), clock.read())))?;
        let verdict = judge(&input.tokens());
        if let Some(what) = verdict.failure() {
            println!("failure {number} {what}\ninput {number} {}", line(&input));
        }
        match verdict {
            Verdict::Compiles => compiled += 1,
            Verdict::Mistake(message) => {
                let size = input.places();
                let best = messages.entry(shape(&message)).or_insert((size, number));
                *best = (*best).min((size, number));
            }
            Verdict::Panics(_) | Verdict::Gap(_) | Verdict::Slow(_) => {}
        }
        set(None)?;
    }
    for (message, (size, number)) in messages {
        println!("message {number} {size} {message}");
    }
    println!("count {compiled}");
    Ok(())
}

/// What the driver has seen.
#[derive(Default)]
struct Seen {
    compiled: u64,
    /// By what they have in common: how many, and the text of the shortest.
    failures: BTreeMap<String, (u64, String)>,
    /// By message: size and number of the shortest input.
    messages: BTreeMap<String, (usize, u64)>,
}

/// A run in batches. Whether all inputs were answered.
///
/// # Errors
/// Where a worker cannot be started, or a file not be read or written.
pub fn drive(options: &Options, count: u64) -> Result<bool, String> {
    let start = Instant::now();
    let (mut seen, mut next, end) = (Seen::default(), options.first, options.first + count);
    while next < end {
        let batch = BATCH.min(end - next);
        let (lines, sound) = start_worker(options, next, batch, false)?;
        let last = seen.read(&lines);
        next = match (sound, last) {
            (true, _) => next + batch,
            (false, Some((why, number))) => {
                seen.fail(&why, &text(options.seed, number)?);
                number + 1
            }
            (false, None) => {
                // It died: the last input that it started is to blame.
                let (lines, _) = start_worker(options, next, batch, true)?;
                let last =
                    lines.lines().filter_map(|l| l.strip_prefix("start ")?.parse::<u64>().ok()).next_back();
                let number = last.ok_or_else(|| format!("a worker died at its start:\n{lines}"))?;
                seen.fail("crash", &text(options.seed, number)?);
                seen.read(&lines);
                number + 1
            }
        };
        let failures: u64 = seen.failures.values().map(|f| f.0).sum();
        println!(
            "{} inputs, {} compile, {} messages, {failures} failures, {:.0?}",
            next - options.first,
            seen.compiled,
            seen.messages.len(),
            start.elapsed()
        );
    }
    seen.report(options)?;
    Ok(seen.failures.is_empty())
}

fn start_worker(options: &Options, first: u64, count: u64, trace: bool) -> Result<(String, bool), String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(program);
    command.arg(count.to_string()).arg("--worker").arg("--seed").arg(options.seed.to_string());
    command.arg("--first").arg(first.to_string());
    if trace {
        command.arg("--trace");
    }
    let output = command.stderr(Stdio::inherit()).output().map_err(|e| e.to_string())?;
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success()))
}

impl Seen {
    fn fail(&mut self, what: &str, text: &str) {
        println!("{what}: {text}");
        let entry = self.failures.entry(what.to_string()).or_insert((0, text.to_string()));
        entry.0 += 1;
        if text.len() < entry.1.len() {
            entry.1 = text.to_string();
        }
    }

    /// What a worker wrote; why it gave up, and the number of the input.
    fn read(&mut self, lines: &str) -> Option<(String, u64)> {
        let (mut given_up, mut what) = (None, "");
        for line in lines.lines() {
            let mut words = line.splitn(3, ' ');
            let (kind, number) = (words.next(), words.next().and_then(|n| n.parse::<u64>().ok()));
            let rest = words.next().unwrap_or_default();
            match (kind, number) {
                (Some("failure"), Some(_)) => what = rest,
                (Some("input"), Some(_)) => self.fail(what, rest),
                (Some(why @ ("hang" | "memory")), Some(n)) => given_up = Some((why.to_string(), n)),
                (Some("count"), Some(n)) => self.compiled += n,
                (Some("message"), Some(n)) => {
                    let (size, message) = rest.split_once(' ').unwrap_or_default();
                    let new = (size.parse().unwrap_or(usize::MAX), n);
                    let best = self.messages.entry(message.to_string()).or_insert(new);
                    *best = (*best).min(new);
                }
                _ => {}
            }
        }
        given_up
    }

    /// Writes one short input for each failure, and for each new message if that is asked for.
    fn report(&self, options: &Options) -> Result<(), String> {
        listen();
        for (what, (count, text)) in &self.failures {
            let file = write(&failed(), what, text)?;
            println!("\n{count} × {what}: {file}");
            // What ends the process cannot be tried again here.
            if !matches!(what.as_str(), "crash" | "hang" | "memory") {
                let short = Tree::parse(text).map_or_else(|| text.clone(), |t| line(&shrink(&t)));
                write(&failed(), what, &short)?;
                println!("{short}");
            }
        }
        if options.keep { self.keep(options.seed) } else { Ok(()) }
    }

    /// One line for each message, with the shortest input that is known; and the programs without mistakes that are kept.
    fn keep(&self, seed: u64) -> Result<(), String> {
        let corpus = corpus().map_err(|e| e.to_string())?;
        let mut best: BTreeMap<String, String> = BTreeMap::new();
        for text in kept_inputs().map_err(|e| e.to_string())? {
            let Some(tree) = Tree::parse(&text) else { continue };
            let shown = message(&tree).unwrap_or_else(|| format!("compiles {text}"));
            let old = best.entry(shown).or_insert_with(|| text.clone());
            if text.len() < old.len() {
                *old = text;
            }
        }
        for (wanted, (_, number)) in &self.messages {
            if !best.contains_key(wanted) {
                let input = crate::input(&corpus, seed, *number);
                let short = shrink_to(&input, |t| message(t).as_ref() == Some(wanted));
                best.insert(wanted.clone(), line(&short));
            }
        }
        let lines: String = best.values().map(|text| format!("{text}\n")).collect();
        std::fs::write(kept(), lines).map_err(|e| e.to_string())
    }
}

/// The shape of the first message that an input gets.
fn message(input: &Tree) -> Option<String> {
    match judge(&input.tokens()) {
        Verdict::Mistake(text) => Some(shape(&text)),
        Verdict::Compiles | Verdict::Panics(_) | Verdict::Gap(_) | Verdict::Slow(_) => None,
    }
}

fn text(seed: u64, number: u64) -> Result<String, String> {
    let corpus = corpus().map_err(|e| e.to_string())?;
    Ok(line(&crate::input(&corpus, seed, number)))
}

/// The text of an input, in one line.
fn line(input: &Tree) -> String {
    input.tokens().to_string().replace('\n', " ")
}

/// Writes an input to a file named after what it shows.
fn write(folder: &Path, what: &str, text: &str) -> Result<String, String> {
    let words = what.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    let name: String = words.collect::<Vec<_>>().join("-").chars().take(70).collect();
    std::fs::create_dir_all(folder).map_err(|e| e.to_string())?;
    let path = folder.join(format!("{name}.txt"));
    std::fs::write(&path, format!("{text}\n")).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path.file_name().unwrap_or_default().to_string_lossy().into_owned())
}
