//! Differentials of calls of Rust functions over tensors: calls of the functions that are declared to be their derivatives.
//!
//! `X = f(Y, Z)` gives `Ẋ = f_jvp(Y, Z, Ẏ, Ż)` and `(Ȳ, Z̄) = f_vjp(Y, Z, X̄)`, where that is declared with X between the two; where f is linear in Z
//! and only that varies, `Ẋ = f(Y, Ż)` and `Z̄ = f_transpose(Y, X̄)`. A zero that is passed is an array of zeros.

use super::rename::Renaming;
use crate::index::Affine;
use crate::ssa::{self, ArrayId, Call, Callee, Function, Index, Rhs, Slot, Stmt, Target, Whole};

/// What a derivative calls.
pub(super) struct Rule {
    pub target: Target,
    /// What that is given.
    pub takes: Vec<Slot>,
    /// The arguments that it is by.
    pub by: Vec<usize>,
}

/// Which of the two.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Jvp,
    Vjp,
}

/// The rule for a call, of which these arguments vary.
pub(super) fn rule(f: &Function, call: &Call, mode: Mode, varies: &dyn Fn(ArrayId) -> bool) -> Rule {
    let all = || (0..call.args.len()).collect::<Vec<_>>();
    let none =
        |target: Target| Rule { target, takes: all().into_iter().map(Slot::Argument).collect(), by: all() };
    let callee = match &call.target {
        Target::Function(k) => &f.callees[*k],
        missing @ Target::Missing(_) => return none(missing.clone()),
    };
    let is_by =
        |by: &[usize]| call.args.iter().enumerate().all(|(k, a)| by.contains(&k) || !varies(a.access.array));
    let of = |r: &ssa::Rule| if mode == Mode::Jvp { r.jvp.clone() } else { r.vjp.clone() };
    let mut found = callee.rules.iter().filter(|r| is_by(&r.by)).filter_map(|r| Some((of(r)?, r.by.clone())));
    match found.next() {
        Some((d, by)) => Rule { target: Target::Function(d.function), takes: d.takes, by },
        None => none(Target::Missing(missing(callee, mode, callee.rules.iter().any(|r| of(r).is_some())))),
    }
}

fn missing(callee: &Callee, mode: Mode, has_others: bool) -> String {
    let name = &callee.name;
    let mode = if mode == Mode::Jvp { "jvp" } else { "vjp" };
    if has_others && callee.is_declared {
        return format!(
            "`{name}` is differentiated here with respect to arguments for which no `{mode}` is declared: give it one, `extern fn {name}(…) -> … {{ {mode} = … }}`, or hold them with `stop`"
        );
    }
    let advice = if callee.is_declared {
        format!("give it one: `extern fn {name}(…) -> … {{ {mode} = … }}`")
    } else {
        format!(
            "declare it as a function that has one, `extern fn g(…) -> … = {name} {{ {mode} = … }}`, and name that where `{name}` is named"
        )
    };
    format!("`{name}` is differentiated here, but no `{mode}` of it is declared: {advice}")
}

/// An array of zeros in the place of a direction of what an argument reads.
fn zeros(f: &mut Function, like: ArrayId, dims: usize) -> Whole {
    let all = f.array(like).extents.clone();
    let extents = all[all.len() - dims..].to_vec();
    let gens: Vec<Index> = extents.iter().map(|_| f.new_index("i")).collect();
    let array = f.new_array("zero", extents);
    f.stmts.push(Stmt { array, gens, rhs: Rhs::Contract(vec![]), step: None });
    Whole::new(f, array, vec![])
}

/// An argument of a call as it is, read where `here` has new names for the indices around the call.
pub(super) fn kept(f: &mut Function, a: &Whole, here: &Renaming) -> Whole {
    Whole::new(f, a.access.array, here.affines(a.before()))
}

/// A result of a call as an argument of another, where `here` has new names for the indices around: the same call once more, of which
/// simplification makes one.
pub(super) fn result(f: &mut Function, stmt: &Stmt, call: &Call, part: usize, here: &Renaming) -> Whole {
    let dims = call.batch(&stmt.gens);
    let around = here.affines(&stmt.gens[..dims].iter().map(|i| i.affine()).collect::<Vec<_>>());
    let mut own = Renaming::default();
    let mut gens = own.extend_fresh(f, &stmt.gens[..dims]);
    gens.extend(call.results[part].iter().map(|_| f.new_index("i")).collect::<Vec<_>>());
    let args = call.args.iter().map(|a| kept(f, a, &own)).collect();
    let guard = own.pred(&call.guard);
    let extents = [&f.array(stmt.array).extents[..dims], &call.results[part]].concat();
    let array = f.new_array(f.array(stmt.array).name.clone(), extents);
    f.stmts.push(Stmt {
        array,
        gens,
        rhs: Rhs::Call(Box::new(Call { guard, part, args, ..call.clone() })),
        step: None,
    });
    Whole::new(f, array, around)
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
    let Rule { target, takes, .. } = rule(f, call, Mode::Jvp, &varies);
    let c: Vec<Index> = batch.iter().map(|_| f.new_index("c")).collect();
    let mut here = Renaming::default();
    let gens = here.extend_fresh(f, &stmt.gens);
    let mut args: Vec<Whole> = vec![];
    for slot in takes {
        let arg = match slot {
            Slot::Argument(k) => kept(f, &call.args[k], &here),
            Slot::Result(part) => result(f, stmt, call, part, &here),
            Slot::Direction(k) => {
                let a = &call.args[k];
                match of(a.access.array) {
                    Some(dot) => {
                        let at = c.iter().map(|c| c.affine()).chain(here.affines(a.before())).collect();
                        Whole::new(f, dot, at)
                    }
                    None => zeros(f, a.access.array, a.own.len()),
                }
            }
        };
        args.push(arg);
    }
    let (name, extents) = (f.array(stmt.array).name.clone(), f.array(stmt.array).extents.clone());
    let array = f.new_array(format!("{name}_dot"), [batch, &extents].concat());
    let guard = here.pred(&call.guard);
    let gens = [c, gens].concat();
    f.stmts.push(Stmt {
        array,
        gens,
        rhs: Rhs::Call(Box::new(Call { guard, target, args, ..call.clone() })),
        step: None,
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
