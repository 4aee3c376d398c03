//! What a loop that is a function takes from around it: parameters, and the arguments for them.

use super::expr::Tokens;
use crate::loops::captures::Captures;
use crate::loops::{Storage, VarId};
use proc_macro2::TokenStream;
use quote::quote;

#[derive(Default)]
pub(super) struct Captured {
    pub parameters: Vec<TokenStream>,
    pub arguments: Vec<TokenStream>,
}

impl Captured {
    /// Sizes, indices, and where parts of arrays begin.
    pub fn numbers(t: &Tokens<'_>, c: &Captures) -> Captured {
        let mut out = Captured::default();
        let sizes = c.sizes.iter().map(|k| t.size(*k as usize));
        let indices = c.indices.iter().map(|j| t.index(*j));
        let firsts = c.vars.keys().filter_map(|v| t.firsts.get(v)).cloned();
        for name in sizes.chain(indices).chain(firsts) {
            out.add(quote!(#name: isize), quote!(#name));
        }
        out
    }

    /// Whether a variable is no array.
    pub fn is_scalar(t: &Tokens<'_>, v: VarId) -> bool {
        let var = t.program.var(v);
        var.extents.is_empty() && !matches!(var.storage, Storage::Work(_))
    }

    /// The type of its elements.
    pub fn element(t: &Tokens<'_>, v: VarId) -> TokenStream {
        if t.program.var(v).holds_indices { quote!(isize) } else { t.elem() }
    }

    /// A variable; a scalar is given by its value.
    pub fn var(&mut self, t: &Tokens<'_>, v: VarId, written: bool) {
        let (name, element) = (t.var(v), Captured::element(t, v));
        match (Captured::is_scalar(t, v), written) {
            (true, _) => self.add(quote!(#name: #element), quote!(#name)),
            (false, true) => self.add(quote!(#name: &mut [#element]), quote!(&mut #name[..])),
            (false, false) => self.add(quote!(#name: &[#element]), quote!(&#name[..])),
        }
    }

    pub fn add(&mut self, parameter: TokenStream, argument: TokenStream) {
        self.parameters.push(parameter);
        self.arguments.push(argument);
    }
}
