//! What the examples share: L-BFGS over a function that returns value and gradient, with progress on the terminal.

use argmin::core::observers::{Observe, ObserverMode};
use argmin::core::{CostFunction, Error, Executor, Gradient, IterState, KV, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use std::path::PathBuf;

/// A function of a flat parameter vector: its value and its gradient.
pub trait Objective {
    /// Value and gradient at `p`.
    ///
    /// # Errors
    /// When the shapes do not fit.
    fn value_and_grad(&self, p: &[f64]) -> Result<(f64, Vec<f64>), tensor_rt::Error>;
}

struct Problem<'a, O>(&'a O);

impl<O: Objective> CostFunction for Problem<'_, O> {
    type Param = Vec<f64>;
    type Output = f64;
    fn cost(&self, p: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.0.value_and_grad(p)?.0)
    }
}

impl<O: Objective> Gradient for Problem<'_, O> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;
    fn gradient(&self, p: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.0.value_and_grad(p)?.1)
    }
}

struct Progress {
    every: u64,
}

type LbfgsState = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

impl Observe<LbfgsState> for Progress {
    fn observe_iter(&mut self, state: &LbfgsState, _: &KV) -> Result<(), Error> {
        if state.get_iter().is_multiple_of(self.every) {
            let slope =
                state.get_gradient().map_or(f64::NAN, |g| g.iter().map(|d| d * d).sum::<f64>().sqrt());
            println!(
                "  iteration {:>4}   value {:>16.6}   |gradient| {slope:.2e}",
                state.get_iter(),
                state.get_cost()
            );
        }
        Ok(())
    }
}

/// The minimizer of `objective` from `start` by L-BFGS, and the value there. Prints every `every`-th iteration.
///
/// # Errors
/// What the objective or the optimizer reports.
pub fn minimize<O: Objective>(
    objective: &O,
    start: Vec<f64>,
    iterations: u64,
    every: u64,
) -> Result<(Vec<f64>, f64), Error> {
    let solver =
        LBFGS::new(MoreThuenteLineSearch::new(), 10).with_tolerance_grad(1e-9)?.with_tolerance_cost(1e-13)?;
    let result = Executor::new(Problem(objective), solver)
        .configure(|state| state.param(start).max_iters(iterations))
        .add_observer(Progress { every }, ObserverMode::Always)
        .run()?;
    let state = result.state();
    println!("  stopped after {} iterations: {}", state.get_iter(), state.get_termination_status());
    let best = state.get_best_param().ok_or_else(|| Error::msg("the optimizer returned no point"))?;
    Ok((best.clone(), state.get_best_cost()))
}

/// `out/<name>` in the working directory; the folder is made if it is missing.
///
/// # Errors
/// When the folder cannot be made.
pub fn output(name: &str) -> std::io::Result<PathBuf> {
    let folder = PathBuf::from("out");
    std::fs::create_dir_all(&folder)?;
    Ok(folder.join(name))
}
