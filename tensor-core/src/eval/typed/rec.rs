//! Recurrences: the times in their order. What an element reads must be there.

use super::super::index::affine;
use super::super::{Error, length, offset};
use super::value::Value;
use super::{Machine, TOO_LONG};
use crate::eval::index::pred;
use crate::typed::{Rec, Type};

impl Machine<'_> {
    /// The tensor, or the tuple of tensors.
    pub(super) fn rec(&mut self, r: &Rec) -> Result<Value, Error> {
        let mut times = vec![];
        for b in &r.binders {
            times.push(length(affine(self, &b.upper)? - affine(self, &b.lower)?));
        }
        for (var, element) in r.vars.iter().zip(r.elements()) {
            let mut shape = times.clone();
            if let Type::Array(extents, _) = element {
                shape.extend(self.shape(extents)?);
            }
            let missing = vec![Value::Missing; shape.iter().product()];
            self.vars.insert(*var, Value::Array(shape, missing));
        }
        self.steps(r, &times, &mut vec![])?;
        let mut all = r.vars.iter().map(|v| self.vars.remove(v).ok_or_else(|| "an unbound variable".into()));
        match r.vars.as_slice() {
            [_] => all.next().unwrap_or(Ok(Value::Missing)),
            _ => Ok(Value::Tuple(all.collect::<Result<_, Error>>()?)),
        }
    }

    /// The steps with these outer times.
    fn steps(&mut self, r: &Rec, times: &[usize], at: &mut Vec<i64>) -> Result<(), Error> {
        let k = at.len();
        let (Some(b), Some(n)) = (r.binders.get(k), times.get(k)) else { return self.step(r, times, at) };
        let lower = affine(self, &b.lower)?;
        for step in 0..*n {
            let step = if r.backward[k] { n - 1 - step } else { step };
            let step = i64::try_from(step).map_err(|e| e.to_string())?;
            self.indices.insert(b.index, lower + step);
            self.visited += 1;
            if self.visited > self.visits {
                return Err(TOO_LONG.into());
            }
            at.push(step);
            self.steps(r, times, at)?;
            at.pop();
        }
        Ok(())
    }

    fn step(&mut self, r: &Rec, times: &[usize], at: &[i64]) -> Result<(), Error> {
        let element = if pred(self, &r.guard)? { self.expr(&r.body)? } else { self.nothing(&r.body.ty)? };
        let parts = match (element, r.vars.as_slice()) {
            (Value::Tuple(parts), [_, _, ..]) => parts,
            (element, _) => vec![element],
        };
        let place = offset(times, at)?;
        for (var, part) in r.vars.iter().zip(parts) {
            let row = if let Value::Array(_, row) = part { row } else { vec![part] };
            let Some(Value::Array(_, data)) = self.vars.get_mut(var) else {
                return Err("not an array".into());
            };
            let start = place * row.len();
            data.get_mut(start..start + row.len())
                .ok_or("an element of another shape")?
                .clone_from_slice(&row);
        }
        Ok(())
    }
}
