//! The ranges of all programs of the repository, and of some that are wrong.

use super::ranges;
use crate::error::Errors;
use crate::loops::{Stmt, Test};
use crate::schedule::{Blocks, judged};
use crate::ssa::Function;
use crate::{bounds, check, normal_forms, parse, simplify, typed};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::path::{Path, PathBuf};

/// Where programs stand: in files of their own, in tests, in examples and in the manual.
const FOLDERS: &[&str] =
    &["tests/programs", "tests/tests", "tests/ui", "examples", "docs", "tensor-judge/kept"];

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, out);
        } else {
            out.push(path);
        }
    }
}

/// What stands in `tensor!`, wherever that is.
fn blocks(tokens: TokenStream, out: &mut Vec<TokenStream>) {
    let all: Vec<TokenTree> = tokens.into_iter().collect();
    for (k, t) in all.iter().enumerate() {
        let TokenTree::Group(g) = t else { continue };
        let is_macro = k >= 2
            && matches!(&all[k - 1], TokenTree::Punct(p) if p.as_char() == '!')
            && matches!(&all[k - 2], TokenTree::Ident(name) if name == "tensor");
        if is_macro {
            out.push(g.stream());
        } else if g.delimiter() != Delimiter::None {
            blocks(g.stream(), out);
        }
    }
}

/// The programs of a file.
fn programs(path: &Path) -> Vec<TokenStream> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut out = vec![];
    match path.extension().and_then(|e| e.to_str()) {
        Some("txt") => out.extend(text.parse::<TokenStream>()),
        Some("rs") => blocks(text.parse().unwrap_or_default(), &mut out),
        Some("md") => {
            for code in text.split("```rust").skip(1) {
                let code = code.split_once('\n').map_or("", |c| c.1);
                let code = code.split("```").next().unwrap_or_default();
                let code: String =
                    code.lines().map(|l| format!("{}\n", l.trim_start_matches("# "))).collect();
                blocks(code.parse().unwrap_or_default(), &mut out);
            }
        }
        Some(_) | None => {}
    }
    out
}

/// The functions of a program in normal form; none where it is mistaken.
fn functions(tokens: TokenStream) -> Vec<Function> {
    let mut errors = Errors::default();
    let block = match parse::parse(tokens, &mut errors) {
        Some(parse::Input::Block(block)) => crate::front(&block, &mut errors),
        Some(parse::Input::Inline(inline)) => {
            let Some(inline) = check::check_inline(&inline, &mut errors) else { return vec![] };
            let functions = vec![inline.function];
            let mut block = typed::Block { functions, order: vec![0], ..typed::Block::default() };
            bounds::prove(&mut block, &mut errors);
            block
        }
        None => return vec![],
    };
    if errors.is_empty() { normal_forms(&block).into_iter().flatten().collect() } else { vec![] }
}

fn all_programs() -> Vec<(String, Vec<Function>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = vec![];
    FOLDERS.iter().for_each(|folder| files(&root.join(folder), &mut paths));
    let named = |path: PathBuf| {
        let name = path.display().to_string();
        programs(&path).into_iter().map(move |p| (name.clone(), functions(p)))
    };
    paths.into_iter().flat_map(named).collect()
}

/// The bounds of blocks that loops in turns are judged with: none, those of expansions, and the least.
fn blocks_of_turns() -> [Option<Blocks>; 3] {
    [None, Some(Blocks::default()), Some(Blocks { elements: 1, halos: 0, of_products: 1, rows: 1 })]
}

/// After every pass. What the solver cannot decide is counted: of all places of the repository that is none.
#[test]
fn all_ranges_of_the_repository_are_kept() {
    let (mut proved, mut undecided, mut outside) = (0, vec![], vec![]);
    for (name, functions) in all_programs() {
        for f in functions {
            let f = simplify::erase_stops(f);
            for blocks in blocks_of_turns() {
                match judged(&f, blocks) {
                    Ok((_, found)) => {
                        proved += found.proved;
                        undecided
                            .extend(found.undecided.into_iter().map(|e| format!("{name}, {}: {e}", f.name)));
                    }
                    Err(e) => outside.push(format!("{name}, {}, {blocks:?}: {e}", f.name)),
                }
            }
        }
    }
    assert!(outside.is_empty(), "{}", outside.join("\n"));
    assert!(undecided.is_empty(), "{} are not decided:\n{}", undecided.len(), undecided.join("\n"));
    assert!(proved > 40_000, "{proved}");
}

/// Statements with a change to each, those inside first.
fn changed(stmts: &mut [Stmt], change: fn(&mut Stmt)) {
    for s in stmts {
        if let Stmt::For { body, .. } = s {
            changed(body, change);
        } else if let Stmt::If { body, otherwise, .. } = s {
            changed(body, change);
            changed(otherwise, change);
        }
        change(s);
    }
}

/// One iteration more.
fn one_more(s: &mut Stmt) {
    match s {
        Stmt::For { upper, .. } => upper.iter_mut().for_each(|b| b.num.constant += 1),
        Stmt::Product(p) => p.rows.1.constant += 1,
        _ => {}
    }
}

/// No test.
fn untested(s: &mut Stmt) {
    if let Stmt::If { tests, .. } = s {
        tests.clear();
    }
}

/// Tests in the wrong order.
fn reversed(s: &mut Stmt) {
    if let Stmt::If { tests, .. } = s {
        tests.iter_mut().for_each(|t| {
            if let Test::Any(ps) = t {
                ps.iter_mut().for_each(|p| p.reverse());
            }
        });
        tests.reverse();
    }
}

/// What is found where nothing is has no place.
fn unfounded(s: &mut Stmt) {
    if let Stmt::ArgExtreme { index, .. } = s {
        index.constant += 1;
    }
}

/// A program, a change to its loops, and what is said of it.
type Wrong = (&'static str, fn(&mut Stmt), &'static str);

const WRONG: &[Wrong] = &[
    (
        "fn f<n>(x: [f64; n]) -> [f64; n] { for i in 0..n { x[i] } }",
        one_more,
        "`x` at i0 of n: not where n = 0, i0 = 0",
    ),
    (
        "fn f<n>(x: [f64; 2 * n]) -> [f64; n] { for i in 0..n { x[2 * i] } }",
        one_more,
        "`x` at 2*i of 2*n: not where n = 0, i = 0",
    ),
    (
        "fn f<n, m>(a: [f64; n, m], b: [f64; m, n]) -> [f64; n, n] { for i in 0..n, k in 0..n { sum j { a[i, j] * b[j, k] } } }",
        one_more,
        "`a` at i of n: not where",
    ),
    (
        "fn g<n>(x: [f64; n]) -> [f64; n] { for i in 0..n { max j in 0..i { x[j] } } } fn f = vjp(g);",
        untested,
        "`x_bar` at j of n: not where",
    ),
    (
        "fn g<n>(x: [f64; n]) -> [f64; n] { for i in 0..n { max j in 0..=i { x[j] } } } fn f = vjp(g);",
        unfounded,
        "`x_bar` at j of n: not where",
    ),
    (
        "fn f<n>(x: [f64; n], y: [f64; n]) -> f64 { sum i in 0..n { let k = argmax j in 0..=i { y[j] }; [k >= 2 && x[k - 2] > y[i]] * x[i] } }",
        reversed,
        "`x` at arg - 2 of n: not where",
    ),
];

#[test]
fn loops_that_leave_their_arrays_are_found() {
    for (source, change, expected) in WRONG {
        let f = functions(source.parse().expect("tokens")).pop().expect("a program");
        let (mut program, found) = judged(&simplify::erase_stops(f), None).expect("a right program");
        assert!(found.undecided.is_empty(), "{source}\n{:?}", found.undecided);
        changed(&mut program.body, *change);
        let found = ranges(&program);
        let is_said = found.outside.iter().any(|e| e.starts_with(expected));
        assert!(is_said, "{source}\n{:?}\n{program}", found.outside);
    }
}
