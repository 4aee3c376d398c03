//! Whatever stands between the braces of `tensor!`: the compiler answers, soon, and does not panic. Inputs are programs with one to three
//! tokens deleted, doubled, exchanged or replaced.

use proc_macro2::{Group, TokenStream, TokenTree};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};
use tensor_tests::generate;

/// How many inputs; `FUZZ_INPUTS` and `FUZZ_SEED` choose others.
const INPUTS: u64 = 3_000;
const SLOW: Duration = Duration::from_secs(1);

/// What tokens are replaced by.
const TOKENS: &str = "for sum max min argmax argmin logsumexp exists if else let in as f64 f32 usize fn where pub stop grad jvp vjp \
    value_and_grad powi sin clamp PI N i j k n m x y f g _ 0 1 2 7 1.5 1e300 4294967296 99999999999999999999 + - * / % < <= == != >= > && \
    || ! . .. ..= , ; : = -> # & | @ [i] [0] [n - 1] [i < n] [] (x, y) () {x} {}";

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

/// The content of the first `tensor! { … }` or `tensor!(…)` in a file of Rust.
fn block(tokens: TokenStream) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (k, t) in tokens.iter().enumerate() {
        let TokenTree::Group(g) = t else { continue };
        let is_block = k >= 2 && matches!(&tokens[k - 2], TokenTree::Ident(i) if i == "tensor");
        let found = if is_block { Some(g.stream()) } else { block(g.stream()) };
        if found.is_some() {
            return found;
        }
    }
    None
}

fn files(folder: &str, extension: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<_> = entries.map(|e| e.expect("readable").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == extension));
    paths.sort();
    paths.iter().map(|p| std::fs::read_to_string(p).expect("readable")).collect()
}

/// The programs that are mutated, item by item: small ones are quick, and reach as far.
fn corpus() -> Vec<TokenStream> {
    let programs = files("programs", "txt").into_iter();
    let random = (0..60).map(|seed| format!("{} fn g = vjp(f);", generate::program(seed).source));
    let programs = programs.chain(random).map(|p| p.parse().expect("tokens"));
    let mistakes = files("ui", "rs").into_iter().filter_map(|text| block(text.parse().expect("tokens")));
    programs.chain(mistakes).collect()
}

/// How many places there are in a stream: before each of its tokens, at every depth.
fn places(tokens: &TokenStream) -> usize {
    let one = |t: TokenTree| match t {
        TokenTree::Group(g) => 1 + places(&g.stream()),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => 1,
    };
    tokens.clone().into_iter().map(one).sum()
}

/// `tokens` changed by `edit` at a place, which counts down.
fn edit(
    tokens: TokenStream,
    place: &mut usize,
    change: &mut dyn FnMut(&mut Vec<TokenTree>, usize),
) -> TokenStream {
    let mut level: Vec<TokenTree> = tokens.into_iter().collect();
    for k in 0..level.len() {
        if *place == 0 {
            *place = usize::MAX;
            change(&mut level, k);
            return level.into_iter().collect();
        }
        *place -= 1;
        if let TokenTree::Group(g) = &level[k] {
            let inside = edit(g.stream(), place, change);
            level[k] = Group::new(g.delimiter(), inside).into();
            if *place == usize::MAX {
                break;
            }
        }
    }
    level.into_iter().collect()
}

fn mutate(tokens: TokenStream, rng: &mut fastrand::Rng, replacements: &[TokenTree]) -> TokenStream {
    let mut place = rng.usize(..places(&tokens).max(1));
    let kind = rng.u8(..6);
    let new = replacements[rng.usize(..replacements.len())].clone();
    let other = rng.usize(..);
    edit(tokens, &mut place, &mut |level, k| {
        let len = level.len();
        match kind {
            0 => drop(level.remove(k)),
            1 => level.insert(k, level[k].clone()),
            2 => level.swap(k, (k + 1) % len),
            3 => level.swap(k, other % len),
            4 => level.insert(k, new.clone()),
            _ => level[k] = new.clone(),
        }
    })
}

/// What came of one input, if it is wrong.
fn judge(input: &TokenStream) -> Option<String> {
    let start = Instant::now();
    let text = input.to_string();
    let outcome = catch_unwind(AssertUnwindSafe(|| tensor_core::compile(input.clone()).is_empty()));
    if let Err(panic) = outcome {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
        return Some(format!("panics: {}\n{text}", message.unwrap_or_default()));
    }
    (start.elapsed() > SLOW).then(|| format!("takes {:?}\n{text}", start.elapsed()))
}

#[test]
fn mutated_programs_are_answered() {
    let corpus = corpus();
    let replacements: Vec<TokenTree> = TOKENS.parse::<TokenStream>().expect("tokens").into_iter().collect();
    let mut rng = fastrand::Rng::with_seed(number("FUZZ_SEED", 1));
    std::panic::set_hook(Box::new(|_| {}));
    let mut wrong: Vec<String> = vec![];
    for _ in 0..number("FUZZ_INPUTS", INPUTS) {
        let mut input = corpus[rng.usize(..corpus.len())].clone();
        for _ in 0..rng.usize(1..=3) {
            input = mutate(input, &mut rng, &replacements);
        }
        wrong.extend(judge(&input));
    }
    drop(std::panic::take_hook());
    assert!(wrong.is_empty(), "{} inputs:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

/// Deep and long inputs.
#[test]
fn towers_are_answered() {
    let nested = |open: &str, inner: &str, close: &str, depth: usize| {
        format!(
            "fn f<n>(x: [f64; n], s: f64) -> f64 {{ {}{inner}{} }} fn g = vjp(f);",
            open.repeat(depth),
            close.repeat(depth)
        )
    };
    let inputs = [
        nested("(", "s", ")", 3000),
        nested("-", "s", "", 3000),
        nested("sum i { x[i] * ", "s", "}", 400),
        nested("if s > 0.0 { s } else { ", "s", "}", 400),
        nested("{ let s = s * s; ", "s", "}", 400),
        nested("", "s", " + s", 5000),
        nested("", "s", ".sin()", 5000),
        nested("let s = s * s; ", "s", "", 120),
        nested("let (s, _) = (s, s); ", "s", "", 60),
    ];
    // The compiler runs macros on a stack of this size.
    let judged = std::thread::Builder::new().stack_size(8 << 20).spawn(move || {
        inputs.iter().filter_map(|input| judge(&input.parse().expect("tokens"))).collect::<Vec<_>>()
    });
    let wrong = judged.expect("a thread").join().expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
