//! Matrices of derivatives, linear maps and second derivatives of one program.

use crate::check::{Case, Point, analyzed, each_size, is_undecided, normalized, unless_undecided};
use crate::compare::{magnitude, random, same, shapes, shifted};
use crate::differences::{by_steps, slope};
use crate::judged;
use crate::made::{Made, bound, for_threads};
use fastrand::Rng;
use tensor_core::eval::{self, Cost, Tensor};
use tensor_core::ssa::{self, Function};
use tensor_core::{ad, linear_parts, simplify};

/// What is wrong with the transforms of transforms of a program, if anything.
///
/// # Errors
/// That, in words.
pub fn judge(case: &Case) -> Result<(), String> {
    let Some((block, k)) = unless_undecided(analyzed(case))? else { return Ok(()) };
    let raw = normalized(&block)[k].clone().ok_or("not normalized")?;
    let f = simplify::simplify(raw.clone());
    if f.params.is_empty() {
        return Ok(());
    }
    let stops = case.source.contains("stop(");
    let some = some(block.functions[k].leaves(), case.seed);
    let compiled = Compiled::new(f, some, for_threads(case.seed), stops)?;
    each_size(case, &block.functions[k], |sizes| {
        compiled.at(sizes, case.seed).or_else(|e| {
            // What a rounding decides says nothing of a value.
            if e.contains("leaf ") && is_undecided(&raw, sizes, case.seed) { Ok(()) } else { Err(e) }
        })
    })
}

/// Some of so many variables, not all of them where there are several.
fn some(leaves: usize, seed: u64) -> Vec<usize> {
    let mut rng = Rng::with_seed(seed ^ 0x50e);
    let one = rng.usize(..leaves);
    (0..leaves).filter(|k| *k == one || (rng.bool() && *k != (one + 1) % leaves)).collect()
}

/// What a transform is as it was derived, and what is made of that.
struct Derived {
    what: &'static str,
    raw: Function,
    made: Made,
}

/// All that is made of a program.
struct Compiled {
    f: Made,
    /// Of the arguments and results.
    normal: Function,
    jvp: Function,
    vjp: Function,
    twice: Function,
    some: Vec<usize>,
    /// By rows or columns, and by columns.
    matrices: [Derived; 2],
    /// By `some`.
    by_some: Derived,
    hessians: Option<Hessians>,
    /// The point, the map and its transpose.
    linear: [Made; 3],
    jvp_of_vjp: Derived,
    /// Differences know nothing of `stop`.
    stops: bool,
}

/// Those of a scalar.
struct Hessians {
    /// By all, nothing of it left out, as statements.
    full: Function,
    /// What is symmetric is computed once; by all, and by some.
    once: Derived,
    by_some: Derived,
}

impl Compiled {
    fn new(f: Function, some: Vec<usize>, threads: bool, stops: bool) -> Result<Compiled, String> {
        let all: Vec<usize> = (0..f.params.len()).collect();
        let jvp = simplify::simplify(ad::jvp(&f, &all));
        let vjp = simplify::simplify(ad::vjp(&f, &all));
        let ([point, apply, transpose], _) = linear_parts(&jvp, f.params.len());
        let second = ad::jvp(&vjp, &all);
        let is_number = matches!(f.results.as_slice(), [r] if f.array(*r).extents.is_empty());
        Ok(Compiled {
            matrices: [
                Derived::new("jacobian", ad::jacobian(&f, &all), threads)?,
                Derived::new("columns", ad::hessian(&f, &all), threads)?,
            ],
            by_some: Derived::new("jacobian by some", ad::jacobian(&f, &some), threads)?,
            hessians: if is_number { Some(Hessians::new(&f, &some, threads)?) } else { None },
            linear: [
                Made::new("point of linearize", point, threads)?,
                Made::new("apply", apply, threads)?,
                Made::new("apply_transpose", transpose, threads)?,
            ],
            twice: simplify::simplify(second.clone()),
            jvp_of_vjp: Derived::new("jvp of vjp", second, threads)?,
            f: Made::new("f", f.clone(), threads)?,
            normal: f,
            jvp,
            vjp,
            some,
            stops,
        })
    }

    fn at(&self, sizes: &[i64], seed: u64) -> Result<(), String> {
        let at = Point::new(&self.normal, sizes, seed);
        let (value, _) = self.f.run(sizes, &at.args)?;
        let (pushed, _) = eval::ssa::run(&self.jvp, sizes, &[at.args.clone(), at.tangents.clone()].concat())?;
        let y_dot = &pushed[value.len()..];
        for matrix in &self.matrices {
            let blocks = matrix.at(sizes, &at.args)?;
            let product = times(&blocks, y_dot, &at.tangents);
            same(&format!("{} times a direction", matrix.what), &product, y_dot, 1e-9)?;
        }
        // By some: a direction that is zero elsewhere.
        let blocks = self.by_some.at(sizes, &at.args)?;
        let only = |(k, t): (usize, &Tensor)| match self.some.contains(&k) {
            true => t.clone(),
            false => Tensor { shape: t.shape.clone(), data: vec![0.0; t.data.len()] },
        };
        let zeros: Vec<Tensor> = at.tangents.iter().enumerate().map(only).collect();
        let (pushed, _) = eval::ssa::run(&self.jvp, sizes, &[at.args.clone(), zeros].concat())?;
        let chosen: Vec<Tensor> = self.some.iter().map(|k| at.tangents[*k].clone()).collect();
        let expected = &pushed[value.len()..];
        let product = times(&blocks, expected, &chosen);
        same("jacobian by some times a direction", &product, expected, 1e-9)?;

        if let Some(hessians) = &self.hessians {
            hessians.at(sizes, &at.args, &self.some)?;
        }
        let y_bar = random(&shapes(&value), &mut Rng::with_seed(seed ^ 0xba5e));
        self.linear_map(sizes, &at, &value, y_dot, &y_bar)?;
        let args = [at.args.clone(), y_bar].concat();
        let more = [args.clone(), at.tangents.clone()].concat();
        let found = self.jvp_of_vjp.at(sizes, &more)?;
        let (_, once) = eval::ssa::run_counted(&self.vjp, sizes, &args)?;
        let (_, twice) = eval::ssa::run(&self.twice, sizes, &more)?;
        bound("jvp of vjp", twice, 4 * (once.cost + once.formulas + once.given))?;
        if !self.stops {
            self.differences(sizes, &args, &at, &found)?;
        }
        judged::note();
        Ok(())
    }

    /// `apply` is the `jvp` at the point, `apply_transpose` the `vjp`.
    fn linear_map(
        &self,
        sizes: &[i64],
        at: &Point,
        value: &[Tensor],
        y_dot: &[Tensor],
        y_bar: &[Tensor],
    ) -> Result<(), String> {
        let [point, apply, transpose] = &self.linear;
        let (all, _) = point.run(sizes, &at.args)?;
        same("value of linearize", &all[..value.len()], value, 1e-9)?;
        point.on_loops(sizes, &at.args, &all, Cost::MAX)?;
        let stored = &all[value.len()..];
        let forward = [stored, &at.tangents].concat();
        apply.check(sizes, &forward, y_dot, Cost::MAX)?;
        apply.on_loops(sizes, &forward, y_dot, Cost::MAX)?;
        let (pulled, _) = eval::ssa::run(&self.vjp, sizes, &[&at.args, y_bar].concat())?;
        let x_bar = &pulled[value.len()..];
        let backward = [stored, y_bar].concat();
        transpose.check(sizes, &backward, x_bar, Cost::MAX)?;
        transpose.on_loops(sizes, &backward, x_bar, Cost::MAX)?;
        Ok(())
    }

    /// The tangents of a cotangent agree with central differences of some step.
    fn differences(
        &self,
        sizes: &[i64],
        args: &[Tensor],
        at: &Point,
        found: &[Tensor],
    ) -> Result<(), String> {
        let half = found.len() / 2;
        let (slopes, tangents) = (shapes(&found[half..]), shapes(&found[..half]));
        if slopes != tangents {
            return Err(format!("second derivatives of shapes {slopes:?} for {tangents:?}"));
        }
        let rest: Vec<Tensor> = args[at.args.len()..].to_vec();
        let shifted_args = |h: f64| [shifted(&at.args, h, &at.tangents), rest.clone()].concat();
        let slopes_of = |h: f64| {
            let (up, _) = eval::ssa::run(&self.vjp, sizes, &shifted_args(h))?;
            let (down, _) = eval::ssa::run(&self.vjp, sizes, &shifted_args(-h))?;
            Ok(Some(slope(&up, &down, h, &found[half..])))
        };
        let most = 1.0 + magnitude(&found[..half]);
        let steps = [(1e-5, 1e-5), (1e-6, 1e-4), (1e-7, 1e-3), (1e-4, 1e-3)].map(|(h, t)| (h, t * most));
        let alarm = by_steps("second differences", &found[half..], steps, &slopes_of)?;
        alarm.map_or(Ok(()), |(wrong, _)| Err(wrong))
    }
}

impl Derived {
    fn new(what: &'static str, raw: Function, threads: bool) -> Result<Derived, String> {
        ssa::verify::verify(&raw).map_err(|e| format!("{what}: {e}"))?;
        let made = Made::new(what, simplify::simplify(raw.clone()), threads)?;
        Ok(Derived { what, raw, made })
    }

    /// The value of a derivative as it is, simplified and on the loops, which must agree.
    fn at(&self, sizes: &[i64], args: &[Tensor]) -> Result<Vec<Tensor>, String> {
        let (expected, raw) =
            eval::ssa::run(&self.raw, sizes, args).map_err(|e| format!("{}, as derived: {e}", self.what))?;
        self.made.check(sizes, args, &expected, raw)?;
        self.made.on_loops(sizes, args, &expected, Cost::MAX)?;
        Ok(expected)
    }
}

impl Hessians {
    fn new(f: &Function, some: &[usize], threads: bool) -> Result<Hessians, String> {
        let full =
            |wrt: &[usize]| simplify::simplify(ad::hessian(&simplify::simplify(ad::grad(f, wrt)), wrt));
        let once = |what, wrt: &[usize]| Derived::new(what, ad::symmetric(f, full(wrt), wrt.len()), threads);
        let all: Vec<usize> = (0..f.params.len()).collect();
        Ok(Hessians {
            full: full(&all),
            once: once("hessian", &all)?,
            by_some: once("hessian by some", some)?,
        })
    }

    fn at(&self, sizes: &[i64], args: &[Tensor], some: &[usize]) -> Result<(), String> {
        let (expected, _) = eval::ssa::run(&self.full, sizes, args)?;
        same("hessian, computed once", &self.once.at(sizes, args)?, &expected, 1e-9)?;
        let block = |a: &usize, b: &usize| expected[a * args.len() + b].clone();
        let blocks: Vec<Tensor> = some.iter().flat_map(|a| some.iter().map(move |b| block(a, b))).collect();
        same("hessian by some", &self.by_some.at(sizes, args)?, &blocks, 1e-9)
    }
}

/// `J ẋ`, of blocks by result and argument; what is expected where J is infinite.
fn times(blocks: &[Tensor], expected: &[Tensor], x_dot: &[Tensor]) -> Vec<Tensor> {
    let row = |(r, y): (usize, &Tensor)| {
        let mut sum: Vec<f64> = vec![0.0; y.data.len()];
        for (c, x) in x_dot.iter().enumerate() {
            let block = &blocks[r * x_dot.len() + c];
            for (k, s) in sum.iter_mut().enumerate() {
                let columns = x.data.len();
                let of_element = &block.data[k * columns..][..columns];
                // Infinities cancel here in another order than there.
                let overflows = of_element.iter().any(|a| a.is_infinite());
                let by_hand = || of_element.iter().zip(&x.data).map(|(a, b)| a * b).sum::<f64>();
                *s = if overflows || s.is_infinite() { f64::INFINITY } else { *s + by_hand() };
            }
        }
        for (s, expected) in sum.iter_mut().zip(&y.data).filter(|(s, _)| s.is_infinite()) {
            *s = *expected;
        }
        Tensor { shape: y.shape.clone(), data: sum }
    };
    expected.iter().enumerate().map(row).collect()
}
