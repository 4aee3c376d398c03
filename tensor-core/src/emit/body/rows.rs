//! Rows: slices that are cut before the loop that walks them.

use super::expr::Tokens;
use crate::index::{Affine, Atom};
use crate::loops::leaf::Operand;
use crate::loops::visit::How;
use crate::loops::{Expr, Leaf, Place, Stmt, Test, VarId};
use crate::ssa::Index;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// What stands for a place inside a loop.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows(Vec<(Place, TokenStream)>);

impl Rows {
    pub fn get(&self, p: &Place) -> Option<&TokenStream> {
        self.0.iter().find(|r| r.0 == *p).map(|r| &r.1)
    }
}

/// One place that a loop reads or writes.
struct Use {
    place: Place,
    writes: bool,
    /// In every iteration.
    always: bool,
}

#[derive(Default)]
struct Uses {
    found: Vec<Use>,
    /// Indices that are bound inside.
    bound: Vec<Index>,
    /// Variables that are filled, or that statements without a form in lanes use.
    other: Vec<VarId>,
}

impl Uses {
    fn block(&mut self, stmts: &[Stmt], always: bool) {
        for s in stmts {
            self.stmt(s, always);
        }
    }

    fn stmt(&mut self, s: &Stmt, always: bool) {
        match s {
            Stmt::For { body, index, .. } => {
                self.bound.push(*index);
                self.block(body, false);
            }
            Stmt::If { tests, body, otherwise } => {
                self.tests(tests, false);
                self.block(body, false);
                self.block(otherwise, false);
            }
            Stmt::Leaf(leaf) => self.leaf(leaf, always),
        }
    }

    fn leaf(&mut self, leaf: &Leaf, always: bool) {
        let has_rows = leaf.in_lanes().is_some();
        leaf.visit(&mut |o| match o {
            Operand::Bound(i) => self.bound.push(i),
            Operand::Value(e) => self.expr(e, always),
            Operand::Place(p, how) if has_rows => {
                self.found.push(Use { place: p.clone(), writes: how != How::Read, always });
            }
            Operand::Place(p, _) => self.other.push(p.var),
            Operand::Filled(v) => self.other.push(v),
            Operand::Form(_) | Operand::Declared(_) => {}
        });
    }

    fn tests(&mut self, tests: &[Test], always: bool) {
        for t in tests {
            match t {
                Test::Index(_) => {}
                Test::Real { left, right, .. } => {
                    self.expr(left, always);
                    self.expr(right, always);
                }
                Test::Any(ps) => ps.iter().for_each(|p| self.tests(p, false)),
            }
        }
    }

    fn expr(&mut self, e: &Expr, always: bool) {
        match e {
            Expr::Number(_) | Expr::Constant(_) | Expr::OfIndex(_) => {}
            Expr::Read(p) => self.found.push(Use { place: p.clone(), writes: false, always }),
            Expr::Neg(a) => self.expr(a, always),
            Expr::Add(a, b) | Expr::Mul(a, b) => {
                self.expr(a, always);
                self.expr(b, always);
            }
            Expr::Call(_, args) => args.iter().for_each(|a| self.expr(a, always)),
            Expr::If(tests, a) => {
                self.tests(tests, false);
                self.expr(a, false);
            }
        }
    }
}

/// How a place moves with an index.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Walk {
    /// Not at all.
    Still,
    /// By one element.
    Up,
    /// Back by one element.
    Down,
}

fn walk(p: &Place, i: Index) -> Option<Walk> {
    let atom = i.atom();
    let (last, rest) = p.at.split_last()?;
    if rest.iter().any(|a| a.mentions(&atom)) {
        return None;
    }
    let hidden = last.terms.iter().any(|t| t.0 != atom && t.0.mentions(&atom));
    match last.coeff(&atom) {
        _ if hidden => None,
        0 => Some(Walk::Still),
        1 => Some(Walk::Up),
        -1 => Some(Walk::Down),
        _ => None,
    }
}

/// Index arrays may change inside a loop: what depends on their elements stays where it is.
fn depends_on_elements(a: &Affine) -> bool {
    a.terms.iter().any(|t| match &t.0 {
        Atom::Size(_) | Atom::Index(_) => false,
        Atom::Floor(e, _) => depends_on_elements(e),
        Atom::Element(..) => true,
        Atom::Product(fs) => fs.iter().any(|f| depends_on_elements(&f.clone().into())),
    })
}

/// The slices that a loop over `index`, which starts at `first` and takes `len` steps counted by `k`, walks along; and what
/// stands for their places inside. Only what every iteration uses is cut, and what is written is used in one way; and only places that are `wanted`.
pub(super) fn cut(
    t: &Tokens<'_>,
    index: Index,
    (first, len, k): (&Ident, &Ident, &Ident),
    body: &[Stmt],
    outer: &Rows,
    wanted: &dyn Fn(&Place) -> bool,
) -> (TokenStream, Rows) {
    let mut uses = Uses::default();
    uses.block(body, true);
    let mut rows = outer.clone();
    let mut tokens = TokenStream::new();
    let usable = |p: &Place| {
        !p.at.is_empty()
            && wanted(p)
            && !uses.other.contains(&p.var)
            && p.at
                .iter()
                .all(|a| !depends_on_elements(a) && !uses.bound.iter().any(|i| a.mentions(&i.atom())))
    };
    for u in &uses.found {
        let p = &u.place;
        if !u.always || !usable(p) || rows.get(p).is_some() {
            continue;
        }
        let mut same = uses.found.iter().filter(|v| v.place.var == p.var);
        let written = same.clone().any(|v| v.writes);
        if written && !same.all(|v| v.place == *p) {
            continue;
        }
        let Some(walk) = walk(p, index) else { continue };
        let (row, v) = (t.row(rows.0.len()), t.var(p.var));
        let start = match walk {
            Walk::Still if written => continue,
            Walk::Still => {
                let offset = t.offset(p);
                tokens.extend(quote!(let #row = #v[#offset as usize];));
                rows.0.push((p.clone(), quote!(#row)));
                continue;
            }
            Walk::Up => quote!(#first),
            Walk::Down => quote!((#first + (#len as isize - 1))),
        };
        let i = t.index(index);
        let offset = t.offset(p);
        let at = quote!({ let #i: isize = #start; #offset as usize });
        tokens.extend(if written {
            quote!(let #row = &mut #v[#at..][..#len];)
        } else {
            quote!(let #row = &#v[#at..][..#len];)
        });
        let place = match walk {
            Walk::Still | Walk::Up => quote!(#row[#k]),
            Walk::Down => quote!(#row[#len - 1 - #k]),
        };
        rows.0.push((p.clone(), place));
    }
    (tokens, rows)
}
