//! Tensor SSA: a function as a list of array statements.
//!
//! ```text
//! X[g] = Σ_t  sum s_t. [p_t] coeff_t · Y_t[a(g,s)] · Z_t[b(g,s)]     Contract: + − × access gen Σ [p] constants
//! X[g] = [p] f(X_1[a_1(g)], …)                                       Prim
//! X[g] = max s. [p] Y[a(g,s)]                                        Extreme (min likewise)
//! K[g] = argmax s. [p] Y[a(g,s)]                                     ArgExtreme: an array of indices
//! X[g] = e(g) as a number                                            OfIndex
//! X[b, g] = [p] f(Y_1[a_1(b), ..], …)[g]                             Call: a Rust function over tensors
//! ```
//!
//! Invariant: every index is bound once in a function: by the `gens` of one statement or the `sums` of one term.
//! Invariant: a gen index runs from 0 to the extent of its dimension. The range of a private sum (and of `over`) stands in the
//!   guard of its term, as conditions `lower <= s` and `s < upper`; nothing else bounds it.
//! Invariant: where a guard is false the value is zero, and nothing that it guards is evaluated.
//! Invariant: a statement reads only parameters and statements before it, but for those of a rec, which read each other at earlier times (`rec`).
//! Invariant: zero is a `Contract` without terms.

use crate::ast::Elem;
use crate::index::{Affine, Atom, Cond, Pred};
use crate::prim::Prim;

mod call;
pub mod display;
mod guarded;
mod live;
pub mod ranges;
pub mod rec;
mod regroup;
pub mod rename;
pub mod verify;

pub use call::{Call, Callee, Derivative, Nest, Rule, Slot, Target, Whole};
pub use rec::{Rec, RecId, Step};
pub use regroup::{Along, Level, levels, regroup, regrouped};

/// An array of the function: a parameter or a statement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ArrayId(pub u32);

/// An index bound somewhere in the function: `Atom::Index(self.0)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Index(pub u32);

impl Index {
    /// As an atom.
    #[must_use]
    pub fn atom(self) -> Atom {
        Atom::Index(self.0)
    }
    /// As an affine form.
    #[must_use]
    pub fn affine(self) -> Affine {
        Affine::from(self.atom())
    }
}

/// A function in normal form.
#[derive(Clone, Debug)]
pub struct Function {
    /// For printing.
    pub name: String,
    /// The element type of all its reals.
    pub elem: Elem,
    /// Names of the sizes, by `Atom::Size`.
    pub sizes: Vec<String>,
    /// What holds of the sizes on entry, beside that they are not negative.
    pub assumptions: Pred,
    /// All arrays, by `ArrayId`. Arrays that are no longer defined may remain in the table.
    pub arrays: Vec<Array>,
    /// The leaves of the parameters (reals only), in order.
    pub params: Vec<ArrayId>,
    /// In order of evaluation.
    pub stmts: Vec<Stmt>,
    /// The sequential dimensions, by `RecId`. Recs that no statement is in any more may remain.
    pub recs: Vec<Rec>,
    /// The leaves of the result, in order. May name a parameter, and the same array twice.
    pub results: Vec<ArrayId>,
    /// Names of the indices (hints, not unique), by `Index`.
    pub indices: Vec<String>,
    /// What `Cond::Opaque { id, .. }` compares.
    pub comparisons: Vec<Comparison>,
    /// What [`Target::Function`] numbers: those of the block, the same for all of its functions.
    pub callees: Vec<Callee>,
}

/// What is known of an array beside its definition.
#[derive(Clone, Debug)]
pub struct Array {
    /// A hint for printing, not unique.
    pub name: String,
    /// One for each dimension, over sizes alone. Rank 0 is a scalar.
    pub extents: Vec<Affine>,
    /// Reals or indices.
    pub kind: ArrayKind,
    /// Whether a linearization computes it again rather than store it.
    pub recompute: bool,
}

/// See [`Array`].
#[derive(Clone, PartialEq, Debug)]
pub enum ArrayKind {
    /// Of the function's element type.
    Real,
    /// Indices: `lower <= K[g]` over `formals`, which stand for g, and `K[g] < upper` or `K[g] = lower`. That is the value where
    /// nothing counts; where that may be, `lower` is one less than the first index.
    Index {
        /// Indices of the function's table, used for nothing else.
        formals: Vec<Index>,
        /// The least value.
        lower: Affine,
        /// The end of the values.
        upper: Affine,
    },
}

/// `array[gens] = rhs`
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What is defined.
    pub array: ArrayId,
    /// One for each dimension.
    pub gens: Vec<Index>,
    /// The definition.
    pub rhs: Rhs,
    /// Where it stands in recs, if it does.
    pub step: Option<Step>,
}

/// See the module documentation.
#[derive(Clone, PartialEq, Debug)]
pub enum Rhs {
    /// A sum of contractions.
    Contract(Vec<Term>),
    /// A primitive.
    Prim {
        /// Where it is evaluated.
        guard: Pred,
        /// What.
        prim: Prim,
        /// Of what.
        args: Vec<Access>,
    },
    /// A maximum or minimum; ∓∞ where nothing is live.
    Extreme {
        /// Which.
        op: Extreme,
        /// The reduced index.
        over: Index,
        /// Its range, and which of its values count.
        guard: Pred,
        /// The values.
        arg: Access,
    },
    /// The first index of the maximum or minimum. NaN is never chosen over a number.
    ArgExtreme {
        /// Which.
        op: Extreme,
        /// The reduced index.
        over: Index,
        /// Its range, and which of its values count.
        guard: Pred,
        /// The values.
        arg: Access,
    },
    /// An index or size as a number.
    OfIndex(Affine),
    /// A Rust constant (rank 0), by its path as the user wrote it.
    Constant(String),
    /// A call of a Rust function over tensors: see [`Call`].
    Call(Box<Call>),
}

/// Which extreme.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum Extreme {
    Max,
    Min,
}

/// `sum sums. [guard] coeff · factors`
#[derive(Clone, PartialEq, Debug)]
pub struct Term {
    /// Private sums.
    pub sums: Vec<Index>,
    /// Where it counts, with the ranges of the sums.
    pub guard: Pred,
    /// A literal, applied once after the sums: it costs one multiplication an element if it is not ±1.
    pub coeff: f64,
    /// At most two.
    pub factors: Vec<Access>,
}

/// `array[at]`
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Access {
    /// A parameter or statement.
    pub array: ArrayId,
    /// One index for each dimension. In range wherever it is evaluated.
    pub at: Vec<Affine>,
}

/// `left[..] op right[..]`: the arguments of the opaque condition are the indices of `left`, then those of `right`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Comparison {
    /// The operator.
    pub op: RealCompare,
    /// Read at the first arguments.
    pub left: ArrayId,
    /// Read at the rest.
    pub right: ArrayId,
}

/// Comparisons of reals; the others are exchanges and negations (`holds: false`) of these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum RealCompare {
    Lt,
    Le,
    Eq,
}

impl RealCompare {
    /// Whether it holds of two numbers.
    #[must_use]
    #[allow(clippy::float_cmp)]
    pub fn of(self, left: f64, right: f64) -> bool {
        match self {
            RealCompare::Lt => left < right,
            RealCompare::Le => left <= right,
            RealCompare::Eq => left == right,
        }
    }
}

impl Function {
    /// A new array of reals.
    pub fn new_array(&mut self, name: impl Into<String>, extents: Vec<Affine>) -> ArrayId {
        self.arrays.push(Array { name: name.into(), extents, kind: ArrayKind::Real, recompute: false });
        ArrayId(u32::try_from(self.arrays.len() - 1).expect("fewer than 2³² arrays"))
    }

    /// A new index.
    pub fn new_index(&mut self, name: impl Into<String>) -> Index {
        self.indices.push(name.into());
        Index(u32::try_from(self.indices.len() - 1).expect("fewer than 2³² indices"))
    }

    /// The opaque condition `left op right`, or its negation.
    pub fn compare(&mut self, op: RealCompare, left: Access, right: Access, holds: bool) -> Cond {
        let c = Comparison { op, left: left.array, right: right.array };
        let id = self.comparisons.iter().position(|d| *d == c).unwrap_or_else(|| {
            self.comparisons.push(c);
            self.comparisons.len() - 1
        });
        let args = left.at.into_iter().chain(right.at).collect();
        Cond::Opaque { id: u32::try_from(id).expect("fewer than 2³² comparisons"), args, holds }
    }

    /// What an opaque condition reads.
    #[must_use]
    pub fn compared(&self, id: u32, args: &[Affine]) -> (RealCompare, Access, Access) {
        let c = self.comparisons[id as usize];
        let (l, r) = args.split_at(self.array(c.left).extents.len());
        (c.op, Access { array: c.left, at: l.to_vec() }, Access { array: c.right, at: r.to_vec() })
    }

    /// What is known of an array.
    #[must_use]
    pub fn array(&self, id: ArrayId) -> &Array {
        &self.arrays[id.0 as usize]
    }

    /// The statement that defines an array; parameters have none.
    #[must_use]
    pub fn definition(&self, id: ArrayId) -> Option<&Stmt> {
        if self.params.contains(&id) {
            return None;
        }
        // They are nearly in the order of their arrays: from where it would be to both sides.
        let at = self.stmts.partition_point(|s| s.array < id);
        let both = |d: usize| [self.stmts.get(at + d), at.checked_sub(d + 1).map(|k| &self.stmts[k])];
        (0..self.stmts.len()).flat_map(both).flatten().find(|s| s.array == id)
    }
}
