//! All weights, thresholds, budgets and nominal sizes of the compiler, by what they decide. The passes say how they are used, where they are.
//!
//! None of them changes what a program means: only what is refused, what is tried, and how code looks. What the runtime fixes (how many arguments a
//! kernel has, how wide a vector may be) is no choice, and stands where it is used; so does what the runtime decides by sizes that no compiler knows, in
//! `tensor-kernels` (from how much work on a loop is cut into tasks, in which blocks a matmul runs).

/// What a program may be, for the parser.
pub mod parse {
    /// How deep groups, signs and choices may nest: the stack of the macro is finite.
    pub const NESTING: usize = 100;

    /// How many `let`s may stand before an expression: later passes descend those too.
    pub const LETS: usize = 2000;

    /// How high the tree of an expression may grow: later passes descend it.
    pub const HEIGHT: usize = 250;
}

/// What a program may be, after it is parsed.
pub mod check {
    /// Integers in programs are smaller, so that a coefficient times a size fits.
    pub const INTEGER: i64 = 1 << 31;

    /// A tensor of more dimensions than these has no view.
    pub const DIMENSIONS: usize = 6;

    /// A name of so many letters at most is one edit away from what may be meant, a longer one two; the beginning of a name has so many at least.
    pub const SHORT_NAME: usize = 3;

    /// What multiplies indices once calls are put in: far below the limit of index arithmetic ([`super::index::BIG`]).
    pub const COEFFICIENT: u64 = 1 << 36;

    /// How many times what follows the place of an extreme may be walked twice, as if it were there and as if not: nested ones double the work each.
    pub const TRIES: u32 = 512;

    /// What a function may be made of once the functions that it calls are put in: nodes of expressions. A Runge–Kutta step has some hundred.
    pub const OPERATIONS: usize = 500_000;

    /// How many parameters a derivative may have: along a direction there are twice as many as without.
    pub const PARAMETERS: usize = 4_096;

    /// What a function may be made of that is differentiated: terms and statements. Each derivative is of the one before it, and some times as large.
    pub const TERMS: usize = 100_000;

    /// How often a function of Rust can be differentiated, if its partials need functions of Rust. No block that people write comes near.
    pub const TIMES_DIFFERENTIATED: usize = 16;
}

/// What normal forms look at.
pub mod normalize {
    /// Of so many factors at most it is asked which are multiplied first: the work grows as the cube of their number.
    pub const FACTORS: usize = 8;
}

/// What the index solver may spend.
pub mod index {
    /// Coefficients and constants beyond this give `Unknown`.
    pub const BIG: i64 = 1 << 40;

    /// Row operations on a question, or on several together.
    pub const FUEL: i64 = 4_000;

    /// A search keeps one part of so many of what it may spend: what grows too large is tried once more, with pruning.
    pub const KEPT: i64 = 2;

    /// A system with more rows than this is given up.
    pub const ROWS: usize = 250;

    /// So many rows are searched at the cost of one more row operation.
    pub const ROWS_OF_SEARCH: i64 = 8;

    /// So many rows of a shadow cost one more row operation.
    pub const ROWS_OF_SHADOW: i64 = 16;

    /// A union of more pieces than this is given up.
    pub const PIECES: usize = 64;

    /// So many times as many may come up where one is taken from another: the next may leave nothing of them.
    pub const PIECES_BETWEEN: usize = 4;

    /// Whether a condition of a conjunction follows from the others is asked of so many at most, those that have most to do with it: else the work grows
    /// as the square of their number.
    pub const NEAR: usize = 8;

    /// A conjunction of more conditions than these is long: questions about it are asked of so many at a time, and of those nearest to them.
    pub const LONG: usize = 16;

    /// Congruences of one form are one up to this modulus: the least common multiple of the numbers to 18 is below, and coefficients of this size may be
    /// multiplied with each other's moduli and stay below [`BIG`].
    pub const MODULUS: i64 = 1 << 24;

    /// Whether one of many alternatives holds is asked of so many, the first: it is the question whether all their negations exclude each other, which takes
    /// memory as the square of their number.
    pub const ALTERNATIVES: usize = 16;

    /// Of so many pairs of elements of one array it is said that they are equal where their places are: there are as many as the square of the elements.
    pub const PAIRS: usize = 1_024;

    /// Where bounds are made of bounds, so many are kept.
    pub const BOUNDS: usize = 64;

    /// How many linear facts are multiplied with one another.
    pub const FACTS: usize = 8;

    /// Steps of a short proof.
    pub const STEPS: u32 = 24;

    /// Columns of a system of which a short proof is tried.
    pub const COLUMNS: usize = 24;

    /// The pieces in which a condition is looked for at a time, to be said in an error. Where the solver gives up none of them falls away, and each
    /// alternative multiplies them.
    pub const PIECES_OF_HELP: usize = 16;

    /// So many of the points that were found last are moved, to see whether a condition fails there.
    pub const MODELS: usize = 3;

    /// Beyond this sum of sizes no example of an error is looked for.
    pub const SIZES_OF_HELP: i64 = 1 << 20;
}

/// How much of supports is kept.
pub mod ad {
    /// More pieces than these are not kept apart: code grows with their number.
    pub const PIECES: usize = 8;

    /// More alternatives of a support than these are not told apart.
    pub const ALTERNATIVES: usize = 8;

    /// Nor are supports of more conditions than these, in all of their alternatives: each of a chain of choices says again what those before it
    /// said. A count at run time then tells where there is something.
    pub const CONDITIONS: usize = 16;

    /// More alternatives than these are not compared, once the solver has spent what it may: each is with all others.
    pub const COMPARED: usize = 64;

    /// How often the supports of a recurrence are computed from what is known of them, before they are guessed and from there on.
    pub const SWEEPS: usize = 3;
}

/// How far simplification goes.
pub mod simplify {
    /// Through so many views is looked for what members of recurrences are views of.
    pub const VIEWS_OF_MEMBERS: usize = 16;

    /// Rounds after which a function is left as it is: more than any program has needed.
    pub const ROUNDS: usize = 64;

    /// How often one statement is looked at in a round, at most: more than any has needed.
    pub const LOOKS: usize = 16;

    /// Alternatives beyond which guards are left out of what is needed, or those of several reads are joined: each asks the solver.
    pub const ALTERNATIVES_NEEDED: usize = 16;

    /// Alternatives of one condition that become terms of their own.
    pub const TERMS: usize = 6;

    /// Conditions with alternatives, beyond which none of a guard becomes terms: each term asks about all the others.
    pub const SPLIT: usize = 8;

    /// Terms of one kind, those nearest before it, that a term is compared with.
    pub const ALIKE: usize = 8;

    /// Unions of guards that are tried for one statement.
    pub const UNIONS: usize = 32;

    /// Different reads of one array beyond which it stays whole: each asks the solver.
    pub const READS: usize = 8;

    /// Elements at an edge that are not worth a shorter range: loops of one range are one loop.
    pub const EDGE: i64 = 2;
}

/// What counts for sizes, of which nothing is known when costs are compared.
pub mod nominal {
    /// What a size counts as.
    pub const SIZE: i64 = 100;

    /// The same in costs; also what an element of an index array counts as, and how often a loop runs of which nothing is known.
    pub const COUNT: f64 = 100.0;

    /// What an index counts as whose range is not known: the middle of it.
    pub const INDEX: f64 = 50.0;
}

/// What is fused, computed again, stored, and given to kernels.
pub mod schedule {
    /// A loop over an index is better outside by so much for each dimension between it and the last one of an array; inside, where it is the last.
    pub const STRIDE: i64 = 2;

    /// And inside, where it is summed over.
    pub const SUMMED: i64 = 3;

    /// What is computed for one step at a time, though it calls functions, is asked of so many recurrences behind it: whether it saves storing what they read.
    pub const RECURRENCES: usize = 64;

    /// Of fewer recurrences side by side there is no loop around their steps: they fill no vector.
    pub const BATCH: i64 = 8;

    /// So many totals over all of them may be one array.
    pub const TOTALS: i64 = 64;

    /// So many such loops are looked for: each is the best of all classes of indices.
    pub const BATCHES: usize = 16;

    /// Of the nodes that read one input, or write one array, each may share a loop by that with so many before and behind it.
    pub const SHARING: usize = 64;

    /// So many nodes are looked at for each node of a group, by which values flow from it on any path, and as many by which they flow to it: what lies
    /// behind more does not join it.
    pub const PATHS: usize = 4096;

    /// Literal matrices of fewer rows are symmetrized by loops, which LLVM unrolls.
    pub const SYMMETRIZED: i64 = 16;

    /// One loop can serve two ranges whose ends differ by so much.
    pub const APART: i64 = 4;

    /// So many elements that need not be stored, or be read again, are worth the same as one: less does not tell groups apart.
    pub const SAVED: f64 = 50.0;

    /// The most operations that are done again for one read.
    pub const AGAIN: usize = 2;

    /// An array of products is multiplied out for so many sums at most: each multiplies its terms again.
    pub const MULTIPLIED_OUT: usize = 2;

    /// The most iterations of a loop that may test the same in each.
    pub const TESTED: i64 = 8;

    /// Where two dimensions are no longer than this, as in rotations of points, loops are faster than the kernel of products.
    pub const SMALL_PRODUCT: i64 = 4;
}

/// What steps keep.
pub mod contract {
    /// So many times of an array are kept apart; where more are read again, all of them are stored.
    pub const TIMES: usize = 9;

    /// Rows of so many elements move from age to age; longer ones are overwritten in turn.
    pub const MOVED: i64 = 16;

    /// So many times of an array that is stored are in variables beside it.
    pub const REPLACED: usize = 4;
}

/// Fused and tiled loops. How long blocks are is for [`crate::schedule::Blocks`].
pub mod tile {
    /// About so many elements of all arrays that are cut are in use at a time: those of 8 KiB, a quarter of a first-level cache.
    pub const ELEMENTS: i64 = 1024;

    /// Longer blocks are multiples of it: of the lanes of a vector.
    pub const UNIT: i64 = 8;

    /// From this length on a block is no power of two;
    pub const PAGES: i64 = 64;

    /// of one it has these many parts of so many.
    pub const PARTS: (i64, i64) = (3, 4);

    /// A block is at least so many times as long as its halo.
    pub const HALOS: i64 = 4;

    /// The same where a matmul is among the loops: 512 KiB, half of a second-level cache;
    pub const ELEMENTS_OF_PRODUCTS: i64 = 65536;

    /// and at least so many iterations, for which the kernel brings the other factor into its order again.
    pub const ROWS: i64 = 128;

    /// The greatest offset that is near, in elements.
    pub const NEAR: i64 = 256;

    /// Behind so many statements that have to wait for a group none is asked to join it: the work would grow as the square of the program.
    pub const WAITING: usize = 16;

    /// So many loops are fused and tiled together at most: what each of them is ahead is found anew as one more joins.
    pub const MEMBERS: usize = 512;

    /// A group of more loops than these by which no array is cut is found once: those that begin with one of its loops are parts of it.
    pub const VAIN: usize = 16;
}

/// What is copied so that ends of ranges stand apart from their middle.
pub mod peel {
    /// How many statements a body has at most that is copied.
    pub const BODY: usize = 800;

    /// And one that is copied for what is no end of its range.
    pub const BODY_INSIDE: usize = 12;

    /// How many iterations a piece at an end has at most.
    pub const END: i64 = 4;
}

/// What loops cost, in the time of an addition: the table of `schedule/cost`, and of the work that is worth cutting between threads.
pub mod cost {
    /// How many numbers a vector counts as.
    pub const VECTOR: f64 = 8.0;

    /// What it takes to begin a vectorized loop, and to end it.
    pub const LANES: f64 = 12.0;

    /// What each iteration takes.
    pub const ITERATION: f64 = 0.5;

    /// The same inside lanes.
    pub const ITERATION_IN_LANES: f64 = 0.2;

    /// A nest is run in another way if that takes less than this part of the time.
    pub const BETTER: f64 = 0.95;

    /// What an iteration counts as, in sequence, where a nest of sums runs in lanes in any case.
    pub const SUMMED_IN_SEQUENCE: f64 = 2.0;

    /// A statement, whatever it does.
    pub const STATEMENT: f64 = 0.3;

    /// A test.
    pub const TEST: f64 = 1.0;

    /// To add, or to compare, in place.
    pub const COMBINE: f64 = 1.0;

    /// To sum the lanes of a vector into an element.
    pub const SUM_OF_LANES: f64 = 2.5;

    /// To fill an element, in sequence and in lanes.
    pub const FILL: [f64; 2] = [0.12, 1.0];

    /// A multiplication in the kernel of products, and in that of a band.
    pub const PRODUCT: [f64; 2] = [0.15, 0.075];

    /// To symmetrize an element.
    pub const SYMMETRIZED: f64 = 0.5;

    /// A call of a function over tensors, whatever it does.
    pub const CALL: f64 = 100.0;

    /// To read or write an element, or the vector that follows or precedes it.
    pub const ACCESS: f64 = 0.5;

    /// One that is the same for all lanes.
    pub const ACCESS_OF_ALL: f64 = 0.06;

    /// A vector of elements that do not lie next to each other.
    pub const ACCESS_APART: f64 = 4.0;

    /// To read vectors far apart, one after the other, each once.
    pub const FAR: f64 = 1.5;

    /// An addition, a multiplication, and what takes as long.
    pub const OPERATION: f64 = 1.0;

    /// A formula of which no more is known.
    pub const FORMULA: f64 = 3.0;

    /// A power by an integer.
    pub const POWER: f64 = 4.0;

    /// A division.
    pub const DIVISION: f64 = 6.0;

    /// A square root.
    pub const ROOT: f64 = 8.0;

    /// A function with a short polynomial: exponentials, logarithms, sines.
    pub const FUNCTION: f64 = 16.0;

    /// Any other.
    pub const LONG_FUNCTION: f64 = 24.0;
}

/// Which loops run in lanes, and how.
pub mod vectorize {
    /// How many terms a block of a sum has.
    pub const TERMS: i64 = 1024;

    /// A copy of what lies apart pays if each element is read at least so often.
    pub const OFTEN: f64 = 2.0;
}

/// How many iterations run as one around lanes and inside, and what is copied for it.
pub mod jam {
    /// So many iterations, in lanes, that give bounds to loops inside may be written out.
    pub const BOUNDS: i64 = 4;

    /// How many rows run as one.
    pub const ROWS: i64 = 4;

    /// The most statements of their body.
    pub const BODY_OF_ROWS: usize = 6;

    /// How many rows run as one where columns are read.
    pub const TRANSPOSED: i64 = 8;

    /// The most statements of their body.
    pub const BODY_OF_TRANSPOSED: usize = 4;

    /// How many rows run as one of a matrix that is written to both sides.
    pub const SQUARE: i64 = 8;

    /// The most statements of their body.
    pub const BODY_OF_SQUARE: usize = 6;

    /// The most statements of a body of which two iterations run as one.
    pub const BODY_OF_PAIR: usize = 16;

    /// The fewest iterations for pairs, where they are literal: of fewer, LLVM makes one block without loops.
    pub const PAIRED: i64 = 4;
}

/// Which bodies of vectorized loops become straight lines.
pub mod straight {
    /// A loop inside of at most so many iterations is unrolled.
    pub const ITERATIONS: i64 = 16;

    /// Loops in each other: all iterations of the innermost.
    pub const NEST: i64 = 256;

    /// A body of more values stays as it is.
    pub const VALUES: usize = 20_000;

    /// One of fewer operations stays as it is: it gains by four vectors at once, and takes rustc no time. (A product that is fused into a sum is
    /// none by itself, nor is a selection.)
    pub const OPERATIONS: usize = 16;

    /// Steps of a recurrence with more vectorized loops than these take rustc time all the same, and run over what is in the cache:
    pub const LOOPS: usize = 8;

    /// there, one of fewer operations than these stays.
    pub const OPERATIONS_IN_STEPS: usize = 4;

    /// A body of more operations is several functions: what rustc takes for one grows faster than the function.
    pub const FUNCTION: usize = 700;

    /// The same where the compiler is judged.
    pub const SHORT: usize = 8;

    /// So many arrays can be arguments of a function, beside numbers, indices, totals and what is kept between functions.
    pub const WINDOWS: usize = 19;

    /// So many places that do not move by literal strides have a copy.
    pub const FAR: usize = 128;

    /// A loop around steps of which a straight body has so many operations runs in blocks, and each step for all of one: what shorter ones need fits into registers.
    pub const STEPS: usize = 64;

    /// The same where the compiler is judged.
    pub const SHORT_STEPS: usize = 2;

    /// Of a loop around steps, the iterations of a block run side by side: so many, of doubles and of singles. That is two of the widest vectors, or four, whose
    /// operations have no need to wait for each other; more are more memory.
    pub const BLOCK: [i64; 2] = [16, 32];

    /// The most elements from one iteration to the next, or between the first and the last that one reaches.
    pub const SPAN: i64 = 64;
}

/// Which loops are functions of their own.
pub mod outline {
    /// One that takes at most this part of the time.
    pub const PART: f64 = 0.125;

    /// A body of less statements is not worth a call.
    pub const BODY: usize = 8;

    /// Calls inside a loop of which an iteration takes less time would be a part of it that is seen: two took a tenth of 400.
    pub const BESIDE_CALLS: f64 = 1000.0;
}

/// What is said in errors and of loops.
pub mod text {
    /// How many arrays a reason names.
    pub const NAMED: usize = 3;

    /// Of how many indices other directions are tried, where one does not do: of each two.
    pub const DIRECTIONS: usize = 6;
}

/// How Rust is written.
pub mod emit {
    /// In blocks of more declarations than these, so many statements share one.
    pub const DECLARED: usize = 128;

    /// A length that can be addressed on every target.
    pub const CLEAR: usize = 1 << 20;
}

/// In what vectors loops run.
pub mod strips {
    /// Up to here, a body takes less time than it takes to sum the lanes of a vector.
    pub const CHEAP: f64 = 12.0;

    /// Around steps of so many statements that keep no arrays, twice as many registers run at once: their states fit into these.
    pub const STEPS: usize = 24;

    /// Where two vectors at a time share what they read, eight do, on an instruction set of so many registers.
    pub const REGISTERS: usize = 32;

    /// A short loop takes less than this part of the time of the longest one.
    pub const PART: f64 = 1.0 / 32.0;

    /// A body of so many statements fills the pipelines by two registers at a time, so that more would only be more code,
    pub const LONG: usize = 8;

    /// if they take so much time;
    pub const BUSY: f64 = 30.0;

    /// and one of so many by one,
    pub const FULL: usize = 20;

    /// if each takes so much at most: in chains of operations, as functions are, it would wait.
    pub const PLAIN: f64 = 4.0;

    /// A body of so many statements is a function of its own,
    pub const APART: usize = 16;

    /// if the loop takes so much time: each of a hundred iterations as much as a call;
    pub const LARGE: u64 = 10_000;

    /// with so many totals at most.
    pub const TOTALS: usize = 16;

    /// A loop that cuts so many slices for its straight body is one.
    pub const WINDOWS: usize = 8;
}

/// What is cut between threads.
pub mod threads {
    /// A loop is cut only at multiples of so many iterations if it runs in lanes.
    pub const UNIT: i64 = 64;

    /// The least iterations that are cut.
    pub const ITERATIONS: i64 = 4;

    /// Less work is never cut.
    pub const WORK: f64 = 1e6;
}

/// What the judges of loops may spend: the compiler does not run them.
pub mod verify {
    /// In debug builds the ranges of one function of so many are proved, after each pass.
    pub const ONE_IN: usize = 10;

    /// Where the evaluators give up: elements and terms that are visited.
    pub const VISITS: u64 = 5_000_000;

    /// So many questions by products that are not decided are enough: each takes all the time that one may.
    pub const OF_PRODUCTS: usize = 16;

    /// So many conditions are kept with the questions that were asked; then they are forgotten.
    pub const KEPT: usize = 200_000;

    /// What follows from more conditions than these only is decided by all of them: a system of so many rows takes its time and its memory.
    pub const LONG: usize = 1_000;

    /// About more conditions than these it is not asked at all.
    pub const ASKED: usize = 20_000;

    /// More conditions than these are not kept of one assignment: what holds around it says all that is known of what was read before, and that of what
    /// was read before that, so that it doubles with each. Less than these may be needed, of an element that was found by many others.
    pub const OF_ASSIGNMENT: usize = 10_000;

    /// Quotients of one question beyond which it may take the solver too long: each is an unknown, with a remainder.
    pub const QUOTIENTS: usize = 4;

    /// So deep elements may be places of elements, in a question that is not too long for the solver.
    pub const NESTED: usize = 2;

    /// Numbers beyond this, multiplied with each other a few times, are more than the solver computes with.
    pub const LARGE: i64 = 1 << 16;

    /// The work on a question that is left open at first: some hundred times as much as the compiler's.
    pub const PATIENCE: i64 = 400_000;
}

/// A buffer of so many reals at most is an array of the function's own;
pub const ON_STACK: usize = 64;

/// likewise one of lanes.
pub const ON_STACK_IN_LANES: usize = 16;

/// Lists up to this length are put in order by insertion.
pub const SORTED_BY_INSERTION: usize = 16;
