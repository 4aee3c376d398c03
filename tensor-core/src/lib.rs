//! The compiler behind `tensor!`: tokens in, tokens out.
//!
//! ```text
//! tokens ─parse→ ast ─names→ ast ─check→ typed ─bounds→ typed ─normalize→ ssa ─ad→ ssa ─simplify→ ssa ─schedule→ loops ─emit→ tokens
//! ```
//!
//! [`compile`] is that line as a function. Only [`parse`], [`check`] and [`bounds`] can fail, and [`normalize`] where indices become too large;
//! they report every error that they find, each at the user's own token. Past them every pass is a total function from one intermediate
//! representation to the next.

pub mod ad;
pub mod ast;
pub mod bounds;
pub mod check;
mod classes;
pub mod cost;
pub mod emit;
pub mod error;
#[cfg(any(test, feature = "eval"))]
pub mod eval;
pub mod index;
pub mod linear;
pub mod loops;
pub mod mark;
pub mod middle;
pub mod missing;
pub mod names;
pub mod normalize;
pub mod order;
pub mod parse;
pub mod prim;
pub mod schedule;
pub mod simplify;
pub mod sorted;
pub mod ssa;
pub mod tally;
pub mod typed;
pub mod variants;
pub mod weights;

use error::Errors;
use loops::Program;
use middle::{Item, LinearParts, Part};
pub use middle::{linear_parts, normal_forms};
use prim::{Outer, Prim};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use schedule::Options;
use sorted::Set;
use variants::Variant;

/// Expands the content of a `tensor!`: to items, or for an inline block to an expression. Errors become `compile_error!`s, and the
/// signatures of the block's functions are there even then.
///
/// Where `$crate` stands first, as the macro of the runtime crate puts it, expansions call the crate that this is, by whatever name the
/// caller has for it; without it they say `::tensor_rt`.
#[must_use]
pub fn compile(input: TokenStream) -> TokenStream {
    let mut tokens = input.into_iter().peekable();
    let runtime = tokens.next_if(|t| matches!(t, TokenTree::Ident(i) if i == "$crate"));
    let runtime = match runtime {
        Some(TokenTree::Ident(name)) => Some(name),
        Some(TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_)) | None => None,
    };
    expanded(tokens.collect(), runtime)
}

fn expanded(input: TokenStream, runtime: Option<Ident>) -> TokenStream {
    let mut errors = Errors::default();
    match parse::parse(input, &mut errors) {
        // Of an inline block: one alone is an expression, too.
        None if errors.0.len() > 1 => errors.to_expression(),
        None => errors.to_tokens(),
        Some(parse::Input::Block(block)) => {
            let mut tokens = TokenStream::new();
            for variant in variants::variants(block) {
                let mut own = Errors::default();
                tokens.extend(compile_block(variant, runtime.clone(), &mut own));
                errors.append_new(own);
            }
            let reports = errors.to_tokens();
            quote::quote!(#reports #tokens)
        }
        Some(parse::Input::Inline(mut inline)) => {
            let names = names::of_inline(&mut inline, &mut errors);
            let caller = emit::Caller { runtime, paths: names.paths };
            let value = emit::within(caller, || compile_inline(&inline, &mut errors));
            let witnesses = names.witnesses;
            match value {
                Some(value) if errors.is_empty() && witnesses.is_empty() => value,
                Some(value) if errors.is_empty() => quote::quote!({ #witnesses #value }),
                Some(_) | None => errors.to_expression(),
            }
        }
    }
}

fn compile_block(variant: Variant, runtime: Option<Ident>, errors: &mut Errors) -> TokenStream {
    let Variant { mut block, silent } = variant;
    let names = names::of_block(&mut block, errors);
    let block = front(&block, errors);
    let caller = emit::Caller { runtime, paths: names.paths };
    let (tokens, witnesses) = (emit::within(caller, || expand(&block, &silent, errors)), names.witnesses);
    quote::quote!(#witnesses #tokens)
}

/// Parses and checks a block of items, for tools and tests.
///
/// # Errors
/// All mistakes of the block.
pub fn analyze(input: TokenStream) -> Result<typed::Block, Errors> {
    let mut errors = Errors::default();
    let block = match parse::parse(input, &mut errors) {
        Some(parse::Input::Block(block)) => {
            let mut block = variants::variants(block).into_iter().next().unwrap_or_default().block;
            names::of_block(&mut block, &mut errors);
            let block = front(&block, &mut errors);
            middle::check(&block, &mut errors);
            block
        }
        Some(parse::Input::Inline(inline)) => {
            errors.push(inline.body.span, "expected functions");
            typed::Block::default()
        }
        None => typed::Block::default(),
    };
    if errors.is_empty() { Ok(block) } else { Err(errors) }
}

/// Checks a block and proves it in range.
fn front(block: &ast::Block, errors: &mut Errors) -> typed::Block {
    let mut block = check::check(block, errors);
    bounds::prove(&mut block, errors);
    middle::not_yet(&mut block, errors);
    block
}

fn compile_inline(inline: &ast::Inline, errors: &mut Errors) -> Option<TokenStream> {
    check::check_inline(inline, errors).map(|mut inline| {
        let functions = vec![inline.function];
        let mut block = typed::Block { functions, order: vec![0], ..typed::Block::default() };
        bounds::prove(&mut block, errors);
        middle::not_yet(&mut block, errors);
        let item = middle::lower(&block, &Set::new(), errors).into_iter().next().flatten();
        inline.function = block.functions.remove(0);
        let span = inline.function.name.span();
        let program = item.and_then(|item| scheduled(&item.whole, span, &Options::new(false), errors));
        emit::inline(&inline, program.as_ref())
    })
}

/// The items of a block, but those that are emitted elsewhere. Functions with errors get their signatures only.
fn expand(block: &typed::Block, silent: &Set<String>, errors: &mut Errors) -> TokenStream {
    let all = middle::lower(block, silent, errors);
    let own = block.functions.iter().zip(all).filter(|(f, _)| middle::is_emitted(f, silent));
    let claims = if errors.is_empty() { emit::constants::claims(block) } else { TokenStream::new() };
    let checks = block.foreign.iter().map(emit::foreign);
    std::iter::once(claims).chain(checks).chain(own.map(|(f, item)| items(f, item, errors))).collect()
}

/// What a function of a block expands to; without a normal form, its signature.
#[must_use]
pub fn items(f: &typed::Function, item: Option<Item>, errors: &mut Errors) -> TokenStream {
    let options = Options::new(f.threads);
    if let Some(l) = &f.linearization {
        let linear = item.and_then(|item| item.linear);
        let parts = linear.and_then(|linear| linear_map(*linear, f.name.span(), &options, errors));
        return emit::linearization(f, l, parts.as_ref());
    }
    let docs = item.as_ref().map(|item| documented(&item.whole)).unwrap_or_default();
    let program = item.and_then(|item| scheduled(&item.whole, f.name.span(), &options, errors));
    emit::function(f, program.as_ref(), &docs)
}

/// The loops of a function; none, and an error, if the range of an index was not found.
fn scheduled(part: &Part, span: Span, options: &Options, errors: &mut Errors) -> Option<Program> {
    with_ranges(schedule::scheduled(part.program(), options), span, errors)
}

fn with_ranges(program: Program, span: Span, errors: &mut Errors) -> Option<Program> {
    for index in &program.unbounded {
        let f = &program.function.name;
        let help = format!("write its range out, as in `{index} in 0..n`, and let its conditions be simpler");
        errors.push(span, format!("no range was found for the index `{index}` of `{f}`\n  help: {help}"));
    }
    program.unbounded.is_empty().then_some(program)
}

/// What is written of a function: without the derivatives that are declared of what it calls.
fn documented(part: &Part) -> emit::Docs {
    let is_custom = |s: &ssa::Stmt| matches!(s.rhs, ssa::Rhs::Prim { prim: Prim::Outer(Outer::Custom), .. });
    match &part.erased {
        Some(erased) if part.normal.stmts.iter().any(is_custom) => emit::Docs::of(erased),
        Some(_) | None => emit::Docs::of(&part.normal),
    }
}

/// The functions behind a linearization.
fn linear_map(
    linear: LinearParts,
    span: Span,
    options: &Options,
    errors: &mut Errors,
) -> Option<emit::LinearMap> {
    let docs = linear.parts.each_ref().map(documented);
    let [point, map, transposed] = linear.parts.map(|part| scheduled(&part, span, options, errors));
    Some(emit::LinearMap { programs: [point?, map?, transposed?], docs, residuals: linear.stored })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ad::tests::text::function;

    #[test]
    fn an_index_without_a_range_is_an_error_of_the_function() {
        let f = function("size n\n param x[n]\n y[i<n] = x[i]\n result y");
        let errors = |unbounded| {
            let mut errors = Errors::default();
            let program = Program { unbounded, ..schedule::schedule(&f) };
            let found = with_ranges(program, Span::call_site(), &mut errors);
            (found.is_some(), errors.to_tokens().to_string())
        };
        assert_eq!(errors(vec![]), (true, String::new()));
        let (is_there, message) = errors(vec!["i".into()]);
        assert!(!is_there && message.contains("no range was found for the index `i` of"), "{message}");
    }
}
