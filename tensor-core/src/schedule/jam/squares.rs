//! Eight rows of a symmetric matrix at a time, written to both sides of its diagonal.
//!
//! ```text
//! for i { vectorized k in i..n { h[i, k] = e } }     symmetrize h
//! ```
//!
//! becomes, for each eight rows, a square on the diagonal, which is symmetrized by itself, and what is beside it:
//!
//! ```text
//! vectorized k in i + 8..n { v0 = e; …; v7 = e{i + 7}     h[i, k] = v0; …; h[i + 7, k] = v7     h[k, i] = v0; …; h[k, i + 7] = v7 }
//! ```
//!
//! The last eight are rows of the other side, from columns of lanes: shuffles make them, and nothing is read again. The remainder, rows and
//! columns fewer than eight, runs by itself. In the square, elements on both sides are computed: there is no vector with less of them. So each place
//! that is read is one for any row with any column.

use super::members::Members;
use super::uses::{Uses, is_on_diagonal};
use super::{Loop, groups, is_plain, local, transposed};
use crate::index::Affine;
use crate::loops::names::Names;
use crate::loops::visit::{How, Item, visit};
use crate::loops::{Bound, Expr, Leaf, Order, Place, Program, Stmt, Storage, Symmetrize, VarId};
use crate::mark::{self, Mark};
use crate::schedule::peel::size;
use crate::schedule::symmetrize;
use crate::schedule::vectorize::independent;
use crate::ssa::Index;
use crate::weights;

/// The statements of a block, where nests that compute a triangle, and what symmetrizes it behind them, are squares.
pub(super) fn jammed(p: &mut Program, mut stmts: Vec<Stmt>) -> Vec<Stmt> {
    let one = |p: &mut Program, stmts: &[Stmt]| {
        (0..stmts.len()).find_map(|at| {
            let Stmt::Leaf(Leaf::Symmetrize(m)) = &stmts[at] else { return None };
            let (nest, new) = squares(p, &stmts[..at], m)?;
            Some((nest, new, at))
        })
    };
    while let Some((nest, new, symmetrize)) = one(p, &stmts) {
        mark::hit(Mark::Squares);
        stmts.remove(symmetrize);
        stmts.splice(nest..=nest, new);
    }
    stmts
}

/// The nest that computes the triangle of a matrix, and what stands for it and for what symmetrizes it.
fn squares(p: &mut Program, before: &[Stmt], m: &Symmetrize) -> Option<(usize, Vec<Stmt>)> {
    let at = before.iter().position(|s| Uses::of(std::slice::from_ref(s)).writes(m.c.var))?;
    let Stmt::For { index, lower, upper, step: None, order: Order::Sequence, body, .. } = &before[at] else {
        return None;
    };
    let l = Loop { index: *index, lower, upper, body };
    let is_matrix = m.above && m.block == 1.into() && m.c.at.len() == 2 && m.stride == m.rows;
    let is_long = m.rows.as_constant().is_none_or(|n| n >= 2 * weights::jam::SQUARE);
    let is_whole = l.ends()? == (&Affine::zero(), &m.rows.plus_constant(-1)?);
    let triangle = Triangle::of(p, m.c.var, &l)?;
    // What follows adds to the diagonal, if anything.
    let stays = [&triangle.rest, &before[at + 1..]].into_iter().all(|s| {
        Uses::of(s).places.iter().all(|(place, how)| place.var != m.c.var || is_on_diagonal(place, *how))
    });
    (is_matrix && is_long && is_whole && stays).then(|| Some((at, triangle.stmts(p, &l, m)?)))?
}

/// The elements of a row from the diagonal on.
struct Triangle<'a> {
    column: Index,
    upper: &'a [Bound],
    order: Order,
    /// What the columns need that is computed for the row before.
    row: Vec<Stmt>,
    /// The loop over the columns.
    columns: &'a Stmt,
    /// What else is in the loop over the rows: nothing of it has to do with the triangle, but for the diagonal.
    rest: Vec<Stmt>,
}

impl<'a> Triangle<'a> {
    /// The triangle of `v` in the body of a loop, if one vectorized loop assigns all of a row.
    fn of(p: &Program, v: VarId, l: &Loop<'a>) -> Option<Triangle<'a>> {
        let at = l.body.iter().position(|s| Uses::of(std::slice::from_ref(s)).writes(v))?;
        let columns = &l.body[at];
        let Stmt::For { index, lower, upper, step: None, order: order @ Order::Lanes { .. }, body, .. } =
            columns
        else {
            return None;
        };
        let (Stmt::Leaf(Leaf::Assign { target, .. }), element) = body.split_last()? else { return None };
        let (i, k) = (l.index, *index);
        let is_row = |b: &Bound| b.den == 1 && b.num == i.affine();
        let from_diagonal = lower.iter().any(is_row)
            && lower.iter().all(|b| is_row(b) || b.num.as_constant().is_some_and(|c| c <= 0));
        let to_end = upper == l.upper;
        let (row, mut rest) = needed(&l.body[..at], columns);
        rest.extend(l.body[at + 1..].iter().cloned());
        let own: Vec<Stmt> = row.iter().chain([columns]).cloned().collect();
        let once = Uses::of(&own).places.iter().filter(|u| u.0.var == v).count() == 1;
        let is_simple = size(body) <= weights::jam::BODY_OF_SQUARE
            && element.iter().all(is_simple)
            && is_rectangular(&own, i, k);
        let fits =
            from_diagonal && to_end && once && target.var == v && target.at == [i.affine(), k.affine()];
        let as_one = row.iter().all(is_plain) && independent(p, i, &own);
        (fits && is_simple && as_one && are_apart(p, v, &own, &rest)).then_some(Triangle {
            column: k,
            upper,
            order: order.clone(),
            row,
            columns,
            rest,
        })
    }

    /// The squares, the remainder, and the rest.
    fn stmts(self, p: &mut Program, l: &Loop<'_>, m: &Symmetrize) -> Option<Vec<Stmt>> {
        let Stmt::For { body: element, .. } = self.columns else { return None };
        let own: Vec<Stmt> = self.row.iter().chain([self.columns]).cloned().collect();
        let element = transposed::named(p, element, l.index, self.column).unwrap_or_else(|| element.clone());
        let body: Vec<Stmt> = self.row.iter().chain(&element).cloned().collect();
        let groups = groups(p, &Loop { body: &body, ..*l }, weights::jam::SQUARE, "square")?;
        let (l, members) = (&Loop { body: &own, ..*l }, &groups.members);
        let (first, next) = (members.at[0].clone(), members.at[0].plus_constant(weights::jam::SQUARE)?);
        let on_diagonal = |at: &Affine, rows: Affine| {
            let c = Place { var: m.c.var, at: vec![at.clone(), at.clone()] };
            let way = symmetrize::way(&m.stride, &rows, &m.block, m.above);
            Stmt::Leaf(Leaf::Symmetrize(Box::new(Symmetrize { c, rows, way, ..m.clone() })))
        };
        let end = vec![Bound { num: next.plus_constant(-1)?, den: 1 }];
        let square = vec![
            self.columns(first.clone(), end, self.one_side(members, m.c.var, &element)?),
            on_diagonal(&first, weights::jam::SQUARE.into()),
            self.columns(next, self.upper.to_vec(), self.both_sides(p, members, m.c.var, &element)?),
        ];
        let all = members.copy(&self.row).into_iter().chain(square).collect();
        let over = on_diagonal(&groups.rest, m.rows.plus_scaled(-1, &groups.rest)?);
        let mut out = groups.stmts(l, all);
        out.push(over);
        if !self.rest.is_empty() {
            out.push(Loop { body: &self.rest, ..*l }.stmt(l.lower.to_vec()));
        }
        Some(out)
    }

    /// A loop over some of the columns, in lanes.
    fn columns(&self, lower: Affine, upper: Vec<Bound>, body: Vec<Stmt>) -> Stmt {
        let lower = vec![Bound { num: lower, den: 1 }];
        Stmt::looped(self.column, lower, upper, None, self.order.clone(), body)
    }

    /// Eight elements of a column.
    fn one_side(&self, members: &Members, v: VarId, element: &[Stmt]) -> Option<Vec<Stmt>> {
        let (Stmt::Leaf(Leaf::Assign { value, .. }), before) = element.split_last()? else { return None };
        let mut out = members.copy(before);
        out.extend(members.at.iter().enumerate().map(|(q, row)| {
            Stmt::Leaf(Leaf::Assign {
                target: Place { var: v, at: vec![row.clone(), self.column.affine()] },
                value: members.expr(q, value),
            })
        }));
        Some(out)
    }

    /// Eight elements of a column, which are also eight of a row.
    fn both_sides(
        &self,
        p: &mut Program,
        members: &Members,
        v: VarId,
        element: &[Stmt],
    ) -> Option<Vec<Stmt>> {
        let (Stmt::Leaf(Leaf::Assign { value: last, .. }), before) = element.split_last()? else {
            return None;
        };
        let mut out = members.copy(before);
        let k = self.column.affine();
        let (mut down, mut across) = (vec![], vec![]);
        for (q, row) in members.at.iter().enumerate() {
            let name = p.var(v).name.clone();
            let var = local(p, name, self.column);
            out.push(Stmt::Leaf(Leaf::Declare { var, value: members.expr(q, last) }));
            let value = || Expr::Read(Place { var, at: vec![] });
            let to = |at: [&Affine; 2]| Place { var: v, at: at.map(Affine::clone).to_vec() };
            down.push(Stmt::Leaf(Leaf::Assign { target: to([row, &k]), value: value() }));
            across.push(Stmt::Leaf(Leaf::Assign { target: to([&k, row]), value: value() }));
        }
        Some(out.into_iter().chain(down).chain(across).collect())
    }
}

/// Those of some statements that bring into scope what another needs, or what they need, and the others: those may run after it, if their arrays are apart.
fn needed(stmts: &[Stmt], of: &Stmt) -> (Vec<Stmt>, Vec<Stmt>) {
    let (mut row, mut rest) = (vec![], vec![]);
    let mut needs = vec![Names::of(std::slice::from_ref(of))];
    for s in stmts.iter().rev() {
        let names = Names::of(std::slice::from_ref(s));
        if needs.iter().any(|n| n.need(&names)) {
            needs.push(names);
            row.insert(0, s.clone());
        } else {
            rest.insert(0, s.clone());
        }
    }
    (row, rest)
}

/// A statement without others inside, or a short sum: a loop with literal bounds.
fn is_simple(s: &Stmt) -> bool {
    match s {
        Stmt::For { lower, upper, step: None, order: Order::Sequence, body, .. } => {
            lower.iter().chain(upper).all(|b| b.num.is_constant()) && body.iter().all(is_plain)
        }
        s => is_plain(s),
    }
}

/// Whether each form is of a row or of a column, not of both: then there is what it stands for on the other side of the diagonal, too.
fn is_rectangular(stmts: &[Stmt], i: Index, k: Index) -> bool {
    let mut all = true;
    let both = |a: &Affine| a.mentions(&i.atom()) && a.mentions(&k.atom());
    visit(stmts, &mut |item| match item {
        Item::Form(a) | Item::Decides(a) => all &= !both(a),
        Item::Place(place, _) => all &= !place.at.iter().any(both),
        Item::Element(..) => all = false,
        Item::Bound(_) | Item::Declared(_) | Item::Filled(_) | Item::Whole => {}
    });
    all
}

/// Whether a triangle, and what else is in its loop, do not write what the other reads or writes, but for the diagonal of `v`, nor share names.
fn are_apart(p: &Program, v: VarId, triangle: &[Stmt], rest: &[Stmt]) -> bool {
    let (a, b) = (Uses::of(triangle), Uses::of(rest));
    let [own, others] = [triangle, rest].map(Names::of);
    let local = |x: VarId| p.var(x).storage == Storage::Local;
    let meets = |x: &VarId| *x != v && own.has(*x) && others.has(*x) && (a.writes(*x) || b.writes(*x));
    let around = |(q, how): &(Place, How)| *how != How::Read && local(q.var) && own.has(q.var);
    !own.need(&others)
        && !others.need(&own)
        && !own.common(&others).any(meets)
        && !a.places.iter().any(around)
}

#[cfg(test)]
mod tests {
    use crate::schedule::tests::{Of, as_evaluated};

    /// A matrix of which the terms are a triangle.
    fn triangle(terms: &str) -> String {
        let whole = "H[i<n, j<n] = [i <= j] t[i, j] + [j < i] t[j, i]";
        format!("size n m\n param w[n] A[n, n] B[4, n] C[m, n]\n {terms}\n {whole}\n result H")
    }

    fn checked(text: &str) -> String {
        as_evaluated(text, Of::Itself, (0..11).chain([15, 16, 17, 25]).map(|n| [n, 3]), 1e-12)
    }

    #[test]
    fn triangles_of_one_nest_are_squares() {
        for terms in [
            "t[i<n, j<n] = [i <= j] w[i] w[j]",
            "t[i<n, j<n] = [i <= j] A[i, j] + [i <= j] A[j, i]",
            "t[i<n, j<n] = [i <= j] w[i] w[j] + [i == j] w[i]",
            "t[i<n, j<n] = [i <= j] B[0, i] B[1, j] + [i <= j] B[2, i] B[3, j]",
            "e[i<n] = exp(w[i])\n t[i<n, j<n] = [i <= j] e[i] w[j]",
            "s[i<n, j<n] = exp(A[i, j])\n t[i<n, j<n] = [i <= j] s[i, j] w[j]",
        ] {
            let loops = checked(&triangle(terms));
            assert!(
                loops.contains("i_square in 0..n / 8 {") && loops.contains("symmetrize 8 from"),
                "{terms}\n{loops}"
            );
            assert!(!loops.contains("symmetrize H"), "{terms}\n{loops}");
        }
    }

    #[test]
    fn what_the_diagonal_alone_needs_stays_with_it() {
        for terms in [
            "s[] = sum i<n. w[i]\n r[] = recip(s[])\n b[i<n] = exp(w[i])\n d[i<n] = r[] w[i]\n t[i<n, j<n] = [i <= j] b[i] w[j] + [i == j] d[i] w[i]",
            "b[i<n] = exp(w[i])\n d[i<n] = sin(b[i])\n t[i<n, j<n] = [i <= j] w[i] w[j] + [i == j] d[i]",
        ] {
            let loops = checked(&triangle(terms));
            assert!(loops.contains("i_square in 0..n / 8 {"), "{terms}\n{loops}");
        }
    }

    #[test]
    fn other_triangles_are_copied_later() {
        for terms in [
            // There is no w[j - i] below the diagonal.
            "t[i<n, j<n] = [i <= j] w[j - i] w[i]",
            // A sum of so many terms is most of the time.
            "t[i<n, j<n] = sum k<m. [i <= j] C[k, i] C[k, j] w[i]",
            // Not one loop over the columns.
            "t[i<n, j<n] = [i + 2 <= j] w[i] w[j] + [i <= j, j <= i + 1] w[i]",
        ] {
            let loops = checked(&triangle(terms));
            assert!(!loops.contains("square") && loops.contains("symmetrize H"), "{terms}\n{loops}");
        }
    }

    #[test]
    fn two_triangles_in_one_loop() {
        let text = "size n m\n param w[n] x[n]\n s[i<n, j<n] = [i <= j] w[i] w[j]\n t[i<n, j<n] = [i <= j] w[i] x[j]\n G[i<n, j<n] = [i <= j] s[i, j] + [j < i] s[j, i]\n H[i<n, j<n] = [i <= j] t[i, j] + [j < i] t[j, i]\n result G H";
        let loops = checked(text);
        assert_eq!(loops.matches("i_square in").count(), 2, "{loops}");
    }
}
