//! What a random program has beside its value: one transform, in rotation.

/// A transform of `f`.
struct Transform {
    /// Only of a function that returns a number.
    of_number: bool,
    /// Whether `f_along` is needed: the derivative of `f` along a direction, as a function of `f` and the direction.
    along: bool,
    /// The items that are compiled.
    compiled: &'static str,
    /// Those that give the same results, where the evaluator does not have them.
    judged: Option<&'static str>,
}

const fn of_any(compiled: &'static str) -> Transform {
    Transform { of_number: false, along: false, compiled, judged: None }
}

const fn of_number(compiled: &'static str) -> Transform {
    Transform { of_number: true, along: false, compiled, judged: None }
}

const fn linear(compiled: &'static str, judged: &'static str) -> Transform {
    Transform { of_number: false, along: false, compiled, judged: Some(judged) }
}

/// All transforms of the language, of some arguments too, and transforms of transforms.
const TRANSFORMS: &[Transform] = &[
    of_any("fn f_t = jvp(f);"),
    of_any("fn f_t = vjp(f);"),
    of_number("fn f_t = value_and_grad(f);"),
    of_any("fn f_t = jacobian(f);"),
    of_number("fn f_t = hessian(f);"),
    linear("fn f_t = linearize(f);", "fn f_t_jvp = jvp(f); fn f_t_vjp = vjp(f);"),
    of_number("fn f_t = hvp(f);"),
    Transform { of_number: false, along: true, compiled: "fn f_t = transpose(f_along, DOTS);", judged: None },
    of_number("fn f_t = grad(f, x);"),
    of_any("fn f_t = jacobian(f, x);"),
    of_number("fn f_t = jvp(grad(f), x);"),
    linear("fn f_t = linearize(f, x);", "fn f_t_jvp = jvp(f, x); fn f_t_vjp = vjp(f, x);"),
    of_number("fn f_t = hessian(f, x);"),
    of_any("fn f_t = jvp(vjp(f, x), x);"),
    of_number("fn f_t = vjp(grad(f, x));"),
    of_any("fn f_t = vjp(jvp(f, x), x);"),
];

/// A program with one of the transforms, as it is compiled and as it is judged.
pub fn transformed(seed: u64, source: &str, is_number: bool) -> [String; 2] {
    let fit: Vec<&Transform> = TRANSFORMS.iter().filter(|t| is_number || !t.of_number).collect();
    let t = fit[seed as usize % fit.len()];
    let header = Header::of(source);
    let dots: Vec<String> = header.reals().map(|(name, _)| format!("{name}_dot")).collect();
    let along = if t.along { header.along() } else { String::new() };
    [t.compiled, t.judged.unwrap_or(t.compiled)]
        .map(|items| format!("{source}{along}{}", items.replace("DOTS", &dots.join(", "))))
}

/// The line that begins a function, in parts.
pub struct Header<'a> {
    sizes: &'a str,
    /// Names and types.
    pub params: Vec<(&'a str, &'a str)>,
    /// The type of the result and conditions.
    pub result: &'a str,
}

impl<'a> Header<'a> {
    /// That of `f`.
    pub fn of(source: &'a str) -> Header<'a> {
        let line = source.lines().find_map(|l| l.strip_prefix("fn f<")).expect("a function f");
        let (sizes, rest) = line.split_once(">(").expect("sizes");
        let (params, rest) = rest.split_once(") -> ").expect("parameters");
        Header { sizes, params: params_of(params), result: rest.strip_suffix(" {").expect("a body") }
    }

    fn reals(&self) -> impl Iterator<Item = &(&'a str, &'a str)> {
        self.params.iter().filter(|(_, ty)| *ty != "usize")
    }

    /// The derivative along a direction, which is linear in that.
    fn along(&self) -> String {
        let own = self.params.iter().map(|(name, ty)| format!("{name}: {ty}"));
        let dots = self.reals().map(|(name, ty)| format!("{name}_dot: {ty}"));
        let params: Vec<String> = own.chain(dots).collect();
        let names = self.params.iter().map(|(name, _)| name.to_string());
        let args: Vec<String> = names.chain(self.reals().map(|(name, _)| format!("{name}_dot"))).collect();
        let (sizes, result) = (self.sizes, self.result);
        format!(
            "fn f_jvp = jvp(f);\nfn f_along<{sizes}>({}) -> {result} {{ f_jvp({}).1 }}\n",
            params.join(", "),
            args.join(", ")
        )
    }
}

/// `x: [f64; n], t: (f64, f64)` by its commas outside brackets.
fn params_of(text: &str) -> Vec<(&str, &str)> {
    let mut depth = 0;
    let is_between = |c: char| {
        depth += i32::from("([".contains(c)) - i32::from(")]".contains(c));
        c == ',' && depth == 0
    };
    text.split(is_between).map(|p| p.trim().split_once(": ").expect("a type")).collect()
}
