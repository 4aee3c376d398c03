//! The first lanes of a vector: those are as in the whole vector, and memory behind them is left alone.

use super::eights::eights;
use super::lanes::functions;
use super::memory::lanes;
use super::numbers::{Number, numbers};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tensor_kernels::simd::{Few, Lane, Lanes, Remainder, correlate};

/// As many lanes as there are, for each number of them.
pub fn rests<T: Number, I: Lanes<T>>(isa: I) {
    let most = if I::Remainder::WIDTH == 1 { 1 } else { I::Vector::WIDTH };
    assert_eq!(most, I::Remainder::WIDTH);
    for count in 0..=most + 1 {
        every::<T, I, I::Few, I::Remainder, I::Vector>(isa, isa.few(count), count, &I::whole);
    }
    // What has one lane is not masked.
    for count in 0..=if I::Part::WIDTH > 1 { I::Part::WIDTH + 1 } else { return } {
        every::<T, I, Few<I>, Remainder<I::Part, I>, I::Part>(
            isa,
            isa.masked(count),
            count,
            &I::whole_of_masked,
        );
    }
}

/// All that some lanes of a vector `W` can do.
fn every<T, I, F, R, W>(isa: I, few: F, count: usize, whole: &Whole<T, R, W>)
where
    T: Number,
    I: Lanes<T>,
    F: Lanes<T>,
    R: Lane<T, Isa = F>,
    W: Lane<T, Isa = I>,
{
    let there = if R::WIDTH == 1 { 1 } else { count.min(R::WIDTH) };
    assert_eq!(R::lanes(few), there);
    memory::<T, F, R>(few, there);
    by_lane::<T, I, F, R, W>(isa, few, there);
    reductions::<T, F, R, W>(few, there, whole);
    shifts::<T, F, R>(few, there);
    eights::<T, R>(few, there);
}

/// What fills the lanes that are not there.
type Whole<T, R, W> = dyn Fn(R, T) -> W;

fn bits<T: Number>(all: impl IntoIterator<Item = T>) -> Vec<u64> {
    all.into_iter().map(Number::same).collect()
}

/// A load from a place by a stride, and a store to it.
type Way<R, F, T> = (fn(F, &[T], usize, isize) -> R, fn(R, &mut [T], usize, isize));

/// Loads and stores of every stride, within range and out of it.
fn memory<T: Number, F: Lanes<T>, R: Lane<T, Isa = F>>(few: F, count: usize) {
    let from: Vec<T> = numbers(21, 3 * R::WIDTH + 3);
    let n = from.len();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    for at in (0..n).chain([n + 1, usize::MAX]) {
        for stride in [1, -1, 2, -2, 0, 3, isize::MAX, isize::MIN] {
            let mut ways: Vec<Way<R, F, T>> =
                vec![(|i, f, at, s| R::gather(i, f, at, s), |v, to, at, s| v.scatter(to, at, s))];
            match stride {
                1 => ways.push((|i, f, at, _| R::load(i, f, at), |v, to, at, _| v.store(to, at))),
                -1 => ways.push((|i, f, at, _| R::load_back(i, f, at), |v, to, at, _| v.store_back(to, at))),
                3 => ways.push((
                    |i, f, at, _| R::gather_by::<3>(i, f, at),
                    |v, to, at, _| v.scatter_by::<3>(to, at),
                )),
                _ => {}
            }
            let places: Option<Vec<usize>> = (0..count as isize)
                .map(|l| at.checked_add_signed(stride.checked_mul(l)?).filter(|p| *p < n))
                .collect();
            for (load, store) in ways {
                let mut to = vec![T::of(42.0); n];
                let ran = catch_unwind(AssertUnwindSafe(|| {
                    let v = load(few, &from, at, stride);
                    store(v, &mut to, at, stride);
                    lanes(v)[..count].to_vec()
                }));
                let mut expected = vec![T::of(42.0); n];
                if let Some(places) = &places {
                    places.iter().for_each(|p| expected[*p] = from[*p]);
                    if count > 0 || at <= n {
                        let found = ran.expect("in range");
                        assert_eq!(bits(found), bits(places.iter().map(|p| from[*p])), "{at} by {stride}");
                    }
                } else {
                    assert!(ran.is_err(), "{count} lanes from {at} by {stride}");
                }
                assert_eq!(bits(to), bits(expected), "{count} lanes from {at} by {stride}");
            }
        }
    }
    std::panic::set_hook(hook);
    let v = R::load(few, &from, 1);
    for part in 0..=count + 1 {
        let mut to = vec![T::of(42.0); n];
        R::load_part(few, &from, 1, part).store_part(&mut to, 2, part);
        let mut expected = vec![T::of(42.0); n];
        let most = part.min(count);
        expected[2..2 + most].copy_from_slice(&from[1..=most]);
        assert_eq!(bits(to), bits(expected), "{part} of {count}");
    }
    let mut work = vec![T::ZERO; R::WIDTH];
    v.set(&mut R::cells(&mut work)[0]);
    let again = R::get(few, &R::cells(&mut work)[0]);
    assert_eq!(bits(lanes(again)[..count].to_vec()), bits(from[1..=count].to_vec()));
}

/// Functions, comparisons and masks.
fn by_lane<T, I, F, R, W>(isa: I, few: F, count: usize)
where
    T: Number,
    I: Lanes<T>,
    F: Lanes<T>,
    R: Lane<T, Isa = F>,
    W: Lane<T, Isa = I>,
{
    let [a, b, c] = [22, 23, 24].map(|seed| numbers::<T>(seed, 30 * W::WIDTH));
    let both = functions::<T, R>().into_iter().zip(functions::<T, W>());
    for ((name, rest), (_, whole)) in both {
        for at in (0..a.len() - W::WIDTH).step_by(3) {
            let [x, y, z] = [&a, &b, &c].map(|from| R::load(few, from, at));
            let [u, v, w] = [&a, &b, &c].map(|from| W::load(isa, from, at));
            let (found, expected) = (lanes(rest(x, y, z)), lanes(whole(u, v, w)));
            assert_eq!(bits(found[..count].to_vec()), bits(expected[..count].to_vec()), "{name}");
        }
    }
    for at in 0..a.len() - W::WIDTH {
        let (x, y) = (R::load(few, &a, at), R::load(few, &b, at));
        let less: Vec<bool> = (at..at + count).map(|k| a[k] < b[k]).collect();
        assert_eq!(R::any(x.lt(y)), less.contains(&true), "any");
        assert_eq!(R::all(x.lt(y)), !less.contains(&false), "all");
        assert_eq!(R::any(!x.lt(y)), less.contains(&false), "any, not");
        let selected = lanes(R::select(x.lt(y), x, y));
        let expected = (at..at + count).map(|k| if a[k] < b[k] { a[k] } else { b[k] });
        assert_eq!(bits(selected[..count].to_vec()), bits(expected));
    }
    let all = R::iota(few, 5, -3);
    let expected = (0..count as isize).map(|l| T::from_index(5 - 3 * l));
    assert_eq!(bits(lanes(all)[..count].to_vec()), bits(expected));
    for first in (0..=count + 1).chain([1 << 32, usize::MAX]) {
        let one = R::splat(few, T::ONE);
        let some = R::select(R::firsts(few, first), one, one + one);
        let expected = (0..count).map(|l| if l < first { T::ONE } else { T::of(2.0) });
        assert_eq!(bits(lanes(some)[..count].to_vec()), bits(expected));
    }
}

/// What is behind the last lane is in no sum, and is neither the greatest nor the least.
fn reductions<T: Number, F: Lanes<T>, R: Lane<T, Isa = F>, W: Lane<T>>(
    few: F,
    count: usize,
    whole: &Whole<T, R, W>,
) {
    let a: Vec<T> = (0..100).map(|k| T::of(f64::from(k * 7 % 23) - 30.0)).collect();
    let width = R::WIDTH;
    for at in 0..a.len() - width {
        // Behind the last lane, some are greater and some less.
        let shift = |x: T| x + T::of(-1.0) * a[at];
        let v = R::load(few, &a, at) - R::splat(few, a[at]);
        let there: Vec<T> = a[at..at + count].iter().map(|x| shift(*x)).collect();
        let sum = there.iter().fold(T::ZERO, |s, x| s + *x);
        assert_eq!((v.sum() + T::ZERO).same(), (sum + T::ZERO).same(), "sum");
        let whole = lanes(whole(v, T::of(42.0)));
        let filled = there.iter().copied().chain(std::iter::repeat(T::of(42.0)));
        assert_eq!(bits(whole), bits(filled.take(W::WIDTH)), "whole");
        let sums = R::sums([v.folded(); 8]);
        assert_eq!(bits(sums.map(|x| x + T::ZERO)), bits([sum + T::ZERO; 8]), "eight sums");
        if let Some(first) = there.first() {
            let (g, l) = there.iter().fold((*first, *first), |(g, l), x| (g.max(*x), l.min(*x)));
            assert_eq!(bits([v.greatest(), v.least()]), bits([g, l]), "the greatest and the least");
        }
    }
    let nan = R::splat(few, T::of(f64::NAN));
    assert!(nan.greatest() != nan.greatest() && nan.least() != nan.least());
}

/// Sums of shifted vectors read no more than their lanes.
fn shifts<T: Number, F: Lanes<T>, R: Lane<T, Isa = F>>(few: F, count: usize) {
    for len in [1, 2, 5, 16, 33] {
        let from: Vec<T> = (0..len - 1 + count).map(|k| T::of((k * 7 % 23) as f64 - 9.0)).collect();
        let by: Vec<T> = (0..len).map(|k| T::of((k * 5 % 11) as f64 - 4.0)).collect();
        let found = lanes(correlate::<T, F, R>(few, R::splat(few, T::ONE), len, &from, 0, &by, 0, 1));
        let expected = (0..count).map(|l| (0..len).fold(T::ONE, |sum, k| sum + by[k] * from[k + l]));
        assert_eq!(bits(found[..count].to_vec()), bits(expected), "{len} terms in {count} lanes");
    }
}
