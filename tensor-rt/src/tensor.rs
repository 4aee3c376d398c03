//! What can be passed as a tensor.

mod arrays;
mod ndarrays;

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::sync::Arc;

/// What can be read as a tensor of `T` with `R` dimensions, row-major.
///
/// | holds the elements | rank |
/// | --- | --- |
/// | `[T]`, `Vec<T>`, `[T; n]` | 1 |
/// | the same of arrays: `[[T; 3]]`, `Vec<[[T; 2]; 3]>`, `[[T; m]; n]` | up to 4 |
/// | `ndarray` arrays and views, with any strides | up to 6 |
/// | `ndarray` arrays and views of dynamic rank | any; checked on entry |
/// | a flat slice with its shape, `(&[T], [usize; R])`, or anything that is `AsRef<[T]>` in its place | any; the length is checked on entry |
/// | references to these, `Box`, `Rc`, `Arc` | |
///
/// It can be implemented for other types. An implementation that contradicts itself leads to an [`Error`](crate::Error), a panic or wrong
/// results, but never to undefined behaviour.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tensor of `{T}` with {R} dimensions",
    note = "slices, arrays, `Vec`s of them, `ndarray` arrays and views, and `(&[T], [usize; R])` are tensors"
)]
pub trait AsTensor<T, const R: usize> {
    /// The length of every dimension.
    fn shape(&self) -> [usize; R];

    /// The elements, row-major, if they are contiguous in this order.
    fn row_major(&self) -> Option<&[T]>;

    /// Copies the elements, row-major, to a slice of as many elements.
    fn copy_into(&self, elements: &mut [T]);

    /// The number of dimensions where the type does not tell: if it is not `R`, nothing else is asked.
    fn rank(&self) -> usize {
        R
    }
}

/// What can be written as a tensor of `T` with `R` dimensions, row-major. Its shape stays what it is.
///
/// All that can be read can be written, where it is mutable: see [`AsTensor`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a mutable tensor of `{T}` with {R} dimensions",
    note = "mutable slices, arrays, `Vec`s of them, `ndarray` arrays and views, and `(&mut [T], [usize; R])` are mutable tensors"
)]
pub trait AsTensorMut<T, const R: usize>: AsTensor<T, R> {
    /// The elements, row-major, if they are contiguous in this order.
    fn row_major_mut(&mut self) -> Option<&mut [T]>;

    /// Copies the elements, row-major, from a slice of as many elements.
    fn copy_from(&mut self, elements: &[T]);
}

/// What passes by value: `f64`, `f32`, `usize`, and references to them. Inline blocks read their captures so.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a scalar `{T}`")]
pub trait AsScalar<T> {
    /// The number.
    fn value(&self) -> T;
}

macro_rules! scalar {
    ($($t:ty)*) => {
        $(
            impl AsScalar<$t> for $t {
                #[inline]
                fn value(&self) -> $t {
                    *self
                }
            }
        )*
    };
}
scalar! { f64 f32 usize }

impl<T, A: AsScalar<T> + ?Sized> AsScalar<T> for &A {
    #[inline]
    fn value(&self) -> T {
        (**self).value()
    }
}

impl<T, A: AsScalar<T> + ?Sized> AsScalar<T> for &mut A {
    #[inline]
    fn value(&self) -> T {
        (**self).value()
    }
}

/// Copies between slices of the same length; of different ones, what both have.
fn copy<T: Clone>(from: &[T], to: &mut [T]) {
    let len = from.len().min(to.len());
    to[..len].clone_from_slice(&from[..len]);
}

/// A flat slice with its shape.
impl<T: Clone, S: AsRef<[T]>, const R: usize> AsTensor<T, R> for (S, [usize; R]) {
    #[inline]
    fn shape(&self) -> [usize; R] {
        self.1
    }
    #[inline]
    fn row_major(&self) -> Option<&[T]> {
        Some(self.0.as_ref())
    }
    fn copy_into(&self, elements: &mut [T]) {
        copy(self.0.as_ref(), elements);
    }
}

impl<T: Clone, S: AsRef<[T]> + AsMut<[T]>, const R: usize> AsTensorMut<T, R> for (S, [usize; R]) {
    #[inline]
    fn row_major_mut(&mut self) -> Option<&mut [T]> {
        Some(self.0.as_mut())
    }
    fn copy_from(&mut self, elements: &[T]) {
        copy(elements, self.0.as_mut());
    }
}

macro_rules! pointer {
    ($($p:ty),*) => {
        $(
            impl<T, A: AsTensor<T, R> + ?Sized, const R: usize> AsTensor<T, R> for $p {
                #[inline]
                fn shape(&self) -> [usize; R] {
                    (**self).shape()
                }
                #[inline]
                fn row_major(&self) -> Option<&[T]> {
                    (**self).row_major()
                }
                fn copy_into(&self, elements: &mut [T]) {
                    (**self).copy_into(elements);
                }
                #[inline]
                fn rank(&self) -> usize {
                    (**self).rank()
                }
            }
        )*
    };
}
pointer! { &A, &mut A, Box<A>, Rc<A>, Arc<A> }

macro_rules! pointer_mut {
    ($($p:ty),*) => {
        $(
            impl<T, A: AsTensorMut<T, R> + ?Sized, const R: usize> AsTensorMut<T, R> for $p {
                #[inline]
                fn row_major_mut(&mut self) -> Option<&mut [T]> {
                    (**self).row_major_mut()
                }
                fn copy_from(&mut self, elements: &[T]) {
                    (**self).copy_from(elements);
                }
            }
        )*
    };
}
pointer_mut! { &mut A, Box<A> }

#[cfg(test)]
mod tests;
