//! Deep runs: a range of programs of all families, on all processors, and what is found in them made small.

mod drive;
mod worker;

pub use drive::drive;
pub use worker::worker;

use crate::check::{self, Case};
use crate::rewrite::{self, Outcome, Rewritten, Rule};
use crate::run::{Judge, to_the_end};
use crate::syntax::read;
use crate::{checkpoints, kept, layers, mutate, second, series, stages};
use fastrand::Rng;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;
use tensor_core::schedule::Blocks;

/// What to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The numbers of the programs; each number is always the same program.
    pub programs: Range<u64>,
    /// Whether the programs that are kept come first.
    pub kept: bool,
    /// At how many sizes a changed or rewritten program is judged.
    pub sizes: usize,
    /// When no new programs are begun.
    pub seconds: Option<u64>,
    /// Where what is found is written.
    pub keep: PathBuf,
    /// Whether the first fault ends the run; nothing is written then.
    pub first: bool,
    /// Whether nothing is written.
    pub dry: bool,
    /// Programs that are left out.
    pub except: Vec<u64>,
    /// Only programs in which one of these stands are judged; all, if there are none.
    pub with: Vec<String>,
}

/// Where programs come from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Family {
    /// Random ones of all features, through all passes.
    Wide,
    /// Random ones, through all passes after derivatives of derivatives.
    Second,
    /// In stages, so that loops are fused and tiled.
    Stages,
    /// Of matrices.
    Layers,
    /// Recurrences of many series.
    Series,
    /// With long bodies, so that they become straight lines.
    Bodies,
    /// Of those and of people, rewritten so that it must not matter.
    Rewrites,
    /// Of people, with small changes.
    Changes,
    /// Those that once went wrong.
    Kept,
}

impl Family {
    /// As it is shown.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Family::Wide => "wide",
            Family::Second => "second",
            Family::Stages => "stages",
            Family::Layers => "layers",
            Family::Series => "series",
            Family::Bodies => "bodies",
            Family::Rewrites => "rewrites",
            Family::Changes => "changes",
            Family::Kept => "kept",
        }
    }
}

/// Of twenty programs in a row, how many are of each family.
pub const SHARES: [(Family, u64); 8] = [
    (Family::Wide, 5),
    (Family::Second, 3),
    (Family::Stages, 2),
    (Family::Layers, 2),
    (Family::Series, 1),
    (Family::Bodies, 2),
    (Family::Rewrites, 3),
    (Family::Changes, 2),
];

/// The numbers of the programs that are kept begin here.
pub const KEPT: u64 = 1 << 48;

/// The family of a program by its number, and its seed there: those of a family are in a row.
#[must_use]
pub fn family(number: u64) -> (Family, u64) {
    if number >= KEPT {
        return (Family::Kept, number - KEPT);
    }
    let all: u64 = SHARES.iter().map(|(_, share)| share).sum();
    let (round, mut place) = (number / all, number % all);
    for (family, share) in SHARES {
        if place < share {
            return (family, round * share + place);
        }
        place -= share;
    }
    (Family::Wide, number)
}

/// What is to be judged.
pub enum Program {
    /// One program.
    One(Case, Judge),
    /// Two that must be the same, with their loops in such blocks.
    Two(Case, Rewritten, Option<Blocks>),
}

impl Program {
    /// Whether one of these stands in it, or there are none.
    #[must_use]
    pub fn has(&self, texts: &[String]) -> bool {
        let (first, second) = match self {
            Program::One(case, _) => (&case.source, None),
            Program::Two(case, other, _) => (&case.source, Some(&other.source)),
        };
        let is_there = |text: &String| first.contains(text) || second.is_some_and(|s| s.contains(text));
        texts.is_empty() || texts.iter().any(is_there)
    }
}

/// The functions of people, read once.
fn bases() -> &'static [mutate::Base] {
    static BASES: OnceLock<Vec<mutate::Base>> = OnceLock::new();
    BASES.get_or_init(|| {
        let all = mutate::bases().unwrap_or_else(|e| panic!("the programs of the repository: {e}"));
        assert!(!all.is_empty(), "there are no programs in the repository");
        all
    })
}

/// The programs that are kept, read once.
fn kept() -> &'static [(String, String)] {
    static KEPT: OnceLock<Vec<(String, String)>> = OnceLock::new();
    KEPT.get_or_init(kept::programs)
}

/// The program of a number; `None` where no change or rewrite was found that the compiler takes.
#[must_use]
pub fn program(number: u64, sizes: usize) -> Option<Program> {
    let (family, seed) = family(number);
    match family {
        Family::Wide => Some(Program::One(random(seed), check::judge)),
        Family::Second => Some(Program::One(random(seed), second::judge)),
        Family::Stages => Some(Program::One(stages::case(seed), check::judge)),
        Family::Layers => Some(Program::One(layers::case(seed), check::judge)),
        Family::Series if seed % 4 == 3 => Some(Program::One(series::case(seed), second::judge)),
        Family::Series => Some(Program::One(series::case(seed), check::judge)),
        // Derivatives of derivatives are long.
        Family::Bodies if seed % 4 == 3 => Some(Program::One(Case::bodies(seed), second::judge)),
        Family::Bodies => Some(Program::One(Case::bodies(seed), check::judge)),
        Family::Rewrites => rewritten(seed, sizes),
        Family::Changes => changed(seed, sizes),
        Family::Kept => {
            let (name, source) = kept().get(usize::try_from(seed).ok()?)?.clone();
            Some(Program::One(Case { source, name, sizes: vec![], seed }, kept::judge))
        }
    }
}

/// Of three random programs the recurrences of one have checkpoints.
fn random(seed: u64) -> Case {
    let with_checkpoints = (seed % 3 == 2).then(|| checkpoints::case(seed)).flatten();
    with_checkpoints.unwrap_or_else(|| Case::wide(seed))
}

/// A program of another family, and a rewrite of it.
#[must_use]
pub fn rewritten(seed: u64, sizes: usize) -> Option<Program> {
    let rng = &mut Rng::with_seed(seed ^ 0x5e9);
    let mut case = match seed % 8 {
        0..=2 => Case::wide(seed),
        3 => stages::case(seed),
        4 => layers::case(seed),
        5 => Case::bodies(seed),
        6 => series::case(seed),
        _ => of_people(&bases()[rng.usize(..bases().len())], vec![], seed),
    };
    let other = rewrite::random(&read(&case.source)?, rng)?;
    // What was a size may be a number of Rust now, which nothing says the value of.
    let analyzed = || other.source.parse().ok().and_then(|tokens| tensor_core::analyze(tokens).ok());
    let block = std::panic::catch_unwind(analyzed).ok().flatten();
    if block.is_some_and(|block| !mutate::constants_are_known(&block)) {
        return None;
    }
    case.sizes.extend(mutate::sizes(&case.source, &case.name, rng).into_iter().take(sizes));
    // What is made to be tiled is tiled.
    let blocks = matches!(seed % 8, 3 | 4).then_some(rewrite::TILED);
    Some(Program::Two(case, other, blocks))
}

/// A program of people with small changes.
#[must_use]
pub fn changed(seed: u64, sizes: usize) -> Option<Program> {
    let rng = &mut Rng::with_seed(seed ^ 0xc4a);
    /// How many changes are tried until the compiler takes one.
    const TRIES: usize = 20;
    for _ in 0..TRIES {
        let Some(base) = mutate::program(bases(), rng) else { continue };
        let at = mutate::sizes(&base.source, &base.name, rng).into_iter().take(sizes).collect();
        let case = mutate::sound(of_people(&base, at, seed));
        if !case.sizes.is_empty() {
            let judge = match rng.u8(..20) {
                0..2 => both,
                2..7 => second::judge,
                _ => check::judge,
            };
            return Some(Program::One(case, judge));
        }
    }
    None
}

/// By the first two judges, one after the other.
fn both(case: &Case) -> Result<(), String> {
    check::judge(case)?;
    second::judge(case)
}

fn of_people(base: &mutate::Base, sizes: Vec<Vec<i64>>, seed: u64) -> Case {
    Case { source: base.source.clone(), name: base.name.clone(), sizes, seed }
}

/// What finds a fault, in smaller programs too.
pub type Find = Box<dyn Fn(&Case) -> Result<(), String>>;

/// What is wrong with a program.
pub struct Fault {
    /// Where.
    pub case: Case,
    /// What.
    pub message: String,
    /// What finds it.
    pub judge: Find,
    /// The rewrite, if only that shows it.
    pub rule: Option<Rule>,
}

/// Judges a program; a panic is a fault too.
#[must_use]
pub fn fault(program: Program) -> Option<Fault> {
    match program {
        Program::One(case, judge) => {
            let message = safely(&judge, &case).err()?;
            Some(Fault { case, message, judge: Box::new(judge), rule: None })
        }
        Program::Two(case, other, blocks) => {
            let differs = |case: &Case| match rewrite::differ(case, &other, blocks)? {
                Outcome::Same | Outcome::Nothing => Ok(()),
                Outcome::Differ(e) => Err(e),
            };
            let message = safely(&differs, &case).err()?;
            Some(blame(case, &other, blocks, message))
        }
    }
}

/// Runs a judge.
fn safely(judge: &dyn Fn(&Case) -> Result<(), String>, case: &Case) -> Result<(), String> {
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| to_the_end(|| judge(case))));
    outcome.unwrap_or_else(|_| Err(format!("a panic at {}", worker::place())))
}

/// Of two programs that differ: the one that is wrong by itself, if that can be told; otherwise the rule that does it.
fn blame(case: Case, other: &Rewritten, blocks: Option<Blocks>, message: String) -> Fault {
    for source in [&case.source, &other.source] {
        let (name, sizes, seed) = (case.name.clone(), case.sizes.clone(), case.seed);
        let case = mutate::sound(Case { source: source.clone(), name, sizes, seed });
        if !case.sizes.is_empty()
            && let Err(message) = safely(&check::judge, &case)
        {
            return Fault { case, message, judge: Box::new(check::judge), rule: None };
        }
    }
    let message = format!("{message}\n{}", other.source);
    let by = |rule: Rule| move |c: &Case| rewrite::judge(c, rule, blocks).map(|_| ());
    let mut rules = rewrite::RULES.iter().filter(|r| other.rules.contains(&r.name));
    match rules.find(|r| safely(&by(**r), &case).is_err()) {
        Some(rule) => Fault { case, message, judge: Box::new(by(*rule)), rule: Some(*rule) },
        // Only several together do it, or other names: the second program is the case.
        None => Fault {
            case: Case { source: other.source.clone(), ..case },
            message,
            judge: Box::new(check::judge),
            rule: None,
        },
    }
}
