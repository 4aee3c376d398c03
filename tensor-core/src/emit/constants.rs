//! Constants of a block's own: `PI`, `TAU`, `E`, `INFINITY`, `NEG_INFINITY`, `NAN`.

use crate::ast::Elem;
use crate::emit::runtime::RT;
use crate::sorted::Set;
use crate::typed::{Block, Definition, Expr, ExprKind};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// The names that mean the same number in every block, so that they need no import.
pub const OWN: [&str; 6] = ["PI", "TAU", "E", "INFINITY", "NEG_INFINITY", "NAN"];

/// Items by which rustc sees to it that a constant of one of these names around the block is that number. (What is imported by `*` gives
/// way to what the module itself has; an import of the number is then used.)
#[must_use]
pub fn claims(block: &Block) -> TokenStream {
    let single = block.functions.iter().all(|f| f.elem == Elem::F32);
    let elem = if single { quote!(::core::primitive::f32) } else { quote!(::core::primitive::f64) };
    let mut used: Set<&str> = Set::new();
    let mut see = |e: &Expr| {
        if let ExprKind::Constant(path) = &e.kind {
            used.extend(OWN.into_iter().filter(|own| own == path));
        }
    };
    for f in &block.functions {
        if let Some(Definition::Expr(body)) = &f.body {
            body.visit(&mut see);
        }
        f.comparisons.iter().for_each(|c| {
            c.left.visit(&mut see);
            c.right.visit(&mut see);
        });
    }
    let claim = |name: &&str| {
        let (module, constant) = (format_ident!("{}", name.to_lowercase()), format_ident!("{name}"));
        let message = format!(
            "`{name}` is the number of that name in `tensor!`: rename this constant, or write its path, as in `self::{name}`"
        );
        quote! {
            #[allow(unused_imports)]
            use #RT::__private::constants::#module::*;
            const _: () = ::core::assert!(
                (#constant as #elem).to_bits() == (#RT::__private::constants::#module::#constant as #elem).to_bits(),
                #message
            );
        }
    };
    used.iter().map(claim).collect()
}
