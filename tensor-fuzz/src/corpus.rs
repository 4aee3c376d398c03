//! What is mutated: every block of the repository's tests, examples and documents, and what once failed. The inputs that are kept for their error
//! messages are not: they are short and wrong, and what is made of them goes no further than they do.

use crate::tree::{Node, Tree};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tensor_core::error::Errors;
use tensor_core::parse::{Input, parse};

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
    for file in files(&failed(), &["txt"])? {
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut texts: Vec<String> = (0..RANDOM).map(|seed| generate::program(seed).source).collect();
    for path in files(&root.join("tests/programs"), &["txt"])? {
        texts.push(std::fs::read_to_string(path)?);
    }
    for folder in ["tests/ui", "tests/tests", "examples", "tensor-core/src", "docs"] {
        for path in files(&root.join(folder), &["rs", "md"])? {
            texts.extend(programs(&std::fs::read_to_string(path)?));
        }
    }
    texts.extend(failed_inputs()?.into_iter().map(|(_, text)| text));
    let mut seen = BTreeSet::new();
    let trees = texts.iter().filter(|t| seen.insert((*t).clone())).filter_map(|t| Tree::parse(t));
    Ok(Corpus { programs: trees.map(with_derivatives).filter(|t| !t.0.is_empty()).collect() })
}

/// The files of a folder and of those in it, by these ends of their names, in order.
fn files(folder: &Path, extensions: &[&str]) -> std::io::Result<Vec<PathBuf>> {
    let mut out = vec![];
    let mut todo = vec![folder.to_path_buf()];
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)) {
                out.push(path);
            }
        }
    }
    out.sort();
    Ok(out)
}

/// The programs of a file of Rust, or of the Rust in a document: the content of each `tensor!`, and each string that is a block.
fn programs(text: &str) -> Vec<String> {
    let mut out = vec![];
    match text.parse() {
        Ok(tokens) => find(&tokens, &mut out),
        // Every other part between fences is code.
        Err(_) => {
            for code in text.split("```").skip(1).step_by(2) {
                let code = code.split_once('\n').map_or("", |c| c.1);
                if let Ok(tokens) = code.parse() {
                    find(&tokens, &mut out);
                }
            }
        }
    }
    out
}

fn find(tokens: &TokenStream, out: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    for (k, t) in tokens.iter().enumerate() {
        match t {
            TokenTree::Group(g) => {
                if k >= 2 && matches!(&tokens[k - 2], TokenTree::Ident(i) if i == "tensor") {
                    out.push(g.stream().to_string());
                }
                find(&g.stream(), out);
            }
            TokenTree::Literal(l) => out.extend(string(&l.to_string()).filter(|text| is_block(text))),
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

/// What a literal of a string without escapes, raw or not, holds.
fn string(literal: &str) -> Option<String> {
    let inside = literal.trim_start_matches('r').trim_matches('#').strip_prefix('"')?.strip_suffix('"')?;
    (!inside.contains('\\')).then(|| inside.to_string())
}

fn is_block(text: &str) -> bool {
    let Ok(tokens) = text.parse() else { return false };
    let block = text.contains("fn ").then(|| parse(tokens, &mut Errors::default())).flatten();
    matches!(block, Some(Input::Block(b)) if !b.items.is_empty())
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
