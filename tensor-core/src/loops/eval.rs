//! The loop evaluator: what a program computes, and what that costs by the cost model.

use super::{Expr, Place, Program, Stmt, Storage, Test, VarId};
use crate::index::{Affine, Atom, Cond};
use crate::prim::{Binary, Formula, Prim, Unary};
use crate::ssa::{Extreme, RealCompare};
use std::collections::BTreeMap;

/// What an execution counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Additions, and comparisons of `max` and `min` reductions. The first term that is added to zero is none.
    pub adds: u64,
    /// Multiplications, but by ±1.
    pub muls: u64,
    /// Calls of scalar functions, one for each argument; a closed form counts one.
    pub calls: u64,
    /// Iterations of loops.
    pub iterations: u64,
    /// Guards tested: each test of an `If`.
    pub tests: u64,
    /// Elements of buffers written.
    pub stores: u64,
}

impl Counts {
    /// Additions, multiplications and calls.
    #[must_use]
    pub fn cost(&self) -> u64 {
        self.adds + self.muls + self.calls
    }
}

/// One result leaf: its elements in row-major order; one for a scalar.
pub type Leaf = Vec<f64>;

/// A value of a variable: numbers, and whether each has received a term since it became zero.
#[derive(Clone, Debug, Default)]
struct Cells {
    reals: Vec<f64>,
    live: Vec<bool>,
    indices: Vec<i64>,
    extents: Vec<i64>,
}

struct Machine<'a> {
    program: &'a Program,
    sizes: &'a [i64],
    constants: &'a dyn Fn(&str) -> f64,
    vars: Vec<Cells>,
    env: BTreeMap<u32, i64>,
    counts: Counts,
}

/// Runs a program on the leaves of its parameters; buffers start as NaN. `constants` resolves Rust constants.
///
/// # Panics
/// Where the program reads or writes outside a buffer: the evaluator judges programs.
#[must_use]
pub fn run(
    program: &Program,
    sizes: &[i64],
    params: &[Leaf],
    constants: &dyn Fn(&str) -> f64,
) -> (Vec<Leaf>, Counts) {
    let mut m =
        Machine { program, sizes, constants, vars: vec![], env: BTreeMap::new(), counts: Counts::default() };
    for v in &program.vars {
        let extents: Vec<i64> = v.extents.iter().map(|e| m.affine(e)).collect();
        let len = usize::try_from(extents.iter().product::<i64>()).expect("extents are not negative");
        let reals = match v.storage {
            Storage::Param(k) => params[k].clone(),
            Storage::Result(_) | Storage::Work(_) | Storage::Local => vec![f64::NAN; len],
        };
        assert_eq!(reals.len(), len, "the length of `{}`", v.name);
        m.vars.push(Cells { live: vec![true; len], indices: vec![i64::MIN; len], reals, extents });
    }
    m.block(&program.body);
    let mut scalars = program.scalars.iter();
    let mut leaves = vec![];
    for (k, r) in program.function.results.iter().enumerate() {
        if program.function.array(*r).extents.is_empty() {
            let e = scalars.next().expect("one scalar for each result of rank 0");
            leaves.push(vec![m.expr(e).0]);
        } else {
            let v = program.vars.iter().position(|v| v.storage == Storage::Result(k));
            leaves.push(m.vars[v.expect("every result has a buffer")].reals.clone());
        }
    }
    (leaves, m.counts)
}

impl Machine<'_> {
    fn atom(&self, a: &Atom) -> i64 {
        match a {
            Atom::Size(k) => self.sizes[*k as usize],
            Atom::Index(k) => *self.env.get(k).expect("indices are bound"),
            Atom::Floor(e, k) => self.affine(e).div_euclid(*k),
            Atom::Element(v, at) => self.vars[*v as usize].indices[self.offset(VarId(*v), at)],
            Atom::Product(fs) => fs.iter().map(|f| self.atom(f)).product(),
        }
    }

    fn affine(&self, a: &Affine) -> i64 {
        a.constant + a.terms.iter().map(|(t, c)| c * self.atom(t)).sum::<i64>()
    }

    fn offset(&self, var: VarId, at: &[Affine]) -> usize {
        let cells = &self.vars[var.0 as usize];
        let name = &self.program.var(var).name;
        assert_eq!(at.len(), cells.extents.len(), "the rank of `{name}`");
        let mut offset = 0;
        for (a, e) in at.iter().zip(&cells.extents) {
            let k = self.affine(a);
            assert!(0 <= k && k < *e, "`{name}` at {k} of {e}");
            offset = offset * e + k;
        }
        usize::try_from(offset).expect("not negative")
    }

    fn cell(&self, p: &Place) -> (usize, usize) {
        (p.var.0 as usize, self.offset(p.var, &p.at))
    }

    fn block(&mut self, stmts: &[Stmt]) {
        for s in stmts {
            self.stmt(s);
        }
    }

    fn set(&mut self, (v, k): (usize, usize), value: f64, live: bool) {
        self.vars[v].reals[k] = value;
        self.vars[v].live[k] = live;
        if self.program.vars[v].storage != Storage::Local {
            self.counts.stores += 1;
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::For { index, lower, upper, step, body } => {
                let low = lower.iter().map(|b| -(-self.affine(&b.num)).div_euclid(b.den)).max();
                let high = upper.iter().map(|b| self.affine(&b.num).div_euclid(b.den)).min();
                let (mut i, high) = (low.expect("a lower bound"), high.expect("an upper bound"));
                let mut by = 1;
                if let Some((from, k)) = step {
                    by = *k;
                    i += (self.affine(from) - i).rem_euclid(by);
                }
                while i <= high {
                    self.env.insert(index.0, i);
                    self.counts.iterations += 1;
                    self.block(body);
                    i += by;
                }
                self.env.remove(&index.0);
            }
            Stmt::LetIndex { index, value } => {
                let value = self.affine(value);
                self.env.insert(index.0, value);
            }
            Stmt::If { tests, body, otherwise } => {
                if self.tests(tests) {
                    self.block(body);
                } else {
                    self.block(otherwise);
                }
            }
            Stmt::Declare { var, value } => {
                let (x, live) = self.expr(value);
                self.set((var.0 as usize, 0), x, live);
            }
            Stmt::DeclareIndex { var, value } => self.vars[var.0 as usize].indices[0] = self.affine(value),
            Stmt::Assign { target, value } => {
                let (x, live) = self.expr(value);
                self.set(self.cell(target), x, live);
            }
            Stmt::Accumulate { target, value } => self.accumulate(target, value),
            Stmt::Extreme { op, target, value } => {
                let (x, _) = self.expr(value);
                let (v, k) = self.cell(target);
                let old = self.vars[v].reals[k];
                self.counts.adds += u64::from(self.vars[v].live[k]);
                let new = match op {
                    Extreme::Max => old.max(x),
                    Extreme::Min => old.min(x),
                };
                self.set((v, k), new, true);
            }
            Stmt::ArgExtreme { op, best, at, first, value, index } => {
                self.arg_extreme((*op, *best, *at), first, value, index);
            }
            Stmt::AssignIndex { target, value, least } => {
                let x = self.affine(value).max(self.affine(least));
                let (v, k) = self.cell(target);
                self.vars[v].indices[k] = x;
            }
            Stmt::Fill { var, value } => {
                let cells = &mut self.vars[var.0 as usize];
                cells.reals.fill(*value);
                cells.live.fill(false);
            }
        }
    }

    fn accumulate(&mut self, target: &Place, value: &Expr) {
        let (x, live) = self.expr(value);
        let (v, k) = self.cell(target);
        if live {
            self.counts.adds += u64::from(self.vars[v].live[k]);
            let sum = self.vars[v].reals[k] + x;
            self.set((v, k), sum, true);
        }
    }

    fn arg_extreme(&mut self, what: (Extreme, VarId, VarId), first: &Affine, value: &Expr, index: &Affine) {
        let (op, best, at) = (what.0, what.1.0 as usize, what.2.0 as usize);
        let (x, _) = self.expr(value);
        let (old, unseen) = (self.vars[best].reals[0], self.vars[at].indices[0] < self.affine(first));
        self.counts.adds += u64::from(!unseen);
        let better = match op {
            Extreme::Max => x > old,
            Extreme::Min => x < old,
        };
        if unseen || better || old.is_nan() && !x.is_nan() {
            self.vars[best].reals[0] = x;
            self.vars[at].indices[0] = self.affine(index);
        }
    }

    fn tests(&mut self, tests: &[Test]) -> bool {
        tests.iter().all(|t| self.test(t))
    }

    fn test(&mut self, t: &Test) -> bool {
        self.counts.tests += 1;
        match t {
            Test::Index(c) => self.index_test(c),
            Test::Real { op, left, right, holds } => {
                let (a, b) = (self.expr(left).0, self.expr(right).0);
                let truth = match op {
                    RealCompare::Lt => a < b,
                    RealCompare::Le => a <= b,
                    RealCompare::Eq => a == b,
                };
                truth == *holds
            }
            Test::Any(ps) => ps.iter().any(|p| self.tests(p)),
        }
    }

    fn index_test(&self, c: &Cond) -> bool {
        match c {
            Cond::Zero(a) => self.affine(a) == 0,
            Cond::NonZero(a) => self.affine(a) != 0,
            Cond::NonNeg(a) => self.affine(a) >= 0,
            Cond::Residue(a, k) => self.affine(a).rem_euclid(*k) == 0,
            Cond::NonResidue(a, k) => self.affine(a).rem_euclid(*k) != 0,
            Cond::Opaque { .. } | Cond::Any(_) => panic!("`{c:?}` is not a test of indices"),
        }
    }

    /// A value, and whether it counts as a term: a zero that nothing was added to does not.
    fn expr(&mut self, e: &Expr) -> (f64, bool) {
        match e {
            // What a maximum starts from is no candidate.
            Expr::Number(x) => (*x, *x != 0.0 && x.is_finite()),
            Expr::Constant(path) => ((self.constants)(path), true),
            #[allow(clippy::cast_precision_loss)]
            Expr::OfIndex(a) => (self.affine(a) as f64, true),
            Expr::Read(p) => {
                let (v, k) = self.cell(p);
                (self.vars[v].reals[k], self.vars[v].live[k])
            }
            Expr::Neg(a) => {
                let (x, live) = self.expr(a);
                (-x, live)
            }
            Expr::Add(a, b) => {
                let ((x, l), (y, r)) = (self.expr(a), self.expr(b));
                self.counts.adds += u64::from(l && r);
                (x + y, l || r)
            }
            Expr::Mul(a, b) => {
                let (x, (y, live)) = (self.expr(a).0, self.expr(b));
                // A coefficient is applied to what was summed, if there is any.
                let live = live || !matches!(**a, Expr::Number(_));
                self.counts.muls += u64::from(live);
                (x * y, live)
            }
            Expr::Call(f, args) => {
                let args: Vec<f64> = args.iter().map(|a| self.expr(a).0).collect();
                self.counts.calls += calls(f, args.len());
                (self.apply(f, &args), true)
            }
            Expr::If(tests, a) => {
                if self.tests(tests) {
                    self.expr(a)
                } else {
                    (0.0, false)
                }
            }
        }
    }

    fn apply(&self, f: &Prim, x: &[f64]) -> f64 {
        match f {
            Prim::Unary(f) => unary(*f, x[0]),
            Prim::Binary(f) => binary(*f, x[0], x[1]),
            Prim::Clamp => x[0].max(x[1]).min(x[2]),
            Prim::Powi(k) => x[0].powi(i32::try_from(self.affine(k)).expect("a small exponent")),
            Prim::Stop => x[0],
            Prim::FiniteOrZero => {
                if x[0].is_finite() {
                    x[0]
                } else {
                    0.0
                }
            }
            Prim::Formula(f) => self.formula(f, x),
        }
    }

    fn formula(&self, f: &Formula, x: &[f64]) -> f64 {
        match f {
            Formula::Arg(k) => x[*k],
            Formula::Number(v) => *v,
            #[allow(clippy::cast_precision_loss)]
            Formula::OfIndex(a) => self.affine(a) as f64,
            Formula::Neg(a) => -self.formula(a, x),
            Formula::Add(a, b) => self.formula(a, x) + self.formula(b, x),
            Formula::Mul(a, b) => self.formula(a, x) * self.formula(b, x),
            Formula::Apply(f, args) => {
                let args: Vec<f64> = args.iter().map(|a| self.formula(a, x)).collect();
                self.apply(f, &args)
            }
        }
    }
}

/// What a call costs: its arguments; a closed form one; choice nothing.
fn calls(f: &Prim, args: usize) -> u64 {
    match f {
        Prim::Unary(_) | Prim::Binary(_) | Prim::Clamp | Prim::Powi(_) => args as u64,
        Prim::Stop | Prim::FiniteOrZero => 0,
        Prim::Formula(_) => 1,
    }
}

fn unary(f: Unary, x: f64) -> f64 {
    match f {
        Unary::Exp => x.exp(),
        Unary::Exp2 => x.exp2(),
        Unary::Ln => x.ln(),
        Unary::Log2 => x.log2(),
        Unary::Log10 => x.log10(),
        Unary::Sqrt => x.sqrt(),
        Unary::Cbrt => x.cbrt(),
        Unary::Sin => x.sin(),
        Unary::Cos => x.cos(),
        Unary::Tan => x.tan(),
        Unary::Asin => x.asin(),
        Unary::Acos => x.acos(),
        Unary::Atan => x.atan(),
        Unary::Sinh => x.sinh(),
        Unary::Cosh => x.cosh(),
        Unary::Tanh => x.tanh(),
        Unary::Asinh => x.asinh(),
        Unary::Acosh => x.acosh(),
        Unary::Atanh => x.atanh(),
        Unary::Abs => x.abs(),
        Unary::Recip => x.recip(),
        Unary::ExpM1 => x.exp_m1(),
        Unary::Ln1p => x.ln_1p(),
        Unary::Signum => x.signum(),
        Unary::Floor => x.floor(),
        Unary::Ceil => x.ceil(),
        Unary::Round => x.round(),
        Unary::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        Unary::Softplus => x.max(0.0) + (-x.abs()).exp().ln_1p(),
        Unary::Erf => erf(x),
    }
}

fn binary(f: Binary, x: f64, y: f64) -> f64 {
    match f {
        Binary::Div => x / y,
        Binary::Atan2 => x.atan2(y),
        Binary::Hypot => x.hypot(y),
        Binary::Powf => x.powf(y),
        Binary::Max => x.max(y),
        Binary::Min => x.min(y),
    }
}

/// `2/√π ∫₀ˣ exp(-t²) dt`, by its series near zero and its continued fraction elsewhere.
fn erf(x: f64) -> f64 {
    let a = x.abs();
    let scale = 2.0 / std::f64::consts::PI.sqrt() * (-a * a).exp();
    if a < 2.5 {
        let (mut term, mut sum, mut k) = (a, a, 1.0);
        while term > sum * 1e-17 {
            term *= 2.0 * a * a / (2.0 * k + 1.0);
            sum += term;
            k += 1.0;
        }
        (scale * sum).copysign(x)
    } else {
        let tail = (1..60).rev().fold(a, |f, k| a + f64::from(k) / 2.0 / f);
        (1.0 - scale / 2.0 / tail).copysign(x)
    }
}
