//! Programs of loops that are made wrong: what is broken is said.

use super::functions;
use crate::loops::pieces::Step;
use crate::loops::rows::Walk;
use crate::loops::strips::Strips;
use crate::loops::verify::{Prover, judge};
use crate::loops::{Band, Expr, Leaf, Order, Stmt, Test, Way};
use crate::schedule::{Options, judged};
use crate::simplify;

/// Statements with a change to each, those inside first.
fn changed(stmts: &mut [Stmt], change: fn(&mut Stmt)) {
    for s in stmts {
        if let Stmt::For { body, .. } = s {
            changed(body, change);
        } else if let Stmt::If { body, otherwise, .. } = s {
            changed(body, change);
            changed(otherwise, change);
        }
        change(s);
    }
}

/// One iteration more.
fn one_more(s: &mut Stmt) {
    match s {
        Stmt::For { upper, .. } => upper.iter_mut().for_each(|b| b.num.constant += 1),
        Stmt::Leaf(Leaf::Product(p)) => p.rows.1.constant += 1,
        _ => {}
    }
}

/// No test.
fn untested(s: &mut Stmt) {
    if let Stmt::If { tests, .. } = s {
        tests.clear();
    }
}

/// Tests in the wrong order.
fn reversed(s: &mut Stmt) {
    if let Stmt::If { tests, .. } = s {
        tests.iter_mut().for_each(|t| {
            if let Test::Any(ps) = t {
                ps.iter_mut().for_each(|p| p.reverse());
            }
        });
        tests.reverse();
    }
}

/// What is found where nothing is has no place.
fn unfounded(s: &mut Stmt) {
    if let Stmt::Leaf(Leaf::ArgExtreme { index, .. }) = s {
        index.constant += 1;
    }
}

/// A factor from its last row on.
fn backwards(s: &mut Stmt) {
    if let Stmt::Leaf(Leaf::Product(p)) = s {
        let (i, count) = p.rows.clone();
        let last = count.plus_constant(-1).and_then(|last| last.minus(&i.affine())).expect("small numbers");
        p.a.at[0] = last;
    }
}

/// One side of the diagonal of a matrix with a column more: its elements are there, but not the last row of the whole.
fn wider(s: &mut Stmt) {
    if let Stmt::Leaf(Leaf::Product(p)) = s {
        p.band = Some(Band::UpTo((-1).into()));
        p.cols.1.constant += 1;
    }
}

/// Both sides of the diagonal of a matrix with a column less.
fn narrower(s: &mut Stmt) {
    if let Stmt::Leaf(Leaf::Product(p)) = s {
        (p.across, p.band) = (true, Some(Band::From(0.into())));
        p.cols.1.constant -= 1;
    }
}

/// What is to be multiplied is all the room that there is.
fn without_room(s: &mut Stmt) {
    if let Stmt::Leaf(Leaf::Product(p)) = s {
        p.work = p.a.var;
    }
}

/// Every vectorized loop, and none.
fn in_lanes(s: &mut Stmt) {
    if let Stmt::For { order, .. } = s {
        *order = match order {
            Order::Lanes { .. } => Order::Sequence,
            Order::Sequence | Order::Steps(_) | Order::Outlined | Order::Carrying(_) | Order::Summing(_) => {
                Order::Lanes { cost: 1, sequence: 1, straight: None, strips: Strips::default() }
            }
        };
    }
}

/// Eight statements that run at once begin one later.
fn later(s: &mut Stmt) {
    if let Stmt::For { order: Order::Lanes { strips, .. }, .. } = s {
        strips.eights.iter_mut().for_each(|e| e.at += 1);
    }
}

/// Of each window, only what is read first.
fn unread(s: &mut Stmt) {
    if let Stmt::For { order: Order::Lanes { straight: Some(reach), .. }, .. } = s {
        reach.windows.iter_mut().for_each(|w| w.reads.truncate(1));
    }
}

/// Of an array that a straight body writes, it reads another place as it is.
fn uncopied(s: &mut Stmt) {
    if let Stmt::For { order: Order::Lanes { straight: Some(reach), .. }, .. } = s {
        reach.windows.iter_mut().for_each(|w| w.is_copied = false);
    }
}

/// The remainder is the last vector again.
fn overlapping(s: &mut Stmt) {
    if let Stmt::For { order: Order::Lanes { straight: Some(reach), .. }, .. } = s {
        reach.overlaps = true;
    }
}

/// What may not be there is cut all the same.
fn unguarded(s: &mut Stmt) {
    if let Stmt::For { order: Order::Lanes { straight: Some(reach), .. }, .. } = s {
        reach.windows.iter_mut().for_each(|w| w.tests.clear());
    }
}

/// What padded rows say of themselves.
fn unpadded(s: &mut Stmt) {
    if let Stmt::For { order: Order::Lanes { straight: Some(reach), .. }, .. } = s {
        reach.windows.iter_mut().for_each(|w| w.is_padded = false);
    }
}

/// What brings a result out of the rows of a block ends before these.
fn shorter(s: &mut Stmt) {
    if let Stmt::For { order: Order::Lanes { straight: Some(reach), .. }, upper, .. } = s
        && reach.windows.iter().any(|w| !w.is_padded && !w.writes.is_empty())
        && let [_, last] = upper.as_mut_slice()
    {
        last.num.constant -= 1;
    }
}

/// The body of a straight loop.
fn body(s: &mut Stmt) -> Option<&mut Vec<Stmt>> {
    match s {
        Stmt::For { order: Order::Lanes { straight: Some(_), .. }, body, .. } => Some(body),
        _ => None,
    }
}

/// What is computed first is computed again.
fn twice(s: &mut Stmt) {
    let values = body(s).into_iter().flatten().filter_map(|s| match s {
        Stmt::Leaf(Leaf::Declare { value, .. }) if !value.is_atom() => Some(value),
        _ => None,
    });
    if let [first, second, ..] = &mut values.collect::<Vec<_>>()[..] {
        (*second).clone_from(first);
    }
}

/// What is read first is read again when all is written.
fn late(s: &mut Stmt) {
    if let Some(body) = body(s) {
        body.push(body[0].clone());
    }
}

/// What is read first is read again in what is written.
fn inside(s: &mut Stmt) {
    let Some(body) = body(s) else { return };
    let Stmt::Leaf(Leaf::Declare { value: read, .. }) = body[0].clone() else { return };
    if let Some(Stmt::Leaf(Leaf::Assign { value, .. } | Leaf::Accumulate { value, .. })) = body.last_mut() {
        *value = Expr::Neg(Box::new(read));
    }
}

/// What the functions of a straight body do.
fn steps(s: &mut Stmt, change: impl Fn(&mut Vec<Step>)) {
    if let Stmt::For { order: Order::Lanes { straight: Some(reach), .. }, .. } = s {
        reach.pieces.stages.iter_mut().for_each(change);
    }
}

/// All is kept in one slot.
fn in_one_slot(s: &mut Stmt) {
    steps(s, |all| {
        for step in all {
            if let Step::Keep(_, slot) | Step::Take(_, slot) = step {
                *slot = 0;
            }
        }
    });
}

/// Nothing is taken.
fn not_taken(s: &mut Stmt) {
    steps(s, |all| all.retain(|step| !matches!(step, Step::Take(..))));
}

/// The last of each function is not computed.
fn left_out(s: &mut Stmt) {
    steps(s, |all| {
        let last = all.iter().rposition(|step| matches!(step, Step::Compute(_)));
        last.map(|k| all.remove(k));
    });
}

/// What is symmetrized in registers has another shape.
fn in_registers(s: &mut Stmt) {
    if let Stmt::Leaf(Leaf::Symmetrize(m)) = s {
        m.way = Way::Registers;
    }
}

/// Blocks of nothing.
fn no_blocks(s: &mut Stmt) {
    if let Stmt::Leaf(Leaf::Symmetrize(m)) = s {
        m.block = 0.into();
    }
}

/// A matrix that begins in its second column.
fn beside(s: &mut Stmt) {
    if let Stmt::Leaf(Leaf::Symmetrize(m)) = s {
        m.rows.constant -= 1;
        m.c.at[1].constant += 2;
    }
}

/// What a loop around totals in lanes has inside is a function of its own.
fn outlined(s: &mut Stmt) {
    let Stmt::For { order: Order::Carrying(_), body, .. } = s else { return };
    for s in body {
        if let Stmt::For { order: order @ (Order::Sequence | Order::Carrying(_)), .. } = s {
            *order = Order::Outlined;
        }
    }
}

/// What is read before the loop moves with it.
fn still(s: &mut Stmt) {
    if let Stmt::For { rows, .. } = s {
        rows.iter_mut().for_each(|r| r.walk = Walk::Still);
    }
}

/// Systems side by side, in blocks of them.
const SYSTEMS: &str = "fn g<n, m>(x: [f64; n], h: [f64; m], p: f64) -> f64 { sum i { let (a, b) = fold t in 0..m from (a, b) = (x[i], 0.5) { (a + h[t] * b * a * p, (b - h[t] * a * b).sin()) }; a * b } } fn f = grad(g, x, p);";

/// The cotangent of a step reads that of the step before it, but for the first.
const STEPS: &str = "fn g<n, b>(x: [f64; n, b], h0: [f64; b], w: [f64; 3, b]) -> [f64; n, b] where b >= 1 { let h = rec t in 0..n { let before = if t == 0 { h0 } else { h[t - 1] }; for u in 0..b { let p = before[u] * w[0, u] + before[0] * x[t, u]; let q = p * p - w[1, u] * before[u] + 0.5 * x[t, u]; let r = q * p + w[2, u] * x[t, u] - before[u] * q; r * q - p * before[u] + w[0, u] * r } }; h } fn f = vjp(g);";

/// A program, a change to its loops, and what is said of it.
type Wrong = (&'static str, fn(&mut Stmt), &'static str);

const WRONG: &[Wrong] = &[
    (
        "fn f<n, m, k>(x: [f64; n, m, k], z: [f64; m]) -> f64 { sum i, j, c { (z[j] * x[i, j, c]).sin() } }",
        outlined,
        "the loop of `j` is outlined: not all that is inside is in sequence",
    ),
    (
        "fn f<n>(x: [f64; n]) -> [f64; n] { for i in 0..n { x[i] } }",
        one_more,
        "`x` at i0 of n: not where n = 0, i0 = 0",
    ),
    (
        "fn f<n>(x: [f64; 2 * n]) -> [f64; n] { for i in 0..n { x[2 * i] } }",
        one_more,
        "`x` at 2*i of 2*n: not where n = 0, i = 0",
    ),
    (
        "fn f<n, m>(a: [f64; n, m], b: [f64; m, n]) -> [f64; n, n] { for i in 0..n, k in 0..n { sum j { a[i, j] * b[j, k] } } }",
        one_more,
        "`a` at i of n: not where",
    ),
    (
        "fn g<n, m>(x: [f64; n], y: [f64; m]) -> [f64; n] { for i in 0..n { max j in 0..m { x[i] * y[j] } } } fn f = vjp(g);",
        untested,
        "`y_bar` at j of m: not where",
    ),
    (
        "fn g<n>(x: [f64; n]) -> [f64; n] { for i in 0..n { max j in 0..=i { x[j] } } } fn f = vjp(g);",
        unfounded,
        "`x_bar` at j of n: not where",
    ),
    (
        "fn f<n>(x: [f64; n], y: [f64; n]) -> f64 { sum i in 0..n { let k = argmax j in 0..=i { y[j] }; [k >= 2 && x[k - 2] > y[i]] * x[i] } }",
        reversed,
        "`x` at arg - 2 of n: not where",
    ),
    (
        "fn f<n, m>(a: [f64; n, m], b: [f64; m, n]) -> [f64; n, n] { for i in 0..n, k in 0..n { sum j { a[i, j] * b[j, k] } } }",
        backwards,
        "a matrix of `a` with no stride: nowhere right",
    ),
    (
        "fn f<n, m>(a: [f64; n, m], b: [f64; m, n]) -> [f64; n, n] { for i in 0..n, k in 0..n { sum j { a[i, j] * b[j, k] } } }",
        wider,
        "`result` at k of n: not where",
    ),
    (
        "fn f<n, m>(a: [f64; n, m], b: [f64; m, n]) -> [f64; n, n] { for i in 0..n, k in 0..n { sum j { a[i, j] * b[j, k] } } }",
        narrower,
        "as many rows as columns: not where",
    ),
    (
        "fn f<n, m>(a: [f64; n, m], b: [f64; m, n]) -> [f64; n, n] { for i in 0..n, k in 0..n { sum j { a[i, j] * b[j, k] } } }",
        without_room,
        "room for the kernel: not where",
    ),
    (
        "fn f<n>(a: [f64; n, 8], b: [f64; n, 8]) -> [f64; n] { for i in 0..n { sum c in 0..8 { (a[i, c] - b[i, c]) * (a[i, c] - b[i, c]) } } }",
        unread,
        "the loop of `i` is vectorized: the window of `a` is not what the body moves",
    ),
    (
        "fn f<n>(a: [f64; n, 8], b: [f64; n, 8]) -> [f64; n] { for i in 0..n { sum c in 0..8 { (a[i, c] - b[i, c]) * (a[i, c] - b[i, c]) } } }",
        twice,
        "the loop of `i` is vectorized: `t` is computed twice, or a place is read twice",
    ),
    (
        "fn f<n>(a: [f64; n, 8], b: [f64; n, 8]) -> [f64; n] { for i in 0..n { sum c in 0..8 { (a[i, c] - b[i, c]) * (a[i, c] - b[i, c]) } } }",
        late,
        "the loop of `i` is vectorized: `t` is computed after what is written",
    ),
    (
        "fn f<n>(a: [f64; n, 8], b: [f64; n, 8]) -> [f64; n] { for i in 0..n { sum c in 0..8 { (a[i, c] - b[i, c]) * (a[i, c] - b[i, c]) } } }",
        inside,
        "the loop of `i` is vectorized: `a` is read inside an expression",
    ),
    (
        "fn f<n>(a: [f64; n, 8], b: [f64; n, 8]) -> [f64; n] { for i in 0..n { sum c in 0..8 { (a[i, c] - b[i, c]) * (a[i, c] - b[i, c]) } } }",
        in_one_slot,
        "the loop of `i` is vectorized: `t` is not kept where it is taken",
    ),
    (
        "fn f<n>(a: [f64; n, 8], b: [f64; n, 8]) -> [f64; n] { for i in 0..n { sum c in 0..8 { (a[i, c] - b[i, c]) * (a[i, c] - b[i, c]) } } }",
        not_taken,
        "the loop of `i` is vectorized: a function asks for `t`, which is not there",
    ),
    (
        "fn f<n>(a: [f64; n, 8], b: [f64; n, 8]) -> [f64; n] { for i in 0..n { sum c in 0..8 { (a[i, c] - b[i, c]) * (a[i, c] - b[i, c]) } } }",
        left_out,
        "the loop of `i` is vectorized: `t` is kept, and not there",
    ),
    (STEPS, uncopied, "the loop of `u` is vectorized: windows of `before_bar` are borrowed at once"),
    (
        "fn g<n>(x: [f64; n, 3]) -> f64 { sum i in 0..n, j in 0..i { let r = sum c in 0..3 { (x[i, c] - x[j, c]) * (x[i, c] - x[j, c]) }; r.exp() } } fn f = grad(g);",
        overlapping,
        "the loop of `j` is vectorized: the last vector is computed again from what it has updated",
    ),
    (
        STEPS,
        unguarded,
        "the loop of `u` is vectorized: what is read of `before_bar` under tests of indices alone is cut without them",
    ),
    (SYSTEMS, shorter, "a row of `t_0_and_more` is used beyond the iterations that it is of"),
    (
        SYSTEMS,
        unpadded,
        "the loop of `i` is vectorized: rows of `states_0_and_more` have not all of a vector",
    ),
    (
        "fn f<n>(x: [f64; n, n]) -> [f64; n] { for i { sum j in 0..=i { x[i, j] } } }",
        in_lanes,
        "the loop of `i` is vectorized: something is decided by it",
    ),
    (
        "fn f<n>(x: [f64; n, n], y: [f64; n * n]) -> [f64; n] { for i { sum j { x[i, j] * y[i * i] } } }",
        in_lanes,
        "the loop of `i` is vectorized: a place does not move by a fixed stride",
    ),
    (
        "fn g<n>(x: [f64; n]) -> f64 { (sum i { x[i].sin() * x[i] }).exp() } fn f = hessian(g);",
        no_blocks,
        "blocks of 0: not where",
    ),
    (
        "fn g<n>(x: [f64; n]) -> f64 { (sum i { x[i].sin() * x[i] }).exp() } fn f = hessian(g);",
        in_registers,
        "Registers for another shape: nowhere right",
    ),
    (
        "fn f<n, m>(a: [f64; n, m]) -> [f64; m, n] { for j in 0..m, i in 0..n { a[i, j] } }",
        later,
        "the loop of",
    ),
    (
        "fn g<n>(x: [f64; n]) -> f64 { (sum i { x[i].sin() * x[i] }).exp() } fn f = hessian(g);",
        beside,
        "what is symmetrized is not on the diagonal",
    ),
    (
        "fn f(x: [f64; 3], y: [f64; 3]) -> f64 { sum j { x[j] * y[2 - j] } }",
        still,
        "the loop of `j` has no row of `x`",
    ),
];

#[test]
fn loops_that_leave_their_arrays_are_found() {
    for (source, change, expected) in WRONG {
        let f = functions(source.parse().expect("tokens")).pop().expect("a program");
        let mut prover = Prover::default();
        let (mut program, found) = judged(&simplify::erase_stops(f), &Options::in_blocks(None), &mut prover)
            .expect("a right program");
        assert!(found.undecided.is_empty(), "{source}\n{:?}", found.undecided);
        changed(&mut program.body, *change);
        let said = judge(&program, &mut prover).expect_err(source);
        assert!(said.lines().any(|e| e.starts_with(expected)), "{source}\n{said}\n{program}");
    }
}
