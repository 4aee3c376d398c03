//! Eight vectors at once: rows of memory, and columns of them.

use super::memory::lanes;
use super::numbers::{Number, numbers};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tensor_kernels::simd::{Lane, Lanes, symmetrize_square};

fn bits<T: Number>(all: &[T]) -> Vec<u64> {
    all.iter().map(|x| x.same()).collect()
}

/// The result, or an error where it panics, without its message.
fn quietly<R>(f: impl FnOnce() -> R) -> std::thread::Result<R> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let result = catch_unwind(AssertUnwindSafe(f));
    std::panic::set_hook(hook);
    result
}

/// Where element `k` of row `l` is, for so many rows of so many elements, if all are in range.
fn places(len: usize, at: usize, stride: usize, (rows, width): (usize, usize)) -> Option<Vec<usize>> {
    let all = (0..rows).flat_map(|l| (0..width).map(move |k| (l, k)));
    all.map(|(l, k)| at.checked_add(l.checked_mul(stride)?)?.checked_add(k).filter(|p| *p < len)).collect()
}

/// Loads and stores of eight vectors with so many lanes, within range and out of it: nothing else is written.
pub fn eights<T: Number, V: Lane<T>>(isa: V::Isa, there: usize) {
    let from: Vec<T> = numbers(31, 11 * V::WIDTH.max(8) + 9);
    let n = from.len();
    let mark = T::of(42.0);
    let strides = [8, 9, 11, V::WIDTH.max(8), usize::MAX / 8, usize::MAX];
    let starts = [0, 1, 7, n / 2, n.saturating_sub(8), n - 1, n, usize::MAX - 3];
    for (at, stride) in starts.into_iter().flat_map(|at| strides.map(|stride| (at, stride))) {
        for count in 0..=there + 1 {
            let most = count.min(there);
            let run = quietly(|| V::gather_eight(isa, &from, at, stride, count));
            let rows = places(n, at, stride, (most, 8));
            assert_eq!(run.is_ok(), rows.is_some(), "{most} rows from {at} by {stride}");
            let (Ok(all), Some(rows)) = (run, rows) else { continue };
            for (k, v) in all.iter().enumerate() {
                let expected: Vec<T> = (0..most).map(|l| from[rows[8 * l + k]]).collect();
                assert_eq!(bits(&lanes(*v)[..most]), bits(&expected), "{k} of {most} from {at} by {stride}");
            }
            let mut to = vec![mark; n];
            V::scatter_eight(all, &mut to, at, stride, count);
            let mut expected = vec![mark; n];
            rows.iter().for_each(|p| expected[*p] = from[*p]);
            assert_eq!(bits(&to), bits(&expected), "{most} rows to {at} by {stride}");
        }
        let all: [V; 8] = std::array::from_fn(|k| V::splat(isa, T::of(k as f64)));
        let rows = places(n, at, stride, (8, there));
        let mut expected = vec![mark; n];
        if let Some(rows) = &rows {
            rows.iter().enumerate().for_each(|(p, to)| expected[*to] = T::of((p / there.max(1)) as f64));
        }
        for (name, store) in [("stores", true), ("scatters", false)] {
            let mut to = vec![mark; n];
            let run = quietly(|| {
                if store {
                    V::store_eight(all, &mut to, at, stride)
                } else {
                    V::scatter_eight(all, &mut to, at, stride, there)
                }
            });
            let rows = if store { rows.clone() } else { places(n, at, stride, (there, 8)) };
            if there > 0 {
                assert_eq!(run.is_ok(), rows.is_some(), "{name} from {at} by {stride}");
            }
            let untouched = vec![mark; n];
            match (store, rows.is_some()) {
                (true, true) if stride >= there => {
                    assert_eq!(bits(&to), bits(&expected), "{name} from {at} by {stride}");
                }
                // Of what overlaps, any stays.
                (true, true) => {}
                (false, true) => {}
                (_, false) => assert_eq!(bits(&to), bits(&untouched), "{name} from {at} by {stride}"),
            }
        }
    }
}

/// What is above the diagonal of a square is also what is below, and all else stays.
pub fn squares<T: Number, I: Lanes<T>>(isa: I) {
    let from: Vec<T> = numbers(32, 200);
    for (at, stride) in [(0, 8), (3, 9), (11, 20), (1, 27)] {
        let mut c = from.clone();
        symmetrize_square(isa, &mut c, at, stride);
        let mut expected = from.clone();
        for (i, j) in (0..8).flat_map(|i| (0..i).map(move |j| (i, j))) {
            expected[at + i * stride + j] = from[at + j * stride + i];
        }
        assert_eq!(bits(&c), bits(&expected));
    }
    for (at, stride) in [(193, 8), (0, 28), (usize::MAX, 8), (0, usize::MAX)] {
        let mut c = from.clone();
        let run = quietly(|| symmetrize_square(isa, &mut c, at, stride));
        assert!(run.is_err() && bits(&c) == bits(&from), "from {at} by {stride}");
    }
}
