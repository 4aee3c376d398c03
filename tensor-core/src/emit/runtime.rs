//! What an expansion says of Rust as its caller says it: the crate that it calls, and paths.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use std::cell::RefCell;

thread_local! {
    /// Of the expansion that is being made.
    static CALLER: RefCell<Caller> = const { RefCell::new(Caller { runtime: None, paths: vec![] }) };
}

/// How the caller names things of Rust.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caller {
    /// `$crate` of the macro that was called; none outside rustc.
    pub runtime: Option<Ident>,
    /// Paths, as text and as written.
    pub paths: Vec<(String, TokenStream)>,
}

/// The runtime crate, in `quote!`: `$crate`, so that it may be renamed, or re-exported by another crate; `::tensor_rt` where no one said.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runtime;

/// See [`Runtime`].
pub(super) const RT: Runtime = Runtime;

impl ToTokens for Runtime {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        CALLER.with_borrow(|caller| match &caller.runtime {
            Some(name) => name.to_tokens(tokens),
            None => tokens.extend(quote!(::tensor_rt)),
        });
    }
}

/// A path as it was written: it resolves where it was, and mistakes are shown there.
pub(super) fn written(path: &str) -> TokenStream {
    let tokens = CALLER.with_borrow(|caller| caller.paths.iter().find(|p| p.0 == path).map(|p| p.1.clone()));
    tokens.unwrap_or_else(|| path.parse().unwrap_or_default())
}

/// What `expand` makes for this caller. `$crate` resolves by where it comes from, and stands where the macro is called.
pub(crate) fn within<T>(mut caller: Caller, expand: impl FnOnce() -> T) -> T {
    if let Some(name) = &mut caller.runtime {
        name.set_span(name.span().located_at(Span::call_site()));
    }
    let before = CALLER.replace(caller);
    let out = expand();
    CALLER.set(before);
    out
}
