//! Walks over the expressions of the loop IR.

use super::{Argument, Band, Bound, Call, Expr, Mirror, Part, Place, Product, Stmt, Test, VarId, Whole};
use crate::index::{Affine, Atom, Cond};
use crate::prim::{Formula, Prim};
use crate::ssa::Index;

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

/// Statements with each place replaced; forms stay as they are.
pub(crate) fn map_places(stmts: Vec<Stmt>, f: &mut dyn FnMut(Place) -> Place) -> Vec<Stmt> {
    let each = |s: Stmt| match s {
        Stmt::For { index, lower, upper, step, order, body } => {
            Stmt::For { index, lower, upper, step, order, body: map_places(body, f) }
        }
        Stmt::If { tests, body, otherwise } => Stmt::If {
            tests: tests.iter().map(|t| t.map(&mut Affine::clone, f)).collect(),
            body: map_places(body, f),
            otherwise: map_places(otherwise, f),
        },
        Stmt::Declare { var, value } => Stmt::Declare { var, value: value.map(&mut Affine::clone, f) },
        Stmt::Assign { target, value } => {
            Stmt::Assign { target: f(target), value: value.map(&mut Affine::clone, f) }
        }
        Stmt::Accumulate { target, value } => {
            Stmt::Accumulate { target: f(target), value: value.map(&mut Affine::clone, f) }
        }
        Stmt::Extreme { op, target, value } => {
            Stmt::Extreme { op, target: f(target), value: value.map(&mut Affine::clone, f) }
        }
        Stmt::ArgExtreme { op, best, at, first, value, index } => {
            Stmt::ArgExtreme { op, best, at, first, value: value.map(&mut Affine::clone, f), index }
        }
        Stmt::AssignIndex { target, value, least } => Stmt::AssignIndex { target: f(target), value, least },
        Stmt::Product(mut p) => {
            (p.a, p.b, p.c) = (f(p.a), f(p.b), f(p.c));
            Stmt::Product(p)
        }
        Stmt::Mirror(mut m) => {
            m.c = f(m.c);
            Stmt::Mirror(m)
        }
        Stmt::Call(mut c) => {
            for a in &mut c.args {
                match a {
                    Argument::Number(e) => *e = e.map(&mut Affine::clone, f),
                    Argument::Tensor(w) => w.place = f(w.place.clone()),
                }
            }
            c.outs.iter_mut().for_each(|w| w.place = f(w.place.clone()));
            Stmt::Call(c)
        }
        Stmt::LetIndex { .. } | Stmt::DeclareIndex { .. } | Stmt::Fill { .. } => s,
    };
    stmts.into_iter().map(each).collect()
}

/// Statements with each affine form replaced by `form`, and each variable by `var`; the indices that they bind stay.
pub(crate) fn map_variables(
    stmts: Vec<Stmt>,
    form: &dyn Fn(&Affine) -> Affine,
    var: &dyn Fn(VarId) -> VarId,
) -> Vec<Stmt> {
    let block = |stmts: Vec<Stmt>| map_variables(stmts, form, var);
    let bounds = |bs: Vec<Bound>| bs.into_iter().map(|b| Bound { num: form(&b.num), den: b.den }).collect();
    let at = |p: Place| Place { var: var(p.var), at: p.at.iter().map(form).collect() };
    let renamed = |p: Place| Place { var: var(p.var), at: p.at };
    let expr = |e: &Expr| e.map(&mut |a| form(a), &mut |p| renamed(p));
    let test = |t: &Test| t.map(&mut |a| form(a), &mut |p| renamed(p));
    let each = |s: Stmt| match s {
        Stmt::For { index, lower, upper, step, order, body } => {
            let step = step.map(|(a, k)| (form(&a), k));
            Stmt::For { index, lower: bounds(lower), upper: bounds(upper), step, order, body: block(body) }
        }
        Stmt::LetIndex { index, value } => Stmt::LetIndex { index, value: form(&value) },
        Stmt::If { tests, body, otherwise } => Stmt::If {
            tests: tests.iter().map(test).collect(),
            body: block(body),
            otherwise: block(otherwise),
        },
        Stmt::Declare { var: v, value } => Stmt::Declare { var: var(v), value: expr(&value) },
        Stmt::DeclareIndex { var: v, value } => Stmt::DeclareIndex { var: var(v), value: form(&value) },
        Stmt::Assign { target, value } => Stmt::Assign { target: at(target), value: expr(&value) },
        Stmt::Accumulate { target, value } => Stmt::Accumulate { target: at(target), value: expr(&value) },
        Stmt::Extreme { op, target, value } => Stmt::Extreme { op, target: at(target), value: expr(&value) },
        Stmt::ArgExtreme { op, best, at, first, value, index } => Stmt::ArgExtreme {
            op,
            best: var(best),
            at: var(at),
            first: form(&first),
            value: expr(&value),
            index: form(&index),
        },
        Stmt::AssignIndex { target, value, least } => {
            Stmt::AssignIndex { target: at(target), value: form(&value), least: form(&least) }
        }
        Stmt::Product(p) => Stmt::Product(Box::new(product(*p, form, var))),
        Stmt::Mirror(m) => Stmt::Mirror(Box::new(Mirror {
            stride: form(&m.stride),
            rows: form(&m.rows),
            block: form(&m.block),
            c: at(m.c),
            above: m.above,
        })),
        Stmt::Call(c) => {
            let own = |own: Vec<(Index, Affine)>| own.into_iter().map(|(i, n)| (i, form(&n))).collect();
            let whole = |w: Whole| Whole { place: at(w.place), own: own(w.own) };
            let argument = |a: Argument| match a {
                Argument::Number(e) => Argument::Number(expr(&e)),
                Argument::Tensor(w) => Argument::Tensor(whole(w)),
            };
            let args = c.args.into_iter().map(argument).collect();
            Stmt::Call(Box::new(Call { path: c.path, args, outs: c.outs.into_iter().map(whole).collect() }))
        }
        Stmt::Fill { var: v, value } => Stmt::Fill { var: var(v), value },
    };
    stmts.into_iter().map(each).collect()
}

fn product(p: Product, form: &dyn Fn(&Affine) -> Affine, var: &dyn Fn(VarId) -> VarId) -> Product {
    let at = |p: Place| Place { var: var(p.var), at: p.at.iter().map(form).collect() };
    let counted = |(i, n): (Index, Affine)| (i, form(&n));
    let band = |b: Band| match b {
        Band::From(a) => Band::From(form(&a)),
        Band::UpTo(a) => Band::UpTo(form(&a)),
    };
    let part = |q: Part| Part { lower: form(&q.lower), upper: form(&q.upper), index: q.index };
    Product {
        rows: counted(p.rows),
        cols: counted(p.cols),
        inner: counted(p.inner),
        band: p.band.map(band),
        part: p.part.map(part),
        c: at(p.c),
        a: at(p.a),
        b: at(p.b),
        work: var(p.work),
        ..p
    }
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
