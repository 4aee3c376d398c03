//! Random functions in Tensor SSA, in range by construction.

use crate::ast::Elem;
use crate::index::{Affine, Atom, Cond, Pred, cond};
use crate::prim::{Binary, Prim, Unary};
use crate::ssa::{Access, ArrayId, ArrayKind, Extreme, Function, Index, RealCompare, Rhs, Stmt, Term};

/// A function over sizes `n` and `m`.
pub fn random(seed: u64) -> Function {
    let f = Function {
        name: format!("random{seed}"),
        elem: Elem::F64,
        sizes: vec!["n".into(), "m".into()],
        assumptions: vec![],
        arrays: vec![],
        params: vec![],
        stmts: vec![],
        results: vec![],
        indices: vec![],
        comparisons: vec![],
        callees: vec![],
        recs: vec![],
    };
    let mut r =
        Random { f, state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, readable: vec![], elements: vec![] };
    r.fill();
    r.f
}

struct Random {
    f: Function,
    state: u64,
    readable: Vec<ArrayId>,
    /// Index arrays of rank 1 over `n` whose values lie in `0..m`.
    elements: Vec<ArrayId>,
}

/// An index and the extent it stays below.
type Scope = Vec<(Index, Affine)>;

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % n
    }
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
    fn size(&mut self) -> Affine {
        Affine::size(self.below(2) as u32)
    }

    fn fill(&mut self) {
        for rank in [0, 1, 1, 2] {
            let extents = (0..rank).map(|_| self.size()).collect();
            let p = self.f.new_array("p", extents);
            self.f.params.push(p);
            self.readable.push(p);
        }
        for _ in 0..4 + self.below(6) {
            self.stmt();
        }
        for _ in 0..1 + self.below(2) {
            let k = self.readable.len() - 1 - self.below(3);
            self.f.results.push(self.readable[k]);
        }
    }

    fn stmt(&mut self) {
        let rank = self.below(3);
        let extents: Vec<Affine> = (0..rank).map(|_| self.size()).collect();
        let scope: Scope = extents.iter().map(|e| (self.f.new_index("i"), e.clone())).collect();
        let rhs = match self.below(10) {
            0..=5 => Rhs::Contract((0..1 + self.below(3)).map(|_| self.term(&scope)).collect()),
            6..=7 => {
                let guard = self.guard(&scope);
                let (prim, n) = match self.below(6) {
                    0 => (Prim::Unary(Unary::Exp), 1),
                    1 => (Prim::Unary(Unary::Tanh), 1),
                    2 => (Prim::Unary(Unary::Sin), 1),
                    3 => (Prim::Binary(Binary::Max), 2),
                    4 => (Prim::Powi(Affine::from(self.below(4) as i64)), 1),
                    _ => (Prim::Binary(Binary::Hypot), 2),
                };
                let mut all = guard;
                let args = (0..n).map(|_| self.access(&scope, &mut all)).collect();
                Rhs::Prim { guard: all, prim, args }
            }
            8 => {
                let (over, e) = (self.f.new_index("s"), self.size());
                let mut guard = cond::within(&Affine::zero(), &over.affine(), &e).unwrap();
                let mut inner = scope.clone();
                inner.push((over, e));
                let arg = self.access(&inner, &mut guard);
                Rhs::Extreme { op: Extreme::Max, over, guard, arg }
            }
            _ => return self.arg_extreme(),
        };
        let array = self.f.new_array("a", extents);
        self.f.stmts.push(Stmt { array, gens: scope.into_iter().map(|s| s.0).collect(), rhs, step: None });
        self.readable.push(array);
    }

    /// `K[i < n] = argmax s < m. …`; it is read only where it is not negative.
    fn arg_extreme(&mut self) {
        let (n, m) = (Affine::size(0), Affine::size(1));
        let (i, over) = (self.f.new_index("i"), self.f.new_index("s"));
        let mut guard = cond::within(&Affine::zero(), &over.affine(), &m).unwrap();
        let arg = self.access(&vec![(i, n.clone()), (over, m.clone())], &mut guard);
        let array = self.f.new_array("k", vec![n]);
        let formal = self.f.new_index("f");
        self.f.arrays[array.0 as usize].kind =
            ArrayKind::Index { formals: vec![formal], lower: Affine::from(-1), upper: m };
        self.f.stmts.push(Stmt {
            array,
            gens: vec![i],
            rhs: Rhs::ArgExtreme { op: Extreme::Max, over, guard, arg },
            step: None,
        });
        self.elements.push(array);
    }

    fn term(&mut self, gens: &Scope) -> Term {
        let mut scope = gens.clone();
        let (mut sums, mut guard) = (vec![], vec![]);
        for _ in 0..[0, 0, 1, 1, 2][self.below(5)] {
            let (s, e) = (self.f.new_index("s"), self.size());
            guard.extend(cond::within(&Affine::zero(), &s.affine(), &e).unwrap());
            sums.push(s);
            scope.push((s, e));
        }
        let more = self.guard(&scope);
        guard.extend(more);
        let factors = (0..self.below(3)).map(|_| self.access(&scope, &mut guard)).collect();
        let coeff = [1.0, 1.0, 1.0, -1.0, 2.0, 0.5][self.below(6)];
        Term { sums, guard, coeff, factors }
    }

    fn guard(&mut self, scope: &Scope) -> Pred {
        let mut out = vec![];
        for _ in 0..[0, 0, 0, 1, 1, 2][self.below(6)] {
            let c = self.cond(scope, &mut out);
            out.push(c);
        }
        if self.chance(10) {
            out.push(Cond::Any(vec![vec![self.affine_cond(scope)], vec![self.affine_cond(scope)]]));
        }
        out
    }

    fn cond(&mut self, scope: &Scope, guard: &mut Pred) -> Cond {
        if !self.chance(20) {
            return self.affine_cond(scope);
        }
        let (l, r) = (self.access(scope, guard), self.access(scope, guard));
        let holds = self.chance(50);
        self.f.compare(RealCompare::Lt, l, r, holds)
    }

    fn affine_cond(&mut self, scope: &Scope) -> Cond {
        let one = |r: &mut Random| match r.below(scope.len() + 2) {
            0 => Affine::from(r.below(3) as i64),
            1 => r.size().step(-1),
            k => scope[k - 2].0.affine(),
        };
        let (a, b) = (one(self), one(self));
        let k = 1 + self.below(2) as i64;
        let d = a.plus_scaled(-k, &b).unwrap();
        match self.below(6) {
            0..=1 => Cond::Zero(d),
            2 => Cond::NonZero(d),
            3 => Cond::Residue(d, 2),
            _ => Cond::NonNeg(d),
        }
    }

    /// Some array at some place in range; what makes it so is added to the guard.
    fn access(&mut self, scope: &Scope, guard: &mut Pred) -> Access {
        let k = self.below(self.readable.len());
        let at = if self.chance(50) { self.readable.len() - 1 - k / 2 } else { k };
        let array = self.readable[at];
        let extents = self.f.array(array).extents.clone();
        let at = extents.iter().map(|e| self.index(scope, e, guard)).collect();
        Access { array, at }
    }

    fn index(&mut self, scope: &Scope, extent: &Affine, guard: &mut Pred) -> Affine {
        let outer = scope.iter().find(|s| s.1 == Affine::size(0));
        if *extent == Affine::size(1)
            && self.chance(30)
            && let (Some(k), Some((i, _))) = (self.elements.last().copied(), outer)
        {
            let element = Affine::from(Atom::Element(k.0, vec![i.affine()]));
            guard.push(Cond::NonNeg(element.clone()));
            return element;
        }
        let fitting: Vec<Affine> = scope.iter().filter(|s| s.1 == *extent).map(|s| s.0.affine()).collect();
        if !fitting.is_empty() && self.chance(75) {
            let i = fitting[self.below(fitting.len())].clone();
            return if self.chance(80) { i } else { extent.minus(&i).unwrap().step(-1) };
        }
        let any: Vec<Affine> = scope.iter().map(|s| s.0.affine()).collect();
        let e = match any.len() {
            0 => Affine::from(self.below(2) as i64),
            n => {
                let (i, j) = (&any[self.below(n)], &any[self.below(n)]);
                match self.below(4) {
                    0 => Affine::from(self.below(2) as i64),
                    1 => i.step(1),
                    2 => i.plus(j).unwrap(),
                    _ => i.scale(2).unwrap().step(-1),
                }
            }
        };
        guard.extend(cond::within(&Affine::zero(), &e, extent).unwrap());
        e
    }
}

trait Step {
    fn step(&self, c: i64) -> Affine;
}
impl Step for Affine {
    fn step(&self, c: i64) -> Affine {
        self.plus_constant(c).unwrap()
    }
}
