//! Operands: numbers, names, calls, groups, and the forms that end in `}`.

use super::body::placeholder;
use super::cursor::{Parsed, Parser, delimiters, is_keyword};
use super::number::Number;
use crate::ast::{Binder, Body, Expr, ExprKind, Loop, Range, ReduceOp};
use crate::error::Span;
use proc_macro2::{Delimiter, Group, Ident, Literal, TokenStream, TokenTree};
use std::mem::replace;

/// Keywords before a name.
const FORMS: &[&str] =
    &["for", "sum", "prod", "max", "min", "logsumexp", "argmax", "argmin", "rec", "fold", "scan", "exists"];

impl Parser<'_> {
    /// What operators and accesses apply to. Sets the height.
    pub(super) fn operand(&mut self) -> Parsed<Expr> {
        let checkpoint = self.skip_attributes().or(self.checkpoint.take());
        let start = self.here();
        let siblings = replace(&mut self.height, 0);
        let mut kind = match self.peek(0).cloned() {
            Some(TokenTree::Literal(literal)) => self.literal(&literal)?,
            Some(TokenTree::Ident(word)) => self.word(&word)?,
            Some(TokenTree::Group(group)) => self.grouped(&group)?,
            Some(TokenTree::Punct(_)) if self.at("::") => self.path()?,
            Some(TokenTree::Punct(_)) | None => {
                self.height = siblings;
                return Err(self.unexpected("an expression"));
            }
        };
        self.checkpointed(checkpoint, &mut kind);
        let span = self.since(start);
        self.grow(span)?;
        Ok(Expr { kind, span })
    }

    /// A number, in the type of the function.
    fn literal(&mut self, literal: &Literal) -> Parsed<ExprKind> {
        self.bump();
        let here: Span = literal.span().into();
        let Some(Number { digits, suffix, is_integer }) = Number::of(&literal.to_string()) else {
            return self.fail(here, "strings and characters are not supported: all values are reals");
        };
        if !suffix.is_empty() {
            let message = format!("a literal has the type of the function: leave the suffix `{suffix}` out");
            self.errors.push(here, message);
        }
        let is_integer = is_integer && !suffix.starts_with('f');
        if digits.parse::<f64>().is_ok_and(f64::is_infinite) {
            return self.fail(here, "this number is too large: infinity is written `INFINITY`");
        }
        if is_integer && digits.parse::<i64>().is_err() {
            return self.fail(
                here,
                format!("this integer is too large; if it is a real number, write `{digits}.0`"),
            );
        }
        Ok(match digits.strip_prefix('-') {
            None => ExprKind::Number { digits, is_integer },
            Some(positive) => {
                let kind = ExprKind::Number { digits: positive.to_string(), is_integer };
                ExprKind::Neg(Box::new(Expr { kind, span: here }))
            }
        })
    }

    fn word(&mut self, word: &Ident) -> Parsed<ExprKind> {
        let text = word.to_string();
        let binds = self.ident(1).is_some_and(|next| !is_keyword(next));
        match text.as_str() {
            "for" if binds => return Ok(ExprKind::Gen(self.nested(Self::form)?)),
            "exists" if binds => return Ok(ExprKind::Exists(self.nested(Self::form)?)),
            "rec" | "fold" | "scan" | "prod" | "reduce" if binds => {
                return self.nested(|p| p.recurrence(word));
            }
            "if" => return self.nested(Self::choice),
            _ => {}
        }
        if binds && let Some(op) = self.reduction(word) {
            return Ok(ExprKind::Reduce(op, self.nested(Self::form)?));
        }
        if self.ahead(1, "::") {
            return self.path();
        }
        if word == "for" {
            return self.fail(word.span(), "`for` needs an index: `for i in 0..n { … }`");
        }
        if is_keyword(word) {
            return Err(self.unexpected("an expression"));
        }
        self.bump();
        if let Some(group) = self.group(Delimiter::Parenthesis) {
            return self.call(word, &group);
        }
        if self.at("!") && !self.at("!=") && matches!(self.peek(1), Some(TokenTree::Group(_))) {
            return self.fail(
                word.span(),
                "a macro cannot be called here: compute it outside and pass it as a parameter",
            );
        }
        if FORMS.contains(&text.as_str())
            && self.at_group(Delimiter::Brace)
            && !matches!(text.as_str(), "max" | "min")
        {
            return self.fail(word.span(), format!("`{word}` needs an index: `{word} i {{ … }}`"));
        }
        Ok(ExprKind::Name(word.clone()))
    }

    fn call(&mut self, name: &Ident, group: &Group) -> Parsed<ExprKind> {
        let text = name.to_string();
        let mut content = group.stream().into_iter();
        let binder = matches!(content.next(), Some(TokenTree::Ident(_)))
            && matches!(content.next(), Some(TokenTree::Ident(word)) if word == "in");
        if text == "for" || FORMS.contains(&text.as_str()) && binder {
            return self.fail(
                name.span(),
                format!(
                    "`{name}` is written `{name} i in 0..n {{ … }}`, without parentheses around its index"
                ),
            );
        }
        let args = self.args(group)?;
        Ok(ExprKind::Call(name.clone(), args))
    }

    /// The reduction of this name.
    fn reduction(&self, word: &Ident) -> Option<ReduceOp> {
        Some(match word.to_string().as_str() {
            "sum" => ReduceOp::Sum,
            "max" => ReduceOp::Max,
            "min" => ReduceOp::Min,
            "logsumexp" => ReduceOp::LogSumExp,
            "argmax" => ReduceOp::ArgMax,
            "argmin" => ReduceOp::ArgMin,
            _ => return None,
        })
    }

    /// `word binders if guard { body }`
    fn form(&mut self) -> Parsed<Loop> {
        self.bump();
        let mut binders = vec![self.binder(false)?];
        while self.eat(",") && !self.at_group(Delimiter::Brace) && !self.at_word("if") {
            binders.push(self.binder(false)?);
        }
        let guard = if self.eat_word("if") { Some(Box::new(self.expr()?)) } else { None };
        let body = self.braces("`,`, `if` or the body `{ … }` after the index")?;
        Ok(Loop { binders, guard, body })
    }

    /// `i`, or `i in a..b`; `i in (a..b).rev()` where there is an order.
    pub(super) fn binder(&mut self, is_ordered: bool) -> Parsed<Binder> {
        let index = self.name("the name of an index")?;
        let range = if self.eat_word("in") { Some(self.range(is_ordered)?) } else { None };
        Ok(Binder { index, range })
    }

    fn range(&mut self, is_ordered: bool) -> Parsed<Range> {
        let here = self.here();
        if let Some(group) = self.group_ahead(0, Delimiter::Parenthesis).cloned() {
            let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
            let dot = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == '.');
            if tokens.windows(2).any(|w| dot(&w[0]) && dot(&w[1])) {
                return self.parenthesized_range(&group, is_ordered);
            }
        }
        if self.at("..") {
            return self.fail(here, "the beginning of the range is missing: write `0..n`");
        }
        let lower = self.bound()?;
        let inclusive = self.at("..=");
        if !self.eat("..=") && !self.eat("..") {
            return match self.at_group(Delimiter::Brace) {
                true => self.fail(lower.span, one_end(&lower)),
                false => Err(self.unexpected("`..` and the end of the range")),
            };
        }
        let braces = self.at_group(Delimiter::Brace) && self.group_ahead(1, Delimiter::Brace).is_none();
        if self.at(",") || braces || self.at_word("if") {
            return self.fail(
                here.to(self.last.into()),
                "the end of the range is missing: write `0..n`, or leave the range out",
            );
        }
        let upper = self.bound()?;
        Ok(Range { lower, upper, inclusive, backward: false })
    }

    /// `(0..n).rev()`
    fn parenthesized_range(&mut self, group: &Group, is_ordered: bool) -> Parsed<Range> {
        self.bump();
        let range = self.within(group, |p| p.range(is_ordered));
        if !self.at(".") {
            self.errors.push(delimiters(group), "leave the parentheses around the range out");
            return range;
        }
        self.bump();
        let here = self.here();
        let method = self.name("`{`")?;
        self.group(Delimiter::Parenthesis);
        let message = match method.to_string().as_str() {
            "rev" if is_ordered => return range.map(|r| Range { backward: !r.backward, ..r }),
            "rev" => {
                "`.rev()` stands in `rec`, `fold`, `scan` and `reduce` alone: elsewhere order means nothing\n  help: to count from the last element write `x[n - 1 - i]`"
            }
            _ => "a range has step 1: write `x[2 * i]`, or a guard such as `if i % 2 == 0` after the range",
        };
        self.errors.push(here, message);
        range
    }

    /// `if p { a } else { b }`
    fn choice(&mut self) -> Parsed<ExprKind> {
        let start = self.here();
        self.bump();
        if self.at_group(Delimiter::Brace) && self.group_ahead(1, Delimiter::Brace).is_none() {
            return self.fail(start, "the condition of this `if` is missing");
        }
        let here = self.here();
        if self.eat_word("let") {
            return self.fail(here, "patterns are not supported in conditions: compare by `==`");
        }
        let condition = Box::new(self.expr()?);
        let then = self.braces("an operator, or the value of the choice in braces")?;
        if !self.eat_word("else") {
            return self.fail(start, "this `if` has no `else`: write `else { … }` with the other value, or `[p] * e`, which is zero elsewhere");
        }
        let otherwise =
            if self.at_word("if") { self.else_if()? } else { self.braces("`if` or `{ … }` after `else`")? };
        Ok(ExprKind::If(condition, then, otherwise))
    }

    fn else_if(&mut self) -> Parsed<Body> {
        let start = self.here();
        let kind = self.nested(Self::choice)?;
        let span = self.since(start);
        self.grow(span)?;
        Ok(Body { lets: Vec::new(), value: Box::new(Expr { kind, span }), span })
    }

    /// `(e)`, `(a, b)`, `[p]`, `[a, b]`, `[e; n]`, `{ … }`. Errors within do not end what surrounds the group.
    fn grouped(&mut self, group: &Group) -> Parsed<ExprKind> {
        self.bump();
        let span = delimiters(group);
        let kind = match group.delimiter() {
            Delimiter::Brace => return Ok(ExprKind::Block(self.body(group))),
            Delimiter::Parenthesis | Delimiter::None => self.within(group, |p| p.tuple(span)),
            Delimiter::Bracket => self.within(group, |p| p.bracket(span)),
        };
        Ok(kind.unwrap_or_else(|_| placeholder(span).kind))
    }

    fn tuple(&mut self, span: Span) -> Parsed<ExprKind> {
        if self.at_end() {
            return self.fail(span, "`()` is not a value of the language");
        }
        let first = self.expr()?;
        if self.at_end() {
            self.height = self.height.saturating_sub(1);
            return Ok(first.kind);
        }
        if !self.at(",") {
            return Err(self.unexpected("an operator, `,` or `)`"));
        }
        self.eat(",");
        let rest = self.list("an operator, `,` or `)`", Self::expr);
        Ok(ExprKind::Tuple(std::iter::once(first).chain(rest).collect()))
    }

    fn bracket(&mut self, span: Span) -> Parsed<ExprKind> {
        if self.at_end() {
            return self.fail(span, "a tensor without elements cannot be written");
        }
        let first = self.expr()?;
        if self.eat(";") {
            let extents = self.list("`,` or `]` after an extent", Self::expr);
            return match extents.is_empty() {
                true => self.fail(span, "the extent is missing: write `[0.0; n]`"),
                false => Ok(ExprKind::Repeat(Box::new(first), extents)),
            };
        }
        if !self.at_end() && !self.at(",") {
            return Err(self.unexpected("an operator, `,`, `;` or `]`"));
        }
        self.eat(",");
        let rest = self.list("an operator, `,` or `]`", Self::expr);
        Ok(ExprKind::Bracket(std::iter::once(first).chain(rest).collect()))
    }

    /// `crate::GRAVITY`: a Rust constant.
    fn path(&mut self) -> Parsed<ExprKind> {
        let start = self.here();
        let mut path = TokenStream::new();
        loop {
            if self.at("::") {
                path.extend([self.bump(), self.bump()].into_iter().flatten());
            }
            let Some(segment) = self.ident(0).cloned() else {
                return Err(self.unexpected("a name after `::`: a path names a Rust constant"));
            };
            path.extend(self.bump());
            if self.at("::") {
                continue;
            }
            if self.at_group(Delimiter::Parenthesis) {
                return self.fail(start.to(self.last.into()), format!("only functions of this block and built-in ones are called, by one name: `{segment}(x)`"));
            }
            return Ok(ExprKind::Path(path));
        }
    }
}

/// What stands where a range should, without a second end: a size, or a tensor whose elements are meant.
fn one_end(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Name(x) => format!(
            "a range has two ends: write `0..{x}` if `{x}` is a size; to go over the elements of a tensor, use their index, as in `sum i {{ {x}[i] }}`"
        ),
        _ => "a range has two ends: write `0..n`".into(),
    }
}
