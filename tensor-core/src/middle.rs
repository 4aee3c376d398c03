//! The middle end: the normal form of each function of a block, each derivative that the block asks for, and the mistakes that show only there.
//!
//! Invariant: it runs once a block, each function is brought into normal form once in it, and each derivative is taken once. What `linear` and `missing`
//! look at and what is emitted is what [`lower`] gives; nothing behind it differentiates or simplifies, but `tensor-explain`, for derivatives that a block does not ask for. (Scalars that
//! the schedule's rewrites make are put in where they are read, and the text for readers is shared anew. Partials of functions of Rust that need each other are made once for each
//! time that they are differentiated.)

use crate::error::Errors;
use crate::index::Affine;
use crate::sorted::Set;
use crate::typed::{Block, Definition, ExprKind, Transform};
use crate::{ad, linear, missing, names, normalize, order, simplify, ssa, typed, weights};

/// A function of a block, without mistakes.
#[derive(Clone, Debug)]
pub struct Item {
    /// Itself; of a linearization, its `jvp`.
    pub whole: Part,
    /// What is behind a linearization, if this is one.
    pub linear: Option<Box<LinearParts>>,
}

/// A function in normal form.
#[derive(Clone, Debug)]
pub struct Part {
    /// With what only says how it is differentiated.
    pub normal: ssa::Function,
    /// Without, if there is any and it is to be scheduled.
    pub erased: Option<ssa::Function>,
}

/// A linearization, taken apart.
#[derive(Clone, Debug)]
pub struct LinearParts {
    /// The values and what is stored of the point; the linear map of that and of tangents; its transpose.
    pub parts: [Part; 3],
    /// The extents of what is stored.
    pub stored: Vec<Vec<Affine>>,
}

impl Part {
    fn of(normal: ssa::Function) -> Part {
        Part { erased: simplify::erased(&normal), normal }
    }

    /// What is scheduled.
    #[must_use]
    pub fn program(&self) -> &ssa::Function {
        self.erased.as_ref().unwrap_or(&self.normal)
    }
}

/// The functions of a checked block, in its order; `None` for all if there are errors, those of this pass among them. Those of `silent` are
/// emitted elsewhere.
#[must_use]
pub fn lower(block: &Block, silent: &Set<String>, errors: &mut Errors) -> Vec<Option<Item>> {
    let none = || vec![None; block.functions.len()];
    if !errors.is_empty() {
        return none();
    }
    let normal = normal_forms(block);
    stepwise_calls(block, &normal, errors);
    too_long(block, &normal, errors);
    if linear::possible(block) && errors.is_empty() {
        linear::check(block, &normal, errors);
    }
    if !errors.is_empty() {
        return none();
    }
    let is_foreign = missing::possible(block);
    let erased = |f: &typed::Function, normal: ssa::Function| {
        let is_scheduled = f.linearization.is_none() && is_emitted(f, silent);
        if is_scheduled || is_foreign { Part::of(normal) } else { Part { normal, erased: None } }
    };
    let all = block.functions.iter().zip(normal).map(|(f, n)| n.map(|n| erased(f, n)));
    let whole: Vec<Option<Part>> = all.collect();
    if is_foreign {
        missing::check(block, &whole, errors);
    }
    if errors.is_empty() {
        too_large(block, &whole, errors);
    }
    if !errors.is_empty() {
        return none();
    }
    let item = |(f, whole): (&typed::Function, Option<Part>)| {
        let whole = whole?;
        let is_linear = f.linearization.is_some() && is_emitted(f, silent);
        let linear = is_linear.then(|| Box::new(linear_map(&whole.normal, f.leaves())));
        Some(Item { whole, linear })
    };
    block.functions.iter().zip(whole).map(item).collect()
}

/// Reports derivatives of functions that have, or that call what has, a call of a Rust function over tensors in the step of a recurrence: they are
/// as functions with errors then, nothing looks into them.
pub fn not_yet(block: &mut Block, errors: &mut Errors) {
    let mut foreign: Vec<bool> = vec![false; block.functions.len()];
    let mut in_steps = foreign.clone();
    for &k in &block.order {
        let f = &block.functions[k];
        let (mut is_foreign, mut is_in_step, mut gradient) = (false, false, None);
        let mut see = |e: &typed::Expr| match &e.kind {
            ExprKind::Rec(r) => r.body.visit(&mut |e| {
                is_in_step |= matches!(&e.kind, ExprKind::Call(callee, ..) if foreign[*callee]);
            }),
            ExprKind::Call(callee, ..) => {
                is_foreign |= foreign[*callee];
                is_in_step |= in_steps[*callee];
            }
            ExprKind::Grad(..) => gradient = gradient.or(Some(e.span.start)),
            _ => {}
        };
        if let Some(Definition::Expr(body)) = &f.body {
            body.visit(&mut see);
        }
        for c in &f.comparisons {
            c.left.visit(&mut see);
            c.right.visit(&mut see);
        }
        if let Some(Definition::Transform { of, .. }) = f.body {
            (is_foreign, is_in_step, gradient) = (foreign[of], in_steps[of], Some(f.name.span()));
        }
        is_foreign |= matches!(f.body, Some(Definition::Foreign(_)));
        (foreign[k], in_steps[k]) = (is_foreign, is_in_step);
        if let Some(span) = gradient.filter(|_| is_in_step) {
            errors.push(span, NOT_DIFFERENTIATED);
            block.functions[k].body = None;
        }
    }
}

const NOT_DIFFERENTIATED: &str =
    "calls of Rust functions over tensors in the step of a recurrence are not differentiated yet";

/// Reports the mistakes that [`lower`] finds where anything is transposed or of Rust, for those who take no more of it.
pub fn check(block: &Block, errors: &mut Errors) {
    if linear::possible(block) || missing::possible(block) {
        drop(lower(block, &Set::new(), errors));
    }
}

/// Whether a function of a block is written where the block is.
#[must_use]
pub fn is_emitted(f: &typed::Function, silent: &Set<String>) -> bool {
    !f.is_inner && !silent.contains(&names::plain(&f.name))
}

/// Correct functions without a normal form: their index arithmetic leaves the range of numbers that the compiler computes with.
fn too_large(block: &Block, whole: &[Option<Part>], errors: &mut Errors) {
    for (f, _) in block.functions.iter().zip(whole).filter(|(_, n)| n.is_none()) {
        if matches!(f.body, Some(Definition::Expr(_))) {
            let message = format!(
                "the indices of `{}` become too large: where they are multiplied, let them begin at smaller numbers",
                f.name
            );
            errors.push(f.name.span(), message);
        }
    }
}

/// The same of functions in whose normal form there is such a call: of a derivative that is given, too.
fn stepwise_calls(block: &Block, normal: &[Option<ssa::Function>], errors: &mut Errors) {
    for f in &block.functions {
        let Some(Definition::Transform { of, .. }) = f.body else { continue };
        if normal[of].as_ref().is_some_and(calls_in_steps) {
            errors.push(f.name.span(), NOT_DIFFERENTIATED);
        }
    }
}

fn calls_in_steps(f: &ssa::Function) -> bool {
    f.stmts.iter().any(|s| s.is_member() && s.call().is_some())
}

/// Reports derivatives of what is too long to be differentiated.
fn too_long(block: &Block, normal: &[Option<ssa::Function>], errors: &mut Errors) {
    for f in &block.functions {
        let Some(Definition::Transform { of, .. }) = f.body else { continue };
        let Some(terms) = normal[of].as_ref().map(terms).filter(|n| *n > weights::check::TERMS) else {
            continue;
        };
        let text = format!(
            "`{}` has {terms} terms, and of more than {} no derivative is taken: derivatives of derivatives are each some times as long as the one before",
            block.functions[of].name,
            weights::check::TERMS
        );
        errors.push(f.name.span(), text);
    }
}

/// The terms and statements of a function.
fn terms(f: &ssa::Function) -> usize {
    let of = |s: &ssa::Stmt| if let ssa::Rhs::Contract(terms) = &s.rhs { terms.len().max(1) } else { 1 };
    f.stmts.iter().map(of).sum()
}

/// The normal forms of the functions of a block, in its order; `None` where there were errors.
#[must_use]
pub fn normal_forms(block: &Block) -> Vec<Option<ssa::Function>> {
    let mut all = vec![None; block.functions.len()];
    let foreign: Vec<usize> = (0..all.len()).filter(|k| block.functions[*k].outer().is_some()).collect();
    if !foreign.is_empty() {
        recursive_partials(block, &foreign, &mut all);
    }
    let mut gradients = Gradients(vec![]);
    for &k in &block.order {
        all[k] = match &block.functions[k].body {
            Some(Definition::Transform { transform, of, wrt }) => {
                gradients.derived(block, &all, k, (*transform, *of, &wrt.concat()))
            }
            Some(Definition::Expr(_) | Definition::Foreign(_)) | None => normal_form(block, k, &all),
        };
    }
    all
}

/// The partials of functions of Rust may need each other, as those of `sin` and `cos` do: first no function has any, then each has those that
/// need what is there already, and so on, as often as the block differentiates.
fn recursive_partials(block: &Block, foreign: &[usize], all: &mut [Option<ssa::Function>]) {
    for &k in foreign {
        let mut f = block.functions[k].clone();
        if let Some(Definition::Expr(typed::Expr { kind: ExprKind::Outer(outer), .. })) = &mut f.body {
            let words = format!(
                "`{}` is differentiated more than {} times here",
                outer.path,
                weights::check::TIMES_DIFFERENTIATED
            );
            outer.partials.iter_mut().for_each(|p| *p = Err(words.clone()));
        }
        let Some(Definition::Expr(body)) = &f.body else { continue };
        all[k] = normalize::normalize(&f, body, all).map(simplify::simplify);
    }
    for _ in 1..order::most_often(block, weights::check::TIMES_DIFFERENTIATED) {
        for &k in &block.order {
            if matches!(block.functions[k].body, Some(Definition::Expr(_) | Definition::Foreign(_))) {
                all[k] = normal_form(block, k, all);
            }
        }
    }
}

/// Of a function that is no transform.
fn normal_form(block: &Block, k: usize, done: &[Option<ssa::Function>]) -> Option<ssa::Function> {
    let f = &block.functions[k];
    let normal = match f.body.as_ref()? {
        Definition::Expr(body) => normalize::normalize(f, body, done)?,
        Definition::Foreign(k) => normalize::foreign(f, *k, &block.callees),
        Definition::Transform { .. } => return None,
    };
    Some(simplify::simplify(normal))
}

/// Gradients that second derivatives of the block were taken of: of which function, by which leaves.
struct Gradients(Vec<(usize, Vec<usize>, ssa::Function)>);

impl Gradients {
    /// The function `k` of a block, a transform of another one by some leaves of its parameters.
    fn derived(
        &mut self,
        block: &Block,
        done: &[Option<ssa::Function>],
        k: usize,
        asked: (Transform, usize, &[usize]),
    ) -> Option<ssa::Function> {
        let (transform, of, wrt) = asked;
        let f = done[of].as_ref().filter(|f| terms(f) <= weights::check::TERMS && !calls_in_steps(f))?;
        let mut derived = match (Gradients::item(block, done, asked), transform) {
            (Some(same), _) => same.clone(),
            (None, Transform::Grad) => self.of(block, done, of, wrt)?,
            (None, Transform::ValueAndGrad) => simplify::simplify(ad::value_and_grad(f, wrt)),
            // What a linearization returns is taken apart.
            (None, Transform::Jvp | Transform::Linearize) => simplify::simplify(ad::jvp(f, wrt)),
            (None, Transform::Vjp) => simplify::simplify(ad::vjp(f, wrt)),
            (None, Transform::Hvp) => simplify::simplify(ad::jvp(&self.of(block, done, of, wrt)?, wrt)),
            (None, Transform::Jacobian) => simplify::simplify(ad::jacobian(f, wrt)),
            (None, Transform::Hessian) => {
                let all = simplify::simplify(ad::hessian(&self.of(block, done, of, wrt)?, wrt));
                simplify::simplify(ad::symmetric(f, all, wrt.len()))
            }
            (None, Transform::Transpose) => simplify::simplify(ad::transpose(f, wrt)),
        };
        derived.name = block.functions[k].name.to_string();
        Some(derived)
    }

    /// The gradient of a function.
    fn of(
        &mut self,
        block: &Block,
        done: &[Option<ssa::Function>],
        of: usize,
        wrt: &[usize],
    ) -> Option<ssa::Function> {
        if let Some(same) = Gradients::item(block, done, (Transform::Grad, of, wrt)) {
            return Some(same.clone());
        }
        if let Some((.., same)) = self.0.iter().find(|(f, by, _)| *f == of && by == wrt) {
            return Some(same.clone());
        }
        let gradient = simplify::simplify(ad::grad(done[of].as_ref()?, wrt));
        self.0.push((of, wrt.to_vec(), gradient.clone()));
        Some(gradient)
    }

    /// What is asked for, if a function of the block is that and is done.
    fn item<'a>(
        block: &Block,
        done: &'a [Option<ssa::Function>],
        (transform, of, wrt): (Transform, usize, &[usize]),
    ) -> Option<&'a ssa::Function> {
        let sweep = |t: Transform| if t == Transform::Linearize { Transform::Jvp } else { t };
        let is_same = |f: &typed::Function| match &f.body {
            Some(Definition::Transform { transform: t, of: g, wrt: by }) => {
                sweep(*t) == sweep(transform) && *g == of && by.concat() == wrt
            }
            Some(Definition::Expr(_) | Definition::Foreign(_)) | None => false,
        };
        block.functions.iter().zip(done).filter(|(f, _)| is_same(f)).find_map(|(_, done)| done.as_ref())
    }
}

fn linear_map(jvp: &ssa::Function, leaves: usize) -> LinearParts {
    let (parts, stored) = linear_parts(jvp, leaves);
    let stored = stored.iter().map(|r| jvp.array(*r).extents.clone()).collect();
    LinearParts { parts: parts.map(Part::of), stored }
}

/// A `jvp` of a function of so many leaves, taken apart: its values and what is stored of the point; the linear map of that and of tangents; its
/// transpose. Beside them, what is stored.
#[must_use]
pub fn linear_parts(jvp: &ssa::Function, leaves: usize) -> ([ssa::Function; 3], Vec<ssa::ArrayId>) {
    let parts = ad::unzip(jvp, jvp.params.len() - leaves);
    let dots: Vec<usize> = (parts.residuals..parts.apply.params.len()).collect();
    let stored = parts.point.results[parts.point.results.len() - parts.residuals..].to_vec();
    let transpose = simplify::simplify(ad::transpose(&parts.apply, &dots));
    ([parts.point, parts.apply, transpose].map(simplify::simplify), stored)
}

#[cfg(test)]
mod tests;
