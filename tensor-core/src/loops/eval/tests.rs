//! Statements that are missing are found: what they would have written is nothing.

use super::run;
use crate::loops::strips::Sums;
use crate::loops::tasks::Part;
use crate::loops::{Expr, Leaf, Order, Place, Program, Stmt, VarId};
use crate::schedule::tests::{Of, arguments, derived};
use crate::schedule::{for_threads, schedule};

/// Without the statements of a kind, and what has none left.
fn without(stmts: &[Stmt], is: fn(&Stmt) -> bool) -> Vec<Stmt> {
    let inside = |s: &Stmt| match s.clone() {
        Stmt::For { index, lower, upper, step, order, body, .. } => {
            Stmt::looped(index, lower, upper, step, order, without(&body, is))
        }
        Stmt::If { tests, body, otherwise } => {
            Stmt::If { tests, body: without(&body, is), otherwise: without(&otherwise, is) }
        }
        s => s,
    };
    stmts.iter().filter(|s| !is(s)).map(inside).collect()
}

fn verdict(program: &Program, sizes: &[i64]) -> Result<(), String> {
    let leaves: Vec<Vec<f64>> = arguments(&program.function, sizes).into_iter().map(|t| t.data).collect();
    run(program, sizes, &leaves, &|_| 1.25).map(|_| ())
}

/// A program, what is left out, and what is said.
type Missing = (&'static str, Of, fn(&Stmt) -> bool, &'static str);

const MISSING: &[Missing] = &[
    (
        "size n\n param x[n]\n y[i<n] = [i == 2] x[i]\n result y",
        Of::Itself,
        |s| matches!(s, Stmt::Leaf(Leaf::Fill { .. })),
        "nothing was written to element 0 of `y`, which is returned",
    ),
    (
        "size n m\n param x[n, m]\n z[i < n] = max j<m. [] x[i, j]\n result z",
        Of::Vjp,
        |s| matches!(s, Stmt::Leaf(Leaf::AssignIndex { .. })),
        "nothing was written to element 0 of `z_at`\nat if",
    ),
    (
        "size n\n param x[n, n]\n t[j<n] = sum i<n. x[i, j]\n result t",
        Of::Itself,
        |s| matches!(s, Stmt::Leaf(Leaf::Fill { .. })),
        "nothing was written to element 0 of `t`\nat t[j] += x[i, j]",
    ),
];

#[test]
fn nothing_is_neither_read_nor_returned() {
    for (text, of, is, expected) in MISSING {
        let mut program = schedule(&derived(text, *of));
        let sizes = &[3, 4][..program.function.sizes.len()];
        assert_eq!(verdict(&program, sizes), Ok(()), "{program}");
        program.body = without(&program.body, *is);
        let found = verdict(&program, sizes).err().unwrap_or_else(|| panic!("nothing is missing\n{program}"));
        assert!(found.starts_with(expected), "{found}\n{program}");
    }
}

/// The sum of an empty maximum is `-∞`.
#[test]
fn infinities_are_added() {
    let text = "size n m\n param x[n, m]\n z[i < n] = max j<m. [] x[i, j]\n s[] = sum i<n. z[i]\n result s";
    let program = schedule(&derived(text, Of::Itself));
    let (found, counts) = run(&program, &[2, 0], &[vec![]], &|_| 1.25).expect("a program");
    assert_eq!((found[0][0], counts.cost()), (f64::NEG_INFINITY, 0), "{program}");
}

/// A sum that is kept apart while a loop runs is another number to those who read it too early.
#[test]
fn sums_apart_are_not_read() {
    let program = schedule(&derived("size n\n param x[n]\n s[] = sum i<n. x[i]\n result s", Of::Itself));
    let value = |order: fn(VarId) -> Order, reads: bool| {
        let mut p = program.clone();
        let [Stmt::Leaf(Leaf::Declare { var, value }), Stmt::For { order: of_loop, body, .. }] =
            p.body.as_mut_slice()
        else {
            panic!("another program\n{p}")
        };
        let total = Place { var: *var, at: vec![] };
        (*value, *of_loop) = (Expr::Number(1.0), order(*var));
        let again = Leaf::Accumulate { target: total.clone(), value: Expr::Read(total) };
        body.extend(reads.then_some(Stmt::Leaf(again)));
        let (found, _) = run(&p, &[9], &[(0..9).map(f64::from).collect()], &|_| 1.25).expect("a program");
        found[0][0]
    };
    let carrying = |v| Order::Carrying([(v, None)].into_iter().collect());
    let chains = |v| Order::Summing(Sums::Chains([v].into_iter().collect()));
    let all =
        |reads| [|_| Order::Sequence, carrying, chains].map(|order: fn(VarId) -> Order| value(order, reads));
    assert_eq!(all(false), [37.0; 3]);
    let [in_sequence, carried, in_chains] = all(true);
    assert!(in_sequence != carried && in_sequence != in_chains);
}

/// Tasks have what they are said to have, and nothing else.
#[test]
fn tasks_have_their_parts() {
    let text = "size n\n param x[n]\n y[i<n] = [] 2 x[i]\n s[] = sum i<n. y[i]\n result y s";
    let program = for_threads(&schedule(&derived(text, Of::Itself)));
    let value = |change: fn(&mut Part)| {
        let mut p = program.clone();
        for s in &mut p.body {
            if let Stmt::For { tasks: Some(tasks), .. } = s {
                tasks.parts.retain(|_, part| {
                    change(part);
                    true
                });
            }
        }
        let x: Vec<f64> = (0..9).map(f64::from).collect();
        run(&p, &[9], &[x], &|_| 1.25).map(|(found, _)| found[1][0])
    };
    assert_eq!(value(|_| {}), Ok(72.0), "{program}");
    let is_not = |found: Result<f64, String>, why: &str| {
        let found = found.expect_err("a task has what it may not have");
        assert!(found.starts_with(why), "{found}\n{program}");
    };
    let moved = |part: &mut Part| {
        if let Part::Rows { from, .. } = part {
            *from = from.clone().step(1);
        }
    };
    is_not(value(moved), "a task writes element 0 of `y`, which is another's");
    let shared = |part: &mut Part| {
        if matches!(part, Part::Total(_)) {
            *part = Part::Shared;
        }
    };
    is_not(value(shared), "a task writes `s`, which all read");
}
