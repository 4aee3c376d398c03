//! One mistake each, and what the compiler says of it.

#[test]
fn mistakes() {
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}
