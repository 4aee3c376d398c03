//! What a node does inside its loops.

use super::{Lower, wrap, wrap_all};
use crate::index::{Affine, Pred};
use crate::loops::PRODUCT_WORK;
use crate::loops::{Buffer, Expr, Leaf, Place, Product, Stmt, Storage, Symmetrize, VarId, Variable};
use crate::schedule::call::{Call, Out};
use crate::schedule::dense::Dense;
use crate::schedule::node::{Kind, Node, Part};
use crate::schedule::symmetrize;

impl Lower {
    pub(super) fn leaf(&mut self, n: usize, depth: usize, out: &mut Vec<Stmt>) {
        let saved = self.states[n].clone();
        // An `argmax` whose loops are all around it needs its private pair even so.
        let alone = matches!(saved.node.kind, Kind::ArgExtreme(..)) && saved.private.is_none() && depth == 0;
        if alone {
            out.extend(self.open_private(n));
        }
        if let Some(d) = self.states[n].node.dense.clone() {
            // The range of the sum, and the band, are those of the product.
            self.states[n].node.guard.retain(|c| !d.does(c));
        }
        let s = &self.states[n];
        let (within, guard): (Pred, Pred) = s.node.guard.iter().cloned().partition(|c| s.within.contains(c));
        let (within, tests) = (self.tests(&within), self.tests(&guard));
        let mut body = vec![];
        self.states[n].node.guard.clear();
        self.lets(n, &mut body, true);
        self.write(n, &mut body, out, tests.is_empty() && within.is_empty());
        let node = &self.states[n].node;
        let covers = self.plan.assigns.contains(&n) && !self.plan.partial.contains(&n);
        let unwritten = covers && node.sums().is_empty() && !tests.is_empty();
        let slot = &self.plan.slots[&node.array.0];
        match body.as_mut_slice() {
            // One store, of what is chosen.
            [Stmt::Leaf(Leaf::Assign { value, .. })] if unwritten && !slot.local => {
                let chosen = std::mem::replace(value, Expr::Number(0.0));
                *value = Expr::If(tests, Box::new(chosen));
                out.extend(wrap_all(within, body, vec![]));
            }
            [] => {}
            _ => {
                let zero = || Stmt::Leaf(Leaf::Assign { target: self.target(n), value: Expr::Number(0.0) });
                let otherwise = if unwritten && !slot.local { vec![zero()] } else { vec![] };
                out.extend(wrap_all(within, wrap_all(tests, body, otherwise), vec![]));
            }
        }
        self.states[n] = saved;
    }

    /// The value of a node to where it belongs. `plain`: no test stands around `body`.
    fn write(&mut self, n: usize, body: &mut Vec<Stmt>, out: &mut Vec<Stmt>, plain: bool) {
        let node = self.states[n].node.clone();
        if let Some(d) = &node.dense {
            body.push(self.product(n, d));
            return;
        }
        let private = self.states[n].private;
        let target = match private {
            Some((var, _)) => Place { var, at: vec![] },
            None => self.target(n),
        };
        let parts = match &node.kind {
            Kind::Value(parts) => parts,
            Kind::Extreme(op, e) => {
                body.push(Stmt::Leaf(Leaf::Extreme { op: *op, target, value: self.expr(e) }));
                return;
            }
            Kind::Call(c) => {
                // What is not assigned is filled, and so declared, already.
                if self.plan.assigns.contains(&n) {
                    let local = |o: &&Out| self.plan.slots[&o.array.0].local;
                    let zero = |o: &Out| {
                        Stmt::Leaf(Leaf::Declare { var: VarId(o.array.0), value: Expr::Number(0.0) })
                    };
                    out.extend(c.outs.iter().filter(local).map(zero));
                }
                body.push(self.call(&node, c));
                return;
            }
            Kind::Symmetrize(m) => {
                let zeros = vec![Affine::zero(); self.f.array(node.array).extents.len()];
                let c = self.place(node.array.0, zeros);
                let (rows, block, above) = (m.rows.clone(), m.block.clone(), m.above);
                let way = symmetrize::way(&rows, &rows, &block, above);
                body.push(Stmt::Leaf(Leaf::Symmetrize(Box::new(Symmetrize {
                    c,
                    stride: rows.clone(),
                    rows,
                    block,
                    above,
                    way,
                }))));
                return;
            }
            Kind::ArgExtreme(op, least, e) => {
                let Some((best, at)) = private else { return };
                let over = self.states[n].fixed.last().map_or(Affine::default(), |i| i.affine());
                let (first, value) = (self.affine(least), self.expr(e));
                body.push(Stmt::Leaf(Leaf::ArgExtreme { op: *op, best, at, first, value, index: over }));
                return;
            }
        };
        let slot = self.plan.slots[&node.array.0].clone();
        let assigns = self.plan.assigns.contains(&n);
        if private.is_some() || !node.sums().is_empty() || !(assigns || slot.single) {
            self.add(&target, parts, body);
            return;
        }
        let simple = parts.iter().all(|p| p.guard.is_empty());
        let declares = slot.local && assigns;
        if declares && !(plain && simple) {
            out.push(Stmt::Leaf(Leaf::Declare { var: target.var, value: Expr::Number(0.0) }));
        }
        if simple {
            let sum = parts.iter().map(|p| self.expr(&p.value));
            let value = sum.reduce(|a, b| Expr::Add(Box::new(a), Box::new(b))).unwrap_or(Expr::Number(0.0));
            body.push(if declares && plain {
                Stmt::Leaf(Leaf::Declare { var: target.var, value })
            } else {
                Stmt::Leaf(Leaf::Assign { target, value })
            });
        } else if slot.local {
            self.add(&target, parts, body);
        } else {
            let var = self.local(&self.f.array(node.array).name.clone(), false);
            body.push(Stmt::Leaf(Leaf::Declare { var, value: Expr::Number(0.0) }));
            let sum = Place { var, at: vec![] };
            self.add(&sum, parts, body);
            body.push(Stmt::Leaf(Leaf::Assign { target, value: Expr::Read(sum) }));
        }
    }

    fn call(&self, node: &Node, c: &Call) -> Stmt {
        let f = &self.f;
        c.lower(f, node, &|e| self.expr(e), &|x, at| {
            self.place(x, at.iter().map(|a| self.affine(a)).collect())
        })
    }

    fn product(&mut self, n: usize, d: &Dense) -> Stmt {
        let work = self.product_work();
        let place = |p: &Place| self.place(p.var.0, p.at.clone());
        Stmt::Leaf(Leaf::Product(Box::new(Product {
            rows: d.rows.clone(),
            cols: d.cols.clone(),
            inner: d.inner.clone(),
            band: d.band.clone(),
            across: false,
            part: d.part.clone(),
            c: self.target(n),
            a: place(&d.a),
            b: place(&d.b),
            scale: d.scale,
            adds: !self.plan.assigns.contains(&n),
            work,
        })))
    }

    /// The one buffer that all matmuls use.
    fn product_work(&mut self) -> VarId {
        let name = "panels";
        if let Some(k) = self.work.iter().position(|b| b.name == name && b.extents == [PRODUCT_WORK.into()]) {
            let at = self.vars.iter().position(|v| v.storage == Storage::Work(k));
            return VarId(u32::try_from(at.unwrap_or_default()).expect("fewer than 2³² variables"));
        }
        let extents: Vec<Affine> = vec![PRODUCT_WORK.into()];
        let why = "blocks of the factors of matmuls".to_string();
        let storage = Storage::Work(self.work.len());
        self.work.push(Buffer { name: name.into(), extents: extents.clone(), holds_indices: false });
        self.vars.push(Variable {
            name: name.into(),
            storage,
            extents,
            holds_indices: false,
            lanes: None,
            why,
        });
        VarId(u32::try_from(self.vars.len() - 1).expect("fewer than 2³² variables"))
    }

    fn add(&self, target: &Place, parts: &[Part], out: &mut Vec<Stmt>) {
        for p in parts {
            let stmt = Stmt::Leaf(Leaf::Accumulate { target: target.clone(), value: self.expr(&p.value) });
            out.push(wrap(self.tests(&p.guard), vec![stmt], vec![]));
        }
    }
}
