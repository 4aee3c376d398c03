//! How far the coefficients of indices grow when accesses are composed: `y[3*i]` of `y = for j { x[2*j] }` reads `x[6*i]`. What grows beyond
//! the limits of index arithmetic is an error here, so that no later pass meets it.

use crate::error::{Errors, Span};
use crate::index::{Affine, Atom, Cond};
use crate::prim::Prim;
use crate::sorted::Map;
use crate::typed::{Binder, Comparison, Definition, Expr, ExprKind, Function, Type, Var};
use crate::weights;

/// A bound on coefficients; and whether what it multiplies may stand in a product, where substitution multiplies twice.
#[derive(Clone, Copy, Default, Debug)]
struct Gain {
    factor: u64,
    in_product: bool,
}

impl Gain {
    fn max(self, other: Gain) -> Gain {
        Gain { factor: self.factor.max(other.factor), in_product: self.in_product || other.in_product }
    }
    fn times(self, c: u64) -> Gain {
        Gain { factor: self.factor.saturating_mul(c), ..self }
    }
    fn plus(self, other: Gain) -> Gain {
        Gain { factor: self.factor.saturating_add(other.factor), ..self.max(other) }
    }
}

/// What the value of an expression reads: by how much its own dimensions, the free atoms (and constants: `None`) are multiplied at most.
#[derive(Clone, Default, Debug)]
pub(super) struct Reads {
    dims: Vec<Gain>,
    free: Map<Option<Atom>, Gain>,
}

impl Reads {
    fn with(mut self, other: Reads) -> Reads {
        for (d, g) in other.dims.into_iter().enumerate() {
            match self.dims.get_mut(d) {
                Some(own) => *own = own.max(g),
                None => self.dims.push(g),
            }
        }
        other.free.into_iter().for_each(|(a, g)| self.at_least(a, g));
        self
    }
    fn at_least(&mut self, a: Option<Atom>, g: Gain) {
        let own = self.free.entry(a).or_default();
        *own = own.max(g);
    }
    fn add(&mut self, a: Option<Atom>, g: Gain) {
        let own = self.free.entry(a).or_default();
        *own = own.plus(g);
    }
    fn take(&mut self, index: u32) -> Gain {
        self.free.remove(&Some(Atom::Index(index))).unwrap_or_default()
    }
    fn largest(&self) -> u64 {
        self.dims.iter().chain(self.free.values()).map(|g| g.factor).max().unwrap_or(0)
    }
}

/// The atoms of a form with their coefficients.
fn terms(a: &Affine, by: u64, in_product: bool, out: &mut Vec<(Option<Atom>, Gain)>) {
    out.push((None, Gain { factor: by.saturating_mul(a.constant.unsigned_abs()), in_product }));
    a.terms.iter().for_each(|(t, c)| atom(t, by.saturating_mul(c.unsigned_abs()), in_product, out));
}

fn atom(a: &Atom, by: u64, in_product: bool, out: &mut Vec<(Option<Atom>, Gain)>) {
    match a {
        Atom::Size(_) | Atom::Index(_) => out.push((Some(a.clone()), Gain { factor: by, in_product })),
        Atom::Element(_, args) => args.iter().for_each(|e| terms(e, 1, false, out)),
        Atom::Floor(e, _) => terms(e, by, in_product, out),
        Atom::Product(fs) => fs.iter().for_each(|f| atom(f, by, true, out)),
    }
}

fn form(a: &Affine) -> Reads {
    let mut all = vec![];
    terms(a, 1, false, &mut all);
    let mut out = Reads::default();
    all.into_iter().for_each(|(a, g)| out.add(a, g));
    out
}

fn rank(ty: &Type) -> usize {
    match ty {
        Type::Real | Type::Size => 0,
        Type::Array(extents, el) => extents.len() + rank(el),
        Type::Tuple(parts) => parts.iter().map(rank).max().unwrap_or(0),
    }
}

/// The walk over a body.
struct Walk<'a> {
    done: &'a [Option<Reads>],
    comparisons: &'a [Comparison],
    lets: Map<Var, Reads>,
    /// The first place where it is too much.
    found: Option<Span>,
}

/// What the result of function `k` reads; `None` if it has errors. The functions that it calls are in `done`.
pub(super) fn of_function(
    functions: &[Function],
    k: usize,
    done: &[Option<Reads>],
    errors: &mut Errors,
) -> Option<Reads> {
    let f = functions.get(k)?;
    match f.body.as_ref()? {
        Definition::Expr(body) => {
            let mut walk = Walk { done, comparisons: &f.comparisons, lets: Map::new(), found: None };
            let reads = walk.expr(body);
            let Some(span) = walk.found else { return Some(reads) };
            errors.push(
                span,
                "the coefficients of indices become too large along this chain of reads: \
                 their product is limited to 2^36",
            );
            None
        }
        // All of its arguments are read in order.
        Definition::Foreign(_) => {
            let once = Gain { factor: 1, in_product: false };
            Some(Reads { dims: vec![once; rank(&f.result)], ..Reads::default() })
        }
        Definition::Transform { of, .. } => {
            let mut reads = done.get(*of)?.clone()?;
            let largest =
                Gain { factor: reads.largest().max(1), in_product: reads.dims.iter().any(|g| g.in_product) };
            reads.dims = vec![largest; rank(&f.result)];
            Some(reads)
        }
    }
}

impl Walk<'_> {
    fn all<'e>(&mut self, es: impl IntoIterator<Item = &'e Expr>) -> Reads {
        es.into_iter().fold(Reads::default(), |sum, e| sum.with(self.expr(e)))
    }

    fn expr(&mut self, e: &Expr) -> Reads {
        let out = match &e.kind {
            ExprKind::Var(v) => match self.lets.get(v) {
                Some(reads) => reads.clone(),
                None => Reads {
                    dims: vec![Gain { factor: 1, in_product: false }; rank(&e.ty)],
                    ..Reads::default()
                },
            },
            ExprKind::Number(_) | ExprKind::Constant(_) => Reads::default(),
            ExprKind::OfIndex(a) => form(a),
            ExprKind::Neg(a) | ExprKind::Field(a, _) => self.expr(a),
            ExprKind::Add(a, b) | ExprKind::Sub(a, b) | ExprKind::Mul(a, b) => self.all([&**a, &**b]),
            ExprKind::Prim(prim, args) => {
                let args = self.all(args);
                if let Prim::Powi(k) = prim { args.with(form(k)) } else { args }
            }
            ExprKind::Tuple(items) => self.all(items),
            ExprKind::Gen(binders, guard, body) => self.generated(binders, guard, body),
            // Within itself it counts as a parameter.
            ExprKind::Rec(r) => self.generated(&r.binders, &r.guard, &r.body),
            ExprKind::Reduce(_, binders, guard, body) => {
                let mut reads = self.pred(guard).with(self.expr(body));
                binders.iter().for_each(|b| {
                    self.bind(b, &mut reads);
                });
                reads
            }
            ExprKind::Access(array, args) => {
                let array = self.expr(array);
                let forms: Vec<_> = args.iter().map(|a| form(&a.index)).collect();
                composed(array, &forms)
            }
            ExprKind::Guard(p, a) => self.pred(p).with(self.expr(a)),
            ExprKind::If(p, a, b) => self.pred(p).with(self.all([&**a, &**b])),
            ExprKind::Let(v, a, b) => {
                let a = self.expr(a);
                self.lets.insert(*v, a);
                self.expr(b)
            }
            ExprKind::Outer(_) => self.all(e.children()),
            ExprKind::Ruled(r) => {
                let value = self.expr(&r.value);
                value.with(self.expr(&r.surrogate))
            }
            ExprKind::Grad(a, _) => {
                let mut reads = self.expr(a);
                reads.dims = vec![Gain { factor: reads.largest().max(1), in_product: false }; rank(&e.ty)];
                reads
            }
            ExprKind::LetArg(l) => {
                let mut value = self.pred(&l.guard).with(self.expr(&l.value));
                self.bind(&l.binder, &mut value);
                value.dims.clear();
                value.with(self.expr(&l.rest))
            }
            ExprKind::Call(callee, sizes, args) => {
                let args = self.all(args);
                self.call(*callee, sizes, args)
            }
        };
        if out.largest() > weights::check::COEFFICIENT && self.found.is_none() {
            self.found = Some(e.span);
        }
        out
    }

    fn generated(&mut self, binders: &[Binder], guard: &[Cond], body: &Expr) -> Reads {
        let mut reads = self.pred(guard).with(self.expr(body));
        let dims: Vec<_> = binders.iter().map(|b| self.bind(b, &mut reads)).collect();
        reads.dims.splice(0..0, dims);
        reads
    }

    /// `index = lower + k`: the gain of `k`.
    fn bind(&mut self, b: &Binder, reads: &mut Reads) -> Gain {
        let gain = reads.take(b.index);
        for (a, g) in form(&b.lower).free {
            reads.add(a, g.times(gain.factor));
        }
        for a in [&b.lower, &b.upper] {
            form(a).free.into_iter().for_each(|(a, g)| reads.at_least(a, g));
        }
        gain
    }

    fn pred(&mut self, p: &[Cond]) -> Reads {
        p.iter().fold(Reads::default(), |sum, c| {
            sum.with(match c {
                Cond::Zero(a) | Cond::NonZero(a) | Cond::NonNeg(a) => form(a),
                Cond::Residue(a, _) | Cond::NonResidue(a, _) => form(a),
                Cond::Opaque { id, .. } => match self.comparisons.get(*id as usize) {
                    Some(c) => self.all([&c.left, &c.right]),
                    None => Reads::default(),
                },
                Cond::Any(ps) => ps.iter().fold(Reads::default(), |sum, p| sum.with(self.pred(p))),
            })
        })
    }

    /// The callee's sizes are put in, and then what it reads of its arguments.
    fn call(&mut self, callee: usize, sizes: &[Affine], args: Reads) -> Reads {
        let Some(Some(callee)) = self.done.get(callee) else { return args };
        let by = args.dims.iter().map(|g| g.factor).max().unwrap_or(1).max(1);
        let mut out = Reads { dims: callee.dims.iter().map(|g| g.times(by)).collect(), free: args.free };
        for (a, g) in &callee.free {
            match a {
                Some(Atom::Size(k)) => {
                    let Some(size) = sizes.get(*k as usize) else { continue };
                    let form = form(size);
                    let again = if g.in_product { form.largest().max(1) } else { 1 };
                    for (t, c) in form.free {
                        out.add(t, c.times(g.factor).times(again).times(by));
                    }
                }
                _ => out.add(None, g.times(by)),
            }
        }
        out
    }
}

/// `array[args]`
fn composed(array: Reads, args: &[Reads]) -> Reads {
    let mut out = Reads::default();
    let largest = args.iter().map(Reads::largest).max().unwrap_or(0).max(1);
    for (d, arg) in args.iter().enumerate() {
        let gain = array.dims.get(d).copied().unwrap_or_default();
        let again = if gain.in_product { largest } else { 1 };
        for (t, c) in &arg.free {
            let factor = gain.factor.max(1).saturating_mul(c.factor).saturating_mul(again);
            out.add(t.clone(), Gain { factor, in_product: gain.in_product || c.in_product });
        }
    }
    let constant = array.free.get(&None).copied().unwrap_or_default();
    out.add(None, constant);
    let dims = array.dims.get(args.len()..).map(<[_]>::to_vec).unwrap_or_default();
    out.with(Reads { dims, free: array.free })
}
