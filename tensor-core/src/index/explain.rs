//! Range proofs, and what to tell the user when one fails.

mod help;
mod point;

pub use point::{counterexample, small_model};

use super::affine::{Affine, Atom};
use super::cond;
use super::names::Names;
use super::omega::Work;
use super::pred::{Cond, Pred};
use super::project::bounds;
use super::query::{Facts, Model, entails_cond, is_empty};

/// Why an index was not proved in range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Whether a point was found, or the proof only did not succeed.
    pub is_certain: bool,
    /// What to tell the user.
    pub text: String,
}

/// An access to be proved: `0 <= index < extent`, and how the user wrote it.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// What holds there.
    pub path: &'a Pred,
    /// The index.
    pub index: &'a Affine,
    /// The index as the user wrote it.
    pub text: &'a str,
    /// The length of the dimension.
    pub extent: &'a Affine,
    /// The array, as in "past the end of `x`".
    pub array: &'a str,
    /// The access, as in "`x[i + 1]` reaches".
    pub access: &'a str,
    /// Names of sizes and indices.
    pub names: &'a Names,
    /// Ranges of elements.
    pub facts: &'a Facts,
}

/// Proves `0 <= a < extent` under `p`, or says why not. `array` and `access` are how the user wrote them.
pub fn check_access(question: Question<'_>, work: &mut Work) -> Result<(), Failure> {
    match missed(question, work) {
        None => Ok(()),
        Some((is_upper, Some(needed))) => Err(question.failure(is_upper, &needed)),
        Some((_, None)) => {
            let text =
                format!("could not prove that `{}` is in range: its numbers are too large", question.access);
            Err(Failure { is_certain: false, text })
        }
    }
}

/// The first end that is not proved: whether it is the upper one, and what is needed; that is `None` where its numbers are too large.
pub fn missed(question: Question<'_>, work: &mut Work) -> Option<(bool, Option<Cond>)> {
    let Question { path, index, extent, facts, .. } = question;
    let ends = [(false, cond::ge(index, &Affine::zero())), (true, cond::lt(index, extent))];
    let mut follows = |needed: &Cond| {
        entails_cond(&[path], needed, facts, work)
            || entails_product(path, needed, facts, &mut Work::default())
    };
    ends.into_iter().find(|(_, needed)| needed.as_ref().is_none_or(|needed| !follows(needed)))
}

/// A condition with products, from what is said of its atoms alone: bounds are multiplied with one another, and those that speak of something else add
/// more than the solver takes.
fn entails_product(path: &[Cond], needed: &Cond, facts: &Facts, work: &mut Work) -> bool {
    if !needed.has_product() {
        return false;
    }
    let is_of_others = |c: &Cond| c.any_atom(&|t| !needed.mentions(t));
    let near: Pred = path.iter().filter(|c| !is_of_others(c)).cloned().collect();
    near.len() < path.len() && entails_cond(&[&near], needed, facts, work)
}

fn indices_of(p: &[Cond]) -> Vec<Atom> {
    super::pred::indices(p).into_iter().map(Atom::Index).collect()
}

impl Question<'_> {
    fn failure(&self, is_upper: bool, needed: &Cond) -> Failure {
        // Each question below has its own allowance: the proof may have used up the one before.
        let mut violated = self.path.clone();
        violated.extend(needed.negate().into_iter().flatten());
        let point = point::counterexample(&violated, self.extent, self.facts);
        let in_range = [self.path.as_slice(), std::slice::from_ref(needed)].concat();
        if point.is_some() && is_empty(&[&in_range], self.facts, &mut Work::default()) {
            return self.never_in_range(is_upper);
        }
        let mut text = match &point {
            Some(m) => format!("{}; with {}", self.reach(is_upper), self.values(m, is_upper)),
            None => {
                let needed = self.condition(is_upper, needed);
                format!("could not prove that `{}` is in range: `{needed}`", self.access)
            }
        };
        let helps = help::helps(self, needed, &self.condition(is_upper, needed), &violated);
        text += &format!("\n  help: {}", helps.join(", or "));
        Failure { is_certain: point.is_some(), text }
    }

    /// It is out of range wherever it is evaluated.
    fn never_in_range(&self, is_upper: bool) -> Failure {
        let (access, names) = (self.access, self.names);
        let text = if is_upper {
            let extent = names.affine(self.extent);
            format!("`{access}` is always past the end of {} (length `{extent}`) here", self.array)
        } else {
            format!("the index of `{access}` is always negative here")
        };
        let help = "help: no guard can repair it: change the index, the range or the condition around it";
        Failure { is_certain: true, text: format!("{text}\n  {help}") }
    }

    /// What must hold, in the words of the user where it is not affine.
    fn condition(&self, is_upper: bool, needed: &Cond) -> String {
        let mut terms = self.index.terms.iter().chain(&self.extent.terms);
        let is_affine = terms.all(|t| matches!(t.0, Atom::Size(_) | Atom::Index(_) | Atom::Element(..)));
        match (is_affine, is_upper) {
            (true, _) => self.names.cond(needed),
            (false, true) => format!("{} < {}", self.text, self.names.affine(self.extent)),
            (false, false) => format!("0 <= {}", self.text),
        }
    }

    /// `n = 1, i = 0 the index is 1 and the length 1`
    fn values(&self, m: &Model, is_upper: bool) -> String {
        let value = |a: &Atom| m.get(a).unwrap_or(0);
        let is_named = |a: &Atom| match a {
            Atom::Size(_) | Atom::Index(_) | Atom::Element(..) => true,
            Atom::Floor(..) | Atom::Product(_) => false,
        };
        let one = |(a, v): (&Atom, &i64)| is_named(a).then(|| format!("{} = {v}", self.names.atom(a)));
        let values: Vec<String> = m.atoms.iter().zip(&m.values).filter_map(one).collect();
        let mut text = format!("{} the index is {}", values.join(", "), self.index.eval(&value));
        if is_upper {
            text += &format!(" and the length {}", self.extent.eval(&value));
        }
        text
    }

    /// The extreme value of the index by the sizes.
    fn extreme(&self, is_upper: bool) -> Option<Affine> {
        let t = Atom::Index(u32::MAX);
        let mut reach = self.path.clone();
        reach.push(cond::eq(self.index, &t.clone().into())?);
        let b = bounds(&reach, &t, &[], &[], self.facts, &mut Work::default()).ok().filter(|b| b.exact)?;
        match (if is_upper { b.upper } else { b.lower }).as_slice() {
            [one] if one.den == 1 => Some(one.num.clone()),
            _ => None,
        }
    }

    /// `i = n - 1` for the indices that the extreme determines.
    fn place_of(&self, extreme: &Affine) -> Vec<String> {
        let Some(at) = cond::eq(self.index, extreme) else { return vec![] };
        let there = [self.path.as_slice(), &[at]].concat();
        let place = |i: u32| {
            let i = Atom::Index(i);
            let b = bounds(&there, &i, &[], &[], self.facts, &mut Work::default()).ok()?;
            let value = b.exactly.filter(|v| v.den == 1)?;
            Some(format!("{} = {}", self.names.atom(&i), self.names.affine(&value.num)))
        };
        self.index.indices().into_iter().filter_map(place).collect()
    }

    /// `x[i + 1]` reaches `n` at `i = n - 1`, past the end of `x` (length `n`)
    fn reach(&self, is_upper: bool) -> String {
        let (access, names) = (self.access, self.names);
        let mut text = match self.extreme(is_upper) {
            Some(e) => {
                let place = self.place_of(&e);
                let mut text = format!("`{access}` reaches `{}`", names.affine(&e));
                if !place.is_empty() && e != *self.index {
                    text += &format!(" at `{}`", place.join(", "));
                }
                if is_upper { text + ", past" } else { text }
            }
            None if is_upper => format!("`{access}` may pass"),
            None => format!("`{access}` may be negative"),
        };
        if is_upper {
            text += &format!(" the end of {} (length `{}`)", self.array, names.affine(self.extent));
        }
        text
    }
}
