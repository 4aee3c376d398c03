//! Fits a local level to the flow of the Nile at Aswan, 1871 to 1970, by the likelihood of its Kalman filter.
//!
//! The level is a random walk, and each year's flow is the level with noise (Durbin and Koopman, *Time Series Analysis by State Space Methods*,
//! chapter 2). Parameters are the logarithms of the two variances, so that the optimizer needs no constraints.

use plotters::prelude::*;
use tensor_examples::{Objective, minimize, output};
use tensor_rt::{Error, tensor};

tensor! {
    /// Minus the log-likelihood of flows after the first, from which the filter starts, by the logarithms of the variances of noise and level.
    pub fn minus_log_likelihood<n>(log_noise: f64, log_level: f64, y: [f64; n]) -> f64 where n >= 1 {
        let (noise, level) = (log_noise.exp(), log_level.exp());
        let (_, _, sum) = fold t in 1..n from (a, p, sum) = (y[0], noise + level, 0.0) {
            // What is predicted of this year, the error of that, and how much of it the level takes.
            let (v, f) = (y[t] - a, p + noise);
            let gain = p / f;
            (a + gain * v, p * (1.0 - gain) + level, sum + f.ln() + v * v / f)
        };
        0.5 * (sum + (n - 1) as f64 * (2.0 * PI).ln())
    }

    /// Its value, and its gradient by both.
    pub fn fit = value_and_grad(minus_log_likelihood, log_noise, log_level);

    /// The level of each year: what the years before it and its own say, and what all years do.
    pub fn levels<n>(noise: f64, level: f64, y: [f64; n]) -> ([f64; n], [f64; n]) where n >= 1 {
        // Mean and variance after each year.
        let (a, p) = rec t in 0..n {
            if t == 0 { (y[0], noise) } else {
                let before = p[t - 1] + level;
                let gain = before / (before + noise);
                (a[t - 1] + gain * (y[t] - a[t - 1]), before * (1.0 - gain))
            }
        };
        let smooth = rec t in (0..n).rev() {
            if t == n - 1 { a[t] } else { a[t] + p[t] / (p[t] + level) * (smooth[t + 1] - a[t]) }
        };
        (a, smooth)
    }
}

/// A flow for each year from `first` on, in 10⁸ m³.
struct Nile {
    first: f64,
    flow: Vec<f64>,
}

impl Objective for Nile {
    fn value_and_grad(&self, p: &[f64]) -> Result<(f64, Vec<f64>), Error> {
        let (value, (d_noise, d_level)) = fit(p[0], p[1], &self.flow)?;
        Ok((value, vec![d_noise, d_level]))
    }
}

/// What a fit gives.
struct Fit {
    noise: f64,
    level: f64,
    log_likelihood: f64,
}

impl Nile {
    /// The data that ship with the examples: rows of `year,flow` after a heading.
    fn shipped() -> Result<Nile, Box<dyn std::error::Error>> {
        let rows = include_str!("data/nile.csv").lines().skip(1).filter_map(|row| row.split_once(','));
        let rows: Vec<(f64, f64)> = rows
            .map(|(year, flow)| Ok((year.parse()?, flow.parse()?)))
            .collect::<Result<_, std::num::ParseFloatError>>()?;
        Ok(Nile { first: rows.first().ok_or("no years")?.0, flow: rows.into_iter().map(|r| r.1).collect() })
    }

    /// From half of the variance of the flow for each.
    fn fit(&self) -> Result<Fit, Box<dyn std::error::Error>> {
        let n = self.flow.len() as f64;
        let mean = self.flow.iter().sum::<f64>() / n;
        let variance = self.flow.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        let (best, value) = minimize(self, vec![(0.5 * variance).ln(); 2], 100, 2)?;
        Ok(Fit { noise: best[0].exp(), level: best[1].exp(), log_likelihood: -value })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let nile = Nile::shipped()?;
    println!("The Nile at Aswan: {} years", nile.flow.len());
    let fit = nile.fit()?;
    println!("log-likelihood {:.3}", fit.log_likelihood);
    println!("variance of the noise {:.1}, of the level from year to year {:.1}", fit.noise, fit.level);
    let (filtered, smooth) = levels(fit.noise, fit.level, &nile.flow)?;
    let file = output("nile.svg")?;
    plot(&file, &nile, &filtered.to_vec(), &smooth.to_vec())?;
    println!("plot: {}", file.display());
    Ok(())
}

fn plot(
    file: &std::path::Path,
    nile: &Nile,
    filtered: &[f64],
    smooth: &[f64],
) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::new(file, (900, 500)).into_drawing_area();
    area.fill(&WHITE)?;
    let last = nile.first + nile.flow.len() as f64;
    let mut chart = ChartBuilder::on(&area)
        .caption("Flow of the Nile at Aswan, and its level", ("sans-serif", 22))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(nile.first..last, 400.0..1400.0)?;
    let year = |v: &f64| format!("{v:.0}");
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_label_formatter(&year)
        .x_desc("year")
        .y_desc("flow (10⁸ m³ a year)")
        .draw()?;
    let at = |values: &[f64]| -> Vec<(f64, f64)> {
        values.iter().enumerate().map(|(t, v)| (nile.first + t as f64, *v)).collect()
    };
    chart.draw_series(at(&nile.flow).into_iter().map(|p| Circle::new(p, 2, BLACK.mix(0.5).filled())))?;
    for (values, color, what) in
        [(filtered, &BLUE, "level by the years so far"), (smooth, &RED, "level by all years")]
    {
        chart
            .draw_series(LineSeries::new(at(values), color.stroke_width(2)))?
            .label(what)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
    }
    chart.configure_series_labels().border_style(BLACK.mix(0.3)).background_style(WHITE).draw()?;
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Nile, fit, levels};

    /// Durbin and Koopman's estimates, 15 099 and 1 469.1.
    #[test]
    fn variances() {
        let found = Nile::shipped().and_then(|nile| nile.fit()).expect("the fit converges");
        assert!((found.noise - 15_098.5).abs() < 0.1, "{}", found.noise);
        assert!((found.level - 1_469.2).abs() < 0.1, "{}", found.level);
        assert!((found.log_likelihood - -632.5456).abs() < 1e-4, "{}", found.log_likelihood);
    }

    #[test]
    fn slope() {
        let nile = Nile::shipped().expect("the data ship with the examples");
        let at = |a: f64, b: f64| fit(a, b, &nile.flow).expect("one shape");
        let (a, b, h) = (9.0, 8.0, 1e-5);
        let (da, db) = at(a, b).1;
        let close = |d: f64, e: f64| assert!((d - e).abs() < 1e-6 * (1.0 + d.abs()), "{d} {e}");
        close(da, (at(a + h, b).0 - at(a - h, b).0) / (2.0 * h));
        close(db, (at(a, b + h).0 - at(a, b - h).0) / (2.0 * h));
    }

    /// By all years the level in the last one is what the filter says, and the mean of all flows where levels do not change.
    #[test]
    fn smoothed() {
        let flow = [3.0, 5.0, 1.0, 7.0];
        let (filtered, smooth) = levels(2.0, 1.0, &flow).expect("one shape");
        assert_eq!(filtered[3], smooth[3]);
        let (_, constant) = levels(2.0, 1e-12, &flow).expect("one shape");
        assert!(constant.iter().all(|v| (v - 4.0).abs() < 1e-9), "{constant}");
    }
}
