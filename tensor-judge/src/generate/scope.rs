//! What an expression may speak of.

/// An extent `n * N + m * M + c`, with so many times `⌊N / 2⌋`, and so many times `N * M`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Extent {
    pub n: i64,
    pub m: i64,
    pub c: i64,
    pub half: i64,
    pub product: i64,
}

impl Extent {
    pub const N: Extent = Extent::new(1, 0, 0);
    pub const M: Extent = Extent::new(0, 1, 0);
    pub const HALF: Extent = Extent { half: 1, ..Extent::new(0, 0, 0) };
    pub const PRODUCT: Extent = Extent { product: 1, ..Extent::new(0, 0, 0) };

    pub const fn new(n: i64, m: i64, c: i64) -> Extent {
        Extent { n, m, c, half: 0, product: 0 }
    }

    /// Whether it is a number.
    pub fn is_constant(self) -> bool {
        self == Extent::new(0, 0, self.c)
    }

    pub fn text(self) -> String {
        let mut out = String::new();
        let half = if self.half == 1 { "n / 2" } else { "(n / 2)" };
        let parts = [(self.product, "n * m"), (self.n, "n"), (self.m, "m"), (self.half, half), (self.c, "")];
        for (k, name) in parts {
            let sign = match (out.is_empty(), k < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            out += &match (k.abs(), name) {
                (0, _) => continue,
                (k, "") => format!("{sign}{k}"),
                (1, name) => format!("{sign}{name}"),
                (k, name) => format!("{sign}{k} * {name}"),
            };
        }
        if out.is_empty() { "0".into() } else { out }
    }

    pub fn at(self, n: i64, m: i64) -> i64 {
        self.n * n + self.m * m + self.c + self.half * n.div_euclid(2) + self.product * n * m
    }

    /// What it is at least, whatever the sizes.
    pub fn least(self) -> i64 {
        let grows = self.n >= 0 && self.m >= 0 && self.product >= 0 && 2 * self.n + self.half >= 0;
        if grows { self.c } else { i64::MIN }
    }

    /// About how many iterations a loop over it has where sizes are small.
    pub fn rough(self) -> f64 {
        self.at(5, 4).max(1) as f64
    }

    pub fn minus(self, other: Extent) -> Extent {
        Extent {
            n: self.n - other.n,
            m: self.m - other.m,
            c: self.c - other.c,
            half: self.half - other.half,
            product: self.product - other.product,
        }
    }
}

/// A tensor in scope, or a number: a tensor of rank 0. A tensor of tuples is in scope as its parts.
#[derive(Clone)]
pub(super) struct Tensor {
    pub name: String,
    /// Behind the indices: `.0`.
    pub field: &'static str,
    pub extents: Vec<Extent>,
    /// Whether an element may be what an extreme of nothing is: minus infinity, or with `false` infinity.
    pub infinite: Option<bool>,
    /// About how large elements may be.
    pub bound: f64,
    /// The feature that gives the value of an element, by its number.
    pub made_by: Option<usize>,
}

impl Tensor {
    pub fn new(name: &str, extents: &[Extent], bound: f64) -> Tensor {
        Tensor {
            name: name.into(),
            field: "",
            extents: extents.to_vec(),
            infinite: None,
            bound,
            made_by: None,
        }
    }
}

/// An index in scope.
#[derive(Clone)]
pub(super) struct Index {
    pub name: String,
    /// `0 <= name - first < extent` holds.
    pub within: Option<(i64, Extent)>,
    /// `name >= 0` holds.
    pub natural: bool,
    /// What it is at least, if it is the place of an extreme that may be of nothing: it is asked for.
    pub least: Option<String>,
}

/// A function that may be called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Helper {
    /// `h(f64, f64) -> f64`
    Numbers,
    /// `pair(f64, f64) -> (f64, f64)`
    Pair,
    /// `norm([f64; n]) -> f64`
    Norm,
    /// `map([f64; n], f64) -> [f64; n]`
    Map,
    /// `bent(f64) -> f64`, with a derivative of its own
    Given,
    /// `outer(f64) -> f64`, a function of Rust
    Outer,
    /// `both(f64, f64) -> f64`, a function of Rust of two numbers, the first of them positive
    OuterOfTwo,
    /// `norm_bar([f64; n]) -> [f64; n]`, the gradient of `norm`, and what else is derived of it
    Gradient,
    /// `map_dot` and `map_bar`, derivatives of `map`
    Tangent,
    /// `times([f64; n, m], [f64; m]) -> [f64; n]`
    Matrix,
    /// `total([f64; n, m]) -> f64`
    Total,
    /// `weigh(([f64; n], f64)) -> f64`
    Weigh,
    /// `duo([f64; n], f64) -> ([f64; n], f64)`
    Duo,
    /// `steps(f64, usize) -> [f64; k]`
    Steps,
    /// `spectrum([f64; n]) -> [f64; n]` and `spread([f64; n], f64) -> ([f64; n], f64)`, functions of Rust of whole tensors
    Foreign,
}

/// What is in scope.
#[derive(Clone, Default)]
pub(super) struct Scope {
    pub tensors: Vec<Tensor>,
    pub indices: Vec<Index>,
    /// `0 <= place < extent` is known here.
    pub known: Vec<(String, Extent)>,
    pub helpers: Vec<Helper>,
    /// Whether there is a size `m`.
    pub has_m: bool,
    /// Whether conditions on sizes may be asked of the caller.
    pub may_require: bool,
    /// About how often this is evaluated.
    pub work: f64,
    /// Whether there is a packed triangle `l`.
    pub has_packed: bool,
    /// Only reads: no `let` can stand here.
    pub plain: bool,
    /// The names of parameters.
    pub params: Vec<String>,
    /// In the step of a recurrence.
    pub in_step: bool,
}

/// No expression is evaluated more often than about this.
const MOST_WORK: f64 = 1500.0;

impl Scope {
    /// Whether a loop over so much more may stand here.
    pub fn has_room(&self, iterations: f64) -> bool {
        !self.plain && self.work * iterations <= MOST_WORK
    }

    pub fn with_index(&self, name: &str, within: Option<(i64, Extent)>, natural: bool) -> Scope {
        let mut out = self.clone();
        out.indices.push(Index { name: name.into(), within, natural, least: None });
        out
    }

    /// The names of tuples of a tensor of these extents and a number.
    pub fn pairs(&self, e: &[Extent]) -> Vec<String> {
        let is_number = |name: &str| {
            self.tensors.iter().any(|t| t.name == name && t.extents.is_empty() && t.infinite.is_none())
        };
        let of = |t: &Tensor| {
            let name = t.name.strip_suffix(".0")?;
            let fits = t.extents == e && t.field.is_empty() && t.infinite.is_none();
            (fits && is_number(&format!("{name}.1"))).then(|| name.to_string())
        };
        self.tensors.iter().filter_map(of).collect()
    }

    pub fn with_work(mut self, iterations: f64) -> Scope {
        self.work *= iterations;
        self
    }
}
