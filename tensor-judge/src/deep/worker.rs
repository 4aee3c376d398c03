//! A process that judges programs, one after the other.
//!
//! It writes a line `start N` before each, and `done N`, `none N` (it was judged at no size) or `fault N MESSAGE` after it, and before that `undecided N PLACES` if there are any; `slow N` or `memory N`
//! where it gives up.

use super::{Options, fault, program};
use crate::judged;
use crate::limits::{Clock, resident};
use crate::made::undecided;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tensor_core::loops::verify::proving;

/// What a program may take of a processor, without the proofs of its loops.
const SLOW: Duration = Duration::from_secs(60);

/// What it may take with them.
const WITH_PROOFS: Duration = Duration::from_secs(600);

/// What a process may hold.
const MEMORY: u64 = 3 << 30;

/// The stack of the thread that judges: evaluators recurse.
const STACK: usize = 256 << 20;

/// Where the last panic was.
static PLACE: Mutex<String> = Mutex::new(String::new());

/// Where the last panic was, if [`listen`] was called before it.
pub(super) fn place() -> String {
    PLACE.lock().map(|p| p.clone()).unwrap_or_default()
}

/// Keeps panics silent, and remembers where they were.
pub(super) fn listen() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
        if let Ok(mut last) = PLACE.lock() {
            *last = place;
        }
    }));
}

/// Runs `work` on a stack that is large enough.
///
/// # Errors
/// There is no thread, or it panics.
pub(super) fn on_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        thread.map_err(|e| e.to_string())?.join().map_err(|_| "a panic".to_string())
    })
}

/// The program that is judged, the clock, and what it read at the start with the time that proofs had taken.
type Now = Mutex<Option<(u64, Clock, [Duration; 2])>>;

/// Judges the programs of a range, and writes what came of them.
///
/// # Errors
/// There is no thread.
pub fn worker(options: &Options) -> Result<(), String> {
    listen();
    let now: Arc<Now> = Arc::default();
    let (at, o) = (Arc::clone(&now), options.clone());
    let work = std::thread::Builder::new().stack_size(STACK).spawn(move || all(&o, &at));
    let work = work.map_err(|e| e.to_string())?;
    while !work.is_finished() {
        std::thread::sleep(Duration::from_millis(50));
        let current = now.lock().map_err(|e| e.to_string())?;
        let Some((number, clock, start)) = &*current else { continue };
        let all = clock.read().saturating_sub(start[0]);
        let proofs = proving().saturating_sub(start[1]);
        let why = match all.saturating_sub(proofs) > SLOW || all > WITH_PROOFS {
            true => "slow",
            false if resident() > MEMORY => "memory",
            false => continue,
        };
        println!("{why} {number}");
        std::process::exit(3);
    }
    work.join().map_err(|_| "the worker panicked".to_string())
}

fn all(options: &Options, at: &Now) {
    let start = Instant::now();
    let clock = Clock::of_this_thread();
    for number in options.programs.clone().filter(|n| !options.except.contains(n)) {
        if options.seconds.is_some_and(|s| start.elapsed() >= Duration::from_secs(s)) {
            return;
        }
        println!("start {number}");
        if let Ok(mut now) = at.lock() {
            *now = Some((number, clock.clone(), [clock.read(), proving()]));
        }
        let (before, judged_before) = (undecided(), judged::count());
        let verdict = match program(number, options.sizes).filter(|p| p.has(&options.with)) {
            None => format!("none {number}"),
            Some(p) => match fault(p) {
                None if judged::count() == judged_before => format!("none {number}"),
                None => format!("done {number}"),
                Some(f) => format!("fault {number} {}", f.message.lines().next().unwrap_or_default()),
            },
        };
        if let Ok(mut now) = at.lock() {
            *now = None;
        }
        if undecided() > before {
            println!("undecided {number} {}", undecided() - before);
        }
        println!("{verdict}");
        // What reads this wants each line at once.
        let _ = std::io::stdout().flush();
    }
}
