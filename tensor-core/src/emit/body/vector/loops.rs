//! Loops inside of loops in lanes.

use super::Vector;
use crate::emit::body::rows::{self, Rows};
use crate::emit::runtime::RT;
use crate::index::Affine;
use crate::loops::visit::{How, Item, visit};
use crate::loops::{Expr, Leaf, Place, Stmt, VarId};
use crate::schedule::lanes::{Stride, stride};
use crate::sorted::Set;
use crate::ssa::Index;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// A loop `for k { sum += moving * still }`, where the one moves by an element with `k` and with the lane, and the other only with `k`.
pub(in crate::emit::body) struct Correlation<'a> {
    sum: VarId,
    moving: &'a Place,
    /// Whether it moves back with `k`.
    back: bool,
    still: &'a Place,
}

/// See [`Correlation`].
pub(in crate::emit::body) fn correlation(k: Index, body: &[Stmt], lane: Index) -> Option<Correlation<'_>> {
    let [Stmt::Leaf(Leaf::Accumulate { target, value: Expr::Mul(a, b) })] = body else { return None };
    let (Expr::Read(a), Expr::Read(b)) = (&**a, &**b) else { return None };
    let (k, lane) = (k.atom(), lane.atom());
    let is_still = |p: &Place| !p.at.is_empty() && !p.at.iter().any(|a| a.mentions(&lane));
    let (moving, still) = if is_still(b) { (a, b) } else { (b, a) };
    let even = |a: &Affine| {
        a.terms.iter().all(|(t, _)| *t == k || *t == lane || !t.mentions(&k) && !t.mentions(&lane))
    };
    let (last, rest) = moving.at.split_last()?;
    let alone = !rest.iter().any(|a| a.mentions(&k) || a.mentions(&lane)) && last.coeff(&lane) == 1;
    let legal = target.at.is_empty() && is_still(still) && alone && even(last) && still.at.iter().all(even);
    (legal && last.coeff(&k).abs() == 1).then(|| Correlation {
        sum: target.var,
        moving,
        back: last.coeff(&k) == -1,
        still,
    })
}

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
        if mask.is_none()
            && let Some(c) = correlation(index, stmts, self.index)
            && self.own.contains(&c.sum)
            && !self.is_own(c.moving.var)
            && !self.is_own(c.still.var)
        {
            return self.correlate(index, (low, high), &c);
        }
        let inside =
            |rows: &Rows| -> TokenStream { stmts.iter().map(|s| self.stmt(s, rows, mask)).collect() };
        if !rows::is_innermost(stmts) {
            let body = inside(outer);
            return quote!(for #i in (#low)..(#high) { #body });
        }
        let (first, end, len, k) = (t.helper("first"), t.helper("end"), t.helper("len"), t.helper("k"));
        let totals = if mask.is_none() { self.element_sums(index, stmts) } else { vec![] };
        let still = |p: &Place| {
            !p.at.iter().any(|a| a.mentions(&self.index.atom())) && !totals.iter().any(|t| t.0.var == p.var)
        };
        let (cut, rows) = rows::cut(t, index, (&first, &len, &k), stmts, outer, &still);
        let body = inside(&rows);
        let body = quote!(let #i: isize = #first + #k as isize; #body);
        let run = match self.sums(stmts) {
            Some(sums) => self.chains(&sums, (&len, &k), &body),
            None if !totals.is_empty() => {
                self.in_eights(index, (&first, &len, &k), stmts, (&totals, &rows), &body)
            }
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

    /// The whole loop as one sum of shifted vectors.
    fn correlate(
        &self,
        index: Index,
        (low, high): (TokenStream, TokenStream),
        c: &Correlation,
    ) -> TokenStream {
        let (t, lane, isa, elem) = (self.t, self.lane(), self.isa(), self.t.elem());
        let (i, sum, from, by) = (t.index(index), t.var(c.sum), t.var(c.moving.var), t.var(c.still.var));
        let (first, end) = (t.helper("first"), t.helper("end"));
        let (at, by_at, stride) = (t.offset(c.moving), t.offset(c.still), t.stride(c.still, index));
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

    /// The locals that a loop adds to, if it does nothing else.
    fn sums(&self, body: &[Stmt]) -> Option<Set<VarId>> {
        let (mut sums, mut inside) = (Set::new(), Set::new());
        for s in body {
            match s {
                Stmt::Leaf(Leaf::Declare { var, .. }) => {
                    inside.insert(*var);
                }
                Stmt::Leaf(Leaf::Accumulate { target, .. })
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

    /// The sums over all lanes that a loop adds to elements next to each other, one in each iteration, of arrays that it has no other use for.
    fn element_sums<'s>(&self, k: Index, body: &'s [Stmt]) -> Vec<(&'s Place, &'s Expr)> {
        let mut uses = vec![];
        visit(body, &mut |item| {
            if let Item::Place(p, _) = item {
                uses.push(p.var);
            }
        });
        let one = |s: &'s Stmt| {
            let Stmt::Leaf(Leaf::Accumulate { target, value }) = s else { return None };
            let summed = !self.depends_place(target) && !self.totals.contains_key(&target.var);
            (summed && stride(target, &k.atom()) == Stride::One).then_some((target, value))
        };
        let mut found: Vec<_> = body.iter().filter_map(one).collect();
        let all = found.clone();
        let count = |v: VarId| all.iter().filter(|f| f.0.var == v).count();
        found.retain(|(target, _)| uses.iter().filter(|v| **v == target.var).count() == count(target.var));
        found
    }

    /// A loop with sums over all lanes: eight of them at a time, which join on their way. Two sums in each iteration are those of four iterations.
    fn in_eights(
        &self,
        index: Index,
        (first, len, k): (&Ident, &Ident, &Ident),
        stmts: &[Stmt],
        (totals, rows): (&[(&Place, &Expr)], &Rows),
        body: &TokenStream,
    ) -> TokenStream {
        let (t, lane, zero) = (self.t, self.lane(), self.number(0.0));
        let (start, chain, whole) = (t.helper("start"), t.helper("chain"), t.helper("whole"));
        let i = t.index(index);
        let together = if totals.len().is_multiple_of(2) { 2 } else { 1 };
        let at_once = 8 / together;
        // Those of a total begin where those before it end.
        let names: Vec<(Ident, usize)> = (0..totals.len())
            .map(|n| (t.helper(&format!("sums{}", n / together)), n % together * at_once))
            .collect();
        let mut next = names.iter();
        let inside: TokenStream = stmts
            .iter()
            .map(|s| match (s, next.clone().next()) {
                (Stmt::Leaf(Leaf::Accumulate { target, value }), Some((sums, from)))
                    if totals.iter().any(|t| t.0 == target) =>
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
        let adds = totals.iter().zip(&names).map(|((target, _), (sums, from))| {
            let (v, offset) = (t.var(target.var), t.offset(target));
            let add = quote!(#RT::simd::add_sums::<_, #at_once>);
            quote!(#add(&#sums, #from, &mut #v[..], #offset as usize);)
        });
        quote! {
            let #whole = if const { #lane::SUMS } { #len - #len % #at_once } else { 0 };
            for #start in (0..#whole).step_by(#at_once) {
                #(let mut #arrays = [#lane::folded(#zero); 8];)*
                for #chain in 0..#at_once {
                    let #k = #start + #chain;
                    let #i: isize = #first + #k as isize;
                    #inside
                }
                let #i: isize = #first + #start as isize;
                #(#summed)*
                #(#adds)*
            }
            for #k in #whole..#len { #body }
        }
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
