//! Loops inside of loops in lanes.

use super::Vector;
use crate::emit::body::rows::{self, Rows};
use crate::loops::visit::{How, Item, visit};
use crate::loops::{Place, Stmt, VarId};
use crate::sorted::Set;
use crate::ssa::Index;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

impl Vector<'_> {
    /// `for i in a..b { body }` in each lane; an innermost one over rows.
    pub(super) fn each(
        &self,
        index: Index,
        (low, high): (TokenStream, TokenStream),
        stmts: &[Stmt],
        outer: &Rows,
        mask: Option<&Ident>,
    ) -> TokenStream {
        let t = self.t;
        let i = t.index(index);
        let inside =
            |rows: &Rows| -> TokenStream { stmts.iter().map(|s| self.stmt(s, rows, mask)).collect() };
        if !rows::is_innermost(stmts) {
            let body = inside(outer);
            return quote!(for #i in (#low)..(#high) { #body });
        }
        let (first, end, len, k) = (t.helper("first"), t.helper("end"), t.helper("len"), t.helper("k"));
        let still = |p: &Place| !p.at.iter().any(|a| a.mentions(&self.index.atom()));
        let (cut, rows) = rows::cut(t, index, (&first, &len, &k), stmts, outer, &still);
        let body = inside(&rows);
        let body = quote!(let #i: isize = #first + #k as isize; #body);
        let run = match self.sums(stmts) {
            Some(sums) => self.chains(&sums, (&len, &k), &body),
            None => quote!(for #k in 0..#len { #body }),
        };
        quote! {
            let #first: isize = #low;
            let #end: isize = #high;
            if #first < #end {
                let #len = (#end - #first) as usize;
                #cut
                #run
            }
        }
    }

    /// The locals that a loop adds to, if it does nothing else.
    fn sums(&self, body: &[Stmt]) -> Option<Set<VarId>> {
        let (mut sums, mut inside) = (Set::new(), Set::new());
        for s in body {
            match s {
                Stmt::Declare { var, .. } => {
                    inside.insert(*var);
                }
                Stmt::Accumulate { target, .. }
                    if target.at.is_empty()
                        && self.own.contains(&target.var)
                        && !inside.contains(&target.var) =>
                {
                    sums.insert(target.var);
                }
                _ => return None,
            }
        }
        let mut read = false;
        visit(body, &mut |item| {
            read |= matches!(item, Item::Place(p, How::Read) if sums.contains(&p.var));
        });
        (!read && !sums.is_empty()).then_some(sums)
    }

    /// A loop that only adds to locals, as several sums of every so many terms: an addition need not wait for the one before.
    fn chains(&self, sums: &Set<VarId>, (len, k): (&Ident, &Ident), body: &TokenStream) -> TokenStream {
        let (t, lane, zero) = (self.t, self.lane(), self.number(0.0));
        let (start, chain, whole) = (t.helper("start"), t.helper("chain"), t.helper("whole"));
        let names: Vec<Ident> = sums.iter().map(|v| t.var(*v)).collect();
        let parts: Vec<Ident> = sums.iter().map(|v| t.helper(&format!("parts{}", v.0))).collect();
        quote! {
            let #whole = #len - #len % #lane::CHAINS;
            #(let mut #parts = [#zero; 4];)*
            for #start in (0..#whole).step_by(#lane::CHAINS) {
                for #chain in 0..#lane::CHAINS {
                    let #k = #start + #chain;
                    #(let mut #names = #parts[#chain];)*
                    #body
                    #(#parts[#chain] = #names;)*
                }
            }
            for #k in #whole..#len { #body }
            #(#names = #names + ((#parts[0] + #parts[1]) + (#parts[2] + #parts[3]));)*
        }
    }
}
