//! What statements do with arrays.

use crate::index::Affine;
use crate::loops::leaf::Leaf;
use crate::loops::visit::{How, Item, visit, visit_expr};
use crate::loops::{Expr, Stmt, VarId};
use crate::sorted::Map;

/// The uses of one array.
#[derive(Default)]
pub(super) struct Uses {
    /// How many there are of all kinds.
    pub count: usize,
    /// Where elements are read.
    pub reads: Vec<Vec<Affine>>,
    /// Where they are written, or something is added to them.
    pub writes: Vec<Vec<Affine>>,
    /// Whether all of it is given a value, or it is declared.
    pub is_filled: bool,
    /// What all of them become, if a statement does that and nothing else.
    pub fill: Option<f64>,
}

/// What some statement does with each array.
pub(super) type ByArray = Map<VarId, Uses>;

/// What a statement does with arrays.
pub(super) fn of_stmt(s: &Stmt) -> ByArray {
    let mut out = ByArray::new();
    visit(std::slice::from_ref(s), &mut |item| note(&item, &mut out));
    if let Stmt::Leaf(Leaf::Fill { var, value }) = s {
        out.entry(*var).or_default().fill = Some(*value);
    }
    out
}

/// What the results that are numbers read.
pub(super) fn of_exprs(all: &[Expr]) -> ByArray {
    let mut out = ByArray::new();
    all.iter().for_each(|e| visit_expr(e, &mut |item| note(&item, &mut out)));
    out
}

fn note(item: &Item<'_>, out: &mut ByArray) {
    let v = match item {
        Item::Place(p, _) => p.var,
        Item::Declared(v) | Item::Filled(v) => *v,
        Item::Element(v, _) => VarId(*v),
        Item::Bound(_) | Item::Form(_) | Item::Decides(_) | Item::Whole => return,
    };
    let uses = out.entry(v).or_default();
    uses.count += 1;
    match item {
        Item::Place(p, How::Read) => uses.reads.push(p.at.clone()),
        Item::Place(p, _) => uses.writes.push(p.at.clone()),
        Item::Declared(_) | Item::Filled(_) => uses.is_filled = true,
        _ => {}
    }
}
