//! Recs: `let (h, g) = rec t in 0..n { let g_now = …; let h_now = …; (h_now, g_now) };`
//!
//! A member has a name for all of its elements and one for that of the step: what it is at the times of the steps around is read by the latter, what
//! it was before by the former. Its times are its first dimensions there.

use super::Printer;
use super::value::{Level, Text};
use crate::index::Affine;
use crate::ssa::rename::Substitution;
use crate::ssa::{ArrayId, Function, Index, Stmt};

/// A name of a member: of its elements at these outermost times.
#[derive(Clone)]
pub(super) struct Member {
    array: ArrayId,
    at: Vec<Index>,
    name: String,
}

/// The dimensions of a member that are its times, outermost first.
fn times(s: &Stmt) -> Vec<usize> {
    let own = s.step.iter().flat_map(|step| &step.times);
    own.filter_map(|t| s.gens.iter().position(|g| g == t)).collect()
}

/// The dimensions of a member as they are printed: its times, then the others.
fn printed(s: &Stmt) -> Vec<usize> {
    let mut out = times(s);
    out.extend((0..s.gens.len()).filter(|d| !times(s).contains(d)));
    out
}

/// The statements in order, those together that are in one rec within `depth` others.
fn parts<'s>(f: &Function, all: &'s [Stmt], depth: usize) -> Vec<&'s [Stmt]> {
    let rec = |s: &Stmt| f.recs_of(s).get(depth).copied();
    all.chunk_by(|a, b| rec(a).is_some() && rec(a) == rec(b)).collect()
}

/// `a`, or `(a, b)`.
fn tuple(names: &[String]) -> String {
    if let [one] = names { one.clone() } else { format!("({})", names.join(", ")) }
}

impl Printer {
    /// The statements of an outermost rec, as one `let`.
    pub(super) fn unit(&mut self, all: &[Stmt]) -> String {
        self.indices.clear();
        self.elements.clear();
        let names: Vec<String> = all.iter().map(|s| self.arrays[s.array.0 as usize].clone()).collect();
        for s in all {
            let name = self.arrays[s.array.0 as usize].clone();
            self.members.push(Member { array: s.array, at: vec![], name });
        }
        let value = self.steps(all, &mut vec![]);
        format!("    let {} = {value};\n", tuple(&names))
    }

    /// `rec t in 0..n { … }`, at the times of the steps around. A rec that is all of the step of another stands in it as a further index: what
    /// is read there may be of the same time or of an earlier one.
    fn steps(&mut self, all: &[Stmt], around: &mut Vec<Index>) -> String {
        let marks = (self.members.len(), self.indices.len(), around.len());
        let mut own = all.to_vec();
        let mut binders = vec![];
        loop {
            binders.push(self.binder(&mut own, around));
            let is_whole = self.is_nested(&own[0], around) && parts(&self.f, &own, around.len()).len() == 1;
            if !is_whole {
                break;
            }
        }
        let (mut lets, mut values) = (String::new(), vec![]);
        let parts: Vec<Vec<Stmt>> =
            parts(&self.f, &own, around.len()).into_iter().map(<[Stmt]>::to_vec).collect();
        for part in &parts {
            let now: Vec<String> = part.iter().map(|s| self.now(s.array)).collect();
            let named = |(s, name): (&Stmt, &String)| Member {
                array: s.array,
                at: around.clone(),
                name: name.clone(),
            };
            let members: Vec<Member> = part.iter().zip(&now).map(named).collect();
            let value = if self.is_nested(&part[0], around) {
                self.members.extend(members);
                self.steps(part, around)
            } else {
                let value = self.element(&part[0], around);
                self.members.extend(members);
                value
            };
            lets += &format!("let {} = {value}; ", tuple(&now));
            values.extend(now);
        }
        self.members.truncate(marks.0);
        self.indices.truncate(marks.1);
        around.truncate(marks.2);
        format!("rec {} {{ {lets}{} }}", binders.join(", "), tuple(&values))
    }

    fn is_nested(&self, s: &Stmt, around: &[Index]) -> bool {
        self.f.recs_of(s).len() > around.len()
    }

    /// `t in 0..n`; the next time of the members is called so.
    fn binder(&mut self, all: &mut [Stmt], around: &mut Vec<Index>) -> String {
        let (depth, first) = (around.len(), &all[0]);
        let rec = self.f.rec(self.f.recs_of(first)[depth]).clone();
        let extent = times(first).get(depth).map(|d| self.f.array(first.array).extents[*d].clone());
        let extent = self.affine(&extent.unwrap_or_default());
        let time = self.f.new_index(rec.name);
        all.iter_mut().for_each(|s| *s = at_time(s, depth, time));
        around.push(time);
        let range = if rec.backward { format!("(0..{extent}).rev()") } else { format!("0..{extent}") };
        format!("{} in {range}", self.bind(time))
    }

    /// A new name for what a member is in a step.
    fn now(&mut self, array: ArrayId) -> String {
        let name = self.fresh(&format!("{}_now", self.arrays[array.0 as usize]));
        self.taken.insert(name.clone());
        name
    }

    /// What a member is at the times around.
    fn element(&mut self, s: &Stmt, around: &[Index]) -> String {
        let outer = self.indices.len();
        let text = self.looped(s, &|g| around.contains(g));
        self.indices.truncate(outer);
        text
    }

    /// A member by the name that it has here: that of the most times that are those of the steps around.
    pub(super) fn read_member(&self, array: ArrayId, at: &[Affine]) -> Option<Text> {
        let s = self.definition(array).filter(|s| s.step.is_some())?;
        let dims = printed(s);
        let fits = |m: &&Member| {
            m.array == array && m.at.iter().zip(&dims).all(|(t, d)| at.get(*d) == Some(&t.affine()))
        };
        let name = self.members.iter().filter(fits).max_by_key(|m| m.at.len())?;
        let at: Vec<String> = dims[name.at.len()..].iter().map(|d| self.affine(&at[*d])).collect();
        let text =
            if at.is_empty() { name.name.clone() } else { format!("{}[{}]", name.name, at.join(", ")) };
        Some(Text::new(text, Level::Operand))
    }

    /// A member as a whole, its dimensions in their own order.
    pub(super) fn whole_member(&mut self, array: ArrayId) -> Option<String> {
        let s = self.definition(array).filter(|s| s.step.is_some())?.clone();
        if printed(&s).is_sorted() {
            return None;
        }
        let gens = self.f.fresh(&s.gens);
        let outer = self.indices.len();
        let extents = self.f.array(array).extents.clone();
        let bind = |(g, e): (&Index, &Affine)| format!("{} in 0..{}", self.bind(*g), self.affine(e));
        let binders: Vec<String> = gens.iter().zip(&extents).map(bind).collect();
        let at: Vec<Affine> = gens.iter().map(|g| g.affine()).collect();
        let text = self.read_member(array, &at)?.text;
        self.indices.truncate(outer);
        Some(format!("for {} {{ {text} }}", binders.join(", ")))
    }
}

/// A statement whose time at a depth is called otherwise.
fn at_time(s: &Stmt, depth: usize, time: Index) -> Stmt {
    let mut out = s.clone();
    let Some(step) = &mut out.step else { return out };
    let Some(own) = step.times.get_mut(depth) else { return out };
    let old = std::mem::replace(own, time);
    out.gens.iter_mut().filter(|g| **g == old).for_each(|g| *g = time);
    // To rename an index always fits.
    if let Some(rhs) = Substitution::renaming(&[old], &[time]).rhs(&s.rhs) {
        out.rhs = rhs;
    }
    out
}
