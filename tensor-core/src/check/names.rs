//! Texts of messages: expressions and types as the user writes them, and the nearest known name.

use crate::ast::{self, BinaryOp, CompareOp, Elem, Expr, ExprKind, ReduceOp};
use crate::index::Names;
use crate::typed::Type;
use crate::weights::check::SHORT_NAME;

/// `f64`, `f32`
pub(super) fn elem(e: Elem) -> &'static str {
    match e {
        Elem::F64 => "f64",
        Elem::F32 => "f32",
    }
}

/// `[f64; n, m]`
pub(super) fn ty(t: &Type, real: Elem, names: &Names) -> String {
    match t {
        Type::Real => elem(real).into(),
        Type::Size => "usize".into(),
        Type::Array(extents, element) => {
            let extents: Vec<_> = extents.iter().map(|e| names.affine(e)).collect();
            format!("[{}; {}]", ty(element, real, names), extents.join(", "))
        }
        Type::Tuple(parts) => {
            format!("({})", parts.iter().map(|p| ty(p, real, names)).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The known name with the fewest edits to `name`, if few enough.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = if name.len() <= SHORT_NAME { 1 } else { 2 };
    let begins =
        |k: &str| name.len().min(k.len()) >= SHORT_NAME && (name.starts_with(k) || k.starts_with(name));
    let near = |k: &&str| *k != name && (edits(name, k) <= limit || begins(k));
    // A single letter is one edit from every other.
    let known = known.into_iter().filter(|k| name.len() > 1 && k.len() > 1).filter(near);
    known.min_by_key(|k| edits(name, k))
}

/// `; did you mean …?`, or nothing.
pub(super) fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map(|k| format!("; did you mean `{k}`?")).unwrap_or_default()
}

/// Levenshtein's distance.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

fn list(es: &[Expr]) -> String {
    es.iter().map(expr).collect::<Vec<_>>().join(", ")
}

/// Binding power: what is below the asked one is put in parentheses.
fn power(e: &Expr) -> u8 {
    match &e.kind {
        ExprKind::Or(..) => 1,
        ExprKind::And(..) => 2,
        ExprKind::Compare(..) => 3,
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => 4,
        ExprKind::Binary(BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem, ..) => 5,
        ExprKind::Cast(..) => 6,
        ExprKind::Neg(_) | ExprKind::Not(_) => 7,
        _ => 8,
    }
}

fn at_least(e: &Expr, least: u8) -> String {
    if power(e) < least { format!("({})", expr(e)) } else { expr(e) }
}

/// The expression as the user wrote it, but for space; bodies in short.
pub(super) fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Number { digits, .. } => digits.clone(),
        ExprKind::Name(n) => n.to_string(),
        ExprKind::Path(p) => p.to_string().replace(' ', ""),
        ExprKind::Tuple(es) => format!("({})", list(es)),
        ExprKind::Bracket(es) => format!("[{}]", list(es)),
        ExprKind::Repeat(v, extents) => format!("[{}; {}]", expr(v), list(extents)),
        ExprKind::Field(t, k) => format!("{}.{k}", at_least(t, 8)),
        ExprKind::Access(a, at) => format!("{}[{}]", at_least(a, 8), index_args(at)),
        ExprKind::Neg(a) => format!("-{}", at_least(a, 7)),
        ExprKind::Not(a) => format!("!{}", at_least(a, 7)),
        ExprKind::Binary(op, a, b) => {
            let (sign, p) = operator(*op);
            format!("{} {sign} {}", at_least(a, p), at_least(b, p + 1))
        }
        ExprKind::Compare(a, rest) => {
            let rest: String =
                rest.iter().map(|(op, b)| format!(" {} {}", comparison(*op), at_least(b, 4))).collect();
            at_least(a, 4) + &rest
        }
        ExprKind::And(a, b) => format!("{} && {}", at_least(a, 2), at_least(b, 3)),
        ExprKind::Or(a, b) => format!("{} || {}", at_least(a, 1), at_least(b, 2)),
        ExprKind::Cast(a, to) => format!("{} as {}", at_least(a, 6), elem(*to)),
        ExprKind::Call(f, args) => format!("{f}({})", list(args)),
        ExprKind::Method(a, f, args) => format!("{}.{f}({})", at_least(a, 8), list(args)),
        ExprKind::Gen(l) => looped("for", l),
        ExprKind::Reduce(op, l) => looped(reduction(*op), l),
        ExprKind::Exists(l) => looped("exists", l),
        ExprKind::Recurrence(r) => looped(r.form.word(), &r.steps),
        ExprKind::If(p, ..) => format!("if {} {{ … }} else {{ … }}", expr(p)),
        ExprKind::Block(b) if b.lets.is_empty() => format!("{{ {} }}", expr(&b.value)),
        ExprKind::Block(_) => "{ … }".into(),
    }
}

/// The expression if it is a name, else `otherwise`.
pub(super) fn or(e: &Expr, otherwise: &str) -> String {
    match &e.kind {
        ExprKind::Name(n) => n.to_string(),
        _ => otherwise.into(),
    }
}

/// What stands between the brackets of an access.
pub(super) fn index_args(at: &[ast::IndexArg]) -> String {
    let one = |a: &ast::IndexArg| match a {
        ast::IndexArg::At(e) => expr(e),
        ast::IndexArg::All(_) => "..".into(),
    };
    at.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn looped(word: &str, l: &ast::Loop) -> String {
    let binders: Vec<_> = l.binders.iter().map(|b| b.index.to_string()).collect();
    format!("{word} {} {{ … }}", binders.join(", "))
}

fn operator(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Add => ("+", 4),
        BinaryOp::Sub => ("-", 4),
        BinaryOp::Mul => ("*", 5),
        BinaryOp::Div => ("/", 5),
        BinaryOp::Rem => ("%", 5),
    }
}

fn comparison(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Ge => ">=",
        CompareOp::Gt => ">",
    }
}

/// `a < b`
pub(super) fn compared(a: &Expr, op: CompareOp, b: &Expr) -> String {
    format!("{} {} {}", at_least(a, 4), comparison(op), at_least(b, 4)).replace(" * ", "*")
}

/// An index as the user would write it: `2*i + 1`.
pub(super) fn index(e: &Expr) -> String {
    expr(e).replace(" * ", "*")
}

/// The word of a reduction.
pub(super) fn reduction(op: ReduceOp) -> &'static str {
    match op {
        ReduceOp::Sum => "sum",
        ReduceOp::Max => "max",
        ReduceOp::Min => "min",
        ReduceOp::LogSumExp => "logsumexp",
        ReduceOp::ArgMax => "argmax",
        ReduceOp::ArgMin => "argmin",
    }
}
