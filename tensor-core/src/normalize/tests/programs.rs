//! The programs, one for each construct and each way that they meet.

use super::build::*;
use super::{agree, check, check_function, shape};
use crate::index::affine::floor;
use crate::index::{Cond, cond};
use crate::prim::{Binary, Prim, Unary};
use crate::typed::{Reduce, Type};

fn x() -> E {
    var(0, array(&[n(0)]))
}
fn a() -> E {
    var(0, array(&[n(0), n(1)]))
}
fn y() -> E {
    var(1, array(&[n(1)]))
}
fn vector() -> Type {
    array(&[n(0)])
}
fn matrix() -> Type {
    array(&[n(0), n(1)])
}
fn s() -> E {
    var(0, Type::Real)
}

#[test]
fn linear() {
    check(1, &[vector()], x(), "");
    check(1, &[vector()], tensor(&[to(0, &n(0))], x().at(&[i(0)])), "");
    check(1, &[vector()], sum(&[to(0, &n(0))], x().at(&[i(0)])), "result[]");
    let axy = tensor(&[to(0, &n(0))], sum(&[to(1, &n(1))], a().at(&[i(0), i(1)]) * y().at(&[i(1)])));
    check(2, &[matrix(), array(&[n(1)])], axy, "result[i0]");
    // A sum of sums is one statement.
    let all = sum(
        &[to(0, &n(0))],
        x().at(&[i(0)]) - num(2.0) * x().at(&[i(0)]) + sum(&[to(1, &n(0))], -x().at(&[i(1)])),
    );
    check(1, &[vector()], all, "result[]");
    // A literal in front of a sum of terms is one multiplication.
    check(0, &[Type::Real], num(3.0) * (s() + num(1.0)), "t[], result[]");
    check(0, &[Type::Real], -(s() + num(1.0)) / num(4.0), "t[], result[]");
}

#[test]
fn products() {
    check(0, &[Type::Real], s() * s() * s(), "t[], result[]");
    check(0, &[Type::Real], (num(2.0) * s()) * (num(3.0) * s()), "result[]");
    check(
        1,
        &[vector()],
        sum(&[to(0, &n(0))], x().at(&[i(0)])) * sum(&[to(1, &n(0))], x().at(&[i(1)])),
        "t[], result[]",
    );
    check(
        0,
        &[Type::Real],
        s().powi(c(0)) + s().powi(c(1)) + s().powi(c(2)) + s().powi(c(3)),
        "power_p0[], result[]",
    );
    check(0, &[Type::Real], (s() + num(1.0)).powi(c(2)), "t[], result[]");
    check(
        1,
        &[vector()],
        tensor(&[to(0, &n(0))], x().at(&[i(0)]).powi(aff(&[(1, i(0))], -1))),
        "power_p0[i0]",
    );
    check(0, &[Type::Real], num(1e300) * (num(1e300) * s()), "t[], result[]");
}

#[test]
fn lets_leave_loops_over_what_they_depend_on() {
    // `exp(s)` once, where the loop is not empty; `sin(x[i])` for each i.
    let body = |j: u32| {
        bind(1, s().exp(), |e| {
            bind(2, var(3, array(&[n(0)])).at(&[i(0)]).sin(), |q| {
                e * q.clone() + q * var(4, array(&[n(1)])).at(&[i(j)])
            })
        })
    };
    let f = tensor(&[to(0, &n(0)), to(1, &n(1))], body(1));
    let params = [Type::Real, Type::Real, Type::Real, vector(), array(&[n(1)])];
    check(2, &params, f, "v1[], v2[i0], result[i0 i1]");
    // Views and literals are no statements.
    let f = bind(1, tensor(&[to(0, &n(0))], x().at(&[aff(&[(1, n(0)), (-1, i(0))], -1)])), |r| {
        bind(2, num(2.0), |two| tensor(&[to(1, &n(0))], two * r.at(&[i(1)])))
    });
    check(1, &[vector()], f, "result[i1]");
    // A let of an array, read at shifted places.
    let f = bind(1, tensor(&[(0, c(1), n(0))], x().at(&[i(0)]) - x().at(&[aff(&[(1, i(0))], -1)])), |d| {
        sum(&[(1, c(1), n(0))], d.at(&[aff(&[(1, i(1))], -1)]).powi(c(2)))
    });
    check_function(function("f", 1, &[vector()], f).requires(le(&c(1), &n(0))), "v1[i0], result[]");
}

#[test]
fn guards_stay_with_what_they_guard() {
    // `[i >= 1] ln(x[i - 1])`
    let f = tensor(&[to(0, &n(0))], x().at(&[aff(&[(1, i(0))], -1)]).ln().only(vec![le(&c(1), &i(0))]));
    check(1, &[vector()], f, "ln_p0[i0], result[i0]");
    // A let inside a guarded loop is evaluated where the guard holds; a guard by another index is projected.
    let f = sum(
        &[to(0, &n(0)), to(1, &n(0))],
        bind(1, x().at(&[i(1)]).exp(), |e| e * x().at(&[i(0)])).only(vec![lt(&i(0), &i(1))]),
    );
    check(1, &[vector()], f, "v1[i1], result[]");
    // … or kept, where it cannot be: `x[i] > 0` says when `exp(x[j])` is asked for.
    let f = sum(&[to(0, &n(0)), to(1, &n(0))], x().at(&[i(1)]).exp().only(vec![real_lt(0)]));
    let f = function("f", 1, &[vector()], f).compares(num(0.0), x().at(&[i(0)]));
    check_function(f, "left[], exp_p0[i0 i1], result[]");
    // A guard outside a sum and one inside.
    let f = tensor(
        &[to(0, &n(0))],
        sum(&[to(1, &n(0))], x().at(&[i(1)]).only(vec![lt(&i(1), &i(0))])).only(vec![le(&c(2), &i(0))]),
    );
    check(1, &[vector()], f, "result[i0]");
    // A `for` with a condition.
    let f = gen_if(&[to(0, &n(0)), to(1, &n(0))], vec![eq(&i(0), &i(1))], x().at(&[i(0)]).exp());
    check(1, &[vector()], f, "exp_p0[i0], result[i0 i1]");
    // A triangle.
    let f = sum(&[to(0, &n(0)), (1, i(0), n(0))], x().at(&[i(1)]).exp() * x().at(&[i(0)]));
    check(1, &[vector()], f, "exp_p0[i1], result[]");
    let f = sum(&[to(0, &n(0)), (1, i(0), n(0))], (x().at(&[i(1)]) * x().at(&[i(0)])).exp());
    check(1, &[vector()], f, "t[i0 i1], exp_t[i0 i1], result[]");
    // An empty range.
    check(1, &[vector()], sum(&[(0, c(2), n(0))], x().at(&[i(0)]).exp()), "exp_p0[i0], result[]");
    check(
        1,
        &[vector()],
        sum(&[(0, n(0), c(0))], of_index(i(0)).exp()),
        "number[i0], exp_number[i0], result[]",
    );
    // An overlap of guards adds once.
    let f = tensor(
        &[to(0, &n(0))],
        x().at(&[i(0)]).only(vec![le(&c(1), &i(0))]) + x().at(&[i(0)]).only(vec![le(&i(0), &c(2))]),
    );
    check(1, &[vector()], f, "result[i0]");
}

#[test]
fn choices() {
    let f = tensor(
        &[to(0, &n(0))],
        choose(vec![le(&c(1), &i(0))], x().at(&[aff(&[(1, i(0))], -1)]).exp(), x().at(&[i(0)]).sin()),
    );
    check(1, &[vector()], f, "exp_p0[i0], sin_p0[i0], result[i0]");
    // Of tuples of arrays, read at once.
    let branch = |k: i64| tuple(vec![tensor(&[to(0, &n(0))], num(2.0) * x().at(&[i(0)])), of_index(c(k))]);
    let other = tuple(vec![tensor(&[to(1, &n(0))], x().at(&[i(1)]).exp()), of_index(n(0))]);
    let f = bind(1, choose(vec![le(&c(2), &n(0))], branch(4), other), |t| {
        sum(&[to(2, &n(0))], t.clone().field(0).at(&[i(2)]) * t.field(1))
    });
    check(1, &[vector()], f, "exp_p0[i1], number[], v1_0[i0], v1_1[], result[]");
    // A comparison of reals, and one after another.
    let p = vec![le(&c(1), &i(0)), real_lt(0)];
    let f = tensor(&[to(0, &n(0))], choose(p, x().at(&[i(0)]).ln(), x().at(&[i(0)])));
    let f = function("f", 1, &[vector()], f)
        .compares(num(1.0), x().at(&[i(0)]) * x().at(&[aff(&[(1, i(0))], -1)]));
    check_function(f, "left[], right[i0], ln_p0[i0], result[i0]");
    // `i == 0 || x[i - 1] · 2 > 1`: the second is read where the first does not hold.
    let p = vec![Cond::Any(vec![vec![eq(&i(0), &c(0))], vec![real_lt(0)]])];
    let f = tensor(&[to(0, &n(0))], choose(p, x().at(&[i(0)]).exp(), num(7.0)));
    let f = function("f", 1, &[vector()], f).compares(num(1.0), x().at(&[aff(&[(1, i(0))], -1)]) * num(2.0));
    check_function(f, "left[], right[i0], exp_p0[i0], result[i0]");
}

#[test]
fn extremes() {
    let max = |op| reduce(op, &[to(0, &n(0)), to(1, &n(1))], vec![], a().at(&[i(0), i(1)]));
    check(2, &[matrix()], max(Reduce::Max), "max_p0[i0], max_p0[]");
    check(2, &[matrix()], max(Reduce::Min), "min_p0[i0], min_p0[]");
    // What is empty is not compared.
    let p = vec![eq(&i(0), &i(1)), le(&c(1), &i(0))];
    let f = reduce(Reduce::Max, &[to(0, &n(0)), to(1, &n(1))], p, a().at(&[i(0), i(1)]).exp());
    check(2, &[matrix()], f, "exp_p0[i0 i1], max_exp[i0], max_exp[]");
    let f =
        tensor(&[to(0, &n(0))], reduce(Reduce::LogSumExp, &[to(1, &n(1))], vec![], a().at(&[i(0), i(1)])));
    check(
        2,
        &[matrix()],
        f,
        "max_p0[i0], shift[i0], t[i0 i1], exp_t[i0 i1], sum_exp[i0], ln_sum[i0], result[i0]",
    );
    let f = reduce(
        Reduce::LogSumExp,
        &[to(0, &n(0)), (1, i(0), n(0))],
        vec![lt(&i(0), &c(2))],
        x().at(&[i(0)]) * x().at(&[i(1)]),
    );
    check(
        1,
        &[vector()],
        f,
        "t[i0 i1], max_t[i0], max_t[], shift[], t[i0 i1], exp_t[i0 i1], sum_exp[], ln_sum[], result[]",
    );
}

#[test]
fn first_indices() {
    // The greatest of each row, and what stands beside it.
    let f = tensor(
        &[to(0, &n(0))],
        arg_max(0, to(1, &n(1)), vec![], a().at(&[i(0), i(1)]).exp(), |k| {
            y().at(std::slice::from_ref(&k)) + of_index(k)
        }),
    );
    let f = function("f", 2, &[matrix(), array(&[n(1)])], f).requires(le(&c(1), &n(1)));
    check_function(f, "exp_p0[i0 i1], arg[i0], number[i0], result[i0]");
    // One for all rows, in a guard.
    let f = arg_max(0, (0, c(1), n(0)), vec![], x().at(&[i(0)]), |k| {
        sum(&[to(1, &n(0))], x().at(&[i(1)]).only(vec![lt(&i(1), &k)]))
    });
    let f = function("f", 1, &[vector()], f).requires(le(&c(2), &n(0)));
    check_function(f, "arg[], result[]");
}

#[test]
fn tuples_and_access() {
    // `(for i { (x[i], exp(x[i])) })[2 k].1` computes that alone, and once.
    let pairs = tensor(&[to(0, &n(0))], tuple(vec![x().at(&[i(0)]), x().at(&[i(0)]).exp()]));
    let half = floor(&aff(&[(1, n(0))], 1), 2).unwrap();
    let f = tensor(&[(1, c(0), half)], pairs.at(&[aff(&[(2, i(1))], 0)]).field(1));
    check(1, &[vector()], f, "exp_p0[i1]");
    // An array of pairs is a pair of arrays.
    let ty = Type::Array(vec![n(0)], Box::new(Type::Tuple(vec![Type::Real, array(&[n(1)])])));
    let p = var(0, ty.clone());
    let f = tensor(
        &[to(0, &n(0))],
        tuple(vec![
            p.clone().at(&[i(0)]).field(0),
            tensor(&[to(1, &n(1))], p.clone().at(&[i(0)]).field(1).at(&[i(1)]) * p.at(&[i(0)]).field(0)),
        ]),
    );
    check(2, &[ty], f, "result[i0 i1]");
}

#[test]
fn primitives() {
    check(0, &[Type::Real], constant("std::f64::consts::PI") * s(), "PI[], result[]");
    check(0, &[Type::Real], s().exp().prim(Prim::Stop), "exp_p0[], stop_exp[]");
    check(
        0,
        &[Type::Real],
        clamp(s(), num(-0.5), num(0.5)) / (s() + num(3.0)),
        "t[], t[], clamp_p0[], t[], ratio[]",
    );
    check(
        1,
        &[vector()],
        tensor(&[to(0, &n(0))], of_index(i(0)) * x().at(&[i(0)])),
        "number[i0], result[i0]",
    );
    check(
        0,
        &[Type::Real],
        num(4.0).unary(Unary::Sqrt) + s() / num(3.0),
        "t[], sqrt_t[], t[], ratio[], result[]",
    );
    // Equal expressions are one, whatever their indices are called.
    let e = |k: u32| sum(&[to(k, &n(0))], x().at(&[i(k)]).exp());
    check(1, &[vector()], e(0) * e(1), "exp_p0[i0], t[], result[]");
    check(1, &[vector()], sum(&[to(0, &n(0))], x().at(&[i(0)]).unary(Unary::Erf)), "erf_p0[i0], result[]");
}

#[test]
fn zero() {
    check(1, &[vector()], sum(&[to(0, &n(0))], x().at(&[i(0)]).only(vec![lt(&n(0), &n(0))])), "result[]");
    check(1, &[vector()], tensor(&[to(0, &n(0))], num(0.0)), "result[i0]");
}

#[test]
fn calls() {
    let square = || {
        function(
            "square",
            1,
            &[vector()],
            sum(&[to(0, &n(0))], bind(1, x().at(&[i(0)]).exp(), |e| e.clone() * e)),
        )
    };
    // Of each row: the index of the row comes first, the path stays.
    let row = tensor(&[to(1, &n(1))], a().at(&[i(0), i(1)]));
    let f = tensor(&[to(0, &n(0))], call(0, &[n(1)], vec![row], Type::Real).only(vec![le(&c(1), &i(0))]));
    let (g, ..) = agree(&block(vec![square(), function("f", 2, &[matrix()], f)]));
    assert_eq!(shape(&g), "v1[i0 i0], result[i0], result[i0]");
    // Of what does not depend on the row: once.
    let f = tensor(&[to(0, &n(0))], call(0, &[n(1)], vec![y()], Type::Real) * x_at());
    let (g, ..) = agree(&block(vec![square(), function("f", 2, &[matrix(), array(&[n(1)])], f)]));
    assert_eq!(shape(&g), "v1[i0], result[], result[i0]");
    // Of something computed and of literals, a tuple back; twice the same is once.
    let pair = function(
        "pair",
        1,
        &[vector(), Type::Real],
        tuple(vec![tensor(&[to(0, &n(0))], x().at(&[i(0)]) * var(1, Type::Real)), var(1, Type::Real)]),
    );
    let ty = Type::Tuple(vec![array(&[n(0)]), Type::Real]);
    let arg = || tensor(&[to(0, &n(0))], x().at(&[i(0)]).sin());
    let one = || call(0, &[n(0)], vec![arg(), num(2.0)], ty.clone());
    let f = bind(1, one(), |p| {
        sum(&[to(1, &n(0))], p.clone().field(0).at(&[i(1)]) * p.field(1) + one().field(0).at(&[i(1)]))
    });
    let (g, ..) = agree(&block(vec![pair, function("f", 1, &[vector()], f)]));
    assert_eq!(shape(&g), "sin_p0[i0], v1_1[], v1_0[i0], result[]");
    // A callee that compares and finds indices.
    let inner = choose(vec![real_lt(0)], x().at(&[c(0)]), num(1.0));
    let inner = arg_max(0, to(0, &n(0)), vec![], x().at(&[i(0)]), |k| inner.clone() * x().at(&[k]));
    let callee =
        function("g", 1, &[vector()], inner).compares(num(0.0), x().at(&[c(0)])).requires(le(&c(1), &n(0)));
    let row = tensor(&[to(1, &n(1))], a().at(&[i(0), i(1)]).exp() - num(1.0));
    let f = sum(&[to(0, &n(0))], call(0, &[n(1)], vec![row], Type::Real));
    let f = function("f", 2, &[matrix()], f).requires(le(&c(1), &n(1)));
    agree(&block(vec![callee, f]));
}

fn x_at() -> E {
    a().at(&[i(0), c(0)]).only(vec![le(&c(1), &n(1))])
}

#[test]
fn programs_of_the_papers() {
    // Convolution and least squares.
    let y = || {
        tensor(
            &[to(0, &n(0))],
            sum(
                &[to(1, &n(1))],
                var(0, array(&[aff(&[(1, n(0)), (1, n(1))], -1)])).at(&[aff(&[(1, i(0)), (1, i(1))], 0)])
                    * var(1, array(&[n(1)])).at(&[i(1)]),
            ),
        )
    };
    let f = bind(3, y(), |y| {
        sum(&[to(2, &n(0))], (y.at(&[i(2)]) - var(2, array(&[n(0)])).at(&[i(2)])).powi(c(2)))
    });
    let params = [array(&[aff(&[(1, n(0)), (1, n(1))], -1)]), array(&[n(1)]), array(&[n(0)])];
    let f = function("f", 2, &params, f).requires(le(&c(1), &aff(&[(1, n(0)), (1, n(1))], 0)));
    check_function(f, "v3[i0], t[i2], result[]");
    // Springs: a let in a guard.
    let d = || x().at(&[aff(&[(1, i(0))], 1)]) - x().at(&[i(0)]);
    let f = sum(
        &[to(0, &n(0))],
        bind(1, d(), |d| (d.clone() * d).unary(Unary::Sqrt).powi(c(2)))
            .only(vec![lt(&aff(&[(1, i(0))], 1), &n(0))]),
    );
    check(1, &[vector()], f, "v1[i0], t[i0], sqrt_t[i0], result[]");
    // Softmax of the differences of every other element.
    let every = vec![cond::congruent(&i(0), &c(0), 2).unwrap()];
    let f = bind(1, reduce(Reduce::LogSumExp, &[to(0, &n(0))], every, x().at(&[i(0)])), |l| {
        tensor(&[to(1, &n(0))], (x().at(&[i(1)]) - l).exp())
    });
    check(
        1,
        &[vector()],
        f,
        "max_p0[], shift[], t[i0], exp_t[i0], sum_exp[], ln_sum[], v1[], t[i1], exp_t[i1]",
    );
    let f = tensor(&[to(0, &n(0))], E::prim2(Prim::Binary(Binary::Hypot), x().at(&[i(0)]), num(1.0)));
    check(1, &[vector()], f, "t[], hypot_p0[i0]");
}
