//! Memory that a function works in, kept from call to call.

use crate::math::Real;
use alloc::vec::Vec;
use tensor_kernels::lines::{LINE, lines};

/// What an `_into` function works in: one buffer of reals and one of indices. It grows to what the largest call needs and is then
/// never allocated again.
///
/// ```
/// let mut work = tensor_rt::Workspace::new();
/// let (reals, indices) = work.buffers(3, 1);
/// reals.copy_from_slice(&[1.0, 2.0, 3.0]);
/// assert_eq!(indices.len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Workspace<T> {
    reals: Vec<T>,
    indices: Vec<isize>,
}

impl<T> Workspace<T> {
    /// Empty: nothing is allocated yet.
    #[must_use]
    pub const fn new() -> Workspace<T> {
        Workspace { reals: Vec::new(), indices: Vec::new() }
    }
}

impl<T: Real> Workspace<T> {
    /// Buffers of these lengths. Their content is arbitrary. That of reals begins with a cache line.
    #[inline]
    pub fn buffers(&mut self, reals: usize, indices: usize) -> (&mut [T], &mut [isize]) {
        let all = grown(&mut self.reals, if reals > 0 { reals + LINE } else { 0 }, T::ZERO);
        (lines(all, reals).0, grown(&mut self.indices, indices, 0))
    }
}

/// The first `len` elements, after growing where there are fewer. What was there need not be kept, so it is not copied.
#[inline]
fn grown<A: Copy>(buffer: &mut Vec<A>, len: usize, zero: A) -> &mut [A] {
    if buffer.len() < len {
        grow(buffer, len, zero);
    }
    &mut buffer[..len]
}

#[cold]
#[inline(never)]
fn grow<A: Copy>(buffer: &mut Vec<A>, len: usize, zero: A) {
    *buffer = Vec::new();
    *buffer = alloc::vec![zero; len];
}

impl<T> Default for Workspace<T> {
    fn default() -> Workspace<T> {
        Workspace::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static EMPTY: Workspace<f64> = Workspace::new();

    #[test]
    fn grows_and_stays() {
        let mut work = EMPTY.clone();
        let (reals, indices) = work.buffers(5, 2);
        assert_eq!((reals.len(), indices.len()), (5, 2));
        let first = reals.as_ptr();
        let (reals, indices) = work.buffers(3, 0);
        assert_eq!((reals.len(), indices.len()), (3, 0));
        assert_eq!(reals.as_ptr(), first);
        assert_eq!(work.buffers(5, 1).0.as_ptr(), first);
        assert_eq!(work.buffers(6, 1).0.len(), 6);
        assert_eq!(Workspace::<f32>::default().buffers(0, 0).0.len(), 0);
    }

    #[test]
    fn begins_with_a_line() {
        for len in 1..40 {
            assert!(Workspace::<f64>::new().buffers(len, 0).0.as_ptr().addr().is_multiple_of(LINE));
            assert!(Workspace::<f32>::new().buffers(len, 0).0.as_ptr().addr().is_multiple_of(LINE));
        }
    }
}
