//! Calls of Rust functions over tensors: one node for all results of a call.
//!
//! Its loops are those around the call, which others may share; the dimensions of what it reads and writes stay with it.

use super::node::{Node, value};
use super::prepare::copy;
use crate::index::{Affine, Atom};
use crate::loops::walk::substitute;
use crate::loops::{self, Argument, Expr, Place, VarId};
use crate::sorted::Map;
use crate::ssa::{self, ArrayId, Function, Index, Rhs, Stmt, Target, Whole};
use std::collections::VecDeque;

/// What a node calls.
#[derive(Clone, Debug)]
pub(super) struct Call {
    path: String,
    args: Vec<Arg>,
    /// What it writes: all its results, of which the node's array is the first.
    pub outs: Vec<Out>,
}

/// What a call reads.
#[derive(Clone, Debug)]
enum Arg {
    Number(Expr),
    /// A place, of which these indices are the last.
    Tensor(Place, Vec<Index>),
}

/// What a call writes: an array at the indices of the loops around, then at these.
#[derive(Clone, Debug)]
pub(super) struct Out {
    pub array: ArrayId,
    pub own: Vec<Index>,
}

/// Whether all of an array is a result, or is read by a call.
pub(super) fn is_stored(f: &Function, x: ArrayId) -> bool {
    let read = |c: &ssa::Call| c.args.iter().any(|a| a.access.array == x && !a.own.is_empty());
    f.results.contains(&x) || f.stmts.iter().filter_map(Stmt::call).any(read)
}

/// Every argument is stored, every result has a statement.
pub(super) fn prepare(f: &mut Function) {
    own_arguments(f);
    all_parts(f);
}

/// What a call reads all of is stored: numbers of indices and constants are copied, `R[g] = X[g]`.
fn own_arguments(f: &mut Function) {
    let mut out: Vec<Stmt> = vec![];
    let mut copies: Map<ArrayId, ArrayId> = Map::new();
    for mut s in std::mem::take(&mut f.stmts) {
        if let Rhs::Call(call) = &mut s.rhs {
            for a in call.args.iter_mut().filter(|a| !a.own.is_empty()) {
                let computed = |s: &&Stmt| s.array == a.access.array;
                let is_number = |s: &Stmt| matches!(s.rhs, Rhs::OfIndex(_) | Rhs::Constant(_));
                if let Some(copy) = copies.get(&a.access.array) {
                    a.access.array = *copy;
                } else if out.iter().find(computed).is_some_and(is_number) {
                    let copy = copy(f, a.access.array);
                    copies.insert(a.access.array, copy.array);
                    a.access.array = copy.array;
                    out.push(copy);
                }
            }
        }
        out.push(s);
    }
    f.stmts = out;
}

/// The results of a call come one after the other, also those that nothing reads.
fn all_parts(f: &mut Function) {
    let mut out = vec![];
    let mut rest = VecDeque::from(std::mem::take(&mut f.stmts));
    while let Some(s) = rest.pop_front() {
        let Rhs::Call(call) = &s.rhs else {
            out.push(s);
            continue;
        };
        for part in 0..call.results.len() {
            let is_part =
                |t: &Stmt| t.call().is_some_and(|c| c.part == part && c.is_with(&t.gens, call, &s.gens));
            let known = rest.iter().position(is_part);
            out.push(match known {
                _ if part == call.part => s.clone(),
                Some(k) => rest.remove(k).unwrap_or_else(|| s.clone()),
                None => unread(f, &s, call, part),
            });
        }
    }
    f.stmts = out;
}

/// A result of a call that nothing reads.
fn unread(f: &mut Function, s: &Stmt, call: &ssa::Call, part: usize) -> Stmt {
    let batch = call.batch(&s.gens);
    let extents = [&f.array(s.array).extents[..batch], &call.results[part]].concat();
    let array = f.new_array("unread", extents);
    let mut t = s.clone();
    t.gens.truncate(batch);
    t.gens.extend(call.results[part].iter().map(|_| f.new_index("i")));
    t.rhs = Rhs::Call(Box::new(ssa::Call { part, ..call.clone() }));
    t.freshened(f, array).unwrap_or(t)
}

impl Call {
    /// The statement is the first of those of a call, which come one after the other. None: what is called was not declared, which was an
    /// error.
    pub fn new(f: &Function, s: &Stmt, call: &ssa::Call) -> Option<Call> {
        let Target::Function(k) = &call.target else { return None };
        let arg = |a: &Whole| match a.own.as_slice() {
            [] => Arg::Number(value(f, &a.access)),
            own => {
                let place = Place { var: VarId(a.access.array.0), at: a.access.at.clone() };
                Arg::Tensor(place, own.to_vec())
            }
        };
        let args = call.args.iter().map(arg).collect();
        let batch = call.batch(&s.gens);
        let parts = f.stmts.iter().skip_while(|t| t.array != s.array).take(call.results.len());
        let outs = parts.map(|t| Out { array: t.array, own: t.gens[batch..].to_vec() }).collect();
        Some(Call { path: f.callees[*k].path.clone(), args, outs })
    }

    /// The numbers that it reads.
    pub fn numbers(&self) -> Vec<&Expr> {
        let numbers = self.args.iter().filter_map(|a| match a {
            Arg::Number(e) => Some(e),
            Arg::Tensor(..) => None,
        });
        numbers.collect()
    }

    /// The tensors that it reads.
    pub fn tensors(&self) -> Vec<&Place> {
        let tensors = self.args.iter().filter_map(|a| match a {
            Arg::Number(_) => None,
            Arg::Tensor(p, _) => Some(p),
        });
        tensors.collect()
    }

    /// `self{atom := e}`
    pub fn substitute(&mut self, atom: &Atom, e: &Affine) {
        for a in &mut self.args {
            match a {
                Arg::Number(v) => *v = v.substitute(atom, e),
                Arg::Tensor(p, _) => p.at.iter_mut().for_each(|a| *a = substitute(a, atom, e)),
            }
        }
    }

    /// As a statement of the loops.
    pub fn lower(
        &self,
        f: &Function,
        node: &Node,
        expr: &dyn Fn(&Expr) -> Expr,
        place: &dyn Fn(u32, Vec<Affine>) -> Place,
    ) -> loops::Stmt {
        let whole = |x: u32, at: Vec<Affine>, own: &[Index]| {
            let extents = &f.arrays[x as usize].extents;
            let counts = extents[extents.len() - own.len()..].iter().cloned();
            loops::Whole { place: place(x, at), own: own.iter().copied().zip(counts).collect() }
        };
        let arg = |a: &Arg| match a {
            Arg::Number(e) => Argument::Number(expr(e)),
            Arg::Tensor(p, own) => Argument::Tensor(whole(p.var.0, p.at.clone(), own)),
        };
        let batch = node.target.len() - self.outs.first().map_or(0, |o| o.own.len());
        let out = |o: &Out| {
            let at = node.target[..batch].iter().cloned().chain(o.own.iter().map(|i| i.affine()));
            whole(o.array.0, at.collect(), &o.own)
        };
        let (args, outs) = (self.args.iter().map(arg).collect(), self.outs.iter().map(out).collect());
        loops::Stmt::Leaf(loops::Leaf::Call(Box::new(loops::Call { path: self.path.clone(), args, outs })))
    }
}
