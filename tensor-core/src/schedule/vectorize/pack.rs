//! What a vectorized loop reads far apart, again and again, is copied once for each lane.
//!
//! ```text
//! lanes i { for c { for a { … x[i, a] … } } }  →  lanes i { for a { y[a] = x[i, a] }; for c { for a { … y[a] … } } }
//! ```

use super::count::rounded;
use super::{Chooser, Loop, vectors};
use crate::index::{Affine, Atom, Cond};
use crate::loops::stride::Stride;
use crate::loops::visit::{How, Item, visit};
use crate::loops::walk::{map_places, substitute};
use crate::loops::{Buffer, Expr, Leaf, Order, Place, Stmt, Storage, Test, VarId, Variable};
use crate::mark::{self, Mark};
use crate::schedule::range::minus;
use crate::sorted::Set;
use crate::ssa::Index;
use crate::weights;

/// A place that is to be copied.
struct Far {
    place: Place,
    /// The dimension that moves with the lane.
    dimension: usize,
    /// The loops that it moves with, from the outside in.
    moves: Vec<Loop>,
    /// Whether the others run at all.
    tests: Vec<Test>,
    /// How often its elements are read in one place, at most.
    often: f64,
    /// In how many places.
    places: usize,
}

impl Far {
    /// The same read in another place: it is copied where one of them is reached.
    fn join(&mut self, other: Far) {
        let range = |l: &Loop| (l.index, l.lower.clone(), l.upper.clone());
        if !self.moves.iter().map(range).eq(other.moves.iter().map(range)) {
            return;
        }
        self.places += 1;
        self.often = self.often.max(other.often);
        if self.tests.is_empty() || other.tests.is_empty() {
            self.tests.clear();
        } else if self.tests != other.tests {
            self.tests = vec![Test::Any(vec![std::mem::take(&mut self.tests), other.tests])];
        }
    }

    /// Whether a copy stands for all reads of so many.
    fn serves(&self, reads: usize) -> bool {
        self.places == reads || self.tests.is_empty() && self.moves.is_empty()
    }
}

impl Chooser<'_> {
    /// Statements with such copies in all vectorized loops.
    pub(super) fn pack(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let one = |s: Stmt| match s {
            Stmt::For {
                index,
                lower,
                upper,
                step: None,
                order: Order::Lanes { cost, sequence, straight, strips },
                body,
                ..
            } => {
                let packed = match self.candidate(index, &body) {
                    Some(c) => self.gathered(&c, body.clone()),
                    None => body.clone(),
                };
                let packed = self.copied(index, packed);
                let Some(c) = self.candidate(index, &packed).filter(|_| packed != body) else {
                    let order = Order::Lanes { cost, sequence, straight, strips };
                    return Stmt::looped(index, lower, upper, None, order, body);
                };
                let n = self.iterations(index, &lower, &upper);
                let cost = rounded(vectors(n) * self.flat(&packed, &c) + weights::cost::LANES);
                let order = Order::Lanes { cost, sequence, straight, strips };
                Stmt::looped(index, lower, upper, None, order, packed)
            }
            Stmt::For { index, lower, upper, step, order, body, .. } => {
                Stmt::looped(index, lower, upper, step, order, self.pack(body))
            }
            Stmt::If { tests, body, otherwise } => {
                Stmt::If { tests, body: self.pack(body), otherwise: self.pack(otherwise) }
            }
            s => s,
        };
        stmts.into_iter().map(one).collect()
    }

    fn copied(&mut self, lane: Index, mut body: Vec<Stmt>) -> Vec<Stmt> {
        let mut found = vec![];
        self.far(lane, &body, &mut vec![], &mut found);
        let (mut written, mut bound, mut read) = (Set::new(), vec![], vec![]);
        visit(&body, &mut |item| match item {
            Item::Place(p, How::Assign | How::Combine) => written.extend([p.var]),
            Item::Filled(v) => written.extend([v]),
            Item::Bound(i) => bound.push(i),
            Item::Place(p, How::Read) => read.push(p.clone()),
            Item::Declared(_) | Item::Element(..) | Item::Form(_) | Item::Decides(_) | Item::Whole => {}
        });
        found.retain(|f| {
            // A loop in pieces binds its index in each: one piece does not copy for the others.
            let once = |i: &Index| bound.iter().filter(|b| *b == i).count() == 1;
            let within = |i: &Index| once(i) && f.moves.iter().any(|l| l.index == *i);
            let mentions = |i: &Index| f.place.moves(*i);
            let reads = read.iter().filter(|p| **p == f.place).count();
            let pays =
                f.often >= weights::vectorize::OFTEN && f.serves(reads) && !written.contains(&f.place.var);
            pays && bound.iter().all(|i| !mentions(i) || within(i))
        });
        let mut copies = vec![];
        for far in found {
            mark::hit(Mark::Copied);
            let var = self.copy_of(&far, lane);
            let at = far.place.at.iter().enumerate().filter(|(d, _)| *d != far.dimension);
            let packed = Place { var, at: at.map(|(_, a)| a.clone()).collect() };
            body = map_places(body, &mut |p| if p == far.place { packed.clone() } else { p });
            if packed.at.is_empty() {
                copies.push(Stmt::Leaf(Leaf::Declare { var, value: read_if(far.tests, far.place) }));
                continue;
            }
            let copy = Stmt::Leaf(Leaf::Assign { target: packed, value: Expr::Read(far.place) });
            let nest = far
                .moves
                .into_iter()
                .rev()
                .fold(copy, |inner, l| Loop { body: vec![inner], ..l }.stmt(Order::Sequence));
            copies.push(if far.tests.is_empty() {
                nest
            } else {
                Stmt::If { tests: far.tests, body: vec![nest], otherwise: vec![] }
            });
        }
        copies.extend(body);
        copies
    }

    /// The places that every iteration of the loops around reads far apart, with those loops.
    fn far(&mut self, lane: Index, stmts: &[Stmt], around: &mut Vec<Loop>, out: &mut Vec<Far>) {
        for s in stmts {
            match s {
                Stmt::For { index, lower, upper, step: None, body, .. } => {
                    let (lower, upper) = (lower.clone(), upper.clone());
                    around.push(Loop { index: *index, lower, upper, body: vec![] });
                    self.far(lane, body, around, out);
                    around.pop();
                }
                Stmt::Leaf(leaf) => {
                    let mut read = vec![];
                    leaf.value().into_iter().for_each(|e| always(e, &mut read));
                    for place in read {
                        let Some(far) = self.copy(place, lane, around) else { continue };
                        match out.iter_mut().find(|f| f.place == far.place) {
                            Some(before) => before.join(far),
                            None => out.push(far),
                        }
                    }
                }
                Stmt::For { .. } | Stmt::If { .. } => {}
            }
        }
    }

    /// The copy for a place that is read inside of these loops.
    fn copy(&mut self, place: Place, lane: Index, around: &[Loop]) -> Option<Far> {
        let atom = lane.atom();
        let mut moving = place.at.iter().enumerate().filter(|(_, a)| a.mentions(&atom));
        let ((dimension, _), None) = (moving.next()?, moving.next()) else { return None };
        let whole = place.at.len() == self.program.vars.get(place.var.0 as usize)?.extents.len();
        if !whole || place.stride(&atom) != Stride::Far {
            return None;
        }
        let mentions = |l: &Loop| place.moves(l.index);
        let rest: Vec<&Affine> =
            place.at.iter().enumerate().filter(|(d, _)| *d != dimension).map(|d| d.1).collect();
        let of_lane = |l: &Loop| place.at[dimension].mentions(&l.index.atom());
        let (moves, others): (Vec<Loop>, Vec<Loop>) = around.iter().cloned().partition(mentions);
        let bounds = |l: &Loop| l.lower.iter().chain(&l.upper).map(|b| b.num.clone()).collect::<Vec<_>>();
        let free = |l: &Loop, of: &[Loop]| {
            !bounds(l).iter().any(|b| b.mentions(&atom) || of.iter().any(|o| b.mentions(&o.index.atom())))
        };
        let plain = |a: &&Affine| a.terms.iter().all(|t| matches!(t.0, Atom::Index(_) | Atom::Size(_)));
        if moves.iter().any(of_lane) || !rest.iter().all(plain) || !moves.iter().all(|l| free(l, &others)) {
            return None;
        }
        let mut often = 1.0;
        let mut tests = vec![];
        for l in &others {
            often *= self.iterations(l.index, &l.lower, &l.upper);
            let ([low], [high]) = (l.lower.as_slice(), l.upper.as_slice()) else { return None };
            let count = minus(&high.num, &low.num);
            if low.den != 1 || high.den != 1 || !free(l, around) && !is_never_negative(&count, &moves) {
                return None;
            }
            if free(l, around) && (!count.is_constant() || count.constant < 0) {
                tests.push(Test::Index(Cond::NonNeg(count)));
            }
        }
        Some(Far { place, dimension, moves, tests, often, places: 1 })
    }

    /// A variable for the elements of all lanes: of one for each, a local.
    fn copy_of(&mut self, far: &Far, lane: Index) -> VarId {
        let from = self.program.var(far.place.var);
        let name = format!("{}_packed", from.name);
        let why = format!("copy of `{}`, which lanes read far apart", from.name);
        let extents: Vec<Affine> = from
            .extents
            .iter()
            .enumerate()
            .filter(|(d, _)| *d != far.dimension)
            .map(|(_, e)| e.clone())
            .collect();
        if extents.is_empty() {
            let storage = Storage::Local;
            return self.variable(Variable {
                why,
                name,
                storage,
                extents,
                holds_indices: false,
                lanes: None,
            });
        }
        let work = self.program.work.len() + self.work.len();
        let mut room = extents.clone();
        room.push(crate::loops::WIDEST.into());
        self.work.push(Buffer { name: name.clone(), extents: room, holds_indices: false });
        let (storage, lanes) = (Storage::Work(work), Some(lane));
        self.variable(Variable { why, name, storage, extents, holds_indices: false, lanes })
    }
}

/// A place where tests hold, else zero.
fn read_if(tests: Vec<Test>, place: Place) -> Expr {
    let read = Expr::Read(place);
    if tests.is_empty() { read } else { Expr::If(tests, Box::new(read)) }
}

/// Whether a form is never negative, visibly: it is a number at the ends of loops with literal bounds.
fn is_never_negative(f: &Affine, loops: &[Loop]) -> bool {
    let ends = |l: &Loop| match (l.lower.as_slice(), l.upper.as_slice()) {
        ([low], [high]) if low.den == 1 && high.den == 1 => Some((low.num.clone(), high.num.clone())),
        _ => None,
    };
    let least = loops.iter().try_fold(f.clone(), |least, l| {
        let k = least.coeff(&l.index.atom());
        let (low, high) = ends(l)?;
        Some(substitute(&least, &l.index.atom(), if k < 0 { &high } else { &low }))
    });
    least.and_then(|a| a.as_constant()).is_some_and(|c| c >= 0)
}

/// The places that an expression reads whatever holds.
fn always(e: &Expr, out: &mut Vec<Place>) {
    match e {
        Expr::Number(_) | Expr::Constant(_) | Expr::OfIndex(_) => {}
        Expr::Read(p) => out.push(p.clone()),
        Expr::Neg(a) => always(a, out),
        Expr::Add(a, b) | Expr::Mul(a, b) => {
            always(a, out);
            always(b, out);
        }
        Expr::Call(_, args) => args.iter().for_each(|a| always(a, out)),
        Expr::If(..) => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::schedule::schedule;
    use crate::schedule::tests::{Of, derived};

    /// Distances of points to centers: the points are the lanes.
    const CENTERS: &str = "size n k d\n param x[n, d] m[k, d] q[k, d] l[k, d, d]\n r[i<n, c<k, a<d] = x[i, a] + - m[c, a]\n z[i<n, c<k, a<d] = q[c, a] r[i, c, a] + sum b<d. [b < a] l[c, a, b] r[i, c, b]\n e[i<n, c<k] = sum a<d. z[i, c, a] z[i, c, a]\n s[i<n] = sum c<k. e[i, c]\n t[i<n] = ln(s[i])\n v[] = sum i<n. t[i]\n result v";

    #[test]
    fn what_is_read_far_apart_again_and_again_is_copied_once() {
        let loops = schedule(&derived(CENTERS, Of::Itself)).to_string();
        assert!(loops.contains("x_packed[a] = x[i, a]"), "{loops}");
        assert_eq!(loops.matches(" x[i,").count(), 1, "{loops}");
    }

    #[test]
    fn one_element_for_each_lane_is_a_local() {
        let source = "size n\n param x[2*n] w[17] y[n]\n r[i<n, c<17] = x[2*i] + y[i] w[c]\n t[i<n, c<17] = tanh(r[i, c])\n result t";
        let loops = schedule(&derived(source, Of::Itself)).to_string();
        assert!(loops.contains("x_packed = x[2*i]"), "{loops}");
        assert_eq!(loops.matches("x[2*i]").count(), 1, "{loops}");
    }

    #[test]
    fn sums_over_a_triangle_are_gathered() {
        let loops = schedule(&derived(CENTERS, Of::Grad)).to_string();
        assert!(loops.contains("for a2 in 2*a_pair + 2..d {"), "{loops}");
        assert!(loops.contains("+= l[c, a2, 2*a_pair]*z_bar[a2]"), "{loops}");
        assert!(loops.contains("for a2 in max(0, a + 1)..d {"), "{loops}");
        assert!(loops.contains("+= l[c, a2, a]*z_bar[a2]"), "{loops}");
    }
}
