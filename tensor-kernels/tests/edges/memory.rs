//! Loads and stores of lanes, eights, sums, squares and correlations.

use super::{Faults, Number, about, bits, pairs, quietly, small};
use tensor_kernels::simd::{Lane, Lanes, add_sums, correlate, get_far, put_far, symmetrize_square};

/// The indices of a way through a slice, none if one is outside of it.
fn places(len: usize, way: impl Iterator<Item = i128>) -> Option<Vec<usize>> {
    way.map(|place| usize::try_from(place).ok().filter(|&place| place < len)).collect()
}

/// From `at` by `stride`.
fn strided(len: usize, at: usize, stride: i128, count: usize) -> Option<Vec<usize>> {
    places(len, (0..count).map(|l| at as i128 + l as i128 * stride))
}

/// The lanes that there are.
fn lanes<T: Number, V: Lane<T>>(isa: V::Isa, v: V) -> Vec<T> {
    let mut work: Box<[T]> = vec![T::ZERO; V::WIDTH].into();
    v.set(&mut V::cells(&mut work)[0]);
    work[..V::lanes(isa)].to_vec()
}

/// A load of `count` lanes and a store of them, against the places where they are. Of no places, either way out is right.
fn check<T: Number>(
    what: &dyn Fn() -> String,
    len: usize,
    places: Option<&[usize]>,
    load: &dyn Fn(&[T]) -> Vec<T>,
    store: &dyn Fn(&mut [T]),
    faults: &mut Faults,
) {
    let from = small::<T>(len, 3);
    let found = quietly(|| load(&from));
    let expected = places.map(|places| places.iter().map(|&place| from[place]).collect::<Vec<T>>());
    let empty = expected.as_ref().is_some_and(Vec::is_empty);
    if !empty && found.as_deref().map(bits) != expected.as_deref().map(bits) {
        faults.push(format!("load {} of {len}: {found:?}, not {expected:?}", what()));
    }
    let mut to: Box<[T]> = vec![T::of(42.0); len].into();
    let mut expected = to.clone();
    for (l, &place) in places.unwrap_or_default().iter().enumerate() {
        expected[place] = T::of(l as f64);
    }
    let stored = quietly(|| store(&mut to));
    if (!empty && stored.is_some() != places.is_some()) || bits(&to) != bits(&expected) {
        faults.push(format!("store {} of {len}: {to:?}, not {expected:?}", what()));
    }
}

/// All that a vector reads and writes.
pub fn vector<T: Number, I: Lanes<T>, V: Lane<T, Isa = I>>(isa: I, faults: &mut Faults) {
    let (w, count) = (V::WIDTH, V::lanes(isa));
    let counting = V::iota(isa, 0, 1);
    for len in [0, 1, w - 1, w, w + 1, 2 * w, 3 * w + 1] {
        let mut cells: Box<[T]> = vec![T::ZERO; len].into();
        if V::cells(&mut cells).len() != len / w {
            faults.push(format!("cells of {len}"));
        }
        for at in about(len) {
            let what = |of: &str| format!("{} of {count} lanes ({of}) at {at}", std::any::type_name::<V>());
            check(
                &|| what("next"),
                len,
                strided(len, at, 1, count).as_deref(),
                &|from| lanes(isa, V::load(isa, from, at)),
                &|to| counting.store(to, at),
                faults,
            );
            check(
                &|| what("back"),
                len,
                strided(len, at, -1, count).as_deref(),
                &|from| lanes(isa, V::load_back(isa, from, at)),
                &|to| counting.store_back(to, at),
                faults,
            );
            for part in [0, 1, w - 1, w, w + 1, usize::MAX] {
                let there = part.min(count);
                check(
                    &|| what(&format!("part {part}")),
                    len,
                    strided(len, at, 1, there).as_deref(),
                    &|from| lanes(isa, V::load_part(isa, from, at, part))[..there].to_vec(),
                    &|to| counting.store_part(to, at, part),
                    faults,
                );
            }
            let strides = about(len).into_iter().flat_map(|s| [s as isize, (s as isize).wrapping_neg()]);
            for stride in strides.chain([3, -3, isize::MAX / w as isize]) {
                check(
                    &|| what(&format!("by {stride}")),
                    len,
                    strided(len, at, stride as i128, count).as_deref(),
                    &|from| lanes(isa, V::gather(isa, from, at, stride)),
                    &|to| counting.scatter(to, at, stride),
                    faults,
                );
            }
            apart::<T, I, V, 2>(isa, len, at, faults);
            apart::<T, I, V, 3>(isa, len, at, faults);
            apart::<T, I, V, 4>(isa, len, at, faults);
            apart::<T, I, V, { 1 << 61 }>(isa, len, at, faults);
            apart::<T, I, V, { usize::MAX }>(isa, len, at, faults);
        }
    }
    fours::<T, I, V>(isa, faults);
    eights::<T, I, V>(isa, faults);
    sums::<T>(faults);
    correlations::<T, I, V>(isa, faults);
}

fn apart<T: Number, I: Lanes<T>, V: Lane<T, Isa = I>, const STRIDE: usize>(
    isa: I,
    len: usize,
    at: usize,
    faults: &mut Faults,
) {
    check(
        &|| format!("{} at {at} by {STRIDE}, known", std::any::type_name::<V>()),
        len,
        strided(len, at, STRIDE as i128, V::lanes(isa)).as_deref(),
        &|from| lanes(isa, V::gather_by::<STRIDE>(isa, from, at)),
        &|to| V::iota(isa, 0, 1).scatter_by::<STRIDE>(to, at),
        faults,
    );
}

/// Columns of four.
fn fours<T: Number, I: Lanes<T>, V: Lane<T, Isa = I>>(isa: I, faults: &mut Faults) {
    let there = V::lanes(isa);
    for len in [0, 1, 4, 5, 4 * V::WIDTH, 5 * V::WIDTH + 3] {
        for (at, stride) in pairs(&about(len), &about(5)) {
            let rows = (0..there).flat_map(|l| (0..4).map(move |k| (l, k)));
            let places = places(len, rows.map(|(l, k)| at as i128 + l as i128 * stride as i128 + k));
            // Where rows overlap, any of them stays: what is loaded is compared alone.
            let whole = places.as_ref().is_none_or(|places| places.is_empty() || stride >= 4);
            check(
                &|| format!("four columns of {there} rows at {at} by {stride}"),
                len,
                places.as_deref(),
                &|from| {
                    let all = V::gather_four(isa, from, at, stride).map(|v| lanes(isa, v));
                    (0..there).flat_map(|l| all.each_ref().map(|v| v[l])).collect()
                },
                &|to| {
                    let all = std::array::from_fn(|k| V::iota(isa, k as isize, 4));
                    V::scatter_four(all, to, at, stride);
                    if !whole {
                        overwrite(to, places.as_deref());
                    }
                },
                faults,
            );
        }
    }
}

/// Elements by any stride, as a slice.
pub fn far<T: Number>(faults: &mut Faults) {
    for len in [0, 1, 7, 20] {
        for (at, stride) in pairs(&about(len), &about(3)) {
            for (stride, count) in [stride as isize, (stride as isize).wrapping_neg()].into_iter().zip([5, 4])
            {
                for count in [0, 1, count] {
                    check(
                        &|| format!("{count} elements at {at} by {stride}"),
                        len,
                        strided(len, at, stride as i128, count).as_deref(),
                        &|from| {
                            let mut to = vec![T::ZERO; count];
                            get_far(from, at, stride, &mut to);
                            to
                        },
                        &|to| {
                            let from: Vec<T> = (0..count).map(|l| T::of(l as f64)).collect();
                            put_far(&from, to, at, stride);
                        },
                        faults,
                    );
                }
            }
        }
    }
}

/// Rows of eight, and eight rows.
fn eights<T: Number, I: Lanes<T>, V: Lane<T, Isa = I>>(isa: I, faults: &mut Faults) {
    let there = V::lanes(isa);
    for len in [0, 1, 7, 8, 9, 8 * V::WIDTH.max(8) + 3] {
        for (at, stride) in pairs(&about(len), &about(8)) {
            for count in [0, 1, there, usize::MAX] {
                let count = count.min(there);
                let rows = (0..count).flat_map(|l| (0..8).map(move |k| (l, k)));
                let way = rows.map(|(l, k)| at as i128 + l as i128 * stride as i128 + k);
                // Where rows overlap, any of them stays: what is loaded is compared alone.
                let places = places(len, way);
                let whole = places.as_ref().is_none_or(|places| places.is_empty() || stride >= 8);
                check(
                    &|| format!("{count} columns of eight at {at} by {stride}"),
                    len,
                    places.as_deref(),
                    &|from| {
                        let all = V::gather_eight(isa, from, at, stride, count).map(|v| lanes(isa, v));
                        (0..count).flat_map(|l| all.each_ref().map(|v| v[l])).collect()
                    },
                    &|to| {
                        let all = std::array::from_fn(|k| V::iota(isa, k as isize, 8));
                        V::scatter_eight(all, to, at, stride, count);
                        if !whole {
                            overwrite(to, places.as_deref());
                        }
                    },
                    faults,
                );
            }
            let rows = (0..8).flat_map(|k| (0..there).map(move |l| (k, l)));
            let places = places(len, rows.map(|(k, l)| at as i128 + k * stride as i128 + l as i128));
            let whole = places.as_ref().is_none_or(|places| places.is_empty() || stride >= there);
            check(
                &|| format!("eight rows of {there} at {at} by {stride}"),
                len,
                places.as_deref(),
                &|from| match &places {
                    Some(places) => places.iter().map(|&place| from[place]).collect(),
                    None => panic!("there is no such load"),
                },
                &|to| {
                    let all = std::array::from_fn(|k| V::iota(isa, (k * there) as isize, 1));
                    V::store_eight(all, to, at, stride);
                    if !whole {
                        overwrite(to, places.as_deref());
                    }
                },
                faults,
            );
        }
    }
}

/// As [`check`] expects it.
fn overwrite<T: Number>(to: &mut [T], places: Option<&[usize]>) {
    for (l, &place) in places.unwrap_or_default().iter().enumerate() {
        to[place] = T::of(l as f64);
    }
}

fn sums<T: Number>(faults: &mut Faults) {
    for (len, from) in pairs(&[0, 1, 3, 4, 5, 8], &about(8)) {
        for at in about(len) {
            let mut to = small::<T>(len, 1);
            let mut expected = to.clone();
            let own: [T; 8] = std::array::from_fn(|k| T::of(k as f64));
            let fits = from <= 4 && strided(len, at, 1, 4).is_some();
            if fits {
                (0..4).for_each(|k| expected[at + k] = expected[at + k] + own[from + k]);
            }
            let ran = quietly(|| add_sums::<T, 4>(&own, from, &mut to, at));
            if ran.is_some() != fits || bits(&to) != bits(&expected) {
                faults.push(format!("four sums from {from} to {at} of {len}"));
            }
        }
    }
}

fn correlations<T: Number, I: Lanes<T>, V: Lane<T, Isa = I>>(isa: I, faults: &mut Faults) {
    let (w, count) = (V::WIDTH, V::lanes(isa));
    for terms in [0, 1, w, 2 * w + 1, usize::MAX / 2, (usize::MAX - w).saturating_add(2), usize::MAX] {
        let enough = if terms < 1000 { terms + w } else { 3 * w };
        for (len, by_len) in [(enough, enough), (enough - 1, 1), (0, 0), (w, 0)] {
            for (at, by_at) in pairs(&about(1), &about(by_len)) {
                for stride in [0, 1, -1, 2, isize::MAX, isize::MIN] {
                    let (from, by) = (small::<T>(len, 1), small::<T>(by_len, 2));
                    let ends = |len: usize, at: usize, more: i128, stride: i128| {
                        let last = at as i128 + (terms as i128 - 1).saturating_mul(stride);
                        (at as i128) < len as i128 && (0..len as i128 - more).contains(&last)
                    };
                    let more = (count as i128 - 1).max(0);
                    let fits =
                        terms == 0 || (ends(len, at, more, 1) && ends(by_len, by_at, 0, stride as i128));
                    let one = V::splat(isa, T::ONE);
                    let found = quietly(|| {
                        lanes(isa, correlate::<T, I, V>(isa, one, terms, &from, at, &by, by_at, stride))
                    });
                    let expected = fits.then(|| {
                        let term = |l: usize, k: usize| {
                            by[(by_at as isize + k as isize * stride) as usize] * from[at + k + l]
                        };
                        let sum = |l: usize| (0..terms).fold(T::ONE, |sum, k| sum + term(l, k));
                        (0..count).map(sum).collect::<Vec<T>>()
                    });
                    if found.as_deref().map(bits) != expected.as_deref().map(bits) && (count > 0 || fits) {
                        let what = std::any::type_name::<V>();
                        faults.push(format!(
                            "{what} {terms} terms at {at} of {len} by {by_at} of {by_len}, {stride}: {found:?}, not {expected:?}"
                        ));
                    }
                }
            }
        }
    }
}

/// A square that is symmetrized, or nothing.
pub fn squares<T: Number, I: Lanes<T>>(isa: I, faults: &mut Faults) {
    for len in [0, 1, 63, 64, 65, 80] {
        for (at, stride) in pairs(&about(len), &[&about(8)[..], &[10]].concat()) {
            let mut c = small::<T>(len, 1);
            let mut expected = c.clone();
            let fits = at as i128 + 7 * stride as i128 + 8 <= len as i128;
            if fits && stride >= 8 {
                for (i, j) in (0..8).flat_map(|i| (0..i).map(move |j| (i, j))) {
                    expected[at + i * stride + j] = expected[at + j * stride + i];
                }
            }
            let ran = quietly(|| symmetrize_square(isa, &mut c, at, stride));
            let same = bits(&c) == bits(&expected) || (fits && stride < 8);
            if ran.is_some() != fits || !same {
                faults.push(format!("a square at {at} by {stride} of {len}"));
            }
        }
    }
}
