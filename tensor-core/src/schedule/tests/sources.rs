//! Programs as users write them, through every pass to loops: each transform, at many sizes.

mod order;

use super::{agree, arguments, in_blocks};
use crate::ad::{grad, hessian, jacobian, jvp, symmetric, unzip, vjp};
use crate::eval::{Tensor, ssa, typed};
use crate::loops::eval::run;
use crate::schedule::{Blocks, prepared};
use crate::simplify::{erase_stops, simplify};
use crate::ssa::{Function, verify::verify};

/// Sizes up to this.
const MOST: i64 = 6;

/// All tuples of sizes below `end`.
fn all_sizes(count: usize, end: i64) -> Vec<Vec<i64>> {
    (0..count).fold(vec![vec![]], |all, _| {
        all.iter().flat_map(|s| (0..end).map(|n| [s.as_slice(), &[n]].concat())).collect()
    })
}

/// Whether all results are as expected.
fn same(found: &[Vec<f64>], expected: &[Tensor]) -> bool {
    let close = |x: f64, y: f64| {
        x.to_bits() == y.to_bits()
            || x == y
            || x.is_nan() && y.is_nan()
            || (x - y).abs() <= 1e-9 * x.abs().max(1.0)
    };
    agree(expected, found, &close)
}

/// What is in tensors.
fn data(of: &[Tensor]) -> Vec<Vec<f64>> {
    of.iter().map(|t| t.data.clone()).collect()
}

/// The function and what is derived from it, each before it is simplified.
fn transforms(f: &Function) -> Vec<(&'static str, Function)> {
    let all: Vec<usize> = (0..f.params.len()).collect();
    let tangent = jvp(f, &all);
    let parts = unzip(&simplify(tangent.clone()), f.params.len());
    let mut out = vec![
        ("value", f.clone()),
        ("jvp", tangent),
        ("vjp", vjp(f, &all)),
        ("jacobian", jacobian(f, &all)),
        ("linearize", parts.point),
        ("linear map", parts.apply),
    ];
    if matches!(f.results.as_slice(), [r] if f.array(*r).extents.is_empty()) {
        let gradient = simplify(grad(f, &all));
        let columns = simplify(hessian(&gradient, &all));
        out.push(("hvp", jvp(&gradient, &all)));
        out.push(("hessian", symmetric(f, columns, all.len())));
    }
    out
}

/// What a derivative may cost, if that is bounded, where the function costs so much for so many numbers.
fn most(what: &str, cost: u64, scalars: u64, own: u64) -> Option<u64> {
    match what {
        "jvp" => Some(4 * cost),
        "vjp" => Some((4 * (cost + scalars)).saturating_sub(own)),
        _ => None,
    }
}

/// What is wrong with a program, by transform and sizes.
fn faults(source: &str) -> Vec<String> {
    let block =
        crate::analyze(source.parse().expect("tokens")).unwrap_or_else(|e| panic!("{source}: {:?}", e.0));
    let k = block.functions.iter().position(|f| f.name == "f").expect("a function `f`");
    let normal = crate::normal_forms(&block)[k].clone().expect("a normal form");
    let all_sizes: Vec<Vec<i64>> = all_sizes(normal.sizes.len(), MOST + 1)
        .into_iter()
        .filter(|sizes| !matches!(ssa::run(&normal, sizes, &arguments(&normal, sizes)), Err(e) if e.starts_with("the assumptions")))
        .collect();
    assert!(all_sizes.iter().any(|sizes| sizes.iter().all(|n| *n > 0)), "no sizes fit {source}");
    let own_loops = in_blocks(&erase_stops(normal.clone()), None);
    let mut out = vec![];
    for (what, raw) in transforms(&normal) {
        let simple = simplify(raw.clone());
        if let Err(e) = verify(&simple) {
            out.push(format!("{what}: {e}"));
            continue;
        }
        let last = erase_stops(simple.clone());
        let programs = [
            in_blocks(&last, None),
            in_blocks(&last, Some(Blocks::default())),
            in_blocks(&last, Some(Blocks { elements: 1, halos: 0, of_products: 1, rows: 1 })),
        ];
        let wrong = |sizes: &[i64]| -> Result<(), String> {
            let args = arguments(&raw, sizes);
            let (expected, _) = ssa::run(&raw, sizes, &args).map_err(|e| format!("before: {e}"))?;
            if what == "value" {
                let (first, _) = typed::run(&block, k, sizes, &args)?;
                if !same(&data(&first), &expected) {
                    return Err(format!("value {expected:?} for {first:?}"));
                }
            }
            for (stage, f) in [("simplified", &simple), ("prepared", &prepared(&last))] {
                let (found, _) = ssa::run(f, sizes, &args).map_err(|e| format!("{stage}: {e}"))?;
                if !same(&data(&found), &expected) {
                    return Err(format!("{stage}: {found:?} for {expected:?}"));
                }
            }
            let leaves = data(&args);
            for (n, p) in programs.iter().enumerate() {
                let (found, counts) =
                    run(p, sizes, &leaves, &|_| 1.25).map_err(|e| format!("loops {n}: {e}\n{p}"))?;
                if !same(&found, &expected) {
                    return Err(format!("loops {n}: {found:?} for {expected:?}\n{p}"));
                }
                let count = |ts: &[Tensor]| ts.iter().map(|t| t.data.len() as u64).sum::<u64>();
                let own = arguments(&normal, sizes);
                let (value, of) = run(&own_loops, sizes, &data(&own), &|_| 1.25)?;
                let scalars = count(&own) + value.iter().map(|v| v.len() as u64).sum::<u64>();
                let bound = most(what, of.cost(), scalars, count(&args) + count(&expected));
                if n == 0 && bound.is_some_and(|most| counts.cost() > most) {
                    return Err(format!("cost {} for {bound:?}, of {}\n{p}", counts.cost(), of.cost()));
                }
            }
            Ok(())
        };
        if let Some(e) =
            all_sizes.iter().find_map(|s| wrong(s).err().map(|e| format!("{what} at {s:?}: {e}")))
        {
            out.push(e);
        }
    }
    out
}

/// No program has a fault.
#[track_caller]
fn sound(programs: &[&str]) {
    let all: Vec<String> =
        programs.iter().flat_map(|p| faults(p).into_iter().map(move |e| format!("{p}\n{e}"))).collect();
    assert!(all.is_empty(), "{}", all.join("\n\n"));
}
