//! Declarations of a block.
//!
//! Each `let` is a scope inside that of the one before, and rustc overflows its stack in debug builds where thousands are inside each other. So in a long block
//! many names share a pattern:
//!
//! ```text
//! let mut a = x; let mut b = y; …    ↦    let (mut a, mut b, …); a = x; b = y; …
//! ```

use crate::weights;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use std::collections::HashSet;

/// `let mut name: ty = value;`
pub(super) struct Let {
    pub name: Ident,
    pub is_mut: bool,
    /// Where the value does not tell.
    pub ty: Option<TokenStream>,
    pub value: TokenStream,
}

/// A statement of a block.
pub(super) enum Piece {
    Let(Let),
    Other(TokenStream),
}

impl Piece {
    fn declared(&self) -> Option<&Let> {
        if let Piece::Let(one) = self { Some(one) } else { None }
    }
}

impl Let {
    fn pattern(&self) -> TokenStream {
        let (name, is_mut) = (&self.name, self.is_mut.then(|| quote!(mut)));
        quote!(#is_mut #name)
    }
}

impl ToTokens for Let {
    fn to_tokens(&self, out: &mut TokenStream) {
        let (pattern, value) = (self.pattern(), &self.value);
        let ty = self.ty.iter();
        out.extend(quote!(let #pattern #(: #ty)* = #value;));
    }
}

impl ToTokens for Piece {
    fn to_tokens(&self, out: &mut TokenStream) {
        match self {
            Piece::Let(one) => one.to_tokens(out),
            Piece::Other(tokens) => out.extend(tokens.clone()),
        }
    }
}

/// The statements of a block.
pub(super) fn block(pieces: &[Piece]) -> TokenStream {
    let all = || pieces.iter().filter_map(Piece::declared);
    let mut names: HashSet<&Ident> = HashSet::new();
    // A name that is declared again is another one between.
    if all().count() <= weights::emit::DECLARED || !all().all(|one| names.insert(&one.name)) {
        return quote!(#(#pieces)*);
    }
    pieces.chunks(weights::emit::DECLARED).map(together).collect()
}

/// Statements of which all declarations are one.
fn together(pieces: &[Piece]) -> TokenStream {
    let all = || pieces.iter().filter_map(Piece::declared);
    let patterns = all().map(Let::pattern);
    let types = all().map(|one| one.ty.clone().unwrap_or_else(|| quote!(_)));
    let statements = pieces.iter().map(|piece| match piece {
        Piece::Let(Let { name, value, .. }) => quote!(#name = #value;),
        Piece::Other(tokens) => tokens.clone(),
    });
    quote!(let (#(#patterns,)*): (#(#types,)*); #(#statements)*)
}
