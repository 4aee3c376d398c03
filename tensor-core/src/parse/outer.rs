//! What the language does not define: Rust functions, and derivatives that are given.

use super::cursor::{Parsed, Parser, Reported};
use super::item::Signature;
use crate::ast::{Derivative, Expr, Function, Outer, Rule};
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

/// What stands between the braces of an `extern fn`.
enum Entry {
    Partial(Ident, Box<Expr>),
    Function(Derivative),
}

impl Parser<'_> {
    /// `(params) -> f64 = path { x: partial, … }` after the name of an `extern fn`; `;` where there are no partials. Without a path it is the
    /// function of that name.
    pub(super) fn outer(&mut self, attrs: TokenStream, name: Ident) -> Parsed<Function> {
        let before = self.errors.0.len();
        let Signature { sizes, params, result, conditions } = self.signature()?;
        let mut path: TokenStream = TokenTree::Ident(name.clone()).into();
        if self.eat("=") {
            path = self.rust_path()?;
        }
        let all = match self.group(Delimiter::Brace) {
            Some(group) => {
                let each = |p: &mut Self| Ok(p.list("`,` or `}` after a derivative", Self::entry));
                self.within(&group, each)?
            }
            None if self.eat(";") => vec![],
            None => {
                return Err(
                    self.unexpected("`{ x: … }` or `{ jvp = …, vjp = … }` with the derivatives, or `;`")
                );
            }
        };
        if self.errors.0.len() > before {
            return Err(Reported);
        }
        let (mut partials, mut derivatives) = (vec![], vec![]);
        for entry in all {
            match entry {
                Entry::Partial(name, e) => partials.push((name, *e)),
                Entry::Function(d) => derivatives.push(d),
            }
        }
        let outer = Some(Outer { path, partials, derivatives });
        let vis = TokenStream::new();
        let threads = false;
        Ok(Function { attrs, threads, vis, name, sizes, params, result, conditions, body: None, outer })
    }

    /// `x: partial`, `jvp = path` or `vjp(x, result) = path`
    fn entry(&mut self) -> Parsed<Entry> {
        let key = self.name("the name of a parameter, or `jvp`, `vjp` or `transpose`")?;
        let group = self.group(Delimiter::Parenthesis);
        let names = match &group {
            Some(group) => {
                let name = |p: &mut Self| p.name("the name of a parameter, or `result`");
                self.within(group, |p| Ok(p.list("`,` or `)` after the name of a parameter", name)))?
            }
            None => vec![],
        };
        if self.eat("=") {
            return Ok(Entry::Function(Derivative { key, names, path: self.rust_path()? }));
        }
        if group.is_some() {
            return Err(self.unexpected("`=` and the function that is the derivative"));
        }
        if !self.eat(":") {
            return Err(self.unexpected("`:` and the partial derivative by this parameter"));
        }
        Ok(Entry::Partial(key, Box::new(self.expr()?)))
    }

    /// `a::b::c`, `::a::b`
    fn rust_path(&mut self) -> Parsed<TokenStream> {
        let mut path = TokenStream::new();
        loop {
            if self.at("::") {
                path.extend(self.bump());
                path.extend(self.bump());
            } else if !path.is_empty() {
                return Ok(path);
            }
            match self.ident(0).cloned() {
                Some(word) => {
                    path.extend([TokenTree::Ident(word)]);
                    self.bump();
                }
                None => return Err(self.unexpected("the path of a Rust function")),
            }
        }
    }

    /// `impl jvp(f, x) = g;`
    pub(super) fn rule(&mut self) -> Parsed<Rule> {
        self.bump();
        let mode = self.name("`jvp` or `vjp`")?;
        let Some(group) = self.group(Delimiter::Parenthesis) else {
            return Err(self.unexpected("`(` and the function that it is of, as in `impl jvp(f, x) = g;`"));
        };
        let (of, wrt) = self.within(&group, |p| {
            let of = p.name("the name of a function")?;
            if !p.at_end() && !p.eat(",") {
                return Err(p.unexpected("`,` or `)` after the name of a function"));
            }
            Ok((of, p.list("`,` or `)` after the name of a parameter", Self::wrt)))
        })?;
        if !self.eat("=") {
            return Err(self.unexpected("`=` and the function that is the derivative"));
        }
        let by = self.name("the name of a function")?;
        if !self.eat(";") {
            self.errors.push(self.last, "a `;` is missing after this");
        }
        Ok(Rule { mode, of, wrt, by })
    }
}
