//! The programs of the workspace `threads`, whose tests run with several threads: features are the same for all of one workspace.

use std::path::Path;
use std::process::Command;

#[test]
fn results_do_not_depend_on_threads() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Beside what is built now, where a test finds a folder for its files.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("threads");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["test", "--locked", "--manifest-path"])
        .arg(here.join("threads/Cargo.toml"))
        .arg("--target-dir")
        .arg(target)
        .output()
        .expect("cargo runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", text(&output.stderr));
    let passed = |line: &str| {
        line.split_once(" passed").and_then(|(before, _)| before.rsplit(' ').next()?.parse::<usize>().ok())
    };
    let passed: usize = said.lines().filter(|l| l.starts_with("test result: ok")).filter_map(passed).sum();
    assert!(passed >= 15, "{passed} tests run:\n{said}");
}
