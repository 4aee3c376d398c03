//! The checked program: names resolved, types known, sugar gone, indices affine.
//!
//! What is left is the core language of *Differentiating a Tensor Language* (Figure 3) with calls, choices, extremes and recurrences:
//! arithmetic is of scalars, accesses are of full rank, brackets stand where they guard.
//!
//! Invariant: every variable and every index is bound once in a function; ids are unique.
//! Invariant: an index array of `argmax` is an `Atom::Element(id, [])` whose value is that of the enclosing `LetArg`.

use crate::ast::{self, Elem};
use crate::error::Span;
use crate::index::project::Sizes;
use crate::index::{Affine, Names, Pred};
use crate::prim::Prim;
use crate::sorted::Set;
use proc_macro2::{Ident, TokenStream};

mod rec;
mod walk;

pub use rec::Rec;

/// The functions of a block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// In source order. Transforms are functions too.
    pub functions: Vec<Function>,
    /// Callees and transformed functions before those that use them.
    pub order: Vec<usize>,
    /// The Rust functions over tensors: those that are declared, and those that are named as derivatives.
    pub callees: Vec<crate::ssa::Callee>,
    /// What Rust is to check of each of them.
    pub foreign: Vec<Foreign>,
}

/// A Rust function over tensors, and how it is called.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// Its path, as written.
    pub path: TokenStream,
    /// The element type.
    pub elem: Elem,
    /// How many dimensions each argument has.
    pub args: Vec<usize>,
    /// How many dimensions each result has.
    pub results: Vec<usize>,
}

/// A function: its signature is complete even if its body had errors.
#[derive(Clone, Debug)]
pub struct Function {
    /// Attributes and docs, as written.
    pub attrs: TokenStream,
    /// Whether it may run on several threads.
    pub threads: bool,
    /// Visibility.
    pub vis: TokenStream,
    /// The name.
    pub name: Ident,
    /// By `Atom::Size`.
    pub sizes: Vec<Size>,
    /// In order, sizes included.
    pub params: Vec<Param>,
    /// The type of the result.
    pub result: Type,
    /// Whether it stands inside another item, as `grad(f)` in `jvp(grad(f))`: nothing is emitted for it.
    pub is_inner: bool,
    /// The linear map that it returns beside the value, which is a Rust type: no other function calls or transforms it.
    pub linearization: Option<Box<Linearization>>,
    /// The element type.
    pub elem: Elem,
    /// How the sizes follow from the dimensions of the parameters' leaves, numbered in order of leaves and dimensions (as
    /// `Atom::Index`); `usize` parameters and constants are known beforehand.
    pub solution: Sizes,
    /// Conditions checked on entry: `where`, extents that are not negative, ranges of `for` and of callees. The text is the condition as
    /// the user would write it, and `where` tells what asks for it.
    pub checks: Vec<EntryCheck>,
    /// What the function computes; `None` if it had errors.
    pub body: Option<Definition>,
    /// Names of indices, by `Atom::Index`, for messages and printing.
    pub indices: Vec<String>,
    /// Names of variables, by [`Var`].
    pub variables: Vec<String>,
    /// Those of `#[recompute] let`.
    pub recomputed: Set<Var>,
    /// Comparisons of reals, by the id of `Cond::Opaque { id, args: [], .. }`, each open in the scope where the condition stands.
    pub comparisons: Vec<Comparison>,
    /// Ranges of index values bound by `LetArg`, by element id: (lower, upper) in the scope of the `LetArg`.
    pub elements: Vec<(Affine, Affine)>,
    /// Extents as the user wrote them.
    pub written: Vec<(Affine, String)>,
}

impl Function {
    /// Names of sizes for messages, and extents as the user wrote them.
    #[must_use]
    pub fn names(&self) -> Names {
        let sizes = self.sizes.iter().map(|s| s.name.clone()).collect();
        Names { sizes, written: self.written.clone(), ..Names::default() }
    }
}

/// The methods of a linear map, without bodies; their sizes are those of the function.
#[derive(Clone, Debug)]
pub struct Linearization {
    /// Of tangents.
    pub apply: Function,
    /// Of cotangents.
    pub apply_transpose: Function,
}

/// `condition` on the sizes must hold on entry.
#[derive(Clone, Debug)]
pub struct EntryCheck {
    /// A condition on sizes.
    pub condition: crate::index::Cond,
    /// As the user wrote it, or would: `2 * m <= n`.
    pub text: String,
}

/// A size.
#[derive(Clone, Debug)]
pub struct Size {
    /// Its name.
    pub name: String,
    /// Where its value comes from.
    pub origin: SizeOrigin,
}

/// See [`Size`].
#[derive(Clone, Debug)]
pub enum SizeOrigin {
    /// `<n>`: from the shapes of the arguments, by `Function::solution`.
    Shape(Span),
    /// The `usize` parameter of this number.
    Parameter(usize),
    /// A Rust constant, by its path.
    Constant(TokenStream),
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: Type,
    /// The variable bound to it in the body (for a `usize`, none).
    pub var: Option<Var>,
}

/// The type of a value. Invariant: the element of an array is a real or a tuple, never an array. The parts of a tuple may be arrays,
/// also where it is an element: `[([f64; m], f64); n]` is `Array([n], Tuple([Array([m], Real), Real]))`, of which the leaves have the
/// extents `[n, m]` and `[n]`.
#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    /// A scalar.
    Real,
    /// Extents are affine in sizes.
    Array(Vec<Affine>, Box<Type>),
    /// A tuple.
    Tuple(Vec<Type>),
    /// A `usize` parameter.
    Size,
}

/// What a function computes.
#[derive(Clone, Debug)]
pub enum Definition {
    /// Its body.
    Expr(Expr),
    /// A transform of another function of the block.
    Transform {
        /// Which.
        transform: Transform,
        /// `Block::functions[of]`
        of: usize,
        /// With respect to which leaves of the parameters, by the number of the leaf among all real leaves, grouped by name of the `wrt`.
        wrt: Vec<Vec<usize>>,
    },
    /// A Rust function over tensors: `Block::callees[_]`.
    Foreign(usize),
}

/// The transforms of the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Transform {
    Grad,
    ValueAndGrad,
    Jvp,
    Vjp,
    Hvp,
    Jacobian,
    Hessian,
    Transpose,
    Linearize,
}

/// A variable of the function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Var(pub u32);

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Where it is written.
    pub span: Span,
}

/// See [`Expr`].
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A parameter or a `let`.
    Var(Var),
    /// A literal.
    Number(f64),
    /// A Rust constant by its path.
    Constant(String),
    /// `i as f64`
    OfIndex(Affine),
    /// `-a`, of a scalar
    Neg(Box<Expr>),
    /// `a + b`, of scalars
    Add(Box<Expr>, Box<Expr>),
    /// `a - b`, of scalars
    Sub(Box<Expr>, Box<Expr>),
    /// `a * b`, of scalars
    Mul(Box<Expr>, Box<Expr>),
    /// `f(a, …)`, division too, and `stop` of a scalar
    Prim(Prim, Vec<Expr>),
    /// `(a, …)`
    Tuple(Vec<Expr>),
    /// `e.k`
    Field(Box<Expr>, usize),
    /// The array of a scalar or a tuple.
    Gen(Vec<Binder>, Pred, Box<Expr>),
    /// A reduction of a scalar.
    Reduce(Reduce, Vec<Binder>, Pred, Box<Expr>),
    /// `e[at]`, of full rank
    Access(Box<Expr>, Vec<IndexArg>),
    /// `[p] e`, at every type
    Guard(Pred, Box<Expr>),
    /// `if p { a } else { b }`, at every type
    If(Pred, Box<Expr>, Box<Expr>),
    /// `let var = value; rest`
    Let(Var, Box<Expr>, Box<Expr>),
    /// `let element = argmax …; rest`
    LetArg(Box<LetArg>),
    /// A recurrence.
    Rec(Box<Rec>),
    /// `grad(e, x)`: the derivative of a scalar by a variable, through all that was computed from it since it was bound.
    Grad(Box<Expr>, Var),
    /// A function of Rust.
    Outer(Box<Outer>),
    /// A value with a derivative of its own.
    Ruled(Box<Ruled>),
    /// A call: the sizes of the callee, and its real arguments in order.
    Call(usize, Vec<Affine>, Vec<Expr>),
}

/// `path(args)` with its partial derivatives.
#[derive(Clone, Debug)]
pub struct Outer {
    /// The Rust function.
    pub path: String,
    /// Numbers.
    pub args: Vec<Expr>,
    /// By each of them; what is not known, in words.
    pub partials: Vec<Result<Expr, String>>,
}

/// `value`, of which the differential is that of `surrogate` by `copies`: each of these stands for a parameter, and is differentiated in its
/// place.
#[derive(Clone, Debug)]
pub struct Ruled {
    /// What it is.
    pub value: Expr,
    /// The copy, and what it is a copy of.
    pub copies: Vec<(Var, Var)>,
    /// Linear in the copies, of the type of the value.
    pub surrogate: Expr,
    /// Parameters by which no derivative is given, and how to say so.
    pub missing: Vec<(Var, String)>,
}

/// `let element = argmax index in lower..upper if guard { value }; rest`
#[derive(Clone, Debug)]
pub struct LetArg {
    /// The id of the `Atom::Element` that stands for the result in `rest`, without arguments.
    pub element: u32,
    /// What messages call the result: the name that a `let` gives it, else `argmax i`.
    pub name: String,
    /// Whether it is `argmax`.
    pub is_max: bool,
    /// The range.
    pub binder: Binder,
    /// What counts.
    pub guard: Pred,
    /// Whether nothing may count. The result is then one before the range, and the rest asks for that before it uses it.
    pub may_be_empty: bool,
    /// The values.
    pub value: Expr,
    /// Where the element is in scope.
    pub rest: Expr,
}

/// An index of an access, with what messages need.
#[derive(Clone, Debug)]
pub struct IndexArg {
    /// The index.
    pub index: Affine,
    /// As the user wrote it, but for space; `None` where no one did.
    pub text: Option<String>,
    /// Where it is written.
    pub span: Span,
}

/// Reductions to a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Reduce {
    Sum,
    Max,
    Min,
    LogSumExp,
}

/// `index in lower..upper`
#[derive(Clone, Debug)]
pub struct Binder {
    /// `Atom::Index(index)`
    pub index: u32,
    /// The first value. In a `for` over sizes alone; in a reduction it may mention outer indices.
    pub lower: Affine,
    /// The end.
    pub upper: Affine,
    /// Where it is written.
    pub span: Span,
}

/// `left op right`
#[derive(Clone, Debug)]
pub struct Comparison {
    /// One of `<`, `<=`, `==`.
    pub op: crate::ssa::RealCompare,
    /// The left side.
    pub left: Expr,
    /// The right side.
    pub right: Expr,
}

/// An inline block: a function without a name, called at once.
#[derive(Clone, Debug)]
pub struct Inline {
    /// The function; its parameters are the captures.
    pub function: Function,
    /// What each parameter borrows.
    pub arguments: Vec<TokenStream>,
    /// The captures as parsed.
    pub source: ast::Inline,
}
