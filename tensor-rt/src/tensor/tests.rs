use super::*;
use alloc::vec;
use alloc::vec::Vec;
use ndarray::{Array, Array1, Array2, Array3, ArrayD, Axis, Slice, aview1};

/// The shape and the elements, by slice if there is one, in any case by copy.
fn read<const R: usize>(a: &(impl AsTensor<f64, R> + ?Sized)) -> ([usize; R], Vec<f64>, bool) {
    let shape = a.shape();
    let len = if shape.contains(&0) { 0 } else { shape.iter().product() };
    let mut copied = vec![f64::NAN; len];
    a.copy_into(&mut copied);
    if let Some(slice) = a.row_major() {
        assert_eq!(slice, copied);
    }
    (shape, copied, a.row_major().is_some())
}

/// Writes 0, 1, 2, … in row-major order.
fn count<const R: usize>(a: &mut (impl AsTensorMut<f64, R> + ?Sized)) {
    let numbers: Vec<f64> = (0..a.shape().iter().product::<usize>()).map(|k| k as f64).collect();
    a.copy_from(&numbers);
    if let Some(slice) = a.row_major_mut() {
        assert_eq!(slice, numbers);
    }
}

#[test]
fn rank_1() {
    let three = ([3], vec![1.0, 2.0, 3.0], true);
    assert_eq!(read(&[1.0, 2.0, 3.0]), three);
    assert_eq!(read(&vec![1.0, 2.0, 3.0]), three);
    assert_eq!(read(&vec![1.0, 2.0, 3.0][..]), three);
    assert_eq!(read(&&&vec![1.0, 2.0, 3.0]), three);
    assert_eq!(read(&Box::new([1.0, 2.0, 3.0])), three);
    let boxed: Box<[f64]> = vec![1.0, 2.0, 3.0].into();
    assert_eq!(read(&boxed), three);
    let shared: Arc<[f64]> = vec![1.0, 2.0, 3.0].into();
    assert_eq!(read(&shared), three);
    assert_eq!(read(&Rc::new(vec![1.0, 2.0, 3.0])), three);
    assert_eq!(read(&aview1(&[1.0, 2.0, 3.0])), three);
    assert_eq!(read(&Array1::from_vec(vec![1.0, 2.0, 3.0])), three);
    assert_eq!(read(&Vec::<f64>::new()), ([0], vec![], true));
    assert_eq!(read(&[0.0_f64; 0]), ([0], vec![], true));
}

#[test]
fn arrays_of_arrays() {
    let numbers = |n: i32| (0..n).map(f64::from).collect::<Vec<_>>();
    assert_eq!(read::<2>(&[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]), ([2, 3], numbers(6), true));
    assert_eq!(read::<2>(&vec![[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]), ([3, 2], numbers(6), true));
    assert_eq!(read::<2>(&[[0.0, 1.0], [2.0, 3.0]][..1]), ([1, 2], numbers(2), true));
    assert_eq!(read::<3>(&vec![[[0.0, 1.0], [2.0, 3.0]]]), ([1, 2, 2], numbers(4), true));
    assert_eq!(read::<4>(&[[[[0.0, 1.0], [2.0, 3.0]]]]), ([1, 1, 2, 2], numbers(4), true));
    assert_eq!(read::<2>(&vec![[0.0_f64; 0]; 3]), ([3, 0], vec![], true));
    assert_eq!(read::<3>(&[[[0.0_f64; 0]; 2]; 3]), ([3, 2, 0], vec![], true));
    assert_eq!(read::<3>(&[[[0.0_f64; 2]; 0]; 3]), ([3, 0, 2], vec![], true));
    assert_eq!(read::<4>(&vec![[[[0.0_f64; 0]; usize::MAX]; 2]; 3]), ([3, 2, usize::MAX, 0], vec![], true));
}

#[test]
fn strides() {
    let a = Array2::from_shape_fn((2, 3), |(i, j)| (3 * i + j) as f64);
    assert_eq!(read(&a), ([2, 3], vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0], true));
    assert_eq!(read(&a.t()), ([3, 2], vec![0.0, 3.0, 1.0, 4.0, 2.0, 5.0], false));
    assert_eq!(
        read(&a.slice_axis(Axis(1), Slice::new(0, None, -1))),
        ([2, 3], vec![2.0, 1.0, 0.0, 5.0, 4.0, 3.0], false)
    );
    assert_eq!(
        read(&a.slice_axis(Axis(0), Slice::new(0, None, -1)).slice_axis(Axis(1), Slice::new(0, None, 2))),
        ([2, 2], vec![3.0, 5.0, 0.0, 2.0], false)
    );
    assert_eq!(read(&a.column(1)), ([2], vec![1.0, 4.0], false));
    assert_eq!(read(&a.row(1)), ([3], vec![3.0, 4.0, 5.0], true));
    assert_eq!(read(&a.slice_axis(Axis(1), Slice::from(3..))), ([2, 0], vec![], true));
    assert_eq!(
        read(&a.row(0).broadcast((2, 3)).unwrap()),
        ([2, 3], vec![0.0, 1.0, 2.0, 0.0, 1.0, 2.0], false)
    );
    let reference: &ArrayRef2 = &a;
    assert_eq!(read(reference), ([2, 3], vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0], true));
    let b = Array3::from_shape_fn((2, 2, 2), |(i, j, k)| (4 * i + 2 * j + k) as f64);
    let swapped = b.view().permuted_axes([2, 0, 1]);
    assert_eq!(read(&swapped), ([2, 2, 2], vec![0.0, 2.0, 4.0, 6.0, 1.0, 3.0, 5.0, 7.0], false));
    assert_eq!(read(&a.to_shared()), read(&a));
    assert_eq!(read(&ndarray::CowArray::from(a.view())), read(&a));
}

type ArrayRef2 = ndarray::ArrayRef<f64, ndarray::Ix2>;

#[test]
fn of_many_dimensions() {
    assert_eq!(read(&Array::from_elem([1, 1, 1, 1, 1, 2], 7.0)), ([1, 1, 1, 1, 1, 2], vec![7.0; 2], true));
    assert_eq!(read(&(vec![7.0; 2], [1, 1, 1, 1, 1, 1, 2])), ([1, 1, 1, 1, 1, 1, 2], vec![7.0; 2], true));
}

#[test]
fn dynamic_rank() {
    let a = ArrayD::from_shape_fn(vec![2, 3], |d| (3 * d[0] + d[1]) as f64);
    assert_eq!(AsTensor::<f64, 2>::rank(&a), 2);
    assert_eq!(AsTensor::<f64, 3>::rank(&&a), 2);
    assert_eq!(AsTensor::<f64, 3>::shape(&a), [2, 3, 0]);
    assert_eq!(AsTensor::<f64, 1>::shape(&a), [2]);
    assert_eq!(read::<2>(&a.t()), ([3, 2], vec![0.0, 3.0, 1.0, 4.0, 2.0, 5.0], false));
}

#[test]
fn slices_with_a_shape() {
    let data = [0.0, 1.0, 2.0, 3.0];
    assert_eq!(read(&(&data[..], [2, 2])), ([2, 2], data.to_vec(), true));
    assert_eq!(read(&(&data, [4, 1])), ([4, 1], data.to_vec(), true));
    assert_eq!(read(&(data.to_vec(), [1, 1, 4])), ([1, 1, 4], data.to_vec(), true));
    // Nothing is wrong yet: the length is checked on entry.
    assert_eq!(AsTensor::<f64, 2>::row_major(&(&data[..], [3, 3])).map(<[f64]>::len), Some(4));
}

#[test]
fn writes() {
    let mut v = vec![9.0; 3];
    count(&mut v);
    assert_eq!(v, [0.0, 1.0, 2.0]);
    count(&mut v[1..]);
    assert_eq!(v, [0.0, 0.0, 1.0]);
    let mut rows = [[9.0; 2]; 2];
    count::<2>(&mut rows);
    assert_eq!(rows, [[0.0, 1.0], [2.0, 3.0]]);
    count::<2>(&mut &mut rows[1..]);
    assert_eq!(rows, [[0.0, 1.0], [0.0, 1.0]]);
    let mut cube = vec![[[9.0; 2]; 1]; 2];
    count::<3>(&mut cube);
    assert_eq!(cube, [[[0.0, 1.0]], [[2.0, 3.0]]]);
    let mut boxed: Box<[f64]> = vec![9.0; 2].into();
    count(&mut boxed);
    assert_eq!(*boxed, [0.0, 1.0]);
    let mut a = Array2::zeros((2, 3));
    count(&mut a.view_mut().reversed_axes());
    assert_eq!(a, ndarray::arr2(&[[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]));
    count(&mut a.column_mut(1).slice_axis_mut(Axis(0), Slice::new(0, None, -1)));
    assert_eq!(a, ndarray::arr2(&[[0.0, 1.0, 4.0], [1.0, 0.0, 5.0]]));
    let mut flat = [9.0; 4];
    count(&mut (&mut flat[..], [2, 2]));
    assert_eq!(flat, [0.0, 1.0, 2.0, 3.0]);
    let mut dynamic = ArrayD::from_elem(vec![2, 1], 9.0);
    count::<2>(&mut dynamic);
    assert_eq!(dynamic.as_slice(), Some(&[0.0, 1.0][..]));
    count::<2>(&mut vec![[0.0; 0]; 3]);
}

#[test]
fn single_precision_and_other_elements() {
    fn shape<const R: usize>(a: &(impl AsTensor<f32, R> + ?Sized)) -> [usize; R] {
        a.shape()
    }
    assert_eq!(shape(&[1.0, 2.0]), [2]);
    assert_eq!(shape::<2>(&vec![[1.0]]), [1, 1]);
    assert_eq!(AsTensor::<u32, 1>::shape(&vec![1, 2, 3]), [3]);
}

#[test]
fn scalars() {
    fn value(a: &impl AsScalar<f32>) -> f32 {
        a.value()
    }
    let x = 2.0;
    assert_eq!(value(&1.5), 1.5);
    assert_eq!(value(&&x), 2.0);
    assert_eq!(AsScalar::<usize>::value(&&mut 3), 3);
}
