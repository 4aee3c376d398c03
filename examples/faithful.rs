//! Fits a mixture of two Gaussians with full covariances to the eruptions of Old Faithful by maximum likelihood.
//!
//! The precision matrix of component c is `QᵀQ`, with Q lower triangular: its diagonal is `exp(q[c])`, and below it stands `l[c]`, packed by
//! rows. So any parameters make a mixture, and the optimizer needs no constraints.

use plotters::prelude::*;
use tensor_examples::{Objective, minimize, output};
use tensor_rt::tensor;

tensor! {
    /// Minus the log-likelihood of `n` points in `d` dimensions under a mixture of `k` Gaussians.
    pub fn minus_log_likelihood<n, k, d>(
        alpha: [f64; k], mu: [f64; k, d], q: [f64; k, d], l: [f64; k, d * (d - 1) / 2], x: [f64; n, d]
    ) -> f64 {
        let log_det = for c in 0..k { sum j in 0..d { q[c, j] } };
        let normalizer = logsumexp c in 0..k { alpha[c] };
        let fits = sum i in 0..n {
            logsumexp c in 0..k {
                let r = for a in 0..d { x[i, a] - mu[c, a] };
                let z = for a in 0..d { q[c, a].exp() * r[a] + sum b in 0..a { l[c, a * (a - 1) / 2 + b] * r[b] } };
                alpha[c] + log_det[c] - 0.5 * sum a in 0..d { z[a].powi(2) }
            }
        };
        (n as f64) * (normalizer + 0.5 * (d as f64) * (2.0 * PI).ln()) - fits
    }

    /// Its value, and its gradient by the parameters of the mixture.
    pub fn fit = value_and_grad(minus_log_likelihood, alpha, mu, q, l);
}

const K: usize = 2;
const D: usize = 2;

/// The points, flat: duration and waiting time of each eruption, in minutes.
struct Eruptions {
    points: Vec<f64>,
}

/// Views of the parts of a flat parameter vector: alpha, mu, q, l.
fn parts(p: &[f64]) -> (&[f64], &[f64], &[f64], &[f64]) {
    let (alpha, rest) = p.split_at(K);
    let (mu, rest) = rest.split_at(K * D);
    let (q, l) = rest.split_at(K * D);
    (alpha, mu, q, l)
}

impl Objective for Eruptions {
    fn value_and_grad(&self, p: &[f64]) -> Result<(f64, Vec<f64>), tensor_rt::Error> {
        let (alpha, mu, q, l) = parts(p);
        let x = (&self.points[..], [self.points.len() / D, D]);
        let (value, (d_alpha, d_mu, d_q, d_l)) = fit(alpha, &(mu, [K, D]), &(q, [K, D]), &(l, [K, 1]), &x)?;
        let gradient = d_alpha.into_iter().chain(d_mu).chain(d_q).chain(d_l).collect();
        Ok((value, gradient))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = Eruptions { points: read(include_str!("data/faithful.csv"))? };
    let n = data.points.len() / D;
    println!("Old Faithful: {n} eruptions, a mixture of {K} Gaussians, {} parameters", K * (1 + D + D) + K);

    // Equal weights, the data's own spread, and means a little apart.
    let column = |j: usize| data.points.iter().skip(j).step_by(D);
    let mean: Vec<f64> = (0..D).map(|j| column(j).sum::<f64>() / n as f64).collect();
    let deviation: Vec<f64> =
        (0..D).map(|j| (column(j).map(|v| (v - mean[j]).powi(2)).sum::<f64>() / n as f64).sqrt()).collect();
    let mut start = vec![0.0; K];
    start.extend(
        [-0.5, 0.5].iter().flat_map(|s| (0..D).map(|j| mean[j] + s * deviation[j]).collect::<Vec<_>>()),
    );
    start.extend((0..K).flat_map(|_| deviation.iter().map(|s| -s.ln())));
    start.extend([0.0; K]);

    let (best, value) = minimize(&data, start, 500, 5)?;
    report(&best, value);
    let file = output("faithful.svg")?;
    plot(&file, &data, &best)?;
    println!("plot: {}", file.display());
    Ok(())
}

/// Rows of `duration,waiting` after a heading.
fn read(csv: &str) -> Result<Vec<f64>, std::num::ParseFloatError> {
    csv.lines().skip(1).filter(|row| !row.is_empty()).flat_map(|row| row.split(',').map(str::parse)).collect()
}

/// Weights of the components, from the first of which the plot and the report start with the lower mean.
fn weights(alpha: &[f64]) -> Vec<f64> {
    let total: f64 = alpha.iter().map(|a| a.exp()).sum();
    alpha.iter().map(|a| a.exp() / total).collect()
}

fn report(p: &[f64], value: f64) {
    let (alpha, mu, ..) = parts(p);
    let weight = weights(alpha);
    let mut order: Vec<usize> = (0..K).collect();
    order.sort_by(|a, b| mu[a * D].total_cmp(&mu[b * D]));
    println!("log-likelihood {:.3}", -value);
    for c in order {
        println!("weight {:.3}   mean ({:.3}, {:.2})", weight[c], mu[c * D], mu[c * D + 1]);
    }
}

/// The points where `|Q (x - mu)| = radius`: an ellipse of the component.
fn ellipse(p: &[f64], c: usize, radius: f64) -> Vec<(f64, f64)> {
    let (_, mu, q, l) = parts(p);
    let (q0, q1) = (q[c * D].exp(), q[c * D + 1].exp());
    (0..=100)
        .map(|t| {
            let (s, co) = (f64::from(t) / 100.0 * std::f64::consts::TAU).sin_cos();
            let u = radius * co / q0;
            let v = (radius * s - l[c] * u) / q1;
            (mu[c * D] + u, mu[c * D + 1] + v)
        })
        .collect()
}

fn plot(file: &std::path::Path, data: &Eruptions, p: &[f64]) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::new(file, (800, 600)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption("Old Faithful: eruptions and the fitted mixture", ("sans-serif", 22))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(50)
        .build_cartesian_2d(1.0..6.0, 35.0..105.0)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("duration (minutes)")
        .y_desc("waiting time (minutes)")
        .draw()?;
    let points = data.points.chunks_exact(D).map(|r| Circle::new((r[0], r[1]), 2, BLACK.mix(0.5).filled()));
    chart.draw_series(points)?;
    for (c, color) in [(0, &BLUE), (1, &RED)] {
        for radius in [1.0, 2.0] {
            chart.draw_series(LineSeries::new(ellipse(p, c, radius), color.stroke_width(2)))?;
        }
    }
    area.present()?;
    Ok(())
}
