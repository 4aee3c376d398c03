//! Flat tensors of `f64`, between the evaluators and compiled functions.

use std::cell::RefCell;
use tensor_rt::Workspace;
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
    /// Of elements in any precision.
    #[must_use]
    pub fn of<T: Element>(shape: &[usize], elements: &[T]) -> Tensor {
        Tensor { shape: shape.to_vec(), data: elements.iter().map(|x| x.wide()).collect() }
    }

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
    /// See [`in_used`].
    fn in_used<R>(run: impl FnOnce(&mut Workspace<Self>) -> R) -> R;
}

/// Runs in a workspace that all calls before have used, with NaN and indices of nothing where the next one begins.
pub fn in_used<T: Element, R>(run: impl FnOnce(&mut Workspace<T>) -> R) -> R {
    T::in_used(run)
}

/// How much of a workspace is spoiled before each call: what small sizes need. Beyond, there is what other calls left.
const SPOILED: usize = 1 << 12;

macro_rules! used {
    ($elem:ident) => {
        fn in_used<R>(run: impl FnOnce(&mut Workspace<$elem>) -> R) -> R {
            thread_local!(static WORK: RefCell<Workspace<$elem>> = const { RefCell::new(Workspace::new()) });
            WORK.with_borrow_mut(|work| {
                let (reals, indices) = work.buffers(SPOILED, SPOILED);
                reals.fill($elem::NAN);
                indices.fill(isize::MIN);
                run(work)
            })
        }
    };
}

impl Element for f64 {
    fn of(x: f64) -> f64 {
        x
    }
    fn wide(self) -> f64 {
        self
    }
    used!(f64);
}

impl Element for f32 {
    #[allow(clippy::cast_possible_truncation)]
    fn of(x: f64) -> f32 {
        x as f32
    }
    fn wide(self) -> f64 {
        f64::from(self)
    }
    used!(f32);
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
