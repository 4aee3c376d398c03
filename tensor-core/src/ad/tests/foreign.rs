//! Functions of Rust over tensors: every derivative against differences, at every stage.

use crate::eval::{Tensor, outer, ssa, typed};
use crate::index::Atom;
use crate::loops::eval::run;
use crate::schedule::schedule;
use crate::simplify::erase_stops;
use crate::ssa::display::display;
use crate::ssa::{Function, verify::verify};
use crate::typed::Block;
use std::rc::Rc;

type Foreign = Rc<dyn Fn(&[Tensor]) -> Vec<Tensor>>;

/// `Σ_j A[i, j] b[j]²`: everything that derivatives of it are is a polynomial.
fn squares(x: &[Tensor]) -> Vec<Tensor> {
    let (a, b) = (&x[0], &x[1].data);
    let n = b.len();
    let one = |i: usize| (0..n).map(|j| a.data[i * n + j] * b[j] * b[j]).sum();
    vec![Tensor::from_fn(&[n], one)]
}

/// `y[i] = Σ_j cos(i j) x[j]`, which is symmetric.
fn cosines(x: &[Tensor]) -> Vec<Tensor> {
    let n = x[0].data.len();
    let one = |i: usize| x[0].data.iter().enumerate().map(|(j, x)| ((i * j) as f64).cos() * x).sum();
    vec![Tensor::from_fn(&[n], one)]
}

/// `(s x, s Σ x²)`
fn mixed(x: &[Tensor]) -> Vec<Tensor> {
    let (a, s, b) = (&x[0].data, x[1].data[0], &x[2].data);
    let y = Tensor::from_fn(&[a.len()], |i| s * a[i] * b[i]);
    let total = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
    vec![y, Tensor::scalar(total(a) * s), Tensor::scalar(total(b))]
}

fn pair(x: &[Tensor]) -> Vec<Tensor> {
    let s = x[1].data[0];
    let scaled = Tensor { shape: x[0].shape.clone(), data: x[0].data.iter().map(|x| s * x).collect() };
    vec![scaled, Tensor::scalar(s * x[0].data.iter().map(|x| x * x).sum::<f64>())]
}

/// By differences along a direction.
fn jvp_of(f: Foreign) -> Foreign {
    Rc::new(move |all| {
        let (x, d) = all.split_at(all.len() / 2);
        let at = |h: f64| {
            let step = |(x, d): (&Tensor, &Tensor)| Tensor {
                shape: x.shape.clone(),
                data: x.data.iter().zip(&d.data).map(|(x, d)| x + h * d).collect(),
            };
            f(&x.iter().zip(d).map(step).collect::<Vec<_>>())
        };
        let h = 1e-3;
        let (up, down) = (at(h), at(-h));
        let slope = |(a, b): (&Tensor, &Tensor)| Tensor {
            shape: a.shape.clone(),
            data: a.data.iter().zip(&b.data).map(|(a, b)| (a - b) / (2.0 * h)).collect(),
        };
        up.iter().zip(&down).map(slope).collect()
    })
}

/// The function of so many arguments transposed, one direction after the other.
fn vjp_of(f: Foreign, count: usize) -> Foreign {
    let jvp = jvp_of(f);
    Rc::new(move |all| {
        let (x, bars) = all.split_at(count);
        let zeros: Vec<Tensor> = x.iter().map(|x| Tensor::from_fn(&x.shape, |_| 0.0)).collect();
        let one = |k: usize, e: usize| {
            let mut d = zeros.clone();
            d[k].data[e] = 1.0;
            let y_dot = jvp(&[x, &d].concat());
            y_dot.iter().zip(bars).flat_map(|(y, b)| y.data.iter().zip(&b.data)).map(|(y, b)| y * b).sum()
        };
        x.iter().enumerate().map(|(k, x)| Tensor::from_fn(&x.shape, |e| one(k, e))).collect()
    })
}

/// `y[i] = s² Σ_j A[i, j] x[j]`
fn times(x: &[Tensor]) -> Vec<Tensor> {
    let (x, a, s) = (&x[0].data, &x[1].data, x[2].data[0]);
    let n = x.len();
    vec![Tensor::from_fn(&[n], |i| (0..n).map(|j| s * s * a[i * n + j] * x[j]).sum())]
}

/// `(s x[i] p[i]², s)`: nothing is said of its derivative by x.
fn halves(x: &[Tensor]) -> Vec<Tensor> {
    let (x, p, s) = (&x[0].data, &x[1].data, x[2].data[0]);
    vec![Tensor::from_fn(&[x.len()], |i| s * x[i] * p[i] * p[i]), Tensor::scalar(s)]
}

/// A derivative of a function, of which these arguments vary: `all` without what else it is given, and a direction of each of them.
fn by_some(derivative: Foreign, by: &'static [usize], count: usize) -> Foreign {
    Rc::new(move |all| {
        let (x, d) = (&all[..count], &all[all.len() - by.len()..]);
        let zero = |x: &Tensor| Tensor::from_fn(&x.shape, |_| 0.0);
        let direction =
            |k: usize| by.iter().position(|b| *b == k).map_or_else(|| zero(&x[k]), |p| d[p].clone());
        derivative(&[x.to_vec(), (0..count).map(direction).collect()].concat())
    })
}

/// The cotangents of these arguments, of so many results given their cotangents; what is given besides is left out.
fn back_to_some(vjp: Foreign, by: &'static [usize], (count, results): (usize, usize)) -> Foreign {
    Rc::new(move |all| {
        let bars = &all[all.len() - results..];
        let out = vjp(&[&all[..count], bars].concat());
        by.iter().map(|k| out[*k].clone()).collect()
    })
}

fn register_partial() {
    let (times, halves): (Foreign, Foreign) = (Rc::new(times), Rc::new(halves));
    let (times_jvp, times_vjp) = (jvp_of(times.clone()), vjp_of(times.clone(), 3));
    register("times", &times);
    register("times_jvp", &times_jvp);
    register("times_vjp", &back_to_some(times_vjp.clone(), &[0, 1, 2], (3, 1)));
    register("times_by_s", &by_some(times_jvp, &[2], 3));
    register("times_back_to_s", &back_to_some(times_vjp.clone(), &[2], (3, 1)));
    let back: Foreign = Rc::new(move |all| {
        let x = Tensor::from_fn(&all[2].shape, |_| 0.0);
        vec![times_vjp(&[x, all[0].clone(), all[1].clone(), all[2].clone()]).remove(0)]
    });
    register("times_back", &back);
    register("halves", &halves);
    register("halves_by_p", &by_some(jvp_of(halves.clone()), &[1, 2], 3));
    register("halves_back_to_p", &back_to_some(vjp_of(halves, 3), &[1, 2], (3, 2)));
}

fn register(path: &str, f: &Foreign) {
    let f = f.clone();
    outer::register(path, move |x| f(x));
}

fn register_all() {
    register_partial();
    let squares: Foreign = Rc::new(squares);
    let jvp = jvp_of(squares.clone());
    let vjp = vjp_of(squares.clone(), 2);
    register("squares_jvp_jvp", &jvp_of(jvp.clone()));
    register("squares_jvp_vjp", &vjp_of(jvp.clone(), 4));
    register("squares_vjp_jvp", &jvp_of(vjp.clone()));
    register("squares_vjp_vjp", &vjp_of(vjp.clone(), 3));
    register("squares", &squares);
    register("squares_jvp", &jvp);
    register("squares_vjp", &vjp);
    register("cosines", &(Rc::new(cosines) as Foreign));
    let mixed: Foreign = Rc::new(mixed);
    register("mixed_jvp", &jvp_of(mixed.clone()));
    register("mixed_vjp", &vjp_of(mixed.clone(), 3));
    register("mixed", &mixed);
    let pair: Foreign = Rc::new(pair);
    register("pair_jvp", &jvp_of(pair.clone()));
    register("pair_vjp", &vjp_of(pair.clone(), 2));
    register("pair", &pair);
}

const DECLARED: &str = "
    extern fn squares<n>(a: [f64; n, n], b: [f64; n]) -> [f64; n] { jvp = squares_jvp, vjp = squares_vjp }
    extern fn squares_jvp<n>(a: [f64; n, n], b: [f64; n], p: [f64; n, n], q: [f64; n]) -> [f64; n]
        { jvp = squares_jvp_jvp, vjp = squares_jvp_vjp }
    extern fn squares_vjp<m>(a: [f64; m, m], b: [f64; m], c: [f64; m]) -> ([f64; m, m], [f64; m])
        { jvp = squares_vjp_jvp, vjp = squares_vjp_vjp }
    extern fn cosines<n>(x: [f64; n]) -> [f64; n] { transpose = cosines }
    extern fn pair<n>(x: [f64; n], s: f64) -> ([f64; n], f64) { jvp = pair_jvp, vjp = pair_vjp }
    extern fn times<n>(x: [f64; n], a: [f64; n, n], s: f64) -> [f64; n]
        { transpose(x) = times_back, jvp(s, result) = times_by_s, vjp(s, result) = times_back_to_s, jvp = times_jvp, vjp(result) = times_vjp }
    extern fn mixed<n>(q: ([f64; n], (f64, [f64; n]))) -> ([f64; n], (f64, f64)) { jvp = mixed_jvp, vjp = mixed_vjp }
    extern fn halves<n>(x: [f64; n], p: [f64; n], s: f64) -> ([f64; n], f64) { jvp(p, s) = halves_by_p, vjp(p, s) = halves_back_to_p }
";

/// Programs with one function `f`.
const PROGRAMS: &[&str] = &[
    "fn f<n>(a: [f64; n, n], b: [f64; n]) -> f64 { let x = squares(a, b); sum i { x[i] * x[i] } }",
    // Twice, at another place, and used as a whole.
    "fn f<n>(a: [f64; n, n], b: [f64; n]) -> [f64; n] { squares(a, squares(a, b)) + squares(a, b) }",
    // Of views: transposed, computed, constant.
    "fn f<n>(a: [f64; n, n], b: [f64; n]) -> [f64; n] { squares(for i, j { a[j, i] }, for i { b[i].sin() }) }",
    "fn f<n>(b: [f64; n]) -> [f64; n] { squares(for i in 0..n, j in 0..n { [i <= j] * b[i] }, [0.5; n]) }",
    "fn f<n>(b: [f64; n]) -> [f64; n] { squares(for i in 0..n, j in 0..n { i as f64 }, b) }",
    // Of a part: one row, and all but the last element.
    "fn f<n>(b: [f64; n + 1, n + 1]) -> [f64; n] { squares(for i in 0..n, j in 0..n { b[i + 1, j] }, for i in 0..n { b[0, i] }) }",
    "fn f<n>(a: [f64; n, n], b: [f64; n, n]) -> f64 where n >= 1 { let x = squares(a, b[0]); x[0] * x[n - 1] }",
    // In loops, some with guards.
    "fn f<n, k>(a: [f64; k, n, n], b: [f64; k, n]) -> [f64; k, n] { for t { squares(a[t], b[t]) } }",
    "fn f<n, k>(a: [f64; n, n], b: [f64; k, n]) -> f64 { sum t in 0..k if 1 <= t { sum i { squares(a, b[t])[i] * b[t - 1, i] } } }",
    "fn f<n>(a: [f64; n, n], b: [f64; n]) -> f64 { sum i { if b[i] > 0.9 { squares(a, b)[i] * b[i] } else { b[i] } } }",
    // In loops whose indices they do not need.
    "fn f<n, k>(a: [f64; n, n], b: [f64; n], c: [f64; k]) -> f64 { sum t in 0..k, i in 0..n { (for t in 0..k { squares(a, b) })[t, i] * c[t] } }",
    "fn f<n, k>(a: [f64; n, n], b: [f64; n], c: [f64; k]) -> [f64; k, n] { for t in 0..k { if t >= 1 { squares(a, b) } else { for i { c[t] * b[i] } } } }",
    "fn f<n, k>(x: [f64; n], c: [f64; k]) -> f64 { sum t in 0..k { sum i { cosines(for i { [t > k] * x[i] })[i] * c[t] } } }",
    // Linear.
    "fn f<n>(x: [f64; n]) -> f64 { let y = cosines(x); sum i { y[i] * y[i] * x[i] } }",
    "fn f<n, k>(x: [f64; k, n]) -> [f64; n, k] { let y = for t { cosines(x[t]) }; for i { cosines(for t in 0..k { y[t, i] }) } }",
    // Lengths that are known, beside vectorized loops.
    "fn f<n>(x: [f64; 3], z: [f64; n, 3]) -> f64 { let y = cosines(x); sum i in 0..n, j in 0..3 { (z[i, j] * y[j]).exp() } }",
    "fn f(x: [f64; 3]) -> [f64; 3] { cosines(for i { cosines(x)[i].sin() }) }",
    "fn f<n>(x: [f64; n + 1]) -> [f64; n] { let y = cosines(x); for i in 0..n { y[i + 1] - y[i] } }",
    // A derivative that is given.
    "fn g<n>(x: [f64; n], s: f64) -> [f64; n] { s * cosines(x) }
     fn g_dot<n>(x: [f64; n], s: f64, p: [f64; n], q: f64) -> [f64; n] { let y = cosines(x); cosines(for i { s * p[i] }) + q * y }
     impl jvp(g) = g_dot;
     fn f<n>(x: [f64; n], s: f64) -> f64 { let y = g(x, s); sum i { y[i] * x[i] } }",
    // Several results, numbers.
    "fn f<n>(x: [f64; n], s: f64) -> f64 { let (y, t) = pair(x, s); (sum i { y[i] * x[i] }) * t }",
    "fn f<n>(x: [f64; n], s: f64) -> f64 { let (_, t) = pair(x, s * s); t * s }",
    "fn f<n>(x: [f64; n, n]) -> f64 { sum i { let (y, t) = pair(x[i], x[i, 0]); t * y[0] } }",
    // By some arguments, in which it is linear or not, given its results.
    "fn f<n>(x: [f64; n], a: [f64; n, n], s: f64) -> f64 { let y = times(x, a, s); sum i { y[i] * y[i] } }",
    "fn f<n>(x: [f64; n]) -> [f64; n] { times(for i { x[i].sin() }, for i in 0..n, j in 0..n { 0.1 }, 2.0) }",
    "fn f<n>(s: f64, z: [f64; n]) -> f64 { let y = times(for i in 0..n { 0.3 }, for i in 0..n, j in 0..n { i as f64 }, s * s); sum i { y[i] * y[i] * z[i] } }",
    "fn f<n, k>(x: [f64; k, n], s: f64) -> [f64; k, n] { for t { times(x[t], for i in 0..n, j in 0..n { 0.2 }, s) } }",
    "fn f<n>(z: [f64; n], s: f64) -> f64 { let (y, t) = halves(for i in 0..n { i as f64 }, for i { z[i].cos() }, s); (sum i { y[i] * z[i] }) * t }",
    // With tuples in tuples.
    "fn f<n>(x: [f64; n], s: f64) -> f64 { let (y, (u, v)) = mixed((x, (s, x))); (sum i { y[i] * x[i] }) * u + v }",
    // A derivative within.
    "fn f<n>(a: [f64; n, n], b: [f64; n]) -> f64 { let y = sum i { squares(a, b)[i] }; let g = grad(y, b); sum i { g[i] * g[i] } }",
];

const DERIVED: &str = "
    fn f_jvp = jvp(f);
    fn f_vjp = vjp(f);
    fn f_jacobian = jacobian(f);
";

fn checked(source: &str) -> Block {
    let said = |e: crate::error::Errors| e.0.into_iter().map(|e| e.message).collect::<Vec<_>>();
    let block = crate::analyze(source.parse().expect("tokens"));
    block.unwrap_or_else(|e| panic!("{:#?}\n{source}", said(e)))
}

fn forms(source: &str) -> Vec<Function> {
    crate::normal_forms(&checked(source)).into_iter().flatten().collect()
}

fn find<'a>(all: &'a [Function], name: &str) -> &'a Function {
    all.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("{name}"))
}

fn sizes(f: &Function) -> Vec<i64> {
    f.sizes.iter().map(|s| if s == "k" { 2 } else { 3 }).collect()
}

/// Numbers for the parameters.
fn arguments(f: &Function, seed: u64) -> Vec<Tensor> {
    let (mut random, sizes) = (super::Random(seed), sizes(f));
    let at = |a: &Atom| if let Atom::Size(k) = a { sizes[*k as usize] } else { 0 };
    let shape = |p: &crate::ssa::ArrayId| -> Vec<usize> {
        f.array(*p).extents.iter().map(|e| usize::try_from(e.eval(&at)).expect("an extent")).collect()
    };
    f.params.iter().map(|p| Tensor::from_fn(&shape(p), |_| 0.9 + 0.4 * random.next())).collect()
}

/// The values, by SSA and by loops.
fn evaluate(f: &Function, x: &[Tensor]) -> Vec<Tensor> {
    assert_eq!(verify(f), Ok(()), "{}", display(f));
    let (values, _) = ssa::run(f, &sizes(f), x).unwrap_or_else(|e| panic!("{e}\n{}", display(f)));
    let program = schedule(&erase_stops(f.clone()));
    let leaves: Vec<Vec<f64>> = x.iter().map(|t| t.data.clone()).collect();
    let loops = run(&program, &sizes(f), &leaves, &|_| 0.0);
    let (found, _) = loops.unwrap_or_else(|e| panic!("{e}\n{}\n{program}", display(f)));
    assert_eq!(values.len(), found.len(), "{}", display(f));
    for (a, b) in values.iter().zip(&found) {
        same(&a.data, b, 1e-10, &format!("loops\n{}\n{program}", display(f)));
    }
    values
}

fn same(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= tolerance * (1.0 + x.abs()), "{a:?}\n{b:?}\n{what}");
    }
}

fn data(all: &[Tensor]) -> Vec<f64> {
    all.iter().flat_map(|t| t.data.clone()).collect()
}

fn dot(a: &[Tensor], b: &[Tensor]) -> f64 {
    let shapes = |of: &[Tensor]| of.iter().map(|t| t.shape.clone()).collect::<Vec<_>>();
    assert_eq!(shapes(a), shapes(b));
    data(a).iter().zip(data(b)).map(|(a, b)| a * b).sum()
}

/// `jvp` and `vjp` of `f`, which have these names, against differences and each other.
fn derivatives(all: &[Function], f: &str) {
    let g = find(all, &format!("{f}_jvp"));
    let f_of = find(all, f);
    let y_count = f_of.results.len();
    let x = arguments(g, 5);
    let found = evaluate(g, &x);
    let by_differences = jvp_of({
        let f = f_of.clone();
        Rc::new(move |x: &[Tensor]| ssa::run(&f, &sizes(&f), x).expect("a value").0)
    });
    let what = format!("{}\n{}", display(f_of), display(g));
    same(&data(&found[y_count..]), &data(&by_differences(&x)), 1e-4, &what);
    let (primal, x_dot) = x.split_at(x.len() / 2);
    same(&data(&found[..y_count]), &data(&evaluate(f_of, primal)), 1e-10, &what);
    let h = find(all, &format!("{f}_vjp"));
    let y_bar = arguments(h, 9)[primal.len()..].to_vec();
    let bars = evaluate(h, &[primal, &y_bar].concat());
    let (forward, reverse) = (dot(&found[y_count..], &y_bar), dot(&bars[y_count..], x_dot));
    assert!((forward - reverse).abs() <= 1e-5 * (1.0 + forward.abs()), "{forward} {reverse}\n{}", display(h));
}

/// The typed program and its normal form have one value.
fn means_what_it_says(source: &str) {
    let block = checked(source);
    let k = block.functions.iter().position(|f| f.name == "f").expect("f");
    let f = crate::normal_forms(&block).remove(k).expect("a normal form");
    let x = arguments(&f, 4);
    if !source.contains("grad(") {
        let (values, _) = typed::run(&block, k, &sizes(&f), &x).expect("a value");
        same(&data(&values), &data(&evaluate(&f, &x)), 1e-12, source);
    }
}

#[test]
fn first_derivatives() {
    register_all();
    for program in PROGRAMS {
        println!("{program}");
        let all = forms(&format!("{DECLARED} {program} {DERIVED}"));
        derivatives(&all, "f");
        means_what_it_says(&format!("{DECLARED} {program}"));
        // The Jacobian applied to a direction.
        let j = find(&all, "f_jacobian");
        let x = arguments(find(&all, "f_jvp"), 5);
        let (primal, x_dot) = x.split_at(x.len() / 2);
        let blocks = evaluate(j, primal);
        let y_dot = evaluate(find(&all, "f_jvp"), &x)[find(&all, "f").results.len()..].to_vec();
        assert_eq!(blocks.len(), y_dot.len() * x_dot.len(), "{}", display(j));
        for (row, y_dot) in blocks.chunks(x_dot.len()).zip(&y_dot) {
            let mut sum = vec![0.0; y_dot.data.len()];
            for (block, d) in row.iter().zip(x_dot) {
                for (k, e) in block.data.iter().enumerate() {
                    sum[k / d.data.len()] += e * d.data[k % d.data.len()];
                }
            }
            same(&sum, &y_dot.data, 1e-5, &display(j));
        }
    }
}

#[test]
fn second_derivatives() {
    register_all();
    let more = "fn f_jvp_jvp = jvp(f_jvp); fn f_jvp_vjp = vjp(f_jvp); fn f_vjp_jvp = jvp(f_vjp); fn f_vjp_vjp = vjp(f_vjp);";
    // Of the others second derivatives are not declared.
    let is_linear = |p: &str| !p.contains("times(") || p.contains(", 2.0)");
    let once = ["pair", "grad(", "halves", "mixed"];
    let twice = PROGRAMS.iter().filter(|p| is_linear(p) && !once.iter().any(|u| p.contains(u)));
    assert!(twice.clone().count() >= 16);
    for program in twice {
        println!("{program}");
        let all = forms(&format!("{DECLARED} {program} {DERIVED} {more}"));
        derivatives(&all, "f_jvp");
        derivatives(&all, "f_vjp");
    }
}

/// Whatever reads its results: one of a call is not narrowed apart from the others.
#[test]
fn results_of_a_call_are_computed_once() {
    let f = "fn f<n>(x: [f64; n], s: f64) -> f64 where n >= 1 { let (y, t) = pair(x, s); y[0] + [n > 3] * t.sin() }";
    for f in forms(&format!("{DECLARED} {f}")).iter().filter(|f| f.name == "f") {
        let program = schedule(f).to_string();
        assert_eq!(program.matches("= pair(").count(), 1, "{program}");
    }
}

/// Where no index of a loop is in its arguments, also where these turn out to be numbers.
#[test]
fn calls_that_loops_repeat_are_made_once() {
    let programs = [
        "fn f<n>(x: [f64; n], s: f64, k: usize) -> [f64; k] { for t in 0..k { let (y, t) = pair(x, s); t * s } }",
        "fn f<n, k>(x: [f64; n], s: [f64; k]) -> [f64; k] { for t in 0..k { s[t] * pair(x, [t > k] * s[t]).1 } }",
    ];
    for f in programs {
        let all = forms(&format!("{DECLARED} {f} fn f_vjp = vjp(f);"));
        let calls =
            all.iter().filter(|f| f.name.starts_with('f')).flat_map(|f| f.stmts.iter().map(move |s| (f, s)));
        for (f, s) in calls.filter(|(_, s)| s.call().is_some()) {
            assert!(s.around().is_empty(), "{}", display(f));
        }
    }
}

/// The transforms of a function of Rust itself.
#[test]
fn of_the_function_itself() {
    register_all();
    let all = forms(&format!(
        "{DECLARED} fn f_jvp = jvp(squares); fn f_vjp = vjp(squares); fn turned = transpose(cosines);"
    ));
    let by_calls = forms(&format!(
        "{DECLARED} {} {DERIVED}",
        "fn f<n>(a: [f64; n, n], b: [f64; n]) -> [f64; n] { squares(a, b) }"
    ));
    for name in ["f_jvp", "f_vjp"] {
        assert_eq!(display(find(&all, name)), display(find(&by_calls, name)));
    }
    let x = arguments(find(&all, "turned"), 2);
    assert_eq!(evaluate(find(&all, "turned"), &x), cosines(&x));
}

/// What is printed is a program of the language again, where all that is called is declared.
#[test]
fn what_is_printed_reads_back() {
    register_all();
    let mut read_back = 0;
    // What a derivative that is given makes is no part of the language.
    for program in PROGRAMS.iter().filter(|p| !p.contains("impl")) {
        let all = forms(&format!("{DECLARED} {program} {DERIVED}"));
        for name in ["f", "f_jvp", "f_vjp"] {
            let f = find(&all, name);
            let printed = display(f);
            let undeclared =
                ["pair_jvp", "pair_vjp", "mixed_", "squares_vjp_", "squares_jvp_", "times_", "halves_"];
            if undeclared.iter().any(|name| printed.contains(name)) {
                continue;
            }
            let again = forms(&format!("{DECLARED} {printed}"));
            let (x, g) = (arguments(f, 3), find(&again, name));
            same(&data(&evaluate(g, &x)), &data(&evaluate(f, &x)), 1e-10, &printed);
            read_back += 1;
        }
    }
    assert!(read_back >= 40, "{read_back}");
}
