//! Where the values of a scheduled function live, and why.

use crate::graph::shaped;
use crate::report::{Place, Stored};
use tensor_core::loops::{Program, Storage, VarId, Variable};
use tensor_core::ssa::{self, ArrayId};

/// What becomes of each statement, and the arrays that the schedule stores beside, as the states at checkpoints.
pub(crate) fn all(program: &Program) -> Vec<Stored> {
    let f = &program.function;
    let of_statements = f.stmts.iter().map(|s| {
        let array = f.array(s.array);
        let (place, why) = place(program, s.array);
        Stored { array: shaped(&array.name, &array.extents, &f.sizes), place, why }
    });
    let beside = program.vars.iter().enumerate().skip(f.arrays.len());
    let beside = beside.filter(|(_, v)| matches!(v.storage, Storage::Work(_))).map(|(k, v)| {
        let array = shaped(&v.name, &v.extents, &f.sizes);
        Stored { array, place: Place::Stored, why: format!("{}{}", reason(f, v), small(program, k)) }
    });
    of_statements.filter(|s| !s.why.is_empty()).chain(beside).collect()
}

/// Where an array lives, and why. Each array has the variable of its number.
pub(crate) fn place(program: &Program, id: ArrayId) -> (Place, String) {
    let k = id.0 as usize;
    let Some(v) = program.vars.get(k) else { return (Place::Local, String::new()) };
    let f = &program.function;
    match v.storage {
        Storage::Param(_) => (Place::Argument, "argument".to_string()),
        Storage::Result(_) => (Place::Result, "it is a result".to_string()),
        Storage::Work(_) => {
            let part = shaped(&v.name, &v.extents, &f.sizes);
            let whole = shaped(&v.name, &f.array(id).extents, &f.sizes);
            let part = if part == whole { String::new() } else { format!(", `{part}` of it at a time") };
            let lanes = if v.lanes.is_some() { ", for each lane" } else { "" };
            (Place::Stored, format!("{}{part}{lanes}{}", reason(f, v), small(program, k)))
        }
        Storage::Local if f.results.contains(&id) => (Place::Result, "it is a result, a scalar".to_string()),
        Storage::Local => local(f, v, f.array(id).extents.len()),
    }
}

/// Of what is in no buffer of its own.
fn local(f: &ssa::Function, v: &Variable, rank: usize) -> (Place, String) {
    match v.why.as_str() {
        "" => (Place::Local, String::new()),
        "inside 0 loops" => (Place::Local, "a scalar, in a variable outside all loops".to_string()),
        "inside 1 loops" => (Place::Local, "used only inside the loop that computes it".to_string()),
        why if why.starts_with("inside ") => {
            let loops = why.trim_start_matches("inside ");
            (Place::Local, format!("used only inside the {loops} that compute it"))
        }
        why if window(why).is_some() => (Place::Local, format!("{}, in variables", reason(f, v))),
        why if rank > 0 => (
            Place::Shared,
            format!("{why} in other loops, in the buffer of an array that is not in use at the same time"),
        ),
        why => (Place::Local, why.to_string()),
    }
}

/// How many times of it are kept, of what steps compute.
fn window(why: &str) -> Option<&str> {
    why.strip_prefix("the last ")?.strip_suffix(" times of steps")
}

/// Why it is stored.
fn reason(f: &ssa::Function, v: &Variable) -> String {
    let why = &v.why;
    if let Some(times) = window(why) {
        match times {
            "1" => "only the last step of it is read".to_string(),
            times => format!("only the last {times} steps of it are read"),
        }
    } else if let Some(reader) = why.strip_prefix("read by `").and_then(|r| r.strip_suffix('`')) {
        // What is read by steps that run back is stored for the reverse sweep.
        let steps = f.stmts.iter().find(|s| f.array(s.array).name == reader);
        let is_back = steps.is_some_and(|s| f.recs_of(s).iter().any(|r| f.rec(*r).backward));
        format!("{why}{}", if is_back { ", whose steps run back" } else { " in other loops" })
    } else if why.ends_with("steps, once more") {
        format!("{why}, for the steps that run back")
    } else if why.starts_with("before each") {
        format!("checkpoints: what it is {why}")
    } else {
        why.clone()
    }
}

fn small(program: &Program, k: usize) -> &'static str {
    let id = VarId(u32::try_from(k).expect("fewer than 2³² variables"));
    if program.on_stack(id).is_some() { ", on the stack" } else { "" }
}
