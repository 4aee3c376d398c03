//! Rows four at a time.
//!
//! ```text
//! for i { s = 0; lanes j { s += a[i, j] * x[j] }; y[i] = s }
//! ```
//!
//! Where the iterations of a loop around loops in lanes are independent, four of them run as one, statement by statement: what all four read
//! is loaded once, and what all four add to is loaded and stored once. What is left over runs by itself.

use super::lanes::independent;
use super::range::minus;
use super::split::size;
use crate::index::{Affine, Atom};
use crate::loops::walk::substitute;
use crate::loops::{Bound, Expr, Order, Place, Program, Stmt, Storage, VarId, Variable};
use crate::ssa::Index;

/// How many iterations run as one.
const ROWS: i64 = 4;
/// The most statements of a body that is copied.
const SIZE: usize = 6;

/// See the module documentation.
pub(super) fn jam(p: &mut Program) {
    let body = std::mem::take(&mut p.body);
    let body = block(p, body);
    p.body = body;
}

fn block(p: &mut Program, stmts: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = vec![];
    for s in stmts {
        match s {
            Stmt::For { index, lower, upper, step: None, order: Order::Sequence, body } => {
                if let Some(pieces) = rows(p, index, &lower, &upper, &body) {
                    out.extend(pieces);
                } else {
                    let body = block(p, body);
                    out.push(Stmt::For { index, lower, upper, step: None, order: Order::Sequence, body });
                }
            }
            Stmt::If { tests, body, otherwise } => {
                let (body, otherwise) = (block(p, body), block(p, otherwise));
                out.push(Stmt::If { tests, body, otherwise });
            }
            other => out.push(other),
        }
    }
    out
}

/// The loop in groups, and what is left over.
fn rows(p: &mut Program, i: Index, lower: &[Bound], upper: &[Bound], body: &[Stmt]) -> Option<Vec<Stmt>> {
    let ([low], [high]) = (lower, upper) else { return None };
    let length = minus(&high.num, &low.num);
    if low.den != 1 || high.den != 1 || length.is_constant() || size(body) > SIZE {
        return None;
    }
    let simple = body.iter().all(|s| match s {
        Stmt::For { order: Order::Lanes { .. }, lower, upper, body, .. } => {
            let free = lower.iter().chain(upper).all(|b| !b.num.mentions(&i.atom()));
            free && body.iter().all(is_leaf)
        }
        s => is_leaf(s),
    });
    let shares = body.iter().any(|s| matches!(s, Stmt::For { body, .. } if shares(p, body, i)));
    if !simple || !shares || !independent(p, i, body) {
        return None;
    }
    p.indices.push(format!("{}_rows", p.indices[i.0 as usize]));
    let group = Index(u32::try_from(p.indices.len() - 1).ok()?);
    if let Some(why) = p.outside.remove(&i) {
        p.outside.insert(group, why);
    }
    let mut count = length.clone();
    count.constant += 1;
    let whole: Affine = Atom::Floor(Box::new(count), ROWS).into();
    let mut last = whole.clone();
    last.constant -= 1;
    let first = low.num.plus_scaled(ROWS, &group.affine())?;
    let members: Vec<Affine> = (0..ROWS)
        .map(|k| {
            let mut at = first.clone();
            at.constant += k;
            at
        })
        .collect();
    let jammed = copies(p, body, i, &members);
    let zero = vec![Bound { num: Affine::default(), den: 1 }];
    let rest = low.num.plus_scaled(ROWS, &whole)?;
    let groups = Stmt::For {
        index: group,
        lower: zero,
        upper: vec![Bound { num: last, den: 1 }],
        step: None,
        order: Order::Sequence,
        body: jammed,
    };
    let left = Stmt::For {
        index: i,
        // A range that ends before it starts has fewer groups than none.
        lower: vec![low.clone(), Bound { num: rest, den: 1 }],
        upper: upper.to_vec(),
        step: None,
        order: Order::Sequence,
        body: body.to_vec(),
    };
    Some(vec![groups, left])
}

fn is_leaf(s: &Stmt) -> bool {
    match s {
        Stmt::Declare { .. } | Stmt::Assign { .. } | Stmt::Accumulate { .. } => true,
        Stmt::For { .. }
        | Stmt::LetIndex { .. }
        | Stmt::If { .. }
        | Stmt::DeclareIndex { .. }
        | Stmt::Extreme { .. }
        | Stmt::ArgExtreme { .. }
        | Stmt::AssignIndex { .. }
        | Stmt::Product(_)
        | Stmt::Call(_)
        | Stmt::Fill { .. } => false,
    }
}

/// Whether the body of a loop in lanes reads or adds to an array at a place that is the same for all rows.
fn shares(p: &Program, body: &[Stmt], i: Index) -> bool {
    use crate::loops::visit::{Item, visit};
    let mut found = false;
    visit(body, &mut |item| {
        if let Item::Place(place, _) = item {
            let is_array = p.var(place.var).storage != Storage::Local && !place.at.is_empty();
            found |= is_array && !place.at.iter().any(|a| a.mentions(&i.atom()));
        }
    });
    found
}

/// Each statement once for every member, loops inside once for all.
fn copies(p: &mut Program, body: &[Stmt], i: Index, members: &[Affine]) -> Vec<Stmt> {
    let mut declared = vec![];
    declares(body, &mut declared);
    let names: Vec<Vec<(VarId, VarId)>> = members
        .iter()
        .map(|_| {
            let fresh = |v: &VarId| {
                let var = Variable { ..p.var(*v).clone() };
                p.vars.push(var);
                (*v, VarId(u32::try_from(p.vars.len() - 1).expect("fewer than 2³² variables")))
            };
            declared.iter().map(fresh).collect()
        })
        .collect();
    copy(body, i, members, &names)
}

fn declares(body: &[Stmt], out: &mut Vec<VarId>) {
    for s in body {
        match s {
            Stmt::Declare { var, .. } => out.push(*var),
            Stmt::For { body, .. } => declares(body, out),
            Stmt::LetIndex { .. }
            | Stmt::If { .. }
            | Stmt::DeclareIndex { .. }
            | Stmt::Assign { .. }
            | Stmt::Accumulate { .. }
            | Stmt::Extreme { .. }
            | Stmt::ArgExtreme { .. }
            | Stmt::AssignIndex { .. }
            | Stmt::Product(_)
            | Stmt::Call(_)
            | Stmt::Fill { .. } => {}
        }
    }
}

fn copy(body: &[Stmt], i: Index, members: &[Affine], names: &[Vec<(VarId, VarId)>]) -> Vec<Stmt> {
    let mut out = vec![];
    for s in body {
        if let Stmt::For { index, lower, upper, step, order, body } = s {
            let body = copy(body, i, members, names);
            let (lower, upper, step) = (lower.clone(), upper.clone(), step.clone());
            out.push(Stmt::For { index: *index, lower, upper, step, order: *order, body });
            continue;
        }
        if let Stmt::Accumulate { target, value } = s
            && !names[0].iter().any(|n| n.0 == target.var)
            && !target.at.iter().any(|a| a.mentions(&i.atom()))
        {
            // All members add to the same: at once.
            let sum = members.iter().zip(names).map(|(at, names)| member(value, i, at, names));
            let value = sum.reduce(|a, b| Expr::Add(Box::new(a), Box::new(b))).unwrap_or(Expr::Number(0.0));
            out.push(Stmt::Accumulate { target: target.clone(), value });
            continue;
        }
        for (at, names) in members.iter().zip(names) {
            let var = |v: VarId| names.iter().find(|n| n.0 == v).map_or(v, |n| n.1);
            let place = |p: &Place| Place {
                var: var(p.var),
                at: p.at.iter().map(|a| substitute(a, &i.atom(), at)).collect(),
            };
            let value = |e: &Expr| member(e, i, at, names);
            out.push(match s {
                Stmt::Declare { var: v, value: e } => Stmt::Declare { var: var(*v), value: value(e) },
                Stmt::Assign { target, value: e } => Stmt::Assign { target: place(target), value: value(e) },
                Stmt::Accumulate { target, value: e } => {
                    Stmt::Accumulate { target: place(target), value: value(e) }
                }
                other => other.clone(),
            });
        }
    }
    out
}

/// An expression for one member.
fn member(e: &Expr, i: Index, at: &Affine, names: &[(VarId, VarId)]) -> Expr {
    let form = &mut |a: &Affine| substitute(a, &i.atom(), at);
    let rename = &mut |p: Place| {
        let var = names.iter().find(|n| n.0 == p.var).map_or(p.var, |n| n.1);
        Place { var, at: p.at }
    };
    e.map(form, rename)
}
