//! What is computed once more of the body of a loop: what is wanted, and what that needs.

use crate::loops::leaf::Leaf;
use crate::loops::visit::{How, Item, head, visit_leaf};
use crate::loops::{Stmt, VarId};
use crate::sorted::Set;

/// What is to be done about an array that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    /// It is there.
    There,
    /// It is computed once more, too.
    Again,
    /// Neither is possible.
    Never,
}

/// What has to be computed once more for what is wanted; `None` if that is impossible.
pub(super) fn needed(body: &[Stmt], wanted: Set<VarId>, read: &dyn Fn(VarId) -> Read) -> Option<Set<VarId>> {
    let mut all = wanted;
    loop {
        let mut more = Set::new();
        look(body, &all, &mut more);
        let before = all.len();
        for v in more.iter().filter(|v| !all.contains(v)).copied().collect::<Vec<_>>() {
            match read(v) {
                Read::There => {}
                Read::Again => {
                    all.insert(v);
                }
                Read::Never => return None,
            }
        }
        if all.len() == before {
            return Some(all);
        }
    }
}

/// What statements that write some variables, which they compute once more, find stored.
pub(super) fn found(body: &[Stmt], again: &Set<VarId>) -> Set<VarId> {
    let mut all = Set::new();
    look(body, again, &mut all);
    all.retain(|v| !again.contains(v));
    all
}

/// What the statements mention that write one of these, and the `let`s of indices beside them. Whether there are any.
fn look(stmts: &[Stmt], wanted: &Set<VarId>, out: &mut Set<VarId>) -> bool {
    let mut found = false;
    for s in stmts {
        let here = match s {
            Stmt::Leaf(leaf) => writes(leaf).iter().any(|v| wanted.contains(v)),
            _ => s.blocks().into_iter().fold(false, |found, block| look(block, wanted, out) | found),
        };
        if here {
            mentioned(s, out);
        }
        found |= here;
    }
    if found {
        stmts.iter().filter(|s| is_let(s)).for_each(|s| mentioned(s, out));
    }
    found
}

fn mentioned(s: &Stmt, out: &mut Set<VarId>) {
    head(s, &mut |item| match item {
        Item::Place(p, _) => {
            out.insert(p.var);
        }
        Item::Element(v, _) => {
            out.insert(VarId(v));
        }
        _ => {}
    });
}

fn is_let(s: &Stmt) -> bool {
    matches!(s, Stmt::Leaf(Leaf::LetIndex { .. }))
}

/// The statements that write one of these.
pub(super) fn kept(stmts: &[Stmt], wanted: &Set<VarId>) -> Vec<Stmt> {
    let one = |s: &Stmt| match s {
        Stmt::For { index, lower, upper, step, order, body, .. } => {
            let body = kept(body, wanted);
            let (lower, upper) = (lower.clone(), upper.clone());
            has_effect(&body).then(|| Stmt::looped(*index, lower, upper, step.clone(), order.clone(), body))
        }
        Stmt::If { tests, body, otherwise } => {
            let [body, otherwise] = [body, otherwise].map(|b| kept(b, wanted));
            let has = has_effect(&body) || has_effect(&otherwise);
            has.then(|| Stmt::If { tests: tests.clone(), body, otherwise })
        }
        Stmt::Leaf(leaf) => {
            let is_wanted = is_let(s) || writes(leaf).iter().any(|v| wanted.contains(v));
            is_wanted.then(|| s.clone())
        }
    };
    stmts.iter().filter_map(one).collect()
}

/// Whether there is more than names of indices.
fn has_effect(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|s| !is_let(s))
}

/// What a leaf writes, but for room that it works in.
fn writes(leaf: &Leaf) -> Vec<VarId> {
    let room = if let Leaf::Product(p) = leaf { Some(p.work) } else { None };
    let mut out = vec![];
    visit_leaf(leaf, &mut |item| match item {
        Item::Place(p, How::Assign | How::Combine) => out.push(p.var),
        Item::Declared(v) | Item::Filled(v) if Some(v) != room => out.push(v),
        _ => {}
    });
    out
}

/// What statements write.
pub(super) fn written(stmts: &[Stmt]) -> Set<VarId> {
    let mut out = Set::new();
    for s in stmts {
        if let Stmt::Leaf(leaf) = s {
            out.extend(writes(leaf));
        }
        s.blocks().into_iter().for_each(|block| out.extend(written(block).iter().copied()));
    }
    out
}

/// Whether one of the writes of an array stands under a test.
pub(super) fn is_tested(stmts: &[Stmt], v: VarId) -> bool {
    stmts.iter().any(|s| match s {
        Stmt::If { body, otherwise, .. } => [body, otherwise].into_iter().any(|b| written(b).contains(&v)),
        Stmt::For { body, .. } => is_tested(body, v),
        Stmt::Leaf(_) => false,
    })
}
