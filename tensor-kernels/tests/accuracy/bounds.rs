//! The bounds that the manual states.

const MANUAL: &str = include_str!("../../../docs/functions.md");

/// How many numbers a result may be away from the correctly rounded one.
pub type Bound = u64;

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For one number.
    Single,
    /// For vectors.
    Lanes,
}

/// The rows of the table: the names of functions, and six bounds, with and without `std` and in lanes, for `f64` and `f32`.
fn rows() -> impl Iterator<Item = (Vec<&'static str>, Vec<&'static str>)> {
    MANUAL.lines().filter_map(|line| {
        let names = line.strip_prefix("| `")?;
        let (names, cells) = names.split_once('|')?;
        let names = names.split('`').map(str::trim).filter(|name| !name.is_empty()).collect();
        Some((names, cells.trim_end_matches('|').split('|').map(str::trim).collect()))
    })
}

/// All functions with bounds.
pub fn names() -> Vec<&'static str> {
    rows().flat_map(|(names, _)| names).collect()
}

/// The bound of a function. What has none in lanes is there what it is alone.
pub fn bounds(form: Form, bits: usize) -> impl Fn(&str) -> Bound {
    let single = if cfg!(feature = "std") { 0 } else { 2 };
    move |name| {
        let (_, cells) = rows().find(|(names, _)| names.contains(&name)).expect("a row of the function");
        let at = |column: usize| cells[column + usize::from(bits == 32)];
        let own = form == Form::Lanes && !cfg!(feature = "exact-math") && !at(4).is_empty();
        at(if own { 4 } else { single }).parse().expect("a number")
    }
}
