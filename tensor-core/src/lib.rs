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
pub mod cost;
pub mod emit;
pub mod error;
#[cfg(any(test, feature = "eval"))]
pub mod eval;
pub mod index;
pub mod linear;
pub mod loops;
pub mod mark;
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
use prim::{Outer, Prim};
use proc_macro2::{Ident, TokenStream, TokenTree};
use schedule::Options;
use sorted::Set;
use typed::{Definition, ExprKind, Transform};
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
            front(&block, &mut errors)
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
    if errors.is_empty() {
        linear::check(&block, errors);
    }
    if errors.is_empty() {
        missing::check(&block, errors);
    }
    block
}

fn compile_inline(inline: &ast::Inline, errors: &mut Errors) -> Option<TokenStream> {
    check::check_inline(inline, errors).map(|mut inline| {
        let functions = vec![inline.function];
        let mut block = typed::Block { functions, order: vec![0], ..typed::Block::default() };
        bounds::prove(&mut block, errors);
        let normal = if errors.is_empty() { normal_forms(&block) } else { vec![None] };
        if errors.is_empty() {
            too_large(&block, &normal, errors);
        }
        let program = normal.into_iter().next().flatten();
        let program = program.map(|f| schedule::schedule(&simplify::erase_stops(f)));
        inline.function = block.functions.remove(0);
        emit::inline(&inline, program.as_ref())
    })
}

/// The normal forms of the functions of a block, in its order; `None` where there were errors.
#[must_use]
pub fn normal_forms(block: &typed::Block) -> Vec<Option<ssa::Function>> {
    let mut all = vec![None; block.functions.len()];
    let foreign: Vec<usize> = (0..all.len()).filter(|k| block.functions[*k].outer().is_some()).collect();
    if !foreign.is_empty() {
        recursive_partials(block, &foreign, &mut all);
    }
    for &k in &block.order {
        all[k] = normal_form(block, k, &all);
    }
    all
}

/// The partials of functions of Rust may need each other, as those of `sin` and `cos` do: first no function has any, then each has those that
/// need what is there already, and so on, as often as the block differentiates.
fn recursive_partials(block: &typed::Block, foreign: &[usize], all: &mut [Option<ssa::Function>]) {
    for &k in foreign {
        let mut f = block.functions[k].clone();
        if let Some(Definition::Expr(typed::Expr { kind: ExprKind::Outer(outer), .. })) = &mut f.body {
            let words = format!(
                "`{}` is differentiated more than {} times here",
                outer.path,
                weights::check::TIMES_DIFFERENTIATED
            );
            outer.partials.iter_mut().for_each(|p| *p = Err(words.clone()));
        }
        let Some(Definition::Expr(body)) = &f.body else { continue };
        all[k] = normalize::normalize(&f, body, all).map(simplify::simplify);
    }
    for _ in 1..order::most_often(block, weights::check::TIMES_DIFFERENTIATED) {
        for &k in &block.order {
            if matches!(block.functions[k].body, Some(Definition::Expr(_) | Definition::Foreign(_))) {
                all[k] = normal_form(block, k, all);
            }
        }
    }
}

fn normal_form(block: &typed::Block, k: usize, done: &[Option<ssa::Function>]) -> Option<ssa::Function> {
    let f = &block.functions[k];
    let normal = match f.body.as_ref()? {
        Definition::Expr(body) => normalize::normalize(f, body, done)?,
        Definition::Foreign(k) => normalize::foreign(f, *k, &block.callees),
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
        // What it returns is taken apart where it is emitted.
        Transform::Jvp | Transform::Linearize => ad::jvp(of, wrt),
        Transform::Vjp => ad::vjp(of, wrt),
        Transform::Hvp => ad::jvp(&simplify::simplify(ad::grad(of, wrt)), wrt),
        Transform::Jacobian => ad::jacobian(of, wrt),
        Transform::Hessian => {
            let all = ad::hessian(&simplify::simplify(ad::grad(of, wrt)), wrt);
            ad::symmetric(of, simplify::simplify(all), wrt.len())
        }
        Transform::Transpose => ad::transpose(of, wrt),
    }
}

/// The items of a block, but those that are emitted elsewhere. Functions with errors get their signatures only.
fn expand(block: &typed::Block, silent: &Set<String>, errors: &mut Errors) -> TokenStream {
    let normal = if errors.is_empty() { normal_forms(block) } else { vec![None; block.functions.len()] };
    if errors.is_empty() {
        too_large(block, &normal, errors);
    }
    let has_errors = !errors.is_empty();
    let is_own = |f: &typed::Function| !f.is_inner && !silent.contains(&names::plain(&f.name));
    let all = block.functions.iter().zip(normal).filter(|(f, _)| is_own(f));
    let claims = if has_errors { TokenStream::new() } else { emit::constants::claims(block) };
    let checks = block.foreign.iter().map(emit::foreign);
    std::iter::once(claims).chain(checks).chain(all.map(|(f, normal)| items(f, normal))).collect()
}

/// Correct functions without a normal form: their index arithmetic leaves the range of numbers that the compiler computes with.
fn too_large(block: &typed::Block, normal: &[Option<ssa::Function>], errors: &mut Errors) {
    for (f, _) in block.functions.iter().zip(normal).filter(|(_, n)| n.is_none()) {
        if matches!(f.body, Some(Definition::Expr(_))) {
            let message = format!(
                "the indices of `{}` become too large: where they are multiplied, let them begin at smaller numbers",
                f.name
            );
            errors.push(f.name.span(), message);
        }
    }
}

/// What a function of a block expands to, given its normal form; without one, its signature.
#[must_use]
pub fn items(f: &typed::Function, normal: Option<ssa::Function>) -> TokenStream {
    if let Some(l) = &f.linearization {
        let parts = normal.map(|jvp| linear_map(&jvp, f));
        return emit::linearization(f, l, parts.as_ref());
    }
    let docs = normal.as_ref().map(documented).unwrap_or_default();
    let options = Options::new(f.threads);
    let program = normal.map(|n| schedule::scheduled(&simplify::erase_stops(n), &options));
    emit::function(f, program.as_ref(), &docs)
}

/// What is written of a function: without the derivatives that are declared of what it calls.
fn documented(f: &ssa::Function) -> emit::Docs {
    let is_custom = |s: &ssa::Stmt| matches!(s.rhs, ssa::Rhs::Prim { prim: Prim::Outer(Outer::Custom), .. });
    if f.stmts.iter().any(is_custom) {
        emit::Docs::of(&simplify::erase_stops(f.clone()))
    } else {
        emit::Docs::of(f)
    }
}

/// The functions behind a linearization, given the `jvp`.
fn linear_map(jvp: &ssa::Function, f: &typed::Function) -> emit::LinearMap {
    let (parts, residuals) = linear_parts(jvp, f.leaves());
    let residuals = residuals.iter().map(|r| jvp.array(*r).extents.clone()).collect();
    let docs = parts.each_ref().map(documented);
    let options = Options::new(f.threads);
    let programs = parts.map(|part| schedule::scheduled(&simplify::erase_stops(part), &options));
    emit::LinearMap { programs, docs, residuals }
}

/// A `jvp` of a function of so many leaves, taken apart: its values and what is stored of the point; the linear map of that and of tangents; its
/// transpose. Beside them, what is stored.
#[must_use]
pub fn linear_parts(jvp: &ssa::Function, leaves: usize) -> ([ssa::Function; 3], Vec<ssa::ArrayId>) {
    let parts = ad::unzip(jvp, jvp.params.len() - leaves);
    let dots: Vec<usize> = (parts.residuals..parts.apply.params.len()).collect();
    let stored = parts.point.results[parts.point.results.len() - parts.residuals..].to_vec();
    let transpose = simplify::simplify(ad::transpose(&parts.apply, &dots));
    ([parts.point, parts.apply, transpose].map(simplify::simplify), stored)
}
