//! `rec`, `fold`, `scan`, `prod`, `reduce`, and `#[checkpoint(…)]` before them.

use super::cursor::{Parsed, Parser, delimiters};
use crate::ast::{Checkpoint, Expr, ExprKind, Form, Keep, Loop, Operator, Pattern, Recurrence};
use crate::error::Span;
use proc_macro2::{Delimiter, Group, Ident, TokenTree};

/// What an attribute may say of states.
const KEEPS: &str = "`#[checkpoint(k)]` says after how many steps a state is stored: `(16)`, in levels `(512, 16)`, or `(sqrt)`";

impl Parser<'_> {
    /// `word binders …`
    pub(super) fn recurrence(&mut self, word: &Ident) -> Parsed<ExprKind> {
        let text = word.to_string();
        let is_ordered = text != "prod";
        self.bump();
        let mut binders = vec![self.binder(is_ordered)?];
        while self.eat(",") && !self.at_group(Delimiter::Brace) && !self.at_word("if") {
            binders.push(self.binder(is_ordered)?);
        }
        let form = match text.as_str() {
            "rec" => Form::Rec,
            "prod" => Form::Prod,
            "fold" => self.state(word).map(|(state, from)| Form::Fold(state, from))?,
            "scan" if self.at_word("with") => Form::ScanWith(Box::new(self.operator_of(word)?)),
            "scan" => self.state(word).map(|(state, from)| Form::Scan(state, from))?,
            _ => Form::Reduce(Box::new(self.operator_of(word)?)),
        };
        let guard = if self.eat_word("if") { Some(Box::new(self.expr()?)) } else { None };
        let body = self.braces(match form {
            Form::Rec | Form::Prod => "`,`, `if` or the body `{ … }` after the index",
            Form::Fold(..) | Form::Scan(..) | Form::Reduce(_) | Form::ScanWith(_) => {
                "an operator, `if` or the body `{ … }` after what it begins with"
            }
        })?;
        let steps = Loop { binders, guard, body };
        let recurrence = Recurrence { form, steps, checkpoint: None, word: word.span().into() };
        Ok(ExprKind::Recurrence(Box::new(recurrence)))
    }

    /// `from pattern = start`
    fn state(&mut self, word: &Ident) -> Parsed<(Pattern, Box<Expr>)> {
        if self.at_word("if") {
            let message = format!(
                "the condition stands after the state, which it may read: `{word} t in 0..n from s = s0 if … {{ … }}`"
            );
            return self.fail(self.here(), message);
        }
        if !self.eat_word("from") {
            if !self.at_group(Delimiter::Brace) {
                return Err(self.unexpected("`from` and the state to begin with"));
            }
            let message = format!(
                "`{word}` has a state, and a value that it begins with: `{word} t in 0..n from s = 0.0 {{ … }}`"
            );
            return self.fail(word.span(), message);
        }
        let state = self.pattern()?;
        if !self.eat("=") {
            return Err(self.unexpected("`=` and the value that the state begins with"));
        }
        Ok((state, Box::new(self.expr()?)))
    }

    /// `with |p, q| { op } from e0`
    fn operator_of(&mut self, word: &Ident) -> Parsed<Operator> {
        let example = format!("`{word} i in 0..n with |p, q| {{ p * q }} from 1.0 {{ x[i] }}`");
        if !self.eat_word("with") {
            if self.at_word("from") || self.at_word("if") || self.at_group(Delimiter::Brace) {
                return self.fail(word.span(), format!("`{word}` has an operator: {example}"));
            }
            return Err(self.unexpected("`with` and an operator"));
        }
        if !self.eat("|") {
            return Err(self.unexpected("`|p, q|`, the two that an operator takes together"));
        }
        let left = self.pattern()?;
        if !self.eat(",") {
            return self.fail(self.here(), format!("an operator takes two values together: {example}"));
        }
        let right = self.pattern()?;
        self.eat(",");
        if !self.eat("|") {
            return self.fail(self.here(), format!("an operator takes two values together: {example}"));
        }
        let value = self.braces("the operator in braces, `{ p * q }`")?;
        if !self.eat_word("from") {
            return Err(self.unexpected("`from` and the unit of the operator"));
        }
        Ok(Operator { left, right, value, unit: self.expr()? })
    }

    /// `(k)`, `(k, l)` or `(sqrt)` of `#[checkpoint(…)]`, whose first token is at `here`.
    pub(super) fn checkpoint(&mut self, attribute: &Group, here: Span) -> Option<Checkpoint> {
        let mut content = attribute.stream().into_iter().skip(1);
        let Some(TokenTree::Group(group)) = content.next() else {
            self.errors.push(here, KEEPS);
            return None;
        };
        let span = delimiters(&group);
        let kept = self.within(&group, |p| {
            if p.eat_word("sqrt") && p.at_end() {
                return Ok(Keep::Sqrt);
            }
            let mut all = vec![];
            while let Some(TokenTree::Literal(k)) = p.peek(0).cloned() {
                p.bump();
                match k.to_string().parse::<i64>() {
                    Ok(k) if k >= 1 => all.push(k),
                    Ok(_) | Err(_) => return p.fail(k.span(), KEEPS),
                }
                if !p.eat(",") {
                    break;
                }
            }
            if all.is_empty() || !p.at_end() {
                return p.fail(span, KEEPS);
            }
            if all.windows(2).any(|w| w[1] >= w[0]) {
                return p.fail(span, "the levels of `#[checkpoint(…)]` become shorter: `(512, 16)`");
            }
            Ok(Keep::Every(all))
        });
        Some(Checkpoint { keep: kept.ok()?, span: here.to(self.last.into()) })
    }

    /// Gives a recurrence its attribute; of anything else it says nothing.
    pub(super) fn checkpointed(&mut self, checkpoint: Option<Checkpoint>, kind: &mut ExprKind) {
        let Some(checkpoint) = checkpoint else { return };
        match kind {
            ExprKind::Recurrence(r) if r.checkpoint.is_none() => r.checkpoint = Some(checkpoint),
            ExprKind::Recurrence(_) => {
                self.errors.push(checkpoint.span, "there are two `#[checkpoint(…)]` of one recurrence");
            }
            _ => self.errors.push(
                checkpoint.span,
                "`#[checkpoint(…)]` stands before `rec`, `fold`, `scan`, `prod` or `reduce`, or before its `let`",
            ),
        }
    }
}
