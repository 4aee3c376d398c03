//! What `tensor!` makes of the functions of a Rust file, for people: source, normal form, derivatives, cost and memory, what is stored and why,
//! the loops, the data-flow graph, the generated Rust.
//!
//! ```sh
//! cargo run -p tensor-explain -- examples/deconvolution.rs
//! cargo run -p tensor-explain -- --html examples/deconvolution.rs
//! ```
//!
//! [`explain`] is all of the work: a file to a [`report::File`]. [`text::page`] and [`html::page`] show it.

pub mod analyze;
mod find;
pub mod graph;
pub mod html;
pub mod report;
mod stored;
pub mod text;

use proc_macro2::TokenStream;
use report::{Block, File, Problem};

/// Explains every `tensor!` block of a file: `name` is what messages call it, `source` what it holds.
///
/// # Errors
/// If the file is not made of Rust tokens, or there is no block in it.
pub fn explain(name: &str, source: &str) -> Result<File, String> {
    // A first line for the shell is no token.
    let source = if source.starts_with("#!/") { format!("//{}", &source[2..]) } else { source.to_string() };
    let tokens: TokenStream = source.parse().map_err(|e: proc_macro2::LexError| {
        let at = e.span().start();
        format!("{name}:{}:{}: this is not Rust: {e}", at.line, at.column + 1)
    })?;
    let blocks: Vec<Block> = find::blocks(&tokens).iter().map(|b| analyze::block(b, &source)).collect();
    if blocks.is_empty() {
        return Err(format!("{name}: there is no `tensor!` block in this file"));
    }
    Ok(File { name: name.to_string(), source, blocks })
}

impl File {
    /// Whether no block has mistakes.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.problems().next().is_none()
    }

    /// All mistakes of all blocks.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.blocks.iter().flat_map(|b| b.outcome.as_ref().err().into_iter().flatten())
    }

    /// Leaves only the functions of this name; whether there are any.
    pub fn retain(&mut self, name: &str) -> bool {
        for b in &mut self.blocks {
            if let Ok(functions) = &mut b.outcome {
                functions.retain(|f| f.name == name);
            }
        }
        self.blocks.retain(|b| b.outcome.as_ref().map_or(true, |f| !f.is_empty()));
        self.blocks.iter().any(|b| b.outcome.is_ok())
    }
}
