//! Statements of many elements: matmuls, symmetrized matrices, calls of Rust functions.

use super::{Cell, Machine};
use crate::eval::{Tensor, outer};
use crate::index::Affine;
use crate::loops::{Argument, Band, Call, Expr, Product, Symmetrize, Whole};
use crate::ssa::Index;

impl Machine<'_> {
    /// As the loops that it stands for: each sum by itself, then scaled, then where it goes.
    pub(super) fn product(&mut self, p: &Product) -> Result<(), String> {
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
                    self.counts.adds += u64::from(seen && live);
                    (sum, seen) = (sum + x, seen || live);
                }
                self.counts.muls += u64::from(seen && p.scale.abs() != 1.0);
                let cell = self.cell(&p.c)?;
                let (before, was_live) = if p.adds { self.get(cell)? } else { (0.0, false) };
                self.counts.adds += u64::from(seen && was_live);
                self.set(cell, before + p.scale * sum, seen || was_live);
                if p.across {
                    let (x, live) = self.get(cell)?;
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
    pub(super) fn symmetrize(&mut self, m: &Symmetrize) -> Result<(), String> {
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
            return Err(format!(
                "symmetrized are {rows} rows of an array of {length} elements, from {first}"
            ));
        }
        for (i, j) in (0..rows).flat_map(|i| (0..i / block * block).map(move |j| (i, j))) {
            let ends = [j * stride + i, i * stride + j].map(|k| usize::try_from(first + k).unwrap_or(0));
            let [from, to] = if m.above { ends } else { [ends[1], ends[0]] };
            let (x, live) = self.get((v, from))?;
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

    pub(super) fn call_whole(&mut self, c: &Call) -> Result<(), String> {
        let mut args = vec![];
        for a in &c.args {
            args.push(match a {
                Argument::Number(e) => Tensor::scalar(self.expr(e)?.0),
                Argument::Tensor(w) => {
                    let (shape, cells) = self.whole(w)?;
                    let data = cells.iter().map(|c| Ok(self.get(*c)?.0)).collect::<Result<_, String>>()?;
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
}
