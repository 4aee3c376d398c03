//! Statements without others inside as text, each a line.

use super::{Printer, extreme};
use crate::index::Affine;
use crate::loops::{Argument, Band, Call, Leaf, Product, Symmetrize, VarId, Whole};
use crate::ssa::Index;
use std::fmt::{self, Formatter};

impl Printer<'_> {
    pub(super) fn leaf(&self, f: &mut Formatter<'_>, leaf: &Leaf) -> fmt::Result {
        let name = |v: &VarId| &self.names.arrays[v.0 as usize];
        match leaf {
            Leaf::LetIndex { index, value } => {
                writeln!(f, "let {} = {}", self.index(*index), self.names.affine(value))
            }
            Leaf::Declare { var, value } => writeln!(f, "let {} = {}", name(var), self.expr(value)),
            Leaf::DeclareIndex { var, value } => {
                writeln!(f, "let {} = {}", name(var), self.names.affine(value))
            }
            Leaf::Assign { target, value } => writeln!(f, "{} = {}", self.place(target), self.expr(value)),
            Leaf::Accumulate { target, value } => {
                writeln!(f, "{} += {}", self.place(target), self.expr(value))
            }
            Leaf::Extreme { op, target, value } => {
                let t = self.place(target);
                writeln!(f, "{t} = {}({t}, {})", extreme(*op), self.expr(value))
            }
            Leaf::ArgExtreme { op, best, at, value, index, .. } => {
                let (best, at) = (name(best), name(at));
                let (value, index) = (self.expr(value), self.names.affine(index));
                writeln!(f, "({best}, {at}) = {}(({best}, {at}), ({value}, {index}))", extreme(*op))
            }
            Leaf::AssignIndex { target, value, least } => {
                let (value, least) = (self.names.affine(value), self.names.affine(least));
                writeln!(f, "{} = max({value}, {least})", self.place(target))
            }
            Leaf::Product(p) => writeln!(f, "{}", self.product(p)),
            Leaf::Symmetrize(m) => writeln!(f, "{}", self.symmetrize(m)),
            Leaf::Call(c) => writeln!(f, "{}", self.call_whole(c)),
            Leaf::Fill { var, value } => writeln!(f, "{}[..] = {value:?}", name(var)),
        }
    }

    fn product(&self, p: &Product) -> String {
        let part = |i: Index| match p.part.as_ref().filter(|q| q.index == i) {
            None => String::new(),
            Some(q) => {
                format!(" in {}..={}", self.names.affine(&q.lower), self.names.affine(&q.upper))
            }
        };
        let dim =
            |d: &(Index, Affine)| format!("{} < {}{}", self.index(d.0), self.names.affine(&d.1), part(d.0));
        let (rows, cols, inner) = (dim(&p.rows), dim(&p.cols), dim(&p.inner));
        let (c, a, b) = (self.place(&p.c), self.place(&p.a), self.place(&p.b));
        let sign = if p.adds { "+=" } else { "=" };
        let scale = if p.scale == 1.0 { String::new() } else { format!("{:?}*", p.scale) };
        let beyond = |e: &Affine| {
            let sum = p.rows.0.affine().plus(e).unwrap_or_default();
            (self.names.affine(&sum), self.index(p.cols.0))
        };
        let band = match p.band.as_ref().map(|b| (b, beyond(b.diagonal()))) {
            None => String::new(),
            Some((Band::From(_), (edge, col))) => format!(" if {edge} <= {col}"),
            Some((Band::UpTo(_), (edge, col))) => format!(" if {col} <= {edge}"),
        };
        let across = if p.across { ", and across the diagonal" } else { "" };
        format!("matmul {rows}, {cols}, {inner}{band}: {c} {sign} {scale}{a}*{b}{across}")
    }

    fn symmetrize(&self, m: &Symmetrize) -> String {
        let (known, other) = if m.above { ("below", "above") } else { ("above", "below") };
        let block = self.names.affine(&m.block);
        let blocks = if m.block == 1.into() { String::new() } else { format!(" of blocks of {block}") };
        let whole = m.c.at.iter().all(|a| a.is_zero());
        let from = if whole {
            self.names.arrays[m.c.var.0 as usize].clone()
        } else {
            format!("{} from {} on", self.names.affine(&m.rows), self.place(&m.c))
        };
        format!("symmetrize {from}: what is {known} the diagonal{blocks} is what is {other}")
    }

    fn call_whole(&self, c: &Call) -> String {
        let whole = |w: &Whole| {
            let before = &w.place.at[..w.place.at.len() - w.own.len()];
            let name = &self.names.arrays[w.place.var.0 as usize];
            if before.is_empty() { name.clone() } else { format!("{name}[{}]", self.at(before)) }
        };
        let outs: Vec<String> = c.outs.iter().map(whole).collect();
        let arg = |a: &Argument| match a {
            Argument::Number(e) => self.expr(e),
            Argument::Tensor(w) => whole(w),
        };
        let args: Vec<String> = c.args.iter().map(arg).collect();
        format!("{} = {}({})", outs.join(", "), c.path, args.join(", "))
    }
}
