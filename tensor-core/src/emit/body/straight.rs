//! Vectorized loops with straight bodies. The body is a function of its own, compiled for each instruction set, and called for each vector; what is left
//! over runs through the same function, on copies of the last rows.
//!
//! ```text
//! while first + width <= end { body(isa, [first, width], [scalars], &a[5 * first..][..5 * width], …); first += width }
//! if first < end { copies of the rows that are left, padded with zeros; body(…); what there is of the outputs copied back }
//! ```
//!
//! Invariant: the loop has the cuts, the body the operations: in the body all slices are cut to lengths that are literals times the number of lanes, so
//! that no check is left in it.

mod around;
mod columns;
mod function;

use super::expr::Tokens;
use super::kernel::ISA;
use crate::emit::runtime::RT;
use crate::index::Affine;
use crate::loops::captures::{Captures, sizes_of};
use crate::loops::visit::{How, Item, visit, visit_expr};
use crate::loops::windows::{Reach, Window};
use crate::loops::{Expr, Leaf, Place, Program, Stmt, VarId};
use crate::sorted::Set;
use crate::ssa::{Extreme, Index};
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
    let (width, left) = (t.helper("width"), t.helper("left"));
    let (set, elem) = (t.helper(ISA), t.elem());
    let same = s.same();
    let (item, whole, rest) = (s.function(), s.whole(), s.rest());
    let (totals, after) = s.totals();
    quote!({
        #item
        let mut #first: isize = #low;
        let #end: isize = #high;
        if #first < #end {
            #same
            #totals
            let #width = <<#set as #RT::simd::Lanes<#elem>>::Body as #RT::simd::Lane<#elem>>::WIDTH;
            while #first + (#width as isize) <= #end {
                let #i: isize = #first;
                let #left = #width as isize;
                #whole
                #first += #width as isize;
            }
            if #first < #end {
                let #i: isize = #first;
                let #left: isize = #end - #first;
                #rest
            }
            #after
        }
    })
}

/// The most numbers in a vector of any instruction set.
const LANES: usize = 16;

/// What all lanes add to, or are compared with.
struct Total<'a> {
    target: &'a Place,
    op: Option<Extreme>,
    value: &'a Expr,
}

/// A straight body, taken apart.
struct Straight<'a> {
    t: &'a Tokens<'a>,
    index: Index,
    /// What is the same in all lanes: declarations, each with its selection.
    same: Vec<&'a [Stmt]>,
    /// What differs from lane to lane: likewise.
    lanes: Vec<&'a [Stmt]>,
    stores: Vec<&'a Stmt>,
    totals: Vec<Total<'a>>,
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
        let mut s = Straight {
            t,
            index,
            same: vec![],
            lanes: vec![],
            stores: vec![],
            totals: vec![],
            reach,
            captures: Captures::default(),
            scalars: Set::new(),
            integers: vec![],
        };
        let mut rest = body;
        while let Some((first, others)) = rest.split_first() {
            let length = 1 + usize::from(is_selection(rest));
            match first {
                Stmt::Leaf(Leaf::Declare { var, .. }) => {
                    let group = &rest[..length];
                    if s.differs(group) {
                        s.captures.declared.insert(*var);
                        s.lanes.push(group);
                    } else {
                        s.same.push(group);
                    }
                    rest = &rest[length..];
                    continue;
                }
                Stmt::Leaf(Leaf::Accumulate { target, value }) if !moves(target, index) => {
                    s.totals.push(Total { target, op: None, value });
                }
                Stmt::Leaf(Leaf::Extreme { op, target, value }) if !moves(target, index) => {
                    s.totals.push(Total { target, op: Some(*op), value });
                }
                store => s.stores.push(store),
            }
            rest = others;
        }
        s.capture();
        s
    }

    fn program(&self) -> &'a Program {
        self.t.program
    }

    /// Whether something in these statements differs from lane to lane.
    fn differs(&self, stmts: &[Stmt]) -> bool {
        let mut differs = false;
        visit(stmts, &mut |item| match item {
            Item::Place(p, How::Read) => {
                differs |= self.captures.declared.contains(&p.var) || moves(p, self.index)
            }
            Item::Form(a) => differs |= a.mentions(&self.index.atom()),
            Item::Place(..)
            | Item::Bound(_)
            | Item::Declared(_)
            | Item::Filled(_)
            | Item::Element(..)
            | Item::Decides(_)
            | Item::Whole => {}
        });
        differs
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
        self.lanes.iter().for_each(|group| visit(group, &mut see));
        self.stores.iter().for_each(|s| visit(std::slice::from_ref(*s), &mut see));
        self.totals.iter().for_each(|total| visit_expr(total.value, &mut see));
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

    /// How many arguments the function has.
    fn arguments(&self) -> usize {
        2 + self.reach.windows.len()
            + usize::from(!self.reach.far.is_empty())
            + usize::from(!self.totals.is_empty())
    }
}

/// Whether the first statement declares a local that the second makes one of two values.
fn is_selection(stmts: &[Stmt]) -> bool {
    match stmts {
        [Stmt::Leaf(Leaf::Declare { var, .. }), Stmt::If { body, .. }, ..] => {
            matches!(body.as_slice(), [Stmt::Leaf(Leaf::Assign { target, .. })] if target.var == *var)
        }
        _ => false,
    }
}

/// The value that a branch assigns.
fn assigned(stmts: &[Stmt]) -> Option<&Expr> {
    match stmts {
        [Stmt::Leaf(Leaf::Assign { value, .. })] => Some(value),
        _ => None,
    }
}

fn moves(p: &Place, index: Index) -> bool {
    p.at.iter().any(|a| a.mentions(&index.atom()))
}
