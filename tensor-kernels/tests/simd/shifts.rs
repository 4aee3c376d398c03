//! Sums of shifted vectors against the terms one by one.

use super::memory::lanes;
use super::numbers::Number;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tensor_kernels::simd::{Lane, Lanes, correlate};

/// All lengths about those of vectors, all strides: small whole numbers, so that every order of the terms gives the same bits.
pub fn shifts<T: Number, I: Lanes<T>, V: Lane<T, Isa = I>>(isa: I) {
    let mut lengths: Vec<usize> = (0..40).collect();
    for w in [V::WIDTH, V::Part::WIDTH] {
        lengths.extend([2 * w - 1, 2 * w, 2 * w + 1, 3 * w, 5 * w + 3]);
    }
    for (round, &len) in lengths.iter().enumerate() {
        let stride = [1, -1, 0, 2, -3][round % 5];
        let (at, gap) = (round % 7, round % 3);
        let from: Vec<T> = (0..at + len + V::WIDTH + gap).map(|k| T::of((k * 7 % 23) as f64 - 9.0)).collect();
        let way = stride * len.saturating_sub(1) as isize;
        let by_at = if way < 0 { gap + way.unsigned_abs() } else { gap };
        let by: Vec<T> =
            (0..1 + gap + way.unsigned_abs()).map(|k| T::of((k * 5 % 11) as f64 - 4.0)).collect();
        let start = V::iota(isa, 3, 2);
        let found = lanes(correlate::<T, I, V>(isa, start, len, &from, at, &by, by_at, stride));
        for (l, found) in found.into_iter().enumerate() {
            let term = |k: usize| by[by_at.wrapping_add_signed(stride * k as isize)] * from[at + k + l];
            let expected = (0..len).fold(T::of((3 + 2 * l) as f64), |sum, k| sum + term(k));
            assert!(found.same() == expected.same(), "{} terms by {stride}, lane {l} of {}", len, V::WIDTH);
        }
    }
    // One element less of either is too few.
    let (from, by) = (vec![T::ONE; 50 + V::WIDTH], vec![T::ONE; 50]);
    let panics = |from: &[T], by: &[T]| {
        let zero = V::splat(isa, T::ZERO);
        catch_unwind(AssertUnwindSafe(|| lanes(correlate::<T, I, V>(isa, zero, 50, from, 1, by, 0, 1))))
            .is_err()
    };
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let seen = [panics(&from, &by), panics(&from[1..], &by), panics(&from, &by[1..])];
    std::panic::set_hook(hook);
    assert_eq!(seen, [false, true, true], "of {} lanes", V::WIDTH);
}
