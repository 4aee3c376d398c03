//! Errors of a block: collected, each at the token to blame, reported all at once.

use proc_macro2::{Span as TokenSpan, TokenStream};
use quote::quote_spanned;
use std::cmp::Ordering;
use std::fmt;

/// The tokens from `start` to `end`, both included. (Joining spans is not stable, so both are kept.)
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The first token.
    pub start: TokenSpan,
    /// The last token.
    pub end: TokenSpan,
}

impl Span {
    /// The tokens from the first of `self` to the last of `other`.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end }
    }
}

impl From<TokenSpan> for Span {
    fn from(span: TokenSpan) -> Span {
        Span { start: span, end: span }
    }
}

/// Where something is called; none inside its declaration. It is no part of what is called: all are equal.
#[derive(Clone, Copy, Default)]
pub struct Site(pub Option<Span>);

impl PartialEq for Site {
    fn eq(&self, _: &Site) -> bool {
        true
    }
}

impl Eq for Site {}

impl Ord for Site {
    fn cmp(&self, _: &Site) -> Ordering {
        Ordering::Equal
    }
}

impl PartialOrd for Site {
    fn partial_cmp(&self, other: &Site) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Site")
    }
}

/// One mistake.
#[derive(Clone, Debug)]
pub struct Error {
    /// Where.
    pub span: Span,
    /// What is wrong and what to do; lower case, no full stop.
    pub message: String,
}

/// All mistakes of a block, in the order of their discovery.
#[derive(Clone, Debug, Default)]
pub struct Errors(pub Vec<Error>);

impl Errors {
    /// Adds a mistake.
    pub fn push(&mut self, span: impl Into<Span>, message: impl Into<String>) {
        self.0.push(Error { span: span.into(), message: message.into() });
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One `compile_error!` item for each mistake.
    #[must_use]
    pub fn to_tokens(&self) -> TokenStream {
        let one = |e: &Error| {
            let message = &e.message;
            let body = quote_spanned!(e.span.end=> { #message });
            quote_spanned!(e.span.start=> ::core::compile_error! #body)
        };
        self.0.iter().map(one).collect()
    }
}
