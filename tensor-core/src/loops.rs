//! The loop IR: what is executed, as plain data.
//!
//! ```text
//! for i in max(a, …)..min(b, …) step k { … }     let i = a; …     if p { … } else { … }
//! x = e     x[a] = e     x[a] += e     x[a] = max(x[a], e)     x[..] = 0
//! ```
//!
//! Invariant: an index is bound by one `For` or `LetIndex`, and used inside that loop or after that `let` in the same block.
//! Invariant: an `Atom::Element(v, at)` in an affine form here reads the variable `VarId(v)`, which holds indices.
//! Invariant: no vectorized loop is inside another; in its body no test of indices, bound or `let` of an index depends on its index, each place moves
//! with it by a fixed stride, and what is written is its own in each iteration, or only added to (or compared with) and not read in the body.
//! Invariant: a local is declared before it is used, in the same block or one around it.

mod call;
pub(crate) mod captures;
#[cfg(any(test, feature = "eval"))]
pub mod display;
#[cfg(any(test, feature = "eval"))]
pub mod eval;
pub(crate) mod inside;
pub(crate) mod leaf;
pub(crate) mod names;
pub mod outside;
pub mod pieces;
mod product;
pub mod rows;
pub(crate) mod straight;
pub(crate) mod stride;
pub mod strips;
pub mod tasks;
#[cfg(any(test, feature = "eval"))]
pub mod verify;
pub(crate) mod visit;
pub(crate) mod walk;
pub mod windows;

pub use call::{Argument, Call, Whole};
pub use leaf::Leaf;
pub use product::{Band, Part, Product, Symmetrize, Way};

use crate::ast::Keep;
use crate::index::{Affine, Atom, Cond};
use crate::prim::Prim;
use crate::ssa::{Function, Index, RealCompare};
use crate::weights;
use rows::Row;
use strips::{Strips, Sums, Totals};
use tasks::Tasks;
use windows::Reach;

/// A function as loops over buffers.
#[derive(Clone, Debug)]
pub struct Program {
    /// Sizes, parameters, results, names. Tensor parameters and results are contiguous row-major buffers.
    pub function: Function,
    /// Buffers from the workspace.
    pub work: Vec<Buffer>,
    /// Everything that is read or written, by `VarId`.
    pub vars: Vec<Variable>,
    /// Names of the indices (hints, not unique), by `Index`.
    pub indices: Vec<String>,
    /// What is done, in order.
    pub body: Vec<Stmt>,
    /// The values of the result leaves of rank 0, in order, after the body.
    pub scalars: Vec<Expr>,
    /// The indices of loops whose range was not found. Such a program does not run: it is a mistake at compile time.
    pub unbounded: Vec<String>,
    /// Why loops are outside of those in them, where there was a choice.
    pub outside: outside::Reasons,
    /// Arrays that may live in the buffer of another, which is of the same extents and overwrites each element after its last use: as long as statements keep
    /// their order. `schedule::share` decides, and leaves none.
    pub shares: Vec<(VarId, VarId)>,
    /// Steps, by their indices, of which the reverse sweep finds some states stored.
    /// `schedule::checkpoint` sees to it, and leaves none.
    pub checkpoints: Vec<(Index, Keep)>,
    /// The last sizes of the function: those that are no sizes of the source.
    pub derived: Vec<Derived>,
    /// The loops over blocks of fused and tiled loops, and of steps.
    pub blocks: Vec<Index>,
    /// Arrays whose rows are those of a block of iterations. Fewer iterations leave the rest of each row, up to whole vectors, to mean nothing.
    pub padded: Vec<VarId>,
    /// Whether long loops, and large matmuls, may be cut into tasks for threads.
    pub threads: bool,
}

impl Program {
    /// All sizes, by those of the source.
    #[must_use]
    pub fn sizes(&self, of_source: &[i64]) -> Vec<i64> {
        let value = |a: &Affine| {
            a.eval(&|t| match t {
                Atom::Size(k) => of_source.get(*k as usize).copied().unwrap_or(0),
                _ => 0,
            })
        };
        let derived = self.derived.iter().map(|d| match d {
            Derived::Root(a) => root(value(a)),
            Derived::Lanes(a) => value(a).clamp(FEW, WIDEST),
        });
        of_source.iter().copied().chain(derived).collect()
    }

    /// A size that others say, by its name.
    pub(crate) fn derived_size(&mut self, derived: Derived, name: String) -> Affine {
        let first = self.function.sizes.len() - self.derived.len();
        let at = self.derived.iter().position(|d| *d == derived).unwrap_or_else(|| {
            self.derived.push(derived);
            self.function.sizes.push(name);
            self.derived.len() - 1
        });
        Atom::Size(u32::try_from(first + at).expect("fewer than 2³² sizes")).into()
    }
}

/// The most numbers that a vector of any instruction set holds, or several of them that run at once,
pub(crate) const WIDEST: i64 = 64;

/// and that one holds, of which the first lanes run the remainder.
pub(crate) const FEW: i64 = 16;

/// How many numbers the kernel for matmuls needs; as much as the `WORK` of the runtime crate.
pub const PRODUCT_WORK: i64 = 152_512;

/// A size that others say.
#[derive(Clone, PartialEq, Debug)]
pub enum Derived {
    /// The root, rounded up.
    Root(Affine),
    /// The lanes that so many iterations run in at most.
    Lanes(Affine),
}

impl Derived {
    /// What it is said by.
    #[must_use]
    pub fn of(&self) -> &Affine {
        match self {
            Derived::Root(a) | Derived::Lanes(a) => a,
        }
    }
}

/// The root of a number, rounded up.
#[must_use]
pub fn root(n: i64) -> i64 {
    let floor = n.max(0).isqrt();
    floor + i64::from(floor * floor < n)
}

/// A buffer from the workspace; its content on entry is arbitrary.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// A hint for its name.
    pub name: String,
    /// Its length is their product: the extents of the variable, and room for each lane where it has a copy for each.
    pub extents: Vec<Affine>,
    /// Whether it holds indices (`isize`) rather than reals.
    pub holds_indices: bool,
}

/// A variable of the program, by its place in [`Program::vars`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct VarId(pub u32);

/// See [`VarId`].
#[derive(Clone, Debug)]
pub struct Variable {
    /// A hint for its name.
    pub name: String,
    /// Where it lives.
    pub storage: Storage,
    /// Its extents, row-major; none for a local.
    pub extents: Vec<Affine>,
    /// Whether it holds indices rather than reals.
    pub holds_indices: bool,
    /// The vectorized loop inside which it lives: it has one value, or one copy of its elements, for each lane.
    pub lanes: Option<Index>,
    /// Why it is stored as it is, for people.
    pub why: String,
}

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// The leaf of the parameters of this number.
    Param(usize),
    /// The leaf of the result of this number, of rank at least 1.
    Result(usize),
    /// The workspace buffer of this number.
    Work(usize),
    /// A scalar local.
    Local,
}

/// A variable, or one element of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// Which.
    pub var: VarId,
    /// One index for each of its extents; the last may stand for several, and counts the elements of their rows.
    pub at: Vec<Affine>,
}

/// `num / den`, rounded up as a lower bound and down as an upper one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// Over sizes, indices around, and elements.
    pub num: Affine,
    /// At least 1.
    pub den: i64,
}

/// Which iteration of a loop is the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// The lowest.
    Forward,
    /// The highest.
    Backward,
}

/// How the iterations of a loop follow each other.
#[derive(Clone, PartialEq, Debug)]
pub enum Order {
    /// One after the other.
    Sequence,
    /// One after the other in this direction, as the steps of a recurrence: what one reads others before it have written.
    Steps(Direction),
    /// One after the other, in a function of its own: see `schedule::outline`.
    Outlined,
    /// One after the other; what vectorized loops inside add to these locals stays in lanes until the last.
    Carrying(Totals),
    /// One after the other, inside a vectorized loop, with sums that join at the end.
    Summing(Sums),
    /// Several at once, one in each lane of a vector.
    Lanes {
        /// What the loop costs so, by the cost model of the scheduler.
        cost: u64,
        /// What it would cost one after the other.
        sequence: u64,
        /// What its body reaches, where that is straight: see `schedule::straight`.
        straight: Option<Box<Reach>>,
        /// In what vectors it runs, where it is not.
        strips: Strips,
    },
}

/// One thing to do.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    /// Over all `index` from the greatest of `lower` to the least of `upper`, both included; none if that is empty.
    For {
        /// Bound here.
        index: Index,
        /// Not empty.
        lower: Vec<Bound>,
        /// Not empty.
        upper: Vec<Bound>,
        /// Only those congruent to the form modulo the number, which is at least 2.
        step: Option<(Affine, i64)>,
        /// How its iterations follow each other.
        order: Order,
        /// How it is cut into tasks for threads, if that is allowed.
        tasks: Option<Box<Tasks>>,
        /// What it walks along, of an innermost loop in sequence: see `schedule::rows`.
        rows: Vec<Row>,
        /// What is repeated.
        body: Vec<Stmt>,
    },
    /// All tests, in order, each only if those before it hold.
    If {
        /// A conjunction.
        tests: Vec<Test>,
        /// If they hold.
        body: Vec<Stmt>,
        /// If one does not.
        otherwise: Vec<Stmt>,
    },
    /// One that contains no other.
    Leaf(Leaf),
}

/// A condition that is tested.
#[derive(Clone, PartialEq, Debug)]
pub enum Test {
    /// Of indices; neither `Opaque` nor `Any`.
    Index(Cond),
    /// `(left op right) == holds`
    Real {
        /// The comparison.
        op: RealCompare,
        /// Left side.
        left: Box<Expr>,
        /// Right side.
        right: Box<Expr>,
        /// Or its negation (which differs from the opposite comparison at NaN).
        holds: bool,
    },
    /// One of these conjunctions holds.
    Any(Vec<Vec<Test>>),
}

/// A number.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A literal.
    Number(f64),
    /// A Rust constant by its path.
    Constant(String),
    /// An index or size as a number.
    OfIndex(Affine),
    /// A real.
    Read(Place),
    /// `-a`
    Neg(Box<Expr>),
    /// `a + b`
    Add(Box<Expr>, Box<Expr>),
    /// `a * b`
    Mul(Box<Expr>, Box<Expr>),
    /// A scalar function.
    Call(Prim, Vec<Expr>),
    /// The number where all tests hold, else zero.
    If(Vec<Test>, Box<Expr>),
}

impl Program {
    /// What is known of a variable.
    #[must_use]
    pub fn var(&self, id: VarId) -> &Variable {
        &self.vars[id.0 as usize]
    }

    /// The length of a buffer of a few reals, whatever the sizes: an array of the function's own rather than a part of the workspace. One with a copy
    /// for each lane is an array of lanes.
    #[must_use]
    pub fn on_stack(&self, id: VarId) -> Option<usize> {
        let var = self.var(id);
        let most = if var.lanes.is_some() { weights::ON_STACK_IN_LANES } else { weights::ON_STACK };
        let lengths =
            var.extents.iter().map(|e| if e.is_constant() { usize::try_from(e.constant).ok() } else { None });
        let length = lengths.product::<Option<usize>>()?;
        (matches!(var.storage, Storage::Work(_)) && !var.holds_indices && length <= most).then_some(length)
    }

    /// The buffers that are parts of the workspace, in order.
    pub fn workspace(&self) -> impl Iterator<Item = &Buffer> {
        let apart: Vec<usize> = (0..self.vars.len())
            .filter_map(|v| {
                let id = VarId(u32::try_from(v).ok()?);
                self.on_stack(id)?;
                if let Storage::Work(k) = self.var(id).storage { Some(k) } else { None }
            })
            .collect();
        self.work.iter().enumerate().filter(move |(k, _)| !apart.contains(k)).map(|(_, b)| b)
    }
}

impl Place {
    /// Whether it is another element for another value of an index, as far as can be seen.
    #[must_use]
    pub fn moves(&self, i: Index) -> bool {
        self.at.iter().any(|a| a.mentions(&i.atom()))
    }
}

impl Stmt {
    /// `for index in lower..=upper { body }`, one after the other.
    #[must_use]
    pub fn sequence(index: Index, lower: Vec<Bound>, upper: Vec<Bound>, body: Vec<Stmt>) -> Stmt {
        Stmt::looped(index, lower, upper, None, Order::Sequence, body)
    }

    /// A loop of which nothing is said yet but how its iterations follow each other: the last passes say how it is cut, and what it walks along.
    #[must_use]
    pub fn looped(
        index: Index,
        lower: Vec<Bound>,
        upper: Vec<Bound>,
        step: Option<(Affine, i64)>,
        order: Order,
        body: Vec<Stmt>,
    ) -> Stmt {
        Stmt::For { index, lower, upper, step, order, tasks: None, rows: vec![], body }
    }

    /// The blocks inside: of a loop one, of a choice two, of others none.
    #[must_use]
    pub fn blocks(&self) -> [&[Stmt]; 2] {
        match self {
            Stmt::For { body, .. } => [body, &[]],
            Stmt::If { body, otherwise, .. } => [body, otherwise],
            Stmt::Leaf(_) => [&[], &[]],
        }
    }
}

/// Whether there are steps of a recurrence among statements, or inside them.
#[must_use]
pub(crate) fn has_steps(stmts: &[Stmt]) -> bool {
    let is_one = |s: &Stmt| matches!(s, Stmt::For { order: Order::Steps(_), .. });
    stmts.iter().any(|s| is_one(s) || s.blocks().into_iter().any(has_steps))
}

impl Expr {
    /// Whether it can be used twice for the price of once: a literal, a constant or a read.
    #[must_use]
    pub fn is_atom(&self) -> bool {
        match self {
            Expr::Number(_) | Expr::Constant(_) | Expr::OfIndex(_) | Expr::Read(_) => true,
            Expr::Neg(_) | Expr::Add(..) | Expr::Mul(..) | Expr::Call(..) | Expr::If(..) => false,
        }
    }
}
