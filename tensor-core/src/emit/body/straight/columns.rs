//! How the columns of windows are read and written: elements side by side as vectors, rows of two to four by shuffles, columns of longer rows four at a
//! time, the last four overlapping those before.

use super::{LANES, Straight, assigned, moves};
use crate::emit::body::rows::Rows;
use crate::emit::body::vector::{LANE, Vector};
use crate::loops::{Expr, Leaf, Place, Stmt};
use crate::sorted::Map;
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
        let mut c = Columns {
            s,
            loads: s.windows.iter().map(|_| Map::new()).collect(),
            stores: s.windows.iter().map(|_| Map::new()).collect(),
            far_loads: Map::new(),
            far_stores: Map::new(),
        };
        for group in &s.lanes {
            if let [Stmt::Leaf(Leaf::Declare { var, value: Expr::Read(p) })] = group
                && moves(p, s.index)
            {
                if let Some((k, column)) = c.find(p) {
                    c.loads[k].insert(column, s.t.var(*var));
                } else if let Some(k) = c.slot(p) {
                    c.far_loads.insert(k, s.t.var(*var));
                }
            }
        }
        for stmt in &s.stores {
            let Some(p) = target(stmt) else { continue };
            if let Some((k, column)) = c.find(p) {
                if keeps(stmt) && !c.loads[k].contains_key(&column) {
                    c.loads[k].insert(column, s.t.helper(&format!("old{k}_{column}")));
                }
                c.stores[k].insert(column, stmt);
            } else if let Some(k) = c.slot(p) {
                if keeps(stmt) && !c.far_loads.contains_key(&k) {
                    c.far_loads.insert(k, s.t.helper(&format!("old_far{k}")));
                }
                c.far_stores.insert(k, stmt);
            }
        }
        c
    }

    fn find(&self, p: &Place) -> Option<(usize, i64)> {
        self.s.windows.iter().enumerate().find_map(|(k, w)| Some((k, w.column(self.s.program(), p)?)))
    }

    /// The number of a place that has a copy for each lane.
    fn slot(&self, p: &Place) -> Option<usize> {
        self.s.far.iter().position(|q| q == p)
    }

    /// Whether such a place is read.
    pub fn reads(&self, k: usize) -> bool {
        self.far_loads.contains_key(&k)
    }

    /// Whether such a place is written.
    pub fn writes(&self, k: usize) -> bool {
        self.far_stores.contains_key(&k)
    }

    pub fn loads(&self) -> TokenStream {
        let (lane, isa, far) = (self.s.t.helper(LANE), self.s.t.helper("isa"), self.s.t.helper("far"));
        let near = (0..self.loads.len()).map(|k| self.load(k));
        let far = self.far_loads.iter().map(|(k, name)| {
            let at = LANES * k;
            quote!(let #name = #lane::load(#isa, &#far[..], #at);)
        });
        near.chain(far).collect()
    }

    fn load(&self, k: usize) -> TokenStream {
        let (w, all) = (&self.s.windows[k], &self.loads[k]);
        let (slice, lane, isa) = (self.s.slice(k), self.s.t.helper(LANE), self.s.t.helper("isa"));
        let (stride, from) = (Literal::i64_unsuffixed(w.stride), quote!(&#slice[..]));
        let mut out = TokenStream::new();
        let mut left: Vec<i64> = all.keys().copied().collect();
        while let Some(column) = left.first().copied() {
            let at = Literal::i64_unsuffixed(column);
            let name = &all[&column];
            if w.stride > 4 && w.span() >= 4 {
                let first = column.min(w.span() - 4);
                let names = (first..first + 4).map(|c| match all.get(&c).filter(|_| left.contains(&c)) {
                    Some(name) => quote!(#name),
                    None => quote!(_),
                });
                let at = Literal::i64_unsuffixed(first);
                out.extend(quote!(let [#(#names),*] = #lane::gather_four(#isa, #from, #at, #stride);));
                left.retain(|c| *c >= first + 4);
                continue;
            }
            out.extend(match w.stride {
                1 => quote!(let #name = #lane::load(#isa, #from, #at);),
                2..=4 => quote!(let #name = #lane::gather_by::<#stride>(#isa, #from, #at);),
                _ => quote!(let #name = #lane::gather(#isa, #from, #at, #stride);),
            });
            left.remove(0);
        }
        out
    }

    pub fn stores(&self, vector: &Vector<'_>) -> TokenStream {
        let (lane, far) = (self.s.t.helper(LANE), self.s.t.helper("far"));
        let near = (0..self.stores.len()).map(|k| self.store(vector, k));
        let far = self.far_stores.iter().map(|(k, stmt)| {
            let (at, value) = (LANES * k, self.value(vector, self.far_loads.get(k), stmt));
            quote!(#lane::store(#value, &mut #far[..], #at);)
        });
        near.chain(far).collect()
    }

    fn store(&self, vector: &Vector<'_>, k: usize) -> TokenStream {
        let (w, all) = (&self.s.windows[k], &self.stores[k]);
        let (slice, lane) = (self.s.slice(k), self.s.t.helper(LANE));
        let (stride, to) = (Literal::i64_unsuffixed(w.stride), quote!(&mut #slice[..]));
        let columns: Vec<i64> = all.keys().copied().collect();
        let mut out = TokenStream::new();
        let mut names: Map<i64, Ident> = Map::new();
        for (column, stmt) in all.iter() {
            let (name, value) = (
                self.s.t.helper(&format!("new{k}_{column}")),
                self.value(vector, self.loads[k].get(column), stmt),
            );
            out.extend(quote!(let #name = #value;));
            names.insert(*column, name);
        }
        let mut rest = columns.as_slice();
        while let Some(column) = rest.first() {
            let run = rest.iter().zip(*column..).take_while(|(a, b)| **a == *b).count();
            let at = Literal::i64_unsuffixed(*column);
            if w.stride > 4 && run >= 4 {
                let mut first = 0;
                while first < run {
                    let four = first.min(run - 4);
                    let at = Literal::i64_unsuffixed(rest[four]);
                    let values = rest[four..four + 4].iter().map(|c| &names[c]);
                    out.extend(quote!(#lane::scatter_four([#(#values),*], #to, #at, #stride);));
                    first += 4;
                }
                rest = &rest[run..];
                continue;
            }
            let name = &names[column];
            out.extend(match w.stride {
                1 => quote!(#lane::store(#name, #to, #at);),
                2..=4 => quote!(#lane::scatter_by::<#stride>(#name, #to, #at);),
                _ => quote!(#lane::scatter(#name, #to, #at, #stride);),
            });
            rest = &rest[1..];
        }
        out
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

/// The one place that a statement writes.
fn target(s: &Stmt) -> Option<&Place> {
    match s {
        Stmt::Leaf(Leaf::Assign { target, .. }) => Some(target),
        Stmt::If { body, otherwise, .. } => body.first().or(otherwise.first()).and_then(target),
        _ => None,
    }
}

/// Whether what was there stays in some lanes.
fn keeps(s: &Stmt) -> bool {
    match s {
        Stmt::If { body, otherwise, .. } => [body, otherwise]
            .into_iter()
            .any(|b| b.is_empty() || assigned(b).is_none() && b.iter().any(keeps)),
        _ => false,
    }
}
