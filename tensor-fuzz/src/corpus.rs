//! What is mutated: every block of the repository's tests, examples and documents, and what once failed. The inputs that are kept for their error
//! messages are not: they are short and wrong, and what is made of them goes no further than they do.

use crate::tree::{Node, Tree};
use proc_macro2::{Delimiter, TokenTree};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tensor_judge::generate;

/// How many random programs there are beside those that people wrote.
const RANDOM: u64 = 200;

/// Programs, as trees.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// Not empty.
    pub programs: Vec<Tree>,
}

/// The folder of inputs that once failed.
#[must_use]
pub fn failed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/failed")
}

/// The file of other inputs that are worth keeping, one a line: the shortest found for each error message.
#[must_use]
pub fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/kept.txt")
}

/// The inputs that once failed, with the names of their files.
///
/// # Errors
/// Where a file cannot be read.
pub fn failed_inputs() -> std::io::Result<Vec<(String, String)>> {
    let mut out = vec![];
    if !failed().exists() {
        return Ok(out);
    }
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(failed())?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.retain(|f| f.extension().is_some_and(|e| e == "txt"));
    files.sort();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        out.push((name, std::fs::read_to_string(&file)?));
    }
    Ok(out)
}

/// The inputs of [`kept`].
///
/// # Errors
/// Where it cannot be read.
pub fn kept_inputs() -> std::io::Result<Vec<String>> {
    if !kept().exists() {
        return Ok(vec![]);
    }
    Ok(std::fs::read_to_string(kept())?.lines().map(str::to_string).collect())
}

/// All programs there are.
///
/// # Errors
/// Where a file of the repository cannot be read.
pub fn corpus() -> std::io::Result<Corpus> {
    let mut texts: Vec<String> = (0..RANDOM).map(|seed| generate::wide(seed).source).collect();
    texts.extend(tensor_judge::corpus::programs()?);
    texts.extend(failed_inputs()?.into_iter().map(|(_, text)| text));
    let mut seen = BTreeSet::new();
    let trees = texts.iter().filter(|t| seen.insert((*t).clone())).filter_map(|t| Tree::parse(t));
    Ok(Corpus { programs: trees.map(with_derivatives).filter(|t| !t.0.is_empty()).collect() })
}

/// A program without transforms gets two of each function, so that what comes after the checks is reached in full.
fn with_derivatives(mut program: Tree) -> Tree {
    let word = |n: &Node| match n {
        Node::Token(TokenTree::Ident(i)) => Some(i.to_string()),
        Node::Token(_) | Node::Group(..) => None,
    };
    let words: Vec<Option<String>> = program.0.iter().map(word).collect();
    let names = words.windows(2).filter(|w| w[0].as_deref() == Some("fn")).filter_map(|w| w[1].clone());
    let names: Vec<String> = names.collect();
    let bodies = program.0.iter().filter(|n| matches!(n, Node::Group(Delimiter::Brace, _))).count();
    if bodies == names.len() {
        for name in names {
            let more = format!("fn {name}_r = vjp({name}); fn {name}_f = jvp({name});");
            program.0.extend(Tree::parse(&more).unwrap_or_default().0);
        }
    }
    program
}
