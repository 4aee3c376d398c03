//! Loops to tokens: the items that a block expands to.
//!
//! For a function `f` these are `f` and `f_into`. Everything else is nested inside one of the two, so that blocks do not collide:
//!
//! ```text
//! f        shapes → extents of the outputs → outputs → f_into
//! f_into   shapes → entry: sizes, all checks, lengths → slices, buffers → body → outputs that are not contiguous
//! ```
//!
//! Generic code is what reads the arguments; `entry` and `body` are functions over numbers and slices.
//!
//! Invariant: nothing is written before every check has passed.
//! Invariant: all that is local has spans of the macro, all that the user named has the user's.

/// `quote!` whose own names cannot meet those of the user: locals resolve where the macro is defined.
macro_rules! hygienic {
    ($($token:tt)*) => { ::quote::quote_spanned!(::proc_macro2::Span::mixed_site()=> $($token)*) };
}

pub mod body;
mod call;
pub mod constants;
mod docs;
mod entry;
mod foreign;
mod leaves;
mod limit;
mod linear;
mod outer;
mod runtime;
mod signature;

pub use foreign::foreign;
pub use linear::{LinearMap, linearization};
pub(crate) use runtime::{Caller, within};

use crate::{cost, loops, ssa, typed};
use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use runtime::RT;
use signature::Signature;

/// What the documentation of a function says beside what its author wrote; empty where it is not known.
#[derive(Clone, Debug, Default)]
pub struct Docs {
    /// The program that computes it, in the language.
    pub formula: String,
    /// Its cost, as a polynomial in the sizes.
    pub cost: String,
}

impl Docs {
    /// Of a function in normal form.
    #[must_use]
    pub fn of(f: &ssa::Function) -> Docs {
        Docs { formula: ssa::display::display(f), cost: cost::polynomial(f).to_string() }
    }
}

/// The items of one function: `f` and `f_into`. Without a program (the function had errors) their bodies return
/// `Error::NotCompiled`; they never run, since the block also reports the errors.
#[must_use]
pub fn function(f: &typed::Function, program: Option<&loops::Program>, docs: &Docs) -> TokenStream {
    let s = Signature::new(f);
    let body = program.map(|p| (p, body::function(p, s.body())));
    items(f, &s, body.as_ref().map(|(p, body)| (*p, body)), docs)
}

/// The items around the function that runs the program.
fn items(
    f: &typed::Function,
    s: &Signature,
    program: Option<(&loops::Program, &TokenStream)>,
    docs: &Docs,
) -> TokenStream {
    let (attrs, vis, name) = (&f.attrs, &f.vis, &f.name);
    let (into, calls) = (into_name(name), calls_deprecated(attrs));
    let (params, result) = (s.params(), s.result());
    let (outputs, scalars) = (s.outputs(), s.scalars());
    let (doc, doc_into) = (docs::of_function(f, s, docs), docs::of_into(f, s));
    let (body, body_into) = match program {
        Some((p, body)) => (call::allocating(f, s, p, &into), call::into(f, s, p, body)),
        None => (call::not_compiled(s, false), call::not_compiled(s, true)),
    };
    let elem = s.elem();
    let work = s.work();
    let allowed = many_arguments(params.len());
    let allowed_into = many_arguments(params.len() + outputs.len() + 1);
    quote! {
        #attrs
        #doc
        #allowed
        #calls
        #vis fn #name(#(#params),*) -> ::core::result::Result<#result, #RT::Error> {
            #body
        }
        #attrs
        #doc_into
        #allowed_into
        #vis fn #into(#(#params,)* #(#outputs,)* #work: &mut #RT::Workspace<#elem>)
            -> ::core::result::Result<#scalars, #RT::Error>
        {
            #body_into
        }
    }
}

/// What lets a function have so many parameters. It is the only lint that needs an attribute, and an attribute is an error in a crate that
/// forbids it: so it stands only where it must.
fn many_arguments(count: usize) -> Option<TokenStream> {
    (count > 7).then(|| quote!(#[allow(clippy::too_many_arguments)]))
}

/// What lets a function call the one beside it, which has its attributes, where that is deprecated. It stands only where it must, too.
fn calls_deprecated(attrs: &TokenStream) -> Option<TokenStream> {
    fn says(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|t| match t {
            TokenTree::Ident(i) => i == "deprecated",
            TokenTree::Group(g) => says(g.stream()),
            TokenTree::Punct(_) | TokenTree::Literal(_) => false,
        })
    }
    says(attrs.clone()).then(|| quote!(#[allow(deprecated)]))
}

/// `f_into`, where `f` is written.
fn into_name(name: &Ident) -> Ident {
    format_ident!("{}_into", name)
}

/// An expression of type `Result<_, tensor_rt::Error>`: the captures, by reference, go to a function that only this expression sees.
#[must_use]
pub fn inline(inline: &typed::Inline, program: Option<&loops::Program>) -> TokenStream {
    let mut f = inline.function.clone();
    // The captures are evaluated outside the scope of the items, and the items see nothing of the captures.
    f.name = Ident::new("__tensor", Span::mixed_site());
    f.vis = TokenStream::new();
    let items = function(&f, program, &Docs::default());
    let name = &f.name;
    let captured = &inline.arguments;
    let args = leaves::hidden("captured");
    let arguments = f.params.iter().enumerate().map(|(k, p)| {
        let k = Literal::usize_unsuffixed(k);
        leaves::capture(&p.ty, &quote!(#args.#k))
    });
    quote! {
        match (#(&(#captured),)*) {
            #args => {
                #items
                #name(#(#arguments),*)
            }
        }
    }
}

#[cfg(test)]
mod tests;
