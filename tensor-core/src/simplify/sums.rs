//! Sums that need not be loops, and factors that need not be inside.

use super::storage::{not_empty, term_in_range};
use super::{State, ask, guard};
use crate::index::project::tidy;
use crate::index::{Affine, Atom, Cond, Pred, cond};
use crate::mark::{self, Mark};
use crate::sorted::{self, Set};
use crate::ssa::rename::{Substitution, cond_indices, indices_of};
use crate::ssa::verify::unbounded;
use crate::ssa::{Access, Index, Rhs, Stmt, Term};

/// Indices with the extents of the dimensions that they run through.
type Scope = Vec<(Index, Affine)>;

/// Applies [`count`] and [`factor`] wherever they apply.
pub(super) fn sums(s: &mut State) -> bool {
    let mut changed = false;
    let mut out = Vec::with_capacity(s.f.stmts.len());
    for mut stmt in std::mem::take(&mut s.f.stmts) {
        if stmt.is_member() {
            out.push(stmt);
            continue;
        }
        if let Rhs::Contract(terms) = &mut stmt.rhs
            && let Some(one) = recounted(&out, terms)
        {
            mark::hit(Mark::Recounted);
            *terms = one;
            changed = true;
        }
        if let Rhs::Contract(terms) = &mut stmt.rhs
            && terms.iter().any(|t| !t.sums.is_empty())
        {
            let extents = s.f.array(stmt.array).extents.clone();
            let scope: Scope = stmt.gens.iter().copied().zip(extents).collect();
            let name = s.f.array(stmt.array).name.clone();
            let mut all = vec![];
            let lone = terms.len() == 1;
            for t in std::mem::take(terms) {
                let counted = count(s, &scope, &t, lone, &name).inspect(|_| mark::hit(Mark::Counted));
                let new = counted.or_else(|| {
                    let (aux, t) = factor(s, &scope, &t, &name)?;
                    mark::hit(Mark::FactoredOut);
                    Some((aux, vec![t]))
                });
                changed |= new.is_some();
                let (aux, new) = new.unwrap_or_else(|| (vec![], vec![t]));
                out.extend(aux);
                all.extend(new);
            }
            *terms = all;
        }
        out.push(stmt);
    }
    s.f.stmts = out;
    changed
}

/// `[p ∧ e = 1] c + [p ∧ e > 1] c e` is `[p ∧ e > 0] c e`, `c` being ±1: a number alone costs nothing.
fn recounted(before: &[Stmt], terms: &[Term]) -> Option<Vec<Term>> {
    let number = |t: &Term| {
        let [read] = t.factors.as_slice() else { return None };
        let def = before.iter().find(|s| s.array == read.array)?;
        let Rhs::OfIndex(e) = &def.rhs else { return None };
        Substitution::new(&def.gens, &read.at).affine(e)
    };
    let plain = |t: &&Term| t.sums.is_empty() && t.coeff.abs() == 1.0;
    let without = |p: &Pred, c: Cond| {
        let c = tidy(vec![c]).ok()?.pop()?;
        let mut rest: Pred = p.iter().filter(|d| **d != c).cloned().collect();
        sorted::sort(&mut rest);
        (rest.len() < p.len()).then_some(rest)
    };
    let asks = |t: &&Term| plain(t) && terms.len() > 1 && !t.guard.is_empty();
    terms.iter().enumerate().filter(|(_, t)| asks(t)).find_map(|(k, many)| {
        let e = number(many)?;
        let rest = without(&many.guard, Cond::NonNeg(e.plus_constant(-2)?))?;
        let is_one = Cond::Zero(e.plus_constant(-1)?);
        let j = terms.iter().position(|t| {
            let same = plain(&t) && t.factors.is_empty() && t.coeff.to_bits() == many.coeff.to_bits();
            same && without(&t.guard, is_one.clone()).as_ref() == Some(&rest)
        })?;
        let mut out = terms.to_vec();
        let mut guard = rest;
        if !guard.is_empty()
            || terms.len() > 2
            || !e.terms.iter().all(|t| matches!(t, (Atom::Size(_), 1..)))
            || e.constant < 0
        {
            guard.push(Cond::NonNeg(e.plus_constant(-1)?));
        }
        out[k].guard = guard::in_order_of_evaluation(guard);
        out.remove(j);
        Some(out)
    })
}

/// The extents of indices: those of the statement, and of private sums those of a dimension that they read alone.
fn extents(s: &State, scope: &Scope, t: &Term, of: &Set<Index>) -> Option<Scope> {
    of.iter()
        .map(|i| {
            if let Some((_, e)) = scope.iter().find(|(g, _)| g == i) {
                return Some((*i, e.clone()));
            }
            let dims = t.factors.iter().flat_map(|a| a.at.iter().zip(&s.f.array(a.array).extents));
            dims.filter(|(e, _)| **e == i.affine()).map(|(_, x)| (*i, x.clone())).next()
        })
        .collect()
}

/// `T[scope] = rhs`, and `T` read at these indices.
fn define(s: &mut State, scope: &Scope, rhs: Rhs, name: &str) -> Option<(Stmt, Access)> {
    let gens: Vec<Index> = scope.iter().map(|(i, _)| *i).collect();
    let array = s.f.new_array(name, scope.iter().map(|(_, e)| e.clone()).collect());
    let read = Access { array, at: gens.iter().map(|g| g.affine()).collect() };
    Some((Stmt { array, gens, rhs, step: None }.freshened(&mut s.f, array)?, read))
}

/// `sum s in a..b. c · e` with `e` free of `s` is `[a < b] (b − a) c · e`: where there is no `s`, `e` may be infinite, and
/// other conditions may have been dropped because there is one. One value costs no multiplication: if there may be one,
/// it is `[b − a = 1] c · e + [b − a > 1] (b − a) c · e`.
fn count(s: &mut State, scope: &Scope, t: &Term, lone: bool, name: &str) -> Option<(Vec<Stmt>, Vec<Term>)> {
    let in_factors = t.factor_indices();
    let (i, number) =
        t.sums.iter().filter(|i| !in_factors.contains(i)).find_map(|i| Some((*i, length(&t.guard, *i)?)))?;
    let mut t = t.clone();
    t.sums.retain(|j| *j != i);
    t.guard.retain(|c| !cond_indices(c).any(|j| j == i));
    if !unbounded(&t.guard, &t.sums).is_empty() {
        return None;
    }
    let alone = t.factors.is_empty() && t.sums.is_empty();
    let known = known(s, scope).and(&t.guard);
    let at_least = |k: i64| number.plus_constant(-k).map(Cond::NonNeg);
    let some = at_least(if lone && alone && t.guard.is_empty() { 0 } else { 1 })?;
    if number.is_constant() {
        t.coeff *= number.constant as f64;
        return Some((vec![], vec![under(&known, &t, some)]));
    }
    let used: Set<Index> = indices_of(&number).collect();
    // A number alone costs nothing.
    let free = alone && t.coeff.abs() == 1.0 || known.entails(std::slice::from_ref(&at_least(2)?));
    // A sum that stays may be empty: outside it the multiplication would be one more then. [`factor`] moves it out where that can be said.
    let depends = used.iter().any(|i| t.sums.contains(i));
    let unit = t.coeff.abs() == 1.0;
    let inside =
        depends || !t.sums.is_empty() && t.factors.len() <= 1 && (free || unit || t.factors.is_empty());
    if inside && t.factors.len() > 1 || !free && !t.sums.is_empty() && depends && !unit {
        return None;
    }
    let over = extents(s, scope, &t, &used)?;
    let (number_of, read) = define(s, &over, Rhs::OfIndex(number.clone()), "count")?;
    let mut aux = vec![number_of];
    if t.factors.len() > 1 || !(inside || t.sums.is_empty()) {
        t = under(&known, &t, at_least(1)?);
        t = outside(s, scope, &t, name, &mut aux)?;
    }
    let mut many = t.clone();
    many.factors.push(read);
    if free {
        return Some((aux, vec![under(&known, &many, some)]));
    }
    let one = under(&known, &t, Cond::Zero(number.plus_constant(-1)?)).freshened(&mut s.f)?;
    Some((aux, vec![one, under(&known, &many, at_least(2)?)]))
}

/// `[c] t`
fn under(known: &ask::Known, t: &Term, c: Cond) -> Term {
    let mut t = t.clone();
    if !known.entails(std::slice::from_ref(&c)) {
        t.guard.insert(0, c);
        t.guard = guard::in_order_of_evaluation(t.guard);
    }
    t
}

fn known(s: &State, scope: &Scope) -> ask::Known {
    let (gens, extents): (Vec<Index>, Vec<Affine>) = scope.iter().cloned().unzip();
    ask::known(s, &gens, &extents)
}

/// The number of values of a private sum that only its own range mentions.
fn length(p: &[Cond], i: Index) -> Option<Affine> {
    let mut about = p.iter().filter(|c| guard::mentions(std::slice::from_ref(c), i));
    let (Some(Cond::NonNeg(a)), Some(Cond::NonNeg(b)), None) = (about.next(), about.next(), about.next())
    else {
        return None;
    };
    if a.coeff(&i.atom()) * b.coeff(&i.atom()) != -1 {
        return None;
    }
    let mut number = a.plus_scaled(1, b)?;
    number.constant += 1;
    (!number.mentions(&i.atom())).then_some(number)
}

/// `[p ∧ q] c · sum s. e` as `[p] c · T` with `T = sum s. [p ∧ q] e`, `p` being free of `s`: where a dimension that T has not is empty, nothing reads it.
fn outside(s: &mut State, scope: &Scope, t: &Term, name: &str, aux: &mut Vec<Stmt>) -> Option<Term> {
    let mut used = t.factor_indices();
    used.extend(t.guard.iter().flat_map(cond_indices));
    let over: Scope = scope.iter().filter(|(g, _)| used.contains(g)).cloned().collect();
    let (inner, mut guard): (Pred, Pred) =
        t.guard.iter().cloned().partition(|c| cond_indices(c).any(|i| t.sums.contains(&i)));
    // Where there is nothing to sum, nothing is multiplied.
    let some = known(s, scope).and(&guard).exists(&inner, &t.sums)?;
    guard.extend(some);
    let guard = guard::in_order_of_evaluation(guard);
    let mut term = Term { coeff: 1.0, ..t.clone() };
    let dropped = scope.iter().filter(|g| !over.contains(g));
    term.guard.splice(0..0, dropped.filter_map(|(_, e)| not_empty(e)));
    let rhs = Rhs::Contract(vec![term]);
    let (def, read) = define(s, &over, rhs, name)?;
    aux.push(def);
    Some(Term { sums: vec![], guard, coeff: t.coeff, factors: vec![read] })
}

/// `sum r s. [p(r) ∧ q(r, s)] c · A[r] · B[r, s]` is `sum r. [p ∧ ∃ s. q] c · A[r] · T[r]` with `T[r] = sum s. [q] B[r, s]`: where there is
/// no `s`, `A` may be infinite.
fn factor(s: &mut State, scope: &Scope, t: &Term, name: &str) -> Option<(Vec<Stmt>, Term)> {
    let [a, b] = t.factors.as_slice() else { return None };
    [(a, b), (b, a)].into_iter().find_map(|(a, b)| factor_out(s, scope, t, a, b, name))
}

fn factor_out(
    s: &mut State,
    scope: &Scope,
    t: &Term,
    a: &Access,
    b: &Access,
    name: &str,
) -> Option<(Vec<Stmt>, Term)> {
    let of = |a: &Access| -> Set<Index> { a.at.iter().flat_map(indices_of).collect() };
    let (in_a, in_b) = (of(a), of(b));
    let moved: Vec<Index> =
        t.sums.iter().copied().filter(|i| !in_a.contains(i) && in_b.contains(i)).collect();
    if moved.is_empty() {
        return None;
    }
    let about = |c: &Cond, list: &[Index]| cond_indices(c).any(|i| list.contains(&i));
    // What an equality determines is no loop.
    if t.guard.iter().any(|c| matches!(c, Cond::Zero(_)) && about(c, &moved)) {
        return None;
    }
    let mut free: Set<Index> = in_b;
    free.extend(t.guard.iter().filter(|c| about(c, &moved)).flat_map(cond_indices));
    free.retain(|i| !moved.contains(i));
    if t.sums.iter().any(|i| !moved.contains(i) && !in_a.contains(i) && !free.contains(i)) {
        return None;
    }
    let over = extents(s, scope, t, &free)?;
    let inside = |c: &Cond| cond_indices(c).all(|i| free.contains(&i) || moved.contains(&i));
    let mut guard: Pred = t.guard.iter().filter(|c| inside(c)).cloned().collect();
    let mut outer: Pred = t.guard.iter().filter(|c| !about(c, &moved)).cloned().collect();
    let inner: Pred = t.guard.iter().filter(|c| about(c, &moved)).cloned().collect();
    // T would be computed also where nothing reads it.
    if outer.iter().any(|c| guard::has_opaque(c) && !inside(c)) {
        return None;
    }
    let (gens, sizes): (Vec<Index>, Vec<Affine>) = scope.iter().cloned().unzip();
    let some = ask::known(s, &gens, &sizes).and(&outer).exists(&inner, &moved)?;
    // Elements of T that nothing reads are not computed, nor is what only the outer conditions keep in range.
    let coupled = |c: &Cond| !inside(c);
    let mut t_rhs = Term { sums: moved.clone(), guard: guard.clone(), coeff: 1.0, factors: vec![b.clone()] };
    let (t_gens, t_extents): (Vec<Index>, Vec<Affine>) = over.iter().cloned().unzip();
    let gone: Vec<Index> = scope
        .iter()
        .map(|(g, _)| *g)
        .chain(t.sums.iter().copied())
        .filter(|i| !free.contains(i) && !moved.contains(i))
        .collect();
    let mut ranged = outer.clone();
    for (g, e) in scope {
        ranged.extend(cond::within(&Affine::from(0), &g.affine(), e)?);
    }
    let must = outer.iter().any(coupled) || !term_in_range(s, &t_rhs, &t_gens, &t_extents);
    // Residues and quotients may be in the way.
    let plain = |c: &&Cond| matches!(c, Cond::NonNeg(_) | Cond::Zero(_)) && c.is_total() && !c.divides();
    let everywhere = ask::known(s, &[], &[]);
    let seen = || everywhere.exists(&ranged.iter().filter(plain).cloned().collect::<Pred>(), &gone);
    match everywhere.exists(&ranged, &gone).or_else(|| if must { None } else { seen() }) {
        Some(there) => {
            let new: Pred = there.into_iter().filter(|c| !guard.contains(c)).collect();
            guard.splice(0..0, new);
            t_rhs.guard = guard;
        }
        None if must => return None,
        None => {}
    }
    outer.extend(some);
    let outer = guard::in_order_of_evaluation(outer);
    if !unbounded(&t_rhs.guard, &moved).is_empty() {
        return None;
    }
    let (def, read) = define(s, &over, Rhs::Contract(vec![t_rhs]), name)?;
    let sums: Vec<Index> = t.sums.iter().copied().filter(|i| !moved.contains(i)).collect();
    if !unbounded(&outer, &sums).is_empty() {
        return None;
    }
    Some((vec![def], Term { sums, guard: outer, coeff: t.coeff, factors: vec![a.clone(), read] }))
}
