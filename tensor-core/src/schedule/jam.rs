//! Several iterations of a loop as one, statement by statement, where they are independent and share what they read.
//!
//! ```text
//! rows     four, around vectorized loops
//! transposed   eight, around a vectorized loop that reads columns
//! squares  eight, of a symmetric matrix, in lanes and across
//! pairs    two, inside a vectorized loop
//! ```

mod members;
mod pairs;
mod rows;
mod squares;
mod transposed;
mod triangles;
mod uses;

use super::Options;
use super::range::minus;
use crate::index::Affine;
use crate::index::affine::floor;
use crate::loops::leaf::InLanes;
use crate::loops::{Bound, Order, Program, Stmt, Storage, VarId, Variable, has_steps};
use crate::mark::{self, Mark};
use crate::ssa::Index;
use crate::weights;
use members::Members;

/// See the module documentation.
pub(super) fn jam(mut p: Program, _: &Options) -> Program {
    let body = std::mem::take(&mut p.body);
    p.body = block(&mut p, body, None);
    p
}

/// Statements, inside a vectorized loop if there is one.
fn block(p: &mut Program, stmts: Vec<Stmt>, lane: Option<Index>) -> Vec<Stmt> {
    let stmts = if lane.is_none() { squares::jammed(p, triangles::across(stmts)) } else { stmts };
    let mut out = vec![];
    for s in stmts {
        match s {
            Stmt::For { index, lower, upper, step: None, order: Order::Sequence, body, .. } => {
                let l = Loop { index, lower: &lower, upper: &upper, body: &body };
                let jammed = match lane {
                    _ if has_steps(&body) => None,
                    None => transposed::jammed(p, &l)
                        .inspect(|_| mark::hit(Mark::Columns))
                        .or_else(|| rows::jammed(p, &l).inspect(|_| mark::hit(Mark::Rows))),
                    Some(lane) => unrolled(p, &l)
                        .inspect(|_| mark::hit(Mark::Unrolled))
                        .or_else(|| pairs::jammed(p, &l, lane).inspect(|_| mark::hit(Mark::Pairs))),
                };
                out.extend(jammed.unwrap_or_else(|| {
                    let body = block(p, body, lane);
                    vec![Stmt::sequence(index, lower, upper, body)]
                }));
            }
            Stmt::For { index, lower, upper, step, order: order @ Order::Steps(_), body, .. } => {
                let body = block(p, body, lane);
                out.push(Stmt::looped(index, lower, upper, step, order, body));
            }
            Stmt::For { index, lower, upper, step: None, order, body, .. } => {
                let body = block(p, body, Some(index));
                out.push(Stmt::looped(index, lower, upper, None, order, body));
            }
            Stmt::If { tests, body, otherwise } => {
                let (body, otherwise) = (block(p, body, lane), block(p, otherwise, lane));
                out.push(Stmt::If { tests, body, otherwise });
            }
            other => out.push(other),
        }
    }
    out
}

/// A loop with step 1, one iteration after the other.
struct Loop<'a> {
    index: Index,
    lower: &'a [Bound],
    upper: &'a [Bound],
    body: &'a [Stmt],
}

impl Loop<'_> {
    /// The first and the last index, where each is one form, or one that visibly counts of several.
    fn ends(&self) -> Option<(&Affine, &Affine)> {
        let past = |b: &Bound, c: &Bound| minus(&b.num, &c.num).as_constant();
        let whole = |bs: &[Bound]| bs.iter().all(|b| b.den == 1);
        let low = self.lower.iter().find(|b| self.lower.iter().all(|c| past(b, c).is_some_and(|d| d >= 0)));
        let high = self.upper.iter().find(|b| self.upper.iter().all(|c| past(b, c).is_some_and(|d| d <= 0)));
        (whole(self.lower) && whole(self.upper)).then_some((&low?.num, &high?.num))
    }

    fn stmt(&self, lower: Vec<Bound>) -> Stmt {
        let (upper, body) = (self.upper.to_vec(), self.body.to_vec());
        Stmt::sequence(self.index, lower, upper, body)
    }
}

/// A loop over groups of so many iterations of another.
struct Groups {
    index: Index,
    members: Members,
    /// The last group.
    last: Affine,
    /// The first iteration that is in none.
    rest: Affine,
}

/// The loop in groups, whose index is called after that of the loop; the range must be of [`Loop::ends`].
fn groups(p: &mut Program, l: &Loop<'_>, width: i64, name: &str) -> Option<Groups> {
    let (low, high) = l.ends()?;
    let whole = floor(&minus(high, low).plus_constant(1)?, width)?;
    p.indices.push(format!("{}_{name}", p.indices[l.index.0 as usize]));
    let index = Index(u32::try_from(p.indices.len() - 1).ok()?);
    if let Some(why) = p.outside.remove(&l.index) {
        p.outside.insert(index, why);
    }
    let first = low.plus_scaled(width, &index.affine())?;
    let at = (0..width).map(|k| first.plus_constant(k)).collect::<Option<_>>()?;
    let members = Members::of(p, l.index, l.body, at);
    Some(Groups { index, members, last: whole.plus_constant(-1)?, rest: low.plus_scaled(width, &whole)? })
}

impl Groups {
    /// All groups, and the loop over what is left.
    fn stmts(self, l: &Loop<'_>, body: Vec<Stmt>) -> Vec<Stmt> {
        let bound = |num: Affine| vec![Bound { num, den: 1 }];
        let (lower, upper) = (bound(Affine::zero()), bound(self.last));
        let all = Stmt::sequence(self.index, lower, upper, body);
        // A range that ends before it starts has fewer groups than none.
        let lower = l.lower.iter().cloned().chain(bound(self.rest)).collect();
        vec![all, l.stmt(lower)]
    }
}

/// A number that each lane has.
fn local(p: &mut Program, name: String, lane: Index) -> VarId {
    let (storage, lanes) = (Storage::Local, Some(lane));
    p.vars.push(Variable { name, storage, extents: vec![], holds_indices: false, lanes, why: String::new() });
    VarId(u32::try_from(p.vars.len() - 1).expect("fewer than 2³² variables"))
}

/// The few iterations of a literal loop one after the other, where they give bounds to loops inside: those are literal then, and written out, too. (LLVM
/// would unroll them, but what it asks of each loop takes long where hundreds of places are checked.)
fn unrolled(p: &mut Program, l: &Loop<'_>) -> Option<Vec<Stmt>> {
    let is_bound = |s: &Stmt| match s {
        Stmt::For { lower, upper, .. } => lower.iter().chain(upper).any(|b| b.num.mentions(&l.index.atom())),
        _ => false,
    };
    if !l.body.iter().any(is_bound) || !l.body.iter().all(is_nest) {
        return None;
    }
    let all = iterations(p, l)?;
    Some(all.into_iter().flat_map(|s| written_out(p, s)).collect())
}

/// A statement or, of a loop with few literal iterations of statements without others inside, those.
fn written_out(p: &mut Program, s: Stmt) -> Vec<Stmt> {
    let all = match &s {
        Stmt::For { index, lower, upper, step: None, order: Order::Sequence, body, .. }
            if body.iter().all(is_plain) =>
        {
            iterations(p, &Loop { index: *index, lower, upper, body })
        }
        _ => None,
    };
    all.unwrap_or_else(|| vec![s])
}

/// The few iterations of a literal loop.
fn iterations(p: &mut Program, l: &Loop<'_>) -> Option<Vec<Stmt>> {
    let (low, high) = l.ends().map(|(low, high)| Some((low.as_constant()?, high.as_constant()?)))??;
    if high - low >= weights::jam::BOUNDS {
        return None;
    }
    let members = Members::of(p, l.index, l.body, (low..=high).map(Affine::from).collect());
    Some((0..members.at.len()).flat_map(|k| members.only(k).copy(l.body)).collect())
}

/// Whether a statement is one without others inside, in loops or not.
fn is_nest(s: &Stmt) -> bool {
    match s {
        Stmt::For { step: None, body, .. } => body.iter().all(is_nest),
        s => is_plain(s),
    }
}

/// Whether a statement declares, assigns or adds.
fn is_plain(s: &Stmt) -> bool {
    match s {
        Stmt::For { .. } | Stmt::If { .. } => false,
        Stmt::Leaf(leaf) => match leaf.in_lanes() {
            Some(InLanes::Declare(..) | InLanes::Assign(..) | InLanes::Combine(None, ..)) => true,
            Some(InLanes::Combine(Some(_), ..) | InLanes::Let(..) | InLanes::Fill(..)) | None => false,
        },
    }
}
