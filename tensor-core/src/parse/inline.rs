//! Inline blocks.

use super::cursor::{Parsed, Parser};
use crate::ast::{Capture, Inline};
use proc_macro2::{TokenStream, TokenTree};

impl Parser<'_> {
    /// `lets; e`, or `|name: type = rust expression, name: type| e`.
    pub(super) fn inline(&mut self) -> Option<Inline> {
        let before = self.errors.0.len();
        let captures = if self.at("|") { self.captures() } else { Ok(Vec::new()) };
        let body = captures.and_then(|captures| {
            let body = self.statements(self.here())?;
            Ok(Inline { captures, body, written: vec![] })
        });
        body.ok().filter(|_| self.errors.0.len() == before)
    }

    fn captures(&mut self) -> Parsed<Vec<Capture>> {
        let mut captures = Vec::new();
        self.eat("|");
        while !self.eat("|") {
            captures.push(self.capture()?);
            if !self.at("|") && !self.eat(",") {
                return Err(self.unexpected("`,` or the `|` that ends the captures"));
            }
        }
        Ok(captures)
    }

    fn capture(&mut self) -> Parsed<Capture> {
        self.skip_reference();
        let name = self.name("the name of a capture")?;
        if !self.eat(":") {
            return self.fail(
                name.span(),
                format!(
                    "the type of `{name}` is missing: write `{name}: [f64; n]`, or leave the captures out"
                ),
            );
        }
        let ty = self.ty()?;
        let value =
            if self.eat("=") { self.rust_expression()? } else { TokenTree::from(name.clone()).into() };
        Ok(Capture { name, ty, value })
    }

    /// Everything up to the next comma or `|` (but not `||`) outside parentheses.
    fn rust_expression(&mut self) -> Parsed<TokenStream> {
        let mut tokens = Vec::new();
        while !self.at(",") && (!self.at("|") || self.at("||")) {
            let either = self.at("||");
            match self.bump() {
                Some(token) => tokens.push(token),
                None => return Err(self.unexpected("the `|` that ends the captures")),
            }
            if either {
                tokens.extend(self.bump());
            }
        }
        if tokens.is_empty() {
            return self.fail(self.here(), "a Rust expression is missing after `=`");
        }
        Ok(tokens.into_iter().collect())
    }
}
