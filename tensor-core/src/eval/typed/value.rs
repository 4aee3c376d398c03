//! Values and their leaves.

use super::super::index::affines;
use super::super::{Error, Tensor, for_each_index, length, offset};
use super::Machine;
use crate::index::Affine;
use crate::typed::Type;

#[derive(Clone, Debug)]
pub(super) enum Value {
    Real(f64),
    Tuple(Vec<Value>),
    Array(Vec<usize>, Vec<Value>),
    /// An element of a recurrence that is yet to be computed.
    Missing,
}

impl Value {
    /// Its element at an index.
    pub(super) fn element(&self, at: &[i64]) -> Result<Value, Error> {
        let Value::Array(shape, data) = self else { return Err("not an array".into()) };
        match data.get(offset(shape, at)?) {
            None | Some(Value::Missing) => Err(format!("element {at:?} is read before it is computed")),
            Some(element) => Ok(element.clone()),
        }
    }
}

impl Machine<'_> {
    pub(super) fn shape(&mut self, extents: &[Affine]) -> Result<Vec<usize>, Error> {
        Ok(affines(self, extents)?.into_iter().map(length).collect())
    }

    pub(super) fn check_shapes(
        &mut self,
        ty: &Type,
        outer: &[usize],
        args: &[Tensor],
        next: &mut usize,
    ) -> Result<(), Error> {
        match ty {
            Type::Real => {
                let a = args.get(*next).ok_or("an argument is missing")?;
                *next += 1;
                if a.shape == outer && a.data.len() == outer.iter().product::<usize>() {
                    return Ok(());
                }
                Err(format!("an argument has shape {:?}, not {outer:?}", a.shape))
            }
            Type::Array(extents, element) => {
                let shape = [outer, &self.shape(extents)?].concat();
                self.check_shapes(element, &shape, args, next)
            }
            Type::Tuple(parts) => parts.iter().try_for_each(|p| self.check_shapes(p, outer, args, next)),
            Type::Size => Ok(()),
        }
    }

    /// The value of a type from its leaves, at the index `outer` of the arrays around it.
    pub(super) fn assemble(
        &mut self,
        ty: &Type,
        args: &[Tensor],
        next: &mut usize,
        outer: &[i64],
    ) -> Result<Value, Error> {
        match ty {
            Type::Real => {
                let leaf = args.get(*next).ok_or("an argument is missing")?;
                *next += 1;
                Ok(Value::Real(leaf.data[offset(&leaf.shape, outer)?]))
            }
            Type::Array(extents, element) => {
                let shape = self.shape(extents)?;
                let (start, mut data) = (*next, vec![]);
                *next += count_leaves(element);
                for_each_index(&shape, &mut |at| {
                    let inner = [outer, at].concat();
                    data.push(self.assemble(element, args, &mut start.clone(), &inner)?);
                    Ok(())
                })?;
                Ok(Value::Array(shape, data))
            }
            Type::Tuple(parts) => {
                let values =
                    parts.iter().map(|p| self.assemble(p, args, next, outer)).collect::<Result<_, _>>();
                Ok(Value::Tuple(values?))
            }
            Type::Size => Ok(Value::Tuple(vec![])),
        }
    }

    pub(super) fn leaves(&mut self, ty: &Type, value: &Value) -> Result<Vec<Tensor>, Error> {
        let mut out = vec![];
        self.empty_leaves(ty, &[], &mut out)?;
        push_leaves(ty, value, &mut out)?;
        Ok(out)
    }

    pub(super) fn empty_leaves(
        &mut self,
        ty: &Type,
        outer: &[usize],
        out: &mut Vec<Tensor>,
    ) -> Result<(), Error> {
        match ty {
            Type::Real => {
                out.push(Tensor { shape: outer.to_vec(), data: vec![] });
                Ok(())
            }
            Type::Array(extents, element) => {
                let shape = [outer, &self.shape(extents)?].concat();
                self.empty_leaves(element, &shape, out)
            }
            Type::Tuple(parts) => parts.iter().try_for_each(|p| self.empty_leaves(p, outer, out)),
            Type::Size => Ok(()),
        }
    }

    pub(super) fn nothing(&mut self, ty: &Type) -> Result<Value, Error> {
        Ok(match ty {
            Type::Real => Value::Real(self.zero),
            Type::Array(extents, element) => {
                let shape = self.shape(extents)?;
                let element = self.nothing(element)?;
                let n = shape.iter().product();
                Value::Array(shape, vec![element; n])
            }
            Type::Tuple(parts) => {
                Value::Tuple(parts.iter().map(|p| self.nothing(p)).collect::<Result<_, _>>()?)
            }
            Type::Size => Value::Tuple(vec![]),
        })
    }
}

fn count_leaves(ty: &Type) -> usize {
    match ty {
        Type::Real => 1,
        Type::Array(_, element) => count_leaves(element),
        Type::Tuple(parts) => parts.iter().map(count_leaves).sum(),
        Type::Size => 0,
    }
}

/// Adds the elements of a value to its leaves, which come to stand in row-major order.
fn push_leaves(ty: &Type, value: &Value, out: &mut [Tensor]) -> Result<(), Error> {
    match (ty, value) {
        (Type::Real, Value::Real(x)) => {
            out[0].data.push(*x);
            Ok(())
        }
        (Type::Array(_, element), Value::Array(_, data)) => {
            data.iter().try_for_each(|v| push_leaves(element, v, out))
        }
        (Type::Tuple(types), Value::Tuple(parts)) => {
            let mut first = 0;
            for (t, v) in types.iter().zip(parts) {
                let n = count_leaves(t);
                push_leaves(t, v, &mut out[first..first + n])?;
                first += n;
            }
            Ok(())
        }
        (Type::Size, _) => Ok(()),
        (Type::Real | Type::Array(..) | Type::Tuple(_), _) => Err(format!("not of type {ty:?}: {value:?}")),
    }
}
