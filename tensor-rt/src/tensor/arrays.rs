//! Slices, arrays and vectors, of numbers and of arrays of numbers.

use super::{AsTensor, AsTensorMut, copy};
use alloc::vec::Vec;

/// A slice of `$row`s is a tensor of rank `$r`, whose inner dimensions are `$inner`: so are an array and a vector of them.
/// A row without elements has no memory to flatten.
macro_rules! rows {
    ($r:literal, $row:ty, [$($inner:ident),*], $rows:ident => $flat:expr, $flat_mut:expr) => {
        impl<T: Clone, $(const $inner: usize),*> AsTensor<T, $r> for [$row] {
            #[inline]
            fn shape(&self) -> [usize; $r] {
                [self.len(), $($inner),*]
            }
            #[inline]
            fn row_major(&self) -> Option<&[T]> {
                let $rows = self;
                Some(if 0 $(+ usize::from($inner == 0))* > 0 { &[] } else { $flat })
            }
            fn copy_into(&self, elements: &mut [T]) {
                copy(self.row_major().unwrap_or(&[]), elements);
            }
        }
        impl<T: Clone, $(const $inner: usize),*> AsTensorMut<T, $r> for [$row] {
            #[inline]
            fn row_major_mut(&mut self) -> Option<&mut [T]> {
                let $rows = self;
                Some(if 0 $(+ usize::from($inner == 0))* > 0 { &mut [] } else { $flat_mut })
            }
            fn copy_from(&mut self, elements: &[T]) {
                copy(elements, self.row_major_mut().unwrap_or(&mut []));
            }
        }
        holds_rows!($r, $row, [$($inner),*], [$row; N], const N);
        holds_rows!($r, $row, [$($inner),*], Vec<$row>);
    };
}

/// What holds rows is the tensor that their slice is.
macro_rules! holds_rows {
    ($r:literal, $row:ty, [$($inner:ident),*], $holder:ty $(, const $n:ident)?) => {
        impl<T: Clone, $(const $inner: usize,)* $(const $n: usize)?> AsTensor<T, $r> for $holder {
            #[inline]
            fn shape(&self) -> [usize; $r] {
                AsTensor::<T, $r>::shape(&self[..])
            }
            #[inline]
            fn row_major(&self) -> Option<&[T]> {
                AsTensor::<T, $r>::row_major(&self[..])
            }
            fn copy_into(&self, elements: &mut [T]) {
                AsTensor::<T, $r>::copy_into(&self[..], elements);
            }
        }
        impl<T: Clone, $(const $inner: usize,)* $(const $n: usize)?> AsTensorMut<T, $r> for $holder {
            #[inline]
            fn row_major_mut(&mut self) -> Option<&mut [T]> {
                AsTensorMut::<T, $r>::row_major_mut(&mut self[..])
            }
            fn copy_from(&mut self, elements: &[T]) {
                AsTensorMut::<T, $r>::copy_from(&mut self[..], elements);
            }
        }
    };
}

rows!(1, T, [], rows => rows, rows);
rows!(2, [T; M], [M], rows => rows.as_flattened(), rows.as_flattened_mut());
rows!(3, [[T; L]; M], [M, L], rows => rows.as_flattened().as_flattened(),
    rows.as_flattened_mut().as_flattened_mut());
rows!(4, [[[T; K]; L]; M], [M, L, K], rows => rows.as_flattened().as_flattened().as_flattened(),
    rows.as_flattened_mut().as_flattened_mut().as_flattened_mut());
