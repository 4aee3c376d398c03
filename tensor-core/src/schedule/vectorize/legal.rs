//! Whether the iterations of a loop may run at once, or in any order.

use super::Chooser;
use crate::index::{Affine, Atom};
use crate::loops::visit::{How, Item, visit, visit_test};
use crate::loops::windows::counted;
use crate::loops::{Expr, Place, Stmt, Storage, Test, VarId, Variable};
use crate::prim::Prim;
use crate::schedule::range::moves_evenly;
use crate::sorted::{Map, Set};
use crate::ssa::Index;
use crate::weights;

/// A loop that may run in lanes.
pub(super) struct Candidate {
    pub index: Index,
    /// What each lane has for itself.
    pub own: Set<VarId>,
}

impl Candidate {
    pub fn depends_place(&self, p: &Place) -> bool {
        self.own.contains(&p.var) || p.moves(self.index)
    }
}

impl Chooser<'_> {
    /// Work buffers that live inside a loop, without its index.
    pub fn private(&self, i: Index) -> Set<VarId> {
        let all = (0..).zip(&self.program.vars).zip(&self.inside);
        let lives = all.filter(|((_, v), inside)| {
            matches!(v.storage, Storage::Work(_) | Storage::Local)
                && !v.holds_indices
                && inside.as_ref().is_some_and(|s| s.contains(&i))
        });
        let old = lives.map(|((k, _), _)| VarId(k));
        let own = |v: &Variable| v.lanes == Some(i);
        let new = (self.program.vars.len()..).zip(&self.locals).filter(|(_, v)| own(v));
        old.chain(new.filter_map(|(k, _)| u32::try_from(k).ok().map(VarId))).collect()
    }

    /// The loop, if its iterations may run in lanes: the invariant of the loop IR.
    pub fn candidate(&self, i: Index, body: &[Stmt]) -> Option<Candidate> {
        let (atom, mut evenly) = (i.atom(), true);
        visit(body, &mut |item| match item {
            Item::Element(_, at) => evenly &= !at.iter().any(|a| a.mentions(&atom)),
            Item::Decides(a) => evenly &= !a.mentions(&atom),
            Item::Form(a) => evenly &= moves_evenly(a, &atom),
            Item::Bound(_) | Item::Declared(_) | Item::Filled(_) | Item::Place(..) | Item::Whole => {}
        });
        let c = self.in_any_order(i, body, true).filter(|_| evenly)?;
        body.iter().all(|s| self.chooses_evenly(s, &c)).then_some(c)
    }

    /// Whether the iterations of a loop may run in any order, or statement by statement.
    pub fn independent(&self, i: Index, body: &[Stmt]) -> bool {
        self.in_any_order(i, body, false).is_some()
    }

    /// The loop, if its iterations do not meet, unless all only add to an array; in lanes, at places that all move, or none, or where all that is written
    /// is near: what lanes add to elements of their own and to one of all joins in any order, but elements far apart are written one by one.
    fn in_any_order(&self, i: Index, body: &[Stmt], in_lanes: bool) -> Option<Candidate> {
        let atom = i.atom();
        let mut own = self.private(i);
        let (mut bound, mut legal) = (vec![], true);
        let mut places: Map<VarId, Vec<(Place, How)>> = Map::new();
        visit(body, &mut |item| match item {
            Item::Bound(j) => bound.push(j),
            Item::Declared(v) => {
                own.insert(v);
            }
            Item::Filled(v) => legal &= own.contains(&v),
            Item::Place(p, how) => places.entry(p.var).or_default().push((p.clone(), how)),
            Item::Whole => legal = false,
            Item::Element(..) | Item::Form(_) | Item::Decides(_) => {}
        });
        let all = || places.iter().flat_map(|(_, uses)| uses);
        let are_near = || all().all(|(p, how)| *how == How::Read || self.is_near(p, i));
        for (v, uses) in &places {
            if own.contains(v) {
                if uses.iter().any(|u| u.0.moves(i)) {
                    // Not a copy for each lane, but elements of one array.
                    own.remove(v);
                } else {
                    continue;
                }
            }
            let adds = uses.iter().all(|u| u.1 == How::Combine);
            let in_one_way = !in_lanes || alike(uses, i) || are_near();
            legal &= adds && in_one_way || apart(uses, &atom, &bound);
        }
        legal.then_some(Candidate { index: i, own })
    }

    /// Whether a place moves by few elements with an index, or not at all, as what nests have got beside the variables of the program.
    fn is_near(&self, p: &Place, i: Index) -> bool {
        let is_new = p.var.0 as usize >= self.program.vars.len();
        let step = || counted(self.program, p.var, p.at.len(), &|d| Some(p.at[d].coeff(&i.atom())));
        is_new || step().is_some_and(|s| s.abs() <= weights::straight::SPAN)
    }

    /// Whether tests that differ from lane to lane stand where a selection can take their place.
    fn chooses_evenly(&self, s: &Stmt, c: &Candidate) -> bool {
        let lanes = |t: &Test| depends_test(t, c);
        match s {
            Stmt::For { body, .. } => body.iter().all(|s| self.chooses_evenly(s, c)),
            Stmt::If { tests, body, otherwise } => {
                let mixed = tests.iter().any(lanes) && !tests.iter().all(lanes) && !otherwise.is_empty();
                !mixed
                    && tests.iter().all(|t| selectable(t, c))
                    && body.iter().chain(otherwise).all(|s| self.chooses_evenly(s, c))
            }
            Stmt::Leaf(leaf) => leaf.value().is_none_or(|e| selectable_expr(e, c)),
        }
    }
}

/// Whether the iterations of a loop do not meet in what they do with one array: all read it, or each has elements of its own.
fn apart(uses: &[(Place, How)], atom: &Atom, bound: &[Index]) -> bool {
    if uses.iter().all(|u| u.1 == How::Read) {
        return true;
    }
    let own = |p: &Place| {
        let moving: Vec<_> = p.at.iter().enumerate().filter(|(_, a)| a.mentions(atom)).collect();
        let fixed = |a: &Affine| moves_evenly(a, atom) && !bound.iter().any(|j| a.mentions(&j.atom()));
        (!moving.is_empty() && moving.iter().all(|(_, a)| fixed(a)))
            .then_some(moving.len())
            .map(|_| moving.into_iter().map(|(d, a)| (d, a.clone())).collect::<Vec<_>>())
    };
    let first = own(&uses[0].0);
    first.is_some() && uses.iter().all(|u| own(&u.0) == first)
}

/// Whether all places move with an index, or none.
fn alike(uses: &[(Place, How)], i: Index) -> bool {
    uses.iter().all(|u| u.0.moves(i) == uses[0].0.moves(i))
}

fn depends_test(t: &Test, c: &Candidate) -> bool {
    let mut depends = false;
    visit_test(t, &mut |item| {
        if let Item::Place(p, _) = item {
            depends |= c.depends_place(p);
        }
    });
    depends
}

/// Whether a test that differs from lane to lane asks of reals alone: what it reads is in range wherever it stands.
fn selectable(t: &Test, c: &Candidate) -> bool {
    match t {
        Test::Index(_) => true,
        Test::Real { left, right, .. } => selectable_expr(left, c) && selectable_expr(right, c),
        Test::Any(ps) => {
            let of_indices = |t: &Test| matches!(t, Test::Index(_));
            !depends_test(t, c) || ps.iter().flatten().all(|t| !of_indices(t) && selectable(t, c))
        }
    }
}

fn selectable_expr(e: &Expr, c: &Candidate) -> bool {
    match e {
        Expr::Number(_) | Expr::Constant(_) | Expr::OfIndex(_) | Expr::Read(_) => true,
        Expr::Neg(a) => selectable_expr(a, c),
        Expr::Add(a, b) | Expr::Mul(a, b) => selectable_expr(a, c) && selectable_expr(b, c),
        Expr::Call(Prim::Outer(_), _) => false,
        Expr::Call(_, args) => args.iter().all(|a| selectable_expr(a, c)),
        Expr::If(tests, a) => tests.iter().all(|t| selectable(t, c)) && selectable_expr(a, c),
    }
}
