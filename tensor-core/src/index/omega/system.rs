//! Systems of rows.

use super::arith::{combine, content, in_limits, opposite, tighten};
use super::{R, Stop, eval};

/// Rows of `n` coefficients and a constant, flat.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sys {
    pub(crate) n: usize,
    pub(crate) eq: Vec<i64>,
    pub(crate) ge: Vec<i64>,
    /// For each inequality, which of the first 64 original ones it was combined from.
    pub(crate) from: Vec<u64>,
    /// How many columns went by Fourier-Motzkin since.
    pub(crate) gone: u32,
}

impl Sys {
    pub(crate) fn new(n: usize) -> Sys {
        Sys { n, ..Sys::default() }
    }
    pub(crate) fn w(&self) -> usize {
        self.n + 1
    }
    pub(crate) fn ges(&self) -> std::slice::ChunksExact<'_, i64> {
        self.ge.chunks_exact(self.n + 1)
    }
    pub(crate) fn eqs(&self) -> std::slice::ChunksExact<'_, i64> {
        self.eq.chunks_exact(self.n + 1)
    }
    pub(crate) fn n_ge(&self) -> usize {
        self.ge.len() / self.w()
    }

    /// Adds `row >= 0`, tightened; keeps one row for each linear part, and makes an equality of two
    /// opposite rows that meet.
    pub(crate) fn push_ge(&mut self, row: &mut [i64]) -> R<()> {
        let bit = self.from.len();
        self.push_ge_from(row, if bit < 64 { 1 << bit } else { u64::MAX })
    }
    pub(super) fn push_ge_from(&mut self, row: &mut [i64], from: u64) -> R<()> {
        if !tighten(row)? {
            return Ok(());
        }
        let (n, w) = (self.n, self.w());
        let (mut same, mut opp) = (usize::MAX, usize::MAX);
        let mut lead = 0;
        while row[lead] == 0 {
            lead += 1;
        }
        let (mut at, mut k) = (0, 0);
        while at < self.ge.len() {
            let c = self.ge[at + lead];
            if c == row[lead] {
                let r = &self.ge[at..at + w];
                if r[..n] == row[..n] {
                    if r[n] <= row[n] {
                        if r[n] == row[n] && from.count_ones() < self.from[k].count_ones() {
                            self.from[k] = from;
                        }
                        return Ok(());
                    }
                    same = k;
                }
            } else if c == -row[lead] && opposite(&self.ge[at..at + n], &row[..n]) {
                let sum = self.ge[at + n] + row[n];
                if sum < 0 {
                    return Err(Stop::Empty);
                }
                if sum == 0 {
                    opp = k;
                }
            }
            at += w;
            k += 1;
        }
        if opp != usize::MAX {
            // In descending order, so that the first removal does not move the second.
            let (a, b) = if same == usize::MAX { (opp, usize::MAX) } else { (opp.max(same), opp.min(same)) };
            self.remove_ge(a);
            if b != usize::MAX {
                self.remove_ge(b);
            }
            return self.push_eq(row);
        }
        if same != usize::MAX {
            self.ge[same * w + n] = row[n];
            self.from[same] = from;
        } else {
            self.ge.extend_from_slice(row);
            self.from.push(from);
        }
        Ok(())
    }
    pub(crate) fn push_eq(&mut self, row: &mut [i64]) -> R<()> {
        let n = self.n;
        let g = content(&row[..n]);
        if g == 0 {
            return if row[n] == 0 { Ok(()) } else { Err(Stop::Empty) };
        }
        if row[n] % g != 0 {
            return Err(Stop::Empty);
        }
        if g > 1 {
            for c in row.iter_mut() {
                *c /= g;
            }
        }
        in_limits(row)?;
        self.eq.extend_from_slice(row);
        Ok(())
    }
    /// Drops the inequalities that mention column `k`, and returns them.
    pub(crate) fn drop_rows(&mut self, k: usize) -> Vec<i64> {
        let (w, mut rows, mut kept) = (self.w(), vec![], 0);
        for at in 0..self.n_ge() {
            let row = at * w..(at + 1) * w;
            if self.ge[row.start + k] != 0 {
                rows.extend_from_slice(&self.ge[row]);
            } else {
                self.ge.copy_within(row, kept * w);
                self.from[kept] = self.from[at];
                kept += 1;
            }
        }
        self.ge.truncate(kept * w);
        self.from.truncate(kept);
        rows
    }
    fn remove_ge(&mut self, k: usize) {
        let w = self.w();
        self.ge.drain(k * w..(k + 1) * w);
        self.from.remove(k);
    }
    pub(crate) fn take_eq(&mut self, k: usize) -> Vec<i64> {
        let w = self.w();
        self.eq.drain(k * w..(k + 1) * w).collect()
    }

    /// The equality and the column to solve first: the least coefficient of a wanted column, the first of those.
    pub(crate) fn best_eq(&self, wanted: impl Fn(usize) -> bool) -> Option<(usize, usize)> {
        let (mut least, mut best) = (i64::MAX, None);
        for (r, row) in self.eqs().enumerate() {
            // The last columns are indices and quotients: they go first.
            for k in (0..self.n).rev() {
                let c = row[k].abs();
                if c != 0 && c < least && wanted(k) {
                    least = c;
                    best = Some((r, k));
                    if c == 1 {
                        return best;
                    }
                }
            }
        }
        best
    }

    /// Replaces column `k` by `x_k' - Σ q_j x_j - q` in every row.
    pub(crate) fn shift(&mut self, k: usize, q: &[i64]) -> R<()> {
        let w = self.w();
        for row in self.eq.chunks_exact_mut(w).chain(self.ge.chunks_exact_mut(w)) {
            let c = row[k];
            if c == 0 {
                continue;
            }
            for j in 0..w {
                if j != k && q[j] != 0 {
                    let d = c.checked_mul(q[j]).ok_or(Stop::Unknown)?;
                    row[j] = row[j].checked_sub(d).ok_or(Stop::Unknown)?;
                }
            }
            in_limits(row)?;
        }
        Ok(())
    }

    /// Eliminates column `k` by `eq`, whose coefficient there is `c`: every other row is scaled by `|c|`.
    pub(crate) fn eliminate(&mut self, eq: &[i64], k: usize) -> R<()> {
        let (w, c) = (self.w(), eq[k]);
        let mut out = Sys { n: self.n, gone: self.gone, ..Sys::default() };
        out.ge.reserve(self.ge.len());
        let mut buf = vec![0; w];
        for row in self.eqs() {
            if row[k] == 0 {
                out.eq.extend_from_slice(row);
            } else {
                combine(&mut buf, c.abs(), row, -row[k] * c.signum(), eq)?;
                out.push_eq(&mut buf)?;
            }
        }
        for (row, from) in self.ges().zip(&self.from) {
            if row[k] == 0 {
                buf.copy_from_slice(row);
            } else {
                combine(&mut buf, c.abs(), row, -row[k] * c.signum(), eq)?;
            }
            out.push_ge_from(&mut buf, *from)?;
        }
        *self = out;
        Ok(())
    }

    pub(crate) fn holds(&self, model: &[i64]) -> bool {
        let w = self.w();
        let mut at = 0;
        while at < self.eq.len() {
            if eval(&self.eq[at..at + w], model) != 0 {
                return false;
            }
            at += w;
        }
        at = 0;
        while at < self.ge.len() {
            if eval(&self.ge[at..at + w], model) < 0 {
                return false;
            }
            at += w;
        }
        true
    }
}
