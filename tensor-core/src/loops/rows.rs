//! The rows of an innermost loop: what each iteration uses is cut to a slice before the loop, or, where it is one element, is read before it.
//!
//! ```text
//! for j in 0..n { y[i, j] += a[i]*x[n - 1 - j] }   ↦   y[i, ..] up, a[i] still, x down
//! ```

use super::leaf::Operand;
use super::visit::How;
use super::{Expr, Leaf, Place, Stmt, Test, VarId};
use crate::index::{Affine, Atom};
use crate::ssa::Index;

/// What stands for a place inside a loop.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Every iteration uses it.
    pub place: Place,
    /// How it moves from one iteration to the next.
    pub walk: Walk,
    /// Whether it is written, too: then it is all that the loop uses of its array.
    pub is_written: bool,
}

/// How a place moves with the index of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Walk {
    /// Not at all.
    Still,
    /// By one element.
    Up,
    /// Back by one element.
    Down,
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

/// The rows that a loop without loops inside may have: of the places that every iteration uses, those that move by at most an element, and of which
/// nothing that the loop writes changes where they are, or what they hold.
pub(crate) fn all(index: Index, body: &[Stmt]) -> Vec<Row> {
    let mut uses = Uses::default();
    uses.block(body, true);
    let mut rows: Vec<Row> = vec![];
    let stays = |a: &Affine| !depends_on_elements(a) && !uses.bound.iter().any(|i| a.mentions(&i.atom()));
    for u in uses.found.iter().filter(|u| u.always) {
        let p = &u.place;
        let is_usable = !p.at.is_empty() && !uses.other.contains(&p.var) && p.at.iter().all(stays);
        if !is_usable || rows.iter().any(|r| r.place == *p) {
            continue;
        }
        let mut same = uses.found.iter().filter(|v| v.place.var == p.var);
        let is_written = same.clone().any(|v| v.writes);
        if is_written && !same.all(|v| v.place == *p) {
            continue;
        }
        match walk(p, index) {
            None => {}
            Some(Walk::Still) if is_written => {}
            Some(walk) => rows.push(Row { place: p.clone(), walk, is_written }),
        }
    }
    rows
}
