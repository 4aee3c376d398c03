//! Functions in normal form as programs of the language, to be read, and to be parsed again.
//!
//! What the language writes otherwise is written as near as it comes: `FiniteOrZero` as a choice under `stop`; an `argmax` at each
//! of its uses, as `let k = argmax …;`, although in SSA its range may be empty (the value is then one less than the first index,
//! and nothing reads it where it matters), which the checker does not admit.

mod bind;
mod index;
mod prim;
mod ranges;
mod rec;
#[cfg(test)]
mod tests;
mod value;

use super::{Array, ArrayId, Function, Index, Rhs, Stmt, Term, Whole};
use crate::ast::Elem;
use crate::index::{Affine, Atom, Cond, Pred};
use crate::sorted::{Map, Set};
use crate::ssa::rename::indices_of;

/// The program of a function: `fn name<sizes>(params) -> results where assumptions { lets; results }`, without conditions that only save work
/// where sizes are 0.
#[must_use]
pub fn display(f: &Function) -> String {
    let mut printer = Printer::new(&if f.recs.is_empty() { crate::simplify::readable(f) } else { f.clone() });
    let signature = printer.signature();
    let body = printer.body();
    format!("{signature} {{\n{body}}}\n")
}

/// What [`display`] prints for each statement that has a name there: its array, and what it is `let` be.
#[must_use]
pub fn statements(f: &Function) -> Vec<(ArrayId, String)> {
    let mut printer = Printer::new(f);
    let printed: Vec<&Stmt> = f.stmts.iter().filter(|s| !printer.is_inline(s)).collect();
    printed.into_iter().map(|s| (s.array, printer.statement(s))).collect()
}

/// The function with the names of its arrays as they are printed, so that what is derived of one is named after it alone.
#[must_use]
pub fn named(f: &Function) -> Function {
    let mut printer = Printer::new(f);
    for (array, name) in printer.f.arrays.iter_mut().zip(printer.arrays) {
        if !name.is_empty() {
            array.name = name;
        }
    }
    printer.f
}

/// What is known while a function is printed.
struct Printer {
    /// With further indices for what is printed at its uses.
    f: Function,
    /// The names of sizes and arrays.
    sizes: Vec<String>,
    arrays: Vec<String>,
    /// Names that an index must not take.
    taken: Set<String>,
    /// The indices in scope, outer ones first.
    indices: Vec<(Index, String)>,
    /// `let k = argmax …;` in scope: the element and its name.
    elements: Vec<(Atom, String)>,
    /// Members of recs that are in scope, by what they are called at which times.
    members: Vec<rec::Member>,
    /// Where each array is defined, by its number: a place among the statements.
    defined: Vec<Option<usize>>,
}

/// Words that name something already, beside the functions of numbers.
const BUILT_IN: &[&str] = &[
    "sum",
    "prod",
    "logsumexp",
    "argmax",
    "argmin",
    "exists",
    "rec",
    "fold",
    "scan",
    "stop",
    "grad",
    "jvp",
    "vjp",
    "value_and_grad",
    "hvp",
    "jacobian",
    "hessian",
    "linearize",
    "transpose",
    "f64",
    "f32",
    "usize",
    "rel",
    "sparse",
];

/// A name made of a hint that is not in use; a number tells it from others. `numbers` remembers how far each name has been numbered by
/// those whose names stay in use.
fn unique(hint: &str, numbers: Option<&mut Map<String, usize>>, used: impl Fn(&str) -> bool) -> String {
    let mut base: String = hint.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    if base.starts_with(|c: char| c.is_ascii_uppercase()) {
        base = base.to_ascii_lowercase();
    }
    if base.is_empty() || base == "_" || base.starts_with(|c: char| c.is_ascii_digit()) {
        base = format!("x{base}");
    }
    let is_built_in = |name: &str| BUILT_IN.contains(&name) || crate::prim::table::names().any(|f| f == name);
    let free = |name: &String| !used(name) && !is_built_in(name) && !crate::parse::is_keyword(name);
    let built_in = is_built_in(&base);
    let name = |k: usize| match k {
        0 => base.clone(),
        k if built_in || base.ends_with(|c: char| c.is_ascii_digit()) => format!("{base}_{k}"),
        k => format!("{base}{k}"),
    };
    let first = numbers.as_ref().and_then(|n| n.get(&base).copied()).unwrap_or(0);
    let found = (first..).filter(|k| *k != 1 || built_in).find(|k| free(&name(*k))).unwrap_or(0);
    if let Some(numbers) = numbers {
        numbers.insert(base.clone(), found);
    }
    name(found)
}

/// Whether a size is a Rust constant, named by its path.
fn is_constant(size: &str) -> bool {
    size.contains("::") || size.starts_with(|c: char| c.is_ascii_uppercase())
}

impl Printer {
    fn new(f: &Function) -> Printer {
        let mut taken: Set<String> = Set::new();
        let mut sizes = Vec::new();
        for size in &f.sizes {
            let name =
                if is_constant(size) { size.clone() } else { unique(size, None, |n| taken.contains(n)) };
            taken.insert(name.clone());
            sizes.push(name);
        }
        let arrays = vec![String::new(); f.arrays.len()];
        let (indices, elements) = (Vec::new(), Vec::new());
        let mut defined = vec![None; f.arrays.len()];
        for (k, s) in f.stmts.iter().enumerate() {
            defined[s.array.0 as usize] = Some(k);
        }
        let members = Vec::new();
        let mut printer = Printer { f: f.clone(), sizes, arrays, taken, indices, elements, members, defined };
        let mut numbers = Map::new();
        let stmts = f.stmts.iter().filter(|s| !printer.is_inline(s)).map(|s| s.array);
        for id in f.params.iter().copied().chain(stmts).collect::<Vec<_>>() {
            let name = unique(&f.array(id).name, Some(&mut numbers), |n| printer.taken.contains(n));
            printer.taken.insert(name.clone());
            printer.arrays[id.0 as usize] = name;
        }
        printer
    }

    /// A new name beside those in scope.
    fn fresh(&self, hint: &str) -> String {
        let in_scope = |name: &str| {
            self.taken.contains(name)
                || self.indices.iter().any(|(_, n)| n == name)
                || self.elements.iter().any(|(_, n)| n == name)
        };
        unique(hint, None, in_scope)
    }

    /// The statement that defines an array.
    fn definition(&self, array: ArrayId) -> Option<&Stmt> {
        self.f.stmts.get(self.defined[array.0 as usize]?)
    }

    // The signature.

    fn signature(&self) -> String {
        let by_shape = self.sizes_by_shape();
        let declared = |by: bool| {
            let all = self.sizes.iter().enumerate().filter(|(_, name)| !is_constant(name));
            all.filter(|(k, _)| by_shape.contains(k) == by).map(|(_, name)| name.clone()).collect::<Vec<_>>()
        };
        let sizes = declared(true);
        let sizes = if sizes.is_empty() { String::new() } else { format!("<{}>", sizes.join(", ")) };
        let leaves = self
            .f
            .params
            .iter()
            .map(|p| format!("{}: {}", self.arrays[p.0 as usize], self.ty(self.f.array(*p))));
        let params: Vec<String> =
            leaves.chain(declared(false).iter().map(|n| format!("{n}: usize"))).collect();
        let results: Vec<String> = self.f.results.iter().map(|r| self.ty(self.f.array(*r))).collect();
        let result = if results.len() == 1 { results.concat() } else { format!("({})", results.join(", ")) };
        let head = format!("fn {}{sizes}({}) -> {result}", self.f.name, params.join(", "));
        let conditions = self.assumptions();
        if conditions.is_empty() { head } else { format!("{head} where {}", conditions.join(", ")) }
    }

    fn ty(&self, array: &Array) -> String {
        let elem = self.elem();
        let extents: Vec<String> = array.extents.iter().map(|e| self.affine(e)).collect();
        if extents.is_empty() { elem.into() } else { format!("[{elem}; {}]", extents.join(", ")) }
    }

    fn elem(&self) -> &'static str {
        match self.f.elem {
            Elem::F64 => "f64",
            Elem::F32 => "f32",
        }
    }

    /// The sizes that follow from the extents of the parameters, one extent after the other; the rest are `usize` parameters.
    fn sizes_by_shape(&self) -> Set<usize> {
        let extents: Vec<&Affine> = self.f.params.iter().flat_map(|p| &self.f.array(*p).extents).collect();
        let mut known: Set<usize> = (0..self.sizes.len()).filter(|k| is_constant(&self.sizes[*k])).collect();
        let (mut by_shape, mut given) = (Set::new(), known.clone());
        loop {
            let next = extents.iter().find_map(|e| {
                let mut unknown =
                    (0..self.sizes.len()).filter(|k| !known.contains(k) && e.mentions(&size_atom(*k)));
                let only = unknown.next()?;
                (unknown.next().is_none() && e.coeff(&size_atom(only)) != 0).then_some(only)
            });
            match next.or_else(|| (0..self.sizes.len()).find(|k| !known.contains(k))) {
                None => break,
                Some(size) => {
                    known.insert(size);
                    if next.is_some() {
                        by_shape.insert(size)
                    } else {
                        given.insert(size)
                    };
                }
            }
        }
        by_shape
    }

    /// What is assumed beside extents that are not negative, once each.
    fn assumptions(&self) -> Vec<String> {
        let leaves = self.f.params.iter().chain(&self.f.results);
        let implied: Vec<Cond> =
            leaves.flat_map(|p| &self.f.array(*p).extents).map(|e| Cond::NonNeg(e.clone())).collect();
        let mut out: Pred = Vec::new();
        for c in &self.f.assumptions {
            let of_size = matches!(c, Cond::NonNeg(a) if a.constant >= 0 && a.terms.iter().all(|(t, k)| matches!(t, Atom::Size(_)) && *k > 0));
            if !of_size && !implied.contains(c) && !out.contains(c) {
                out.push(c.clone());
            }
        }
        self.conds(&out)
    }

    // The body.

    fn body(&mut self) -> String {
        let stmts = self.f.stmts.clone();
        let last = match (stmts.iter().rfind(|s| !self.is_inline(s)), self.f.results.as_slice()) {
            (Some(s), [r]) if s.array == *r && s.step.is_none() => Some(s.array),
            _ => None,
        };
        let mut out = String::new();
        for unit in self.f.units() {
            let printed: Vec<&Stmt> = stmts[unit].iter().filter(|s| !self.is_inline(s)).collect();
            let Some(s) = printed.first() else { continue };
            if s.step.is_some() {
                let members: Vec<Stmt> = printed.into_iter().cloned().collect();
                out += &self.unit(&members);
                continue;
            }
            let value = self.statement(s);
            if last == Some(s.array) {
                out += &format!("    {value}\n");
            } else {
                out += &format!("    let {} = {value};\n", self.arrays[s.array.0 as usize]);
            }
        }
        if last.is_none() {
            let results: Vec<String> = self.f.results.clone().iter().map(|r| self.result(*r)).collect();
            out += &match results.as_slice() {
                [one] => format!("    {one}\n"),
                all => format!("    ({})\n", all.join(", ")),
            };
        }
        out
    }

    fn result(&mut self, array: ArrayId) -> String {
        match self.f.array(array).extents.is_empty() {
            true => self.read(array, &[]).text,
            false => {
                self.indices.clear();
                self.whole_member(array).unwrap_or_else(|| self.arrays[array.0 as usize].clone())
            }
        }
    }

    /// Whether a statement is printed at its uses only.
    fn is_inline(&self, s: &Stmt) -> bool {
        let is_argument = |a: &Whole| !a.own.is_empty() && a.access.array == s.array;
        let calls = || self.f.stmts.iter().filter_map(Stmt::call);
        let whole = || {
            !s.gens.is_empty()
                && (self.f.results.contains(&s.array) || calls().any(|c| c.args.iter().any(is_argument)))
        };
        self.inlines(&s.rhs) && !whole()
    }

    /// Numbers, indices as numbers, constants, and arrays of indices stand at their uses.
    fn inlines(&self, rhs: &Rhs) -> bool {
        match rhs {
            Rhs::Contract(terms) => terms.iter().all(Term::is_number) && terms.len() <= 1,
            Rhs::OfIndex(_) | Rhs::Constant(_) | Rhs::ArgExtreme { .. } => true,
            Rhs::Prim { .. } | Rhs::Extreme { .. } | Rhs::Call(_) => false,
        }
    }

    /// `for gens if guard { value }`
    fn statement(&mut self, s: &Stmt) -> String {
        self.indices.clear();
        self.elements.clear();
        self.looped(s, &|_| false)
    }

    /// The same within what is in scope, without some of the gens.
    fn looped(&mut self, s: &Stmt, is_bound: &dyn Fn(&Index) -> bool) -> String {
        let extents = self.f.array(s.array).extents.clone();
        let mut binders = Vec::new();
        // A call gives all of its result at once.
        let loops = s.call().map_or(s.gens.len(), |c| c.batch(&s.gens));
        let inner = self.bound_within(s);
        for (g, extent) in s.gens.iter().zip(&extents).take(loops).filter(|(g, _)| !is_bound(g)) {
            let name = self.bind_around(*g, &inner);
            binders.push(format!("{name} in 0..{}", self.affine(extent)));
        }
        let (guard, value) = self.rhs(&s.rhs);
        match (binders.is_empty(), guard.is_empty()) {
            (true, true) => value.expression(),
            (true, false) => value::bracket(&guard, &value).expression(),
            (false, true) => format!("for {} {{ {} }}", binders.join(", "), value.body()),
            (false, false) => {
                format!("for {} if {} {{ {} }}", binders.join(", "), guard.join(" && "), value.body())
            }
        }
    }
}

fn size_atom(k: usize) -> Atom {
    Atom::Size(u32::try_from(k).unwrap_or(u32::MAX))
}

impl Term {
    /// Whether it is its coefficient everywhere.
    fn is_number(&self) -> bool {
        self.sums.is_empty() && self.guard.is_empty() && self.factors.is_empty()
    }
}

/// Whether a form mentions one of these indices.
fn mentions(a: &Affine, some: &[Index]) -> bool {
    indices_of(a).any(|i| some.contains(&i))
}
