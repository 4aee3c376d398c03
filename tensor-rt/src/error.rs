//! What can be wrong with the arguments of a call.

use core::fmt;

/// Why a function cannot be called with these arguments: which one, which of its dimensions, what it has and what it must be.
///
/// Everything is checked on entry, before any output is written. An error holds no memory of its own. It reads the same for people and in `{:?}`, so that
/// `unwrap` says what is wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// An array whose rank is known at run time alone has another number of dimensions.
    Rank {
        /// The argument.
        argument: &'static str,
        /// How many dimensions it has.
        has: usize,
        /// How many it must have.
        needs: usize,
    },
    /// A flat slice does not have as many elements as its shape says.
    Length {
        /// The argument.
        argument: &'static str,
        /// How many elements it has.
        has: usize,
        /// How many its shape has.
        needs: usize,
    },
    /// A dimension is not what the other arguments ask for.
    Dimension {
        /// The argument.
        argument: &'static str,
        /// Which dimension, from 0.
        dimension: usize,
        /// Its length.
        has: usize,
        /// What it must be.
        needs: isize,
        /// The same as it is declared: `n + m - 1`.
        extent: &'static str,
        /// The sizes in it.
        sizes: Values,
    },
    /// A dimension from which a size should follow gives none: it would be a fraction, or negative.
    Size {
        /// The argument.
        argument: &'static str,
        /// Which dimension, from 0.
        dimension: usize,
        /// Its length.
        has: usize,
        /// What it is declared as: `2*h + 1`.
        extent: &'static str,
        /// The size that should follow: `h`.
        size: &'static str,
        /// It would be this …
        numerator: isize,
        /// … divided by this.
        divisor: isize,
    },
    /// A condition on the sizes does not hold.
    Condition {
        /// The condition: `2*m <= n`.
        condition: &'static str,
        /// The sizes in it.
        sizes: Values,
    },
    /// A dimension or a size is so large that positions could not be counted.
    TooLarge {
        /// The argument, or the size.
        argument: &'static str,
        /// Which dimension, of an argument that is a tensor.
        dimension: Option<usize>,
        /// What it is.
        has: usize,
        /// What it may be at most.
        limit: usize,
    },
    /// A tensor would have more elements than can be addressed.
    Memory {
        /// The argument, result or intermediate value.
        name: &'static str,
        /// The sizes that its shape depends on.
        sizes: Values,
    },
    /// The function had errors when it was compiled: there is nothing to call.
    NotCompiled,
}

/// The first few sizes that an error speaks of, by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Values {
    names: &'static [&'static str],
    values: [isize; Values::MOST],
}

impl Values {
    /// How many are kept.
    pub const MOST: usize = 4;

    /// `values[k]` is what `names[k]` is. Those that do not fit are left out.
    #[must_use]
    pub fn new(names: &'static [&'static str], values: &[isize]) -> Values {
        let len = names.len().min(values.len()).min(Values::MOST);
        let mut kept = [0; Values::MOST];
        kept[..len].copy_from_slice(&values[..len]);
        Values { names: &names[..len], values: kept }
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, isize)> {
        self.names.iter().copied().zip(self.values)
    }
}

/// `n = 3, m = 2`
impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, (name, value)) in self.iter().enumerate() {
            let comma = if k == 0 { "" } else { ", " };
            write!(f, "{comma}{name} = {value}")?;
        }
        Ok(())
    }
}

impl Error {
    /// The argument to blame, if it is one.
    #[must_use]
    pub fn argument(&self) -> Option<&'static str> {
        match self {
            Error::Rank { argument, .. }
            | Error::Length { argument, .. }
            | Error::Dimension { argument, .. }
            | Error::Size { argument, .. }
            | Error::TooLarge { argument, .. } => Some(argument),
            Error::Condition { .. } | Error::Memory { .. } | Error::NotCompiled => None,
        }
    }
}

impl core::error::Error for Error {}

/// As [`Display`](fmt::Display).
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Rank { argument, has, needs } => {
                write!(f, "argument `{argument}`: the array has {}, but must have {needs}", dimensions(*has))
            }
            Error::Length { argument, has, needs } => {
                write!(f, "argument `{argument}`: the slice has {has} elements, but its shape has {needs}")
            }
            Error::Dimension { argument, dimension, has, needs, extent, sizes } => {
                write!(f, "argument `{argument}`: dimension {dimension} is {has}, but must be ")?;
                must_be(f, *needs, extent, sizes)
            }
            Error::Size { argument, dimension, has, extent, size, numerator, divisor } => {
                write!(f, "argument `{argument}`: dimension {dimension} is {has}, but must be `{extent}`, ")?;
                match (*numerator, *divisor) {
                    (n, 1) => write!(f, "and `{size}` = {n} is negative"),
                    (n, d) if n % d == 0 => write!(f, "and `{size}` = {} is negative", n / d),
                    (n, d) => write!(f, "and `{size}` = {n} / {d} is not a whole number"),
                }
            }
            Error::Condition { condition, sizes } => {
                write!(f, "`{condition}` does not hold")?;
                listed(f, ": ", sizes, "")
            }
            Error::TooLarge { argument, dimension: Some(dimension), has, limit } => {
                write!(f, "argument `{argument}`: dimension {dimension} is {has}, but may be at most {limit}")
            }
            Error::TooLarge { argument, dimension: None, has, limit } => {
                write!(f, "`{argument}` is {has}, but may be at most {limit}")
            }
            Error::Memory { name, sizes } => {
                write!(f, "`{name}` would have more elements than can be addressed")?;
                listed(f, ": ", sizes, "")
            }
            Error::NotCompiled => write!(f, "the function had errors when it was compiled"),
        }
    }
}

/// `3 dimensions`
fn dimensions(n: usize) -> impl fmt::Display {
    struct Dimensions(usize);
    impl fmt::Display for Dimensions {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{} dimension{}", self.0, if self.0 == 1 { "" } else { "s" })
        }
    }
    Dimensions(n)
}

/// `3`, or `` `n` = 3 ``, or `` `n + m - 1` = 9 (n = 5, m = 5) ``
fn must_be(f: &mut fmt::Formatter<'_>, needs: isize, extent: &str, sizes: &Values) -> fmt::Result {
    if sizes.names.is_empty() {
        return write!(f, "{needs}");
    }
    write!(f, "`{extent}` = {needs}")?;
    if sizes.names == [extent] { Ok(()) } else { listed(f, " (", sizes, ")") }
}

/// The sizes between `before` and `after`, or nothing.
fn listed(f: &mut fmt::Formatter<'_>, before: &str, sizes: &Values, after: &str) -> fmt::Result {
    if sizes.names.is_empty() { Ok(()) } else { write!(f, "{before}{sizes}{after}") }
}

#[cfg(test)]
mod tests;
