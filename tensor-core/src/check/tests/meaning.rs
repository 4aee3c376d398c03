//! Programs and their values, by the reference evaluator.

use super::{checked, messages};
use crate::eval::{Tensor, typed::run};
use crate::sorted::Set;
use crate::typed::{Binder, Block, Definition, Expr, ExprKind};

/// The leaves of the result of the last function, flat.
fn value(source: &str, sizes: &[i64], args: &[Tensor]) -> String {
    let (block, errors) = checked(source);
    assert!(errors.is_empty(), "{source}\n{}", messages(&errors));
    bound_once(&block);
    match run(&block, block.functions.len() - 1, sizes, args) {
        Ok((leaves, _)) => leaves.iter().map(|l| format!("{:?}", l.data)).collect::<Vec<_>>().join(" "),
        Err(e) => e,
    }
}

/// Every index and every variable is bound once.
pub(super) fn bound_once(block: &Block) {
    for f in &block.functions {
        let Some(Definition::Expr(body)) = &f.body else { continue };
        let mut seen = (Set::new(), Set::new());
        f.params.iter().filter_map(|p| p.var).for_each(|v| assert!(seen.1.insert(v)));
        visit(body, &mut seen);
        for c in &f.comparisons {
            visit(&c.left, &mut seen);
            visit(&c.right, &mut seen);
        }
    }
}

type Seen = (Set<u32>, Set<crate::typed::Var>);

fn bind(bs: &[Binder], seen: &mut Seen) {
    bs.iter().for_each(|b| assert!(seen.0.insert(b.index), "index {} is bound twice", b.index));
}

fn visit(e: &Expr, seen: &mut Seen) {
    match &e.kind {
        ExprKind::Var(_) | ExprKind::Number(_) | ExprKind::Constant(_) | ExprKind::OfIndex(_) => {}
        ExprKind::Neg(a) | ExprKind::Field(a, _) | ExprKind::Guard(_, a) | ExprKind::Access(a, _) => {
            visit(a, seen)
        }
        ExprKind::Add(a, b) | ExprKind::Sub(a, b) | ExprKind::Mul(a, b) | ExprKind::If(_, a, b) => {
            visit(a, seen);
            visit(b, seen);
        }
        ExprKind::Prim(_, args) | ExprKind::Tuple(args) | ExprKind::Call(_, _, args) => {
            args.iter().for_each(|a| visit(a, seen));
        }
        ExprKind::Gen(bs, _, a) | ExprKind::Reduce(_, bs, _, a) => {
            bind(bs, seen);
            visit(a, seen);
        }
        ExprKind::Let(v, a, rest) => {
            visit(a, seen);
            assert!(seen.1.insert(*v), "variable {v:?} is bound twice");
            visit(rest, seen);
        }
        ExprKind::Outer(o) => o.args.iter().chain(o.partials.iter().flatten()).for_each(|a| visit(a, seen)),
        ExprKind::Ruled(r) => {
            visit(&r.value, seen);
            visit(&r.surrogate, seen);
        }
        ExprKind::Rec(r) => {
            bind(&r.binders, seen);
            r.vars.iter().for_each(|v| assert!(seen.1.insert(*v), "variable {v:?} is bound twice"));
            visit(&r.body, seen);
        }
        ExprKind::Grad(a, v) => {
            visit(a, seen);
            assert!(seen.1.contains(v), "variable {v:?} is not bound");
        }
        ExprKind::LetArg(l) => {
            bind(std::slice::from_ref(&l.binder), seen);
            visit(&l.value, seen);
            visit(&l.rest, seen);
        }
    }
}

#[test]
fn values() {
    let v = Tensor::vector;
    let m = || Tensor::from_fn(&[2, 3], |k| k as f64);
    let s = Tensor::scalar;
    let cases: Vec<(&str, Vec<i64>, Vec<Tensor>, &str)> = vec![
        (
            "fn f<n>(a: [f64; n], b: [f64; n]) -> [f64; n] { 2 * a - b / 4 }",
            vec![2],
            vec![v(&[1.0, 2.0]), v(&[4.0, 8.0])],
            "[1.0, 2.0]",
        ),
        ("fn f<n, m>(a: [f64; n, m]) -> [f64; m] { a[1] + -a[0] }", vec![2, 3], vec![m()], "[3.0, 3.0, 3.0]"),
        ("fn f<n, m>(a: [f64; n, m]) -> [f64; n] { a[.., 1] }", vec![2, 3], vec![m()], "[1.0, 4.0]"),
        ("fn f<n, m>(a: [f64; n, m]) -> f64 { a[1][2] + a[.., 1][1] }", vec![2, 3], vec![m()], "[9.0]"),
        (
            "fn f<n, m>(a: [f64; n, m]) -> [f64; m, n] { for j { for i { a[i, j] } } }",
            vec![2, 3],
            vec![m()],
            "[0.0, 3.0, 1.0, 4.0, 2.0, 5.0]",
        ),
        (
            "fn f<n, m>(a: [f64; n, m]) -> [f64; m] { sum i { a[i] } }",
            vec![2, 3],
            vec![m()],
            "[3.0, 5.0, 7.0]",
        ),
        (
            "fn f<n, m>(a: [f64; n, m]) -> [f64; m] { sum i { let r = 2 * a[i]; r } }",
            vec![2, 3],
            vec![m()],
            "[6.0, 10.0, 14.0]",
        ),
        (
            "fn f(a: f64, b: f64) -> [f64; 2, 3] { [[a, b, 1], [b, a * b, 1 / 2]] }",
            vec![],
            vec![s(2.0), s(3.0)],
            "[2.0, 3.0, 1.0, 3.0, 6.0, 0.5]",
        ),
        (
            "fn f(a: f64) -> [(f64, [f64; 2]); 2] { [(a, [1, 2]), (3, [a, a])] }",
            vec![],
            vec![s(7.0)],
            "[7.0, 3.0] [1.0, 2.0, 7.0, 7.0]",
        ),
        (
            "fn f<n>(x: [f64; n]) -> [f64; n] { for i { x[i] * [i % 2 == 1] / 2 } }",
            vec![4],
            vec![v(&[2.0, 4.0, 6.0, 8.0])],
            "[0.0, 2.0, 0.0, 4.0]",
        ),
        (
            "fn f<n>(x: [f64; n]) -> f64 { sum i { -(x[i] * ([i > 0] * x[i - 1])) + [i == 0] } }",
            vec![3],
            vec![v(&[1.0, 2.0, 3.0])],
            "[-7.0]",
        ),
        (
            "fn f<n>(x: [f64; n]) -> [f64; n] { for i { if i == 0 || x[i - 1] >= 2 { 1 } else if x[i] < 3 { 2 } else { x[i] } } }",
            vec![4],
            vec![v(&[1.0, 2.0, 5.0, 0.0])],
            "[1.0, 2.0, 1.0, 1.0]",
        ),
        (
            "fn f<n>(x: [f64; n]) -> (f64, f64) { let k = argmax i { x[i] }; (x[k - 1], argmin i { x[i] } as f64) }",
            vec![3],
            vec![v(&[4.0, 7.0, 3.0])],
            "[4.0] [2.0]",
        ),
        (
            "fn f<n>(x: [f64; n]) -> [f64; n] { for i if i == argmax j { x[j] } { x[i] } }",
            vec![3],
            vec![v(&[4.0, 7.0, 3.0])],
            "[0.0, 7.0, 0.0]",
        ),
        (
            "fn f<n, m>(a: [f64; n, m]) -> f64 { max i in 0..n if argmax j { a[i, j] } < 2 { a[i, 0] } }",
            vec![2, 3],
            vec![Tensor::from_fn(&[2, 3], |k| [9.0, 0.0, 1.0, 2.0, 3.0, 4.0][k])],
            "[9.0]",
        ),
        (
            "fn f<n>(x: [f64; n]) -> [f64; n] { for i { [exists j in 0..n { i == 2 * j + 1 }] * x[i] } }",
            vec![4],
            vec![v(&[2.0, 4.0, 6.0, 8.0])],
            "[0.0, 4.0, 0.0, 8.0]",
        ),
        (
            "fn f<n>(x: [f64; n]) -> [f64; n] { for i { [!(exists j { x[j] > x[i] })] } }",
            vec![4],
            vec![v(&[2.0, 9.0, 6.0, 9.0])],
            "[0.0, 1.0, 0.0, 1.0]",
        ),
        (
            "fn f<n>(x: [f64; n]) -> f64 { sum i if 0 <= x[i] - 1 < 3 != 1 { x[i] } }",
            vec![3],
            vec![v(&[1.0, 2.0, 9.0])],
            "[3.0]",
        ),
        (
            "fn f<n>(t: [(f64, f64); n]) -> f64 { let u = for i { (t[i].1, t[i].0) }; let (a, b) = u[1]; a + 10 * b + 100 * u.0[0] }",
            vec![2],
            vec![v(&[1.0, 2.0]), v(&[3.0, 4.0])],
            "[324.0]",
        ),
        (
            "fn g<n>(x: [f64; n + 1], s: f64) -> [f64; n] { for i in 0..n { x[i + 1] * s } } fn f<m>(y: [f64; m]) -> f64 { sum i { g(y, 2)[i] } }",
            vec![3],
            vec![v(&[1.0, 2.0, 3.0])],
            "[10.0]",
        ),
        (
            "fn f<n>(x: [f64; n]) -> [f64; n - 1] { for i in 1..n { x[i] - x[i - 1] } }",
            vec![3],
            vec![v(&[1.0, 2.0, 4.0])],
            "[1.0, 2.0]",
        ),
        (
            "fn f<n>(x: [f64; n]) -> f64 { let k = 3; let h = k - 1; x[h] * k + n as f64 + (2 * h) as f64 }",
            vec![3],
            vec![v(&[1.0, 2.0, 4.0])],
            "[19.0]",
        ),
        (
            "fn f(x: f64) -> f64 { let x = x + 1; { let x = 2 * x; x } + x.powi(-1) + max(x, 3) + stop((x, 1)).1 }",
            vec![],
            vec![s(1.0)],
            "[8.5]",
        ),
        (
            "fn f<n>(x: [f64; n]) -> [f64; 2, n] { [x; 2] }",
            vec![2],
            vec![v(&[1.0, 2.0])],
            "[1.0, 2.0, 1.0, 2.0]",
        ),
        (
            "fn f(n: usize) -> [f64; n] { for i in 0..n { (i % 3) as f64 + (i / 2) as f64 } }",
            vec![5],
            vec![],
            "[0.0, 1.0, 3.0, 1.0, 3.0]",
        ),
    ];
    let mut wrong = String::new();
    for (source, sizes, args, expected) in cases {
        let found = value(source, &sizes, &args);
        if found != expected {
            wrong += &format!("{source}\nexpected {expected}\nfound    {found}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
