//! What expansions of `tensor!` call. Not an interface: it may change in any release.
//!
//! What builds an error is cold and out of line, so that an expansion is its checks and nothing else.

use crate::{AsTensor, AsTensorMut, Error, Values};
use ndarray::{ArrayView, ArrayViewMut, IntoDimension};

pub use crate::tensor::AsScalar;
pub use tensor_macros::expand;

/// The constants of the language, each in a module of its own, to be imported by `*`: so that what a module has of the same name comes first.
pub mod constants {
    /// π
    pub mod pi {
        pub use core::f64::consts::PI;
    }
    /// 2π
    pub mod tau {
        pub use core::f64::consts::TAU;
    }
    /// e
    pub mod e {
        pub use core::f64::consts::E;
    }
    /// ∞
    pub mod infinity {
        /// ∞
        pub const INFINITY: f64 = f64::INFINITY;
    }
    /// −∞
    pub mod neg_infinity {
        /// −∞
        pub const NEG_INFINITY: f64 = f64::NEG_INFINITY;
    }
    /// Not a number
    pub mod nan {
        /// Not a number
        pub const NAN: f64 = f64::NAN;
    }
}

/// The most that a dimension or size may be, so that every `isize` computed from them fits: a linear form with coefficients that add up
/// to `weight` (or products of `degree` of them) and a constant of at most `constant`.
#[must_use]
pub const fn limit(weight: u64, constant: u64, degree: u32) -> usize {
    // weight · limit^degree + constant <= isize::MAX / 2
    let most = (isize::MAX as u64) / 2;
    let most = most.saturating_sub(constant) / if weight == 0 { 1 } else { weight };
    let root = match degree {
        0 | 1 => most,
        2 => most.isqrt(),
        _ if most == 0 => 0,
        _ => 1 << (most.ilog2() / degree),
    };
    root as usize
}

/// The shape of an argument, if its rank is `R`, and if it has as many elements as its shape says, where that can be seen.
///
/// # Errors
/// If it is not, or has not.
#[inline]
pub fn shape<T, A: AsTensor<T, R> + ?Sized, const R: usize>(
    argument: &'static str,
    a: &A,
) -> Result<[usize; R], Error> {
    let has = a.rank();
    if has != R {
        return Err(Error::Rank { argument, has, needs: R });
    }
    let shape = a.shape();
    // A product that overflows is beyond the limits that are checked next.
    match (a.row_major(), product(&shape)) {
        (Some(slice), Some(needs)) if slice.len() != needs => {
            Err(length_differs(argument, slice.len(), needs))
        }
        _ => Ok(shape),
    }
}

/// A row-major part of a slice, from an offset on.
///
/// # Panics
/// The slice is shorter.
#[must_use]
#[inline]
pub fn view<T, const R: usize>(
    slice: &[T],
    offset: usize,
    shape: [usize; R],
) -> ArrayView<'_, T, <[usize; R] as IntoDimension>::Dim>
where
    [usize; R]: IntoDimension,
{
    let length: usize = shape.iter().product();
    ArrayView::from_shape(shape, &slice[offset..offset + length]).expect("as long as its shape")
}

/// The same, to be written.
///
/// # Panics
/// The slice is shorter.
#[must_use]
#[inline]
pub fn view_mut<T, const R: usize>(
    slice: &mut [T],
    offset: usize,
    shape: [usize; R],
) -> ArrayViewMut<'_, T, <[usize; R] as IntoDimension>::Dim>
where
    [usize; R]: IntoDimension,
{
    let length: usize = shape.iter().product();
    ArrayViewMut::from_shape(shape, &mut slice[offset..offset + length]).expect("as long as its shape")
}

#[inline]
fn product(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |product, &d| product.checked_mul(d))
}

/// Whether all dimensions are within the limit; `arguments` tells, in order, whose they are and how many each has.
///
/// # Errors
/// If one is not.
#[inline]
pub fn within(
    limit: usize,
    dims: &[usize],
    arguments: &'static [(&'static str, usize)],
) -> Result<(), Error> {
    if dims.iter().all(|&d| d <= limit) { Ok(()) } else { Err(beyond(limit, dims, arguments)) }
}

#[cold]
#[inline(never)]
fn beyond(limit: usize, dims: &[usize], arguments: &'static [(&'static str, usize)]) -> Error {
    let all = arguments.iter().flat_map(|&(argument, rank)| (0..rank).map(move |d| (argument, d)));
    let worst = all.zip(dims).find(|&(_, &has)| has > limit);
    worst.map_or(Error::NotCompiled, |((argument, d), &has)| Error::TooLarge {
        argument,
        dimension: Some(d),
        has,
        limit,
    })
}

/// A size given by value, if it is within the limit.
///
/// # Errors
/// If it is not.
#[inline]
pub fn size(limit: usize, name: &'static str, has: usize) -> Result<isize, Error> {
    if has <= limit { Ok(has as isize) } else { Err(too_large(limit, name, has)) }
}

/// The root of a size, rounded up: as many steps as there are checkpoints.
#[must_use]
pub fn root(of: isize) -> isize {
    let floor = of.max(0).isqrt();
    floor + isize::from(floor * floor < of)
}

/// The lanes that so many iterations run in at most: whole registers run only where there are as many iterations, and the first lanes of one vector behind them.
#[must_use]
pub fn lanes(iterations: isize) -> isize {
    iterations.clamp(16, 64)
}

#[cold]
#[inline(never)]
fn too_large(limit: usize, name: &'static str, has: usize) -> Error {
    Error::TooLarge { argument: name, dimension: None, has, limit }
}

/// Where an extent stands: the argument, the dimension, and how it is declared.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The argument.
    pub argument: &'static str,
    /// The dimension.
    pub dimension: usize,
    /// Its declaration.
    pub extent: &'static str,
}

/// The size that is `numerator / divisor`, found from dimension `has`.
///
/// # Errors
/// If it is not a whole number, or negative, or beyond the limit.
#[inline]
pub fn solve(
    limit: usize,
    place: &'static Place,
    has: isize,
    name: &'static str,
    numerator: isize,
    divisor: isize,
) -> Result<isize, Error> {
    let value = numerator / divisor;
    if numerator < 0 || numerator % divisor != 0 {
        return Err(unsolved(place, has, name, numerator, divisor));
    }
    size(limit, name, value as usize)
}

#[cold]
#[inline(never)]
fn unsolved(
    place: &'static Place,
    has: isize,
    size: &'static str,
    numerator: isize,
    divisor: isize,
) -> Error {
    let Place { argument, dimension, extent } = *place;
    Error::Size { argument, dimension, has: has as usize, extent, size, numerator, divisor }
}

/// A dimension is not its extent.
#[cold]
#[inline(never)]
#[must_use]
pub fn dimension(
    place: &'static Place,
    has: isize,
    needs: isize,
    names: &'static [&'static str],
    values: &[isize],
) -> Error {
    let Place { argument, dimension, extent } = *place;
    Error::Dimension {
        argument,
        dimension,
        has: has as usize,
        needs,
        extent,
        sizes: Values::new(names, values),
    }
}

/// A condition does not hold.
#[cold]
#[inline(never)]
#[must_use]
pub fn condition(condition: &'static str, names: &'static [&'static str], values: &[isize]) -> Error {
    Error::Condition { condition, sizes: Values::new(names, values) }
}

/// A tensor has too many elements.
#[cold]
#[inline(never)]
#[must_use]
pub fn memory(name: &'static str, names: &'static [&'static str], values: &[isize]) -> Error {
    Error::Memory { name, sizes: Values::new(names, values) }
}

/// How many elements a tensor with these extents has, if they and all strides can be addressed: the product without the zeros
/// must be at most an eighth of what memory can hold. An extent below 0 is none.
#[inline]
#[must_use]
pub fn length(extents: &[isize]) -> Option<usize> {
    let mut length = 1_usize;
    let mut empty = false;
    for &e in extents {
        empty |= e <= 0;
        length = length.checked_mul(e.max(1) as usize)?;
    }
    (length <= isize::MAX as usize / 64).then_some(if empty { 0 } else { length })
}

/// Elements of which a multiple begins where the cache has a line, if the first does.
const WHOLE: usize = 16;

/// The length of a buffer for the buffers that [`cut`] takes from it, if it can be addressed.
#[inline]
#[must_use]
pub fn total(lengths: &[usize]) -> Option<usize> {
    let add = |sum: usize, &len: &usize| sum.checked_add(len.checked_next_multiple_of(WHOLE)?);
    let total = lengths.iter().try_fold(0, add)?;
    (total <= isize::MAX as usize / 16).then_some(total)
}

/// The elements of an argument, if they are contiguous.
///
/// # Errors
/// If there are not `needs` of them.
#[inline]
pub fn slice<'a, T, A: AsTensor<T, R> + ?Sized, const R: usize>(
    argument: &'static str,
    a: &'a A,
    needs: usize,
) -> Result<Option<&'a [T]>, Error> {
    match a.row_major() {
        Some(s) if s.len() != needs => Err(length_differs(argument, s.len(), needs)),
        s => Ok(s),
    }
}

/// The elements of an output, if they are contiguous.
///
/// # Errors
/// If there are not `needs` of them.
#[inline]
pub fn slice_mut<'a, T, A: AsTensorMut<T, R> + ?Sized, const R: usize>(
    argument: &'static str,
    a: &'a mut A,
    needs: usize,
) -> Result<Option<&'a mut [T]>, Error> {
    match a.row_major_mut() {
        Some(s) if s.len() != needs => Err(length_differs(argument, s.len(), needs)),
        s => Ok(s),
    }
}

#[cold]
#[inline(never)]
fn length_differs(argument: &'static str, has: usize, needs: usize) -> Error {
    Error::Length { argument, has, needs }
}

/// How many elements have to be copied.
#[inline]
#[must_use]
pub fn copied<S>(slice: &Option<S>, length: usize) -> usize {
    if slice.is_some() { 0 } else { length }
}

/// The first `len` elements of the rest of a buffer, which is as long as the [`total`] of all `len`. The next one begins at a cache line:
/// a vector across two lines takes as long to load as two vectors.
#[inline]
pub fn cut<'a, T>(rest: &mut &'a mut [T], len: usize) -> &'a mut [T] {
    let (first, others) = core::mem::take(rest).split_at_mut(len.next_multiple_of(WHOLE));
    *rest = others;
    &mut first[..len]
}

/// The elements of an argument: `slice`, or copied to the buffer.
#[inline]
pub fn read<'a, T, A: AsTensor<T, R> + ?Sized, const R: usize>(
    a: &A,
    slice: Option<&'a [T]>,
    buffer: &'a mut [T],
) -> &'a [T] {
    match slice {
        Some(slice) => slice,
        None => {
            a.copy_into(buffer);
            buffer
        }
    }
}

#[cfg(test)]
mod tests;
