//! Flat tensors of `f64`, between the evaluators and compiled functions.

use tensor_rt::ndarray::{Array, Dimension};

/// A tensor, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its extents.
    pub shape: Vec<usize>,
    /// Its elements.
    pub data: Vec<f64>,
}

impl Tensor {
    /// The elements in another precision.
    #[must_use]
    pub fn elements<T: Element>(&self) -> Vec<T> {
        self.data.iter().map(|x| T::of(*x)).collect()
    }
}

/// `f64` or `f32`
pub trait Element: Copy {
    /// The nearest number.
    fn of(x: f64) -> Self;
    /// Exactly.
    fn wide(self) -> f64;
}

impl Element for f64 {
    fn of(x: f64) -> f64 {
        x
    }
    fn wide(self) -> f64 {
        self
    }
}

impl Element for f32 {
    #[allow(clippy::cast_possible_truncation)]
    fn of(x: f64) -> f32 {
        x as f32
    }
    fn wide(self) -> f64 {
        f64::from(self)
    }
}

/// The leaves of a result.
pub trait Flatten {
    /// In order.
    fn flatten(&self) -> Vec<Tensor>;
}

impl Flatten for f64 {
    fn flatten(&self) -> Vec<Tensor> {
        vec![Tensor { shape: vec![], data: vec![*self] }]
    }
}

impl Flatten for f32 {
    fn flatten(&self) -> Vec<Tensor> {
        f64::from(*self).flatten()
    }
}

impl<T: Element, D: Dimension> Flatten for Array<T, D> {
    fn flatten(&self) -> Vec<Tensor> {
        vec![Tensor { shape: self.shape().to_vec(), data: self.iter().map(|x| x.wide()).collect() }]
    }
}

/// A Rust array of equal tensors is a tensor.
impl<T: Flatten, const N: usize> Flatten for [T; N] {
    fn flatten(&self) -> Vec<Tensor> {
        let mut shape = vec![N];
        let mut data = vec![];
        for part in self.iter().flat_map(Flatten::flatten) {
            shape.splice(1.., part.shape);
            data.extend(part.data);
        }
        vec![Tensor { shape, data }]
    }
}

macro_rules! tuples {
    ($(($($name:ident $k:tt),+))*) => { $(
        impl<$($name: Flatten),+> Flatten for ($($name,)+) {
            fn flatten(&self) -> Vec<Tensor> {
                [$(self.$k.flatten()),+].concat()
            }
        }
    )* };
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8)
}
