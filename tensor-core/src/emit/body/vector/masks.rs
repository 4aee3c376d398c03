//! Tests in lanes: what is the same in all of them decides for all, the others select.

use super::Vector;
use crate::emit::body::rows::Rows;
use crate::loops::{Stmt, Test};
use crate::ssa::RealCompare;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

impl Vector<'_> {
    pub(super) fn select(&self, mask: &Ident, a: &TokenStream, b: &TokenStream) -> TokenStream {
        let lane = self.lane();
        quote!(#lane::select(#mask, #a, #b))
    }

    /// Tests that are the same in all lanes decide for all; the others select.
    pub(super) fn choose(
        &self,
        tests: &[Test],
        body: &[Stmt],
        otherwise: &[Stmt],
        rows: &Rows,
        mask: Option<&Ident>,
    ) -> TokenStream {
        let inside = |stmts: &[Stmt], mask: Option<&Ident>| -> TokenStream {
            stmts.iter().map(|s| self.stmt(s, rows, mask)).collect()
        };
        let (lanes, same): (Vec<Test>, Vec<Test>) = tests.iter().cloned().partition(|t| self.depends_test(t));
        let mut out = inside(body, mask);
        if !lanes.is_empty() {
            let holds = self.mask(&lanes, rows);
            let holds = mask.map_or(holds.clone(), |m| quote!(#m & #holds));
            let new = self.t.helper("mask");
            out = inside(body, Some(&new));
            out = quote!({ let #new = #holds; #out });
            if !otherwise.is_empty() {
                let fails = self.mask(&lanes, rows);
                let fails = mask.map_or(quote!(!#fails), |m| quote!(#m & !#fails));
                let other = inside(otherwise, Some(&new));
                out = quote!(#out { let #new = #fails; #other });
            }
        }
        if same.is_empty() {
            return out;
        }
        let tests = self.t.tests(&same, rows);
        if otherwise.is_empty() {
            quote!(if #tests { #out })
        } else {
            let otherwise = inside(otherwise, mask);
            quote!(if #tests { #out } else { #otherwise })
        }
    }

    /// All tests at once, lane by lane.
    pub(in crate::emit::body) fn mask(&self, tests: &[Test], rows: &Rows) -> TokenStream {
        let all = tests.iter().map(|t| self.mask_of(t, rows));
        all.reduce(|a, b| quote!((#a & #b))).unwrap_or_else(|| self.constant_mask(&quote!(true)))
    }

    fn constant_mask(&self, holds: &TokenStream) -> TokenStream {
        let (lane, isa) = (self.lane(), self.isa());
        quote!(#lane::mask(#isa, #holds))
    }

    fn mask_of(&self, t: &Test, rows: &Rows) -> TokenStream {
        if !self.depends_test(t) {
            return self.constant_mask(&self.t.tests(std::slice::from_ref(t), rows));
        }
        let lane = self.lane();
        match t {
            Test::Index(_) => self.constant_mask(&self.t.tests(std::slice::from_ref(t), rows)),
            Test::Real { op, left, right, holds } => {
                let (a, b) = (self.expr(left, rows), self.expr(right, rows));
                let test = match op {
                    RealCompare::Lt => quote!(#lane::lt(#a, #b)),
                    RealCompare::Le => quote!(#lane::le(#a, #b)),
                    RealCompare::Eq => quote!(#lane::eq(#a, #b)),
                };
                if *holds { test } else { quote!((!#test)) }
            }
            Test::Any(ps) => {
                let all = ps.iter().map(|p| self.mask(p, rows)).reduce(|a, b| quote!((#a | #b)));
                all.unwrap_or_else(|| self.constant_mask(&quote!(false)))
            }
        }
    }
}
