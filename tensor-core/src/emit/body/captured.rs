//! What a loop that is a function takes from around it: parameters, and the arguments for them.

use super::expr::Tokens;
use super::{Argument, Kind};
use crate::loops::captures::Captures;
use crate::loops::{Storage, VarId};
use proc_macro2::TokenStream;
use quote::quote;

#[derive(Default)]
pub(super) struct Captured {
    pub parameters: Vec<TokenStream>,
    pub arguments: Vec<TokenStream>,
    /// Those of them that are no totals.
    pub given: Vec<Argument>,
}

impl Captured {
    /// Sizes, indices, and where parts of arrays begin.
    pub fn numbers(t: &Tokens<'_>, c: &Captures) -> Captured {
        let mut out = Captured::default();
        let sizes = c.sizes.iter().map(|k| t.size(*k as usize));
        let indices = c.indices.iter().map(|j| t.index(*j));
        let firsts = c.vars.keys().filter_map(|v| t.firsts.get(v)).cloned();
        for name in sizes.chain(indices).chain(firsts) {
            out.argument(t, Argument { name, kind: Kind::Size });
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
        let kind = match (Captured::is_scalar(t, v), t.program.var(v).holds_indices) {
            (true, true) => Kind::Size,
            (true, false) => Kind::Number,
            (false, true) if written => Kind::Indices,
            (false, true) => Kind::Table,
            (false, false) if written => Kind::Output,
            (false, false) => Kind::Input,
        };
        self.argument(t, Argument { name: t.var(v), kind });
    }

    fn argument(&mut self, t: &Tokens<'_>, a: Argument) {
        let (name, ty) = (&a.name, a.kind.ty(&t.elem(), None));
        self.add(quote!(#name: #ty), a.given());
        self.given.push(a);
    }

    pub fn add(&mut self, parameter: TokenStream, argument: TokenStream) {
        self.parameters.push(parameter);
        self.arguments.push(argument);
    }
}
