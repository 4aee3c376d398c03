//! Items: functions and transforms.

use super::cursor::{Parsed, Parser, Reported};
use crate::ast::{Block, Body, Expr, Function, Item, Param, Type};
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

/// Words that begin an item of Rust; most of them are mistakes here.
const ITEM_WORDS: &[&str] = &[
    "fn", "pub", "use", "const", "unsafe", "async", "extern", "struct", "enum", "impl", "mod", "static",
    "type", "trait",
];

/// What stands between the name of a function and its body.
pub(super) struct Signature {
    pub sizes: Vec<Ident>,
    pub params: Vec<Param>,
    pub result: Type,
    pub conditions: Vec<Expr>,
}

/// What stands before an item.
pub(super) struct Attributes {
    /// As written, but for `#[threads]`.
    pub tokens: TokenStream,
    /// Whether that is there, or stands for the whole block.
    pub threads: bool,
}

impl Parser<'_> {
    /// Whether an item begins here: the input is then a block of items, otherwise an inline expression.
    pub(super) fn at_item(&self) -> bool {
        let mut k = 0;
        while self.ahead(k, "#") && self.group_ahead(k + 1, Delimiter::Bracket).is_some() {
            k += 2;
        }
        let word = |words: &[&str]| self.ident(k).is_some_and(|i| words.iter().any(|w| i == w));
        self.ahead(k, "#") || word(ITEM_WORDS) || (k > 0 && !word(&["rec", "fold", "scan", "for"]))
    }

    /// All items up to the end.
    pub(super) fn items(&mut self) -> Block {
        let mut block = Block::default();
        while !self.at_end() {
            match self.item(&mut block) {
                Ok(item) => block.items.extend(item),
                Err(Reported) => self.skip_item(),
            }
        }
        block
    }

    /// Goes on behind the next `;` or body, or before what must be the next item.
    fn skip_item(&mut self) {
        self.skip_until(|p| p.at(";") || p.at_group(Delimiter::Brace) || p.at_item());
        if !self.at_item() {
            self.bump();
        }
    }

    fn item(&mut self, block: &mut Block) -> Parsed<Option<Item>> {
        let attrs = self.attributes(block)?;
        let vis = self.visibility();
        if self.at_word("impl") && self.group_ahead(2, Delimiter::Parenthesis).is_some() {
            let start = self.here();
            let rule = self.rule()?;
            let is_plain = vis.is_empty()
                && !crate::variants::is_configured(&attrs.tokens)
                && attrs.threads == block.threads;
            if !is_plain {
                self.errors.push(start, "of a derivative that is given there are no attributes, and no visibility: put `#[cfg(…)]` before the function that it is of");
            }
            block.rules.push(rule);
            return Ok(None);
        }
        if self.at_word("extern") && self.ident(1).is_some_and(|i| i == "fn") {
            self.bump();
            self.bump();
            let name = self.name("the name of a function")?;
            if attrs.threads && !block.threads {
                let words = "`#[threads]` is for functions of the block: what an `extern fn` does is its own";
                self.errors.push(name.span(), words);
            }
            if crate::variants::is_configured(&attrs.tokens) {
                let words = "`#[cfg(…)]` is not taken before `extern fn`: put it before the Rust function, one for each case";
                self.errors.push(name.span(), words);
            }
            let item = self.outer(attrs.tokens, name.clone());
            return item.map(|f| Some(Item::Function(f))).inspect_err(|_| block.broken.push(name));
        }
        while self.at_modifier() {
            self.errors.push(self.here(), "a function of a block is a plain `fn`");
            self.bump();
        }
        let start = self.here();
        if self.eat_word("use") {
            return self.fail(start, "`use` is not available yet: a block calls its own functions only");
        }
        if !self.eat_word("fn") {
            self.unexpected("`fn`: a block holds functions");
            self.bump();
            return Err(Reported);
        }
        let name = self.name("the name of a function")?;
        let item = match self.eat("=") {
            true => self.transform(attrs, vis, name.clone(), block).map(Item::Transform),
            false => self.function(attrs, vis, name.clone()).map(Item::Function),
        };
        item.map(Some).inspect_err(|_| block.broken.push(name))
    }

    /// `<sizes>(params) -> result where conditions { body }`
    fn function(&mut self, attrs: Attributes, vis: TokenStream, name: Ident) -> Parsed<Function> {
        let before = self.errors.0.len();
        let signature = self.signature();
        if signature.is_err() {
            self.skip_until(|p| p.at(";") || p.at_group(Delimiter::Brace) || p.at_item());
        }
        let sound = self.errors.0.len() == before;
        let body = if sound || self.at_group(Delimiter::Brace) {
            self.function_body()?
        } else {
            return Err(Reported);
        };
        let Signature { sizes, params, result, conditions } = signature?;
        if !sound {
            return Err(Reported);
        }
        let Attributes { tokens: attrs, threads } = attrs;
        Ok(Function { attrs, threads, vis, name, sizes, params, result, conditions, body, outer: None })
    }

    fn at_modifier(&self) -> bool {
        let modifier = ["const", "unsafe", "async", "extern"].iter().any(|w| self.at_word(w));
        let literal = matches!(self.peek(1), Some(TokenTree::Literal(_)));
        modifier
            && (literal || self.ident(1).is_some_and(|i| ["fn", "unsafe", "extern"].iter().any(|w| i == w)))
            || matches!(self.peek(0), Some(TokenTree::Literal(_))) && self.ident(1).is_some_and(|i| i == "fn")
    }

    /// `#[…]*`, as written but for `#[threads]`; before the first item also `#![threads]`.
    fn attributes(&mut self, block: &mut Block) -> Parsed<Attributes> {
        let mut attrs = Attributes { tokens: TokenStream::new(), threads: block.threads };
        while self.at("#") {
            if self.ahead(1, "!") {
                let here = self.here();
                self.bump();
                self.bump();
                let is_first = block.items.is_empty() && block.rules.is_empty() && attrs.tokens.is_empty();
                if is_first && self.group(Delimiter::Bracket).is_some_and(|g| is_threads(&g)) {
                    (block.threads, attrs.threads) = (true, true);
                } else {
                    self.errors.push(here, "of a whole block there is `#![threads]` alone, before its first function: write `#[…]` before `fn`");
                    self.group(Delimiter::Bracket);
                }
                continue;
            }
            let Some(group) = self.group_ahead(1, Delimiter::Bracket) else {
                self.bump();
                return Err(self.unexpected("`[` of an attribute"));
            };
            if is_threads(group) {
                attrs.threads = true;
                self.bump();
                self.bump();
            } else {
                attrs.tokens.extend(self.bump());
                attrs.tokens.extend(self.bump());
            }
        }
        Ok(attrs)
    }

    /// `pub`, `pub(crate)`, …
    fn visibility(&mut self) -> TokenStream {
        let mut vis = TokenStream::new();
        if self.at_word("pub") {
            vis.extend(self.bump());
            if self.at_group(Delimiter::Parenthesis) {
                vis.extend(self.bump());
            }
        }
        vis
    }

    /// `{ … }`; `None` if it has errors.
    fn function_body(&mut self) -> Parsed<Option<Body>> {
        let before = self.errors.0.len();
        if self.at("=") {
            return self.fail(self.here(), "the body stands in braces: `{ … }`");
        }
        let body = self.braces("the body `{ … }` of the function")?;
        if self.at(";") {
            self.errors.push(self.here(), "leave the `;` after the body of a function out");
            self.bump();
        }
        Ok(Some(body).filter(|_| self.errors.0.len() == before))
    }

    pub(super) fn signature(&mut self) -> Parsed<Signature> {
        let sizes = if self.eat("<") { self.sizes()? } else { Vec::new() };
        let Some(group) = self.group(Delimiter::Parenthesis) else {
            return Err(self.unexpected("`(` and the parameters"));
        };
        let params = self.within(&group, |p| Ok(p.list("`,` or `)` after a parameter", Self::param)))?;
        if self.at_group(Delimiter::Brace) || self.at_word("where") || self.at(":") {
            return self
                .fail(self.here(), "the type of the result is missing: write `-> f64` after the parameters");
        }
        if !self.eat("->") {
            return Err(self.unexpected("`->` and the type of the result"));
        }
        let result = self.ty()?;
        let conditions = if self.eat_word("where") { self.conditions()? } else { Vec::new() };
        Ok(Signature { sizes, params, result, conditions })
    }

    /// `n, m>`
    fn sizes(&mut self) -> Parsed<Vec<Ident>> {
        let mut sizes = Vec::new();
        while !self.eat(">") {
            let before = self.errors.0.len();
            if self.at_word("const") || self.at("'") {
                self.errors.push(self.here(), "a size is declared by its name alone: `<n, m>`");
                self.bump();
            }
            sizes.push(self.name("the name of a size")?);
            if self.at(":") {
                if self.errors.0.len() == before {
                    self.errors.push(self.here(), "a size is declared by its name alone: `<n, m>`");
                }
                self.skip_until(|p| p.at(",") || p.at(">") || p.at_group(Delimiter::Parenthesis));
            }
            if !self.at(">") && !self.eat(",") {
                return Err(self.unexpected("`,` or `>` after the name of a size"));
            }
        }
        Ok(sizes)
    }

    /// `name: type`
    fn param(&mut self) -> Parsed<Param> {
        self.skip_reference();
        if self.at_word("self") {
            return self.fail(self.here(), "a function of a block is not a method: it has no `self`");
        }
        let name = self.name("the name of a parameter")?;
        if !self.eat(":") {
            return self.fail(
                name.span(),
                format!("the type of `{name}` is missing: write `{name}: f64` or `{name}: [f64; n]`"),
            );
        }
        Ok(Param { name, ty: self.ty()? })
    }

    fn conditions(&mut self) -> Parsed<Vec<Expr>> {
        let mut conditions = Vec::new();
        while !self.at_group(Delimiter::Brace) {
            conditions.push(self.expr()?);
            if !self.at_group(Delimiter::Brace) && !self.eat(",") {
                return Err(self.unexpected("`,` or the body after a condition"));
            }
        }
        Ok(conditions)
    }
}

/// `[threads]`
fn is_threads(group: &Group) -> bool {
    let mut tokens = group.stream().into_iter();
    matches!(tokens.next(), Some(TokenTree::Ident(i)) if i == "threads") && tokens.next().is_none()
}
