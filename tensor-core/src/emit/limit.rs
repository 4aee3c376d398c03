//! How large sizes may be, so that no `isize` overflows.

use super::signature::Signature;
use crate::emit::runtime::RT;
use crate::index::{Affine, Atom, Cond};
use crate::loops::leaf::Operand;
use crate::loops::visit::{Item, visit};
use crate::loops::{Bound, Expr, Leaf, Place, Program, Stmt, Test};
use crate::prim::Prim;
use crate::sorted::Set;
use crate::ssa::{self, ArrayKind, Index, Rhs};
use crate::typed::Function;
use proc_macro2::TokenStream;

/// Bounds of all affine forms of a function, together.
#[derive(Debug)]
struct Weight {
    /// The sum of the coefficients.
    linear: u64,
    /// The constant.
    constant: u64,
    /// The number of factors of a product.
    degree: u32,
    /// The number of dimensions of each variable.
    ranks: Vec<usize>,
    /// Loops over the elements of whole rows. They count elements of an array, the length of which is checked by itself: products in their
    /// bounds, as in offsets, are no greater.
    along_rows: Set<Index>,
}

/// `limit(weight, constant, degree)`: with sizes `<= C` the forms over sizes are `<= W C + A`, so indices are too, and the forms over indices are
/// `<= W (W C + A) + A`. With products of d factors: `<= (W + A)^(d+1) C^d`.
pub(super) fn limit(f: &Function, s: &Signature, program: &Program) -> TokenStream {
    let ranks: Vec<usize> = program.vars.iter().map(|v| v.extents.len()).collect();
    let mut w = Weight { linear: 1, constant: 0, degree: 1, ranks, along_rows: Set::new() };
    visit(&program.body, &mut |item| {
        if let Item::Place(p, _) = item
            && w.is_flat(p)
        {
            let own = p.at.iter().flat_map(|a| &a.terms).filter(|(_, c)| *c == 1);
            w.along_rows.extend(own.filter_map(|(t, _)| match t {
                Atom::Index(i) => Some(Index(*i)),
                Atom::Size(_) | Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => None,
            }));
        }
    });
    for leaf in s.inputs.iter().chain(&s.results) {
        w.add_all(&leaf.extents);
    }
    for v in &f.solution.found {
        w.add(&v.num);
    }
    for c in &f.checks {
        w.add_cond(&c.condition);
    }
    for b in &program.work {
        w.add_all(&b.extents);
    }
    // As indices are, these are no greater than a form over sizes, or a few.
    program.derived.iter().for_each(|d| w.add(d.of()));
    w.add_ssa(&program.function);
    w.add_body(&program.body);
    program.scalars.iter().for_each(|e| w.add_expr(e));
    let Weight { linear, constant, degree, .. } = w;
    let (weight, constant) = if degree == 1 {
        (linear.saturating_mul(linear), constant.saturating_mul(linear.saturating_add(1)))
    } else {
        (linear.saturating_add(constant).saturating_pow(degree + 1), 0)
    };
    hygienic!(const { #RT::__private::limit(#weight, #constant, #degree) })
}

impl Weight {
    fn add(&mut self, a: &Affine) {
        let linear = a.terms.iter().fold(0_u64, |sum, t| sum.saturating_add(t.1.unsigned_abs()));
        self.linear = self.linear.max(linear);
        self.constant = self.constant.max(a.constant.unsigned_abs());
        for (atom, _) in &a.terms {
            self.add_atom(atom);
        }
    }

    /// Whether the last index of a place stands for several.
    fn is_flat(&self, p: &Place) -> bool {
        !p.at.is_empty() && p.at.len() < self.ranks[p.var.0 as usize]
    }

    /// A form that counts elements of an array.
    fn add_along_rows(&mut self, a: &Affine) {
        let mut rest = a.clone();
        rest.terms.retain(|(t, _)| !matches!(t, Atom::Product(_)));
        self.add(&rest);
    }

    fn add_atom(&mut self, atom: &Atom) {
        match atom {
            Atom::Size(_) | Atom::Index(_) => {}
            Atom::Floor(a, k) => {
                self.add(a);
                self.constant = self.constant.max(k.unsigned_abs());
            }
            Atom::Element(_, at) => self.add_all(at),
            Atom::Product(factors) => {
                self.degree = self.degree.max(u32::try_from(factors.len()).unwrap_or(u32::MAX / 2));
                factors.iter().for_each(|a| self.add_atom(a));
            }
        }
    }

    fn add_all(&mut self, all: &[Affine]) {
        all.iter().for_each(|a| self.add(a));
    }

    fn add_cond(&mut self, c: &Cond) {
        c.affines().into_iter().for_each(|a| self.add(a));
    }

    fn add_ssa(&mut self, f: &ssa::Function) {
        for array in &f.arrays {
            self.add_all(&array.extents);
            match &array.kind {
                ArrayKind::Real => {}
                ArrayKind::Index { lower, upper, .. } => {
                    self.add(lower);
                    self.add(upper);
                }
            }
        }
        for stmt in &f.stmts {
            self.add_rhs(&stmt.rhs);
        }
    }

    fn add_rhs(&mut self, rhs: &Rhs) {
        match rhs {
            Rhs::Contract(terms) => {
                for t in terms {
                    t.guard.iter().for_each(|c| self.add_cond(c));
                    t.factors.iter().for_each(|x| self.add_all(&x.at));
                }
            }
            Rhs::Prim { guard, args, .. } => {
                guard.iter().for_each(|c| self.add_cond(c));
                args.iter().for_each(|x| self.add_all(&x.at));
            }
            Rhs::Extreme { guard, arg, .. } | Rhs::ArgExtreme { guard, arg, .. } => {
                guard.iter().for_each(|c| self.add_cond(c));
                self.add_all(&arg.at);
            }
            Rhs::OfIndex(a) => self.add(a),
            Rhs::Constant(_) => {}
            Rhs::Call(call) => {
                call.guard.iter().for_each(|c| self.add_cond(c));
                call.args.iter().for_each(|x| self.add_all(&x.access.at));
            }
        }
    }

    fn add_body(&mut self, body: &[Stmt]) {
        for s in body {
            self.add_stmt(s);
        }
    }

    fn add_stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::For { index, lower, upper, step, order: _, body, .. } => {
                for Bound { num, den } in lower.iter().chain(upper) {
                    match self.along_rows.contains(index) {
                        true => self.add_along_rows(num),
                        false => self.add(num),
                    }
                    self.constant =
                        self.constant.max(num.constant.unsigned_abs().saturating_add(den.unsigned_abs()));
                }
                if let Some((phase, step)) = step {
                    self.add(phase);
                    self.constant = self.constant.max(step.unsigned_abs());
                }
                self.add_body(body);
            }
            Stmt::If { tests, body, otherwise } => {
                tests.iter().for_each(|t| self.add_test(t));
                self.add_body(body);
                self.add_body(otherwise);
            }
            Stmt::Leaf(leaf) => self.add_leaf(leaf),
        }
    }

    fn add_leaf(&mut self, leaf: &Leaf) {
        leaf.visit(&mut |o| match o {
            // The sides of a matrix that is symmetrized count elements.
            Operand::Form(a) if matches!(leaf, Leaf::Symmetrize(_)) => self.add_along_rows(a),
            Operand::Form(a) => self.add(a),
            Operand::Place(p, _) => self.add_place(p),
            Operand::Value(e) => self.add_expr(e),
            Operand::Bound(_) | Operand::Declared(_) | Operand::Filled(_) => {}
        });
    }

    fn add_place(&mut self, p: &Place) {
        match p.at.split_last() {
            Some((last, before)) if self.is_flat(p) => {
                self.add_all(before);
                self.add_along_rows(last);
            }
            _ => self.add_all(&p.at),
        }
    }

    fn add_test(&mut self, t: &Test) {
        match t {
            Test::Index(c) => self.add_cond(c),
            Test::Real { left, right, .. } => {
                self.add_expr(left);
                self.add_expr(right);
            }
            Test::Any(all) => all.iter().flatten().for_each(|t| self.add_test(t)),
        }
    }

    fn add_expr(&mut self, e: &Expr) {
        match e {
            Expr::Number(_) | Expr::Constant(_) => {}
            Expr::OfIndex(a) => self.add(a),
            Expr::Read(p) => self.add_place(p),
            Expr::Neg(a) => self.add_expr(a),
            Expr::Add(a, b) | Expr::Mul(a, b) => {
                self.add_expr(a);
                self.add_expr(b);
            }
            Expr::Call(prim, args) => {
                // The indices of a formula are those of the statement that it comes from.
                if let Prim::Powi(k) = prim {
                    self.add(k);
                }
                args.iter().for_each(|a| self.add_expr(a));
            }
            Expr::If(tests, value) => {
                tests.iter().for_each(|t| self.add_test(t));
                self.add_expr(value);
            }
        }
    }
}
