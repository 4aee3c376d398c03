//! Transforms against central differences, and what went wrong elsewhere: masks, ties, zero bases, axes.

use tensor_core::eval::{self, Tensor};
use tensor_core::index::Atom;
use tensor_core::{analyze, normal_forms, ssa};

/// The functions of a block, in normal form.
fn block(source: &str) -> impl Fn(&str) -> ssa::Function {
    let block = analyze(source.parse().expect("tokens"));
    let block = block.unwrap_or_else(|e| panic!("{source}\n{:?}", e.0));
    let all = normal_forms(&block);
    move |name| {
        let k = block.functions.iter().position(|f| f.name == name);
        all[k.unwrap_or_else(|| panic!("no {name}"))].clone().expect("a normal form")
    }
}

fn shape(f: &ssa::Function, array: ssa::ArrayId, sizes: &[i64]) -> Vec<usize> {
    let size = |t: &Atom| match t {
        Atom::Size(k) => sizes[*k as usize],
        Atom::Index(_) | Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => 0,
    };
    f.array(array).extents.iter().map(|e| usize::try_from(e.eval(&size)).expect("a length")).collect()
}

fn run(f: &ssa::Function, sizes: &[i64], args: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let leaf =
        |(p, data): (&ssa::ArrayId, &Vec<f64>)| Tensor { shape: shape(f, *p, sizes), data: data.clone() };
    assert_eq!(f.params.len(), args.len(), "arguments");
    let args: Vec<Tensor> = f.params.iter().zip(args).map(leaf).collect();
    let (out, _) = eval::ssa::run(f, sizes, &args).expect("it runs");
    out.into_iter().map(|t| t.data).collect()
}

fn random(f: &ssa::Function, sizes: &[i64], seed: u64) -> Vec<Vec<f64>> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let one =
        |p: &ssa::ArrayId| (0..shape(f, *p, sizes).iter().product()).map(|_| rng.f64() * 2.0 - 0.8).collect();
    f.params.iter().map(one).collect()
}

/// By element `e` of leaf `x`.
fn difference(f: &ssa::Function, sizes: &[i64], args: &[Vec<f64>], x: usize, e: usize) -> Vec<Vec<f64>> {
    let h = 1e-5;
    let at = |h: f64| {
        let mut args = args.to_vec();
        args[x][e] += h;
        run(f, sizes, &args)
    };
    let slope = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| (a - b) / (2.0 * h)).collect();
    at(h).iter().zip(&at(-h)).map(slope).collect()
}

fn assert_close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-6 * (1.0 + expected.abs()), "{what}: {found} for {expected}");
}

const SECOND: &str = include_str!("../programs/second.txt");

/// The blocks of a matrix of derivatives are the differences of its function.
#[test]
fn matrices_are_differences() {
    let source = format!(
        "{SECOND} fn rosenbrock_grad = grad(rosenbrock); fn squares_grad = grad(squares);
         fn energy_grad = grad(energy, x); fn pair_grad = grad(pair);"
    );
    let of = block(&source);
    let cases: [(&str, &str, &[usize]); 9] = [
        ("rosenbrock_grad", "rosenbrock_hessian", &[0]),
        ("rosenbrock_hessian", "third", &[0]),
        ("squares_grad", "squares_hessian", &[0]),
        ("conv", "conv_by_x", &[0]),
        ("conv", "conv_by_both", &[0, 1]),
        ("layer", "layer_by_x", &[1]),
        ("layer", "layer_by_w", &[0, 2]),
        ("energy_grad", "energy_hessian", &[0]),
        ("pair_grad", "pair_hessian", &[0, 1]),
    ];
    for (f, matrix, wrt) in cases {
        // Fewer rows, then fewer columns.
        for sizes in [[2, 4], [5, 2], [3, 3]] {
            let (g, matrix_f) = (of(f), of(matrix));
            let args = random(&g, &sizes, 3);
            let found = run(&matrix_f, &sizes, &args);
            for (c, x) in wrt.iter().enumerate() {
                for e in 0..args[*x].len() {
                    for (r, column) in difference(&g, &sizes, &args, *x, e).iter().enumerate() {
                        let block = &found[r * wrt.len() + c];
                        for (k, expected) in column.iter().enumerate() {
                            assert_close(block[k * args[*x].len() + e], *expected, matrix);
                        }
                    }
                }
            }
        }
    }
}

const SYMMETRIC: &str = include_str!("../programs/symmetric.txt");

/// Hessians of which half is computed: they are those differences too. What is mirrored, element by element, is equal to its transpose bit for
/// bit.
#[test]
fn halves_are_the_whole() {
    let source = format!(
        "{SYMMETRIC} fn logistic_grad = grad(logistic, w); fn pairs_grad = grad(pairs); fn blurred_grad = grad(blurred, w);
         fn both_grad = grad(blurred); fn network_grad = grad(network, w);
         fn ridge_grad = grad(ridge, w); fn classes_grad = grad(classes, w);"
    );
    let of = block(&source);
    let cases: [(&str, &str, &[usize], &[i64]); 7] = [
        ("logistic_grad", "logistic_hessian", &[2], &[4, 3]),
        ("ridge_grad", "ridge_hessian", &[2], &[4, 3]),
        ("pairs_grad", "pairs_hessian", &[0], &[4]),
        ("blurred_grad", "blurred_hessian", &[1], &[5, 4]),
        ("both_grad", "blurred_by_both", &[0, 1], &[4, 3]),
        ("network_grad", "network_hessian", &[1], &[3, 2, 3]),
        ("classes_grad", "classes_hessian", &[2], &[4, 3, 4]),
    ];
    for (f, hessian, wrt, sizes) in cases {
        for less in 0..=1 {
            let sizes: Vec<i64> = sizes.iter().map(|n| n - 2 * less).collect();
            let (g, h) = (of(f), of(hessian));
            let args = random(&g, &sizes, 4);
            let found = run(&h, &sizes, &args);
            let length = |k: usize| args[wrt[k]].len();
            let at = |r: usize, c: usize, i: usize, k: usize| found[r * wrt.len() + c][i * length(c) + k];
            for (c, x) in wrt.iter().enumerate() {
                for k in 0..length(c) {
                    let column = difference(&g, &sizes, &args, *x, k);
                    for (r, column) in column.iter().enumerate() {
                        for (i, expected) in column.iter().enumerate() {
                            assert_close(at(r, c, i, k), *expected, hessian);
                            let is_mirrored = ["blurred", "logistic", "ridge", "classes"]
                                .iter()
                                .any(|f| hessian.starts_with(f));
                            if r == c && is_mirrored {
                                assert_eq!(at(r, r, i, k).to_bits(), at(r, r, k, i).to_bits(), "{hessian}");
                            }
                        }
                    }
                }
            }
        }
    }
}

/// `H v` is the difference of the gradient along v, and nothing but another name for the `jvp` of it.
#[test]
fn products_with_a_hessian() {
    let source = format!("{SECOND} fn energy_grad = grad(energy, x, stiffness);");
    let of = block(&source);
    let sizes = [4, 1];
    let (hvp, nested) = (of("rosenbrock_hvp"), of("nested"));
    let args = random(&hvp, &sizes, 5);
    assert_eq!(run(&hvp, &sizes, &args), run(&nested, &sizes, &args));
    let hvp = of("energy_hvp");
    let args = random(&hvp, &sizes, 6);
    let found = run(&hvp, &sizes, &args);
    let gradient = of("energy_grad");
    let h = 1e-5;
    let shifted = |h: f64| {
        let mut at = args[..3].to_vec();
        at[0].iter_mut().zip(&args[3]).for_each(|(x, d)| *x += h * d);
        at[1][0] += h * args[4][0];
        run(&gradient, &sizes, &at)
    };
    for (k, (up, down)) in shifted(h).iter().zip(&shifted(-h)).enumerate() {
        for (e, (a, b)) in up.iter().zip(down).enumerate() {
            assert_close(found[2 + k][e], (a - b) / (2.0 * h), "energy_hvp");
        }
    }
}

/// `⟨ȳ, A x⟩ = ⟨Aᵀ ȳ, x⟩`, and the transpose of the transpose is the function, in as many operations.
#[test]
fn transposes() {
    let of = block(SECOND);
    let dot = |a: &[f64], b: &[f64]| {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>()
    };
    for (f, transpose, sizes) in
        [("conv", "conv_transpose", [4, 3]), ("average", "average_transpose", [6, 1])]
    {
        let (f, t) = (of(f), of(transpose));
        let (args, bars) = (random(&f, &sizes, 1), random(&t, &sizes, 2));
        let y = run(&f, &sizes, &args);
        let x_bar = run(&t, &sizes, &[args[1].clone(), bars[1].clone()]);
        assert_close(dot(&bars[1], &y[0]), dot(&x_bar[0], &args[0]), transpose);
    }
    let (f, twice, sizes) = (of("conv"), of("conv_twice"), [4, 3]);
    let args = random(&f, &sizes, 1);
    assert_eq!(run(&f, &sizes, &args), run(&twice, &sizes, &[args[1].clone(), args[0].clone()]));
    let cost = |f| tensor_core::cost::polynomial(f).to_string();
    assert_eq!(cost(&f), cost(&twice));
}

/// `grad(e, x)` within expressions: functions that say the same by hand.
#[test]
fn derivatives_within_expressions() {
    let source = include_str!("../programs/within.txt");
    let by_hand = "
        fn square(x: f64) -> f64 { 2.0 * x }
        fn cubes<n>(x: [f64; n]) -> [f64; n] { for i { 3.0 * x[i].powi(2) } }
        fn each<n>(x: [f64; n]) -> [f64; n] { for i { x[i].cos() * x[i] } }
        fn summed<n>(x: [f64; n], u: [f64; n]) -> f64 { sum i { 3.0 * u[i] * x[i].powi(2) } }
        fn triangle<n>(x: [f64; n]) -> [f64; n] { for i if i > 0 { x[i - 1].cos() * x[i] } }
        fn twice<n>(x: [f64; n]) -> [f64; n] { for i { 6.0 * x[i] } }
        fn masked<n>(x: [f64; n]) -> [f64; n] { for i if x[i] > 0.0 { 0.5 / x[i].sqrt() } }
        fn tuple<n>(p: ([f64; n], f64)) -> ([f64; n], f64) { (for i in 0..n { p.1 }, sum i { p.0[i] }) }
        fn constant<n>(x: [f64; n]) -> f64 { sum i { x[i] * x[i] } }
        fn newton(a: f64) -> f64 { a - (a * a - a) / (4.0 * a) }
        fn newton_grad(a: f64) -> f64 { 0.75 + 0.0 * a }
        fn penalty<n>(w: [f64; n], x: [f64; n]) -> f64 {
            let y = for i { (w[i] * x[i]).tanh() };
            sum i { y[i] + (w[i] * (1.0 - y[i].powi(2))).powi(2) }
        }
        fn penalty_grad = value_and_grad(penalty, w);
        fn sizes<n>(x: [f64; n]) -> f64 where n >= 1 { max i { 2.0 * x[i] * x[0] } }";
    let (found, expected) = (block(source), block(by_hand));
    for name in
        by_hand.split("fn ").skip(1).map(|f| f.split(|c: char| !c.is_alphanumeric() && c != '_').next())
    {
        let name = name.expect("a name");
        let (f, g) = (found(name), expected(name));
        for seed in 0..3 {
            let args = random(&f, &[4], seed);
            let (found, expected) = (run(&f, &[4], &args), run(&g, &[4], &args));
            let lengths = |of: &[Vec<f64>]| of.iter().map(Vec::len).collect::<Vec<_>>();
            assert_eq!(lengths(&found), lengths(&expected), "{name}");
            for (a, b) in found.iter().flatten().zip(expected.iter().flatten()) {
                assert_close(*a, *b, name);
            }
        }
    }
}

/// A program whose last function is `g`, at arguments; what comes out, exactly.
type Case = (&'static str, &'static [i64], &'static [&'static [f64]], &'static [&'static [f64]]);

#[rustfmt::skip]
const CASES: &[Case] = &[
    // What a mask hides is not differentiated, whatever it would be.
    ("fn f<n>(x: [f64; n]) -> f64 { sum i { [x[i] > 0.0] * x[i].sqrt() } } fn g = grad(f);", &[2], &[&[0.0, 4.0]], &[&[0.0, 0.25]]),
    ("fn f<n>(x: [f64; n]) -> f64 { sum i { [x[i] > 0.0] * x[i].sqrt() } } fn g = hessian(f);", &[2], &[&[0.0, 4.0]], &[&[0.0, 0.0, 0.0, -0.03125]]),
    ("fn f<n>(x: [f64; n]) -> f64 { sum i { let q = x[i].ln(); [x[i] > 0.0] * q } } fn g = hvp(f);", &[2], &[&[0.0, 2.0], &[1.0, 1.0]], &[&[0.0, 0.5], &[0.0, -0.25]]),
    ("fn f<n>(x: [f64; n]) -> [f64; n] { for i if x[i] > 0.0 { 1.0 / x[i] } } fn g = jacobian(f);", &[2], &[&[0.0, 2.0]], &[&[0.0, 0.0, 0.0, -0.25]]),
    ("fn f(x: f64) -> f64 { if x != 0.0 { x.sin() / x } else { 1.0 } } fn g = grad(f);", &[], &[&[0.0]], &[&[0.0]]),
    ("fn f<n>(x: [f64; n]) -> f64 { let s = sum i { x[i] * x[i] }; if s > 0.0 { s.sqrt() } else { 0.0 } } fn g = grad(f);", &[2], &[&[0.0, 0.0]], &[&[0.0, 0.0]]),
    ("fn f<n>(x: [f64; n]) -> f64 { let s = sum i { x[i] * x[i] }; [s > 0.0] * s.sqrt() } fn g = hessian(f);", &[2], &[&[0.0, 0.0]], &[&[0.0; 4]]),
    ("fn f<n>(x: [f64; n], m: [f64; n]) -> f64 { sum i { if m[i] > 0.0 { x[i].exp() / m[i] } else { 0.0 } } } fn g = grad(f, x);", &[2], &[&[1e9, 0.0], &[0.0, 1.0]], &[&[0.0, 1.0]]),
    ("fn f<n>(x: [f64; n]) -> f64 { logsumexp i in 0..n if x[i] > 0.0 { x[i] } } fn g = grad(f);", &[2], &[&[-1.0, 3.0]], &[&[0.0, 1.0]]),
    ("fn f<n>(x: [f64; n]) -> f64 { logsumexp i { x[i] } } fn g = grad(f);", &[2], &[&[1e300, -1e300]], &[&[1.0, 0.0]]),
    ("fn f<n>(x: [f64; n], u: [f64; n, n]) -> f64 { let q = for i { x[i].ln() }; sum i, j { [u[i, j] > 0.0] * q[i] } } fn g = grad(f, x);", &[2], &[&[0.0, 2.0], &[0.0, 0.0, 1.0, 1.0]], &[&[0.0, 1.0]]),
    ("fn f(x: f64) -> f64 { let s = x.sqrt(); [x > 1.0] * s } fn g(x: f64) -> f64 { grad(f(x), x) }", &[], &[&[0.0]], &[&[0.0]]),
    // Repeated factors.
    ("fn f<n>(a: [f64; n], b: [f64; n]) -> f64 { sum i { a[i].powi(2) * b[i].powi(2) } } fn g = grad(f);", &[1], &[&[3.0], &[2.0]], &[&[24.0], &[36.0]]),
    ("fn f(x: f64) -> f64 { x * x * x * x } fn g = hessian(f);", &[], &[&[2.0]], &[&[48.0]]),
    // Powers at zero.
    ("fn f(x: f64) -> f64 { x.powi(0) } fn g = value_and_grad(f);", &[], &[&[0.0]], &[&[1.0], &[0.0]]),
    ("fn f(x: f64) -> f64 { x.powi(1) } fn g = value_and_grad(f);", &[], &[&[0.0]], &[&[0.0], &[1.0]]),
    ("fn f(x: f64) -> f64 { x.powi(2) } fn g = hessian(f);", &[], &[&[0.0]], &[&[2.0]]),
    ("fn f<n>(x: f64, c: [f64; n]) -> f64 { sum k { c[k] * x.powi(k) } } fn g = value_and_grad(f, x);", &[3], &[&[0.0], &[5.0, 7.0, 9.0]], &[&[5.0], &[7.0]]),
    ("fn f<n>(x: f64, c: [f64; n]) -> f64 { sum k { c[k] * x.powi(k) } } fn g = hessian(f, x);", &[3], &[&[0.0], &[5.0, 7.0, 9.0]], &[&[18.0]]),
    ("fn f(x: f64, y: f64) -> f64 { x.powf(y) } fn g = grad(f);", &[], &[&[0.0], &[2.0]], &[&[0.0], &[0.0]]),
    ("fn f(x: f64, y: f64) -> f64 { x.powf(y) } fn g = grad(f);", &[], &[&[0.0], &[1.0]], &[&[1.0], &[0.0]]),
    ("fn f(x: f64, y: f64) -> f64 { x.powf(y) } fn g = grad(f);", &[], &[&[0.0], &[0.0]], &[&[0.0], &[0.0]]),
    ("fn f(x: f64, y: f64) -> f64 { x.powf(y) } fn g = grad(f, x);", &[], &[&[-2.0], &[2.0]], &[&[-4.0]]),
    // The axes.
    ("fn f(y: f64, x: f64) -> f64 { y.atan2(x) } fn g = grad(f);", &[], &[&[0.0], &[2.0]], &[&[0.5], &[0.0]]),
    ("fn f(y: f64, x: f64) -> f64 { y.atan2(x) } fn g = grad(f);", &[], &[&[2.0], &[0.0]], &[&[0.0], &[-0.5]]),
    ("fn f(y: f64, x: f64) -> f64 { y.atan2(x) } fn g = grad(f);", &[], &[&[0.0], &[0.0]], &[&[0.0], &[0.0]]),
    ("fn f(x: f64, y: f64) -> f64 { x.hypot(y) } fn g = grad(f);", &[], &[&[0.0], &[-3.0]], &[&[0.0], &[-1.0]]),
    ("fn f(x: f64, y: f64) -> f64 { x.hypot(y) } fn g = grad(f);", &[], &[&[0.0], &[0.0]], &[&[0.0], &[0.0]]),
    // Kinks and ties.
    ("fn f(x: f64) -> f64 { x.abs() } fn g = grad(f);", &[], &[&[0.0]], &[&[0.0]]),
    ("fn f(x: f64, y: f64) -> f64 { max(x, y) } fn g = grad(f);", &[], &[&[1.0], &[1.0]], &[&[1.0], &[0.0]]),
    ("fn f(x: f64, y: f64) -> f64 { min(x, y) } fn g = grad(f);", &[], &[&[1.0], &[1.0]], &[&[1.0], &[0.0]]),
    ("fn f<n>(x: [f64; n]) -> f64 { max i { x[i] } } fn g = grad(f);", &[3], &[&[1.0, 2.0, 2.0]], &[&[0.0, 1.0, 0.0]]),
    ("fn f<n>(x: [f64; n]) -> [f64; n] { for i { max(x[i], 0.0) } } fn g = jacobian(f);", &[2], &[&[0.0, -1.0]], &[&[1.0, 0.0, 0.0, 0.0]]),
    // Arguments that are unused, and used twice; the constant, and the identity.
    ("fn f<n>(x: [f64; n], y: f64) -> f64 { sum i { x[i] } } fn g = grad(f);", &[2], &[&[3.0, 4.0], &[5.0]], &[&[1.0, 1.0], &[0.0]]),
    ("fn f<n>(x: [f64; n], y: f64) -> f64 { sum i { x[i] } } fn g = hessian(f, y);", &[2], &[&[3.0, 4.0], &[5.0]], &[&[0.0]]),
    ("fn p<n>(a: [f64; n], b: [f64; n]) -> f64 { sum i { a[i] * b[i] } } fn f<n>(x: [f64; n]) -> f64 { p(x, x) } fn g = grad(f);", &[2], &[&[3.0, 4.0]], &[&[6.0, 8.0]]),
    ("fn p<n>(a: [f64; n], b: [f64; n]) -> f64 { sum i { a[i] * b[i] } } fn q = grad(p, a); fn g<n>(x: [f64; n]) -> [f64; n] { q(x, x) }", &[2], &[&[3.0, 4.0]], &[&[3.0, 4.0]]),
    ("fn f<n>(x: [f64; n]) -> f64 { 3.0 } fn g = grad(f);", &[2], &[&[3.0, 4.0]], &[&[0.0, 0.0]]),
    ("fn f<n>(x: [f64; n]) -> [f64; 2] { [1.0, 2.0] } fn g = jacobian(f);", &[2], &[&[3.0, 4.0]], &[&[0.0; 4]]),
    ("fn f<n>(x: [f64; n]) -> [f64; n] { x } fn g = jacobian(f);", &[2], &[&[3.0, 4.0]], &[&[1.0, 0.0, 0.0, 1.0]]),
    ("fn f<n>(x: [f64; n]) -> [f64; n] { x } fn g = transpose(f);", &[2], &[&[3.0, 4.0]], &[&[3.0, 4.0]]),
    ("fn f(x: f64) -> f64 { x } fn g = hvp(f);", &[], &[&[3.0], &[4.0]], &[&[1.0], &[0.0]]),
    ("fn f<n>(x: [f64; n], y: f64) -> f64 { y } fn g<n>(x: [f64; n], y: f64) -> [f64; n] { grad(f(x, y), x) }", &[2], &[&[3.0, 4.0], &[5.0]], &[&[0.0, 0.0]]),
    // Third derivatives.
    ("fn f(x: f64) -> f64 { x.powi(5) } fn g = jacobian(hessian(f));", &[], &[&[2.0]], &[&[240.0]]),
    ("fn f(x: f64, y: f64) -> f64 { x.powi(3) * y.powi(2) } fn g = jacobian(hessian(f, x), y);", &[], &[&[2.0], &[3.0]], &[&[72.0]]),
    ("fn f(x: f64) -> f64 { x.recip() } fn g(x: f64) -> f64 { let a = grad(f(x), x); let b = grad(a, x); grad(b, x) }", &[], &[&[1.0]], &[&[-6.0]]),
    ("fn f<n>(x: [f64; n]) -> f64 { sum i { x[i].exp() } } fn g = jacobian(hessian(f));", &[2], &[&[0.0, 0.0]], &[&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]),
];

#[test]
fn masks_ties_and_zeros() {
    for (source, sizes, args, expected) in CASES {
        let f = block(source)("g");
        let args: Vec<Vec<f64>> = args.iter().map(|a| a.to_vec()).collect();
        let found = run(&f, sizes, &args);
        assert_eq!(found, expected.iter().map(|e| e.to_vec()).collect::<Vec<_>>(), "{source}");
        let simple = tensor_core::simplify::erase_stops(f);
        assert_eq!(run(&simple, sizes, &args), found, "{source}");
    }
}

/// What sparsity saves: operations at two sizes, which grow with the size alone.
#[test]
fn one_hot_sparsity_is_kept() {
    let of = block(SECOND);
    let linear = |name: &str, each: u64| {
        let f = of(name);
        let cost = |n: i64| {
            let args: Vec<Tensor> = random(&f, &[n, 1], 1)
                .into_iter()
                .zip(&f.params)
                .map(|(data, p)| Tensor { shape: shape(&f, *p, &[n, 1]), data })
                .collect();
            eval::ssa::run(&f, &[n, 1], &args).expect("it runs").1
        };
        let (small, large) = (cost(10), cost(40));
        assert!(large - small <= 30 * each, "{name}: {small}, then {large}");
    };
    linear("squares_hessian", 0);
    linear("rosenbrock_hessian", 20);
    linear("third", 20);
    linear("conv_by_x", 0);
    linear("energy_hessian", 200);
}

tensor_rt::tensor! {
    fn energy_of<n>(p: ([f64; n],)) -> (f64,) { (sum i { p.0[i] * p.0[i] },) }
    fn energy_of_vjp = vjp(energy_of);
}

/// Of a parameter and of a result.
#[test]
fn tuples_of_one() {
    assert_eq!(energy_of((&[1.0, 2.0],)).unwrap(), (5.0,));
    let (value, (by_p,)) = energy_of_vjp((&[1.0, 2.0],), (3.0,)).unwrap();
    assert_eq!((value, by_p.to_vec()), ((5.0,), vec![6.0, 12.0]));
}
