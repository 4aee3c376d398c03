//! A small evaluator of Tensor SSA that checks its invariants and counts operations.

use crate::index::{Affine, Atom, Cond};
use crate::prim::{Formula, Prim};
use crate::sorted::{Map, Set};
use crate::ssa::{Access, ArrayId, ArrayKind, Extreme, Function, Index, RealCompare, Rhs, Stmt};

/// Values of an array, row-major.
pub type Values = Vec<f64>;

/// The results, and the number of operations by the cost model of what the results need.
pub fn run(f: &Function, sizes: &[i64], params: &[Values]) -> (Vec<Values>, usize) {
    check_bound_once(f);
    let needed = needed(f);
    let mut r = Run { f, sizes, values: Map::new(), cost: 0, free: Map::new() };
    assert_eq!(f.params.len(), params.len());
    for (p, v) in f.params.iter().zip(params) {
        assert_eq!(r.points(&f.array(*p).extents).len(), v.len(), "{}", f.array(*p).name);
        r.values.insert(*p, v.clone());
    }
    for s in f.stmts.iter().filter(|s| needed.contains(&s.array)) {
        r.statement(s);
    }
    (f.results.iter().map(|a| r.values[a].clone()).collect(), r.cost)
}

fn check_bound_once(f: &Function) {
    let mut seen = Set::new();
    let mut bind = |i: &Index| assert!(seen.insert(*i), "index bound twice: {}", f.indices[i.0 as usize]);
    for s in &f.stmts {
        s.gens.iter().for_each(&mut bind);
        match &s.rhs {
            Rhs::Contract(ts) => ts.iter().flat_map(|t| &t.sums).for_each(&mut bind),
            Rhs::Extreme { over, .. } | Rhs::ArgExtreme { over, .. } => bind(over),
            Rhs::Call(c) => c.args.iter().flat_map(|a| &a.own).for_each(&mut bind),
            Rhs::Prim { .. } | Rhs::OfIndex(_) | Rhs::Constant(_) => {}
        }
        if let ArrayKind::Index { formals, .. } = &f.array(s.array).kind {
            formals.iter().for_each(&mut bind);
        }
    }
}

/// The number of statements that the results depend on.
pub fn count_needed(f: &Function) -> usize {
    let needed = needed(f);
    f.stmts.iter().filter(|s| needed.contains(&s.array)).count()
}

/// Arrays that the results depend on.
fn needed(f: &Function) -> Set<ArrayId> {
    let mut all: Set<ArrayId> = f.results.iter().copied().collect();
    for s in f.stmts.iter().rev() {
        if all.contains(&s.array) {
            all.extend(reads(f, s));
        }
    }
    all
}

fn reads(f: &Function, s: &Stmt) -> Vec<ArrayId> {
    fn affine(a: &Affine, out: &mut Vec<ArrayId>) {
        for (t, _) in &a.terms {
            match t {
                Atom::Element(id, args) => {
                    out.push(ArrayId(*id));
                    args.iter().for_each(|a| affine(a, out));
                }
                Atom::Floor(e, _) => affine(e, out),
                Atom::Size(_) | Atom::Index(_) | Atom::Product(_) => {}
            }
        }
    }
    fn pred(f: &Function, p: &[Cond], out: &mut Vec<ArrayId>) {
        for c in p {
            match c {
                Cond::Opaque { id, args, .. } => {
                    let c = f.comparisons[*id as usize];
                    out.extend([c.left, c.right]);
                    args.iter().for_each(|a| affine(a, out));
                }
                Cond::Any(ps) => ps.iter().for_each(|p| pred(f, p, out)),
                c => c.affines().into_iter().for_each(|a| affine(a, out)),
            }
        }
    }
    let mut out = vec![];
    let (guards, accesses): (Vec<&Vec<Cond>>, Vec<&Access>) = match &s.rhs {
        Rhs::Contract(ts) => {
            (ts.iter().map(|t| &t.guard).collect(), ts.iter().flat_map(|t| &t.factors).collect())
        }
        Rhs::Prim { guard, args, .. } => (vec![guard], args.iter().collect()),
        Rhs::Extreme { guard, arg, .. } | Rhs::ArgExtreme { guard, arg, .. } => (vec![guard], vec![arg]),
        Rhs::OfIndex(_) | Rhs::Constant(_) => (vec![], vec![]),
        Rhs::Call(c) => (vec![&c.guard], c.args.iter().map(|a| &a.access).collect()),
    };
    guards.into_iter().for_each(|p| pred(f, p, &mut out));
    for a in accesses {
        out.push(a.array);
        a.at.iter().for_each(|e| affine(e, &mut out));
    }
    out
}

struct Run<'a> {
    f: &'a Function,
    sizes: &'a [i64],
    values: Map<ArrayId, Values>,
    cost: usize,
    free: Map<u32, i64>,
}

impl Run<'_> {
    fn affine(&self, a: &Affine) -> i64 {
        a.eval(&|t| match t {
            Atom::Size(k) => self.sizes[*k as usize],
            Atom::Index(k) => self.free[k],
            Atom::Element(id, args) => self.value(&Access { array: ArrayId(*id), at: args.clone() }) as i64,
            Atom::Floor(..) | Atom::Product(_) => unreachable!(),
        })
    }

    fn points(&self, extents: &[Affine]) -> Vec<Vec<i64>> {
        let mut all = vec![vec![]];
        for e in extents {
            let n = self.affine(e);
            all = all
                .iter()
                .flat_map(|p: &Vec<i64>| (0..n).map(move |k| [p.as_slice(), &[k]].concat()))
                .collect();
        }
        all
    }

    fn value(&self, a: &Access) -> f64 {
        let array = self.f.array(a.array);
        let mut at = 0;
        assert_eq!(a.at.len(), array.extents.len());
        for (e, n) in a.at.iter().zip(&array.extents) {
            let (k, n) = (self.affine(e), self.affine(n));
            assert!((0..n).contains(&k), "{} is read at {k} of {n}", array.name);
            at = at * n + k;
        }
        self.values.get(&a.array).unwrap_or_else(|| panic!("{} is read before it is defined", array.name))
            [at as usize]
    }

    fn holds(&self, p: &[Cond]) -> bool {
        p.iter().all(|c| match c {
            Cond::Zero(a) => self.affine(a) == 0,
            Cond::NonZero(a) => self.affine(a) != 0,
            Cond::NonNeg(a) => self.affine(a) >= 0,
            Cond::Residue(a, k) => self.affine(a).rem_euclid(*k) == 0,
            Cond::NonResidue(a, k) => self.affine(a).rem_euclid(*k) != 0,
            Cond::Opaque { id, args, holds } => {
                let (op, l, r) = self.f.compared(*id, args);
                let (l, r) = (self.value(&l), self.value(&r));
                *holds
                    == match op {
                        RealCompare::Lt => l < r,
                        RealCompare::Le => l <= r,
                        RealCompare::Eq => l == r,
                    }
            }
            Cond::Any(ps) => ps.iter().any(|p| self.holds(p)),
        })
    }

    /// The values of the sums where the guard holds: looked for in a box that contains all sizes.
    fn live(&mut self, sums: &[Index], guard: &[Cond], each: &mut dyn FnMut(&mut Self)) {
        let Some((s, rest)) = sums.split_first() else {
            if self.holds(guard) {
                each(self);
            }
            return;
        };
        let top = self.sizes.iter().sum::<i64>() + 4;
        for k in -2..top {
            self.free.insert(s.0, k);
            // What is decided already cuts the search.
            let known =
                |c: &&Cond| c.is_affine() && !rest.iter().any(|r| c.mentions(&r.atom())) && reads_nothing(c);
            let early: Vec<Cond> = guard.iter().filter(known).cloned().collect();
            if self.holds(&early) {
                self.live(rest, guard, each);
            }
        }
        self.free.remove(&s.0);
    }

    fn statement(&mut self, s: &Stmt) {
        let f = self.f;
        let mut out = vec![];
        for point in self.points(&f.array(s.array).extents) {
            for (g, k) in s.gens.iter().zip(&point) {
                self.free.insert(g.0, *k);
            }
            out.push(self.element(s));
        }
        s.gens.iter().for_each(|g| {
            self.free.remove(&g.0);
        });
        assert!(self.values.insert(s.array, out).is_none(), "{} is defined twice", f.array(s.array).name);
    }

    fn element(&mut self, s: &Stmt) -> f64 {
        match &s.rhs {
            Rhs::Contract(terms) => {
                let (mut total, mut count) = (0.0, 0usize);
                for t in terms {
                    assert!(t.factors.len() <= 2);
                    let (mut sum, mut n) = (0.0, 0usize);
                    self.live(&t.sums, &t.guard, &mut |r| {
                        sum += t.factors.iter().map(|a| r.value(a)).product::<f64>();
                        n += 1;
                        r.cost += t.factors.len().saturating_sub(1);
                    });
                    if n > 0 {
                        total += t.coeff * sum;
                        self.cost += usize::from(t.coeff.abs() != 1.0 && !t.factors.is_empty());
                    }
                    count += n;
                }
                self.cost += count.saturating_sub(1);
                total
            }
            Rhs::Prim { guard, prim, args } => {
                if !self.holds(guard) {
                    return 0.0;
                }
                let x: Vec<f64> = args.iter().map(|a| self.value(a)).collect();
                self.cost += if matches!(prim, Prim::Formula(_)) { 1 } else { x.len() };
                apply(prim, &x, &|e| self.affine(e))
            }
            Rhs::Extreme { op, over, guard, arg } => {
                let mut all = vec![];
                self.live(&[*over], guard, &mut |r| all.push(r.value(arg)));
                self.cost += all.len().saturating_sub(1);
                match op {
                    Extreme::Max => all.into_iter().fold(f64::NEG_INFINITY, f64::max),
                    Extreme::Min => all.into_iter().fold(f64::INFINITY, f64::min),
                }
            }
            Rhs::ArgExtreme { op, over, guard, arg } => self.arg_extreme(s, *op, *over, guard, arg),
            Rhs::OfIndex(e) => self.affine(e) as f64,
            Rhs::Constant(_) => f64::INFINITY,
            Rhs::Call(_) => panic!("programs here call no functions of Rust"),
        }
    }

    fn arg_extreme(&mut self, s: &Stmt, op: Extreme, over: Index, guard: &[Cond], arg: &Access) -> f64 {
        let ArrayKind::Index { formals, lower, upper } = &self.f.array(s.array).kind else {
            panic!("of reals")
        };
        let mut best: Option<(i64, f64)> = None;
        self.live(&[over], guard, &mut |r| {
            let x = r.value(arg);
            let better = best.is_none_or(|(_, b)| match op {
                Extreme::Max => x > b || b.is_nan() && !x.is_nan(),
                Extreme::Min => x < b || b.is_nan() && !x.is_nan(),
            });
            if better {
                best = Some((r.free[&over.0], x));
            }
        });
        for (formal, g) in formals.iter().zip(&s.gens) {
            let k = self.free[&g.0];
            self.free.insert(formal.0, k);
        }
        let (lower, upper) = (self.affine(lower), self.affine(upper));
        let k = best.map_or(lower, |b| b.0);
        assert!(lower <= k && (k < upper || best.is_none()), "{lower} <= {k} < {upper}");
        k as f64
    }
}

fn reads_nothing(c: &Cond) -> bool {
    c.affines().iter().all(|a| a.terms.iter().all(|t| matches!(t.0, Atom::Size(_) | Atom::Index(_))))
}

/// A primitive of numbers.
pub fn apply(p: &Prim, x: &[f64], index: &dyn Fn(&Affine) -> i64) -> f64 {
    match p {
        Prim::Unary(u) => u.value(x[0]),
        Prim::Binary(b) => b.value(x[0], x[1]),
        Prim::Clamp => x[0].max(x[1]).min(x[2]),
        Prim::Powi(k) => x[0].powi(index(k) as i32),
        Prim::Stop => x[0],
        Prim::FiniteOrZero => {
            if x[0].is_finite() {
                x[0]
            } else {
                0.0
            }
        }
        Prim::Outer(_) => x[0],
        Prim::Formula(f) => formula(f, x, index),
    }
}

/// A formula of numbers.
pub fn formula(f: &Formula, x: &[f64], index: &dyn Fn(&Affine) -> i64) -> f64 {
    let go = |f: &Formula| formula(f, x, index);
    match f {
        Formula::Arg(k) => x[*k],
        Formula::Number(c) => *c,
        Formula::OfIndex(e) => index(e) as f64,
        Formula::Neg(a) => -go(a),
        Formula::Add(a, b) => go(a) + go(b),
        Formula::Mul(a, b) => go(a) * go(b),
        Formula::Apply(p, xs) => apply(p, &xs.iter().map(go).collect::<Vec<_>>(), index),
    }
}
