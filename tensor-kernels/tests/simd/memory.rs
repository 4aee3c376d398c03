//! Loads and stores of every kind, within range and out of it.

use super::numbers::{Number, numbers};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tensor_kernels::simd::Lane;

fn same<T: Number>(a: &[T], b: &[T]) {
    assert_eq!(
        a.iter().map(|x| x.same()).collect::<Vec<_>>(),
        b.iter().map(|x| x.same()).collect::<Vec<_>>()
    );
}

/// The lanes, read by an own way: as a cell, which lies in memory as numbers do.
pub fn lanes<T: Number, V: Lane<T>>(v: V) -> Vec<T> {
    let mut work = vec![T::ZERO; V::WIDTH];
    v.set(&mut V::cells(&mut work)[0]);
    work
}

/// All places of a slice for all strides that fit.
pub fn in_range<T: Number, V: Lane<T>>(isa: V::Isa) {
    let w = V::WIDTH;
    let from: Vec<T> = numbers(1, 4 * w + 3);
    let n = from.len();
    for at in 0..n {
        let ahead: Vec<T> = from[at..].iter().copied().take(w).collect();
        let behind: Vec<T> = from[..=at].iter().rev().copied().take(w).collect();
        if ahead.len() == w {
            same(&lanes(V::load(isa, &from, at)), &ahead);
            stored::<T, V>(&from, |to| V::load(isa, &from, at).store(to, at), |l| at + l);
        }
        for count in 0..=w + 2 {
            let most = count.min(w);
            if at + most <= n {
                let mut part = from[at..at + most].to_vec();
                part.resize(w, T::ZERO);
                same(&lanes(V::load_part(isa, &from, at, count)), &part);
                let mut to = vec![T::of(42.0); n];
                V::load_part(isa, &from, at, count).store_part(&mut to, at, count);
                let mut expected = vec![T::of(42.0); n];
                expected[at..at + most].copy_from_slice(&part[..most]);
                same(&to, &expected);
            }
        }
        if behind.len() == w {
            same(&lanes(V::load_back(isa, &from, at)), &behind);
            stored::<T, V>(&from, |to| V::load_back(isa, &from, at).store_back(to, at), |l| at - l);
        }
        apart::<T, V, 1>(isa, &from, at);
        apart::<T, V, 2>(isa, &from, at);
        apart::<T, V, 3>(isa, &from, at);
        apart::<T, V, 4>(isa, &from, at);
        apart::<T, V, 5>(isa, &from, at);
        for stride in -4..=4_isize {
            let places: Option<Vec<usize>> =
                (0..w).map(|l| at.checked_add_signed(l as isize * stride).filter(|&p| p < n)).collect();
            if let Some(places) = places {
                let expected: Vec<T> = places.iter().map(|&p| from[p]).collect();
                same(&lanes(V::gather(isa, &from, at, stride)), &expected);
                stored::<T, V>(
                    &from,
                    |to| V::gather(isa, &from, at, stride).scatter(to, at, stride),
                    |l| places[l],
                );
            }
        }
    }
    let mut work = from.clone();
    let cells = V::cells(&mut work);
    assert_eq!(cells.len(), n / w);
    for (k, cell) in cells.iter_mut().enumerate() {
        same(&lanes(V::get(isa, cell)), &from[k * w..][..w]);
        V::splat(isa, T::of(k as f64)).set(cell);
    }
    for (k, chunk) in work[..n / w * w].chunks(w).enumerate() {
        same(chunk, &vec![T::of(k as f64); w]);
    }
    same(&work[n / w * w..], &from[n / w * w..]);
}

/// Numbers by a stride that is known, where they are in range.
fn apart<T: Number, V: Lane<T>, const STRIDE: usize>(isa: V::Isa, from: &[T], at: usize) {
    let from = &from[..from.len().min(at + STRIDE * V::WIDTH)];
    if at + STRIDE * (V::WIDTH - 1) < from.len() {
        let expected: Vec<T> = from[at..].iter().copied().step_by(STRIDE).take(V::WIDTH).collect();
        let all = V::gather_by::<STRIDE>(isa, from, at);
        same(&lanes(all), &expected);
        stored::<T, V>(from, |to| all.scatter_by::<STRIDE>(to, at), |l| at + l * STRIDE);
    }
}

/// What is stored comes to the places where it was, and nowhere else.
fn stored<T: Number, V: Lane<T>>(from: &[T], store: impl FnOnce(&mut [T]), place: impl Fn(usize) -> usize) {
    let mark = T::of(42.0);
    let mut to = vec![mark; from.len()];
    store(&mut to);
    let mut expected = vec![mark; from.len()];
    for l in 0..V::WIDTH {
        expected[place(l)] = from[place(l)];
    }
    same(&to, &expected);
}

/// Every access that leaves the slice panics, also where the arithmetic of places would overflow.
pub fn out_of_range<T: Number, V: Lane<T>>(isa: V::Isa) {
    let w = V::WIDTH;
    let n = 2 * w + 1;
    let from: Vec<T> = numbers(2, n);
    let v = V::splat(isa, T::ONE);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|panic| {
        if !panic.to_string().contains("lanes from") {
            eprintln!("{panic}");
        }
    }));
    let panics = |what: &dyn Fn(&mut [T])| {
        let mut to = from.clone();
        catch_unwind(AssertUnwindSafe(|| what(&mut to))).is_err()
    };
    let mut allowed = Vec::new();
    let mut expect = |name, at: usize, stride: isize, panicked: bool| {
        if !panicked {
            allowed.push(format!("{name} at {at} by {stride}"));
        }
    };
    for at in [n - w + 1, n, n + 1, usize::MAX - w + 1, usize::MAX - 1, usize::MAX, isize::MAX as usize] {
        expect("load", at, 1, panics(&|_| drop(lanes(V::load(isa, &from, at)))));
        expect("store", at, 1, panics(&|to| v.store(to, at)));
    }
    for (at, count) in
        [(n - w + 1, w), (n, 1), (n - 1, 2.max(w)), (n + 1, 0), (usize::MAX, 1), (usize::MAX - w, w)]
    {
        let out = w > 1 || at >= n;
        expect("load_part", at, 1, panics(&|_| drop(lanes(V::load_part(isa, &from, at, count)))) == out);
        expect("store_part", at, 1, panics(&|to| v.store_part(to, at, count)) == out);
    }
    let before = if w > 1 { w - 2 } else { n };
    for at in [before, n, n + w, usize::MAX - w, usize::MAX] {
        expect("load_back", at, -1, panics(&|_| drop(lanes(V::load_back(isa, &from, at)))));
        expect("store_back", at, -1, panics(&|to| v.store_back(to, at)));
    }
    let far = isize::MAX / (w as isize + 1) * 2;
    for (at, stride) in [
        (n, 0),
        (n, -1),
        (n - 1, 1),
        (0, -1),
        (2, 3),
        (n - 2, -3),
        (0, far),
        (1, -far),
        (1, isize::MIN),
        (1, isize::MAX),
    ] {
        let out = at >= n || w > 1;
        let (load, store) = (
            panics(&|_| drop(lanes(V::gather(isa, &from, at, stride)))),
            panics(&|to| v.scatter(to, at, stride)),
        );
        expect("gather", at, stride, load == out);
        expect("scatter", at, stride, store == out);
    }
    macro_rules! by {
        ($($stride:literal)*) => { $(
            for at in [(n + 1).saturating_sub($stride * (w - 1) + 1), n, usize::MAX] {
                let load = panics(&|_| drop(lanes(V::gather_by::<$stride>(isa, &from, at))));
                expect("gather_by", at, $stride, load);
                expect("scatter_by", at, $stride, panics(&|to| v.scatter_by::<$stride>(to, at)));
            }
        )* };
    }
    by! { 1 2 3 4 5 }
    for from in [&[][..], &from[..w - 1]] {
        expect("load", 0, 1, panics(&|_| drop(lanes(V::load(isa, from, 0)))));
    }
    std::panic::set_hook(hook);
    assert!(allowed.is_empty(), "of {w} lanes, did not panic as they should: {allowed:?}");
}

/// `iota` is exact or the nearest number, at small and at huge indices.
pub fn iota<T: Number, V: Lane<T>>(isa: V::Isa) {
    let edges = [
        0,
        1,
        -1,
        7,
        -100,
        (1 << 23) - 3,
        1 << 24,
        (1 << 24) + 1,
        (1 << 52) - 3,
        (1 << 53) + 1,
        isize::MAX / 64,
        -(1 << 60),
    ];
    for first in edges {
        for step in [1, 0, -1, 3, (1 << 20) + 1, 1 << 40, isize::MAX / 64] {
            let expected: Vec<T> = (0..V::WIDTH as isize)
                .map(|l| T::from_index(first.wrapping_add(step.wrapping_mul(l))))
                .collect();
            same(&lanes(V::iota(isa, first, step)), &expected);
        }
    }
}
