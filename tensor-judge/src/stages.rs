//! Random programs in stages: each reads those before it near its own place, so that loops are fused and tiled.

use crate::check::Case;
use crate::generate::with_edges;
use fastrand::Rng;
use std::fmt::Write;

/// A function of one or two dimensions in two to five stages; an array, or the sum of its squares.
pub fn case(seed: u64) -> Case {
    let mut rng = Rng::with_seed(seed ^ 0x57a6e);
    let rank = rng.usize(1..3);
    let (shape, range, at) = match rank {
        1 => ("n", "i in 0..n", "i"),
        _ => ("n, m", "i in 0..n, j in 0..m", "i, j"),
    };
    let mut stages = String::new();
    let count = rng.usize(2..6);
    for k in 0..count {
        let from = |rng: &mut Rng| match k {
            0 => "x".to_string(),
            // Mostly the one before.
            _ => format!("a{}", if rng.bool() { k - 1 } else { rng.usize(0..k) }),
        };
        let mut terms: Vec<String> = (0..rng.usize(1..4))
            .map(|_| term(&mut rng, rank, &from(&mut Rng::with_seed(seed + k as u64))))
            .collect();
        if rng.usize(0..3) == 0 {
            terms.push(format!("0.3 * {}[{at}]", from(&mut rng)));
        }
        let sum = terms.join(" + ");
        let value = match rng.usize(0..4) {
            _ if k == 0 => format!("sin({sum}) + 0.1 * exp(cos({sum}))"),
            0 => sum,
            1 => format!("sin({sum}) * cos({sum})"),
            2 => format!("let t = {sum}; t.tanh() * t"),
            _ => format!("({sum}).exp().ln_1p()"),
        };
        writeln!(stages, "    let a{k} = for {range} {{ {value} }};").expect("a string");
    }
    let last = count - 1;
    let (result, end) = match rng.usize(0..3) {
        0 => ("f64".to_string(), format!("sum {range} {{ a{last}[{at}].powi(2) }}")),
        1 => ("f64".to_string(), format!("sum {range} {{ a{last}[{at}].powi(2) + a0[{at}] }}")),
        _ => (format!("[f64; {shape}]"), format!("a{last}")),
    };
    let source = format!(
        "fn f<n, m>(x: [f64; {shape}], y: [f64; m]) -> {result} {{\n{stages}    {end} + 0.0 * (sum j {{ y[j] }})\n}}"
    );
    let source = if result == "f64" { source } else { source.replace(" + 0.0 * (sum j { y[j] })", "") };
    let sizes = with_edges(vec![rng.i64(1..8), rng.i64(1..5)], &mut rng);
    Case { source, name: "f".into(), sizes, seed }
}

/// One reading of `a` near `i`, zero outside.
fn term(rng: &mut Rng, rank: usize, a: &str) -> String {
    let along = |rng: &mut Rng, i: &str, n: &str, most: i64| match rng.i64(-most..=most) {
        0 => (i.to_string(), None),
        d if d < 0 => (format!("{i} - {}", -d), Some(format!("{i} >= {}", -d))),
        d => (format!("{i} + {d}"), Some(format!("{i} + {d} < {n}"))),
    };
    if rng.usize(0..4) == 0 {
        let rest = if rank == 1 { "" } else { ", j" };
        return format!("(sum k in 0..3 if i + k < n {{ {a}[i + k{rest}] * 0.4 }})");
    }
    let mut places = vec![along(rng, "i", "n", 2)];
    if rank == 2 {
        places.push(along(rng, "j", "m", 1));
    }
    let at = places.iter().map(|p| p.0.as_str()).collect::<Vec<_>>().join(", ");
    let tests: String = places.iter().filter_map(|p| p.1.as_ref()).map(|t| format!("[{t}] * ")).collect();
    format!("{tests}{a}[{at}]")
}
