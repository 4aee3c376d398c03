//! What compiling a program takes, in counts that do not depend on the machine.

use proc_macro2::{TokenStream, TokenTree};
use std::str::FromStr;
use tensor_core::tally::{self, Tally};

/// The stack of a thread of rustc.
pub const STACK: usize = 8 << 20;

/// What compiling a program took.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// The tokens of the program.
    pub before: u64,
    /// The tokens of its expansion.
    pub tokens: u64,
    /// The statements that simplification looked at, in all rounds.
    pub visits: u64,
    /// The row operations of the index solver.
    pub steps: u64,
    /// The pairs that the schedule compared.
    pub pairs: u64,
    /// How often memory was asked for.
    pub allocations: u64,
    /// The most bytes that were held at once.
    pub bytes: u64,
    /// The simplifications that ended before their fixpoint.
    pub unfinished: u64,
    /// The first error, if the program is refused.
    pub error: Option<String>,
}

impl Counts {
    /// Those of which laws are asked, by name.
    #[must_use]
    pub fn each(&self) -> [(&'static str, u64); 6] {
        [
            ("tokens", self.tokens),
            ("visits", self.visits),
            ("steps", self.steps),
            ("pairs", self.pairs),
            ("allocations", self.allocations),
            ("bytes", self.bytes),
        ]
    }
}

/// Compiles a program on a stack as large as that of rustc.
///
/// # Panics
/// The program is no sequence of tokens, the system gives no thread, or the compiler panics.
#[must_use]
pub fn counts(program: &str) -> Counts {
    tensor_core::loops::verify::without_proofs();
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let work = || here(program);
        thread.spawn_scoped(scope, work).expect("a thread").join().expect("the compiler does not panic")
    })
}

fn here(program: &str) -> Counts {
    let source = TokenStream::from_str(program).expect("tokens");
    let before = tokens(source.clone());
    let mut out = TokenStream::new();
    let marks = [Tally::Visits, Tally::Steps, Tally::Pairs, Tally::Unfinished];
    let at = marks.map(tally::count);
    let memory = allocation_counter::measure(|| out = tensor_core::compile(source));
    let after = marks.map(tally::count);
    let [visits, steps, pairs, unfinished] = std::array::from_fn(|k| after[k] - at[k]);
    let error = message(out.clone());
    Counts {
        before,
        tokens: tokens(out),
        visits,
        steps,
        pairs,
        allocations: memory.count_total,
        bytes: memory.bytes_max,
        unfinished,
        error,
    }
}

/// How many tokens there are; a group counts its delimiters.
fn tokens(all: TokenStream) -> u64 {
    let mut count = 0;
    let mut open = vec![all.into_iter()];
    while let Some(last) = open.last_mut() {
        match last.next() {
            None => drop(open.pop()),
            Some(TokenTree::Group(g)) => {
                count += 2;
                open.push(g.stream().into_iter());
            }
            Some(TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_)) => count += 1,
        }
    }
    count
}

/// The text of the first `compile_error!`.
fn message(all: TokenStream) -> Option<String> {
    let mut is_error = false;
    for t in all {
        match t {
            TokenTree::Ident(name) => is_error |= name == "compile_error",
            TokenTree::Group(g) if is_error => return Some(g.stream().to_string()),
            TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    None
}
