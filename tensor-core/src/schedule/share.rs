//! Arrays that are not in use at the same time share a buffer.
//!
//! `storage` says which may, by the order of statements.

use super::Options;
use crate::index::{Affine, Atom};
use crate::loops::walk::{map_elements, map_variables};
use crate::loops::{Expr, Place, Program, Storage, VarId};
use crate::sorted::Map;

/// See the module documentation.
pub(super) fn share(mut p: Program, _: &Options) -> Program {
    let shares: Map<VarId, VarId> = std::mem::take(&mut p.shares).into_iter().collect();
    if shares.is_empty() {
        return p;
    }
    let home = |mut x: VarId| {
        while let Some(y) = shares.get(&x) {
            x = *y;
        }
        x
    };
    let element = |v: u32, at: Vec<Affine>| Atom::Element(home(VarId(v)).0, at);
    let form = |a: &Affine| map_elements(a, &element);
    let renamed = |e: &Expr| e.map(&mut |a| form(a), &mut |p| Place { var: home(p.var), at: p.at });
    p.body = map_variables(std::mem::take(&mut p.body), &form, &home);
    p.scalars = p.scalars.iter().map(renamed).collect();
    let mut gone = vec![];
    for (x, _) in &shares {
        let var = &mut p.vars[x.0 as usize];
        if let Storage::Work(k) = var.storage {
            gone.push(k);
        }
        var.storage = Storage::Local;
        var.extents.clear();
    }
    without(p, &gone)
}

/// The program without buffers that nothing lives in.
pub(super) fn without(mut p: Program, gone: &[usize]) -> Program {
    let left = (0..p.work.len()).filter(|k| !gone.contains(k));
    let number: Map<usize, usize> = left.enumerate().map(|(new, old)| (old, new)).collect();
    for var in &mut p.vars {
        if let Storage::Work(k) = &mut var.storage {
            *k = number[k];
        }
    }
    let mut k = 0;
    p.work.retain(|_| {
        k += 1;
        !gone.contains(&(k - 1))
    });
    p
}
