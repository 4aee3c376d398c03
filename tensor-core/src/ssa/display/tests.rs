//! Functions in normal form and their programs.

use super::display;
use crate::ast::Elem;
use crate::error::Errors;
use crate::index::affine::{floor, product};
use crate::index::{Affine, Atom, Cond, Pred};
use crate::prim::{Binary, Formula, Prim, Unary};
use crate::ssa::{Access, ArrayId, ArrayKind, Extreme, Function, Index, RealCompare, Rhs, Stmt, Term};

/// `f<n, m>`
fn function() -> Function {
    Function {
        name: "f".into(),
        elem: Elem::F64,
        sizes: vec!["n".into(), "m".into()],
        assumptions: vec![],
        arrays: vec![],
        params: vec![],
        stmts: vec![],
        results: vec![],
        indices: vec![],
        comparisons: vec![],
        callees: vec![],
        recs: vec![],
    }
}

fn n() -> Affine {
    Atom::Size(0).into()
}

fn m() -> Affine {
    Atom::Size(1).into()
}

fn add(a: &Affine, k: i64, b: &Affine) -> Affine {
    a.plus_scaled(k, b).expect("small")
}

/// `0 <= s < end`
fn within(s: Index, end: &Affine) -> Pred {
    vec![Cond::NonNeg(s.affine()), less(&s.affine(), end)]
}

fn less(a: &Affine, b: &Affine) -> Cond {
    Cond::NonNeg(add(&add(b, -1, a), -1, &1.into()))
}

fn read(array: ArrayId, at: &[&Affine]) -> Access {
    Access { array, at: at.iter().map(|a| (*a).clone()).collect() }
}

impl Function {
    fn param(&mut self, name: &str, extents: &[Affine]) -> ArrayId {
        let id = self.new_array(name, extents.to_vec());
        self.params.push(id);
        id
    }

    fn stmt(&mut self, name: &str, extents: &[Affine], gens: &[Index], rhs: Rhs) -> ArrayId {
        let array = self.new_array(name, extents.to_vec());
        self.stmts.push(Stmt { array, gens: gens.to_vec(), rhs, step: None });
        array
    }

    fn term(sums: &[Index], guard: Pred, coeff: f64, factors: &[Access]) -> Term {
        Term { sums: sums.to_vec(), guard, coeff, factors: factors.to_vec() }
    }
}

/// The program is this, and it parses.
fn check(f: &Function, program: &str) {
    let text = display(f);
    assert_eq!(text.trim_end(), program.trim());
    let mut errors = Errors::default();
    crate::parse::parse(text.parse().expect("tokens"), &mut errors);
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn convolution() {
    let mut f = function();
    let x = f.param("x", &[add(&add(&n(), 1, &m()), -1, &1.into())]);
    let w = f.param("w", &[m()]);
    let (i, j) = (f.new_index("i"), f.new_index("j"));
    let sum = add(&i.affine(), 1, &j.affine());
    let term = Function::term(&[j], within(j, &m()), 1.0, &[read(x, &[&sum]), read(w, &[&j.affine()])]);
    let y = f.stmt("y", &[n()], &[i], Rhs::Contract(vec![term]));
    f.results = vec![y];
    f.assumptions = vec![Cond::NonNeg(n()), less(&m(), &n())];
    check(
        &f,
        "
fn f<n, m>(x: [f64; n + m - 1], w: [f64; m]) -> [f64; n] where m < n {
    for i in 0..n { sum j in 0..m { x[i + j] * w[j] } }
}",
    );
}

/// Its adjoint: of several bounds the plainest is the range, and the rest is a chain.
#[test]
fn correlation() {
    let mut f = function();
    let y = f.param("y_bar", &[n()]);
    let w = f.param("w", &[m()]);
    let extent = add(&add(&n(), 1, &m()), -1, &1.into());
    let (k, j) = (f.new_index("k"), f.new_index("j"));
    let d = add(&k.affine(), -1, &j.affine());
    let mut guard = vec![Cond::NonNeg(d.clone()), less(&d, &n())];
    guard.extend(within(j, &m()));
    let term = Function::term(&[j], guard, 1.0, &[read(y, &[&d]), read(w, &[&j.affine()])]);
    let x = f.stmt("x_bar", &[extent], &[k], Rhs::Contract(vec![term]));
    f.results = vec![x];
    check(
        &f,
        "
fn f<n, m>(y_bar: [f64; n], w: [f64; m]) -> [f64; n + m - 1] {
    for k in 0..n + m - 1 { sum j in 0..m if 0 <= k - j < n { y_bar[k - j] * w[j] } }
}",
    );
}

/// Signs, coefficients, guards of one term and of all; a range that depends on another; a sum without plain bounds.
#[test]
fn terms() {
    let mut f = function();
    let a = f.param("a", &[n(), n()]);
    let s = f.param("s", &[]);
    let ix: Vec<Index> = ["i", "j", "i", "sum", "t", "t"].iter().map(|h| f.new_index(*h)).collect();
    let v = |k: usize| ix[k].affine();
    let triangle = {
        let mut guard = within(ix[2], &v(3));
        guard.extend(within(ix[3], &n()));
        Function::term(&[ix[2], ix[3]], guard, -2.0, &[read(a, &[&v(2), &v(3)])])
    };
    let strided = {
        let two = add(&v(4), 1, &v(4));
        let guard = vec![Cond::NonNeg(v(4)), less(&two, &n()), Cond::Residue(add(&v(4), 1, &1.into()), 3)];
        Function::term(&[ix[4]], guard, 1.0, &[])
    };
    let guarded = Function::term(
        &[],
        vec![less(&v(0), &v(1)), Cond::NonZero(add(&v(1), -1, &2.into()))],
        0.5,
        &[read(s, &[])],
    );
    let number = Function::term(&[], vec![], -1e300, &[]);
    let terms = vec![triangle, guarded, number, Function::term(&[], vec![], f64::INFINITY, &[]), strided];
    let b = f.stmt("b", &[n(), m()], &[ix[0], ix[1]], Rhs::Contract(terms));
    let zero = f.stmt("exp", &[n()], &[ix[5]], Rhs::Contract(vec![]));
    let c = f.stmt(
        "c",
        &[],
        &[],
        Rhs::Contract(vec![Function::term(&[], vec![less(&n(), &m())], -1.0, &[read(s, &[]), read(s, &[])])]),
    );
    f.results = vec![b, zero, c, s];
    check(
        &f,
        "
fn f<n>(a: [f64; n, n], s: f64, m: usize) -> ([f64; n, m], [f64; n], f64, f64) {
    let b = for k in 0..n, j in 0..m { [k < j && j != 2] * 0.5 * s - 2.0 * sum sum_1 in 0..n, i in 0..sum_1 { a[i, sum_1] } - 1e300 + INFINITY + \
         sum t in 0..(n + 1) / 2 if t % 3 == 2 { 1.0 } };
    let exp_1 = for t in 0..n { 0.0 };
    let c = [n < m] * -s * s;
    (b, exp_1, c, s)
}",
    );
}

/// Comparisons, alternatives, primitives and formulas; numbers, indices and constants stand at their uses.
#[test]
fn primitives() {
    let mut f = function();
    let x = f.param("x", &[n()]);
    let zero = f.stmt("zero", &[], &[], Rhs::Contract(vec![]));
    let pi = f.stmt("pi", &[], &[], Rhs::Constant("PI".into()));
    let ix: Vec<Index> = (0..8).map(|_| f.new_index("i")).collect();
    let v = |k: usize| ix[k].affine();
    let index = f.stmt("k", &[n()], &[ix[0]], Rhs::OfIndex(add(&v(0), 1, &1.into())));
    let positive = f.compare(RealCompare::Lt, read(zero, &[]), read(x, &[&v(1)]), true);
    let other = f.compare(RealCompare::Le, read(x, &[&v(1)]), read(pi, &[]), false);
    let any = Cond::Any(vec![vec![other], vec![Cond::Zero(v(1)), Cond::NonResidue(add(&v(1), 1, &v(1)), 4)]]);
    let args = vec![read(x, &[&v(1)]), read(index, &[&v(1)])];
    let y = f.stmt(
        "y",
        &[n()],
        &[ix[1]],
        Rhs::Prim { guard: vec![positive, any], prim: Prim::Binary(Binary::Powf), args },
    );
    let (a, b) = (|| Box::new(Formula::Arg(0)), || Box::new(Formula::Arg(1)));
    let square = Formula::Mul(b(), b());
    let formula = Formula::Apply(
        Prim::Binary(Binary::Div),
        vec![
            Formula::Neg(a()),
            Formula::Add(Box::new(Formula::Number(-1.0)), Box::new(Formula::Neg(Box::new(square)))),
        ],
    );
    let formula = Formula::Apply(Prim::Unary(Unary::Ln1p), vec![formula]);
    let args = vec![read(y, &[&v(2)]), read(pi, &[])];
    let z = f.stmt(
        "z",
        &[n()],
        &[ix[2]],
        Rhs::Prim { guard: vec![], prim: Prim::Formula(Box::new(formula)), args },
    );
    let half = floor(&v(3), 2).expect("small");
    let at = add(&n(), -1, &add(&half, 1, &half));
    let powi = Prim::Powi(product(&v(3), &n()).expect("small"));
    let u =
        f.stmt("f64", &[n()], &[ix[3]], Rhs::Prim { guard: vec![], prim: powi, args: vec![read(z, &[&at])] });
    let w = f.stmt(
        "_",
        &[n()],
        &[ix[4]],
        Rhs::Prim { guard: vec![], prim: Prim::FiniteOrZero, args: vec![read(u, &[&v(4)])] },
    );
    f.results = vec![w];
    check(
        &f,
        "
fn f<n>(x: [f64; n], m: usize) -> [f64; n] {
    let y = for i in 0..n if x[i] > 0.0 && (!(x[i] <= PI) || i == 0 && (2 * i) % 4 != 0) { x[i].powf((i + 1) as f64) };
    let z = for i in 0..n { (-y[i] / (-1.0 - PI * PI)).ln_1p() };
    let f64_1 = for i in 0..n { z[n - 2 * (i / 2)].powi(n * i) };
    for i in 0..n { stop(if -INFINITY < f64_1[i] && f64_1[i] < INFINITY { f64_1[i] } else { 0.0 }) }
}",
    );
}

/// The adjoint of a maximum: its index is bound where it is read.
#[test]
fn extremes() {
    let mut f = function();
    let x = f.param("x", &[n(), m()]);
    let ix: Vec<Index> = ["i", "j", "i", "j", "i", "j", "o"].iter().map(|h| f.new_index(*h)).collect();
    let v = |k: usize| ix[k].affine();
    let over =
        |j: usize, i: usize| [within(ix[j], &m()), vec![Cond::NonZero(add(&v(j), -1, &v(i)))]].concat();
    let rhs =
        Rhs::Extreme { op: Extreme::Max, over: ix[1], guard: over(1, 0), arg: read(x, &[&v(0), &v(1)]) };
    let y = f.stmt("y", &[n()], &[ix[0]], rhs);
    let rhs =
        Rhs::ArgExtreme { op: Extreme::Max, over: ix[3], guard: over(3, 2), arg: read(x, &[&v(2), &v(3)]) };
    let k = f.stmt("k", &[n()], &[ix[2]], rhs);
    f.arrays[k.0 as usize].kind = ArrayKind::Index { formals: vec![ix[6]], lower: 0.into(), upper: m() };
    let element: Affine = Atom::Element(k.0, vec![v(4)]).into();
    let guard = vec![Cond::Zero(add(&v(5), -1, &element))];
    let term = Function::term(&[], guard, 1.0, &[read(y, &[&v(4)])]);
    let x_bar = f.stmt("x_bar", &[n(), m()], &[ix[4], ix[5]], Rhs::Contract(vec![term]));
    let (p, q) = (f.new_index("i"), f.new_index("i"));
    let picked: Affine = Atom::Element(k.0, vec![p.affine()]).into();
    let sum = Function::term(&[p], within(p, &n()), 3.0, &[read(x, &[&p.affine(), &picked])]);
    let total = f.stmt("total", &[], &[], Rhs::Contract(vec![sum]));
    let _ = q;
    f.results = vec![x_bar, total];
    check(
        &f,
        "
fn f<n, m>(x: [f64; n, m]) -> ([f64; n, m], f64) {
    let y = for i in 0..n { max j in 0..m if j != i { x[i, j] } };
    let x_bar = for i in 0..n, k in 0..m { let k2 = argmax j in 0..m if j != i { x[i, j] }; [k == k2] * y[i] };
    let total = 3.0 * sum i in 0..n { let k = argmax j in 0..m if j != i { x[i, j] }; x[i, k] };
    (x_bar, total)
}",
    );
}

mod parts;
mod round_trip;
