//! The surface syntax, as written: names are not resolved, nothing is desugared, parentheses are gone.

mod recurrence;

use crate::error::Span;
use proc_macro2::{Ident, TokenStream};
pub use recurrence::{Checkpoint, Form, Keep, Operator, Recurrence};

/// The content of `tensor! { … }` with items.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// In source order.
    pub items: Vec<Item>,
    /// `#![threads]`: every function may run on several threads.
    pub threads: bool,
    /// Derivatives that are given.
    pub rules: Vec<Rule>,
    /// Names of items whose signature had errors, which are reported: to use them is no further error.
    pub broken: Vec<Ident>,
}

/// A function or a transform of one.
#[derive(Clone, Debug)]
pub enum Item {
    /// `fn f<n>(x: [f64; n]) -> f64 { … }`
    Function(Function),
    /// `fn g = grad(f, x);`
    Transform(Transform),
}

impl Item {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &Ident {
        match self {
            Item::Function(f) => &f.name,
            Item::Transform(t) => &t.name,
        }
    }
}

/// `attrs vis fn name<sizes>(params) -> result where conditions { body }`
#[derive(Clone, Debug)]
pub struct Function {
    /// Attributes and docs, as written.
    pub attrs: TokenStream,
    /// `#[threads]`, of the function or of the block: it may run on several threads.
    pub threads: bool,
    /// `pub`, `pub(crate)`, …
    pub vis: TokenStream,
    /// The name.
    pub name: Ident,
    /// `<n, m>`
    pub sizes: Vec<Ident>,
    /// The parameters.
    pub params: Vec<Param>,
    /// The type of the result.
    pub result: Type,
    /// The conditions of `where`, each an expression.
    pub conditions: Vec<Expr>,
    /// The body; `None` if it had errors, which are reported: the signature still counts.
    pub body: Option<Body>,
    /// Of an `extern fn`, in the place of a body.
    pub outer: Option<Outer>,
}

/// `= path { x: partial, … }` or `= path { jvp = path, … }` of an `extern fn`: what is called, and its derivatives.
#[derive(Clone, Debug)]
pub struct Outer {
    /// The Rust function.
    pub path: TokenStream,
    /// By parameters.
    pub partials: Vec<(Ident, Expr)>,
    /// Of a function over tensors.
    pub derivatives: Vec<Derivative>,
}

/// `vjp(x, result) = path`
#[derive(Clone, Debug)]
pub struct Derivative {
    /// `jvp`, `vjp` or `transpose`.
    pub key: Ident,
    /// The parameters that it is by, and `result` if it is given that; none: by all.
    pub names: Vec<Ident>,
    /// The path of a Rust function, or the name of another `extern fn`.
    pub path: TokenStream,
}

/// `impl jvp(f, x) = g;`: the derivative of a function is another one.
#[derive(Clone, Debug)]
pub struct Rule {
    /// `jvp` or `vjp`.
    pub mode: Ident,
    /// Of this function.
    pub of: Ident,
    /// By these; empty means all real parameters.
    pub wrt: Vec<Wrt>,
    /// The function that is the derivative.
    pub by: Ident,
}

/// `name: type`
#[derive(Clone, Debug)]
pub struct Param {
    /// The name.
    pub name: Ident,
    /// The type.
    pub ty: Type,
}

/// `attrs vis fn name = transform(of, wrt);`. In `jvp(grad(f, x), x)` the inner one is an item before the outer, with a name made up.
#[derive(Clone, Debug)]
pub struct Transform {
    /// Whether it stands inside another transform: nothing is emitted for it.
    pub is_inner: bool,
    /// Attributes and docs, as written.
    pub attrs: TokenStream,
    /// `#[threads]`, of this item or of the block: what it makes may run on several threads.
    pub threads: bool,
    /// `pub`, `pub(crate)`, …
    pub vis: TokenStream,
    /// The name.
    pub name: Ident,
    /// `grad`, `value_and_grad`, `jvp`, `vjp`, … as written: unknown ones are the checker's to report.
    pub transform: Ident,
    /// The function transformed.
    pub of: Ident,
    /// With respect to these; empty means all real parameters.
    pub wrt: Vec<Wrt>,
}

/// `x` or `t.0`
#[derive(Clone, Debug)]
pub struct Wrt {
    /// The parameter.
    pub name: Ident,
    /// The projection, if any.
    pub field: Option<u32>,
    /// All of it.
    pub span: Span,
}

/// An element type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elem {
    /// `f64`
    F64,
    /// `f32`
    F32,
}

/// A type and where it is written.
#[derive(Clone, Debug)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// See [`Type`]. Types of later issues (`usize < n`, `rel`, `sparse`) are errors of the parser.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `f64`, `f32`
    Real(Elem),
    /// `[type; extents]`
    Array(Box<Type>, Vec<Expr>),
    /// `(A, B)`
    Tuple(Vec<Type>),
    /// `usize`
    Size,
}

/// `{ lets; value }`
#[derive(Clone, Debug)]
pub struct Body {
    /// In order.
    pub lets: Vec<Let>,
    /// The value.
    pub value: Box<Expr>,
    /// The braces.
    pub span: Span,
}

/// `let pattern: ty = value;`
#[derive(Clone, Debug)]
pub struct Let {
    /// `#[recompute]` stands before it.
    pub recompute: bool,
    /// What is bound.
    pub pattern: Pattern,
    /// The type, where written.
    pub ty: Option<Type>,
    /// Its value.
    pub value: Expr,
}

/// A name or a tuple of patterns.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// `x`; `_` is an identifier too
    Name(Ident),
    /// `(a, (b, c))`
    Tuple(Vec<Pattern>, Span),
}

/// An expression and where it is written.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// See [`Expr`].
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `1`, `2.5e3`: the digits as written, without underscores and suffix. (A suffix is an error of the parser.)
    Number {
        /// As written, without suffix.
        digits: String,
        /// Whether it has neither point nor exponent.
        is_integer: bool,
    },
    /// A lower-case or upper-case single name: variable, size, index or Rust constant.
    Name(Ident),
    /// `crate::GRAVITY`, `f64::consts::PI`: a Rust constant by its path.
    Path(TokenStream),
    /// `(a, b)`; `()` is an error of the parser, `(a)` is `a`
    Tuple(Vec<Expr>),
    /// `[a, b, c]` or the bracket `[p]`: the checker decides by content.
    Bracket(Vec<Expr>),
    /// `[0.0; n, m]`
    Repeat(Box<Expr>, Vec<Expr>),
    /// `t.0`
    Field(Box<Expr>, u32),
    /// `a[i, .., 2*j + 1]`
    Access(Box<Expr>, Vec<IndexArg>),
    /// `-a`
    Neg(Box<Expr>),
    /// `!p`
    Not(Box<Expr>),
    /// `a + b`, …
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a < b <= c`
    Compare(Box<Expr>, Vec<(CompareOp, Expr)>),
    /// `p && q`
    And(Box<Expr>, Box<Expr>),
    /// `p || q`
    Or(Box<Expr>, Box<Expr>),
    /// `n as f64`
    Cast(Box<Expr>, Elem),
    /// `f(a, b)`: a function of the block, a scalar function, or `stop`
    Call(Ident, Vec<Expr>),
    /// `x.powi(2)`
    Method(Box<Expr>, Ident, Vec<Expr>),
    /// `for i in 0..n, j { e }`, `for i if p { e }`
    Gen(Loop),
    /// `sum i { e }`, `max …`, `argmin …`, `logsumexp …`
    Reduce(ReduceOp, Loop),
    /// `exists j in a..b { p }`
    Exists(Loop),
    /// `rec i in 0..n { e }`, `fold …`, `scan …`, `prod …`, `reduce …`
    Recurrence(Box<Recurrence>),
    /// `if p { a } else { b }`
    If(Box<Expr>, Body, Body),
    /// `{ lets; e }`
    Block(Body),
}

/// `binders if guard { body }`
#[derive(Clone, Debug)]
pub struct Loop {
    /// At least one.
    pub binders: Vec<Binder>,
    /// The condition after the binders.
    pub guard: Option<Box<Expr>>,
    /// The body.
    pub body: Body,
}

/// `i in a..b`, `i in a..=b`, or `i` alone.
#[derive(Clone, Debug)]
pub struct Binder {
    /// The index.
    pub index: Ident,
    /// Its range, where written.
    pub range: Option<Range>,
}

/// `lower..upper`, `lower..=upper`, `(lower..upper).rev()`
#[derive(Clone, Debug)]
pub struct Range {
    /// The first.
    pub lower: Expr,
    /// The end.
    pub upper: Expr,
    /// `..=`
    pub inclusive: bool,
    /// `.rev()`: from the last to the first. In recurrences alone.
    pub backward: bool,
}

/// What stands between the brackets of an access.
#[derive(Clone, Debug)]
pub enum IndexArg {
    /// An index expression.
    At(Expr),
    /// `..`
    All(Span),
}

/// Arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// Comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum CompareOp {
    Lt,
    Le,
    Eq,
    Ne,
    Ge,
    Gt,
}

/// Reductions over binders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ReduceOp {
    Sum,
    Max,
    Min,
    LogSumExp,
    ArgMax,
    ArgMin,
}

/// An inline block: `tensor!(for i { … })`, or `tensor!(|x: [f64; n] = &data| e)`.
#[derive(Clone, Debug)]
pub struct Inline {
    /// Typed captures with the Rust expressions that they borrow.
    pub captures: Vec<Capture>,
    /// The expression.
    pub body: Body,
    /// Names of captures that are called otherwise in the block than in Rust, and as they were written.
    pub written: Vec<(Ident, Ident)>,
}

/// `name: ty = value`, or `name: ty` for the Rust variable of that name.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The name in the block.
    pub name: Ident,
    /// Its type.
    pub ty: Type,
    /// A Rust expression.
    pub value: TokenStream,
}
