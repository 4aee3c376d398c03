//! Right-hand sides: terms, primitives, extremes.

use super::ranges::{Binder, ranges};
use super::{Printer, mentions};
use crate::index::{Affine, Atom, Cond, Pred};
use crate::sorted;
use crate::ssa::rename::{Substitution, cond_indices, elements_of};
use crate::ssa::{Access, ArrayId, Call, Extreme, Index, Nest, Rhs, Target, Term, Whole};

/// How tightly a text binds, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Level {
    Sum,
    Product,
    Cast,
    Sign,
    Operand,
}

/// An expression, perhaps with lets before it.
#[derive(Clone, Debug)]
pub(super) struct Text {
    lets: Vec<String>,
    pub text: String,
    level: Level,
    pub is_number: bool,
}

impl Text {
    pub(super) fn new(text: impl Into<String>, level: Level) -> Text {
        Text { lets: Vec::new(), text: text.into(), level, is_number: false }
    }

    /// As an operand of something that binds less tightly than `least`.
    pub(super) fn at(&self, least: Level) -> String {
        match (self.lets.is_empty(), self.level >= least) {
            (false, _) => format!("{{ {} }}", self.body()),
            (true, true) => self.text.clone(),
            (true, false) => format!("({})", self.text),
        }
    }

    pub(super) fn expression(&self) -> String {
        self.at(Level::Sum)
    }

    /// As what stands between braces.
    pub(super) fn body(&self) -> String {
        self.lets.concat() + &self.text
    }

    pub(super) fn negated(&self) -> Text {
        match self.level {
            Level::Sum => Text::new(format!("-{}", self.at(Level::Operand)), Level::Sign),
            Level::Product if self.lets.is_empty() => Text::new(format!("-{}", self.text), Level::Product),
            Level::Product | Level::Cast | Level::Sign | Level::Operand => {
                Text::new(format!("-{}", self.at(Level::Operand)), Level::Sign)
            }
        }
    }
}

pub(super) fn product(factors: &[Text]) -> Text {
    match factors {
        [] => Text::new("1.0", Level::Operand),
        [one] => one.clone(),
        [first, rest @ ..] => {
            let rest = rest.iter().map(|t| format!(" * {}", t.at(Level::Cast)));
            Text::new(first.at(Level::Product) + &rest.collect::<String>(), Level::Product)
        }
    }
}

/// `[p && q] * value`; the bracket alone is 1 or 0.
pub(super) fn bracket(guard: &[String], value: &Text) -> Text {
    let guard = format!("[{}]", guard.join(" && "));
    if value.text == "1.0" && value.lets.is_empty() {
        return Text::new(guard, Level::Operand);
    }
    Text::new(format!("{guard} * {}", value.at(Level::Product)), Level::Product)
}

/// A number that reads back as itself.
pub(super) fn number(x: f64) -> Text {
    let text = match x {
        _ if x.is_nan() => "NAN".into(),
        f64::INFINITY => "INFINITY".into(),
        f64::NEG_INFINITY => "-INFINITY".into(),
        _ => format!("{x:?}"),
    };
    let level = if text.starts_with('-') { Level::Sign } else { Level::Operand };
    Text { is_number: true, ..Text::new(text, level) }
}

/// A guard in the order of its evaluation: what can stand before the sums and lets, and the rest.
fn split(guard: &Pred, private: &[Index]) -> (Pred, Pred) {
    let (mut outer, mut rest) = (Pred::new(), Pred::new());
    for c in guard {
        let own = cond_indices(c).any(|i| private.contains(&i));
        let apart = !own && !has_elements(c) && (c.is_affine() || rest.is_empty());
        if apart { outer.push(c.clone()) } else { rest.push(c.clone()) }
    }
    (outer, rest)
}

fn has_elements(c: &Cond) -> bool {
    let mut found = false;
    c.affines().into_iter().for_each(|a| elements_of(a, &mut |_, _| found = true));
    found
}

impl Printer {
    /// The guard of the whole, and the value.
    pub(super) fn rhs(&mut self, rhs: &Rhs) -> (Vec<String>, Text) {
        match rhs {
            Rhs::Contract(terms) => self.contract(terms),
            Rhs::Prim { guard, prim, args } => {
                let (outer, rest) = split(guard, &[]);
                let value = self.guarded(&rest, args, |p| {
                    let args: Vec<Text> = args.iter().map(|a| p.access(a)).collect();
                    p.prim(prim, &args)
                });
                (self.conds(&outer), value)
            }
            Rhs::Extreme { op, over, guard, arg } => {
                let word = if *op == Extreme::Max { "max" } else { "min" };
                (Vec::new(), self.extreme(word, *over, guard, arg))
            }
            Rhs::ArgExtreme { op, over, guard, arg } => {
                let word = if *op == Extreme::Max { "argmax" } else { "argmin" };
                (Vec::new(), self.extreme(word, *over, guard, arg))
            }
            Rhs::OfIndex(e) => {
                (Vec::new(), Text::new(format!("{} as {}", self.operand(e), self.elem()), Level::Cast))
            }
            Rhs::Constant(path) => (Vec::new(), Text::new(path.clone(), Level::Operand)),
            Rhs::Call(call) => (self.conds(&call.guard), self.call(call)),
        }
    }

    /// `f(a[i], b)`, or one of several results of it.
    fn call(&self, call: &Call) -> Text {
        let callee = if let Target::Function(k) = call.target { self.f.callees.get(k) } else { None };
        let name = callee.map_or("missing", |c| &c.name);
        let arg = |a: &Whole| match (a.own.as_slice(), a.before()) {
            ([], at) => self.read(a.access.array, at).text,
            // The array itself, of which elsewhere the value may be put in.
            (_, []) => self.arrays[a.access.array.0 as usize].clone(),
            (_, at) => {
                let at: Vec<String> = at.iter().map(|e| self.affine(e)).collect();
                format!("{}[{}]", self.arrays[a.access.array.0 as usize], at.join(", "))
            }
        };
        let mut leaves = call.args.iter().map(arg);
        let (flat, result) = (vec![Nest::Leaf; call.args.len()], Nest::flat(call.results.len()));
        let (params, result) = callee.map_or((&flat, &result), |c| (&c.params, &c.result));
        let args: Vec<String> = params.iter().map(|p| p.text(&mut leaves)).collect();
        let part = result.path(&mut call.part.clone()).unwrap_or_default();
        Text::new(format!("{name}({}){part}", args.join(", ")), Level::Operand)
    }

    /// `Σ terms`, one that is not subtracted first if there is any; a guard that all have stands before them.
    fn contract(&mut self, terms: &[Term]) -> (Vec<String>, Text) {
        let parts: Vec<(Pred, Pred)> = terms.iter().map(|t| split(&t.guard, &t.sums)).collect();
        let shared = match parts.split_first() {
            None => return (Vec::new(), number(0.0)),
            Some((first, others)) => others.iter().all(|p| p.0 == first.0).then(|| first.0.clone()),
        };
        let is_subtracted = |t: &Term| t.coeff.is_sign_negative() && !t.coeff.is_nan();
        let mut all: Vec<(&Term, &(Pred, Pred))> = terms.iter().zip(&parts).collect();
        let first = all.iter().position(|(t, _)| !is_subtracted(t)).unwrap_or(0);
        all[..=first].rotate_right(1);
        let mut out: Option<Text> = None;
        for (t, (outer, rest)) in all {
            let outer: &[Cond] = if shared.is_some() { &[] } else { outer };
            let value = self.term(t, outer, rest);
            let minus = is_subtracted(t);
            out = Some(match (out, minus) {
                (None, false) => value,
                (None, true) => value.negated(),
                (Some(sum), _) => {
                    let op = if minus { "-" } else { "+" };
                    Text::new(format!("{} {op} {}", sum.at(Level::Sum), value.at(Level::Product)), Level::Sum)
                }
            });
        }
        (self.conds(&shared.unwrap_or_default()), out.unwrap_or_else(|| number(0.0)))
    }

    /// `[outer] * |coeff| * sum … { factors }`, without its sign.
    fn term(&mut self, t: &Term, outer: &[Cond], rest: &Pred) -> Text {
        let coeff = if t.coeff.is_nan() { t.coeff } else { t.coeff.abs() };
        let value = if t.sums.is_empty() {
            let alone = t.factors.is_empty();
            self.guarded(rest, &t.factors, |p| {
                let mut own = if coeff == 1.0 && !alone { vec![] } else { vec![number(coeff)] };
                own.extend(p.factors(t));
                product(&own)
            })
        } else {
            self.sums(t, coeff, rest)
        };
        self.bracketed(outer, value)
    }

    /// `[guard] * value`
    fn bracketed(&self, guard: &[Cond], value: Text) -> Text {
        if guard.is_empty() { value } else { bracket(&self.conds(guard), &value) }
    }

    /// `coeff * sum s in a..b if p { … }`
    fn sums(&mut self, t: &Term, coeff: f64, rest: &Pred) -> Text {
        let affines = affines(rest, &t.factors);
        self.with_elements(&affines, &t.sums, |p| {
            let mut guard = rest.clone();
            let outer = p.indices.len();
            let binders = ranges(&mut guard, &t.sums);
            let binders = p.binders(&binders);
            let late = guard.iter().position(|c| p.waits(c)).unwrap_or(guard.len());
            let inner = guard.split_off(late);
            let body = p.guarded(&inner, &t.factors, |p| product(&p.factors(t)));
            let form = Text::new(
                format!("sum {binders}{} {{ {} }}", p.condition(&guard), body.body()),
                Level::Operand,
            );
            p.indices.truncate(outer);
            if coeff == 1.0 { form } else { product(&[number(coeff), form]) }
        })
    }

    /// The factors in the order of their definitions, those that are defined here last.
    fn factors(&self, t: &Term) -> Vec<Text> {
        let mut factors: Vec<&Access> = t.factors.iter().collect();
        sorted::sort_by_key(&mut factors, |a| {
            let defined = self.defined[a.array.0 as usize];
            (defined.is_some_and(|k| self.inlines(&self.f.stmts[k].rhs)), defined)
        });
        factors.into_iter().map(|a| self.access(a)).collect()
    }

    /// Whether a condition reads an element that has no name yet.
    fn waits(&self, c: &Cond) -> bool {
        let mut waits = false;
        let named = |e: &Atom| self.elements.iter().any(|(known, _)| known == e);
        for a in c.affines() {
            elements_of(a, &mut |array, at| waits |= !named(&Atom::Element(array.0, at.to_vec())));
        }
        waits
    }

    fn condition(&self, guard: &[Cond]) -> String {
        if guard.is_empty() { String::new() } else { format!(" if {}", self.conds(guard).join(" && ")) }
    }

    /// `s in a..b, t in c..d`, and their names come into scope.
    fn binders(&mut self, binders: &[Binder]) -> String {
        let mut out = Vec::new();
        for b in binders {
            let range = b.range.as_ref().map(|(l, u)| format!(" in {}..{}", self.affine(l), self.affine(u)));
            out.push(self.bind(b.index) + &range.unwrap_or_default());
        }
        out.join(", ")
    }

    /// `max s in a..b if p { x }`
    fn extreme(&mut self, word: &str, over: Index, guard: &Pred, arg: &Access) -> Text {
        let affines = affines(guard, std::slice::from_ref(arg));
        self.with_elements(&affines, &[over], |p| {
            let mut guard = guard.clone();
            let outer = p.indices.len();
            let binders = ranges(&mut guard, &[over]);
            let binders = p.binders(&binders);
            let value = p.guarded(&Pred::new(), std::slice::from_ref(arg), |p| p.access(arg));
            let form = format!("{word} {binders}{} {{ {} }}", p.condition(&guard), value.body());
            p.indices.truncate(outer);
            Text::new(form, Level::Operand)
        })
    }

    /// `let k = argmax …; [guard] * value`
    fn guarded(&mut self, guard: &Pred, reads: &[Access], value: impl FnOnce(&mut Self) -> Text) -> Text {
        let affines = affines(guard, reads);
        self.with_elements(&affines, &[], |p| {
            let value = value(p);
            p.bracketed(guard, value)
        })
    }

    /// Gives names to the elements of index arrays in these forms, but those that depend on private indices.
    fn with_elements(
        &mut self,
        of: &[Affine],
        private: &[Index],
        inner: impl FnOnce(&mut Self) -> Text,
    ) -> Text {
        let mut found: Vec<(ArrayId, Vec<Affine>)> = Vec::new();
        for a in of {
            elements_of(a, &mut |array, at| found.push((array, at.to_vec())));
        }
        let before = self.elements.len();
        let mut lets = Vec::new();
        for (array, at) in found {
            let element = Atom::Element(array.0, at.clone());
            let known = self.elements.iter().any(|(e, _)| *e == element);
            if known || at.iter().any(|a| mentions(a, private)) {
                continue;
            }
            if let Some(mut text) = self.arg_extreme(array, &at) {
                let name = self.fresh(&self.f.array(array).name);
                lets.append(&mut text.lets);
                lets.push(format!("let {name} = {}; ", text.expression()));
                self.elements.push((element, name));
            }
        }
        let mut value = inner(self);
        self.elements.truncate(before);
        if !lets.is_empty() {
            lets.append(&mut value.lets);
            value.lets = lets;
        }
        value
    }

    /// The definition of an index array at these indices.
    fn arg_extreme(&mut self, array: ArrayId, at: &[Affine]) -> Option<Text> {
        let stmt = self.definition(array)?.clone().freshened(&mut self.f, array)?;
        let rhs = Substitution::new(&stmt.gens, at).rhs(&stmt.rhs)?;
        Some(self.rhs(&rhs).1)
    }

    /// An element without a name: its definition stands in its place.
    pub(super) fn arg_extreme_anywhere(&self, array: u32, at: &[Affine]) -> String {
        let mut inner = Printer {
            f: self.f.clone(),
            sizes: self.sizes.clone(),
            arrays: self.arrays.clone(),
            taken: self.taken.clone(),
            indices: self.indices.clone(),
            elements: self.elements.clone(),
            members: self.members.clone(),
            defined: self.defined.clone(),
        };
        let text = inner.arg_extreme(ArrayId(array), at);
        text.map_or_else(|| self.arrays[array as usize].clone(), |text| text.expression())
    }

    fn access(&self, a: &Access) -> Text {
        self.read(a.array, &a.at)
    }

    /// `array[at]`, or the definition of what is printed at its uses.
    pub(super) fn read(&self, array: ArrayId, at: &[Affine]) -> Text {
        let inline = self.definition(array).filter(|s| self.inlines(&s.rhs));
        if let Some(text) = inline.and_then(|s| self.inlined(&s.gens, &s.rhs, at)) {
            return text;
        }
        if let Some(text) = self.read_member(array, at) {
            return text;
        }
        let name = self.arrays[array.0 as usize].clone();
        let at: Vec<String> = at.iter().map(|a| self.affine(a)).collect();
        Text::new(if at.is_empty() { name } else { format!("{name}[{}]", at.join(", ")) }, Level::Operand)
    }

    fn inlined(&self, gens: &[Index], rhs: &Rhs, at: &[Affine]) -> Option<Text> {
        match rhs {
            Rhs::Contract(terms) => Some(number(terms.first().map_or(0.0, |t| t.coeff))),
            Rhs::OfIndex(e) => {
                let e = Substitution::new(gens, at).affine(e)?;
                Some(Text::new(format!("{} as {}", self.operand(&e), self.elem()), Level::Cast))
            }
            Rhs::Constant(path) => Some(Text::new(path.clone(), Level::Operand)),
            Rhs::ArgExtreme { .. } | Rhs::Prim { .. } | Rhs::Extreme { .. } | Rhs::Call(_) => None,
        }
    }
}

/// All forms in a guard and in accesses.
fn affines(guard: &[Cond], reads: &[Access]) -> Vec<Affine> {
    let guard = guard.iter().flat_map(Cond::affines);
    guard.chain(reads.iter().flat_map(|a| &a.at)).cloned().collect()
}
