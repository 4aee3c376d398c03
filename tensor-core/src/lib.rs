//! The compiler behind `tensor!`: tokens in, tokens out.
//!
//! ```text
//! tokens ─parse→ ast ─check→ typed ─bounds→ typed ─normalize→ ssa ─ad→ ssa ─simplify→ ssa ─schedule→ loops ─emit→ tokens
//! ```
//!
//! [`compile`] is that line as a function. Only [`parse`], [`check`] and [`bounds`] can fail; they report every error that they find, each
//! at the user's own token. Past them every pass is a total function from one intermediate representation to the next.

pub mod ad;
pub mod ast;
pub mod bounds;
pub mod check;
pub mod cost;
pub mod emit;
pub mod error;
#[cfg(any(test, feature = "eval"))]
pub mod eval;
pub mod index;
pub mod loops;
pub mod normalize;
pub mod parse;
pub mod prim;
pub mod schedule;
pub mod simplify;
pub mod ssa;
pub mod typed;

use error::Errors;
use proc_macro2::TokenStream;
use typed::{Definition, Transform};

/// Expands the content of a `tensor!`: to items, or for an inline block to an expression. Errors become `compile_error!`s, and the
/// signatures of the block's functions are there even then.
#[must_use]
pub fn compile(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let tokens = match parse::parse(input, &mut errors) {
        None => TokenStream::new(),
        Some(parse::Input::Block(block)) => {
            let block = front(&block, &mut errors);
            expand(&block, !errors.is_empty())
        }
        Some(parse::Input::Inline(inline)) => return compile_inline(&inline, errors),
    };
    let reports = errors.to_tokens();
    quote::quote!(#reports #tokens)
}

/// Parses and checks a block of items, for tools and tests.
///
/// # Errors
/// All mistakes of the block.
pub fn analyze(input: TokenStream) -> Result<typed::Block, Errors> {
    let mut errors = Errors::default();
    let block = match parse::parse(input, &mut errors) {
        Some(parse::Input::Block(block)) => front(&block, &mut errors),
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
    block
}

fn compile_inline(inline: &ast::Inline, mut errors: Errors) -> TokenStream {
    let checked = check::check_inline(inline, &mut errors).map(|mut inline| {
        let mut block = typed::Block { functions: vec![inline.function], order: vec![0] };
        bounds::prove(&mut block, &mut errors);
        let program = normal_forms(&block).remove(0).filter(|_| errors.is_empty());
        let program = program.map(|f| schedule::schedule(&simplify::erase_stops(f)));
        inline.function = block.functions.remove(0);
        emit::inline(&inline, program.as_ref())
    });
    let reports = errors.to_tokens();
    match checked {
        Some(value) if errors.is_empty() => value,
        Some(_) | None => quote::quote!({ #reports ::core::unreachable!() }),
    }
}

/// The normal forms of the functions of a block, in its order; `None` where there were errors.
#[must_use]
pub fn normal_forms(block: &typed::Block) -> Vec<Option<ssa::Function>> {
    let mut all = vec![None; block.functions.len()];
    for &k in &block.order {
        all[k] = normal_form(&block.functions[k], &all);
    }
    all
}

fn normal_form(f: &typed::Function, done: &[Option<ssa::Function>]) -> Option<ssa::Function> {
    let normal = match f.body.as_ref()? {
        Definition::Expr(body) => normalize::normalize(f, body, done),
        Definition::Transform { transform, of, wrt } => {
            let of = done[*of].as_ref()?;
            let mut derived = derive(*transform, of, &wrt.concat());
            derived.name = f.name.to_string();
            derived
        }
    };
    Some(simplify::simplify(normal))
}

/// A transform of a function in normal form, by the leaves of the parameters in `wrt`.
fn derive(transform: Transform, of: &ssa::Function, wrt: &[usize]) -> ssa::Function {
    match transform {
        Transform::Grad => ad::grad(of, wrt),
        Transform::ValueAndGrad => ad::value_and_grad(of, wrt),
        Transform::Jvp => ad::jvp(of, wrt),
        Transform::Vjp => ad::vjp(of, wrt),
        Transform::Hvp => ad::jvp(&simplify::simplify(ad::grad(of, wrt)), wrt),
        Transform::Jacobian => ad::jacobian(of, wrt),
        Transform::Hessian => ad::hessian(&simplify::simplify(ad::grad(of, wrt)), wrt),
        Transform::Transpose => ad::transpose(of, wrt),
    }
}

/// The items of a block. Functions with errors get their signatures only.
fn expand(block: &typed::Block, has_errors: bool) -> TokenStream {
    let normal = if has_errors { vec![None; block.functions.len()] } else { normal_forms(block) };
    let one = |(f, normal): (&typed::Function, Option<ssa::Function>)| {
        let docs = normal.as_ref().map(emit::Docs::of).unwrap_or_default();
        let program = normal.map(|n| schedule::schedule(&simplify::erase_stops(n)));
        emit::function(f, program.as_ref(), &docs)
    };
    block.functions.iter().zip(normal).filter(|(f, _)| !f.is_inner).map(one).collect()
}
