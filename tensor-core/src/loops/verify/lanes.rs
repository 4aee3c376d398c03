//! What `loops` promises of vectorized loops, and of those that are functions of their own: `emit` loads and stores vectors, and lets a mask choose, by it.
//!
//! A place of one lane that moves by a fixed stride is in range with those of the first and the last. A mask evaluates what it guards in all lanes, so
//! that what differs from lane to lane may not be what keeps a place in range: it asks of reals alone.

use super::{pieces, straight, windows};
use crate::index::{Affine, Atom};
use crate::loops::inside::in_sequence;
use crate::loops::strips::{Across, Eight, Shifted, Sums};
use crate::loops::visit::{Item, visit, visit_test};
use crate::loops::{Expr, Leaf, Order, Place, Program, Stmt, Test, VarId};
use crate::sorted::Set;
use crate::ssa::Index;

/// Whether all vectorized loops keep the invariant.
///
/// # Errors
/// The first that does not, and why.
pub fn lanes(program: &Program) -> Result<(), String> {
    each(program, &program.body, false)
}

/// Statements, in a loop that carries totals in lanes or not.
fn each(p: &Program, stmts: &[Stmt], carried: bool) -> Result<(), String> {
    for s in stmts {
        match s {
            Stmt::For { index, lower, order: Order::Lanes { strips, straight, .. }, body, .. } => {
                let name = &p.indices[index.0 as usize];
                let eights = || strips.eights.iter().try_for_each(|e| eight(e, body));
                let windows = || {
                    straight.iter().try_for_each(|r| {
                        straight::straight(p, body)?;
                        windows::windows(p, (*index, lower), r, body)?;
                        pieces::pieces(p, *index, &r.pieces, body)
                    })
                };
                one(p, *index, body)
                    .and_then(|()| eights())
                    .and_then(|()| windows())
                    .map_err(|e| format!("the loop of `{name}` is vectorized: {e}"))?;
            }
            Stmt::For { index, order: Order::Outlined, body, .. } if carried && !in_sequence(body) => {
                let name = &p.indices[index.0 as usize];
                return Err(format!(
                    "the loop of `{name}` is outlined: not all that is inside is in sequence, and a loop around carries totals"
                ));
            }
            s => {
                let carried = carried || matches!(s, Stmt::For { order: Order::Carrying(_), .. });
                s.blocks().into_iter().try_for_each(|b| each(p, b, carried))?;
            }
        }
    }
    Ok(())
}

/// Eight statements that run at once: the same of one local each, at places one after the other.
fn eight(e: &Eight, body: &[Stmt]) -> Result<(), String> {
    let all = body.get(e.at..e.at + Eight::COUNT);
    let all = all.and_then(|all| all.iter().map(Eight::moved).collect::<Option<Vec<_>>>());
    let all = all.ok_or("eight statements at once are not all reads, or all stores")?;
    let (_, first, is_read) = all[0];
    let follows = |(k, (_, place, reads)): (i64, &(VarId, &Place, bool))| {
        let mut next = first.clone();
        next.at[e.dimension] = next.at[e.dimension].clone().step(k);
        *reads == is_read && next == **place
    };
    let is_right = e.dimension < first.at.len() && is_read == (e.across == Across::Read);
    if is_right && (0..).zip(&all).all(follows) {
        Ok(())
    } else {
        Err("of eight statements at once the places do not follow each other".to_string())
    }
}

/// The one statement of a sum of shifted vectors.
fn shifted(c: &Shifted, body: &[Stmt]) -> Result<(), String> {
    let product =
        |a: &Place, b: &Place| Expr::Mul(Box::new(Expr::Read(a.clone())), Box::new(Expr::Read(b.clone())));
    let target = Place { var: c.sum, at: vec![] };
    let adds = |value: Expr| *body == [Stmt::Leaf(Leaf::Accumulate { target: target.clone(), value })];
    if adds(product(&c.moving, &c.still)) || adds(product(&c.still, &c.moving)) {
        Ok(())
    } else {
        Err("a sum of shifted vectors is not what its loop adds".to_string())
    }
}

/// A vectorized loop.
struct Lanes<'a> {
    program: &'a Program,
    atom: Atom,
    /// Declared inside.
    own: Set<VarId>,
}

fn one(program: &Program, index: Index, body: &[Stmt]) -> Result<(), String> {
    let mut l = Lanes { program, atom: index.atom(), own: Set::new() };
    let evenly = |a: &Affine| a.terms.iter().all(|(t, _)| *t == l.atom || !t.mentions(&l.atom));
    let (mut own, mut wrong) = (Set::new(), None);
    visit(body, &mut |item| {
        let why = match item {
            Item::Declared(v) => {
                own.insert(v);
                None
            }
            Item::Element(_, at) if at.iter().any(|a| a.mentions(&l.atom)) => {
                Some("an index array is read at it")
            }
            Item::Decides(a) if a.mentions(&l.atom) => Some("something is decided by it"),
            Item::Form(a) if !evenly(a) => Some("a place does not move by a fixed stride"),
            Item::Whole => Some("a statement has no form in lanes"),
            Item::Bound(_)
            | Item::Element(..)
            | Item::Decides(_)
            | Item::Form(_)
            | Item::Filled(_)
            | Item::Place(..) => None,
        };
        wrong = wrong.or(why);
    });
    l.own = own;
    wrong.map_or(Ok(()), |e| Err(e.to_string()))?;
    l.block(body)
}

impl Lanes<'_> {
    fn block(&self, stmts: &[Stmt]) -> Result<(), String> {
        stmts.iter().try_for_each(|s| self.stmt(s))
    }

    fn stmt(&self, s: &Stmt) -> Result<(), String> {
        match s {
            Stmt::For { order: Order::Lanes { .. }, .. } => Err("another is inside".to_string()),
            Stmt::For { order: Order::Summing(Sums::Shifted(c)), body, .. } => shifted(c, body),
            Stmt::For { body, .. } => self.block(body),
            Stmt::If { tests, body, otherwise } => {
                self.tests(tests)?;
                self.block(body)?;
                self.block(otherwise)
            }
            Stmt::Leaf(leaf) => leaf.value().map_or(Ok(()), |e| self.expr(e)),
        }
    }

    fn expr(&self, e: &Expr) -> Result<(), String> {
        match e {
            Expr::Number(_) | Expr::Constant(_) | Expr::OfIndex(_) | Expr::Read(_) => Ok(()),
            Expr::Neg(a) => self.expr(a),
            Expr::Add(a, b) | Expr::Mul(a, b) => {
                self.expr(a)?;
                self.expr(b)
            }
            Expr::Call(_, args) => args.iter().try_for_each(|a| self.expr(a)),
            Expr::If(tests, a) => {
                self.tests(tests)?;
                self.expr(a)
            }
        }
    }

    fn tests(&self, tests: &[Test]) -> Result<(), String> {
        for t in tests {
            match t {
                Test::Index(_) => {}
                Test::Real { left, right, .. } => {
                    self.expr(left)?;
                    self.expr(right)?;
                }
                Test::Any(ps) => {
                    if self.differs(t) && ps.iter().flatten().any(|t| matches!(t, Test::Index(_))) {
                        return Err("alternatives of indices differ from lane to lane".to_string());
                    }
                    ps.iter().try_for_each(|p| self.tests(p))?;
                }
            }
        }
        Ok(())
    }

    /// Whether a test may hold in some lanes alone.
    fn differs(&self, t: &Test) -> bool {
        let mut differs = false;
        visit_test(t, &mut |item| {
            if let Item::Place(p, _) = item {
                let lanes = self.program.var(p.var).lanes;
                differs |= self.own.contains(&p.var)
                    || lanes.is_some_and(|i| i.atom() == self.atom)
                    || p.at.iter().any(|a| a.mentions(&self.atom));
            }
        });
        differs
    }
}
