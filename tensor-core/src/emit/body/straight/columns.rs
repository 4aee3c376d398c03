//! The loads and stores of a straight body: what its windows say of their columns, by name.

use super::{LANES, Straight};
use crate::emit::body::rows::Rows;
use crate::emit::body::vector::{LANE, Vector};
use crate::loops::straight::target;
use crate::loops::windows::{Columns as Moved, Window};
use crate::loops::{Leaf, Stmt};
use crate::sorted::{Map, Set};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// What the body loads and stores, by window and column.
pub(super) struct Columns<'a> {
    s: &'a Straight<'a>,
    loads: Vec<Map<i64, Ident>>,
    stores: Vec<Map<i64, &'a Stmt>>,
    /// Of places that have a copy for each lane.
    far_loads: Map<usize, Ident>,
    far_stores: Map<usize, &'a Stmt>,
}

impl<'a> Columns<'a> {
    pub fn of(s: &'a Straight<'a>) -> Columns<'a> {
        let windows = &s.reach.windows;
        let mut c = Columns {
            s,
            loads: windows.iter().map(|_| Map::new()).collect(),
            stores: windows.iter().map(|_| Map::new()).collect(),
            far_loads: Map::new(),
            far_stores: Map::new(),
        };
        for local in &s.parts.lanes {
            if let Some(p) = local.loaded(s.index) {
                if let Some((k, column)) = s.reach.column(s.program(), p) {
                    c.loads[k].insert(column, s.t.var(local.var));
                } else if let Some(k) = s.reach.copy(p) {
                    c.far_loads.insert(k, s.t.var(local.var));
                }
            }
        }
        let anew = |w: &Window| w.reads.iter().flat_map(|r| r.anew()).collect();
        let read: Vec<Set<i64>> = windows.iter().map(anew).collect();
        for stmt in &s.parts.stores {
            let Some(p) = target(stmt) else { continue };
            if let Some((k, column)) = s.reach.column(s.program(), p) {
                if read[k].contains(&column) && !c.loads[k].contains_key(&column) {
                    c.loads[k].insert(column, s.t.helper(&format!("old{k}_{column}")));
                }
                c.stores[k].insert(column, stmt);
            } else if let Some(k) = s.reach.copy(p) {
                if s.reach.far[k].is_read && !c.far_loads.contains_key(&k) {
                    c.far_loads.insert(k, s.t.helper(&format!("old_far{k}")));
                }
                c.far_stores.insert(k, stmt);
            }
        }
        c
    }

    pub fn loads(&self) -> TokenStream {
        let (lane, isa, far) = (self.s.t.helper(LANE), self.s.t.helper("isa"), self.s.t.helper("far"));
        let near = self.s.reach.windows.iter().enumerate();
        let near = near.flat_map(|(k, w)| w.reads.iter().map(move |c| self.load(k, w, *c)));
        let far = self.far_loads.iter().map(|(k, name)| {
            let at = LANES * k;
            quote!(let #name = #lane::load(#isa, &#far[..], #at);)
        });
        near.chain(far).collect()
    }

    fn load(&self, k: usize, w: &Window, columns: Moved) -> TokenStream {
        let (slice, lane, isa) = (self.s.slice(k), self.s.t.helper(LANE), self.s.t.helper("isa"));
        let (stride, from) = (Literal::i64_unsuffixed(w.stride), quote!(&#slice[..]));
        let name = |c: i64| self.loads[k].get(&c).map_or_else(|| quote!(_), |name| quote!(#name));
        match columns {
            Moved::One(c) => {
                let (name, at) = (name(c), Literal::i64_unsuffixed(c));
                match w.stride {
                    1 => quote!(let #name = #lane::load(#isa, #from, #at);),
                    2..=4 => quote!(let #name = #lane::gather_by::<#stride>(#isa, #from, #at);),
                    _ => quote!(let #name = #lane::gather(#isa, #from, #at, #stride);),
                }
            }
            Moved::Four(first, which) => {
                let names = (first..).zip(which).map(|(c, new)| if new { name(c) } else { quote!(_) });
                let at = Literal::i64_unsuffixed(first);
                quote!(let [#(#names),*] = #lane::gather_four(#isa, #from, #at, #stride);)
            }
        }
    }

    pub fn stores(&self, vector: &Vector<'_>) -> TokenStream {
        let (lane, far) = (self.s.t.helper(LANE), self.s.t.helper("far"));
        let near = self.s.reach.windows.iter().enumerate().map(|(k, w)| self.store(vector, k, w));
        let far = self.far_stores.iter().map(|(k, stmt)| {
            let (at, value) = (LANES * k, self.value(vector, self.far_loads.get(k), stmt));
            quote!(#lane::store(#value, &mut #far[..], #at);)
        });
        near.chain(far).collect()
    }

    fn store(&self, vector: &Vector<'_>, k: usize, w: &Window) -> TokenStream {
        let name = |c: i64| self.s.t.helper(&format!("new{k}_{c}"));
        let values = self.stores[k].iter().map(|(c, stmt)| {
            let (name, value) = (name(*c), self.value(vector, self.loads[k].get(c), stmt));
            quote!(let #name = #value;)
        });
        let (slice, lane) = (self.s.slice(k), self.s.t.helper(LANE));
        let (stride, to) = (Literal::i64_unsuffixed(w.stride), quote!(&mut #slice[..]));
        let stores = w.writes.iter().map(|columns| match *columns {
            Moved::One(c) => {
                let (name, at) = (name(c), Literal::i64_unsuffixed(c));
                match w.stride {
                    1 => quote!(#lane::store(#name, #to, #at);),
                    2..=4 => quote!(#lane::scatter_by::<#stride>(#name, #to, #at);),
                    _ => quote!(#lane::scatter(#name, #to, #at, #stride);),
                }
            }
            Moved::Four(first, _) => {
                let (values, at) = ((first..first + Moved::FOUR).map(name), Literal::i64_unsuffixed(first));
                quote!(#lane::scatter_four([#(#values),*], #to, #at, #stride);)
            }
        });
        values.chain(stores).collect()
    }

    /// What a store writes: where it is under a test, what was there in the other lanes.
    fn value(&self, vector: &Vector<'_>, old: Option<&Ident>, stmt: &Stmt) -> TokenStream {
        let (rows, lane) = (Rows::default(), self.s.t.helper(LANE));
        match stmt {
            Stmt::Leaf(Leaf::Assign { value, .. }) => vector.expr(value, &rows),
            Stmt::If { tests, body, otherwise } => {
                let mask = vector.mask(tests, &rows);
                let [a, b] = [body, otherwise].map(|branch| match branch.as_slice() {
                    [one] => self.value(vector, old, one),
                    _ => old.map_or_else(TokenStream::new, |old| quote!(#old)),
                });
                quote!(#lane::select(#mask, #a, #b))
            }
            _ => TokenStream::new(),
        }
    }
}
