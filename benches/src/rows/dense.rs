//! Dense rows by candle, with the feature of that name. Results are copied out, as a user would.

use crate::bench::Case;

#[cfg(not(feature = "candle"))]
mod candle {
    use super::Case;

    /// Without the feature: no contender.
    pub fn matmul<'a>(case: Case<'a>, _: &'a [f64], _: &'a [f64], _: usize) -> Case<'a> {
        case
    }

    /// Without the feature: no contender.
    pub fn softmax<'a>(case: Case<'a>, _: &[&'a [f64]; 4], _: [usize; 3]) -> Case<'a> {
        case
    }

    /// Without the feature: no contender.
    pub fn perceptron<'a>(case: Case<'a>, _: &[&'a [f64]; 6], _: [usize; 4]) -> Case<'a> {
        case
    }
}

#[cfg(feature = "candle")]
mod candle {
    use super::Case;
    use candle_core::{D, Device, Result, Tensor, Var};

    fn tensor(x: &[f64], shape: &[usize]) -> Tensor {
        Tensor::from_slice(x, shape, &Device::Cpu).expect("the shape fits")
    }

    fn variable(x: &[f64], shape: &[usize]) -> Var {
        Var::from_tensor(&tensor(x, shape)).expect("a variable")
    }

    fn copy(from: &Tensor, out: &mut [f64]) -> Result<()> {
        out.copy_from_slice(&from.flatten_all()?.to_vec1::<f64>()?);
        Ok(())
    }

    /// The value, and where asked the gradient by `variables`, one after the other in `out`.
    fn finish(loss: &Tensor, variables: &[Var], out: &mut [f64]) -> Result<f64> {
        if !out.is_empty() {
            let (gradients, mut rest) = (loss.backward()?, out);
            for v in variables {
                let (part, next) = rest.split_at_mut(v.elem_count());
                copy(gradients.get(v).expect("a gradient"), part)?;
                rest = next;
            }
        }
        loss.to_scalar::<f64>()
    }

    /// A product of two square matrices.
    pub fn matmul<'a>(case: Case<'a>, a: &'a [f64], b: &'a [f64], n: usize) -> Case<'a> {
        let (a, b) = (tensor(a, &[n, n]), tensor(b, &[n, n]));
        case.rust("candle", move |out| {
            a.matmul(&b).and_then(|c| copy(&c, out)).expect("candle");
            0.0
        })
    }

    fn linear(x: &Tensor, w: &Tensor, b: &Tensor) -> Result<Tensor> {
        x.matmul(&w.t()?)?.broadcast_add(b)
    }

    /// Inputs: x, w, b, y; sizes: n, d, k.
    pub fn softmax<'a>(case: Case<'a>, inputs: &[&'a [f64]; 4], [n, d, k]: [usize; 3]) -> Case<'a> {
        let (x, y) = (tensor(inputs[0], &[n, d]), tensor(inputs[3], &[n, k]));
        let parameters = [variable(inputs[1], &[k, d]), variable(inputs[2], &[k])];
        let loss = move |parameters: &[Var; 2]| -> Result<Tensor> {
            let score = linear(&x, &parameters[0], &parameters[1])?;
            let z = score.log_sum_exp(D::Minus1)?.sum_all()?;
            z - (score * &y)?.sum_all()?
        };
        case.rust("candle", move |out| {
            loss(&parameters).and_then(|f| finish(&f, &parameters, out)).expect("candle")
        })
    }

    /// Inputs: x, w1, b1, w2, b2, y; sizes: n, p, q, r.
    pub fn perceptron<'a>(case: Case<'a>, inputs: &[&'a [f64]; 6], [n, p, q, r]: [usize; 4]) -> Case<'a> {
        let (x, y) = (tensor(inputs[0], &[n, p]), tensor(inputs[5], &[n, r]));
        let (w1, b1) = (variable(inputs[1], &[q, p]), variable(inputs[2], &[q]));
        let (w2, b2) = (variable(inputs[3], &[r, q]), variable(inputs[4], &[r]));
        let parameters = [w1, b1, w2, b2];
        let loss = move |v: &[Var; 4]| -> Result<Tensor> {
            let h = linear(&x, &v[0], &v[1])?.tanh()?;
            (linear(&h, &v[2], &v[3])? - &y)?.sqr()?.sum_all()? * 0.5
        };
        case.rust("candle", move |out| {
            loss(&parameters).and_then(|f| finish(&f, &parameters, out)).expect("candle")
        })
    }
}

pub(super) use candle::{matmul, perceptron, softmax};
