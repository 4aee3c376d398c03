//! `Affine = constant + Σ coeff · atom`, sorted by atom; structural atoms, so no table and no context.

mod rename;

pub use super::names::Names;
pub use rename::{Table, product_of_atoms};

use super::omega::{BIG, floor_div, gcd};
use crate::sorted::Set;
use std::cmp::Ordering;

/// What an affine form does not look into. The order decides printing and columns: sizes, indices, the rest.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Atom {
    /// A size of the function: non-negative.
    Size(u32),
    /// A bound index.
    Index(u32),
    /// `⌊a / k⌋`, `k >= 2`; made by [`floor`].
    Floor(Box<Affine>, i64),
    /// An element of an index array: `idx[a, b]`.
    Element(u32, Vec<Affine>),
    /// A product of two or more atoms, sorted; made by [`product`].
    Product(Vec<Atom>),
}

/// See the module documentation.
///
/// Invariant: the terms are sorted by atom, each atom once, no coefficient is zero.
/// Invariant: coefficients are at most 2^40: checked where they are multiplied, so that sums stay far below 2^63.
/// Arithmetic gives `None` where a result would not fit.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Affine {
    /// Atoms with their coefficients.
    pub terms: Vec<(Atom, i64)>,
    /// What is added to them.
    pub constant: i64,
}

impl From<i64> for Affine {
    fn from(constant: i64) -> Affine {
        Affine { terms: vec![], constant }
    }
}

impl From<Atom> for Affine {
    fn from(atom: Atom) -> Affine {
        Affine { terms: vec![(atom, 1)], constant: 0 }
    }
}

fn fits(c: i64) -> Option<i64> {
    (c.unsigned_abs() <= BIG.unsigned_abs()).then_some(c)
}

impl Affine {
    /// `0`
    #[must_use]
    pub fn zero() -> Affine {
        Affine::default()
    }
    /// The size of this number.
    #[must_use]
    pub fn size(k: u32) -> Affine {
        Atom::Size(k).into()
    }
    /// The index of this number.
    #[must_use]
    pub fn index(k: u32) -> Affine {
        Atom::Index(k).into()
    }
    /// Whether it is the constant `0`.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.as_constant() == Some(0)
    }
    /// Whether it has no atoms.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }
    /// The constant that it is.
    #[must_use]
    pub fn as_constant(&self) -> Option<i64> {
        self.is_constant().then_some(self.constant)
    }
    /// The atom that it is: coefficient 1, no constant.
    #[must_use]
    pub fn as_atom(&self) -> Option<&Atom> {
        match self.terms.as_slice() {
            [(atom, 1)] if self.constant == 0 => Some(atom),
            _ => None,
        }
    }

    /// `self + other`
    #[must_use]
    pub fn plus(&self, other: &Affine) -> Option<Affine> {
        self.plus_scaled(1, other)
    }
    /// `self - other`
    #[must_use]
    pub fn minus(&self, other: &Affine) -> Option<Affine> {
        self.plus_scaled(-1, other)
    }
    /// `self + c`
    #[must_use]
    pub fn plus_constant(&self, c: i64) -> Option<Affine> {
        let constant = fits(self.constant.checked_add(c)?)?;
        Some(Affine { terms: self.terms.clone(), constant })
    }
    /// `self + c`, for the small steps between `<` and `<=`, which the limits leave room for.
    pub(crate) fn step(mut self, c: i64) -> Affine {
        self.constant = self.constant.saturating_add(c);
        self
    }
    /// `-self`
    #[must_use]
    pub fn negated(&self) -> Affine {
        let terms = self.terms.iter().map(|(t, c)| (t.clone(), c.saturating_neg())).collect();
        Affine { terms, constant: self.constant.saturating_neg() }
    }
    /// `k · self`
    #[must_use]
    pub fn scale(&self, k: i64) -> Option<Affine> {
        Affine::default().plus_scaled(k, self)
    }
    /// `self + k · other`
    #[must_use]
    pub fn plus_scaled(&self, k: i64, other: &Affine) -> Option<Affine> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (a.peek(), b.peek()) {
                (Some((x, _)), Some((y, _))) => x.cmp(y),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let (mut sum, mut atom) = (0i64, None);
            if order != Ordering::Greater
                && let Some((x, c)) = a.next()
            {
                (sum, atom) = (*c, Some(x));
            }
            if order != Ordering::Less
                && let Some((y, d)) = b.next()
            {
                (sum, atom) = (sum.checked_add(k.checked_mul(*d)?)?, Some(y));
            }
            if let (Some(atom), true) = (atom, sum != 0) {
                terms.push((atom.clone(), fits(sum)?));
            }
        }
        let constant = fits(self.constant.checked_add(k.checked_mul(other.constant)?)?)?;
        Some(Affine { terms, constant })
    }

    /// The coefficient of an atom.
    #[must_use]
    pub fn coeff(&self, a: &Atom) -> i64 {
        self.terms.binary_search_by(|t| t.0.cmp(a)).map_or(0, |p| self.terms[p].1)
    }
    /// The greatest common divisor of the coefficients; 0 for a constant.
    #[must_use]
    pub fn content(&self) -> i64 {
        self.terms.iter().fold(0, |g, t| gcd(g, t.1))
    }
    /// Whether `a` occurs anywhere, inside other atoms too.
    #[must_use]
    pub fn mentions(&self, a: &Atom) -> bool {
        self.terms.iter().any(|t| t.0.mentions(a))
    }
    /// Whether an atom with this property occurs anywhere, inside other atoms too.
    #[must_use]
    pub fn any_atom(&self, f: &dyn Fn(&Atom) -> bool) -> bool {
        self.terms.iter().any(|t| t.0.any_atom(f))
    }
    /// The numbers of the indices that occur anywhere.
    #[must_use]
    pub fn indices(&self) -> Set<u32> {
        let mut out = Set::new();
        self.each_atom(&mut |a| {
            if let Atom::Index(k) = a {
                out.insert(*k);
            }
        });
        out
    }
    /// Calls `f` with every atom, outer ones before those inside.
    pub fn each_atom(&self, f: &mut dyn FnMut(&Atom)) {
        self.terms.iter().for_each(|t| t.0.each_atom(f));
    }

    /// `self{a := e / k}` times `k`: for conditions, whose truth does not change when scaled.
    /// `None` on overflow.
    #[must_use]
    pub fn substitute(&self, a: &Atom, e: &Affine, k: i64) -> Option<Affine> {
        let inside = if k == 1 { e.clone() } else { floor(e, k)? };
        let mut out = Affine::from(fits(self.constant.checked_mul(k)?)?);
        for (t, c) in &self.terms {
            if t == a {
                out = out.plus_scaled(*c, e)?;
            } else if t.mentions(a) {
                let t = t.rename(&|x| (x == a).then(|| inside.clone()))?;
                out = out.plus_scaled(c.checked_mul(k)?, &t)?;
            } else {
                out = out.plus_scaled(c.checked_mul(k)?, &Affine::from(t.clone()))?;
            }
        }
        Some(out)
    }

    /// The value where sizes, indices and elements have these values; far beyond the limits it saturates.
    #[must_use]
    pub fn eval(&self, env: &dyn Fn(&Atom) -> i64) -> i64 {
        let add = |sum: i64, (a, c): &(Atom, i64)| sum.saturating_add(c.saturating_mul(a.eval(env)));
        self.terms.iter().fold(self.constant, add)
    }
}

/// `⌊a / k⌋` as an affine form: what is divisible leaves the floor. `None` also if `k < 1`.
#[must_use]
pub fn floor(a: &Affine, k: i64) -> Option<Affine> {
    if k <= 1 {
        return (k == 1).then(|| a.clone());
    }
    let mut out = Affine::from(floor_div(a.constant, k));
    let mut rest = Affine::from(a.constant.rem_euclid(k));
    for (t, c) in &a.terms {
        let t = Affine::from(t.clone());
        out = out.plus_scaled(floor_div(*c, k), &t)?;
        rest = rest.plus_scaled(c.rem_euclid(k), &t)?;
    }
    if rest.is_constant() {
        return Some(out);
    }
    // ⌊(g e + c) / (g k)⌋ = ⌊(e + ⌊c / g⌋) / k⌋
    let g = gcd(rest.content(), k);
    rest.terms.iter_mut().for_each(|t| t.1 /= g);
    rest.constant = floor_div(rest.constant, g);
    if k / g == 1 {
        return out.plus(&rest);
    }
    out.plus(&Affine::from(Atom::Floor(Box::new(rest), k / g)))
}

/// `a % k = a - k ⌊a / k⌋`, which is in `0..k`. `None` also if `k < 1`.
#[must_use]
pub fn modulo(a: &Affine, k: i64) -> Option<Affine> {
    a.plus_scaled(-k, &floor(a, k)?)
}

/// `a · b`, expanded into product atoms.
#[must_use]
pub fn product(a: &Affine, b: &Affine) -> Option<Affine> {
    let mut out = Affine::from(fits(a.constant.checked_mul(b.constant)?)?);
    for (t, c) in &a.terms {
        out = out.plus_scaled(c.checked_mul(b.constant)?, &t.clone().into())?;
    }
    for (t, c) in &b.terms {
        out = out.plus_scaled(c.checked_mul(a.constant)?, &t.clone().into())?;
    }
    for (t, c) in &a.terms {
        for (u, d) in &b.terms {
            out = out.plus_scaled(c.checked_mul(*d)?, &product_of_atoms(t, u).into())?;
        }
    }
    Some(out)
}

impl Atom {
    /// Whether `a` is this atom or occurs inside it.
    #[must_use]
    pub fn mentions(&self, a: &Atom) -> bool {
        self.any_atom(&|x| x == a)
    }
    /// Whether it is a product, by itself.
    #[must_use]
    pub fn is_product(&self) -> bool {
        matches!(self, Atom::Product(_))
    }
    /// Whether this atom or one inside it has a property.
    #[must_use]
    pub fn any_atom(&self, f: &dyn Fn(&Atom) -> bool) -> bool {
        f(self)
            || match self {
                Atom::Size(_) | Atom::Index(_) => false,
                Atom::Floor(e, _) => e.any_atom(f),
                Atom::Element(_, args) => args.iter().any(|e| e.any_atom(f)),
                Atom::Product(fs) => fs.iter().any(|x| x.any_atom(f)),
            }
    }
    /// Calls `f` with this atom and then with those inside.
    pub fn each_atom(&self, f: &mut dyn FnMut(&Atom)) {
        f(self);
        match self {
            Atom::Size(_) | Atom::Index(_) => {}
            Atom::Floor(e, _) => e.each_atom(f),
            Atom::Element(_, args) => args.iter().for_each(|e| e.each_atom(f)),
            Atom::Product(fs) => fs.iter().for_each(|x| x.each_atom(f)),
        }
    }
    /// The value where sizes, indices and elements have these values; far beyond the limits it saturates.
    #[must_use]
    pub fn eval(&self, env: &dyn Fn(&Atom) -> i64) -> i64 {
        match self {
            Atom::Size(_) | Atom::Index(_) | Atom::Element(..) => env(self),
            Atom::Floor(e, k) => floor_div(e.eval(env), *k),
            Atom::Product(fs) => fs.iter().fold(1i64, |p, f| p.saturating_mul(f.eval(env))),
        }
    }
}
