//! Loops around loops that are empty: a range that nothing depends on inside is looked at before, not as often as the loops around it run.

use super::ends;
use super::expr::Tokens;
use crate::index::{Affine, Atom};
use crate::loops::{Bound, Leaf, Stmt};
use crate::sorted::Set;
use crate::ssa::Index;
use proc_macro2::TokenStream;
use quote::quote;

/// What holds if anything happens in the body of a loop over `index`; `None` where that is not known, or needs no loop.
pub(super) fn guard(t: &Tokens<'_>, index: Index, body: &[Stmt]) -> Option<TokenStream> {
    happens(t, body, &[index].into_iter().collect())
}

fn happens(t: &Tokens<'_>, stmts: &[Stmt], bound: &Set<Index>) -> Option<TokenStream> {
    let mut bound = bound.clone();
    let mut any = vec![];
    for s in stmts {
        match s {
            Stmt::For { index, lower, upper, body, .. } => {
                let own = nonempty(t, lower, upper, &bound);
                let mut within = bound.clone();
                within.insert(*index);
                let inner = happens(t, body, &within);
                any.push(match (own, inner) {
                    (Some(p), Some(q)) => quote!(#p && #q),
                    (Some(p), None) | (None, Some(p)) => p,
                    (None, None) => return None,
                });
            }
            Stmt::If { body, otherwise, .. } => {
                for branch in [body, otherwise].into_iter().filter(|b| !b.is_empty()) {
                    any.push(happens(t, branch, &bound)?);
                }
            }
            // Of use to what follows alone.
            Stmt::Leaf(Leaf::LetIndex { index, .. }) => {
                bound.insert(*index);
            }
            Stmt::Leaf(leaf) if leaf.is_let() => {}
            Stmt::Leaf(_) => return None,
        }
    }
    any.into_iter().reduce(|p, q| quote!((#p) || (#q))).map(|p| quote!((#p)))
}

/// Whether the bounds that depend on no index inside leave anything.
fn nonempty(t: &Tokens<'_>, lower: &[Bound], upper: &[Bound], bound: &Set<Index>) -> Option<TokenStream> {
    let free = |bounds: &[Bound]| -> Vec<Bound> {
        bounds.iter().filter(|b| is_free(&b.num, bound)).cloned().collect()
    };
    let (lower, upper) = (free(lower), free(upper));
    if lower.is_empty() || upper.is_empty() {
        return None;
    }
    let (low, high) = (ends(t, &lower, false), ends(t, &upper, true));
    Some(quote!((#low) < (#high)))
}

/// Whether a form is known outside, and reads no array.
fn is_free(a: &Affine, bound: &Set<Index>) -> bool {
    fn one(atom: &Atom, bound: &Set<Index>) -> bool {
        match atom {
            Atom::Size(_) => true,
            Atom::Index(i) => !bound.contains(&Index(*i)),
            Atom::Floor(a, _) => is_free(a, bound),
            Atom::Product(factors) => factors.iter().all(|f| one(f, bound)),
            Atom::Element(..) => false,
        }
    }
    a.terms.iter().all(|(atom, _)| one(atom, bound))
}
