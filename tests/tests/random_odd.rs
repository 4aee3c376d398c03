//! The other half of the random programs, as rustc compiles them, against the reference evaluator.
// Clippy has nothing to say of these (`lints.rs` has what it sees); rustc has.
#![cfg(not(clippy))]
#![deny(unused)]

#[allow(clippy::all, clippy::pedantic, missing_docs, unused_parens, dead_code)]
mod programs {
    include!(concat!(env!("OUT_DIR"), "/random_1.rs"));
}

use programs::PROGRAMS;

#[test]
fn agree_with_the_evaluator() {
    assert!(PROGRAMS.len() >= 200);
    tensor_tests::judge(PROGRAMS);
}
