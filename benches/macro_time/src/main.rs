//! The time that the macro takes for a mixture of Gaussians with its gradient, and for a small function with its gradient: `tensor_core::compile`
//! on their tokens, the shortest of 25 in milliseconds.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::time::Instant;

const MIXTURE: &str = include_str!("../../src/programs/gmm.rs");

const SMALL: &str = "
use tensor_rt::tensor;

tensor! {
    /// Energy of a chain of masses.
    pub fn energy<n>(x: [f64; n], stiffness: f64) -> f64 {
        sum i in 0..n if i + 1 < n { 0.5 * stiffness * (x[i + 1] - x[i] - 1.0).powi(2) }
    }
    /// Its value, and its gradient by the positions.
    pub fn energy_and_force = value_and_grad(energy, x);
}
";

fn main() {
    for (name, source) in [("GMM with its gradient", MIXTURE), ("a small function with its gradient", SMALL)]
    {
        let block = block(source).expect("a block");
        let expanded = tensor_core::compile(block.clone()).to_string();
        assert!(expanded.contains("_into") && !expanded.contains("compile_error"), "{name} does not compile");
        println!("{name}|{:.1}", shortest(&block));
    }
}

/// The tokens of the first `tensor! { … }` outside all braces.
fn block(source: &str) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = source.parse::<TokenStream>().ok()?.into_iter().collect();
    tokens.windows(3).find_map(|three| match three {
        [TokenTree::Ident(name), TokenTree::Punct(_), TokenTree::Group(g)]
            if name == "tensor" && g.delimiter() == Delimiter::Brace =>
        {
            Some(g.stream())
        }
        _ => None,
    })
}

fn shortest(block: &TokenStream) -> f64 {
    let once = |_| {
        let start = Instant::now();
        std::hint::black_box(tensor_core::compile(block.clone()));
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..25).map(once).fold(f64::INFINITY, f64::min)
}
