//! Questions about predicates: emptiness, entailment, simplification, disjoint splitting.

use super::affine::{Affine, Atom, product};
use super::omega::{self, Answer, BIG, R, Stop, Sys, Work};
use super::pred::{Cond, Pred, complement};
use std::collections::BTreeMap;

/// What is known of atoms beside the predicates: that sizes are not negative is always known; elements of index arrays lie in
/// their ranges.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// By the id of `Atom::Element`; of an array without a range nothing is known.
    pub ranges: BTreeMap<u32, Range>,
}

/// `lower <= idx[formals] < upper`
///
/// A range over sizes alone is a fact wherever an element is spoken of, so it must not be empty where one is evaluated. A
/// range that depends on the arguments is a fact only where it is not empty: a guard that keeps the arguments inside stays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// `Atom::Index` ids, used for nothing else, that stand for the arguments in the bounds.
    pub formals: Vec<u32>,
    /// The least value.
    pub lower: Affine,
    /// The end of the values.
    pub upper: Affine,
}

impl Range {
    /// `0 <= idx[..] < extent`
    #[must_use]
    pub fn below(extent: Affine) -> Range {
        Range { formals: vec![], lower: Affine::zero(), upper: extent }
    }
    /// The bounds for these arguments.
    #[must_use]
    pub fn at(&self, args: &[Affine]) -> Option<(Affine, Affine)> {
        let argument = |a: &Atom| match a {
            Atom::Index(k) => self.formals.iter().position(|f| f == k).and_then(|p| args.get(p)).cloned(),
            Atom::Size(_) | Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => None,
        };
        Some((self.lower.rename(&argument)?, self.upper.rename(&argument)?))
    }
    fn depends_on_arguments(&self) -> bool {
        let formal = |a: &Atom| matches!(a, Atom::Index(k) if self.formals.contains(k));
        self.lower.any_atom(&formal) || self.upper.any_atom(&formal)
    }
}

/// Atoms as columns, in the order of atoms; after them one column for each quotient of a residue.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    pub atoms: Vec<Atom>,
    pub quotients: usize,
}
type Row = Vec<i64>;

#[derive(Clone, Debug)]
pub enum Lit {
    Zero(Row),
    NonNeg(Row),
    Residue(Row, i64, usize),
    NonResidue(Row, i64, usize),
    Opaque { id: u32, args: Vec<Row>, holds: bool },
    Any(Vec<Vec<Lit>>),
}

impl Columns {
    pub fn of(preds: &[&[Cond]], facts: &Facts) -> Columns {
        let mut c = Columns::default();
        for cond in preds.iter().copied().flatten() {
            c.cond(cond, facts);
        }
        c
    }
    fn cond(&mut self, c: &Cond, facts: &Facts) {
        match c {
            Cond::Zero(a) | Cond::NonZero(a) | Cond::NonNeg(a) => self.affine(a, facts),
            // One for the condition and one for its negation, asked about.
            Cond::Residue(a, _) | Cond::NonResidue(a, _) => {
                self.quotients += 2;
                self.affine(a, facts);
            }
            Cond::Opaque { args, .. } => args.iter().for_each(|a| self.affine(a, facts)),
            Cond::Any(ps) => ps.iter().flatten().for_each(|c| self.cond(c, facts)),
        }
    }
    pub fn affine(&mut self, a: &Affine, facts: &Facts) {
        for (t, _) in &a.terms {
            let Err(at) = self.atoms.binary_search(t) else { continue };
            self.atoms.insert(at, t.clone());
            match t {
                Atom::Size(_) | Atom::Index(_) => {}
                Atom::Floor(e, _) => self.affine(e, facts),
                Atom::Element(id, args) => {
                    args.iter().for_each(|e| self.affine(e, facts));
                    if let Some((lower, upper)) = facts.ranges.get(id).and_then(|r| r.at(args)) {
                        self.affine(&lower, facts);
                        self.affine(&upper, facts);
                    }
                }
                Atom::Product(fs) => fs.iter().for_each(|f| self.affine(&f.clone().into(), facts)),
            }
        }
    }
    pub fn n(&self) -> usize {
        self.atoms.len() + self.quotients
    }
    pub fn row(&self, a: &Affine) -> Row {
        let mut row = vec![];
        self.fill(&mut row, a);
        row
    }
    pub fn fill(&self, row: &mut Row, a: &Affine) {
        let n = self.n();
        row.clear();
        row.resize(n + 1, 0);
        // Both are sorted.
        let mut k = 0;
        for (t, c) in &a.terms {
            while self.atoms[k] != *t {
                k += 1;
            }
            row[k] = *c;
        }
        row[n] = a.constant;
    }
    pub fn affine_of(&self, row: &[i64]) -> Affine {
        let terms =
            self.atoms.iter().zip(row).filter(|(_, c)| **c != 0).map(|(a, c)| (a.clone(), *c)).collect();
        Affine { terms, constant: row[self.n()] }
    }
    fn lits(&self, p: &[Cond], quotient: &mut usize) -> Vec<Lit> {
        let mut out = vec![];
        for c in p {
            if let Cond::Residue(..) | Cond::NonResidue(..) = c {
                *quotient += 1;
            }
            let col = (self.atoms.len() + *quotient).saturating_sub(1);
            out.push(match c {
                Cond::Zero(a) => Lit::Zero(self.row(a)),
                Cond::NonNeg(a) => Lit::NonNeg(self.row(a)),
                Cond::NonZero(a) => {
                    let n = self.n();
                    let mut up = self.row(a);
                    let mut down: Row = up.iter().map(|x| -x).collect();
                    up[n] -= 1;
                    down[n] -= 1;
                    Lit::Any(vec![vec![Lit::NonNeg(up)], vec![Lit::NonNeg(down)]])
                }
                Cond::Residue(a, k) => Lit::Residue(self.row(a), *k, col),
                Cond::NonResidue(a, k) => Lit::NonResidue(self.row(a), *k, col),
                Cond::Opaque { id, args, holds } => {
                    Lit::Opaque { id: *id, args: args.iter().map(|a| self.row(a)).collect(), holds: *holds }
                }
                Cond::Any(ps) => Lit::Any(ps.iter().map(|p| self.lits(p, quotient)).collect()),
            });
        }
        out
    }
}

/// A search node: rows, clauses not yet decided, opaque literals.
#[derive(Clone, Debug)]
struct Node {
    sys: Sys,
    clauses: Vec<Vec<Vec<Lit>>>,
    opaque: Vec<(u32, Vec<Row>, bool)>,
}

impl Node {
    fn new(n: usize) -> Node {
        Node { sys: Sys::new(n), clauses: vec![], opaque: vec![] }
    }
    fn assume(&mut self, cols: &Columns, p: &[Cond], quotient: &mut usize) -> R<()> {
        let mut row = vec![];
        for c in p {
            match c {
                Cond::NonNeg(a) => {
                    cols.fill(&mut row, a);
                    self.sys.push_ge(&mut row)?;
                }
                Cond::Zero(a) => {
                    cols.fill(&mut row, a);
                    self.sys.push_eq(&mut row)?;
                }
                c => {
                    for lit in cols.lits(std::slice::from_ref(c), quotient) {
                        self.add(lit)?;
                    }
                }
            }
        }
        Ok(())
    }
    fn add(&mut self, lit: Lit) -> R<()> {
        match lit {
            Lit::Zero(mut r) => self.sys.push_eq(&mut r),
            Lit::NonNeg(mut r) => self.sys.push_ge(&mut r),
            Lit::Residue(mut r, k, col) => {
                r[col] = -k;
                self.sys.push_eq(&mut r)
            }
            Lit::NonResidue(r, k, col) => {
                // 1 <= a - k q <= k - 1
                let n = self.sys.n;
                let mut lo = r;
                lo[col] = -k;
                let mut hi: Row = lo.iter().map(|c| -c).collect();
                lo[n] -= 1;
                hi[n] += k - 1;
                self.sys.push_ge(&mut lo)?;
                self.sys.push_ge(&mut hi)
            }
            Lit::Opaque { id, args, holds } => {
                self.opaque.push((id, args, holds));
                Ok(())
            }
            Lit::Any(alts) => {
                self.clauses.push(alts);
                Ok(())
            }
        }
    }
}

fn true_at(lit: &Lit, m: &[i64]) -> bool {
    match lit {
        Lit::Zero(r) => omega::eval(r, m) == 0,
        Lit::NonNeg(r) => omega::eval(r, m) >= 0,
        Lit::Residue(r, k, _) => omega::eval(r, m).rem_euclid(*k as i128) == 0,
        Lit::NonResidue(r, k, _) => omega::eval(r, m).rem_euclid(*k as i128) != 0,
        // Must be put among the opaque literals and compared with them.
        Lit::Opaque { .. } => false,
        Lit::Any(alts) => alts.iter().any(|p| p.iter().all(|l| true_at(l, m))),
    }
}

/// `a ≠ b` in some place, as alternatives.
fn differ(a: &[Row], b: &[Row]) -> Vec<Vec<Lit>> {
    let mut out = vec![];
    for (x, y) in a.iter().zip(b) {
        let mut up: Row = x.iter().zip(y).map(|(x, y)| x - y).collect();
        let mut down: Row = up.iter().map(|c| -c).collect();
        let n = up.len() - 1;
        up[n] -= 1;
        down[n] -= 1;
        out.push(vec![Lit::NonNeg(up)]);
        out.push(vec![Lit::NonNeg(down)]);
    }
    out
}

/// Clauses are split only where a model violates them.
fn search(mut node: Node, work: &mut Work) -> Answer {
    let m = match omega::solve(&node.sys, work) {
        Answer::Sat(m) => m,
        other => return other,
    };
    if node.clauses.is_empty() && node.opaque.len() < 2 {
        return Answer::Sat(m);
    }
    let violated = node.clauses.iter().position(|c| !c.iter().any(|p| p.iter().all(|l| true_at(l, &m))));
    let alts = match violated {
        Some(k) => node.clauses.remove(k),
        None => {
            // r[a] and ¬r[b] with a = b in this model: they must differ.
            let o = &node.opaque;
            let clash = (0..o.len()).find_map(|x| {
                (x + 1..o.len()).find_map(|y| {
                    let same = o[x].0 == o[y].0
                        && o[x].2 != o[y].2
                        && o[x].1.len() == o[y].1.len()
                        && o[x].1.iter().zip(&o[y].1).all(|(a, b)| omega::eval(a, &m) == omega::eval(b, &m));
                    same.then(|| differ(&o[x].1, &o[y].1))
                })
            });
            match clash {
                None => return Answer::Sat(m),
                Some(alts) => alts,
            }
        }
    };
    let mut unknown = false;
    for alt in alts {
        let mut child = node.clone();
        match alt.into_iter().try_for_each(|l| child.add(l)) {
            Err(Stop::Empty) => continue,
            Err(Stop::Unknown) => {
                unknown = true;
                continue;
            }
            Ok(()) => {}
        }
        match search(child, work) {
            Answer::Sat(m) => return Answer::Sat(m),
            Answer::Unknown => unknown = true,
            Answer::Empty => {}
        }
        if work.fuel < 0 {
            return Answer::Unknown;
        }
    }
    if unknown { Answer::Unknown } else { Answer::Empty }
}

/// Rows and clauses that hold of the atoms by what they are.
fn facts_of(cols: &Columns, facts: &Facts, node: &mut Node) -> R<()> {
    let row = |a: Affine| cols.row(&a);
    let mut elements: Vec<(&u32, &Vec<Affine>, Affine)> = vec![];
    let mut unit = vec![0; cols.n() + 1];
    for (at, atom) in cols.atoms.iter().enumerate() {
        match atom {
            Atom::Size(_) => {
                unit[at] = 1;
                node.sys.push_ge(&mut unit)?;
                unit[at] = 0;
            }
            Atom::Index(_) | Atom::Product(_) => {}
            Atom::Floor(e, k) => {
                let me = Affine::from(atom.clone());
                // 0 <= e - k q <= k - 1
                let rest = e.plus_scaled(-k, &me).ok_or(Stop::Unknown)?;
                node.sys.push_ge(&mut row(rest.clone()))?;
                let top = Affine::from(k - 1).plus_scaled(-1, &rest).ok_or(Stop::Unknown)?;
                node.sys.push_ge(&mut row(top))?;
            }
            Atom::Element(id, args) => {
                let me = Affine::from(atom.clone());
                if let Some(range) = facts.ranges.get(id) {
                    let (lower, upper) = range.at(args).ok_or(Stop::Unknown)?;
                    let above = me.minus(&lower).ok_or(Stop::Unknown)?;
                    let below = upper.minus(&me).ok_or(Stop::Unknown)?.step(-1);
                    let spare = upper.minus(&lower).ok_or(Stop::Unknown)?.step(-1);
                    if range.depends_on_arguments() && spare.as_constant().is_none_or(|c| c < 0) {
                        let inside = vec![Lit::NonNeg(row(above)), Lit::NonNeg(row(below))];
                        let empty = vec![Lit::NonNeg(row(spare.negated().step(-1)))];
                        node.clauses.push(vec![empty, inside]);
                    } else {
                        node.sys.push_ge(&mut row(above))?;
                        node.sys.push_ge(&mut row(below))?;
                    }
                }
                for (other, b, them) in &elements {
                    if *other == id {
                        // args equal → values equal
                        let ra: Vec<Row> = args.iter().map(|a| cols.row(a)).collect();
                        let rb: Vec<Row> = b.iter().map(|a| cols.row(a)).collect();
                        let mut alts = differ(&ra, &rb);
                        let d = me.plus_scaled(-1, them).ok_or(Stop::Unknown)?;
                        alts.push(vec![Lit::Zero(row(d))]);
                        node.clauses.push(alts);
                    }
                }
                elements.push((id, args, me));
            }
        }
    }
    Ok(())
}

/// `p ≥ 0, q ≥ 0 ⟹ p q ≥ 0`, for the linear conditions over the factors of the products that occur.
/// Products are looked for in `also` too, which is not assumed.
pub fn products(preds: &[&[Cond]], also: &[&[Cond]], facts: &Facts) -> Pred {
    fn has(a: &Affine) -> bool {
        a.terms.iter().any(|t| match &t.0 {
            Atom::Size(_) | Atom::Index(_) => false,
            Atom::Floor(e, _) => has(e),
            Atom::Element(_, args) => args.iter().any(has),
            Atom::Product(_) => true,
        })
    }
    let all: Vec<&[Cond]> = preds.iter().chain(also).copied().collect();
    if !all.iter().copied().flatten().any(|c| c.affines().into_iter().any(has))
        && !facts.ranges.values().any(|r| has(&r.lower) || has(&r.upper))
    {
        return vec![];
    }
    let cols = Columns::of(&all, facts);
    let mut factors: Vec<Atom> = vec![];
    for a in &cols.atoms {
        if let Atom::Product(fs) = a {
            for f in fs {
                if let Err(at) = factors.binary_search(f) {
                    factors.insert(at, f.clone());
                }
            }
        }
    }
    if factors.is_empty() {
        return vec![];
    }
    // What the linear conditions say of the factors alone.
    let linear: Pred = preds
        .iter()
        .copied()
        .flatten()
        .filter(|c| matches!(c, Cond::NonNeg(_) | Cond::Zero(_)))
        .filter(|c| !c.affines()[0].terms.iter().any(|t| matches!(t.0, Atom::Product(_) | Atom::Floor(..))))
        .cloned()
        .collect();
    let mut linear_cols = Columns::of(&[&linear], facts);
    factors.iter().for_each(|f| linear_cols.affine(&f.clone().into(), facts));
    let wanted: Vec<bool> =
        (0..linear_cols.n()).map(|k| linear_cols.atoms.get(k).is_none_or(|a| !factors.contains(a))).collect();
    let Ok(sys) = facts_rows(&linear_cols, &[&linear], facts) else { return vec![] };
    let Ok((piece, _)) = super::project::shadow(sys, &wanted, &mut Work::default()) else { return vec![] };
    let mut rows: Vec<Affine> = piece.sys.ges().map(|r| linear_cols.affine_of(r)).collect();
    let mut out = vec![];
    for r in piece.sys.eqs() {
        for f in &factors {
            out.extend(product(&linear_cols.affine_of(r), &f.clone().into()).map(Cond::Zero));
        }
    }
    out.extend(rows.iter().cloned().map(Cond::NonNeg));
    rows.truncate(8);
    for (k, a) in rows.iter().enumerate() {
        for b in &rows[k..] {
            out.extend(product(a, b).map(Cond::NonNeg));
        }
    }
    // x (x - 1) >= 0 over the integers
    for f in &factors {
        let x = Affine::from(f.clone());
        out.extend(product(&x, &x).and_then(|s| s.plus_scaled(-1, &x)).map(Cond::NonNeg));
    }
    out
}

/// The rows of the convex part of `preds`, with facts: what is opaque, or a union, is left out.
pub fn facts_rows(cols: &Columns, preds: &[&[Cond]], facts: &Facts) -> R<Sys> {
    let mut node = Node::new(cols.n());
    facts_of(cols, facts, &mut node)?;
    let mut q = 0;
    for p in preds {
        node.assume(cols, p, &mut q)?;
    }
    Ok(node.sys)
}

/// A point of the conjunction of `preds`, if there is one: values of `atoms`.
pub struct Model {
    pub atoms: Vec<Atom>,
    pub values: Vec<i64>,
}
impl Model {
    pub fn get(&self, a: &Atom) -> Option<i64> {
        self.atoms.binary_search(a).ok().map(|k| self.values[k])
    }
}
pub enum Found {
    None,
    Some(Model),
    Unknown,
}

/// How questions were answered, for measurements.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub by_model: u64,
    pub by_proof: u64,
    pub by_omega: u64,
}
pub static TALLY: [std::sync::atomic::AtomicU64; 4] = [const { std::sync::atomic::AtomicU64::new(0) }; 4];
fn tally(k: usize) {
    TALLY[k].fetch_add(1, std::sync::atomic::Ordering::Relaxed);
}

/// A conjunction made ready for many questions, with the points of it that were met on the way.
pub struct Context {
    cols: Columns,
    /// The first quotient column that the conjunction itself does not use.
    quotient: usize,
    node: R<Node>,
    models: Vec<Vec<i64>>,
}

impl Context {
    /// `preds` are assumed; `also` may be asked about.
    pub fn new(preds: &[&[Cond]], also: &[&[Cond]], facts: &Facts) -> Context {
        let extra = products(preds, also, facts);
        let mut all: Vec<&[Cond]> = preds.to_vec();
        all.extend(also);
        all.push(&extra);
        let cols = Columns::of(&all, facts);
        let mut quotient = 0;
        let mut node = Node::new(cols.n());
        let built = facts_of(&cols, facts, &mut node)
            .and_then(|()| preds.iter().try_for_each(|p| node.assume(&cols, p, &mut quotient)))
            .and_then(|()| node.assume(&cols, &extra, &mut quotient));
        Context { cols, quotient, node: built.map(|()| node), models: vec![] }
    }
    /// The node with more conditions, for `ask`.
    fn and(&self, p: &[Cond]) -> (R<Node>, usize) {
        let mut q = self.quotient;
        let node = self.node.clone().and_then(|mut n| n.assume(&self.cols, p, &mut q).map(|()| n));
        (node, q)
    }
    /// A point where `alt` holds too.
    fn with(&mut self, alt: &[Cond], work: &mut Work) -> Answer {
        let r = match self.and(alt).0 {
            Ok(node) => search(node, work),
            Err(Stop::Empty) => Answer::Empty,
            Err(Stop::Unknown) => Answer::Unknown,
        };
        if let Answer::Sat(m) = &r {
            self.models.push(m.clone());
        }
        r
    }
    pub fn model(&mut self, work: &mut Work) -> Found {
        match self.with(&[], work) {
            Answer::Empty => Found::None,
            Answer::Unknown => Found::Unknown,
            Answer::Sat(mut m) => {
                m.truncate(self.cols.atoms.len());
                Found::Some(Model { atoms: self.cols.atoms.clone(), values: m })
            }
        }
    }
    pub fn is_empty(&mut self, work: &mut Work) -> bool {
        self.models.is_empty() && matches!(self.with(&[], work), Answer::Empty)
    }
    /// `true` only if every point satisfies `c`, one of those announced as `also`.
    pub fn entails(&mut self, c: &Cond, work: &mut Work) -> bool {
        match &self.node {
            Err(Stop::Empty) => true,
            Err(Stop::Unknown) => false,
            Ok(node) => ask(&self.cols, node, self.quotient, &mut self.models, c, work),
        }
    }
    /// The same where `p` holds too.
    pub fn entails_with(&mut self, p: &[Cond], c: &Cond, work: &mut Work) -> bool {
        // A known point where p holds and c fails.
        let refutes = |m: &Vec<i64>| {
            truth(&self.cols, c, m) == Some(false) && p.iter().all(|d| truth(&self.cols, d, m) == Some(true))
        };
        if self.models.iter().any(refutes) {
            tally(0);
            return false;
        }
        let (node, q) = self.and(p);
        match node {
            Err(Stop::Empty) => true,
            Err(Stop::Unknown) => false,
            Ok(node) => {
                let mut models: Vec<Vec<i64>> = self
                    .models
                    .iter()
                    .filter(|m| p.iter().all(|d| truth(&self.cols, d, m) == Some(true)))
                    .cloned()
                    .collect();
                let known = models.len();
                let r = ask(&self.cols, &node, q, &mut models, c, work);
                self.models.extend(models.drain(known..));
                r
            }
        }
    }
}

/// The truth of `c` at a model, where it can be seen there.
fn truth(cols: &Columns, c: &Cond, m: &[i64]) -> Option<bool> {
    let value = |a: &Affine| -> i128 {
        let mut v = a.constant as i128;
        let mut k = 0;
        for (t, c) in &a.terms {
            while cols.atoms[k] != *t {
                k += 1;
            }
            v += *c as i128 * m[k] as i128;
        }
        v
    };
    Some(match c {
        Cond::Zero(a) => value(a) == 0,
        Cond::NonZero(a) => value(a) != 0,
        Cond::NonNeg(a) => value(a) >= 0,
        Cond::Residue(a, k) => value(a).rem_euclid(*k as i128) == 0,
        Cond::NonResidue(a, k) => value(a).rem_euclid(*k as i128) != 0,
        Cond::Opaque { .. } | Cond::Any(_) => return None,
    })
}

/// Does `node` entail `c`? A known point that refutes it, a known point moved so that it does, a proof by bounds,
/// and only then the solver.
fn ask(
    cols: &Columns,
    node: &Node,
    quotient: usize,
    models: &mut Vec<Vec<i64>>,
    c: &Cond,
    work: &mut Work,
) -> bool {
    if models.iter().any(|m| truth(cols, c, m) == Some(false)) {
        tally(0);
        return false;
    }
    let n = cols.n();
    let mut row = vec![];
    let mut rows: [Option<(i64, i64)>; 2] = [None, None];
    let a = match c {
        Cond::NonNeg(a) => {
            rows[0] = Some((1, 0));
            a
        }
        Cond::Zero(a) => {
            rows = [Some((1, 0)), Some((-1, 0))];
            a
        }
        Cond::NonZero(a) => {
            rows = [Some((1, 1)), Some((-1, 1))];
            a
        }
        Cond::Residue(..) | Cond::NonResidue(..) | Cond::Opaque { .. } | Cond::Any(_) => &Affine::from(0),
    };
    let mut proved = 0;
    for (sign, minus) in rows.into_iter().flatten() {
        cols.fill(&mut row, a);
        for x in &mut row {
            *x *= sign;
        }
        row[n] -= minus;
        if omega::prove(&node.sys, &row, &mut 24) {
            proved += 1;
        } else if minus == 0
            && let Some(m) = nudge(node, models, &row)
        {
            tally(0);
            models.push(m);
            return false;
        }
    }
    let needed = match c {
        Cond::NonNeg(_) | Cond::NonZero(_) => 1,
        Cond::Zero(_) => 2,
        Cond::Residue(..) | Cond::NonResidue(..) | Cond::Opaque { .. } | Cond::Any(_) => 3,
    };
    if proved >= needed {
        tally(1);
        return true;
    }
    tally(2);
    for alt in c.negate() {
        let mut q = quotient;
        let mut node = node.clone();
        match node.assume(cols, &alt, &mut q) {
            Err(Stop::Empty) => continue,
            Err(Stop::Unknown) => return false,
            Ok(()) => {}
        }
        match search(node, work) {
            Answer::Empty => {}
            Answer::Unknown => return false,
            Answer::Sat(m) => {
                models.push(m);
                return false;
            }
        }
    }
    true
}

/// A known point moved along one column, or along one column and back along another, until `goal < 0`.
fn nudge(node: &Node, models: &[Vec<i64>], goal: &[i64]) -> Option<Vec<i64>> {
    if !node.clauses.is_empty() || node.opaque.len() > 1 {
        return None;
    }
    let n = node.sys.n;
    for m in models.iter().rev().take(3) {
        let v = i64::try_from(omega::eval(goal, m)).ok()?;
        for k in 0..n {
            let c = goal[k];
            if c == 0 || v < 0 {
                continue;
            }
            let d = v / c.abs() + 1;
            let mut m = m.clone();
            m[k] = m[k].checked_sub(d.checked_mul(c.signum())?)?;
            if m[k].abs() < BIG && node.sys.holds(&m) {
                return Some(m);
            }
        }
    }
    None
}

pub fn model(preds: &[&[Cond]], facts: &Facts, work: &mut Work) -> Found {
    Context::new(preds, &[], facts).model(work)
}

/// `true` only if no point satisfies all of `preds`.
pub fn is_empty(preds: &[&[Cond]], facts: &Facts, work: &mut Work) -> bool {
    Context::new(preds, &[], facts).is_empty(work)
}

/// `p ⊨ c` by looking: the same condition, or the same linear part with a smaller constant.
fn obvious(p: &[Cond], c: &Cond) -> bool {
    match c {
        Cond::NonNeg(a) => {
            (a.constant >= 0 && a.terms.iter().all(|t| matches!(t.0, Atom::Size(_)) && t.1 > 0))
                || p.iter().any(|d| match d {
                    Cond::NonNeg(b) => b.constant <= a.constant && b.terms == a.terms,
                    Cond::Zero(b) => b.constant <= a.constant && b.terms == a.terms,
                    _ => false,
                })
        }
        Cond::Residue(a, k) => a.constant % k == 0 && a.terms.iter().all(|t| t.1 % k == 0) || p.contains(c),
        Cond::Any(ps) => ps.iter().any(|q| q.iter().all(|c| obvious(p, c))) || p.contains(c),
        Cond::Zero(_) | Cond::NonZero(_) | Cond::NonResidue(..) | Cond::Opaque { .. } => p.contains(c),
    }
}

/// `true` only if every point of `p` satisfies `c`.
pub fn entails_cond(p: &[&[Cond]], c: &Cond, facts: &Facts, work: &mut Work) -> bool {
    p.iter().any(|p| obvious(p, c)) || Context::new(p, &[std::slice::from_ref(c)], facts).entails(c, work)
}
pub fn entails(p: &[Cond], q: &[Cond], facts: &Facts, work: &mut Work) -> bool {
    let mut context = None;
    q.iter().all(|c| {
        obvious(p, c) || context.get_or_insert_with(|| Context::new(&[p], &[q], facts)).entails(c, work)
    })
}

/// Defined wherever its indices are: no element of an array is read.
fn is_total(c: &Cond) -> bool {
    fn total(a: &Affine) -> bool {
        a.terms.iter().all(|t| match &t.0 {
            Atom::Size(_) | Atom::Index(_) => true,
            Atom::Floor(e, _) => total(e),
            Atom::Element(..) => false,
            Atom::Product(fs) => fs.iter().all(|f| total(&f.clone().into())),
        })
    }
    match c {
        Cond::Opaque { .. } => false,
        Cond::Any(ps) => ps.iter().flatten().all(is_total),
        c => c.affines().into_iter().all(total),
    }
}

/// `p` without what `given` and the rest of `p` entail: `given ∧ gist = given ∧ p`. `None` where that is empty.
pub fn gist(p: &[Cond], given: &[Cond], facts: &Facts, work: &mut Work) -> Option<Pred> {
    if p.is_empty() {
        return Some(vec![]);
    }
    let mut context = Context::new(&[given], &[p], facts);
    if matches!(context.with(p, work), Answer::Empty) {
        return None;
    }
    let mut rest: Pred = vec![];
    for c in p {
        if !obvious(given, c) && !context.entails(c, work) {
            rest.push(c.clone());
        }
    }
    // The last first: earlier conditions are what later ones may need to be defined.
    for k in (0..rest.len()).rev() {
        if rest.len() == 1 {
            break;
        }
        let c = rest.remove(k);
        let others: Pred =
            rest.iter().enumerate().filter(|(j, d)| *j < k || is_total(d)).map(|(_, d)| d.clone()).collect();
        if !obvious(&others, &c) && !context.entails_with(&others, &c, work) {
            rest.insert(k, c);
        }
    }
    // a ≠ 0 at the edge of a range is a shorter range.
    for k in 0..rest.len() {
        if let Cond::NonZero(a) = &rest[k] {
            for mut a in [a.clone(), a.scale(-1).unwrap()] {
                if context.entails_with(&rest, &Cond::NonNeg(a.clone()), work) {
                    a.constant -= 1;
                    rest[k] = Cond::NonNeg(a);
                    return gist(&rest, given, facts, work);
                }
            }
        }
    }
    // Two opposite inequalities are an equality.
    for k in (0..rest.len()).rev() {
        if rest.len() < 2 {
            break;
        }
        if let Cond::NonNeg(a) = &rest[k] {
            let minus = Cond::NonNeg(a.scale(-1).unwrap());
            if context.entails_with(&rest, &minus, work) {
                let a = a.clone();
                rest.retain(|c| *c != minus);
                let k = rest.iter().position(|c| *c == Cond::NonNeg(a.clone())).unwrap();
                rest[k] = Cond::Zero(a);
                return gist(&rest, given, facts, work);
            }
        }
    }
    Some(rest)
}

/// `p ∧ ¬q` as disjoint pieces, none empty as far as can be told.
pub fn subtract(p: &Pred, q: &Pred, given: &[Cond], facts: &Facts, work: &mut Work) -> Vec<Pred> {
    let mut ctx = given.to_vec();
    ctx.extend(p.iter().cloned());
    let Some(q) = gist(q, &ctx, facts, work) else { return vec![p.clone()] };
    let mut out = vec![];
    for alt in complement(&q) {
        let mut r = p.clone();
        r.extend(alt);
        if let Some(r) = gist(&r, given, facts, work) {
            out.push(r);
        }
    }
    out
}

/// `p1 ∨ p2 ∨ …` as disjoint pieces: `p1, p2 ¬p1, …`.
pub fn disjoint(ps: &[Pred], given: &[Cond], facts: &Facts, work: &mut Work) -> Vec<Pred> {
    let mut out: Vec<Pred> = vec![];
    for (k, p) in ps.iter().enumerate() {
        let mut pieces: Vec<Pred> = gist(p, given, facts, work).into_iter().collect();
        for q in &ps[..k] {
            pieces = pieces.iter().flat_map(|p| subtract(p, q, given, facts, work)).collect();
        }
        out.extend(pieces);
    }
    out
}

/// One conjunction for `p ∨ q`, if there is a simple one: what each entails of the other's conditions,
/// and perhaps one hole `a ≠ 0` between them.
pub fn coalesce(p: &Pred, q: &Pred, given: &[Cond], facts: &Facts, work: &mut Work) -> Option<Pred> {
    let split = |p: &Pred| -> Pred {
        p.iter()
            .flat_map(|c| match c {
                Cond::Zero(a) => vec![Cond::NonNeg(a.clone()), Cond::NonNeg(a.scale(-1).unwrap())],
                c => vec![c.clone()],
            })
            .collect()
    };
    let (sp, sq) = (split(p), split(q));
    let mut hull: Pred = vec![];
    for c in &sp {
        if entails_cond(&[given, q], c, facts, work) && !hull.contains(c) {
            hull.push(c.clone());
        }
    }
    for c in &sq {
        if entails_cond(&[given, p], c, facts, work) && !hull.contains(c) {
            hull.push(c.clone());
        }
    }
    let covered = |hull: &Pred, work: &mut Work| {
        let nots = [Cond::Any(complement(p)), Cond::Any(complement(q))];
        is_empty(&[given, hull, &nots], facts, work)
    };
    if covered(&hull, work) {
        return gist(&hull, given, facts, work);
    }
    // A hole one wide: `a <= -1` in one, `a >= 1` in the other.
    for (x, other) in sp.iter().map(|c| (c, q)).chain(sq.iter().map(|c| (c, p))) {
        if let Cond::NonNeg(b) = x {
            // b >= 0 on this side; a = b + 1 >= 1; the other side must have a <= -1.
            let mut a = b.clone();
            a.constant += 1;
            let mut below = a.scale(-1)?;
            below.constant -= 1;
            if entails_cond(&[given, other], &Cond::NonNeg(below), facts, work) {
                let mut h = hull.clone();
                h.push(Cond::NonZero(a));
                if covered(&h, work) {
                    return gist(&h, given, facts, work);
                }
            }
        }
    }
    None
}
