//! Programs as text: the loops, and why an array is stored.

mod leaf;
mod named;

use super::outside::Outside;
use super::rows::{Row, Walk};
use super::strips::{Sums, Width};
use super::tasks::{Part, Tasks};
use super::{Bound, Direction, Expr, Order, Place, Program, Stmt, Storage, Test, VarId};
use crate::index::{Affine, Atom, Names};
use crate::prim::{Formula, Prim};
use crate::sorted::Set;
use crate::ssa::{Extreme, Index, RealCompare};
use crate::weights;
use std::cell::RefCell;
use std::fmt::{self, Display, Formatter};

/// As `{:#}` loops say, too, what they walk along.
impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let p = Printer { has_rows: f.alternate(), ..Printer::new(self) };
        for (v, name) in self.vars.iter().zip(&p.names.arrays) {
            if let Storage::Work(_) = v.storage {
                let extents: Vec<String> = v.extents.iter().map(|e| p.names.affine(e)).collect();
                let each = if v.lanes.is_some() { ", for each lane" } else { "" };
                writeln!(f, "array {name}[{}]  // {}{each}", extents.join(", "), v.why)?;
            }
        }
        p.block(f, &self.body, 0)?;
        for e in &self.scalars {
            writeln!(f, "return {}", p.expr(e))?;
        }
        Ok(())
    }
}

/// A form as text.
#[must_use]
pub fn form(program: &Program, a: &Affine) -> String {
    Printer::new(program).names.affine(a)
}

/// A statement as text, of a block the first line.
#[must_use]
pub fn statement(program: &Program, s: &Stmt) -> String {
    struct One<'a>(Printer<'a>, &'a Stmt);
    impl Display for One<'_> {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            self.0.stmt(f, self.1, 0)
        }
    }
    let text = One(Printer::new(program), s).to_string();
    text.lines().next().unwrap_or_default().to_string()
}

struct Printer<'a> {
    program: &'a Program,
    names: Names,
    /// The loops that have said why they are outside.
    told: RefCell<Set<Index>>,
    /// Whether loops say what they walk along.
    has_rows: bool,
}

/// Whether there is a loop among statements.
fn has_loops(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|s| matches!(s, Stmt::For { .. }) || s.blocks().into_iter().any(has_loops))
}

impl Printer<'_> {
    fn new(program: &Program) -> Printer<'_> {
        let (arrays, indices) = named::names(program);
        let names = Names { sizes: program.function.sizes.clone(), indices, arrays, ..Names::default() };
        Printer { program, names, told: RefCell::default(), has_rows: false }
    }

    /// Why a loop is outside of those in it.
    fn outside(&self, why: &Outside) -> String {
        let arrays = |xs: &[u32]| -> String {
            let name = |x: &u32| format!("`{}`", self.names.arrays[*x as usize]);
            let some: Vec<String> = xs.iter().take(weights::text::NAMED).map(name).collect();
            match xs.len().saturating_sub(weights::text::NAMED) {
                0 => some.join(", "),
                more => format!("{} and {more} more", some.join(", ")),
            }
        };
        match why {
            Outside::Stores(xs) => format!("outside: less of {} is stored", arrays(xs)),
            Outside::Reads(xs) => format!("outside: {} is read once", arrays(xs)),
            Outside::Rows => "outside: what is inside walks along rows".to_string(),
            Outside::Shares(n) => format!("outside: {n} statements share it"),
            Outside::Only => "outside: no other loop can be".to_string(),
            Outside::First => "outside: the other order is no better".to_string(),
        }
    }

    fn index(&self, i: Index) -> String {
        self.names.atom(&Atom::Index(i.0))
    }

    fn bounds(&self, bs: &[Bound], upper: bool) -> String {
        let one = |b: &Bound| {
            let mut num = b.num.clone();
            num.constant += if upper { b.den } else { b.den - 1 };
            let s = self.names.affine(&num);
            if b.den == 1 { s } else { format!("({s}) / {}", b.den) }
        };
        let all: Vec<String> = bs.iter().map(one).collect();
        match all.as_slice() {
            [one] => one.clone(),
            _ => format!("{}({})", if upper { "min" } else { "max" }, all.join(", ")),
        }
    }

    fn block(&self, f: &mut Formatter<'_>, stmts: &[Stmt], depth: usize) -> fmt::Result {
        stmts.iter().try_for_each(|s| self.stmt(f, s, depth))
    }

    fn stmt(&self, f: &mut Formatter<'_>, s: &Stmt, depth: usize) -> fmt::Result {
        write!(f, "{}", "    ".repeat(depth))?;
        match s {
            Stmt::For { index, lower, upper, step, order, tasks, rows, body } => {
                let word = match order {
                    Order::Sequence | Order::Outlined | Order::Carrying(_) | Order::Summing(_) => "for",
                    Order::Steps(_) => "steps",
                    Order::Lanes { .. } => "vectorized",
                };
                let range = format!("{}..{}", self.bounds(lower, false), self.bounds(upper, true));
                write!(f, "{word} {} in ", self.index(*index))?;
                match order {
                    Order::Steps(Direction::Backward) => write!(f, "({range}).rev()")?,
                    _ => write!(f, "{range}")?,
                }
                if let Some((a, k)) = step {
                    write!(f, " step {k} from {}", self.names.affine(a))?;
                }
                let mut notes = self.order(order);
                notes.extend(tasks.as_ref().map(|t| self.tasks(t)));
                if self.has_rows {
                    notes.extend(self.rows(rows));
                }
                // Of a loop in pieces, the first says it.
                if has_loops(body)
                    && let Some(why) = self.program.outside.get(index)
                    && self.told.borrow_mut().insert(*index)
                {
                    notes.push(self.outside(why));
                }
                if !notes.is_empty() {
                    writeln!(f, " {{  // {}", notes.join("; "))?;
                    return self.close(f, body, depth);
                }
                self.nested(f, body, depth)
            }
            Stmt::If { tests, body, otherwise } => {
                write!(f, "if {}", self.tests(tests))?;
                self.nested(f, body, depth)?;
                if !otherwise.is_empty() {
                    write!(f, "{}else", "    ".repeat(depth))?;
                    self.nested(f, otherwise, depth)?;
                }
                Ok(())
            }
            Stmt::Leaf(leaf) => self.leaf(f, leaf),
        }
    }

    /// What is cut before a loop, and what is read there.
    fn rows(&self, rows: &[Row]) -> Vec<String> {
        let of = |(what, walk): (&str, Walk)| {
            let all: Vec<String> =
                rows.iter().filter(|r| r.walk == walk).map(|r| self.place(&r.place)).collect();
            (!all.is_empty()).then(|| format!("{what} {}", all.join(", ")))
        };
        let all = [("walks", Walk::Up), ("walks back along", Walk::Down), ("reads before", Walk::Still)];
        all.into_iter().filter_map(of).collect()
    }

    /// What tasks have of a loop that is cut.
    fn tasks(&self, t: &Tasks) -> String {
        let of = |what: &str, is: &dyn Fn(&Part) -> bool| {
            let all: Vec<String> = t
                .parts
                .iter()
                .filter(|(_, part)| is(part))
                .map(|(v, _)| format!("`{}`", self.names.arrays[v.0 as usize]))
                .collect();
            (!all.is_empty()).then(|| format!("{what} {}", all.join(", ")))
        };
        let all = [
            of("rows of", &|p| matches!(p, Part::Rows { .. })),
            of("parts of the sums", &|p| matches!(p, Part::Sums | Part::Total(None))),
            of("parts of the extremes", &|p| matches!(p, Part::Total(Some(_)))),
            of("their own", &|p| matches!(p, Part::Scratch | Part::Local(_))),
        ];
        let all: Vec<String> = all.into_iter().flatten().collect();
        format!("tasks for threads have {}", all.join("; "))
    }

    /// What is said of an order.
    fn order(&self, order: &Order) -> Vec<String> {
        let names = |vars: Vec<VarId>| {
            let all: Vec<String> =
                vars.iter().map(|v| format!("`{}`", self.names.arrays[v.0 as usize])).collect();
            all.join(", ")
        };
        match order {
            Order::Sequence | Order::Steps(_) => vec![],
            Order::Outlined => vec!["outlined".to_string()],
            Order::Carrying(totals) => {
                vec![format!("{} in vector accumulators to the end", names(totals.keys().copied().collect()))]
            }
            Order::Summing(Sums::Chains(sums)) => {
                vec![format!("{} in {} partial sums", names(sums.iter().copied().collect()), Sums::CHAINS)]
            }
            Order::Summing(Sums::Eights(places)) => {
                vec![format!(
                    "{} summed over lanes, eight at a time",
                    names(places.iter().map(|p| p.var).collect())
                )]
            }
            Order::Summing(Sums::Shifted(_)) => vec!["a sum of shifted vectors".to_string()],
            Order::Lanes { cost, sequence, straight, strips } => {
                let form = match straight.as_deref().map(|r| (r.pieces.functions(), r.pieces.slots)) {
                    None => String::new(),
                    Some((0, _)) => "straight, ".to_string(),
                    Some((n, kept)) => format!("straight in {n} functions that keep {kept} vectors, "),
                };
                let width = match strips.width {
                    Width::Wide => None,
                    Width::One => Some("one vector at a time".to_string()),
                    Width::Long { pairs: true } => Some("two registers at a time".to_string()),
                    Width::Long { pairs: false } | Width::Part => Some("one register at a time".to_string()),
                };
                let pairs = strips.pairs.then(|| "also two vectors at a time".to_string());
                let apart = strips.apart.then(|| "a function of its own".to_string());
                let cost = format!("{form}costs {cost}, {sequence} scalar");
                [cost].into_iter().chain(width).chain(pairs).chain(apart).collect()
            }
        }
    }

    fn nested(&self, f: &mut Formatter<'_>, body: &[Stmt], depth: usize) -> fmt::Result {
        writeln!(f, " {{")?;
        self.close(f, body, depth)
    }

    fn close(&self, f: &mut Formatter<'_>, body: &[Stmt], depth: usize) -> fmt::Result {
        self.block(f, body, depth + 1)?;
        writeln!(f, "{}}}", "    ".repeat(depth))
    }

    fn at(&self, at: &[Affine]) -> String {
        let at: Vec<String> = at.iter().map(|a| self.names.affine(a)).collect();
        at.join(", ")
    }

    fn place(&self, p: &Place) -> String {
        let name = &self.names.arrays[p.var.0 as usize];
        if p.at.is_empty() { name.clone() } else { format!("{name}[{}]", self.at(&p.at)) }
    }

    fn tests(&self, tests: &[Test]) -> String {
        let one = |t: &Test| match t {
            Test::Index(c) => self.names.cond(c),
            Test::Real { op, left, right, holds } => {
                let op = match op {
                    RealCompare::Lt => "<",
                    RealCompare::Le => "<=",
                    RealCompare::Eq => "==",
                };
                let s = format!("{} {op} {}", self.expr(left), self.expr(right));
                if *holds { s } else { format!("!({s})") }
            }
            Test::Any(ps) => {
                let all: Vec<String> = ps.iter().map(|p| format!("({})", self.tests(p))).collect();
                all.join(" || ")
            }
        };
        let all: Vec<String> = tests.iter().map(one).collect();
        all.join(" && ")
    }

    fn expr(&self, e: &Expr) -> String {
        let tight = |e: &Expr| match e {
            Expr::Add(..) | Expr::Neg(_) => format!("({})", self.expr(e)),
            Expr::Number(_)
            | Expr::Constant(_)
            | Expr::OfIndex(_)
            | Expr::Read(_)
            | Expr::Mul(..)
            | Expr::Call(..)
            | Expr::If(..) => self.expr(e),
        };
        match e {
            Expr::Number(x) => format!("{x:?}"),
            Expr::Constant(path) => path.clone(),
            Expr::OfIndex(a) => format!("real({})", self.names.affine(a)),
            Expr::Read(p) => self.place(p),
            Expr::Neg(a) => format!("-{}", tight(a)),
            Expr::Add(a, b) => match &**b {
                Expr::Neg(b) => format!("{} - {}", self.expr(a), tight(b)),
                b => format!("{} + {}", self.expr(a), self.expr(b)),
            },
            Expr::Mul(a, b) => format!("{}*{}", tight(a), tight(b)),
            Expr::Call(f, args) => {
                let args: Vec<String> = args.iter().map(|a| self.expr(a)).collect();
                self.call(f, &args)
            }
            Expr::If(tests, a) => format!("[{}]*{}", self.tests(tests), tight(a)),
        }
    }

    fn call(&self, f: &Prim, args: &[String]) -> String {
        let name = match f {
            Prim::Unary(f) => f.name().to_string(),
            Prim::Binary(f) => f.name().to_string(),
            Prim::Clamp => "clamp".to_string(),
            Prim::Powi(k) => format!("powi<{}>", self.names.affine(k)),
            Prim::Stop => "stop".to_string(),
            Prim::FiniteOrZero => "finite_or_zero".to_string(),
            Prim::Outer(f) => f.name().to_string(),
            Prim::Formula(e) => return self.formula(e, args),
        };
        format!("{name}({})", args.join(", "))
    }

    fn formula(&self, e: &Formula, args: &[String]) -> String {
        match e {
            Formula::Arg(k) => args.get(*k).cloned().unwrap_or_default(),
            Formula::Number(x) => format!("{x:?}"),
            Formula::OfIndex(a) => format!("real({})", self.names.affine(a)),
            Formula::Neg(a) => format!("(-{})", self.formula(a, args)),
            Formula::Add(a, b) => format!("({} + {})", self.formula(a, args), self.formula(b, args)),
            Formula::Mul(a, b) => format!("{}*{}", self.formula(a, args), self.formula(b, args)),
            Formula::Apply(p, inner) => {
                let inner: Vec<String> = inner.iter().map(|a| self.formula(a, args)).collect();
                self.call(p, &inner)
            }
        }
    }
}

fn extreme(op: Extreme) -> &'static str {
    match op {
        Extreme::Max => "max",
        Extreme::Min => "min",
    }
}
