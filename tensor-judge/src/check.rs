//! One program through every pass.

use crate::compare::{close, count, dot, magnitude, random, same, shapes, shifted};
use crate::differences::differences;
use crate::foreign;
use crate::generate;
use crate::judged;
use crate::made::{Made, bound, for_threads};
use fastrand::Rng;
use proc_macro2::TokenStream;
use std::cell::RefCell;
use tensor_core::eval::{self, Cost, Tensor};
use tensor_core::index::{Affine, Atom};
use tensor_core::ssa::Function;
use tensor_core::{ad, analyze, normalize, simplify, ssa, typed};

/// A program and where it is evaluated.
#[derive(Clone, Debug)]
pub struct Case {
    /// A block.
    pub source: String,
    /// The function of it that is judged.
    pub name: String,
    /// Its sizes, any number of them: it is compiled once. Where its conditions do not hold it is not judged.
    pub sizes: Vec<Vec<i64>>,
    /// For the arguments.
    pub seed: u64,
}

impl Case {
    /// A random program of all that the language has, at several small sizes.
    #[must_use]
    pub fn wide(seed: u64) -> Case {
        Case::of(generate::wide(seed), seed)
    }

    /// A random program with a long body.
    #[must_use]
    pub fn bodies(seed: u64) -> Case {
        Case::of(generate::bodies(seed), seed)
    }

    fn of(p: generate::Program, seed: u64) -> Case {
        Case { source: p.source, name: "f".into(), sizes: p.sizes, seed }
    }
}

/// Whether all that a function checks on entry holds at these sizes.
#[must_use]
pub fn holds(f: &typed::Function, sizes: &[i64]) -> bool {
    let size = |t: &Atom| match t {
        Atom::Size(k) => sizes[*k as usize],
        Atom::Index(_) | Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => 0,
    };
    fn extents<'a>(ty: &'a typed::Type, out: &mut Vec<&'a Affine>) {
        match ty {
            typed::Type::Real | typed::Type::Size => {}
            typed::Type::Array(own, element) => {
                out.extend(own);
                extents(element, out);
            }
            typed::Type::Tuple(parts) => parts.iter().for_each(|p| extents(p, out)),
        }
    }
    let mut all = vec![];
    f.params.iter().for_each(|p| extents(&p.ty, &mut all));
    all.iter().all(|e| e.eval(&size) >= 0) && f.checks.iter().all(|c| c.condition.eval(&size, &|_, _| false))
}

/// Nothing is said of the derivatives of what grows so far: they are not in range.
const HUGE: f64 = 1e100;

/// What is wrong with a program's way through the compiler, if anything.
///
/// # Errors
/// That, in words.
pub fn judge(case: &Case) -> Result<(), String> {
    let Some(compiled) = unless_undecided(Compiled::new(case))? else { return Ok(()) };
    each_size(case, &compiled.block.functions[compiled.k], |sizes| {
        compiled.at(sizes, case.seed).or_else(|e| {
            // What a rounding decides says nothing of a value.
            if e.contains("leaf ") && is_undecided(&compiled.raw, sizes, case.seed) { Ok(()) } else { Err(e) }
        })
    })
}

/// What is said of a program that is rejected since a question could not be decided, or its numbers grow with each call that is put in.
const LIMITS: [&str; 2] = [
    "rejected: [\"could not prove that `arg",
    "rejected: [\"the coefficients of indices become too large along this chain of reads",
];

/// Nothing where a program is rejected since a question could not be decided: it is right to reject it then, if it is rare.
///
/// # Errors
/// Other mistakes.
pub fn unless_undecided<T>(found: Result<T, String>) -> Result<Option<T>, String> {
    match found {
        Err(e) if LIMITS.iter().any(|limit| e.starts_with(limit)) => Ok(None),
        Err(e) => Err(e),
        Ok(found) => Ok(Some(found)),
    }
}

/// Judges at all sizes of a case at which a function may be called, of which there must be some. Where the evaluator takes too long, nothing is
/// said of a size: most are small.
///
/// # Errors
/// What is wrong at the first of them that has a mistake.
pub fn each_size(
    case: &Case,
    f: &typed::Function,
    judge: impl Fn(&[i64]) -> Result<(), String>,
) -> Result<(), String> {
    let mut some: Vec<Vec<i64>> = case.sizes.iter().filter(|sizes| holds(f, sizes)).cloned().collect();
    if some.is_empty() {
        some.extend(smallest(f, case.sizes.first().map_or(0, Vec::len)));
    }
    if some.is_empty() {
        return Err("no sizes fit".into());
    }
    some.iter().try_for_each(|sizes| match judge(sizes) {
        Err(e) if e.contains(eval::ssa::TOO_LONG) => Ok(()),
        judged => judged.map_err(|e| format!("at {sizes:?}: {e}")),
    })
}

/// The first sizes, in the order of their digits, at which a function may be called.
fn smallest(f: &typed::Function, count: usize) -> Option<Vec<i64>> {
    const DIGITS: i64 = 10;
    let digits = |k: i64| (0..count).map(|d| k / DIGITS.pow(d as u32) % DIGITS).collect::<Vec<i64>>();
    (0..DIGITS.pow(count.min(4) as u32)).map(digits).find(|sizes| holds(f, sizes))
}

/// Whether arguments, or sums, that differ in their last digits have values that differ in their first: elements are equal but for rounding, and
/// one of them is chosen.
#[must_use]
pub fn is_undecided(f: &Function, sizes: &[i64], seed: u64) -> bool {
    const TRIES: u64 = 16;
    const LAST_DIGITS: f64 = 1e-13;
    let args = Point::new(f, sizes, seed).args;
    let value = |args: &[Tensor], rounding: &dyn Fn() -> f64| {
        eval::ssa::run_rounded(f, sizes, args, rounding).map(|(value, _)| value)
    };
    let exact = || 1.0;
    let Ok(here) = value(&args, &exact) else { return false };
    let differs = |there: Result<Vec<Tensor>, _>| there.is_ok_and(|t| same("", &t, &here, 1e-6).is_err());
    (0..TRIES).any(|k| {
        let rng = RefCell::new(Rng::with_seed(seed ^ k));
        let noise = random(&shapes(&args), &mut rng.borrow_mut());
        let rounding = || 1.0 + LAST_DIGITS * (rng.borrow_mut().f64() - 0.5);
        differs(value(&shifted(&args, LAST_DIGITS, &noise), &exact)) || differs(value(&args, &rounding))
    })
}

/// A block, and the number of the function that is judged.
///
/// # Errors
/// It is rejected.
pub fn analyzed(case: &Case) -> Result<(typed::Block, usize), String> {
    foreign::register();
    let tokens: TokenStream = case.source.parse().map_err(|e| format!("{e:?}"))?;
    let block = analyze(tokens)
        .map_err(|e| format!("rejected: {:?}", e.0.iter().map(|e| &e.message).collect::<Vec<_>>()))?;
    let k = block.functions.iter().position(|f| f.name == case.name).ok_or("no such function")?;
    Ok((block, k))
}

/// All that is made of a program.
struct Compiled {
    block: typed::Block,
    k: usize,
    normal: Vec<Option<Function>>,
    raw: Function,
    erased: Function,
    f: Made,
    raw_jvp: Function,
    jvp: Made,
    raw_vjp: Function,
    vjp: Made,
    /// Differences know nothing of `stop`.
    stops: bool,
}

impl Compiled {
    fn new(case: &Case) -> Result<Compiled, String> {
        let (block, k) = analyzed(case)?;
        let normal = normalized(&block);
        let raw = normal[k].clone().ok_or("not normalized")?;
        ssa::verify::verify(&raw).map_err(|e| format!("normalize: {e}"))?;
        let f = simplify::simplify(raw.clone());
        let all: Vec<usize> = (0..f.params.len()).collect();
        let (raw_jvp, raw_vjp) = (ad::jvp(&f, &all), ad::vjp(&f, &all));
        let threads = for_threads(case.seed);
        Ok(Compiled {
            block,
            k,
            normal,
            erased: simplify::stops_as_values(&raw).unwrap_or_else(|| raw.clone()),
            raw,
            f: Made::new("f", f, threads)?,
            jvp: Made::new("jvp", simplify::simplify(raw_jvp.clone()), threads)?,
            raw_jvp,
            vjp: Made::new("vjp", simplify::simplify(raw_vjp.clone()), threads)?,
            raw_vjp,
            stops: case.source.contains("stop("),
        })
    }

    fn at(&self, sizes: &[i64], seed: u64) -> Result<(), String> {
        let at = Point::new(&self.raw, sizes, seed);
        let statements = |f: &Function, what: &str, args: &[Tensor]| {
            eval::ssa::run(f, sizes, args).map_err(|e| format!("{what}: {e}"))
        };
        // What differentiates in its body is evaluated by statements.
        let through = |k: usize, sizes: &[i64], args: &[Tensor]| {
            eval::ssa::run(self.normal[k].as_ref().ok_or("not normalized")?, sizes, args)
        };
        let (value, cost) = eval::typed::run_with(&self.block, self.k, sizes, &at.args, &through)?;
        let (found, _) = statements(&self.raw, "normalize", &at.args)?;
        same("normalize", &found, &value, 1e-9)?;
        if magnitude(&value) > HUGE {
            return Ok(());
        }
        // Derivatives that are given stand beside the value until all is derived.
        let (_, normal) = statements(&self.erased, "normalize", &at.args)?;
        bound("normalize", normal, cost)?;
        let erased = self.f.check(sizes, &at.args, &value, normal)?;
        // What is declared to be a derivative, and what is subtracted from itself but for a `stop`, a derivative computes, too.
        let counts = self.f.run(sizes, &at.args)?.1;
        let cost = erased.max(counts.cost);
        // What is cheap is computed again by the loops of the function, too.
        let own = cost.max(self.f.on_loops(sizes, &at.args, &value, erased)?);

        let forward = [at.args.clone(), at.tangents.clone()].concat();
        let (pushed, raw) = statements(&self.raw_jvp, "jvp", &forward)?;
        same("jvp: value", &pushed[..value.len()], &value, 1e-9)?;
        let cost_jvp = self.jvp.check(sizes, &forward, &pushed, raw)?;
        bound("jvp", cost_jvp, 4 * cost)?;
        let on_the_loops = self.jvp.on_loops(sizes, &forward, &pushed, cost_jvp)?;
        bound("jvp on loops", on_the_loops, 4 * own)?;

        let y_bar = random(&shapes(&value), &mut Rng::with_seed(seed ^ 0xba5e));
        let backward = [at.args.clone(), y_bar.clone()].concat();
        let (pulled, raw) = statements(&self.raw_vjp, "vjp", &backward)?;
        same("vjp: value", &pulled[..value.len()], &value, 1e-9)?;
        let cost_vjp = self.vjp.check(sizes, &backward, &pulled, raw)?;
        let io = |cost: Cost, args: &[Tensor], results: &[Tensor]| cost + count(args) + count(results);
        // What a Rust function reads for nothing is where a cotangent is added.
        let read = |cost: Cost| io(cost + counts.given, &at.args, &value);
        let most = 4 * read(cost);
        bound("vjp", io(cost_vjp, &backward, &pulled), most)?;
        let on_the_loops = self.vjp.on_loops(sizes, &backward, &pulled, cost_vjp)?;
        let most = 4 * read(own) + self.vjp.runs_more() * own;
        bound("vjp on loops", io(on_the_loops, &backward, &pulled), most)?;

        let (y_dot, x_bar) = (&pushed[value.len()..], &pulled[value.len()..]);
        // Of what is too large for a number nothing is said.
        let is_finite = |ts: &[Tensor]| ts.iter().flat_map(|t| &t.data).all(|x| x.is_finite());
        if is_finite(&value) || is_finite(y_dot) || is_finite(x_bar) {
            transposes(&y_bar, y_dot, x_bar, &at.tangents)?;
        }
        if !self.stops {
            let tangent = |args: &[Tensor]| {
                let (all, _) = self.jvp.run(sizes, &[args, &at.tangents].concat())?;
                Ok(all[value.len()..].to_vec())
            };
            differences(&self.f, sizes, &at, y_dot, &tangent)?;
        }
        judged::note();
        Ok(())
    }
}

/// The normal forms of a block's functions, those with transforms among them too, none simplified but what is called.
#[must_use]
pub fn normalized(block: &typed::Block) -> Vec<Option<Function>> {
    let done = tensor_core::normal_forms(block);
    let raw = |(k, f): (usize, &typed::Function)| match &f.body {
        Some(typed::Definition::Expr(body)) => normalize::normalize(f, body, &done),
        Some(typed::Definition::Transform { .. } | typed::Definition::Foreign(_)) => done[k].clone(),
        None => None,
    };
    block.functions.iter().enumerate().map(raw).collect()
}

/// Where a program is judged.
pub struct Point {
    /// Its arguments.
    pub args: Vec<Tensor>,
    /// A direction.
    pub tangents: Vec<Tensor>,
}

impl Point {
    /// Random ones.
    #[must_use]
    pub fn new(f: &Function, sizes: &[i64], seed: u64) -> Point {
        let mut rng = Rng::with_seed(seed ^ 0xa46);
        let size = |t: &Atom| match t {
            Atom::Size(k) => sizes[*k as usize],
            Atom::Index(_) | Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => 0,
        };
        let shapes: Vec<Vec<usize>> = f
            .params
            .iter()
            .map(|p| {
                f.array(*p).extents.iter().map(|e| usize::try_from(e.eval(&size)).unwrap_or(0)).collect()
            })
            .collect();
        Point { args: random(&shapes, &mut rng), tangents: random(&shapes, &mut rng) }
    }
}

/// `⟨ȳ, J ẋ⟩ = ⟨Jᵀ ȳ, ẋ⟩`, relative to the sum of magnitudes.
fn transposes(y_bar: &[Tensor], y_dot: &[Tensor], x_bar: &[Tensor], x_dot: &[Tensor]) -> Result<(), String> {
    if shapes(y_bar) != shapes(y_dot) || shapes(x_bar) != shapes(x_dot) {
        return Err("tangents or cotangents of other shapes".into());
    }
    let (left, right) = (dot(y_bar, y_dot), dot(x_bar, x_dot));
    let terms = (count(y_dot) + count(x_dot)) as f64;
    let scale = terms * (magnitude(y_dot) + magnitude(x_bar));
    if close(left, right, scale, 1e-10) {
        Ok(())
    } else {
        Err(format!("⟨ȳ, J ẋ⟩ = {left}, ⟨Jᵀ ȳ, ẋ⟩ = {right}"))
    }
}
