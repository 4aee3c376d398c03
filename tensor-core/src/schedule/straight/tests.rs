//! Which bodies become straight lines, and what they are then. That they compute the same, and cost no more, the judges say of all programs.

use super::never_meet;
use crate::index::Affine;
use crate::loops::{Place, VarId};
use crate::schedule::schedule;
use crate::schedule::tests::{Of, derived};
use crate::ssa::Index;

fn loops(source: &str) -> String {
    schedule(&derived(source, Of::Itself)).to_string()
}

/// Squares of differences of rows, weighted: 3 operations for each of so many columns.
fn rows(columns: usize) -> String {
    format!(
        "size n\n param a[n, {columns}] b[n, {columns}] w[{columns}]\n d[i<n, c<{columns}] = a[i, c] + - b[i, c]\n e[i<n, c<{columns}] = w[c] d[i, c]\n s[i<n] = sum c<{columns}. d[i, c] e[i, c]\n result s"
    )
}

#[test]
fn loops_inside_are_unrolled_and_each_place_is_read_once() {
    let loops = loops(&rows(8));
    assert!(loops.contains("straight, "), "{loops}");
    assert!(!loops.contains("for ") && !loops.contains("array "), "{loops}");
    for c in 0..8 {
        assert_eq!(loops.matches(&format!("a[i, {c}]")).count(), 1, "{loops}");
    }
}

#[test]
fn a_short_body_and_one_of_a_long_loop_stay() {
    for columns in [2, 17] {
        let loops = loops(&rows(columns));
        assert!(!loops.contains("straight, "), "{loops}");
    }
}

#[test]
fn what_stands_under_a_test_is_a_selection() {
    let source = "size n\n param x[n, 6]\n s[i<n] = sum c<6. x[i, c] x[i, c]\n t[i<n, c<6] = [s[i] > 1.0] sin(x[i, c])\n r[i<n, c<6] = t[i, c] + x[i, c]\n result r";
    let loops = loops(source);
    assert!(loops.contains("straight, "), "{loops}");
    // Six places, each one of two values.
    assert_eq!(loops.matches("if 1.0 < ").count(), 6, "{loops}");
    assert_eq!(loops.matches("else").count(), 6, "{loops}");
}

#[test]
fn arrays_that_have_become_values_are_no_part_of_the_workspace() {
    let source = rows(8);
    let program = schedule(&derived(&source, Of::Grad));
    assert!(program.to_string().contains("straight, "), "{program}");
    assert_eq!(program.workspace().count(), 0, "{program}");
}

/// The gradient of an energy of all pairs adds to both points of a pair: to that of the lane, and to one that is the same in all lanes.
#[test]
fn pairs_run_in_lanes() {
    let source = "size n\n param x[n, 3]\n t[i<n, j<n, a<3] = [j < i] x[i, a] + - [j < i] x[j, a]\n s[i<n, j<n] = sum a<3. [j < i] t[i, j, a] t[i, j, a]\n u[i<n, j<n] = [j < i] exp(s[i, j])\n v[] = sum i<n j<n. [j < i] u[i, j]\n result v";
    let loops = schedule(&derived(source, Of::Grad)).to_string();
    assert!(loops.contains("vectorized j in 0..i {  // straight, "), "{loops}");
    assert!(loops.contains("x_bar[j, 0] = ") && loops.contains("x_bar[i, 0] += "), "{loops}");
}

/// A Hessian of springs adds blocks to each row of blocks at several places beside its diagonal.
#[test]
fn blocks_beside_a_diagonal_are_straight() {
    let source = "size n\n param x[n, 3]\n t[i<n, a<3] = [i + 1 < n] x[i + 1, a] + - [i + 1 < n] x[i, a]\n s[i<n] = sum a<3. [i + 1 < n] t[i, a] t[i, a]\n u[i<n] = [i + 1 < n] exp(s[i])\n t2[i<n, a<3] = [i + 2 < n] x[i + 2, a] + - [i + 2 < n] x[i, a]\n s2[i<n] = sum a<3. [i + 2 < n] t2[i, a] t2[i, a]\n u2[i<n] = [i + 2 < n] exp(s2[i])\n v[] = sum i<n. [i + 1 < n] u[i] + sum i<n. [i + 2 < n] u2[i]\n result v";
    let loops = schedule(&derived(source, Of::Hessian)).to_string();
    assert!(loops.contains("straight, "), "{loops}");
}

/// Remainders by one number of forms that are a constant apart, and no multiple of it.
#[test]
fn remainders_that_differ_never_meet() {
    use crate::index::affine::modulo;
    use crate::schedule::range::never_equal;
    let (t, u) = (Index(1).affine(), Index(2).affine());
    let after = |k: i64, by: i64| modulo(&t.clone().step(k), by).expect("small");
    assert!(never_equal(&after(0, 2), &after(1, 2)) && never_equal(&after(3, 3), &after(1, 3)));
    assert!(!never_equal(&after(0, 2), &after(2, 2)), "two steps are one buffer");
    assert!(!never_equal(&after(0, 2), &after(1, 3)), "of other lengths");
    assert!(!never_equal(&after(0, 2), &modulo(&u, 2).expect("small")), "of other steps");
    assert!(!never_equal(&t, &t.clone().step(1)), "no remainders");
}

/// What one lane writes no other may, at the same place or at another.
#[test]
fn places_of_two_lanes_are_compared() {
    let i = Index(0);
    let at = |scale: i64, constant: i64| {
        i.affine().scale(scale).and_then(|a| a.plus_constant(constant)).expect("small")
    };
    let place = |at: &[Affine]| Place { var: VarId(0), at: at.to_vec() };
    let apart = |a: &[Affine], b: &[Affine]| never_meet(&place(a), &place(b), i);
    assert!(!apart(&[at(1, 0)], &[at(1, 1)]), "y[i + 1] of a lane is y[i] of the next");
    assert!(apart(&[at(2, 0)], &[at(2, 1)]) && !apart(&[at(2, 0)], &[at(2, 2)]));
    assert!(apart(&[at(1, 0), 0.into()], &[at(1, 0), 1.into()]));
    assert!(apart(&[at(1, 0), at(1, 1)], &[at(1, 0), at(1, 2)]), "rows of lanes are their own");
    assert!(!apart(&[at(1, 0), at(1, 1)], &[at(1, 1), at(1, 2)]), "the next lane is there");
    assert!(!apart(&[at(1, 0)], &[at(2, 0)]), "nothing is known of places that move otherwise");
}
