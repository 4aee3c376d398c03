//! Renaming of indices: what is copied out of a statement or term gets fresh ones.

use crate::index::{Affine, Atom, Cond, Pred};
use crate::prim::Prim;
use crate::sorted::{self, Map};
use crate::ssa::{Access, ArrayId, Function, Index};

/// New names for some indices, no two the same.
#[derive(Clone, Debug, Default)]
pub struct Renaming(Map<u32, Index>);

impl Renaming {
    /// From one list to another.
    #[must_use]
    pub fn new(from: &[Index], to: &[Index]) -> Renaming {
        Renaming(from.iter().zip(to).map(|(a, b)| (a.0, *b)).collect())
    }

    /// Fresh names.
    pub fn fresh(f: &mut Function, from: &[Index]) -> Renaming {
        let mut all = Renaming::default();
        all.extend_fresh(f, from);
        all
    }

    /// Fresh names for more of them; answers with the names.
    pub fn extend_fresh(&mut self, f: &mut Function, from: &[Index]) -> Vec<Index> {
        let one = |i: &Index| {
            let name = f.indices[i.0 as usize].clone();
            let new = f.new_index(name);
            self.0.insert(i.0, new);
            new
        };
        from.iter().map(one).collect()
    }

    /// One more name, if the index has none yet.
    pub fn insert(&mut self, from: Index, to: Index) -> bool {
        let vacant = !self.0.contains_key(&from.0);
        if vacant {
            self.0.insert(from.0, to);
        }
        vacant
    }

    /// The new name.
    #[must_use]
    pub fn index(&self, i: Index) -> Index {
        self.0.get(&i.0).copied().unwrap_or(i)
    }

    fn atom(&self, a: &Atom) -> Atom {
        match a {
            Atom::Size(k) => Atom::Size(*k),
            Atom::Index(k) => self.index(Index(*k)).atom(),
            Atom::Floor(e, k) => Atom::Floor(Box::new(self.affine(e)), *k),
            Atom::Element(id, args) => Atom::Element(*id, args.iter().map(|e| self.affine(e)).collect()),
            Atom::Product(fs) => {
                let mut fs: Vec<Atom> = fs.iter().map(|f| self.atom(f)).collect();
                sorted::sort(&mut fs);
                Atom::Product(fs)
            }
        }
    }

    /// In an affine form.
    #[must_use]
    pub fn affine(&self, e: &Affine) -> Affine {
        let mut terms: Vec<(Atom, i64)> = e.terms.iter().map(|(a, c)| (self.atom(a), *c)).collect();
        sorted::sort(&mut terms);
        Affine { terms, constant: e.constant }
    }

    /// In affine forms.
    #[must_use]
    pub fn affines(&self, es: &[Affine]) -> Vec<Affine> {
        es.iter().map(|e| self.affine(e)).collect()
    }

    /// In a condition.
    #[must_use]
    pub fn cond(&self, c: &Cond) -> Cond {
        match c {
            Cond::Zero(a) => Cond::Zero(self.affine(a)),
            Cond::NonZero(a) => Cond::NonZero(self.affine(a)),
            Cond::NonNeg(a) => Cond::NonNeg(self.affine(a)),
            Cond::Residue(a, k) => Cond::Residue(self.affine(a), *k),
            Cond::NonResidue(a, k) => Cond::NonResidue(self.affine(a), *k),
            Cond::Opaque { id, args, holds } => {
                Cond::Opaque { id: *id, args: self.affines(args), holds: *holds }
            }
            Cond::Any(ps) => Cond::Any(ps.iter().map(|p| self.pred(p)).collect()),
        }
    }

    /// In a predicate.
    #[must_use]
    pub fn pred(&self, p: &[Cond]) -> Pred {
        p.iter().map(|c| self.cond(c)).collect()
    }

    /// In an access.
    #[must_use]
    pub fn access(&self, a: &Access) -> Access {
        Access { array: a.array, at: self.affines(&a.at) }
    }

    /// In a primitive.
    #[must_use]
    pub fn prim(&self, p: &Prim) -> Prim {
        p.substitute(&|e| self.affine(e))
    }
}

/// `array[gens]`
#[must_use]
pub fn at_gens(array: ArrayId, gens: &[Index]) -> Access {
    Access { array, at: gens.iter().map(|g| g.affine()).collect() }
}

/// The index, if the form is one.
#[must_use]
pub fn bare_index(e: &Affine) -> Option<Index> {
    match (e.terms.as_slice(), e.constant) {
        ([(Atom::Index(i), 1)], 0) => Some(Index(*i)),
        _ => None,
    }
}

/// Names for the dimensions of what is derived of an array: those by which it is defined or, where it is a parameter, read.
#[must_use]
pub fn index_names(f: &Function, x: ArrayId) -> Vec<String> {
    let name = |i: &Index| f.indices[i.0 as usize].clone();
    if let Some(s) = f.definition(x) {
        return s.gens.iter().map(name).collect();
    }
    let reads = f.stmts.iter().flat_map(|s| s.rhs.accesses());
    let reads: Vec<&Access> = reads.map(|(_, a)| a).filter(|a| a.array == x).collect();
    let mut names: Vec<String> = vec![];
    for d in 0..f.array(x).extents.len() {
        let by = reads.iter().filter_map(|a| bare_index(&a.at[d])).map(|i| name(&i));
        let free = by.chain(["k", "l"].map(String::from)).find(|n| !names.contains(n));
        names.push(free.unwrap_or_else(|| "k".into()));
    }
    names
}
