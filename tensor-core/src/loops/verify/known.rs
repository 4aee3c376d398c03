//! What is known of an element of an index array: what assignments give it.
//!
//! `for i { [p] at[e] = v }` says of `at[a]` where it is read that some i has `p ∧ e = a ∧ at[a] = v`. That the element is in range is no part of it: who
//! reads has to know that before. That it has been written is judged by `order`, and so is that no iteration reads what the one before it wrote, of an array
//! that lives inside the loop.

use super::links::relevant;
use crate::index::pred::{any, rename};
use crate::index::{Affine, Atom, Cond, Pred};
use crate::loops::inside::{inside, searches};
use crate::loops::{Program, Stmt, VarId};
use crate::sorted::{Map, Set};
use crate::ssa::Index;
use crate::weights;
use std::collections::HashMap;

/// Stands for the element in what is known of it.
const VALUE: u32 = u32::MAX;

/// One assignment, for all indices around it.
#[derive(Clone)]
struct Writer {
    at: Vec<Affine>,
    /// Of the indices, and of [`VALUE`].
    given: Pred,
}

/// The assignments that have been met.
#[derive(Clone)]
pub(super) struct Writers {
    inside: Vec<Option<Set<Index>>>,
    searches: Set<VarId>,
    found: Vec<(u32, Writer)>,
    /// The variables of whose assignments not all is kept that is known.
    cut: Set<u32>,
    /// For each loop around, how many are still to come in it: an iteration before has met them.
    coming: Vec<(Index, Map<u32, Written>)>,
    /// The variables of which all assignments are met before the steps that have them.
    ahead: Set<u32>,
    /// The next index that stands for another.
    fresh: u32,
}

impl Writers {
    pub fn new(p: &Program) -> Writers {
        let fresh = u32::try_from(p.indices.len()).expect("fewer than 2³² indices");
        let searches = searches(&p.body);
        Writers {
            inside: inside(p),
            searches,
            found: vec![],
            cut: Set::new(),
            coming: vec![],
            ahead: Set::new(),
            fresh,
        }
    }

    /// Before an iteration of a loop.
    pub fn enter(&mut self, index: Index, body: &[Stmt]) {
        let mut coming = Map::new();
        writers(body, &mut coming);
        // What lives inside begins as nothing.
        for (v, inside) in (0..).zip(&self.inside) {
            if inside.as_ref().is_some_and(|loops| loops.contains(&index)) {
                coming.remove(&v);
                self.found.retain(|w| w.0 != v);
            }
        }
        self.coming.push((index, coming));
    }

    /// Which variables are assigned in a loop that other iterations may read.
    pub fn lasting(&self, index: Index, body: &[Stmt]) -> Set<u32> {
        let mut all = Map::new();
        writers(body, &mut all);
        let is_inside = |v: u32| self.inside[v as usize].as_ref().is_some_and(|loops| loops.contains(&index));
        all.keys().copied().filter(|v| !is_inside(*v) && !self.ahead.contains(v)).collect()
    }

    /// The steps of a loop have been walked once, and met all assignments to these variables, whichever step reads them.
    pub fn foresee(&mut self, walked: Writers, vars: &Set<u32>) {
        self.found.retain(|w| !vars.contains(&w.0));
        self.found.extend(walked.found.into_iter().filter(|w| vars.contains(&w.0)));
        self.cut.extend(walked.cut);
        self.fresh = walked.fresh;
        self.ahead.extend(vars.iter().copied());
    }

    /// After the steps.
    pub fn forget_foreseen(&mut self, vars: &Set<u32>) {
        self.ahead.retain(|v| !vars.contains(v));
    }

    /// After a loop.
    pub fn leave(&mut self) {
        self.coming.pop();
    }

    /// `let at = v`: what was known of another life of it is not any more.
    pub fn declare(&mut self, v: VarId, context: &[Cond], value: &dyn Fn(&Affine) -> Option<Pred>) {
        self.found.retain(|w| w.0 != v.0);
        self.come(v);
        if self.searches.contains(&v) {
            self.add(v, &[], context, value);
        }
    }

    /// `at` is assigned, but where this holds: elsewhere it is not any more what it was declared with.
    pub fn assigned(&mut self, v: VarId, unless: Pred) {
        if let Some((_, declared)) = self.found.iter_mut().find(|w| w.0 == v.0) {
            declared.given.extend(unless);
        }
    }

    /// `at[e] = v`: what holds there, and of the value.
    pub fn assign(
        &mut self,
        v: VarId,
        at: &[Affine],
        context: &[Cond],
        value: &dyn Fn(&Affine) -> Option<Pred>,
    ) {
        self.come(v);
        self.add(v, at, context, value);
    }

    /// One that was to come is there.
    fn come(&mut self, v: VarId) {
        for (_, coming) in &mut self.coming {
            if let Some(written) = coming.get_mut(&v.0) {
                written.count -= 1;
            }
        }
    }

    fn add(&mut self, v: VarId, at: &[Affine], context: &[Cond], value: &dyn Fn(&Affine) -> Option<Pred>) {
        if self.ahead.contains(&v.0) {
            return;
        }
        let Some(value) = value(&Atom::Index(VALUE).into()) else { return };
        // What was true of reals then may not be where it is read.
        let context: Pred = context.iter().filter(|c| !matches!(c, Cond::Opaque { .. })).cloned().collect();
        let (given, all) = kept(&context, at, value);
        if !all || self.are_cut(&given) {
            self.cut.insert(v.0);
        }
        self.found.push((v.0, Writer { at: at.to_vec(), given }));
    }

    /// Not all is said that is known of the elements of a variable.
    pub fn cut(&mut self, v: u32) {
        self.cut.insert(v);
    }

    /// Whether conditions are of an element of which more is known than they say.
    pub fn are_cut(&self, p: &[Cond]) -> bool {
        let is_cut = |t: &Atom| matches!(t, Atom::Element(v, _) if self.cut.contains(v));
        !self.cut.is_empty() && p.iter().any(|c| c.any_atom(&is_cut))
    }

    /// These variables are written: what assignments said of their elements they say of numbers that nothing is known of.
    pub fn forget(&mut self, is_written: &dyn Fn(&Atom) -> bool) {
        let fresh = &mut self.fresh;
        let mentions = |w: &Writer| w.given.iter().any(|c| c.any_atom(is_written));
        for (_, w) in self.found.iter_mut().filter(|w| mentions(&w.1)) {
            let mut names: Vec<(Atom, Affine)> = vec![];
            w.given.iter().flat_map(Cond::affines).for_each(|a| {
                a.each_atom(&mut |t| {
                    if is_written(t) && !names.iter().any(|n| n.0 == *t) {
                        names.push((t.clone(), Atom::Index(*fresh).into()));
                        *fresh += 1;
                    }
                });
            });
            let name = |t: &Atom| names.iter().find(|n| n.0 == *t).map(|n| n.1.clone());
            w.given = rename(&w.given, &name).unwrap_or_default();
        }
    }

    /// What is known of an element that is in range; nothing where that is not told.
    pub fn of(&mut self, v: u32, at: &[Affine]) -> Pred {
        // Another iteration of a loop over a dimension writes other elements.
        let met_before = |(index, coming): &(Index, Map<u32, Written>)| {
            coming.get(&v).is_some_and(|w| w.count > 0 && !w.writes_only(at, *index))
        };
        if !self.ahead.contains(&v) && self.coming.iter().any(met_before) {
            return vec![];
        }
        let all = self.found.iter().filter(|w| w.0 == v).map(|w| &w.1);
        let shared = self.inside[v as usize].clone().unwrap_or_default();
        let mut fresh = self.fresh;
        let alternatives: Option<Vec<Pred>> = all.map(|w| w.at((v, at), &shared, &mut fresh)).collect();
        self.fresh = fresh;
        match alternatives {
            Some(mut ps) if ps.len() <= 1 => ps.pop().unwrap_or_default(),
            Some(ps) => vec![any(ps)],
            None => vec![],
        }
    }
}

impl Writer {
    /// What this assignment gives an element: its indices but those that are shared are others than those where it is read.
    fn at(&self, (v, at): (u32, &[Affine]), shared: &Set<Index>, fresh: &mut u32) -> Option<Pred> {
        // By number, since there are many where much is known.
        let mut names: HashMap<u32, Affine> = HashMap::new();
        names.insert(VALUE, Atom::Element(v, at.to_vec()).into());
        let mut given = self.given.clone();
        let is_shared = |k: u32| shared.contains(&Index(k));
        for (own, a) in self.at.iter().zip(at) {
            match own.as_atom() {
                Some(Atom::Index(k)) if !is_shared(*k) && !names.contains_key(k) => {
                    names.insert(*k, a.clone());
                }
                Some(_) | None => {
                    // The form of the reader keeps its names.
                    names.insert(*fresh, a.clone());
                    given.push(Cond::Zero(own.minus(&Atom::Index(*fresh).into())?));
                    *fresh += 1;
                }
            }
        }
        for a in given.iter().flat_map(Cond::affines) {
            a.each_atom(&mut |t| {
                if let Atom::Index(k) = t
                    && !is_shared(*k)
                {
                    names.entry(*k).or_insert_with(|| {
                        *fresh += 1;
                        Atom::Index(*fresh - 1).into()
                    });
                }
            });
        }
        rename(&given, &|t| if let Atom::Index(k) = t { names.get(k).cloned() } else { None })
    }
}

/// What is kept of an assignment, and whether it is all: all that holds around it, or what has to do with the element and its value, or of that no
/// unions, or only the value.
fn kept(context: &[Cond], at: &[Affine], value: Pred) -> (Pred, bool) {
    let together = |p: &[Cond]| [p, &value].concat();
    let fits = |p: &[Cond]| count(p) <= weights::verify::OF_ASSIGNMENT;
    let all = together(context);
    if fits(&all) {
        return (all, true);
    }
    let element = at.iter().cloned().map(Cond::Zero).chain(value.iter().cloned()).collect();
    let mut linked = relevant(context, &Cond::Any(vec![element]));
    if fits(&linked) {
        return (together(&linked), true);
    }
    linked.retain(|c| !matches!(c, Cond::Any(_)));
    (if fits(&linked) { together(&linked) } else { value }, false)
}

/// How many conditions there are, those in unions too.
pub(super) fn count(p: &[Cond]) -> usize {
    let one = |c: &Cond| match c {
        Cond::Any(ps) => ps.iter().map(|p| count(p)).sum(),
        Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) => 1,
        Cond::Residue(..) | Cond::NonResidue(..) | Cond::Opaque { .. } => 1,
    };
    p.iter().map(one).sum()
}

/// The assignments to a variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    count: usize,
    /// The dimensions that are an index by itself, the same in each of them.
    bare: Vec<(usize, Index)>,
}

impl Written {
    fn add(&mut self, at: &[Affine]) {
        let all = at.iter().enumerate().filter_map(|(d, e)| Some((d, bare(e)?)));
        if self.count == 0 {
            self.bare = all.collect();
        } else {
            let here: Vec<(usize, Index)> = all.collect();
            self.bare.retain(|own| here.contains(own));
        }
        self.count += 1;
    }

    /// Whether, of the iterations of a loop, only that one writes an element whose place has the index of the loop.
    pub fn writes_only(&self, at: &[Affine], index: Index) -> bool {
        self.bare.iter().any(|(d, i)| *i == index && at[*d] == index.affine())
    }
}

fn bare(e: &Affine) -> Option<Index> {
    if let Some(Atom::Index(i)) = e.as_atom() { Some(Index(*i)) } else { None }
}

/// How index variables are assigned.
pub(super) fn writers(stmts: &[Stmt], out: &mut Map<u32, Written>) {
    for s in stmts {
        if let Stmt::Leaf(leaf) = s
            && let Some((v, at)) = leaf.assigned_index()
        {
            out.entry(v.0).or_default().add(at);
        }
        s.blocks().into_iter().for_each(|block| writers(block, out));
    }
}
