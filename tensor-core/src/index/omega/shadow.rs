//! Elimination of a column from the inequalities.

use super::arith::{combine, content, tighten};
use super::{R, Stop, Sys, Work, ceil_div, floor_div, gcd};
use crate::weights;

/// How often and with which coefficients a column bounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Column {
    pub(crate) k: usize,
    lower: usize,
    upper: usize,
    max_lower: i64,
    max_upper: i64,
}

impl Column {
    /// Bounded on one side at most.
    pub(crate) fn is_free(&self) -> bool {
        self.lower == 0 || self.upper == 0
    }
    fn is_unit(&self) -> bool {
        self.max_lower <= 1 || self.max_upper <= 1
    }
    fn key(&self) -> (bool, bool, i128, i64, usize) {
        let (l, u) = (self.lower as i128, self.upper as i128);
        (!self.is_free(), !self.is_unit(), l * u - l - u, self.max_lower.max(self.max_upper), self.k)
    }
}

/// A system without a column.
pub(crate) struct Shadows {
    /// What every point casts: a superset.
    pub(crate) real: Sys,
    /// Over each of its points there is one: a subset. Not known where both are the same.
    pub(crate) dark: R<Sys>,
    /// Whether both are the same set.
    pub(crate) exact: bool,
    /// The rows that mention the column, to find it again in a model.
    pub(crate) rows: Vec<i64>,
}

impl Sys {
    /// The wanted column to eliminate next: free ones, then exact ones, each by growth, then by position.
    pub(crate) fn next_column(&self, wanted: impl Fn(usize) -> bool) -> Option<Column> {
        let mut cols = vec![Column::default(); self.n];
        for row in self.ges() {
            let mut k = 0;
            while k < self.n {
                let (c, v) = (&mut cols[k], row[k]);
                if v > 0 {
                    c.lower += 1;
                    c.max_lower = c.max_lower.max(v);
                } else if v < 0 {
                    c.upper += 1;
                    c.max_upper = c.max_upper.max(-v);
                }
                k += 1;
            }
        }
        for (k, c) in cols.iter_mut().enumerate() {
            c.k = k;
        }
        cols.into_iter().filter(|c| c.lower + c.upper > 0 && wanted(c.k)).min_by_key(Column::key)
    }

    /// Eliminates column `k`.
    pub(crate) fn shadows(&self, k: usize, work: &mut Work) -> R<Shadows> {
        let mut real = Sys { gone: self.gone + 1, ..Sys::new(self.n) };
        real.eq.clone_from(&self.eq);
        let (mut rows, mut low, mut up) = (vec![], vec![], vec![]);
        for (row, from) in self.ges().zip(&self.from) {
            if row[k] == 0 {
                real.ge.extend_from_slice(row);
                real.from.push(*from);
            } else {
                rows.extend_from_slice(row);
                if row[k] > 0 { low.push((row, *from)) } else { up.push((row, *from)) }
            }
        }
        let mut out = Shadows { dark: Err(Stop::Unknown), real, exact: true, rows };
        let mut buf = vec![0; self.w()];
        for (l, lf) in &low {
            for (u, uf) in &up {
                let from = lf | uf;
                if work.prune && from != u64::MAX && from.count_ones() > out.real.gone + 1 {
                    continue;
                }
                // A combination is compared with every row there is.
                work.spend(1 + out.real.n_ge() as i64 / weights::index::ROWS_OF_SHADOW)?;
                out.add_pair(k, l, u, from, &mut buf)?;
            }
        }
        if out.real.n_ge() > weights::index::ROWS { Err(Stop::Unknown) } else { Ok(out) }
    }
}

impl Shadows {
    /// `a x + l >= 0, -b x + u >= 0` give `b l + a u >= 0` in the real shadow and `>= (a - 1)(b - 1)` in the dark one.
    fn add_pair(&mut self, k: usize, l: &[i64], u: &[i64], from: u64, buf: &mut [i64]) -> R<()> {
        let n = self.real.n;
        let (a, b) = (l[k], -u[k]);
        let g = gcd(a, b);
        combine(buf, b / g, l, a / g, u)?;
        let gap = ceil_div((a - 1).checked_mul(b - 1).ok_or(Stop::Unknown)?, g);
        if gap == 0 && self.exact {
            return self.real.push_ge_from(buf, from);
        }
        let mut dark_row = buf.to_vec();
        dark_row[n] = dark_row[n].checked_sub(gap).ok_or(Stop::Unknown)?;
        if self.exact {
            let mut probe = buf.to_vec();
            tighten(&mut probe)?;
            let same = tighten(&mut dark_row).is_ok() && (probe == dark_row || content(&probe[..n]) == 0);
            if !same {
                self.exact = false;
                // Until here both shadows were the same.
                self.dark = Ok(self.real.clone());
            }
        }
        if !self.exact
            && let Ok(dark) = &mut self.dark
            && let Err(e) = dark.push_ge_from(&mut dark_row, from)
        {
            self.dark = Err(e);
        }
        self.real.push_ge_from(buf, from)
    }
}

/// The interval of column `k` given the others.
pub(super) fn interval(rows: &[i64], w: usize, k: usize, model: &[i64]) -> (Option<i128>, Option<i128>) {
    let (mut lo, mut hi): (Option<i128>, Option<i128>) = (None, None);
    for row in rows.chunks_exact(w) {
        let c = i128::from(row[k]);
        let rest = super::eval(row, model) - c * i128::from(model[k]);
        if c > 0 {
            let b = -rest.div_euclid(c);
            lo = Some(lo.map_or(b, |l| l.max(b)));
        } else if c < 0 {
            let b = rest.div_euclid(-c);
            hi = Some(hi.map_or(b, |h| h.min(b)));
        }
    }
    (lo, hi)
}

/// What the dark shadow of column `k` misses: points that lie close above a lower bound (or close
/// below an upper bound, whichever makes fewer pieces).
pub(crate) fn splinters<'a>(s: &'a Sys, col: &Column) -> impl Iterator<Item = R<Sys>> + use<'a> {
    let k = col.k;
    let n = s.n;
    // For a bound with coefficient c against the greatest opposite coefficient m: 0 ..= (m c - m - c) / m.
    let last = |c: i64, m: i64| floor_div(m.saturating_mul(c).saturating_sub(m).saturating_sub(c), m);
    let count = |sign: i64, m: i64| -> i128 {
        s.ges().filter(|r| r[k] * sign > 0).map(|r| i128::from(last(r[k] * sign, m)) + 1).sum()
    };
    let from_lower = count(1, col.max_upper) <= count(-1, col.max_lower);
    let (sign, m) = if from_lower { (1, col.max_upper) } else { (-1, col.max_lower) };
    s.ges().filter(move |r| r[k] * sign > 0).flat_map(move |row| {
        let max = last(row[k] * sign, m);
        (0..=max).map(move |i| {
            let mut eq = row.to_vec();
            eq[n] = eq[n].checked_sub(i).ok_or(Stop::Unknown)?;
            let mut p = s.clone();
            p.push_eq(&mut eq).map(|()| p)
        })
    })
}
