//! The state of the parser: the tokens of one delimited level, where it stands in them, and what was wrong so far.

use crate::ast::Checkpoint;
use crate::error::{Errors, Span};
use crate::weights;
use proc_macro2::{Delimiter, Group, Ident, Spacing, Span as TokenSpan, TokenStream, TokenTree};
use std::mem::replace;

/// An error that is already in the list; what was to be parsed is missing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

/// What was parsed, unless an error was reported instead.
pub(super) type Parsed<T> = Result<T, Reported>;

/// See the module documentation.
pub(super) struct Parser<'e> {
    tokens: Vec<TokenTree>,
    at: usize,
    /// Where this level ends: its closing delimiter.
    end: TokenSpan,
    /// The last token that was taken.
    pub(super) last: TokenSpan,
    pub(super) errors: &'e mut Errors,
    nesting: usize,
    /// The `let`s that stand before this place, in all bodies around.
    lets: usize,
    /// The height of the expression just parsed, or the largest so far of those that will be its siblings.
    pub(super) height: usize,
    /// What stands before the next operand.
    pub(super) checkpoint: Option<Checkpoint>,
}

/// The first and the last token of a group.
pub(super) fn delimiters(group: &Group) -> Span {
    Span { start: group.span_open(), end: group.span_close() }
}

/// A group without delimiters, as `macro_rules!` makes for `$e:expr`, dissolves into its tokens; where an operator in it could bind
/// differently next to its new neighbours, it gets parentheses.
fn dissolve(tokens: TokenStream) -> Vec<TokenTree> {
    let mut flat = Vec::new();
    let mut pending: Vec<TokenTree> = tokens.into_iter().collect();
    pending.reverse();
    while let Some(token) = pending.pop() {
        match token {
            TokenTree::Group(g) if g.delimiter() == Delimiter::None => {
                let content: Vec<TokenTree> = g.stream().into_iter().collect();
                if needs_parentheses(&content) {
                    let mut inner = Group::new(Delimiter::Parenthesis, g.stream());
                    inner.set_span(g.span());
                    flat.push(inner.into());
                } else {
                    pending.extend(content.into_iter().rev());
                }
            }
            TokenTree::Group(_) | TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {
                flat.push(token)
            }
        }
    }
    flat
}

/// Whether tokens are an expression with operators: not a range, an item, a statement, an attribute.
fn needs_parentheses(tokens: &[TokenTree]) -> bool {
    let word =
        |t: &TokenTree, words: &[&str]| matches!(t, TokenTree::Ident(i) if words.iter().any(|w| i == w));
    let punct = |t: &TokenTree, chars: &str| matches!(t, TokenTree::Punct(p) if chars.contains(p.as_char()));
    let dots = tokens.windows(2).any(|w| punct(&w[0], ".") && punct(&w[1], "."));
    let item = tokens.iter().any(|t| word(t, &["fn", "let", "use", "pub"]) || punct(t, "#;,"));
    tokens.iter().any(|t| punct(t, "+-*/%<>=!&|^") || word(t, &["as"])) && !dots && !item
}

impl<'e> Parser<'e> {
    /// At the first token of a whole input.
    pub(super) fn new(tokens: TokenStream, errors: &'e mut Errors) -> Parser<'e> {
        let tokens = dissolve(tokens);
        let end = tokens.last().map_or_else(TokenSpan::call_site, last_span);
        Parser { tokens, at: 0, end, last: end, errors, nesting: 0, lets: 0, height: 0, checkpoint: None }
    }

    /// Parses the content of a group that was just taken.
    pub(super) fn within<T>(&mut self, group: &Group, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let tokens = replace(&mut self.tokens, dissolve(group.stream()));
        let (at, end) = (replace(&mut self.at, 0), replace(&mut self.end, group.span_close()));
        self.last = group.span_open();
        let result = self.nested(f);
        (self.tokens, self.at, self.end, self.last) = (tokens, at, end, group.span_close());
        result
    }

    /// Parses something one level deeper.
    pub(super) fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting == weights::parse::NESTING {
            return self.fail(
                self.here(),
                format!(
                    "this is nested more than {} deep: bind parts of it by `let`, or move them to a function",
                    weights::parse::NESTING
                ),
            );
        }
        self.nesting += 1;
        let lets = self.lets;
        let result = f(self);
        self.nesting -= 1;
        self.lets = lets;
        result
    }

    /// One more `let` stands before what follows.
    pub(super) fn another_let(&mut self) -> Parsed<()> {
        self.lets += 1;
        if self.lets <= weights::parse::LETS {
            return Ok(());
        }
        let message = format!(
            "more than {} `let`s stand one after the other: move some of them to a function",
            weights::parse::LETS
        );
        self.fail(self.here(), message)
    }

    /// Parses an expression whose height counts beside those of its siblings.
    pub(super) fn sibling<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let height = replace(&mut self.height, 0);
        let result = f(self);
        self.height = self.height.max(height);
        result
    }

    /// A node above what `height` measures.
    pub(super) fn grow(&mut self, span: Span) -> Parsed<()> {
        self.height += 1;
        if self.height > weights::parse::HEIGHT {
            let text = format!(
                "this expression is more than {} operations high: bind parts of it by `let`",
                weights::parse::HEIGHT
            );
            return self.fail(span, text);
        }
        Ok(())
    }

    /// Comma-separated parts up to the end of the level, a comma at the end allowed; those with errors are left out.
    pub(super) fn list<T>(&mut self, wanted: &str, mut each: impl FnMut(&mut Self) -> Parsed<T>) -> Vec<T> {
        let mut parts = Vec::new();
        while !self.at_end() {
            if let Ok(part) = self.sibling(&mut each) {
                parts.push(part);
                if !self.at_end() && !self.at(",") {
                    self.unexpected(wanted);
                }
            }
            self.skip_until(|p| p.at(","));
            self.eat(",");
        }
        parts
    }

    // Looking.

    pub(super) fn peek(&self, ahead: usize) -> Option<&TokenTree> {
        self.tokens.get(self.at + ahead)
    }

    pub(super) fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// The current token, or the end of the level.
    pub(super) fn here(&self) -> Span {
        match self.peek(0) {
            None => self.end.into(),
            Some(TokenTree::Group(g)) => g.span_open().into(),
            Some(t) => t.span().into(),
        }
    }

    /// From `start` to the last token taken.
    pub(super) fn since(&self, start: Span) -> Span {
        Span { start: start.start, end: self.last }
    }

    /// Whether the operator `op` begins `ahead` tokens from here; `<` also matches the beginning of `<=`.
    pub(super) fn ahead(&self, ahead: usize, op: &str) -> bool {
        let last = op.chars().count() - 1;
        op.chars().enumerate().all(|(k, c)| match self.peek(ahead + k) {
            Some(TokenTree::Punct(p)) => p.as_char() == c && (k == last || p.spacing() == Spacing::Joint),
            _ => false,
        })
    }

    pub(super) fn at(&self, op: &str) -> bool {
        self.ahead(0, op)
    }

    pub(super) fn ident(&self, ahead: usize) -> Option<&Ident> {
        match self.peek(ahead) {
            Some(TokenTree::Ident(i)) => Some(i),
            _ => None,
        }
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        self.ident(0).is_some_and(|i| i == word)
    }

    pub(super) fn group_ahead(&self, ahead: usize, delimiter: Delimiter) -> Option<&Group> {
        match self.peek(ahead) {
            Some(TokenTree::Group(g)) if g.delimiter() == delimiter => Some(g),
            _ => None,
        }
    }

    pub(super) fn at_group(&self, delimiter: Delimiter) -> bool {
        self.group_ahead(0, delimiter).is_some()
    }

    // Taking.

    pub(super) fn bump(&mut self) -> Option<TokenTree> {
        let token = self.tokens.get(self.at)?.clone();
        self.at += 1;
        self.last = last_span(&token);
        Some(token)
    }

    pub(super) fn eat(&mut self, op: &str) -> bool {
        let found = self.at(op);
        if found {
            op.chars().for_each(|_| drop(self.bump()));
        }
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn group(&mut self, delimiter: Delimiter) -> Option<Group> {
        let group = self.group_ahead(0, delimiter)?.clone();
        self.bump();
        Some(group)
    }

    /// Goes on until `stop` or the end of the level.
    pub(super) fn skip_until(&mut self, stop: impl Fn(&Self) -> bool) {
        while !self.at_end() && !stop(self) {
            self.bump();
        }
    }

    /// A name that is no keyword of Rust.
    pub(super) fn name(&mut self, wanted: &str) -> Parsed<Ident> {
        let Some(name) = self.ident(0).cloned() else { return Err(self.unexpected(wanted)) };
        if is_keyword(&name) {
            return self.fail(
                name.span(),
                format!("expected {wanted}, found the keyword `{name}`: take another name"),
            );
        }
        self.bump();
        Ok(name)
    }

    /// Reports a mistake and gives up on what is being parsed.
    pub(super) fn fail<T>(&mut self, span: impl Into<Span>, message: impl Into<String>) -> Parsed<T> {
        self.errors.push(span, message);
        Err(Reported)
    }
}

fn last_span(token: &TokenTree) -> TokenSpan {
    match token {
        TokenTree::Group(g) => g.span_close(),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => token.span(),
    }
}

/// Keywords of Rust, which cannot name anything. `_` is none: it may stand for a name.
pub(crate) fn is_keyword<T: PartialEq<str> + ?Sized>(name: &T) -> bool {
    const KEYWORDS: &[&str] = &[
        "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern",
        "false", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub",
        "ref", "return", "self", "Self", "static", "struct", "super", "trait", "true", "type", "unsafe",
        "use", "where", "while", "yield", "abstract", "become", "box", "do", "final", "macro", "override",
        "priv", "try", "typeof", "unsized", "virtual",
    ];
    KEYWORDS.iter().any(|k| name == *k)
}
