//! Bodies: lets and a value.

use super::cursor::{Parsed, Parser, Reported, delimiters};
use crate::ast::{Body, Checkpoint, Expr, ExprKind, Let, Pattern};
use crate::error::Span;
use proc_macro2::{Delimiter, Group, TokenTree};

/// Stands for an expression that has an error: whatever holds it is dropped.
pub(super) fn placeholder(span: Span) -> Expr {
    Expr { kind: ExprKind::Tuple(Vec::new()), span }
}

impl Parser<'_> {
    /// The content of braces; its errors end with it.
    pub(super) fn body(&mut self, group: &Group) -> Body {
        let span = delimiters(group);
        let body = self.within(group, |p| p.statements(span));
        body.unwrap_or_else(|_| Body { lets: Vec::new(), value: Box::new(placeholder(span)), span })
    }

    /// `{ … }`
    pub(super) fn braces(&mut self, wanted: &str) -> Parsed<Body> {
        match self.group(Delimiter::Brace) {
            Some(group) => Ok(self.body(&group)),
            None => Err(self.unexpected(wanted)),
        }
    }

    /// `(let pattern (: type)? = expr;)* expr` up to the end of the level. After an error it goes on behind the next `;`.
    pub(super) fn statements(&mut self, span: Span) -> Parsed<Body> {
        let mut lets = Vec::new();
        let before = self.errors.0.len();
        loop {
            let recompute = self.recompute();
            let checkpoint = self.skip_attributes();
            if self.at_end() {
                return match self.errors.0.len() == before {
                    true => {
                        self.fail(span, "the value is missing: a body ends with an expression, without `;`")
                    }
                    false => Err(Reported),
                };
            }
            if self.at_word("let") {
                self.another_let()?;
                match self.let_() {
                    Ok(mut one) => {
                        self.checkpointed(checkpoint, &mut one.value.kind);
                        lets.push(Let { recompute, ..one });
                    }
                    Err(_) => self.skip_statement(),
                }
            } else if recompute {
                self.errors.push(self.here(), "`#[recompute]` stands before a `let`");
                self.skip_statement();
            } else if self.is_assignment() {
                self.errors.push(
                    self.here(),
                    "nothing is assigned: bind a new value by `let`, and a tensor by `for i { … }`",
                );
                self.skip_statement();
            } else if let Some(value) = self.value(checkpoint)? {
                return Ok(Body { lets, value: Box::new(value), span });
            }
        }
    }

    /// The last expression of a body; `None` after one that is not the last, which is reported.
    fn value(&mut self, checkpoint: Option<Checkpoint>) -> Parsed<Option<Expr>> {
        let start = self.here();
        self.checkpoint = checkpoint;
        let value = self.expr();
        self.checkpoint = None;
        let Ok(value) = value else {
            self.skip_statement();
            return Ok(None);
        };
        if self.at_end() {
            return Ok(Some(value));
        }
        if !self.at(";") {
            self.unexpected("an operator or the end of the body");
            self.skip_statement();
            return Ok(None);
        }
        let semicolon = self.here();
        self.eat(";");
        if self.at_end() {
            self.errors.push(semicolon, "leave the last `;` out: a body ends with its value");
            return Ok(Some(value));
        }
        self.errors.push(start.to(value.span), "this value is not used: bind it by `let`, or leave it out");
        Ok(None)
    }

    /// Whether the statement here is `place = value;` or `place += value;`.
    fn is_assignment(&self) -> bool {
        let mut found = false;
        for k in 0.. {
            if self.ahead(k, ";") {
                return found;
            }
            match self.peek(k) {
                None => return false,
                Some(TokenTree::Ident(i)) if i == "let" => return false,
                Some(_) => {}
            }
            let compares = ["==", "!=", "<=", ">=", "=>"]
                .iter()
                .any(|op| self.ahead(k, op) || (k > 0 && self.ahead(k - 1, op)));
            let ends_range = k > 0 && self.ahead(k - 1, ".=");
            // `fold t from s = s0`
            let is_start = k > 1 && self.ident(k - 2).is_some_and(|word| word == "from");
            let is_other = compares || ends_range || is_start;
            found |= self.ahead(k, "=") && !is_other;
        }
        false
    }

    /// Goes on behind the next `;`, or before the next `let`.
    fn skip_statement(&mut self) {
        self.skip_until(|p| p.at(";") || p.at_word("let"));
        self.eat(";");
    }

    /// `#[recompute]`
    fn recompute(&mut self) -> bool {
        let Some(group) = self.group_ahead(1, Delimiter::Bracket).filter(|_| self.at("#")) else {
            return false;
        };
        let is_it = group.stream().to_string() == "recompute";
        if is_it {
            self.bump();
            self.bump();
        }
        is_it
    }

    /// `#[checkpoint(…)]`. Other attributes have no place in a body: say so and go on.
    pub(super) fn skip_attributes(&mut self) -> Option<Checkpoint> {
        let mut checkpoint = None;
        while self.at("#") && self.group_ahead(1, Delimiter::Bracket).is_some() {
            let here = self.here();
            self.bump();
            let Some(group) = self.group(Delimiter::Bracket) else { break };
            let name = group.stream().into_iter().next().map(|t| t.to_string()).unwrap_or_default();
            if name == "checkpoint" {
                let another = self.checkpoint(&group, here);
                if let (Some(_), Some(two)) = (&checkpoint, &another) {
                    self.errors.push(two.span, "there are two `#[checkpoint(…)]` of one recurrence");
                }
                checkpoint = checkpoint.or(another);
                continue;
            }
            self.errors.push(
                here,
                match name.as_str() {
                    "doc" => "documentation stands before `fn` only: write `//` here",
                    _ => "an attribute stands before `fn` only",
                },
            );
        }
        checkpoint
    }

    /// `let pattern: ty = value;`
    fn let_(&mut self) -> Parsed<Let> {
        self.bump();
        let pattern = self.pattern()?;
        let ty = if self.eat(":") { Some(self.ty()?) } else { None };
        if self.at(";") {
            return self.fail(self.here(), "a `let` has a value: `let x = …;`");
        }
        if self.at("==") {
            return self.fail(self.here(), "a `let` has one `=`");
        }
        if !self.eat("=") {
            return Err(self.unexpected("`=` and a value"));
        }
        let value = self.expr()?;
        if !self.eat(";") {
            let follows = matches!(
                self.peek(0),
                Some(TokenTree::Ident(_) | TokenTree::Literal(_) | TokenTree::Group(_))
            );
            if !follows && !self.at_end() {
                return Err(self.unexpected("an operator or `;`"));
            }
            self.errors.push(self.last, "a `;` is missing after this `let`");
        }
        Ok(Let { recompute: false, pattern, ty, value })
    }

    /// A name or a tuple of patterns.
    pub(super) fn pattern(&mut self) -> Parsed<Pattern> {
        self.skip_reference();
        let Some(group) = self.group(Delimiter::Parenthesis) else {
            return Ok(Pattern::Name(self.name("a name")?));
        };
        let span = delimiters(&group);
        let before = self.errors.0.len();
        let parts = self.within(&group, |p| Ok(p.list("`,` or `)` after a name", Self::pattern)))?;
        if parts.is_empty() && self.errors.0.len() == before {
            return self.fail(span, "a name is missing");
        }
        Ok(Pattern::Tuple(parts, span))
    }
}
