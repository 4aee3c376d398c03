//! Statements of many elements.

use super::Walk;
use super::reads::size;
use crate::index::{Affine, Cond, Pred};
use crate::loops::PRODUCT_WORK;
use crate::loops::display::form;
use crate::loops::{Argument, Call, Place, Product, Program, Symmetrize, Way, Whole};
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

    /// What the kernel looks at before it begins: the factors at all terms, if there are any, and the result at all rows and columns, those outside of a band and across too.
    pub(super) fn product(&mut self, p: &Product) {
        let mut all: Pred = vec![];
        self.count(&p.rows.1);
        self.count(&p.cols.1);
        // The end of a sum may stand before its beginning: there are no terms then.
        self.form(&p.inner.1);
        [&p.rows, &p.cols, &p.inner].into_iter().for_each(|(i, count)| all.extend(below(*i, count)));
        if let Some(q) = &p.part {
            [&q.lower, &q.upper].into_iter().for_each(|a| self.form(a));
            let ends = [q.index.affine().minus(&q.lower), q.upper.minus(&q.index.affine())];
            all.extend(ends.into_iter().flatten().map(Cond::NonNeg));
        }
        p.band.iter().for_each(|b| self.form(b.diagonal()));
        let (m, n, k) = (p.rows.0, p.cols.0, p.inner.0);
        for (place, own) in [(&p.a, [m, k]), (&p.b, [k, n]), (&p.c, [m, n])] {
            self.strides(place, own, [m, n, k]);
        }
        self.place_where(&all, &p.a);
        self.place_where(&all, &p.b);
        // The result is there even of no terms.
        let written: Pred = all.into_iter().filter(|c| !c.mentions(&k.atom())).collect();
        self.place_where(&written, &p.c);
        if p.across {
            let equal = p.rows.1.minus(&p.cols.1).map(Cond::Zero);
            self.holds(equal, &|_| "as many rows as columns".to_string());
        }
        let room = size(&self.program.var(p.work).extents);
        let enough = room.and_then(|room| Some(Cond::NonNeg(room.plus_constant(-PRODUCT_WORK)?)));
        self.holds(enough, &|_| "room for the kernel".to_string());
    }

    /// Each place has two of the indices, each by itself and not backwards: offsets and strides are all that the kernel is told.
    fn strides(&mut self, place: &Place, own: [Index; 2], all: [Index; 3]) {
        for i in all {
            let is_term =
                |a: &Affine| a.terms.iter().all(|(t, c)| !t.mentions(&i.atom()) || *t == i.atom() && *c > 0);
            let moving = place.at.iter().filter(|a| a.mentions(&i.atom())).count();
            if !place.at.iter().all(is_term) || moving != usize::from(own.contains(&i)) {
                let what = |p: &Program| format!("a matrix of `{}` with no stride", p.var(place.var).name);
                self.fails(&what);
            }
        }
    }

    /// Rows and columns from the first on are those of a square matrix.
    pub(super) fn symmetrize(&mut self, m: &Symmetrize) {
        self.form(&m.stride);
        self.count(&m.rows);
        self.form(&m.block);
        self.scope(|w| {
            w.here.context.extend(m.rows.plus_constant(-1).map(Cond::NonNeg));
            let block = m.block.plus_constant(-1).map(Cond::NonNeg);
            w.holds(block, &|p| format!("blocks of {}", form(p, &m.block)));
            let is_small = m.block == 1.into();
            let is_right = match m.way {
                Way::Registers => is_small && m.above && m.rows == Way::ROWS.into(),
                Way::Loops => is_small && m.stride == m.rows,
                Way::Kernel => true,
            };
            if !is_right {
                w.fails(&|_| format!("{:?} for another shape", m.way));
            }
            let extents = w.program.var(m.c.var).extents.clone();
            let (rows, cols) = extents.split_at(extents.len() / 2);
            if size(rows).is_some_and(|all| all == m.rows) {
                w.some(rows);
            }
            w.place(&m.c);
            let (first_row, first_col) = m.c.at.split_at(m.c.at.len() / 2);
            for (side, first) in [(rows, first_row), (cols, first_col)] {
                let equal = size(side).and_then(|e| Some(Cond::Zero(e.minus(&m.stride)?)));
                w.holds(equal, &|p| format!("a matrix of {} rows", form(p, &m.stride)));
                let at = first
                    .iter()
                    .zip(side)
                    .try_fold(Affine::zero(), |at, (a, e)| crate::index::affine::product(&at, e)?.plus(a));
                let rest = at.and_then(|at| Some(Cond::NonNeg(m.stride.minus(&at)?.minus(&m.rows)?)));
                w.holds(rest, &|p| format!("{} rows of {}", form(p, &m.rows), form(p, &m.stride)));
            }
        });
    }

    /// Of so many dimensions there are elements: there are of each, since none is negative.
    fn some(&mut self, extents: &[Affine]) {
        let all: Option<Pred> = extents
            .iter()
            .map(|e| {
                self.is_proved(&Cond::NonNeg(e.clone())).then(|| e.plus_constant(-1).map(Cond::NonNeg))?
            })
            .collect();
        self.here.context.extend(all.into_iter().flatten());
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
