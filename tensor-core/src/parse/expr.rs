//! Expressions: precedence and what follows an operand.

use super::cursor::{Parsed, Parser, delimiters};
use crate::ast::{BinaryOp, CompareOp, Elem, Expr, ExprKind, IndexArg};
use crate::error::Span;
use proc_macro2::{Delimiter, Group, TokenTree};

/// How tightly an operator binds, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    Or,
    And,
    Compare,
    Add,
    Mul,
    Cast,
}

/// An infix operator.
#[derive(Clone, Copy, Debug)]
enum Infix {
    Or,
    And,
    Compare(CompareOp),
    Binary(BinaryOp),
    Cast,
}

/// An operator as written; the message is for those that mean another.
struct Operator {
    text: &'static str,
    infix: Infix,
    mistake: Option<&'static str>,
}

const fn op(text: &'static str, infix: Infix) -> Operator {
    Operator { text, infix, mistake: None }
}

const fn wrong(text: &'static str, infix: Infix, mistake: &'static str) -> Operator {
    Operator { text, infix, mistake: Some(mistake) }
}

const POWER: &str = "a power is `x.powi(2)` or `x.powf(y)`";

/// The first that matches counts.
const OPERATORS: &[Operator] = &[
    op("||", Infix::Or),
    op("&&", Infix::And),
    op("==", Infix::Compare(CompareOp::Eq)),
    op("!=", Infix::Compare(CompareOp::Ne)),
    op("<=", Infix::Compare(CompareOp::Le)),
    op(">=", Infix::Compare(CompareOp::Ge)),
    op("<", Infix::Compare(CompareOp::Lt)),
    op(">", Infix::Compare(CompareOp::Gt)),
    op("+", Infix::Binary(BinaryOp::Add)),
    op("-", Infix::Binary(BinaryOp::Sub)),
    wrong("**", Infix::Binary(BinaryOp::Mul), POWER),
    op("*", Infix::Binary(BinaryOp::Mul)),
    op("/", Infix::Binary(BinaryOp::Div)),
    op("%", Infix::Binary(BinaryOp::Rem)),
    wrong("=", Infix::Compare(CompareOp::Eq), "a comparison is written `==`"),
    wrong("&", Infix::And, "`and` is written `&&`"),
    wrong("|", Infix::Or, "`or` is written `||`"),
    wrong("^", Infix::Binary(BinaryOp::Mul), POWER),
];

/// What begins like an operator and is none.
const NO_OPERATORS: &[&str] = &["->", "=>", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="];

impl Infix {
    fn level(self) -> Level {
        match self {
            Infix::Or => Level::Or,
            Infix::And => Level::And,
            Infix::Compare(_) => Level::Compare,
            Infix::Binary(BinaryOp::Add | BinaryOp::Sub) => Level::Add,
            Infix::Binary(BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem) => Level::Mul,
            Infix::Cast => Level::Cast,
        }
    }
}

impl Level {
    /// What the right operand of a left-associative operator binds.
    fn tighter(self) -> Level {
        match self {
            Level::Or => Level::And,
            Level::And => Level::Compare,
            Level::Compare => Level::Add,
            Level::Add => Level::Mul,
            Level::Mul | Level::Cast => Level::Cast,
        }
    }
}

impl Parser<'_> {
    /// Any expression.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.sibling(|p| p.binary(Level::Or))
    }

    /// A bound of a range, an extent: what binds tighter than a comparison.
    pub(super) fn bound(&mut self) -> Parsed<Expr> {
        self.sibling(|p| p.binary(Level::Add))
    }

    /// Operators of at least this level.
    fn binary(&mut self, least: Level) -> Parsed<Expr> {
        let start = self.here();
        let mut left = self.unary()?;
        while let Some(infix) = self.infix().filter(|i| i.level() >= least) {
            let kind = match infix {
                Infix::Cast => ExprKind::Cast(Box::new(left), self.element()?),
                Infix::Compare(first) => ExprKind::Compare(Box::new(left), self.chain(first)?),
                Infix::Or | Infix::And | Infix::Binary(_) => {
                    self.operator();
                    let right = self.sibling(|p| p.binary(infix.level().tighter()))?;
                    let (l, r) = (Box::new(left), Box::new(right));
                    match infix {
                        Infix::Binary(op) => ExprKind::Binary(op, l, r),
                        Infix::And => ExprKind::And(l, r),
                        Infix::Or | Infix::Compare(_) | Infix::Cast => ExprKind::Or(l, r),
                    }
                }
            };
            let span = self.since(start);
            left = Expr { kind, span };
            self.grow(span)?;
        }
        Ok(left)
    }

    /// `< b <= c`
    fn chain(&mut self, first: CompareOp) -> Parsed<Vec<(CompareOp, Expr)>> {
        let mut rest = Vec::new();
        let mut next = Some(Infix::Compare(first));
        while let Some(Infix::Compare(op)) = next {
            self.operator();
            rest.push((op, self.bound()?));
            next = self.infix();
        }
        Ok(rest)
    }

    /// The infix operator here.
    fn infix(&self) -> Option<Infix> {
        if self.at_word("as") {
            return Some(Infix::Cast);
        }
        self.written().map(|o| o.infix)
    }

    fn written(&self) -> Option<&'static Operator> {
        let none = NO_OPERATORS.iter().any(|o| self.at(o));
        OPERATORS.iter().find(|o| self.at(o.text)).filter(|_| !none)
    }

    /// Takes the operator here, and says if it is the wrong one.
    fn operator(&mut self) {
        let Some(operator) = self.written() else { return };
        if let Some(mistake) = operator.mistake {
            self.errors.push(self.here(), mistake);
        }
        self.eat(operator.text);
    }

    /// `as f64`
    fn element(&mut self) -> Parsed<Elem> {
        self.bump();
        let elem = match self.ident(0).map(ToString::to_string).as_deref() {
            Some("f64") => Elem::F64,
            Some("f32") => Elem::F32,
            _ => {
                let message =
                    "a size or an index becomes a scalar by `as f64` or `as f32`; there are no other casts";
                return self.fail(self.here(), message);
            }
        };
        self.bump();
        Ok(elem)
    }

    /// `-a`, `!p`, or an operand with what follows it.
    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.here();
        if self.at("->") {
            return Err(self.unexpected("an expression"));
        }
        let sign = [("-", true), ("!", true), ("+", false), ("*", false), ("&", false)]
            .into_iter()
            .find(|(s, _)| self.at(s));
        let Some((sign, known)) = sign else { return self.postfix() };
        if !known {
            self.errors.push(
                start,
                match sign {
                    "+" => "leave the sign `+` out",
                    "*" => "references are not supported: leave the `*` out",
                    _ => "references are not supported: leave the `&` out",
                },
            );
        }
        self.eat(sign);
        let operand = self.nested(Self::unary)?;
        let span = self.since(start);
        self.grow(span)?;
        Ok(match sign {
            "-" => Expr { kind: ExprKind::Neg(Box::new(operand)), span },
            "!" => Expr { kind: ExprKind::Not(Box::new(operand)), span },
            _ => operand,
        })
    }

    /// `a[i]`, `t.0`, `x.f()`, and so on.
    fn postfix(&mut self) -> Parsed<Expr> {
        let start = self.here();
        let mut operand = self.operand()?;
        loop {
            let kind = if let Some(group) = self.group(Delimiter::Bracket) {
                ExprKind::Access(Box::new(operand), self.index_args(&group)?)
            } else if self.at(".") && !self.at("..") {
                self.eat(".");
                match self.member(operand, start)? {
                    Member::Fields(chain) => {
                        operand = chain;
                        continue;
                    }
                    Member::Method(kind) => kind,
                }
            } else if self.at_group(Delimiter::Parenthesis) {
                return self
                    .fail(self.here(), "a function is called by its name: `f(x)`; a product needs its `*`");
            } else if self.at("?") {
                self.unexpected("an operator");
                self.eat("?");
                continue;
            } else {
                return Ok(operand);
            };
            let span = self.since(start);
            operand = Expr { kind, span };
            self.grow(span)?;
        }
    }

    /// The indices of an access.
    fn index_args(&mut self, group: &Group) -> Parsed<Vec<IndexArg>> {
        let span = delimiters(group);
        self.within(group, |p| {
            if p.at_end() {
                return p.fail(span, "an index is missing");
            }
            Ok(p.list("`,` or `]` after an index", Self::index_arg))
        })
    }

    fn index_arg(&mut self) -> Parsed<IndexArg> {
        let start = self.here();
        let slice =
            "a part of a tensor is written `for k in 0..len { x[i + k] }`; `..` alone is a whole dimension";
        if self.at(":") {
            return self.fail(start, "a whole dimension is written `..`");
        }
        if self.eat("..") {
            let all = self.since(start);
            return if self.at_end() || self.at(",") {
                Ok(IndexArg::All(all))
            } else {
                self.fail(start, slice)
            };
        }
        let index = self.expr()?;
        if self.at("..") || self.at(":") {
            return self.fail(self.here(), slice);
        }
        Ok(IndexArg::At(index))
    }

    /// What follows a dot.
    fn member(&mut self, of: Expr, start: Span) -> Parsed<Member> {
        if let Some(TokenTree::Literal(literal)) = self.peek(0).cloned() {
            self.bump();
            return self.fields(of, start, &literal.to_string()).map(Member::Fields);
        }
        let name = match self.ident(0).cloned() {
            Some(name) => name,
            None => return Err(self.unexpected("a method or the number of a component after `.`")),
        };
        self.bump();
        if self.at("::") {
            return self.fail(
                self.here(),
                "type arguments are not supported: scalars have the type of the function",
            );
        }
        let Some(group) = self.group(Delimiter::Parenthesis) else {
            let message = format!(
                "named fields are not supported; a scalar function is called with parentheses: `.{name}()`"
            );
            return self.fail(name.span(), message);
        };
        if name == "rev" || name == "step_by" {
            return self.fail(name.span(), match name == "rev" {
                true => "a range is reversed in parentheses: `(0..n).rev()`",
                false => "a range has step 1: write `x[2 * i]`, or a guard such as `if i % 2 == 0` after the range",
            });
        }
        let args = self.args(&group)?;
        Ok(Member::Method(ExprKind::Method(Box::new(of), name, args)))
    }

    /// `.0`, or `.0.1`, which Rust reads as one literal.
    fn fields(&mut self, of: Expr, start: Span, text: &str) -> Parsed<Expr> {
        let mut of = of;
        let span = self.since(start);
        for part in text.split('.') {
            let Some(field) = part.parse().ok().filter(|_| part.bytes().all(|b| b.is_ascii_digit())) else {
                return self
                    .fail(self.last, format!("`.{text}` is not the number of a component, as in `t.0`"));
            };
            of = Expr { kind: ExprKind::Field(Box::new(of), field), span };
            self.grow(span)?;
        }
        Ok(of)
    }

    /// The arguments of a call.
    pub(super) fn args(&mut self, group: &Group) -> Parsed<Vec<Expr>> {
        self.within(group, |p| Ok(p.list("`,` or `)` after an argument", Self::expr)))
    }
}

/// What followed a dot.
enum Member {
    /// The operand with its projections.
    Fields(Expr),
    /// A call.
    Method(ExprKind),
}
