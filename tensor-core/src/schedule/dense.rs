//! Products of matrices: contractions that a blocked kernel of the runtime crate computes.
//!
//! `C[b, i, j] += Σ_k A[b, i, k] · B[b, k, j]`, dimensions in any order: the loops over i, j and k stay together, and only those over b, which C and
//! one of the factors or both have, are shared with other nodes. Of several dimensions that C shares with one factor, the last is i, or j; of several sums, k is one
//! along the rows of a factor. Where the guard compares i with j, as `[i <= j]`, the kernel computes that side of the diagonal, if there is no b.

mod made;

use super::node::{Kind, Node};
use super::range::{bare, of_sizes};
use crate::index::{Affine, Atom, Cond};
use crate::loops::{Band, Expr, Place};
use crate::ssa::{Function, Index};
pub(super) use made::in_loops;

/// Below this in every dimension, loops are as fast.
const SMALL: i64 = 4;

/// See the module documentation.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    /// Of A and C, of B and C, and of A and B, with how often they run.
    pub rows: (Index, Affine),
    pub cols: (Index, Affine),
    pub inner: (Index, Affine),
    /// The elements of C that there are, if not all.
    pub band: Option<Band>,
    /// Whether the others are those of the band across the diagonal.
    pub mirrored: bool,
    pub a: Place,
    pub b: Place,
    pub scale: f64,
}

impl Dense {
    /// Whether an index is one of the three.
    pub fn has(&self, i: Index) -> bool {
        [self.rows.0, self.cols.0, self.inner.0].contains(&i)
    }

    /// Whether the kernel sees to a condition of the guard: the range of the sum, and the band.
    pub fn does(&self, c: &Cond) -> bool {
        c.mentions(&self.inner.0.atom())
            || self.band.is_some() && band(c, self.rows.0, self.cols.0) == self.band
    }
}

/// The product that a node is.
pub(super) fn dense(f: &Function, n: &Node) -> Option<Dense> {
    let Kind::Value(parts) = &n.kind else { return None };
    let [part] = parts.as_slice() else { return None };
    if !part.guard.is_empty() || !n.lets.is_empty() {
        return None;
    }
    let (scale, a, b) = product(&part.value, 1.0)?;
    let (of_a, of_b, of_c) = (indices(&a.at)?, indices(&b.at)?, indices(&n.target)?);
    let extents = &f.array(n.array).extents;
    let k = &inner(n.sums(), &of_a, &of_b)?;
    let (mut rows, mut cols) = (None, None);
    for (i, e) in of_c.iter().zip(extents) {
        match (of_a.contains(i), of_b.contains(i)) {
            (true, true) => {}
            (true, false) => rows = Some((*i, e.clone())),
            (false, true) => cols = Some((*i, e.clone())),
            (false, false) => return None,
        }
    }
    let all_bound = |of: &[Index]| of.iter().all(|i| n.sums().contains(i) || of_c.contains(i));
    let (rows, cols) = (rows?, cols?);
    let mut bands = n.guard.iter().filter_map(|c| Some((c, band(c, rows.0, cols.0)?)));
    let (beside, band) = bands.next().map_or((None, None), |(c, b)| (Some(c), Some(b)));
    let of_loops =
        |c: &Cond| n.sums().iter().any(|j| j != k && c.mentions(&j.atom())) && !c.mentions(&k.atom());
    let inner = (*k, count(n.guard.iter().filter(|c| Some(*c) != beside && !of_loops(c)), *k)?);
    // In a batch, loops may fuse with those that make the factors, of which the kernel would have to have all.
    if band.is_some() && of_c.len() > 2 {
        return None;
    }
    let small = |e: &Affine| e.is_constant() && e.constant <= SMALL;
    if !all_bound(&of_a) || !all_bound(&of_b) || [&rows, &cols, &inner].iter().all(|d| small(&d.1)) {
        return None;
    }
    Some(Dense { rows, cols, inner, band, mirrored: false, a, b, scale })
}

/// The sum that the kernel does; others are loops around it. Of several, it walks along the rows of a factor.
fn inner(sums: &[Index], of_a: &[Index], of_b: &[Index]) -> Option<Index> {
    let mut common = sums.iter().copied().filter(|k| of_a.contains(k) && of_b.contains(k));
    match sums {
        [_] => common.next(),
        _ => common.find(|k| of_a.last() == Some(k) || of_b.last() == Some(k)),
    }
}

/// `i + d <= j`, or `j <= i + d`, where d is a form of sizes.
pub(super) fn band(c: &Cond, i: Index, j: Index) -> Option<Band> {
    let Cond::NonNeg(a) = c else { return None };
    let sign = a.coeff(&j.atom());
    let d = a.plus_scaled(-sign, &j.affine())?.plus_scaled(sign, &i.affine())?;
    match sign {
        _ if !of_sizes(&d) => None,
        1 => Some(Band::From(d.negated())),
        -1 => Some(Band::UpTo(d)),
        _ => None,
    }
}

/// `±c · A[…] · B[…]`
fn product(e: &Expr, scale: f64) -> Option<(f64, Place, Place)> {
    match e {
        Expr::Neg(e) => product(e, -scale),
        Expr::Mul(a, b) => match (&**a, &**b) {
            (Expr::Read(a), Expr::Read(b)) => Some((scale, a.clone(), b.clone())),
            (Expr::Number(x), b) => product(b, scale * x),
            _ => None,
        },
        Expr::Number(_)
        | Expr::Constant(_)
        | Expr::OfIndex(_)
        | Expr::Read(_)
        | Expr::Add(..)
        | Expr::Call(..)
        | Expr::If(..) => None,
    }
}

/// Distinct indices, each by itself.
fn indices(at: &[Affine]) -> Option<Vec<Index>> {
    let all: Vec<Index> = at.iter().map(bare).collect::<Option<_>>()?;
    let distinct = all.iter().enumerate().all(|(k, i)| !all[..k].contains(i));
    distinct.then_some(all)
}

/// How often a sum runs, if from 0 and under conditions on sizes alone beside.
fn count<'a>(guard: impl Iterator<Item = &'a Cond>, k: Index) -> Option<Affine> {
    let mut found = None;
    for c in guard {
        match c {
            c if c.affines().into_iter().all(of_sizes) && c.is_affine() => {}
            Cond::NonNeg(a) if *a == k.affine() => {}
            Cond::NonNeg(a) if a.coeff(&k.atom()) == -1 && found.is_none() => {
                let mut e = a.plus_scaled(1, &k.affine())?;
                e.constant += 1;
                found = Some(e).filter(|e| e.terms.iter().all(|t| matches!(t.0, Atom::Size(_))));
            }
            _ => return None,
        }
    }
    found
}
