//! Recurrences as users write them, against the same computed in Rust.

mod plain;
mod programs;
mod storage;

use crate::error::Errors;
use crate::eval::{Tensor, typed::run};
use crate::loops::verify::Prover;
use crate::parse::Input;
use crate::schedule::{self, Options};
use crate::ssa::display::display;
use crate::ssa::verify::verify;
use crate::typed::Block;
use crate::typed::Definition;
use crate::{bounds, check, names, normalize, parse, ssa};
use programs::{Input as Given, PROGRAMS};

/// The program, checked and proved in range and in order.
fn proved(source: &str) -> Block {
    let mut errors = Errors::default();
    let Some(Input::Block(mut block)) = parse::parse(source.parse().unwrap(), &mut errors) else {
        panic!("no items: {source}")
    };
    names::of_block(&mut block, &mut errors);
    let mut block = check::check(&block, &mut errors);
    bounds::prove(&mut block, &mut errors);
    let said: Vec<_> = errors.0.iter().map(|e| &e.message).collect();
    assert!(said.is_empty(), "{source}\n{said:#?}");
    block
}

/// Numbers that look like noise, between 0.2 and 1.2.
fn noise(shape: &[usize], seed: usize) -> Tensor {
    Tensor::from_fn(shape, |k| 0.2 + ((k + 1) as f64 * 0.754_877 + seed as f64 * 0.569_84).fract())
}

/// The evaluator is no proof of order: it reads what is there.
#[test]
fn what_is_missing_is_an_error() {
    let cases = [
        (
            "fn f(n: usize) -> [f64; n] { let y = rec t in 0..n { if t == 1 { y[2] } else { 1.0 } }; y }",
            3,
            "[2]",
        ),
        ("fn f(n: usize) -> [f64; n] { let y = rec t in (0..n).rev() { y[t] }; y }", 3, "[2]"),
        ("fn f(n: usize) -> [f64; n] { let y = rec t in 0..n { y[0] }; y }", 0, ""),
    ];
    for (source, n, missing) in cases {
        let mut errors = Errors::default();
        let Some(Input::Block(block)) = parse::parse(source.parse().unwrap(), &mut errors) else { panic!() };
        let block = check::check(&block, &mut errors);
        assert!(errors.is_empty());
        let said = match run(&block, 0, &[n], &[]) {
            Err(said) => said,
            Ok(_) => String::new(),
        };
        let wanted = format!("element {missing} is read before it is computed");
        assert_eq!(said, if missing.is_empty() { String::new() } else { wanted }, "{source}");
    }
}

#[test]
fn values() {
    for p in PROGRAMS {
        let block = proved(p.source);
        let normal = normal_form(&block);
        let read_back = proved(&display(normal.as_ref().unwrap_or_else(|| panic!("{}", p.source))));
        for sizes in p.sizes {
            let args: Vec<Tensor> =
                (p.shapes)(sizes).iter().enumerate().map(|(k, shape)| noise(shape, k)).collect();
            let known: Vec<i64> = sizes.iter().map(|n| i64::try_from(*n).unwrap()).collect();
            let last = block.functions.len() - 1;
            let (leaves, _) =
                run(&block, last, &known, &args).unwrap_or_else(|e| panic!("{}\n{sizes:?}: {e}", p.source));
            let found: Vec<f64> = leaves.into_iter().flat_map(|l| l.data).collect();
            let data: Vec<&[f64]> = args.iter().map(|a| a.data.as_slice()).collect();
            let wanted = (p.plain)(&Given { sizes, x: &data });
            let is_close = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= 1e-12 * b.abs().max(1.0);
            let same = |found: &[f64]| {
                assert!(
                    found.len() == wanted.len() && found.iter().zip(&wanted).all(is_close),
                    "{}\nsizes {sizes:?}\nfound  {found:?}\nwanted {wanted:?}",
                    p.source
                );
            };
            same(&found);
            let normal = normal.as_ref().unwrap_or_else(|| panic!("{}: no normal form", p.source));
            let (leaves, _) = crate::eval::ssa::run(normal, &known, &args)
                .unwrap_or_else(|e| panic!("{}\n{sizes:?}: {e}\n{normal:#?}", p.source));
            same(&leaves.into_iter().flat_map(|l| l.data).collect::<Vec<_>>());
            let printed = &read_back.functions[0];
            let size =
                |s: &crate::typed::Size| known[normal.sizes.iter().position(|n| *n == s.name).unwrap()];
            let by_name: Vec<i64> = printed.sizes.iter().map(size).collect();
            let (leaves, _) = run(&read_back, 0, &by_name, &args)
                .unwrap_or_else(|e| panic!("{}\n{sizes:?}: {e}", display(normal)));
            same(&leaves.into_iter().flat_map(|l| l.data).collect::<Vec<_>>());
        }
    }
}

/// The normal form of the last function.
/// Simplified, and as loops that are verified after every pass.
#[test]
fn loops() {
    let mut wrong = vec![];
    for p in PROGRAMS {
        let outcome = std::panic::catch_unwind(|| as_loops(p));
        let said = outcome.unwrap_or_else(|_| Err("a panic".to_string()));
        wrong.extend(said.err().map(|e| format!("{}\n{e}", p.source)));
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), PROGRAMS.len(), wrong.join("\n\n"));
}

fn as_loops(p: &programs::Program) -> Result<(), String> {
    let normal = normal_form(&proved(p.source)).ok_or("no normal form")?;
    let f = crate::simplify::simplify(normal);
    verify(&f).map_err(|e| format!("{e}\n{}", display(&f)))?;
    let options = Options::new(false);
    let (program, ranges) = schedule::judged(&f, &options, &mut Prover::default())?;
    let undecided = ranges.undecided.join("\n");
    if !undecided.is_empty() {
        return Err(format!("{undecided}\n{program}"));
    }
    for sizes in p.sizes {
        let args: Vec<Tensor> =
            (p.shapes)(sizes).iter().enumerate().map(|(k, shape)| noise(shape, k)).collect();
        let known: Vec<i64> = sizes.iter().map(|n| i64::try_from(*n).unwrap()).collect();
        let data: Vec<&[f64]> = args.iter().map(|a| a.data.as_slice()).collect();
        let wanted = (p.plain)(&Given { sizes, x: &data });
        let leaves: Vec<Vec<f64>> = args.iter().map(|t| t.data.clone()).collect();
        let (found, _) = crate::loops::eval::run(&program, &known, &leaves, &|path| {
            crate::eval::scalar::constant(path).unwrap_or(f64::NAN)
        })
        .map_err(|e| format!("{sizes:?}: {e}\n{program}"))?;
        let found: Vec<f64> = found.into_iter().flatten().collect();
        let is_close = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= 1e-12 * b.abs().max(1.0);
        if found.len() != wanted.len() || !found.iter().zip(&wanted).all(is_close) {
            return Err(format!("{sizes:?}: {found:?}\n{wanted:?}\n{program}"));
        }
    }
    Ok(())
}

fn normal_form(block: &Block) -> Option<ssa::Function> {
    let mut all = vec![None; block.functions.len()];
    for k in &block.order {
        if let Some(Definition::Expr(body)) = &block.functions[*k].body {
            all[*k] = normalize::normalize(&block.functions[*k], body, &all);
        }
    }
    let last = all.pop().flatten()?;
    assert_eq!(verify(&last), Ok(()), "{last:#?}");
    Some(last)
}
