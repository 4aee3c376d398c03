//! What statements read and write.

use crate::loops::visit::{How, Item, visit};
use crate::loops::{Place, Stmt, VarId};
use crate::sorted::Set;

/// Whether an element on the diagonal is added to.
pub(super) fn is_on_diagonal(place: &Place, how: How) -> bool {
    how == How::Combine && matches!(place.at.as_slice(), [row, column] if row == column)
}

/// What statements read and write.
pub(super) struct Uses {
    pub places: Vec<(Place, How)>,
    pub filled: Set<VarId>,
}

impl Uses {
    pub fn of(stmts: &[Stmt]) -> Uses {
        let mut all = Uses { places: vec![], filled: Set::new() };
        visit(stmts, &mut |item| match item {
            Item::Place(place, how) => all.places.push((place.clone(), how)),
            Item::Element(v, at) => all.places.push((Place { var: VarId(v), at: at.to_vec() }, How::Read)),
            Item::Filled(v) => {
                all.filled.insert(v);
            }
            Item::Declared(_) | Item::Bound(_) | Item::Form(_) | Item::Decides(_) | Item::Whole => {}
        });
        all
    }

    pub fn has(&self, v: VarId) -> bool {
        self.filled.contains(&v) || self.places.iter().any(|(place, _)| place.var == v)
    }

    pub fn writes(&self, v: VarId) -> bool {
        self.filled.contains(&v) || self.places.iter().any(|(place, how)| place.var == v && *how != How::Read)
    }
}
