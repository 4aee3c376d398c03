//! How long a loop takes, as an expression that is evaluated before it: a guess by which it is cut, or not.
//!
//! The unit is about a scalar operation; what runs in lanes takes an eighth. `for i in a..b { e }` takes `(b - a) * e`, where bounds inside that depend
//! on `i` are those of the middle of its range.

use super::super::expr::Tokens;
use crate::emit::runtime::RT;
use crate::index::Affine;
use crate::loops::visit::{How, Item, visit_leaf};
use crate::loops::walk::elements;
use crate::loops::{Bound, Leaf, Order, Stmt};
use crate::schedule::lanes::operations;
use crate::ssa::Index;
use crate::weights;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// What is known of a time: a number, and terms that depend on sizes.
#[derive(Default)]
struct Time {
    constant: f64,
    terms: Vec<TokenStream>,
}

impl Time {
    fn tokens(&self) -> TokenStream {
        let (constant, terms) = (Literal::f64_suffixed(self.constant), &self.terms);
        quote!((#constant #(+ #terms)*))
    }
}

/// See the module documentation. None if it is not plain, or never enough.
pub(super) fn work(t: &Tokens<'_>, s: &Stmt) -> Option<TokenStream> {
    let time = block(t, std::slice::from_ref(s), 1.0)?;
    (!time.terms.is_empty() || time.constant >= weights::threads::WORK).then(|| time.tokens())
}

fn block(t: &Tokens<'_>, stmts: &[Stmt], by: f64) -> Option<Time> {
    let mut out = Time::default();
    for (k, s) in stmts.iter().enumerate() {
        match s {
            Stmt::For { .. } => {
                let Time { constant, terms } = each(t, s, by)?;
                out.constant += constant;
                out.terms.extend(terms);
            }
            Stmt::If { body, otherwise, .. } => {
                for part in [body, otherwise] {
                    let Time { constant, terms } = block(t, part, by)?;
                    out.constant += constant + by;
                    out.terms.extend(terms);
                }
            }
            // What follows is counted where the index is known.
            Stmt::Leaf(Leaf::LetIndex { index, value }) if bounds_mention(&stmts[k + 1..], *index) => {
                plain(value)?;
                let (i, value, rest) =
                    (t.index(*index), t.affine(value), block(t, &stmts[k + 1..], by)?.tokens());
                out.terms.push(quote!({ let #i: isize = #value; #rest }));
                return Some(out);
            }
            Stmt::Leaf(Leaf::Fill { var, .. }) => {
                let counts = t.program.var(*var).extents.iter().map(|e| count(&quote!(0), &t.affine(e)));
                let by = Literal::f64_suffixed(by);
                out.terms.push(quote!(#by #(* #counts)*));
            }
            Stmt::Leaf(l) => out.constant += by * leaf(l),
        }
    }
    Some(out)
}

fn each(t: &Tokens<'_>, s: &Stmt, by: f64) -> Option<Time> {
    let Stmt::For { index, lower, upper, step, order, body } = s else { return None };
    lower.iter().chain(upper).try_for_each(|b| plain(&b.num))?;
    let by = if matches!(order, Order::Lanes { .. }) { by / weights::cost::VECTOR } else { by };
    let mut inside = block(t, body, by)?;
    inside.constant += weights::cost::ITERATION * by;
    #[allow(clippy::cast_precision_loss)]
    let step = step.as_ref().map_or(1.0, |s| s.1 as f64);
    if let (Some(n), true) = (length(lower, upper), inside.terms.is_empty()) {
        return Some(Time { constant: n / step * inside.constant, terms: vec![] });
    }
    let (low, high) = (super::super::ends(t, lower, false), super::super::ends(t, upper, true));
    let (first, end) = (t.helper("first"), t.helper("end"));
    let n = count(&quote!(#first), &quote!(#end));
    let middle = bounds_mention(body, *index).then(|| {
        let i = t.index(*index);
        quote!(let #i: isize = #first + (#end - #first) / 2;)
    });
    inside.constant /= step;
    let inside = inside.tokens();
    let term = quote!({ let #first: isize = #low; let #end: isize = #high; #middle #n * #inside });
    Some(Time { constant: 0.0, terms: vec![term] })
}

fn count(first: &TokenStream, end: &TokenStream) -> TokenStream {
    quote!(#RT::parallel::count(#first, #end))
}

/// Elements of index arrays may not be known before the loop.
fn plain(a: &Affine) -> Option<()> {
    let mut found = vec![];
    elements(a, &mut found);
    found.is_empty().then_some(())
}

/// The length of a range, if it is the same for all sizes.
#[allow(clippy::cast_precision_loss)]
fn length(lower: &[Bound], upper: &[Bound]) -> Option<f64> {
    let ([low], [high]) = (lower, upper) else { return None };
    let length = high.num.minus(&low.num)?.as_constant()?;
    (low.den == 1 && high.den == 1).then(|| (length + 1).max(0) as f64)
}

/// Whether the ranges of loops depend on an index.
fn bounds_mention(stmts: &[Stmt], i: Index) -> bool {
    stmts.iter().enumerate().any(|(k, s)| match s {
        Stmt::For { lower, upper, body, .. } => {
            let fixed = length(lower, upper).is_some();
            !fixed && lower.iter().chain(upper).any(|b| b.num.mentions(&i.atom())) || bounds_mention(body, i)
        }
        Stmt::If { body, otherwise, .. } => bounds_mention(body, i) || bounds_mention(otherwise, i),
        Stmt::Leaf(Leaf::LetIndex { index, value }) => {
            value.mentions(&i.atom()) && bounds_mention(&stmts[k + 1..], *index)
        }
        Stmt::Leaf(_) => false,
    })
}

/// A statement without others inside.
fn leaf(leaf: &Leaf) -> f64 {
    let mut time = weights::cost::STATEMENT;
    visit_leaf(leaf, &mut |item| {
        if let Item::Place(p, how) = item {
            time += match how {
                _ if p.at.is_empty() => 0.0,
                How::Read | How::Assign => weights::cost::ACCESS,
                How::Combine => weights::cost::ACCESS + weights::cost::COMBINE,
            };
        }
    });
    // A call, whatever it does.
    let call = if let Leaf::Call(_) = leaf { weights::cost::CALL } else { 0.0 };
    time + leaf.value().map_or(call, operations)
}
