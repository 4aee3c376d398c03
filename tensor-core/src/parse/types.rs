//! Types.

use super::cursor::{Parsed, Parser, delimiters};
use crate::ast::{Elem, Type, TypeKind};
use crate::error::Span;
use proc_macro2::{Delimiter, Group, TokenTree};

impl Parser<'_> {
    /// `f64`, `f32`, `usize`, `[type; extents]`, `(types)`.
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        self.skip_reference();
        let start = self.here();
        if let Some(group) = self.group(Delimiter::Bracket) {
            return self.array(&group);
        }
        if let Some(group) = self.group(Delimiter::Parenthesis) {
            return self.tuple_type(&group);
        }
        let Some(word) = self.ident(0).cloned() else { return Err(self.unexpected("a type")) };
        self.bump();
        let kind = match word.to_string().as_str() {
            "f64" => TypeKind::Real(Elem::F64),
            "f32" => TypeKind::Real(Elem::F32),
            "usize" if self.at("<") => return self.reserved_index(start),
            "usize" => TypeKind::Size,
            "rel" | "sparse" if self.group(Delimiter::Bracket).is_some() => {
                return self.fail(start, format!("the type `{word}` is not available yet"));
            }
            _ => {
                self.skip_until(|p| {
                    [",", "=", "|", ";", "->", ">"].iter().any(|s| p.at(s)) || p.at_group(Delimiter::Brace)
                });
                return self.fail(start, format!("there is no type `{word}`: a type is `f64`, `f32`, `[f64; n]`, a tuple, or `usize` for a size"));
            }
        };
        if let Some(group) = self.group(Delimiter::Bracket) {
            return self
                .fail(delimiters(&group), format!("a tensor is written `[{word}; {}]`", group.stream()));
        }
        Ok(Type { kind, span: self.since(start) })
    }

    /// `&` and `mut` are superfluous: say so and go on.
    pub(super) fn skip_reference(&mut self) {
        let start = self.here();
        if self.eat("&") {
            self.eat_word("mut");
            self.errors.push(start, "leave the `&` out: tensors are passed by reference by themselves");
        } else if self.eat_word("mut") {
            self.errors.push(
                start,
                "`mut` is not supported: a variable does not change, but a second `let` may take its name",
            );
        }
    }

    fn reserved_index(&mut self, start: Span) -> Parsed<Type> {
        self.errors.push(start, "the type `usize < n` of indices is not available yet");
        self.eat("<");
        let extent = self.bound()?;
        Ok(Type { kind: TypeKind::Size, span: start.to(extent.span) })
    }

    /// `[type; extent, …]`
    fn array(&mut self, group: &Group) -> Parsed<Type> {
        let span = delimiters(group);
        self.within(group, |p| {
            let of = p.ty()?;
            if p.at_end() {
                return p.fail(span, "the extent is missing: write `[f64; n]`");
            }
            if p.at(",") {
                return p.fail(p.here(), "a semicolon stands before the extents: `[f64; n]`");
            }
            if !p.eat(";") {
                return Err(p.unexpected("`;` and the extents: `[f64; n]`"));
            }
            let before = p.errors.0.len();
            let extents = p.list("`,` or `]` after an extent", |p| {
                let extent = p.expr()?;
                if p.at(";") {
                    return p.fail(p.here(), "extents are separated by commas: `[f64; n, m]`");
                }
                Ok(extent)
            });
            if extents.is_empty() && p.errors.0.len() == before {
                return p.fail(span, "the extent is missing: write `[f64; n]`");
            }
            Ok(Type { kind: TypeKind::Array(Box::new(of), extents), span })
        })
    }

    /// `(A, B)`; `(A)` is `A`, and `(A,)` has one part.
    fn tuple_type(&mut self, group: &Group) -> Parsed<Type> {
        let span = delimiters(group);
        self.within(group, |p| {
            let before = p.errors.0.len();
            let mut types = p.list("`,` or `)` after a type", Self::ty);
            if types.is_empty() && p.errors.0.len() == before {
                return p
                    .fail(span, "a function of scalars has a result: `()` is not a type of the language");
            }
            let has_comma =
                matches!(group.stream().into_iter().last(), Some(TokenTree::Punct(c)) if c.as_char() == ',');
            let kind = match (types.len(), types.pop()) {
                (1, Some(one)) if !has_comma => one.kind,
                (_, last) => TypeKind::Tuple(types.into_iter().chain(last).collect()),
            };
            Ok(Type { kind, span })
        })
    }
}
