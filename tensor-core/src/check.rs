//! Surface syntax to the typed program: names, types, shapes, affinity.
//!
//! Sugar goes here: operations on tensors and tuples become loops and parts of scalar operations, brackets become guards of the
//! chains they stand in, rows and columns become loops of accesses, literals become sums of guards.

mod access;
mod affine;
mod call;
mod calls;
mod constants;
mod context;
mod expr;
mod foreign;
mod inline;
mod lets;
mod loops;
mod names;
mod outer;
mod pred;
mod rec;
mod signature;
mod transform;
mod vector;

#[cfg(test)]
mod print;
#[cfg(test)]
mod tests;

use crate::ast::Item;
use crate::error::Errors;
use crate::sorted::Map;
use crate::typed::{Definition, Transform};
use crate::{ast, typed};
use context::Signatures;
use proc_macro2::Ident;

pub(crate) use affine::is_constant_name;
pub use inline::check_inline;
pub(crate) use signature::leaves;

/// Checks a block. Functions with errors have no body, but their signature where it is sound.
pub fn check(block: &ast::Block, errors: &mut Errors) -> typed::Block {
    let (given, more) = outer::given(block, errors);
    let (items, mut broken) = named_items(block.items.iter().chain(&more), errors);
    broken.extend(block.broken.iter().cloned());
    let (mut functions, sources, by_name) = signatures(&items, &broken, errors);
    let signatures = Signatures { functions: functions.clone(), by_name };
    let mut calls = vec![vec![]; functions.len()];
    for (k, source) in sources.iter().enumerate() {
        match source {
            Source::Function(f) => {
                let given = given.iter().find(|g| g.is_of(&f.name));
                calls[k] = body(f, given, &mut functions[k], &signatures, errors);
            }
            Source::Transform { transform, of, wrt } => {
                if let Some(Some(of)) = signatures.by_name.get(&of.to_string()) {
                    calls[k].push(*of);
                    functions[k].body =
                        Some(Definition::Transform { transform: *transform, of: *of, wrt: wrt.clone() });
                }
            }
        }
    }
    let (callees, foreign) = foreign::functions(&mut functions, &sources, &signatures.by_name, errors);
    let is_outer = |k: usize| matches!(&sources[k], Source::Function(f) if f.outer.is_some());
    for (k, calls) in calls.iter_mut().enumerate().filter(|(k, _)| is_outer(*k)) {
        // The partials of functions of Rust may need each other: as `sin` and `cos` do.
        calls.retain(|c| !is_outer(*c) && *c != k);
    }
    let order = order(&mut functions, &calls, errors);
    constants::complete(&mut functions, &order);
    calls::put_in(&mut functions, &order, errors);
    typed::Block { functions, order, callees, foreign }
}

/// Where a function of the block comes from.
enum Source<'a> {
    Function(&'a ast::Function),
    Transform { transform: Transform, of: &'a Ident, wrt: Vec<Vec<usize>> },
}

/// The items with names that they may have, each name once; and the names of the others.
fn named_items<'a>(
    items: impl Iterator<Item = &'a Item>,
    errors: &mut Errors,
) -> (Vec<&'a Item>, Vec<Ident>) {
    let mut out: Vec<&Item> = vec![];
    let mut broken = vec![];
    for item in items {
        let n = item.name();
        if out.iter().any(|other| other.name() == n) {
            errors.push(n.span(), format!("there are two functions `{n}`"));
        } else if signature::check_name(n, errors) {
            out.push(item);
        } else {
            broken.push(n.clone());
        }
    }
    (out, broken)
}

/// How far the signature of an item is.
enum State<'a> {
    Waiting,
    Running,
    Done(Option<Box<(typed::Function, Source<'a>)>>),
}

/// The signatures that are sound, in source order, where they come from, and the number of each by name.
#[allow(clippy::type_complexity)]
fn signatures<'a>(
    items: &[&'a Item],
    broken: &[Ident],
    errors: &mut Errors,
) -> (Vec<typed::Function>, Vec<Source<'a>>, Map<String, Option<usize>>) {
    let mut states: Vec<State> = items.iter().map(|_| State::Waiting).collect();
    for k in 0..items.len() {
        resolve(k, items, broken, &mut states, errors);
    }
    let (mut functions, mut sources, mut by_name) = (vec![], vec![], Map::new());
    for (item, state) in items.iter().zip(states) {
        let number = match state {
            State::Done(Some(done)) => {
                let (f, source) = *done;
                functions.push(f);
                sources.push(source);
                Some(functions.len() - 1)
            }
            State::Done(None) | State::Waiting | State::Running => None,
        };
        by_name.insert(item.name().to_string(), number);
    }
    for n in broken {
        by_name.entry(n.to_string()).or_insert(None);
    }
    (functions, sources, by_name)
}

/// The signature of item `k`; that of a transform follows from what it transforms.
fn resolve<'a>(
    k: usize,
    items: &[&'a Item],
    broken: &[Ident],
    states: &mut Vec<State<'a>>,
    errors: &mut Errors,
) {
    match states[k] {
        State::Waiting => states[k] = State::Running,
        State::Running | State::Done(_) => return,
    }
    let done = match items[k] {
        Item::Function(f) => signature::function(f, errors).map(|s| (s, Source::Function(f))),
        Item::Transform(t) => resolve_transform(t, items, broken, states, errors),
    };
    states[k] = State::Done(done.map(Box::new));
}

fn resolve_transform<'a>(
    t: &'a ast::Transform,
    items: &[&'a Item],
    broken: &[Ident],
    states: &mut Vec<State<'a>>,
    errors: &mut Errors,
) -> Option<(typed::Function, Source<'a>)> {
    let transform = transform::named(&t.transform, errors);
    let Some(of) = items.iter().position(|i| *i.name() == t.of) else {
        if broken.contains(&t.of) {
            return None;
        }
        let known: Vec<_> = items.iter().map(|i| i.name().to_string()).collect();
        let near = names::suggestion(&t.of.to_string(), known.iter().map(String::as_str));
        errors.push(t.of.span(), format!("there is no function `{}` in this block{near}", t.of));
        return None;
    };
    resolve(of, items, broken, states, errors);
    match &states[of] {
        State::Running => {
            errors.push(t.of.span(), format!("`{}` is a transform of itself", t.of));
            None
        }
        State::Done(Some(done)) => {
            let transform = transform?;
            let (f, wrt) = transform::signature(t, transform, &done.0, errors)?;
            Some((f, Source::Transform { transform, of: &t.of, wrt }))
        }
        State::Done(None) | State::Waiting => None,
    }
}

/// Checks the body of `f`; returns what it calls.
fn body(
    source: &ast::Function,
    given: Option<&outer::Given>,
    f: &mut typed::Function,
    signatures: &Signatures,
    errors: &mut Errors,
) -> Vec<usize> {
    let mut cx = signature::enter(f, signatures, errors);
    let (value, span) = match (&source.body, &source.outer) {
        (Some(body), _) => {
            cx.constant_sizes(constants::of_body(body));
            (cx.body(body), body.value.span)
        }
        (None, Some(_)) if foreign::is_over_tensors(f) => return vec![],
        (None, Some(outer)) => (cx.outer(source, outer), source.result.span),
        (None, None) => return vec![],
    };
    let value = value.filter(|value| {
        if cx.same_type(&f.result, &value.ty) {
            return true;
        }
        let (wanted, found) = (cx.type_text(&f.result), cx.type_text(&value.ty));
        let message = format!("`{}` returns `{wanted}`, but this is `{found}`", source.name);
        cx.errors.push(span, message);
        false
    });
    let value = value.and_then(|value| match given {
        Some(given) => cx.ruled(f, value, given),
        None => Some(value),
    });
    let mut calls = std::mem::take(&mut cx.calls);
    calls.sort_unstable();
    calls.dedup();
    fill(f, cx, value);
    calls
}

/// Moves what the check of a body found into its function.
fn fill(f: &mut typed::Function, cx: context::Cx, value: Option<typed::Expr>) {
    f.sizes = cx.sizes;
    f.indices = cx.indices.into_iter().map(|i| i.name).collect();
    f.variables = cx.variables;
    f.recomputed = cx.recomputed;
    f.comparisons = cx.comparisons;
    f.elements = cx.elements;
    f.written = cx.written;
    f.body = value.map(Definition::Expr);
}

/// Callees before callers. Functions that call themselves lose their bodies.
fn order(functions: &mut [typed::Function], calls: &[Vec<usize>], errors: &mut Errors) -> Vec<usize> {
    let mut order = vec![];
    let mut placed = vec![false; functions.len()];
    // Whoever is not placed when no one can be is on a cycle, or calls one.
    loop {
        let ready = |k: &usize| !placed[*k] && calls[*k].iter().all(|c| placed[*c]);
        let next: Vec<usize> = (0..functions.len()).filter(ready).collect();
        if let Some(k) = next.first() {
            placed[*k] = true;
            order.push(*k);
            continue;
        }
        let Some(start) = placed.iter().position(|p| !p) else { return order };
        let cycle = cycle(start, calls, &placed);
        let path: Vec<_> =
            cycle.iter().chain(cycle.first()).map(|k| format!("`{}`", functions[*k].name)).collect();
        if let Some(first) = cycle.first() {
            let at = functions[*first].name.span();
            errors.push(at, format!("recursion is not supported: {}", path.join(" → ")));
        }
        for k in cycle {
            functions[k].body = None;
            placed[k] = true;
            order.push(k);
        }
    }
}

/// A cycle that is reached from `start` through functions not placed.
fn cycle(start: usize, calls: &[Vec<usize>], placed: &[bool]) -> Vec<usize> {
    let mut path = vec![start];
    loop {
        let last = path[path.len() - 1];
        let Some(next) = calls[last].iter().copied().find(|c| !placed[*c]) else { return path };
        if let Some(at) = path.iter().position(|k| *k == next) {
            let mut cycle = path.split_off(at);
            let least = (0..cycle.len()).min_by_key(|k| cycle[*k]).unwrap_or(0);
            cycle.rotate_left(least);
            return cycle;
        }
        path.push(next);
    }
}
