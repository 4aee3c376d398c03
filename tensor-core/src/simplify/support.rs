//! A sum runs only over what is not zero.

use super::{State, ask, guard};
use crate::index::{Affine, Atom, Cond, Pred};
use crate::sorted::Map;
use crate::ssa::rename::{Substitution, cond_indices};
use crate::ssa::{ArrayId, Index, Rhs, Stmt, Term};

/// `sum s. X[a] · Z` with `X` zero where not `p` is `sum s. [p{g:=a}] X[a] · Z`, where that bounds a loop further.
pub(super) fn supports(s: &mut State) -> bool {
    let at: Map<ArrayId, usize> = s.f.stmts.iter().enumerate().map(|(k, s)| (s.array, k)).collect();
    let mut changed = false;
    for k in 0..s.f.stmts.len() {
        let stmt = &s.f.stmts[k];
        let Rhs::Contract(terms) = &stmt.rhs else { continue };
        if stmt.is_member() {
            continue;
        }
        let mut known: Option<ask::Known> = None;
        let mut more: Vec<(usize, Pred)> = vec![];
        for (n, t) in terms.iter().enumerate().filter(|(_, t)| !t.sums.is_empty()) {
            let mut new: Pred = vec![];
            for a in &t.factors {
                let Some(def) = at.get(&a.array).map(|k| &s.f.stmts[*k]) else { continue };
                let put = Substitution::new(&def.gens, &a.at);
                for c in support(def) {
                    let Some(c) = put.cond(c) else { continue };
                    let loops = cond_indices(&c).any(|i| t.sums.contains(&i));
                    if !loops || t.guard.contains(&c) || new.contains(&c) {
                        continue;
                    }
                    let extents = &s.f.array(stmt.array).extents;
                    let known = known.get_or_insert_with(|| ask::known(s, &stmt.gens, extents));
                    if !known.and(&t.guard).and(&new).entails(std::slice::from_ref(&c)) {
                        new.push(c);
                    }
                }
            }
            // What the guard would lose again, as the rest of it entails, is not added.
            let stays = |known: &ask::Known| {
                let with = Term { guard: [t.guard.as_slice(), &new].concat(), ..t.clone() };
                guard::term(known, with) != guard::term(known, t.clone())
            };
            if known.as_ref().is_some_and(|known| !new.is_empty() && stays(known)) {
                more.push((n, new));
            }
        }
        if let Rhs::Contract(terms) = &mut s.f.stmts[k].rhs {
            for (n, new) in more {
                terms[n].guard.extend(new);
                changed = true;
            }
        }
    }
    changed
}

/// Conditions on the indices of a statement outside which it is zero.
fn support(def: &Stmt) -> Vec<&Cond> {
    let guards: Vec<&Pred> = match &def.rhs {
        Rhs::Contract(terms) => terms.iter().map(|t| &t.guard).collect(),
        Rhs::Prim { guard, .. } => vec![guard],
        Rhs::Call(call) => vec![&call.guard],
        Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } | Rhs::OfIndex(_) | Rhs::Constant(_) => vec![],
    };
    let Some((first, rest)) = guards.split_first() else { return vec![] };
    first.iter().filter(|c| simple(c, &def.gens) && rest.iter().all(|p| p.contains(c))).collect()
}

fn simple(c: &Cond, gens: &[Index]) -> bool {
    let plain = |a: &Affine| a.terms.iter().all(|(t, _)| matches!(t, Atom::Size(_) | Atom::Index(_)));
    match c {
        Cond::Zero(a) | Cond::NonNeg(a) => plain(a) && cond_indices(c).all(|i| gens.contains(&i)),
        Cond::NonZero(_) | Cond::Residue(..) | Cond::NonResidue(..) => false,
        Cond::Opaque { .. } | Cond::Any(_) => false,
    }
}
