//! The differential of a statement. This is the only place that does calculus.

use super::rename::{Renaming, at_gens};
use super::support;
use crate::index::affine::floor;
use crate::index::query::{Facts, entails};
use crate::index::{Affine, Cond, Pred, omega::Work};
use crate::prim::partials::{Case, Test, partials};
use crate::prim::{Formula, Prim};
use crate::ssa::{Access, Array, ArrayId, ArrayKind, Extreme, Function, Index, Rhs, Stmt, Term};

/// `dX[g] ∋ sum sums. [guard] coeff · rest · d(arg)`, over the gens g of the statement.
#[derive(Clone, Debug)]
pub struct LinearTerm {
    /// What is differentiated.
    pub arg: Access,
    /// Private sums.
    pub sums: Vec<Index>,
    /// Where it counts, with the ranges of the sums.
    pub guard: Pred,
    /// A literal.
    pub coeff: f64,
    /// The other factor.
    pub rest: Option<Access>,
}

/// The arrays that a statement has a derivative by.
#[must_use]
pub fn arguments(f: &Function, stmt: &Stmt) -> Vec<ArrayId> {
    match &stmt.rhs {
        Rhs::Contract(terms) => terms.iter().flat_map(|t| &t.factors).map(|a| a.array).collect(),
        Rhs::Prim { prim, args, .. } => {
            let cases = cases(f, prim, args);
            args.iter().zip(cases).filter(|(_, c)| !c.is_empty()).map(|(a, _)| a.array).collect()
        }
        Rhs::Extreme { arg, .. } => vec![arg.array],
        Rhs::ArgExtreme { .. } | Rhs::OfIndex(_) | Rhs::Constant(_) => vec![],
    }
}

/// The differential of `X[g] = rhs`, by the arrays that are `active`. It is asked for where `support` holds (over g): statements for
/// partials, which are added to the function, are evaluated only there. No terms: zero.
pub fn linearize(
    f: &mut Function,
    stmt: &Stmt,
    active: &dyn Fn(ArrayId) -> bool,
    support: &Pred,
) -> Vec<LinearTerm> {
    match &stmt.rhs {
        Rhs::Contract(terms) => terms.iter().flat_map(product_rule).filter(|t| active(t.arg.array)).collect(),
        Rhs::Prim { guard, prim, args } => {
            let mut all = vec![];
            for (arg, cases) in args.iter().zip(cases(f, prim, args)) {
                if active(arg.array) {
                    all.extend(cases.iter().map(|c| chain_rule(f, stmt, guard, args, arg, c, support)));
                }
            }
            all
        }
        Rhs::Extreme { op, over, guard, arg } if active(arg.array) => {
            vec![first_extreme(f, stmt, *op, *over, guard, arg)]
        }
        Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } | Rhs::OfIndex(_) | Rhs::Constant(_) => vec![],
    }
}

/// `d(c · Y[a] · Z[b]) = c · Z[b] · dY[a] + c · Y[a] · dZ[b]`, and `d(c · Y[a]²) = 2 c · Y[a] · dY[a]`.
fn product_rule(term: &Term) -> Vec<LinearTerm> {
    let linear = |arg: &Access, coeff: f64, rest: Option<&Access>| LinearTerm {
        arg: arg.clone(),
        sums: term.sums.clone(),
        guard: term.guard.clone(),
        coeff,
        rest: rest.cloned(),
    };
    match term.factors.as_slice() {
        [y, z] if y == z => vec![linear(y, 2.0 * term.coeff, Some(z))],
        [y, z] => vec![linear(y, term.coeff, Some(z)), linear(z, term.coeff, Some(y))],
        [y] => vec![linear(y, term.coeff, None)],
        _ => vec![],
    }
}

/// The partials of a primitive by each argument, as formulas of the arguments and, as one more, the result. Arguments that are
/// numbers are put in.
fn cases(f: &Function, prim: &Prim, args: &[Access]) -> Vec<Vec<Case>> {
    let arg = |(k, a): (usize, &Access)| constant(f, a).map_or(Formula::Arg(k), Formula::Number);
    let x: Vec<Formula> = args.iter().enumerate().map(arg).collect();
    let decided = |c: Vec<Case>| {
        c.into_iter().filter_map(Case::decide).filter(|c| c.partial != Formula::Number(0.0)).collect()
    };
    partials(prim, &x, &Formula::Arg(args.len())).into_iter().map(decided).collect()
}

/// The value of an array that is the same number everywhere.
fn constant(f: &Function, a: &Access) -> Option<f64> {
    match &f.definition(a.array)?.rhs {
        Rhs::Contract(terms) => match terms.as_slice() {
            [] => Some(0.0),
            [t] if t.sums.is_empty() && t.guard.is_empty() && t.factors.is_empty() => Some(t.coeff),
            _ => None,
        },
        Rhs::Prim { .. } | Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => None,
        Rhs::OfIndex(e) if e.is_constant() => Some(e.constant as f64),
        Rhs::OfIndex(_) | Rhs::Constant(_) => None,
    }
}

/// `d([p] f(…, x, …)) ∋ [p ∧ q] ∂f · dx`, for a case `[q] ∂f` of the partial.
fn chain_rule(
    f: &mut Function,
    stmt: &Stmt,
    guard: &Pred,
    args: &[Access],
    arg: &Access,
    case: &Case,
    support: &Pred,
) -> LinearTerm {
    let mut operands = args.to_vec();
    operands.push(at_gens(stmt.array, &stmt.gens));
    let mut at =
        Site { f, gens: &stmt.gens, operands: &operands, guard: [guard.as_slice(), support].concat() };
    let tests: Pred = case.tests.iter().map(|t| at.test(t)).collect();
    at.guard.extend(tests.iter().cloned());
    let (coeff, rest) = at.materialize(&case.partial);
    LinearTerm { arg: arg.clone(), sums: vec![], guard: [guard.clone(), tests].concat(), coeff, rest }
}

/// Where formulas become statements.
struct Site<'a> {
    f: &'a mut Function,
    /// Indices in scope.
    gens: &'a [Index],
    /// What `Formula::Arg` stands for.
    operands: &'a [Access],
    /// Where the value is asked for.
    guard: Pred,
}

impl Site<'_> {
    fn test(&mut self, t: &Test) -> Cond {
        match t {
            Test::Real { op, left, right, holds } => {
                let (l, r) = (self.access(left), self.access(right));
                self.f.compare(*op, l, r, *holds)
            }
            Test::Index(c) => c.clone(),
            Test::Or(a, b) => Cond::Any(vec![vec![self.test(a)], vec![self.test(b)]]),
        }
    }

    /// An array that holds the value of a formula.
    fn access(&mut self, x: &Formula) -> Access {
        match x {
            Formula::Arg(k) => self.operands[*k].clone(),
            Formula::Number(c) => scalar(self.f, *c),
            _ => {
                let (prim, args) = self.formula(x);
                self.define(prim, args)
            }
        }
    }

    /// `formula = coeff · rest`. What is an argument or a function of one argument stands for itself; all else is one formula.
    fn materialize(&mut self, x: &Formula) -> (f64, Option<Access>) {
        let (coeff, rest) = x.clone().split();
        match &rest {
            Formula::Number(_) => (coeff, None),
            Formula::Arg(k) => (coeff, Some(self.operands[*k].clone())),
            Formula::Apply(p @ (Prim::Unary(_) | Prim::Powi(_)), xs) if coeff.abs() == 1.0 => match xs
                .as_slice()
            {
                [Formula::Arg(k)] => (coeff, Some(self.define(p.clone(), vec![self.operands[*k].clone()]))),
                _ => (coeff, Some(self.access(&rest))),
            },
            _ if coeff < 0.0 => (-1.0, Some(self.access(&-x.clone()))),
            _ => (1.0, Some(self.access(x))),
        }
    }

    /// As a primitive of the arguments that it uses, each once.
    fn formula(&self, x: &Formula) -> (Prim, Vec<Access>) {
        let mut used: Vec<&Access> = vec![];
        x.visit(
            &mut |k| {
                if !used.contains(&&self.operands[k]) {
                    used.push(&self.operands[k]);
                }
            },
            &mut |_| {},
        );
        let place = |k: usize| used.iter().position(|a| **a == self.operands[k]).unwrap_or_default();
        let prim = Prim::Formula(Box::new(x.substitute(&|k| Formula::Arg(place(k)), &Affine::clone)));
        (prim, used.into_iter().cloned().collect())
    }

    /// `[guard] prim(args)` as a statement over the indices that its value depends on: one that is there already, or a new one.
    fn define(&mut self, prim: Prim, args: Vec<Access>) -> Access {
        let mut forms: Vec<Affine> = args.iter().flat_map(|a| a.at.iter().cloned()).collect();
        prim.visit_indices(&mut |e| forms.push(e.clone()));
        let (kept, gone): (Vec<usize>, Vec<usize>) =
            (0..self.gens.len()).partition(|k| forms.iter().any(|e| e.mentions(&self.gens[*k].atom())));
        let result = self.operands.last().map_or(ArrayId(0), |r| r.array);
        let pick = |ks: &[usize]| -> (Vec<Index>, Vec<Affine>) {
            let extents = &self.f.array(result).extents;
            (ks.iter().map(|k| self.gens[*k]).collect(), ks.iter().map(|k| extents[*k].clone()).collect())
        };
        let ((gens, extents), (gone, gone_extents)) = (pick(&kept), pick(&gone));
        let guard = self.guard_without(&gens, &extents, &gone, &gone_extents);
        if let Some(array) = self.find(&gens, &extents, &guard, &prim, &args) {
            return at_gens(array, &gens);
        }
        let fresh = Renaming::fresh(self.f, &gens);
        let rhs = Rhs::Prim {
            guard: fresh.pred(&guard),
            prim: fresh.prim(&prim),
            args: args.iter().map(|a| fresh.access(a)).collect(),
        };
        let name = format!("{}_partial", self.f.array(result).name);
        let array = self.f.new_array(name, extents);
        let new_gens = gens.iter().map(|g| fresh.index(*g)).collect();
        self.f.stmts.push(Stmt { array, gens: new_gens, rhs });
        at_gens(array, &gens)
    }

    /// `∃ gone. guard`, or more.
    fn guard_without(
        &self,
        gens: &[Index],
        extents: &[Affine],
        gone: &[Index],
        gone_extents: &[Affine],
    ) -> Pred {
        if gone.is_empty() {
            return self.guard.clone();
        }
        let given = support::context(self.f, gens, extents);
        let inside = [support::ranges(gone, gone_extents), self.guard.clone()].concat();
        let (pieces, _) = support::project(&inside, gone, &given);
        support::union(pieces, &given).map_or_else(Vec::new, |s| s.pred)
    }

    /// An array with this value wherever `guard` holds.
    fn find(
        &self,
        gens: &[Index],
        extents: &[Affine],
        guard: &Pred,
        prim: &Prim,
        args: &[Access],
    ) -> Option<ArrayId> {
        let same = |s: &&Stmt| {
            let Rhs::Prim { guard: g, prim: p, args: xs } = &s.rhs else { return false };
            if s.gens.len() != gens.len() || self.f.array(s.array).extents != extents {
                return false;
            }
            let to = Renaming::new(&s.gens, gens);
            to.prim(p) == *prim
                && xs.iter().map(|a| to.access(a)).eq(args.iter().cloned())
                && g.iter().all(|c| guard.contains(&to.cond(c)))
        };
        self.f.stmts.iter().find(same).map(|s| s.array)
    }
}

/// A scalar statement that is this number, the same for all.
pub(super) fn scalar(f: &mut Function, c: f64) -> Access {
    let is = |s: &&Stmt| {
        let a = Access { array: s.array, at: vec![] };
        s.gens.is_empty() && constant(f, &a).is_some_and(|d| d.to_bits() == c.to_bits())
    };
    if let Some(s) = f.stmts.iter().find(is) {
        return Access { array: s.array, at: vec![] };
    }
    let array = f.new_array(format!("{c}"), vec![]);
    let term = Term { sums: vec![], guard: vec![], coeff: c, factors: vec![] };
    let terms = if c == 0.0 { vec![] } else { vec![term] };
    f.stmts.push(Stmt { array, gens: vec![], rhs: Rhs::Contract(terms) });
    Access { array, at: vec![] }
}

/// `d(max s. [p] Y[a]) = sum s. [p ∧ s = K[g]] dY[a]` with `K[g] = argmax s. [p] Y[a]`.
fn first_extreme(
    f: &mut Function,
    stmt: &Stmt,
    op: Extreme,
    over: Index,
    guard: &Pred,
    arg: &Access,
) -> LinearTerm {
    let k = arg_extreme(f, stmt, op, over, guard, arg);
    let value =
        Affine::from(crate::index::Atom::Element(k.0, stmt.gens.iter().map(|g| g.affine()).collect()));
    let mut guard = guard.clone();
    guard.extend(over.affine().plus_scaled(-1, &value).map(Cond::Zero));
    LinearTerm { arg: arg.clone(), sums: vec![over], guard, coeff: 1.0, rest: None }
}

/// `K[g] = argmax over. [guard] arg`: one that is there already, or a new one.
fn arg_extreme(
    f: &mut Function,
    stmt: &Stmt,
    op: Extreme,
    over: Index,
    guard: &Pred,
    arg: &Access,
) -> ArrayId {
    let extents = f.array(stmt.array).extents.clone();
    let same = |s: &&Stmt| {
        let Rhs::ArgExtreme { op: o, over: v, guard: g, arg: a } = &s.rhs else { return false };
        if s.gens.len() != stmt.gens.len() || *o != op || f.array(s.array).extents != extents {
            return false;
        }
        let mut to = Renaming::new(&s.gens, &stmt.gens);
        to.insert(*v, over);
        to.pred(g) == *guard && to.access(a) == *arg
    };
    if let Some(s) = f.stmts.iter().find(same) {
        return s.array;
    }
    let (lower, upper) = range(f, stmt, over, guard, arg);
    let formals = Renaming::fresh(f, &stmt.gens);
    let to_formals = |e: &Affine| formals.affine(e);
    let kind = ArrayKind::Index {
        formals: stmt.gens.iter().map(|g| formals.index(*g)).collect(),
        lower: to_formals(&lower),
        upper: to_formals(&upper),
    };
    let name = format!("{}_at", f.array(stmt.array).name);
    let array = f.new_array(name.clone(), extents.clone());
    f.arrays[array.0 as usize] = Array { name, extents, kind };
    let mut fresh = Renaming::fresh(f, &stmt.gens);
    fresh.extend_fresh(f, &[over]);
    let gens = stmt.gens.iter().map(|g| fresh.index(*g)).collect();
    let rhs =
        Rhs::ArgExtreme { op, over: fresh.index(over), guard: fresh.pred(guard), arg: fresh.access(arg) };
    f.stmts.push(Stmt { array, gens, rhs });
    array
}

/// `lower <= over < upper` as the guard has it, or else the access; `lower` is one less where nothing may be live.
fn range(f: &Function, stmt: &Stmt, over: Index, guard: &Pred, arg: &Access) -> (Affine, Affine) {
    let by_access = support_of_access(f, arg);
    let (mut lower, mut upper) = (None, None);
    for c in guard.iter().chain(&by_access) {
        let (e, both) = match c {
            Cond::NonNeg(e) => (e, false),
            Cond::Zero(e) => (e, true),
            Cond::NonZero(_)
            | Cond::Residue(..)
            | Cond::NonResidue(..)
            | Cond::Opaque { .. }
            | Cond::Any(_) => continue,
        };
        let k = e.coeff(&over.atom());
        let rest =
            Affine { terms: e.terms.iter().filter(|t| t.0 != over.atom()).cloned().collect(), ..e.clone() };
        if k == 0 || rest.mentions(&over.atom()) {
            continue;
        }
        // k over + rest >= 0: over >= -⌊rest / k⌋, or over <= ⌊rest / -k⌋.
        let Some(q) = floor(&rest, k.abs()) else { continue };
        if k > 0 || both {
            let least = if k > 0 { q.scale(-1) } else { Some(q.clone()) };
            lower = lower.or(least);
        }
        if k < 0 || both {
            let most = if k > 0 { q.scale(-1) } else { Some(q) };
            upper = upper.or(most.and_then(|m| m.plus_scaled(1, &1.into())));
        }
    }
    let (lower, upper) = (lower.unwrap_or_default(), upper.unwrap_or_default());
    let given = support::context(f, &stmt.gens, &f.array(stmt.array).extents);
    let at_lower = guard.iter().map(|c| c.substitute(&over.atom(), &lower, 1)).collect::<Option<Pred>>();
    let live = at_lower.is_some_and(|p| entails(&given, &p, &Facts::default(), &mut Work::default()));
    let lower = if live { lower } else { lower.plus_scaled(1, &Affine::from(-1)).unwrap_or(lower) };
    (lower, upper)
}

/// `0 <= a < extent` for each index of an access.
fn support_of_access(f: &Function, arg: &Access) -> Pred {
    let one = |(a, n): (&Affine, &Affine)| {
        let below = n.plus_scaled(-1, a).and_then(|d| d.plus_scaled(1, &Affine::from(-1)));
        [Some(Cond::NonNeg(a.clone())), below.map(Cond::NonNeg)]
    };
    arg.at.iter().zip(&f.array(arg.array).extents).flat_map(one).flatten().collect()
}
