//! Matrices of derivatives and second derivatives of one program.

use crate::check::{Case, Point, normalized, on_loops};
use crate::compare::{count, magnitude, random, same, shapes, shifted};
use proc_macro2::TokenStream;
use tensor_core::eval::{self, Cost, Tensor};
use tensor_core::ssa::{self, Function};
use tensor_core::{ad, analyze, simplify};

/// What is wrong with the transforms of transforms of a program, if anything.
pub fn judge(case: &Case) -> Result<(), String> {
    let tokens: TokenStream = case.source.parse().map_err(|e| format!("{e:?}"))?;
    let block = analyze(tokens).map_err(|e| format!("rejected: {:?}", e.0))?;
    let k = block.functions.iter().position(|f| f.name == case.name).ok_or("no such function")?;
    let f = simplify::simplify(normalized(&block)[k].clone().ok_or("not normalized")?);
    let at = Point::new(&f, case);
    let all: Vec<usize> = (0..f.params.len()).collect();
    let run = |f: &Function, args: &[Tensor]| eval::ssa::run(f, &case.sizes, args);
    let (value, _) = run(&f, &at.args)?;

    let jvp = simplify::simplify(ad::jvp(&f, &all));
    let (pushed, _) = run(&jvp, &[at.args.clone(), at.tangents.clone()].concat())?;
    let y_dot = &pushed[value.len()..];
    for (what, matrix) in [("jacobian", ad::jacobian(&f, &all)), ("columns", ad::hessian(&f, &all))] {
        let blocks = derived(what, case, matrix, &at.args)?;
        let product = times(&blocks, &value, &at.tangents);
        same(&format!("{what} times a direction"), &product, y_dot, 1e-9)?;
    }

    if matches!(f.results.as_slice(), [r] if f.array(*r).extents.is_empty()) {
        let full = simplify::simplify(ad::hessian(&simplify::simplify(ad::grad(&f, &all)), &all));
        let (expected, _) = run(&full, &at.args)?;
        let found = derived("hessian", case, ad::symmetric(&f, full, all.len()), &at.args)?;
        same("hessian, computed once", &found, &expected, 1e-9)?;
    }

    let vjp = simplify::simplify(ad::vjp(&f, &all));
    let y_bar = random(&shapes(&value), &mut fastrand::Rng::with_seed(case.seed ^ 0xba5e));
    let args = [at.args.clone(), y_bar].concat();
    let second = ad::jvp(&vjp, &all);
    let more = [args.clone(), at.tangents.clone()].concat();
    let found = derived("jvp of vjp", case, second, &more)?;
    let (_, cost) = run(&vjp, &args)?;
    let (_, twice) = run(&simplify::simplify(ad::jvp(&vjp, &all)), &more)?;
    if twice > 4 * cost {
        return Err(format!("jvp of vjp: cost {twice}, at most {} allowed", 4 * cost));
    }
    if case.source.contains("stop(") { Ok(()) } else { differences(&vjp, case, &args, &at, &found) }
}

/// The value of a derivative as it is, simplified and on the loops, which must agree.
fn derived(what: &str, case: &Case, f: Function, args: &[Tensor]) -> Result<Vec<Tensor>, String> {
    ssa::verify::verify(&f).map_err(|e| format!("{what}: {e}"))?;
    let (expected, raw) = eval::ssa::run(&f, &case.sizes, args).map_err(|e| format!("{what}: {e}"))?;
    let f = simplify::simplify(f);
    ssa::verify::verify(&f).map_err(|e| format!("{what}, simplified: {e}"))?;
    let (found, cost) =
        eval::ssa::run(&f, &case.sizes, args).map_err(|e| format!("{what}, simplified: {e}"))?;
    same(&format!("{what}, simplified"), &found, &expected, 1e-9)?;
    if cost > raw {
        return Err(format!("{what}, simplified: cost {cost} for {raw}"));
    }
    on_loops(what, &f, &case.sizes, args, &expected, Cost::MAX)?;
    Ok(expected)
}

/// `J ẋ`, of blocks by result and argument.
fn times(blocks: &[Tensor], value: &[Tensor], x_dot: &[Tensor]) -> Vec<Tensor> {
    let row = |(r, y): (usize, &Tensor)| {
        let mut sum = vec![0.0; y.data.len()];
        for (c, x) in x_dot.iter().enumerate() {
            let block = &blocks[r * x_dot.len() + c];
            for (k, s) in sum.iter_mut().enumerate() {
                let columns = x.data.len();
                *s +=
                    block.data[k * columns..][..columns].iter().zip(&x.data).map(|(a, b)| a * b).sum::<f64>();
            }
        }
        Tensor { shape: y.shape.clone(), data: sum }
    };
    value.iter().enumerate().map(row).collect()
}

/// The tangents of a cotangent agree with central differences of some step.
fn differences(
    vjp: &Function,
    case: &Case,
    args: &[Tensor],
    at: &Point,
    found: &[Tensor],
) -> Result<(), String> {
    let half = found.len() / 2;
    let rest: Vec<Tensor> = args[at.args.len()..].to_vec();
    let shifted_args = |h: f64| [shifted(&at.args, h, &at.tangents), rest.clone()].concat();
    let mut last = Ok(());
    for (h, tolerance) in [(1e-5, 1e-5), (1e-6, 1e-4), (1e-7, 1e-3), (1e-4, 1e-3)] {
        let (up, _) = eval::ssa::run(vjp, &case.sizes, &shifted_args(h))?;
        let (down, _) = eval::ssa::run(vjp, &case.sizes, &shifted_args(-h))?;
        let slope: Vec<Tensor> = shifted(&up, -1.0, &down)
            .into_iter()
            .map(|t| Tensor { shape: t.shape, data: t.data.iter().map(|d| d / (2.0 * h)).collect() })
            .collect();
        last =
            same("second differences", &found[half..], &slope, tolerance * (1.0 + magnitude(&found[..half])));
        if last.is_ok() || count(found) == 0 {
            return Ok(());
        }
    }
    last
}
