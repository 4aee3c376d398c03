//! The parts of what is printed.

use super::super::{display, named, statements};
use crate::ssa::Function;

fn normal_form(source: &str) -> Function {
    let block = crate::analyze(source.parse().expect("tokens")).expect("a program");
    crate::normal_forms(&block).pop().flatten().expect("a function")
}

#[test]
fn statements_and_names_are_those_of_the_program() {
    let f = normal_form(
        "fn f<n>(x: [f64; n], t: [f64; n]) -> (f64, f64) { let a = 2.0; let s = sum i { x[i].exp() * t[i] }; let r = sum i { s * x[i] / t[i] }; (r, a) }",
    );
    let program = display(&f);
    let f = named(&f);
    assert_eq!(display(&f), program);
    let parts = statements(&f);
    let lets: Vec<String> =
        parts.iter().map(|(array, value)| format!("    let {} = {value};\n", f.array(*array).name)).collect();
    assert!(!lets.is_empty() && program.contains(&lets.concat()), "{lets:#?}\n{program}");
    // A number stands at its uses: it is no statement of the program.
    assert!(parts.len() < f.stmts.len(), "{program}");
}
