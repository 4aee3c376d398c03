//! The rows of the table.

mod bundle;
mod dense;
mod diagonal;
pub mod gmm;
mod hessians;
mod maps;
mod matrices;
mod models;
mod recurrences;
mod space;
mod stencils;
mod tiny;
mod vectors;

use crate::bench::Bench;

/// What a line should reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// At most this many times the best reference's time.
    Ratio(f64),
    /// At most this many seconds more than the best reference.
    Within(f64),
    /// At most this many seconds.
    Below(f64),
    /// Nothing is asked.
    Free,
}

/// A program of the table.
pub struct Row {
    /// As the table calls it.
    pub name: &'static str,
    /// What the size parameter is.
    pub unit: &'static str,
    /// The sizes of the table.
    pub sizes: &'static [usize],
    /// Three sizes, for slopes; empty: no slope.
    pub slope: &'static [usize],
    /// What the part at a size should reach.
    pub target: fn(&str, usize) -> Target,
    /// Gradients bound by writing their results: not counted in gradient over value.
    pub writes: &'static [&'static str],
    /// Measures all parts at a size.
    pub run: fn(&mut Bench, usize),
}

/// All rows, in the order of the table.
pub const ALL: &[&[Row]] = &[
    &[vectors::DOT, vectors::SQUARES],
    &[matrices::MATVEC, matrices::SMALL, matrices::LARGE],
    &[stencils::CONV_16, stencils::CONV_64, stencils::ENERGY],
    &[maps::EXP, maps::LN, maps::TANH, maps::SIGMOID, maps::SIN],
    &[models::SOFTMAX, models::PERCEPTRON],
    &[gmm::D10_K25, gmm::D20_K50],
    &[stencils::SPRINGS, stencils::BLUR, stencils::LAPLACE],
    &[vectors::LOG_SUM],
    &[diagonal::CORNER, diagonal::TRACES],
    &[hessians::LOGISTIC, hessians::CLASSES, hessians::LEAST_SQUARES, hessians::MEANS, hessians::MIXTURE],
    &[hessians::LOG_SUM, hessians::PAIRS, hessians::ROSENBROCK, hessians::TRANSPOSE],
    &[space::SPRINGS, bundle::BUNDLE],
    &[recurrences::LSTM_2, recurrences::LSTM_4, recurrences::KALMAN, recurrences::ORBIT, recurrences::IIR],
    &[tiny::ROSENBROCK, tiny::SPRING],
];
