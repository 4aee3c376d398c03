//! A graph as statements: each value a local that is declared once, a selection a local of two branches, then what is written.
//!
//! A product that one sum alone uses stands in it, so that the two are one operation.

use super::graph::{Graph, Id, Mask, MaskId, Value};
use super::run::{Guards, Run};
use crate::index::{Cond, Pred};
use crate::loops::walk::map_prim;
use crate::loops::{Expr, Leaf, Place, Program, Stmt, Storage, Test, VarId, Variable};
use crate::ssa::Index;

/// The statements of a body that has run. `variables` gets their locals.
pub(super) fn statements(
    run: &Run<'_>,
    program: &Program,
    lane: Index,
    variables: &mut Vec<Variable>,
) -> Vec<Stmt> {
    let stores: Vec<(Place, Id)> = run
        .written
        .iter()
        .filter_map(|c| Some((Place { var: c.0, at: c.1.clone() }, run.last(c)?)))
        .collect();
    let mut p = Printer::new(run, lane, program.vars.len(), variables);
    p.use_all(stores.iter().map(|s| s.1).chain(run.totals.iter().map(|t| t.value)));
    p.fuse();
    let mut out = vec![];
    for k in 0..run.graph.values.len() {
        p.declare(Id(u32::try_from(k).unwrap_or(u32::MAX)), &mut out);
    }
    for (target, value) in stores {
        p.store(&target, value, &mut out);
    }
    for t in &run.totals {
        let (target, value) = (t.target.clone(), p.expr(t.value));
        out.push(match t.op {
            None => Stmt::Leaf(Leaf::Accumulate { target, value }),
            Some(op) => Stmt::Leaf(Leaf::Extreme { op, target, value }),
        });
    }
    out
}

struct Printer<'a> {
    graph: &'a Graph,
    /// Where elements of memory may be read, if not everywhere.
    guards: &'a Guards,
    lane: Index,
    /// The variables of the program, to which those here are added.
    first: usize,
    variables: &'a mut Vec<Variable>,
    uses: Vec<u32>,
    /// Values that differ from lane to lane.
    differs: Vec<bool>,
    /// Values that stand in the one that uses them.
    inside: Vec<bool>,
    locals: Vec<Option<VarId>>,
}

impl<'a> Printer<'a> {
    fn new(run: &'a Run<'_>, lane: Index, first: usize, variables: &'a mut Vec<Variable>) -> Printer<'a> {
        let (graph, guards) = (&run.graph, &run.guards);
        let n = graph.values.len();
        let differs = differing(graph, lane);
        let (uses, inside, locals) = (vec![0; n], vec![false; n], vec![None; n]);
        Printer { graph, guards, lane, first, variables, uses, differs, inside, locals }
    }

    /// Counts how often each value is used, from these on.
    fn use_all(&mut self, roots: impl Iterator<Item = Id>) {
        let mut masks = vec![false; self.graph.masks.len()];
        let mut todo: Vec<Id> = roots.collect();
        while let Some(id) = todo.pop() {
            let uses = &mut self.uses[id.0 as usize];
            *uses += 1;
            if *uses > 1 {
                continue;
            }
            match self.graph.of(id) {
                Value::Number(_) | Value::Constant(_) | Value::OfIndex(_) | Value::Read(..) => {}
                Value::Neg(a) => todo.push(*a),
                Value::Add(a, b) | Value::Mul(a, b) => todo.extend([*a, *b]),
                Value::Call(_, args) => todo.extend(args),
                Value::Select(m, a, b) => {
                    todo.extend([*a, *b]);
                    operands(self.graph, *m, &mut masks, &mut todo);
                }
            }
        }
    }

    fn is_used_once(&self, id: Id) -> bool {
        self.uses[id.0 as usize] == 1
    }

    /// `x * y` or `-(x * y)`, used once.
    fn is_product(&self, id: Id) -> bool {
        self.is_used_once(id)
            && match *self.graph.of(id) {
                Value::Mul(..) => true,
                Value::Neg(a) => self.is_used_once(a) && matches!(self.graph.of(a), Value::Mul(..)),
                Value::Number(_)
                | Value::Constant(_)
                | Value::OfIndex(_)
                | Value::Read(..)
                | Value::Add(..)
                | Value::Call(..)
                | Value::Select(..) => false,
            }
    }

    fn fuse(&mut self) {
        for v in &self.graph.values {
            let Value::Add(a, b) = *v else { continue };
            if let Some(product) = [b, a].into_iter().find(|x| self.is_product(*x)) {
                self.inside[product.0 as usize] = true;
                if let Value::Neg(x) = *self.graph.of(product) {
                    self.inside[x.0 as usize] = true;
                }
            } else {
                let is_opposite =
                    |x: &Id| self.is_used_once(*x) && matches!(self.graph.of(*x), Value::Neg(_));
                if let Some(x) = [b, a].into_iter().find(is_opposite) {
                    self.inside[x.0 as usize] = true;
                }
            }
        }
    }

    fn local(&mut self, of: Id) -> VarId {
        let id = VarId(u32::try_from(self.first + self.variables.len()).unwrap_or(u32::MAX));
        self.variables.push(Variable {
            name: "t".to_string(),
            storage: Storage::Local,
            extents: vec![],
            holds_indices: false,
            lanes: self.differs[of.0 as usize].then_some(self.lane),
            why: "a value of a straight body".to_string(),
        });
        id
    }

    fn declare(&mut self, id: Id, out: &mut Vec<Stmt>) {
        if self.uses[id.0 as usize] == 0 || self.inside[id.0 as usize] {
            return;
        }
        match self.graph.of(id).clone() {
            Value::Number(_) | Value::Constant(_) => {}
            Value::Read(..) if let Some(guard) = self.guards.get(&id).filter(|g| !g.is_empty()) => {
                let tests = guard.iter().flat_map(|(m, holds)| self.tests(*m, *holds)).collect();
                let value = self.computed(id);
                self.one_of_two(id, tests, [value, Expr::Number(0.0)], out);
            }
            Value::OfIndex(_)
            | Value::Read(..)
            | Value::Neg(_)
            | Value::Add(..)
            | Value::Mul(..)
            | Value::Call(..) => {
                let value = self.computed(id);
                let var = self.local(id);
                self.locals[id.0 as usize] = Some(var);
                out.push(Stmt::Leaf(Leaf::Declare { var, value }));
            }
            Value::Select(m, a, b) => {
                let values = [a, b].map(|v| self.expr(v));
                self.one_of_two(id, self.tests(m, true), values, out);
            }
        }
    }

    /// A local that is the first where all tests hold, else the second.
    fn one_of_two(&mut self, id: Id, tests: Vec<Test>, values: [Expr; 2], out: &mut Vec<Stmt>) {
        let var = self.local(id);
        self.locals[id.0 as usize] = Some(var);
        let [body, otherwise] =
            values.map(|value| vec![Stmt::Leaf(Leaf::Assign { target: Place { var, at: vec![] }, value })]);
        out.push(Stmt::Leaf(Leaf::Declare { var, value: Expr::Number(0.0) }));
        out.push(Stmt::If { tests, body, otherwise });
    }

    /// A value by its local, where it has one.
    fn expr(&self, id: Id) -> Expr {
        match self.locals[id.0 as usize] {
            Some(var) => Expr::Read(Place { var, at: vec![] }),
            None => self.computed(id),
        }
    }

    fn computed(&self, id: Id) -> Expr {
        let boxed = |a: Id| Box::new(self.expr(a));
        match self.graph.of(id) {
            Value::Number(bits) => Expr::Number(f64::from_bits(*bits)),
            Value::Constant(path) => Expr::Constant(path.clone()),
            Value::OfIndex(a) => Expr::OfIndex(a.clone()),
            Value::Read(v, at) => Expr::Read(Place { var: VarId(*v), at: at.clone() }),
            Value::Neg(a) => Expr::Neg(boxed(*a)),
            // What is fused, or taken away, stands second.
            Value::Add(a, b) if self.inside[a.0 as usize] => Expr::Add(boxed(*b), boxed(*a)),
            Value::Add(a, b) => Expr::Add(boxed(*a), boxed(*b)),
            Value::Mul(a, b) => Expr::Mul(boxed(*a), boxed(*b)),
            Value::Call(f, args) => Expr::Call(f.clone(), args.iter().map(|a| self.expr(*a)).collect()),
            // Each has a local.
            Value::Select(_, a, _) => self.expr(*a),
        }
    }

    /// What holds where a truth value is `holds`.
    fn tests(&self, m: MaskId, holds: bool) -> Vec<Test> {
        match (self.graph.of_mask(m), holds) {
            (Mask::Index(c), true) => vec![Test::Index(c.clone())],
            (Mask::Index(c), false) => negated(c),
            (Mask::Compare(op, a, b), _) => vec![Test::Real {
                op: *op,
                left: Box::new(self.expr(*a)),
                right: Box::new(self.expr(*b)),
                holds,
            }],
            (Mask::Not(m), _) => self.tests(*m, !holds),
            (Mask::All(all), true) | (Mask::Any(all), false) => {
                all.iter().flat_map(|m| self.tests(*m, holds)).collect()
            }
            (Mask::Any(all), true) | (Mask::All(all), false) => {
                vec![Test::Any(all.iter().map(|m| self.tests(*m, holds)).collect())]
            }
        }
    }

    /// What stays as it is on one side of a test is not written there.
    fn store(&self, target: &Place, value: Id, out: &mut Vec<Stmt>) {
        let old = |v: &Value| matches!(v, Value::Read(var, at) if *var == target.var.0 && *at == target.at);
        match self.graph.of(value) {
            v if old(v) => {}
            Value::Select(m, a, b) if self.keeps(*a, &old) || self.keeps(*b, &old) => {
                let (mut body, mut otherwise) = (vec![], vec![]);
                self.store(target, *a, &mut body);
                self.store(target, *b, &mut otherwise);
                let tests = self.tests(*m, true);
                match (body.is_empty(), otherwise.is_empty()) {
                    (true, true) => {}
                    (true, false) if tests.len() == 1 || !matches!(self.graph.of_mask(*m), Mask::All(_)) => {
                        out.push(Stmt::If {
                            tests: self.tests(*m, false),
                            body: otherwise,
                            otherwise: vec![],
                        });
                    }
                    _ => out.push(Stmt::If { tests, body, otherwise }),
                }
            }
            Value::Number(_)
            | Value::Constant(_)
            | Value::OfIndex(_)
            | Value::Read(..)
            | Value::Neg(_)
            | Value::Add(..)
            | Value::Mul(..)
            | Value::Call(..)
            | Value::Select(..) => {
                out.push(Stmt::Leaf(Leaf::Assign { target: target.clone(), value: self.expr(value) }))
            }
        }
    }

    /// Whether what was there stays on one of the ways through these selections.
    fn keeps(&self, value: Id, old: &dyn Fn(&Value) -> bool) -> bool {
        match self.graph.of(value) {
            Value::Select(_, a, b) => self.keeps(*a, old) || self.keeps(*b, old),
            v => old(v),
        }
    }
}

/// Where a condition does not hold.
fn negated(c: &Cond) -> Vec<Test> {
    let conjunction = |p: Pred| p.into_iter().map(Test::Index).collect::<Vec<Test>>();
    let mut ways: Vec<Vec<Test>> = c.negate().into_iter().map(conjunction).collect();
    if ways.len() == 1 { ways.remove(0) } else { vec![Test::Any(ways)] }
}

/// Which values differ from lane to lane.
fn differing(graph: &Graph, lane: Index) -> Vec<bool> {
    let atom = lane.atom();
    let mut out: Vec<bool> = vec![];
    let mut masks: Vec<Option<bool>> = vec![None; graph.masks.len()];
    for v in &graph.values {
        let of = |id: &Id| out[id.0 as usize];
        out.push(match v {
            Value::Number(_) | Value::Constant(_) => false,
            Value::OfIndex(a) => a.mentions(&atom),
            Value::Read(_, at) => at.iter().any(|a| a.mentions(&atom)),
            Value::Neg(a) => of(a),
            Value::Add(a, b) | Value::Mul(a, b) => of(a) || of(b),
            Value::Call(f, args) => {
                let mut decides = false;
                let _ = map_prim(f, &mut |a| {
                    decides |= a.mentions(&atom);
                    a.clone()
                });
                decides || args.iter().any(of)
            }
            Value::Select(m, a, b) => {
                let of_mask = differing_mask(graph, *m, &out, &mut masks);
                of(a) || of(b) || of_mask
            }
        });
    }
    out
}

fn differing_mask(graph: &Graph, m: MaskId, values: &[bool], known: &mut [Option<bool>]) -> bool {
    if let Some(differs) = known[m.0 as usize] {
        return differs;
    }
    let differs = match graph.of_mask(m) {
        Mask::Index(_) => false,
        Mask::Compare(_, a, b) => values[a.0 as usize] || values[b.0 as usize],
        Mask::Not(m) => differing_mask(graph, *m, values, known),
        Mask::All(all) | Mask::Any(all) => all.iter().any(|m| differing_mask(graph, *m, values, known)),
    };
    known[m.0 as usize] = Some(differs);
    differs
}

/// The numbers that a truth value compares, each once.
fn operands(graph: &Graph, m: MaskId, seen: &mut [bool], out: &mut Vec<Id>) {
    if std::mem::replace(&mut seen[m.0 as usize], true) {
        return;
    }
    match graph.of_mask(m) {
        Mask::Index(_) => {}
        Mask::Compare(_, a, b) => out.extend([*a, *b]),
        Mask::Not(m) => operands(graph, *m, seen, out),
        Mask::All(all) | Mask::Any(all) => all.iter().for_each(|m| operands(graph, *m, seen, out)),
    }
}
