//! Rewrites of a program that must not matter: it keeps its value, and its derivatives up to rounding.
//!
//! They are of the surface syntax, and each is its equation. What the compiler does not take of them (it cannot prove that an access is in
//! range) is no mistake of it, and left out.

mod algebra;
mod compare;
mod conditions;
mod guards;
mod lets;
mod ranges;
mod sums;
mod tensors;

pub use compare::{Outcome, TILED, differ, judge};

use crate::syntax::walk::{Context, proposals, replaced};
use crate::syntax::{accepted, edit, print, rename, unwrapped, wrapped};
use fastrand::Rng;
use std::collections::BTreeSet;
use tensor_core::ast::{Block, Expr, Item};

/// What a rewrite keeps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Keeps {
    /// The value. Of elements that are equally large the derivative goes to the first, and the rewrite has another order.
    Value,
    /// The value and all derivatives.
    All,
}

/// New names.
pub type Fresh<'a> = &'a mut dyn FnMut(&str) -> String;

/// What a rule makes of an expression, each of which may stand in its place.
pub type Propose = fn(&Expr, &Context, Fresh) -> Vec<Expr>;

/// A rewrite.
#[derive(Clone, Copy)]
pub struct Rule {
    /// What it does.
    pub name: &'static str,
    /// What is the same after it.
    pub keeps: Keeps,
    propose: Propose,
}

const fn all(name: &'static str, propose: Propose) -> Rule {
    Rule { name, keeps: Keeps::All, propose }
}

const fn value(name: &'static str, propose: Propose) -> Rule {
    Rule { name, keeps: Keeps::Value, propose }
}

/// All rewrites of expressions.
pub const RULES: &[Rule] = &[
    all("a bracket as a choice", guards::bracket_to_choice),
    all("a choice as brackets", guards::choice_to_brackets),
    all("a guard as a bracket", guards::guard_to_bracket),
    all("a bracket as a guard", guards::bracket_to_guard),
    all("a guard of an extreme as infinity", guards::guard_to_infinity),
    all("a read guarded by its range", guards::guarded_read),
    all("an alternative as two brackets", guards::alternative_apart),
    all("a choice turned around", guards::turned),
    all("a choice in a choice", guards::nested),
    all("a condition negated twice", conditions::negated_twice),
    all("a condition as its parts negated", conditions::de_morgan),
    all("a comparison negated", conditions::negated),
    all("a comparison from the other side", conditions::flipped),
    all("a chain as a conjunction", conditions::chain_apart),
    all("an equality as two comparisons", conditions::equality_apart),
    all("a conjunction exchanged", conditions::exchanged),
    all("a residue by a floor", conditions::residue_by_floor),
    all("a residue as one that exists", conditions::residue_exists),
    all("a residue moved", conditions::residue_moved),
    all("a range written out", ranges::written),
    all("an index reversed", ranges::reversed),
    value("an index of an extreme reversed", ranges::extreme_reversed),
    all("an index moved", ranges::moved),
    all("a range cut in two", ranges::cut),
    all("a range cut by a condition", ranges::cut_by_condition),
    all("a range widened under a guard", ranges::widened),
    all("an index of every second", ranges::strided),
    all("a range as its elements", ranges::unrolled),
    all("loops nested", sums::nested),
    all("loops merged", sums::merged),
    all("sums exchanged", sums::exchanged),
    value("extremes exchanged", sums::extremes_exchanged),
    all("a sum of sums", sums::apart),
    all("a factor out of a sum", sums::factor_out),
    all("a factor into a sum", sums::factor_in),
    all("a bracket out of a sum", sums::bracket_out),
    all("a read as a sum", sums::read_as_sum),
    all("a maximum as a minimum", sums::negated),
    all("a tensor reversed", tensors::reversed),
    all("a tensor transposed", tensors::transposed),
    all("a tensor with a border", tensors::padded),
    all("a tensor in every second place", tensors::strided),
    all("a tensor in two halves", tensors::cut),
    all("a tensor of tensors", tensors::nested),
    all("tensors of tensors as one", tensors::merged),
    all("a term stored", tensors::stored),
    all("a let put in", lets::put_in),
    all("a part named", lets::named),
    all("a call put in", lets::called),
    all("terms exchanged", algebra::exchanged),
    all("terms in another order", algebra::associated),
    all("a product of a sum", algebra::distributed),
    all("a difference as a sum", algebra::difference),
    all("a sign twice", algebra::signed_twice),
    all("a quotient as a product", algebra::quotient),
    all("a square as a product", algebra::square),
    all("the larger as a choice", algebra::larger),
];

/// A rewritten program.
pub struct Rewritten {
    /// Its text.
    pub source: String,
    /// What was done.
    pub rules: Vec<&'static str>,
    /// What must be the same.
    pub keeps: Keeps,
}

/// Every way in which a rule may be applied to a block, whether or not the compiler takes it.
pub fn applied(block: &Block, rule: Rule) -> Vec<Block> {
    // The value of a derivative is one of a tie, too.
    if rule.keeps == Keeps::Value && edit::has_derivatives(block) {
        return vec![];
    }
    let (block, mut taken) = prepared(block);
    let mut fresh = |stem: &str| rename::fresh(stem, &mut taken);
    let all = proposals(&block, |e, cx| (rule.propose)(e, cx, &mut fresh));
    all.into_iter().map(|(k, e)| unwrapped(replaced(&block, k, &e))).collect()
}

/// A few rewrites at random; `None` if none was found that the compiler takes.
pub fn random(block: &Block, rng: &mut Rng) -> Option<Rewritten> {
    /// How many are tried for each that is wanted.
    const TRIES: usize = 6;
    let mut out = Rewritten { source: print::block(block), rules: vec![], keeps: Keeps::All };
    let mut block = block.clone();
    if rng.u8(..3) == 0 {
        let other = renamed(&block, rng);
        let source = print::block(&other);
        if accepted(&source) {
            (block, out.source) = (other, source);
            out.rules.push("names");
        }
    }
    for _ in 0..rng.usize(1..=3) {
        for _ in 0..TRIES {
            let rule = RULES[rng.usize(..RULES.len())];
            let mut ways = applied(&block, rule);
            if ways.is_empty() {
                continue;
            }
            let other = ways.swap_remove(rng.usize(..ways.len()));
            let source = print::block(&other);
            // Sums taken apart twice are too long to say more than once.
            if source.len() < 6_000 && accepted(&source) {
                (block, out.source) = (other, source);
                out.rules.push(rule.name);
                out.keeps = out.keeps.min(rule.keeps);
                break;
            }
        }
    }
    (!out.rules.is_empty()).then_some(out)
}

/// The same program with a name of its own for each variable, so that nothing is hidden by what is put in, and the words that are taken.
fn prepared(block: &Block) -> (Block, BTreeSet<String>) {
    let mut taken = rename::words(block);
    let block = rename::renamed(wrapped(block.clone()), &mut |x| rename::fresh(x, &mut taken));
    (block, taken)
}

/// Names that others use: expansions, derivatives, the language.
const NAMES: &[&str] = &[
    "sum", "max", "min", "at", "first", "acc", "out", "work", "value", "best", "lane", "v1", "x_dot",
    "x_bar", "y_bar", "rest", "r#in", "f64x", "len", "i0", "exp", "grad", "zero", "index", "r#type", "n_1",
];

/// The same program with other names for indices and variables, and for parameters and sizes where no transform names them.
fn renamed(block: &Block, rng: &mut Rng) -> Block {
    let mut taken = rename::words(block);
    let mut pool: Vec<&str> = NAMES.iter().copied().filter(|n| !taken.contains(*n)).collect();
    rng.shuffle(&mut pool);
    taken.extend(NAMES.iter().map(|n| n.to_string()));
    let mut other = |stem: &str| match pool.pop() {
        Some(name) => name.to_string(),
        None => rename::fresh(stem, &mut taken),
    };
    let plain = block.items.iter().all(|i| matches!(i, Item::Function(_)));
    let mut block = block.clone();
    if plain {
        edit::functions(&mut block).for_each(|f| rename::rename_parameters(f, &mut other));
    }
    rename::renamed(block, &mut other)
}
