//! What the compiler makes of an input.

use proc_macro2::{TokenStream, TokenTree};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::Duration;
use tensor_judge::limits::Clock;

/// No input may take longer, of the time of a processor where the system tells that: machines are busy.
pub const SLOW: Duration = Duration::from_secs(1);

/// The stack of the thread on which rustc runs macros.
pub const STACK: usize = 8 << 20;

/// What came of an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It was compiled.
    Compiles,
    /// It has mistakes: the first message.
    Mistake(String),
    /// The compiler panics: where and what.
    Panics(String),
    /// What it expands to has a mistake inside: a gap in the compiler.
    Gap(String),
    /// It answers too late.
    Slow(Duration),
}

impl Verdict {
    /// What two failures of one cause have in common; `None` if this is no failure.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        match self {
            Verdict::Compiles | Verdict::Mistake(_) => None,
            Verdict::Panics(message) => Some(message.split(" says ").next().unwrap_or_default().to_string()),
            Verdict::Gap(_) => Some("gap".to_string()),
            Verdict::Slow(_) => Some("slow".to_string()),
        }
    }
}

/// Where the last panic was.
static PLACE: Mutex<String> = Mutex::new(String::new());

/// Keeps panics silent, and remembers where they were. Call it once, before [`judge`].
pub fn listen() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
        if let Ok(mut last) = PLACE.lock() {
            *last = place;
        }
    }));
}

/// Runs the whole compiler on an input. What was slow is run again: the first time may be an accident.
#[must_use]
pub fn judge(input: &TokenStream) -> Verdict {
    let (mut verdict, mut time) = once(input);
    for _ in 0..2 {
        if time <= SLOW {
            break;
        }
        let (again, shorter) = once(input);
        verdict = again;
        time = time.min(shorter);
    }
    if time > SLOW && verdict.failure().is_none() { Verdict::Slow(time) } else { verdict }
}

fn once(input: &TokenStream) -> (Verdict, Duration) {
    let clock = Clock::of_this_thread();
    let start = clock.read();
    let outcome = catch_unwind(AssertUnwindSafe(|| tensor_core::compile(input.clone())));
    let verdict = match outcome {
        Ok(tokens) => match (mistake(&tokens), gap(&tokens)) {
            (Some(message), _) => Verdict::Mistake(message),
            (None, Some(message)) => Verdict::Gap(message),
            (None, None) => Verdict::Compiles,
        },
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_string()));
            let place = PLACE.lock().map(|p| p.clone()).unwrap_or_default();
            Verdict::Panics(format!("{place} says {}", text.unwrap_or_default()))
        }
    };
    (verdict, clock.read().saturating_sub(start))
}

/// The message of the first `compile_error!`.
fn mistake(tokens: &TokenStream) -> Option<String> {
    let mut seen = false;
    for t in tokens.clone() {
        match t {
            TokenTree::Ident(i) => seen = i == "compile_error",
            TokenTree::Group(g) if seen => return Some(g.stream().to_string()),
            TokenTree::Group(g) => {
                // An inline block with mistakes is a block of Rust with their reports first.
                let first = g.stream().into_iter().nth(5);
                if matches!(first, Some(TokenTree::Ident(i)) if i == "compile_error") {
                    return mistake(&g.stream());
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    None
}

/// The message of a `compile_error!` anywhere inside.
fn gap(tokens: &TokenStream) -> Option<String> {
    let mut seen = false;
    for t in tokens.clone() {
        match t {
            TokenTree::Ident(i) => seen = i == "compile_error",
            TokenTree::Group(g) if seen => return Some(g.stream().to_string()),
            TokenTree::Group(g) => {
                if let Some(message) = gap(&g.stream()) {
                    return Some(message);
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    None
}
