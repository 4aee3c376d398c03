//! Linearizations, transposes, functions of Rust and derivatives that are given, as rustc compiles them.

use tensor_rt::{Workspace, tensor};

/// The first Bessel function of order 0, by its series.
fn bessel(x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..30 {
        term *= -x * x / (4.0 * f64::from(k * k));
        sum += term;
    }
    sum
}

mod special {
    /// Minus the derivative of [`super::bessel`].
    pub fn first(x: f64) -> f64 {
        let (mut term, mut sum) = (x / 2.0, x / 2.0);
        for k in 1..30 {
            term *= -x * x / (4.0 * f64::from(k) * f64::from(k + 1));
            sum += term;
        }
        sum
    }
}

tensor! {
    fn misfit<n, m>(x: [f64; n + m - 1], w: [f64; m], z: [f64; n]) -> f64 {
        let y = for i in 0..n { sum j in 0..m { x[i + j] * w[j] } };
        #[recompute] let r = for i { (y[i] - z[i]).tanh() };
        sum i { r[i] * r[i] }
    }
    fn misfit_jvp = jvp(misfit, x, w);
    fn misfit_vjp = vjp(misfit, x, w);
    /// The derivative of the misfit at a point.
    fn misfit_linear = linearize(misfit, x, w);

    fn spread<n>(x: [f64; n], p: (f64, [f64; 2])) -> ([f64; n, 2], f64) where n >= 1 {
        let k = argmax i { x[i] };
        (for i in 0..n, j in 0..2 { x[i].exp() * p.1[j] * x[k] }, p.0 * max i { x[i].sin() })
    }
    fn spread_jvp = jvp(spread);
    fn spread_vjp = vjp(spread);
    fn spread_linear = linearize(spread);

    fn net<n>(x: [f64; n], a: [f64; n, n], b: [f64; n, n], c: [f64; n, n], d: [f64; n, n], e: [f64; n, n]) -> [f64; n] {
        let p = for i { (sum j { a[i, j] * x[j] }).tanh() };
        let q = for i { (sum j { b[i, j] * p[j] }).tanh() };
        let r = for i { (sum j { c[i, j] * q[j] }).tanh() };
        let s = for i { (sum j { d[i, j] * r[j] }).tanh() };
        for i { (sum j { e[i, j] * s[j] }).tanh() }
    }
    fn net_jvp = jvp(net);
    fn net_vjp = vjp(net);
    fn net_linear = linearize(net);

    extern fn bessel(x: f64) -> f64 { x: -bessel_1(x) }
    extern fn bessel_1(x: f64) -> f64 = special::first { x: bessel(x) - bessel_1(x) / x }
    fn waves<n>(x: [f64; n]) -> f64 { sum i { bessel(x[i]) * x[i] } }
    fn waves_grad = value_and_grad(waves);
    fn waves_hessian = hessian(waves);

    extern fn wave(x: f64) -> f64 = f64::sin { x: cowave(x) }
    extern fn cowave(x: f64) -> f64 = f64::cos { x: -wave(x) }
    fn scaled_wave(x: f64) -> f64 { x * wave(x) }
    fn fifth = grad(grad(grad(grad(grad(scaled_wave)))));
    fn third_within(x: f64) -> f64 { let d = grad(scaled_wave(x), x); let e = grad(d, x); grad(e, x) }
    fn seventh = hessian(hessian(third_within));

    fn clip<n>(x: [f64; n], s: f64) -> [f64; n] { for i { s * max(min(x[i], 1.0), -1.0) } }
    fn straight_through<n>(x: [f64; n], s: f64, x_dot: [f64; n], s_dot: f64) -> [f64; n] {
        for i { s * x[i] * x[i] * x_dot[i] + s_dot }
    }
    impl jvp(clip, x, s) = straight_through;
    fn clipped<n>(x: [f64; n], s: f64) -> f64 { sum i { let c = clip(x, s); c[i] * c[i] } }
    fn clipped_grad = grad(clipped);
    fn clip_jvp = jvp(clip);

    fn total<n>(x: [f64; n]) -> f64 { sum i { x[i].exp() } }
    fn total_back<n>(x: [f64; n], y_bar: f64) -> [f64; n] { for i { y_bar * x[i].sin() } }
    impl vjp(total) = total_back;
    fn total_grad = grad(total);
    fn total_jvp = jvp(total);
    fn total_hessian = hessian(total);
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{a} for {b}");
}

fn all_close<'a>(a: impl IntoIterator<Item = &'a f64>, b: impl IntoIterator<Item = &'a f64>) {
    let (a, b): (Vec<f64>, Vec<f64>) = (a.into_iter().copied().collect(), b.into_iter().copied().collect());
    assert_eq!(a.len(), b.len());
    a.iter().zip(&b).for_each(|(a, b)| close(*a, *b));
}

const X: [f64; 5] = [0.3, -0.2, 0.9, 0.4, -0.7];
const W: [f64; 2] = [0.5, -1.25];
const Z: [f64; 4] = [0.1, 0.2, -0.3, 0.4];

#[test]
fn a_linear_map_is_the_derivative() {
    let (value, map) = misfit_linear(&X, &W, &Z).unwrap();
    close(value, misfit(&X, &W, &Z).unwrap());
    for seed in 0..3 {
        let x_dot: Vec<f64> = (0..5).map(|k| (f64::from(k * 7 + seed)).sin()).collect();
        let w_dot: Vec<f64> = (0..2).map(|k| (f64::from(k * 5 + seed)).cos()).collect();
        close(map.apply(&x_dot, &w_dot).unwrap(), misfit_jvp(&X, &W, &Z, &x_dot, &w_dot).unwrap().1);
        let (x_bar, w_bar) = map.apply_transpose(1.5 + f64::from(seed)).unwrap();
        let (_, (x_bar_2, w_bar_2)) = misfit_vjp(&X, &W, &Z, 1.5 + f64::from(seed)).unwrap();
        all_close(&x_bar, &x_bar_2);
        all_close(&w_bar, &w_bar_2);
    }
    assert!(map.clone().apply(&[1.0; 4], &[1.0; 2]).is_err(), "a direction of another length");
    assert!(misfit_linear(&X, &W, &[0.0; 3]).is_err(), "an argument of another length");
}

#[test]
fn a_linear_map_writes_to_outputs() {
    let (_, map) = misfit_linear(&X, &W, &Z).unwrap();
    let (mut work, mut x_bar, mut w_bar) = (Workspace::new(), [9.0; 5], [9.0; 2]);
    map.apply_transpose_into(2.0, &mut x_bar, &mut w_bar, &mut work).unwrap();
    let (expected_x, expected_w) = map.apply_transpose(2.0).unwrap();
    all_close(&x_bar, &expected_x);
    all_close(&w_bar, &expected_w);
    assert!(map.apply_transpose_into(2.0, &mut [0.0; 4], &mut w_bar, &mut work).is_err());
}

#[test]
fn a_linear_map_that_stores_many_arrays() {
    let row = |k: usize| [0.5, -0.75, 0.25].map(|x: f64| (x * (k + 1) as f64).sin());
    let matrix = |k: usize| [row(k), row(k + 1), row(k + 3)];
    let ([a, b, c, d, e], dirs) = ([0, 1, 2, 3, 4].map(matrix), [5, 6, 7, 8, 9].map(matrix));
    let (x, x_dot) = (row(3), row(8));
    let (value, map) = net_linear(&x, &a, &b, &c, &d, &e).unwrap();
    let [a_dot, b_dot, c_dot, d_dot, e_dot] = &dirs;
    let jvp = net_jvp(&x, &a, &b, &c, &d, &e, &x_dot, a_dot, b_dot, c_dot, d_dot, e_dot).unwrap();
    all_close(&value, &jvp.0);
    all_close(&map.apply(&x_dot, a_dot, b_dot, c_dot, d_dot, e_dot).unwrap(), &jvp.1);
    let (found, expected) =
        (map.apply_transpose(&row(4)).unwrap(), net_vjp(&x, &a, &b, &c, &d, &e, &row(4)).unwrap().1);
    all_close(&found.0, &expected.0);
    all_close(&found.1, &expected.1);
    all_close(&found.5, &expected.5);
}

#[test]
fn a_linear_map_prints_its_sizes() {
    let (_, map) = misfit_linear(&X, &W, &Z).unwrap();
    assert_eq!(format!("{map:?}"), "MisfitLinear { n: 4, m: 2, .. }");
}

#[test]
fn places_and_tuples_in_a_linear_map() {
    let p = (2.0, &[0.5, -1.0]);
    let (value, map) = spread_linear(&X, p).unwrap();
    let (x_dot, p_dot) = ([0.1, 0.2, -0.3, 0.5, 0.25], (0.75, &[1.0, -0.5]));
    let (expected, tangent) = spread_jvp(&X, p, &x_dot, p_dot).unwrap();
    all_close(&value.0, &expected.0);
    close(value.1, expected.1);
    let found = map.apply(&x_dot, p_dot).unwrap();
    all_close(&found.0, &tangent.0);
    close(found.1, tangent.1);
    let y_bar = [[1.0, -1.0], [0.5, 0.25], [0.0, 2.0], [1.0, 1.0], [-1.0, 0.0]];
    let (x_bar, (s_bar, q_bar)) = map.apply_transpose((&y_bar, 3.0)).unwrap();
    let (_, (x_bar_2, (s_bar_2, q_bar_2))) = spread_vjp(&X, p, (&y_bar, 3.0)).unwrap();
    all_close(&x_bar, &x_bar_2);
    close(s_bar, s_bar_2);
    all_close(&q_bar, &q_bar_2);
}

#[test]
fn functions_of_rust_have_the_partials_declared() {
    let x = [0.5, 1.25];
    let (value, gradient) = waves_grad(&x).unwrap();
    close(value, x.iter().map(|x| bessel(*x) * x).sum());
    let slope = |x: f64| bessel(x) - x * special::first(x);
    all_close(&gradient, &[slope(0.5), slope(1.25)]);
    let hessian = waves_hessian(&x).unwrap();
    for k in 0..2 {
        let h = 1e-5;
        let difference = (slope(x[k] + h) - slope(x[k] - h)) / (2.0 * h);
        assert!((hessian[[k, k]] - difference).abs() < 1e-7);
        assert_eq!(hessian[[k, 1 - k]], 0.0);
    }
}

#[test]
fn partials_that_need_each_other_give_any_derivative() {
    // The n-th derivative of x sin x is x sinⁿ x + n sinⁿ⁻¹ x, where sinⁿ is the n-th derivative.
    for x in [0.3_f64, 2.0] {
        close(fifth(x).unwrap(), x * x.cos() + 5.0 * x.sin());
        close(third_within(x).unwrap(), -x * x.cos() - 3.0 * x.sin());
        close(seventh(x).unwrap(), -x * x.cos() - 7.0 * x.sin());
    }
}

#[test]
fn given_forward_derivatives_are_transposed() {
    let (x, s) = ([0.5, -2.0, 3.0], 1.5);
    let (value, tangent) = clip_jvp(&x, s, &[1.0, 10.0, 100.0], 0.5).unwrap();
    all_close(&value, &[0.75, -1.5, 1.5]);
    all_close(&tangent, &[1.5 * 0.25 + 0.5, 1.5 * 4.0 * 10.0 + 0.5, 1.5 * 9.0 * 100.0 + 0.5]);
    // c = [0.75, -1.5, 1.5]: by x[i] it is 2 c s x², by s it is 2 Σ c.
    let (x_bar, s_bar) = clipped_grad(&x, s).unwrap();
    all_close(&x_bar, &[2.0 * 0.75 * 1.5 * 0.25, 2.0 * -1.5 * 1.5 * 4.0, 2.0 * 1.5 * 1.5 * 9.0]);
    close(s_bar, 2.0 * (0.75 - 1.5 + 1.5));
}

mod of_linear {
    use tensor_rt::tensor;

    tensor! {
        fn doubled(x: f64) -> f64 { 2.0 * x }
        fn doubled_jvp(x: f64, x_dot: f64) -> f64 { 2.0 * x_dot }
        impl jvp(doubled) = doubled_jvp;

        pub(super) fn moved<n>(x: [f64; n], s: f64) -> [f64; n] where n >= 1 {
            for i in 0..n { s * doubled(x[i]) + [i > 0] * x[i - 1] }
        }
        pub(super) fn moved_back = transpose(moved, x);
    }
}

#[test]
fn linear_functions_with_given_derivatives_have_transposes() {
    let (x, y_bar, s) = ([0.5, -2.0, 3.0], [1.0, 10.0, 100.0], 1.5);
    all_close(&of_linear::moved(&x, s).unwrap(), &[1.5, -5.5, 7.0]);
    all_close(&of_linear::moved_back(s, &y_bar).unwrap(), &[13.0, 130.0, 300.0]);
}

#[test]
fn given_reverse_derivatives_are_transposed() {
    let x = [0.5, -2.0];
    all_close(&total_grad(&x).unwrap(), &[0.5_f64.sin(), (-2.0_f64).sin()]);
    let (value, tangent) = total_jvp(&x, &[3.0, 5.0]).unwrap();
    close(value, 0.5_f64.exp() + (-2.0_f64).exp());
    close(tangent, 3.0 * 0.5_f64.sin() + 5.0 * (-2.0_f64).sin());
    // The derivative that is given has one of its own.
    all_close(&total_hessian(&x).unwrap(), &[0.5_f64.cos(), 0.0, 0.0, (-2.0_f64).cos()]);
}
