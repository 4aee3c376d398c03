//! Walks over the expressions of the loop IR.

use super::{Bound, Expr, Place, Stmt, Test, VarId};
use crate::index::{Affine, Atom, Cond};
use crate::prim::{Formula, Prim};

/// `a{atom := e}`. Literals and sizes are capped on entry so that coefficients fit.
pub(crate) fn substitute(a: &Affine, atom: &Atom, e: &Affine) -> Affine {
    if a.mentions(atom) { a.substitute(atom, e, 1).expect("coefficients are capped") } else { a.clone() }
}

/// `c{atom := e}`
pub(crate) fn substitute_cond(c: &Cond, atom: &Atom, e: &Affine) -> Cond {
    if c.mentions(atom) { c.substitute(atom, e, 1).expect("coefficients are capped") } else { c.clone() }
}

impl Place {
    /// With each affine form replaced.
    pub(crate) fn map(&self, f: &mut dyn FnMut(&Affine) -> Affine) -> Place {
        Place { var: self.var, at: self.at.iter().map(f).collect() }
    }
}

impl Bound {
    /// With its form replaced.
    pub(crate) fn map(&self, f: &mut dyn FnMut(&Affine) -> Affine) -> Bound {
        Bound { num: f(&self.num), den: self.den }
    }
}

impl Test {
    /// With each affine form replaced by `f`, and then each place by `g`.
    pub(crate) fn map(
        &self,
        f: &mut dyn FnMut(&Affine) -> Affine,
        g: &mut dyn FnMut(Place) -> Place,
    ) -> Test {
        match self {
            Test::Index(c) => Test::Index(map_cond(c, f)),
            Test::Real { op, left, right, holds } => Test::Real {
                op: *op,
                left: Box::new(left.map(f, g)),
                right: Box::new(right.map(f, g)),
                holds: *holds,
            },
            Test::Any(ps) => Test::Any(ps.iter().map(|p| p.iter().map(|t| t.map(f, g)).collect()).collect()),
        }
    }
}

/// `c` with each affine form replaced.
pub(crate) fn map_cond(c: &Cond, f: &mut dyn FnMut(&Affine) -> Affine) -> Cond {
    match c {
        Cond::Zero(a) => Cond::Zero(f(a)),
        Cond::NonZero(a) => Cond::NonZero(f(a)),
        Cond::NonNeg(a) => Cond::NonNeg(f(a)),
        Cond::Residue(a, k) => Cond::Residue(f(a), *k),
        Cond::NonResidue(a, k) => Cond::NonResidue(f(a), *k),
        Cond::Opaque { id, args, holds } => {
            Cond::Opaque { id: *id, args: args.iter().map(f).collect(), holds: *holds }
        }
        Cond::Any(ps) => Cond::Any(ps.iter().map(|p| p.iter().map(|c| map_cond(c, f)).collect()).collect()),
    }
}

fn map_formula(e: &Formula, f: &mut dyn FnMut(&Affine) -> Affine) -> Formula {
    match e {
        Formula::Arg(_) | Formula::Number(_) => e.clone(),
        Formula::OfIndex(a) => Formula::OfIndex(f(a)),
        Formula::Neg(a) => Formula::Neg(Box::new(map_formula(a, f))),
        Formula::Add(a, b) => Formula::Add(Box::new(map_formula(a, f)), Box::new(map_formula(b, f))),
        Formula::Mul(a, b) => Formula::Mul(Box::new(map_formula(a, f)), Box::new(map_formula(b, f))),
        Formula::Apply(p, args) => {
            Formula::Apply(map_prim(p, f), args.iter().map(|a| map_formula(a, f)).collect())
        }
    }
}

/// A primitive with each affine form replaced.
pub(crate) fn map_prim(p: &Prim, f: &mut dyn FnMut(&Affine) -> Affine) -> Prim {
    match p {
        Prim::Unary(_) | Prim::Binary(_) | Prim::Clamp | Prim::Stop | Prim::FiniteOrZero | Prim::Outer(_) => {
            p.clone()
        }
        Prim::Powi(a) => Prim::Powi(f(a)),
        Prim::Formula(e) => Prim::Formula(Box::new(map_formula(e, f))),
    }
}

impl Expr {
    /// With each affine form replaced by `f`, and then each place by `g`.
    pub(crate) fn map(
        &self,
        f: &mut dyn FnMut(&Affine) -> Affine,
        g: &mut dyn FnMut(Place) -> Place,
    ) -> Expr {
        match self {
            Expr::Number(_) | Expr::Constant(_) => self.clone(),
            Expr::OfIndex(a) => Expr::OfIndex(f(a)),
            Expr::Read(p) => Expr::Read(g(p.map(f))),
            Expr::Neg(a) => Expr::Neg(Box::new(a.map(f, g))),
            Expr::Add(a, b) => Expr::Add(Box::new(a.map(f, g)), Box::new(b.map(f, g))),
            Expr::Mul(a, b) => Expr::Mul(Box::new(a.map(f, g)), Box::new(b.map(f, g))),
            Expr::Call(p, args) => Expr::Call(map_prim(p, f), args.iter().map(|a| a.map(f, g)).collect()),
            Expr::If(tests, a) => {
                Expr::If(tests.iter().map(|t| t.map(f, g)).collect(), Box::new(a.map(f, g)))
            }
        }
    }

    /// `self{atom := e}`
    pub(crate) fn substitute(&self, atom: &Atom, e: &Affine) -> Expr {
        self.map(&mut |a| substitute(a, atom, e), &mut |p| p)
    }

    /// Every affine form, and every place that is read.
    pub(crate) fn visit(&self, affine: &mut dyn FnMut(&Affine), place: &mut dyn FnMut(&Place)) {
        self.map(
            &mut |a| {
                affine(a);
                a.clone()
            },
            &mut |p| {
                place(&p);
                p
            },
        );
    }
}

/// Statements with each affine form replaced by `form`, then each place by `place`, and each variable that stands without indices by `var`; the indices that
/// they bind stay.
pub(crate) fn map(
    stmts: Vec<Stmt>,
    form: &mut dyn FnMut(&Affine) -> Affine,
    place: &mut dyn FnMut(Place) -> Place,
    var: &mut dyn FnMut(VarId) -> VarId,
) -> Vec<Stmt> {
    let mut out = vec![];
    for s in stmts {
        out.push(match s {
            Stmt::For { index, lower, upper, step, order, body, .. } => {
                let [lower, upper] = [lower, upper].map(|bs| bs.iter().map(|b| b.map(form)).collect());
                let step = step.map(|(a, k)| (form(&a), k));
                Stmt::looped(index, lower, upper, step, order, map(body, form, place, var))
            }
            Stmt::If { tests, body, otherwise } => {
                let tests = tests.iter().map(|t| t.map(form, place)).collect();
                let [body, otherwise] = [body, otherwise].map(|b| map(b, form, place, var));
                Stmt::If { tests, body, otherwise }
            }
            Stmt::Leaf(leaf) => Stmt::Leaf(leaf.map(form, place, var)),
        });
    }
    out
}

/// Statements with each place replaced; forms stay as they are.
pub(crate) fn map_places(stmts: Vec<Stmt>, f: &mut dyn FnMut(Place) -> Place) -> Vec<Stmt> {
    map(stmts, &mut Affine::clone, f, &mut |v| v)
}

/// Statements with each affine form replaced by `form`, and each variable by `var`; the indices that they bind stay.
pub(crate) fn map_variables(
    stmts: Vec<Stmt>,
    form: &dyn Fn(&Affine) -> Affine,
    var: &dyn Fn(VarId) -> VarId,
) -> Vec<Stmt> {
    map(stmts, &mut |a| form(a), &mut |p| Place { var: var(p.var), at: p.at }, &mut |v| var(v))
}

/// Every element of an index array in a form, inner ones first: `(variable, at)`.
pub(crate) fn elements(a: &Affine, out: &mut Vec<(u32, Vec<Affine>)>) {
    for (t, _) in &a.terms {
        elements_of_atom(t, out);
    }
}

fn elements_of_atom(t: &Atom, out: &mut Vec<(u32, Vec<Affine>)>) {
    match t {
        Atom::Size(_) | Atom::Index(_) => {}
        Atom::Floor(e, _) => elements(e, out),
        Atom::Element(v, at) => {
            at.iter().for_each(|a| elements(a, out));
            if !out.iter().any(|(w, b)| w == v && b == at) {
                out.push((*v, at.clone()));
            }
        }
        Atom::Product(fs) => fs.iter().for_each(|f| elements_of_atom(f, out)),
    }
}

/// A form with each element of an index array replaced, inner ones first.
pub(crate) fn map_elements(a: &Affine, f: &dyn Fn(u32, Vec<Affine>) -> Atom) -> Affine {
    let mut out = Affine::from(a.constant);
    for (t, c) in &a.terms {
        out = out.plus_scaled(*c, &Affine::from(map_atom(t, f))).expect("coefficients are capped");
    }
    out
}

fn map_atom(t: &Atom, f: &dyn Fn(u32, Vec<Affine>) -> Atom) -> Atom {
    match t {
        Atom::Size(_) | Atom::Index(_) => t.clone(),
        Atom::Floor(e, k) => Atom::Floor(Box::new(map_elements(e, f)), *k),
        Atom::Element(v, at) => f(*v, at.iter().map(|a| map_elements(a, f)).collect()),
        Atom::Product(fs) => Atom::Product(fs.iter().map(|t| map_atom(t, f)).collect()),
    }
}
