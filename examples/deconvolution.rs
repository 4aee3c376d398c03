//! Recovers a signal from its blurred and noisy image: the misfit of a convolution, and a penalty on jumps, minimized by L-BFGS.

use plotters::prelude::*;
use tensor_examples::{Objective, minimize, output};
use tensor_rt::tensor;

tensor! {
    /// The convolution of a signal with a kernel.
    pub fn blur<n, m>(x: [f64; n + m - 1], w: [f64; m]) -> [f64; n] {
        for i in 0..n { sum j in 0..m { x[i + j] * w[j] } }
    }

    /// Residual sum of squares of a 1-D deconvolution.
    pub fn misfit<n, m>(x: [f64; n + m - 1], w: [f64; m], z: [f64; n]) -> f64 {
        let y = blur(x, w);
        sum i { (y[i] - z[i]).powi(2) }
    }

    /// The misfit, and a smooth count of the jumps: `Σ √(ε² + (x[i + 1] - x[i])²)`.
    pub fn objective<n, m>(x: [f64; n + m - 1], w: [f64; m], z: [f64; n], weight: f64) -> f64 {
        let jumps = sum i in 0..n + m - 1 { [i + 1 < n + m - 1] * (1e-4 + (x[i + 1] - x[i]).powi(2)).sqrt() };
        misfit(x, w, z) + weight * jumps
    }

    /// Its value, and its gradient by the signal.
    pub fn objective_grad = value_and_grad(objective, x);
}

const N: usize = 400;
const M: usize = 25;

struct Image {
    kernel: Vec<f64>,
    observed: Vec<f64>,
}

impl Objective for Image {
    fn value_and_grad(&self, x: &[f64]) -> Result<(f64, Vec<f64>), tensor_rt::Error> {
        let (value, gradient) = objective_grad(x, &self.kernel, &self.observed, 2e-3)?;
        Ok((value, gradient.to_vec()))
    }
}

/// Steps, a ramp and a bump.
fn signal() -> Vec<f64> {
    (0..N + M - 1)
        .map(|i| match i {
            60..=109 => 1.0,
            110..=149 => 0.4,
            200..=259 => (i as f64 - 200.0) / 60.0,
            300..=359 => (std::f64::consts::PI * (i as f64 - 300.0) / 60.0).sin(),
            _ => 0.0,
        })
        .collect()
}

/// A Gaussian of unit sum.
fn kernel() -> Vec<f64> {
    let bell: Vec<f64> = (0..M).map(|j| (-((j as f64 - 12.0) / 4.0).powi(2) / 2.0).exp()).collect();
    let total: f64 = bell.iter().sum();
    bell.iter().map(|b| b / total).collect()
}

/// Reproducible noise, uniform in -1..1 (a 64-bit linear congruential generator by Knuth).
fn noise() -> impl Iterator<Item = f64> {
    let step =
        |s: &u64| Some(s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    std::iter::successors(Some(1), step).map(|s| (s >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (truth, kernel) = (signal(), kernel());
    let observed: Vec<f64> = blur(&truth, &kernel)?.iter().zip(noise()).map(|(y, e)| y + 0.005 * e).collect();
    println!("deconvolution: {} samples through a kernel of {M}, with noise", truth.len());

    let image = Image { kernel, observed };
    let (found, _) = minimize(&image, vec![0.0; N + M - 1], 2000, 100)?;

    let distance: f64 = found.iter().zip(&truth).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let length: f64 = truth.iter().map(|t| t * t).sum::<f64>().sqrt();
    println!("misfit {:.3e}", misfit(&found, &image.kernel, &image.observed)?);
    println!("relative error {:.4}", distance / length);

    let file = output("deconvolution.svg")?;
    plot(&file, &truth, &image.observed, &found)?;
    println!("plot: {}", file.display());
    Ok(())
}

fn plot(
    file: &std::path::Path,
    truth: &[f64],
    observed: &[f64],
    found: &[f64],
) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::new(file, (900, 500)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption("Deconvolution", ("sans-serif", 22))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(50)
        .build_cartesian_2d(0.0..(N + M) as f64, -0.2..1.3)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_label_formatter(&|i| format!("{i:.0}"))
        .x_desc("sample")
        .y_desc("signal")
        .draw()?;
    let shift = (M / 2) as f64;
    let curves: [(&str, &[f64], f64, RGBColor); 3] = [
        ("observed", observed, shift, RGBColor(170, 170, 170)),
        ("truth", truth, 0.0, BLACK),
        ("recovered", found, 0.0, RED),
    ];
    for (name, curve, shift, color) in curves {
        let points = curve.iter().enumerate().map(|(i, y)| (i as f64 + shift, *y));
        chart
            .draw_series(LineSeries::new(points, color.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .border_style(BLACK)
        .background_style(WHITE)
        .draw()?;
    area.present()?;
    Ok(())
}
