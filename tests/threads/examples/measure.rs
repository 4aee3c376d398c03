//! Times with one thread and with two: medians of interleaved runs.
//!
//! `cargo run --release --manifest-path tests/threads/Cargo.toml --example measure`

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::hint::black_box;
use std::time::Instant;
use tensor_rt::Workspace;
use tensor_threads as t;

/// How often each is run.
const RUNS: usize = 15;

fn numbers(n: usize) -> Vec<f64> {
    let mut rng = fastrand::Rng::with_seed(n as u64);
    (0..n).map(|_| 2.0 * rng.f64() - 1.0).collect()
}

/// Of one call; of several in a row where one is short.
fn milliseconds<R>(run: &mut impl FnMut() -> R, calls: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        black_box(run());
    }
    start.elapsed().as_secs_f64() * 1e3 / f64::from(calls)
}

/// One row of the table.
fn row<R>(name: &str, pools: &[ThreadPool], mut run: impl FnMut() -> R + Send) {
    let mut times = vec![vec![]; pools.len()];
    // The first call has to get memory; then one takes so long that a millisecond has so many.
    run();
    let one = milliseconds(&mut run, 1);
    let calls = (1.0 / one).clamp(1.0, 1e5) as u32;
    for round in 0..=RUNS {
        for (pool, times) in pools.iter().zip(&mut times) {
            let time = pool.install(|| milliseconds(&mut run, calls));
            // The first round warms up.
            if round > 0 {
                times.push(time);
            }
        }
    }
    let medians: Vec<f64> = times
        .iter_mut()
        .map(|t| {
            t.sort_by(f64::total_cmp);
            t[t.len() / 2]
        })
        .collect();
    let least: Vec<f64> = times.iter().map(|t| t[0]).collect();
    println!(
        "{name:<34} {:>10.5} {:>10.5} {:>6.2}   {:>10.5} {:>10.5} {:>6.2}",
        medians[0],
        medians[1],
        medians[0] / medians[1],
        least[0],
        least[1],
        least[0] / least[1]
    );
}

/// Calls from far too short to be cut to just long enough: two threads must not be slower.
fn short(n: usize, pools: &[ThreadPool], work: &mut Workspace<f64>) {
    let (x, y, mut out) = (numbers(n), numbers(n + 1)[1..].to_vec(), vec![0.0; n]);
    row(&format!("dot, {n}"), pools, || t::dot_into(&x, &y, work).unwrap());
    row(&format!("exp sin, {n}"), pools, || t::elementwise_into(&x, &mut out, work).unwrap());
    let side = n.isqrt();
    let (a, shape) = (numbers(side * side), [side, side]);
    let (mut grad, mut product) = (vec![0.0; a.len()], vec![0.0; a.len()]);
    row(&format!("5-point gradient, {side}^2"), pools, || {
        t::stencil_grad_into(&(&a[..], shape), &mut (&mut grad[..], shape), work).unwrap()
    });
    if side <= 320 {
        row(&format!("product, {side}"), pools, || {
            t::product_into(&(&a[..], shape), &(&a[..], shape), &mut (&mut product[..], shape), work)
                .unwrap();
        });
    }
    let m = 16;
    let (w, mut w_bar) = (numbers(m), vec![0.0; m]);
    let signal = numbers(n + m - 1);
    row(&format!("convolution by the kernel, {n}"), pools, || {
        t::misfit_by_w_into(&signal, &w, &y, &mut w_bar, work).unwrap()
    });
}

fn main() {
    let pool = |n| ThreadPoolBuilder::new().num_threads(n).build().expect("a pool");
    let pools = [pool(1), pool(2)];
    let work = &mut Workspace::new();
    println!("{:<34} {:>28}   {:>28}", "", "median ms: 1, 2, ratio", "least ms: 1, 2, ratio");
    for n in [100, 1_000, 10_000, 100_000, 1_000_000] {
        short(n, &pools, work);
    }

    let (x, y) = (numbers(10_000_000), numbers(10_000_001)[1..].to_vec());
    row("dot, 10^7", &pools, || t::dot_into(&x, &y, work).unwrap());
    let mut out = vec![0.0; x.len()];
    row("exp sin, 10^7", &pools, || t::elementwise_into(&x, &mut out, work).unwrap());

    let (a, n) = (numbers(4096 * 4096), [4096, 4096]);
    let (x, y_bar) = (numbers(4096), numbers(4097)[1..].to_vec());
    let (mut y, mut x_bar, mut a_bar) = (vec![0.0; 4096], vec![0.0; 4096], vec![0.0; a.len()]);
    row("matrix times vector, 4096", &pools, || t::times_into(&(&a[..], n), &x, &mut y, work).unwrap());
    row("its adjoints", &pools, || {
        let by_a = &mut (&mut a_bar[..], n);
        t::times_vjp_into(&(&a[..], n), &x, &y_bar, &mut y, by_a, &mut x_bar, work).unwrap();
    });
    let mut grad = a_bar;
    row("5-point gradient, 4096^2", &pools, || {
        t::stencil_grad_into(&(&a[..], n), &mut (&mut grad[..], n), work).unwrap()
    });

    let (a, b, n) = (numbers(1024 * 1024), numbers(1024 * 1024 + 1)[1..].to_vec(), [1024, 1024]);
    let mut c = vec![0.0; a.len()];
    row("product, 1024", &pools, || {
        t::product_into(&(&a[..], n), &(&b[..], n), &mut (&mut c[..], n), work).unwrap();
    });

    let (n, m) = (4_000_000, 64);
    let (x, w, z) = (numbers(n + m - 1), numbers(m), numbers(n));
    let (mut x_bar, mut w_bar) = (vec![0.0; x.len()], vec![0.0; m]);
    row("convolution, m 64, n 4*10^6", &pools, || t::misfit_into(&x, &w, &z, work).unwrap());
    row("its gradient by the signal", &pools, || t::misfit_by_x_into(&x, &w, &z, &mut x_bar, work).unwrap());
    row("its gradient by the kernel", &pools, || t::misfit_by_w_into(&x, &w, &z, &mut w_bar, work).unwrap());

    let (n, k, d, packed) = (10_000, 25, 10, 45);
    let (alpha, mu, q, l, x) =
        (numbers(k), numbers(k * d), numbers(k * d), numbers(k * packed), numbers(n * d));
    let (mu, q, l, x) = ((&mu[..], [k, d]), (&q[..], [k, d]), (&l[..], [k, packed]), (&x[..], [n, d]));
    row("mixture, d 10, k 25, n 10^4", &pools, || t::mixture_into(&alpha, &mu, &q, &l, &x, work).unwrap());
    let (mut by_alpha, mut by_mu, mut by_q, mut by_l) =
        (vec![0.0; k], vec![0.0; k * d], vec![0.0; k * d], vec![0.0; k * packed]);
    row("its value and gradient", &pools, || {
        let (by_mu, by_q) = (&mut (&mut by_mu[..], [k, d]), &mut (&mut by_q[..], [k, d]));
        let by_l = &mut (&mut by_l[..], [k, packed]);
        t::mixture_grad_into(&alpha, &mu, &q, &l, &x, &mut by_alpha, by_mu, by_q, by_l, work).unwrap()
    });
}
