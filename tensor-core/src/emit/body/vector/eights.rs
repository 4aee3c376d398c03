//! Eight vectors that are stored to places next to each other, or read from there: at once, with one check, and across by shuffles.

use super::Vector;
use crate::loops::{Expr, Leaf, Place, Stmt, VarId};
use crate::schedule::lanes::{Stride, stride};
use proc_macro2::TokenStream;
use quote::quote;

/// How many.
pub(in crate::emit::body) const EIGHT: usize = 8;

/// Whether such stores or reads are among statements.
pub(in crate::emit::body) fn any(v: &Vector<'_>, stmts: &[Stmt]) -> bool {
    (0..stmts.len()).any(|k| v.eight(&stmts[k..]).is_some())
}

impl Vector<'_> {
    /// The first eight statements, if they assign or declare eight locals, each one element further along one dimension.
    pub(super) fn eight(&self, stmts: &[Stmt]) -> Option<TokenStream> {
        let all = stmts.get(..EIGHT)?;
        self.eight_stored(all).or_else(|| self.eight_read(all))
    }

    /// Eight elements for each lane, next to each other in memory.
    fn eight_read(&self, stmts: &[Stmt]) -> Option<TokenStream> {
        let declared = |s: &Stmt| match s {
            Stmt::Leaf(Leaf::Declare { var, value: Expr::Read(from) }) => Some((from.clone(), *var)),
            _ => None,
        };
        let all: Vec<(Place, VarId)> = stmts.iter().map(declared).collect::<Option<_>>()?;
        let from = &all[0].0;
        let is_array = !from.at.is_empty() && !self.is_own(from.var);
        let is_row = is_array && dimension(&all)? + 1 == from.at.len();
        if !is_row || stride(from, &self.index.atom()) != Stride::Far || !self.goes_on(from) {
            return None;
        }
        let (lane, isa) = (self.lane(), self.t.helper("isa"));
        let names: Vec<_> = all.iter().map(|(_, v)| self.t.var(*v)).collect();
        let (v, offset, by) = (self.t.var(from.var), self.t.offset(from), self.t.stride(from, self.index));
        Some(quote! {
            let [#(mut #names),*] =
                #lane::gather_eight(#isa, &#v[..], #offset as usize, #by as usize, #lane::WIDTH);
        })
    }

    /// Whether a place does not go back with the lanes.
    fn goes_on(&self, p: &Place) -> bool {
        p.at.iter().all(|a| a.coeff(&self.index.atom()) >= 0)
    }

    fn eight_stored(&self, stmts: &[Stmt]) -> Option<TokenStream> {
        let assigned = |s: &'_ Stmt| match s {
            Stmt::Leaf(Leaf::Assign { target, value: Expr::Read(from) })
                if from.at.is_empty() && self.is_own(from.var) =>
            {
                Some((target.clone(), from.var))
            }
            _ => None,
        };
        let all: Vec<(Place, VarId)> = stmts.iter().map(assigned).collect::<Option<_>>()?;
        let to = &all[0].0;
        if to.at.is_empty() || self.is_own(to.var) || self.totals.contains_key(&to.var) {
            return None;
        }
        let d = dimension(&all)?;
        let lane = self.lane();
        let names: Vec<_> = all.iter().map(|(_, v)| self.t.var(*v)).collect();
        let (v, offset, pitch) = (self.t.var(to.var), self.t.offset(to), self.t.pitch(to, d));
        match stride(to, &self.index.atom()) {
            Stride::One => Some(quote! {
                #lane::store_eight([#(#names),*], &mut #v[..], #offset as usize, #pitch as usize);
            }),
            Stride::Far if d + 1 == to.at.len() && self.goes_on(to) => {
                let by = self.t.stride(to, self.index);
                Some(quote! {
                    #lane::scatter_eight([#(#names),*], &mut #v[..], #offset as usize, #by as usize, #lane::WIDTH);
                })
            }
            Stride::Far | Stride::None | Stride::Back => None,
        }
    }
}

/// The one dimension along which each place is one element further than the one before.
fn dimension(all: &[(Place, VarId)]) -> Option<usize> {
    let first = &all[0].0;
    let d = (0..first.at.len()).find(|d| all[1].0.at.get(*d) != first.at.get(*d))?;
    let further = |k: usize| {
        let mut at = first.at.clone();
        at[d] = at[d].plus_constant(i64::try_from(k).ok()?)?;
        Some(Place { at, ..first.clone() })
    };
    (0..all.len()).all(|k| further(k).as_ref() == Some(&all[k].0)).then_some(d)
}
