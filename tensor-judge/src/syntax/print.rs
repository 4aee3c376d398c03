//! Trees as text, with no more parentheses than needed.

use proc_macro2::{TokenStream, TokenTree};
use tensor_core::ast::{
    BinaryOp, Binder, Block, Body, CompareOp, Elem, Expr, ExprKind, Form, Function, IndexArg, Item, Keep,
    Loop, Operator, Outer, Pattern, Range, Recurrence, ReduceOp, Rule, Transform, Type, TypeKind, Wrt,
};

/// The text of a block. Visibilities and attributes, which mean nothing to a judge, are left out, but for `#[cfg(…)]`: of two items of one name one is there.
#[must_use]
pub fn block(block: &Block) -> String {
    let item = |i: &Item| match i {
        Item::Function(f) => Some(configured(&f.attrs) + &function(f)),
        // It stands inside another.
        Item::Transform(t) if t.is_inner => None,
        Item::Transform(t) => Some(format!("{}fn {} = {};", configured(&t.attrs), t.name, applied(block, t))),
    };
    let all: Vec<String> = block.items.iter().filter_map(item).chain(block.rules.iter().map(rule)).collect();
    all.join("\n") + "\n"
}

/// `#[cfg(…)]`, of all attributes.
fn configured(attributes: &TokenStream) -> String {
    let is_cfg = |t: &TokenTree| match t {
        TokenTree::Group(g) => {
            matches!(g.stream().into_iter().next(), Some(TokenTree::Ident(name)) if name == "cfg")
        }
        TokenTree::Punct(_) | TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    };
    attributes.clone().into_iter().filter(is_cfg).map(|t| format!("#{t} ")).collect()
}

/// `transform(of, wrt)`
fn applied(block: &Block, t: &Transform) -> String {
    let inner = block.items.iter().find_map(|i| match i {
        Item::Transform(inner) if inner.is_inner && inner.name == t.of => Some(applied(block, inner)),
        Item::Transform(_) | Item::Function(_) => None,
    });
    let of = inner.unwrap_or_else(|| t.of.to_string());
    format!("{}({of}{})", t.transform, wrts(&t.wrt))
}

fn wrts(all: &[Wrt]) -> String {
    let one = |w: &Wrt| match w.field {
        Some(k) => format!(", {}.{k}", w.name),
        None => format!(", {}", w.name),
    };
    all.iter().map(one).collect()
}

fn rule(r: &Rule) -> String {
    format!("impl {}({}{}) = {};", r.mode, r.of, wrts(&r.wrt), r.by)
}

fn function(f: &Function) -> String {
    let sizes = match f.sizes.as_slice() {
        [] => String::new(),
        all => format!("<{}>", comma(all, ToString::to_string)),
    };
    let params = comma(&f.params, |p| format!("{}: {}", p.name, ty(&p.ty)));
    let conditions = match f.conditions.as_slice() {
        [] => String::new(),
        all => format!(" where {}", comma(all, expr)),
    };
    let head = format!("fn {}{sizes}({params}) -> {}{conditions}", f.name, ty(&f.result));
    match (&f.outer, &f.body) {
        (Some(outer), _) => format!("extern {head} = {}", derivatives(outer)),
        (None, Some(b)) => format!("{head} {}", function_body(b)),
        (None, None) => format!("{head} {{ 0.0 }}"),
    }
}

fn derivatives(outer: &Outer) -> String {
    let partials = outer.partials.iter().map(|(x, e)| format!("{x}: {}", expr(e)));
    let given = outer.derivatives.iter().map(|d| match d.names.as_slice() {
        [] => format!("{} = {}", d.key, d.path),
        names => format!("{}({}) = {}", d.key, comma(names, ToString::to_string), d.path),
    });
    let all: Vec<String> = partials.chain(given).collect();
    match all.as_slice() {
        [] => format!("{};", outer.path),
        all => format!("{} {{ {} }}", outer.path, all.join(", ")),
    }
}

/// On lines of its own where there are `let`s.
fn function_body(b: &Body) -> String {
    if b.lets.is_empty() {
        return body(b);
    }
    let lets: String = b.lets.iter().map(|l| format!("    {}\n", let_(l))).collect();
    format!("{{\n{lets}    {}\n}}", expr(&b.value))
}

fn comma<T>(all: &[T], each: impl Fn(&T) -> String) -> String {
    all.iter().map(each).collect::<Vec<_>>().join(", ")
}

fn elem(e: Elem) -> &'static str {
    match e {
        Elem::F64 => "f64",
        Elem::F32 => "f32",
    }
}

fn ty(t: &Type) -> String {
    match &t.kind {
        TypeKind::Real(e) => elem(*e).to_string(),
        TypeKind::Array(of, extents) => format!("[{}; {}]", ty(of), comma(extents, expr)),
        TypeKind::Tuple(parts) if parts.len() == 1 => format!("({},)", comma(parts, ty)),
        TypeKind::Tuple(parts) => format!("({})", comma(parts, ty)),
        TypeKind::Size => "usize".to_string(),
    }
}

/// `{ lets; value }`
fn body(b: &Body) -> String {
    let lets: String = b.lets.iter().map(|l| let_(l) + " ").collect();
    format!("{{ {lets}{} }}", expr(&b.value))
}

fn let_(l: &tensor_core::ast::Let) -> String {
    let attribute = if l.recompute { "#[recompute] " } else { "" };
    let of = l.ty.as_ref().map(|t| format!(": {}", ty(t))).unwrap_or_default();
    format!("{attribute}let {}{of} = {};", pattern(&l.pattern), expr(&l.value))
}

fn pattern(p: &Pattern) -> String {
    match p {
        Pattern::Name(x) => x.to_string(),
        Pattern::Tuple(parts, _) if parts.len() == 1 => format!("({},)", comma(parts, pattern)),
        Pattern::Tuple(parts, _) => format!("({})", comma(parts, pattern)),
    }
}

/// How tightly an expression holds together, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Compare,
    Add,
    Mul,
    Cast,
    Unary,
    /// What ends in a brace is an operand anywhere; it reads better in parentheses.
    Form,
    Operand,
}

fn level(e: &Expr) -> Level {
    match &e.kind {
        ExprKind::Or(..) => Level::Or,
        ExprKind::And(..) => Level::And,
        ExprKind::Compare(..) => Level::Compare,
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => Level::Add,
        ExprKind::Binary(BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem, ..) => Level::Mul,
        ExprKind::Cast(..) => Level::Cast,
        ExprKind::Neg(_) | ExprKind::Not(_) => Level::Unary,
        ExprKind::Gen(_) | ExprKind::Reduce(..) | ExprKind::Exists(_) | ExprKind::If(..) => Level::Form,
        ExprKind::Recurrence(_) => Level::Form,
        ExprKind::Block(_)
        | ExprKind::Number { .. }
        | ExprKind::Name(_)
        | ExprKind::Path(_)
        | ExprKind::Tuple(_)
        | ExprKind::Bracket(_)
        | ExprKind::Repeat(..)
        | ExprKind::Field(..)
        | ExprKind::Access(..)
        | ExprKind::Call(..)
        | ExprKind::Method(..) => Level::Operand,
    }
}

/// In parentheses if it holds together less than that.
fn at(least: Level, e: &Expr) -> String {
    if level(e) < least { format!("({})", expr(e)) } else { expr(e) }
}

/// What a dot or a bracket may follow: of `1.` and `-x` it would be read otherwise.
fn operand(e: &Expr) -> String {
    let plain = !matches!(e.kind, ExprKind::Number { .. } | ExprKind::Path(_) | ExprKind::Block(_));
    if plain { at(Level::Operand, e) } else { format!("({})", expr(e)) }
}

/// The text of an expression.
#[must_use]
pub fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Number { digits, .. } => digits.clone(),
        ExprKind::Name(x) => x.to_string(),
        ExprKind::Path(path) => path.to_string(),
        ExprKind::Tuple(parts) if parts.len() == 1 => format!("({},)", comma(parts, expr)),
        ExprKind::Tuple(parts) => format!("({})", comma(parts, expr)),
        ExprKind::Bracket(parts) => format!("[{}]", comma(parts, expr)),
        ExprKind::Repeat(of, extents) => format!("[{}; {}]", expr(of), comma(extents, expr)),
        ExprKind::Field(of, k) => format!("{}.{k}", operand(of)),
        ExprKind::Access(of, at) => format!("{}[{}]", operand(of), comma(at, index)),
        ExprKind::Neg(of) => format!("-{}", tight(of)),
        ExprKind::Not(of) => format!("!{}", tight(of)),
        ExprKind::Binary(op, a, b) => {
            let (text, left, right) = match op {
                BinaryOp::Add => ("+", Level::Add, Level::Mul),
                BinaryOp::Sub => ("-", Level::Add, Level::Mul),
                BinaryOp::Mul => ("*", Level::Mul, Level::Cast),
                BinaryOp::Div => ("/", Level::Mul, Level::Cast),
                BinaryOp::Rem => ("%", Level::Mul, Level::Cast),
            };
            format!("{} {text} {}", at(left, a), at(right, b))
        }
        ExprKind::Compare(first, rest) => {
            let rest: String =
                rest.iter().map(|(op, e)| format!(" {} {}", compare(*op), at(Level::Add, e))).collect();
            at(Level::Add, first) + &rest
        }
        ExprKind::And(a, b) => format!("{} && {}", at(Level::And, a), at(Level::Compare, b)),
        ExprKind::Or(a, b) => format!("{} || {}", at(Level::Or, a), at(Level::And, b)),
        ExprKind::Cast(of, to) => format!("{} as {}", at(Level::Unary, of), elem(*to)),
        ExprKind::Call(f, args) => format!("{f}({})", comma(args, expr)),
        ExprKind::Method(of, f, args) => format!("{}.{f}({})", operand(of), comma(args, expr)),
        ExprKind::Gen(l) => looped("for", l),
        ExprKind::Reduce(op, l) => looped(reduction(*op), l),
        ExprKind::Exists(l) => looped("exists", l),
        ExprKind::Recurrence(r) => recurrence(r),
        ExprKind::If(p, a, b) => format!("if {} {} else {}", condition(p), body(a), body(b)),
        ExprKind::Block(b) => body(b),
    }
}

/// A block at the beginning of a condition would be taken for what stands behind it.
fn condition(p: &Expr) -> String {
    let text = expr(p);
    if text.starts_with('{') { format!("({text})") } else { text }
}

/// What a sign stands before: two signs in a row read badly.
fn tight(e: &Expr) -> String {
    at(Level::Form, e)
}

fn compare(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Ge => ">=",
        CompareOp::Gt => ">",
    }
}

fn reduction(op: ReduceOp) -> &'static str {
    match op {
        ReduceOp::Sum => "sum",
        ReduceOp::Max => "max",
        ReduceOp::Min => "min",
        ReduceOp::LogSumExp => "logsumexp",
        ReduceOp::ArgMax => "argmax",
        ReduceOp::ArgMin => "argmin",
    }
}

fn index(i: &IndexArg) -> String {
    match i {
        IndexArg::At(e) => expr(e),
        IndexArg::All(_) => "..".to_string(),
    }
}

fn looped(word: &str, l: &Loop) -> String {
    steps(word, "", l)
}

fn steps(word: &str, state: &str, l: &Loop) -> String {
    let guard = l.guard.as_ref().map(|p| format!(" if {}", condition(p))).unwrap_or_default();
    format!("{word} {}{state}{guard} {}", comma(&l.binders, binder), body(&l.body))
}

fn recurrence(r: &Recurrence) -> String {
    let with = |o: &Operator| {
        let (left, right) = (pattern(&o.left), pattern(&o.right));
        format!(" with |{left}, {right}| {} from {}", body(&o.value), condition(&o.unit))
    };
    let state = match &r.form {
        Form::Rec | Form::Prod => String::new(),
        Form::Fold(s, from) | Form::Scan(s, from) => format!(" from {} = {}", pattern(s), condition(from)),
        Form::Reduce(o) | Form::ScanWith(o) => with(o),
    };
    let kept = match r.checkpoint.as_ref().map(|c| &c.keep) {
        None => String::new(),
        Some(Keep::Sqrt) => "#[checkpoint(sqrt)] ".to_string(),
        Some(Keep::Every(all)) => format!("#[checkpoint({})] ", comma(all, ToString::to_string)),
    };
    kept + &steps(r.form.word(), &state, &r.steps)
}

fn binder(b: &Binder) -> String {
    match &b.range {
        None => b.index.to_string(),
        Some(Range { lower, upper, inclusive, backward }) => {
            let dots = if *inclusive { "..=" } else { ".." };
            let range = format!("{}{dots}{}", at(Level::Add, lower), at(Level::Add, upper));
            if *backward {
                format!("{} in ({range}).rev()", b.index)
            } else {
                format!("{} in {range}", b.index)
            }
        }
    }
}
