//! Reference evaluators: the typed language straight from the paper's semantics (Figures 4 and 5), and Tensor SSA. Both count cost as
//! [`crate::cost`] says, and both check what they read.

pub mod index;
pub mod outer;
pub mod scalar;
pub mod ssa;
#[cfg(test)]
mod tests;
pub mod typed;

/// Additions, multiplications and calls of scalar functions.
pub type Cost = u64;

/// What went wrong, in words: an access out of range, an argument of the wrong shape.
pub type Error = String;

/// A leaf of an argument or result.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    /// One length for each dimension; none for a scalar.
    pub shape: Vec<usize>,
    /// Row-major.
    pub data: Vec<f64>,
}

impl Tensor {
    /// A scalar.
    #[must_use]
    pub fn scalar(value: f64) -> Tensor {
        Tensor { shape: vec![], data: vec![value] }
    }

    /// A vector.
    #[must_use]
    pub fn vector(data: &[f64]) -> Tensor {
        Tensor { shape: vec![data.len()], data: data.to_vec() }
    }

    /// `element(0), element(1), …` in row-major order.
    #[must_use]
    pub fn from_fn(shape: &[usize], element: impl FnMut(usize) -> f64) -> Tensor {
        Tensor { shape: shape.to_vec(), data: (0..shape.iter().product()).map(element).collect() }
    }

    /// Its one element.
    ///
    /// # Errors
    /// It is not a scalar.
    pub fn value(&self) -> Result<f64, Error> {
        match self.data.as_slice() {
            [one] if self.shape.is_empty() => Ok(*one),
            _ => Err(format!("not a scalar but of shape {:?}", self.shape)),
        }
    }
}

/// The position of an element in row-major order.
fn offset(shape: &[usize], at: &[i64]) -> Result<usize, Error> {
    if shape.len() != at.len() {
        return Err(format!("{} indices into rank {}", at.len(), shape.len()));
    }
    shape.iter().zip(at).try_fold(0, |position, (n, i)| match usize::try_from(*i) {
        Ok(i) if i < *n => Ok(position * n + i),
        Ok(_) | Err(_) => Err(format!("{at:?} is out of range of {shape:?}")),
    })
}

/// Calls `visit` with each index of a tensor in row-major order.
fn for_each_index(shape: &[usize], visit: &mut dyn FnMut(&[i64]) -> Result<(), Error>) -> Result<(), Error> {
    fn inner(
        shape: &[usize],
        at: &mut Vec<i64>,
        visit: &mut dyn FnMut(&[i64]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Some(n) = shape.get(at.len()) else { return visit(at) };
        for i in 0..*n {
            at.push(i64::try_from(i).map_err(|e| e.to_string())?);
            inner(shape, at, visit)?;
            at.pop();
        }
        Ok(())
    }
    inner(shape, &mut vec![], visit)
}

/// A length; a negative one is empty.
fn length(extent: i64) -> usize {
    usize::try_from(extent).unwrap_or(0)
}
