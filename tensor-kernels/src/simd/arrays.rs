//! Windows of slices: where every access of a vector to memory is checked.
#![allow(unsafe_code)]

use crate::math::Real;

/// `from[at..at + width]`
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn span<T>(from: &[T], at: usize, width: usize) -> &[T] {
    if from.len() < width || at > from.len() - width {
        out_of_range(from.len(), at, width, 1)
    }
    // SAFETY: at + width is at most the length. (Compared with a difference that stays the same in a loop, in one comparison.)
    unsafe { from.get_unchecked(at..at + width) }
}

/// `&mut to[at..at + width]`
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn span_mut<T>(to: &mut [T], at: usize, width: usize) -> &mut [T] {
    if to.len() < width || at > to.len() - width {
        out_of_range(to.len(), at, width, 1)
    }
    // SAFETY: as in `span`.
    unsafe { to.get_unchecked_mut(at..at + width) }
}

/// `from[at..at + N]`
#[cfg_attr(not(unoptimized), inline(always))]
pub(crate) fn window<T, const N: usize>(from: &[T], at: usize) -> &[T; N] {
    // SAFETY: a slice of N elements is an array of N elements.
    unsafe { &*span(from, at, N).as_ptr().cast() }
}

/// `&mut to[at..at + N]`
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn window_mut<T, const N: usize>(to: &mut [T], at: usize) -> &mut [T; N] {
    // SAFETY: as in `window`.
    unsafe { &mut *span_mut(to, at, N).as_mut_ptr().cast() }
}

/// Adds `N` of eight sums, from one on, to `to[at]`, `to[at + 1]`, …
///
/// # Panics
/// If one of those is out of range; then nothing is written.
#[doc(hidden)]
#[cfg_attr(not(unoptimized), inline(always))]
pub fn add_sums<T: Copy + core::ops::Add<Output = T>, const N: usize>(
    sums: &[T; 8],
    from: usize,
    to: &mut [T],
    at: usize,
) {
    let to: &mut [T; N] = window_mut(to, at);
    for (x, sum) in to.iter_mut().zip(&sums[from..from + N]) {
        *x = *x + *sum;
    }
}

/// The least index of a window that ends with `at`.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn back(len: usize, at: usize, width: usize) -> usize {
    match at.checked_sub(width - 1) {
        Some(first) => first,
        None => out_of_range(len, at, width, -1),
    }
}

/// How many elements there are from the first of `width` lanes to the last, where each is `stride` behind the one before; too many for any slice if
/// that overflows.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) const fn reach(stride: usize, width: usize) -> usize {
    stride.saturating_mul(width - 1).saturating_add(1)
}

/// Asserts that `at + l * stride` is an index of a slice of length `len` for `l` from 0 to `width` (exclusive).
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn check_stride(len: usize, at: usize, width: usize, stride: isize) {
    let last = stride.checked_mul(width as isize - 1).and_then(|way| at.checked_add_signed(way));
    if at >= len || last.is_none_or(|last| last >= len) {
        out_of_range(len, at, width, stride)
    }
}

/// Asserts that `count` rows of `width` elements, of which the first begins at `at` and each `stride` behind the one before, are in a slice of
/// length `len`: none of their indices overflows.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn check_rows(len: usize, at: usize, count: usize, stride: usize, width: usize) {
    let end = || stride.checked_mul(count - 1)?.checked_add(at)?.checked_add(width);
    if count > 0 && end().is_none_or(|end| end > len) {
        rows_out_of_range(len, at, count, stride, width)
    }
}

/// `from[at]`, `from[at + stride]`, …
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn gather<T: Real, const N: usize>(from: &[T], at: usize, stride: isize) -> [T; N] {
    check_stride(from.len(), at, N, stride);
    let mut all = [T::ZERO; N];
    let mut place = at;
    for x in &mut all {
        // SAFETY: place is at + l * stride for an l from 0 to N (exclusive), which was checked for the first and the last l.
        *x = unsafe { *from.get_unchecked(place) };
        place = place.wrapping_add_signed(stride);
    }
    all
}

/// To `to[at]`, `to[at + stride]`, …
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn scatter<T: Real, const N: usize>(all: [T; N], to: &mut [T], at: usize, stride: isize) {
    check_stride(to.len(), at, N, stride);
    let mut place = at;
    for x in all {
        // SAFETY: as in `gather`.
        unsafe { *to.get_unchecked_mut(place) = x };
        place = place.wrapping_add_signed(stride);
    }
}

#[cold]
#[inline(never)]
fn out_of_range(len: usize, at: usize, width: usize, stride: isize) -> ! {
    panic!("{width} lanes from {at} by {stride} are out of range for a slice of length {len}")
}

#[cold]
#[inline(never)]
fn rows_out_of_range(len: usize, at: usize, count: usize, stride: usize, width: usize) -> ! {
    panic!("{count} rows of {width} from {at} by {stride} are out of range for a slice of length {len}")
}

/// `to[k] = from[at + k * stride]`, for all of `to`.
///
/// # Panics
/// If one of them is out of range.
#[doc(hidden)]
#[inline(never)]
pub fn get_far<T: Real>(from: &[T], at: usize, stride: isize, to: &mut [T]) {
    if !to.is_empty() {
        check_stride(from.len(), at, to.len(), stride);
    }
    let mut at = at;
    for x in to {
        *x = from[at];
        at = at.wrapping_add_signed(stride);
    }
}

/// `to[at + k * stride] = from[k]`, for all of `from`.
///
/// # Panics
/// If one of them is out of range; then nothing is written.
#[doc(hidden)]
#[inline(never)]
pub fn put_far<T: Real>(from: &[T], to: &mut [T], at: usize, stride: isize) {
    if !from.is_empty() {
        check_stride(to.len(), at, from.len(), stride);
    }
    let mut at = at;
    for x in from {
        to[at] = *x;
        at = at.wrapping_add_signed(stride);
    }
}
