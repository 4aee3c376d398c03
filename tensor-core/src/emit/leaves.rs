//! Types as trees of tensors: `[(A, B); n]` is a tuple of tensors.

use crate::emit::runtime::RT;
use crate::index::Affine;
use crate::typed::Type;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// A type with the extents of its arrays moved to the leaves.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    /// A tensor; a scalar has no extents.
    Leaf(Vec<Affine>),
    /// A `usize` parameter.
    Size,
    /// A tuple.
    Tuple(Vec<Tree>),
}

impl Tree {
    /// `[(A, B); n]` becomes `([A; n], [B; n])`.
    pub fn new(ty: &Type) -> Tree {
        Tree::inside(ty, &[])
    }

    fn inside(ty: &Type, outer: &[Affine]) -> Tree {
        match ty {
            Type::Real => Tree::Leaf(outer.to_vec()),
            Type::Size => Tree::Size,
            Type::Array(extents, element) => Tree::inside(element, &[outer, extents].concat()),
            Type::Tuple(parts) => Tree::Tuple(parts.iter().map(|p| Tree::inside(p, outer)).collect()),
        }
    }

    /// Every leaf, in order, with its name: `t.0.1`. A `usize` is not one.
    pub fn leaves(&self, name: &str) -> Vec<(String, Vec<Affine>)> {
        match self {
            Tree::Leaf(extents) => vec![(name.to_string(), extents.clone())],
            Tree::Size => vec![],
            Tree::Tuple(parts) => {
                parts.iter().enumerate().flat_map(|(k, p)| p.leaves(&format!("{name}.{k}"))).collect()
            }
        }
    }

    /// The same tuples with `leaf` of every leaf, in order.
    pub fn map(&self, leaf: &mut dyn FnMut(&[Affine]) -> TokenStream) -> TokenStream {
        match self {
            Tree::Leaf(extents) => leaf(extents),
            Tree::Size => quote!(::core::primitive::usize),
            Tree::Tuple(parts) => {
                let parts = parts.iter().map(|p| p.map(leaf));
                quote!((#(#parts,)*))
            }
        }
    }
}

/// `&captured` as an argument: scalars and sizes by value.
pub(super) fn capture(ty: &Type, place: &TokenStream) -> TokenStream {
    match ty {
        Type::Real | Type::Size => quote!(#RT::__private::AsScalar::value(#place)),
        Type::Array(..) => match Tree::new(ty) {
            Tree::Tuple(parts) => of_tuple(parts.len(), place),
            Tree::Leaf(_) | Tree::Size => place.clone(),
        },
        Type::Tuple(parts) => {
            let parts = parts.iter().enumerate().map(|(k, p)| {
                let k = Literal::usize_unsuffixed(k);
                capture(p, &quote!((&#place.#k)))
            });
            quote!((#(#parts,)*))
        }
    }
}

/// A tuple of tensors, each by reference.
fn of_tuple(len: usize, place: &TokenStream) -> TokenStream {
    let parts = (0..len).map(|k| {
        let k = Literal::usize_unsuffixed(k);
        quote!(&#place.#k)
    });
    quote!((#(#parts,)*))
}

/// A name that no name of the user can be confused with.
pub(super) fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// A variable that the user does not see. Hygiene hides no statics and constants, which a variable may not be named like: so no one's are.
pub(super) fn hidden(name: &str) -> Ident {
    local(&format!("__{name}"))
}
