//! Projection: bounds of an index, `exists`, and solving equalities.

use super::affine::{Affine, Atom, floor};
use super::omega::{self, R, Stop, Sys, Work, gcd};
use super::pred::{Cond, Pred};
use super::query::{Columns, Context, Facts, entails_cond, facts_rows, gist, is_empty};

/// A set without the eliminated columns: rows, and residues `row ≡ 0 (mod k)`.
#[derive(Clone, Debug)]
pub struct Piece {
    pub sys: Sys,
    pub residues: Vec<(Vec<i64>, i64)>,
}

/// Eliminates the wanted columns from the equalities: exact.
fn eliminate_equalities(
    s: &mut Sys,
    residues: &mut Vec<(Vec<i64>, i64)>,
    wanted: &[bool],
    work: &mut Work,
) -> R<()> {
    let w = s.w();
    while let Some((r, k)) = s.best_eq(|c| wanted[c]) {
        work.spend(1)?;
        let mut eq: Vec<i64> = s.eq.drain(r * w..(r + 1) * w).collect();
        let c = eq[k];
        let others = (0..s.n).any(|j| j != k && wanted[j] && eq[j] != 0);
        if c.abs() != 1 && others {
            // Change the column k among the wanted ones so that its coefficient gets smaller.
            let mut q = vec![0; w];
            for j in (0..s.n).filter(|j| *j != k && wanted[*j]) {
                q[j] = omega::floor_div(2 * eq[j] * c.signum() + c.abs(), 2 * c.abs());
                eq[j] -= c * q[j];
            }
            s.shift(k, &q)?;
            s.push_eq(&mut eq)?;
            continue;
        }
        s.eliminate(&eq, k)?;
        if c.abs() != 1 {
            // c x = -e has a solution just where e ≡ 0 (mod c)
            eq[k] = 0;
            push_residue(residues, eq, c.abs())?;
        }
    }
    Ok(())
}

/// Adds `row ≡ 0 (mod k)` in lowest terms.
fn push_residue(residues: &mut Vec<(Vec<i64>, i64)>, mut row: Vec<i64>, k: i64) -> R<()> {
    let n = row.len() - 1;
    let g = row[..n].iter().fold(k, |g, c| gcd(g, *c));
    if row[n] % g != 0 {
        return Err(Stop::Empty);
    }
    let k = k / g;
    if k == 1 {
        return Ok(());
    }
    row.iter_mut().for_each(|c| *c = (*c / g).rem_euclid(k));
    // The sign that prints best: a leading coefficient of 1 rather than k - 1.
    if let Some(lead) = row.iter().find(|c| **c != 0) {
        if *lead * 2 > k {
            row.iter_mut().for_each(|c| *c = (-*c).rem_euclid(k));
        }
    }
    row.iter_mut().for_each(|c| {
        if *c * 2 > k {
            *c -= k
        }
    });
    if !residues.contains(&(row.clone(), k)) {
        residues.push((row, k));
    }
    Ok(())
}

/// The real shadow on the other columns, tightened: a superset, equal to the projection if the flag says so.
pub fn shadow(mut s: Sys, wanted: &[bool], work: &mut Work) -> R<(Piece, bool)> {
    let mut residues = vec![];
    let mut all_exact = true;
    loop {
        eliminate_equalities(&mut s, &mut residues, wanted, work)?;
        let Some(col) = s.next_column(|k| wanted[k]) else {
            return Ok((Piece { sys: s, residues }, all_exact));
        };
        if col.is_free() {
            s.drop_rows(col.k);
            continue;
        }
        let (real, _, exact, _) = s.shadows(col.k, false, work)?;
        all_exact &= exact;
        s = real;
    }
}

/// The projection on the other columns as a union: dark shadow and splinters where the real one is too large.
pub fn project(
    mut s: Sys,
    mut residues: Vec<(Vec<i64>, i64)>,
    wanted: &[bool],
    work: &mut Work,
    out: &mut Vec<Piece>,
) -> R<()> {
    loop {
        work.spend(1)?;
        match eliminate_equalities(&mut s, &mut residues, wanted, work) {
            Err(Stop::Empty) => return Ok(()),
            other => other?,
        }
        let Some(col) = s.next_column(|k| wanted[k]) else {
            out.push(Piece { sys: s, residues });
            return if out.len() > 64 { Err(Stop::Unknown) } else { Ok(()) };
        };
        if col.is_free() {
            s.drop_rows(col.k);
            continue;
        }
        let (real, dark, exact, _) = match s.shadows(col.k, false, work) {
            Err(Stop::Empty) => return Ok(()),
            other => other?,
        };
        if exact {
            s = real;
            continue;
        }
        match dark {
            Ok(d) => project(d, residues.clone(), wanted, work, out)?,
            Err(Stop::Empty) => {}
            Err(Stop::Unknown) => return Err(Stop::Unknown),
        }
        for piece in omega::splinters(&s, &col) {
            match piece {
                Ok(p) => project(p, residues.clone(), wanted, work, out)?,
                Err(Stop::Empty) => {}
                Err(Stop::Unknown) => return Err(Stop::Unknown),
            }
        }
        return Ok(());
    }
}

/// `⌈num / den⌉` as a lower bound, `⌊num / den⌋` as an upper one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    pub num: Affine,
    pub den: i64,
}
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bounds {
    /// The greatest of these.
    pub lower: Vec<Bound>,
    /// The least of these.
    pub upper: Vec<Bound>,
    /// `i` is this, exactly: no loop.
    pub exactly: Option<Bound>,
    /// `i ≡ a (mod k)`: step by `k`.
    pub stride: Option<(Affine, i64)>,
    /// What must hold of the fixed indices alone.
    pub outer: Pred,
    /// Every value between the bounds has a point of `p` above it.
    pub exact: bool,
}

/// Which atoms can be computed when the indices in `fixed` are known.
pub fn available(a: &Atom, fixed: &[Atom]) -> bool {
    let form = |e: &Affine| e.terms.iter().all(|t| available(&t.0, fixed));
    match a {
        Atom::Size(_) => true,
        Atom::Index(_) => fixed.contains(a),
        Atom::Floor(e, _) => form(e),
        Atom::Element(_, args) => args.iter().all(form),
        Atom::Product(fs) => fs.iter().all(|f| available(f, fixed)),
    }
}

fn split_row(cols: &Columns, row: &[i64], i: usize) -> (i64, Affine) {
    let mut rest = row.to_vec();
    rest[i] = 0;
    (row[i], cols.affine_of(&rest))
}

/// The inverse of `a` modulo `k`, for `gcd(a, k) = 1`.
pub fn inverse(a: i64, k: i64) -> i64 {
    let (mut r0, mut r1, mut s0, mut s1) = (a.rem_euclid(k), k, 1i64, 0i64);
    while r1 != 0 {
        let q = r0 / r1;
        (r0, r1) = (r1, r0 - q * r1);
        (s0, s1) = (s1, s0 - q * s1);
    }
    s0.rem_euclid(k)
}

/// The bounds of `i` where `p` and `given` hold, given the indices in `fixed`; what `given` says of them is not
/// repeated. `Err(Empty)` where there are none.
pub fn bounds(
    p: &[Cond],
    i: &Atom,
    fixed: &[Atom],
    given: &[Cond],
    facts: &Facts,
    work: &mut Work,
) -> R<Bounds> {
    let cols = Columns::of(&[p, given, &[Cond::NonNeg(i.clone().into())]], facts);
    let sys = facts_rows(&cols, &[given, p], facts)?;
    let me = cols.atoms.binary_search(i).unwrap();
    let wanted: Vec<bool> =
        (0..cols.n()).map(|k| k != me && cols.atoms.get(k).is_none_or(|a| !available(a, fixed))).collect();
    let (mut piece, exact) = shadow(sys, &wanted, work)?;

    let mut b = Bounds { exact, ..Bounds::default() };
    // An equality determines i: what else is said of it is said of the others.
    let w = piece.sys.w();
    let at = (0..piece.sys.eq.len() / w)
        .filter(|r| piece.sys.eq[r * w + me] != 0)
        .min_by_key(|r| piece.sys.eq[r * w + me].abs());
    if let Some(r) = at {
        let eq: Vec<i64> = piece.sys.eq.drain(r * w..(r + 1) * w).collect();
        piece.sys.eliminate(&eq, me)?;
        let (c, e) = split_row(&cols, &eq, me);
        let num = e.scale(-c.signum()).ok_or(Stop::Unknown)?;
        if c.abs() > 1 {
            b.outer.push(Cond::Residue(num.clone(), c.abs()));
        }
        for (row, k) in &mut piece.residues {
            if row[me] != 0 {
                let r = row[me];
                for (x, y) in row.iter_mut().zip(&eq) {
                    *x = *x * c.abs() - r * c.signum() * y;
                }
                *k *= c.abs();
            }
        }
        b.exactly = Some(Bound { num, den: c.abs() });
    }
    // (row as a condition, bound)
    let mut rows: Vec<(bool, Cond, Bound)> = vec![];
    for row in piece.sys.eqs() {
        b.outer.push(Cond::Zero(split_row(&cols, row, me).1));
    }
    for row in piece.sys.ges() {
        let (c, e) = split_row(&cols, row, me);
        if c == 0 {
            b.outer.push(Cond::NonNeg(e));
        } else {
            let num = e.scale(-c.signum()).ok_or(Stop::Unknown)?;
            rows.push((c > 0, Cond::NonNeg(cols.affine_of(row)), Bound { num, den: c.abs() }));
        }
    }
    for (row, k) in &piece.residues {
        let (c, e) = split_row(&cols, row, me);
        let c = c.rem_euclid(*k);
        if c == 0 {
            b.outer.push(Cond::Residue(e, *k));
        } else if gcd(c, *k) == 1 && b.stride.is_none() {
            // c i + e ≡ 0: i ≡ -e / c
            let inv = inverse(c, *k);
            let a = e.scale(-inv).ok_or(Stop::Unknown)?;
            let mut a = Affine {
                terms: a
                    .terms
                    .iter()
                    .map(|t| (t.0.clone(), t.1.rem_euclid(*k)))
                    .filter(|t| t.1 != 0)
                    .collect(),
                constant: a.constant.rem_euclid(*k),
            };
            // 1 rather than k - 1, where that is shorter
            for t in &mut a.terms {
                if t.1 * 2 > *k {
                    t.1 -= k;
                }
            }
            b.stride = Some((a, *k));
        }
    }
    // Redundant bounds go, the most complicated first.
    rows.sort_by_key(|(_, _, b)| (std::cmp::Reverse((b.den, b.num.terms.len())), b.num.clone()));
    if rows.len() > 1 {
        let conds: Pred = rows.iter().map(|r| r.1.clone()).collect();
        let mut context = Context::new(&[given], &[&conds], facts);
        let mut k = 0;
        while k < rows.len() && rows.len() > 1 {
            let same_side = rows.iter().filter(|r| r.0 == rows[k].0).count();
            // One bound on each side is kept, whatever is known.
            let others: Pred =
                rows.iter().enumerate().filter(|(j, _)| *j != k).map(|(_, r)| r.1.clone()).collect();
            if same_side > 1 && context.entails_with(&others, &rows[k].1, work) {
                rows.remove(k);
            } else {
                k += 1;
            }
        }
    }
    for (is_lower, _, bound) in rows.into_iter().rev() {
        if is_lower { b.lower.push(bound) } else { b.upper.push(bound) }
    }
    // An empty one shows here, or as a range that ends before it starts: whether p is empty is another question.
    b.outer = gist(&tidy(b.outer)?, given, facts, work).ok_or(Stop::Empty)?;
    Ok(b)
}

fn to_pred(cols: &Columns, piece: &Piece) -> Pred {
    let mut out = vec![];
    for r in piece.sys.eqs() {
        out.push(Cond::Zero(cols.affine_of(r)));
    }
    for r in piece.sys.ges() {
        out.push(Cond::NonNeg(cols.affine_of(r)));
    }
    for (r, k) in &piece.residues {
        out.push(Cond::Residue(cols.affine_of(r), *k));
    }
    out
}

/// Conjunctions without `Any`, and without `NonZero` of what mentions `gone`.
pub fn dnf(p: &[Cond], gone: &[Atom]) -> Option<Vec<Pred>> {
    let mut out: Vec<Pred> = vec![vec![]];
    for c in p {
        let alts: Vec<Pred> = match c {
            Cond::Any(ps) => ps.iter().map(|q| dnf(q, gone)).collect::<Option<Vec<_>>>()?.concat(),
            Cond::NonZero(a) if gone.iter().any(|g| a.mentions(g)) => {
                let mut up = a.clone();
                let mut down = a.scale(-1)?;
                up.constant -= 1;
                down.constant -= 1;
                vec![vec![Cond::NonNeg(down)], vec![Cond::NonNeg(up)]]
            }
            c => vec![vec![c.clone()]],
        };
        out = out.iter().flat_map(|p| alts.iter().map(move |a| [p.as_slice(), a].concat())).collect();
        if out.len() > 64 {
            return None;
        }
    }
    Some(out)
}

/// `∃ gone. p` as a union of conjunctions without them, simplified where `given` holds. `None`: cannot be had
/// (an opaque condition or element depends on them, or too large); keep the `exists`, it is a loop at run time.
/// `elements` are taken for any values when asked so: `∃ gone and the elements that depend on them`.
pub fn exists(
    p: &[Cond],
    gone: &[Atom],
    elements: bool,
    given: &[Cond],
    facts: &Facts,
    work: &mut Work,
) -> Option<Vec<Pred>> {
    let mut out = vec![];
    for q in dnf(p, gone)? {
        let (opaque, affine): (Pred, Pred) =
            q.into_iter().partition(|c| !c.is_affine() || matches!(c, Cond::NonZero(_)));
        let hidden = |a: &Affine| {
            fn inside(t: &Atom, gone: &[Atom], elements: bool) -> bool {
                match t {
                    Atom::Size(_) | Atom::Index(_) => false,
                    Atom::Floor(e, _) => e.terms.iter().any(|t| inside(&t.0, gone, elements)),
                    Atom::Element(..) if elements => false,
                    Atom::Element(..) | Atom::Product(_) => gone.iter().any(|g| t.mentions(g)),
                }
            }
            a.terms.iter().any(|t| inside(&t.0, gone, elements))
        };
        if opaque.iter().any(|c| gone.iter().any(|g| c.mentions(g)))
            || affine.iter().any(|c| c.affines().into_iter().any(hidden))
        {
            return None;
        }
        let cols = Columns::of(&[&affine], facts);
        let sys = match facts_rows(&cols, &[&affine], facts) {
            Ok(s) => s,
            Err(Stop::Empty) => continue,
            Err(Stop::Unknown) => return None,
        };
        let wanted: Vec<bool> = (0..cols.n())
            .map(|k| cols.atoms.get(k).is_none_or(|a| gone.iter().any(|g| a.mentions(g))))
            .collect();
        let mut pieces = vec![];
        project(sys, vec![], &wanted, work, &mut pieces).ok()?;
        for piece in &pieces {
            let mut r = to_pred(&cols, piece);
            r.extend(opaque.iter().cloned());
            if let Some(r) = gist(&r, given, facts, work) {
                out.push(r);
            }
        }
    }
    // What lies in another piece goes.
    let mut k = out.len();
    while k > 0 {
        k -= 1;
        if (0..out.len())
            .any(|j| j != k && out[j].iter().all(|c| entails_cond(&[given, &out[k]], c, facts, work)))
        {
            out.remove(k);
        }
    }
    Some(out)
}

/// `atom = num / den`, exactly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    pub atom: Atom,
    pub num: Affine,
    pub den: i64,
}
impl Value {
    pub fn as_affine(&self) -> Option<Affine> {
        floor(&self.num, self.den)
    }
}

/// Solves the equalities of `p` for indices in `unknowns`, the first that have coefficient ±1 first, then by least
/// coefficient. What remains of `p` does not mention the solved ones: their ranges are conditions on the others
/// now, and a coefficient `k` leaves a residue.
pub fn solve_equalities(p: &[Cond], unknowns: &[Atom]) -> R<(Vec<Value>, Pred)> {
    let mut rest: Pred = p.to_vec();
    let mut values: Vec<Value> = vec![];
    loop {
        let mut best: Option<((i64, usize, usize), &Atom)> = None;
        for (at, c) in rest.iter().enumerate() {
            let Cond::Zero(a) = c else { continue };
            let g = a.content();
            if if g == 0 { a.constant != 0 } else { a.constant % g != 0 } {
                return Err(Stop::Empty);
            }
            for (rank, u) in unknowns.iter().enumerate() {
                let k = a.coeff(u).abs() / g.max(1);
                let hidden = a.terms.iter().any(|t| t.0 != *u && t.0.mentions(u));
                if k == 0 || hidden || values.iter().any(|v| v.atom == *u) {
                    continue;
                }
                if best.as_ref().is_none_or(|b| (k, rank, at) < b.0) {
                    best = Some(((k, rank, at), u));
                }
            }
        }
        let Some(((_, _, at), u)) = best else { break };
        let Cond::Zero(a) = rest[at].clone() else { break };
        let g = a.content();
        let c = a.coeff(u) / g;
        let mut e = Affine {
            terms: a.terms.iter().filter(|t| t.0 != *u).map(|t| (t.0.clone(), t.1 / g)).collect(),
            constant: a.constant / g,
        };
        e = e.scale(-c.signum()).ok_or(Stop::Unknown)?;
        let k = c.abs();
        for (j, cond) in rest.iter_mut().enumerate() {
            if j == at {
                *cond = Cond::Residue(e.clone(), k);
            } else {
                *cond = cond.substitute(u, &e, k).ok_or(Stop::Unknown)?;
            }
        }
        for v in &mut values {
            if v.num.mentions(u) {
                v.num = v.num.substitute(u, &e, k).ok_or(Stop::Unknown)?;
                v.den = v.den.checked_mul(k).ok_or(Stop::Unknown)?;
                let g = gcd(gcd(v.num.content(), v.num.constant), v.den);
                v.num.terms.iter_mut().for_each(|t| t.1 /= g);
                v.num.constant /= g;
                v.den /= g;
            }
        }
        values.push(Value { atom: u.clone(), num: e, den: k });
        rest = tidy(rest)?;
    }
    Ok((values, rest))
}

/// Lowest terms, without what is constantly true or said twice.
pub fn tidy(p: Pred) -> R<Pred> {
    let mut out: Pred = vec![];
    for c in p {
        let c = match c {
            Cond::NonNeg(mut a) => {
                let g = a.content();
                if g == 0 {
                    if a.constant < 0 {
                        return Err(Stop::Empty);
                    }
                    continue;
                }
                a.terms.iter_mut().for_each(|t| t.1 /= g);
                a.constant = omega::floor_div(a.constant, g);
                Cond::NonNeg(a)
            }
            Cond::Zero(mut a) => {
                let g = a.content();
                if g == 0 {
                    if a.constant != 0 {
                        return Err(Stop::Empty);
                    }
                    continue;
                }
                if a.constant % g != 0 {
                    return Err(Stop::Empty);
                }
                let g = g * a.terms[0].1.signum();
                a.terms.iter_mut().for_each(|t| t.1 /= g);
                a.constant /= g;
                Cond::Zero(a)
            }
            Cond::NonZero(a) if a.is_constant() => {
                if a.constant == 0 {
                    return Err(Stop::Empty);
                }
                continue;
            }
            Cond::Residue(a, k) => {
                let g = gcd(a.content(), k);
                if a.constant % g != 0 {
                    return Err(Stop::Empty);
                }
                let k = k / g;
                if k == 1 {
                    continue;
                }
                let half = |c: i64| {
                    let r = (c / g).rem_euclid(k);
                    if r * 2 > k { r - k } else { r }
                };
                Cond::Residue(
                    Affine {
                        terms: a
                            .terms
                            .iter()
                            .map(|t| (t.0.clone(), half(t.1)))
                            .filter(|t| t.1 != 0)
                            .collect(),
                        constant: half(a.constant),
                    },
                    k,
                )
            }
            c => c,
        };
        if !out.contains(&c) {
            out.push(c);
        }
    }
    Ok(out)
}

/// A way to compute the sizes from the dimensions of the arguments.
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    /// In order: `size = num / den` over dimensions (as `Index` atoms, by number) and sizes found before.
    /// The division must be exact and the result non-negative.
    pub found: Vec<Value>,
    /// Dimensions that were not used to find a size: to be compared with their extents.
    pub checks: Vec<usize>,
    /// Sizes that the shapes do not determine.
    pub free: Vec<Atom>,
}

/// Solves `dim_d = extent_d` for the sizes. A bare size is taken from its first dimension; then equations with one
/// unknown size, the smallest coefficient first; then unit coefficients, then the rest.
pub fn solve_sizes(extents: &[Affine], n_sizes: u32) -> Option<Sizes> {
    // e_d = scale_d · (extent - dim) with the found sizes replaced
    let mut eqs: Vec<Option<Affine>> =
        extents.iter().enumerate().map(|(d, e)| e.plus_scaled(-1, &Atom::Index(d as u32).into())).collect();
    if eqs.iter().any(Option::is_none) {
        return None;
    }
    let mut used = vec![false; eqs.len()];
    let mut out = Sizes::default();
    let sizes: Vec<Atom> = (0..n_sizes).map(Atom::Size).collect();
    loop {
        let mut best: Option<((usize, i64, usize, usize), usize, Atom)> = None;
        for (d, e) in eqs.iter().enumerate() {
            let Some(e) = e else { continue };
            let unknown = e.terms.iter().filter(|t| matches!(t.0, Atom::Size(_))).count();
            for (a, c) in e.terms.iter().filter(|t| matches!(t.0, Atom::Size(_))) {
                let key = (unknown, c.abs(), e.terms.len(), d);
                if best.as_ref().is_none_or(|b| key < b.0) {
                    best = Some((key, d, a.clone()));
                }
            }
        }
        let Some((_, d, size)) = best else { break };
        let e = eqs[d].take()?;
        used[d] = true;
        let c = e.coeff(&size);
        let rest = e.plus_scaled(-c, &size.clone().into())?.scale(-c.signum())?;
        for other in eqs.iter_mut().flatten() {
            *other = other.substitute(&size, &rest, c.abs())?;
        }
        // Sizes found earlier may be in terms of this one: replaced too, so that only dimensions remain.
        for v in &mut out.found {
            if v.num.mentions(&size) {
                v.num = v.num.substitute(&size, &rest, c.abs())?;
                v.den = v.den.checked_mul(c.abs())?;
            }
        }
        out.found.push(Value { atom: size, num: rest, den: c.abs() });
    }
    for v in &mut out.found {
        let g = gcd(gcd(v.num.content(), v.num.constant), v.den);
        v.num.terms.iter_mut().for_each(|t| t.1 /= g);
        v.num.constant /= g;
        v.den /= g;
    }
    // Still in terms of a size: not determined.
    let mut free: Vec<Atom> =
        sizes.iter().filter(|s| !out.found.iter().any(|v| v.atom == **s)).cloned().collect();
    for v in &out.found {
        if v.num.terms.iter().any(|t| matches!(t.0, Atom::Size(_))) {
            free.push(v.atom.clone());
        }
    }
    free.sort();
    out.free = free;
    out.checks = (0..used.len()).filter(|d| !used[*d]).collect();
    Some(out)
}

/// Whether a conjunction can be dropped: used by tests.
pub fn empty(p: &[Cond], facts: &Facts, work: &mut Work) -> bool {
    is_empty(&[p], facts, work)
}
