//! Formulas become statements.

use super::linearize::constant;
use super::rename::{Renaming, at_gens};
use super::support;
use crate::index::{Affine, Cond, Pred};
use crate::prim::partials::Test;
use crate::prim::{Formula, Prim, formula::apply};
use crate::ssa::{Access, ArrayId, Function, Index, Rhs, Stmt, Term};

/// Where formulas become statements.
pub(super) struct Site<'a> {
    /// The function.
    pub f: &'a mut Function,
    /// Indices in scope.
    pub gens: &'a [Index],
    /// What is differentiated: it has these dimensions.
    pub result: ArrayId,
    /// What `Formula::Arg` stands for.
    pub operands: &'a [Access],
    /// Where the value is asked for.
    pub guard: Pred,
}

impl Site<'_> {
    /// A test as a condition.
    pub fn test(&mut self, t: &Test) -> Cond {
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
                let mut operands = self.operands.to_vec();
                let x = self.reuse(x, &mut operands);
                let (prim, args) = formula(&x, &operands);
                self.define(prim, args)
            }
        }
    }

    /// `formula = coeff · rest`. What is an argument or a function of one argument stands for itself; all else is one formula.
    pub fn materialize(&mut self, x: &Formula) -> (f64, Option<Access>) {
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

    /// Functions of one argument that are there already become arguments: of `a / b` the partials are `r = 1 / b` and `-y · r`.
    fn reuse(&mut self, x: &Formula, operands: &mut Vec<Access>) -> Formula {
        match x {
            Formula::Arg(_) | Formula::Number(_) | Formula::OfIndex(_) => x.clone(),
            Formula::Neg(a) => -self.reuse(a, operands),
            Formula::Add(a, b) => self.reuse(a, operands) + self.reuse(b, operands),
            Formula::Mul(a, b) => self.reuse(a, operands) * self.reuse(b, operands),
            Formula::Apply(p, xs) => {
                if let [Formula::Arg(k)] = xs.as_slice()
                    && let Some(found) = self.existing(p, &self.operands[*k])
                {
                    operands.push(found);
                    return Formula::Arg(operands.len() - 1);
                }
                apply(p.clone(), xs.iter().map(|x| self.reuse(x, operands)).collect())
            }
        }
    }

    /// `[guard] prim(arg)`, if a statement has it.
    fn existing(&self, prim: &Prim, arg: &Access) -> Option<Access> {
        let place = self.place(prim, std::slice::from_ref(arg));
        let array = self.find(&place, prim, std::slice::from_ref(arg))?;
        Some(at_gens(array, &place.gens))
    }

    /// `[guard] prim(args)` as a statement: one that is there already, or a new one.
    fn define(&mut self, prim: Prim, args: Vec<Access>) -> Access {
        let place = self.place(&prim, &args);
        if let Some(array) = self.find(&place, &prim, &args) {
            return at_gens(array, &place.gens);
        }
        let fresh = Renaming::fresh(self.f, &place.gens);
        let rhs = Rhs::Prim {
            guard: fresh.pred(&place.guard),
            prim: fresh.prim(&prim),
            args: args.iter().map(|a| fresh.access(a)).collect(),
        };
        let of = |a: ArrayId| &self.f.array(a).name;
        let name = match &prim {
            Prim::Formula(_) => format!("{}_partial", of(self.result)),
            Prim::Unary(_)
            | Prim::Binary(_)
            | Prim::Clamp
            | Prim::Powi(_)
            | Prim::Stop
            | Prim::FiniteOrZero
            | Prim::Outer(_) => prim.name_of(args.first().map_or("", |a| of(a.array))),
        };
        let array = self.f.new_array(name, place.extents);
        self.f.arrays[array.0 as usize].recompute = self.f.array(self.result).recompute;
        let gens = place.gens.iter().map(|g| fresh.index(*g)).collect();
        self.f.stmts.push(Stmt { array, gens, rhs, step: None });
        at_gens(array, &place.gens)
    }

    /// The indices that the value of `prim(args)` depends on, and where it is asked for over these: `∃ others. guard`. All indices where that
    /// cannot be said exactly, as under a comparison of reals.
    fn place(&self, prim: &Prim, args: &[Access]) -> Place {
        let mut forms: Vec<Affine> = args.iter().flat_map(|a| a.at.iter().cloned()).collect();
        prim.visit_indices(&mut |e| forms.push(e.clone()));
        let mut place = Place { gens: vec![], extents: vec![], guard: vec![] };
        let (mut gone, mut gone_extents) = (vec![], vec![]);
        for (g, n) in self.gens.iter().zip(&self.f.array(self.result).extents) {
            let kept = forms.iter().any(|e| e.mentions(&g.atom()));
            let (gens, extents) =
                if kept { (&mut place.gens, &mut place.extents) } else { (&mut gone, &mut gone_extents) };
            gens.push(*g);
            extents.push(n.clone());
        }
        place.guard = self.guard.clone();
        if !gone.is_empty() {
            let given = support::context(self.f, &place.gens, &place.extents);
            let inside = [support::ranges(&gone, &gone_extents), self.guard.clone()].concat();
            let (pieces, wider) = support::project(self.f, &inside, &gone, &given);
            match support::union(self.f, pieces, &given) {
                Some(all) if !wider && !all.wider => place.guard = all.pred,
                // Where nothing is asked for, nothing may be computed.
                Some(_) | None => {
                    let extents = self.f.array(self.result).extents.clone();
                    return Place { gens: self.gens.to_vec(), extents, guard: self.guard.clone() };
                }
            }
        }
        place
    }

    /// An array with this value wherever it is asked for.
    fn find(&self, place: &Place, prim: &Prim, args: &[Access]) -> Option<ArrayId> {
        let same = |s: &&Stmt| {
            let Rhs::Prim { guard: g, prim: p, args: xs } = &s.rhs else { return false };
            // Of most statements this says that they are others, without a copy of their formulas.
            let reads_others = xs.len() != args.len() || xs.iter().zip(args).any(|(x, a)| x.array != a.array);
            if reads_others || s.gens.len() != place.gens.len() {
                return false;
            }
            if self.f.array(s.array).extents != place.extents {
                return false;
            }
            let to = Renaming::new(&s.gens, &place.gens);
            to.prim(p) == *prim
                && xs.iter().map(|a| to.access(a)).eq(args.iter().cloned())
                && g.iter().all(|c| place.guard.contains(&to.cond(c)))
        };
        self.f.stmts.iter().find(same).map(|s| s.array)
    }
}

/// The head of a statement.
struct Place {
    gens: Vec<Index>,
    extents: Vec<Affine>,
    guard: Pred,
}

/// As a primitive of the operands that it uses, each once.
fn formula(x: &Formula, operands: &[Access]) -> (Prim, Vec<Access>) {
    let mut used: Vec<Access> = vec![];
    x.visit(
        &mut |k| {
            if !used.contains(&operands[k]) {
                used.push(operands[k].clone());
            }
        },
        &mut |_| {},
    );
    let place = |k: usize| used.iter().position(|a| *a == operands[k]).unwrap_or_default();
    let prim = Prim::Formula(Box::new(x.substitute(&|k| Formula::Arg(place(k)), &Affine::clone)));
    (prim, used)
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
    f.stmts.push(Stmt { array, gens: vec![], rhs: Rhs::Contract(terms), step: None });
    Access { array, at: vec![] }
}
