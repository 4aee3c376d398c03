//! Scalar functions against known values, and the cost model, line by line.

mod recurrences;

use super::{Tensor, scalar, typed};
use crate::normalize::tests::build::*;
use crate::prim::{Prim, Unary};
use crate::typed::Reduce;

#[test]
fn scalar_functions() {
    let close = |a: f64, b: f64| assert!((a - b).abs() <= 2e-15 * b.abs(), "{a} is not {b}");
    let erf = |x| Unary::Erf.value(x);
    close(erf(0.1), 0.112_462_916_018_284_89);
    close(erf(0.5), 0.520_499_877_813_046_5);
    close(erf(-1.0), -0.842_700_792_949_714_9);
    close(erf(2.0), 0.995_322_265_018_952_7);
    close(erf(2.4), 0.999_311_486_103_354_9);
    close(erf(2.5), 0.999_593_047_982_555);
    close(erf(3.0), 0.999_977_909_503_001_4);
    assert_eq!((erf(0.0), erf(7.0), erf(f64::NEG_INFINITY)), (0.0, 1.0, -1.0));
    assert!(erf(f64::NAN).is_nan());
    let sigmoid = |x| Unary::Sigmoid.value(x);
    assert_eq!((sigmoid(0.0), sigmoid(-800.0), sigmoid(800.0)), (0.5, 0.0, 1.0));
    close(sigmoid(-1.0), 0.268_941_421_369_995_1);
    let softplus = |x| Unary::Softplus.value(x);
    assert_eq!((softplus(-800.0), softplus(800.0)), (0.0, 800.0));
    close(softplus(0.0), std::f64::consts::LN_2);
    let mut no_index = |_: &crate::index::Affine| Ok(3);
    assert_eq!(scalar::prim(&Prim::Clamp, &[5.0, 0.0, -1.0], &mut no_index), Ok(-1.0));
    assert_eq!(scalar::prim(&Prim::Powi(n(0)), &[2.0], &mut no_index), Ok(8.0));
    assert_eq!((scalar::powi(-1.0, (1 << 53) + 1), scalar::powi(-1.0, i64::MIN)), (-1.0, 1.0));
    assert_eq!(scalar::prim(&Prim::FiniteOrZero, &[f64::INFINITY], &mut no_index), Ok(0.0));
    assert!(scalar::prim(&Prim::Clamp, &[5.0], &mut no_index).is_err());
}

/// Value and cost of a function of one vector.
fn run(body: E, x: &[f64]) -> (f64, u64) {
    let b = block(vec![function("f", 1, &[array(&[n(0)])], body)]);
    let (leaves, cost) = typed::run(&b, 0, &[i64::try_from(x.len()).unwrap()], &[Tensor::vector(x)]).unwrap();
    (leaves[0].value().unwrap(), cost)
}

#[test]
fn costs() {
    let x = || var(0, array(&[n(0)]));
    let xi = || x().at(&[i(0)]);
    let all = || [to(0, &n(0))];
    let first = || xi().only(vec![lt(&i(0), &c(1))]);
    let programs = [
        (sum(&all(), xi()), 6.0, 2),
        (sum(&all(), first()), 1.0, 0),
        (sum(&all(), -xi() * num(2.0)), -12.0, 5),
        // Added where both are.
        (sum(&all(), first() + xi()), 7.0, 3),
        (sum(&[to(0, &n(0)), to(1, &n(0))], x().at(&[i(1)])), 18.0, 8),
        (sum(&all(), sum(&[to(1, &n(0))], x().at(&[i(1)]))), 18.0, 8),
        (reduce(Reduce::Max, &all(), vec![], xi()), 3.0, 2),
        (reduce(Reduce::Sum, &all(), vec![lt(&n(0), &i(0))], xi()), 0.0, 0),
        (reduce(Reduce::Max, &all(), vec![lt(&n(0), &i(0))], xi()), f64::NEG_INFINITY, 0),
        (reduce(Reduce::LogSumExp, &all(), vec![lt(&n(0), &i(0))], xi()), f64::NEG_INFINITY, 2),
        (reduce(Reduce::LogSumExp, &all(), vec![lt(&i(0), &c(1))], xi()), 1.0, 4),
        (sum(&all(), xi() / xi()), 3.0, 8),
        (sum(&all(), xi().powi(c(2))), 14.0, 5),
        (clamp(x().at(&[c(2)]), num(0.0), num(2.0)), 2.0, 3),
        (x().at(&[c(1)]).prim(Prim::Stop), 2.0, 0),
        (choose(vec![lt(&c(5), &n(0))], x().at(&[c(0)]).exp(), -x().at(&[c(1)])), -2.0, 0),
        (arg_max(0, to(0, &n(0)), vec![], xi(), of_index), 2.0, 2),
        (bind(1, x().at(&[c(0)]).ln(), |l| l.clone() + l), 0.0, 2),
        (constant("std::f64::consts::PI"), std::f64::consts::PI, 0),
    ];
    for (k, (body, value, cost)) in programs.into_iter().enumerate() {
        assert_eq!(run(body, &[1.0, 2.0, 3.0]), (value, cost), "program {k}");
    }
}

#[test]
fn mistakes_are_errors() {
    let x = || var(0, array(&[n(0)]));
    let b = |body: E| block(vec![function("f", 1, &[array(&[n(0)])], body)]);
    let two = [Tensor::vector(&[1.0, 2.0])];
    assert!(typed::run(&b(x().at(&[n(0)])), 0, &[2], &two).is_err());
    assert!(typed::run(&b(x().at(&[c(-1)])), 0, &[2], &two).is_err());
    assert!(typed::run(&b(x()), 0, &[3], &two).is_err());
    assert!(typed::run(&b(x()), 0, &[2], &[]).is_err());
    assert!(typed::run(&b(x()), 0, &[2], &[two[0].clone(), Tensor::scalar(1.0)]).is_err());
    assert!(typed::run(&b(constant("crate::UNKNOWN")), 0, &[2], &two).is_err());
    assert!(typed::run(&b(tensor(&[(0, n(0), c(0))], num(1.0))), 0, &[2], &two).is_err());
    let argmax = arg_max(0, (0, n(0), c(0)), vec![], x().at(&[i(0)]), of_index);
    assert!(typed::run(&b(argmax), 0, &[2], &two).is_err());
}
