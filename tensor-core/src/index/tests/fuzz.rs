//! Every question against enumeration of a small box, on random predicates.

mod algebra;
mod solver;

use crate::index::affine::{floor, product};
use crate::index::pred::{Cond, Pred, eval};
use crate::index::{Affine, Atom};
use crate::sorted::Map;

/// xorshift
pub(super) struct Rng(pub u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }
    fn range(&mut self, lo: i64, hi: i64) -> i64 {
        lo + (self.next() % (hi - lo + 1) as u64) as i64
    }
    fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }
}

/// Indices are in `-BOX..=BOX`, sizes in `0..=BOX`.
const BOX: i64 = 3;

/// What random predicates are made of.
struct Gen {
    rng: Rng,
    atoms: Vec<Atom>,
    opaque: bool,
    floors: bool,
    elements: bool,
    products: bool,
}

impl Gen {
    fn new(seed: u64, atoms: &[Atom]) -> Gen {
        let rng = Rng(seed | 1);
        Gen { rng, atoms: atoms.to_vec(), opaque: false, floors: true, elements: false, products: false }
    }
    fn atom(&mut self) -> Affine {
        let k = self.rng.range(0, self.atoms.len() as i64 - 1);
        self.atoms[k as usize].clone().into()
    }
    fn affine(&mut self, depth: usize) -> Affine {
        let mut a = Affine::from(self.rng.range(-4, 4));
        for _ in 0..self.rng.range(1, 3) {
            let c = self.rng.range(-3, 3);
            let mut t = self.atom();
            if depth > 0 && self.floors && self.rng.chance(15) {
                t = floor(&self.affine(0), self.rng.range(2, 4)).unwrap();
            }
            if depth > 0 && self.elements && self.rng.chance(30) {
                t = Atom::Element(0, vec![self.affine(0)]).into();
            }
            if depth > 0 && self.products && self.rng.chance(35) {
                t = product(&self.atom(), &self.atom()).unwrap();
            }
            a = a.plus_scaled(c, &t).unwrap();
        }
        a
    }
    fn cond(&mut self, depth: usize) -> Cond {
        let a = self.affine(1);
        let k = self.rng.range(2, 4);
        match self.rng.range(0, if self.opaque { 13 } else { 11 }) {
            0 => Cond::Zero(a),
            1 => Cond::NonZero(a),
            2 => Cond::Residue(a, k),
            3 => Cond::NonResidue(a, k),
            4 if depth > 0 => Cond::Any((0..self.rng.range(1, 3)).map(|_| self.pred(depth - 1, 2)).collect()),
            12.. => Cond::Opaque { id: 0, args: vec![self.affine(0)], holds: self.rng.chance(50) },
            _ => Cond::NonNeg(a),
        }
    }
    fn pred(&mut self, depth: usize, max: i64) -> Pred {
        (0..self.rng.range(1, max)).map(|_| self.cond(depth)).collect()
    }
}

type Point = Map<Atom, i64>;

fn limits(a: &Atom) -> (i64, i64) {
    if matches!(a, Atom::Size(_)) { (0, BOX) } else { (-BOX, BOX) }
}

fn points(atoms: &[Atom]) -> Vec<Point> {
    let mut out = vec![Point::new()];
    for a in atoms {
        let (lo, hi) = limits(a);
        let with = |m: &Point, v: i64| {
            let mut m = m.clone();
            m.insert(a.clone(), v);
            m
        };
        out = out.iter().flat_map(|m| (lo..=hi).map(move |v| with(m, v))).collect();
    }
    out
}

/// The box as a predicate.
fn in_box(atoms: &[Atom]) -> Pred {
    let both = |a: &Atom| {
        let (lo, hi) = limits(a);
        let t = Affine::from(a.clone());
        [Cond::NonNeg(t.plus_constant(-lo).unwrap()), Cond::NonNeg(t.negated().plus_constant(hi).unwrap())]
    };
    atoms.iter().flat_map(both).collect()
}

/// Elements of the array and truth of the relation, as functions of a seed.
fn element(seed: u64, k: i64, extent: i64) -> i64 {
    let mut r = Rng(seed ^ (k as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    r.next();
    r.next();
    r.range(0, extent - 1)
}

/// The array has elements in `0..3`.
fn value(m: &Point, seed: u64, a: &Atom) -> i64 {
    match a {
        Atom::Element(_, args) => element(seed, args[0].eval(&|t| value(m, seed, t)), 3),
        a => m[a],
    }
}

fn truth(p: &[Cond], m: &Point, seed: u64) -> bool {
    eval(p, &|a| value(m, seed, a), &|_, args| element(seed.rotate_left(17), args[0], 2) == 1)
}
