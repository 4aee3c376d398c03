//! Views, put in where they are read; and definitions that are read once, where that costs nothing.

use super::fold::literal;
use super::forward::Known;
use super::{State, ask, storage};
use crate::ast::Elem;
use crate::index::project::has_element;
use crate::index::{Affine, Cond, Pred};
use crate::mark::{self, Mark};
use crate::sorted::{self, Map};
use crate::ssa::rename::{Substitution, indices_of};
use crate::ssa::verify::unbounded;
use crate::ssa::{Access, ArrayId, Call, Function, Index, Rhs, Stmt, Term, Whole};
use crate::weights;

/// The term of `X[g] = [p] c · Y[a(g)]` or `X[g] = [p] c`, if it is no member of a recurrence.
pub(super) fn as_view(s: &Stmt) -> Option<&Term> {
    if s.is_member() { None } else { view_of(s) }
}

/// Likewise, of any statement.
pub(super) fn view_of(s: &Stmt) -> Option<&Term> {
    match &s.rhs {
        Rhs::Contract(terms) => match terms.as_slice() {
            [t] if t.sums.is_empty() && t.factors.len() <= 1 => Some(t),
            _ => None,
        },
        Rhs::Prim { .. } | Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => None,
        Rhs::OfIndex(_) | Rhs::Constant(_) | Rhs::Call(_) => None,
    }
}

/// Whether different values of `wanted` read different elements, `at` being what is read. Equalities of the guard do not count: a
/// structured array would be taken back into its own view.
fn determines(at: &[Affine], wanted: &[Index]) -> bool {
    let mut open: Vec<Index> = at.iter().flat_map(indices_of).chain(wanted.iter().copied()).collect();
    sorted::sort(&mut open);
    open.dedup();
    loop {
        let found = at.iter().find_map(|e| {
            let mut here = indices_of(e).filter(|i| open.contains(i));
            let i = here.next()?;
            (here.next().is_none() && e.coeff(&i.atom()) != 0).then_some(i)
        });
        let Some(found) = found else { break };
        open.retain(|i| *i != found);
    }
    wanted.iter().all(|i| !open.contains(i))
}

impl Known {
    /// The place of a member of a recurrence that is a view of another array, and not, through others, of itself at another time.
    fn view_of_member(&self, f: &Function, array: ArrayId) -> Option<&usize> {
        let first = self.members.get(&array)?;
        let mut next = first;
        for _ in 0..weights::simplify::VIEWS_OF_MEMBERS {
            let view = view_of(&f.stmts[*next])?;
            match view.factors.first().and_then(|read| self.members.get(&read.array)) {
                Some(further) if view_of(&f.stmts[*further]).is_some() => next = further,
                _ => return Some(first),
            }
        }
        None
    }
}

/// `… [p] c · X[b] · Z …` with `X[g] = [q] d · Y[a(g)]` is `… [p ∧ q{g:=b}] c d · Y[a(b)] · Z …`.
fn put_in(t: &Term, factor: usize, gens: &[Index], inner: &Term) -> Option<Term> {
    let inner = Substitution::new(gens, &t.factors[factor].at).term(inner)?;
    let mut out = t.clone();
    out.factors.splice(factor..=factor, inner.factors);
    out.guard.extend(inner.guard.into_iter().filter(|c| !t.guard.contains(c)));
    out.sums.extend(inner.sums);
    out.coeff *= inner.coeff;
    Some(out)
}

/// Puts views in, in one statement. Returns whether anything changed.
pub(super) fn views(s: &mut State, k: usize, known: &Known) -> bool {
    let gens = s.f.stmts[k].gens.clone();
    let mut rhs = s.f.stmts[k].rhs.clone();
    let mut changed = read_through(s, &mut rhs, &gens, &known.at);
    let is_passed_on = storage::is_passed_on(s, &s.f.stmts[k]);
    if let Rhs::Contract(terms) = &mut rhs {
        let mut more = Map::new();
        terms.retain_mut(|t| {
            let (live, here) = factors(&s.f, t, &gens, known, (is_passed_on, &mut more));
            changed |= here;
            live
        });
    }
    if changed {
        s.f.stmts[k].rhs = rhs;
    }
    changed
}

/// Puts views in for the factors of a term: `(whether the term is not zero, whether it changed)`. What a view reads has a use more then.
///
/// `X[g, h] = N[g]` with `N[g] = -Y[g]` stays, where X is passed on: primitives that read X read N, which is smaller.
fn factors(
    f: &Function,
    t: &mut Term,
    gens: &[Index],
    known: &Known,
    (is_passed_on, more): (bool, &mut Map<ArrayId, usize>),
) -> (bool, bool) {
    let mut changed = false;
    let mut k = 0;
    while k < t.factors.len() {
        let read = &t.factors[k];
        let Some(def) = known.at.get(&read.array).or_else(|| known.view_of_member(f, read.array)) else {
            k += 1;
            continue;
        };
        let def = &f.stmts[*def];
        if matches!(&def.rhs, Rhs::Contract(terms) if terms.is_empty()) {
            mark::hit(Mark::ZeroFactor);
            return (false, true);
        }
        let is_lone = known.uses.get(&read.array) == Some(&1) && !more.contains_key(&read.array);
        let once = is_lone && determines(&read.at, gens);
        let is_kept = |v: &&Term| is_passed_on && storage::is_negated(v) && def.gens.len() < gens.len();
        let put = view_of(def)
            .filter(|v| scales_free(t.coeff, v, once) && !is_kept(v))
            .and_then(|v| put_in(t, k, &def.gens, v));
        match put {
            Some(put) => {
                mark::hit(Mark::View);
                *t = put;
                changed = true;
                for read in view_of(def).iter().flat_map(|v| &v.factors) {
                    *more.entry(read.array).or_default() += 1;
                }
            }
            None => k += 1,
        }
    }
    (true, changed)
}

/// Whether `c · (d · Y)` costs no more than before as `(c d) · Y`, `d · Y` being stored; `once` if it need not be stored any more and has no
/// fewer elements than what reads it.
fn scales_free(c: f64, view: &Term, once: bool) -> bool {
    is_free(view) || c.abs() != 1.0 || once
}

/// Whether a view costs nothing wherever it stands.
pub(super) fn is_free(view: &Term) -> bool {
    view.coeff.abs() == 1.0 || view.factors.is_empty()
}

/// Views without guard and coefficient in the arguments of primitives, of reductions and of comparisons; arrays of one literal there
/// become scalars.
fn read_through(s: &mut State, rhs: &mut Rhs, gens: &[Index], at: &Map<ArrayId, usize>) -> bool {
    let mut changed = false;
    let (mut args, guard): (Vec<&mut Access>, _) = match rhs {
        Rhs::Contract(_) => (vec![], vec![]),
        Rhs::Prim { guard, args, .. } => (args.iter_mut().collect(), guard.clone()),
        Rhs::Extreme { guard, arg, .. } | Rhs::ArgExtreme { guard, arg, .. } => (vec![arg], guard.clone()),
        Rhs::OfIndex(_) | Rhs::Constant(_) => (vec![], vec![]),
        Rhs::Call(call) => return arguments(s, call, at),
    };
    for arg in &mut args {
        while let Some(to) = through(s, arg, gens, &guard, at) {
            mark::hit(Mark::ArgumentThrough);
            **arg = to;
            changed = true;
        }
    }
    for guard in rhs.guards_mut() {
        for k in 0..guard.len() {
            let c = compared_through(s, &guard[k], gens, &guard[..k], at);
            if c != guard[k] {
                mark::hit(Mark::ComparisonThrough);
                guard[k] = c;
                changed = true;
            }
        }
    }
    changed
}

/// A view in an argument of a call, if it reads all of the last dimensions of something; of what is one number everywhere these dimensions are enough.
fn arguments(s: &mut State, call: &mut Call, at: &Map<ArrayId, usize>) -> bool {
    let mut changed = false;
    for a in &mut call.args {
        while let Some(to) = argument(s, a, at) {
            *a = to;
            changed = true;
        }
    }
    changed
}

fn argument(s: &mut State, a: &Whole, at: &Map<ArrayId, usize>) -> Option<Whole> {
    let def = &s.f.stmts[*at.get(&a.access.array)?];
    let last = s.f.array(a.access.array).extents[a.before().len()..].to_vec();
    if let Some(c) = literal(&def.rhs) {
        let array = (!a.before().is_empty()).then(|| s.all(c, last))?;
        let at = a.own.iter().map(|i| i.affine()).collect();
        return Some(Whole { own: a.own.clone(), access: Access { array, at } });
    }
    let view = as_view(def).filter(|t| t.guard.is_empty() && t.coeff.to_bits() == 1.0f64.to_bits())?;
    let read = Substitution::new(&def.gens, &a.access.at).access(view.factors.first()?)?;
    let same = s.f.array(read.array).extents.ends_with(&last);
    Whole::of(&a.own, &read).filter(|_| same)
}

fn through(
    s: &mut State,
    a: &Access,
    gens: &[Index],
    guard: &[Cond],
    at: &Map<ArrayId, usize>,
) -> Option<Access> {
    let def = &s.f.stmts[*at.get(&a.array)?];
    if matches!(&def.rhs, Rhs::Contract(terms) if terms.is_empty()) {
        return (!a.at.is_empty()).then(|| s.literal(0.0));
    }
    let view = as_view(def)?;
    let put = Substitution::new(&def.gens, &a.at);
    if !view.guard.is_empty() {
        let mut needed = put.pred(&view.guard)?;
        // What is read is zero elsewhere itself.
        let own = view.factors.first().and_then(|y| zero_outside(s, &put.access(y)?, at)).unwrap_or_default();
        if needed.iter().any(|c| own.contains(c)) {
            needed.retain(|c| !own.contains(c));
            // What those said of its range has to follow without them.
            needed.extend(view.factors.iter().filter_map(|y| s.f.in_range(&put.access(y)?)).flatten());
        }
        let holds = needed.iter().all(|c| guard.contains(c))
            || ask::known(s, gens, &s.extents_of(gens)).and(guard).entails(&needed);
        if !holds {
            return None;
        }
    }
    let coeff = view.coeff;
    match view.factors.first() {
        Some(y) => (coeff.to_bits() == 1.0f64.to_bits()).then(|| put.access(y))?,
        // The guard of a number says where it is read.
        None => (!a.at.is_empty() || !view.guard.is_empty()).then(|| s.literal(coeff)),
    }
}

/// Conditions without which this element is zero.
fn zero_outside(s: &State, a: &Access, at: &Map<ArrayId, usize>) -> Option<Pred> {
    let def = &s.f.stmts[*at.get(&a.array)?];
    let Rhs::Prim { guard, .. } = &def.rhs else { return None };
    Substitution::new(&def.gens, &a.at).pred(guard)
}

fn compared_through(
    s: &mut State,
    c: &Cond,
    gens: &[Index],
    before: &[Cond],
    at: &Map<ArrayId, usize>,
) -> Cond {
    match c {
        Cond::Opaque { id, args, holds } => {
            let (op, left, right) = s.f.compared(*id, args);
            let sides = [left, right].map(|mut side| {
                while let Some(to) = through(s, &side, gens, before, at) {
                    side = to;
                }
                side
            });
            let [left, right] = sides;
            if let (Some(l), Some(r)) = (number(s, left.array, at), number(s, right.array, at)) {
                return Cond::NonNeg(if op.of(l, r) == *holds { 0.into() } else { (-1).into() });
            }
            s.f.compare(op, left, right, *holds)
        }
        Cond::Any(ps) => Cond::Any(
            ps.iter().map(|p| p.iter().map(|c| compared_through(s, c, gens, before, at)).collect()).collect(),
        ),
        Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) | Cond::Residue(..) | Cond::NonResidue(..) => {
            c.clone()
        }
    }
}

/// The number that an array is at every index, as the function computes it.
fn number(s: &State, a: ArrayId, at: &Map<ArrayId, usize>) -> Option<f64> {
    let new = s.literals.iter().find(|l| l.array == a);
    let x = literal(&new.or_else(|| s.f.stmts.get(*at.get(&a)?))?.rhs)?;
    #[allow(clippy::cast_possible_truncation)]
    Some(if s.f.elem == Elem::F32 { f64::from(x as f32) } else { x })
}

/// Definitions that are read once, as the only factor of a term whose loops are no larger:
/// `W = … + [p] c · X[b]` with `X = [q] d · sum s. Y · Z` is `W = … + sum s. [p ∧ q] c d · Y · Z`, and
/// `W = … + [p] X[b]` with `X = Y + Z` is `W = … + [p] Y + [p] Z`.
pub(super) fn read_once(s: &mut State) -> bool {
    let known = Known::of(s);
    let mut changed = false;
    // From the last reader on: what is put in has not grown yet by what it reads itself.
    for k in (0..s.f.stmts.len()).rev() {
        if s.f.stmts[k].is_member() {
            continue;
        }
        let Rhs::Contract(terms) = &mut s.f.stmts[k].rhs else { continue };
        let mut open: Vec<Term> = std::mem::take(terms).into_iter().rev().collect();
        let gens = s.f.stmts[k].gens.clone();
        let mut out = vec![];
        while let Some(t) = open.pop() {
            match flattened(&mut s.f, &t, &gens, &known) {
                Some(flat) => {
                    mark::hit(Mark::ReadOnce);
                    // Nothing else reads it.
                    let moved = t.factors.first().and_then(|read| known.at.get(&read.array));
                    moved.into_iter().for_each(|at| s.f.stmts[*at].rhs = Rhs::Contract(vec![]));
                    open.extend(flat.into_iter().rev());
                    changed = true;
                }
                None => out.push(t),
            }
        }
        s.f.stmts[k].rhs = Rhs::Contract(out);
    }
    changed
}

fn flattened(f: &mut Function, t: &Term, gens: &[Index], known: &Known) -> Option<Vec<Term>> {
    let [read] = t.factors.as_slice() else { return None };
    if known.uses.get(&read.array) != Some(&1) {
        return None;
    }
    let def = f.stmts[*known.at.get(&read.array)?].clone();
    let Rhs::Contract(inner) = &def.rhs else { return None };
    let loops: Vec<Index> = gens.iter().chain(&t.sums).copied().collect();
    if !determines(&read.at, &loops) {
        return None;
    }
    let scaled = inner.iter().filter(|u| u.coeff.abs() == 1.0).count();
    if inner.len() > 1 && (!t.sums.is_empty() || t.coeff.abs() != 1.0 && scaled > 1) {
        return None;
    }
    let mut out = vec![];
    for (k, u) in inner.iter().enumerate() {
        let outer = if k == 0 { t.clone() } else { t.freshened(f)? };
        let put = put_in(&outer, 0, &def.gens, &u.freshened(f)?)?;
        // A product with an element bounds no loop, and nothing says what does.
        let of_elements = |c: &Cond| c.has_product() && c.any_atom(&has_element);
        if put.guard.iter().any(of_elements) && !unbounded(&put.guard, &put.sums).is_empty() {
            return None;
        }
        out.push(put);
    }
    Some(out)
}
