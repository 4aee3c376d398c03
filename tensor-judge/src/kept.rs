//! Programs that once went wrong, kept in the folder `kept`.
//!
//! A file begins with comments: what was wrong; `// sizes 5 1, 0 1` for sizes at which it was, in the order in which the judged function,
//! the last of the block, names them; `// seed 7` for the arguments at which it was, otherwise those of 1; and `// rule a range cut in two` for each
//! rewrite that must not matter. All are judged at small sizes besides, where the conditions of the function hold.

use crate::check::{self, Case, holds};
use crate::rewrite::{self, RULES, Rule};
use crate::second;
use crate::syntax::read;
use std::path::{Path, PathBuf};

/// The programs of the folder, by name.
///
/// # Panics
/// Where the folder cannot be read.
#[must_use]
pub fn programs() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kept");
    let entries = std::fs::read_dir(folder).expect("the folder of kept programs is there");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
    paths.sort();
    let name = |p: &Path| p.file_stem().expect("a name").to_string_lossy().into_owned();
    paths.iter().map(|p| (name(p), std::fs::read_to_string(p).expect("readable"))).collect()
}

/// A kept program at all sizes at which it is judged.
///
/// # Errors
/// It is rejected, or its comment on sizes or on the seed cannot be read.
pub fn case(source: &str) -> Result<Case, String> {
    let tokens = source.parse().map_err(|e| format!("{e:?}"))?;
    let block = tensor_core::analyze(tokens)
        .map_err(|e| format!("rejected: {:?}", e.0.iter().map(|e| &e.message).collect::<Vec<_>>()))?;
    // As it is written: declared functions of Rust stand behind the others in a block.
    let written = read(source).ok_or("rejected: no block")?;
    let name = written.items.last().ok_or("no function")?.name();
    let f = block.functions.iter().find(|f| f.name == *name).ok_or("no such function")?;
    let mut sizes = noted(source)?;
    let fit = |sizes: &Vec<i64>| sizes.len() == f.sizes.len() && holds(f, sizes);
    if let Some(wrong) = sizes.iter().find(|s| !fit(s)) {
        return Err(format!("the sizes {wrong:?}, which the comment notes, do not fit"));
    }
    sizes.extend(small(f.sizes.len()).into_iter().filter(|s| fit(s)));
    let seed =
        lines(source, "seed").last().map_or(Ok(1), |n| n.trim().parse().map_err(|e| format!("{n}: {e}")))?;
    Ok(Case { source: source.to_string(), name: f.name.to_string(), sizes, seed })
}

/// The rewrites that must not matter to a kept program.
///
/// # Errors
/// There is no such rule.
pub fn rules(source: &str) -> Result<Vec<Rule>, String> {
    let rule = |name: &str| RULES.iter().find(|r| r.name == name.trim()).copied();
    lines(source, "rule").map(|name| rule(name).ok_or(format!("there is no rule `{name}`"))).collect()
}

/// Judges a kept program by its text alone: through all passes, with its derivatives, and by the rewrites that its comments name.
///
/// # Errors
/// It is rejected, or what is wrong with it.
pub fn judge(c: &Case) -> Result<(), String> {
    let case = case(&c.source)?;
    rewritten(&c.source, &case)?;
    check::judge(&case)?;
    second::judge(&case)
}

/// What is wrong with the rewrites that the comments of a kept program name, in blocks or not.
///
/// # Errors
/// Of a rewrite there is no place, or it matters.
pub fn rewritten(source: &str, case: &Case) -> Result<(), String> {
    for rule in rules(source)? {
        let count = rewrite::judge(case, rule, None)? + rewrite::judge(case, rule, Some(rewrite::TILED))?;
        if count == 0 {
            return Err(format!("`{}` applies nowhere", rule.name));
        }
    }
    Ok(())
}

/// What stands behind a word in the comments.
fn lines<'a>(source: &'a str, word: &str) -> impl Iterator<Item = &'a str> {
    let begin = format!("// {word} ");
    source.lines().filter_map(move |l| l.strip_prefix(&begin))
}

/// `// sizes 5 1, 0 1`
fn noted(source: &str) -> Result<Vec<Vec<i64>>, String> {
    let tuple =
        |t: &str| t.split_whitespace().map(|n| n.parse::<i64>().map_err(|e| format!("{t}: {e}"))).collect();
    lines(source, "sizes").flat_map(|l| l.split(',')).map(tuple).collect()
}

/// All sizes to 3 of at most two, and a few of more.
fn small(count: usize) -> Vec<Vec<i64>> {
    match count {
        0 => vec![vec![]],
        1 => (0..7).map(|n| vec![n]).collect(),
        2 => (0..16).map(|k| vec![k / 4, k % 4]).chain([vec![5, 2], vec![2, 5], vec![6, 4]]).collect(),
        _ => (0..4).map(|k| (0..count).map(|d| (k + d as i64) % 4).collect()).collect(),
    }
}
