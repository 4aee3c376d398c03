//! What is emitted for programs: the rows that are cut, and what must never occur.

use super::function;
use crate::schedule::tests::{Of, PROGRAMS, derived};
use crate::schedule::{Options, schedule, scheduled};
use proc_macro2::{TokenStream, TokenTree};
use quote::format_ident;

/// With its loops cut between threads.
fn threaded(text: &str, of: Of) -> String {
    let program = scheduled(&derived(text, of), &Options::new(true));
    function(&program, &format_ident!("f")).to_string()
}

fn emitted(text: &str, of: Of) -> String {
    function(&schedule(&derived(text, of)), &format_ident!("f")).to_string()
}

#[test]
fn nothing_is_unsafe() {
    for (name, text, _, of) in PROGRAMS {
        let text = emitted(text, *of);
        assert!(text.contains("fn f (") && !text.contains("unsafe"), "{name}");
    }
}

#[test]
fn nothing_is_unsafe_with_threads() {
    for (name, text, _, of) in PROGRAMS {
        let text = threaded(text, *of);
        assert!(text.contains("fn f (") && !text.contains("unsafe"), "{name}");
    }
}

#[test]
fn long_loops_are_cut_between_threads() {
    let rows = "parallel :: Rows :: new";
    for (program, of, expected, absent) in [
        (
            "size n\n param a[n] b[n]\n s[] = sum i<n. a[i] b[i]\n result s",
            Of::Itself,
            vec!["parallel :: tasks", "| __left , __right | (__left . 0 + __right . 0 ,)"],
            vec![rows],
        ),
        (
            "size n\n param a[n] b[n]\n s[] = sum i<n. a[i] b[i]\n result s",
            Of::Grad,
            vec![rows, "| () , () | { }"],
            vec!["parallel :: Sums"],
        ),
        (
            "size n m\n param a[n, m] x[m]\n y[i<n] = sum j<m. a[i, j] x[j]\n result y",
            Of::Vjp,
            vec![rows, ", 4isize , 0isize", "parallel :: Sums :: new"],
            vec!["parallel :: Scratch"],
        ),
        // Each iteration needs what the one before has found.
        (
            "size n\n param a[n]\n z[] = max i<n. [] a[i]\n result z",
            Of::Grad,
            vec!["fn f ("],
            vec!["parallel ::"],
        ),
        // Never long enough.
        ("param a[9]\n s[] = sum i<9. a[i] a[i]\n result s", Of::Itself, vec!["fn f ("], vec!["parallel ::"]),
    ] {
        let text = threaded(program, of);
        assert!(expected.iter().all(|e| text.contains(e)), "{program}: {text}");
        assert!(!absent.iter().any(|a| text.contains(a)), "{program}: {text}");
        assert!(!emitted(program, of).contains("parallel"));
    }
}

/// A build has one schedule, and one expansion, with and without the feature `rayon`: products are cut where the function says so.
#[test]
fn products_are_cut_where_loops_are() {
    let text = "size n m k\n param a[n, k] b[k, m]\n y[i<n, j<m] = sum l<k. a[i, l] b[l, j]\n result y";
    assert!(threaded(text, Of::Itself).contains(":: gemm :: threads :: gemm :: < f64 >"));
    assert!(emitted(text, Of::Itself).contains(":: gemm :: gemm :: < f64 >"));
}

#[test]
fn rows_are_cut_before_innermost_loops_in_sequence() {
    let dot = "param a[3] b[3]\n s[] = sum i<3. a[i] b[i]\n result s";
    let text = emitted(dot, Of::Itself);
    for part in ["& v0_a [", "] [.. __len]", "for __k in 0 .. __len", "(__row0 [__k] * __row1 [__k])"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn long_loops_run_in_lanes() {
    let dot = "size n\n param a[n] b[n]\n s[] = sum i<n. a[i] b[i]\n result s";
    let text = emitted(dot, Of::Itself);
    for part in [
        "simd :: dispatch4",
        "__L :: mul_add (__L :: load (__isa , & v0_a [..]",
        "Wide",
        "Vector",
        "Remainder",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn strides_that_are_known_have_loads_of_their_own() {
    let rows = |extents: &str, d: &str| {
        let text =
            format!("size n m\n param x[n, {extents}]\n y[i<n, j<{extents}] = sin(x[i, {d}])\n result y");
        emitted(&text, Of::Itself)
    };
    for (extents, ways) in
        [("3", ["gather_by :: < 3 >", "scatter_by :: < 3 >"]), ("5", ["gather (__isa", "scatter ("])]
    {
        let text = rows(extents, "0");
        assert!(ways.iter().all(|way| text.contains(way)), "{text}");
    }
}

#[test]
fn short_loops_have_no_wide_lanes() {
    let wide = |short: &str| {
        let text = format!(
            "size n m k\n param a[{short}] b[n, m]\n s[] = sum i<{short}. a[i]\n t[] = sum i<n j<m. b[i, j]\n result s t"
        );
        emitted(&text, Of::Itself).matches("__strip :: < _ , __I :: Wide >").count()
    };
    // For some sizes k the first loop is the longer one.
    assert_eq!((wide("n"), wide("k")), (1, 2));
}

#[test]
fn ends_of_stencils_are_functions() {
    let stencil = |arrays: &[&str]| {
        let terms =
            arrays.iter().map(|a| format!("[1 <= i] {a}[i - 1] {a}[i] + [i < n - 1] {a}[i + 1] {a}[i]"));
        let terms = terms.collect::<Vec<_>>().join(" + ");
        let params = arrays.join("[n] ");
        let text = emitted(&format!("size n\n param {params}[n]\n y[i<n] = {terms}\n result y"), Of::Itself);
        assert!(text.contains("fn __strip"), "{text}");
        text.matches("fn __outlined").count()
    };
    // A few statements are not worth a call.
    assert_eq!((stencil(&["a"]), stencil(&["a", "b", "c", "d", "e", "g"])), (0, 2));
}

#[test]
fn totals_stay_in_lanes_while_the_loop_around_runs() {
    // Whether they begin before the loop, and how often lanes are summed.
    let place = |text: &str| {
        let text = emitted(&format!("size n m\n param a[n, m + 1]\n {text}"), Of::Itself);
        let (start, outer) = (text.find("let mut all_").unwrap(), text.find("for i").unwrap());
        (start < outer, text.matches("sum (all_").count())
    };
    assert_eq!(place("s[] = sum i<n j<m. a[i, j] a[i, j + 1]\n result s"), (true, 1));
    // What is summed for each row, and what something reads while the loop runs, is none of the loop around.
    assert!(!place("s[i<n] = sum j<m. a[i, j] a[i, j + 1]\n result s").0);
    let read =
        "s[i<n] = sum j<m. a[i, j] a[i, j + 1]\n t[i<n] = exp(s[i])\n u[] = sum i<n. t[i] s[i]\n result u";
    assert!(!place(read).0);
}

#[test]
fn a_sum_that_ends_before_it_begins_has_no_terms() {
    let product = |terms: &str| {
        let text = format!(
            "size n m\n param a[n, m] b[m, n]\n t[i<n, j<n] = sum l<m. [l < {terms}] a[i, l] b[l, j]\n result t"
        );
        let text = emitted(&text, Of::Itself);
        assert!(text.contains("gemm :: gemm"), "{text}");
        text.contains(":: core :: cmp :: Ord :: max ((s1_m - s0_n) , 0isize) as usize")
    };
    assert!(product("m - n") && !product("m"));
}

/// How often a word stands in code; documentation is none.
fn count(code: TokenStream, word: &str) -> usize {
    let one = |t: TokenTree| match t {
        TokenTree::Group(g) => count(g.stream(), word),
        TokenTree::Ident(name) => usize::from(name == word),
        TokenTree::Punct(_) | TokenTree::Literal(_) => 0,
    };
    code.into_iter().map(one).sum()
}

/// A `let` is a scope inside that of the one before, and of thousands inside each other rustc overflows its stack in debug builds.
#[test]
fn values_of_long_blocks_are_declared_together() {
    let lets = |values: usize, signature: &str, x: &str, around: [&str; 2]| {
        let each = (2..values).map(|k| format!("let a{k} = a{} * a{} + {k}.5;", k - 1, k - 2));
        let body = format!("let a0 = {x}; let a1 = a0.sin(); {} a{}", each.collect::<String>(), values - 1);
        let text = format!("fn f{signature} -> f64 {{ {} {body} {} }}", around[0], around[1]);
        let code = crate::compile(text.parse().expect("tokens"));
        let products = code.to_string();
        assert!(products.matches(" * ").count() + products.matches("mul_add").count() >= values - 2);
        count(code, "let")
    };
    // A straight body that is one function, and scalars.
    for (signature, x, around) in
        [("<n>(x: [f64; n])", "x[i]", ["sum i {", "}"]), ("(x: f64)", "x", ["", ""])]
    {
        let [some, twice] = [300, 600].map(|values| lets(values, signature, x, around));
        assert!(twice - some <= 5, "{signature}: {some}, {twice}");
    }
}
