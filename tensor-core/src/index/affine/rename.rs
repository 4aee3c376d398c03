//! Simultaneous substitution of atoms, and renumbering of index arrays and opaque conditions.

use super::{Affine, Atom, floor, product};
use crate::sorted;

/// What an id is a number of, for renumbering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// Index arrays: `Atom::Element`.
    Element,
    /// Relations and comparisons of reals: `Cond::Opaque`.
    Opaque,
}

/// `t · u`, where either may be a product already.
#[must_use]
pub fn product_of_atoms(t: &Atom, u: &Atom) -> Atom {
    let mut factors = vec![];
    for x in [t, u] {
        match x {
            Atom::Product(p) => factors.extend(p.iter().cloned()),
            Atom::Size(_) | Atom::Index(_) | Atom::Floor(..) | Atom::Element(..) => factors.push(x.clone()),
        }
    }
    sorted::sort(&mut factors);
    Atom::Product(factors)
}

impl Affine {
    /// `self{a := f(a), …}`, all at once: `f` is asked for every atom, outer ones first, and where it says `None` for those
    /// inside. What it gives is not looked into again. `None` on overflow.
    #[must_use]
    pub fn rename(&self, f: &dyn Fn(&Atom) -> Option<Affine>) -> Option<Affine> {
        let mut out = Affine::from(self.constant);
        for (t, c) in &self.terms {
            out = out.plus_scaled(*c, &t.rename(f)?)?;
        }
        Some(out)
    }
    /// The same form with other numbers for its index arrays.
    #[must_use]
    pub fn renumber(&self, ids: &dyn Fn(Table, u32) -> u32) -> Affine {
        let mut terms: Vec<(Atom, i64)> = self.terms.iter().map(|(t, c)| (t.renumber(ids), *c)).collect();
        sorted::sort(&mut terms);
        let distinct = terms.windows(2).all(|w| w[0].0 != w[1].0);
        let plain = Affine { terms, constant: self.constant };
        // Numbers that become one make terms that add up.
        if distinct { plain } else { plain.rename(&|_| None).unwrap_or(plain) }
    }
}

impl Atom {
    /// As [`Affine::rename`].
    #[must_use]
    pub fn rename(&self, f: &dyn Fn(&Atom) -> Option<Affine>) -> Option<Affine> {
        if let Some(e) = f(self) {
            return Some(e);
        }
        match self {
            Atom::Size(_) | Atom::Index(_) => Some(self.clone().into()),
            Atom::Floor(x, k) => floor(&x.rename(f)?, *k),
            Atom::Element(id, args) => {
                let args = args.iter().map(|x| x.rename(f)).collect::<Option<Vec<_>>>()?;
                Some(Atom::Element(*id, args).into())
            }
            Atom::Product(factors) => {
                let mut out = Affine::from(1);
                for x in factors {
                    out = product(&out, &x.rename(f)?)?;
                }
                Some(out)
            }
        }
    }
    fn renumber(&self, ids: &dyn Fn(Table, u32) -> u32) -> Atom {
        match self {
            Atom::Size(_) | Atom::Index(_) => self.clone(),
            Atom::Floor(x, k) => Atom::Floor(Box::new(x.renumber(ids)), *k),
            Atom::Element(id, args) => {
                Atom::Element(ids(Table::Element, *id), args.iter().map(|x| x.renumber(ids)).collect())
            }
            Atom::Product(factors) => {
                let mut factors: Vec<Atom> = factors.iter().map(|x| x.renumber(ids)).collect();
                sorted::sort(&mut factors);
                Atom::Product(factors)
            }
        }
    }
}
