//! The same bits with any number of threads, near a reference; and memory only where a call is cut.
#![forbid(unsafe_code)]

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::LazyLock;
use tensor_rt::Workspace;
use tensor_threads as t;

static POOLS: LazyLock<Vec<ThreadPool>> = LazyLock::new(|| {
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    (1..4).map(pool).collect()
});

/// What a program gives, by any number of threads and whenever it is asked.
fn same_bits(run: impl Fn() -> Vec<f64> + Sync) -> Vec<f64> {
    let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let first = POOLS[0].install(&run);
    for pool in POOLS.iter().chain(&*POOLS) {
        assert!(bits(&pool.install(&run)) == bits(&first));
    }
    first
}

fn random(n: usize, seed: u64) -> Vec<f64> {
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..n).map(|_| 2.0 * rng.f64() - 1.0).collect()
}

fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    let scale = expected.iter().fold(1.0_f64, |a, x| a.max(x.abs()));
    for (k, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f - e).abs() <= 1e-11 * scale, "{f} for {e} at {k}");
    }
}

/// A number, and an array or two after it.
fn flat(value: f64, arrays: &[&[f64]]) -> Vec<f64> {
    let mut all = vec![value];
    arrays.iter().for_each(|a| all.extend(*a));
    all
}

#[test]
fn sums_and_rows_of_one_element() {
    let (x, y) = (random(5_000_000, 1), random(5_000_000, 2));
    let found = same_bits(|| {
        let (value, grad) = t::square_grad(&x).unwrap();
        flat(value, &[grad.as_slice().unwrap()])
    });
    let double: Vec<f64> = x.iter().map(|x| 2.0 * x).collect();
    assert_near(&found, &flat(x.iter().map(|x| x * x).sum(), &[&double]));
    let found = same_bits(|| vec![t::dot(&x, &y).unwrap(), t::square(&x).unwrap()]);
    let products = x.iter().zip(&y).map(|(x, y)| x * y).sum();
    assert_near(&found, &[products, x.iter().map(|x| x * x).sum()]);
}

#[test]
fn element_by_element() {
    let x = random(1_000_003, 3);
    let found = same_bits(|| t::elementwise(&x).unwrap().to_vec());
    let expected: Vec<f64> = x.iter().map(|x| x.exp() * x.sin()).collect();
    assert_near(&found, &expected);
}

#[test]
fn single_precision() {
    let x: Vec<f32> = random(3_000_000, 4).into_iter().map(|x| x as f32).collect();
    let found = same_bits(|| {
        let (value, grad) = t::single::sum_grad(&x).unwrap();
        std::iter::once(value).chain(grad).map(f64::from).collect()
    });
    let value: f64 = x.iter().map(|&x| f64::from(x)).map(|x| x.exp() * x * x).sum();
    assert!((found[0] - value).abs() < 1e-4 * value);
    assert_eq!(found.len(), 1 + x.len());
    for (g, &x) in found[1..].iter().zip(&x) {
        let x = f64::from(x);
        assert!((g - x.exp() * (x * x + 2.0 * x)).abs() < 1e-5);
    }
}

#[test]
fn extremes() {
    let mut x = random(5_000_000, 5);
    x[4_321_000] = 7.0;
    x[17] = f64::NAN;
    assert_eq!(same_bits(|| vec![t::largest(&x).unwrap()]), [7.0]);
    x[17] = 0.0;
    let found = same_bits(|| {
        let (value, grad) = t::soft_grad(&x).unwrap();
        flat(value, &[grad.as_slice().unwrap()])
    });
    let sum: f64 = x.iter().map(|x| x.exp()).sum();
    let shares: Vec<f64> = x.iter().map(|x| x.exp() / sum).collect();
    assert_near(&found, &flat(sum.ln(), &[&shares]));
}

#[test]
fn convolutions() {
    for (n, m) in [(300_001, 33), (200, 5_000), (30_000, 1_100)] {
        let (x, w, z) = (random(n + m - 1, 6), random(m, 7), random(n, 8));
        let (mut value, mut by_x, mut by_w) = (0.0, vec![0.0; x.len()], vec![0.0; m]);
        for i in 0..n {
            let r = x[i..].iter().zip(&w).map(|(x, w)| x * w).sum::<f64>() - z[i];
            value += r * r;
            for j in 0..m {
                by_x[i + j] += 2.0 * r * w[j];
                by_w[j] += 2.0 * r * x[i + j];
            }
        }
        let found = same_bits(|| {
            let (value, grad) = t::misfit_by_x(&x, &w, &z).unwrap();
            flat(value, &[grad.as_slice().unwrap()])
        });
        assert_near(&found, &flat(value, &[&by_x]));
        let found = same_bits(|| {
            let (value, grad) = t::misfit_by_w(&x, &w, &z).unwrap();
            flat(value, &[grad.as_slice().unwrap()])
        });
        assert_near(&found, &flat(value, &[&by_w]));
        let found = same_bits(|| {
            let (value, (x, w)) = t::misfit_grad(&x, &w, &z).unwrap();
            flat(value, &[x.as_slice().unwrap(), w.as_slice().unwrap()])
        });
        assert_near(&found, &flat(value, &[&by_x, &by_w]));
    }
}

#[test]
fn matrices_times_vectors() {
    // The second has rows left over.
    for (n, m) in [(3_000, 800), (4_003, 1_001), (200_000, 8)] {
        let (a, x, y_bar) = (random(n * m, 9), random(m, 10), random(n, 11));
        let a_view = (&a[..], [n, m]);
        let y: Vec<f64> = a.chunks(m).map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
        assert_near(&same_bits(|| t::times(&a_view, &x).unwrap().to_vec()), &y);
        let (mut a_bar, mut x_bar) = (vec![], vec![0.0; m]);
        for (row, y_bar) in a.chunks(m).zip(&y_bar) {
            a_bar.extend(x.iter().map(|x| x * y_bar));
            x_bar.iter_mut().zip(row).for_each(|(x_bar, a)| *x_bar += a * y_bar);
        }
        let found = same_bits(|| {
            let (value, (by_a, by_x)) = t::times_vjp(&a_view, &x, &y_bar).unwrap();
            [value.as_slice().unwrap(), by_a.as_slice().unwrap(), by_x.as_slice().unwrap()].concat()
        });
        assert_near(&found, &[y, a_bar, x_bar].concat());
    }
}

/// `A B`, or with transposed factors.
fn product(
    a: &dyn Fn(usize, usize) -> f64,
    b: &dyn Fn(usize, usize) -> f64,
    n: usize,
    m: usize,
    k: usize,
) -> Vec<f64> {
    let b: Vec<f64> = (0..k * m).map(|at| b(at / m, at % m)).collect();
    let mut c = vec![0.0; n * m];
    for (i, row) in c.chunks_mut(m).enumerate() {
        for l in 0..k {
            let x = a(i, l);
            row.iter_mut().zip(&b[l * m..]).for_each(|(c, b)| *c += x * b);
        }
    }
    c
}

#[test]
fn products_of_matrices() {
    for (n, m, k) in [(500, 300, 400), (3_000, 10, 700), (10, 3_000, 700), (1_201, 131, 257)] {
        let (a, b, c_bar) = (random(n * k, 12), random(k * m, 13), random(n * m, 14));
        let (a_view, b_view, c_bar_view) = ((&a[..], [n, k]), (&b[..], [k, m]), (&c_bar[..], [n, m]));
        let found = same_bits(|| {
            let (c, (by_a, by_b)) = t::product_vjp(&a_view, &b_view, &c_bar_view).unwrap();
            [c.as_slice().unwrap(), by_a.as_slice().unwrap(), by_b.as_slice().unwrap()].concat()
        });
        let (at_a, at_b) = (|i: usize, l: usize| a[i * k + l], |l: usize, j: usize| b[l * m + j]);
        let at_c = |i: usize, j: usize| c_bar[i * m + j];
        let by_a = product(&at_c, &|j, l| at_b(l, j), n, k, m);
        let by_b = product(&|l, i| at_a(i, l), &at_c, k, m, n);
        assert_near(&found, &[product(&at_a, &at_b, n, m, k), by_a, by_b].concat());
        assert_eq!(same_bits(|| t::product(&a_view, &b_view).unwrap().into_iter().collect()), found[..n * m]);
    }
}

#[test]
fn differences_of_neighbours() {
    let (h, w) = (1_001, 700);
    let x = random(h * w, 15);
    let (mut value, mut grad) = (0.0, vec![0.0; h * w]);
    for j in 0..h {
        for i in 0..w {
            let at = j * w + i;
            for (inside, next) in [(i + 1 < w, at + 1), (j + 1 < h, at + w)] {
                if inside {
                    let d = x[next] - x[at];
                    value += d * d;
                    grad[next] += 2.0 * d;
                    grad[at] -= 2.0 * d;
                }
            }
        }
    }
    let found = same_bits(|| {
        let (value, grad) = t::stencil_grad(&(&x[..], [h, w])).unwrap();
        flat(value, &[grad.as_slice().unwrap()])
    });
    assert_near(&found, &flat(value, &[&grad]));
    assert_near(&same_bits(|| vec![t::stencil(&(&x[..], [h, w])).unwrap()]), &[value]);
}

#[test]
fn copies_for_each_lane() {
    let n = 1_000_000;
    let x = random(2 * n, 16);
    let (mut value, mut grad) = (0.0, vec![0.0; 2 * n]);
    for i in 0..n - 1 {
        let d = [x[2 * i] - x[2 * i + 2], x[2 * i + 1] - x[2 * i + 3]];
        let length = (d[0] * d[0] + d[1] * d[1]).max(1e-6).sqrt();
        value += 3.0 * (length - 1.0).powi(2);
        for (a, d) in d.iter().enumerate().filter(|_| length > 1e-3) {
            let force = 6.0 * (length - 1.0) / length * d;
            grad[2 * i + a] += force;
            grad[2 * i + 2 + a] -= force;
        }
    }
    let found = same_bits(|| {
        let (value, grad) = t::springs_grad(&(&x[..], [n, 2]), 3.0).unwrap();
        flat(value, &[grad.as_slice().unwrap()])
    });
    assert_near(&found, &flat(value, &[&grad]));
}

/// Adds up what a program gives for parts of its rows, each too small to be cut.
fn in_parts(n: usize, part: usize, of: impl Fn(usize, usize) -> Vec<f64>) -> Vec<f64> {
    let parts = (0..n).step_by(part).map(|i| of(i, part.min(n - i)));
    parts.reduce(|a, b| a.iter().zip(&b).map(|(a, b)| a + b).collect()).expect("rows")
}

#[test]
fn scratch_inside_rows() {
    let (n, d, k) = (60_000, 7, 10);
    let (x, w, b, y) = (random(n * d, 17), random(k * d, 18), random(k, 19), random(n * k, 20));
    let rows = |i: usize, n: usize| {
        let (x, y) = ((&x[i * d..][..n * d], [n, d]), (&y[i * k..][..n * k], [n, k]));
        let (value, (w, b)) = t::softmax_grad(&x, &(&w[..], [k, d]), &b, &y).unwrap();
        flat(value, &[w.as_slice().unwrap(), b.as_slice().unwrap()])
    };
    assert_near(&same_bits(|| rows(0, n)), &in_parts(n, 1_000, rows));
}

#[test]
fn all_of_a_mixture() {
    let (n, d, k) = (5_003, 5, 9);
    let packed = d * (d - 1) / 2;
    let (alpha, mu, q, l) = (random(k, 21), random(k * d, 22), random(k * d, 23), random(k * packed, 24));
    let x = random(n * d, 25);
    let points = |i: usize, n: usize| {
        let (mu, q, l) = ((&mu[..], [k, d]), (&q[..], [k, d]), (&l[..], [k, packed]));
        let (value, (alpha, mu, q, l)) =
            t::mixture_grad(&alpha, &mu, &q, &l, &(&x[i * d..][..n * d], [n, d])).unwrap();
        let parts = [alpha.as_slice(), mu.as_slice(), q.as_slice(), l.as_slice()];
        flat(value, &parts.map(Option::unwrap))
    };
    assert_near(&same_bits(|| points(0, n)), &in_parts(n, 50, points));
}

/// How often `run` allocates, by one thread.
fn allocations(run: impl FnOnce() + Send) -> u64 {
    POOLS[0].install(|| allocation_counter::measure(run).count_total)
}

#[test]
fn only_calls_that_are_cut_allocate() {
    let (m, w) = (16, random(16, 26));
    let mut work = Workspace::new();
    for (n, cut) in [(100, false), (3_000, false), (2_000_000, true)] {
        let (x, z, mut by_w) = (random(n + m - 1, 27), random(n, 28), vec![0.0; m]);
        t::misfit_by_w_into(&x, &w, &z, &mut by_w, &mut work).unwrap();
        let found = allocations(|| {
            t::misfit_by_w_into(&x, &w, &z, &mut by_w, &mut work).unwrap();
        });
        assert_eq!(found > 0, cut, "{found} at {n}");
    }
}

/// The feature is on, and changes nothing for functions that do not ask for it: loops and products that would be cut take no memory.
#[test]
fn functions_without_the_attribute_are_as_if_threads_did_not_exist() {
    let (m, n, w, mut work) = (16, 2_000_000, random(16, 26), Workspace::new());
    let (x, z, mut by_w) = (random(n + m - 1, 27), random(n, 28), vec![0.0; m]);
    let mut run = || t::plain::misfit_by_w_into(&x, &w, &z, &mut by_w, &mut work).unwrap();
    let value = run();
    assert_eq!(allocations(|| assert_eq!(run(), value)), 0);
    let (n, k, mut work) = (500, 400, Workspace::new());
    let (a, b, mut c) = (random(n * k, 29), random(k * n, 30), vec![0.0; n * n]);
    let (a, b) = ((&a[..], [n, k]), (&b[..], [k, n]));
    let mut plain = || t::plain::product_into(&a, &b, &mut (&mut c[..], [n, n]), &mut work).unwrap();
    plain();
    assert_eq!(allocations(plain), 0);
    let mut cut = || t::product_into(&a, &b, &mut (&mut c[..], [n, n]), &mut work).unwrap();
    cut();
    assert!(allocations(cut) > 0);
}
