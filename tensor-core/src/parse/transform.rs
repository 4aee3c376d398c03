//! Transforms: `jvp(grad(f, x), x)`.

use super::cursor::{Parsed, Parser, Reported};
use super::item::Attributes;
use crate::ast::{Block, Item, Transform, Wrt};
use crate::error::Span;
use proc_macro2::{Delimiter, Ident, Literal, TokenStream, TokenTree};

impl Parser<'_> {
    /// `transform(of, wrt);`
    pub(super) fn transform(
        &mut self,
        attrs: Attributes,
        vis: TokenStream,
        name: Ident,
        block: &mut Block,
    ) -> Parsed<Transform> {
        let before = self.errors.0.len();
        let (transform, of, wrt) = self.applied(block)?;
        if !self.eat(";") {
            self.errors.push(self.last, "a `;` is missing after this");
        } else if self.errors.0.len() > before {
            return Err(Reported);
        }
        let Attributes { tokens: attrs, threads } = attrs;
        Ok(Transform { is_inner: false, attrs, threads, vis, name, transform, of, wrt })
    }

    /// `transform(of, wrt)`
    fn applied(&mut self, block: &mut Block) -> Parsed<(Ident, Ident, Vec<Wrt>)> {
        let transform = self.name("a transform such as `grad(f, x)`")?;
        let Some(group) = self.group(Delimiter::Parenthesis) else {
            return Err(self.unexpected("`(` and the function to transform, as in `grad(f, x)`"));
        };
        let (of, wrt) = self.within(&group, |p| {
            let of = p.transformed(block)?;
            if !p.at_end() && !p.eat(",") {
                return Err(p.unexpected("`,` or `)` after the name of a function"));
            }
            Ok((of, p.list("`,` or `)` after the name of a parameter", Self::wrt)))
        })?;
        Ok((transform, of, wrt))
    }

    /// The name of a function, or a transform, which becomes an item before this one.
    fn transformed(&mut self, block: &mut Block) -> Parsed<Ident> {
        if self.group_ahead(1, Delimiter::Parenthesis).is_none() {
            return self.name("the name of a function");
        }
        let (transform, of, wrt) = self.applied(block)?;
        let stem = format!("{transform}_of_{of}").replace("r#", "");
        let taken = |n: &str| block.items.iter().any(|i| i.name() == n);
        let mut name = stem.clone();
        let mut k = 2;
        while taken(&name) {
            name = format!("{stem}_{k}");
            k += 1;
        }
        let name = Ident::new(&name, transform.span());
        let (attrs, vis) = (TokenStream::new(), TokenStream::new());
        let inner =
            Transform { is_inner: true, attrs, threads: false, vis, name: name.clone(), transform, of, wrt };
        block.items.push(Item::Transform(inner));
        Ok(name)
    }

    /// `x` or `t.0`
    pub(super) fn wrt(&mut self) -> Parsed<Wrt> {
        let name = self.name("the name of a parameter")?;
        let start = name.span().into();
        let field = if self.eat(".") { Some(self.projection()?) } else { None };
        Ok(Wrt { name, field, span: self.since(start) })
    }

    fn projection(&mut self) -> Parsed<u32> {
        let here: Span = self.here();
        let Some(TokenTree::Literal(literal)) = self.peek(0).cloned() else {
            return Err(self.unexpected("a number, as in `t.0`"));
        };
        self.bump();
        let number = |l: &Literal| l.to_string().parse().ok();
        match number(&literal) {
            Some(field) => Ok(field),
            None => self.fail(here, "a parameter is followed by one number at most, as in `t.0`"),
        }
    }
}
