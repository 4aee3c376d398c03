//! Atoms as columns of the solver, conditions as rows.

use super::Facts;
use crate::index::affine::{Affine, Atom};
use crate::index::omega::{R, Stop};
use crate::index::pred::{Cond, Pred};
use std::rc::Rc;

/// Coefficients and a constant.
pub(super) type Row = Vec<i64>;

/// Atoms as columns, in the order of atoms; after them one column for each quotient of a residue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    pub(crate) atoms: Vec<Atom>,
    quotients: usize,
}

/// A condition in rows.
#[derive(Clone, Debug)]
pub(super) enum Lit {
    Zero(Row),
    NonNeg(Row),
    /// With its quotient column.
    Residue(Row, i64, usize),
    NonResidue(Row, i64, usize),
    Opaque {
        id: u32,
        args: Vec<Row>,
        holds: bool,
    },
    Any(Clause),
}

/// Of these one holds. Shared by the nodes of a search, which have most clauses in common.
pub(super) type Clause = Rc<[Vec<Lit>]>;

/// How many quotients a condition needs.
fn quotients(c: &Cond) -> usize {
    match c {
        Cond::Residue(..) | Cond::NonResidue(..) => 1,
        Cond::Any(ps) => ps.iter().flatten().map(quotients).sum(),
        Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) | Cond::Opaque { .. } => 0,
    }
}

/// How many its negation needs.
fn quotients_negated(c: &Cond) -> usize {
    match c {
        Cond::Residue(..) | Cond::NonResidue(..) => 1,
        Cond::Any(_) => c.negate().iter().map(|p| p.iter().map(quotients).sum()).max().unwrap_or(0),
        Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) | Cond::Opaque { .. } => 0,
    }
}

impl Columns {
    /// For what is assumed.
    pub(crate) fn of(preds: &[&[Cond]], facts: &Facts) -> Columns {
        let mut c = Columns::default();
        for cond in preds.iter().copied().flatten() {
            c.quotients += quotients(cond);
            cond.each_affine(&mut |a| c.affine(a, facts));
        }
        c
    }
    /// For what is assumed, and what is asked about: assumed too, or negated.
    pub(super) fn with_asked(preds: &[&[Cond]], asked: &[&[Cond]], facts: &Facts) -> Columns {
        let all: Vec<&[Cond]> = preds.iter().chain(asked).copied().collect();
        let mut c = Columns::of(&all, facts);
        c.quotients += asked.iter().copied().flatten().map(quotients_negated).sum::<usize>();
        c
    }
    pub(super) fn affine(&mut self, a: &Affine, facts: &Facts) {
        for (t, _) in &a.terms {
            let Err(at) = self.atoms.binary_search(t) else { continue };
            self.atoms.insert(at, t.clone());
            match t {
                Atom::Size(_) | Atom::Index(_) => {}
                Atom::Floor(e, _) => self.affine(e, facts),
                Atom::Element(id, args) => {
                    args.iter().for_each(|e| self.affine(e, facts));
                    if let Some((lower, upper)) = facts.ranges.get(id).and_then(|r| r.at(args)) {
                        self.affine(&lower, facts);
                        self.affine(&upper, facts);
                    }
                }
                Atom::Product(fs) => fs.iter().for_each(|f| self.affine(&f.clone().into(), facts)),
            }
        }
    }
    pub(crate) fn n(&self) -> usize {
        self.atoms.len() + self.quotients
    }
    pub(super) fn row(&self, a: &Affine) -> R<Row> {
        let mut row = vec![];
        self.fill(&mut row, a)?;
        Ok(row)
    }
    /// `Unknown` if `a` has an atom without a column.
    pub(super) fn fill(&self, row: &mut Row, a: &Affine) -> R<()> {
        let n = self.n();
        row.clear();
        row.resize(n + 1, 0);
        // Both are sorted.
        let mut k = 0;
        for (t, c) in &a.terms {
            while self.atoms.get(k).ok_or(Stop::Unknown)? != t {
                k += 1;
            }
            row[k] = *c;
        }
        row[n] = a.constant;
        Ok(())
    }
    pub(crate) fn affine_of(&self, row: &[i64]) -> Affine {
        let terms =
            self.atoms.iter().zip(row).filter(|(_, c)| **c != 0).map(|(a, c)| (a.clone(), *c)).collect();
        Affine { terms, constant: row[self.n()] }
    }

    fn quotient(&self, next: &mut usize) -> R<usize> {
        let column = self.atoms.len() + *next;
        *next += 1;
        if column < self.n() { Ok(column) } else { Err(Stop::Unknown) }
    }
    /// A condition in rows; `quotient` is the next that is free.
    pub(super) fn lit(&self, c: &Cond, quotient: &mut usize) -> R<Lit> {
        Ok(match c {
            Cond::Zero(a) => Lit::Zero(self.row(a)?),
            Cond::NonNeg(a) => Lit::NonNeg(self.row(a)?),
            Cond::NonZero(a) => {
                let up = self.row(&a.clone().step(-1))?;
                let down = self.row(&a.negated().step(-1))?;
                Lit::Any([vec![Lit::NonNeg(up)], vec![Lit::NonNeg(down)]].into())
            }
            Cond::Residue(a, k) => Lit::Residue(self.row(a)?, *k, self.quotient(quotient)?),
            Cond::NonResidue(a, k) => Lit::NonResidue(self.row(a)?, *k, self.quotient(quotient)?),
            Cond::Opaque { id, args, holds } => {
                let args = args.iter().map(|a| self.row(a)).collect::<R<_>>()?;
                Lit::Opaque { id: *id, args, holds: *holds }
            }
            Cond::Any(ps) => {
                let mut one = |p: &Pred| p.iter().map(|c| self.lit(c, quotient)).collect::<R<Vec<Lit>>>();
                Lit::Any(ps.iter().map(&mut one).collect::<R<_>>()?)
            }
        })
    }
}
