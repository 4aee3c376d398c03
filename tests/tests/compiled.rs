//! Programs compiled by rustc against the reference evaluator, in both precisions.

use tensor_core::index::{Affine, Atom};
use tensor_core::{analyze, eval, normal_forms, typed};
use tensor_rt::simd::{self, Level};
use tensor_tests::{Compiled, Tensor};

#[allow(clippy::all, clippy::pedantic, missing_docs, unused_parens, dead_code)]
mod programs {
    include!(concat!(env!("OUT_DIR"), "/programs.rs"));
}

use programs::PROGRAMS;
use tensor_tests as _;

// What the generated code names.
use tensor_tests::{Call, Flatten};

/// One call, and what must come out.
struct Case {
    what: String,
    call: Call,
    by_value: Vec<usize>,
    args: Vec<Tensor>,
    expected: Vec<eval::Tensor>,
    tolerance: f64,
}

/// With every instruction set that the machine has; which is in use only goes down, so there is one test.
#[test]
fn agree_with_the_evaluator() {
    assert!(PROGRAMS.len() >= 100);
    let mut mistakes: Vec<String> = vec![];
    let mut cases: Vec<Case> = vec![];
    for p in PROGRAMS {
        match of_program(p) {
            Ok(found) => cases.extend(found),
            Err(e) => mistakes.push(format!("{}: {e}", p.name)),
        }
    }
    for level in [Level::Avx512, Level::Avx2, Level::Baseline] {
        simd::limit(level);
        for c in &cases {
            let found = (c.call)(&c.by_value, &c.args).map_err(|e| e.to_string());
            if let Err(e) = found.and_then(|found| compare(&found, &c.expected, c.tolerance)) {
                mistakes.push(format!("{} with {level:?}: {e}", c.what));
            }
        }
    }
    assert!(mistakes.is_empty(), "{} calls fail:\n{}", mistakes.len(), mistakes.join("\n"));
}

fn of_program(p: &Compiled) -> Result<Vec<Case>, String> {
    let block = analyze(p.source.parse().map_err(|e| format!("{e:?}"))?).map_err(|e| format!("{e:?}"))?;
    let normal = normal_forms(&block);
    let through = |k: usize, sizes: &[i64], args: &[eval::Tensor]| {
        eval::ssa::run(normal[k].as_ref().ok_or("no normal form")?, sizes, args)
    };
    let mut out = vec![];
    let is_item = |f: &typed::Function| !f.is_inner && f.linearization.is_none();
    for (k, f) in block.functions.iter().enumerate().filter(|(_, f)| is_item(f)) {
        let (name, call) = p.calls.iter().find(|c| f.name == c.0).ok_or("not compiled")?;
        for seed in 0..SEEDS {
            let Some((sizes, args)) = arguments(f, seed) else {
                // Conditions may keep a size small.
                if seed < SMALL {
                    return Err(format!("{name}: no sizes fit"));
                }
                continue;
            };
            let (expected, _) = if seed < SMALL {
                eval::typed::run_with(&block, k, &sizes, &args, &through)?
            } else {
                // The evaluator of the language takes long; that of the normal form agrees with it.
                through(k, &sizes, &args)?
            };
            let narrow =
                args.iter().map(|t| Tensor { shape: t.shape.clone(), data: t.data.clone() }).collect();
            let is_single = p.source.contains("f32");
            let tolerance = match is_single {
                false => 1e-10,
                // Where the program magnifies errors of arguments, it does so with those of arithmetic.
                true if seed >= SMALL => {
                    let near: Vec<eval::Tensor> = args.iter().map(nearby).collect();
                    let moved = distance(&through(k, &sizes, &near)?.0, &expected);
                    f64::max(2e-4, 30.0 * moved)
                }
                true => 2e-4,
            };
            out.push(Case {
                what: format!("{} {name} at {sizes:?}{}", p.name, if is_single { " in f32" } else { "" }),
                call: *call,
                by_value: f.sizes.iter().zip(&sizes).filter_map(|(s, n)| parameter(s, *n)).collect(),
                args: narrow,
                expected,
                tolerance,
            });
        }
    }
    Ok(out)
}

/// With these seeds all sizes are below 6.
const SMALL: u64 = 3;
/// With these of the others one of them is beyond the widest vectors.
const LARGE: u64 = 6;
/// With the last one of them is 0, where conditions allow that.
const SEEDS: u64 = 8;

fn parameter(s: &typed::Size, n: i64) -> Option<usize> {
    matches!(s.origin, typed::SizeOrigin::Parameter(_)).then(|| usize::try_from(n).ok()).flatten()
}

/// Sizes at which all conditions of a function hold, and arguments of those shapes.
fn arguments(f: &typed::Function, seed: u64) -> Option<(Vec<i64>, Vec<eval::Tensor>)> {
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..200).find_map(|_| {
        let mut sizes: Vec<i64> = f.sizes.iter().map(|_| rng.i64(1..6)).collect();
        if seed >= SMALL && !sizes.is_empty() {
            let one = rng.usize(..sizes.len());
            sizes[one] = if seed < LARGE { rng.i64(33..80) } else { 0 };
        }
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

/// Other arguments, as near as single precision tells apart.
fn nearby(t: &eval::Tensor) -> eval::Tensor {
    let mut rng = fastrand::Rng::with_seed(1);
    eval::Tensor::from_fn(&t.shape, |k| t.data[k] * (1.0 + 1e-7 * (rng.f64() - 0.5)))
}

/// The greatest difference of finite elements, relative to the greatest of them.
fn distance(a: &[eval::Tensor], b: &[eval::Tensor]) -> f64 {
    let pairs = || a.iter().flat_map(|t| &t.data).zip(b.iter().flat_map(|t| &t.data));
    let finite = || pairs().filter(|(x, y)| x.is_finite() && y.is_finite());
    let scale = finite().fold(1.0, |s: f64, (_, y)| s.max(y.abs()));
    finite().fold(0.0, |d: f64, (x, y)| d.max((x - y).abs())) / scale
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
