//! Polynomials, and that they are what the evaluator counts.

use super::{Polynomial, memory, polynomial};
use crate::eval::{self, Tensor};
use crate::index::{Affine, cond};
use crate::normalize::normalize;
use crate::normalize::tests::build::*;
use crate::prim::Unary;
use crate::ssa::Function;
use crate::typed::{Definition, Reduce, Type};

fn normal(sizes: usize, params: &[Type], body: E) -> Function {
    let f = function("f", sizes, params, body);
    let Some(Definition::Expr(body)) = &f.body else { panic!("a body") };
    normalize(&f, body, &[]).expect("small numbers")
}

/// The polynomial, its difference from what is counted at n = 4, m = 3, and memory.
fn check(f: &Function, expected: &str, excess: i64, stored: &str) {
    let p = polynomial(f);
    assert_eq!(p.to_string(), expected, "{:#?}", f.stmts);
    assert_eq!(memory(f).to_string(), stored);
    let sizes = [4, 3];
    let shape = |e: &Vec<Affine>| -> Vec<usize> {
        e.iter()
            .map(|e| {
                usize::try_from(e.eval(&|t| match t {
                    crate::index::Atom::Size(k) => sizes[*k as usize],
                    _ => panic!("{t:?}"),
                }))
                .unwrap()
            })
            .collect()
    };
    let args: Vec<Tensor> =
        f.params.iter().map(|a| Tensor::from_fn(&shape(&f.array(*a).extents), |k| k as f64 + 0.5)).collect();
    let (_, cost) = eval::ssa::run(f, &sizes, &args).unwrap();
    assert_eq!(p.eval(&sizes) - i64::try_from(cost).unwrap(), excess);
}

#[test]
fn costs() {
    let x = || var(0, array(&[n(0)]));
    let a = || var(0, array(&[n(0), n(1)]));
    let y = || var(1, array(&[n(1)]));
    let matrix = array(&[n(0), n(1)]);
    // A matrix times a vector.
    let f = tensor(&[to(0, &n(0))], sum(&[to(1, &n(1))], a().at(&[i(0), i(1)]) * y().at(&[i(1)])));
    check(&normal(2, &[matrix.clone(), array(&[n(1)])], f), "2 n m - n", 0, "n");
    // Everything that costs in one.
    let f = tensor(&[to(0, &n(0))], (num(2.0) * x().at(&[i(0)]) + num(1.0)).exp() / num(3.0));
    check(&normal(1, &[array(&[n(0)])], f), "5 n", 0, "3 n + 1");
    // Narrowed: the diagonal, all but the last, three of them.
    let f = tensor(&[to(0, &n(0)), to(1, &n(0))], x().at(&[i(0)]).exp().only(vec![eq(&i(0), &i(1))]));
    check(&normal(1, &[array(&[n(0)])], f), "n", 0, "n² + n");
    let f = tensor(&[to(0, &n(0))], x().at(&[i(0)]).exp().only(vec![lt(&aff(&[(1, i(0))], 1), &n(0))]));
    check(&normal(1, &[array(&[n(0)])], f), "n - 1", 0, "2 n");
    let f = tensor(&[to(0, &n(0))], sum(&[(1, i(0), aff(&[(1, i(0))], 3))], num(1.0)));
    check(&normal(1, &[], f), "2 n", 0, "n");
    // A triangle counts in full.
    let f = sum(&[to(0, &n(0)), (1, i(0), n(0))], x().at(&[i(1)]));
    check(&normal(1, &[array(&[n(0)])], f), "n² - 1", 6, "1");
    // A maximum, and a guard that no range is.
    let f = reduce(Reduce::Max, &[to(0, &n(0))], vec![], x().at(&[i(0)]));
    check(&normal(1, &[array(&[n(0)])], f), "n - 1", 0, "1");
    let every = vec![cond::congruent(&i(0), &c(0), 2).unwrap()];
    let f = tensor(&[to(0, &n(0))], x().at(&[i(0)]).unary(Unary::Sin).only(every));
    check(&normal(1, &[array(&[n(0)])], f), "n", 2, "2 n");
    // A choice counts both branches, and an addition.
    let f = tensor(&[to(0, &n(0))], choose(vec![le(&c(1), &i(0))], x().at(&[i(0)]), num(1.0)));
    check(&normal(1, &[array(&[n(0)])], f), "1", 1, "n");
    check(&normal(0, &[], num(0.0)), "0", 0, "1");
}

/// What is left of a ratio where sizes are great.
#[test]
fn quotients() {
    let names: Vec<String> = ["n", "m", "k"].map(String::from).to_vec();
    let of = |terms: &[(i64, &[usize])]| {
        terms.iter().fold(Polynomial::new(&names), |sum, (c, sizes)| {
            let one = Polynomial::new(&names).plus(1, &Polynomial::from_constant(1));
            let term = sizes.iter().fold(one, |p, k| p.times(&Polynomial::from_affine(&n(*k as u32))));
            sum.plus(*c, &term)
        })
    };
    let nm = of(&[(2, &[0, 1]), (-1, &[0])]);
    let over = |a: &[(i64, &[usize])], b: &Polynomial| of(a).over(b).unwrap_or_default();
    assert_eq!(over(&[(6, &[0, 1]), (-2, &[0])], &nm), "3");
    assert_eq!(over(&[(5, &[0, 1])], &nm), "2.5");
    assert_eq!(over(&[(2, &[0, 1, 1]), (9, &[0])], &nm), "m");
    assert_eq!(over(&[(2, &[0, 0, 1]), (8, &[0, 1, 1]), (4, &[0, 1])], &nm), "n + 4 m");
    assert_eq!(over(&[(3, &[0, 0, 1]), (8, &[0, 1, 1])], &nm), "1.5 n + 4 m");
    assert_eq!(over(&[(4, &[0])], &nm), "2 / m");
    assert_eq!(
        over(&[(6, &[0, 1]), (4, &[0, 2])], &of(&[(2, &[0, 1]), (2, &[2]), (7, &[])])),
        "(3 n m + 2 n k) / (n m + k)"
    );
    assert_eq!(over(&[(7, &[])], &of(&[(2, &[])])), "3.5");
    assert_eq!(over(&[], &nm), "0");
    assert_eq!(nm.over(&of(&[])), None);
}
