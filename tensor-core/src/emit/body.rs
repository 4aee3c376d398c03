//! The body of a function: loops over slices.
//!
//! Indices are `isize`. An innermost loop first cuts the rows that it walks, so that no check is left inside; a range that is
//! empty cuts nothing.

mod call;
mod captured;
mod choice;
mod declare;
mod expr;
mod kernel;
mod lanes;
mod leaf;
mod outlined;
mod product;
mod rows;
mod straight;
mod threads;
mod vector;

use crate::ast::Elem;
use crate::loops::inside::{has_lanes, is_innermost, used_outside};
use crate::loops::rows::Row;
use crate::loops::{Bound, Direction, Order, Program, Stmt, Storage, VarId};
use crate::ssa::{Extreme, Index};
use choice::Choice;
use declare::{Let, Piece};
use expr::Tokens;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use rows::Rows;

/// One private function `fn name(sizes: isize.., inputs.., outputs.., work..) -> scalars`:
///
/// * every size, by `Atom::Size`, as `isize`;
/// * every parameter leaf: `f64` by value at rank 0, else `&[f64]`, contiguous and row-major;
/// * every result leaf that is a tensor: `&mut [f64]`, content arbitrary on entry;
/// * every buffer from the workspace: `&mut [f64]`, or `&mut [isize]` for indices, content arbitrary on entry;
/// * returns the scalar result leaves: nothing, one bare, or a flat tuple.
///
/// With vectorized loops its body is a kernel, compiled for each instruction set.
#[must_use]
pub fn function(program: &Program, name: &Ident) -> TokenStream {
    let t = Tokens::new(program, program.threads);
    let elem = t.elem();
    let values: Vec<TokenStream> = program.scalars.iter().map(|e| t.expr(e, &Rows::default())).collect();
    let (ty, value) = match values.as_slice() {
        [] => (quote!(()), TokenStream::new()),
        [one] => (quote!(#elem), quote!(#one)),
        _ => {
            let types = values.iter().map(|_| &elem);
            (quote!((#(#types),*)), quote!((#(#values),*)))
        }
    };
    let arrays = t.stored(|s| if let Storage::Work(k) = s { Some(k) } else { None });
    let outside = used_outside(program, &program.body);
    let arrays = arrays.into_iter().filter(|v| outside.contains(v)).filter_map(|v| {
        let (name, length, zero) = (t.var(v), program.on_stack(v)?, t.number(0.0));
        Some(quote!(let mut #name = [#zero; #length];))
    });
    let body = block(&t, &program.body, &Rows::default());
    let body = quote!(#(#arrays)* #body #value);
    let arguments = arguments(&t);
    let body = if has_lanes(&program.body) { kernel::run(&t, &arguments, &ty, &body) } else { body };
    let declared = arguments.iter().map(|a| {
        let Argument { name, kind, .. } = a;
        let ty = kind.ty(&elem, None);
        quote!(#name: #ty)
    });
    let allowed = super::many_arguments(arguments.len());
    let ty = if values.is_empty() { TokenStream::new() } else { quote!(-> #ty) };
    quote! {
        #allowed
        fn #name(#(#declared),*) #ty {
            #body
        }
    }
}

/// An argument of the function that runs a program.
struct Argument {
    name: Ident,
    kind: Kind,
}

impl Argument {
    /// What stands for it in a call inside: slices are borrowed again.
    fn given(&self) -> TokenStream {
        let name = &self.name;
        match self.kind {
            Kind::Size | Kind::Number => quote!(#name),
            Kind::Input | Kind::Table => quote!(&#name[..]),
            Kind::Output | Kind::Indices => quote!(&mut #name[..]),
        }
    }
}

/// What an argument holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Size,
    Number,
    Input,
    Output,
    Indices,
    /// Indices that are only read.
    Table,
}

impl Kind {
    /// Its type, with a lifetime if one is needed.
    fn ty(self, elem: &TokenStream, lifetime: Option<&TokenStream>) -> TokenStream {
        match self {
            Kind::Size => quote!(isize),
            Kind::Number => quote!(#elem),
            Kind::Input => quote!(& #lifetime [#elem]),
            Kind::Output => quote!(& #lifetime mut [#elem]),
            Kind::Indices => quote!(& #lifetime mut [isize]),
            Kind::Table => quote!(& #lifetime [isize]),
        }
    }
}

/// In order: sizes, parameters, results, buffers.
fn arguments(t: &Tokens<'_>) -> Vec<Argument> {
    let program = t.program;
    let sizes = (0..program.function.sizes.len()).map(|k| Argument { name: t.size(k), kind: Kind::Size });
    let params = program.function.params.iter().map(|p| {
        let kind = if program.var(VarId(p.0)).extents.is_empty() { Kind::Number } else { Kind::Input };
        Argument { name: t.var(VarId(p.0)), kind }
    });
    let results = t.stored(|s| if let Storage::Result(k) = s { Some(k) } else { None });
    let work = t.stored(|s| if let Storage::Work(k) = s { Some(k) } else { None });
    let work = work.into_iter().filter(|v| program.on_stack(*v).is_none());
    let buffers = results.into_iter().chain(work).map(|v| {
        let kind = if program.var(v).holds_indices { Kind::Indices } else { Kind::Output };
        Argument { name: t.var(v), kind }
    });
    sizes.chain(params).chain(buffers).collect()
}

fn block(t: &Tokens<'_>, stmts: &[Stmt], rows: &Rows) -> TokenStream {
    let changes = choice::last_changes(stmts);
    let (mut out, mut at) = (vec![], 0);
    while let Some(s) = stmts.get(at) {
        let choice = choice::choice(stmts, at, &changes);
        at += if choice.is_some() { 2 } else { 1 };
        out.push(choice.map_or_else(|| piece(t, s, rows), |c| Piece::Let(chosen(t, &c, rows))));
    }
    declare::block(&out)
}

fn piece(t: &Tokens<'_>, s: &Stmt, rows: &Rows) -> Piece {
    let declared = if let Stmt::Leaf(leaf) = s { leaf::declared(t, leaf, rows) } else { None };
    declared.map_or_else(|| Piece::Other(stmt(t, s, rows)), Piece::Let)
}

fn chosen(t: &Tokens<'_>, c: &Choice<'_>, rows: &Rows) -> Let {
    let (tests, before) = (t.tests(c.tests, rows), block(t, c.before, rows));
    let (start, value) = (t.expr(c.start, rows), t.expr(c.value, rows));
    let value = quote!(if #tests { #before #value } else { #start });
    Let { name: t.var(c.var), is_mut: c.is_mut, ty: Some(t.elem()), value }
}

fn stmt(t: &Tokens<'_>, s: &Stmt, rows: &Rows) -> TokenStream {
    match s {
        Stmt::For { .. } => looped(t, s, rows),
        Stmt::If { tests, body, otherwise } => {
            let (tests, body) = (t.tests(tests, rows), block(t, body, rows));
            if otherwise.is_empty() {
                quote!(if #tests { #body })
            } else {
                let otherwise = block(t, otherwise, rows);
                quote!(if #tests { #body } else { #otherwise })
            }
        }
        Stmt::Leaf(leaf) => leaf::leaf(t, leaf, rows),
    }
}

/// A loop, whatever it holds.
fn looped(t: &Tokens<'_>, s: &Stmt, rows: &Rows) -> TokenStream {
    let Stmt::For { index, lower, upper, step, order, rows: own, body, .. } = s else {
        return TokenStream::new();
    };
    if t.threads {
        let alone = looped(&t.alone(), s, rows);
        return threads::each(t, s, &alone).unwrap_or(alone);
    }
    let ends = (ends(t, lower, false), ends(t, upper, true));
    match step {
        None => ordered(t, order, *index, ends, (body, own), rows),
        Some((from, k)) => carrying(t, order, &|t| {
            stepped(t, *index, ends.clone(), (&t.affine(from), *k), &block(t, body, rows))
        }),
    }
}

/// A loop over all of a range, in its order.
fn ordered(
    t: &Tokens<'_>,
    order: &Order,
    index: Index,
    ends: (TokenStream, TokenStream),
    (body, own): (&[Stmt], &[Row]),
    outer: &Rows,
) -> TokenStream {
    match order {
        Order::Lanes { straight: Some(reach), strips, .. } => {
            let inside = |ends| straight::each(t, index, ends, reach, body);
            match strips.apart {
                true => outlined::in_lanes(t, (index, body), ends, &inside),
                false => inside(ends),
            }
        }
        Order::Lanes { straight: None, strips, .. } => lanes::each(t, index, ends, body, strips),
        Order::Outlined => outlined::each(t, index, ends, (body, own)),
        Order::Sequence | Order::Steps(_) | Order::Carrying(_) | Order::Summing(_) => {
            carrying(t, order, &|t| each(t, (index, order), ends.clone(), (body, own), outer))
        }
    }
}

fn better(op: Extreme) -> TokenStream {
    match op {
        Extreme::Max => quote!(>),
        Extreme::Min => quote!(<),
    }
}

/// The first value, or the one after the last.
fn ends(t: &Tokens<'_>, bounds: &[Bound], upper: bool) -> TokenStream {
    let one = |b: &Bound| {
        let mut num = b.num.clone();
        num.constant += if upper { b.den } else { b.den - 1 };
        t.quotient(&t.affine(&num), b.den)
    };
    let join = if upper { quote!(::core::cmp::Ord::min) } else { quote!(::core::cmp::Ord::max) };
    let all = bounds.iter().map(one).reduce(|a, b| quote!(#join(#a, #b)));
    all.unwrap_or_else(|| quote!(0isize))
}

/// A loop in sequence, with the totals of the vectorized loops inside that it carries.
fn carrying(t: &Tokens<'_>, order: &Order, each: &dyn Fn(&Tokens<'_>) -> TokenStream) -> TokenStream {
    let Order::Carrying(totals) = order else { return each(t) };
    let inner = t.carrying(totals.keys().copied());
    lanes::totals::with_totals(t, totals, &each(&inner))
}

/// The iterations of a loop from the first to the last; of steps that run back from the last to the first.
fn in_order(order: &Order, range: TokenStream) -> TokenStream {
    if *order == Order::Steps(Direction::Backward) { quote!((#range).rev()) } else { range }
}

/// `for i in a..b { body }`, or from the last to the first; an innermost one over rows.
fn each(
    t: &Tokens<'_>,
    (index, order): (Index, &Order),
    (low, high): (TokenStream, TokenStream),
    (body, own): (&[Stmt], &[Row]),
    outer: &Rows,
) -> TokenStream {
    let i = t.index(index);
    if !is_innermost(body) {
        let body = block(t, body, outer);
        let range = in_order(order, quote!((#low)..(#high)));
        return quote!(for #i in #range { #body });
    }
    let (first, end, len, k) = (t.helper("first"), t.helper("end"), t.helper("len"), t.helper("k"));
    let (cut, rows) = rows::cut(t, index, (&first, &len, &k), own);
    let body = block(t, body, &rows);
    let range = in_order(order, quote!(0..#len));
    quote! {
        let #first: isize = #low;
        let #end: isize = #high;
        if #first < #end {
            let #len = (#end - #first) as usize;
            #cut
            for #k in #range {
                let #i: isize = #first + #k as isize;
                #body
            }
        }
    }
}

/// `for i in a..b step k from c { body }`
fn stepped(
    t: &Tokens<'_>,
    index: Index,
    (low, high): (TokenStream, TokenStream),
    (from, by): (&TokenStream, i64),
    body: &TokenStream,
) -> TokenStream {
    let (i, first, end, next) = (t.index(index), t.helper("first"), t.helper("end"), t.helper("next"));
    let by = t.integer(by);
    quote! {
        let #first: isize = #low;
        let #end: isize = #high;
        let mut #next = #first + (#from - #first).rem_euclid(#by);
        while #next < #end {
            let #i = #next;
            #next += #by;
            #body
        }
    }
}

/// The type of reals.
pub(crate) fn elem_type(elem: Elem) -> TokenStream {
    match elem {
        Elem::F64 => quote!(f64),
        Elem::F32 => quote!(f32),
    }
}

#[cfg(test)]
mod tests;
