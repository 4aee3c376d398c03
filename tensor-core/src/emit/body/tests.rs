//! What is emitted for programs: the rows that are cut, and what must never occur.

use super::function;
use crate::schedule::schedule;
use crate::schedule::tests::{Of, PROGRAMS, derived};
use quote::format_ident;

fn emitted(text: &str, of: Of) -> String {
    function(&schedule(&derived(text, of)), &format_ident!("f")).to_string()
}

#[test]
fn nothing_is_unsafe() {
    for (name, text, _, of) in PROGRAMS {
        let text = emitted(text, *of);
        assert!(text.contains("fn f (") && !text.contains("unsafe"), "{name}");
    }
}

#[test]
fn rows_are_cut_before_innermost_loops_in_sequence() {
    let dot = "param a[3] b[3]\n s[] = sum i<3. a[i] b[i]\n result s";
    let text = emitted(dot, Of::Itself);
    for part in ["& v0_a [", "] [.. len]", "for k in 0 .. len", "(row0 [k] * row1 [k])"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn long_loops_run_in_lanes() {
    let dot = "size n\n param a[n] b[n]\n s[] = sum i<n. a[i] b[i]\n result s";
    let text = emitted(dot, Of::Itself);
    for part in
        ["simd :: dispatch4", "__L :: mul_add (__L :: load (isa , & v0_a [..]", "Wide", "Vector", "Scalar"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
}
