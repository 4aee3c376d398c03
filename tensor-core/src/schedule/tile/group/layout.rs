//! How far the loops of a group are ahead, where its blocks begin and end, and what is cut: as one more joins, from what is known of the others.

use super::{Cut, Finder, Group, MEMBERS, Member, length};
use crate::index::{Affine, Atom};
use crate::loops::{Storage, VarId};
use crate::schedule::node::constant_difference;
use crate::schedule::tile::uses::Use;
use crate::sorted::{Map, Set};

/// The greatest offset that is near, in elements.
const NEAR: i64 = crate::weights::tile::NEAR;

/// A group that grows.
pub(super) struct Growing {
    members: Vec<Member>,
    /// By member, for the first and for the last iterations: how far its own are from each of those of the first member, where that is a number.
    far: Vec<[Vec<Option<i64>>; 2]>,
    used: Map<VarId, Together>,
    layout: Layout,
}

/// What the members of a group do with one variable.
#[derive(Clone)]
struct Together {
    /// How many use it.
    users: usize,
    writes: bool,
    /// Whether all of them combine.
    combine: bool,
    /// By dimension: whether all of them move along it.
    near: Vec<bool>,
    /// How often they mention it.
    mentions: usize,
}

/// What follows from the members.
struct Layout {
    /// By member.
    leads: Vec<i64>,
    first: Affine,
    last: Affine,
    block: i64,
    cuts: Vec<Cut>,
}

/// Where the members from one on use an array: `i + offset` of the block that begins with i.
#[derive(Clone, Copy, Default)]
struct Reached {
    /// The greatest offset,
    all: Option<i64>,
    /// of those that write it,
    written: Option<i64>,
    /// and the least.
    least: Option<i64>,
}

impl Together {
    fn new(u: &Use) -> Together {
        let near = u.near.iter().map(Option::is_some).collect();
        Together { users: 1, writes: u.writes, combine: u.combines, near, mentions: u.mentions }
    }

    fn and(&self, u: &Use) -> Together {
        let moves = |d: usize| u.near.get(d).is_some_and(Option::is_some);
        Together {
            users: self.users + 1,
            writes: self.writes | u.writes,
            combine: self.combine & u.combines,
            near: self.near.iter().enumerate().map(|(d, near)| *near && moves(d)).collect(),
            mentions: self.mentions + u.mentions,
        }
    }

    /// Whether several use it, one writes it, and their order matters.
    fn is_shared(&self) -> bool {
        self.users > 1 && self.writes && !self.combine
    }

    /// Along which dimension all that share it move.
    fn along(&self) -> Option<usize> {
        self.is_shared().then(|| self.near.iter().position(|near| *near))?
    }
}

impl Growing {
    /// One loop.
    pub fn new(finder: &Finder<'_>, first: Member) -> Option<Growing> {
        Growing::of(finder, vec![first])
    }

    /// Loops in order.
    fn of(finder: &Finder<'_>, members: Vec<Member>) -> Option<Growing> {
        let layout = Layout {
            leads: vec![],
            first: Affine::default(),
            last: Affine::default(),
            block: 0,
            cuts: vec![],
        };
        let mut out = Growing { members: vec![], far: vec![], used: Map::new(), layout };
        for m in members {
            out.add(m);
        }
        out.layout = out.laid(finder)?;
        Some(out)
    }

    /// One more loop, if that reads what an earlier one writes, and not only where it is written, unless a product or steps do either; whether it joins.
    pub fn joins(&mut self, finder: &Finder<'_>, m: Member) -> bool {
        let old = self.add(m);
        let is_lost = |(v, _): &(VarId, _)| {
            self.used.get(v).is_some_and(|u: &Together| u.is_shared() && u.along().is_none())
        };
        let layout = if old.iter().any(is_lost) { None } else { self.laid(finder) };
        if let Some(layout) = layout.filter(|l| self.is_linked(finder, l.block)) {
            self.layout = layout;
            return true;
        }
        self.members.pop();
        self.far.pop();
        for (v, old) in old {
            match old {
                Some(old) => self.used.insert(v, old),
                None => self.used.remove(&v),
            };
        }
        false
    }

    /// More loops from before the last, if an array that they write is cut then; whether they join.
    pub fn takes(&mut self, finder: &Finder<'_>, more: Vec<Member>, v: VarId) -> bool {
        let mut members = [self.members.as_slice(), &more].concat();
        members.sort_by_key(|m| m.at);
        let Some(new) = Growing::of(finder, members).filter(|new| new.members() <= MEMBERS) else {
            return false;
        };
        let is_there = new.used.values().all(|u| !u.is_shared() || u.along().is_some());
        let joins = is_there && new.layout.cuts.iter().any(|c| c.var == v);
        if joins {
            *self = new;
        }
        joins
    }

    /// What the last member reads, if it runs steps, and along which dimension it moves there.
    pub fn read_by_steps(&self) -> Vec<(VarId, usize)> {
        let last = self.members.last().filter(|m| m.has_steps);
        let read = last.into_iter().flat_map(|m| m.uses.iter()).filter(|(_, u)| !u.writes);
        read.filter_map(|(v, u)| Some((*v, u.near.iter().position(Option::is_some)?))).collect()
    }

    /// How many loops there are.
    pub fn members(&self) -> usize {
        self.members.len()
    }

    /// All of it, with the statements that go before, as far as there are members behind them.
    pub fn done(self, mut before: Set<usize>) -> Group {
        let Layout { leads, first, last, block, cuts } = self.layout;
        let mut members = self.members;
        members.iter_mut().zip(leads).for_each(|(m, lead)| m.lead = lead);
        let end = members.last().map_or(0, |m| m.at);
        before.retain(|k| *k < end);
        Group { members, before, first, last, block, cuts }
    }

    /// Puts a loop last; what was known of the variables that it uses.
    fn add(&mut self, m: Member) -> Vec<(VarId, Option<Together>)> {
        let mut old = vec![];
        for (v, u) in &m.uses {
            let together = self.used.get(v).map_or_else(|| Together::new(u), |t| t.and(u));
            old.push((*v, self.used.insert(*v, together)));
        }
        let first = self.members.first().unwrap_or(&m);
        let far = |is_last: bool| {
            let far_from = |reference: &Affine| {
                let ends = m.ends(is_last).iter().filter_map(|e| constant_difference(reference, e));
                if is_last { ends.min() } else { ends.max() }
            };
            first.ends(is_last).iter().map(far_from).collect()
        };
        self.far.push([far(false), far(true)]);
        self.members.push(m);
        old
    }

    /// Whether the last member reads at another place what another one writes, where that is longer than two blocks.
    fn is_linked(&self, finder: &Finder<'_>, block: i64) -> bool {
        let Some((m, others)) = self.members.split_last() else { return false };
        m.uses.iter().any(|(v, u)| {
            let Some(d) = self.used.get(v).and_then(Together::along) else { return false };
            let is_other = |m: &Member| m.is_product || m.has_steps;
            let apart = |w: &Member| {
                let differs = |near| near != u.near[d] || is_other(w) || is_other(m);
                w.uses.get(v).is_some_and(|u| u.writes && differs(u.near[d]))
            };
            let extent = &finder.p.var(*v).extents[d];
            extent.as_constant().is_none_or(|e| e > 2 * block) && others.iter().rev().any(apart)
        })
    }

    fn laid(&self, finder: &Finder<'_>) -> Option<Layout> {
        let (leads, reached) = self.leads()?;
        let (first, last) = (self.end(&leads, false)?, self.end(&leads, true)?);
        let cut = |(v, r): (&VarId, &Reached)| {
            let used = self.used.get(v)?;
            finder.cut(*v, used.along()?, used.mentions, (r.least?, r.all?))
        };
        let mut cuts: Vec<Cut> = reached.iter().filter_map(cut).collect();
        let halo = cuts.iter().map(|c| c.halo).max().unwrap_or(0);
        let rows = cuts.iter().map(|c| finder.row(c)).fold(0, i64::saturating_add).max(1);
        let blocks = finder.blocks;
        let (elements, least) = match self.members.iter().any(|m| m.is_product) {
            true => (blocks.of_products, blocks.rows),
            false => (blocks.elements, 1),
        };
        let block = length((elements / rows).max(blocks.halos * halo).max(least));
        cuts.retain(|c| {
            let extent = &finder.p.var(c.var).extents[c.dimension];
            extent.as_constant().is_none_or(|e| e > 2 * (block + c.halo))
        });
        Some(Layout { leads, first, last, block, cuts })
    }

    /// The lead of each member, found from the last one on, and what they use of what they share; none if one would be far ahead.
    fn leads(&self) -> Option<(Vec<i64>, Map<VarId, Reached>)> {
        let shared = self.used.iter().filter(|(_, u)| u.along().is_some());
        let mut reached: Map<VarId, Reached> = shared.map(|(v, _)| (*v, Reached::default())).collect();
        let mut leads = vec![0; self.members.len()];
        for (m, lead) in self.members.iter().zip(&mut leads).rev() {
            let mut most = None;
            let moves = |v: &VarId, u: &Use| u.near[self.used.get(v)?.along()?];
            for (v, u) in &m.uses {
                let (Some(r), Some((least, _))) = (reached.get(v), moves(v, u)) else { continue };
                let later = if u.writes { r.all } else { r.written };
                most = most.max(later.map(|l| l - least));
            }
            *lead = most.unwrap_or(0);
            if lead.abs() > NEAR {
                return None;
            }
            for (v, u) in &m.uses {
                let (Some((a, b)), Some(r)) = (moves(v, u), reached.get_mut(v)) else { continue };
                r.all = r.all.max(Some(*lead + b));
                r.least = Some(r.least.map_or(*lead + a, |l| l.min(*lead + a)));
                if u.writes {
                    r.written = r.written.max(Some(*lead + b));
                }
            }
        }
        Some((leads, reached))
    }

    /// The least of the first iterations, or the greatest of the last, each without its lead; they must differ by numbers.
    fn end(&self, leads: &[i64], is_last: bool) -> Option<Affine> {
        let from = |k: usize| -> Option<i64> {
            let mut all = self.far.iter().zip(leads).map(|(far, l)| Some(far[usize::from(is_last)][k]? - l));
            let start = all.next()??;
            all.try_fold(start, |a, b| Some(if is_last { a.max(b?) } else { a.min(b?) }))
        };
        let ends = self.members.first()?.ends(is_last);
        ends.iter().enumerate().find_map(|(k, end)| Some(end.clone().step(from(k)?)))
    }
}

impl Member {
    /// Its first iteration is the greatest of these; or its last the least.
    fn ends(&self, is_last: bool) -> &[Affine] {
        if is_last { &self.upper } else { &self.lower }
    }
}

impl Finder<'_> {
    /// The window of an array that nothing but these loops uses, which mention it so often, from one offset to another.
    fn cut(&self, v: VarId, d: usize, mentions: usize, (low, high): (i64, i64)) -> Option<Cut> {
        let var = self.p.var(v);
        let private = matches!(var.storage, Storage::Work(_)) && !var.holds_indices;
        if !private || self.p.on_stack(v).is_some() || self.mentions.get(&v) != Some(&mentions) {
            return None;
        }
        Some(Cut { var: v, dimension: d, low, halo: high - low })
    }

    /// About how many elements there are for each along the dimension that is cut.
    fn row(&self, c: &Cut) -> i64 {
        let extents = self.p.var(c.var).extents.iter().enumerate().filter(|(d, _)| *d != c.dimension);
        let nominal = |e: &Affine| {
            e.eval(&|t| if matches!(t, Atom::Size(_)) { crate::weights::nominal::SIZE } else { 1 }).max(1)
        };
        extents.map(|(_, e)| nominal(e)).fold(1, i64::saturating_mul)
    }
}
