//! `RESULTS.md`.

use crate::bench::Record;
use crate::machine;
use crate::report;
use crate::rows::Row;
use std::io;
use std::path::PathBuf;

/// The section that `compile_time.sh` writes, kept by a run of the benchmarks.
const COMPILE_TIME: &str = "## Compile time";

/// A file of this folder.
pub fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// All tables of a run.
pub fn tables(rows: &[&Row], records: &[Record]) -> String {
    format!(
        "# Results\n\nWritten by `cargo run --release --manifest-path benches/Cargo.toml`; [README.md](README.md) says what is measured, and how.\n\n{}\n\n\
         ## Time over the best reference\n\n{}\n## All contenders\n\n{}\n## Gradient over value\n\n{}\n## Slopes\n\nOf log time by log size.\n\n{}",
        machine::describe(),
        report::ratios(rows, records),
        report::contenders(rows, records),
        report::costs(rows, records),
        report::slopes(rows, records),
    )
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
