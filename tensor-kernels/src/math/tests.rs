use super::Real;

/// `f(x)` and what it must be, to a relative error of `1e-14`.
#[track_caller]
fn check(f: fn(f64) -> f64, cases: &[(f64, f64)]) {
    for &(x, y) in cases {
        let z = f(x);
        let close = z == y || (z.is_nan() && y.is_nan()) || (z - y).abs() <= 1e-14 * y.abs();
        assert!(close, "f({x}) = {z}, not {y}");
    }
}

#[test]
fn of_one_argument() {
    let e = core::f64::consts::E;
    let pi = core::f64::consts::PI;
    check(Real::exp, &[(0.0, 1.0), (1.0, e)]);
    check(Real::exp2, &[(10.0, 1024.0)]);
    check(Real::ln, &[(e, 1.0), (0.0, f64::NEG_INFINITY), (-1.0, f64::NAN)]);
    check(Real::log2, &[(8.0, 3.0)]);
    check(Real::log10, &[(1000.0, 3.0)]);
    check(Real::sqrt, &[(9.0, 3.0)]);
    check(Real::cbrt, &[(-27.0, -3.0)]);
    check(Real::sin, &[(pi / 2.0, 1.0)]);
    check(Real::cos, &[(pi, -1.0)]);
    check(Real::tan, &[(pi / 4.0, 1.0)]);
    check(Real::asin, &[(1.0, pi / 2.0)]);
    check(Real::acos, &[(-1.0, pi)]);
    check(Real::atan, &[(1.0, pi / 4.0)]);
    check(Real::sinh, &[(1.0, (e - 1.0 / e) / 2.0)]);
    check(Real::cosh, &[(1.0, (e + 1.0 / e) / 2.0)]);
    check(Real::tanh, &[(f64::INFINITY, 1.0), (0.5, 0.462_117_157_260_009_76)]);
    check(Real::asinh, &[(1.0, 0.881_373_587_019_543), (-f64::MAX, -710.475_860_073_943_9)]);
    check(
        Real::acosh,
        &[(2.0, 1.316_957_896_924_816_6), (f64::MAX, 710.475_860_073_943_9), (-1e5, f64::NAN)],
    );
    check(Real::atanh, &[(0.5, 0.549_306_144_334_054_8), (-1.0, f64::NEG_INFINITY), (-2.0, f64::NAN)]);
    check(Real::abs, &[(-2.0, 2.0)]);
    check(Real::recip, &[(4.0, 0.25)]);
    check(Real::exp_m1, &[(1e-20, 1e-20)]);
    check(Real::ln_1p, &[(1e-20, 1e-20)]);
    check(Real::signum, &[(-0.5, -1.0), (0.0, 1.0), (-0.0, -1.0), (f64::NAN, f64::NAN)]);
    check(Real::floor, &[(-1.5, -2.0)]);
    check(Real::ceil, &[(-1.5, -1.0)]);
    check(Real::round, &[(2.5, 3.0), (-2.5, -3.0)]);
    check(Real::erf, &[(0.5, 0.520_499_877_813_046_5), (6.0, 1.0), (-0.5, -0.520_499_877_813_046_5)]);
    check(
        Real::finite_or_zero,
        &[(1.5, 1.5), (f64::INFINITY, 0.0), (f64::NEG_INFINITY, 0.0), (f64::NAN, 0.0)],
    );
}

#[test]
fn stable_at_both_ends() {
    let sigmoid = [(0.0, 0.5), (800.0, 1.0), (-800.0, 0.0), (-40.0, 4.248_354_255_291_589e-18)];
    check(Real::sigmoid, &sigmoid);
    check(Real::sigmoid, &[(f64::INFINITY, 1.0), (f64::NEG_INFINITY, 0.0), (f64::NAN, f64::NAN)]);
    let softplus = [(0.0, core::f64::consts::LN_2), (800.0, 800.0), (-40.0, 4.248_354_255_291_589e-18)];
    check(Real::softplus, &softplus);
    check(Real::softplus, &[(f64::INFINITY, f64::INFINITY), (f64::NEG_INFINITY, 0.0), (f64::NAN, f64::NAN)]);
}

#[test]
fn of_more_arguments() {
    assert_eq!(Real::atan2(1.0_f64, -0.0), core::f64::consts::FRAC_PI_2);
    assert!((Real::hypot(3e200_f64, 4e200) / 5e200 - 1.0).abs() < 1e-15);
    assert!((Real::powf(2.0_f64, 0.5) / core::f64::consts::SQRT_2 - 1.0).abs() < 1e-15);
    assert_eq!(Real::max(f64::NAN, 1.0), 1.0);
    assert_eq!(Real::min(1.0, f64::NAN), 1.0);
    assert_eq!(Real::clamp(0.5_f64, 0.0, 1.0), 0.5);
    assert_eq!(Real::clamp(7.0_f64, 2.0, 1.0), 1.0);
    assert_eq!(Real::clamp(f64::NAN, 2.0, 3.0), 2.0);
}

#[test]
fn powers() {
    let cases: [(f64, i64, f64); 10] = [
        (2.0, 10, 1024.0),
        (2.0, -1, 0.5),
        (0.0, 0, 1.0),
        (-1.0, (1 << 40) + 1, -1.0),
        (-3.0, 3, -27.0),
        (1.0, i64::MIN, 1.0),
        (-1.0, i64::from(i32::MIN), 1.0),
        (-1.0, (1 << 53) + 1, -1.0),
        (-2.0, -(1 << 53) - 1, -0.0),
        (-0.0, i64::MAX, -0.0),
    ];
    for (x, k, y) in cases {
        assert_eq!(Real::powi(x, k).to_bits(), y.to_bits(), "{x}^{k}");
    }
    assert_eq!(Real::powi(-1.0_f32, (1_i64 << 40) + 1), -1.0);
    assert_eq!(Real::powi(2.0_f64, 3_i32), 8.0);
}

#[test]
fn single_precision() {
    assert_eq!(Real::exp(0.0_f32), 1.0);
    assert_eq!(Real::erf(0.5_f32), 0.520_499_9);
    assert_eq!(Real::powi(-2.0_f32, 3), -8.0);
    assert_eq!(Real::sigmoid(-1e30_f32), 0.0);
    assert_eq!(Real::softplus(1e30_f32), 1e30);
    assert_eq!(f32::from_index(3), 3.0);
    assert!((Real::hypot(3e30_f32, 4e30) / 5e30 - 1.0).abs() < 1e-6);
}
