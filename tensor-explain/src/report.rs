//! What is shown, as plain data.

/// A file.
#[derive(Clone, Debug)]
pub struct File {
    /// What it is called.
    pub name: String,
    /// What it holds.
    pub source: String,
    /// Its blocks, in order.
    pub blocks: Vec<Block>,
}

/// A `tensor!` block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its line, from 1.
    pub line: usize,
    /// Its column, from 1.
    pub column: usize,
    /// The modules and functions around it, outermost first: `mod a`, `fn main`.
    pub around: Vec<String>,
    /// Whether it is an expression rather than items.
    pub inline: bool,
    /// Its functions, or its mistakes.
    pub outcome: Result<Vec<Function>, Vec<Problem>>,
}

/// A mistake.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Its line, from 1.
    pub line: usize,
    /// Its column, from 1.
    pub column: usize,
    /// How many characters of the line are to blame.
    pub length: usize,
    /// What is wrong.
    pub message: String,
}

/// A function of a block.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name; of an inline block, `inline`.
    pub name: String,
    /// Its line, from 1.
    pub line: usize,
    /// As written.
    pub source: String,
    /// What it is a transform of, if it is one: `value_and_grad of misfit`.
    pub transform: Option<String>,
    /// Itself, then its derivatives.
    pub versions: Vec<Version>,
    /// Why there are no derivatives, if there are none.
    pub underived: Option<String>,
    /// What the block expands to for it.
    pub rust: String,
}

/// A function in normal form: one of the block or a derivative of it.
#[derive(Clone, Debug)]
pub struct Version {
    /// What it is: `normal form`, `gradient (reverse mode)`.
    pub title: String,
    /// Its name.
    pub name: String,
    /// As a program of the language.
    pub program: String,
    /// How many operations it runs: a polynomial in the sizes.
    pub operations: Measure,
    /// How many numbers it stores beside arguments and results.
    pub workspace: Measure,
    /// How many numbers its results are.
    pub results: Measure,
    /// What becomes of each statement.
    pub storage: Vec<Stored>,
    /// The loops that run.
    pub loops: String,
    /// The passes that made them, in order, and the loops after each.
    pub passes: Vec<(String, String)>,
    /// What is computed from what.
    pub graph: Graph,
}

/// A polynomial in the sizes.
#[derive(Clone, Debug)]
pub struct Measure {
    /// `2 n m + n`
    pub polynomial: String,
    /// Its ratio to that of the primal: `2.5`, or `d for great sizes, 9.65 if all are 10`. `None` of the primal itself, or where that has none.
    pub ratio: Option<String>,
}

/// What becomes of a statement.
#[derive(Clone, Debug)]
pub struct Stored {
    /// `r[n]`
    pub array: String,
    /// Where its values live.
    pub place: Place,
    /// Why there.
    pub why: String,
}

/// Where values live.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// An argument.
    Argument,
    /// A result.
    Result,
    /// A buffer of the workspace.
    Stored,
    /// The buffer of an array that is not in use at the same time.
    Shared,
    /// A variable inside loops.
    Local,
}

impl Place {
    /// In a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Place::Argument => "argument",
            Place::Result => "result",
            Place::Stored => "stored",
            Place::Shared => "shared",
            Place::Local => "local",
        }
    }
}

/// What is computed from what.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Arguments, then statements in order.
    pub nodes: Vec<Node>,
    /// From what is read to what reads it, by number.
    pub edges: Vec<(usize, usize)>,
}

/// An array.
#[derive(Clone, Debug)]
pub struct Node {
    /// `r[n]`
    pub array: String,
    /// Its definition; empty for an argument.
    pub value: String,
    /// Where it lives.
    pub place: Place,
}
