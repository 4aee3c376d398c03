//! Vectorized loops with straight bodies. The body is a function of its own, compiled for each instruction set, and called for each vector. The remainder
//! runs through the same function: as the last whole vector, which overlaps the one before; where something is updated in place, or there is less than a vector,
//! on copies of its rows.
//!
//! ```text
//! while first + width <= end { body(isa, [first, 0, width], [scalars], &a[5 * first..][..5 * width], …); first += width }
//! if first < end {
//!     if low + width <= end { body(isa, [end - width, first - (end - width), width], …) }
//!     else { copies of the rows, padded with zeros; body(isa, [first, 0, end - first], …); what there is of the outputs copied back }
//! }
//! ```
//!
//! Lanes of the last vector that the one before has computed are computed again, from the same, and are in no total.
//!
//! Invariant: the loop has the cuts, the body the operations: in the body all slices are cut to lengths that are literals times the number of lanes, so
//! that no check is left in it.

mod around;
mod columns;
mod function;
mod pieces;

use super::expr::Tokens;
use super::kernel::ISA;
use super::vector::{LANE, Vector};
use crate::ast::Elem;
use crate::emit::runtime::RT;
use crate::index::Affine;
use crate::loops::captures::{Captures, sizes_of};
use crate::loops::straight::Parts;
use crate::loops::visit::{Item, visit, visit_expr};
use crate::loops::windows::{Reach, Window};
use crate::loops::{Program, Stmt, VarId};
use crate::sorted::Set;
use crate::ssa::Index;
use pieces::KEPT;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// `for index in low..high { body }`, where the body is straight.
pub(super) fn each(
    t: &Tokens<'_>,
    index: Index,
    (low, high): (TokenStream, TokenStream),
    reach: &Reach,
    body: &[Stmt],
) -> TokenStream {
    let s = Straight::of(t, index, reach, body);
    let (first, end, i) = (t.helper("first"), t.helper("end"), t.index(index));
    let (start, width, [from, to]) = (t.helper("low"), t.helper("width"), s.there());
    let (set, elem) = (t.helper(ISA), t.elem());
    let same = s.same();
    let (item, whole, last, copied) = (s.function(), s.whole(), s.last(), s.copied());
    let (totals, after) = s.totals();
    quote!({
        #item
        let #start: isize = #low;
        let mut #first: isize = #start;
        let #end: isize = #high;
        if #first < #end {
            #same
            #totals
            let #width = <<#set as #RT::simd::Lanes<#elem>>::Body as #RT::simd::Lane<#elem>>::WIDTH;
            while #first + (#width as isize) <= #end {
                let #i: isize = #first;
                let [#from, #to] = [0, #width as isize];
                #whole
                #first += #width as isize;
            }
            if #first < #end {
                #last {
                    let #i: isize = #first;
                    let [#from, #to]: [isize; 2] = [0, #end - #first];
                    #copied
                }
            }
            #after
        }
    })
}

/// The most numbers in a vector of any instruction set.
const LANES: usize = 16;

/// A straight body, taken apart.
struct Straight<'a> {
    t: &'a Tokens<'a>,
    index: Index,
    parts: Parts<'a>,
    reach: &'a Reach,
    /// What it declares: locals of the lanes.
    captures: Captures,
    /// Scalars from outside of the function of the body.
    scalars: Set<VarId>,
    /// Sizes and indices that numbers are made of.
    integers: Vec<Ident>,
}

impl<'a> Straight<'a> {
    fn of(t: &'a Tokens<'a>, index: Index, reach: &'a Reach, body: &'a [Stmt]) -> Straight<'a> {
        let parts = Parts::of(index, body);
        let declared = parts.lanes.iter().map(|l| l.var).collect();
        let captures = Captures { declared, ..Captures::default() };
        let (scalars, integers) = (Set::new(), vec![]);
        let mut s = Straight { t, index, parts, reach, captures, scalars, integers };
        s.capture();
        s
    }

    fn program(&self) -> &'a Program {
        self.t.program
    }

    /// What the function of the body takes from outside.
    fn capture(&mut self) {
        let mut forms: Vec<Affine> = vec![];
        let mut scalars = Set::new();
        let mut see = |item: Item<'_>| match item {
            Item::Place(p, _) if p.at.is_empty() => {
                scalars.insert(p.var);
            }
            Item::Form(a) => forms.push(a.clone()),
            Item::Place(..)
            | Item::Bound(_)
            | Item::Declared(_)
            | Item::Filled(_)
            | Item::Element(..)
            | Item::Decides(_)
            | Item::Whole => {}
        };
        self.parts.lanes.iter().for_each(|l| visit(l.stmts, &mut see));
        self.parts.stores.iter().for_each(|s| visit(std::slice::from_ref(*s), &mut see));
        self.parts.totals.iter().for_each(|total| visit_expr(total.value, &mut see));
        scalars.retain(|v| !self.captures.declared.contains(v));
        self.scalars = scalars;
        let (mut sizes, mut indices) = (Set::new(), Set::new());
        for a in &forms {
            sizes_of(a, &mut sizes);
            indices.extend(a.indices().iter().map(|i| Index(*i)));
        }
        let sizes = sizes.iter().map(|k| self.t.size(*k as usize));
        let indices = indices.iter().filter(|i| **i != self.index).map(|i| self.t.index(*i));
        self.integers = sizes.chain(indices).collect();
    }

    fn slice(&self, k: usize) -> Ident {
        self.t.helper(&format!("window{k}"))
    }

    /// The length of the elements that so many iterations reach.
    fn length(w: &Window, iterations: &TokenStream) -> TokenStream {
        let [stride, span] = [w.stride, w.span].map(Literal::i64_unsuffixed);
        match (w.stride, w.span) {
            (1, 1) => quote!(#iterations),
            (a, b) if a == b => quote!(#stride * #iterations),
            (1, _) => quote!((#iterations - 1 + #span)),
            _ => quote!((#stride * (#iterations - 1) + #span)),
        }
    }

    /// The body, as what prints it.
    fn vector(&self) -> Vector<'_> {
        Vector { t: self.t, index: self.index, captures: &self.captures }
    }

    /// The slices that the function writes for its own use, with their lengths in it.
    fn scratch(&self) -> impl Iterator<Item = (&'static str, TokenStream)> {
        let lane = self.t.helper(LANE);
        let (far, totals) = (LANES * self.reach.far.len(), LANES * self.parts.totals.len());
        let kept = self.reach.pieces.slots;
        [
            (far > 0, "far", quote!(#far)),
            (totals > 0, "totals", quote!(#totals)),
            (kept > 0, KEPT, quote!(#kept * #lane::WIDTH)),
        ]
        .into_iter()
        .filter_map(|(is_there, name, length)| is_there.then_some((name, length)))
    }

    /// How many arguments the function has.
    fn arguments(&self) -> usize {
        2 + self.reach.windows.len() + self.scratch().count()
    }

    /// The most lanes of its numbers.
    fn most(&self) -> i64 {
        match self.program().function.elem {
            Elem::F64 => 8,
            Elem::F32 => 16,
        }
    }
}
