//! Expressions, places, tests and names as tokens.

pub(super) mod functions;

use super::elem_type;
use super::rows::Rows;
use crate::ast::Elem;
use crate::index::{Affine, Atom, Cond};
use crate::loops::{Expr, Place, Program, Storage, Test, VarId};
use crate::prim::{Binary, Prim};
use crate::sorted::{Map, Set};
use crate::ssa::{Index, RealCompare};
use functions::mathematical;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};

/// Makes tokens of the parts of a program.
pub(super) struct Tokens<'a> {
    pub program: &'a Program,
    /// Whether loops may be cut between threads.
    pub threads: bool,
    /// Of arrays of which there is a part only, where it begins: what offsets count from.
    pub firsts: Map<VarId, Ident>,
    /// Totals of vectorized loops that a loop around them carries.
    pub carried: Set<VarId>,
}

impl<'a> Tokens<'a> {
    pub fn new(program: &'a Program, threads: bool) -> Tokens<'a> {
        Tokens { program, threads, firsts: Map::new(), carried: Set::new() }
    }

    /// With more totals that the loops around carry.
    pub fn carrying(&self, more: impl Iterator<Item = VarId>) -> Tokens<'a> {
        let carried = self.carried.iter().copied().chain(more).collect();
        Tokens { firsts: self.firsts.clone(), carried, ..*self }
    }

    /// On one thread.
    pub fn alone(&self) -> Tokens<'a> {
        Tokens::new(self.program, false)
    }

    pub fn elem(&self) -> TokenStream {
        elem_type(self.program.function.elem)
    }

    /// Names are unique by their numbers and hygienic.
    fn name(hint: &str, kind: &str, k: usize) -> Ident {
        let hint: String = hint.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        format_ident!("{kind}{k}_{hint}", span = Span::mixed_site())
    }

    pub fn var(&self, v: VarId) -> Ident {
        Tokens::name(&self.program.var(v).name, "v", v.0 as usize)
    }

    pub fn size(&self, k: usize) -> Ident {
        Tokens::name(&self.program.function.sizes[k], "s", k)
    }

    pub fn index(&self, i: Index) -> Ident {
        Tokens::name(&self.program.indices[i.0 as usize], "i", i.0 as usize)
    }

    pub fn row(&self, k: usize) -> Ident {
        crate::emit::leaves::hidden(&format!("row{k}"))
    }

    /// A name of the generator's own.
    #[allow(clippy::unused_self)]
    pub fn helper(&self, name: &str) -> Ident {
        crate::emit::leaves::hidden(name)
    }

    /// A name of the runtime crate.
    #[allow(clippy::unused_self)]
    pub fn word(&self, name: &str) -> Ident {
        crate::emit::leaves::local(name)
    }

    /// Variables of one kind of storage, by number.
    pub fn stored(&self, which: impl Fn(Storage) -> Option<usize>) -> Vec<VarId> {
        let mut all: Vec<(usize, VarId)> = vec![];
        for (v, var) in self.program.vars.iter().enumerate() {
            if let Some(k) = which(var.storage) {
                all.push((k, VarId(u32::try_from(v).unwrap_or(u32::MAX))));
            }
        }
        all.sort();
        all.into_iter().map(|(_, v)| v).collect()
    }

    #[allow(clippy::unused_self)]
    pub fn integer(&self, k: i64) -> TokenStream {
        let literal = Literal::isize_suffixed(isize::try_from(k.abs()).unwrap_or(isize::MAX));
        if k < 0 { quote!((-#literal)) } else { quote!(#literal) }
    }

    /// An exact literal.
    pub fn number(&self, x: f64) -> TokenStream {
        let elem = self.elem();
        if x.is_nan() {
            return quote!(#elem::NAN);
        }
        if x.is_infinite() {
            return if x > 0.0 { quote!(#elem::INFINITY) } else { quote!(#elem::NEG_INFINITY) };
        }
        if let Some(name) = mathematical(x.abs()) {
            let name = Ident::new(name, Span::call_site());
            let constant = quote!(::core::#elem::consts::#name);
            return if x < 0.0 { quote!((-#constant)) } else { constant };
        }
        #[allow(clippy::cast_possible_truncation)]
        let literal = match self.program.function.elem {
            Elem::F64 => Literal::f64_suffixed(x.abs()),
            Elem::F32 if (x as f32).is_finite() => Literal::f32_suffixed((x as f32).abs()),
            Elem::F32 => return if x > 0.0 { quote!(f32::INFINITY) } else { quote!(f32::NEG_INFINITY) },
        };
        if x.is_sign_negative() { quote!((-#literal)) } else { quote!(#literal) }
    }

    /// In `isize`.
    pub fn affine(&self, a: &Affine) -> TokenStream {
        let mut out = TokenStream::new();
        let mut first = true;
        let (plus, minus): (Vec<_>, Vec<_>) = a.terms.iter().partition(|t| t.1 > 0);
        for (t, c) in plus.into_iter().chain(minus) {
            let atom = self.atom(t);
            let size = self.integer(c.abs());
            let term = if c.abs() == 1 { atom } else { quote!(#size * #atom) };
            out = match (first, *c < 0) {
                (true, false) => term,
                (true, true) => quote!(-#term),
                (false, false) => quote!(#out + #term),
                (false, true) => quote!(#out - #term),
            };
            first = false;
        }
        let constant = self.integer(a.constant.abs());
        match (first, a.constant) {
            (true, c) => self.integer(c),
            (false, 0) => quote!((#out)),
            (false, c) if c > 0 => quote!((#out + #constant)),
            (false, _) => quote!((#out - #constant)),
        }
    }

    /// `⌊e / k⌋`; by a power of two a shift, which is less for LLVM to look through.
    pub fn quotient(&self, e: &TokenStream, k: i64) -> TokenStream {
        match k {
            1 => e.clone(),
            k if k.count_ones() == 1 => {
                let bits = Literal::u32_unsuffixed(k.trailing_zeros());
                quote!(((#e) >> #bits))
            }
            k => {
                let k = self.integer(k);
                quote!((#e).div_euclid(#k))
            }
        }
    }

    fn atom(&self, t: &Atom) -> TokenStream {
        match t {
            Atom::Size(k) => {
                let s = self.size(*k as usize);
                quote!(#s)
            }
            Atom::Index(k) => {
                let i = self.index(Index(*k));
                quote!(#i)
            }
            Atom::Floor(e, k) => self.quotient(&self.affine(e), *k),
            Atom::Element(v, at) => self.place(&Place { var: VarId(*v), at: at.clone() }, &Rows::default()),
            Atom::Product(fs) => {
                let product = fs.iter().map(|f| self.atom(f)).reduce(|a, b| quote!(#a * #b));
                quote!((#product))
            }
        }
    }

    /// How many elements an index of a place counts: the extent of a dimension, or the product of all those that the last stands for.
    fn counted(&self, p: &Place, d: usize) -> TokenStream {
        let all = self.own(p, d).iter().map(|e| self.affine(e)).reduce(|a, b| quote!((#a * #b)));
        all.unwrap_or_else(|| quote!(1isize))
    }

    /// The extents that an index of a place stands for.
    fn own(&self, p: &Place, d: usize) -> &[Affine] {
        let extents = &self.program.var(p.var).extents;
        if d + 1 < p.at.len() { &extents[d..=d] } else { &extents[d..] }
    }

    /// The position in the row-major buffer, or in the part of it that there is.
    pub fn offset(&self, p: &Place) -> TokenStream {
        let mut out: Option<TokenStream> = None;
        for (d, a) in p.at.iter().enumerate() {
            let a = self.affine(a);
            out = Some(match out {
                None => a,
                Some(before) => {
                    let e = self.counted(p, d);
                    quote!((#before * #e + #a))
                }
            });
        }
        let out = out.unwrap_or_else(|| quote!(0isize));
        match self.firsts.get(&p.var) {
            None => out,
            Some(first) => quote!((#out - #first)),
        }
    }

    /// How many elements a place moves with an index.
    pub fn stride(&self, p: &Place, i: Index) -> TokenStream {
        let mut out: Option<TokenStream> = None;
        for (d, a) in p.at.iter().enumerate() {
            let c = a.coeff(&i.atom());
            let e = self.counted(p, d);
            out = match (out, c) {
                (None, 0) => None,
                (None, c) => Some(self.integer(c)),
                (Some(before), 0) => Some(quote!((#before * #e))),
                (Some(before), c) => {
                    let c = self.integer(c);
                    Some(quote!((#before * #e + #c)))
                }
            };
        }
        out.unwrap_or_else(|| quote!(0isize))
    }

    /// How many elements are from one index of a dimension to the next.
    pub fn pitch(&self, p: &Place, dimension: usize) -> TokenStream {
        let inner = (dimension + 1..p.at.len()).map(|d| self.counted(p, d));
        inner.reduce(|a, b| quote!((#a * #b))).unwrap_or_else(|| quote!(1isize))
    }

    /// The same where it is known now, and one of those for which packed loads have shuffles.
    pub fn packed(&self, p: &Place, i: Index) -> Option<Literal> {
        let of_rows = |stride: i64, d: usize| match stride {
            0 => Some(0),
            _ => self.own(p, d).iter().try_fold(stride, |s, extent| s.checked_mul(extent.as_constant()?)),
        };
        let stride =
            p.at.iter()
                .enumerate()
                .try_fold(0_i64, |stride, (d, a)| of_rows(stride, d)?.checked_add(a.coeff(&i.atom())))?;
        (2..=4).contains(&stride).then(|| Literal::i64_unsuffixed(stride))
    }

    /// As an expression or target.
    pub fn place(&self, p: &Place, rows: &Rows) -> TokenStream {
        if let Some(cut) = rows.get(p) {
            return cut.clone();
        }
        let v = self.var(p.var);
        if p.at.is_empty() {
            return quote!(#v);
        }
        let offset = self.offset(p);
        quote!(#v[#offset as usize])
    }

    pub fn tests(&self, tests: &[Test], rows: &Rows) -> TokenStream {
        let all = tests.iter().map(|t| self.test(t, rows));
        if tests.is_empty() { quote!(true) } else { quote!(#(#all)&&*) }
    }

    fn test(&self, t: &Test, rows: &Rows) -> TokenStream {
        match t {
            Test::Index(c) => self.cond(c),
            Test::Real { op, left, right, holds } => {
                let (a, b) = (self.expr(left, rows), self.expr(right, rows));
                let test = match op {
                    RealCompare::Lt => quote!(((#a) < (#b))),
                    RealCompare::Le => quote!(((#a) <= (#b))),
                    // As an operator it would ask whoever reads it whether that is meant.
                    RealCompare::Eq => quote!(::core::cmp::PartialEq::eq(&(#a), &(#b))),
                };
                if *holds { test } else { quote!((!#test)) }
            }
            Test::Any(ps) => {
                let all = ps.iter().map(|p| self.tests(p, rows));
                if ps.is_empty() { quote!(false) } else { quote!((#((#all))||*)) }
            }
        }
    }

    fn cond(&self, c: &Cond) -> TokenStream {
        let form = |a: &Affine| self.affine(a);
        match c {
            Cond::Zero(a) => {
                let a = form(a);
                quote!((#a == 0))
            }
            Cond::NonZero(a) => {
                let a = form(a);
                quote!((#a != 0))
            }
            Cond::NonNeg(a) => {
                let a = form(a);
                quote!((#a >= 0))
            }
            Cond::Residue(a, k) => {
                let (a, k) = (form(a), self.integer(*k));
                quote!(((#a).rem_euclid(#k) == 0))
            }
            Cond::NonResidue(a, k) => {
                let (a, k) = (form(a), self.integer(*k));
                quote!(((#a).rem_euclid(#k) != 0))
            }
            // Tests of reals and alternatives are tests of their own.
            Cond::Opaque { holds, .. } => quote!(#holds),
            Cond::Any(ps) => {
                let one = |p: &Vec<Cond>| {
                    let all = p.iter().map(|c| self.cond(c));
                    quote!((true #(&& #all)*))
                };
                let all = ps.iter().map(one);
                quote!((false #(|| #all)*))
            }
        }
    }

    /// An operand of a sum or a quotient.
    fn operand(&self, e: &Expr, rows: &Rows) -> TokenStream {
        apart(matches!(e, Expr::Mul(..)), self.expr(e, rows))
    }

    pub fn expr(&self, e: &Expr, rows: &Rows) -> TokenStream {
        let elem = self.elem();
        match e {
            Expr::Number(x) => self.number(*x),
            Expr::Constant(path) => self.constant(path),
            Expr::OfIndex(a) => {
                let a = self.affine(a);
                quote!((#a as #elem))
            }
            Expr::Read(p) => self.place(p, rows),
            Expr::Neg(a) => {
                let a = self.expr(a, rows);
                quote!((-#a))
            }
            Expr::Add(a, b) => {
                let x = self.operand(a, rows);
                if let Expr::Neg(b) = &**b {
                    let y = self.operand(b, rows);
                    return quote!((#x - #y));
                }
                let y = self.operand(b, rows);
                quote!((#x + #y))
            }
            Expr::Mul(a, b) => {
                let (a, b) = (self.expr(a, rows), self.expr(b, rows));
                quote!((#a * #b))
            }
            Expr::Call(f, args) => {
                let is_quotient = matches!(f, Prim::Binary(Binary::Div));
                let one = |a| if is_quotient { self.operand(a, rows) } else { self.expr(a, rows) };
                self.call(f, &args.iter().map(one).collect::<Vec<_>>())
            }
            Expr::If(tests, a) => {
                let (tests, a) = (self.tests(tests, rows), self.expr(a, rows));
                let zero = self.number(0.0);
                quote!((if #tests { #a } else { #zero }))
            }
        }
    }
}

/// A product that is an operand stands in a block: Clippy asks for `mul_add` in a sum, and for `to_degrees` in a quotient, which round otherwise.
fn apart(is_product: bool, tokens: TokenStream) -> TokenStream {
    if is_product { quote!({ #tokens }) } else { tokens }
}
