//! Recurrences of which the reverse sweep finds some states stored: the same gradients in less memory.

use tensor_rt::tensor;
use tensor_tests::by_hand::{close, differences};

tensor! {
    fn lotka(y: [f64; 2], p: [f64; 4]) -> [f64; 2] { [p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]] }
    fn stage(y: [f64; 2], p: [f64; 4], dt: f64) -> [f64; 2] {
        let k1 = lotka(y, p);
        let k2 = lotka(y + 0.5 * dt * k1, p);
        let k3 = lotka(y + 0.5 * dt * k2, p);
        let k4 = lotka(y + dt * k3, p);
        y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    }
    /// Predators and prey by Runge and Kutta's method: the sum of the squares of what there is at the end.
    fn orbit(y0: [f64; 2], p: [f64; 4], dt: f64, steps: usize) -> f64 {
        let y = fold k in 0..steps from y = y0 { stage(y, p, dt) };
        y[0].powi(2) + y[1].powi(2)
    }
    fn orbit_grad = value_and_grad(orbit, y0, p);

    fn orbit_kept(y0: [f64; 2], p: [f64; 4], dt: f64, steps: usize) -> f64 {
        let y = #[checkpoint(300)] fold k in 0..steps from y = y0 { stage(y, p, dt) };
        y[0].powi(2) + y[1].powi(2)
    }
    fn orbit_kept_grad = value_and_grad(orbit_kept, y0, p);

    fn orbit_twice(y0: [f64; 2], p: [f64; 4], dt: f64, steps: usize) -> f64 {
        let y = #[checkpoint(2000, 40)] fold k in 0..steps from y = y0 { stage(y, p, dt) };
        y[0].powi(2) + y[1].powi(2)
    }
    fn orbit_twice_grad = value_and_grad(orbit_twice, y0, p);

    fn orbit_root(y0: [f64; 2], p: [f64; 4], dt: f64, steps: usize) -> f64 {
        let y = #[checkpoint(sqrt)] fold k in 0..steps from y = y0 { stage(y, p, dt) };
        y[0].powi(2) + y[1].powi(2)
    }
    fn orbit_root_grad = value_and_grad(orbit_root, y0, p);

    /// A network of which states of different times meet, and rows leave it.
    fn network<n, m>(x: [f64; n, m], w: [f64; m, m], h0: [f64; m]) -> f64 {
        let h = #[checkpoint(4)] rec t in 0..n {
            for i in 0..m { (x[t, i] + if t >= 1 { sum j { w[i, j] * h[t - 1, j] } } else { h0[i] } + if t >= 3 { 0.3 * h[t - 3, i] } else { 0.0 }).tanh() }
        };
        sum t, i { h[t, i] * x[t, i] }
    }
    fn network_grad = value_and_grad(network);
    fn network_plain<n, m>(x: [f64; n, m], w: [f64; m, m], h0: [f64; m]) -> f64 {
        let h = rec t in 0..n {
            for i in 0..m { (x[t, i] + if t >= 1 { sum j { w[i, j] * h[t - 1, j] } } else { h0[i] } + if t >= 3 { 0.3 * h[t - 3, i] } else { 0.0 }).tanh() }
        };
        sum t, i { h[t, i] * x[t, i] }
    }
    fn network_plain_grad = value_and_grad(network_plain);

    /// What will be paid, as it is worth now: from the last payment to the first.
    fn worth<n>(paid: [f64; n], rate: [f64; n]) -> f64 {
        #[checkpoint(sqrt)]
        fold t in (0..n).rev() from v = 0.0 { (v + paid[t]) / (1.0 + rate[t] * v.tanh()) }
    }
    fn worth_grad = value_and_grad(worth);
    fn worth_plain<n>(paid: [f64; n], rate: [f64; n]) -> f64 {
        fold t in (0..n).rev() from v = 0.0 { (v + paid[t]) / (1.0 + rate[t] * v.tanh()) }
    }
    fn worth_plain_grad = value_and_grad(worth_plain);
}

const P: [f64; 4] = [1.1, 0.4, 0.1, 0.4];
const DT: f64 = 1e-3;
const STEPS: usize = 100_000;

/// What a call allocates at most at one time, in bytes.
fn bytes<T>(run: impl FnOnce() -> T) -> (T, u64) {
    let mut out = None;
    let most = allocation_counter::measure(|| out = Some(run())).bytes_max;
    (out.expect("it ran"), most)
}

#[test]
fn a_long_orbit_needs_little_memory() {
    let gradient = |y0: [f64; 2], p: [f64; 4]| orbit_grad(&y0, &p, DT, STEPS).unwrap();
    let y0 = [10.0, 5.0];
    let ((value, (dy, dp)), all) = bytes(|| gradient(y0, P));
    let (kept, few) = bytes(|| orbit_kept_grad(&y0, &P, DT, STEPS).unwrap());
    let (twice, fewer) = bytes(|| orbit_twice_grad(&y0, &P, DT, STEPS).unwrap());
    let (root, little) = bytes(|| orbit_root_grad(&y0, &P, DT, STEPS).unwrap());
    for (again, (again_y, again_p)) in [&kept, &twice, &root] {
        assert_eq!(*again, value);
        close(again_y, &dy, 1e-12);
        close(again_p, &dp, 1e-12);
    }
    // A state is two numbers of eight bytes, and a step keeps some twenty for its partials.
    assert!(all > 8 * 10 * STEPS as u64, "{all}");
    assert!(few < 8 * (2 * STEPS as u64 / 300 + 300 * 30), "{few}");
    assert!(fewer < 8 * (2 * STEPS as u64 / 2000 + 2 * 2000 + 40 * 30), "{fewer}");
    // The root of so many steps is 317, rounded up.
    assert!(little < 8 * (2 * 317 + 317 * 30), "{little}");
    let by_differences = differences(&y0, |y| orbit(&[y[0], y[1]], &P, DT, STEPS).unwrap());
    close(&dy, &by_differences, 1e-5);
    let by_differences = differences(&P, |p| orbit(&y0, &[p[0], p[1], p[2], p[3]], DT, STEPS).unwrap());
    close(&dp, &by_differences, 1e-5);
}

#[test]
fn rows_of_different_times() {
    for n in [0, 1, 2, 3, 4, 5, 8, 11, 12, 13] {
        let (m, numbers) =
            (3, |n: usize, by: f64| (0..n).map(|k| (k as f64 * by).sin()).collect::<Vec<f64>>());
        let (x, w, h0) = (numbers(n * m, 0.7), numbers(m * m, 1.3), numbers(m, 0.4));
        let (x, w) = (&(&x[..], [n, m]), &(&w[..], [m, m]));
        let (value, (dx, dw, dh)) = network_grad(x, w, &h0).unwrap();
        let (plain, (plain_x, plain_w, plain_h)) = network_plain_grad(x, w, &h0).unwrap();
        assert_eq!(value, plain, "{n}");
        close(dx.as_slice().unwrap(), plain_x.as_slice().unwrap(), 1e-13);
        close(dw.as_slice().unwrap(), plain_w.as_slice().unwrap(), 1e-13);
        close(dh.as_slice().unwrap(), plain_h.as_slice().unwrap(), 1e-13);
    }
}

#[test]
fn from_the_last_time_to_the_first() {
    for n in [0, 1, 2, 3, 4, 9, 10, 17] {
        let paid: Vec<f64> = (0..n).map(|t| (t as f64 * 0.9).cos()).collect();
        let rate: Vec<f64> = (0..n).map(|t| 0.1 + 0.05 * (t as f64 * 1.7).sin()).collect();
        let (value, (by_paid, by_rate)) = worth_grad(&paid, &rate).unwrap();
        let (plain, (plain_paid, plain_rate)) = worth_plain_grad(&paid, &rate).unwrap();
        assert_eq!(value, plain, "{n}");
        close(by_paid.as_slice().unwrap(), plain_paid.as_slice().unwrap(), 1e-13);
        close(by_rate.as_slice().unwrap(), plain_rate.as_slice().unwrap(), 1e-13);
    }
}
