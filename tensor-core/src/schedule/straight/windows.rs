//! The windows of a straight body, and how their columns are read and written: elements side by side as vectors, columns of longer rows four at a time,
//! the last four overlapping those before.

use crate::index::Affine;
use crate::loops::pieces::Pieces;
use crate::loops::straight::{guarded, target};
use crate::loops::visit::{How, Item, visit};
use crate::loops::windows::{Columns, Far, Reach, Window, counted, distance, is_padded, rows};
use crate::loops::{Bound, Place, Program, Stmt, Test, VarId};
use crate::sorted::Set;
use crate::ssa::Index;
use crate::weights;
use std::collections::{BTreeMap, BTreeSet};

/// What a body reaches; `None` where that is through an index array, or more than a function has arguments for.
pub(super) fn reach(p: &Program, (lane, lower): (Index, &[Bound]), body: &[Stmt]) -> Option<Reach> {
    let mut all =
        All { p, lane, lower, found: vec![], places: vec![], known: BTreeMap::new(), far: Set::new() };
    let mut guards: BTreeMap<Key, &[Test]> =
        guarded(body).into_iter().rev().map(|(p, tests)| (key(p), tests)).collect();
    let mut legal = true;
    // What is written is there; so are the other rows of a block that are cut where one is that is read in any case.
    visit(body, &mut |item| {
        if let Item::Place(place, How::Assign | How::Combine) = item {
            guards.remove(&key(place));
        }
    });
    let mut there = BTreeSet::new();
    visit(body, &mut |item| {
        if let Item::Place(place, _) = item
            && let Some(rows) = rows(p, place)
            && !guards.contains_key(&key(place))
        {
            there.insert((rows.0, rows.1.to_vec()));
        }
    });
    guards.retain(|(v, at), _| {
        let place = Place { var: *v, at: at.clone() };
        rows(p, &place).is_none_or(|(v, at)| !there.contains(&(v, at.to_vec())))
    });
    visit(body, &mut |item| match item {
        Item::Place(place, How::Read) => all.add(place, guards.get(&key(place)).unwrap_or(&&[][..]), false),
        Item::Place(place, How::Assign | How::Combine) => all.add(place, &[], true),
        Item::Element(..) => legal = false,
        Item::Bound(_)
        | Item::Declared(_)
        | Item::Filled(_)
        | Item::Form(_)
        | Item::Decides(_)
        | Item::Whole => {}
    });
    body.iter().filter_map(kept).for_each(|place| all.add(place, &[], false));
    let reach = all.reach();
    let fits = reach.windows.len() <= weights::straight::WINDOWS && reach.far.len() <= weights::straight::FAR;
    (legal && fits).then_some(reach)
}

/// What a statement writes in some lanes, while what was there stays in others.
fn kept(s: &Stmt) -> Option<&Place> {
    let Stmt::If { body, otherwise, .. } = s else { return None };
    let branches = [body, otherwise];
    let stays = branches.iter().any(|b| b.is_empty() || b.iter().any(|s| kept(s).is_some()));
    stays.then(|| branches.into_iter().find_map(|b| target(b.first()?)))?
}

/// A place, to be found again.
type Key = (VarId, Vec<Affine>);

fn key(p: &Place) -> Key {
    (p.var, p.at.clone())
}

/// Columns of one window, counted from the place that was found first.
struct Found {
    /// That place,
    place: Place,
    /// and the first of the window.
    first: (i64, Place),
    tests: Vec<Test>,
    stride: i64,
    is_padded: bool,
    read: Set<i64>,
    written: Set<i64>,
}

struct All<'a> {
    p: &'a Program,
    lane: Index,
    lower: &'a [Bound],
    found: Vec<Found>,
    places: Vec<Far>,
    /// Where in these a place is.
    known: BTreeMap<Key, usize>,
    /// Arrays of which a place has no window.
    far: Set<VarId>,
}

impl All<'_> {
    /// A place with its tests, which are the same wherever it stands: it is read once, and under none where it is written.
    fn add(&mut self, place: &Place, tests: &[Test], is_written: bool) {
        if !place.moves(self.lane) {
            return;
        }
        let next = self.places.len();
        let at = *self.known.entry(key(place)).or_insert(next);
        if at == next {
            let (place, tests) = (place.clone(), tests.to_vec());
            self.places.push(Far { place, is_read: false, is_written: false, tests });
        }
        let far = &mut self.places[at];
        *(if is_written { &mut far.is_written } else { &mut far.is_read }) = true;
        if !self.has_window(place, tests, is_written) {
            self.far.insert(place.var);
        }
    }

    fn has_window(&mut self, place: &Place, tests: &[Test], is_written: bool) -> bool {
        // Rows of a block that are not there together are windows of their own.
        let (p, rows_of) = (self.p, rows(self.p, place));
        for w in self.found.iter_mut().filter(|w| rows(p, &w.place) == rows_of) {
            if let Some(d) = distance(self.p, &w.place, place) {
                if w.tests != tests {
                    return false;
                }
                if d < w.first.0 {
                    w.first = (d, place.clone());
                }
                let columns = if is_written { &mut w.written } else { &mut w.read };
                columns.insert(d);
                return w.is_padded || w.span() <= weights::straight::SPAN;
            }
        }
        let step =
            counted(self.p, place.var, place.at.len(), &|d| Some(place.at[d].coeff(&self.lane.atom())));
        let Some(stride) = step.filter(|s| (1..=weights::straight::SPAN).contains(s)) else { return false };
        let (mut read, mut written) = (Set::new(), Set::new());
        if is_written { &mut written } else { &mut read }.insert(0);
        let is_padded = is_padded(self.p, self.lane, self.lower, place);
        let (first, tests) = ((0, place.clone()), tests.to_vec());
        self.found.push(Found { place: place.clone(), first, tests, stride, is_padded, read, written });
        true
    }

    fn reach(mut self) -> Reach {
        let mut written = Set::new();
        for w in self.found.iter().filter(|w| !w.written.is_empty()) {
            if !written.insert(w.place.var) || !w.is_padded && w.span() > w.stride {
                self.far.insert(w.place.var);
            }
        }
        let far = self.far;
        self.places.retain(|f| far.contains(&f.place.var));
        let near = self.found.into_iter().filter(|w| !far.contains(&w.place.var));
        let window = |w: Found| {
            let is_copied = w.written.is_empty() && written.contains(&w.place.var);
            Window { is_copied, ..w.window() }
        };
        let (windows, far) = (near.map(window).collect(), self.places);
        let reach = Reach { windows, far, overlaps: false, pieces: Pieces::default() };
        Reach { overlaps: !reach.updates(), ..reach }
    }
}

impl Found {
    fn span(&self) -> i64 {
        let last = |all: &Set<i64>| all.iter().last().copied();
        last(&self.read).max(last(&self.written)).map_or(1, |c| c + 1 - self.first.0)
    }

    fn window(mut self) -> Window {
        let (first, place) = self.first.clone();
        for all in [&mut self.read, &mut self.written] {
            *all = all.iter().map(|c| c - first).collect();
        }
        self.first.0 = 0;
        let span = self.span();
        let (reads, writes) = (self.reads(span), self.writes());
        Window {
            place,
            stride: self.stride,
            span,
            reads,
            writes,
            is_copied: false,
            is_padded: self.is_padded,
            tests: self.tests,
        }
    }

    /// Whether its rows are too long for one shuffle of a few vectors.
    fn is_apart(&self) -> bool {
        self.stride > Columns::FOUR
    }

    /// Reads may be of columns that are not asked for, within the span.
    fn reads(&self, span: i64) -> Vec<Columns> {
        let (mut out, mut from) = (vec![], 0);
        for c in self.read.iter().copied() {
            if c < from {
                continue;
            }
            let is_wide = self.is_apart() && span >= Columns::FOUR;
            let first = if is_wide { c.min(span - Columns::FOUR) } else { c };
            out.push(if is_wide {
                Columns::Four(first, [0, 1, 2, 3].map(|k| first + k >= c && self.read.contains(&(first + k))))
            } else {
                Columns::One(c)
            });
            from = if is_wide { first + Columns::FOUR } else { c + 1 };
        }
        out
    }

    /// Writes are of columns that are written: four at a time where so many are next to each other.
    fn writes(&self) -> Vec<Columns> {
        let columns: Vec<i64> = self.written.iter().copied().collect();
        let (mut out, mut rest) = (vec![], columns.as_slice());
        while let Some(first) = rest.first().copied() {
            let end =
                rest.iter().zip(first..).take_while(|(a, b)| **a == *b).last().map_or(first, |(c, _)| c + 1);
            if self.is_apart() && end - first >= Columns::FOUR {
                for c in (first..end).step_by(4) {
                    let first = c.min(end - Columns::FOUR);
                    out.push(Columns::Four(first, [0, 1, 2, 3].map(|k| first + k >= c)));
                }
            } else {
                out.extend((first..end).map(Columns::One));
            }
            rest = &rest[rest.partition_point(|c| *c < end)..];
        }
        out
    }
}
