//! Programs: the normal form has the same value and costs no more, and its statements range over what they should.

pub(crate) mod build;
mod programs;
mod source;

use super::normalize;
use crate::eval::{self, Tensor};
use crate::index::Cond;
use crate::ssa;
use crate::typed::{Block, Definition, Function, Type};
use build::{E, block};

/// The normal forms of the functions of a block.
fn normal_forms(b: &Block) -> Vec<Option<ssa::Function>> {
    let mut out = vec![None; b.functions.len()];
    for k in &b.order {
        if let Some(Definition::Expr(body)) = &b.functions[*k].body {
            out[*k] = normalize(&b.functions[*k], body, &out);
        }
    }
    out
}

/// A few small sizes for each.
fn all_sizes(count: usize) -> Vec<Vec<i64>> {
    let mut out = vec![vec![]];
    for _ in 0..count {
        let longer =
            |s: &Vec<i64>| [0, 1, 2, 3, 5].iter().map(|n| [s.as_slice(), &[*n]].concat()).collect::<Vec<_>>();
        out = out.iter().flat_map(longer).collect();
    }
    out
}

fn leaves(ty: &Type, outer: &[usize], sizes: &[i64], seed: &mut u64, out: &mut Vec<Tensor>) {
    match ty {
        Type::Real => out.push(Tensor::from_fn(outer, |_| {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Halves between -1 and 2.5, so that comparisons and ties occur.
            f64::from(u32::try_from((*seed >> 33) % 8).unwrap()) / 2.0 - 1.0
        })),
        Type::Array(extents, element) => {
            let size = |t: &crate::index::Atom| match t {
                crate::index::Atom::Size(k) => sizes[*k as usize],
                _ => panic!("an extent over {t:?}"),
            };
            let shape: Vec<usize> =
                extents.iter().map(|e| usize::try_from(e.eval(&size)).unwrap_or(0)).collect();
            leaves(element, &[outer, &shape].concat(), sizes, seed, out);
        }
        Type::Tuple(parts) => parts.iter().for_each(|p| leaves(p, outer, sizes, seed, out)),
        Type::Size => {}
    }
}

fn holds(c: &Cond, sizes: &[i64]) -> bool {
    let size = |t: &crate::index::Atom| match t {
        crate::index::Atom::Size(k) => sizes[*k as usize],
        _ => panic!("a check over {t:?}"),
    };
    c.eval(&size, &|_, _| false)
}

fn is_close(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-12 * (1.0 + a.abs().max(b.abs()))
}

/// Runs the last function of the block both ways; returns its normal form, and the greatest costs met: typed, normal.
fn agree(b: &Block) -> (ssa::Function, u64, u64) {
    let forms = normal_forms(b);
    let k = b.functions.len() - 1;
    let (f, g) = (&b.functions[k], forms[k].clone().expect("it has a body"));
    ssa::verify::verify(&g).unwrap_or_else(|e| panic!("{e} in {g:#?}"));
    let (mut most, mut ran) = ((0, 0), false);
    for sizes in all_sizes(f.sizes.len()) {
        if !f.checks.iter().all(|c| holds(&c.condition, &sizes)) {
            continue;
        }
        ran |= sizes.iter().all(|n| *n > 0);
        for mut seed in [1, 7, 23] {
            let mut args = vec![];
            f.params.iter().for_each(|p| leaves(&p.ty, &[], &sizes, &mut seed, &mut args));
            let (x, cost) = eval::typed::run(b, k, &sizes, &args).expect("the reference runs");
            let (y, normal) = eval::ssa::run(&g, &sizes, &args)
                .unwrap_or_else(|e| panic!("{e} at {sizes:?} in {:#?}", g.stmts));
            assert_eq!(x.len(), y.len(), "leaves");
            for (x, y) in x.iter().zip(&y) {
                assert_eq!(x.shape, y.shape, "at {sizes:?}");
                assert!(
                    x.data.iter().zip(&y.data).all(|(a, b)| is_close(*a, *b)),
                    "{x:?} became {y:?} at {sizes:?} of {args:?} in {:#?}",
                    g.stmts
                );
            }
            assert!(normal <= cost, "cost {cost} became {normal} at {sizes:?} in {:#?}", g.stmts);
            most = (most.0.max(cost), most.1.max(normal));
        }
    }
    assert!(ran, "no sizes fit {:#?}", f.checks);
    (g, most.0, most.1)
}

/// The statements: `name[gens]`, in order.
fn shape(f: &ssa::Function) -> String {
    let stmt = |s: &ssa::Stmt| {
        let gens: Vec<&str> = s.gens.iter().map(|g| f.indices[g.0 as usize].as_str()).collect();
        format!("{}[{}]", f.array(s.array).name, gens.join(" "))
    };
    f.stmts.iter().map(stmt).collect::<Vec<_>>().join(", ")
}

/// A function of `sizes` sizes of these parameters.
fn check(sizes: usize, params: &[Type], body: E, expected: &str) {
    check_function(build::function("f", sizes, params, body), expected);
}

fn check_function(f: Function, expected: &str) {
    let (g, _, _) = agree(&block(vec![f]));
    assert_eq!(shape(&g), expected, "{:#?}", g.stmts);
}
