//! The walk over a body with its path condition.

use super::order::Unfinished;
use crate::error::{Errors, Span};
use crate::index::omega::Work;
use crate::index::pred::{self, any, complement};
use crate::index::query::{Facts, entails_cond, is_empty};
use crate::index::{Affine, Atom, Cond, Names, Pred, cond};
use crate::sorted::Map;
use crate::typed::{Binder, Comparison, EntryCheck, Expr, ExprKind, Function};
use crate::weights;

/// What the walk knows and gathers.
pub(super) struct Prover<'a> {
    functions: &'a [Function],
    pub(super) function: &'a Function,
    comparisons: Vec<Comparison>,
    pub(super) errors: &'a mut Errors,
    pub(super) names: Names,
    /// What holds here; first what holds on entry.
    pub(super) path: Pred,
    checks: Vec<EntryCheck>,
    /// How much of the path is about entry.
    on_entry: usize,
    /// How many more times a rest may be walked twice: nested ones double the work each.
    pub(super) tries: u32,
    /// What is walked only to see whether it stands.
    pub(super) tried: Option<Tried>,
    /// The last that was not proved: what was known there, and what was needed.
    pub(super) missed: Option<(Pred, Cond)>,
    /// By extremes, and whether nothing may count: what was missed, and what was known there beside what was known at the extreme.
    pub(super) needing: Map<(u32, bool), (Pred, Cond)>,
    /// The recurrences around, the outermost first.
    pub(super) unfinished: Vec<Unfinished>,
}

/// See [`Prover::attempt`].
#[derive(Clone, Copy)]
pub(super) struct Tried {
    /// How many mistakes there were before it.
    errors: usize,
    /// Whether more may have to hold on entry.
    may_check: bool,
}

impl<'a> Prover<'a> {
    pub(super) fn new(
        functions: &'a [Function],
        k: usize,
        comparisons: Vec<Comparison>,
        errors: &'a mut Errors,
    ) -> Prover<'a> {
        let function = &functions[k];
        let names = Names {
            indices: function.indices.clone(),
            arrays: (0..function.elements.len()).map(|k| format!("argmax{k}")).collect(),
            relations: (0..comparisons.len()).map(|_| "the comparison".into()).collect(),
            ..function.names()
        };
        let path = super::size_facts(function);
        let on_entry = path.len();
        let checks = vec![];
        Prover {
            functions,
            function,
            comparisons,
            errors,
            names,
            path,
            checks,
            on_entry,
            tries: weights::check::TRIES,
            tried: None,
            missed: None,
            needing: Map::new(),
            unfinished: vec![],
        }
    }

    /// The body, if all of it was proved.
    pub(super) fn prove(&mut self, mut body: Expr) -> Option<Expr> {
        let before = self.errors.0.len();
        self.expr(&mut body);
        (self.errors.0.len() == before).then_some(body)
    }

    /// What the walk changed and found.
    pub(super) fn finish(self) -> (Vec<Comparison>, Vec<EntryCheck>) {
        (self.comparisons, self.checks)
    }

    /// Walks with more conditions.
    pub(super) fn under(&mut self, p: Pred, walk: impl FnOnce(&mut Self)) {
        let (on_entry, depth) = (self.on_entry, self.path.len());
        self.path.extend(p);
        walk(self);
        // What was found to hold on entry stays.
        let found = self.on_entry - on_entry;
        self.path.truncate(depth + found);
    }

    pub(super) fn expr(&mut self, e: &mut Expr) {
        // Of what is tried one mistake says enough.
        if self.tried.is_some_and(|t| self.errors.0.len() > t.errors) {
            return;
        }
        let span = e.span;
        match &mut e.kind {
            ExprKind::Var(_) | ExprKind::Number(_) | ExprKind::Constant(_) | ExprKind::OfIndex(_) => {}
            ExprKind::Neg(a) | ExprKind::Field(a, _) | ExprKind::Grad(a, _) => self.expr(a),
            ExprKind::Add(a, b) | ExprKind::Sub(a, b) | ExprKind::Mul(a, b) | ExprKind::Let(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Prim(_, args) | ExprKind::Tuple(args) => args.iter_mut().for_each(|a| self.expr(a)),
            ExprKind::Gen(binders, guard, body) => {
                binders.iter().for_each(|b| self.range(b));
                self.iterations(binders, guard, body);
            }
            ExprKind::Reduce(_, binders, guard, body) => self.iterations(binders, guard, body),
            ExprKind::Access(array, args) => {
                self.expr(array);
                self.access(array, args);
            }
            ExprKind::Guard(p, body) => {
                self.pred(p);
                self.under(p.clone(), |me| me.expr(body));
            }
            ExprKind::If(p, a, b) => {
                self.pred(p);
                self.under(p.clone(), |me| me.expr(a));
                self.under(vec![any(complement(p))], |me| me.expr(b));
            }
            ExprKind::Outer(o) => {
                o.args.iter_mut().chain(o.partials.iter_mut().flatten()).for_each(|a| self.expr(a));
            }
            ExprKind::Ruled(r) => {
                self.expr(&mut r.value);
                self.expr(&mut r.surrogate);
            }
            ExprKind::Rec(r) => self.rec(r),
            ExprKind::LetArg(arg) => self.let_arg(arg),
            ExprKind::Call(callee, sizes, args) => {
                args.iter_mut().for_each(|a| self.expr(a));
                self.call(*callee, sizes, span);
            }
        }
    }

    /// Walks, and undoes the walk if it finds a mistake, or if more must hold on entry and that may not be. Whether it stands.
    pub(super) fn attempt(&mut self, may_check: bool, walk: impl FnOnce(&mut Self)) -> bool {
        let (errors, checks, around) = (self.errors.0.len(), self.checks.len(), self.tried);
        let (comparisons, path, on_entry) = (self.comparisons.clone(), self.path.clone(), self.on_entry);
        self.tried = Some(Tried { errors, may_check });
        walk(self);
        self.tried = around;
        let stands = self.errors.0.len() == errors;
        if !stands {
            self.errors.0.truncate(errors);
            self.checks.truncate(checks);
            (self.comparisons, self.path, self.on_entry) = (comparisons, path, on_entry);
        }
        stands
    }

    /// Whether more may have to hold on entry.
    pub(super) fn may_check(&self) -> bool {
        self.tried.is_none_or(|t| t.may_check)
    }

    /// Something is not proved in what is only tried: nobody reads of it.
    pub(super) fn missed(&mut self, span: Span, needed: Option<Cond>) {
        self.missed = needed.map(|needed| (self.path.clone(), needed));
        self.errors.push(span, "");
    }

    pub(super) fn iterations(&mut self, binders: &[Binder], guard: &mut Pred, body: &mut Expr) {
        let ranges: Pred = binders.iter().flat_map(|b| self.range_of(b)).collect();
        self.under(ranges, |me| {
            me.pred(guard);
            me.under(guard.clone(), |me| me.expr(body));
        });
    }

    /// `lower <= i < upper`
    pub(super) fn range_of(&mut self, b: &Binder) -> Pred {
        let range = cond::within(&b.lower, &Affine::index(b.index), &b.upper);
        range.unwrap_or_else(|| {
            self.errors.push(b.span, "the numbers in this range are too large");
            vec![]
        })
    }

    /// The comparisons of reals in a condition, each where the conditions before it hold. (That `q` in `p || q` is evaluated where `p` is
    /// false, `check` has made explicit.)
    pub(super) fn pred(&mut self, p: &mut Pred) {
        for k in 0..p.len() {
            let before = p[..k].to_vec();
            let c = &mut p[k];
            self.under(before, |me| me.cond(c));
        }
    }
    fn cond(&mut self, c: &mut Cond) {
        match c {
            Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) => {}
            Cond::Residue(..) | Cond::NonResidue(..) => {}
            Cond::Opaque { id, .. } => {
                let Some(mut comparison) = self.comparisons.get(*id as usize).cloned() else { return };
                self.expr(&mut comparison.left);
                self.expr(&mut comparison.right);
                self.comparisons[*id as usize] = comparison;
            }
            Cond::Any(alternatives) => {
                for alternative in alternatives {
                    self.pred(alternative);
                }
            }
        }
    }

    /// A `for`, or a recurrence, must not end before it starts.
    pub(super) fn range(&mut self, b: &Binder) {
        let Some(needed) = cond::le(&b.lower, &b.upper) else { return };
        let index = &self.names.indices.get(b.index as usize).cloned().unwrap_or_default();
        let never = format!("the range of `{index}` ends before it starts");
        self.require(
            &needed,
            b.span,
            &format!("the range of `{index}` does not end before it starts"),
            &never,
        );
    }

    /// `needed`, or a check on entry, or an error: could not prove `what`; what is said if it is never true is `never`.
    pub(super) fn require(&mut self, needed: &Cond, span: Span, what: &str, never: &str) {
        if entails_cond(&[&self.path], needed, &Facts::default(), &mut Work::default()) {
            return;
        }
        if !self.may_check() {
            self.missed(span, Some(needed.clone()));
            return;
        }
        let text = self.names.cond(needed);
        let entry = &self.path[..self.on_entry];
        let impossible =
            is_empty(&[entry, std::slice::from_ref(needed)], &Facts::default(), &mut Work::default());
        if impossible {
            self.errors.push(span, never);
        } else if is_of_sizes(needed) {
            self.path.insert(self.on_entry, needed.clone());
            self.on_entry += 1;
            self.checks.push(EntryCheck { condition: needed.clone(), text });
        } else {
            self.errors.push(
                span,
                format!(
                    "could not prove that {what}: `{text}`\n  help: evaluate it only where that holds: add `if {text}` to the loop around it"
                ),
            );
        }
    }

    /// What the callee checks on entry is proved, or checked by the caller on its entry.
    fn call(&mut self, callee: usize, sizes: &[Affine], span: Span) {
        let Some(callee) = self.functions.get(callee) else { return };
        let name = callee.name.to_string();
        for (size, value) in callee.sizes.iter().zip(sizes) {
            let what = format!("size `{}` of `{name}` is not negative", size.name);
            let never = format!("size `{}` of `{name}` is negative", size.name);
            self.require(&Cond::NonNeg(value.clone()), span, &what, &never);
        }
        let in_caller = |a: &Atom| match a {
            Atom::Size(k) => sizes.get(*k as usize).cloned(),
            Atom::Index(_) | Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => None,
        };
        for check in &callee.checks {
            let what = format!("`{}` holds as `{name}` requires", check.text);
            let never = format!("`{name}` requires `{}`, which never holds here", check.text);
            match check.condition.rename(&in_caller) {
                Some(needed) => self.require(&needed, span, &what, &never),
                None => {
                    self.errors.push(span, format!("could not prove that {what}: its numbers are too large"))
                }
            }
        }
    }
}

pub(super) fn has_comparison(c: &Cond) -> bool {
    match c {
        Cond::Opaque { .. } => true,
        Cond::Any(ps) => ps.iter().flatten().any(has_comparison),
        Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) => false,
        Cond::Residue(..) | Cond::NonResidue(..) => false,
    }
}

fn is_of_sizes(c: &Cond) -> bool {
    let indexed = |a: &Atom| matches!(a, Atom::Index(_) | Atom::Element(..));
    !has_comparison(c) && pred::indices(std::slice::from_ref(c)).is_empty() && !c.any_atom(&indexed)
}
