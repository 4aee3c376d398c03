//! Tensor SSA, statement by statement.

mod rec;

use super::index::{Point, affine, affines, interval, pred};
use super::scalar::{constant, cost, prim, real};
use super::{Cost, Error, Tensor, for_each_index, length, offset};
use crate::index::{Affine, Atom, Cond};
use crate::prim::Prim;
use crate::sorted::Map;
use crate::ssa::{
    Access, ArrayId, ArrayKind, Call, Extreme, Function, Index, Rhs, Stmt, Target, Term, Whole,
};
use crate::weights;

/// What is said then.
pub const TOO_LONG: &str = "takes too long to evaluate";

/// The results of a function, and what they cost. Parameters of index kind do not exist yet: `args` are the real leaves.
///
/// # Errors
/// An argument has the wrong shape, an assumption does not hold, or something is read out of range.
pub fn run(f: &Function, sizes: &[i64], args: &[Tensor]) -> Result<(Vec<Tensor>, Cost), Error> {
    run_counted(f, sizes, args).map(|(results, counts)| (results, counts.cost))
}

/// What was counted of an evaluation.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    /// Its cost.
    pub cost: Cost,
    /// Comparisons of reals that guards ask, which are not in the cost.
    pub comparisons: Cost,
    /// What formulas cost beyond that as functions of their arguments. The partials of a function of k arguments cost k, each of them 1; but
    /// who differentiates them has k functions of k arguments.
    pub formulas: Cost,
    /// Elements that calls of Rust functions over tensors are given, as they would be read by sums.
    pub given: Cost,
    /// A number for how reals compared and for the places of extremes, in their order: where it differs, the value may have jumped.
    pub choices: u64,
}

/// Likewise, with all that is counted.
///
/// # Errors
/// As [`run`].
pub fn run_counted(f: &Function, sizes: &[i64], args: &[Tensor]) -> Result<(Vec<Tensor>, Counts), Error> {
    run_rounded(f, sizes, args, &|| 1.0)
}

/// Likewise, with sums of several terms times a factor near 1, which is asked for each: as if they were added in another order.
///
/// # Errors
/// As [`run`].
pub fn run_rounded(
    f: &Function,
    sizes: &[i64],
    args: &[Tensor],
    rounding: &dyn Fn() -> f64,
) -> Result<(Vec<Tensor>, Counts), Error> {
    let mut m = Machine {
        f,
        sizes,
        arrays: vec![None; f.arrays.len()],
        indices: vec![None; f.indices.len()],
        counts: Counts::default(),
        visited: 0,
        missing: Map::new(),
        rounding,
    };
    if !pred(&mut m, &f.assumptions)? {
        return Err(format!("the assumptions of {} do not hold", f.name));
    }
    if args.len() != f.params.len() {
        return Err(format!("{} arguments for {}", args.len(), f.params.len()));
    }
    for (p, a) in f.params.iter().zip(args) {
        let shape = m.shape(*p)?;
        if shape != a.shape || a.data.len() != shape.iter().product::<usize>() {
            return Err(format!("{} has shape {:?}, not {shape:?}", f.array(*p).name, a.shape));
        }
        m.arrays[p.0 as usize] = Some(a.clone());
    }
    for unit in f.units() {
        m.unit(&f.stmts[unit], &mut vec![])?;
    }
    let result = |r: &ArrayId| m.arrays[r.0 as usize].clone().ok_or_else(|| format!("{r:?} is not defined"));
    Ok((f.results.iter().map(result).collect::<Result<_, _>>()?, m.counts))
}

/// Indices of `ArgExtreme` are kept as numbers, exactly.
struct Machine<'a> {
    f: &'a Function,
    sizes: &'a [i64],
    arrays: Vec<Option<Tensor>>,
    indices: Vec<Option<i64>>,
    counts: Counts,
    /// Elements and iterations so far.
    visited: u64,
    /// Of the members of recs that run: which elements are yet to be computed.
    missing: Map<ArrayId, Vec<bool>>,
    rounding: &'a dyn Fn() -> f64,
}

impl Point for Machine<'_> {
    fn atom(&mut self, t: &Atom) -> Result<Option<i64>, Error> {
        match t {
            Atom::Size(k) => Ok(Some(*self.sizes.get(*k as usize).ok_or("an unknown size")?)),
            Atom::Index(i) => Ok(self.indices.get(*i as usize).copied().flatten()),
            Atom::Element(id, args) => {
                let value = self.read(&Access { array: ArrayId(*id), at: args.clone() })?;
                Ok(Some(value as i64))
            }
            Atom::Floor(..) | Atom::Product(_) => Err("not an atom of a point".into()),
        }
    }
    fn opaque(&mut self, id: u32, args: &[Affine]) -> Result<bool, Error> {
        let (op, left, right) = self.f.compared(id, args);
        self.counts.comparisons += 1;
        let (l, r) = (self.read(&left)?, self.read(&right)?);
        let holds = op.of(l, r);
        self.chosen(u64::from(holds));
        Ok(holds)
    }
}

impl Machine<'_> {
    fn shape(&mut self, a: ArrayId) -> Result<Vec<usize>, Error> {
        let f = self.f;
        Ok(affines(self, &f.array(a).extents)?.into_iter().map(length).collect())
    }

    fn read(&mut self, a: &Access) -> Result<f64, Error> {
        let at = affines(self, &a.at)?;
        let name = &self.f.array(a.array).name;
        let array =
            self.arrays[a.array.0 as usize].as_ref().ok_or_else(|| format!("{name} is not defined"))?;
        let at = offset(&array.shape, &at).map_err(|e| format!("{name}: {e}"))?;
        if self.missing.get(&a.array).is_some_and(|missing| missing[at]) {
            return Err(format!("{name}: element {at} is read before it is computed"));
        }
        Ok(array.data[at])
    }

    fn chosen(&mut self, what: u64) {
        // An odd number, so that each choice moves all bits above it.
        self.counts.choices =
            (self.counts.choices ^ what).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn visit(&mut self) -> Result<(), Error> {
        self.visited += 1;
        if self.visited > weights::verify::VISITS { Err(TOO_LONG.into()) } else { Ok(()) }
    }

    pub(super) fn set(&mut self, i: Index, value: Option<i64>) {
        self.indices[i.0 as usize] = value;
    }

    pub(super) fn stmt(&mut self, s: &Stmt) -> Result<(), Error> {
        let shape = self.shape(s.array)?;
        let mut data = vec![];
        if let Rhs::Call(call) = &s.rhs {
            self.arrays[s.array.0 as usize] = Some(self.call(s, call, shape)?);
            return Ok(());
        }
        for_each_index(&shape, &mut |at| {
            for (g, i) in s.gens.iter().zip(at) {
                self.set(*g, Some(*i));
            }
            self.visit()?;
            data.push(self.element(s)?);
            Ok(())
        })?;
        for g in &s.gens {
            self.set(*g, None);
        }
        self.arrays[s.array.0 as usize] = Some(Tensor { shape, data });
        Ok(())
    }

    fn element(&mut self, s: &Stmt) -> Result<f64, Error> {
        match &s.rhs {
            Rhs::Contract(terms) => self.contract(terms),
            Rhs::Prim { guard, prim: f, args } => {
                if pred(self, guard)? {
                    self.prim(f, args)
                } else {
                    Ok(0.0)
                }
            }
            Rhs::Extreme { op, over, guard, arg } => {
                let empty = if *op == Extreme::Max { f64::NEG_INFINITY } else { f64::INFINITY };
                let all = self.live(*over, guard, arg)?;
                let merge = |a: f64, b: f64| if *op == Extreme::Max { a.max(b) } else { a.min(b) };
                Ok(all.into_iter().map(|x| x.1).fold(empty, merge))
            }
            Rhs::ArgExtreme { op, over, guard, arg } => {
                let all = self.live(*over, guard, arg)?;
                let place = first_extreme(*op, &all);
                self.chosen(place.map_or(u64::MAX, |i| i.cast_unsigned()));
                match place {
                    Some(i) => Ok(real(i)),
                    None => self.least_index(s),
                }
            }
            Rhs::OfIndex(e) => Ok(real(affine(self, e)?)),
            Rhs::Call(_) => Err("an element of a call".into()),
            Rhs::Constant(path) => constant(path).ok_or_else(|| format!("`{path}` has no value here")),
        }
    }

    /// One part of a call, for each index of the batch.
    fn call(&mut self, s: &Stmt, call: &Call, shape: Vec<usize>) -> Result<Tensor, Error> {
        let Target::Function(k) = &call.target else {
            return Err("a derivative that was not declared".into());
        };
        let f = self.f;
        let path = &f.callees.get(*k).ok_or("a call of nothing")?.path;
        let mut shapes: Vec<Vec<usize>> = vec![];
        for extents in &call.results {
            shapes.push(affines(self, extents)?.into_iter().map(length).collect());
        }
        let batch = call.batch(&s.gens);
        let mut data = vec![];
        for_each_index(&shape[..batch], &mut |at| {
            for (g, i) in s.gens.iter().zip(at) {
                self.set(*g, Some(*i));
            }
            if !pred(self, &call.guard)? {
                let length = shape[batch..].iter().product();
                data.extend(std::iter::repeat_n(0.0, length));
                return Ok(());
            }
            let mut args = vec![];
            for a in &call.args {
                args.push(self.whole(a)?);
            }
            self.counts.given += args.iter().map(|a| a.data.len() as Cost).sum::<Cost>();
            let mut results = super::outer::call(path, &args, &shapes)?;
            data.append(&mut results[call.part].data);
            Ok(())
        })?;
        s.gens.iter().for_each(|g| self.set(*g, None));
        Ok(Tensor { shape, data })
    }

    /// All that an argument of a call reads.
    fn whole(&mut self, a: &Whole) -> Result<Tensor, Error> {
        let all = self.shape(a.access.array)?;
        let shape = all[all.len() - a.own.len()..].to_vec();
        let mut data = vec![];
        for_each_index(&shape, &mut |at| {
            for (g, i) in a.own.iter().zip(at) {
                self.set(*g, Some(*i));
            }
            data.push(self.read(&a.access)?);
            Ok(())
        })?;
        a.own.iter().for_each(|i| self.set(*i, None));
        Ok(Tensor { shape, data })
    }

    fn prim(&mut self, f: &Prim, args: &[Access]) -> Result<f64, Error> {
        let values = args.iter().map(|a| self.read(a)).collect::<Result<Vec<_>, _>>()?;
        self.counts.cost += cost(f, args.len());
        if matches!(f, Prim::Formula(_)) {
            self.counts.formulas += (args.len() as Cost).saturating_sub(1);
        }
        prim(f, &values, &mut |a| affine(self, a))
    }

    /// Where nothing is live, the least value.
    fn least_index(&mut self, s: &Stmt) -> Result<f64, Error> {
        let f = self.f;
        let ArrayKind::Index { formals, lower, .. } = &f.array(s.array).kind else {
            return Err("an array of indices is declared real".into());
        };
        for (formal, g) in formals.iter().zip(&s.gens) {
            let value = self.indices[g.0 as usize];
            self.set(*formal, value);
        }
        Ok(real(affine(self, lower)?))
    }

    /// The values of a reduction with their indices; one comparison less than there are.
    fn live(&mut self, over: Index, guard: &[Cond], arg: &Access) -> Result<Vec<(i64, f64)>, Error> {
        let mut out = vec![];
        self.points(&[over], guard, &mut |m| {
            let i = affine(m, &over.affine())?;
            out.push((i, m.read(arg)?));
            Ok(())
        })?;
        self.counts.cost += (out.len() as Cost).saturating_sub(1);
        Ok(out)
    }

    fn contract(&mut self, terms: &[Term]) -> Result<f64, Error> {
        let (mut sum, mut live) = (None, 0);
        for t in terms {
            let (mut inner, mut count) = (None, 0);
            self.points(&t.sums, &t.guard, &mut |m| {
                let mut product = None;
                for a in &t.factors {
                    let x = m.read(a)?;
                    product = Some(product.map_or(x, |p| p * x));
                }
                m.counts.cost += (t.factors.len() as Cost).saturating_sub(1);
                let product = product.unwrap_or(1.0);
                inner = Some(inner.map_or(product, |s| s + product));
                count += 1;
                Ok(())
            })?;
            live += count;
            let Some(inner) = inner else { continue };
            let is_unit = t.coeff.abs() == 1.0;
            self.counts.cost += Cost::from(!is_unit && !t.factors.is_empty());
            let term = if t.coeff == 1.0 { inner } else { t.coeff * inner };
            sum = Some(sum.map_or(term, |s| s + term));
        }
        self.counts.cost += Cost::saturating_sub(live, 1);
        let sum = sum.unwrap_or(0.0);
        Ok(if live > 1 { sum * (self.rounding)() } else { sum })
    }

    /// Every value of `indices` for which `guard` holds: in the order of the first index, then the next. Of those not yet fixed, the
    /// first whose ends are known goes first.
    fn points(
        &mut self,
        indices: &[Index],
        guard: &[Cond],
        visit: &mut dyn FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if indices.is_empty() {
            return if pred(self, guard)? { visit(self) } else { Ok(()) };
        }
        for (k, i) in indices.iter().enumerate() {
            let (Some(low), Some(high)) = interval(self, guard, &i.atom())? else { continue };
            let mut rest = indices.to_vec();
            rest.remove(k);
            for value in low..=high {
                self.set(*i, Some(value));
                self.visit()?;
                self.points(&rest, guard, visit)?;
            }
            self.set(*i, None);
            return Ok(());
        }
        Err(format!("no range for {indices:?} in {guard:?}"))
    }
}

/// The first index of an extreme; NaN only if there is nothing else.
pub(super) fn first_extreme(op: Extreme, all: &[(i64, f64)]) -> Option<i64> {
    let mut best: Option<(i64, f64)> = None;
    for (i, x) in all {
        let is_better = match best {
            None => true,
            Some((_, b)) if b.is_nan() => !x.is_nan(),
            Some((_, b)) => {
                if op == Extreme::Max {
                    *x > b
                } else {
                    *x < b
                }
            }
        };
        if is_better {
            best = Some((*i, *x));
        }
    }
    best.map(|b| b.0)
}
