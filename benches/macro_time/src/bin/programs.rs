//! The programs whose compile times are measured: `programs` prints their names, `programs NAME` the Rust source of one.

use std::fmt::Write;
use std::process::ExitCode;

const BUNDLE: &str = include_str!("../../../src/programs/bundle.rs");
const SPACE: &str = include_str!("../../../src/programs/space.rs");
const GMM: &str = include_str!("../../../src/programs/gmm.rs");
const CLOTH: &str = include_str!("../../programs/cloth.rs");
const RECURRENCES: &str = include_str!("../../../src/programs/recurrences.rs");
const RUNGE_KUTTA: &str = include_str!("../../programs/runge_kutta.rs");

/// Name, file, and the functions of it that are compiled.
const PROGRAMS: [(&str, &str, &[&str]); 9] = [
    ("bundle_residual", BUNDLE, &["residual"]),
    ("bundle_gradient", BUNDLE, &["energy_grad"]),
    ("bundle_hvp", BUNDLE, &["energy_hvp"]),
    ("springs_hessian", SPACE, &["springs_hessian"]),
    ("cloth_gradient", CLOTH, &["cloth_grad"]),
    ("cloth_gradient_hvp", CLOTH, &["cloth_grad", "cloth_hvp"]),
    ("mixture_gradient", GMM, &["gmm_grad"]),
    ("kalman_gradient", RECURRENCES, &["kalman_grad"]),
    ("lstm_gradient", RECURRENCES, &["lstm_grad"]),
];

/// Steps of Runge and Kutta: of n systems by calls one after the other, or by a `fold` that runs so often; of one system by a `fold`.
const STEPS: [&str; 15] = [
    "runge_kutta_1",
    "runge_kutta_5",
    "runge_kutta_20",
    "runge_kutta_40",
    "runge_kutta_1_gradient",
    "runge_kutta_5_gradient",
    "runge_kutta_20_gradient",
    "runge_kutta_fold_2_gradient",
    "runge_kutta_fold_3_gradient",
    "runge_kutta_fold_20_gradient",
    "runge_kutta_fold_200_gradient",
    "runge_kutta_one_fold_2_gradient",
    "runge_kutta_one_fold_20_gradient",
    "runge_kutta_coupled_fold_2_gradient",
    "runge_kutta_coupled_fold_20_gradient",
];

/// Operations of the random bodies.
const SIZES: [usize; 6] = [50, 100, 200, 400, 800, 1600];

fn main() -> ExitCode {
    let Some(name) = std::env::args().nth(1) else {
        PROGRAMS.iter().map(|p| p.0).chain(STEPS).for_each(|name| println!("{name}"));
        for kind in ["value", "gradient"] {
            SIZES.iter().for_each(|n| println!("random_{kind}_{n}"));
        }
        return ExitCode::SUCCESS;
    };
    match source(&name) {
        Some(text) => {
            println!("#![allow(warnings)]\n{text}");
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("no program `{name}`");
            ExitCode::FAILURE
        }
    }
}

fn source(name: &str) -> Option<String> {
    if let Some((_, file, wanted)) = PROGRAMS.iter().find(|p| p.0 == name) {
        return Some(only(file, wanted));
    }
    if let Some(steps) = name.strip_prefix("runge_kutta_") {
        if let Some(steps) = steps.strip_prefix("one_fold_") {
            return Some(runge_kutta_of_one(steps.strip_suffix("_gradient")?.parse().ok()?));
        }
        if let Some(steps) = steps.strip_prefix("coupled_fold_") {
            return Some(runge_kutta_coupled(steps.strip_suffix("_gradient")?.parse().ok()?));
        }
        let (folded, steps) = steps.strip_prefix("fold_").map_or((false, steps), |steps| (true, steps));
        let (gradient, steps) = steps.strip_suffix("_gradient").map_or((false, steps), |steps| (true, steps));
        return Some(runge_kutta(steps.parse().ok()?, folded, gradient));
    }
    let (kind, operations) = name.strip_prefix("random_")?.split_once('_')?;
    let operations = operations.parse().ok()?;
    match kind {
        "value" => Some(random(operations, false)),
        "gradient" => Some(random(operations, true)),
        _ => None,
    }
}

/// The file with these functions alone: other derivatives are left out, other functions are not public.
fn only(file: &str, wanted: &[&str]) -> String {
    let name = |line: &str| -> Option<String> {
        let rest = line.strip_prefix("    pub fn ")?;
        Some(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
    };
    let one = |line: &str| match name(line) {
        Some(name) if wanted.contains(&name.as_str()) => format!("{line}\n"),
        Some(name) if line.starts_with(&format!("    pub fn {name} =")) => String::new(),
        Some(_) => format!("{}\n", line.replacen("pub fn", "fn", 1)),
        None => format!("{line}\n"),
    };
    file.lines().filter(|l| !l.trim_start().starts_with("//")).map(one).collect()
}

/// So many steps of n systems, and the gradient of the sum of what comes out.
fn runge_kutta(steps: usize, folded: bool, gradient: bool) -> String {
    let body = if folded {
        format!("            let x{steps} = fold k in 0..{steps} from x = x[i] {{ step(x, p, t) }};\n")
    } else {
        let start = "            let x0 = x[i];\n".to_string();
        let step = |k: usize| format!("            let x{k} = step(x{}, p, t);\n", k - 1);
        (1..=steps).map(step).fold(start, |all, one| all + &one)
    };
    let mut text = RUNGE_KUTTA.trim_end().trim_end_matches('}').to_string();
    let public = if gradient { "" } else { "pub " };
    let _ = write!(
        text,
        "    {public}fn end<n>(x: [f64; n, 3], p: [f64; 3], t: f64) -> [f64; n, 3] {{\n        for i in 0..n, c in 0..3 {{\n{body}            x{steps}[c]\n        }}\n    }}\n"
    );
    if gradient {
        text.push_str("    fn total<n>(x: [f64; n, 3], p: [f64; 3], t: f64) -> f64 { let y = end(x, p, t); sum i, c { y[i, c] } }\n    pub fn total_grad = value_and_grad(total);\n");
    }
    text + "}\n"
}

/// The gradient of the sum of what comes out of one system after so many steps.
fn runge_kutta_of_one(steps: usize) -> String {
    let text = RUNGE_KUTTA.trim_end().trim_end_matches('}');
    format!(
        "{text}    fn total(x: [f64; 3], p: [f64; 3], t: f64) -> f64 {{\n        let y = fold k in 0..{steps} from y = x {{ step(y, p, t) }};\n        sum c {{ y[c] }}\n    }}\n    pub fn total_grad = value_and_grad(total);\n}}\n"
    )
}

/// The same of n systems that their mean draws to it: what one computes in a step waits for the others.
fn runge_kutta_coupled(steps: usize) -> String {
    format!(
        "use tensor_rt::tensor;

tensor! {{
    fn slope<n>(x: [f64; n, 3], p: [f64; 3]) -> [f64; n, 3] {{
        let mean = (sum i in 0..n {{ x[i, 0] }}) / (1 + n) as f64;
        for i in 0..n {{
            [
                p[0] * (x[i, 1] - x[i, 0]) + 0.1 * (mean - x[i, 0]),
                x[i, 0] * (p[1] - x[i, 2]) - x[i, 1],
                x[i, 0] * x[i, 1] - p[2] * x[i, 2],
            ]
        }}
    }}
    fn along<n>(x: [f64; n, 3], t: f64, k: [f64; n, 3]) -> [f64; n, 3] {{ for i in 0..n, c in 0..3 {{ x[i, c] + t * k[i, c] }} }}
    fn step<n>(x: [f64; n, 3], p: [f64; 3], t: f64) -> [f64; n, 3] {{
        let k1 = slope(x, p);
        let k2 = slope(along(x, 0.5 * t, k1), p);
        let k3 = slope(along(x, 0.5 * t, k2), p);
        let k4 = slope(along(x, t, k3), p);
        for i in 0..n, c in 0..3 {{ x[i, c] + t / 6.0 * (k1[i, c] + 2.0 * k2[i, c] + 2.0 * k3[i, c] + k4[i, c]) }}
    }}
    fn total<n>(x: [f64; n, 3], p: [f64; 3], t: f64) -> f64 {{
        let y = fold k in 0..{steps} from y = x {{ step(y, p, t) }};
        sum i in 0..n, c in 0..3 {{ y[i, c] }}
    }}
    pub fn total_grad = value_and_grad(total);
}}
"
    )
}

/// Pseudorandom numbers: the linear congruential generator by Knuth.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

/// Columns that a random body reads, and that it writes.
const READ: usize = 17;
const WRITTEN: usize = 15;
/// How far back its operands are.
const NEAR: usize = 24;

/// A loop over rows whose body has so many operations, a product with a sum counted once; each value is used, and operands are near.
fn random(operations: usize, gradient: bool) -> String {
    let mut random = Random(1);
    let mut values: Vec<String> = (0..READ).map(|k| format!("x[i, {k}]")).collect();
    let mut used = vec![false; READ];
    let mut body = String::new();
    for n in 0..operations {
        let last = values.len();
        let recent = |random: &mut Random| last - 1 - random.below(NEAR.min(last));
        let oldest = (last.saturating_sub(4 * NEAR)..last).find(|&k| !used[k]).unwrap_or(last - 1);
        let (other, third) = (recent(&mut random), recent(&mut random));
        let (a, b, c) = (&values[oldest], &values[other], &values[third]);
        let (form, operands) = match random.below(200) {
            0..90 => (format!("{a} * {b} + {c}"), vec![oldest, other, third]),
            90..150 => (format!("{a} * {b}"), vec![oldest, other]),
            150..170 => (format!("{a} - {b}"), vec![oldest, other]),
            170..190 => (format!("{a} + {b}"), vec![oldest, other]),
            190..194 => (format!("if x[i, 0] > 0.0 {{ {a} }} else {{ {b} }}"), vec![oldest, other]),
            194..197 => (format!("{a} / {b}"), vec![oldest, other]),
            _ => (format!("{a}.sqrt()"), vec![oldest]),
        };
        let _ = writeln!(body, "            let t{n} = {form};");
        operands.into_iter().for_each(|k| used[k] = true);
        values.push(format!("t{n}"));
        used.push(false);
    }
    let unused = (0..values.len()).filter(|&k| !used[k]);
    let written: Vec<&str> =
        unused.chain((0..values.len()).rev()).take(WRITTEN).map(|k| &values[k][..]).collect();
    let list = written.join(", ");
    let head = format!(
        "use tensor_rt::tensor;\n\ntensor! {{\n    {}fn body<n>(x: [f64; n, {READ}]) -> [f64; n, {WRITTEN}] {{",
        if gradient { "" } else { "pub " }
    );
    let mut text =
        format!("{head}\n        for i in 0..n {{\n{body}            [{list}]\n        }}\n    }}\n");
    if gradient {
        text.push_str("    fn total<n>(x: [f64; n, 17]) -> f64 { let y = body(x); sum i, c { y[i, c] } }\n    pub fn total_grad = value_and_grad(total, x);\n");
    }
    text + "}\n"
}
