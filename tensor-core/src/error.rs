//! Errors of a block: collected, each at the token to blame, reported all at once.

use crate::sorted::Set;
use proc_macro2::{Span as TokenSpan, TokenStream};
use quote::{quote, quote_spanned};
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

impl Error {
    fn macro_call(&self, argument: &TokenStream) -> TokenStream {
        quote_spanned!(self.span.start=> ::core::compile_error! #argument)
    }
}

/// All mistakes of a block, in the order of their discovery.
#[derive(Clone, Debug, Default)]
pub struct Errors(pub Vec<Error>);

impl Errors {
    /// Adds a mistake.
    pub fn push(&mut self, span: impl Into<Span>, message: impl Into<String>) {
        self.0.push(Error { span: span.into(), message: message.into() });
    }

    /// Adds those of another variant of the block that are not known yet.
    pub fn append_new(&mut self, others: Errors) {
        let place = |e: &Error| format!("{:?} {:?}", e.span, e.message);
        let known: Set<String> = self.0.iter().map(place).collect();
        self.0.extend(others.0.into_iter().filter(|e| !known.contains(&place(e))));
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One `compile_error!` item for each mistake.
    #[must_use]
    pub fn to_tokens(&self) -> TokenStream {
        let item = |e: &Error| {
            let message = &e.message;
            e.macro_call(&quote_spanned!(e.span.end=> { #message }))
        };
        self.0.iter().map(item).collect()
    }

    /// The same as an expression. The last `compile_error!` is its value: to rustc that is of any type, and nothing more is said of it.
    #[must_use]
    pub fn to_expression(&self) -> TokenStream {
        let Some((last, before)) = self.0.split_last() else { return TokenStream::new() };
        let message = &last.message;
        let before = Errors(before.to_vec()).to_tokens();
        let value = last.macro_call(&quote_spanned!(last.span.end=> (#message)));
        quote!({ #before #value })
    }
}
