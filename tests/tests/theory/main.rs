//! What *Differentiating a Tensor Language* and its kin say must come out: programs, their simplified derivatives, and what those cost.

mod programs;
mod scalars;
mod second;
mod strides;
mod views;

use proc_macro2::TokenStream;
use tensor_core::eval::{self, Tensor};
use tensor_core::index::Atom;
use tensor_core::ssa::{self, Function};
use tensor_core::{analyze, loops, normal_forms, schedule, simplify};

/// A block, and what comes out of its functions.
struct Line {
    about: &'static str,
    source: &'static str,
    out: &'static [Out],
}

/// A function in normal form.
struct Out {
    function: &'static str,
    /// The most additions, multiplications and calls, by the sizes in order of appearance, in Tensor SSA and on the loops.
    most: fn(u64, u64, u64) -> u64,
    /// The most dimensions of what is stored beside the results.
    rank: usize,
    /// How it prints.
    prints: &'static str,
}

/// Where costs are counted.
const SIZES: [[i64; 3]; 3] = [[5, 2, 2], [6, 4, 3], [9, 3, 2]];

/// All lines.
fn table() -> impl Iterator<Item = &'static Line> {
    [views::TABLE, scalars::TABLE, programs::TABLE, strides::TABLE, second::TABLE].into_iter().flatten()
}

/// The normal forms of a block, by name.
fn functions(source: &str) -> Vec<Function> {
    let tokens: TokenStream = source.parse().expect("tokens");
    let block = analyze(tokens)
        .unwrap_or_else(|e| panic!("{:?}\n{source}", e.0.iter().map(|e| &e.message).collect::<Vec<_>>()));
    normal_forms(&block).into_iter().flatten().collect()
}

fn function(source: &str, name: &str) -> Function {
    functions(source).into_iter().find(|f| f.name == name).unwrap_or_else(|| panic!("no `{name}`"))
}

/// Arguments of the right shapes between 0.5 and 1.5.
fn arguments(f: &Function, sizes: &[i64]) -> Vec<Tensor> {
    let size = |t: &Atom| match t {
        Atom::Size(k) => sizes[*k as usize],
        Atom::Index(_) | Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => 0,
    };
    let mut rng = fastrand::Rng::with_seed(7);
    let shape = |p: &ssa::ArrayId| -> Vec<usize> {
        f.array(*p).extents.iter().map(|e| usize::try_from(e.eval(&size)).unwrap_or(0)).collect()
    };
    f.params.iter().map(|p| Tensor::from_fn(&shape(p), |_| 0.5 + rng.f64())).collect()
}

/// The results and costs in Tensor SSA and on the loops.
fn run(f: &Function, sizes: &[i64], args: &[Tensor]) -> (Vec<Tensor>, [u64; 2]) {
    let (results, cost) = eval::ssa::run(f, sizes, args).unwrap_or_else(|e| panic!("{}: {e}", f.name));
    let program = schedule::schedule(&simplify::erase_stops(f.clone()));
    let leaves: Vec<loops::eval::Elements> = args.iter().map(|t| t.data.clone()).collect();
    let constant = |path: &str| eval::scalar::constant(path).unwrap_or(f64::NAN);
    let (found, counts) = loops::eval::run(&program, sizes, &leaves, &constant).expect("the loops run");
    let lengths = |of: &mut dyn Iterator<Item = usize>| of.collect::<Vec<_>>();
    let wanted = lengths(&mut results.iter().map(|t| t.data.len()));
    assert_eq!(lengths(&mut found.iter().map(Vec::len)), wanted, "{}", f.name);
    for (found, expected) in found.iter().zip(&results) {
        for (a, b) in found.iter().zip(&expected.data) {
            assert!(a == b || (a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{}: {a} for {b}", f.name);
        }
    }
    (results, [cost, counts.cost()])
}

#[test]
fn prints() {
    let mut wrong = String::new();
    for line in table() {
        for out in line.out {
            let found = ssa::display::display(&function(line.source, out.function)).to_string();
            if found.trim() != out.prints.trim() {
                wrong += &format!("// {}\n{found}\n", line.about);
            }
        }
    }
    assert!(wrong.is_empty(), "printed otherwise:\n{wrong}");
}

#[test]
fn costs() {
    for line in table() {
        for out in line.out {
            let f = function(line.source, out.function);
            for sizes in SIZES {
                let at = &sizes[..f.sizes.len()];
                let [n, m, k] = sizes.map(i64::unsigned_abs);
                let most = (out.most)(n, m, k);
                let (_, costs) = run(&f, at, &arguments(&f, at));
                assert!(
                    costs.iter().all(|c| *c <= most),
                    "{}: {} costs {costs:?} of {most} at {at:?}",
                    line.about,
                    f.name
                );
            }
        }
    }
}

#[test]
fn storage() {
    for line in table() {
        for out in line.out {
            let f = function(line.source, out.function);
            let own = f.stmts.iter().filter(|s| !f.results.contains(&s.array)).map(|s| s.gens.len());
            let program = schedule::schedule(&simplify::erase_stops(f.clone()));
            let work = program.work.iter().map(|b| b.extents.len());
            let most = own.chain(work).max().unwrap_or(0);
            assert!(most <= out.rank, "{}: {} stores {most} dimensions\n{program}", line.about, f.name);
        }
    }
}

/// The value of a function of scalars and vectors at numbers.
fn at(source: &str, name: &str, sizes: &[i64], args: &[&[f64]]) -> Vec<Vec<f64>> {
    let f = function(source, name);
    let leaf = |(p, data): (&ssa::ArrayId, &&[f64])| Tensor {
        shape: if f.array(*p).extents.is_empty() { vec![] } else { vec![data.len()] },
        data: data.to_vec(),
    };
    let args: Vec<Tensor> = f.params.iter().zip(args).map(leaf).collect();
    run(&f, sizes, &args).0.into_iter().map(|t| t.data).collect()
}

fn source(about: &str) -> &'static str {
    table().find(|l| l.about.contains(about)).map(|l| l.source).expect("a line of the table")
}

#[test]
fn numbers() {
    let classic = source("classic");
    let close = |found: &[Vec<f64>], expected: &[f64]| {
        let found: Vec<f64> = found.concat();
        let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3);
        assert!(close && found.len() == expected.len(), "{found:?} for {expected:?}");
    };
    close(&at(classic, "scalar", &[], &[&[2.0], &[5.0]]), &[11.652]);
    close(&at(classic, "scalar_grad", &[], &[&[2.0], &[5.0]]), &[5.5, 1.716]);
    assert_eq!(at(source("names"), "lets_vjp", &[], &[&[3.0], &[1.5]]), [[6.0], [3.0]]);
    assert_eq!(at(source("row times"), "corner_grad", &[3], &[&[1.5, 2.0, 3.0]]), [[3.0, 0.0, 0.0]]);
    let picks = at(source("read alone"), "picks_vjp", &[6], &[&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2.0]]);
    assert_eq!(picks, [vec![13.0], vec![2.0, 0.0, 2.0, 2.0, 2.0, 0.0]]);
}

#[test]
fn extremes() {
    let of = source("softmax");
    let ties = at(of, "largest_vjp", &[4], &[&[1.0, 7.0, 7.0, 0.0], &[2.0]]);
    assert_eq!(ties, [vec![7.0], vec![0.0, 2.0, 0.0, 0.0]]);
    for x in [1e300, -1e300] {
        assert_eq!(at(of, "lse_grad", &[2], &[&[x, x]]), [[0.5, 0.5]]);
        assert!(at(of, "lse", &[2], &[&[x, -x]])[0][0].is_finite());
    }
    assert_eq!(at(source("masked is never"), "roots_grad", &[3], &[&[0.0, -1.0, 4.0]]), [[0.0, 0.0, 0.25]]);
}

/// The mixture of Gaussians of ADBench, its factors packed by rows.
const MIXTURE: &str = r"
fn gmm<n, k, d>(
    alpha: [f64; k], mu: [f64; k, d], q: [f64; k, d], l: [f64; k, d * (d - 1) / 2], x: [f64; n, d], gamma: f64, m: f64,
) -> f64 {
    let eq = for c in 0..k, a in 0..d { q[c, a].exp() };
    let log_det = for c in 0..k { sum a in 0..d { q[c, a] } };
    let fits = sum i in 0..n {
        logsumexp c in 0..k {
            let r = for a in 0..d { x[i, a] - mu[c, a] };
            let z = for a in 0..d { eq[c, a] * r[a] + sum b in 0..a { l[c, a * (a - 1) / 2 + b] * r[b] } };
            alpha[c] + log_det[c] - 0.5 * sum a in 0..d { z[a].powi(2) }
        }
    };
    let prior = sum c in 0..k {
        let squares = (sum a in 0..d { eq[c, a].powi(2) }) + sum j { l[c, j].powi(2) };
        0.5 * gamma * gamma * squares - m * log_det[c]
    };
    let normalizer = logsumexp c in 0..k { alpha[c] };
    fits - (n as f64) * normalizer + prior
}
fn gmm_grad = value_and_grad(gmm, alpha, mu, q, l);
";

#[test]
fn packed_mixture() {
    let (value, gradient) = (function(MIXTURE, "gmm"), function(MIXTURE, "gmm_grad"));
    for sizes in [[5, 3, 4], [20, 5, 10]] {
        let args = arguments(&value, &sizes);
        let (_, costs) = run(&value, &sizes, &args);
        let (_, gradient_costs) = run(&gradient, &sizes, &args);
        for (f, df) in costs.iter().zip(gradient_costs) {
            assert!(df <= 4 * f, "the gradient costs {df}, the value {f} at {sizes:?}");
        }
    }
}
