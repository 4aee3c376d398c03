//! The windows of a straight body, and how their columns are read and written: elements side by side as vectors, columns of longer rows four at a time,
//! the last four overlapping those before.

use crate::loops::pieces::Pieces;
use crate::loops::straight::{guarded, target};
use crate::loops::visit::{How, Item, visit};
use crate::loops::windows::{Columns, Far, Reach, Window, counted, distance};
use crate::loops::{Place, Program, Stmt, Test, VarId};
use crate::sorted::Set;
use crate::ssa::Index;
use crate::weights;

/// What a body reaches; `None` where that is through an index array, or more than a function has arguments for.
pub(super) fn reach(p: &Program, lane: Index, body: &[Stmt]) -> Option<Reach> {
    let mut all = All { p, lane, found: vec![], places: vec![], far: Set::new() };
    let (mut legal, mut guarded) = (true, guarded(body));
    // What is written is there.
    visit(body, &mut |item| {
        if let Item::Place(place, How::Assign | How::Combine) = item {
            guarded.retain(|(p, _)| *p != place);
        }
    });
    let tests = |place: &Place| guarded.iter().find(|(p, _)| *p == place).map_or(&[][..], |(_, tests)| tests);
    visit(body, &mut |item| match item {
        Item::Place(place, How::Read) => all.add(place, tests(place), false),
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

/// Columns of one window.
struct Found {
    place: Place,
    tests: Vec<Test>,
    stride: i64,
    read: Set<i64>,
    written: Set<i64>,
}

struct All<'a> {
    p: &'a Program,
    lane: Index,
    found: Vec<Found>,
    places: Vec<Far>,
    /// Arrays of which a place has no window.
    far: Set<VarId>,
}

impl All<'_> {
    /// A place with its tests, which are the same wherever it stands: it is read once, and under none where it is written.
    fn add(&mut self, place: &Place, tests: &[Test], is_written: bool) {
        if !place.moves(self.lane) {
            return;
        }
        match self.places.iter_mut().find(|f| f.place == *place) {
            Some(f) if is_written => f.is_written = true,
            Some(f) => f.is_read = true,
            None => {
                let tests = tests.to_vec();
                self.places.push(Far { place: place.clone(), is_read: !is_written, is_written, tests });
            }
        }
        if !self.has_window(place, tests, is_written) {
            self.far.insert(place.var);
        }
    }

    fn has_window(&mut self, place: &Place, tests: &[Test], is_written: bool) -> bool {
        for w in &mut self.found {
            if let Some(d) = distance(self.p, &w.place, place) {
                if w.tests != tests {
                    return false;
                }
                if d < 0 {
                    w.place = place.clone();
                    for all in [&mut w.read, &mut w.written] {
                        *all = all.iter().map(|c| c - d).collect();
                    }
                }
                let columns = if is_written { &mut w.written } else { &mut w.read };
                columns.insert(d.max(0));
                return w.span() <= weights::straight::SPAN;
            }
        }
        let step =
            counted(self.p, place.var, place.at.len(), &|d| Some(place.at[d].coeff(&self.lane.atom())));
        let Some(stride) = step.filter(|s| (1..=weights::straight::SPAN).contains(s)) else { return false };
        let (mut read, mut written) = (Set::new(), Set::new());
        if is_written { &mut written } else { &mut read }.insert(0);
        self.found.push(Found { place: place.clone(), tests: tests.to_vec(), stride, read, written });
        true
    }

    fn reach(mut self) -> Reach {
        let mut written = Set::new();
        for w in self.found.iter().filter(|w| !w.written.is_empty()) {
            if !written.insert(w.place.var) || w.span() > w.stride {
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
        last(&self.read).max(last(&self.written)).map_or(1, |c| c + 1)
    }

    fn window(self) -> Window {
        let span = self.span();
        let (reads, writes) = (self.reads(span), self.writes());
        Window {
            place: self.place,
            stride: self.stride,
            span,
            reads,
            writes,
            is_copied: false,
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
