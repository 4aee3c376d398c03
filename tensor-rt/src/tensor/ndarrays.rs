//! Arrays and views of `ndarray`.

use super::{AsTensor, AsTensorMut, copy};
use ndarray::{ArrayBase, ArrayRef, ArrayView, ArrayViewMut, Data, DataMut, Dim, Dimension, Ix, IxDyn};

/// Copies in logical order, whatever the strides.
fn gather<T: Clone, D: Dimension>(a: &ArrayRef<T, D>, elements: &mut [T]) {
    match ArrayViewMut::from_shape(a.raw_dim(), elements) {
        Ok(mut whole) => whole.assign(a),
        Err(_) => debug_assert!(false, "as many elements"),
    }
}

/// Copies in logical order, whatever the strides.
fn scatter<T: Clone, D: Dimension>(elements: &[T], a: &mut ArrayRef<T, D>) {
    match ArrayView::from_shape(a.raw_dim(), elements) {
        Ok(whole) => a.assign(&whole),
        Err(_) => debug_assert!(false, "as many elements"),
    }
}

macro_rules! of_rank {
    ($($r:literal)*) => {
        $(
            impl<T: Clone, S: Data<Elem = T>> AsTensor<T, $r> for ArrayBase<S, Dim<[Ix; $r]>> {
                #[inline]
                fn shape(&self) -> [usize; $r] {
                    AsTensor::<T, $r>::shape(&**self)
                }
                #[inline]
                fn row_major(&self) -> Option<&[T]> {
                    ArrayRef::as_slice(self)
                }
                fn copy_into(&self, elements: &mut [T]) {
                    gather(self, elements);
                }
            }
            impl<T: Clone, S: DataMut<Elem = T>> AsTensorMut<T, $r> for ArrayBase<S, Dim<[Ix; $r]>> {
                #[inline]
                fn row_major_mut(&mut self) -> Option<&mut [T]> {
                    ArrayRef::as_slice_mut(self)
                }
                fn copy_from(&mut self, elements: &[T]) {
                    scatter(elements, self);
                }
            }
            impl<T: Clone> AsTensor<T, $r> for ArrayRef<T, Dim<[Ix; $r]>> {
                #[inline]
                fn shape(&self) -> [usize; $r] {
                    core::array::from_fn(|d| self.raw_dim()[d])
                }
                #[inline]
                fn row_major(&self) -> Option<&[T]> {
                    ArrayRef::as_slice(self)
                }
                fn copy_into(&self, elements: &mut [T]) {
                    gather(self, elements);
                }
            }
            impl<T: Clone> AsTensorMut<T, $r> for ArrayRef<T, Dim<[Ix; $r]>> {
                #[inline]
                fn row_major_mut(&mut self) -> Option<&mut [T]> {
                    ArrayRef::as_slice_mut(self)
                }
                fn copy_from(&mut self, elements: &[T]) {
                    scatter(elements, self);
                }
            }
        )*
    };
}
of_rank! { 1 2 3 4 5 6 }

/// Of dynamic rank: what the rank is, is checked on entry.
impl<T: Clone, S: Data<Elem = T>, const R: usize> AsTensor<T, R> for ArrayBase<S, IxDyn> {
    fn shape(&self) -> [usize; R] {
        let mut shape = [0; R];
        copy((**self).shape(), &mut shape);
        shape
    }
    fn row_major(&self) -> Option<&[T]> {
        ArrayRef::as_slice(self)
    }
    fn copy_into(&self, elements: &mut [T]) {
        gather(self, elements);
    }
    fn rank(&self) -> usize {
        self.ndim()
    }
}

/// Of dynamic rank: what the rank is, is checked on entry.
impl<T: Clone, S: DataMut<Elem = T>, const R: usize> AsTensorMut<T, R> for ArrayBase<S, IxDyn> {
    fn row_major_mut(&mut self) -> Option<&mut [T]> {
        ArrayRef::as_slice_mut(self)
    }
    fn copy_from(&mut self, elements: &[T]) {
        scatter(elements, self);
    }
}
