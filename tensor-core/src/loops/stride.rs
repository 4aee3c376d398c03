//! How places move from lane to lane.

use super::Place;
use crate::index::Atom;

/// How a place moves from lane to lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stride {
    /// Not at all.
    None,
    /// To the next element.
    One,
    /// To the element before.
    Back,
    /// By another number of elements.
    Far,
}

impl Place {
    /// See [`Stride`].
    pub(crate) fn stride(&self, lane: &Atom) -> Stride {
        let Some((last, rest)) = self.at.split_last() else { return Stride::None };
        let outer = rest.iter().any(|a| a.mentions(lane));
        match (outer, last.coeff(lane)) {
            (false, 0) => Stride::None,
            (false, 1) => Stride::One,
            (false, -1) => Stride::Back,
            _ => Stride::Far,
        }
    }
}
