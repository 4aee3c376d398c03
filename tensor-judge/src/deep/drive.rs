//! Workers on all processors, and what they found.

use super::worker::{listen, on_stack};
use super::{Family, KEPT, Options, SHARES, family, fault, kept, program};
use crate::check::Case;
use crate::mutate::sound;
use crate::reduce::{PATIENCE, kind, note, reduced};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How many programs a worker judges before it ends.
const BATCH: u64 = 500;

/// What has been seen so far.
#[derive(Default)]
struct Seen {
    /// The numbers of the programs that nobody judges yet.
    left: Vec<Range<u64>>,
    judged: u64,
    /// Numbers without a program, or without a size at which it is judged.
    none: u64,
    /// Numbers and messages, by what is wrong.
    faults: BTreeMap<String, Vec<(u64, String)>>,
    /// Places that the verifier leaves undecided.
    undecided: u64,
    last_line: Option<Instant>,
}

impl Seen {
    /// The next numbers, at most so many; the last range that is left comes first.
    fn batch(&mut self, size: u64) -> Range<u64> {
        while self.left.last().is_some_and(Range::is_empty) {
            self.left.pop();
        }
        let Some(left) = self.left.last_mut() else { return 0..0 };
        let batch = left.start..left.end.min(left.start + size);
        left.start = batch.end;
        batch
    }

    fn fault(&mut self, number: u64, message: &str) {
        let name = family(number).0.name();
        println!("program {}: {message}", label(number));
        let kind = format!("{name} {}", kind(message));
        self.faults.entry(kind).or_default().push((number, message.to_string()));
    }

    /// Programs an hour, and what was found.
    fn progress(&self, start: Instant) -> String {
        let hours = start.elapsed().as_secs_f64() / 3600.0;
        let found: usize = self.faults.values().map(Vec::len).sum();
        let kinds = self.faults.len();
        let hourly = (self.judged as f64 / hours.max(1e-9)).round();
        let undecided = self.undecided;
        format!(
            "{} programs, {hourly} an hour, {found} faults of {kinds} kinds, {undecided} places undecided",
            self.judged
        )
    }
}

/// What a program is called: `7 (wide)`, or by its file.
fn label(number: u64) -> String {
    let (family, k) = family(number);
    match kept().get(k as usize).filter(|_| family == Family::Kept) {
        Some((name, _)) => format!("{name} (kept)"),
        None => format!("{number} ({})", family.name()),
    }
}

/// Judges all programs of a range. Whether nothing was found.
///
/// # Errors
/// A worker cannot be started, or a file not be written.
pub fn drive(options: &Options) -> Result<bool, String> {
    let start = Instant::now();
    let kept = KEPT..KEPT + if options.kept { kept().len() as u64 } else { 0 };
    let left = vec![options.programs.clone(), kept];
    let seen = Mutex::new(Seen { left, last_line: Some(start), ..Seen::default() });
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let shares: Vec<String> = SHARES.iter().map(|(f, n)| format!("{n} {}", f.name())).collect();
    println!("programs {:?} on {workers} processors, of twenty: {}", options.programs, shares.join(", "));
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..workers).map(|_| scope.spawn(|| batches(options, &seen, start))).collect();
        all.into_iter().try_for_each(|t| t.join().map_err(|_| "a panic".to_string())?)
    })?;
    let seen = seen.into_inner().map_err(|e| e.to_string())?;
    println!("{} ({} numbers without what is judged)", seen.progress(start), seen.none);
    if options.first {
        let all = seen.faults.values().flatten();
        let first = all.min().map(|(number, message)| format!("{}: {message}", label(*number)));
        println!("{}", first.map_or("nothing".to_string(), |f| format!("after {}, {f}", seen.judged)));
        return Ok(seen.faults.is_empty());
    }
    if !options.dry {
        report(options, &seen)?;
    }
    Ok(seen.faults.is_empty())
}

/// Takes batches as long as there are programs and time.
fn batches(options: &Options, seen: &Mutex<Seen>, start: Instant) -> Result<(), String> {
    let size = if options.first { BATCH / 10 } else { BATCH };
    loop {
        let left = options.seconds.map(|s| s.saturating_sub(start.elapsed().as_secs()));
        let mut batch = {
            let mut seen = seen.lock().map_err(|e| e.to_string())?;
            if options.first && !seen.faults.is_empty() {
                return Ok(());
            }
            seen.batch(size)
        };
        if batch.is_empty() || left == Some(0) {
            return Ok(());
        }
        while !batch.is_empty() {
            let part = Options { programs: batch.clone(), seconds: left, ..options.clone() };
            batch.start = judged(&part, seen, start)?;
        }
    }
}

/// One worker; the number after the last program that it answered for.
fn judged(options: &Options, seen: &Mutex<Seen>, start: Instant) -> Result<u64, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(program);
    command.arg("--worker").arg(format!("{}..{}", options.programs.start, options.programs.end));
    command.arg("--sizes").arg(options.sizes.to_string());
    options.with.iter().for_each(|text| {
        command.arg("--with").arg(text);
    });
    if !options.except.is_empty() {
        let all: Vec<String> = options.except.iter().map(ToString::to_string).collect();
        command.arg("--except").arg(all.join(","));
    }
    if let Some(s) = options.seconds {
        command.arg("--seconds").arg(s.to_string());
    }
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|e| e.to_string())?;
    let lines = child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines);
    let mut last = None;
    for line in lines {
        let line = line.map_err(|e| e.to_string())?;
        let mut words = line.splitn(3, ' ');
        let (what, number) =
            (words.next().unwrap_or_default(), words.next().and_then(|n| n.parse::<u64>().ok()));
        let Some(number) = number else { continue };
        let mut seen = seen.lock().map_err(|e| e.to_string())?;
        last = Some((number, what == "start"));
        seen.judged += u64::from(!matches!(what, "start" | "none" | "undecided"));
        seen.none += u64::from(what == "none");
        match what {
            "fault" => {
                seen.fault(number, words.next().unwrap_or_default());
                if options.first {
                    child.kill().and_then(|()| child.wait()).map_err(|e| e.to_string())?;
                    return Ok(options.programs.end);
                }
            }
            "undecided" => seen.undecided += words.next().and_then(|n| n.parse().ok()).unwrap_or(0),
            "slow" | "memory" => seen.fault(number, what),
            _ => {}
        }
        if seen.last_line.is_none_or(|t| t.elapsed() >= Duration::from_secs(60)) {
            seen.last_line = Some(Instant::now());
            println!("{}", seen.progress(start));
        }
    }
    let sound = child.wait().map_err(|e| e.to_string())?.success();
    match last {
        _ if sound => Ok(options.programs.end),
        // It died in the middle of one.
        Some((number, true)) => {
            seen.lock().map_err(|e| e.to_string())?.fault(number, "crash");
            Ok(number + 1)
        }
        Some((number, false)) => Ok(number + 1),
        None => Err("a worker died at its start".to_string()),
    }
}

/// Makes the first of each kind small, and writes it.
fn report(options: &Options, seen: &Seen) -> Result<(), String> {
    listen();
    let mut told: BTreeMap<String, String> = BTreeMap::new();
    for (what, all) in &seen.faults {
        let (number, message) = &all[0];
        let text = on_stack(|| small(*number, options.sizes))?;
        // What ends the process cannot be tried again here.
        let ends = matches!(message.as_str(), "crash" | "slow" | "memory");
        let text = if ends { raw(*number, options.sizes, message) } else { text };
        println!("\n{} × {what}, first {}\n{text}", all.len(), label(*number));
        told.insert(text.lines().next().map(kind).unwrap_or_default(), format!("{text}\n"));
    }
    if !told.is_empty() {
        std::fs::create_dir_all(&options.keep).map_err(|e| e.to_string())?;
    }
    for (what, text) in &told {
        let words = what.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
        let name = words.collect::<Vec<_>>().join("_");
        let path = options.keep.join(format!("{name}.txt"));
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// What is wrong with the program of a number, made small: the text of a file for the folder `kept`.
fn small(number: u64, sizes: usize) -> String {
    let Some(f) = program(number, sizes).and_then(fault) else {
        return format!("// program {number} does not fail again");
    };
    // Parts that go must not make what is no number of what is one.
    let is_sound = |c: &Case| !sound(c.clone()).sizes.is_empty();
    let was_sound = is_sound(&f.case);
    let judge = |c: &Case| if was_sound && !is_sound(c) { Ok(()) } else { (f.judge)(c) };
    let case = reduced(&f.case, &judge, PATIENCE);
    note(&case, &*f.judge, f.rule, &f.message)
}

/// The program of a number as it is.
fn raw(number: u64, sizes: usize, what: &str) -> String {
    match program(number, sizes) {
        Some(super::Program::One(case, _)) => {
            format!("// {what}, at sizes {:?}\n{}", case.sizes, case.source)
        }
        Some(super::Program::Two(case, other, _)) => {
            format!("// {what}\n{}\n// rewritten\n{}", case.source, other.source)
        }
        None => format!("// {what}: program {number}"),
    }
}
