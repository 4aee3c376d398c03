//! The ranges of all programs of the repository.

mod broken;

use super::Prover;
use super::known::Writers;
use crate::error::Errors;
use crate::index::{Affine, Atom, Cond};
use crate::loops::VarId;
use crate::schedule::{Blocks, Options, judged};
use crate::sorted::Set;
use crate::ssa::{Function, Index};
use crate::{bounds, check, middle, parse, simplify, typed};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::path::{Path, PathBuf};

/// Where programs stand: in files of their own, in tests, in examples, in the manual and other documents, and in what is measured.
const PLACES: &[&str] = &[
    "tests/programs",
    "tests/tests",
    "tests/ui",
    "tests/threads/src",
    "tests/renamed/src",
    "tests/no_std/src",
    "examples",
    "docs",
    "README.md",
    "tensor-rt/src/lib.rs",
    "benches/src/programs",
    "benches/macro_time/programs",
    "tensor-judge/kept",
];

/// A file, or all of a folder.
fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    if folder.is_file() {
        out.push(folder.to_path_buf());
        return;
    }
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
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
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let tokens =
        |text: &str| -> TokenStream { text.parse().unwrap_or_else(|e| panic!("{}: {e}", path.display())) };
    let mut out = vec![];
    match path.extension().and_then(|e| e.to_str()) {
        Some("txt") => out.push(tokens(&text)),
        Some("rs") => {
            blocks(tokens(&text), &mut out);
            // Of its documentation what is not said to be of another language.
            let comment = |l: &str| l.strip_prefix("//!").or(l.strip_prefix("///")).map(str::to_string);
            let lines: Vec<String> = text.lines().filter_map(|l| comment(l.trim_start())).collect();
            let documentation = lines.join("\n");
            for code in documentation.split("```").skip(1).step_by(2).filter_map(|c| c.strip_prefix('\n')) {
                blocks(tokens(&shown(code)), &mut out);
            }
        }
        Some("md") => {
            for code in text.split("```rust").skip(1) {
                let code = code.split_once('\n').map_or("", |c| c.1);
                blocks(tokens(&shown(code.split("```").next().unwrap_or_default())), &mut out);
            }
        }
        Some(_) | None => {}
    }
    out
}

/// Code of a document, with the lines of it that readers are not shown.
fn shown(code: &str) -> String {
    code.lines().map(|l| format!("{}\n", l.trim_start().trim_start_matches("# "))).collect()
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
    let lowered = middle::lower(&block, &Set::new(), &mut errors);
    let of_item = |item: middle::Item| {
        let linear = item.linear.into_iter().flat_map(|l| l.parts).map(|part| part.normal);
        [item.whole.normal].into_iter().chain(linear)
    };
    lowered.into_iter().flatten().flat_map(of_item).collect()
}

fn all_programs() -> Vec<(String, Vec<Function>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let named = |path: PathBuf| {
        let name = path.display().to_string();
        programs(&path).into_iter().map(move |p| (name.clone(), functions(p)))
    };
    let of_folder = |folder: &&str| {
        let mut paths = vec![];
        files(&root.join(folder), &mut paths);
        let found: Vec<(String, Vec<Function>)> = paths.into_iter().flat_map(named).collect();
        assert!(found.iter().any(|(_, all)| !all.is_empty()), "no program in {folder}");
        // What stands in files of their own is right.
        let mistaken = found.iter().find(|(name, all)| name.ends_with(".txt") && all.is_empty());
        assert!(mistaken.is_none(), "{mistaken:?} is mistaken");
        found
    };
    PLACES.iter().flat_map(of_folder).collect()
}

/// What loops are judged with: in no blocks, in those of expansions, in the least, and for threads.
fn options() -> [Options; 4] {
    let least = Blocks { elements: 1, halos: 0, of_products: 1, rows: 1 };
    [Options::in_blocks(None), Options::new(false), Options::in_blocks(Some(least)), Options::new(true)]
}

/// After every pass. What the solver cannot decide is counted: of all places of the repository that is none.
#[test]
fn all_ranges_of_the_repository_are_kept() {
    let (mut proved, mut undecided, mut outside) = (0, vec![], vec![]);
    for (name, functions) in all_programs() {
        for f in functions {
            let f = simplify::erase_stops(f);
            let mut prover = Prover::default();
            for options in options() {
                match judged(&f, &options, &mut prover) {
                    Ok((_, found)) => {
                        proved += found.proved;
                        let hard = (found.hard > 0).then(|| "hard ones".to_string());
                        let all = found.undecided.into_iter().chain(hard);
                        undecided.extend(all.map(|e| format!("{name}, {}: {e}", f.name)));
                    }
                    Err(e) => outside.push(format!("{name}, {}, {options:?}: {e}", f.name)),
                }
            }
        }
    }
    assert!(outside.is_empty(), "{}", outside.join("\n"));
    assert!(undecided.is_empty(), "{} are not decided:\n{}", undecided.len(), undecided.join("\n"));
    assert!(proved > 150_000, "{proved}");
}

/// An assignment of which not all is kept says so, and so do those that take its value.
#[test]
fn assignments_with_more_than_is_kept() {
    let source =
        "fn f<n>(x: [f64; n]) -> f64 { let k = argmax i in 0..n { x[i] }; if k >= 0 { x[k] } else { 0.0 } }";
    let functions = functions(source.parse().expect("tokens"));
    let p = crate::schedule::schedule(&functions[0]);
    let (i, first, second) = (Index(1000), VarId(0), VarId(1));
    let is = |of: Affine| move |v: &Affine| Some(vec![Cond::Zero(v.minus(&of)?)]);
    let least = |k: i64| i.affine().plus_constant(-k).map(Cond::NonNeg);
    let long = Cond::Any((0..20_000).filter_map(least).map(|c| vec![c]).collect());
    let mut writers = Writers::new(&p);
    writers.assign(first, &[], &[least(0), least(1)].map(Option::unwrap), &is(i.affine()));
    let element = |v: VarId| vec![Cond::NonNeg(Affine::from(Atom::Element(v.0, vec![])))];
    assert!(!writers.are_cut(&element(first)));
    writers.assign(first, &[], &[long], &is(i.affine()));
    assert!(writers.are_cut(&element(first)) && !writers.are_cut(&element(second)));
    writers.assign(second, &[], &element(first), &is(Atom::Element(first.0, vec![]).into()));
    assert!(writers.are_cut(&element(second)));
}
