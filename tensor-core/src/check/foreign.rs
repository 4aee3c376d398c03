//! Rust functions over tensors, and the functions that are declared to be their derivatives.

mod rules;

use super::Source;
use super::names;
use super::signature::leaves;
use crate::ast;
use crate::error::Errors;
use crate::index::{Affine, Atom, Names};
use crate::sorted::Map;
use crate::ssa::{Callee, Nest};
use crate::typed::{self, Definition, Foreign, Type};
use crate::weights;
use proc_macro2::TokenStream;
use rules::{Declared, Mode, rules};

/// The extents of what a function takes, and of what it gives.
type Shapes = (Vec<Vec<Affine>>, Vec<Vec<Affine>>);

/// Whether an `extern fn` is over tensors, rather than numbers.
pub(super) fn is_over_tensors(f: &typed::Function) -> bool {
    let is_number = |t: &Type| matches!(t, Type::Real | Type::Size);
    !is_number(&f.result) || !f.params.iter().all(|p| is_number(&p.ty))
}

/// The functions of Rust over tensors that a block names.
#[derive(Default)]
struct Table {
    callees: Vec<Callee>,
    foreign: Vec<Foreign>,
    /// By the number of the function in the block.
    declared: Map<usize, usize>,
}

/// What the names of derivatives are looked up in.
struct Block<'a> {
    functions: &'a [typed::Function],
    by_name: &'a Map<String, Option<usize>>,
    errors: &'a mut Errors,
}

/// Gives each `extern fn` over tensors its body.
pub(super) fn functions(
    functions: &mut [typed::Function],
    sources: &[Source],
    by_name: &Map<String, Option<usize>>,
    errors: &mut Errors,
) -> (Vec<Callee>, Vec<Foreign>) {
    let mut table = Table::default();
    let mut all = vec![];
    for (k, source) in sources.iter().enumerate() {
        let Source::Function(ast::Function { outer: Some(outer), .. }) = source else { continue };
        if !is_over_tensors(&functions[k]) {
            if let Some(ast::Derivative { key: name, .. }) = outer.derivatives.first() {
                let f = &functions[k].name;
                let message = format!(
                    "`{f}` is a function of scalars: give its partial derivatives, as in `x: 1.0 / x`"
                );
                errors.push(name.span(), message);
            }
        } else if is_sound(&functions[k], source, outer, errors) {
            let f = &functions[k];
            let number = table.add(&f.name.to_string(), &outer.path, f, true);
            table.declared.insert(k, number);
            all.push((k, outer));
        }
    }
    for (k, outer) in all {
        derivatives(&mut Block { functions, by_name, errors }, k, outer, &mut table);
        functions[k].body = table.declared.get(&k).map(|n| Definition::Foreign(*n));
    }
    (table.callees, table.foreign)
}

impl Table {
    /// A function that takes and returns what `f` does.
    fn add(&mut self, name: &str, path: &TokenStream, f: &typed::Function, is_declared: bool) -> usize {
        let number = self.push(name, path, is_declared, &(parameters(f), results(f)), f);
        let callee = &mut self.callees[number];
        callee.params = f.params.iter().map(|p| nest(&p.ty)).collect();
        callee.result = nest(&f.result);
        number
    }

    fn push(
        &mut self,
        name: &str,
        path: &TokenStream,
        is_declared: bool,
        (args, results): &Shapes,
        f: &typed::Function,
    ) -> usize {
        let text = path.to_string().replace(' ', "");
        let (name, path_text) = (name.to_string(), text);
        let (params, result) = (vec![Nest::Leaf; args.len()], Nest::flat(results.len()));
        self.callees.push(Callee { name, path: path_text, is_declared, params, result, rules: vec![] });
        let ranks = |all: &[Vec<Affine>]| all.iter().map(Vec::len).collect();
        let (args, results) = (ranks(args), ranks(results));
        self.foreign.push(Foreign { path: path.clone(), elem: f.elem, args, results });
        self.callees.len() - 1
    }
}

/// The tuples of a type.
fn nest(ty: &Type) -> Nest {
    match ty {
        Type::Real | Type::Size => Nest::Leaf,
        Type::Array(_, element) => nest(element),
        Type::Tuple(parts) => Nest::Tuple(parts.iter().map(nest).collect()),
    }
}

/// The extents of the leaves of the parameters.
fn parameters(f: &typed::Function) -> Vec<Vec<Affine>> {
    let mut out = vec![];
    f.params.iter().for_each(|p| leaves(&p.ty, &[], &mut out));
    out
}

fn results(f: &typed::Function) -> Vec<Vec<Affine>> {
    let mut out = vec![];
    leaves(&f.result, &[], &mut out);
    out
}

/// Whether a declaration is one of a function over tensors, but for its derivatives.
fn is_sound(f: &typed::Function, source: &Source, outer: &ast::Outer, errors: &mut Errors) -> bool {
    let before = errors.0.len();
    let Source::Function(written) = source else { return false };
    for (p, q) in f.params.iter().zip(&written.params) {
        if p.ty == Type::Size {
            let message =
                "an `extern fn` over tensors takes no `usize`: it sees sizes in the shapes of its arguments";
            errors.push(q.ty.span, message);
        }
    }
    if let Some((name, _)) = outer.partials.first() {
        let message = format!(
            "`{}` is a function over tensors: its derivative is that of a Rust function, as in `{{ jvp = f_jvp, vjp = f_vjp }}`",
            f.name
        );
        errors.push(name.span(), message);
    }
    let all = [parameters(f), results(f)].concat();
    if all.iter().any(|e| e.len() > weights::check::DIMENSIONS) {
        let message =
            format!("a tensor of an `extern fn` has at most {} dimensions", weights::check::DIMENSIONS);
        errors.push(f.name.span(), message);
    }
    if results(f).is_empty() {
        errors.push(written.result.span, "an `extern fn` over tensors returns a tensor or a scalar");
    }
    errors.0.len() == before
}

/// `jvp = g`, `vjp(x, result) = g`, `transpose(x) = g` of the function `k`.
fn derivatives(block: &mut Block, k: usize, outer: &ast::Outer, table: &mut Table) {
    let Some(&number) = table.declared.get(&k) else { return };
    let (xs, ys) = (parameters(&block.functions[k]), results(&block.functions[k]));
    let mut found: Vec<Declared> = vec![];
    for d in &outer.derivatives {
        let name = d.key.to_string();
        let mode = match name.as_str() {
            "jvp" => Mode::Jvp,
            "vjp" => Mode::Vjp,
            "transpose" => Mode::Transpose,
            _ => {
                let message = format!(
                    "`{name}`: a function over tensors has a `jvp` and a `vjp`, or, where it is linear, a `transpose`"
                );
                block.errors.push(d.key.span(), message);
                continue;
            }
        };
        let Some((by, with_result)) = named_arguments(block, k, d) else { continue };
        let is_all = |f: &Declared| f.mode == Mode::Transpose && f.by.len() == xs.len();
        let clash =
            found.iter().any(is_all) || mode == Mode::Transpose && by.len() == xs.len() && !found.is_empty();
        if found.iter().any(|f| f.mode == mode && f.by == by) {
            block.errors.push(d.key.span(), format!("there are two of `{name}`"));
        } else if clash {
            block.errors.push(d.key.span(), "a linear function has its `transpose`, and no other derivative");
        } else if mode == Mode::Transpose && with_result {
            block.errors.push(d.key.span(), "a `transpose` is not given the results: the function is linear");
        } else {
            let mut declared = Declared { mode, by, with_result, function: 0 };
            if let Some(function) = named(block, k, d, &declared, table) {
                declared.function = function;
                found.push(declared);
            }
        }
    }
    rules(number, (xs.len(), ys.len()), &found, &mut table.callees);
}

/// The arguments that a derivative is by, and whether it is given the results.
fn named_arguments(block: &mut Block, k: usize, d: &ast::Derivative) -> Option<(Vec<usize>, bool)> {
    let f = &block.functions[k];
    let (mut by, mut with_result) = (vec![], false);
    for name in &d.names {
        let mut first = 0;
        let at = f.params.iter().position(|p| {
            let is = p.name == *name;
            first += if is { 0 } else { p.ty.leaves() };
            is
        });
        let leaves = at.map_or(0, |p| f.params[p].ty.leaves());
        match at {
            None if name == "result" => with_result = true,
            None => {
                let known: Vec<String> = f.params.iter().map(|p| format!("`{}`", p.name)).collect();
                let message = format!(
                    "`{name}` is no parameter of `{}`: its derivatives are by {}, and may be given the `result`",
                    f.name,
                    known.join(", ")
                );
                block.errors.push(name.span(), message);
                return None;
            }
            Some(_) if by.contains(&first) => {
                block.errors.push(name.span(), format!("`{name}` is named twice"));
                return None;
            }
            Some(_) => by.extend(first..first + leaves),
        }
    }
    if by.is_empty() {
        by = (0..parameters(f).len()).collect();
    }
    crate::sorted::sort(&mut by);
    Some((by, with_result))
}

/// The function that is named as a derivative: one that is declared, which must fit, or one of Rust.
fn named(
    block: &mut Block,
    k: usize,
    ast::Derivative { key, path, .. }: &ast::Derivative,
    declared: &Declared,
    table: &mut Table,
) -> Option<usize> {
    let f = &block.functions[k];
    let shape = &declared.shape((&parameters(f), &results(f)));
    let text = path.to_string().replace(' ', "");
    let Some(g) = block.by_name.get(&text) else {
        let known = table.callees.iter().position(|c| !c.is_declared && c.path == text);
        return Some(known.unwrap_or_else(|| table.push(&text, path, false, shape, f)));
    };
    // Without a number it has errors of its own.
    let g = (*g)?;
    let span = path.clone().into_iter().next().map_or(key.span(), |t| t.span());
    let Some(&number) = table.declared.get(&g) else {
        if block.functions[g].body.is_some() {
            let message = format!(
                "`{text}` is a function of this block: the `{key}` of an `extern fn` is a function of Rust, or an `extern fn` over tensors\n  help: a function of the block that calls `{f}` can have it: `impl {key}(g) = {text};`",
                f = f.name,
            );
            block.errors.push(span, message);
        }
        return None;
    };
    let own = (parameters(&block.functions[g]), results(&block.functions[g]));
    if fits(&own, shape) && block.functions[g].elem == f.elem {
        return Some(number);
    }
    let wanted = signature(f, &text, declared, shape);
    block.errors.push(span, format!("the `{key}` of `{}` must be `{wanted}`", f.name));
    None
}

/// Whether two lists of shapes are the same but for the names of sizes.
fn fits(own: &Shapes, wanted: &Shapes) -> bool {
    let ranks = |all: &[Vec<Affine>]| all.iter().map(Vec::len).collect::<Vec<_>>();
    if ranks(&own.0) != ranks(&wanted.0) || ranks(&own.1) != ranks(&wanted.1) {
        return false;
    }
    let flat = |all: &Shapes| [all.0.concat(), all.1.concat()].concat();
    let (own, wanted) = (flat(own), flat(wanted));
    let mut sizes: Map<u32, Affine> = Map::new();
    for (a, b) in own.iter().zip(&wanted) {
        if let Some(Atom::Size(k)) = a.as_atom() {
            sizes.entry(*k).or_insert_with(|| b.clone());
        }
    }
    let renamed = |a: &Affine| {
        a.rename(&|t| match t {
            Atom::Size(k) => sizes.get(k).cloned(),
            Atom::Index(_) | Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => None,
        })
    };
    own.iter().zip(&wanted).all(|(a, b)| renamed(a).as_ref() == Some(b))
}

/// What the derivative of `f` would be declared as.
fn signature(f: &typed::Function, name: &str, declared: &Declared, shape: &Shapes) -> String {
    let Declared { mode, by, with_result, .. } = declared;
    let written: Names = f.names();
    let ty = |extents: &Vec<Affine>| match extents.as_slice() {
        [] => names::elem(f.elem).to_string(),
        _ => names::ty(&Type::Array(extents.clone(), Box::new(Type::Real)), f.elem, &written),
    };
    let mut own = vec![];
    for p in &f.params {
        match p.ty.leaves() {
            1 => own.push(p.name.to_string()),
            n => own.extend((0..n).map(|k| format!("{}_{k}", p.name))),
        }
    }
    let bars: Vec<String> = match results(f).len() {
        1 => vec!["y_bar".into()],
        n => (0..n).map(|k| format!("y_bar{k}")).collect(),
    };
    let ys: Vec<String> = bars.iter().map(|y| y.replace("y_bar", "result")).collect();
    let chosen = |by: &[usize]| by.iter().map(|k| own[*k].clone()).collect::<Vec<_>>();
    let dots = chosen(by).into_iter().map(|x| format!("{x}_dot"));
    let others: Vec<usize> = (0..own.len()).filter(|k| !by.contains(k)).collect();
    let given = [own.clone(), if *with_result { ys } else { vec![] }].concat();
    let all: Vec<String> = match mode {
        Mode::Jvp => given.into_iter().chain(dots).collect(),
        Mode::Vjp => [given, bars].concat(),
        Mode::Transpose => [chosen(&others), bars].concat(),
    };
    let params: Vec<String> = all.iter().zip(&shape.0).map(|(x, e)| format!("{x}: {}", ty(e))).collect();
    let results: Vec<String> = shape.1.iter().map(ty).collect();
    let result = if results.len() == 1 { results.concat() } else { format!("({})", results.join(", ")) };
    let sizes: Vec<&str> = f.sizes.iter().map(|s| s.name.as_str()).collect();
    let sizes = if sizes.is_empty() { String::new() } else { format!("<{}>", sizes.join(", ")) };
    format!("extern fn {name}{sizes}({}) -> {result}", params.join(", "))
}
