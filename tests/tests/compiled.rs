//! Programs compiled by rustc against the reference evaluator, in both precisions.

use tensor_core::index::{Affine, Atom};
use tensor_core::{analyze, eval, normal_forms, typed};
use tensor_tests::{Compiled, Tensor};

#[allow(clippy::all, clippy::pedantic, missing_docs, unused_parens, dead_code)]
mod programs {
    include!(concat!(env!("OUT_DIR"), "/programs.rs"));
}

use programs::PROGRAMS;
use tensor_tests as _;

// What the generated code names.
use tensor_tests::{Call, Flatten};

#[test]
fn agree_with_the_evaluator() {
    assert!(PROGRAMS.len() >= 100);
    let mistakes: Vec<String> = PROGRAMS.iter().filter_map(|p| judge(p).err()).collect();
    assert!(mistakes.is_empty(), "{} programs fail:\n{}", mistakes.len(), mistakes.join("\n"));
}

fn judge(p: &Compiled) -> Result<(), String> {
    let block = analyze(p.source.parse().map_err(|e| format!("{e:?}"))?).map_err(|e| format!("{e:?}"))?;
    let normal = normal_forms(&block);
    let is_item = |f: &typed::Function| !f.is_inner && f.linearization.is_none();
    for (k, f) in block.functions.iter().enumerate().filter(|(_, f)| is_item(f)) {
        let (name, call) = p.calls.iter().find(|c| f.name == c.0).ok_or("not compiled")?;
        for seed in 0..3 {
            let (sizes, args) = arguments(f, seed).ok_or_else(|| format!("{name}: no sizes fit"))?;
            let g = normal[k].as_ref().ok_or("no normal form")?;
            let through = |k: usize, sizes: &[i64], args: &[eval::Tensor]| {
                eval::ssa::run(normal[k].as_ref().ok_or("no normal form")?, sizes, args)
            };
            let (expected, _) = eval::typed::run_with(&block, k, &sizes, &args, &through)?;
            let narrow: Vec<Tensor> =
                args.iter().map(|t| Tensor { shape: t.shape.clone(), data: t.data.clone() }).collect();
            let by_value: Vec<usize> =
                f.sizes.iter().zip(&sizes).filter_map(|(s, n)| parameter(s, *n)).collect();
            let found = call(&by_value, &narrow).map_err(|e| format!("{} {name}: {e}", p.name))?;
            let is_single = p.source.contains("f32");
            compare(&found, &expected, if is_single { 2e-4 } else { 1e-10 }).map_err(|e| {
                format!("{} {name} at {sizes:?}{}: {e}", p.name, if is_single { " in f32" } else { "" })
            })?;
            assert_eq!(g.results.len(), found.len());
        }
    }
    Ok(())
}

fn parameter(s: &typed::Size, n: i64) -> Option<usize> {
    matches!(s.origin, typed::SizeOrigin::Parameter(_)).then(|| usize::try_from(n).ok()).flatten()
}

/// Sizes at which all conditions of a function hold, and arguments of those shapes.
fn arguments(f: &typed::Function, seed: u64) -> Option<(Vec<i64>, Vec<eval::Tensor>)> {
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..200).find_map(|_| {
        let sizes: Vec<i64> = f.sizes.iter().map(|_| rng.i64(1..6)).collect();
        let size = |t: &Atom| match t {
            Atom::Size(k) => sizes[*k as usize],
            Atom::Index(_) | Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => 0,
        };
        let holds = f.checks.iter().all(|c| c.condition.eval(&size, &|_, _| false));
        let mut leaves = vec![];
        f.params.iter().for_each(|p| shapes(&p.ty, vec![], &mut leaves));
        let shape = |extents: &Vec<Affine>| {
            extents.iter().map(|e| usize::try_from(e.eval(&size)).ok()).collect::<Option<Vec<_>>>()
        };
        let shapes: Vec<Vec<usize>> = leaves.iter().map(shape).collect::<Option<_>>()?;
        // Between a quarter and one and a half, of either sign where the domain allows it: most functions are defined there.
        let mut args =
            shapes.iter().map(|s| eval::Tensor::from_fn(s, |_| 0.25 + 1.25 * rng.f64())).collect::<Vec<_>>();
        if seed > 0 {
            args.iter_mut().flat_map(|t| &mut t.data).for_each(|x| *x *= if rng.bool() { -1.0 } else { 1.0 });
        }
        holds.then_some((sizes.clone(), args))
    })
}

fn shapes(ty: &typed::Type, outer: Vec<Affine>, out: &mut Vec<Vec<Affine>>) {
    match ty {
        typed::Type::Real => out.push(outer),
        typed::Type::Array(extents, element) => shapes(element, [outer, extents.clone()].concat(), out),
        typed::Type::Tuple(parts) => parts.iter().for_each(|p| shapes(p, outer.clone(), out)),
        typed::Type::Size => {}
    }
}

fn compare(found: &[Tensor], expected: &[eval::Tensor], tolerance: f64) -> Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!("{} leaves for {}", found.len(), expected.len()));
    }
    let scale =
        expected.iter().flat_map(|t| &t.data).filter(|x| x.is_finite()).fold(1.0, |a: f64, x| a.max(x.abs()));
    for (k, (f, e)) in found.iter().zip(expected).enumerate() {
        if f.shape != e.shape {
            return Err(format!("leaf {k} has shape {:?} for {:?}", f.shape, e.shape));
        }
        for (x, y) in f.data.iter().zip(&e.data) {
            let same = x == y
                || (x.is_nan() && y.is_nan())
                || approx::abs_diff_eq!(x, y, epsilon = tolerance * scale);
            if !same {
                return Err(format!("leaf {k}: {:?} for {:?}", f.data, e.data));
            }
        }
    }
    Ok(())
}
