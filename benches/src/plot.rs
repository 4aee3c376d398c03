//! `results.svg`: the ratio of every line, on a logarithmic scale.

use crate::bench::Record;
use crate::report::lines;
use crate::results::path;
use crate::rows::Row;
use plotters::prelude::*;
use std::io;

const LINE: u32 = 15;

/// Draws the plot.
///
/// # Errors
/// When it cannot be written.
pub fn write(rows: &[&Row], records: &[Record]) -> io::Result<()> {
    let bars: Vec<(String, f64, bool)> = lines(rows, records)
        .filter_map(|(row, r)| {
            let name = format!("{}, {} = {}, {}", row.name, row.unit, r.size, r.part);
            Some((name, r.ratio()?, r.part.starts_with("value")))
        })
        .collect();
    draw(&bars).map_err(io::Error::other)
}

fn draw(bars: &[(String, f64, bool)]) -> Result<(), String> {
    let file = path("results.svg");
    let size = (900, bars.len() as u32 * LINE + 90);
    let area = SVGBackend::new(&file, size).into_drawing_area();
    chart(&area, bars).and_then(|()| area.present().map_err(|e| e.to_string()))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn chart(area: &Area, bars: &[(String, f64, bool)]) -> Result<(), String> {
    let fail = |e: &dyn std::fmt::Display| e.to_string();
    let count = bars.len() as f64;
    let most = bars.iter().fold(4.0_f64, |m, b| m.max(b.1)) * 1.2;
    area.fill(&WHITE).map_err(|e| fail(&e))?;
    let mut chart = ChartBuilder::on(area)
        .caption("time over the best reference (below 1: faster)", ("sans-serif", 16))
        .margin(10)
        .margin_left(300)
        .x_label_area_size(30)
        .build_cartesian_2d((0.1..most).log_scale(), 0.0..count)
        .map_err(|e| fail(&e))?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .light_line_style(TRANSPARENT)
        .x_label_formatter(&|x| format!("{x}"))
        .draw()
        .map_err(|e| fail(&e))?;
    let bar = |(k, (_, ratio, value)): (usize, &(String, f64, bool))| {
        let y = count - 1.0 - k as f64;
        let color = if *value { RGBColor(150, 150, 150) } else { RGBColor(200, 60, 40) };
        Rectangle::new([(1.0, y + 0.15), (ratio.max(0.1), y + 0.85)], color.filled())
    };
    chart.draw_series(bars.iter().enumerate().map(bar)).map_err(|e| fail(&e))?;
    chart
        .draw_series(std::iter::once(PathElement::new([(1.0, 0.0), (1.0, count)], BLACK)))
        .map_err(|e| fail(&e))?;
    let (_, height) = chart.plotting_area().dim_in_pixel();
    let (left, top) = chart.plotting_area().get_base_pixel();
    let style = TextStyle::from(("sans-serif", 11)).pos(plotters::style::text_anchor::Pos::new(
        plotters::style::text_anchor::HPos::Right,
        plotters::style::text_anchor::VPos::Center,
    ));
    for (k, (name, ratio, _)) in bars.iter().enumerate() {
        let y = top + ((k as f64 + 0.5) * f64::from(height) / count) as i32;
        area.draw(&Text::new(format!("{name}   {ratio:.2}"), (left - 6, y), style.clone()))
            .map_err(|e| fail(&e))?;
    }
    Ok(())
}
