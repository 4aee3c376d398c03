//! Products of matrices: contractions that a blocked kernel of the runtime crate computes.
//!
//! `C[b, i, j] += Σ_k A[b, i, k] · B[b, k, j]`, dimensions in any order: the loops over i, j and k stay together, and only those over b, which C and
//! one of the factors or both have, are shared with other nodes. Of several dimensions that C shares with one factor, the last is i, or j; of several sums, k is the
//! longest, as far as is known. A factor may be read at `i + b`, too, as in convolutions of images with channels. Where the guard compares i with j, as `[i <= j]`, the kernel computes that side of the diagonal.

mod made;

use super::node::{Kind, Node};
use super::range::{bare, entails, is_plain, minus, of_sizes};
use crate::index::{Affine, Atom, Cond, Pred};
use crate::loops::{Band, Expr, Part, Place};
use crate::mark::{self, Mark};
use crate::ssa::{Access, ArrayId, Function, Index};
use crate::weights;
pub(super) use made::in_loops;

/// See the module documentation.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    /// Of A and C, of B and C, and of A and B, with how often they run.
    pub rows: (Index, Affine),
    pub cols: (Index, Affine),
    pub inner: (Index, Affine),
    /// The elements of C that there are, if not all.
    pub band: Option<Band>,
    /// Of one of the three, the iterations that there are, if not all.
    pub part: Option<Part>,
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
            || self.part.as_ref().is_some_and(|p| c.mentions(&p.index.atom()))
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
    let of_c = indices(&n.target)?;
    let extents = &f.array(n.array).extents;
    let (mut rows, mut cols) = (None, None);
    for (i, e) in of_c.iter().zip(extents) {
        match (mentions(&a.at, *i), mentions(&b.at, *i)) {
            (true, true) => {}
            (true, false) if walks(&a.at, *i) => rows = Some((*i, e.clone())),
            (false, true) if walks(&b.at, *i) => cols = Some((*i, e.clone())),
            (true, false) | (false, true) => {}
            (false, false) => return None,
        }
    }
    let (rows, cols) = (rows?, cols?);
    let mut bands = n.guard.iter().filter_map(|c| Some((c, band(c, rows.0, cols.0)?)));
    let (beside, band) = bands.next().map_or((None, None), |(c, b)| (Some(c), Some(b)));
    let other =
        |c: &Cond, k: Index| n.dims.iter().any(|i| ![rows.0, cols.0, k].contains(i) && c.mentions(&i.atom()));
    // What indices of loops around decide is theirs, or says which part there is.
    let terms = |k: Index| {
        let own = n.guard.iter().filter(|c| Some(*c) != beside && !other(c, k));
        let (begin, count) = range(own, k)?;
        Some(((k, count), begin))
    };
    let (inner, begin) = inner(n.sums().iter().copied().filter_map(terms), &a, &b)?;
    let mut part = part_of(n.guard.iter().filter(|c| other(c, inner.0)), [&rows, &cols, &inner])?;
    if begin > 0 {
        let whole = Part { index: inner.0, lower: begin.into(), upper: inner.1.clone().step(-1) };
        part = part.is_none().then_some(Some(whole))?;
    }
    if band.is_some() && (part.is_some() || !is_there(f, n, beside, [&a, &b])) {
        return None;
    }
    let small = |e: &Affine| e.is_constant() && e.constant <= weights::schedule::SMALL_PRODUCT;
    let known = |i: u32| n.sums().contains(&Index(i)) || of_c.contains(&Index(i));
    let mut indices = a.at.iter().chain(&b.at).flat_map(Affine::indices);
    if !indices.all(known) || [&rows, &cols, &inner].iter().filter(|d| small(&d.1)).count() > 1 {
        return None;
    }
    mark::hit(Mark::Matmul);
    if band.is_some() {
        mark::hit(Mark::MatmulBand);
    }
    if part.is_some() {
        mark::hit(Mark::MatmulPart);
    }
    Some(Dense { rows, cols, inner, band, part, a, b, scale })
}

/// Whether the factors have all rows and columns, those that are outside of the band too: the kernel of a band asks for the whole.
fn is_there(f: &Function, n: &Node, beside: Option<&Cond>, factors: [&Place; 2]) -> bool {
    let guard: Pred = n.guard.iter().filter(|c| Some(*c) != beside).cloned().collect();
    factors.into_iter().all(|p| {
        let read = Access { array: ArrayId(p.var.0), at: p.at.clone() };
        f.in_range(&read).is_some_and(|all| all.iter().all(|c| entails(f, &n.ranges, &guard, c)))
    })
}

/// Whether an index occurs in a place.
fn mentions(at: &[Affine], i: Index) -> bool {
    at.iter().any(|a| a.mentions(&i.atom()))
}

/// Whether a place moves with an index along one dimension, an element at a time.
fn walks(at: &[Affine], i: Index) -> bool {
    let mut here = at.iter().filter(|a| a.mentions(&i.atom()));
    matches!((here.next(), here.next()), (Some(a), None) if a.coeff(&i.atom()) == 1)
        && at.iter().all(is_plain)
}

/// The sum that the kernel does; others are loops around it. Of several the longest, as far as is known, and of these one along the rows of a factor.
fn inner(
    terms: impl Iterator<Item = ((Index, Affine), i64)>,
    a: &Place,
    b: &Place,
) -> Option<((Index, Affine), i64)> {
    let rank = |((k, count), _): &((Index, Affine), i64)| {
        let along = |p: &Place| p.at.last().is_some_and(|e| e.mentions(&k.atom()));
        (count.as_constant().unwrap_or(i64::MAX), along(a) || along(b))
    };
    terms.filter(|((k, _), _)| walks(&a.at, *k) && walks(&b.at, *k)).max_by_key(rank)
}

/// The part of an index that conditions leave, which loops around decide: `b <= j`, `j < b + n`. Nothing where they say more.
fn part_of<'a>(conds: impl Iterator<Item = &'a Cond>, all: [&(Index, Affine); 3]) -> Option<Option<Part>> {
    let (mut found, mut lower, mut upper) = (None, None, None);
    for c in conds {
        let mut own = all.into_iter().filter(|d| c.mentions(&d.0.atom()));
        let Some(d) = own.next() else { continue };
        let Cond::NonNeg(a) = c else { return None };
        let sign = a.coeff(&d.0.atom());
        let bound = a.plus_scaled(-sign, &d.0.affine())?;
        let side = if sign == 1 { &mut lower } else { &mut upper };
        let is_other = found.replace(d).is_some_and(|before: &(Index, Affine)| before.0 != d.0);
        if own.next().is_some() || is_other || sign.abs() != 1 || !is_plain(a) || side.is_some() {
            return None;
        }
        *side = Some(if sign == 1 { bound.negated() } else { bound });
    }
    let part = |d: &(Index, Affine)| Part {
        index: d.0,
        lower: lower.unwrap_or_default(),
        upper: upper.unwrap_or_else(|| d.1.clone().step(-1)),
    };
    Some(found.map(part))
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

/// From where a sum runs, a number, and to what; under conditions on sizes alone beside.
fn range<'a>(guard: impl Iterator<Item = &'a Cond>, k: Index) -> Option<(i64, Affine)> {
    let (mut begin, mut found) = (0, None);
    for c in guard {
        match c {
            c if c.affines().into_iter().all(of_sizes) && c.is_affine() => {}
            Cond::NonNeg(a) if a.coeff(&k.atom()) == 1 => {
                begin = begin.max(-minus(a, &k.affine()).as_constant()?);
            }
            Cond::NonNeg(a) if a.coeff(&k.atom()) == -1 && found.is_none() => {
                let mut e = a.plus_scaled(1, &k.affine())?;
                e.constant += 1;
                found = Some(e).filter(|e| e.terms.iter().all(|t| matches!(t.0, Atom::Size(_))));
                found.as_ref()?;
            }
            _ => return None,
        }
    }
    Some((begin, found?))
}
