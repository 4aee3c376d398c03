//! One program through every pass.

use crate::compare::{close, count, dot, magnitude, random, same, shapes, shifted};
use crate::generate;
use proc_macro2::TokenStream;
use tensor_core::eval::{self, Cost, Tensor};
use tensor_core::index::{Affine, Atom};
use tensor_core::schedule::Blocks;
use tensor_core::ssa::Function;
use tensor_core::{ad, analyze, loops, normalize, schedule, simplify, ssa, typed};

/// A program and where it is evaluated.
pub struct Case {
    /// A block.
    pub source: String,
    /// The function of it that is judged.
    pub name: String,
    /// Its sizes.
    pub sizes: Vec<i64>,
    /// For the arguments.
    pub seed: u64,
}

impl Case {
    /// A random program at random small sizes.
    pub fn random(seed: u64) -> Case {
        let mut rng = fastrand::Rng::with_seed(seed ^ 0x5eed);
        let sizes = vec![rng.i64(1..5), rng.i64(1..4)];
        Case { source: generate::program(seed).source, name: "f".into(), sizes, seed }
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

/// What is wrong with a program's way through the compiler, if anything.
pub fn judge(case: &Case) -> Result<(), String> {
    let tokens: TokenStream = case.source.parse().map_err(|e| format!("{e:?}"))?;
    let block = analyze(tokens)
        .map_err(|e| format!("rejected: {:?}", e.0.iter().map(|e| &e.message).collect::<Vec<_>>()))?;
    let k = block.functions.iter().position(|f| f.name == case.name).ok_or("no such function")?;
    let normal = normalized(&block);
    let f = normal[k].clone().ok_or("not normalized")?;
    let at = Point::new(&f, case);
    let (value, cost) = eval::typed::run(&block, k, &case.sizes, &at.args)?;

    let pass = |what: &str, f: &Function, args: &[Tensor], expected: &[Tensor], most: Cost| {
        ssa::verify::verify(f).map_err(|e| format!("{what}: {e}"))?;
        let (found, cost) = eval::ssa::run(f, &case.sizes, args).map_err(|e| format!("{what}: {e}"))?;
        same(what, &found, expected, 1e-9)?;
        if cost > most {
            return Err(format!("{what}: cost {cost} for {most}"));
        }
        Ok(cost)
    };
    let cost = pass("normalize", &f, &at.args, &value, cost)?;
    let f = simplify::simplify(f);
    let cost = pass("simplify", &f, &at.args, &value, cost)?;
    on_loops("f", &f, &case.sizes, &at.args, &value, cost)?;

    let all: Vec<usize> = (0..f.params.len()).collect();
    let (raw_jvp, raw_vjp) = (ad::jvp(&f, &all), ad::vjp(&f, &all));
    let forward = [at.args.clone(), at.tangents.clone()].concat();
    let y_bar = random(&shapes(&value), &mut fastrand::Rng::with_seed(case.seed ^ 0xba5e));
    let backward = [at.args.clone(), y_bar.clone()].concat();

    let (pushed, raw) = eval::ssa::run(&raw_jvp, &case.sizes, &forward).map_err(|e| format!("jvp: {e}"))?;
    same("jvp: value", &pushed[..value.len()], &value, 1e-9)?;
    let jvp = simplify::simplify(raw_jvp);
    let cost_jvp = pass("simplify jvp", &jvp, &forward, &pushed, raw)?;
    bound("jvp", cost_jvp, 4 * cost)?;
    let on_the_loops = on_loops("jvp", &jvp, &case.sizes, &forward, &pushed, cost_jvp)?;
    bound("jvp on loops", on_the_loops, 4 * cost)?;

    let (pulled, raw) = eval::ssa::run(&raw_vjp, &case.sizes, &backward).map_err(|e| format!("vjp: {e}"))?;
    same("vjp: value", &pulled[..value.len()], &value, 1e-9)?;
    let vjp = simplify::simplify(raw_vjp);
    let cost_vjp = pass("simplify vjp", &vjp, &backward, &pulled, raw)?;
    let io = |cost: Cost, args: &[Tensor], results: &[Tensor]| cost + count(args) + count(results);
    let most = 4 * io(cost, &at.args, &value);
    bound("vjp", io(cost_vjp, &backward, &pulled), most)?;
    let on_the_loops = on_loops("vjp", &vjp, &case.sizes, &backward, &pulled, cost_vjp)?;
    bound("vjp on loops", io(on_the_loops, &backward, &pulled), most)?;

    let (y_dot, x_bar) = (&pushed[value.len()..], &pulled[value.len()..]);
    transposes(&y_bar, y_dot, x_bar, &at.tangents)?;
    // Differences know nothing of `stop`.
    if case.source.contains("stop(") { Ok(()) } else { differences(&f, case, &at, y_dot) }
}

/// The normal forms of a block's functions, those with transforms among them too, none simplified but what is called.
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
    pub fn new(f: &Function, case: &Case) -> Point {
        let mut rng = fastrand::Rng::with_seed(case.seed ^ 0xa46);
        let size = |t: &Atom| match t {
            Atom::Size(k) => case.sizes[*k as usize],
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

/// What is cheap to compute again, or to compute where it is not needed, may make the cost so many times what it was and what there is to
/// read and write.
const AGAIN: Cost = 2;

/// The loops of a function compute what it does, at no more cost than its statements when those are prepared, which is returned. (What is
/// cheap to compute again is then there twice; the bounds hold on the loops even so.)
pub fn on_loops(
    what: &str,
    f: &Function,
    sizes: &[i64],
    args: &[Tensor],
    expected: &[Tensor],
    most: Cost,
) -> Result<Cost, String> {
    let f = simplify::erase_stops(f.clone());
    let prepared = schedule::prepared(&f);
    let ran = eval::ssa::run(&prepared, sizes, args).map_err(|e| format!("{what}, prepared: {e}"))?;
    same(&format!("{what}, prepared"), &ran.0, expected, 1e-9)?;
    let (_, before) = eval::ssa::run(&f, sizes, args).map_err(|e| format!("{what}: {e}"))?;
    let elements: usize = args.iter().chain(expected).map(|t| t.data.len()).sum();
    bound(&format!("{what}, prepared"), ran.1, AGAIN * (before + elements as Cost))?;
    let most = most.max(ran.1);
    let leaves: Vec<loops::eval::Leaf> = args.iter().map(|t| t.data.clone()).collect();
    let constant = |path: &str| eval::scalar::constant(path).unwrap_or(f64::NAN);
    let run = |program: &loops::Program, what: &str| {
        let (found, counts) = loops::eval::run(program, sizes, &leaves, &constant)
            .map_err(|e| format!("{what}: {e}\n{program}"))?;
        let shaped = |(data, e): (Vec<f64>, &Tensor)| Tensor { shape: e.shape.clone(), data };
        let found: Vec<Tensor> = found.into_iter().zip(expected).map(shaped).collect();
        same(what, &found, expected, 1e-9).map_err(|e| format!("{e}\n{program}"))?;
        Ok::<Cost, String>(counts.cost())
    };
    let program = schedule::in_blocks(&f, None);
    let cost = run(&program, &format!("loops of {what}"))?;
    bound(&format!("loops of {what}"), cost, most)?;
    let short = |elements: i64| {
        schedule::in_blocks(&f, Some(Blocks { elements, halos: 0, of_products: elements, rows: 1 }))
    };
    let in_turns = short(1);
    if in_turns.to_string() != program.to_string() {
        // Sizes here are below the length of a block by default; of shorter ones there are several, and moving what they share costs.
        run(&in_turns, &format!("loops of {what}, in blocks of 1"))?;
        run(&short(150), &format!("loops of {what}, in blocks of 150"))?;
        let whole =
            run(&schedule::in_blocks(&f, Some(Blocks::default())), &format!("loops of {what}, in turns"))?;
        bound(&format!("loops of {what}, in turns"), whole, cost)?;
    }
    Ok(cost)
}

fn bound(what: &str, cost: Cost, most: Cost) -> Result<(), String> {
    if cost > most { Err(format!("{what}: cost {cost}, at most {most} allowed")) } else { Ok(()) }
}

/// `⟨ȳ, J ẋ⟩ = ⟨Jᵀ ȳ, ẋ⟩`, relative to the sum of magnitudes.
fn transposes(y_bar: &[Tensor], y_dot: &[Tensor], x_bar: &[Tensor], x_dot: &[Tensor]) -> Result<(), String> {
    let (left, right) = (dot(y_bar, y_dot), dot(x_bar, x_dot));
    let terms = (count(y_dot) + count(x_dot)) as f64;
    let scale = terms * (magnitude(y_dot) + magnitude(x_bar));
    if close(left, right, scale, 1e-10) {
        Ok(())
    } else {
        Err(format!("⟨ȳ, J ẋ⟩ = {left}, ⟨Jᵀ ȳ, ẋ⟩ = {right}"))
    }
}

/// The tangent agrees with central differences of some step. (One step may straddle a kink; three of different length hardly do.)
fn differences(f: &Function, case: &Case, at: &Point, y_dot: &[Tensor]) -> Result<(), String> {
    let slope = |h: f64| -> Result<Vec<Tensor>, String> {
        let (up, _) = eval::ssa::run(f, &case.sizes, &shifted(&at.args, h, &at.tangents))?;
        let (down, _) = eval::ssa::run(f, &case.sizes, &shifted(&at.args, -h, &at.tangents))?;
        let half =
            |t: Tensor| Tensor { shape: t.shape, data: t.data.iter().map(|d| d / (2.0 * h)).collect() };
        Ok(shifted(&up, -1.0, &down).into_iter().map(half).collect())
    };
    let mut last = Ok(());
    for (h, tolerance) in [(1e-5, 1e-6), (1e-6, 1e-5), (1e-7, 1e-4), (1e-4, 1e-4)] {
        last = same("differences", y_dot, &slope(h)?, tolerance);
        if last.is_ok() {
            return last;
        }
    }
    last
}
