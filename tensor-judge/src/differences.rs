//! Derivatives against differences of values, and where those say nothing.

use crate::check::Point;
use crate::compare::{magnitude, same, shifted};
use crate::judged;
use crate::made::Made;
use fastrand::Rng;
use tensor_core::eval::Tensor;

/// What changes by so much, of the largest value, over a step of 10⁻⁴ in the longest direction jumps.
const JUMP: f64 = 0.05;

/// The tangent at some arguments, in the direction of a point.
pub type Tangent<'a> = dyn Fn(&[Tensor]) -> Result<Vec<Tensor>, String> + 'a;

/// The tangent agrees with central differences of some step. (One step may straddle a kink; three of different length hardly do. Differences
/// about a jump say nothing: something compares otherwise there, or sums that are equal but for rounding choose another place. Nor do those that
/// tangents between the points explain.)
pub fn differences(
    f: &Made,
    sizes: &[i64],
    at: &Point,
    y_dot: &[Tensor],
    tangent: &Tangent<'_>,
) -> Result<(), String> {
    let (value, here) = f.run(sizes, &at.args)?;
    // Of a step that does not jump.
    let slopes_of = |h: f64| -> Result<Option<Vec<Tensor>>, String> {
        let (up, above) = f.run(sizes, &shifted(&at.args, h, &at.tangents))?;
        let (down, below) = f.run(sizes, &shifted(&at.args, -h, &at.tangents))?;
        let jumps =
            |there: &[Tensor], choices| choices != here.choices || same("", there, &value, JUMP).is_err();
        let is_smooth = !jumps(&up, above.choices) && !jumps(&down, below.choices);
        Ok(is_smooth.then(|| slope(&up, &down, h, y_dot)))
    };
    let steps = [(1e-5, 1e-6), (1e-6, 1e-5), (1e-7, 1e-4), (1e-4, 1e-4)];
    let Some((wrong, all)) = by_steps("differences", y_dot, steps, &slopes_of)? else { return Ok(()) };
    for (h, slopes) in &all {
        if are_between(slopes, *h, at, y_dot, tangent)? {
            return Ok(());
        }
    }
    Err(wrong)
}

/// What is wrong, and the slopes by each step.
type Alarm = (String, Vec<(f64, Vec<Tensor>)>);

/// Compares a derivative with slopes by steps of some lengths, each with its tolerance, until one agrees. None where one does, or where no two of
/// the slopes are nearly the same: then they say nothing, as the function oscillates, or has no figures left.
pub fn by_steps(
    what: &str,
    derivative: &[Tensor],
    steps: [(f64, f64); 4],
    slopes: &dyn Fn(f64) -> Result<Option<Vec<Tensor>>, String>,
) -> Result<Option<Alarm>, String> {
    let (mut last, mut all) = (String::new(), vec![]);
    for (h, tolerance) in steps {
        let Some(slopes) = slopes(h)? else { continue };
        match same(what, derivative, &slopes, tolerance) {
            Ok(()) => {
                judged::note_slope();
                return Ok(None);
            }
            Err(wrong) => last = wrong,
        }
        all.push((h, slopes));
    }
    let is_near = |k: usize| all[..k].iter().any(|(_, other)| same("", other, &all[k].1, 1e-2).is_ok());
    Ok((0..all.len()).any(is_near).then_some((last, all)))
}

/// Whether slopes over a step lie between tangents at points within it. They do for any differentiable function, by the mean value theorem;
/// where one turns many times within the step, as the sine of a large number does, no slope is near the tangent here, and all agree.
fn are_between(
    slopes: &[Tensor],
    h: f64,
    at: &Point,
    y_dot: &[Tensor],
    tangent: &Tangent<'_>,
) -> Result<bool, String> {
    const POINTS: usize = 16;
    let numbers = |ts: &[Tensor]| ts.iter().flat_map(|t| t.data.clone()).collect::<Vec<f64>>();
    let mut rng = Rng::with_seed(0);
    let mut tangents = vec![numbers(y_dot)];
    for _ in 0..POINTS {
        let within = h * (2.0 * rng.f64() - 1.0);
        tangents.push(numbers(&tangent(&shifted(&at.args, within, &at.tangents))?));
    }
    let rounding = 1e-4 * (1.0 + magnitude(slopes));
    let lies_between = |(k, slope): (usize, &f64)| {
        let here = || tangents.iter().map(|t| t[k]);
        here().any(|t| t <= slope + rounding) && here().any(|t| t >= slope - rounding)
    };
    Ok(numbers(slopes).iter().enumerate().all(lies_between))
}

/// `(a - b) / 2h`, the central difference; what is no number, as an extreme of nothing, has none: there it is `otherwise`.
pub fn slope(a: &[Tensor], b: &[Tensor], h: f64, otherwise: &[Tensor]) -> Vec<Tensor> {
    let number = |((x, y), z): ((&f64, &f64), &f64)| match x.is_finite() && y.is_finite() {
        true => (x - y) / (2.0 * h),
        false => *z,
    };
    let one = |((a, b), c): ((&Tensor, &Tensor), &Tensor)| Tensor {
        shape: a.shape.clone(),
        data: a.data.iter().zip(&b.data).zip(&c.data).map(number).collect(),
    };
    a.iter().zip(b).zip(otherwise).map(one).collect()
}
