//! What is cheaper to compute again than to store.
//!
//! `Y[g] ∋ [p] X[a(g)] …` where X is at most [`weights::schedule::AGAIN`] operations on parameters: with `X'[g] = [p] X[a(g)]`, computed anew, it is
//! `Y[g] ∋ [p] X'[g] …`, so that all of it runs in one loop and nothing is stored. X is cloned and never substituted: into `X·X` it would
//! multiply the sum out.

use super::prepare::rename;
use super::range::{bare, entails};
use crate::ad::support;
use crate::index::{Affine, Atom, Cond, Pred};
use crate::mark::{self, Mark};
use crate::ssa::rename::Substitution;
use crate::ssa::{Access, ArrayId, Function, Index, Rhs, Stmt, Term};
use crate::weights;

/// See the module documentation.
pub(super) fn recompute(f: &mut Function) {
    let stored = stored(f);
    let stmts = std::mem::take(&mut f.stmts);
    let mut again = Again { f, done: vec![], made: vec![], elements: vec![] };
    for mut s in stmts {
        let is_member = s.is_member();
        if let Rhs::Contract(terms) = &mut s.rhs
            && !is_member
        {
            for t in terms.iter_mut().filter(|t| t.sums.is_empty()) {
                let guard = t.guard.clone();
                for a in t.factors.iter_mut().filter(|a| !stored.contains(&a.array)) {
                    if is_cheap(again.f, &again.done, a, &s.gens, &guard) {
                        let array = again.here((s.array, &s.gens), a, &guard);
                        *a = Access { array, at: s.gens.iter().map(|g| g.affine()).collect() };
                    }
                }
            }
        }
        again.done.push(s);
    }
    let Again { f, done, elements, .. } = again;
    f.stmts = done;
    read_elements(f, elements);
}

/// Of what is stored in any case one element is read.
fn read_elements(f: &mut Function, elements: Vec<(ArrayId, Term)>) {
    let mut needed = f.results.iter().copied().collect();
    f.clone().keep_only(&mut needed);
    for (array, read) in elements {
        if needed.contains(&read.factors[0].array)
            && let Some(s) = f.stmts.iter_mut().find(|s| s.array == array)
        {
            s.rhs = Rhs::Contract(vec![read]);
        }
    }
}

/// `array[gens] = [guard] read`, made before: a derivative reads again what its function does, often under more conditions, and its cost is bounded
/// by that.
struct Made {
    gens: Vec<Index>,
    read: Access,
    guard: Pred,
    array: ArrayId,
}

impl Made {
    /// Whether that is what a statement of these dimensions reads here.
    fn is(&self, f: &Function, (of, gens): (ArrayId, &[Index]), read: &Access, guard: &Pred) -> bool {
        let here = Substitution::renaming(gens, &self.gens);
        let extents = &f.array(self.array).extents;
        *extents == f.array(of).extents
            && here.access(read).as_ref() == Some(&self.read)
            && here.pred(guard).is_some_and(|p| {
                let given = support::ranges(&self.gens, extents);
                self.guard.iter().all(|c| p.contains(c) || entails(f, &given, &p, c))
            })
    }
}

/// What is stored in any case: results, and what is read elsewhere than at its own indices other than by a sum-free term, or where it is not cheap.
fn stored(f: &Function) -> Vec<ArrayId> {
    let mut out = f.results.clone();
    let note = |out: &mut Vec<ArrayId>, a: &Access, indices: &[Index]| {
        if moves(a, indices) {
            out.push(a.array);
        }
    };
    for s in &f.stmts {
        match &s.rhs {
            Rhs::Contract(terms) => {
                for t in terms {
                    let all: Vec<Index> = s.gens.iter().chain(&t.sums).copied().collect();
                    let is_stored = |a: &&Access| {
                        !t.sums.is_empty()
                            || !is_one(f, a.array) && !is_cheap(f, &f.stmts, a, &s.gens, &t.guard)
                    };
                    t.factors.iter().filter(is_stored).for_each(|a| note(&mut out, a, &all));
                }
            }
            Rhs::Prim { args, .. } => args.iter().for_each(|a| note(&mut out, a, &s.gens)),
            Rhs::Extreme { over, arg, .. } | Rhs::ArgExtreme { over, arg, .. } => {
                note(&mut out, arg, &s.gens.iter().chain([over]).copied().collect::<Vec<_>>());
            }
            Rhs::Call(call) => out.extend(call.args.iter().map(|a| a.access.array)),
            Rhs::OfIndex(_) | Rhs::Constant(_) => {}
        }
    }
    out
}

/// Whether an access is not at distinct gens themselves, so that its array could not be computed in the same loop.
fn moves(a: &Access, gens: &[Index]) -> bool {
    let all: Vec<Option<Index>> = a.at.iter().map(bare).collect();
    let distinct =
        |(k, i): (usize, &Option<Index>)| i.is_some_and(|i| gens.contains(&i)) && !all[..k].contains(i);
    !all.is_empty() && !all.iter().enumerate().all(distinct)
}

/// Whether elements of a statement may read the same one, as in `Y[g, h] = X[g + 1]` or `X[g + h]`: place and equalities do not determine each index, one
/// by those before.
fn is_repeated(a: &Access, gens: &[Index], guard: &[Cond]) -> bool {
    let equal = guard.iter().filter_map(|c| if let Cond::Zero(e) = c { Some(e) } else { None });
    let forms: Vec<&Affine> = a.at.iter().chain(equal).collect();
    let mut open = gens.to_vec();
    while let Some(g) = forms.iter().find_map(|e| determined(e, &open)) {
        open.retain(|o| *o != g);
    }
    !open.is_empty()
}

/// The one of these indices that the value of a form determines, where it speaks of no other of them.
fn determined(e: &Affine, open: &[Index]) -> Option<Index> {
    let mut found = open.iter().filter(|g| e.mentions(&g.atom()));
    let g = *found.next().filter(|_| found.next().is_none())?;
    let is_plain = e.terms.iter().all(|(t, _)| *t == g.atom() || !t.mentions(&g.atom()));
    is_plain.then_some(g)
}

/// Whether an access is at the place of an extreme: a derivative reads there what its function does not, and what it costs more is bounded.
fn is_found(a: &Access) -> bool {
    a.at.iter().any(|e| e.any_atom(&|t| matches!(t, Atom::Element(..))))
}

/// Whether an array has one element, whatever the sizes: to store it costs nothing.
fn is_one(f: &Function, x: ArrayId) -> bool {
    f.array(x).extents.iter().all(|e| *e == Affine::from(1))
}

/// The operations of an element on parameters and numbers, if it is a sum of products of them, as those are.
fn operations(stmts: &[Stmt], f: &Function, x: ArrayId) -> Option<usize> {
    if f.params.contains(&x) {
        return Some(0);
    }
    let s = stmts.iter().find(|s| s.array == x && !s.is_member())?;
    let Rhs::Contract(terms) = &s.rhs else { return None };
    let mut total = terms.len().checked_sub(1)?;
    for t in terms {
        if !t.sums.is_empty() {
            return None;
        }
        total += t.factors.len().saturating_sub(1) + usize::from(t.coeff.abs() != 1.0);
        for y in &t.factors {
            let again = operations(stmts, f, y.array)?;
            total += if is_number(f, y.array) { 0 } else { again };
        }
        if total > weights::schedule::AGAIN {
            return None;
        }
    }
    Some(total)
}

/// Whether what is read under a guard is cheap to compute anew.
fn is_cheap(f: &Function, stmts: &[Stmt], a: &Access, gens: &[Index], guard: &Pred) -> bool {
    !f.params.contains(&a.array)
        && moves(a, gens)
        && !is_found(a)
        && !is_one(f, a.array)
        && !is_repeated(a, gens, guard)
        && operations(stmts, f, a.array).is_some_and(|n| n <= weights::schedule::AGAIN)
}

/// Without dimensions: computed once, before the loops.
fn is_number(f: &Function, x: ArrayId) -> bool {
    f.array(x).extents.is_empty()
}

/// What is computed anew.
struct Again<'a> {
    f: &'a mut Function,
    /// The statements so far.
    done: Vec<Stmt>,
    /// What statements read is here.
    made: Vec<Made>,
    /// New arrays of one element, and what they hold, read.
    elements: Vec<(ArrayId, Term)>,
}

impl Again<'_> {
    /// The array of what is read, at the indices of its reader.
    fn here(&mut self, reader: (ArrayId, &[Index]), a: &Access, guard: &Pred) -> ArrayId {
        if let Some(m) = self.made.iter().find(|m| m.is(self.f, reader, a, guard)) {
            return m.array;
        }
        mark::hit(Mark::Recomputed);
        let (of, gens) = reader;
        let array = self.clone(of, gens, a, guard);
        self.made.push(Made { gens: gens.to_vec(), read: a.clone(), guard: guard.clone(), array });
        array
    }

    /// `X'[g'] = [p'] X[a(g')]`, and the same for what it reads.
    fn clone(&mut self, reader: ArrayId, gens: &[Index], a: &Access, guard: &Pred) -> ArrayId {
        let Some(s) = self.done.iter().find(|s| s.array == a.array).cloned() else { return a.array };
        let Rhs::Contract(terms) = s.rhs else { return a.array };
        let f = &mut *self.f;
        let fresh: Vec<Index> = gens.iter().map(|g| f.new_index(f.indices[g.0 as usize].clone())).collect();
        let here = |t: &mut Term, from: &[Index], to: &[Affine]| {
            from.iter().zip(to).for_each(|(i, e)| rename(t, *i, e));
        };
        let fresh_at: Vec<Affine> = fresh.iter().map(|g| g.affine()).collect();
        let mut place = Term { sums: vec![], guard: guard.clone(), coeff: 1.0, factors: vec![a.clone()] };
        here(&mut place, gens, &fresh_at);
        let at = place.factors[0].at.clone();
        let mut out = vec![];
        for mut t in terms {
            here(&mut t, &s.gens, &at);
            // That of the reader first: under it the others are in range.
            t.guard.retain(|c| !place.guard.contains(c));
            t.guard.splice(0..0, place.guard.iter().cloned());
            for y in &mut t.factors {
                if !self.f.params.contains(&y.array) && !is_number(self.f, y.array) {
                    let array = self.clone(reader, &fresh, y, &t.guard);
                    *y = Access { array, at: fresh_at.clone() };
                }
            }
            out.push(t);
        }
        let (name, extents) = (self.f.array(a.array).name.clone(), self.f.array(reader).extents.clone());
        let array = self.f.new_array(name, extents);
        self.done.push(Stmt { array, gens: fresh, rhs: Rhs::Contract(out), step: None });
        if gens.is_empty() {
            self.elements.push((array, place));
        }
        array
    }
}
