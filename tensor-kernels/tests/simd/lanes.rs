//! What vectors compute, lane by lane.

use super::memory::lanes;
use super::numbers::{Number, numbers};
use tensor_kernels::simd::{Lane, Lanes, add_sums};

const COUNT: usize = 4096;

type Named<V> = (&'static str, fn(V, V, V) -> V);

macro_rules! of_table {
    (; $($(#[$doc:meta])* $name:ident $args:tt: $value:ident $of:tt, $lanes:ident, $exact:tt;)*) => {
        /// The functions of the table.
        fn of_table<T: Number, V: Lane<T>>() -> Vec<Named<V>> {
            vec![$((stringify!($name), of_table!(@ $args $name))),*]
        }
    };
    (@ () $name:ident) => { |a, _, _| a.$name() };
    (@ ($arg:ident) $name:ident) => { |a, b, _| a.$name(b) };
}

tensor_kernels::scalar_functions! { of_table }

/// Every function of up to three arguments.
pub fn functions<T: Number, V: Lane<T>>() -> Vec<Named<V>> {
    let own: [Named<V>; 19] = [
        ("add", |a, b, _| a + b),
        ("sub", |a, b, _| a - b),
        ("mul", |a, b, _| a * b),
        ("div", |a, b, _| a / b),
        ("mul_add", |a, b, c| a.mul_add(b, c)),
        ("clamp", |a, b, c| a.clamp(b, c)),
        ("max", |a, _, c| a.max(c)),
        ("min", |a, _, c| a.min(c)),
        ("finite_or_zero", |a, _, _| a.finite_or_zero()),
        ("neg", |a, _, _| -a),
        ("powi 0", |a, _, _| a.powi(0)),
        ("powi 1", |a, _, _| a.powi(1)),
        ("powi 7", |a, _, _| a.powi(7)),
        ("powi -3", |a, _, _| a.powi(-3)),
        ("powi 2^33", |a, _, _| a.powi(1 << 33)),
        ("powi 2^53 + 1", |a, _, _| a.powi((1 << 53) + 1)),
        ("powi min", |a, _, _| a.powi(i64::MIN)),
        ("powi min + 1", |a, _, _| a.powi(i64::MIN + 1)),
        ("map2", |a, b, _| a.map2(b, T::hypot)),
    ];
    own.into_iter().chain(of_table()).collect()
}

/// A lane's bits do not depend on its place or on the width.
pub fn lanes_are_scalars<T: Number, I: Lanes<T>, V: Lane<T, Isa = I>>(isa: I) {
    let [a, b, c] = [1, 2, 3].map(|seed| numbers::<T>(seed, COUNT));
    for ((name, wide), (_, narrow)) in functions::<T, V>().into_iter().zip(functions::<T, I::Scalar>()) {
        for at in (0..COUNT).step_by(V::WIDTH) {
            let [x, y, z] = [&a, &b, &c].map(|from| V::load(isa, from, at));
            for (l, lane) in lanes(wide(x, y, z)).into_iter().enumerate() {
                let [x, y, z] = [&a, &b, &c].map(|from| I::Scalar::load(isa, from, at + l));
                let single = narrow(x, y, z).sum();
                let [x, y, z] = [x, y, z].map(Lane::sum);
                assert!(
                    lane.same() == single.same(),
                    "{} {name}({x:?}, {y:?}, {z:?}) is {single:?} alone, {lane:?} in lane {l} of {}",
                    I::NAME,
                    V::WIDTH
                );
            }
        }
    }
}

/// Comparisons, masks and selection.
pub fn comparisons<T: Number, I: Lanes<T>, V: Lane<T, Isa = I>>(isa: I) {
    let a = numbers::<T>(4, COUNT);
    let mut b = numbers::<T>(5, COUNT);
    for (x, y) in a.iter().zip(&mut b).step_by(3) {
        *y = *x;
    }
    type Compare<T> = fn(&T, &T) -> bool;
    let (one, zero) = (V::splat(isa, T::ONE), V::splat(isa, T::ZERO));
    let (yes, no) = (V::mask(isa, true), V::mask(isa, false));
    for count in (0..=V::WIDTH + 1).chain([1 << 32, usize::MAX / 2 + 1, usize::MAX]) {
        let first = lanes(V::select(V::firsts(isa, count), one, zero));
        assert!(first.iter().enumerate().all(|(l, x)| (*x == T::ONE) == (l < count)), "the first {count}");
    }
    for at in (0..COUNT).step_by(V::WIDTH) {
        let (x, y) = (V::load(isa, &a, at), V::load(isa, &b, at));
        let of =
            |f: fn(&T, &T) -> bool| -> Vec<bool> { (at..at + V::WIDTH).map(|k| f(&a[k], &b[k])).collect() };
        let cases: [(V::Mask, Compare<T>); 11] = [
            (x.lt(y), |x, y| x < y),
            (x.le(y), |x, y| x <= y),
            (x.gt(y), |x, y| x > y),
            (x.ge(y), |x, y| x >= y),
            (x.eq(y), |x, y| x == y),
            (x.ne(y), |x, y| x != y),
            (x.lt(y) | x.eq(y), |x, y| x <= y),
            (x.le(y) & x.ge(y), |x, y| x == y),
            (!x.lt(y), |x, y| !matches!(x.partial_cmp(y), Some(std::cmp::Ordering::Less))),
            (yes, |_, _| true),
            (no, |_, _| false),
        ];
        for (k, (mask, expected)) in cases.into_iter().enumerate() {
            let expected = of(expected);
            let selected = lanes(V::select(mask, one, zero));
            assert!(selected.iter().map(|&s| s == T::ONE).eq(expected.iter().copied()), "comparison {k}");
            assert_eq!(V::any(mask), expected.contains(&true), "any, comparison {k}");
            assert_eq!(V::all(mask), !expected.contains(&false), "all, comparison {k}");
        }
    }
}

/// Sums in their order, the greatest and the least.
pub fn reductions<T: Number, I: Lanes<T>, V: Lane<T, Isa = I>>(isa: I) {
    let a = numbers::<T>(6, COUNT);
    let nan = T::of(f64::NAN);
    for at in (0..COUNT).step_by(V::WIDTH) {
        let v = V::load(isa, &a, at);
        let mut halves = a[at..at + V::WIDTH].to_vec();
        while halves.len() > 1 {
            let (low, high) = halves.split_at(halves.len() / 2);
            halves = low.iter().zip(high).map(|(&x, &y)| x + y).collect();
        }
        assert_eq!(v.sum().same(), halves[0].same(), "sum");
        let there = &a[at..at + V::WIDTH];
        let (greatest, least) = there.iter().fold((nan, nan), |(g, l), &x| (g.max(x), l.min(x)));
        // Of zeros of both signs, either.
        assert_eq!((v.greatest() + T::ZERO).same(), (greatest + T::ZERO).same(), "greatest of {there:?}");
        assert_eq!((v.least() + T::ZERO).same(), (least + T::ZERO).same(), "least of {there:?}");
        if there.iter().all(|x| x.partial_cmp(x).is_some()) {
            let folded = [v.folded_greatest().greatest(), v.folded_least().least()];
            let expected = [v.greatest(), v.least()].map(|x| (x + T::ZERO).same());
            assert_eq!(folded.map(|x| (x + T::ZERO).same()), expected, "folded {there:?}");
        }
    }
    assert_eq!(V::splat(isa, nan).greatest().same(), nan.same());
    assert_eq!(V::splat(isa, nan).least().same(), nan.same());
}

/// Eight sums at a time are those of each, with products and without.
pub fn sums_of_eight<T: Number, I: Lanes<T>, V: Lane<T, Isa = I>>(isa: I) {
    let [a, b] = [10, 11].map(|seed| numbers::<T>(seed, COUNT));
    let start: [T; 8] = std::array::from_fn(|k| T::of(k as f64 - 3.5));
    for at in 0..=COUNT - 8 * V::WIDTH {
        let of = |from: &[T], k: usize| V::load(isa, from, at + k * V::WIDTH);
        let folded: [V::Part; 8] = std::array::from_fn(|k| of(&a, k).folded());
        let zero = V::splat(isa, T::ZERO).folded();
        let products: [V::Part; 8] = std::array::from_fn(|k| of(&a, k).folded_mul_add(of(&b, k), zero));
        for all in [folded, products] {
            let mut to = [T::of(42.0); 10];
            to[1..9].copy_from_slice(&start);
            let sums = V::sums(all);
            add_sums::<T, 8>(&sums, 0, &mut to, 1);
            for ((x, start), v) in to[1..9].iter().zip(start).zip(all) {
                assert_eq!(x.same(), (start + v.sum()).same(), "one sum of 8");
            }
            assert_eq!([to[0].same(), to[9].same()], [T::of(42.0).same(); 2]);
            to[1..5].copy_from_slice(&start[4..]);
            add_sums::<T, 4>(&sums, 4, &mut to, 1);
            for ((x, start), v) in to[1..5].iter().zip(&start[4..]).zip(&all[4..]) {
                assert_eq!(x.same(), (*start + v.sum()).same(), "one of the last 4");
            }
        }
        for (k, v) in folded.iter().enumerate() {
            assert_eq!(v.sum().same(), of(&a, k).sum().same(), "folded");
        }
    }
    // What is small is exact in any order.
    let count = |k: usize| V::iota(isa, k as isize, 1);
    let products: [V::Part; 8] =
        std::array::from_fn(|k| count(k).folded_mul_add(count(1), V::splat(isa, T::ZERO).folded()));
    for (k, x) in V::sums(products).iter().enumerate() {
        let expected: usize = (0..V::WIDTH).map(|l| (k + l) * (1 + l)).sum();
        assert_eq!(x.same(), T::of(expected as f64).same(), "products {k}");
    }
    let mut to = [T::ZERO; 8];
    let short = || add_sums::<T, 8>(&[T::ONE; 8], 0, &mut to, 1);
    let panics = std::panic::catch_unwind(std::panic::AssertUnwindSafe(short));
    assert!(panics.is_err() && to.iter().all(|x| x.same() == T::ZERO.same()), "out of range");
}

/// Every element of a block stands where its row and column have changed places.
pub fn blocks_are_transposed<T: Number, I: Lanes<T>>(isa: I) {
    let all = numbers::<T>(12, 64);
    let block: [[T; 8]; 8] = std::array::from_fn(|i| std::array::from_fn(|j| all[8 * i + j]));
    // Behind a pointer of its own size: valgrind sees what lies outside.
    let across = isa.transposed(&Box::new(block));
    for (i, j) in (0..8).flat_map(|i| (0..8).map(move |j| (i, j))) {
        assert_eq!(across[i][j].same(), block[j][i].same(), "row {i}, column {j}");
    }
}

/// Exact operations are Rust's, bit by bit.
pub fn scalar_is_as_rust<T: Number, I: Lanes<T>>(isa: I) {
    let [a, b, c] = [7, 8, 9].map(|seed| numbers::<T>(seed, COUNT));
    for ((&a, &b), &c) in a.iter().zip(&b).zip(&c) {
        let [x, y, z] = [a, b, c].map(|x| I::Scalar::splat(isa, x));
        let fused = if I::FMA { a.fma(b, c) } else { a * b + c };
        let arithmetic = [x + y, x - y, x * y, x / y, -x].into_iter().zip(a.arithmetic(b));
        let zero = I::Scalar::splat(isa, T::ZERO);
        let others = [
            (x.mul_add(y, z), fused),
            (x.sqrt(), a.sqrt()),
            (x.abs(), a.abs()),
            (x.recip(), a.recip()),
            (x.floor(), a.floor()),
            (x.ceil(), a.ceil()),
            (x.round(), a.round()),
            (x.signum(), a.signum()),
            (x.finite_or_zero(), a.finite_or_zero()),
            // Of zeros of both signs, either.
            (x.max(y) + zero, a.max(b) + T::ZERO),
            (x.min(y) + zero, a.min(b) + T::ZERO),
            (x.clamp(y, z) + zero, a.clamp(b, c) + T::ZERO),
            (x.powi(0), T::ONE),
            (x.powi(1), a),
            (x.powi(2), a * a),
        ];
        for (k, (ours, rusts)) in arithmetic.chain(others).enumerate() {
            assert_eq!(
                ours.sum().same(),
                rusts.same(),
                "operation {k} of {a:?}, {b:?}, {c:?}: {:?}, {rusts:?}",
                ours.sum()
            );
        }
    }
}
