//! What an expression is changed into.

use crate::syntax::build::{
    self, Word, and, and_if, binary, block, bracket, choice, compare, int, loop_as, loop_of, method, mul,
    name, neg, not, plus, real, sub,
};
use crate::syntax::edit::functions;
use crate::syntax::walk::{Context, Kind, Role};
use fastrand::Rng;
use tensor_core::ast::{BinaryOp, Block, CompareOp, Expr, ExprKind, Loop, ReduceOp, TypeKind};

/// All small changes of one expression.
pub(super) fn of(e: &Expr, cx: &Context) -> Vec<Expr> {
    let own = own(e, cx);
    match cx.role {
        Role::Index => own.into_iter().chain(indices(e, cx)).collect(),
        Role::Condition => own.into_iter().chain(conditions(e)).collect(),
        Role::Value => own.into_iter().chain(values(e, cx)).collect(),
    }
}

/// Names in scope of a kind, the innermost first.
fn known(cx: &Context, wanted: impl Fn(&Kind) -> bool) -> Vec<String> {
    let mut all: Vec<String> =
        cx.scope.iter().rev().filter(|(_, k)| wanted(k)).map(|(n, _)| n.clone()).collect();
    all.dedup();
    all.truncate(5);
    all
}

fn is_index(k: &Kind) -> bool {
    match k {
        Kind::Size | Kind::Index => true,
        Kind::Param(t) => matches!(t.kind, TypeKind::Size),
        Kind::Value => false,
    }
}

/// Changes of an index: by one, by a factor, for another.
fn indices(e: &Expr, cx: &Context) -> Vec<Expr> {
    let mut all = vec![plus(e.clone(), 1), plus(e.clone(), -1), mul(int(2), e.clone())];
    all.push(binary(BinaryOp::Div, e.clone(), int(2)));
    all.push(binary(BinaryOp::Rem, e.clone(), int(3)));
    all.extend([int(0), int(1)]);
    for x in known(cx, is_index) {
        all.push(name(&x));
        all.push(sub(plus(name(&x), -1), e.clone()));
        all.push(binary(BinaryOp::Add, e.clone(), name(&x)));
    }
    all
}

/// Changes of a condition: the contrary, or always.
fn conditions(e: &Expr) -> Vec<Expr> {
    vec![not(e.clone()), compare(int(0), CompareOp::Le, int(0))]
}

/// Changes of a number: a function of it, zero, a guard of an index around.
fn values(e: &Expr, cx: &Context) -> Vec<Expr> {
    let mut all = vec![neg(e.clone()), real(0.0), real(0.75), mul(e.clone(), e.clone())];
    all.extend(["sin", "tanh", "exp", "abs"].map(|f| method(e.clone(), f, vec![])));
    all.push(method(e.clone(), "max", vec![real(0.25)]));
    all.push(binary(BinaryOp::Add, e.clone(), real(0.5)));
    let indices = known(cx, is_index);
    for (k, i) in indices.iter().enumerate() {
        let small = compare(name(i), CompareOp::Lt, int(2));
        all.push(mul(bracket(small.clone()), e.clone()));
        let odd = compare(binary(BinaryOp::Rem, name(i), int(2)), CompareOp::Ne, int(0));
        all.push(mul(bracket(odd.clone()), e.clone()));
        all.push(choice(odd, e.clone(), real(0.5)));
        for j in &indices[k + 1..] {
            all.push(mul(bracket(compare(name(j), CompareOp::Le, name(i))), e.clone()));
            all.push(choice(
                and(small.clone(), compare(name(i), CompareOp::Ne, name(j))),
                e.clone(),
                real(0.0),
            ));
        }
    }
    all
}

/// Changes by what stands there.
fn own(e: &Expr, cx: &Context) -> Vec<Expr> {
    match &e.kind {
        ExprKind::Number { digits, is_integer } => number(digits, *is_integer),
        ExprKind::Name(x) => {
            let is_size = cx.is_index(&x.to_string());
            let alike = known(cx, |k| is_index(k) == is_size);
            alike.iter().filter(|n| x != *n).map(|n| name(n)).collect()
        }
        ExprKind::Binary(op, a, b) => {
            let other = |o: BinaryOp| (o != *op).then(|| binary(o, (**a).clone(), (**b).clone()));
            let ops = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul];
            let exchanged = binary(*op, (**b).clone(), (**a).clone());
            ops.into_iter().filter_map(other).chain([(**a).clone(), (**b).clone(), exchanged]).collect()
        }
        ExprKind::Neg(a) | ExprKind::Not(a) => vec![(**a).clone()],
        ExprKind::And(p, q) => {
            let or = ExprKind::Or(p.clone(), q.clone());
            vec![(**p).clone(), (**q).clone(), build::of(or)]
        }
        ExprKind::Or(p, q) => {
            vec![(**p).clone(), (**q).clone(), and((**p).clone(), (**q).clone())]
        }
        ExprKind::Compare(a, rest) => compared(a, rest),
        ExprKind::Method(x, f, args) => {
            let alike = ["sin", "cos", "tanh", "atan", "abs", "sigmoid", "softplus", "exp"];
            let others = alike.iter().filter(|g| args.is_empty() && f != **g);
            let pairs =
                ["max", "min"].iter().filter(|g| args.len() == 1 && (f == "max" || f == "min") && f != **g);
            others
                .chain(pairs)
                .map(|g| method((**x).clone(), g, args.clone()))
                .chain([(**x).clone()])
                .collect()
        }
        ExprKind::If(p, a, b) => {
            let turned = ExprKind::If(p.clone(), b.clone(), a.clone());
            vec![build::of(turned), block(a.clone()), block(b.clone())]
        }
        ExprKind::Gen(_) | ExprKind::Reduce(..) => {
            loop_of(e).map(|(w, l)| looped(w, l, cx)).unwrap_or_default()
        }
        ExprKind::Exists(_)
        | ExprKind::Recurrence(_)
        | ExprKind::Path(_)
        | ExprKind::Tuple(_)
        | ExprKind::Bracket(_)
        | ExprKind::Repeat(..)
        | ExprKind::Field(..)
        | ExprKind::Access(..)
        | ExprKind::Cast(..)
        | ExprKind::Call(..)
        | ExprKind::Block(_) => vec![],
    }
}

fn number(digits: &str, is_integer: bool) -> Vec<Expr> {
    match (digits.parse::<i64>(), digits.parse::<f64>()) {
        (Ok(k), _) if is_integer => vec![int(k + 1), int((k - 1).max(0)), int(0), int(2 * k)],
        (_, Ok(x)) => [0.0, 1.0, 0.5 * x, x + 1.0].map(real).to_vec(),
        (Ok(_) | Err(_), Err(_)) => vec![],
    }
}

/// Another comparison, in each place of a chain.
fn compared(a: &Expr, rest: &[(CompareOp, Expr)]) -> Vec<Expr> {
    let ops = [CompareOp::Lt, CompareOp::Le, CompareOp::Eq, CompareOp::Ne, CompareOp::Ge, CompareOp::Gt];
    let mut all = vec![];
    for (k, (old, _)) in rest.iter().enumerate() {
        for op in ops.iter().filter(|op| *op != old) {
            let mut other = rest.to_vec();
            other[k].0 = *op;
            all.push(build::of(ExprKind::Compare(Box::new(a.clone()), other)));
        }
    }
    all
}

/// Another reduction, another guard, other ends.
fn looped(word: Word, l: &Loop, cx: &Context) -> Vec<Expr> {
    let mut all = vec![];
    let mut add = |l: Loop| all.push(loop_as(word, l));
    add(Loop { guard: None, ..l.clone() });
    let outer = known(cx, is_index);
    for b in &l.binders {
        let i = name(&b.index.to_string());
        let mut guards = vec![
            compare(i.clone(), CompareOp::Ge, int(1)),
            compare(binary(BinaryOp::Rem, i.clone(), int(2)), CompareOp::Ne, int(1)),
            compare(binary(BinaryOp::Rem, i.clone(), int(3)), CompareOp::Eq, int(2)),
        ];
        guards.extend(outer.iter().map(|j| compare(i.clone(), CompareOp::Le, name(j))));
        guards.extend(outer.iter().map(|j| compare(i.clone(), CompareOp::Ne, name(j))));
        for p in guards {
            let p = and_if(l.guard.clone(), p);
            add(Loop { guard: Some(Box::new(p)), ..l.clone() });
        }
    }
    for k in 0..l.binders.len() {
        let Some(range) = &l.binders[k].range else { continue };
        let mut with = |lower: Expr, upper: Expr, inclusive: bool| {
            let mut other = l.clone();
            other.binders[k].range =
                Some(tensor_core::ast::Range { lower, upper, inclusive, ..range.clone() });
            all.push(loop_as(word, other));
        };
        let (a, b) = (range.lower.clone(), range.upper.clone());
        with(a.clone(), b.clone(), !range.inclusive);
        for j in &outer {
            with(a.clone(), name(j), range.inclusive);
            with(name(j), b.clone(), range.inclusive);
            with(a.clone(), name(j), true);
        }
        with(int(2), b, false);
    }
    if l.binders.len() > 1 {
        let mut other = l.clone();
        other.binders.swap(0, 1);
        all.push(loop_as(word, other));
    }
    let ops: &[ReduceOp] = match word {
        Word::Gen => &[],
        Word::Reduce(ReduceOp::ArgMax | ReduceOp::ArgMin) => &[ReduceOp::ArgMax, ReduceOp::ArgMin],
        Word::Reduce(ReduceOp::Sum | ReduceOp::Max | ReduceOp::Min | ReduceOp::LogSumExp) => {
            &[ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min, ReduceOp::LogSumExp]
        }
    };
    all.extend(
        ops.iter().filter(|op| word != Word::Reduce(**op)).map(|op| loop_as(Word::Reduce(*op), l.clone())),
    );
    all
}

/// The same block with a condition on sizes less, or another extent of a parameter of the last function.
pub(super) fn signature(block: &Block, rng: &mut Rng) -> Block {
    let mut block = block.clone();
    let Some(f) = functions(&mut block).last() else { return block };
    if !f.conditions.is_empty() && rng.bool() {
        let k = rng.usize(..f.conditions.len());
        f.conditions.remove(k);
        return block;
    }
    if f.params.is_empty() {
        return block;
    }
    let sizes: Vec<String> = f.sizes.iter().map(ToString::to_string).collect();
    let k = rng.usize(..f.params.len());
    if let TypeKind::Array(_, extents) = &mut f.params[k].ty.kind {
        let at = rng.usize(..extents.len().max(1));
        if let Some(e) = extents.get_mut(at) {
            *e = match rng.u8(..4) {
                0 => plus(e.clone(), 1),
                1 => mul(int(2), e.clone()),
                2 => int(3),
                _ => sizes.get(rng.usize(..sizes.len().max(1))).map_or_else(|| e.clone(), |n| name(n)),
            };
        }
    }
    block
}
