//! Recurrences: loops whose steps read what the steps before them gave.

use super::{Body, Expr, Loop, Pattern};
use crate::error::Span;

/// `rec`, `fold`, `scan`, `prod`, `reduce`.
#[derive(Clone, Debug)]
pub struct Recurrence {
    /// Which.
    pub form: Form,
    /// Its indices, the condition of a step, and the step.
    pub steps: Loop,
    /// `#[checkpoint(…)]`, before it or before its `let`.
    pub checkpoint: Option<Checkpoint>,
    /// The word that it begins with.
    pub word: Span,
}

/// See [`Recurrence`].
#[derive(Clone, Debug)]
pub enum Form {
    /// `rec i { e }`: the tensor of `e`, which the pattern of its `let` names in `e`, too.
    Rec,
    /// `prod i { e }`
    Prod,
    /// `fold t from s = s0 { e }`: the last state.
    Fold(Pattern, Box<Expr>),
    /// `scan t from s = s0 { e }`: all states.
    Scan(Pattern, Box<Expr>),
    /// `reduce i with |p, q| { op } from e0 { e }`
    Reduce(Box<Operator>),
    /// `scan i with |p, q| { op } from e0 { e }`
    ScanWith(Box<Operator>),
}

impl Form {
    /// The word that it begins with.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Form::Rec => "rec",
            Form::Prod => "prod",
            Form::Fold(..) => "fold",
            Form::Scan(..) | Form::ScanWith(_) => "scan",
            Form::Reduce(_) => "reduce",
        }
    }
}

/// `with |left, right| { value } from unit`
#[derive(Clone, Debug)]
pub struct Operator {
    /// What came before.
    pub left: Pattern,
    /// What comes next.
    pub right: Pattern,
    /// The two together.
    pub value: Body,
    /// What it begins with.
    pub unit: Expr,
}

/// `#[checkpoint(…)]`
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// What the reverse sweep finds stored.
    pub keep: Keep,
    /// Where it is written.
    pub span: Span,
}

/// Which states are stored for the reverse sweep. The others are computed once more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Every k-th, and of the steps between two of them every l-th, and so on.
    Every(Vec<i64>),
    /// As many as there are steps between two of them.
    Sqrt,
}
