//! A derivative apart from its point: *You Only Linearize Once*.

use crate::sorted::Set;
use crate::ssa::{ArrayId, ArrayKind, Function, Rhs, Stmt, regroup};

/// See [`unzip`].
#[derive(Clone, Debug)]
pub struct Unzipped {
    /// Parameters: those of the function. Results: its values, then what [`Unzipped::apply`] reads of them.
    pub point: Function,
    /// Parameters: what it reads of the point, then tangents. Results: tangents.
    pub apply: Function,
    /// How many results of the point are read.
    pub residuals: usize,
}

/// Takes a `jvp` of so many tangents apart: statements that depend on these are the linear map, the others its point. What the map reads of
/// the point is stored, except for what costs nothing, places of extremes, and what is to be computed again: these are in the map too.
#[must_use]
pub fn unzip(jvp: &Function, tangents: usize) -> Unzipped {
    let (own, dots) = jvp.params.split_at(jvp.params.len() - tangents);
    let (values, results) = jvp.results.split_at(jvp.results.len() / 2);
    let linear = dependent(jvp, dots);
    // Statements of the map; those that it has in common with the point are found last first.
    let mut inside = linear.clone();
    let mut residuals: Set<ArrayId> = Set::new();
    let mut read: Set<ArrayId> = results.iter().copied().collect();
    for unit in jvp.units().into_iter().rev() {
        let stmts = &jvp.stmts[unit];
        let mut more = true;
        while more {
            let count = read.len();
            for s in stmts.iter().rev() {
                if !linear.contains(&s.array) && !read.contains(&s.array) {
                    continue;
                }
                if linear.contains(&s.array) || results.contains(&s.array) || is_repeated(jvp, s) {
                    inside.insert(s.array);
                    jvp.reads(s, &mut |_, a| {
                        read.insert(a);
                    });
                } else {
                    residuals.insert(s.array);
                }
            }
            more = stmts[0].is_member() && read.len() > count;
        }
    }
    residuals.extend(own.iter().filter(|p| read.contains(p)));
    let residuals: Vec<ArrayId> = residuals.into_iter().collect();
    let mut point = jvp.clone();
    point.params = own.to_vec();
    point.stmts.retain(|s| !linear.contains(&s.array));
    point.results = [values, &residuals].concat();
    let mut apply = jvp.clone();
    apply.params = [&residuals, dots].concat();
    apply.stmts.retain(|s| inside.contains(&s.array));
    apply.results = results.to_vec();
    Unzipped { point: regroup(point), apply: regroup(apply), residuals: residuals.len() }
}

/// What depends on the tangents, and these.
fn dependent(jvp: &Function, dots: &[ArrayId]) -> Set<ArrayId> {
    let mut all: Set<ArrayId> = dots.iter().copied().collect();
    for unit in jvp.units() {
        let mut more = true;
        while more {
            let count = all.len();
            for s in &jvp.stmts[unit.clone()] {
                let mut depends = false;
                s.rhs.reads(jvp, &mut |_, a| depends |= all.contains(&a));
                if depends {
                    all.insert(s.array);
                }
            }
            more = jvp.stmts[unit.start].is_member() && all.len() > count;
        }
    }
    all
}

/// Whether it is computed again wherever it is needed.
fn is_repeated(f: &Function, s: &Stmt) -> bool {
    let array = f.array(s.array);
    if array.recompute || array.kind != ArrayKind::Real {
        return true;
    }
    let mut reads = 0;
    s.rhs.reads(f, &mut |_, _| reads += 1);
    match &s.rhs {
        Rhs::Contract(terms) => reads == 0 && terms.iter().all(|t| t.sums.is_empty()),
        Rhs::OfIndex(_) | Rhs::Constant(_) => reads == 0,
        Rhs::Prim { .. } | Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } | Rhs::Call(_) => false,
    }
}
