//! Programs as trees that can be edited: read from text, printed back, walked with what is in scope.

pub mod build;
pub mod edit;
pub mod print;
pub mod rename;
pub mod walk;

use proc_macro2::TokenStream;
use tensor_core::ast::{Block, Body, ExprKind, Item};
use tensor_core::error::Errors;
use tensor_core::parse::{Input, parse};

/// The tree of a block; `None` if it has mistakes.
#[must_use]
pub fn read(source: &str) -> Option<Block> {
    let tokens: TokenStream = source.parse().ok()?;
    let mut errors = Errors::default();
    match parse(tokens, &mut errors) {
        Some(Input::Block(block)) if errors.is_empty() => Some(block),
        Some(Input::Block(_) | Input::Inline(_)) | None => None,
    }
}

/// Whether the compiler takes a program, and has a normal form of it: indices that become too large have none. A program on which it panics is
/// none that it refuses.
#[must_use]
pub fn accepted(source: &str) -> bool {
    let takes = || {
        let Ok(tokens) = source.parse::<TokenStream>() else { return false };
        let Ok(block) = tensor_core::analyze(tokens) else { return false };
        tensor_core::normal_forms(&block).iter().all(Option::is_some)
    };
    std::panic::catch_unwind(takes).unwrap_or(true)
}

/// The same block with each body that has `let`s as the value of a body without: edits of expressions are then edits of bodies, too.
#[must_use]
pub fn wrapped(mut block: Block) -> Block {
    edit::bodies(&mut block, &mut |body| {
        if !body.lets.is_empty() {
            let span = body.span;
            let inner = std::mem::replace(body, Body { lets: vec![], value: Box::new(build::int(0)), span });
            *body.value = build::block(inner);
        }
    });
    block
}

/// The inverse of [`wrapped`].
#[must_use]
pub fn unwrapped(mut block: Block) -> Block {
    edit::bodies(&mut block, &mut |body| {
        while let (true, ExprKind::Block(inner)) = (body.lets.is_empty(), &body.value.kind) {
            *body = inner.clone();
        }
    });
    block
}

/// One function of a block and what it needs, as programs of their own: `None` where that is not all in the block, or is of Rust.
#[must_use]
pub fn alone(block: &Block, name: &str) -> Option<Block> {
    let mut wanted = vec![name.to_string()];
    let mut next = 0;
    while next < wanted.len() {
        let name = wanted[next].clone();
        next += 1;
        let Some(item) = block.items.iter().find(|i| *i.name() == name) else { continue };
        let mut more = vec![];
        match item {
            Item::Function(f) if f.outer.is_some() => return None,
            Item::Function(f) => edit::called(f, &mut more),
            Item::Transform(t) => more.push(t.of.to_string()),
        }
        more.retain(|n| !wanted.contains(n));
        more.dedup();
        wanted.extend(more);
    }
    if block.rules.iter().any(|r| wanted.iter().any(|n| r.of == n)) {
        return None;
    }
    let (last, mut items): (Vec<Item>, Vec<Item>) = block
        .items
        .iter()
        .filter(|i| wanted.iter().any(|n| i.name() == n))
        .cloned()
        .partition(|i| *i.name() == name);
    items.extend(last);
    Some(Block { items, ..Block::default() })
}
