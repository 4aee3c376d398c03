//! Whether anything counts in an element of a cotangent or a tangent, found at run time where its support does not say.
//!
//! In `q[i] = ln(x[i])`, `y = sum i j. [u[i, j] > 0] q[i]` the support of `q̄` is `∃ j. u[i, j] > 0`, which is no predicate on indices.
//! Where it is false `q̄[i]` is 0, but `q̄[i] / x[i]` may not be evaluated. So we count, `c[i] = sum j. [u[i, j] > 0] 1`, and ask for
//! `c[i] != 0`. To ask for `q̄[i] != 0` would be cheaper and wrong in second derivatives: a residual may vanish, its derivative not.

use super::rec::Recs;
use super::rename::Renaming;
use super::site::scalar;
use crate::index::{Affine, Cond};
use crate::prim::partials::steep;
use crate::sorted::Map;
use crate::ssa::{Access, ArrayId, Function, Index, RealCompare, Rhs, Stmt, Term};

/// Whether a partial may be infinite where an argument is a sum of nothing.
pub(super) fn is_steep(stmt: &Stmt) -> bool {
    matches!(&stmt.rhs, Rhs::Prim { prim, .. } if steep(prim).is_some())
}

/// Whether that argument is this one.
pub(super) fn is_steep_by(stmt: &Stmt, arg: &Access) -> bool {
    let Rhs::Prim { prim, args, .. } = &stmt.rhs else { return false };
    steep(prim).is_some_and(|k| args.get(k) == Some(arg))
}

/// What has been found of a cotangent or a tangent: terms over its gens. One that is a multiple of another may be zero where that is
/// masked.
#[derive(Clone)]
pub(super) struct Pending {
    /// What it is the cotangent or tangent of.
    pub array: ArrayId,
    /// The gens.
    pub gens: Vec<Index>,
    /// How far they run.
    pub extents: Vec<Affine>,
    /// The terms.
    pub terms: Vec<(Term, Option<Masked>)>,
}

/// An element of a cotangent or a tangent whose support is wider than where something counts.
#[derive(Clone)]
pub(super) struct Masked {
    /// The number of the cotangent or tangent.
    pub by: usize,
    /// The element.
    pub at: Vec<Affine>,
}

impl Pending {
    /// The same over gens of its own.
    pub fn freshened(self, f: &mut Function) -> Pending {
        let to = Renaming::fresh(f, &self.gens);
        self.renamed(&to)
    }

    /// The same over other gens.
    pub fn renamed(self, to: &Renaming) -> Pending {
        let gens = self.gens.iter().map(|g| to.index(*g)).collect();
        let one = |(t, masked): (Term, Option<Masked>)| {
            let factors = t.factors.iter().map(|a| to.access(a)).collect();
            let masked = masked.map(|m| Masked { at: to.affines(&m.at), ..m });
            (Term { guard: to.pred(&t.guard), factors, ..t }, masked)
        };
        Pending { gens, terms: self.terms.into_iter().map(one).collect(), ..self }
    }
}

/// A cotangent or tangent of a recurrence.
pub(super) struct Head {
    /// The statement that it is the derivative of.
    pub stmt: Stmt,
    /// How many dimensions it has before those of the statement.
    pub first: usize,
    /// How far all of its dimensions run.
    pub extents: Vec<Affine>,
}

/// Those of a recurrence.
struct Group {
    heads: Vec<Head>,
    /// Whether they run the other way.
    turned: bool,
    /// Their terms, once all are known.
    terms: Option<Vec<Pending>>,
    /// Their counts, once one is asked for.
    counts: Vec<ArrayId>,
}

enum Seen {
    /// A sum of terms; none when it has been counted.
    Terms(Option<Pending>),
    /// A member of a group, by the number of the group and its place in that.
    Member(usize, usize),
}

/// Cotangents and tangents that may have to be counted, and counts.
#[derive(Default)]
pub(super) struct Counts {
    seen: Vec<Seen>,
    counts: Map<usize, ArrayId>,
    groups: Vec<Group>,
}

impl Counts {
    /// A cotangent or tangent is the sum of these; its number.
    pub fn remember(&mut self, all: Pending) -> usize {
        self.seen.push(Seen::Terms(Some(all)));
        self.seen.len() - 1
    }

    /// Those of a recurrence, whose terms come later; the number of the first, which the others follow.
    pub fn announce(&mut self, heads: Vec<Head>, turned: bool) -> usize {
        let (number, group) = (self.seen.len(), self.groups.len());
        self.seen.extend((0..heads.len()).map(|k| Seen::Member(group, k)));
        self.groups.push(Group { heads, turned, terms: None, counts: vec![] });
        number
    }

    /// The terms of those that were announced last.
    pub fn complete(&mut self, f: &mut Function, terms: Vec<Pending>) {
        let Some(group) = self.groups.last_mut() else { return };
        group.terms = Some(terms);
        if !group.counts.is_empty() {
            self.define(f, self.groups.len() - 1);
        }
    }

    /// `c[at] != 0`; none if there is nothing to count.
    pub fn some_live(&mut self, f: &mut Function, m: &Masked) -> Option<Cond> {
        let count = self.count(f, m.by)?;
        let zero = scalar(f, 0.0);
        let count = Access { array: count, at: m.at.clone() };
        Some(f.compare(RealCompare::Eq, count, zero, false))
    }

    fn count(&mut self, f: &mut Function, k: usize) -> Option<ArrayId> {
        if let Some(c) = self.counts.get(&k) {
            return Some(*c);
        }
        match self.seen.get_mut(k)? {
            Seen::Terms(all) => {
                let all = all.take()?;
                let array = named(f, all.array, &all.extents);
                let stmt = self.counted(f, &all, array);
                f.stmts.push(stmt);
                self.counts.insert(k, array);
                Some(array)
            }
            Seen::Member(group, place) => {
                let (group, place) = (*group, *place);
                self.of_group(f, group).get(place).copied()
            }
        }
    }

    /// The counts of a group: their definitions follow when its terms are known.
    fn of_group(&mut self, f: &mut Function, group: usize) -> Vec<ArrayId> {
        let g = &mut self.groups[group];
        if g.counts.is_empty() {
            g.counts = g.heads.iter().map(|h| named(f, h.stmt.array, &h.extents)).collect();
            if g.terms.is_some() {
                self.define(f, group);
            }
        }
        self.groups[group].counts.clone()
    }

    fn define(&mut self, f: &mut Function, group: usize) {
        let g = &mut self.groups[group];
        let (counts, all) = (g.counts.clone(), g.terms.take().unwrap_or_default());
        let mut stmts: Vec<Stmt> =
            all.iter().zip(counts).map(|(all, array)| self.counted(f, all, array)).collect();
        let g = &self.groups[group];
        let mut recs = Recs::new(g.turned);
        for (s, head) in stmts.iter_mut().zip(&g.heads) {
            s.step = recs.step(f, &head.stmt, &s.gens, head.first);
        }
        f.stmts.extend(stmts);
    }

    /// `c[g] = Σ_t sum s_t. [p_t] 1` for `X̄[g] = Σ_t sum s_t. [p_t] …`.
    fn counted(&mut self, f: &mut Function, all: &Pending, array: ArrayId) -> Stmt {
        let mut terms = vec![];
        let gens = Renaming::fresh(f, &all.gens);
        for (t, masked) in &all.terms {
            let mut fresh = gens.clone();
            let sums = fresh.extend_fresh(f, &t.sums);
            let mut guard = t.guard.clone();
            guard.extend(masked.as_ref().and_then(|m| self.some_live(f, m)));
            terms.push(Term { sums, guard: fresh.pred(&guard), coeff: 1.0, factors: Vec::<Access>::new() });
        }
        let gens = all.gens.iter().map(|g| gens.index(*g)).collect();
        Stmt { array, gens, rhs: Rhs::Contract(terms), step: None }
    }
}

/// An array for the count of a cotangent or tangent of another.
fn named(f: &mut Function, of: ArrayId, extents: &[Affine]) -> ArrayId {
    let name = f.array(of).name.clone();
    f.new_array(format!("{name}_count"), extents.to_vec())
}
