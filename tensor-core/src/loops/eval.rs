//! The loop evaluator: what a program computes, and what that costs by the cost model.

mod expr;

use super::verify::verify;
use super::{
    Argument, Band, Bound, Call, Expr, Mirror, Place, Product, Program, Stmt, Storage, VarId, Whole,
};
use crate::eval::{Tensor, outer};
use crate::index::Affine;
use crate::sorted::Map;
use crate::ssa::{Extreme, Index};

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

/// An element of a variable.
type Cell = (usize, usize);

struct Machine<'a> {
    program: &'a Program,
    sizes: &'a [i64],
    constants: &'a dyn Fn(&str) -> f64,
    vars: Vec<Cells>,
    env: Map<u32, i64>,
    counts: Counts,
}

/// Runs a program on the leaves of its parameters; buffers start as NaN. `constants` resolves Rust constants.
///
/// # Errors
/// Where the program reads or writes outside a buffer, or is no program: the evaluator judges programs.
pub fn run(
    program: &Program,
    sizes: &[i64],
    params: &[Leaf],
    constants: &dyn Fn(&str) -> f64,
) -> Result<(Vec<Leaf>, Counts), String> {
    verify(program)?;
    let mut m =
        Machine { program, sizes, constants, vars: vec![], env: Map::new(), counts: Counts::default() };
    for v in &program.vars {
        let extents = v.extents.iter().map(|e| m.affine(e)).collect::<Result<Vec<i64>, _>>()?;
        let len = usize::try_from(extents.iter().product::<i64>()).map_err(|_| "a negative extent")?;
        let reals = match v.storage {
            Storage::Param(k) => params.get(k).ok_or("a parameter is missing")?.clone(),
            Storage::Result(_) | Storage::Work(_) | Storage::Local => vec![f64::NAN; len],
        };
        if reals.len() != len {
            return Err(format!("`{}` has {} elements for {len}", v.name, reals.len()));
        }
        m.vars.push(Cells { live: vec![true; len], indices: vec![i64::MIN; len], reals, extents });
    }
    m.block(&program.body)?;
    let mut scalars = program.scalars.iter();
    let mut leaves = vec![];
    for (k, r) in program.function.results.iter().enumerate() {
        if program.function.array(*r).extents.is_empty() {
            let e = scalars.next().ok_or("a scalar result is missing")?;
            leaves.push(vec![m.expr(e)?.0]);
        } else {
            let v = program.vars.iter().position(|v| v.storage == Storage::Result(k));
            leaves.push(m.vars[v.ok_or("a result has no buffer")?].reals.clone());
        }
    }
    Ok((leaves, m.counts))
}

impl Machine<'_> {
    fn block(&mut self, stmts: &[Stmt]) -> Result<(), String> {
        stmts.iter().try_for_each(|s| self.stmt(s))
    }

    fn set(&mut self, (v, k): (usize, usize), value: f64, live: bool) {
        self.vars[v].reals[k] = value;
        self.vars[v].live[k] = live;
        if self.program.vars[v].storage != Storage::Local {
            self.counts.stores += 1;
        }
    }

    fn stmt(&mut self, s: &Stmt) -> Result<(), String> {
        match s {
            Stmt::For { index, lower, upper, step, order: _, body } => {
                self.each(*index, (lower, upper), step.as_ref(), body)?;
            }
            Stmt::LetIndex { index, value } => {
                let value = self.affine(value)?;
                self.env.insert(index.0, value);
            }
            Stmt::If { tests, body, otherwise } => {
                let taken = if self.tests(tests)? { body } else { otherwise };
                self.block(taken)?;
            }
            Stmt::Declare { var, value } => {
                let (x, live) = self.expr(value)?;
                self.set((var.0 as usize, 0), x, live);
            }
            Stmt::DeclareIndex { var, value } => {
                self.vars[var.0 as usize].indices[0] = self.affine(value)?;
            }
            Stmt::Assign { target, value } => {
                let (x, live) = self.expr(value)?;
                let cell = self.cell(target)?;
                self.set(cell, x, live);
            }
            Stmt::Accumulate { target, value } => self.accumulate(target, value)?,
            Stmt::Extreme { op, target, value } => self.extreme(*op, target, value)?,
            Stmt::ArgExtreme { op, best, at, first, value, index } => {
                self.arg_extreme((*op, *best, *at), first, value, index)?;
            }
            Stmt::AssignIndex { target, value, least } => {
                let x = self.affine(value)?.max(self.affine(least)?);
                let (v, k) = self.cell(target)?;
                self.vars[v].indices[k] = x;
            }
            Stmt::Product(p) => self.product(p)?,
            Stmt::Mirror(m) => self.mirror(m)?,
            Stmt::Call(c) => self.call_whole(c)?,
            Stmt::Fill { var, value } => {
                let cells = &mut self.vars[var.0 as usize];
                cells.reals.fill(*value);
                cells.live.fill(false);
            }
        }
        Ok(())
    }

    fn each(
        &mut self,
        index: Index,
        (lower, upper): (&[Bound], &[Bound]),
        step: Option<&(Affine, i64)>,
        body: &[Stmt],
    ) -> Result<(), String> {
        let (mut low, mut high) = (i64::MIN, i64::MAX);
        for b in lower {
            low = low.max(-(-self.affine(&b.num)?).div_euclid(b.den));
        }
        for b in upper {
            high = high.min(self.affine(&b.num)?.div_euclid(b.den));
        }
        let mut by = 1;
        if let Some((from, k)) = step {
            by = *k;
            low += (self.affine(from)? - low).rem_euclid(by);
        }
        while low <= high {
            self.env.insert(index.0, low);
            self.counts.iterations += 1;
            self.block(body)?;
            low += by;
        }
        Ok(())
    }

    fn accumulate(&mut self, target: &Place, value: &Expr) -> Result<(), String> {
        let (x, live) = self.expr(value)?;
        let (v, k) = self.cell(target)?;
        if live {
            self.counts.adds += u64::from(self.vars[v].live[k]);
            let sum = self.vars[v].reals[k] + x;
            self.set((v, k), sum, true);
        }
        Ok(())
    }

    /// As the loops that it stands for: each sum by itself, then scaled, then where it goes.
    fn product(&mut self, p: &Product) -> Result<(), String> {
        let count = |m: &Self, e: &Affine| m.affine(e);
        let (rows, cols, inner) =
            (count(self, &p.rows.1)?, count(self, &p.cols.1)?, count(self, &p.inner.1)?);
        let range = |m: &Self, (i, count): (Index, i64)| match p.part.as_ref().filter(|q| q.index == i) {
            None => Ok(0..count),
            Some(q) => Ok::<_, String>(m.affine(&q.lower)?.max(0)..count.min(m.affine(&q.upper)? + 1)),
        };
        let all = (range(self, (p.rows.0, rows))?, range(self, (p.cols.0, cols))?);
        let terms = range(self, (p.inner.0, inner))?;
        let edge = p.band.as_ref().map_or(Ok(0), |b| self.affine(b.diagonal()))?;
        let is_in = |i: i64, j: i64| match p.band {
            None => true,
            Some(Band::From(_)) => i + edge <= j,
            Some(Band::UpTo(_)) => j <= i + edge,
        };
        let term = Expr::Mul(Box::new(Expr::Read(p.a.clone())), Box::new(Expr::Read(p.b.clone())));
        for i in all.0 {
            self.env.insert(p.rows.0.0, i);
            for j in all.1.clone().filter(|j| is_in(i, *j)) {
                self.env.insert(p.cols.0.0, j);
                let (mut sum, mut seen) = (0.0, false);
                for k in terms.clone() {
                    self.env.insert(p.inner.0.0, k);
                    let (x, live) = self.expr(&term)?;
                    if live {
                        self.counts.adds += u64::from(seen);
                        (sum, seen) = (sum + x, true);
                    }
                }
                self.counts.muls += u64::from(seen && p.scale.abs() != 1.0);
                let (v, k) = self.cell(&p.c)?;
                if !p.adds {
                    self.set((v, k), p.scale * sum, seen);
                } else if seen {
                    self.counts.adds += u64::from(self.vars[v].live[k]);
                    let total = self.vars[v].reals[k] + p.scale * sum;
                    self.set((v, k), total, true);
                }
                if p.across {
                    let (x, live) = (self.vars[v].reals[k], self.vars[v].live[k]);
                    self.env.extend([(p.rows.0.0, j), (p.cols.0.0, i)]);
                    let to = self.cell(&p.c)?;
                    self.env.insert(p.rows.0.0, i);
                    self.set(to, x, live);
                }
            }
        }
        Ok(())
    }

    /// The elements on one side of a diagonal become those across it.
    fn mirror(&mut self, m: &Mirror) -> Result<(), String> {
        let (stride, rows, block) = (self.affine(&m.stride)?, self.affine(&m.rows)?, self.affine(&m.block)?);
        if rows == 0 {
            return Ok(());
        }
        let (v, first) = self.cell(&m.c)?;
        let (length, first) = (self.vars[v].reals.len() as i64, first as i64);
        if stride * stride != length
            || rows < 0
            || first % (stride + 1) != 0
            || first / stride + rows > stride
        {
            return Err(format!("a mirror of {rows} rows of an array of {length} elements, from {first}"));
        }
        for (i, j) in (0..rows).flat_map(|i| (0..i / block * block).map(move |j| (i, j))) {
            let ends = [j * stride + i, i * stride + j].map(|k| usize::try_from(first + k).unwrap_or(0));
            let [from, to] = if m.above { ends } else { [ends[1], ends[0]] };
            let (x, live) = (self.vars[v].reals[from], self.vars[v].live[from]);
            self.set((v, to), x, live);
        }
        Ok(())
    }

    /// The elements of a place, with its shape.
    fn whole(&mut self, w: &Whole) -> Result<(Vec<usize>, Vec<Cell>), String> {
        let mut shape = vec![];
        for (i, count) in &w.own {
            shape.push(usize::try_from(self.affine(count)?).unwrap_or(0));
            self.env.insert(i.0, 0);
        }
        if shape.contains(&0) {
            return Ok((shape, vec![]));
        }
        let (v, first) = self.cell(&w.place)?;
        let length: usize = shape.iter().product();
        Ok((shape, (first..first + length).map(|k| (v, k)).collect()))
    }

    fn call_whole(&mut self, c: &Call) -> Result<(), String> {
        let mut args = vec![];
        for a in &c.args {
            args.push(match a {
                Argument::Number(e) => Tensor::scalar(self.expr(e)?.0),
                Argument::Tensor(w) => {
                    let (shape, cells) = self.whole(w)?;
                    let data = cells.iter().map(|(v, k)| self.vars[*v].reals[*k]).collect();
                    Tensor { shape, data }
                }
            });
        }
        let mut places = vec![];
        for w in &c.outs {
            places.push(self.whole(w)?);
        }
        let shapes: Vec<Vec<usize>> = places.iter().map(|p| p.0.clone()).collect();
        let results = outer::call(&c.path, &args, &shapes)?;
        for ((_, cells), result) in places.into_iter().zip(results) {
            for (cell, x) in cells.into_iter().zip(result.data) {
                self.set(cell, x, true);
            }
        }
        Ok(())
    }

    fn extreme(&mut self, op: Extreme, target: &Place, value: &Expr) -> Result<(), String> {
        let (x, _) = self.expr(value)?;
        let (v, k) = self.cell(target)?;
        let old = self.vars[v].reals[k];
        self.counts.adds += u64::from(self.vars[v].live[k]);
        let new = match op {
            Extreme::Max => old.max(x),
            Extreme::Min => old.min(x),
        };
        self.set((v, k), new, true);
        Ok(())
    }

    fn arg_extreme(
        &mut self,
        (op, best, at): (Extreme, VarId, VarId),
        first: &Affine,
        value: &Expr,
        index: &Affine,
    ) -> Result<(), String> {
        let (best, at) = (best.0 as usize, at.0 as usize);
        let (x, _) = self.expr(value)?;
        let (old, unseen) = (self.vars[best].reals[0], self.vars[at].indices[0] < self.affine(first)?);
        self.counts.adds += u64::from(!unseen);
        let better = match op {
            Extreme::Max => x > old,
            Extreme::Min => x < old,
        };
        if unseen || better || old.is_nan() && !x.is_nan() {
            self.vars[best].reals[0] = x;
            self.vars[at].indices[0] = self.affine(index)?;
        }
        Ok(())
    }
}
