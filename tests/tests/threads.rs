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
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
}
