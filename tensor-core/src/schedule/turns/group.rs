//! Which loops run in turns, how far each is ahead, and what is cut.

use super::Blocks;
use super::uses::{Touched, Uses, uses};
use crate::index::{Affine, Atom};
use crate::loops::visit::{Item, visit};
use crate::loops::{Bound, Product, Program, Stmt, Storage, VarId};
use crate::schedule::node::constant_difference;
use crate::schedule::range::is_plain;
use crate::sorted::{Map, Set};
use crate::ssa::Index;
use crate::tally::{self, Tally};

/// The greatest offset that is near, in elements.
const NEAR: i64 = crate::weights::turns::NEAR;

/// Loops that run in turns.
pub(super) struct Group {
    /// In order.
    pub members: Vec<Member>,
    /// Statements between them that go before, by their places.
    pub before: Set<usize>,
    /// The blocks go from here,
    pub first: Affine,
    /// to here,
    pub last: Affine,
    /// so many iterations at a time.
    pub block: i64,
    /// What is cut down to a window.
    pub cuts: Vec<Cut>,
}

/// A loop of a group.
#[derive(Clone)]
pub(super) struct Member {
    /// Its place among the statements.
    pub at: usize,
    pub index: Index,
    /// How far it is ahead.
    pub lead: i64,
    lower: Vec<Affine>,
    upper: Vec<Affine>,
    uses: Uses,
    is_product: bool,
    /// Whether it is a product, and its parts add up.
    pub is_sum: bool,
}

/// An array of which only a window is kept.
pub(super) struct Cut {
    pub var: VarId,
    pub dimension: usize,
    /// A block uses elements from so far after its start.
    pub low: i64,
    /// How many elements of a block the next one uses again.
    pub halo: i64,
}

impl Member {
    /// A statement as a loop over each of its indices that may run part by part.
    fn all(at: usize, s: &Stmt) -> Vec<Member> {
        match product(s) {
            None => Member::of_loop(at, s).into_iter().collect(),
            // A part of the rows or columns of a band would be about another diagonal.
            Some(p) => [&p.rows, &p.cols, &p.inner]
                .into_iter()
                .filter(|d| p.band.is_none() || d.0 == p.inner.0)
                .filter_map(|d| Member::of_product(at, s, d))
                .collect(),
        }
    }

    fn of_product(at: usize, s: &Stmt, (index, count): &(Index, Affine)) -> Option<Member> {
        let (lower, upper) = (vec![Affine::default()], vec![count.clone().step(-1)]);
        let uses = uses(s, Some(*index));
        let is_sum = product(s).is_some_and(|p| p.inner.0 == *index);
        let member = Member { at, index: *index, lead: 0, lower, upper, uses, is_product: true, is_sum };
        is_plain(count).then_some(member)
    }

    fn of_loop(at: usize, s: &Stmt) -> Option<Member> {
        let Stmt::For { index, lower, upper, step: None, body, .. } = s else { return None };
        let mut plain = true;
        visit(body, &mut |item| plain &= !matches!(item, Item::Whole));
        let whole = |bs: &[Bound]| -> Vec<Affine> {
            bs.iter().filter(|b| b.den == 1 && is_plain(&b.num)).map(|b| b.num.clone()).collect()
        };
        let (lower, upper) = (whole(lower), whole(upper));
        let uses = uses(s, Some(*index));
        plain.then_some(Member {
            at,
            index: *index,
            lead: 0,
            lower,
            upper,
            uses,
            is_product: false,
            is_sum: false,
        })
    }

    /// What it uses.
    pub fn variables(&self) -> impl Iterator<Item = VarId> {
        self.uses.keys().copied()
    }
}

/// The product of matrices that is all that a statement does, which other loops may be around.
fn product(s: &Stmt) -> Option<&Product> {
    match s {
        Stmt::Product(p) => p.part.is_none().then_some(p),
        Stmt::If { otherwise, .. } if !otherwise.is_empty() => None,
        Stmt::For { body, .. } | Stmt::If { body, .. } => match body.as_slice() {
            [one] => product(one),
            _ => None,
        },
        _ => None,
    }
}

/// The group that begins with the first statement: with most members, of what that may be taken for. Statements with what they use.
pub(super) fn find(
    p: &Program,
    mentions: &Map<VarId, usize>,
    blocks: Blocks,
    stmts: &[(Stmt, Uses)],
) -> Option<Group> {
    let finder = Finder { p, mentions, blocks };
    let all = Member::all(0, &stmts.first()?.0);
    let found = all.into_iter().filter_map(|first| finder.gainful(first, stmts));
    found.reduce(|a, b| if b.members.len() > a.members.len() { b } else { a })
}
struct Finder<'a> {
    p: &'a Program,
    mentions: &'a Map<VarId, usize>,
    blocks: Blocks,
}

/// An array that several members use, and one writes: along which dimension they move.
type Shared = Map<VarId, usize>;

impl Finder<'_> {
    /// The group that grows from one member, if an array is cut; without the products of matrices that use none of those.
    fn gainful(&self, first: Member, stmts: &[(Stmt, Uses)]) -> Option<Group> {
        let mut idle: Set<usize> = Set::new();
        loop {
            let group = self.grown(first.clone(), stmts, &idle)?;
            let uses_cut = |m: &Member| group.cuts.iter().any(|c| m.uses.contains_key(&c.var));
            let found: Vec<usize> =
                group.members.iter().filter(|m| m.is_product && !uses_cut(m)).map(|m| m.at).collect();
            if found.is_empty() {
                return (group.members.len() > 1 && !group.cuts.is_empty()).then_some(group);
            }
            if found.contains(&first.at) {
                return None;
            }
            idle.extend(found);
        }
    }

    /// The first statement with all that can join it, but for some.
    fn grown(&self, first: Member, stmts: &[(Stmt, Uses)], but: &Set<usize>) -> Option<Group> {
        let [mut inside, mut after] = [Touched::default(), Touched::default()];
        inside.add(&first.uses);
        let mut group = self.group(vec![first], Set::new())?;
        for (k, (s, used)) in stmts.iter().enumerate().skip(1) {
            if matches!(s, Stmt::LetIndex { .. }) {
                break;
            }
            tally::add(Tally::Pairs, 1);
            if !after.conflicts(used) {
                let may_join = inside.is_written(used) && !but.contains(&k);
                let ways = if may_join { Member::all(k, s) } else { vec![] };
                if let Some(larger) = ways.into_iter().find_map(|m| self.with(&group, m)) {
                    group = larger;
                    inside.add(used);
                    continue;
                }
                if !inside.conflicts(used) {
                    group.before.insert(k);
                    continue;
                }
            }
            after.add(used);
        }
        let last = group.members.last()?.at;
        group.before.retain(|k| *k < last);
        Some(group)
    }

    /// The group with one more loop, if that reads what an earlier one writes, and not only where it is written, unless a product does either.
    fn with(&self, g: &Group, m: Member) -> Option<Group> {
        let (uses, is_product) = (m.uses.clone(), m.is_product);
        let group = self.group(g.members.iter().cloned().chain([m]).collect(), g.before.clone())?;
        let links = |v: &VarId, d: usize| {
            let apart = |w: &Member| {
                let differs = |near| near != uses[v].near[d] || w.is_product || is_product;
                w.uses.get(v).is_some_and(|u| u.writes && differs(u.near[d]))
            };
            let extent = &self.p.var(*v).extents[d];
            extent.as_constant().is_none_or(|e| e > 2 * group.block) && g.members.iter().any(apart)
        };
        shared(&group.members)?.iter().any(|(v, d)| uses.contains_key(v) && links(v, *d)).then_some(group)
    }

    fn group(&self, mut members: Vec<Member>, before: Set<usize>) -> Option<Group> {
        let shared = shared(&members)?;
        lead(&mut members, &shared)?;
        let (first, last) = (end(&members, false)?, end(&members, true)?);
        let mut cuts: Vec<Cut> = shared.iter().filter_map(|(v, d)| self.cut(&members, *v, *d)).collect();
        let halo = cuts.iter().map(|c| c.halo).max().unwrap_or(0);
        let rows = cuts.iter().map(|c| self.row(c)).fold(0, i64::saturating_add).max(1);
        let (elements, least) = match members.iter().any(|m| m.is_product) {
            true => (self.blocks.of_products, self.blocks.rows),
            false => (self.blocks.elements, 1),
        };
        let block = length((elements / rows).max(self.blocks.halos * halo).max(least));
        cuts.retain(|c| {
            let extent = &self.p.var(c.var).extents[c.dimension];
            extent.as_constant().is_none_or(|e| e > 2 * (block + c.halo))
        });
        Some(Group { members, before, first, last, block, cuts })
    }

    /// The window of an array that nothing but these loops uses.
    fn cut(&self, members: &[Member], v: VarId, d: usize) -> Option<Cut> {
        let var = self.p.var(v);
        let within: usize = members.iter().filter_map(|m| Some(m.uses.get(&v)?.mentions)).sum();
        let private = matches!(var.storage, Storage::Work(_)) && !var.holds_indices;
        if !private || self.p.on_stack(v).is_some() || self.mentions.get(&v) != Some(&within) {
            return None;
        }
        let spans = members.iter().filter_map(|m| Some((m.lead, m.uses.get(&v)?.near[d]?)));
        let (low, high) =
            spans.map(|(lead, (a, b))| (lead + a, lead + b)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
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

/// A block of about so many iterations. Long ones are no power of two: else each would begin where a page of memory does, what is written would
/// lie where what is read does, modulo a page, and processors would wait for the one before they read the other.
fn length(iterations: i64) -> i64 {
    match iterations {
        0..=8 => iterations,
        64.. if iterations & (iterations - 1) == 0 => iterations / 4 * 3,
        _ => (iterations + 7) / 8 * 8,
    }
}

/// What members share and one writes; none if some of it does not move with them, and their order matters.
fn shared(members: &[Member]) -> Option<Shared> {
    let mut out = Shared::new();
    for v in members.iter().flat_map(|m| m.uses.keys()) {
        let users: Vec<_> = members.iter().filter_map(|m| m.uses.get(v)).collect();
        let any_order = users.iter().all(|u| !u.writes) || users.iter().all(|u| u.combines);
        if users.len() < 2 || any_order || out.contains_key(v) {
            continue;
        }
        let near = |d: &usize| users.iter().all(|u| u.near.get(*d).is_some_and(Option::is_some));
        out.insert(*v, (0..users[0].near.len()).find(near)?);
    }
    Some(out)
}

/// Sets the lead of each member, the last first; none if one would be far ahead.
fn lead(members: &mut [Member], shared: &Shared) -> Option<()> {
    for k in (0..members.len()).rev() {
        let (here, later) = members[k..].split_first()?;
        let mut most = None;
        for (v, d) in shared {
            let Some((least, _)) = here.uses.get(v).and_then(|u| u.near[*d]) else { continue };
            for m in later {
                let Some(u) = m.uses.get(v).filter(|u| u.writes || here.uses[v].writes) else { continue };
                most = most.max(Some(m.lead + u.near[*d]?.1 - least));
            }
        }
        let lead = most.unwrap_or(0);
        if lead.abs() > NEAR {
            return None;
        }
        members[k].lead = lead;
    }
    Some(())
}

/// The least of the first iterations, or the greatest of the last, each without its lead; they must differ by numbers.
fn end(members: &[Member], is_last: bool) -> Option<Affine> {
    let sides = |m: &Member| -> Vec<Affine> {
        let ends = if is_last { &m.upper } else { &m.lower };
        ends.iter().map(|e| e.clone().step(-m.lead)).collect()
    };
    let from = |reference: &Affine| -> Option<i64> {
        let far = |m: &Member| {
            let ends = sides(m).into_iter().filter_map(|e| constant_difference(reference, &e));
            if is_last { ends.min() } else { ends.max() }
        };
        let all = members.iter().map(far).collect::<Option<Vec<i64>>>()?;
        if is_last { all.into_iter().max() } else { all.into_iter().min() }
    };
    let found = |reference: Affine| Some(reference.clone().step(from(&reference)?));
    sides(members.first()?).into_iter().find_map(found)
}
