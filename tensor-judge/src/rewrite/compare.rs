//! Two programs that must be the same: their loops at a few sizes.

use super::{Keeps, Rewritten, applied};
use crate::check::{Case, Point, analyzed, holds, is_undecided, normalized};
use crate::compare::{random, same, shapes};
use crate::judged;
use crate::made::scheduled;
use crate::syntax::{accepted, print, read};
use tensor_core::eval::{self, Tensor};
use tensor_core::loops::verify::Prover;
use tensor_core::schedule::{Blocks, Options};
use tensor_core::ssa::Function;
use tensor_core::{ad, loops, simplify, typed};

/// What came of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// They agree.
    Same,
    /// The value or a derivative of the first is no number somewhere: nothing to compare.
    Nothing,
    /// They do not.
    Differ(String),
}

/// A function and its derivatives, as loops.
struct Compiled {
    /// As it is written: what is added and subtracted again may still decide something by its rounding.
    raw: Function,
    f: Function,
    /// With what each is called: the value, `jvp`, `vjp`.
    programs: Vec<(&'static str, loops::Program)>,
}

fn compiled(
    source: &str,
    name: &str,
    keeps: Keeps,
    blocks: Option<Blocks>,
) -> Result<(typed::Function, Compiled), String> {
    let case = Case { source: source.into(), name: name.into(), sizes: vec![], seed: 0 };
    let (block, k) = analyzed(&case)?;
    let raw = normalized(&block)[k].clone().ok_or("not normalized")?;
    let f = simplify::simplify(raw.clone());
    let all: Vec<usize> = (0..f.params.len()).collect();
    let mut functions = vec![("the value", f.clone())];
    if keeps == Keeps::All {
        functions.push(("jvp", simplify::simplify(ad::jvp(&f, &all))));
        functions.push(("vjp", simplify::simplify(ad::vjp(&f, &all))));
    }
    let program = |(what, f)| {
        let loops =
            scheduled(what, &simplify::erase_stops(f), &Options::in_blocks(blocks), &mut Prover::default())?;
        Ok((what, loops))
    };
    let programs = functions.into_iter().map(program).collect::<Result<_, String>>()?;
    Ok((block.functions[k].clone(), Compiled { raw, f, programs }))
}

/// The value of a function and of its derivatives at a point, all leaves of each.
fn outputs(c: &Compiled, seed: u64, sizes: &[i64]) -> Result<Vec<(&'static str, Vec<Tensor>)>, String> {
    let at = Point::new(&c.f, sizes, seed);
    let constant = |path: &str| eval::scalar::constant(path).unwrap_or(f64::NAN);
    let mut out: Vec<(&'static str, Vec<Tensor>)> = vec![];
    for (what, program) in &c.programs {
        let more = match *what {
            "jvp" => at.tangents.clone(),
            "vjp" => {
                let value = out.first().map(|(_, v)| shapes(v)).unwrap_or_default();
                random(&value, &mut fastrand::Rng::with_seed(seed ^ 0xba5e))
            }
            _ => vec![],
        };
        let leaves: Vec<loops::eval::Elements> =
            at.args.iter().chain(&more).map(|t| t.data.clone()).collect();
        let (found, _) = loops::eval::run(program, sizes, &leaves, &constant)
            .map_err(|e| format!("{what}: {e}\n{program}"))?;
        let shaped = |data: Vec<f64>| Tensor { shape: vec![data.len()], data };
        out.push((what, found.into_iter().map(shaped).collect()));
    }
    Ok(out)
}

/// The loops that are compared where those are tiled: in blocks of one element, so that there are several.
pub const TILED: Blocks = Blocks { elements: 1, halos: 0, of_products: 1, rows: 1 };

/// Compares a program with its rewrite at the sizes of the case where its conditions hold, in these blocks.
///
/// # Errors
/// The first program does not run.
pub fn differ(case: &Case, other: &Rewritten, blocks: Option<Blocks>) -> Result<Outcome, String> {
    let (f, first) = compiled(&case.source, &case.name, other.keeps, blocks)?;
    // Functions keep their places, and their names.
    let (g, second) = match compiled(&other.source, &case.name, other.keeps, blocks) {
        Ok(found) => found,
        Err(e) => return Ok(Outcome::Differ(format!("rewritten: {e}"))),
    };
    let mut compared = false;
    // What is written otherwise may be checked otherwise on entry.
    for sizes in case.sizes.iter().filter(|s| holds(&f, s) && holds(&g, s)) {
        let expected = outputs(&first, case.seed, sizes)?;
        if expected.iter().any(|(_, ts)| ts.iter().any(|t| t.data.iter().any(|x| x.is_nan()))) {
            continue;
        }
        compared = true;
        judged::note();
        let found = match outputs(&second, case.seed, sizes) {
            Ok(found) => found,
            Err(e) => return Ok(Outcome::Differ(format!("rewritten: {e}"))),
        };
        for ((what, e), (_, f)) in expected.iter().zip(&found) {
            if let Err(e) = same(what, f, e, 1e-9) {
                // What a rounding decides says nothing of a value.
                if is_undecided(&first.raw, sizes, case.seed) {
                    return Ok(Outcome::Nothing);
                }
                return Ok(Outcome::Differ(format!("rewritten: {e}, sizes {sizes:?}")));
            }
        }
    }
    Ok(if compared { Outcome::Same } else { Outcome::Nothing })
}

/// In how many ways a rule applies to a program that the compiler takes, with the loops of both in these blocks.
///
/// # Errors
/// One of them makes another program of it: which, and in what they differ.
pub fn judge(case: &Case, rule: super::Rule, blocks: Option<Blocks>) -> Result<usize, String> {
    let Some(block) = read(&case.source) else { return Err("rejected: no block".into()) };
    let mut count = 0;
    for other in applied(&block, rule) {
        let source = print::block(&other);
        if !accepted(&source) {
            continue;
        }
        let other = Rewritten { source, rules: vec![rule.name], keeps: rule.keeps };
        match differ(case, &other, blocks)? {
            Outcome::Same => count += 1,
            Outcome::Nothing => {}
            Outcome::Differ(e) => return Err(format!("{}: {e}\n{}", rule.name, other.source)),
        }
    }
    Ok(count)
}
