//! Trees as text with all parentheses.

use crate::ast::*;
use crate::parse::Input;

fn commas<T>(parts: &[T], one: impl Fn(&T) -> String) -> String {
    parts.iter().map(one).collect::<Vec<_>>().join(", ")
}

pub fn input(input: &Input) -> String {
    match input {
        Input::Block(b) => {
            let broken = b.broken.iter().map(|n| format!("broken {n}"));
            b.items.iter().map(item).chain(broken).collect::<Vec<_>>().join("\n")
        }
        Input::Inline(i) => {
            let captures = commas(&i.captures, |c| format!("{}: {} = {}", c.name, ty(&c.ty), c.value));
            if captures.is_empty() { inner(&i.body) } else { format!("|{captures}| {}", inner(&i.body)) }
        }
    }
}

fn item(item: &Item) -> String {
    match item {
        Item::Function(f) => {
            let sizes = if f.sizes.is_empty() {
                String::new()
            } else {
                format!("<{}>", commas(&f.sizes, ToString::to_string))
            };
            let params = commas(&f.params, |p| format!("{}: {}", p.name, ty(&p.ty)));
            let conditions = if f.conditions.is_empty() {
                String::new()
            } else {
                format!(" where {}", commas(&f.conditions, expr))
            };
            let body = f.body.as_ref().map_or("no body".into(), body);
            let threads = if f.threads { "threads " } else { "" };
            let head = format!("{threads}{} {} fn", f.attrs, f.vis);
            format!("{} {}{sizes}({params}) -> {}{conditions} {body}", head.trim(), f.name, ty(&f.result))
        }
        Item::Transform(t) => {
            let wrt = t.wrt.iter().map(|w| match w.field {
                Some(k) => format!(", {}.{k}", w.name),
                None => format!(", {}", w.name),
            });
            let threads = if t.threads { "threads " } else { "" };
            let head = format!("{threads}{} {} fn", t.attrs, t.vis);
            format!("{} {} = {}({}{});", head.trim(), t.name, t.transform, t.of, wrt.collect::<String>())
        }
    }
}

fn ty(t: &Type) -> String {
    match &t.kind {
        TypeKind::Real(e) => elem(*e).into(),
        TypeKind::Array(of, extents) => format!("[{}; {}]", ty(of), commas(extents, expr)),
        TypeKind::Tuple(parts) => format!("({})", commas(parts, ty)),
        TypeKind::Size => "usize".into(),
    }
}

fn elem(e: Elem) -> &'static str {
    match e {
        Elem::F64 => "f64",
        Elem::F32 => "f32",
    }
}

fn body(b: &Body) -> String {
    format!("{{ {} }}", inner(b))
}

fn inner(b: &Body) -> String {
    let lets = b.lets.iter().map(|l| {
        let of = l.ty.as_ref().map(|t| format!(": {}", ty(t))).unwrap_or_default();
        format!("let {}{of} = {}; ", pattern(&l.pattern), expr(&l.value))
    });
    lets.collect::<String>() + &expr(&b.value)
}

fn pattern(p: &Pattern) -> String {
    match p {
        Pattern::Name(n) => n.to_string(),
        Pattern::Tuple(parts, _) => format!("({})", commas(parts, pattern)),
    }
}

fn loop_(word: &str, l: &Loop) -> String {
    looped(word, "", l)
}

fn range(r: &Range) -> String {
    let dots = if r.inclusive { "..=" } else { ".." };
    let range = format!("{}{dots}{}", expr(&r.lower), expr(&r.upper));
    if r.backward { format!("({range}).rev()") } else { range }
}

fn recurrence(r: &Recurrence) -> String {
    let with = |o: &Operator| {
        let (left, right) = (pattern(&o.left), pattern(&o.right));
        format!(" with |{left}, {right}| {} from {}", body(&o.value), expr(&o.unit))
    };
    let state = match &r.form {
        Form::Rec | Form::Prod => String::new(),
        Form::Fold(s, from) | Form::Scan(s, from) => format!(" from {} = {}", pattern(s), expr(from)),
        Form::Reduce(o) | Form::ScanWith(o) => with(o),
    };
    let kept = match r.checkpoint.as_ref().map(|c| &c.keep) {
        None => String::new(),
        Some(Keep::Sqrt) => "#[checkpoint(sqrt)] ".into(),
        Some(Keep::Every(all)) => format!("#[checkpoint({})] ", commas(all, ToString::to_string)),
    };
    kept + &looped(r.form.word(), &state, &r.steps)
}

fn looped(word: &str, state: &str, l: &Loop) -> String {
    let binders = commas(&l.binders, |b| match &b.range {
        None => b.index.to_string(),
        Some(r) => format!("{} in {}", b.index, range(r)),
    });
    let guard = l.guard.as_ref().map(|g| format!(" if {}", expr(g))).unwrap_or_default();
    format!("({word} {binders}{state}{guard} {})", body(&l.body))
}

pub fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Number { digits, is_integer } => {
            let float = digits.contains(['.', 'e', 'E']) || *is_integer;
            if float { digits.clone() } else { format!("{digits}_real") }
        }
        ExprKind::Name(n) => n.to_string(),
        ExprKind::Path(p) => p.to_string().replace(' ', ""),
        ExprKind::Tuple(parts) => format!("tuple({})", commas(parts, expr)),
        ExprKind::Bracket(parts) => format!("[{}]", commas(parts, expr)),
        ExprKind::Repeat(of, extents) => format!("[{}; {}]", expr(of), commas(extents, expr)),
        ExprKind::Field(of, k) => format!("{}.{k}", expr(of)),
        ExprKind::Access(of, at) => {
            let at = commas(at, |a| match a {
                IndexArg::At(e) => expr(e),
                IndexArg::All(_) => "..".into(),
            });
            format!("{}[{at}]", expr(of))
        }
        ExprKind::Neg(a) => format!("(-{})", expr(a)),
        ExprKind::Not(a) => format!("(!{})", expr(a)),
        ExprKind::Binary(op, a, b) => {
            let op = match op {
                BinaryOp::Add => "+",
                BinaryOp::Sub => "-",
                BinaryOp::Mul => "*",
                BinaryOp::Div => "/",
                BinaryOp::Rem => "%",
            };
            format!("({} {op} {})", expr(a), expr(b))
        }
        ExprKind::Compare(a, rest) => {
            let rest = rest.iter().map(|(op, e)| format!(" {} {}", compare(*op), expr(e)));
            format!("({}{})", expr(a), rest.collect::<String>())
        }
        ExprKind::And(a, b) => format!("({} && {})", expr(a), expr(b)),
        ExprKind::Or(a, b) => format!("({} || {})", expr(a), expr(b)),
        ExprKind::Cast(a, t) => format!("({} as {})", expr(a), elem(*t)),
        ExprKind::Call(f, args) => format!("{f}({})", commas(args, expr)),
        ExprKind::Method(a, f, args) => format!("{}.{f}({})", expr(a), commas(args, expr)),
        ExprKind::Gen(l) => loop_("for", l),
        ExprKind::Reduce(op, l) => loop_(&format!("{op:?}").to_lowercase(), l),
        ExprKind::Exists(l) => loop_("exists", l),
        ExprKind::Recurrence(r) => recurrence(r),
        ExprKind::If(p, a, b) => format!("(if {} {} else {})", expr(p), body(a), body(b)),
        ExprKind::Block(b) => body(b),
    }
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
