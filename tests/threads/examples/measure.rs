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

fn milliseconds<R>(run: &mut impl FnMut() -> R) -> f64 {
    let start = Instant::now();
    black_box(run());
    start.elapsed().as_secs_f64() * 1e3
}

/// One row of the table.
fn row<R>(name: &str, pools: &[ThreadPool], mut run: impl FnMut() -> R + Send) {
    let mut times = vec![vec![]; pools.len()];
    for round in 0..=RUNS {
        for (pool, times) in pools.iter().zip(&mut times) {
            let time = pool.install(|| milliseconds(&mut run));
            // The first call has to get memory.
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
        "{name:<34} {:>9.2} {:>9.2} {:>6.2}   {:>9.2} {:>9.2} {:>6.2}",
        medians[0],
        medians[1],
        medians[0] / medians[1],
        least[0],
        least[1],
        least[0] / least[1]
    );
}

fn main() {
    let pool = |n| ThreadPoolBuilder::new().num_threads(n).build().expect("a pool");
    let pools = [pool(1), pool(2)];
    let work = &mut Workspace::new();
    println!("{:<34} {:>26}   {:>26}", "", "median ms: 1, 2, ratio", "least ms: 1, 2, ratio");

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
