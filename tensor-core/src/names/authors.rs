//! Who wrote a name: the user, or a macro, and which.
//!
//! To rustc a name is its letters and a syntax context. Stable Rust shows a context by its number in the `Debug` text of a span alone, `#3 bytes(10..11)`.
//! Nothing rests on that text: what is concluded from it is put to rustc as items ([`Authors::witnesses`]) that compile only if it is so.

use super::{plain, spelled};
use crate::sorted::Map;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// The context of a span.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Context {
    /// By its number.
    Number(u32),
    /// Outside rustc there are none.
    Outside,
    /// Rustc does not show it.
    Hidden,
}

/// `#3 bytes(10..11)`
fn context(text: &str) -> Context {
    match text.strip_prefix('#') {
        Some(rest) => {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().map_or(Context::Hidden, Context::Number)
        }
        None if text.starts_with("bytes(") || text == "Span" => Context::Outside,
        None => Context::Hidden,
    }
}

fn of_span(span: Span) -> Context {
    context(&format!("{span:?}"))
}

/// Whether two names have one context, as far as it shows.
pub(super) fn is_same(a: &Ident, b: &Ident) -> bool {
    let (a, b) = (of_span(a.span()), of_span(b.span()));
    a == b && a != Context::Hidden
}

/// See the module documentation.
#[derive(Debug, Default)]
pub(super) struct Authors {
    /// The author of each context.
    of: Map<Context, usize>,
    /// The authors of each text, if there are several.
    several: Map<String, Vec<usize>>,
    /// Pairs that are taken for two names.
    apart: Vec<(Ident, Ident)>,
    /// Pairs that are taken for one name.
    same: Vec<(Ident, Ident)>,
}

impl Authors {
    /// Of these names. Contexts that share no text are never compared.
    pub fn of(names: &[Ident]) -> Authors {
        let mut firsts: Map<String, Vec<(Context, Ident)>> = Map::new();
        let mut out = Authors::default();
        for n in names {
            let context = of_span(n.span());
            let all = firsts.entry(plain(n)).or_default();
            let is_new = !all.iter().any(|(c, _)| *c == context);
            if context == Context::Hidden {
                // All are taken for one author.
                out.same.extend(all.first().map(|(_, first)| (first.clone(), n.clone())));
            }
            if is_new {
                all.push((context, n.clone()));
                let next = out.of.len();
                out.of.entry(context).or_insert(next);
            }
        }
        for (text, all) in firsts.iter().filter(|(_, all)| all.len() > 1) {
            for (k, (_, b)) in all.iter().enumerate() {
                for (_, a) in &all[..k] {
                    out.compare(a, b);
                }
            }
            let authors = all.iter().map(|(_, n)| out.of_name(n));
            out.several.insert(text.clone(), authors.collect());
        }
        out
    }

    /// What a procedural macro makes has a context of its own too, but mostly the names of where it is called: it does not stand in any source.
    fn compare(&mut self, a: &Ident, b: &Ident) {
        if is_made(a) == is_made(b) {
            self.apart.push((a.clone(), b.clone()));
            return;
        }
        let (x, y) = (self.of_name(a), self.of_name(b));
        self.of = self.of.iter().map(|(c, author)| (*c, if *author == y { x } else { *author })).collect();
        self.same.push((a.clone(), b.clone()));
    }

    /// The number of the author of one of the names.
    pub fn of_name(&self, n: &Ident) -> usize {
        self.of.get(&of_span(n.span())).copied().unwrap_or(usize::MAX)
    }

    /// Whether this text is that of several names.
    pub fn several(&self, text: &str) -> bool {
        self.several.get(text).is_some_and(|all| all.iter().any(|a| *a != all[0]))
    }

    /// Items that compile only if names are one, or two, as it was concluded here:
    ///
    /// ```text
    /// const _: fn(u8, u8) = |_x, _x| ();      // two names
    /// const _: fn(u8) -> u8 = |x| x;          // one name
    /// ```
    pub fn witnesses(&self) -> TokenStream {
        let byte = quote!(::core::primitive::u8);
        let apart = self.apart.iter().map(|(a, b)| {
            let [a, b] = [a, b].map(|n| Ident::new(&format!("_{}", plain(n)), n.span()));
            quote!(const _: fn(#byte, #byte) = |#a, #b| ();)
        });
        let same = self.same.iter().map(|(a, b)| {
            let [a, b] = [a, b].map(|n| spelled(&plain(n), n.span()));
            quote!(const _: fn(#byte) -> #byte = |#a| #b;)
        });
        apart.chain(same).collect()
    }
}

/// Whether a name does not stand where its span says.
fn is_made(n: &Ident) -> bool {
    n.span().source_text().is_some_and(|text| text.trim_start_matches("r#") != plain(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts() {
        let table = [
            ("#0 bytes(10..11)", Context::Number(0)),
            ("#417 bytes(1..2)", Context::Number(417)),
            ("bytes(1..2)", Context::Outside),
            ("Span", Context::Outside),
            ("#x", Context::Hidden),
            ("", Context::Hidden),
            ("src/lib.rs:1:2", Context::Hidden),
        ];
        for (text, wanted) in table {
            assert_eq!(context(text), wanted, "{text}");
        }
    }
}
