//! Recurrences that add up, and are read at one time: sums.
//!
//! ```text
//! s[t] = [0 < t] s[t - 1] + e[t]; … s[T]   →   S = sum t <= T. e[t]; … S
//! ```
//!
//! So a sum in the state of a fold is one like any other: what is added may be computed for several times at once, and a reverse sweep has no cotangent for each
//! time of it. A state that is given another name in between, or is added to in several places, is one too: the members of the recurrence are a cycle, each with
//! one read of the one before, whole.

use super::{State, ask};
use crate::index::{Affine, Cond, Pred, cond};
use crate::mark::{self, Mark};
use crate::sorted::{Map, Set};
use crate::ssa::rename::Substitution;
use crate::ssa::{Access, ArrayId, Function, Index, Rhs, Stmt, Term};
use std::ops::Range;

/// See the module documentation. Whether there were any.
pub(super) fn sums(s: &mut State) -> bool {
    let mut cycles: Vec<Cycle> = s.f.units().into_iter().filter_map(|u| Cycle::of(&s.f, u)).collect();
    if cycles.is_empty() {
        return false;
    }
    note_reads(&s.f, &mut cycles);
    let mut sums: Map<ArrayId, Summed> = Map::new();
    let mut gone: Set<ArrayId> = Set::new();
    for c in cycles {
        if let Some(sum) = c.summed(s) {
            mark::hit(Mark::StepsSummed);
            gone.extend(s.f.stmts[c.members.clone()].iter().map(|m| m.array));
            sums.insert(sum.of, sum);
        }
    }
    if sums.is_empty() {
        return false;
    }
    for mut stmt in std::mem::take(&mut s.f.stmts) {
        if let Some(sum) = sums.get(&stmt.array) {
            stmt = sum.stmt.clone();
        } else if gone.contains(&stmt.array) {
            continue;
        }
        s.f.stmts.push(stmt);
    }
    for a in s.f.stmts.iter_mut().flat_map(|stmt| stmt.rhs.accesses_mut()) {
        if let Some(sum) = sums.get(&a.array) {
            a.array = sum.stmt.array;
            a.at.remove(sum.time);
        }
    }
    true
}

/// A recurrence as a sum.
struct Summed {
    /// The member that is read.
    of: ArrayId,
    /// Its dimension that is the time.
    time: usize,
    /// What stands for it.
    stmt: Stmt,
}

/// The members of a recurrence, each of which adds to another.
struct Cycle {
    members: Range<usize>,
    /// By array: which of them gives it.
    places: Map<ArrayId, usize>,
    links: Vec<Link>,
    /// Where other statements read them, and under what; none where that is not an element of a factor.
    reads: Option<Vec<(usize, Pred, Access)>>,
}

/// A member: `X[t, …] = [guard] Y[t - ago, …] + …`
struct Link {
    /// The dimension that is the time.
    time: usize,
    /// Which term reads another member.
    carry: usize,
    /// Which member that is, and how many steps before.
    from: ArrayId,
    ago: i64,
}

impl Cycle {
    fn of(f: &Function, members: Range<usize>) -> Option<Cycle> {
        let stmts = &f.stmts[members.clone()];
        let step = stmts.first()?.step.as_ref()?;
        (!f.rec(step.rec).backward).then_some(())?;
        let places = stmts.iter().zip(0..).map(|(s, k)| (s.array, k)).collect();
        let links = stmts.iter().map(|s| Link::of(f, (stmts, &places), s)).collect::<Option<_>>()?;
        Some(Cycle { members, places, links, reads: Some(vec![]) })
    }

    /// The sum that stands for what others read.
    fn summed(&self, s: &mut State) -> Option<Summed> {
        let reads = self.reads.as_ref()?;
        let (_, _, read) = reads.first()?;
        reads.iter().all(|r| r.2.array == read.array).then_some(())?;
        let path = self.path(read.array)?;
        let time = path.first()?.link.time;
        let last = read.at.get(time)?.clone();
        let is_last = |a: &Access| a.at.get(time) == Some(&last);
        (last.indices().is_empty() && reads.iter().all(|r| is_last(&r.2))).then_some(())?;
        let mut gens = s.f.stmts[path.first()?.place].gens.clone();
        gens = s.f.fresh(&gens);
        let t = gens.remove(time);
        let mut array = s.f.array(read.array).clone();
        array.extents.remove(time);
        let ends = Ends::of(&path, &s.f, &gens, t)?;
        ends.hold(s, reads, &last).then_some(())?;
        let array = s.f.new_array(array.name, array.extents);
        let mut terms = vec![];
        for k in 0..path.len() {
            terms.extend(added(&mut s.f, &path[..=k], &gens, &ends, &last)?);
        }
        let stmt = Stmt { array, gens, rhs: Rhs::Contract(terms), step: None };
        Some(Summed { of: read.array, time, stmt })
    }

    /// The members from the one that is read on, each after what reads it; none if that is not all, or takes more or less than a step.
    fn path(&self, read: ArrayId) -> Option<Vec<On<'_>>> {
        let (mut out, mut next, mut ago) = (vec![], read, 0);
        while out.is_empty() || next != read {
            let place = *self.places.get(&next).filter(|_| out.len() < self.links.len())?;
            let link = &self.links[place];
            out.push(On { place: self.members.start + place, link, ago });
            (next, ago) = (link.from, ago + link.ago);
        }
        (out.len() == self.links.len() && ago == 1).then_some(out)
    }
}

/// A member on the path to the one that is read: what is there at `t - ago` gets there at t.
struct On<'a> {
    place: usize,
    link: &'a Link,
    ago: i64,
}

impl On<'_> {
    /// Its gens are these, at a time.
    fn at(&self, f: &Function, gens: &[Index], time: &Affine) -> Substitution {
        let mut to: Vec<Affine> = gens.iter().map(|g| g.affine()).collect();
        to.insert(self.link.time, time.clone());
        Substitution::new(&f.stmts[self.place].gens, &to)
    }

    /// Where it reads the next one, if that is of this time where it ends.
    fn carries(&self, f: &Function, gens: &[Index], end: &Affine) -> Option<Pred> {
        let Rhs::Contract(terms) = &f.stmts[self.place].rhs else { return None };
        self.at(f, gens, &end.clone().step(-self.ago)).pred(&terms[self.link.carry].guard)
    }
}

/// Between which times all is carried on.
struct Ends {
    time: Index,
    /// `time + a >= 0`
    begins: Vec<Affine>,
    /// `a - time >= 0`
    ends: Vec<Affine>,
    /// What sizes say.
    sizes: Pred,
}

impl Ends {
    fn of(path: &[On<'_>], f: &Function, gens: &[Index], time: Index) -> Option<Ends> {
        let mut out = Ends { time, begins: vec![], ends: vec![], sizes: vec![] };
        for on in path {
            for c in on.carries(f, gens, &time.affine())? {
                if c.is_of_sizes() {
                    out.sizes.push(c);
                    continue;
                }
                let Cond::NonNeg(a) = &c else { return None };
                let sign = a.coeff(&time.atom());
                let rest = a.plus_scaled(-sign, &time.affine())?;
                rest.indices().is_empty().then_some(())?;
                match sign {
                    1 => out.begins.push(rest),
                    -1 => out.ends.push(rest),
                    _ => return None,
                }
            }
        }
        Some(out)
    }

    /// Whether all before the last time comes as far as that, wherever it is read.
    fn hold(&self, s: &State, reads: &[(usize, Pred, Access)], last: &Affine) -> bool {
        let begins = self.begins.iter().map(|a| a.plus_scaled(1, last).map(|a| a.step(1)));
        let ends = self.ends.iter().map(|a| a.plus_scaled(-1, last));
        let Some(mut all) = begins.chain(ends).map(|a| a.map(Cond::NonNeg)).collect::<Option<Pred>>() else {
            return false;
        };
        all.extend(self.sizes.iter().cloned());
        reads.iter().all(|(k, guard, _)| {
            let by = &s.f.stmts[*k];
            ask::known(s, &by.gens, &s.f.array(by.array).extents).and(guard).entails(&all)
        })
    }
}

/// What the last member of a path adds at each time, as far as it gets to the last time.
fn added(f: &mut Function, path: &[On<'_>], gens: &[Index], ends: &Ends, last: &Affine) -> Option<Vec<Term>> {
    let (on, between) = path.split_last()?;
    let stmt = f.stmts[on.place].clone();
    let Rhs::Contract(terms) = &stmt.rhs else { return None };
    let mut out = vec![];
    for (_, t) in terms.iter().enumerate().filter(|(k, _)| *k != on.link.carry) {
        let time = f.fresh(&[ends.time])[0];
        let end = time.affine().step(on.ago);
        let extent = &f.array(stmt.array).extents[on.link.time];
        let mut guard = cond::within(&Affine::zero(), &time.affine(), extent)?;
        guard.push(Cond::NonNeg(last.plus_scaled(-1, &end)?));
        for a in &ends.begins {
            guard.push(Cond::NonNeg(a.plus_scaled(1, &end)?.step(1)));
        }
        for link in between {
            guard.extend(link.carries(f, gens, &end)?);
        }
        let t = on.at(f, gens, &time.affine()).term(t)?.freshened(f)?;
        let sums = [vec![time], t.sums].concat();
        out.push(Term { sums, guard: [guard, t.guard].concat(), ..t });
    }
    Some(out)
}

impl Link {
    /// A member with one read of another, whose elements are those of its own.
    fn of(f: &Function, (members, places): (&[Stmt], &Map<ArrayId, usize>), s: &Stmt) -> Option<Link> {
        let [time] = s.step.as_ref()?.times.as_slice() else { return None };
        let Rhs::Contract(terms) = &s.rhs else { return None };
        let is_member = |a: &Access| places.contains_key(&a.array);
        let mut count = 0;
        f.each_read(s, &mut |_, a| count += usize::from(is_member(a)));
        let carries = |t: &Term| t.factors.iter().any(is_member);
        let carry = terms.iter().position(carries).filter(|_| count == 1)?;
        let Term { sums, factors, coeff, .. } = &terms[carry];
        let [a] = factors.as_slice() else { return None };
        #[allow(clippy::float_cmp)]
        (sums.is_empty() && *coeff == 1.0).then_some(())?;
        let from = &members[*places.get(&a.array)?];
        let [then] = from.step.as_ref()?.times.as_slice() else { return None };
        let (own, theirs) = (place(&s.gens, *time)?, place(&from.gens, *then)?);
        let (mut gens, mut at) = (s.gens.clone(), a.at.clone());
        let [mut extents, mut others] = [s, from].map(|s| f.array(s.array).extents.clone());
        extents.remove(own);
        others.remove(theirs);
        gens.remove(own);
        let past = at.remove(theirs).plus_scaled(-1, &time.affine())?;
        let is_whole = extents == others && gens.iter().map(|g| g.affine()).eq(at);
        let ago = past.as_constant().filter(|d| is_whole && *d <= 0)?;
        Some(Link { time: own, carry, from: a.array, ago: -ago })
    }
}

fn place(gens: &[Index], i: Index) -> Option<usize> {
    gens.iter().position(|g| *g == i)
}

/// Notes where cycles are read by others.
fn note_reads(f: &Function, cycles: &mut [Cycle]) {
    let mut of: Map<ArrayId, usize> = Map::new();
    for (k, c) in cycles.iter().enumerate() {
        f.stmts[c.members.clone()].iter().for_each(|s| {
            of.insert(s.array, k);
        });
    }
    for x in &f.results {
        if let Some(k) = of.get(x) {
            cycles[*k].reads = None;
        }
    }
    for (k, s) in f.stmts.iter().enumerate() {
        let mut open: Vec<usize> = vec![];
        let is_call = s.call().is_some();
        f.each_read(s, &mut |guard, a| {
            let Some(c) = of.get(&a.array).filter(|c| !cycles[**c].members.contains(&k)) else { return };
            open.push(*c);
            if let Some(reads) = &mut cycles[*c].reads {
                reads.push((k, guard.to_vec(), a.clone()));
            }
        });
        // What is not read as a factor stays.
        for (_, a) in s.rhs.accesses().into_iter().filter(|_| !is_call) {
            if let Some(c) = of.get(&a.array)
                && let Some(at) = open.iter().position(|o| o == c)
            {
                open.remove(at);
            }
        }
        open.into_iter().for_each(|c| cycles[c].reads = None);
    }
}
