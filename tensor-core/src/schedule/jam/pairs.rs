//! Iterations in pairs inside of a vectorized loop.
//!
//! ```text
//! lanes i { for a { s = 0; for b in 0..a { s += l[a, b] * r[b] }; z[a] = s } }
//! ```
//!
//! Each lane has its own `r`, so that a vector of it is read for every product. Where the iterations over `a` are independent, two of them run as one,
//! and share those reads; and twice as many sums grow side by side, so that none waits for its last addition. Where the loop inside has other bounds in
//! each iteration, the two run as one where both run; what is over at either end runs for the one of them, before or after. So each sum has its terms in
//! the order that it had.

use super::members::Members;
use super::{Loop, groups, is_plain};
use crate::index::Affine;
use crate::loops::visit::{Item, visit};
use crate::loops::walk::substitute;
use crate::loops::{Bound, Leaf, Program, Stmt};
use crate::schedule::peel::size;
use crate::schedule::range::minus;
use crate::schedule::vectorize::independent;
use crate::ssa::Index;
use crate::weights;

/// The loop in pairs, and the remainder.
pub(super) fn jammed(p: &mut Program, l: &Loop<'_>, lane: Index) -> Option<Vec<Stmt>> {
    let (low, high) = l.ends()?;
    if minus(high, low).as_constant().is_some_and(|last| last + 1 < weights::jam::PAIRED)
        || size(l.body) > weights::jam::BODY_OF_PAIR
    {
        return None;
    }
    let (ends, inlined) = ((low, high), inlined(l.body));
    let l = &Loop { body: &inlined, ..*l };
    // The range of each loop inside.
    let inner = |s: &Stmt| match s {
        Stmt::For { lower, upper, step: None, body, .. } if body.iter().all(is_plain) => {
            Inner::of((lower, upper), l.index, ends).map(Some)
        }
        s => is_plain(s).then_some(None),
    };
    let inner: Vec<Option<Inner>> = l.body.iter().map(inner).collect::<Option<_>>()?;
    if !l.body.iter().any(|s| shares(p, s, l.index, lane)) || !independent(p, l.index, l.body) {
        return None;
    }
    let groups = groups(p, l, 2, "pair")?;
    let mut body = vec![];
    for (s, inner) in l.body.iter().zip(&inner) {
        match (s, inner) {
            (Stmt::For { index, body: b, .. }, Some(inner)) => {
                body.extend(inner.pieces(*index, b, &groups.members));
            }
            (s, _) => body.extend(groups.members.copy(std::slice::from_ref(s))),
        }
    }
    Some(groups.stmts(l, body))
}

/// Statements with indices that they only compute in place of their names.
fn inlined(body: &[Stmt]) -> Vec<Stmt> {
    let is_let = |s: &Stmt| matches!(s, Stmt::Leaf(Leaf::LetIndex { .. }));
    let mut out = vec![];
    // From the last on: no other name is in what follows.
    for s in body.iter().rev() {
        match s {
            Stmt::Leaf(Leaf::LetIndex { index, value }) => {
                out = Members::one(*index, value.clone()).copy(&out)
            }
            Stmt::For { index, lower, upper, step: None, order, body, .. } if body.iter().any(is_let) => {
                let (lower, upper, body) = (lower.clone(), upper.clone(), inlined(body));
                out.insert(0, Stmt::looped(*index, lower, upper, None, order.clone(), body));
            }
            s => out.insert(0, s.clone()),
        }
    }
    out
}

/// Whether a loop inside reads a vector that is the same for all iterations of the loop around.
fn shares(p: &Program, s: &Stmt, a: Index, lane: Index) -> bool {
    let Stmt::For { body, .. } = s else { return false };
    let mut found = false;
    visit(body, &mut |item| {
        if let Item::Place(place, _) = item {
            let moves = |i: Index| place.at.iter().any(|f| f.mentions(&i.atom()));
            let is_vector = p.var(place.var).lanes == Some(lane) || moves(lane);
            found |= is_vector && !place.at.is_empty() && !moves(a);
        }
    });
    found
}

/// A loop inside, from `low` to `high`, which move with the loop around by 1, -1 or not at all, and not against each other.
struct Inner {
    low: Affine,
    high: Affine,
    /// How the two move.
    moves: (i64, i64),
    /// For each of a pair, whether its range is never empty.
    runs: [bool; 2],
}

impl Inner {
    fn of((lower, upper): (&[Bound], &[Bound]), a: Index, ends: (&Affine, &Affine)) -> Option<Inner> {
        let low = greatest(lower, a, ends)?;
        let high = greatest(&negated(upper), a, ends)?.negated();
        let moves = |f: &Affine| {
            let k = f.coeff(&a.atom());
            let rest = f.plus_scaled(-k, &a.affine())?;
            (k.abs() <= 1 && !rest.mentions(&a.atom())).then_some(k)
        };
        let moves = (moves(&low)?, moves(&high)?);
        let (length, last) = (minus(&high, &low), ends.1.plus_constant(-1)?);
        // The first of a pair is never the last iteration, the second never the first.
        let second = ends.0.plus_constant(1)?;
        let runs = [(ends.0, &last), (&second, ends.1)].map(|ends| never_negative(&length, a, ends));
        (moves.0 * moves.1 != -1).then_some(Inner { low, high, moves, runs })
    }

    /// What is over at the beginning, where both run, what is over at the end.
    fn pieces(&self, index: Index, body: &[Stmt], members: &Members) -> Vec<Stmt> {
        let [lows, highs] = [&self.low, &self.high].map(|f| [members.form(0, f), members.form(1, f)]);
        let each = |lower: Vec<Affine>, upper: Vec<Affine>, members: &Members| {
            let [lower, upper] =
                [lower, upper].map(|fs| fs.into_iter().map(|num| Bound { num, den: 1 }).collect());
            let body = members.copy(body);
            Stmt::sequence(index, lower, upper, body)
        };
        // One iteration of one of the two.
        let single = |k: usize, at: &Affine, lower: Vec<Affine>, upper: Vec<Affine>| {
            let alone = members.only(k);
            if self.runs[k] {
                Members::one(index, at.clone()).copy(&alone.copy(body))
            } else {
                vec![each(lower, upper, &alone)]
            }
        };
        let (first, last) = self.moves;
        let late = usize::from(first == 1);
        let short = usize::from(last == -1);
        let (from, to) = (&lows[late], &highs[short]);
        let mut out = vec![];
        if first != 0 {
            let (k, at) = (1 - late, &lows[1 - late]);
            out.extend(single(k, at, vec![at.clone()], vec![at.clone(), highs[k].clone()]));
        }
        out.push(each(vec![from.clone()], vec![to.clone()], members));
        if last != 0 {
            let (k, at) = (1 - short, &highs[1 - short]);
            out.extend(single(k, at, vec![at.clone(), from.clone()], vec![at.clone()]));
        }
        out
    }
}

/// The one of these forms that is never less than another, for all iterations of a loop.
fn greatest(bounds: &[Bound], a: Index, ends: (&Affine, &Affine)) -> Option<Affine> {
    let most = |b: &&Bound| bounds.iter().all(|c| never_negative(&minus(&b.num, &c.num), a, ends));
    bounds.iter().all(|b| b.den == 1).then(|| bounds.iter().find(most).map(|b| b.num.clone()))?
}

fn negated(bounds: &[Bound]) -> Vec<Bound> {
    bounds.iter().map(|b| Bound { num: b.num.negated(), den: b.den }).collect()
}

/// Whether a form is at least 0 for all iterations of a loop, visibly: it is least at one of the ends, and there a number.
fn never_negative(f: &Affine, a: Index, (low, high): (&Affine, &Affine)) -> bool {
    let a = a.atom();
    let end = if f.coeff(&a) < 0 { high } else { low };
    let is_linear = f.terms.iter().all(|(t, _)| *t == a || !t.mentions(&a));
    is_linear && substitute(f, &a, end).as_constant().is_some_and(|c| c >= 0)
}

#[cfg(test)]
mod tests {
    use crate::schedule::tests::{Of, as_evaluated};

    /// `z[i, a]`, each a sum over `b` where a guard holds, of lanes `i`.
    fn guarded(guard: &str) -> String {
        format!(
            "size n d\n param x[n, d] m[d] l[d, d]\n r[i<n, a<d] = exp(x[i, a])\n z[i<n, a<d] = m[a] r[i, a] + sum b<d. [{guard}] l[a, b] r[i, b]\n t[i<n, a<d] = tanh(z[i, a])\n v[i<n] = sum a<d. t[i, a]\n result v"
        )
    }

    fn checked(text: &str, of: Of) -> String {
        as_evaluated(text, of, (0..10).map(|d| [3, d]), 1e-12)
    }

    #[test]
    fn the_rows_of_all_shapes_run_in_pairs() {
        for guard in ["1 <= b, b < a", "b < a", "a < b", "b <= a", "a + b < d", "d <= a + b"] {
            for of in [Of::Itself, Of::Vjp, Of::Jvp] {
                let loops = checked(&guarded(guard), of);
                assert!(loops.contains("a_pair in"), "{guard} {of:?}\n{loops}");
            }
        }
    }

    #[test]
    fn ends_that_move_against_each_other_run_one_by_one() {
        for guard in ["a <= b, a + b < d", "b <= a, d <= a + b"] {
            let loops = checked(&guarded(guard), Of::Itself);
            assert!(!loops.contains("a_pair in"), "{guard}\n{loops}");
        }
    }

    #[test]
    fn what_is_over_is_a_statement_where_it_is_always_there() {
        let loops = checked(&guarded("b < a"), Of::Itself);
        let over = "+= l[2*a_pair + 1, 2*a_pair]*r[2*a_pair]";
        assert!(loops.contains(over), "{loops}");
    }
}
