//! Marks at the branches of the passes: a test sees whether programs reach all of them. Without the evaluators they are nothing.

#[cfg(any(test, feature = "eval"))]
use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! marks {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A branch of a pass: a rule that rewrites something.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Mark {
            $($(#[$doc])* $name,)*
        }

        /// All marks.
        pub const ALL: &[Mark] = &[$(Mark::$name),*];
    };
}

marks! {
    /// The shadow of a system is not exact.
    Inexact,
    /// A point of the real shadow leaves an integer.
    RealPoint,
    /// A point is in the dark shadow.
    DarkPoint,
    /// A point is in a splinter.
    Splinter,
    /// An equation is solved by a change of columns.
    Shift,
    /// Two guards make one but for a hole.
    Hole,
    /// Two guards make one by what they say of sizes.
    HullOnSizes,
    /// A bound is made visible by eliminating what hides it.
    Seen,
    /// A support of too many alternatives, or conditions, is given up.
    SupportGivenUp,
    /// Supports of a recurrence are guessed: they are no few sweeps from nothing.
    SupportsGuessed,
    /// They are what a few sweeps say, at any time.
    SupportsAtAnyTime,
    /// A view is put in as a factor.
    View,
    /// Of two comparisons of a value with numbers one says both.
    Thresholds,
    /// A statement is there already.
    Defined,
    /// A sum of several terms is named before it is multiplied.
    Named,
    /// Of several factors not the first two are multiplied first.
    Reassociated,
    /// A statement of a function that is called stands in loops around the call.
    CalledInLoops,
    /// A negated view is stored by the indices that it depends on, for the primitives that read it.
    NegatedView,
    /// A product is computed for the sizes for which its factors are not zero.
    SizesOfFactors,
    /// A factor is zero.
    ZeroFactor,
    /// An argument is read through a view.
    ArgumentThrough,
    /// A side of a comparison is read through a view.
    ComparisonThrough,
    /// A definition that is read once is put in.
    ReadOnce,
    /// What is zero off an equality is stored without an index.
    Diagonal,
    /// What does not depend on an index is stored without it.
    Broadcast,
    /// What depends on an index by its guard alone is stored without it.
    Masked,
    /// Equal terms are one.
    TermsAdded,
    /// Terms of a condition and of its negation are one.
    Complementary,
    /// Terms whose guards make one conjunction are one.
    Coalesced,
    /// A count of one and a count of more are one.
    Recounted,
    /// A sum of what is the same is a count.
    Counted,
    /// What does not depend on a sum stands before it.
    FactoredOut,
    /// A sum over a triangle adds to what it finds.
    Scattered,
    /// A function of numbers is a number.
    Folded,
    /// A function is a product.
    Power,
    /// What differs by its sign is computed once.
    Opposite,
    /// What is equal is computed once.
    Shared,
    /// What is computed is narrowed to what is read.
    Narrowed,
    /// A read at an expression is transposed.
    Scatter,
    /// Whether a cotangent is zero is found at run time.
    CountedAtRunTime,
    /// A support holds on both branches of a choice.
    BothBranches,
    /// A view compares a view that compares, and is stored.
    StoredView,
    /// A cotangent is a view of another.
    CotangentView,
    /// A tangent is read where it is not zero.
    SteepTangent,
    /// The place of an extreme is there already.
    PlaceShared,
    /// Something always counts in an extreme.
    PlaceAlways,
    /// Of a symmetric matrix one triangle is computed.
    Triangle,
    /// Of the lines beside its diagonal, those on one side.
    TriangleOfLines,
    /// Of the blocks on its diagonal, one triangle.
    TriangleOfBlocks,
    /// A mixed block is the transpose of another.
    Transposed,
    /// A product with sums is multiplied out.
    MultipliedOut,
    /// What is cheap is computed again.
    Recomputed,
    /// A result is a copy.
    ResultCopied,
    /// A coefficient stands after a sum.
    ScaledAfterSum,
    /// A sum over a union is several.
    UnionSplit,
    /// An array overwrites another as it reads it.
    InPlace,
    /// Arrays of different times share a buffer.
    SharedBuffer,
    /// A contraction is a matmul.
    Matmul,
    /// A matmul computes one side of a diagonal.
    MatmulBand,
    /// Loops around a matmul say which part of it there is.
    MatmulPart,
    /// A loop is split at its ends.
    PeeledEnds,
    /// A loop is split where an index of a loop inside is on the other side of it.
    PeeledSwitches,
    /// A loop is split where the ranges inside are whole.
    PeeledMiddle,
    /// A bound of a loop inside a piece follows from another.
    BoundSettled,
    /// Rows run four at a time around lanes.
    Rows,
    /// Columns are read by eight rows.
    Columns,
    /// A short loop inside lanes is written out.
    Unrolled,
    /// Eight rows of a triangle are written to both sides of the diagonal.
    Squares,
    /// A product writes both sides of the diagonal.
    Across,
    /// Two rows run at a time inside lanes.
    Pairs,
    /// A loop runs in lanes.
    Lanes,
    /// A loop runs in lanes part by part.
    LanesApart,
    /// A loop runs in the lanes of the loop around it.
    LanesReordered,
    /// A nest that walks whole rows is one vectorized loop.
    LanesAsOne,
    /// A body becomes a straight line.
    Straight,
    /// A straight body is several functions.
    StraightPieces,
    /// It reads something only where tests of indices hold.
    StraightGuarded,
    /// It reads copies of an array that it writes elsewhere.
    StraightCopied,
    /// It has few operations, and is one of many of its steps.
    StraightInSteps,
    /// A loop around steps runs block by block, inside of them.
    Distributed,
    /// A loop carries the totals of vectorized loops inside.
    Carried,
    /// A loop inside of lanes has partial sums.
    Chains,
    /// Sums over the lanes, eight at a time.
    Eights,
    /// A sum of shifted vectors.
    Shifted,
    /// A vectorized loop is short.
    ShortLanes,
    /// A vectorized loop with a long body runs on two registers at a time, or on one.
    LongLanes,
    /// A vectorized loop is a function of its own.
    LanesOutlined,
    /// A nest of loops with vectorized ones is a function of its own.
    NestOutlined,
    /// Loops in sequence are functions of their own.
    SequenceOutlined,
    /// Whether loops inside are empty is tested before.
    EmptyTested,
    /// A loop walks along rows that are cut before it.
    RowsCut,
    /// A task has a total of its own,
    TaskTotal,
    /// rows of an array,
    TaskRows,
    /// sums of its own,
    TaskSums,
    /// an array of its own,
    TaskScratch,
    /// one of few elements,
    TaskLocal,
    /// or one of a value for each lane.
    TaskLanes,
    /// What lanes read far apart is copied.
    Copied,
    /// Sums inside lanes are gathered.
    Gathered,
    /// Loops are fused and tiled.
    Tiled,
    /// Two members of a step are equal.
    NamedTwice,
    /// What steps alone read is computed in them.
    StepsLed,
    /// What reads the times of steps alone runs in them.
    StepsFollowed,
    /// The steps of two recurrences are one loop.
    StepsJoined,
    /// Recurrences run side by side, in a loop around their steps.
    StepsInBatch,
    /// A recurrence that adds up is a sum.
    StepsSummed,
    /// Dimensions that members of a recurrence only hand on go.
    StepsHandOn,
    /// A matmul that steps need of no other step runs before them.
    StepsAhead,
    /// Of what steps compute the last times are kept, in variables of their own.
    Contracted,
    /// Likewise, in rows that are overwritten in turn.
    ContractedInTurn,
    /// The last times of an array that steps store are in variables, too.
    Replaced,
    /// Steps are computed once more for the reverse sweep.
    Checkpointed,
    /// Of an array between fused and tiled loops there is a window.
    Window,
    /// The end of a window is kept for the next block.
    Kept,
    /// One triangle of a symmetric matrix is copied to the other.
    Symmetrized,
    /// The blocks on its diagonal are symmetrized with it.
    SymmetrizedBlocks,
}

#[cfg(any(test, feature = "eval"))]
static COUNTS: [AtomicU64; ALL.len()] = [const { AtomicU64::new(0) }; ALL.len()];

/// A branch is reached.
#[cfg(any(test, feature = "eval"))]
pub fn hit(mark: Mark) {
    COUNTS[mark as usize].fetch_add(1, Ordering::Relaxed);
}

/// A branch is reached.
#[cfg(not(any(test, feature = "eval")))]
pub fn hit(_: Mark) {}

/// How often a branch has been reached, by all threads.
#[cfg(any(test, feature = "eval"))]
#[must_use]
pub fn count(mark: Mark) -> u64 {
    COUNTS[mark as usize].load(Ordering::Relaxed)
}
