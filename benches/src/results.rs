//! `RESULTS.md`.

use crate::bench::Record;
use crate::report;
use crate::rows::{self, Row};
use std::io;
use std::path::PathBuf;

/// The section that `compile_time.sh` writes, kept by a run of the benchmarks.
const COMPILE_TIME: &str = "## Compile time";

const HEAD: &str = "\
# Results

Written by `cargo run --release --manifest-path benches/Cargo.toml`. [README.md](README.md) says what is measured, and how;
[results.svg](results.svg) is the plot.

";

/// Why numbers are not reached, and what would reach them.
const NOTES: &str = include_str!("../notes.md");

/// A file of this folder.
pub fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// All tables of a run, below what the machine is.
pub fn tables(machine: &str, rows: &[&Row], records: &[Record]) -> String {
    let section = |title: &str, body: String| format!("\n## {title}\n\n{body}");
    [
        format!("{HEAD}{machine}\n"),
        section("Time over the best reference", report::summary(rows, records) + "\n"),
        report::ratios(rows, records),
        section("Notes", NOTES.to_owned()),
        section("Gradient over value", report::costs(rows, records)),
        section(
            "Slopes",
            format!("Of the logarithm of time by that of the size.\n\n{}", report::slopes(rows, records)),
        ),
        section("Memory", memory()),
        section("All contenders", report::contenders(rows, records)),
    ]
    .concat()
}

/// What a fresh workspace of the gradient of the first mixture allocates.
fn memory() -> String {
    let mut text =
        String::from("Workspace of the gradient of GMM, d = 10, K = 25.\n\n| n | bytes |\n| --- | --- |\n");
    for n in [250, 1000, 4000] {
        text.push_str(&format!("| {n} | {} |\n", rows::gmm::memory(n)));
    }
    text
}

/// Writes the file; the compile times that are in it stay.
///
/// # Errors
/// When it cannot be written.
pub fn write(text: &str) -> io::Result<()> {
    let file = path("RESULTS.md");
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    let kept = before.find(COMPILE_TIME).map_or("", |at| &before[at..]);
    std::fs::write(file, if kept.is_empty() { text.to_owned() } else { format!("{text}\n{kept}") })
}
