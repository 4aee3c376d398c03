//! What programs expand to, as fingerprints: who only moves code changes none, and who changes one says why.
//!
//! `EXPANSIONS=write cargo test -p tensor-judge --test expansions` writes them anew.

use proc_macro2::TokenStream;
use std::collections::BTreeMap;
use std::path::Path;
use tensor_judge::check::Case;
use tensor_judge::run::all;
use tensor_judge::{corpus, kept, layers, series, stages};

/// The seeds of random programs.
const WIDE: u64 = 300;

/// Those of stages, of layers and of series.
const TILED: u64 = 40;

/// Fowler, Noll and Vo's hash of a text, with 64 bits.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// A random function with its derivatives.
fn derived(case: &Case) -> String {
    let of = |transform: &str| format!("fn derived_{transform} = {transform}({});\n", case.name);
    format!("{}\n{}{}{}", case.source, of("jvp"), of("vjp"), of("linearize"))
}

/// The programs: of people, those that once went wrong, random ones.
fn programs() -> Vec<String> {
    let mut out = corpus::programs().expect("readable");
    out.extend(kept::programs().into_iter().map(|(_, source)| source));
    out.extend((0..WIDE).map(|seed| derived(&Case::wide(seed))));
    out.extend((0..TILED).map(|seed| derived(&stages::case(seed))));
    out.extend((0..TILED).map(|seed| derived(&layers::case(seed))));
    out.extend((0..TILED).map(|seed| derived(&series::case(seed))));
    out
}

#[test]
fn expansions_are_those_of_before() {
    let programs = programs();
    let of = |k: u64| {
        let source = programs.get(usize::try_from(k).ok()?)?;
        let expansion = tensor_core::compile(source.parse::<TokenStream>().ok()?).to_string();
        // Which errors are one depends on the places of tokens, which stand beside in some builds.
        if expansion.contains("compile_error") {
            return None;
        }
        Some((format!("{:016x}", fingerprint(source)), format!("{:016x}", fingerprint(&expansion))))
    };
    let found: BTreeMap<String, String> = all(0..programs.len() as u64, of).into_iter().collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expansions.txt");
    let text: String = found.iter().map(|(source, expansion)| format!("{source} {expansion}\n")).collect();
    if std::env::var("EXPANSIONS").is_ok_and(|v| v == "write") {
        std::fs::write(&path, text).expect("writable");
        return;
    }
    let before = std::fs::read_to_string(&path).expect("the fingerprints are there");
    let before: BTreeMap<&str, &str> = before.lines().filter_map(|l| l.split_once(' ')).collect();
    // A new program has no line yet.
    let known = found.keys().filter(|source| before.contains_key(source.as_str())).count();
    assert!(
        10 * known > 9 * found.len(),
        "of {} programs {known} have a fingerprint: write them anew",
        found.len()
    );
    let differs = |source: &&String| {
        let print = format!("{:016x}", fingerprint(source));
        // What expanded once and has a mistake now is something else too.
        before.get(print.as_str()).is_some_and(|then| found.get(&print).is_none_or(|now| now != then))
    };
    let changed: Vec<&String> = programs.iter().filter(differs).collect();
    assert!(changed.is_empty(), "{} of {known} expand to something else, as\n{}", changed.len(), changed[0]);
}
