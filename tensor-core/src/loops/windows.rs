//! The windows of a straight body: of each array that it reads or writes, the elements that one vector of iterations reaches.
//!
//! ```text
//! a[i, 2], a[i, 4], a[i + 1, 0]   of rows of 5   ↦   from a[i, 2] on, columns 0, 2 and 3, a stride of 5
//! ```

use super::visit::{How, Item, visit};
use super::{Place, Program, Stmt, VarId};
use crate::index::Affine;
use crate::sorted::Set;
use crate::ssa::Index;
use crate::weights;

/// Places of one array that move alike and are a literal number of elements apart.
#[derive(Clone, Debug)]
pub struct Window {
    /// The first of its places.
    pub place: Place,
    /// How many elements its places move from one iteration to the next: at least 1.
    pub stride: i64,
    /// How many elements behind the first each of its places is, in order.
    pub columns: Vec<i64>,
    /// Whether it is written.
    pub written: bool,
}

impl Window {
    /// How many elements are from the first place of an iteration to its last, both included.
    #[must_use]
    pub fn span(&self) -> i64 {
        self.columns.last().map_or(1, |c| c + 1)
    }

    /// The column of a place, if it is one of the window's.
    #[must_use]
    pub fn column(&self, p: &Program, place: &Place) -> Option<i64> {
        let column = distance(p, &self.place, place)?;
        self.columns.contains(&column).then_some(column)
    }
}

/// What a straight body reaches of the arrays that it walks.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// Elements by literal strides.
    pub windows: Vec<Window>,
    /// Places that move otherwise, or that belong to an array of which more than one window is reached and written: each has a copy of its own, one
    /// element for each lane.
    pub far: Vec<Place>,
}

/// What a body reaches; `None` where that is through an index array, or more than a function has arguments for.
#[must_use]
pub fn reach(p: &Program, lane: Index, body: &[Stmt]) -> Option<Reach> {
    let (mut windows, mut places): (Vec<Window>, Vec<Place>) = (vec![], vec![]);
    let (mut legal, mut far) = (true, Set::new());
    visit(body, &mut |item| match item {
        Item::Place(place, how) if place.at.iter().any(|a| a.mentions(&lane.atom())) => {
            if !places.contains(place) {
                places.push(place.clone());
            }
            if !add(p, lane, place, how, &mut windows) {
                far.insert(place.var);
            }
        }
        Item::Element(..) => legal = false,
        Item::Place(..)
        | Item::Bound(_)
        | Item::Declared(_)
        | Item::Filled(_)
        | Item::Form(_)
        | Item::Decides(_)
        | Item::Whole => {}
    });
    for w in windows.iter().filter(|w| w.written) {
        let is_alone = windows.iter().filter(|o| o.place.var == w.place.var).count() == 1;
        if !is_alone || w.span() > w.stride {
            far.insert(w.place.var);
        }
    }
    windows.retain(|w| !far.contains(&w.place.var));
    places.retain(|p| far.contains(&p.var));
    let fits = windows.len() <= weights::straight::WINDOWS && places.len() <= weights::straight::FAR;
    (legal && fits).then_some(Reach { windows, far: places })
}

/// Whether a place has a window.
fn add(p: &Program, lane: Index, place: &Place, how: How, out: &mut Vec<Window>) -> bool {
    let written = how != How::Read;
    for w in out.iter_mut() {
        if let Some(d) = distance(p, &w.place, place) {
            if d < 0 {
                w.place = place.clone();
                w.columns.iter_mut().for_each(|c| *c -= d);
            }
            if let Err(k) = w.columns.binary_search(&d.max(0)) {
                w.columns.insert(k, d.max(0));
            }
            w.written |= written;
            return w.span() <= weights::straight::SPAN;
        }
    }
    let Some(stride) = stride(p, place, lane).filter(|s| (1..=weights::straight::SPAN).contains(s)) else {
        return false;
    };
    out.push(Window { place: place.clone(), stride, columns: vec![0], written });
    true
}

/// How many elements a place moves with an index, where that is a literal.
fn stride(p: &Program, place: &Place, i: Index) -> Option<i64> {
    counted(p, place.var, place.at.len(), &|d| Some(place.at[d].coeff(&i.atom())))
}

/// How many elements the second place is behind the first, where that is a literal.
fn distance(p: &Program, from: &Place, to: &Place) -> Option<i64> {
    if from.var != to.var || from.at.len() != to.at.len() {
        return None;
    }
    counted(p, from.var, from.at.len(), &|d| to.at[d].minus(&from.at[d])?.as_constant())
}

/// What so many steps in each dimension are in elements.
fn counted(p: &Program, v: VarId, rank: usize, steps: &dyn Fn(usize) -> Option<i64>) -> Option<i64> {
    let extents = &p.var(v).extents;
    (0..rank).try_fold(0_i64, |sum, d| {
        let behind: &[Affine] = if d + 1 < rank { &extents[d + 1..] } else { &[] };
        match steps(d)? {
            0 => Some(sum),
            k => behind
                .iter()
                .try_fold(k, |k, e| k.checked_mul(e.as_constant()?))
                .and_then(|k| sum.checked_add(k)),
        }
    })
}
