//! Rust functions over tensors, for the evaluators: by their paths, as far as this thread has registered them.

use super::{Error, Tensor};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Gives the results for arguments.
type Function = Rc<dyn Fn(&[Tensor]) -> Vec<Tensor>>;

thread_local! {
    static ALL: RefCell<BTreeMap<String, Function>> = const { RefCell::new(BTreeMap::new()) };
}

/// What the function of this path is.
pub fn register(path: &str, f: impl Fn(&[Tensor]) -> Vec<Tensor> + 'static) {
    ALL.with(|all| all.borrow_mut().insert(path.to_string(), Rc::new(f)));
}

/// The results of a function, which must have these shapes.
///
/// # Errors
/// It is not registered, or its results have other shapes.
pub fn call(path: &str, args: &[Tensor], shapes: &[Vec<usize>]) -> Result<Vec<Tensor>, Error> {
    let f = ALL.with(|all| all.borrow().get(path).cloned());
    let f = f.ok_or_else(|| format!("`{path}` is not registered"))?;
    let results = f(args);
    let found: Vec<&Vec<usize>> = results.iter().map(|r| &r.shape).collect();
    if found.len() != shapes.len() || found.iter().zip(shapes).any(|(a, b)| *a != b) {
        return Err(format!("`{path}` gives results of shapes {found:?}, not {shapes:?}"));
    }
    Ok(results)
}
