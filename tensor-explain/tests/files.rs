//! The command on files: what it shows of the examples, of blocks of every form, of mistakes, and what it says where it cannot.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tensor-explain"))
        .current_dir(root())
        .args(arguments)
        .output()
        .expect("it runs")
}

/// What it writes, where all is well.
fn shown(arguments: &[&str]) -> String {
    let output = run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// The exit code and what is said of what is wrong.
fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(arguments);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// A file of this content, in a folder of the test.
fn file(name: &str, content: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("the folder can be written");
    path.to_string_lossy().into_owned()
}

fn contains_all(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

#[test]
fn an_example_as_text() {
    let text = shown(&["examples/deconvolution.rs"]);
    contains_all(
        &text,
        &[
            "examples/deconvolution.rs:7:1: tensor! block, 4 functions",
            "blur, line 9\n------------",
            // The source, as written.
            "    /// The convolution of a signal with a kernel.\n    pub fn blur<n, m>(x: [f64; n + m - 1], w: [f64; m]) -> [f64; n] {",
            // The normal form and the derivatives.
            "    fn blur<n, m>(x: [f64; n + m - 1], w: [f64; m]) -> [f64; n] {\n        for i in 0..n { sum j in 0..m { x[i + j] * w[j] } }\n    }",
            "derivative in reverse mode: vjp\n\n    fn blur_vjp<n, m>(",
            "let w_bar = for j in 0..m { sum i in 0..n { x[j + i] * y_bar[i] } };",
            "derivative in forward mode: jvp\n\n    fn blur_jvp<n, m>(",
            "derivative in reverse mode: gradient\n\n    fn misfit_grad<n, m>(",
            // Costs.
            "blur      operations  2 n m - n\n",
            "blur_jvp  operations  6 n m - 2 n            ratio to the primal 3 for great sizes, 3.05 if all are 10",
            // Storage, loops, Rust.
            "x_bar[n + m - 1]  result    it is a result",
            "loops of `blur_vjp`",
            "    for j in 0..m {  // a sum of shifted vectors\n",
            "*w[j]",
            "generated Rust of `blur`\n\n    pub fn blur(",
            "    pub fn blur_into(",
            // Of a function that is a derivative itself.
            "objective_grad = `value_and_grad` of `objective`, line ",
            "no derivative is shown: this function is a derivative: `value_and_grad` of `objective`",
        ],
    );
    assert!(!text.contains("#[doc"), "documentation is shown twice");
}

#[test]
fn loops_are_shown_after_each_pass() {
    let text = shown(&["--passes", "--only", "misfit", "examples/deconvolution.rs"]);
    // The loops are made, and then run in lanes.
    let made = "`misfit` after lower\n\n    let result = 0.0\n    for i in 0..n {  // outside:";
    contains_all(
        &text,
        &[
            made,
            "`misfit` after peel\n\n    as before\n",
            "`misfit` after vectorize\n\n    let result = 0.0\n    vectorized i in 0..n {",
            // What loops walk along is said here alone.
            "for j in 0..m {  // `t`, `t_dot` in 4 partial sums; walks w[j]\n",
        ],
    );
    assert!(!shown(&["examples/deconvolution.rs"]).contains("walks w[j]"));
    let passes = [
        "lower",
        "contract",
        "checkpoint",
        "tile",
        "share",
        "replace",
        "peel",
        "vectorize",
        "unroll-and-jam",
        "straight",
        "strips",
        "outline",
        "empty",
        "rows",
        "tasks",
    ];
    let places: Vec<Option<usize>> =
        passes.iter().map(|p| text.find(&format!("`misfit_grad` after {p}\n"))).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
}

#[test]
fn what_is_stored_is_said() {
    let text = shown(&["examples/faithful.rs", "--only", "fit"]);
    contains_all(
        &text,
        &[
            "tensor! block, 1 function\n",
            "fit = `value_and_grad` of `minus_log_likelihood`",
            "normal form of this derivative",
            "log_det[k]",
            "  stored    read by `",
            "used only inside the loop that computes it",
            "ratio to the primal",
        ],
    );
    assert!(!text.contains("generated Rust of `minus_log_likelihood`"), "only `fit` was asked for");
}

const RECURRENCES: &str = "tensor! {
    fn filter<n>(x: [f64; n], a: f64) -> f64 {
        let y = rec t in 0..n { x[t] + a * [t >= 2] * y[t - 2] };
        sum t in 0..n { y[t].powi(2) }
    }
    fn grow(n: usize, x: f64) -> f64 {
        #[checkpoint(16)]
        fold t in 0..n from s = x { s + 0.01 * s.sin() }
    }
    fn rows<n, m>(x: [f64; n, m]) -> f64 {
        let y = rec t in 0..n { for i in 0..m { x[t, i] + 0.5 * [t >= 1] * y[t - 1, m - 1 - i] } };
        [n >= 1] * sum i in 0..m { y[n - 1, i] }
    }
}";

#[test]
fn what_steps_keep_is_said() {
    let text = shown(&[&file("recurrences.rs", RECURRENCES)]);
    contains_all(
        &text,
        &[
            "let y = rec t in 0..n { let y_now = x[t] + [1 < t] * a * y[t - 2]; y_now };",
            // A window of numbers, what the reverse sweep reads, and a window of rows.
            "    y[n]    local     only the last 3 steps of it are read, in variables\n",
            "    y[n]      stored    read by `y_bar`, whose steps run back\n",
            "    y[n, m]  stored    only the last 2 steps of it are read, `y[2, m]` of it at a time\n",
            // Checkpoints, and what is computed again between two of them.
            "    states_kept[(n + 15) / 16, 1]  stored    checkpoints: what it is before each 16 steps\n",
            "    cos_s[n]                       stored    16 steps, once more, for the steps that run back, `cos_s[16]` of it at a time, on the stack\n",
        ],
    );
}

#[test]
fn what_steps_keep_is_on_the_page() {
    let path = file("recurrences.html", "");
    assert_eq!(shown(&["--html", "-o", &path, &file("recurrences_of_page.rs", RECURRENCES)]).trim(), path);
    let page = std::fs::read_to_string(&path).expect("a page");
    contains_all(
        &page,
        &[
            "only the last 3 steps of it are read, in variables",
            "read by <code>y_bar</code>, whose steps run back",
            "checkpoints: what it is before each 16 steps",
        ],
    );
}

#[test]
fn examples_as_a_page() {
    let path = file("page.html", "");
    let said = shown(&["--html", "-o", &path, "examples/deconvolution.rs", "examples/faithful.rs"]);
    assert_eq!(said.trim(), path);
    let page = std::fs::read_to_string(&path).expect("a page");
    contains_all(
        &page,
        &[
            "<!doctype html>",
            "@media (prefers-color-scheme: dark)",
            "<h1>examples/deconvolution.rs</h1>",
            "<h1>examples/faithful.rs</h1>",
            "<a href=\"#b0-0-misfit\"><code>misfit</code></a>",
            "<article id=\"b0-0-misfit\">",
            "<article id=\"b1-0-fit\">",
            "<code>blur_vjp</code>",
            "<td class=\"number\">2 n m - n</td>",
            "<g class=\"node argument\"><title>w[m]</title>",
            "<g class=\"node stored\">",
            "<g class=\"node result\"><title>x_bar[n + m - 1] = for k in 0..n + m - 1 { sum j in 0..m if 0 &lt;= k - j &lt; n { w[j] * y_bar[k - j] } }</title>",
            "<path class=\"edge\"",
            "pub fn blur_into(",
        ],
    );
    // Self-contained, and every element is closed.
    for part in ["http-equiv", "<script", "<link", "src=", "@import"] {
        assert!(!page.contains(part), "{part}");
    }
    for element in ["section", "article", "details", "table", "svg", "g", "pre", "code", "div"] {
        let open =
            page.matches(&format!("<{element}>")).count() + page.matches(&format!("<{element} ")).count();
        assert_eq!(open, page.matches(&format!("</{element}>")).count(), "<{element}>");
    }
}

const FORMS: &str = r#"#!/usr/bin/env run
use tensor_rt::tensor;
mod a { pub mod b {
    tensor_rt::tensor! [
        /// Doc.
        pub fn f<n>(x: [f64; n]) -> f64 { sum i { x[i].sin() } }
        #[inline] pub(crate) fn g = grad(f, x);
    ];
    tensor!( fn h(n: usize) -> f64 { n as f64 } );
} }
macro_rules! around { ($($t:tt)*) => { $($t)* } }
impl S { fn m(&self, a: &[f64], x: &[f64]) -> f64 {
    let d = tensor!(|w: [f32; n] = &self.w, y: [f32; n + 1]| for i in 0..n { y[i + 1] - w[i] });
    around! { tensor!(sum j { a[j] * x[j] }) }
} }
"#;

#[test]
fn blocks_of_every_form_are_found() {
    let path = file("forms.rs", FORMS);
    let text = shown(&[&path]);
    contains_all(
        &text,
        &[
            &format!("{path}:4:16: tensor! block, 2 functions, in mod a, mod b"),
            "    /// Doc.\n    pub fn f<n>(x: [f64; n]) -> f64 { sum i { x[i].sin() } }",
            "    #[inline] pub(crate) fn g = grad(f, x);",
            &format!("{path}:9:5: tensor! block, 1 function, in mod a, mod b"),
            "no derivative is shown: there is no real parameter to differentiate by",
            &format!("{path}:13:13: tensor! block, an expression, in fn m"),
            "|w: [f32; n] = &self.w, y: [f32; n + 1]| for i in 0..n { y[i + 1] - w[i] }",
            &format!("{path}:14:15: tensor! block, an expression, in fn m"),
            "fn inline_grad<",
        ],
    );
}

const MISTAKES: &str = "mod m {
    tensor! {
        fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { x[i + 1] } }
        fn h(x: f64) -> f64 { yy * x }
    }
}
fn z() { let y = tensor!(x + ); }
tensor! { fn good(x: f64) -> f64 { x * x } }
";

#[test]
fn mistakes_have_lines_and_columns() {
    let path = file("mistakes.rs", MISTAKES);
    let output = run(&[&path]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).expect("text");
    contains_all(
        &text,
        &[
            &format!("{path}:2:5: tensor! block, 2 errors, in mod m"),
            &format!("{path}:3:57: error: `x[i + 1]` reaches `n` at `i = n - 1`"),
            " 3 |         fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { x[i + 1] } }\n   |                                                         ^^^^^",
            &format!("{path}:4:31: error: `yy` is not known"),
            &format!("{path}:7:18: tensor! block, 1 error, in fn z"),
            &format!("{path}:7:28: error: expected an expression, found the end"),
            "    fn good(x: f64) -> ",
        ],
    );
    // A page shows them too, and so does the command that writes it.
    let page = file("mistakes.html", "");
    let (code, said) = refused(&["--html", "-o", &page, &path]);
    assert_eq!(code, Some(1));
    contains_all(&said, &["error: `yy` is not known", "^^"]);
    contains_all(&std::fs::read_to_string(page).expect("a page"), &["<pre class=\"error\">", "fn good("]);
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let empty = file("empty.rs", "fn main() { println!(\"tensor! { }\"); } // tensor! {}\n");
    let broken = file("broken.rs", "fn f() {}\nfn main( {\n");
    let cases: &[(&[&str], &str)] = &[
        (&[], "which file? --help says more"),
        (&["examples/none.rs"], "examples/none.rs: "),
        (&["examples"], "examples: "),
        (&[&empty], "there is no `tensor!` block in this file"),
        (&[&broken], "broken.rs:2:10: this is not Rust"),
        (&["--hmtl", "examples/faithful.rs"], "there is no flag `--hmtl`"),
        (&["examples/faithful.rs", "--only"], "--only needs the name of a function"),
        (&["examples/faithful.rs", "--only", "fits"], "there is no function `fits`"),
        (&["examples/faithful.rs", "-o", "page.html"], "-o is where --html writes"),
        (&["--html", "--passes", "examples/faithful.rs"], "--passes is text"),
        (&["--html", "-o", "none/page.html", "examples/deconvolution.rs"], "none/page.html: "),
    ];
    for (arguments, message) in cases {
        let (code, said) = refused(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        assert!(said.starts_with("tensor-explain: ") && said.contains(message), "{arguments:?}: {said}");
    }
}

#[test]
fn help_says_what_there_is() {
    contains_all(
        &shown(&["--help"]),
        &["usage: tensor-explain", "--html", "--passes", "--only NAME", "FILE.rs", "exit code"],
    );
}

#[test]
fn what_is_not_there_yet_is_said() {
    let path = file(
        "recurrence.rs",
        "tensor! { extern fn g<n>(x: [f64; n]) -> [f64; n] { vjp = h }
            fn f<n>(x: [f64; n]) -> [f64; n] { fold t in 0..9 from s = x { g(s) } } fn df = vjp(f); }",
    );
    let said = String::from_utf8(run(&[&path]).stdout).expect("text");
    contains_all(&said, &[&format!("{path}:2:88: error: calls of Rust functions over tensors")]);
}
