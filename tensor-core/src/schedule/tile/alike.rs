//! The rows and columns of matmuls inside one statement, by the same names where they are as many: so parts of all of them can run together.

use crate::loops::{Leaf, Product, Stmt};
use crate::ssa::Index;

/// Names them after those of the first, where a statement is several matmuls and nothing else.
pub(super) fn alike(s: &mut Stmt) {
    let mut products = vec![];
    if !of_products(s, &mut products) {
        return;
    }
    let Some((first, others)) = products.split_first_mut() else { return };
    for q in others {
        let mut free = vec![&first.rows, &first.cols];
        free.retain(|d| {
            ![&q.a, &q.b, &q.c].into_iter().any(|p| p.at.iter().any(|a| a.mentions(&d.0.atom())))
        });
        let own = [&q.rows, &q.cols].map(Clone::clone);
        for own in own.into_iter().filter(|d| ![first.rows.0, first.cols.0].contains(&d.0)) {
            // Of two that are as many, that which walks along the same dimension of what is written.
            let same = |d: &Index| q.c.at.iter().position(|a| a.mentions(&d.atom()));
            let place = |d: &Index| first.c.at.iter().position(|a| a.mentions(&d.atom()));
            let fits = |k: &usize| free[*k].1 == own.1;
            let found = (0..free.len()).filter(fits).max_by_key(|k| place(&free[*k].0) == same(&own.0));
            if let Some(k) = found {
                q.name(own.0, free.remove(k).0);
            }
        }
    }
}

/// Whether there is nothing else than matmuls; these.
fn of_products<'a>(s: &'a mut Stmt, out: &mut Vec<&'a mut Product>) -> bool {
    match s {
        Stmt::Leaf(Leaf::Product(p)) => {
            out.push(p);
            true
        }
        Stmt::Leaf(_) => false,
        Stmt::For { body, .. } => body.iter_mut().all(|s| of_products(s, out)),
        Stmt::If { body, otherwise, .. } => {
            otherwise.is_empty() && body.iter_mut().all(|s| of_products(s, out))
        }
    }
}
