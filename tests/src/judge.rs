//! Calls of programs that rustc compiled against the reference evaluator.

use crate::{Call, Compiled, Tensor, foreign, levels};
use tensor_core::index::{Affine, Atom};
use tensor_core::{analyze, eval, normal_forms, ssa, typed};

/// One call, and what must come out.
struct Case {
    what: String,
    calls: Vec<Call>,
    by_value: Vec<usize>,
    args: Vec<Tensor>,
    shapes: Vec<Vec<usize>>,
    expected: Vec<eval::Tensor>,
    tolerance: f64,
}

/// What is wrong with the calls of some programs, at every instruction set that the machine has; which is in use only goes down, so that a process
/// can do this once.
///
/// # Panics
/// If anything is.
pub fn judge(programs: &[Compiled]) {
    let all = || judge_all(programs);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, all);
        if let Err(mistakes) = thread.expect("a thread").join() {
            std::panic::resume_unwind(mistakes);
        }
    });
}

/// A tolerance beyond which a call says nothing, relative to the greatest element.
const LOOSE: f64 = 0.1;

/// In bytes. Unoptimized, each value of a function has a place of its own on the stack, and random functions are long: one of them takes 3 MB.
const STACK: usize = 64 << 20;

fn judge_all(programs: &[Compiled]) {
    foreign::register();
    let mut mistakes: Vec<String> = vec![];
    let mut cases: Vec<Case> = vec![];
    for p in programs {
        match of_program(p) {
            Ok(found) if found.is_empty() => mistakes.push(format!("{}: nothing is called", p.name)),
            Ok(found) => cases.extend(found),
            Err(e) => mistakes.push(format!("{}: {e}", p.name)),
        }
    }
    // Where errors are magnified so far, anything is near enough.
    let loose: Vec<&str> = cases.iter().filter(|c| c.tolerance > LOOSE).map(|c| c.what.as_str()).collect();
    assert!(20 * loose.len() <= cases.len(), "of {} calls these say nothing: {loose:?}", cases.len());
    for level in levels() {
        for (c, call) in cases.iter().flat_map(|c| c.calls.iter().map(move |call| (c, call))) {
            let found = call(&c.by_value, &c.args, &c.shapes).map_err(|e| e.to_string());
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
    let mut names: Vec<&str> = p.calls.iter().map(|(name, _)| *name).collect();
    names.dedup();
    let mut out = vec![];
    for name in names {
        let k = block.functions.iter().position(|f| f.name == name).ok_or("nothing to compare with")?;
        let calls: Vec<Call> = p.calls.iter().filter(|(of, _)| *of == name).map(|(_, call)| *call).collect();
        let before = out.len();
        for (seed, (sizes, args)) in all_arguments(p, &block.functions[k], name)? {
            let is_small = if p.sizes.is_empty() { seed < SMALL } else { sizes.iter().all(|n| *n < 7) };
            match case(p, &block, &normal, k, &calls, is_small, sizes, args) {
                // Other sizes are smaller.
                Err(e) if e.contains(eval::ssa::TOO_LONG) => {}
                case => out.push(case?),
            }
        }
        if out.len() == before {
            return Err(format!("{name}: the evaluator takes too long at all sizes"));
        }
    }
    Ok(out)
}

/// The calls of one function at one point.
#[allow(clippy::too_many_arguments)]
fn case(
    p: &Compiled,
    block: &typed::Block,
    normal: &[Option<ssa::Function>],
    k: usize,
    calls: &[Call],
    is_small: bool,
    sizes: Vec<i64>,
    args: Vec<eval::Tensor>,
) -> Result<Case, String> {
    let f = &block.functions[k];
    let through = |k: usize, sizes: &[i64], args: &[eval::Tensor]| {
        eval::ssa::run(normal[k].as_ref().ok_or("no normal form")?, sizes, args)
    };
    // The evaluator of the language takes long; that of the normal form agrees with it.
    let (expected, _) = match is_small {
        true => eval::typed::run_with(block, k, &sizes, &args, &through)?,
        false => through(k, &sizes, &args)?,
    };
    let is_single = p.source.contains("f32");
    // Where the program magnifies errors of arguments, it does so with those of arithmetic.
    let moved = || {
        let near: Vec<eval::Tensor> = args.iter().map(nearby).collect();
        through(k, &sizes, &near).map(|(found, _)| 30.0 * distance(&found, &expected))
    };
    let tolerance = match is_single {
        false if p.sizes.is_empty() => 1e-10,
        false => f64::max(1e-10, moved()? * f64::EPSILON / f64::from(f32::EPSILON)),
        true => f64::max(2e-4, moved()?),
    };
    let precision = if is_single { " in f32" } else { "" };
    Ok(Case {
        what: format!("{} {} at {sizes:?}{precision}", p.name, f.name),
        calls: calls.to_vec(),
        by_value: f.sizes.iter().zip(&sizes).filter_map(|(s, n)| parameter(s, *n)).collect(),
        args: args.into_iter().map(|t| Tensor { shape: t.shape, data: t.data }).collect(),
        shapes: expected.iter().map(|t| t.shape.clone()).collect(),
        expected,
        tolerance,
    })
}

/// Sizes and arguments, by seeds.
#[allow(clippy::type_complexity)]
fn all_arguments(
    p: &Compiled,
    f: &typed::Function,
    name: &str,
) -> Result<Vec<(u64, (Vec<i64>, Vec<eval::Tensor>))>, String> {
    let mut out = vec![];
    for seed in 0..if p.sizes.is_empty() { SEEDS } else { p.sizes.len() as u64 } {
        let fixed = p.sizes.get(seed as usize).copied();
        match arguments(f, seed, fixed) {
            Some(found) => out.push((seed, found)),
            // Conditions may keep a size small.
            None if fixed.is_some() || seed >= SMALL => {}
            None => return Err(format!("{name}: no sizes fit")),
        }
    }
    if out.is_empty() { Err(format!("{name}: no sizes fit")) } else { Ok(out) }
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
fn arguments(f: &typed::Function, seed: u64, fixed: Option<&[i64]>) -> Option<(Vec<i64>, Vec<eval::Tensor>)> {
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..200).find_map(|_| {
        let mut sizes: Vec<i64> = f.sizes.iter().map(|_| rng.i64(1..6)).collect();
        if seed >= SMALL && !sizes.is_empty() {
            let one = rng.usize(..sizes.len());
            sizes[one] = if seed < LARGE { rng.i64(33..80) } else { 0 };
        }
        if let Some(fixed) = fixed {
            sizes = fixed.to_vec();
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
            let same = x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= tolerance * scale;
            if !same {
                return Err(format!("leaf {k}: {:?} for {:?}", f.data, e.data));
            }
        }
    }
    Ok(())
}
