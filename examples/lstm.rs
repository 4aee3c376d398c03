//! A long short-term memory, as ADBench has it: its loss on a sequence, and the gradient by all its weights.
//!
//! ```text
//! cargo run --release --example lstm [FILE]
//! ```
//!
//! reads a problem of ADBench (`lstm_l2_c1024` where none is named): `l c b`, then for each of `l` layers its weights and its biases, four
//! vectors of `b` each; the input weight, output weight and output bias; for each layer the state it starts in, hidden and cell; `c` inputs.

use std::time::Instant;
use tensor_rt::{Error, tensor};

tensor! {
    /// Minus the mean log-likelihood that `l` layers give the next of `n` inputs. Gates: forget, in, out, change.
    pub fn lstm<n, l, b>(
        w: [f64; l, 4, b], c: [f64; l, 4, b], w_in: [f64; b], w_out: [f64; b], b_out: [f64; b],
        h0: [f64; l, b], s0: [f64; l, b], x: [f64; n, b]
    ) -> f64 where n >= 2, l >= 1 {
        let (h, s) = rec t in 0..n - 1, k in 0..l {
            let y = if k == 0 { for u { w_in[u] * x[t, u] } } else { h[t, k - 1] };
            let h1 = if t == 0 { h0[k] } else { h[t - 1, k] };
            let s1 = if t == 0 { s0[k] } else { s[t - 1, k] };
            let cell = for u {
                let forget = (y[u] * w[k, 0, u] + c[k, 0, u]).sigmoid();
                let ingate = (h1[u] * w[k, 1, u] + c[k, 1, u]).sigmoid();
                let change = (h1[u] * w[k, 3, u] + c[k, 3, u]).tanh();
                s1[u] * forget + ingate * change
            };
            (for u { (y[u] * w[k, 2, u] + c[k, 2, u]).sigmoid() * cell[u].tanh() }, cell)
        };
        let z = for t in 0..n - 1, u in 0..b { h[t, l - 1, u] * w_out[u] + b_out[u] };
        let norm = for t { (2.0 + sum u { z[t, u].exp() }).ln() };
        -(sum t in 0..n - 1, u in 0..b { x[t + 1, u] * (z[t, u] - norm[t]) }) / ((n - 1) as f64 * b as f64)
    }

    /// Its value, and its gradient by the weights and biases.
    pub fn lstm_grad = value_and_grad(lstm, w, c, w_in, w_out, b_out);
}

/// The problem that ships with the examples: two layers, 1024 inputs of 14 numbers.
const SHIPPED: &str = include_str!("data/lstm_l2_c1024.dat");

/// A problem: its sizes, and its numbers in the order of the file.
struct Problem {
    layers: usize,
    inputs: usize,
    width: usize,
    numbers: Vec<f64>,
}

/// What went wrong with a file.
type Failure = Box<dyn std::error::Error>;

impl Problem {
    fn read(text: &str) -> Result<Problem, Failure> {
        let mut words = text.split_whitespace();
        let mut size =
            || words.next().ok_or("three sizes are expected")?.parse::<usize>().map_err(Failure::from);
        let (layers, inputs, width) = (size()?, size()?, size()?);
        let numbers = words.map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        let expected = (10 * layers + 3 + inputs) * width;
        if numbers.len() != expected {
            return Err(format!("{expected} numbers are expected, not {}", numbers.len()).into());
        }
        Ok(Problem { layers, inputs, width, numbers })
    }

    /// The loss, and the norm of its gradient.
    fn solve(&self) -> Result<(f64, f64), Error> {
        let (l, c, b) = (self.layers, self.inputs, self.width);
        let (gates, rest) = self.numbers.split_at(8 * l * b);
        let (ends, rest) = rest.split_at(3 * b);
        let (states, x) = rest.split_at(2 * l * b);
        // Of each layer the file has one thing after the other; of each thing `lstm` wants one layer after the other.
        let halves = |all: &[f64], size: usize| -> [Vec<f64>; 2] {
            [0, 1].map(|half| all.chunks_exact(size).skip(half).step_by(2).flatten().copied().collect())
        };
        let [weights, biases] = halves(gates, 4 * b);
        let [hidden, cells] = halves(states, b);
        let (value, (d_w, d_c, d_in, d_out, d_bias)) = lstm_grad(
            &(&weights[..], [l, 4, b]),
            &(&biases[..], [l, 4, b]),
            &ends[..b],
            &ends[b..2 * b],
            &ends[2 * b..],
            &(&hidden[..], [l, b]),
            &(&cells[..], [l, b]),
            &(x, [c, b]),
        )?;
        let all = d_w.iter().chain(&d_c).chain(&d_in).chain(&d_out).chain(&d_bias);
        Ok((value, all.map(|d| d * d).sum::<f64>().sqrt()))
    }
}

fn main() -> Result<(), Failure> {
    let problem = match std::env::args().nth(1) {
        None => Problem::read(SHIPPED)?,
        Some(file) => Problem::read(&std::fs::read_to_string(file)?)?,
    };
    println!("{} layers of {}, {} inputs", problem.layers, problem.width, problem.inputs);
    let (value, norm) = problem.solve()?;
    // Ten digits.
    println!("objective     {value:.9e}");
    println!("gradient norm {norm:.9e}");
    let timed = |_| {
        let start = Instant::now();
        problem.solve().map(|_| start.elapsed())
    };
    let best = (0..10).map(timed).collect::<Result<Vec<_>, _>>()?.into_iter().min().unwrap_or_default();
    println!("both take {:.2} ms", best.as_secs_f64() * 1e3);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Problem, SHIPPED};

    /// The digits that the C++ of ADBench gives.
    #[test]
    fn shipped() {
        let (value, norm) =
            Problem::read(SHIPPED).and_then(|p| Ok(p.solve()?)).expect("the problem is whole");
        assert_eq!([value, norm].map(|v| format!("{v:.9e}")), ["6.666651796e-1", "9.474138011e-2"]);
    }

    #[test]
    fn refused() {
        let message = |text: &str| Problem::read(text).err().map(|e| e.to_string());
        assert_eq!(message("1 2").as_deref(), Some("three sizes are expected"));
        assert_eq!(message("1 1 1 0.5").as_deref(), Some("14 numbers are expected, not 1"));
    }
}
