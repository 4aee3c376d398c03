//! Whether the faults that are put into the passes on purpose still have a place: `cargo run -p tensor-judge --example faults` measures which are found.

use std::path::Path;

#[test]
fn each_fault_has_one_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("faults.txt")).expect("readable");
    let all: Vec<&str> = text.split("\nfault ").skip(1).collect();
    assert!(all.len() > 50, "{}", all.len());
    for fault in all {
        let parts = fault.split_once("\nfile ").and_then(|(name, rest)| {
            let (file, rest) = rest.split_once("\nold\n")?;
            Some((name, file, rest.split_once("\nnew\n")?.0))
        });
        let (name, file, old) = parts.unwrap_or_else(|| panic!("no fault: {fault}"));
        let pass = std::fs::read_to_string(root.join("../tensor-core/src").join(file));
        let places = pass.unwrap_or_else(|e| panic!("{name}: {file}: {e}")).matches(old).count();
        assert_eq!(places, 1, "{name}: `{old}` in {file}");
    }
}
