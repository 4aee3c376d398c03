//! Statements of many elements.

use super::Walk;
use super::reads::size;
use crate::index::{Affine, Cond, Pred};
use crate::loops::display::form;
use crate::loops::{Argument, Band, Call, Mirror, Place, Product, Program, Whole};
use crate::ssa::Index;

/// `0 <= i < count`
fn below(i: Index, count: &Affine) -> Pred {
    let last = count.plus_constant(-1).and_then(|e| e.minus(&i.affine()));
    [Some(i.affine()), last].into_iter().flatten().map(Cond::NonNeg).collect()
}

impl Walk<'_> {
    /// A number of rows, or of what is passed: it is no less than 0.
    fn count(&mut self, count: &Affine) {
        self.form(count);
        self.holds(Some(Cond::NonNeg(count.clone())), &|p| format!("so many: {}", form(p, count)));
    }

    fn place_where(&mut self, given: &[Cond], p: &Place) {
        self.scope(|w| {
            w.here.context.extend_from_slice(given);
            w.place(p);
        });
    }

    /// The factors at all terms of rows and columns that there are, the result where the band is, and across.
    pub(super) fn product(&mut self, p: &Product) {
        let mut all: Pred = vec![];
        for (i, count) in [&p.rows, &p.cols, &p.inner] {
            self.count(count);
            all.extend(below(*i, count));
        }
        if let Some(q) = &p.part {
            [&q.lower, &q.upper].into_iter().for_each(|a| self.form(a));
            let ends = [q.index.affine().minus(&q.lower), q.upper.minus(&q.index.affine())];
            all.extend(ends.into_iter().flatten().map(Cond::NonNeg));
        }
        self.place_where(&all, &p.a);
        self.place_where(&all, &p.b);
        // The result is there even of no terms.
        let of_terms = |c: &Cond| c.mentions(&p.inner.0.atom());
        let mut written: Pred = all.into_iter().filter(|c| !of_terms(c)).collect();
        if let Some(band) = &p.band {
            self.form(band.diagonal());
            let edge = p.rows.0.affine().plus(band.diagonal());
            let inside = edge.and_then(|edge| match band {
                Band::From(_) => p.cols.0.affine().minus(&edge),
                Band::UpTo(_) => edge.minus(&p.cols.0.affine()),
            });
            written.extend(inside.map(Cond::NonNeg));
        }
        self.place_where(&written, &p.c);
        if p.across {
            let (row, col) = (p.rows.0, p.cols.0);
            let exchanged = |a: &Affine| {
                a.rename(&|t| match t {
                    t if *t == row.atom() => Some(col.affine()),
                    t if *t == col.atom() => Some(row.affine()),
                    _ => None,
                })
            };
            if let Some(at) = p.c.at.iter().map(exchanged).collect() {
                self.place_where(&written, &Place { var: p.c.var, at });
            }
        }
    }

    /// Rows and columns from the first on are those of a square matrix.
    pub(super) fn mirror(&mut self, m: &Mirror) {
        self.form(&m.stride);
        self.count(&m.rows);
        self.form(&m.block);
        let block = m.block.plus_constant(-1).map(Cond::NonNeg);
        self.holds(block, &|p| format!("blocks of {}", form(p, &m.block)));
        self.scope(|w| {
            w.here.context.extend(m.rows.plus_constant(-1).map(Cond::NonNeg));
            w.place(&m.c);
            let extents = w.program.var(m.c.var).extents.clone();
            let (rows, cols) = extents.split_at(extents.len() / 2);
            let (first, _) = m.c.at.split_at(m.c.at.len() / 2);
            for side in [rows, cols] {
                let equal = size(side).and_then(|e| Some(Cond::Zero(e.minus(&m.stride)?)));
                w.holds(equal, &|p| format!("a matrix of {} rows", form(p, &m.stride)));
            }
            let row = first
                .iter()
                .zip(rows)
                .try_fold(Affine::zero(), |row, (a, e)| crate::index::affine::product(&row, e)?.plus(a));
            let rest = row.and_then(|row| Some(Cond::NonNeg(m.stride.minus(&row)?.minus(&m.rows)?)));
            w.holds(rest, &|p| format!("{} rows of {}", form(p, &m.rows), form(p, &m.stride)));
        });
    }

    /// What a Rust function reads and writes is in one piece.
    pub(super) fn call(&mut self, c: &Call) {
        for a in &c.args {
            match a {
                Argument::Number(e) => self.expr(e),
                Argument::Tensor(w) => self.whole(w),
            }
        }
        c.outs.iter().for_each(|w| self.whole(w));
    }

    fn whole(&mut self, whole: &Whole) {
        let mut all: Pred = vec![];
        for (i, count) in &whole.own {
            self.count(count);
            all.extend(below(*i, count));
        }
        self.place_where(&all, &whole.place);
        let extents = self.program.var(whole.place.var).extents.clone();
        let first = extents.len() - whole.own.len();
        // Whole rows follow each other: all dimensions but the first are passed as they are.
        for (e, (_, count)) in extents[first..].iter().zip(&whole.own).skip(1) {
            let equal = e.minus(count).map(Cond::Zero);
            let what = |p: &Program| format!("{} of {} elements", form(p, count), form(p, e));
            self.holds(equal, &what);
        }
    }
}
