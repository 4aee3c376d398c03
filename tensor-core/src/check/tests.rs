//! Programs, and what the check makes of them or says about them.

use super::print;
use crate::error::Errors;
use crate::parse::{Input, parse};
use crate::typed::Block;

mod core_language;
mod inline;
mod meaning;
mod mistakes;
mod recurrences;

/// The mistakes, one a line: `line:column: message`.
fn messages(errors: &Errors) -> String {
    let one = |e: &crate::error::Error| {
        let at = e.span.start.start();
        format!("{}:{}: {}", at.line, at.column + 1, e.message)
    };
    errors.0.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// The typed block, and what was said about it.
fn checked(source: &str) -> (Block, Errors) {
    let tokens = source.parse().expect("tokens");
    let mut errors = Errors::default();
    let block = match parse(tokens, &mut errors) {
        Some(Input::Block(block)) => super::check(&block, &mut errors),
        Some(Input::Inline(_)) | None => Block::default(),
    };
    (block, errors)
}

/// The functions of a block without mistakes, one a line; or the mistakes.
fn show(source: &str) -> String {
    let (block, errors) = checked(source);
    if !errors.is_empty() {
        return messages(&errors);
    }
    block.functions.iter().map(|f| print::function(&block, f)).collect::<Vec<_>>().join("\n")
}

/// Compares all cases, and says all that differ.
fn compare(cases: &[(&str, &str)], show: fn(&str) -> String) {
    let mut wrong = String::new();
    for (source, expected) in cases {
        let found = show(source);
        if found != *expected {
            wrong += &format!("source\n{source}\nexpected\n{expected}\nfound\n{found}\n\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Each function calls the one before it twice: the first that is too large with those is said, and not those that call it.
#[test]
fn calls_that_double() {
    let one = |k: usize| format!("fn f{k}(x: f64) -> f64 {{ f{0}(x * 0.5) + f{0}(x + 1.0) }}\n", k - 1);
    let tree: String = (1..=18).map(one).collect();
    let (block, errors) = checked(&format!("fn f0(x: f64) -> f64 {{ x.sin() }}\n{tree}"));
    assert_eq!(
        messages(&errors),
        "17:25: `f16` has 720887 operations once the functions that it calls are put in, and more than 500000 are not compiled: each call of `f15` has 360439\n  help: call them in a loop, or less often"
    );
    assert!(block.functions[15].body.is_some() && block.functions[16].body.is_none());
}

/// Programs without one of their tokens, or with one doubled: mistakes, but no panic.
#[test]
fn broken_programs() {
    let sources = core_language::CASES.iter().chain(mistakes::CASES);
    let sources = sources.chain(recurrences::CASES).chain(recurrences::MISTAKES).map(|c| c.0);
    let mut reported = 0;
    for source in sources {
        let words: Vec<&str> =
            source.split_inclusive([' ', '(', ')', ',', ';', '{', '}', '[', ']']).collect();
        for k in 0..words.len() {
            let without = [&words[..k], &words[k + 1..]].concat().concat();
            let doubled = [&words[..=k], &words[k..]].concat().concat();
            for text in [without, doubled] {
                if text.parse::<proc_macro2::TokenStream>().is_ok() {
                    let (block, errors) = checked(&text);
                    if errors.is_empty() {
                        meaning::bound_once(&block);
                    }
                    reported += usize::from(!errors.is_empty());
                }
            }
        }
    }
    assert!(reported > 1000, "{reported}");
}
