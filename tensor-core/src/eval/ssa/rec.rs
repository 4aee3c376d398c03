//! Recs: times in their order, and at each the members in the order of the list.

use super::{Error, Machine, Tensor, for_each_index, offset};
use crate::ssa::{Function, Stmt};

/// The statements in order, those together that are in one rec within `depth` others.
fn parts<'s>(f: &Function, all: &'s [Stmt], depth: usize) -> Vec<&'s [Stmt]> {
    let rec = |s: &Stmt| f.recs_of(s).get(depth).copied();
    all.chunk_by(|a, b| rec(a).is_some() && rec(a) == rec(b)).collect()
}

impl Machine<'_> {
    /// A statement, or the statements of a rec, at the times of the recs around.
    pub(super) fn unit(&mut self, all: &[Stmt], times: &mut Vec<i64>) -> Result<(), Error> {
        let f = self.f;
        let Some(first) = all.first() else { return Ok(()) };
        let (depth, named) =
            (times.len(), |e, s: &Stmt| format!("in {}#{}: {e}", f.array(s.array).name, s.array.0));
        let recs = f.recs_of(first);
        let Some(rec) = recs.get(depth) else {
            return if depth == 0 { self.stmt(first) } else { self.member(first, times) }
                .map_err(|e| named(e, first));
        };
        let mut last = 0;
        for s in all {
            let shape = self.shape(s.array)?;
            if depth == 0 {
                let length = shape.iter().product();
                self.missing.insert(s.array, vec![true; length]);
                self.arrays[s.array.0 as usize] =
                    Some(Tensor { shape: shape.clone(), data: vec![0.0; length] });
            }
            let time =
                s.step.as_ref().and_then(|step| step.times.get(depth)).ok_or("a step without its time")?;
            let dim = s.gens.iter().position(|g| g == time).ok_or("a time that is no gen")?;
            last = last.max(shape[dim]);
        }
        for step in 0..last {
            let time = if f.rec(*rec).backward { last - 1 - step } else { step };
            times.push(i64::try_from(time).map_err(|e| e.to_string())?);
            for part in parts(f, all, depth + 1) {
                self.unit(part, times)?;
            }
            times.pop();
        }
        if depth == 0 {
            all.iter().for_each(|s| drop(self.missing.remove(&s.array)));
        }
        Ok(())
    }

    /// The elements of a member at its times.
    fn member(&mut self, s: &Stmt, times: &[i64]) -> Result<(), Error> {
        let shape = self.shape(s.array)?;
        let own = s.step.as_ref().map_or(&[][..], |step| &step.times);
        let time = |g: usize| own.iter().position(|t| *t == s.gens[g]).map(|k| times[k]);
        let free: Vec<usize> =
            (0..shape.len()).map(|g| if time(g).is_some() { 1 } else { shape[g] }).collect();
        let f = self.f;
        for_each_index(&free, &mut |at| {
            let at: Vec<i64> = at.iter().enumerate().map(|(g, i)| time(g).unwrap_or(*i)).collect();
            // Members may run for fewer steps than others.
            let Ok(place) = offset(&shape, &at) else { return Ok(()) };
            for (g, i) in s.gens.iter().zip(&at) {
                self.set(*g, Some(*i));
            }
            self.visit()?;
            let value = self.element(s)?;
            let array = self.arrays[s.array.0 as usize].as_mut().ok_or("a member without its array")?;
            array.data[place] = value;
            if let Some(missing) = self.missing.get_mut(&s.array) {
                missing[place] = false;
            }
            Ok(())
        })
        .map_err(|e| format!("{}: {e}", f.name))?;
        s.gens.iter().for_each(|g| self.set(*g, None));
        Ok(())
    }
}
