//! The nodes of a function's statements.

use super::{Kind, Node, Part, common, inlined, product, scalar_reads, value};
use crate::index::project::solve_equalities;
use crate::index::{Affine, Atom, Cond, Pred};
use crate::loops::Expr;
use crate::loops::walk::substitute;
use crate::prim::Prim;
use crate::schedule::call::Call;
use crate::schedule::prepare::rename;
use crate::schedule::range::{gist, guarded, is_plain, less, seen_through};
use crate::simplify::guard::{in_order_of_evaluation, is_plainly_ranged, plainly_ranged, ranged};
use crate::ssa::{Function, Index, Rhs, Stmt, Term};

/// All nodes in the order of the statements that something needs, and the names of indices, with new ones.
pub(in crate::schedule) fn nodes(f: &Function) -> (Vec<Node>, Vec<String>) {
    let mut b = Builder { f, indices: f.indices.clone(), out: vec![] };
    for s in &f.stmts {
        if inlined(f, s.array).is_none() || !s.gens.is_empty() && crate::schedule::call::is_stored(f, s.array)
        {
            b.statement(s);
        }
    }
    let mut nodes = b.out;
    // What nothing reads is not computed.
    let mut needed: Vec<bool> = vec![false; f.arrays.len()];
    f.results.iter().for_each(|r| needed[r.0 as usize] = true);
    scalar_reads(f).iter().for_each(|(x, _)| needed[*x as usize] = true);
    let is_needed = |n: &Node, needed: &[bool]| n.writes().iter().any(|x| needed[*x as usize]);
    let mut open: Vec<&Node> = nodes.iter().collect();
    // What a member of a recurrence reads may stand behind it.
    loop {
        let left = open.len();
        for n in open.split_off(0).into_iter().rev() {
            if is_needed(n, &needed) {
                n.reads(f).iter().for_each(|(x, _)| needed[*x as usize] = true);
            } else {
                open.push(n);
            }
        }
        open.reverse();
        if open.len() == left {
            break;
        }
    }
    nodes.retain(|n| is_needed(n, &needed));
    (nodes, b.indices)
}

/// Whether a statement of one term is a matmul.
pub(in crate::schedule) fn is_matmul(f: &Function, s: &Stmt) -> bool {
    let mut b = Builder { f, indices: vec![], out: vec![] };
    b.statement(s);
    b.out.iter().any(|n| n.dense.is_some())
}

struct Builder<'a> {
    f: &'a Function,
    indices: Vec<String>,
    out: Vec<Node>,
}

impl Builder<'_> {
    fn statement(&mut self, s: &Stmt) {
        match &s.rhs {
            Rhs::Contract(terms) => self.contract(s, terms),
            Rhs::Prim { guard, prim, args } => {
                let args = args.iter().map(|a| value(self.f, a)).collect();
                let value = match prim {
                    Prim::Stop => first(args),
                    _ => Expr::Call(prim.clone(), args),
                };
                let kind = Kind::Value(vec![Part { guard: vec![], value }]);
                self.node(s, &s.gens, &[], guard, kind);
            }
            Rhs::Extreme { op, over, guard, arg } => {
                self.node(s, &s.gens, &[*over], guard, Kind::Extreme(*op, value(self.f, arg)));
            }
            Rhs::ArgExtreme { op, over, guard, arg } => {
                let least = match &self.f.array(s.array).kind {
                    crate::ssa::ArrayKind::Index { formals, lower, .. } => {
                        let pairs = formals.iter().zip(&s.gens);
                        pairs.fold(lower.clone(), |a, (i, g)| substitute(&a, &i.atom(), &g.affine()))
                    }
                    crate::ssa::ArrayKind::Real => Affine::default(),
                };
                self.node(s, &s.gens, &[*over], guard, Kind::ArgExtreme(*op, least, value(self.f, arg)));
            }
            Rhs::Call(call) if call.part == 0 => {
                if let Some(kind) = Call::new(self.f, s, call) {
                    self.node(s, &s.gens, &[], &call.guard, Kind::Call(Box::new(kind)));
                }
            }
            Rhs::OfIndex(_) | Rhs::Constant(_) | Rhs::Call(_) => {}
        }
    }

    /// The terms without sums and equalities together, first; then every other by itself.
    fn contract(&mut self, s: &Stmt, terms: &[Term]) {
        let times = times(s, &s.gens);
        let solves = |c: &Cond| matches!(c, Cond::Zero(a) if s.gens.iter().any(|g| !times.contains(g) && a.coeff(&g.atom()) != 0));
        let (together, apart): (Vec<&Term>, Vec<&Term>) =
            terms.iter().partition(|t| t.sums.is_empty() && !t.guard.iter().any(solves));
        if !together.is_empty() || terms.is_empty() {
            let common = common(&together);
            let part = |t: &&Term| Part {
                guard: t.guard.iter().filter(|c| !common.contains(c)).cloned().collect(),
                value: product(self.f, t),
            };
            let kind = Kind::Value(together.iter().map(part).collect());
            self.node(s, &s.gens, &[], &common, kind);
        }
        for (k, t) in apart.into_iter().enumerate() {
            let mut t = t.clone();
            let mut gens = s.gens.clone();
            // Each node has indices of its own.
            if k > 0 || !together.is_empty() {
                for g in &mut gens {
                    let h = self.fresh(*g);
                    rename(&mut t, *g, &h.affine());
                    *g = h;
                }
            }
            let kind = Kind::Value(vec![Part { guard: vec![], value: product(self.f, &t) }]);
            self.node(s, &gens, &t.sums, &t.guard, kind);
        }
    }

    fn fresh(&mut self, like: Index) -> Index {
        self.indices.push(self.indices[like.0 as usize].clone());
        Index(u32::try_from(self.indices.len() - 1).expect("fewer than 2³² indices"))
    }

    fn node(&mut self, s: &Stmt, gens: &[Index], sums: &[Index], guard: &[Cond], kind: Kind) {
        let f = self.f;
        let range = |(g, e): (&Index, &Affine)| [Cond::NonNeg(g.affine()), less(&g.affine(), e)];
        // A call has other results, too: that there are elements of this one says nothing of it.
        let around = gens.iter().take(s.around().len());
        let ranges: Pred = around.zip(&f.array(s.array).extents).flat_map(range).collect();
        let mut n = Node {
            array: s.array,
            target: gens.iter().map(|g| g.affine()).collect(),
            dims: gens.iter().chain(sums).copied().collect(),
            gens: gens.len(),
            times: times(s, gens),
            ranges: ranges.clone(),
            guard: guard.to_vec(),
            lets: vec![],
            kind,
            dense: None,
            triangle: None,
        };
        solve(&mut n);
        let given = n.ranges.clone();
        match gist(f, &n.guard, &given) {
            // A private sum keeps a range: what is left of the guard may bound it only through an element, or in each of its alternatives.
            Some(guard) => {
                let guard = match &n.kind {
                    Kind::Extreme(..) | Kind::ArgExtreme(..) => guard,
                    Kind::Value(_) | Kind::Call(_) | Kind::Symmetrize(_) => ranged(guard, &n.guard, n.sums()),
                };
                let guard = n.sums().iter().fold(guard, |p, s| {
                    let p = plainly_ranged(p, &n.guard, *s);
                    if is_plainly_ranged(&p, *s) {
                        return p;
                    }
                    let all = [n.ranges.as_slice(), &n.guard].concat();
                    plainly_ranged(p, &seen_through(f, &all, *s, &[], &[]), *s)
                });
                n.guard = guarded(f, &guard, &given);
            }
            // Nothing is ever live.
            None => n = never(n, gens, ranges),
        }
        if let Kind::Value(parts) = &mut n.kind {
            let given: Pred = given.iter().chain(&n.guard).cloned().collect();
            parts.retain_mut(|p| match gist(f, &p.guard, &given) {
                Some(guard) => {
                    p.guard = guarded(f, &guard, &given);
                    true
                }
                None => false,
            });
            if parts.is_empty() {
                n.guard.clear();
                n.dims.truncate(n.gens);
            }
        }
        if n.times.is_empty() {
            n.dense = crate::schedule::dense::dense(f, &n);
        }
        self.out.push(n);
    }
}

/// The times of a statement, of which these are the gens.
fn times(s: &Stmt, gens: &[Index]) -> Vec<Index> {
    let place = |t: &Index| s.gens.iter().position(|g| g == t);
    let all = s.step.iter().flat_map(|step| &step.times);
    all.filter_map(|t| gens.get(place(t)?).copied()).collect()
}

fn first(args: Vec<Expr>) -> Expr {
    args.into_iter().next().unwrap_or(Expr::Number(0.0))
}

/// The same node where no value counts: zeros, or an extreme over an empty range.
fn never(n: Node, gens: &[Index], ranges: Pred) -> Node {
    let empty = |i: &Index| [Cond::NonNeg(i.affine()), less(&i.affine(), &Affine::zero())];
    match n.kind {
        Kind::Value(_) => Node {
            target: gens.iter().map(|g| g.affine()).collect(),
            dims: gens.to_vec(),
            gens: gens.len(),
            times: n.times,
            ranges,
            guard: vec![],
            lets: vec![],
            kind: Kind::Value(vec![]),
            dense: None,
            triangle: None,
            array: n.array,
        },
        Kind::Extreme(..) | Kind::ArgExtreme(..) => {
            let guard = n.sums().iter().flat_map(empty).collect();
            Node { guard, ..n }
        }
        Kind::Call(_) | Kind::Symmetrize(_) => n,
    }
}

/// Solves the equalities of a guard: an index that one determines has no loop. Sums first, then the last gens.
fn solve(n: &mut Node) {
    let solvable = matches!(&n.kind, Kind::Value(_)) && n.guard.iter().any(|c| matches!(c, Cond::Zero(_)));
    if !solvable {
        return;
    }
    // Each step runs at its time.
    let order = n.sums().iter().chain(n.dims[..n.gens].iter().rev()).filter(|i| !n.times.contains(i));
    let unknowns: Vec<Atom> = order.map(|i| i.atom()).collect();
    let all: Pred = n.ranges.iter().chain(&n.guard).cloned().collect();
    let Ok((values, rest)) = solve_equalities(&all, &unknowns) else { return };
    if values.is_empty() {
        return;
    }
    let solved = |i: &Index| values.iter().any(|v| v.atom == i.atom());
    n.ranges.retain(|c| !values.iter().any(|v| c.mentions(&v.atom)));
    // The range of what is solved reads what it is put in for: after the conditions that this stands under.
    n.guard = in_order_of_evaluation(rest.into_iter().filter(|c| !n.ranges.contains(c)).collect());
    n.gens = n.dims[..n.gens].iter().filter(|i| !solved(i)).count();
    n.dims.retain(|i| !solved(i));
    for v in &values {
        let Some(e) = v.as_affine() else { continue };
        let Atom::Index(i) = v.atom else { continue };
        if is_plain(&e) {
            n.substitute(Index(i), &e);
        } else {
            n.lets.push((Index(i), e));
        }
    }
}
