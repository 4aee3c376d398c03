//! Conditions that are said more than once: passes compare those of a statement with those of what it reads.

use super::scope::{Extent, Scope};
use super::table::Generator;

/// A condition, and the scope that it was written in.
pub(super) struct Said {
    text: String,
    indices: Vec<String>,
    tensors: Vec<(String, Vec<Extent>)>,
    known: Vec<(String, Extent)>,
    work: f64,
    helpers: usize,
    has_m: bool,
    in_step: bool,
}

impl Said {
    pub fn new(text: &str, s: &Scope) -> Said {
        Said {
            text: text.to_string(),
            indices: s.indices.iter().map(|i| i.name.clone()).collect(),
            tensors: s.tensors.iter().map(|t| (t.name.clone(), t.extents.clone())).collect(),
            known: s.known.clone(),
            work: s.work,
            helpers: s.helpers.len(),
            has_m: s.has_m,
            in_step: s.in_step,
        }
    }

    /// Whether all that it may read is there: in a step that is elements at earlier times, and no gradients nor functions of Rust.
    fn may_stand_in(&self, s: &Scope) -> bool {
        let is_there = |(name, extents): &(String, Vec<Extent>)| {
            s.tensors.iter().any(|t| t.name == *name && t.extents == *extents)
        };
        match (self.in_step, s.in_step) {
            (false, false) => true,
            (false, true) => !self.text.contains('('),
            (true, _) => s.in_step && self.tensors.iter().all(is_there),
        }
    }

    /// Whether it speaks of indices and sizes alone.
    fn is_of_indices(&self) -> bool {
        !self.text.contains(['[', '(', '{']) && !self.tensors.iter().any(|(t, _)| speaks_of(&self.text, t))
    }

    /// Whether it may be said in another scope as it is.
    fn holds_in(&self, s: &Scope) -> bool {
        let has = |name: &String| s.indices.iter().any(|i| i.name == *name);
        let has_tensor = |name: &String, extents: &[Extent]| {
            s.tensors.iter().any(|t| t.name == *name && t.extents == extents)
        };
        self.indices.iter().all(|i| has(i) || !speaks_of(&self.text, i))
            && self.tensors.iter().all(|(t, extents)| has_tensor(t, extents) || !speaks_of(&self.text, t))
            && s.known.starts_with(&self.known)
            && self.may_stand_in(s)
            && s.work <= self.work
            && s.helpers.len() >= self.helpers
            && !(s.plain && self.text.contains('{'))
            // Whether there is a place was asked where it was said first.
            && !self.text.contains("argm")
    }
}

/// Whether a name stands in a text; of a part of a tuple, that of the tuple.
fn speaks_of(text: &str, name: &str) -> bool {
    let whole = name.split('.').next();
    words(text).any(|w| Some(w) == whole)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

impl Generator {
    /// A condition that was said before: of these indices, or, where it is of indices alone, of others.
    pub fn said_before(&mut self, s: &Scope) -> Option<String> {
        let fits =
            |c: &Said| (s.has_m || !c.has_m) && (c.holds_in(s) || c.is_of_indices() && !s.indices.is_empty());
        let all: Vec<usize> = (0..self.said.len()).filter(|k| fits(&self.said[*k])).collect();
        if all.is_empty() {
            return None;
        }
        let k = self.pick(&all);
        let mut text = self.said[k].text.clone();
        if !self.said[k].holds_in(s) {
            for old in self.said[k].indices.clone() {
                let new = self.index(s).name;
                text = renamed(&text, &old, &new);
            }
        }
        Some(text)
    }
}

/// One name for another.
fn renamed(text: &str, old: &str, new: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(word) = words(rest).find(|w| *w == old) {
        let at = word.as_ptr() as usize - rest.as_ptr() as usize;
        out += &rest[..at];
        out += new;
        rest = &rest[at + old.len()..];
    }
    out + rest
}
