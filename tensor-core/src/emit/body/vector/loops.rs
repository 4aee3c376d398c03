//! Loops inside of vectorized loops.

use super::Vector;
use crate::emit::body::in_order;
use crate::emit::body::rows::{self, Rows};
use crate::emit::runtime::RT;
use crate::loops::inside::is_innermost;
use crate::loops::rows::Row;
use crate::loops::strips::{Eight, Shifted, Sums};
use crate::loops::{Expr, Leaf, Order, Place, Stmt, VarId};
use crate::sorted::Set;
use crate::ssa::Index;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

impl Vector<'_> {
    /// `for i in a..b { body }` in each lane; an innermost one over rows.
    pub(super) fn each(
        &self,
        (index, order): (Index, &Order),
        (low, high): (TokenStream, TokenStream),
        (stmts, own): (&[Stmt], &[Row]),
        outer: &Rows,
        mask: Option<&Ident>,
    ) -> TokenStream {
        let t = self.t;
        let i = t.index(index);
        if let Order::Summing(Sums::Shifted(c)) = order {
            return self.correlate(index, (low, high), c);
        }
        let inside =
            |rows: &Rows| -> TokenStream { stmts.iter().map(|s| self.stmt(s, rows, mask)).collect() };
        if !is_innermost(stmts) {
            let (range, body) = (in_order(order, quote!((#low)..(#high))), inside(outer));
            return quote!(for #i in #range { #body });
        }
        let (first, end, len, k) = (t.helper("first"), t.helper("end"), t.helper("len"), t.helper("k"));
        let totals = if let Order::Summing(Sums::Eights(places)) = order { places.as_slice() } else { &[] };
        let (cut, rows) = rows::cut(t, index, (&first, &len, &k), own);
        let body = inside(&rows);
        let body = quote!(let #i: isize = #first + #k as isize; #body);
        let run = match order {
            Order::Summing(Sums::Chains(sums)) => self.chains(sums, (&len, &k), &body),
            Order::Summing(Sums::Eights(_)) => {
                self.in_eights(index, (&first, &len, &k), stmts, (totals, &rows), &body)
            }
            _ => {
                let range = in_order(order, quote!(0..#len));
                quote!(for #k in #range { #body })
            }
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

    /// The whole loop as one sum of shifted vectors.
    fn correlate(&self, index: Index, (low, high): (TokenStream, TokenStream), c: &Shifted) -> TokenStream {
        let (t, lane, isa, elem) = (self.t, self.lane(), self.isa(), self.t.elem());
        let (i, sum, from, by) = (t.index(index), t.var(c.sum), t.var(c.moving.var), t.var(c.still.var));
        let (first, end) = (t.helper("first"), t.helper("end"));
        let (at, by_at, stride) = (t.offset(&c.moving), t.offset(&c.still), t.stride(&c.still, index));
        // What moves back is read from its end on.
        let (start, stride) =
            if c.back { (quote!((#end - 1)), quote!((-(#stride)))) } else { (quote!(#first), stride) };
        quote! {
            let #first: isize = #low;
            let #end: isize = #high;
            if #first < #end {
                let #i: isize = #start;
                #sum = #RT::simd::correlate::<#elem, _, #lane>(
                    #isa, #sum, (#end - #first) as usize, &#from[..], #at as usize, &#by[..], #by_at as usize, #stride,
                );
            }
        }
    }

    /// A loop with sums over all lanes: eight of them at a time, which join on their way. Two sums in each iteration are those of four iterations.
    fn in_eights(
        &self,
        index: Index,
        (first, len, k): (&Ident, &Ident, &Ident),
        stmts: &[Stmt],
        (totals, rows): (&[Place], &Rows),
        body: &TokenStream,
    ) -> TokenStream {
        let (t, lane, zero) = (self.t, self.lane(), self.number(0.0));
        let (start, chain, whole) = (t.helper("start"), t.helper("chain"), t.helper("whole"));
        let i = t.index(index);
        let at_once = Sums::joined(totals.len());
        let together = Eight::COUNT / at_once;
        let count = Literal::usize_unsuffixed(Eight::COUNT);
        // Those of a total begin where those before it end.
        let names: Vec<(Ident, usize)> = (0..totals.len())
            .map(|n| (t.helper(&format!("sums{}", n / together)), n % together * at_once))
            .collect();
        let mut next = names.iter();
        let inside: TokenStream = stmts
            .iter()
            .map(|s| match (s, next.clone().next()) {
                (Stmt::Leaf(Leaf::Accumulate { target, value }), Some((sums, from)))
                    if totals.contains(target) =>
                {
                    next.next();
                    let to = quote!(#sums[#from + #chain]);
                    let value = match value {
                        Expr::Mul(a, b) => {
                            let (a, b) = (self.expr(a, rows), self.expr(b, rows));
                            quote!(#lane::folded_mul_add(#a, #b, #to))
                        }
                        value => {
                            let value = self.expr(value, rows);
                            quote!(#lane::folded(#value))
                        }
                    };
                    quote!(#to = #value;)
                }
                (s, _) => self.stmt(s, rows, None),
            })
            .collect();
        let arrays = names.iter().filter(|n| n.1 == 0).map(|n| &n.0);
        let summed = arrays.clone().map(|sums| quote!(let #sums = #lane::sums(#sums);));
        let adds = totals.iter().zip(&names).map(|(target, (sums, from))| {
            let (v, offset) = (t.var(target.var), t.offset(target));
            let add = quote!(#RT::simd::add_sums::<_, #at_once>);
            quote!(#add(&#sums, #from, &mut #v[..], #offset as usize);)
        });
        quote! {
            let #whole = if const { #lane::SUMS } { #len - #len % #at_once } else { 0 };
            if const { #lane::SUMS } {
                let mut #start = 0;
                while #start < #whole {
                    #(let mut #arrays = [#lane::folded(#zero); #count];)*
                    for #chain in 0..#at_once {
                        let #k = #start + #chain;
                        let #i: isize = #first + #k as isize;
                        #inside
                    }
                    let #i: isize = #first + #start as isize;
                    #(#summed)*
                    #(#adds)*
                    #start += #at_once;
                }
            }
            for #k in #whole..#len { #body }
        }
    }

    /// A loop that only adds to locals, as several sums of every so many terms: an addition need not wait for the one before.
    fn chains(&self, sums: &Set<VarId>, (len, k): (&Ident, &Ident), body: &TokenStream) -> TokenStream {
        let (t, lane, zero) = (self.t, self.lane(), self.number(0.0));
        let (start, chain, whole) = (t.helper("start"), t.helper("chain"), t.helper("whole"));
        let names: Vec<Ident> = sums.iter().map(|v| t.var(*v)).collect();
        let count = Literal::usize_unsuffixed(Sums::CHAINS);
        let parts: Vec<Ident> = sums.iter().map(|v| t.helper(&format!("parts{}", v.0))).collect();
        quote! {
            let #whole = if const { #lane::CHAINS > 1 } { #len - #len % #lane::CHAINS } else { 0 };
            if const { #lane::CHAINS > 1 } {
                #(let mut #parts = [#zero; #count];)*
                let mut #start = 0;
                while #start < #whole {
                    for #chain in 0..#lane::CHAINS {
                        let #k = #start + #chain;
                        #(let mut #names = #parts[#chain];)*
                        #body
                        #(#parts[#chain] = #names;)*
                    }
                    #start += #lane::CHAINS;
                }
                #(#names = #names + ((#parts[0] + #parts[1]) + (#parts[2] + #parts[3]));)*
            }
            for #k in #whole..#len { #body }
        }
    }
}
