//! Loops that are cut between threads.
//!
//! A loop that `schedule::tasks` cuts becomes two pieces of code. The first is the loop as it is without threads. The second is a kernel for a part
//! of the range, with parts of the arrays that it writes, which the runtime crate calls for each task. Sizes decide which runs.
//!
//! Invariant: what is computed depends on sizes and arguments, never on the number of threads.

mod time;

use super::expr::Tokens;
use super::lanes::totals::start;
use super::rows::Rows;
use super::{Argument, Kind, better, kernel};
use crate::emit::runtime::RT;
use crate::loops::captures::Captures;
use crate::loops::rows::Row;
use crate::loops::tasks::{Part, Tasks};
use crate::loops::{Order, Stmt, Storage, VarId};
use crate::sorted::Map;
use crate::ssa::{Extreme, Index};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// A loop that is cut.
struct Cut<'a, 'b> {
    t: &'a Tokens<'b>,
    index: Index,
    order: &'a Order,
    body: &'a [Stmt],
    rows: &'a [Row],
    tasks: &'a Tasks,
    captures: Captures,
    /// The range of a task.
    range: (Ident, Ident),
}

/// The loop cut between threads if it is long enough, else `alone`. None if it is not to be cut.
pub(super) fn each(t: &Tokens<'_>, s: &Stmt, alone: &TokenStream) -> Option<TokenStream> {
    let Stmt::For { index, lower, upper, order, tasks: Some(tasks), rows, body, .. } = s else { return None };
    let captures = Captures::of(t.program, *index, body);
    let range = (t.helper("task_first"), t.helper("task_end"));
    let cut = Cut { t, index: *index, order, body, rows, tasks, captures, range };
    let ends = (super::ends(t, lower, false), super::ends(t, upper, true));
    Some(cut.tokens(&time::time(t, &tasks.time), ends, alone))
}

impl Cut<'_, '_> {
    fn tokens(
        &self,
        work: &TokenStream,
        (low, high): (TokenStream, TokenStream),
        alone: &TokenStream,
    ) -> TokenStream {
        let t = self.t;
        let (first, end, tasks) = (&self.range.0, &self.range.1, t.helper("tasks"));
        let unit = t.integer(self.tasks.unit);
        let sums = self.of(|p| matches!(p, Part::Sums));
        let run = self.run(&unit, &tasks);
        quote!({
            let #first: isize = #low;
            let #end: isize = #high;
            let #tasks = #RT::parallel::tasks(#work, 0 #(+ <[_]>::len(&#sums[..]))*, (#end - #first) / #unit);
            if #tasks < 2 {
                #alone
            } else {
                #run
            }
        })
    }

    /// Variables of some kind.
    fn of(&self, which: impl Fn(&Part) -> bool) -> Vec<Ident> {
        self.tasks.parts.iter().filter(|(_, p)| which(p)).map(|(v, _)| self.t.var(*v)).collect()
    }

    fn totals(&self) -> Vec<(Ident, Option<Extreme>)> {
        let one = |(v, p): (&VarId, &Part)| {
            if let Part::Total(op) = p { Some((self.t.var(*v), *op)) } else { None }
        };
        self.tasks.parts.iter().filter_map(one).collect()
    }

    /// All tasks, and what their totals add to those outside.
    fn run(&self, unit: &TokenStream, tasks: &Ident) -> TokenStream {
        let t = self.t;
        let (first, end) = &self.range;
        let borrowed = |v: &VarId| matches!(t.program.var(*v).storage, Storage::Result(_) | Storage::Work(_));
        let shared = self
            .tasks
            .parts
            .iter()
            .filter(|(v, p)| **p == Part::Shared && borrowed(v))
            .map(|(v, _)| t.var(*v));
        let (made, taken, pattern) = self.arrays();
        let parts = t.helper("parts");
        let kernel = self.kernel();
        let (left, right) = (t.helper("left"), t.helper("right"));
        let totals = self.totals();
        let names: Vec<&Ident> = totals.iter().map(|v| &v.0).collect();
        let joins = totals.iter().enumerate().map(|(k, (_, op))| {
            let k = Literal::usize_unsuffixed(k);
            joined(*op, &quote!(#left.#k), &quote!(#right.#k))
        });
        let (joins, result) = match totals.as_slice() {
            [] => (quote!(|(), ()| {}), TokenStream::new()),
            _ => (quote!(|#left, #right| (#(#joins,)*)), quote!(let #left = (#(#names,)*); let #right =)),
        };
        let outer = totals.iter().enumerate().map(|(k, (v, op))| {
            let k = Literal::usize_unsuffixed(k);
            let value = joined(*op, &quote!(#left.#k), &quote!(#right.#k));
            quote!(#v = #value;)
        });
        quote! {
            #(let #shared = &#shared[..];)*
            let mut #parts = #made;
            #result #RT::parallel::run(
                #first..#end,
                #unit,
                #tasks,
                &mut #parts,
                |#first: isize, #end: isize, #pattern| {
                    #taken
                    #kernel
                },
                #joins,
            );
            #(#outer)*
        }
    }

    /// What makes the parts of the arrays, what takes their elements inside a task, and the pattern of their names.
    fn arrays(&self) -> (TokenStream, TokenStream, TokenStream) {
        let t = self.t;
        let (mut made, mut taken, mut pattern) = (quote!(()), TokenStream::new(), quote!(()));
        for (v, part) in self.tasks.parts.iter().rev() {
            let name = t.var(*v);
            let (new, take) = match part {
                Part::Rows { by, from, flat } => {
                    let (by, from, first) = (t.integer(*by), t.affine(from), self.first(*v));
                    let rest = if *flat { &[] } else { &t.program.var(*v).extents[1..] };
                    let rest = rest.iter().map(|e| t.affine(e));
                    let row = rest.reduce(|a, b| quote!(#a * #b)).unwrap_or_else(|| quote!(1isize));
                    (
                        quote!(#RT::parallel::Rows::new(&mut #name[..], #by, #from, #row)),
                        quote!(let (#name, #first) = #name.elements();),
                    )
                }
                Part::Sums => {
                    (quote!(#RT::parallel::Sums::new(&mut #name[..])), quote!(let #name = #name.elements();))
                }
                Part::Scratch => (
                    quote!(#RT::parallel::Scratch::new(&mut #name[..])),
                    quote!(let #name = #name.elements();),
                ),
                Part::Shared | Part::Total(_) | Part::Local(_) | Part::Lanes => continue,
            };
            made = quote!((#new, #made));
            taken.extend(take);
            pattern = quote!((#name, #pattern));
        }
        (made, taken, pattern)
    }

    fn first(&self, v: VarId) -> Ident {
        self.t.helper(&format!("first{}", v.0))
    }

    /// The call of the kernel for the range of a task.
    fn kernel(&self) -> TokenStream {
        let (t, elem) = (self.t, self.t.elem());
        let rows = |(v, p): (&VarId, &Part)| matches!(p, Part::Rows { .. }).then(|| (*v, self.first(*v)));
        let firsts: Map<VarId, Ident> = self.tasks.parts.iter().filter_map(rows).collect();
        let arguments = self.arguments(&firsts);
        let inner = Tokens { firsts, ..Tokens::new(t.program, false) };
        let mut before = TokenStream::new();
        for (v, part) in &self.tasks.parts {
            if let Part::Local(length) = part {
                let (name, zero) = (t.var(*v), t.number(0.0));
                before.extend(quote!(let mut #name = [#zero; #length];));
            }
        }
        let totals = self.totals();
        for (name, op) in &totals {
            let start = start(t, *op);
            before.extend(quote!(let mut #name: #elem = #start;));
        }
        let (first, end) = &self.range;
        let ends = (quote!(#first), quote!(#end));
        let body =
            super::ordered(&inner, self.order, self.index, ends, (self.body, self.rows), &Rows::default());
        let (ty, value) = if totals.is_empty() {
            (quote!(()), TokenStream::new())
        } else {
            let (types, names) = (totals.iter().map(|_| &elem), totals.iter().map(|t| &t.0));
            (quote!((#(#types,)*)), quote!((#(#names,)*)))
        };
        kernel::run(t, &arguments, &ty, &quote!(#before #body #value))
    }

    /// In order: the range, sizes, indices, where rows begin, then variables.
    fn arguments(&self, firsts: &Map<VarId, Ident>) -> Vec<Argument> {
        let (t, c) = (self.t, &self.captures);
        let sizes = c.sizes.iter().map(|k| t.size(*k as usize));
        let indices = c.indices.iter().map(|i| t.index(*i));
        let range = [self.range.0.clone(), self.range.1.clone()];
        let all = range.into_iter().chain(sizes).chain(indices).chain(firsts.values().cloned());
        let mut out: Vec<Argument> = all.map(|name| Argument { name, kind: Kind::Size }).collect();
        for (v, part) in &self.tasks.parts {
            let var = t.program.var(*v);
            let kind = match part {
                Part::Shared => match (var.extents.is_empty(), var.holds_indices) {
                    (true, true) => Kind::Size,
                    (true, false) => Kind::Number,
                    (false, true) => Kind::Table,
                    (false, false) => Kind::Input,
                },
                Part::Rows { .. } | Part::Sums | Part::Scratch => Kind::Output,
                Part::Total(_) | Part::Local(_) | Part::Lanes => continue,
            };
            out.push(Argument { name: t.var(*v), kind });
        }
        out
    }
}

/// The sum of two totals, or the better one: `a` unless `b` is better.
fn joined(op: Option<Extreme>, a: &TokenStream, b: &TokenStream) -> TokenStream {
    match op {
        None => quote!(#a + #b),
        Some(op) => {
            let op = better(op);
            quote!(if #b #op #a { #b } else { #a })
        }
    }
}
