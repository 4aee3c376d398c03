//! The search for an integer point.

use super::arith::{in_limits, round_div};
use super::shadow::{Column, Shadows, interval};
use super::{Answer, R, Stop, Sys, Work, eval, splinters};
use crate::mark::{self, Mark};
use crate::weights;

/// How to find an eliminated column from a model of the others.
enum Step {
    /// `eq[k] = ±1`.
    Equal(usize, Vec<i64>),
    /// The column held `x_k + Σ q_j x_j + q`.
    Shift(usize, Vec<i64>),
    /// Rows that bound it.
    Between(usize, Vec<i64>),
}

/// Is there an integer point? With one, if there is. What grows too large is tried once more with pruning.
pub(crate) fn solve(sys: &Sys, work: &mut Work) -> Answer {
    let keep = work.fuel / weights::index::KEPT;
    work.fuel -= keep;
    let first = attempt(sys, work);
    work.fuel += keep;
    if first != Answer::Unknown {
        return first;
    }
    work.prune = true;
    let second = attempt(sys, work);
    work.prune = false;
    second
}

fn attempt(sys: &Sys, work: &mut Work) -> Answer {
    match point(sys.clone(), work) {
        Err(Stop::Empty) => Answer::Empty,
        Ok(model) if sys.holds(&model) => Answer::Sat(model),
        Ok(_) | Err(Stop::Unknown) => Answer::Unknown,
    }
}

fn point(sys: Sys, work: &mut Work) -> R<Vec<i64>> {
    let (w, mut trail) = (sys.w(), vec![]);
    let mut model = eliminate_all(sys, work, &mut trail)?;
    lift(&trail, w, &mut model).ok_or(Stop::Unknown)?;
    Ok(model)
}

fn eliminate_all(mut s: Sys, work: &mut Work, trail: &mut Vec<Step>) -> R<Vec<i64>> {
    if s.n_ge() > weights::index::ROWS {
        return Err(Stop::Unknown);
    }
    work.spend(1 + s.n_ge() as i64 / weights::index::ROWS_OF_SEARCH)?;
    loop {
        eliminate_equalities(&mut s, work, trail)?;
        let Some(col) = s.next_column(|_| true) else {
            return Ok(vec![0; s.n]);
        };
        if col.is_free() {
            trail.push(Step::Between(col.k, s.drop_rows(col.k)));
            continue;
        }
        let shadows = s.shadows(col.k, work)?;
        if !shadows.exact {
            mark::hit(Mark::Inexact);
            return inexact(&s, &col, shadows, work);
        }
        s = shadows.real;
        trail.push(Step::Between(col.k, shadows.rows));
    }
}

fn eliminate_equalities(s: &mut Sys, work: &mut Work, trail: &mut Vec<Step>) -> R<()> {
    while let Some((r, k)) = s.best_eq(|_| true) {
        let mut eq = s.take_eq(r);
        let c = eq[k];
        if c.abs() == 1 {
            s.eliminate(&eq, k)?;
            trail.push(Step::Equal(k, eq));
            continue;
        }
        mark::hit(Mark::Shift);
        // x_k' = x_k + Σ q_j x_j + q, with q_j = round(a_j / a_k): a unimodular change of columns.
        let mut q: Vec<i64> = eq.iter().map(|a| round_div(*a * c.signum(), c.abs())).collect();
        q[k] = 0;
        for (a, q) in eq.iter_mut().zip(&q) {
            *a -= c * q;
        }
        in_limits(&eq)?;
        s.shift(k, &q)?;
        s.push_eq(&mut eq)?;
        trail.push(Step::Shift(k, q));
        work.spend(1 + s.n_ge() as i64 / weights::index::ROWS_OF_SEARCH)?;
    }
    Ok(())
}

/// Real shadow: if empty, so is the system; its model may happen to leave an integer for the column. Dark shadow: any
/// of its points does. Splinters: what lies between.
fn inexact(s: &Sys, col: &Column, shadows: Shadows, work: &mut Work) -> R<Vec<i64>> {
    let (w, k) = (s.w(), col.k);
    let complete = |mut m: Vec<i64>| {
        m[k] = 0;
        let (lo, hi) = interval(&shadows.rows, w, k, &m);
        m[k] = pick(lo, hi)?;
        Some(m)
    };
    let mut unknown = false;
    match point(shadows.real, work) {
        Err(Stop::Empty) => return Err(Stop::Empty),
        Err(Stop::Unknown) => unknown = true,
        Ok(m) => {
            if let Some(m) = complete(m) {
                mark::hit(Mark::RealPoint);
                return Ok(m);
            }
        }
    }
    match shadows.dark.and_then(|dark| point(dark, work)) {
        Err(Stop::Empty) => {}
        Err(Stop::Unknown) => unknown = true,
        Ok(m) => match complete(m) {
            Some(m) => {
                mark::hit(Mark::DarkPoint);
                return Ok(m);
            }
            None => unknown = true,
        },
    }
    for piece in splinters(s, col) {
        work.spend(1)?;
        match piece.and_then(|p| point(p, work)) {
            Ok(m) => {
                mark::hit(Mark::Splinter);
                return Ok(m);
            }
            Err(Stop::Empty) => {}
            Err(Stop::Unknown) => unknown = true,
        }
    }
    Err(if unknown { Stop::Unknown } else { Stop::Empty })
}

/// The value nearest to zero.
fn pick(lo: Option<i128>, hi: Option<i128>) -> Option<i64> {
    let v = match (lo, hi) {
        (Some(l), Some(h)) if l > h => return None,
        (Some(l), _) if l > 0 => l,
        (_, Some(h)) if h < 0 => h,
        (Some(_) | None, Some(_) | None) => 0,
    };
    i64::try_from(v).ok()
}

fn lift(trail: &[Step], w: usize, model: &mut [i64]) -> Option<()> {
    for step in trail.iter().rev() {
        match step {
            Step::Equal(k, eq) => {
                model[*k] = 0;
                model[*k] = i64::try_from(-eval(eq, model) * i128::from(eq[*k])).ok()?;
            }
            Step::Shift(k, q) => {
                let v = i128::from(model[*k]);
                model[*k] = 0;
                model[*k] = i64::try_from(v - eval(q, model)).ok()?;
            }
            Step::Between(k, rows) => {
                model[*k] = 0;
                let (lo, hi) = interval(rows, w, *k, model);
                model[*k] = pick(lo, hi)?;
            }
        }
    }
    Some(())
}
