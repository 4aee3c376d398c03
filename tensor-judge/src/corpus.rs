//! The programs of the repository: of its tests, examples and documents.

use proc_macro2::{TokenStream, TokenTree};
use std::path::{Path, PathBuf};
use tensor_core::error::Errors;
use tensor_core::parse::{Input, parse};

/// All of them, as text, in an order that stays.
///
/// # Errors
/// Where a file cannot be read.
pub fn programs() -> std::io::Result<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut texts = vec![];
    for path in files(&root.join("tests/programs"), &["txt"])? {
        texts.push(std::fs::read_to_string(path)?);
    }
    for folder in ["tests/ui", "tests/tests", "examples", "tensor-core/src", "docs"] {
        for path in files(&root.join(folder), &["rs", "md"])? {
            texts.extend(of_file(&std::fs::read_to_string(path)?));
        }
    }
    Ok(texts)
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
fn of_file(text: &str) -> Vec<String> {
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
