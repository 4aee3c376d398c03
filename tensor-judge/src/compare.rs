//! Closeness of values, and points to evaluate at.

use tensor_core::eval::Tensor;

/// `|a - b|` small beside the largest of the numbers; NaN equals NaN, and an infinity itself.
pub fn close(a: f64, b: f64, scale: f64, tolerance: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * (1.0 + scale)
}

/// The largest finite magnitude.
pub fn magnitude(tensors: &[Tensor]) -> f64 {
    let all = tensors.iter().flat_map(|t| &t.data);
    all.map(|x| x.abs()).filter(|x| x.is_finite()).fold(0.0, f64::max)
}

/// Whether all leaves agree.
pub fn same(what: &str, found: &[Tensor], expected: &[Tensor], tolerance: f64) -> Result<(), String> {
    let scale = magnitude(expected);
    let shapes = |ts: &[Tensor]| ts.iter().map(|t| t.shape.clone()).collect::<Vec<_>>();
    if shapes(found) != shapes(expected) {
        return Err(format!("{what}: shapes {:?} for {:?}", shapes(found), shapes(expected)));
    }
    for (k, (f, e)) in found.iter().zip(expected).enumerate() {
        for (at, (x, y)) in f.data.iter().zip(&e.data).enumerate() {
            if !close(*x, *y, scale, tolerance) {
                return Err(format!("{what}: leaf {k} element {at} is {x} for {y}"));
            }
        }
    }
    Ok(())
}

/// `Σ a · b`, of tensors of the same shapes.
pub fn dot(a: &[Tensor], b: &[Tensor]) -> f64 {
    assert_eq!(shapes(a), shapes(b));
    a.iter().zip(b).flat_map(|(a, b)| a.data.iter().zip(&b.data)).map(|(x, y)| x * y).sum()
}

/// `a + h b`, of tensors of the same shapes.
pub fn shifted(a: &[Tensor], h: f64, b: &[Tensor]) -> Vec<Tensor> {
    assert_eq!(shapes(a), shapes(b));
    let one = |(a, b): (&Tensor, &Tensor)| Tensor {
        shape: a.shape.clone(),
        data: a.data.iter().zip(&b.data).map(|(x, y)| x + h * y).collect(),
    };
    a.iter().zip(b).map(one).collect()
}

/// Random tensors of these shapes, of twenty binary digits after the point: sums and products of two are the same in any order, so that of equal
/// elements the first is an extreme however they are computed.
pub fn random(shapes: &[Vec<usize>], rng: &mut fastrand::Rng) -> Vec<Tensor> {
    const UNIT: f64 = (1 << 20) as f64;
    let mut number = || ((rng.f64() * 3.0 - 1.5) * UNIT).round() / UNIT;
    shapes.iter().map(|s| Tensor::from_fn(s, |_| number())).collect()
}

/// The shapes of tensors.
pub fn shapes(of: &[Tensor]) -> Vec<Vec<usize>> {
    of.iter().map(|t| t.shape.clone()).collect()
}

/// How many numbers there are.
pub fn count(of: &[Tensor]) -> u64 {
    of.iter().map(|t| t.data.len() as u64).sum()
}
