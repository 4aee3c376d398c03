//! Every place of a program's loops is in range, after every pass, whatever the arguments: proved, not run.

use crate::check::{Case, analyzed, normalized};
use tensor_core::schedule::Blocks;
use tensor_core::{ad, schedule, simplify};

/// Proves it of a function and of its derivatives.
///
/// # Errors
/// A pass after which a name is not bound, or a place not in range, or not decided.
pub fn judge(case: &Case) -> Result<(), String> {
    let (block, k) = analyzed(case)?;
    let f = simplify::simplify(normalized(&block)[k].clone().ok_or("not normalized")?);
    let all: Vec<usize> = (0..f.params.len()).collect();
    let (jvp, vjp) = (simplify::simplify(ad::jvp(&f, &all)), simplify::simplify(ad::vjp(&f, &all)));
    let least = Blocks { elements: 1, halos: 0, of_products: 1, rows: 1 };
    for (what, f) in [("f", f), ("jvp", jvp), ("vjp", vjp)] {
        let f = simplify::erase_stops(f);
        for blocks in [None, Some(least)] {
            let (program, found) = schedule::judged(&f, blocks).map_err(|e| format!("{what}, {e}"))?;
            if let Some(e) = found.undecided.first() {
                return Err(format!("{what}: {e}\n{program}"));
            }
        }
    }
    Ok(())
}
