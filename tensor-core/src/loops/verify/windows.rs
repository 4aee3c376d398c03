//! What a straight body says of the places that it reaches: each is a column that is moved, or has a copy of its own, and nothing else is.

use crate::loops::straight::{Parts, guarded, target};
use crate::loops::visit::{How, Item, visit};
use crate::loops::windows::{Columns, Reach, Window, is_padded, rows};
use crate::loops::{Bound, Place, Program, Stmt, Test};
use crate::sorted::Set;
use crate::ssa::Index;

/// The columns of a window that places of the body are, by what they do.
#[derive(Clone, Default)]
struct Seen {
    read: Set<i64>,
    written: Set<i64>,
}

/// # Errors
/// What is not as the body is.
pub(super) fn windows(
    p: &Program,
    (lane, lower): (Index, &[Bound]),
    reach: &Reach,
    body: &[Stmt],
) -> Result<(), String> {
    let parts = Parts::of(lane, body);
    if !parts.stores.iter().all(|s| target(s).is_some_and(|p| p.moves(lane))) {
        return Err("a statement of a straight body neither declares nor adds nor writes".to_string());
    }
    let mut windows = vec![Seen { read: Set::new(), written: Set::new() }; reach.windows.len()];
    let mut copies = vec![(false, false); reach.far.len()];
    let (mut none, guarded): (Option<Place>, _) = (None, guarded(body));
    let own = |place: &Place| guarded.iter().find(|(p, _)| *p == place).map_or(&[][..], |g| g.1);
    // What is there in any case: what is written, and rows of a block of which one is.
    let (mut written, mut there) = (vec![], vec![]);
    visit(body, &mut |item| {
        if let Item::Place(place, how) = item {
            written.extend((how != How::Read).then(|| place.clone()));
            let is_there = how != How::Read || own(place).is_empty();
            there.extend(rows(p, place).filter(|_| is_there).map(|(v, at)| (v, at.to_vec())));
        }
    });
    let is_there = |place: &Place, how: How, tests: &[Test]| {
        let own = if how == How::Read { own(place) } else { &[] };
        let is_row = || rows(p, place).is_some_and(|(v, at)| there.contains(&(v, at.to_vec())));
        own == tests || tests.is_empty() && (written.contains(place) || is_row())
    };
    let mut absent: Option<Place> = None;
    visit(body, &mut |item| {
        let Item::Place(place, how) = item else { return };
        if !place.moves(lane) {
            return;
        }
        if let Some((k, column)) = reach.column(p, place) {
            if !is_there(place, how, &reach.windows[k].tests) {
                absent.get_or_insert_with(|| place.clone());
            }
            let seen = &mut windows[k];
            if how == How::Read { &mut seen.read } else { &mut seen.written }.insert(column);
        } else if let Some(k) = reach.copy(place) {
            if !is_there(place, how, &reach.far[k].tests) {
                absent.get_or_insert_with(|| place.clone());
            }
            let (read, written) = &mut copies[k];
            *(if how == How::Read { read } else { written }) = true;
        } else {
            none = Some(place.clone());
        }
    });
    if let Some(place) = none {
        return Err(format!("no window has all of `{}`", p.var(place.var).name));
    }
    if let Some(place) = absent {
        let name = &p.var(place.var).name;
        return Err(format!("what is read of `{name}` under tests of indices alone is cut without them"));
    }
    if reach.overlaps && reach.updates() {
        return Err("the last vector is computed again from what it has updated".to_string());
    }
    if let Some(w) = reach.windows.iter().find(|w| w.is_padded != is_padded(p, lane, lower, &w.place)) {
        return Err(format!("rows of `{}` have not all of a vector", p.var(w.place.var).name));
    }
    let is_written = |w: &Window| !w.writes.is_empty();
    for w in &reach.windows {
        let beside = reach.windows.iter().filter(|o| o.place.var == w.place.var && is_written(o)).count();
        if beside > 1 || w.is_copied != (beside == 1 && !is_written(w)) {
            return Err(format!("windows of `{}` are borrowed at once", p.var(w.place.var).name));
        }
    }
    let wrong =
        |w: &Window| Err(format!("the window of `{}` is not what the body moves", p.var(w.place.var).name));
    for (w, seen) in reach.windows.iter().zip(&windows) {
        // What is written in some lanes is read for the others.
        let read = moved(&w.reads, w.span, |_| true);
        let written = moved(&w.writes, w.span, |c| seen.written.contains(&c));
        let all = [&seen.read, &seen.written].into_iter().flat_map(|s| s.iter().copied());
        let ends = all.clone().min() == Some(0) && all.max() == Some(w.span - 1);
        let (Some(read), Some(written)) = (read, written) else { return wrong(w) };
        let are_read = seen.read.iter().all(|c| read.contains(c))
            && read.iter().all(|c| seen.read.contains(c) || seen.written.contains(c));
        if !ends || !are_read || written != seen.written {
            return wrong(w);
        }
    }
    for (f, (read, written)) in reach.far.iter().zip(copies) {
        if (read && !f.is_read) || written != f.is_written {
            return Err(format!("the copy of `{}` is not what the body moves", p.var(f.place.var).name));
        }
    }
    Ok(())
}

/// The columns that are moved for the first time; `None` where one is so twice, or one of four is not in the window, or may not be moved.
fn moved(all: &[Columns], span: i64, may: impl Fn(i64) -> bool) -> Option<Set<i64>> {
    let mut out = Set::new();
    for c in all {
        if let Columns::Four(first, _) = *c
            && !(first..first + Columns::FOUR).all(|c| (0..span).contains(&c) && may(c))
        {
            return None;
        }
        for c in c.anew() {
            if !out.insert(c) {
                return None;
            }
        }
    }
    Some(out)
}
