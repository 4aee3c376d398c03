//! Which loops are fused and tiled, how far each is ahead, and what is cut.

mod layout;

use super::alike::alike;
use super::uses::{Touched, Use, Uses, uses};
use super::{Blocks, has_product};
use crate::index::Affine;
use crate::loops::{Bound, Direction, Leaf, Order, Product, Program, Stmt, VarId, has_steps};
use crate::schedule::range::is_plain;
use crate::sorted::{Map, Set};
use crate::ssa::Index;
use crate::tally::{self, Tally};
use crate::weights::tile::{PAGES, PARTS, UNIT};
use layout::Growing;
use std::collections::VecDeque;

/// Behind so many statements that have to wait for a group none is asked to join it.
const WAITING: usize = crate::weights::tile::WAITING;

/// A group has so many members at most.
const MEMBERS: usize = crate::weights::tile::MEMBERS;

/// Where so many members cut nothing, none of them begins another group.
const VAIN: usize = crate::weights::tile::VAIN;

/// Fused and tiled loops.
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
    /// Whether it runs the steps of a recurrence.
    pub has_steps: bool,
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

impl Group {
    /// The place of the last member.
    pub fn end(&self) -> usize {
        self.members.last().map_or(0, |m| m.at)
    }
}

impl Member {
    /// A statement as a loop over each of its indices that may run part by part; where there are steps, as one around a matmul, too.
    fn all(at: usize, s: &Stmt, steps: bool) -> Vec<Member> {
        let around = Member::of_loop(at, s, steps);
        let mut all = vec![];
        let Some((p, others)) = products(s, &mut all).then(|| all.split_first()).flatten() else {
            return around.into_iter().collect();
        };
        let is_common = |d: &&(Index, Affine)| others.iter().all(|q| in_blocks(q).contains(d));
        let own = in_blocks(p).into_iter().filter(is_common);
        // The terms of one matmul may be added part by part.
        let inner = others.is_empty().then_some(&p.inner);
        let own = own.chain(inner).filter_map(|d| Member::of_product(at, s, d, inner == Some(d)));
        own.chain(around).collect()
    }

    fn of_product(at: usize, s: &Stmt, (index, count): &(Index, Affine), is_sum: bool) -> Option<Member> {
        let ends = (vec![Affine::default()], vec![count.clone().step(-1)]);
        let member = Member { is_product: true, is_sum, ..Member::new(at, s, *index, ends) };
        // Of several matmuls one may read what another writes: each iteration its own.
        let is_own = |u: &Use| u.near.iter().any(|near| near.is_some_and(|(a, b)| a == b));
        let is_apart = is_sum || member.uses.values().all(|u| !u.writes || is_own(u));
        (is_apart && is_plain(count)).then_some(member)
    }

    fn of_loop(at: usize, s: &Stmt, steps: bool) -> Option<Member> {
        let Stmt::For { index, lower, upper, step: None, order, body, .. } = one_loop(s) else { return None };
        if *order == Order::Steps(Direction::Backward) || has_steps(body) || !in_parts(body, steps) {
            return None;
        }
        let whole = |bs: &[Bound]| -> Vec<Affine> {
            bs.iter().filter(|b| b.den == 1 && is_plain(&b.num)).map(|b| b.num.clone()).collect()
        };
        let member = Member::new(at, s, *index, (whole(lower), whole(upper)));
        let has_steps = matches!(order, Order::Steps(_));
        Some(Member { is_product: has_product(body), has_steps, ..member })
    }

    fn new(at: usize, s: &Stmt, index: Index, (lower, upper): (Vec<Affine>, Vec<Affine>)) -> Member {
        let uses = uses(s, Some(index));
        Member { at, index, lead: 0, lower, upper, uses, is_product: false, is_sum: false, has_steps: false }
    }

    /// What it uses.
    pub fn variables(&self) -> impl Iterator<Item = VarId> {
        self.uses.keys().copied()
    }
}

/// The loop that is all that a statement does, maybe under tests.
fn one_loop(s: &Stmt) -> &Stmt {
    match s {
        Stmt::If { body, otherwise, .. } if otherwise.is_empty() && body.len() == 1 => one_loop(&body[0]),
        _ => s,
    }
}

/// Whether a loop around these may run part by part: all inside has a form in lanes, or is a matmul where these may be.
fn in_parts(stmts: &[Stmt], matmuls: bool) -> bool {
    stmts.iter().all(|s| match s {
        Stmt::Leaf(Leaf::Product(_)) => matmuls,
        Stmt::Leaf(leaf) => leaf.in_lanes().is_some(),
        _ => s.blocks().into_iter().all(|block| in_parts(block, matmuls)),
    })
}

/// The rows and columns of a matmul. A part of those of a band would be about another diagonal.
fn in_blocks(p: &Product) -> Vec<&(Index, Affine)> {
    if p.band.is_none() { vec![&p.rows, &p.cols] } else { vec![] }
}

/// Whether whole matmuls are all that a statement does, which other loops may be around; these.
fn products<'a>(s: &'a Stmt, out: &mut Vec<&'a Product>) -> bool {
    match s {
        Stmt::Leaf(Leaf::Product(p)) => {
            out.push(p);
            p.part.is_none()
        }
        Stmt::Leaf(_) => false,
        Stmt::If { otherwise, .. } if !otherwise.is_empty() => false,
        Stmt::For { body, .. } | Stmt::If { body, .. } => body.iter().all(|s| products(s, out)),
    }
}

/// A statement of a list.
pub(super) struct Listed {
    pub stmt: Stmt,
    uses: Uses,
    /// Its place in the whole list,
    at: usize,
    /// and that of the last statement that uses what this one writes.
    last: usize,
}

impl Listed {
    /// What it uses.
    pub fn variables(&self) -> impl Iterator<Item = VarId> {
        self.uses.keys().copied()
    }
}

/// Statements with what they use.
pub(super) fn listed(stmts: Vec<Stmt>) -> VecDeque<Listed> {
    let with_uses = |(at, mut stmt): (usize, Stmt)| {
        alike(&mut stmt);
        Listed { uses: uses(&stmt, None), stmt, at, last: at }
    };
    let mut out: VecDeque<Listed> = stmts.into_iter().enumerate().map(with_uses).collect();
    let mut last: Map<VarId, usize> = Map::new();
    for s in out.iter_mut().rev() {
        for (v, used) in &s.uses {
            let last = *last.entry(*v).or_insert(s.at);
            if used.writes {
                s.last = s.last.max(last);
            }
        }
    }
    out
}

/// The group that begins with the first statement: with most members, of what that may be taken for. Where it cuts nothing, `vain` gets those of its
/// members that need begin none.
pub(super) fn find(
    p: &Program,
    mentions: &Map<VarId, usize>,
    (blocks, steps): (Blocks, bool),
    stmts: &VecDeque<Listed>,
    vain: &mut Set<usize>,
) -> Option<Group> {
    let finder = Finder { p, mentions, blocks, steps };
    let first = stmts.front().filter(|s| !vain.contains(&s.at))?;
    let all = Member::all(0, &first.stmt, finder.steps);
    let found = all.into_iter().filter_map(|first| finder.gainful(first, stmts, vain));
    found.reduce(|a, b| if b.members.len() > a.members.len() { b } else { a })
}

/// What is there to find a group in.
struct Finder<'a> {
    p: &'a Program,
    mentions: &'a Map<VarId, usize>,
    blocks: Blocks,
    /// Whether the program has steps.
    steps: bool,
}

impl Finder<'_> {
    /// The group that grows from one member, if an array is cut; without the matmuls that use none of those.
    fn gainful(&self, first: Member, stmts: &VecDeque<Listed>, vain: &mut Set<usize>) -> Option<Group> {
        let mut idle: Set<usize> = Set::new();
        loop {
            let group = self.grown(first.clone(), stmts, &idle)?;
            let uses_cut = |m: &Member| group.cuts.iter().any(|c| m.uses.contains_key(&c.var));
            let found: Vec<usize> =
                group.members.iter().filter(|m| m.is_product && !uses_cut(m)).map(|m| m.at).collect();
            if group.cuts.is_empty() && group.members.len() > VAIN {
                vain.extend(group.members.iter().map(|m| stmts[m.at].at));
            }
            if found.is_empty() {
                return (group.members.len() > 1 && !group.cuts.is_empty()).then_some(group);
            }
            if found.contains(&first.at) {
                return None;
            }
            idle.extend(found);
        }
    }

    /// The first statement with all that can join it, but for some: none joins behind the last that uses what the group writes, nor behind many that
    /// have to wait, nor where there are many.
    fn grown(&self, first: Member, stmts: &VecDeque<Listed>, but: &Set<usize>) -> Option<Group> {
        let [mut inside, mut after] = [Touched::default(), Touched::default()];
        inside.add(&first.uses);
        let mut last = stmts.front()?.last;
        let mut waiting = 0;
        let mut group = Growing::new(self, first)?;
        let mut before = Set::new();
        for (k, Listed { stmt, uses, at, last: of_one }) in stmts.iter().enumerate().skip(1) {
            let is_full = group.members() == MEMBERS || waiting == WAITING;
            if *at > last || is_full || matches!(stmt, Stmt::Leaf(Leaf::LetIndex { .. })) {
                break;
            }
            tally::add(Tally::Pairs, 1);
            if !after.conflicts(uses) {
                let may_join = inside.is_written(uses) && !but.contains(&k);
                let ways = if may_join { Member::all(k, stmt, self.steps) } else { vec![] };
                if ways.into_iter().any(|m| group.joins(self, m)) {
                    inside.add(uses);
                    last = last.max(*of_one);
                    waiting = 0;
                    for k in self.sources(&mut group, stmts, &before) {
                        before.remove(&k);
                        inside.add(&stmts[k].uses);
                    }
                    continue;
                }
                if !inside.conflicts(uses) {
                    before.insert(k);
                    continue;
                }
            }
            after.add(uses);
            waiting += 1;
        }
        Some(group.done(before))
    }

    /// What goes before steps and writes an array that they read may be in the group, too, if that is cut then. Those that are.
    fn sources(&self, group: &mut Growing, stmts: &VecDeque<Listed>, before: &Set<usize>) -> Vec<usize> {
        let mut out = vec![];
        for (v, d) in group.read_by_steps() {
            let is_writer = |k: &usize| stmts[*k].uses.get(&v).is_some_and(|u| u.writes);
            let waits = |k: &usize| !out.contains(k) && is_writer(k);
            let writers: Vec<usize> = before.iter().copied().filter(waits).collect();
            let mut own = Touched::default();
            writers.iter().for_each(|k| own.add(&stmts[*k].uses));
            let is_needed =
                |k: usize| !is_writer(&k) && writers.first() < Some(&k) && own.conflicts(&stmts[k].uses);
            let moves =
                |m: &Member| m.uses.get(&v).is_some_and(|u| u.near.get(d).is_some_and(Option::is_some));
            let way = |k: usize| Member::all(k, &stmts[k].stmt, self.steps).into_iter().find(moves);
            let ways: Option<Vec<Member>> = writers.iter().map(|k| way(*k)).collect();
            let Some(ways) = ways.filter(|w| !w.is_empty()) else { continue };
            if !before.iter().any(|k| !out.contains(k) && is_needed(*k)) && group.takes(self, ways, v) {
                out.extend(writers);
            }
        }
        out
    }
}

/// A block of about so many iterations. Long ones are no power of two: else each would begin where a page of memory does, what is written would
/// lie where what is read does, modulo a page, and processors would wait for the one before they read the other.
fn length(iterations: i64) -> i64 {
    match iterations {
        ..=UNIT => iterations,
        PAGES.. if iterations & (iterations - 1) == 0 => iterations / PARTS.1 * PARTS.0,
        _ => (iterations + UNIT - 1) / UNIT * UNIT,
    }
}
