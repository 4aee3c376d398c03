//! Statements and expressions of which each lane has its own.

mod calls;
mod eights;
mod loops;
mod masks;

use super::choice::{Choice, choice, last_changes};
use super::declare::{self, Let, Piece};
use super::ends;
use super::expr::Tokens;
use super::rows::Rows;
use crate::index::{Affine, Atom};
use crate::loops::captures::Captures;
use crate::loops::leaf::InLanes;
use crate::loops::stride::Stride;
use crate::loops::strips::Eight;
use crate::loops::visit::{Item, visit_expr, visit_test};
use crate::loops::{Expr, Leaf, Place, Stmt, Storage, Test, VarId};
use crate::ssa::{Extreme, Index};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

/// The lane type inside the body of a vectorized loop; its one bound lends it all methods.
pub(super) const LANE: &str = "L";

/// The body of a vectorized loop.
pub(super) struct Vector<'a> {
    pub t: &'a Tokens<'a>,
    /// Of the lanes.
    pub index: Index,
    /// What it declares, and what all lanes add to.
    pub captures: &'a Captures,
}

impl Vector<'_> {
    fn lane(&self) -> TokenStream {
        let lane = self.t.helper(LANE);
        quote!(#lane)
    }

    fn isa(&self) -> Ident {
        self.t.helper("isa")
    }

    fn splat(&self, value: &TokenStream) -> TokenStream {
        let (lane, isa) = (self.lane(), self.isa());
        quote!(#lane::splat(#isa, #value))
    }

    fn number(&self, x: f64) -> TokenStream {
        self.splat(&self.t.number(x))
    }

    /// Whether each lane has a copy of its own.
    fn is_own(&self, v: VarId) -> bool {
        self.captures.is_own(self.t.program, self.index, v)
    }

    /// Whether what has a copy for each lane holds lanes, rather than cells of memory.
    fn is_lanes(&self, p: &Place) -> bool {
        let program = self.t.program;
        program.var(p.var).storage == Storage::Local || program.on_stack(p.var).is_some()
    }

    fn depends_place(&self, p: &Place) -> bool {
        self.is_own(p.var) || p.moves(self.index)
    }

    fn depends(&self, e: &Expr) -> bool {
        let mut depends = false;
        visit_expr(e, &mut |item| depends |= self.depends_item(&item));
        depends
    }

    fn depends_test(&self, t: &Test) -> bool {
        let mut depends = false;
        visit_test(t, &mut |item| depends |= self.depends_item(&item));
        depends
    }

    fn depends_item(&self, item: &Item<'_>) -> bool {
        match item {
            Item::Place(p, _) => self.depends_place(p),
            Item::Form(a) => a.mentions(&self.index.atom()),
            Item::Bound(_)
            | Item::Declared(_)
            | Item::Filled(_)
            | Item::Element(..)
            | Item::Decides(_)
            | Item::Whole => false,
        }
    }

    /// Statements, some of them eight at once.
    pub fn block(&self, stmts: &[Stmt], eights: &[Eight], rows: &Rows) -> TokenStream {
        let changes = last_changes(stmts);
        // A choice that is the same for all lanes.
        let uniform = |c: &Choice<'_>| !c.tests.iter().any(|t| self.depends_test(t));
        let (mut out, mut at) = (vec![], 0);
        while let Some(s) = stmts.get(at) {
            let eight = eights.iter().find(|e| e.at == at).map(|e| self.eight(e, &stmts[at..]));
            let choice = choice(stmts, at, &changes).filter(uniform);
            let (count, piece) = match (eight, choice) {
                (Some(eight), _) => (Eight::COUNT, Piece::Other(eight)),
                (None, Some(c)) => (2, Piece::Let(self.chosen(&c, rows))),
                (None, None) => (1, self.piece(s, rows)),
            };
            at += count;
            out.push(piece);
        }
        declare::block(&out)
    }

    fn piece(&self, s: &Stmt, rows: &Rows) -> Piece {
        let declared = if let Stmt::Leaf(leaf) = s { self.declared(leaf, rows) } else { None };
        declared.map_or_else(|| Piece::Other(self.stmt(s, rows, None)), Piece::Let)
    }

    fn declared(&self, leaf: &Leaf, rows: &Rows) -> Option<Let> {
        match leaf.in_lanes() {
            Some(InLanes::Declare(var, value)) => {
                let (name, value) = (self.t.var(var), self.expr(value, rows));
                Some(Let { name, is_mut: true, ty: None, value })
            }
            _ => super::leaf::declared(self.t, leaf, rows),
        }
    }

    fn chosen(&self, c: &Choice<'_>, rows: &Rows) -> Let {
        let (tests, before) = (self.t.tests(c.tests, rows), self.block(c.before, &[], rows));
        let (start, value) = (self.expr(c.start, rows), self.expr(c.value, rows));
        let value = quote!(if #tests { #before #value } else { #start });
        Let { name: self.t.var(c.var), is_mut: c.is_mut, ty: None, value }
    }

    /// A statement; with a mask, of the lanes where it holds.
    fn stmt(&self, s: &Stmt, rows: &Rows, mask: Option<&Ident>) -> TokenStream {
        let inside = |stmts: &[Stmt], rows: &Rows| -> TokenStream {
            stmts.iter().map(|s| self.stmt(s, rows, mask)).collect()
        };
        match s {
            Stmt::For { index, lower, upper, step, order, rows: own, body, .. } => {
                let ends = (ends(self.t, lower, false), ends(self.t, upper, true));
                match step {
                    None => self.each((*index, order), ends, (body, own), rows, mask),
                    Some((from, k)) => {
                        let body = inside(body, rows);
                        super::stepped(self.t, *index, ends, (&self.t.affine(from), *k), &body)
                    }
                }
            }
            Stmt::If { tests, body, otherwise } => self.choose(tests, body, otherwise, rows, mask),
            Stmt::Leaf(leaf) => self.leaf(leaf, rows, mask),
        }
    }

    fn leaf(&self, leaf: &Leaf, rows: &Rows, mask: Option<&Ident>) -> TokenStream {
        match leaf.in_lanes() {
            Some(InLanes::Declare(..)) => self.declared(leaf, rows).into_token_stream(),
            Some(InLanes::Assign(target, value)) => {
                let value = self.expr(value, rows);
                let value = match mask {
                    None => value,
                    Some(m) => self.select(m, &value, &self.read(target, rows)),
                };
                self.write(target, &value, rows)
            }
            Some(InLanes::Combine(None, target, value)) => self.accumulate(target, value, rows, mask),
            Some(InLanes::Combine(Some(op), target, value)) => self.extreme(op, target, value, rows, mask),
            Some(InLanes::Fill(var, value)) => {
                let (v, value, lane) = (self.t.var(var), self.number(value), self.lane());
                match self.t.program.on_stack(var) {
                    Some(_) => quote!(<[_]>::fill(&mut #v[..], #value);),
                    None => quote!(for __cell in &mut #v[..] { #lane::set(#value, __cell); }),
                }
            }
            Some(InLanes::Let(..)) | None => super::leaf::leaf(self.t, leaf, rows),
        }
    }

    fn accumulate(&self, target: &Place, value: &Expr, rows: &Rows, mask: Option<&Ident>) -> TokenStream {
        let lane = self.lane();
        if let (None, Expr::Mul(a, b)) = (mask, value)
            && (self.depends_place(target) || self.captures.totals.contains_key(&target.var))
        {
            let (a, b, old) = (self.expr(a, rows), self.expr(b, rows), self.read(target, rows));
            return self.write(target, &quote!(#lane::mul_add(#a, #b, #old)), rows);
        }
        if let (None, Expr::Add(..)) = (mask, value)
            && self.depends_place(target)
            && !target.at.is_empty()
        {
            let value = self.expr(&added(Expr::Read(target.clone()), value), rows);
            return self.write(target, &value, rows);
        }
        let mut value = self.expr(value, rows);
        if let Some(m) = mask {
            value = self.select(m, &value, &self.number(0.0));
        }
        if self.depends_place(target) || self.captures.totals.contains_key(&target.var) {
            let old = self.read(target, rows);
            return self.write(target, &quote!(#old + #value), rows);
        }
        let place = self.t.place(target, rows);
        quote!(#place += #lane::sum(#value);)
    }

    fn extreme(
        &self,
        op: Extreme,
        target: &Place,
        value: &Expr,
        rows: &Rows,
        mask: Option<&Ident>,
    ) -> TokenStream {
        let lane = self.lane();
        let (than, all, worst) = match op {
            Extreme::Max => (quote!(gt), quote!(greatest), f64::NEG_INFINITY),
            Extreme::Min => (quote!(lt), quote!(least), f64::INFINITY),
        };
        let mut value = self.expr(value, rows);
        if let Some(m) = mask {
            value = self.select(m, &value, &self.number(worst));
        }
        if self.depends_place(target) || self.captures.totals.contains_key(&target.var) {
            let old = self.read(target, rows);
            let best = quote!(#lane::select(#lane::#than(__candidate, __old), __candidate, __old));
            let write = self.write(target, &quote!(__value), rows);
            return quote!({ let __candidate = #value; let __old = #old; let __value = #best; #write });
        }
        let (place, op) = (self.t.place(target, rows), super::better(op));
        quote!({ let __candidate = #lane::#all(#value); if __candidate #op #place { #place = __candidate; } })
    }

    /// The value of a place in each lane.
    fn read(&self, p: &Place, rows: &Rows) -> TokenStream {
        let (lane, isa, v) = (self.lane(), self.isa(), self.t.var(p.var));
        if self.captures.totals.contains_key(&p.var) {
            return quote!(*#v);
        }
        if self.is_own(p.var) {
            let place = self.t.place(p, rows);
            return if self.is_lanes(p) { place } else { quote!(#lane::get(#isa, &#place)) };
        }
        let offset = self.t.offset(p);
        match p.stride(&self.index.atom()) {
            Stride::None => self.splat(&self.t.place(p, rows)),
            Stride::One => quote!(#lane::load(#isa, &#v[..], #offset as usize)),
            Stride::Back => quote!(#lane::load_back(#isa, &#v[..], #offset as usize)),
            Stride::Far => match self.t.packed(p, self.index) {
                Some(by) => quote!(#lane::gather_by::<#by>(#isa, &#v[..], #offset as usize)),
                None => {
                    let by = self.t.stride(p, self.index);
                    quote!(#lane::gather(#isa, &#v[..], #offset as usize, #by))
                }
            },
        }
    }

    fn write(&self, p: &Place, value: &TokenStream, rows: &Rows) -> TokenStream {
        let (lane, v) = (self.lane(), self.t.var(p.var));
        if self.captures.totals.contains_key(&p.var) {
            return quote!(*#v = #value;);
        }
        if self.is_own(p.var) {
            let place = self.t.place(p, rows);
            return if self.is_lanes(p) {
                quote!(#place = #value;)
            } else {
                quote!(#lane::set(#value, &mut #place);)
            };
        }
        let offset = self.t.offset(p);
        match p.stride(&self.index.atom()) {
            // Assigned by all lanes alike: there is nothing that differs.
            Stride::None => {
                let place = self.t.place(p, rows);
                quote!(#place = #lane::sum(#value);)
            }
            Stride::One => quote!(#lane::store(#value, &mut #v[..], #offset as usize);),
            Stride::Back => quote!(#lane::store_back(#value, &mut #v[..], #offset as usize);),
            Stride::Far => match self.t.packed(p, self.index) {
                Some(by) => quote!(#lane::scatter_by::<#by>(#value, &mut #v[..], #offset as usize);),
                None => {
                    let by = self.t.stride(p, self.index);
                    quote!(#lane::scatter(#value, &mut #v[..], #offset as usize, #by);)
                }
            },
        }
    }

    pub fn expr(&self, e: &Expr, rows: &Rows) -> TokenStream {
        if !self.depends(e) {
            return self.splat(&self.t.expr(e, rows));
        }
        let (lane, isa) = (self.lane(), self.isa());
        match e {
            Expr::Number(_) | Expr::Constant(_) => self.splat(&self.t.expr(e, rows)),
            Expr::OfIndex(a) => self.iota(a),
            Expr::Read(p) => self.read(p, rows),
            Expr::Neg(a) => {
                let a = self.expr(a, rows);
                quote!((-#a))
            }
            Expr::Add(a, b) => self.add(a, b, rows),
            Expr::Mul(a, b) => {
                let (a, b) = (self.expr(a, rows), self.expr(b, rows));
                quote!((#a * #b))
            }
            Expr::Call(f, args) => {
                let args: Vec<TokenStream> = args.iter().map(|a| self.expr(a, rows)).collect();
                self.call(f, &args)
            }
            Expr::If(tests, a) => {
                let (lanes, same): (Vec<Test>, Vec<Test>) =
                    tests.iter().cloned().partition(|t| self.depends_test(t));
                let (mut out, zero) = (self.expr(a, rows), self.number(0.0));
                if !lanes.is_empty() {
                    let mask = self.mask(&lanes, rows);
                    out = quote!(#lane::select(#mask, #out, #zero));
                }
                if !same.is_empty() {
                    let same = self.t.tests(&same, rows);
                    out = quote!((if #same { #out } else { #lane::splat(#isa, ::core::default::Default::default()) }));
                }
                out
            }
        }
    }

    /// `a + b`, fused where one of them is a product.
    fn add(&self, a: &Expr, b: &Expr, rows: &Rows) -> TokenStream {
        let lane = self.lane();
        let sum = |product: (&Expr, &Expr), negated: bool, other: &Expr| {
            let (x, y, z) = (self.expr(product.0, rows), self.expr(product.1, rows), self.expr(other, rows));
            let x = if negated { quote!((-#x)) } else { x };
            quote!(#lane::mul_add(#x, #y, #z))
        };
        match (a, b) {
            (a, Expr::Mul(x, y)) => sum((x, y), false, a),
            (Expr::Mul(x, y), b) => sum((x, y), false, b),
            (a, Expr::Neg(b)) => match &**b {
                Expr::Mul(x, y) => sum((x, y), true, a),
                b => {
                    let (a, b) = (self.expr(a, rows), self.expr(b, rows));
                    quote!((#a - #b))
                }
            },
            (a, b) => {
                let (a, b) = (self.expr(a, rows), self.expr(b, rows));
                quote!((#a + #b))
            }
        }
    }

    /// A form as a number in each lane.
    fn iota(&self, a: &Affine) -> TokenStream {
        let (lane, isa) = (self.lane(), self.isa());
        let (first, step) = (self.t.affine(a), self.t.integer(a.coeff(&Atom::Index(self.index.0))));
        quote!(#lane::iota(#isa, #first, #step))
    }
}

/// `to + e`, term by term, so that products are fused.
fn added(to: Expr, e: &Expr) -> Expr {
    match e {
        Expr::Add(a, b) => added(added(to, a), b),
        e => Expr::Add(Box::new(to), Box::new(e.clone())),
    }
}
