//! One mistake each, and what the compiler says of it.

#[test]
fn mistakes() {
    let count = |end: &str| {
        let entries = std::fs::read_dir("ui").expect("the folder of mistakes");
        let names = entries.map(|e| e.expect("readable").file_name());
        names.filter(|name| name.to_string_lossy().ends_with(end)).count()
    };
    // Of an empty folder nothing is said.
    assert!(count(".rs") >= 90 && count(".rs") == count(".stderr"), "{} programs", count(".rs"));
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}
