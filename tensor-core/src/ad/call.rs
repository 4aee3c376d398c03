//! Differentials of calls of Rust functions over tensors: calls of the functions that are declared to be their derivatives.
//!
//! `X = f(Y, Z)` gives `Ẋ = f_jvp(Y, Z, Ẏ, Ż)` and `(Ȳ, Z̄) = f_vjp(Y, Z, X̄)`; where f is linear in Z and only that varies, `Ẋ = f(Y, Ż)` and
//! `Z̄ = f_transpose(Y, X̄)`. A zero that is passed is an array of zeros.

use super::rename::Renaming;
use crate::index::Affine;
use crate::ssa::{ArrayId, Call, Callee, Function, Index, Rhs, Stmt, Target, Whole};

/// The function that a derivative calls, and how many of the arguments of the call it gets as they are: the directions are of the others.
pub(super) struct Rule {
    pub target: Target,
    pub kept: usize,
}

/// Which of the two.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Jvp,
    Vjp,
}

/// The rule for a call, of which these arguments vary.
pub(super) fn rule(f: &Function, call: &Call, mode: Mode, varies: &dyn Fn(ArrayId) -> bool) -> Rule {
    let kept = call.args.len();
    let k = match &call.target {
        Target::Function(k) => *k,
        missing @ Target::Missing(_) => return Rule { target: missing.clone(), kept },
    };
    let callee = &f.callees[k];
    if let Some(l) = callee.linear
        && !call.args[..l.first.min(kept)].iter().any(|a| varies(a.access.array))
    {
        let target = Target::Function(if mode == Mode::Jvp { k } else { l.transpose });
        return Rule { target, kept: l.first };
    }
    let declared = if mode == Mode::Jvp { callee.jvp } else { callee.vjp };
    let target = declared.map_or_else(|| Target::Missing(missing(callee, mode)), Target::Function);
    Rule { target, kept }
}

fn missing(callee: &Callee, mode: Mode) -> String {
    let name = &callee.name;
    let mode = if mode == Mode::Jvp { "jvp" } else { "vjp" };
    let advice = if callee.is_declared {
        format!("give it one: `extern fn {name}(…) -> … {{ {mode} = … }}`")
    } else {
        format!(
            "declare it as a function that has one, `extern fn g(…) -> … = {name} {{ {mode} = … }}`, and name that where `{name}` is named"
        )
    };
    format!("`{name}` is differentiated here, and no `{mode}` of it is declared: {advice}")
}

/// An array of zeros in the place of a direction of what an argument reads.
fn zeros(f: &mut Function, like: ArrayId, dims: usize) -> Whole {
    let all = f.array(like).extents.clone();
    let extents = all[all.len() - dims..].to_vec();
    let gens: Vec<Index> = extents.iter().map(|_| f.new_index("i")).collect();
    let array = f.new_array("zero", extents);
    f.stmts.push(Stmt { array, gens, rhs: Rhs::Contract(vec![]) });
    Whole::new(f, array, vec![])
}

/// An argument of a call as it is, read where `here` has new names for the indices around the call.
pub(super) fn kept(f: &mut Function, a: &Whole, here: &Renaming) -> Whole {
    Whole::new(f, a.access.array, here.affines(a.before()))
}

/// `Ẋ[c, b, g] = f_jvp(…)[g]`, for tangents that have the dimensions `batch` before their own; `None` if none of the arguments has a tangent.
pub(super) fn tangent(
    f: &mut Function,
    stmt: &Stmt,
    call: &Call,
    batch: &[Affine],
    of: &dyn Fn(ArrayId) -> Option<ArrayId>,
) -> Option<ArrayId> {
    let varies = |a| of(a).is_some();
    if !call.args.iter().any(|a| varies(a.access.array)) {
        return None;
    }
    let Rule { target, kept: count } = rule(f, call, Mode::Jvp, &varies);
    let c: Vec<Index> = batch.iter().map(|_| f.new_index("c")).collect();
    let mut here = Renaming::default();
    let gens = here.extend_fresh(f, &stmt.gens);
    let mut args: Vec<Whole> = call.args[..count].iter().map(|a| kept(f, a, &here)).collect();
    let first = if count == call.args.len() { 0 } else { count };
    for a in &call.args[first..] {
        args.push(match of(a.access.array) {
            Some(dot) => {
                let at = c.iter().map(|c| c.affine()).chain(here.affines(a.before())).collect();
                Whole::new(f, dot, at)
            }
            None => zeros(f, a.access.array, a.own.len()),
        });
    }
    let (name, extents) = (f.array(stmt.array).name.clone(), f.array(stmt.array).extents.clone());
    let array = f.new_array(format!("{name}_dot"), [batch, &extents].concat());
    let guard = here.pred(&call.guard);
    let gens = [c, gens].concat();
    f.stmts.push(Stmt {
        array,
        gens,
        rhs: Rhs::Call(Box::new(Call { guard, target, args, ..call.clone() })),
    });
    Some(array)
}

/// A cotangent for each result of a call, at the indices around the new call: zeros where there is none.
pub(super) fn cotangents(
    f: &mut Function,
    call: &Call,
    stmt: ArrayId,
    bars: &[Option<ArrayId>],
    around: &[Index],
) -> Vec<Whole> {
    let at: Vec<Affine> = around.iter().map(|i| i.affine()).collect();
    let mut out = vec![];
    for (part, bar) in bars.iter().enumerate() {
        out.push(match bar {
            Some(bar) => Whole::new(f, *bar, at.clone()),
            None => {
                let extents = call.results[part].clone();
                let like = f.new_array(f.array(stmt).name.clone(), extents.clone());
                zeros(f, like, extents.len())
            }
        });
    }
    out
}
