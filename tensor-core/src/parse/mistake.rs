//! What to say about a token that cannot stand where it stands.

use super::cursor::{Parser, Reported};
use proc_macro2::{Delimiter, TokenTree};

/// Operators that Rust or mathematics has and the language has not.
const FOREIGN: &[(&str, &str)] = &[
    ("=>", "`=>` is not part of the language: a choice is `if p { a } else { b }`"),
    ("->", "`->` stands before the type of a result only"),
    ("<<", "shifts are not supported"),
    (">>", "shifts are not supported"),
    (
        "&",
        "references are not supported: names stand for values, and arguments are passed by reference by themselves",
    ),
    (
        "|",
        "closures are not supported: write a `fn` of the block; instead of an iterator, `for i { … }` or `sum i { … }`",
    ),
    ("^", "a power is `x.powi(2)` or `x.powf(y)`"),
    ("?", "`?` is not needed: a function returns an error by itself if an argument does not fit"),
    ("..", "a range stands after `in` only, and `..` alone between the brackets of an access"),
    ("'", "labels and lifetimes are not supported"),
    ("@", "a matrix product is a sum: `for i, j { sum k { a[i, k] * b[k, j] } }`"),
    ("#", "an attribute stands before `fn` only; comments within a body begin with `//`"),
];

/// Keywords of Rust that somebody will try.
const FOREIGN_WORDS: &[(&str, &str)] = &[
    ("while", "`while` is not supported: loops are `for` and `sum`, with ranges known in advance"),
    ("loop", "`loop` is not supported: loops are `for` and `sum`, with ranges known in advance"),
    ("match", "`match` is not supported: a choice is `if p { a } else { b }`"),
    ("return", "`return` is not supported: a body ends with its value"),
    ("mut", "`mut` is not supported: a variable does not change, but a second `let` may take its name"),
    ("move", "closures are not supported: write a `fn` of the block"),
    ("true", "`true` is not supported: a guard that always holds can be left out"),
    ("false", "`false` is not supported: what is never evaluated can be left out"),
    ("self", "`self` is not supported: give an inline block what it reads as `|w: [f64; n] = &self.w| …`"),
    ("let", "a `let` stands at the beginning of a statement only"),
    ("fn", "a function stands among the items of a block only"),
    ("else", "`else` stands after `if p { … }` only"),
    ("in", "`in` stands after the index of a `for` or of a reduction only"),
];

impl Parser<'_> {
    /// Reports the current token where `wanted` should be.
    pub(super) fn unexpected(&mut self, wanted: &str) -> Reported {
        let message =
            self.known_mistake().unwrap_or_else(|| format!("expected {wanted}, found {}", self.found()));
        self.errors.push(self.here(), message);
        Reported
    }

    fn found(&self) -> String {
        match self.peek(0) {
            None => "the end".into(),
            Some(TokenTree::Group(g)) => match g.delimiter() {
                Delimiter::Parenthesis => "`(`".into(),
                Delimiter::Brace => "`{`".into(),
                Delimiter::Bracket => "`[`".into(),
                Delimiter::None => "an expression".into(),
            },
            Some(t) => format!("`{t}`"),
        }
    }

    fn known_mistake(&self) -> Option<String> {
        if let Some(word) = self.ident(0) {
            return FOREIGN_WORDS.iter().find(|(w, _)| word == w).map(|(_, m)| (*m).to_string());
        }
        FOREIGN.iter().find(|(op, _)| self.at(op)).map(|(_, m)| (*m).to_string())
    }
}
