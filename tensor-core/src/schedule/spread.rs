//! Sums over arrays of products, multiplied out where that makes matmuls of them: what is shared of the indices is computed once.
//!
//! ```text
//! H[l, m] = sum i. A[i, l]*D[i, l, m]     D[i, l, m] = U[i, l]*V[i, m] + [l == m] R[i]*S[i, l]
//! ↦  P[i, l] = A[i, l]*U[i, l]     Q[i, l] = A[i, l]*R[i]     H[l, m] = sum i. P[i, l]*V[i, m] + sum i. [l == m] Q[i, l]*S[i, l]
//! ```
//!
//! D, which is as large as all the loops, is not stored. The Hessians of mixtures are such sums. Each sum multiplies the terms of D again, so that it is
//! done for few; what is shared is multiplied once for each of its elements.

use crate::ad::support;
use crate::index::{Affine, Cond, Pred};
use crate::mark::{self, Mark};
use crate::schedule::range::bare;
use crate::sorted::{Map, Set};
use crate::ssa::rename::Substitution;
use crate::ssa::{Access, ArrayId, Function, Index, Rhs, Stmt, Term};
use crate::weights;

/// See the module documentation.
pub(super) fn spread(f: &mut Function) {
    let (mut readers, mut made): (Map<ArrayId, Vec<usize>>, Made) = (Map::new(), Made::default());
    for (at, s) in f.stmts.iter().enumerate() {
        s.rhs.reads(f, &mut |_, a| readers.entry(a).or_default().push(at));
        if let Rhs::Contract(terms) = &s.rhs
            && let [t] = terms.as_slice()
            && let [a, b] = t.factors.as_slice()
        {
            made.products.entry(both(a, b)).or_default().push(at);
        }
    }
    let mut new: Map<usize, Vec<Stmt>> = Map::new();
    let mut kept: Set<ArrayId> = Set::new();
    for k in 0..f.stmts.len() {
        let is_open = !kept.contains(&f.stmts[k].array) && is_sum_of_products(f, &f.stmts[k]);
        let Some(at) = readers.get(&f.stmts[k].array).filter(|_| is_open) else { continue };
        if at.iter().any(|k| f.stmts[*k].is_member()) {
            continue;
        }
        let def = f.stmts[k].clone();
        let Some(all) = read_by_sums(f, &made, &def, at) else { continue };
        mark::hit(Mark::MultipliedOut);
        made.gone.insert(def.array);
        for (at, products, terms) in all {
            // One that was there may be read now by more than its readers of before.
            kept.extend(terms.iter().flat_map(|t| &t.factors).map(|a| a.array));
            new.entry(at).or_default().extend(products);
            f.stmts[at].rhs = Rhs::Contract(terms);
        }
    }
    let mut out = vec![];
    for (at, s) in std::mem::take(&mut f.stmts).into_iter().enumerate() {
        out.extend(new.remove(&at).into_iter().flatten());
        out.extend(Some(s).filter(|s| !made.gone.contains(&s.array)));
    }
    f.stmts = out;
}

/// What is computed in any case.
#[derive(Default)]
struct Made {
    /// By the arrays of their factors: the statements that are one product,
    products: Map<[ArrayId; 2], Vec<usize>>,
    /// if they are not among these, which were multiplied out.
    gone: Set<ArrayId>,
}

/// The arrays of two factors, in order.
fn both(a: &Access, b: &Access) -> [ArrayId; 2] {
    [a.array.min(b.array), a.array.max(b.array)]
}

/// Whether an array, which is no result, is a sum of products of two factors each.
fn is_sum_of_products(f: &Function, def: &Stmt) -> bool {
    let Rhs::Contract(terms) = &def.rhs else { return false };
    if def.is_member() {
        return false;
    }
    let is_product = |u: &Term| {
        u.sums.is_empty()
            && u.factors.len() == 2
            && u.coeff.abs() == 1.0
            && u.guard.iter().all(Cond::is_total)
    };
    !terms.is_empty() && terms.iter().all(is_product) && !f.results.contains(&def.array)
}

/// Of each statement that reads an array: where it stands, what is computed before it, and its terms, with the array multiplied out.
type Reader = (usize, Vec<Stmt>, Vec<Term>);

/// All that read an array, if these are sums, and not too many.
fn read_by_sums(f: &mut Function, made: &Made, def: &Stmt, readers: &[usize]) -> Option<Vec<Reader>> {
    if readers.len() > weights::schedule::MULTIPLIED_OUT {
        return None;
    }
    let mut all: Vec<Reader> = vec![];
    let is_lone = readers.len() == 1;
    for at in readers.iter().copied().collect::<Set<_>>().iter().copied() {
        let Stmt { gens, rhs: Rhs::Contract(terms), .. } = f.stmts[at].clone() else { return None };
        let (mut before, mut out, mut found) = (vec![], vec![], 0);
        for t in terms {
            match t.factors.iter().position(|a| a.array == def.array) {
                None => out.push(t),
                Some(k) => {
                    let (products, terms) = multiplied_out(f, (at, &gens, made), (&t, k), def, is_lone)?;
                    before.extend(products);
                    out.extend(terms);
                    found += 1;
                }
            }
        }
        // What a condition reads, or a product twice, is not multiplied out.
        if found != readers.iter().filter(|r| **r == at).count() {
            return None;
        }
        all.push((at, before, out));
    }
    Some(all)
}

/// A term with the definition of its factor `k` multiplied out: the products that are computed before, and the terms.
fn multiplied_out(
    f: &mut Function,
    (at, gens, made): (usize, &[Index], &Made),
    (t, k): (&Term, usize),
    def: &Stmt,
    is_lone: bool,
) -> Option<(Vec<Stmt>, Vec<Term>)> {
    let Rhs::Contract(inner) = &def.rhs else { return None };
    let loops: Vec<Index> = t.factors[k].at.iter().map(bare).collect::<Option<_>>()?;
    let own: Set<Index> = loops.iter().copied().collect();
    let is_whole = own.len() == loops.len() && gens.iter().chain(&t.sums).all(|i| own.contains(i));
    if t.sums.is_empty() || !is_whole || !t.guard.iter().all(Cond::is_total) {
        return None;
    }
    let extents = f.array(def.array).extents.clone();
    let whole = Whole { loops: &loops, extents: &extents, before: at, made };
    let other = t.factors.iter().enumerate().find(|(j, _)| *j != k).map(|(_, a)| a);
    let (mut products, mut terms) = (vec![], vec![]);
    for u in inner {
        let u = Substitution::renaming(&def.gens, &loops).term(u)?;
        let [a, b] = u.factors.as_slice() else { return None };
        let mut guard = t.guard.clone();
        guard.extend(u.guard.iter().filter(|c| !t.guard.contains(c)).cloned());
        let factors = match other {
            None => u.factors.clone(),
            Some(other) => {
                let (product, read, last) = [(a, b), (b, a)].into_iter().find_map(|(a, b)| {
                    let (product, read) = whole.product(f, other, a, &guard)?;
                    Some((product, read, b))
                })?;
                products.extend(product);
                vec![read, last.clone()]
            }
        };
        if !(is_lone && other.is_some()) && factors.iter().any(|a| whole.is_all_of(a)) {
            return None;
        }
        let term = Term { sums: t.sums.clone(), guard, coeff: t.coeff * u.coeff, factors };
        terms.push(if terms.is_empty() { term } else { term.freshened(f)? });
    }
    Some((products, terms))
}

/// All loops of a term, with the extents of what they run through.
struct Whole<'a> {
    loops: &'a [Index],
    extents: &'a [Affine],
    /// Where the statement stands that runs through them.
    before: usize,
    made: &'a Made,
}

impl Whole<'_> {
    /// Whether an access is by all of the loops.
    fn is_all_of(&self, a: &Access) -> bool {
        self.loops.iter().all(|l| a.at.iter().any(|e| e.mentions(&l.atom())))
    }

    /// The product of two factors as an array over their indices, if these are fewer than the loops; and where the term reads it.
    fn product(
        &self,
        f: &mut Function,
        a: &Access,
        b: &Access,
        guard: &Pred,
    ) -> Option<(Option<Stmt>, Access)> {
        let mut of: Set<Index> = Set::new();
        for (e, extent) in [a, b].into_iter().flat_map(|x| x.at.iter().zip(&f.array(x.array).extents)) {
            let i = bare(e)?;
            // What is read is in range wherever the loops are.
            self.loops.iter().position(|l| *l == i).filter(|k| self.extents[*k] == *extent)?;
            of.insert(i);
        }
        let (kept, gone): (Vec<usize>, Vec<usize>) =
            (0..self.loops.len()).partition(|k| of.contains(&self.loops[*k]));
        if gone.is_empty() || kept.is_empty() {
            return None;
        }
        let pick = |of: &[usize]| -> (Vec<Index>, Vec<Affine>) {
            of.iter().map(|k| (self.loops[*k], self.extents[*k].clone())).unzip()
        };
        let ((gens, extents), (gone, gone_extents)) = (pick(&kept), pick(&gone));
        let there = needed(f, guard, (&gone, &gone_extents), (&gens, &extents))?;
        let at = gens.iter().map(|g| g.affine()).collect();
        let product = Term { sums: vec![], guard: there, coeff: 1.0, factors: vec![a.clone(), b.clone()] };
        if let Some(array) = self.found(f, &gens, &extents, &product) {
            return Some((None, Access { array, at }));
        }
        let name = format!("{}_{}", f.array(a.array).name, f.array(b.array).name);
        let array = f.new_array(name, extents);
        let stmt = Stmt { array, gens, rhs: Rhs::Contract(vec![product]), step: None }.freshened(f, array)?;
        Some((Some(stmt), Access { array, at }))
    }

    /// The array that is this product already.
    fn found(&self, f: &Function, gens: &[Index], extents: &[Affine], product: &Term) -> Option<ArrayId> {
        let is_it = |s: &&Stmt| {
            let Rhs::Contract(terms) = &s.rhs else { return false };
            let [t] = terms.as_slice() else { return false };
            let t = Substitution::renaming(&s.gens, gens).term(t).filter(|_| s.gens.len() == gens.len());
            let exchanged =
                |t: &Term| Term { factors: t.factors.iter().rev().cloned().collect(), ..t.clone() };
            f.array(s.array).extents == extents
                && t.is_some_and(|t| t == *product || exchanged(&t) == *product)
        };
        let [a, b] = product.factors.as_slice() else { return None };
        let all = self.made.products.get(&both(a, b))?.iter().take_while(|at| **at < self.before);
        let is_there = |s: &&Stmt| !self.made.gone.contains(&s.array);
        all.map(|at| &f.stmts[*at]).filter(is_there).find(is_it).map(|s| s.array)
    }
}

/// Where an element is read: that there are values of the indices that are gone.
fn needed(
    f: &Function,
    guard: &Pred,
    (gone, gone_extents): (&[Index], &[Affine]),
    (gens, extents): (&[Index], &[Affine]),
) -> Option<Pred> {
    let given = support::context(f, gens, extents);
    let all = [support::ranges(gone, gone_extents), guard.clone()].concat();
    let (all, wider) = support::exists_in(f, &all, gone, &given)?;
    (!wider && !all.wider).then_some(all.pred)
}
