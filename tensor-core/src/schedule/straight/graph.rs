//! What a straight body computes: a graph in which each value stands once.
//!
//! ```text
//! -(-a) = a     a + 0 = a     1 * a = a     -1 * a = -a     (-a) * b = -(a * b)
//! select(m, a, a) = a     select(!m, a, b) = select(m, b, a)
//! select(m, select(m, a, b), c) = select(m, a, c)
//! select(m, a, 0) + select(m, b, c) = select(m, a + b, c),  where one of the four is 0
//! ```

use crate::index::{Affine, Cond};
use crate::loops::Place;
use crate::prim::Prim;
use crate::ssa::RealCompare;
use std::collections::BTreeMap;

/// A value, by when it was first made: its operands are less.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Id(pub u32);

/// A truth value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct MaskId(pub u32);

/// How a value is computed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Value {
    /// By its bits.
    Number(u64),
    Constant(String),
    OfIndex(Affine),
    /// An element of memory, or a local from outside, before the body.
    Read(u32, Vec<Affine>),
    Neg(Id),
    Add(Id, Id),
    /// A number stands first.
    Mul(Id, Id),
    Call(Prim, Vec<Id>),
    Select(MaskId, Id, Id),
}

/// How a truth value is computed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Mask {
    /// Of indices and sizes: the same in all lanes.
    Index(Cond),
    Compare(RealCompare, Id, Id),
    Not(MaskId),
    All(Vec<MaskId>),
    Any(Vec<MaskId>),
}

/// A test: decided now, or when the body runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Truth {
    Known(bool),
    Asked(MaskId),
}

/// Truth values that are known where a value is used.
pub(super) type Facts = Vec<(MaskId, bool)>;

/// All values, in the order in which they were made.
#[derive(Default)]
pub(super) struct Graph {
    pub values: Vec<Value>,
    pub masks: Vec<Mask>,
    known: BTreeMap<Value, Id>,
    known_masks: BTreeMap<Mask, MaskId>,
}

impl Graph {
    pub fn value(&mut self, v: Value) -> Id {
        let next = Id(u32::try_from(self.values.len()).unwrap_or(u32::MAX));
        *self.known.entry(v).or_insert_with_key(|v| {
            self.values.push(v.clone());
            next
        })
    }

    pub fn mask(&mut self, m: Mask) -> MaskId {
        let next = MaskId(u32::try_from(self.masks.len()).unwrap_or(u32::MAX));
        *self.known_masks.entry(m).or_insert_with_key(|m| {
            self.masks.push(m.clone());
            next
        })
    }

    pub fn of(&self, id: Id) -> &Value {
        &self.values[id.0 as usize]
    }

    pub fn of_mask(&self, id: MaskId) -> &Mask {
        &self.masks[id.0 as usize]
    }

    pub fn number(&mut self, x: f64) -> Id {
        self.value(Value::Number(x.to_bits()))
    }

    pub fn read(&mut self, p: Place) -> Id {
        self.value(Value::Read(p.var.0, p.at))
    }

    /// What an element of memory holds before the body, if it has been read.
    pub fn known_read(&self, p: &Place) -> Option<Id> {
        self.known.get(&Value::Read(p.var.0, p.at.clone())).copied()
    }

    fn is_number(&self, id: Id, x: f64) -> bool {
        matches!(self.of(id), Value::Number(bits) if f64::from_bits(*bits) == x)
    }

    pub fn neg(&mut self, a: Id) -> Id {
        match self.of(a).clone() {
            Value::Neg(a) => a,
            Value::Number(bits) => self.number(-f64::from_bits(bits)),
            Value::Constant(_)
            | Value::OfIndex(_)
            | Value::Read(..)
            | Value::Add(..)
            | Value::Mul(..)
            | Value::Call(..)
            | Value::Select(..) => self.value(Value::Neg(a)),
        }
    }

    pub fn add(&mut self, a: Id, b: Id) -> Id {
        if self.is_number(a, 0.0) {
            return b;
        }
        if self.is_number(b, 0.0) {
            return a;
        }
        if let (Value::Select(m, x, y), Value::Select(n, z, w)) = (self.of(a).clone(), self.of(b).clone())
            && m == n
            && [x, y, z, w].into_iter().any(|v| self.is_number(v, 0.0))
        {
            let (yes, no) = (self.add(x, z), self.add(y, w));
            return self.select(m, yes, no);
        }
        self.value(Value::Add(a.min(b), a.max(b)))
    }

    pub fn mul(&mut self, a: Id, b: Id) -> Id {
        for (x, y) in [(a, b), (b, a)] {
            if self.is_number(x, 1.0) {
                return y;
            }
            if self.is_number(x, -1.0) {
                return self.neg(y);
            }
            if let Value::Neg(x) = *self.of(x) {
                let product = self.mul(x, y);
                return self.neg(product);
            }
        }
        let is_second = matches!(self.of(b), Value::Number(_));
        let (a, b) = if is_second { (b, a) } else { (a.min(b), a.max(b)) };
        let is_first = matches!(self.of(b), Value::Number(_));
        self.value(if is_first { Value::Mul(b, a) } else { Value::Mul(a, b) })
    }

    pub fn not(&mut self, m: MaskId) -> MaskId {
        match self.of_mask(m) {
            Mask::Not(m) => *m,
            Mask::Index(_) | Mask::Compare(..) | Mask::All(_) | Mask::Any(_) => self.mask(Mask::Not(m)),
        }
    }

    pub fn select(&mut self, m: MaskId, a: Id, b: Id) -> Id {
        if let Mask::Not(m) = *self.of_mask(m) {
            return self.select(m, b, a);
        }
        let (a, b) = (self.under(a, &[(m, true)]), self.under(b, &[(m, false)]));
        if a == b { a } else { self.value(Value::Select(m, a, b)) }
    }

    /// A value where these truth values are known.
    pub fn under(&self, mut a: Id, facts: &[(MaskId, bool)]) -> Id {
        while let Value::Select(m, x, y) = *self.of(a) {
            match facts.iter().find(|f| f.0 == m) {
                Some((_, true)) => a = x,
                Some((_, false)) => a = y,
                None => break,
            }
        }
        a
    }

    /// What is known where a truth value is known.
    pub fn facts(&self, m: MaskId, holds: bool, out: &mut Facts) {
        out.push((m, holds));
        match (self.of_mask(m), holds) {
            (Mask::Not(m), _) => self.facts(*m, !holds, out),
            (Mask::All(all), true) => all.iter().for_each(|m| self.facts(*m, true, out)),
            (Mask::Any(all), false) => all.iter().for_each(|m| self.facts(*m, false, out)),
            (Mask::All(_) | Mask::Any(_) | Mask::Index(_) | Mask::Compare(..), _) => {}
        }
    }

    /// Those of indices that are known, each once; what consists of others is not among them.
    pub fn of_indices(&self, facts: &[(MaskId, bool)]) -> Facts {
        let is_whole = |(m, holds): &(MaskId, bool)| match self.of_mask(*m) {
            Mask::Index(_) => true,
            Mask::Any(_) => *holds && !self.asks_real(*m),
            Mask::All(_) => !*holds && !self.asks_real(*m),
            Mask::Not(_) | Mask::Compare(..) => false,
        };
        let mut all: Facts = facts.iter().copied().filter(is_whole).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether a truth value asks of an index,
    pub fn asks_index(&self, m: MaskId) -> bool {
        match self.of_mask(m) {
            Mask::Index(_) => true,
            Mask::Compare(..) => false,
            Mask::Not(m) => self.asks_index(*m),
            Mask::All(all) | Mask::Any(all) => all.iter().any(|m| self.asks_index(*m)),
        }
    }

    /// or of a real.
    pub fn asks_real(&self, m: MaskId) -> bool {
        match self.of_mask(m) {
            Mask::Index(_) => false,
            Mask::Compare(..) => true,
            Mask::Not(m) => self.asks_real(*m),
            Mask::All(all) | Mask::Any(all) => all.iter().any(|m| self.asks_real(*m)),
        }
    }

    /// All, or one of them.
    pub fn joined(&mut self, tests: Vec<Truth>, all: bool) -> Truth {
        let mut asked: Vec<MaskId> = vec![];
        for t in tests {
            match t {
                Truth::Known(holds) if holds == all => {}
                Truth::Known(holds) => return Truth::Known(holds),
                Truth::Asked(m) if asked.contains(&m) => {}
                Truth::Asked(m) => asked.push(m),
            }
        }
        match asked.as_slice() {
            [] => Truth::Known(all),
            [one] => Truth::Asked(*one),
            _ => Truth::Asked(self.mask(if all { Mask::All(asked) } else { Mask::Any(asked) })),
        }
    }
}
