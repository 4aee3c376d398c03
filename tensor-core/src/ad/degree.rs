//! What depends linearly on some parameters.

use crate::prim::{Binary, Outer, Prim};
use crate::sorted::Map;
use crate::ssa::rename::Read;
use crate::ssa::{Access, ArrayId, Call, Function, Rhs, Stmt, Target, Whole};

/// How a value depends on some variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Degree {
    /// It is zero.
    Zero,
    /// Not at all.
    Free,
    /// Linearly.
    Linear,
    /// In another way.
    Other,
}

impl Degree {
    /// Of a sum: zero is linear too.
    #[must_use]
    pub fn plus(self, other: Degree) -> Degree {
        match (self, other) {
            (Degree::Zero, d) | (d, Degree::Zero) => d,
            (a, b) if a == b => a,
            _ => Degree::Other,
        }
    }

    /// Of a product.
    #[must_use]
    pub fn times(self, other: Degree) -> Degree {
        match (self, other) {
            (Degree::Zero, _) | (_, Degree::Zero) => Degree::Zero,
            (Degree::Free, d) | (d, Degree::Free) => d,
            (Degree::Linear | Degree::Other, Degree::Linear | Degree::Other) => Degree::Other,
        }
    }

    /// Whether it does not depend on the variables.
    #[must_use]
    pub fn is_free(self) -> bool {
        matches!(self, Degree::Zero | Degree::Free)
    }
}

/// The degrees of the results of a function, given those of its parameters.
#[must_use]
pub fn degrees(f: &Function, params: &[Degree]) -> Vec<Degree> {
    let mut all: Map<ArrayId, Degree> = f.params.iter().copied().zip(params.iter().copied()).collect();
    for unit in f.units() {
        let stmts = &f.stmts[unit];
        // Those of a recurrence read each other: from zero upwards, until none changes.
        all.extend(stmts.iter().filter(|s| s.is_member()).map(|s| (s.array, Degree::Zero)));
        let mut changes = true;
        while changes {
            changes = false;
            for s in stmts {
                let degree = of_stmt(f, s, &all);
                changes |= all.insert(s.array, degree) != Some(degree) && s.is_member();
            }
        }
    }
    f.results.iter().map(|r| all.get(r).copied().unwrap_or(Degree::Other)).collect()
}

fn of_stmt(f: &Function, s: &Stmt, all: &Map<ArrayId, Degree>) -> Degree {
    let of = |a: ArrayId| all.get(&a).copied().unwrap_or(Degree::Other);
    let mut is_free = true;
    s.rhs.reads(f, &mut |_, a| is_free &= of(a).is_free());
    let mut decides = false;
    s.rhs.reads(f, &mut |how, a| {
        let is_value = matches!(how, Read::Factor(_) | Read::Argument | Read::Whole);
        decides |= !is_value && !of(a).is_free();
    });
    match &s.rhs {
        Rhs::Contract(_) if decides => Degree::Other,
        Rhs::Contract(terms) => terms.iter().fold(Degree::Zero, |sum, t| {
            sum.plus(t.factors.iter().fold(Degree::Free, |d, a| d.times(of(a.array))))
        }),
        _ if is_free => Degree::Free,
        Rhs::Prim { prim: Prim::Binary(Binary::Div), args, .. } if !decides => match args.as_slice() {
            [a, b] if of(b.array).is_free() => of(a.array),
            _ => Degree::Other,
        },
        Rhs::Call(call) if !decides => of_call(f, call, &of),
        Rhs::Prim { prim: Prim::Outer(Outer::Custom), args, .. } if !decides => of_custom(args, &of),
        Rhs::Prim { .. }
        | Rhs::Call(_)
        | Rhs::Extreme { .. }
        | Rhs::ArgExtreme { .. }
        | Rhs::OfIndex(_)
        | Rhs::Constant(_) => Degree::Other,
    }
}

/// `custom(v, p, x, …)` is linear as v is if its differential is: each p does not depend on the variables, and each x is linear.
fn of_custom(args: &[Access], of: &dyn Fn(ArrayId) -> Degree) -> Degree {
    let Some((value, partials)) = args.split_first() else { return Degree::Other };
    let differential = partials.chunks(2).map(|pair| match pair {
        [p, x] if of(p.array).is_free() && matches!(of(x.array), Degree::Linear | Degree::Zero) => {
            Degree::Linear
        }
        _ => Degree::Other,
    });
    differential.fold(of(value.array), Degree::plus)
}

/// Linear in some arguments together, where the others do not depend on the variables.
fn of_call(f: &Function, call: &Call, of: &dyn Fn(ArrayId) -> Degree) -> Degree {
    let callee = if let Target::Function(k) = call.target { f.callees.get(k) } else { None };
    let mut rules = callee.into_iter().flat_map(|c| &c.rules).filter(|r| r.is_linear);
    let fits = |by: &[usize], k: usize, a: &Whole| match of(a.access.array) {
        Degree::Zero => true,
        Degree::Linear => by.contains(&k),
        d => d.is_free() && !by.contains(&k),
    };
    let is_linear = rules.any(|r| call.args.iter().enumerate().all(|(k, a)| fits(&r.by, k, a)));
    if is_linear { Degree::Linear } else { Degree::Other }
}
