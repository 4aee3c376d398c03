//! The body of a vectorized loop, run on values that are not yet known: loops of literal ranges are unrolled, tests of literal indices decided, elements
//! of arrays that each lane has for itself become values, and what stands under a test becomes a selection.

mod conditions;

use super::graph::{Facts, Graph, Id, Mask, MaskId, Truth, Value};
use crate::index::{Affine, Atom};
use crate::loops::leaf::InLanes;
use crate::loops::strips::start;
use crate::loops::walk::{map_prim, substitute};
use crate::loops::{Bound, Direction, Expr, Order, Place, Program, Stmt, Storage, Test, VarId};
use crate::prim::Prim;
use crate::sorted::Set;
use crate::ssa::{Extreme, Index, RealCompare};
use crate::weights;
use conditions::apart;
use std::collections::BTreeMap;

/// A local, or an element.
type Cell = (VarId, Vec<Affine>);

/// What all lanes add to, or are compared with.
pub(super) struct Total {
    pub target: Place,
    pub op: Option<Extreme>,
    pub value: Id,
}

/// Under which tests of indices elements of memory are read: elsewhere they may not be there.
pub(super) type Guards = BTreeMap<Id, Facts>;

/// A body that runs.
pub(super) struct Run<'a> {
    program: &'a Program,
    lane: Index,
    /// Forms that are at least 0 in the loops around.
    around: &'a [Affine],
    pub graph: Graph,
    indices: BTreeMap<u32, Affine>,
    /// What cells hold.
    cells: BTreeMap<Cell, Id>,
    /// What arrays that each lane has for itself hold elsewhere.
    filled: BTreeMap<VarId, f64>,
    /// What was overwritten under the tests around.
    log: Vec<(Cell, Option<Id>)>,
    facts: Facts,
    /// Tests around, and whether they hold here.
    path: Facts,
    /// Elements of memory that are written, in the order in which they first were.
    pub written: Vec<Cell>,
    pub totals: Vec<Total>,
    pub guards: Guards,
    /// How often the statements here are repeated.
    repeated: i64,
    /// Where that is asked: what is a row for each lane, though it is not said, and the other arrays of lanes that are read before they are written.
    asked: Option<(&'a Set<VarId>, Set<VarId>)>,
}

impl<'a> Run<'a> {
    pub fn new(program: &'a Program, lane: Index, around: &'a [Affine]) -> Run<'a> {
        Run {
            program,
            lane,
            around,
            graph: Graph::default(),
            indices: BTreeMap::new(),
            cells: BTreeMap::new(),
            filled: BTreeMap::new(),
            log: vec![],
            facts: vec![],
            path: vec![],
            written: vec![],
            totals: vec![],
            guards: Guards::new(),
            repeated: 1,
            asked: None,
        }
    }

    /// The arrays of lanes of which a body reads something that it has not written, where some variables are rows in memory; `None` where it has no straight form in
    /// any case.
    pub fn unknown(
        program: &'a Program,
        lane: Index,
        around: &'a [Affine],
        rows: &'a Set<VarId>,
        body: &[Stmt],
    ) -> Option<Set<VarId>> {
        let mut run = Run { asked: Some((rows, Set::new())), ..Run::new(program, lane, around) };
        run.block(body)?;
        run.asked.map(|a| a.1)
    }

    /// What an element of memory holds after the body.
    pub fn last(&self, c: &Cell) -> Option<Id> {
        self.cells.get(c).copied()
    }

    /// `None` where a statement has no form in a straight body.
    pub fn block(&mut self, stmts: &[Stmt]) -> Option<()> {
        if self.graph.values.len() > weights::straight::VALUES {
            return None;
        }
        stmts.iter().try_for_each(|s| self.stmt(s))
    }

    fn stmt(&mut self, s: &Stmt) -> Option<()> {
        match s {
            Stmt::For { index, lower, upper, step, order, body, .. } => {
                let mut times = self.iterations(lower, upper, step.as_ref())?;
                if *order == Order::Steps(Direction::Backward) {
                    times.reverse();
                }
                self.unroll(*index, times, body)
            }
            Stmt::If { tests, body, otherwise } => self.choose(tests, body, otherwise),
            Stmt::Leaf(leaf) => self.leaf(leaf.in_lanes()?),
        }
    }

    fn leaf(&mut self, leaf: InLanes<'_>) -> Option<()> {
        match leaf {
            InLanes::Let(index, value) => {
                let value = self.form(value);
                self.indices.insert(index.0, value);
                Some(())
            }
            InLanes::Declare(var, value) => {
                let value = self.expr(value)?;
                self.cells.insert((var, vec![]), value);
                Some(())
            }
            InLanes::Assign(target, value) => {
                let value = self.expr(value)?;
                let cell = self.cell(target)?;
                if self.is_outer(&cell) && !self.moves(&cell) {
                    return None;
                }
                self.set(cell, value);
                Some(())
            }
            InLanes::Combine(None, target, value) => self.accumulate(target, value),
            InLanes::Combine(Some(op), target, value) => {
                let value = self.expr(value)?;
                let cell = self.cell(target)?;
                if self.is_total(&cell) {
                    return self.total(cell, Some(op), value);
                }
                let old = self.get(&cell)?;
                let new = self.better(op, value, old);
                self.set(cell, new);
                Some(())
            }
            InLanes::Fill(var, value) => {
                if !self.is_own(var) || !self.path.is_empty() {
                    return None;
                }
                self.cells.retain(|(v, _), _| *v != var);
                self.filled.insert(var, value);
                Some(())
            }
        }
    }

    fn unroll(&mut self, index: Index, times: Vec<i64>, body: &[Stmt]) -> Option<()> {
        let around = self.repeated;
        self.repeated = around.checked_mul(i64::try_from(times.len().max(1)).ok()?)?;
        if self.repeated > weights::straight::NEST {
            return None;
        }
        for k in times {
            self.indices.insert(index.0, Affine::from(k));
            self.block(body)?;
        }
        self.repeated = around;
        Some(())
    }

    /// Those of a loop, if they are known and few.
    fn iterations(&self, lower: &[Bound], upper: &[Bound], step: Option<&(Affine, i64)>) -> Option<Vec<i64>> {
        let end = |b: &Bound, up: bool| {
            let num = self.form(&b.num).as_constant()?;
            Some(if up { num.div_euclid(b.den) } else { -(-num).div_euclid(b.den) })
        };
        let mut low = i64::MIN;
        for b in lower {
            low = low.max(end(b, false)?);
        }
        let mut high = i64::MAX;
        for b in upper {
            high = high.min(end(b, true)?);
        }
        let by = match step {
            None => 1,
            Some((from, by)) => {
                low += (self.form(from).as_constant()? - low).rem_euclid(*by);
                *by
            }
        };
        let count = if low > high { 0 } else { (high - low) / by + 1 };
        (count <= weights::straight::ITERATIONS).then(|| (0..count).map(|k| low + k * by).collect())
    }

    /// Both branches, one after the other, then for each cell that one of them changed a selection.
    fn choose(&mut self, tests: &[Test], body: &[Stmt], otherwise: &[Stmt]) -> Option<()> {
        let (of_indices, of_reals) = apart(tests);
        let m = match self.tests(&of_indices)? {
            Truth::Known(true) => match self.tests(&of_reals)? {
                Truth::Known(true) => return self.block(body),
                Truth::Known(false) => return self.block(otherwise),
                Truth::Asked(m) => m,
            },
            Truth::Known(false) => return self.block(otherwise),
            Truth::Asked(m) if of_reals.is_empty() => m,
            Truth::Asked(m) => {
                let inner = Stmt::If { tests: of_reals, body: body.to_vec(), otherwise: vec![] };
                let is_one_sided = otherwise.is_empty();
                return is_one_sided.then(|| self.select(m, std::slice::from_ref(&inner), &[]))?;
            }
        };
        self.select(m, body, otherwise)
    }

    fn select(&mut self, m: MaskId, body: &[Stmt], otherwise: &[Stmt]) -> Option<()> {
        let yes = self.branch(body, (m, true))?;
        let no = self.branch(otherwise, (m, false))?;
        let all: std::collections::BTreeSet<&Cell> = yes.keys().chain(no.keys()).collect();
        for cell in all {
            let (yes, no) = (yes.get(cell).copied(), no.get(cell).copied());
            let old = if yes.is_some() && no.is_some() { None } else { self.beside(cell, m)? };
            let new = match (yes.or(old), no.or(old)) {
                (Some(a), Some(b)) => self.graph.select(m, a, b),
                // What nothing was written to before is read where this branch is taken alone.
                (Some(a), None) | (None, Some(a)) => a,
                (None, None) => continue,
            };
            self.set(cell.clone(), new);
        }
        Some(())
    }

    /// What a cell holds where a branch that writes it is not taken. `None` where that may be no element of memory: a test of indices has decided.
    fn beside(&mut self, cell: &Cell, m: MaskId) -> Option<Option<Id>> {
        if let Some(id) = self.cells.get(cell) {
            return Some(Some(*id));
        }
        let is_memory = self.is_outer(cell) && !cell.1.is_empty();
        if is_memory && self.graph.asks_index(m) {
            let known = self.graph.known_read(&Place { var: cell.0, at: cell.1.clone() })?;
            self.may_read(known).then_some(())?;
        }
        self.before(cell).map_or_else(|| (!is_memory).then_some(None), |id| Some(Some(id)))
    }

    /// What cells hold at the end of a branch; they are then as before.
    fn branch(&mut self, stmts: &[Stmt], (m, holds): (MaskId, bool)) -> Option<BTreeMap<Cell, Id>> {
        let (facts, path, start) = (self.facts.len(), self.path.len(), self.log.len());
        self.suppose(m, holds);
        self.path.push((m, holds));
        self.block(stmts)?;
        self.facts.truncate(facts);
        self.path.truncate(path);
        let mut out = BTreeMap::new();
        for (cell, old) in self.log.split_off(start).into_iter().rev() {
            let new = match old {
                Some(old) => self.cells.insert(cell.clone(), old),
                None => self.cells.remove(&cell),
            };
            if let Some(new) = new {
                out.entry(cell).or_insert(new);
            }
        }
        Some(out)
    }

    fn accumulate(&mut self, target: &Place, value: &Expr) -> Option<()> {
        let cell = self.cell(target)?;
        if self.is_total(&cell) {
            let value = self.expr(value)?;
            return self.total(cell, None, value);
        }
        let old = self.get(&cell)?;
        let new = self.added(old, value)?;
        self.set(cell, new);
        Some(())
    }

    /// Term by term, so that products are fused.
    fn added(&mut self, to: Id, e: &Expr) -> Option<Id> {
        if let Expr::Add(a, b) = e {
            let to = self.added(to, a)?;
            return self.added(to, b);
        }
        let e = self.expr(e)?;
        Some(self.graph.add(to, e))
    }

    /// A total that is read or written otherwise has no form here.
    fn total(&mut self, (var, at): Cell, op: Option<Extreme>, mut value: Id) -> Option<()> {
        let nothing = start(op);
        for (m, holds) in self.path.clone().into_iter().rev() {
            let zero = self.graph.number(nothing);
            let (a, b) = if holds { (value, zero) } else { (zero, value) };
            value = self.graph.select(m, a, b);
        }
        if !at.is_empty() && !self.graph.of_indices(&self.facts).is_empty() {
            return None;
        }
        // Two places of one array may be the same.
        if self.totals.iter().any(|t| t.target.var == var && t.op != op) {
            return None;
        }
        let target = Place { var, at };
        let Some(k) = self.totals.iter().position(|t| t.target == target) else {
            self.totals.push(Total { target, op, value });
            return Some(());
        };
        let old = self.totals[k].value;
        self.totals[k].value = match op {
            None => self.graph.add(old, value),
            Some(op) => self.better(op, value, old),
        };
        Some(())
    }

    /// `new` where it is better than `old`.
    fn better(&mut self, op: Extreme, new: Id, old: Id) -> Id {
        let m = self.graph.mask(match op {
            Extreme::Max => Mask::Compare(RealCompare::Lt, old, new),
            Extreme::Min => Mask::Compare(RealCompare::Lt, new, old),
        });
        self.graph.select(m, new, old)
    }

    fn form(&self, a: &Affine) -> Affine {
        let mut out = a.clone();
        for (i, e) in self.indices.iter().filter(|(i, _)| a.mentions(&Atom::Index(**i))) {
            out = substitute(&out, &Atom::Index(*i), e);
        }
        out
    }

    /// Of an array that each lane has for itself only elements at literals are cells.
    fn cell(&self, p: &Place) -> Option<Cell> {
        let at: Vec<Affine> = p.at.iter().map(|a| self.form(a)).collect();
        (!self.is_own(p.var) || at.iter().all(Affine::is_constant)).then_some((p.var, at))
    }

    /// Whether each lane has a copy of its own.
    fn is_own(&self, v: VarId) -> bool {
        let var = self.program.var(v);
        var.lanes == Some(self.lane) && !matches!(var.storage, Storage::Local) && !self.is_row(v)
    }

    fn is_row(&self, v: VarId) -> bool {
        self.asked.as_ref().is_some_and(|(rows, _)| rows.contains(&v))
    }

    /// Whether it is a local from outside, or an element of memory.
    fn is_outer(&self, (v, at): &Cell) -> bool {
        let is_local = self.program.var(*v).storage == Storage::Local;
        if is_local { !self.cells.contains_key(&(*v, at.clone())) } else { !self.is_own(*v) }
    }

    fn moves(&self, (v, at): &Cell) -> bool {
        at.iter().any(|a| a.mentions(&self.lane.atom())) || self.is_row(*v)
    }

    fn is_total(&self, cell: &Cell) -> bool {
        self.is_outer(cell) && !self.moves(cell)
    }

    /// What a cell holds before the body.
    fn before(&mut self, (v, at): &Cell) -> Option<Id> {
        if self.is_own(*v) {
            if let Some(x) = self.filled.get(v) {
                return Some(self.graph.number(*x));
            }
            self.asked.as_mut()?.1.insert(*v);
            return Some(self.graph.read(Place { var: *v, at: at.clone() }));
        }
        if !self.is_outer(&(*v, at.clone())) {
            return None;
        }
        let id = self.graph.read(Place { var: *v, at: at.clone() });
        if at.is_empty() { Some(id) } else { self.reads(id).then_some(id) }
    }

    fn get(&mut self, cell: &Cell) -> Option<Id> {
        let found = self.cells.get(cell).copied();
        let id = match found {
            Some(id) => id,
            None => self.before(cell)?,
        };
        Some(self.graph.under(id, &self.facts))
    }

    fn set(&mut self, cell: Cell, value: Id) {
        if !self.is_own(cell.0)
            && self.program.var(cell.0).storage != Storage::Local
            && !self.written.contains(&cell)
        {
            self.written.push(cell.clone());
        }
        let old = self.cells.insert(cell.clone(), value);
        if !self.path.is_empty() {
            self.log.push((cell, old));
        }
    }

    fn expr(&mut self, e: &Expr) -> Option<Id> {
        Some(match e {
            Expr::Number(x) => self.graph.number(*x),
            Expr::Constant(path) => self.graph.value(Value::Constant(path.clone())),
            Expr::OfIndex(a) => {
                let a = self.form(a);
                self.graph.value(Value::OfIndex(a))
            }
            Expr::Read(p) => {
                let cell = self.cell(p)?;
                self.get(&cell)?
            }
            Expr::Neg(a) => {
                let a = self.expr(a)?;
                self.graph.neg(a)
            }
            Expr::Add(a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                self.graph.add(a, b)
            }
            Expr::Mul(a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                self.graph.mul(a, b)
            }
            Expr::Call(Prim::Outer(_), _) => return None,
            Expr::Call(f, args) => {
                let args = args.iter().map(|a| self.expr(a)).collect::<Option<Vec<Id>>>()?;
                let f = map_prim(f, &mut |a| self.form(a));
                self.graph.value(Value::Call(f, args))
            }
            Expr::If(tests, a) => {
                let (of_indices, of_reals) = apart(tests);
                self.guarded(&of_indices, &mut |run| run.guarded(&of_reals, &mut |run| run.expr(a)))?
            }
        })
    }
}
