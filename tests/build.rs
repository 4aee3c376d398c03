//! Writes the programs that rustc is to compile: those of `programs`, each in `f64` and in `f32`, and many random ones, with functions that call
//! them on tensors of any shape.

#[path = "build/calls.rs"]
mod calls;
#[path = "build/transforms.rs"]
mod transforms;

use calls::{Forms, calls, inline};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::path::{Path, PathBuf};
use std::{env, fs};
use tensor_core::typed::{Block, Definition, Type};
use tensor_judge::generate;
use transforms::{Header, transformed};

/// How many random programs are compiled.
const RANDOM: u64 = 400;

/// In so many crates, which cargo builds side by side.
const CRATES: u64 = 2;

/// One of so many is in single precision.
const SINGLE: u64 = 7;

/// At least one of so many is an inline block, too; and as many have constants for extents.
const RARE: u64 = 40;

/// One of so many stands in a macro of its own, and of another `f` depends on a condition.
const SURROUNDED: u64 = 5;

/// One of so many has a long body, which becomes a straight line.
const LONG: u64 = 10;

/// Of one of so many the form that allocates its results is called too.
const RETURNED: u64 = 5;

/// Beyond the widest vectors, with something left over.
const LARGE: [[i64; 2]; 4] = [[19, 2], [3, 21], [19, 1], [10, 9]];

fn main() {
    println!("cargo::rerun-if-changed=programs");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-env-changed=TENSOR_COMPILED");
    let mut out = Output::default();
    for (name, source) in files(Path::new("programs")) {
        for elem in ["f64", "f32"] {
            let source = source.replace("f64", elem);
            out.add(&format!("{name}_{elem}"), elem, &plain(&source), &source, Forms::ALL, &[]);
        }
        let [compiled, judged] = linear_maps(&source);
        out.add(&format!("{name}_linear"), "f64", &plain(&compiled), &judged, Forms::MAPS, &[]);
    }
    out.write("programs.rs");
    // So many random programs instead, for a longer run.
    let random = env::var("TENSOR_COMPILED").ok().and_then(|n| n.parse().ok()).unwrap_or(RANDOM);
    for part in 0..CRATES {
        let mut out = Output::default();
        (part..random).step_by(CRATES as usize).for_each(|seed| out.add_random(seed));
        let enough = random / CRATES / RARE;
        let counts = [out.inline, out.constants, out.conditional];
        assert!(counts.iter().all(|n| *n >= enough), "{counts:?} of {random}");
        out.write(&format!("random_{part}.rs"));
    }
}

/// What one crate compiles, and the table of what is in it.
#[derive(Default)]
struct Output {
    modules: String,
    table: TokenStream,
    /// How many are inline blocks,
    inline: u64,
    /// have constants for extents,
    constants: u64,
    /// and have an `f` that depends on a condition.
    conditional: u64,
}

/// A program as rustc sees it.
struct Written {
    /// What the block says.
    source: String,
    /// The block, and what is around it.
    tokens: TokenStream,
}

fn plain(source: &str) -> Written {
    let all = tokens(source);
    Written { source: source.into(), tokens: quote!(tensor_rt::tensor! { #all }) }
}

/// The block as what a macro is given.
fn in_macro(source: &str) -> Written {
    let all = tokens(source);
    let tokens = quote! {
        macro_rules! given { ($($all:tt)*) => { tensor_rt::tensor! { $($all)* } } }
        given! { #all }
    };
    Written { source: source.into(), tokens }
}

/// `f` returns a number, under a condition that holds; under one that does not, another.
fn conditional(source: &str) -> Written {
    let header = source.lines().find(|l| l.starts_with("fn f<")).expect("a function f");
    let two = format!("#[cfg(any())] {header} 0.0 }}\n#[cfg(not(any()))]\n{header}");
    Written { source: source.into(), ..plain(&source.replacen(header, &two, 1)) }
}

impl Output {
    /// A program as it is compiled, and as it is judged: with functions by other transforms, which have the same results.
    fn add(
        &mut self,
        name: &str,
        elem: &str,
        compiled: &Written,
        judged: &str,
        forms: Forms,
        sizes: &[Vec<i64>],
    ) {
        let module = format_ident!("{name}");
        let (items, calls) = calls(&block(&compiled.source), &format_ident!("{elem}"), forms);
        let tokens = &compiled.tokens;
        self.modules += &format!("{}\n", quote!(mod #module { #tokens #items }));
        let calls = calls.iter().map(|(of, call)| quote!((#of, #module::calls::#call as tensor_tests::Call)));
        let sizes = sizes.iter().map(|s| quote!(&[#(#s),*]));
        self.table.extend(quote! {
            tensor_tests::Compiled { name: #name, source: #judged, calls: &[#(#calls),*], sizes: &[#(#sizes),*] },
        });
    }

    /// A random program with one transform.
    fn add_random(&mut self, seed: u64) {
        let elem = if seed % SINGLE == 3 { "f32" } else { "f64" };
        let write = if seed % LONG == 6 { generate::bodies } else { generate::wide };
        let generate::Program { source, mut sizes, .. } = write(seed);
        let count = sizes.first().map_or(0, Vec::len);
        sizes.push(LARGE[seed as usize % LARGE.len()][..count].to_vec());
        let is_number = block(&source).functions.iter().any(|f| f.name == "f" && f.result == Type::Real);
        let [compiled, judged] = transformed(seed, &source, is_number).map(|s| s.replace("f64", elem));
        let forms = if seed % RETURNED == 2 { Forms::OF_F_BOTH } else { Forms::OF_F };
        let other = with_constants(&compiled);
        self.constants += u64::from(other.is_some());
        let compiled = other.unwrap_or(compiled);
        let compiled = match seed % SURROUNDED {
            1 => in_macro(&compiled),
            4 if is_number => {
                self.conditional += 1;
                conditional(&compiled)
            }
            _ => plain(&compiled),
        };
        self.add(&format!("random_{seed}"), elem, &compiled, &judged, forms, &sizes);
        let source = source.replace("f64", elem);
        if let Some(body) = inline_body(&source) {
            self.add_inline(&format!("inline_{seed}"), elem, &source, body, &sizes);
        }
    }

    /// A random function as an inline block.
    fn add_inline(&mut self, name: &str, elem: &str, source: &str, body: &str, sizes: &[Vec<i64>]) {
        self.inline += 1;
        let (module, block) = (format_ident!("{name}"), block(source));
        let f = block.functions.iter().find(|f| f.name == "f").expect("a function f");
        let (item, call) = inline(f, &Header::of(source).params, body, &format_ident!("{elem}"));
        self.modules += &format!("{}\n", quote!(mod #module { #item }));
        let sizes = sizes.iter().map(|s| quote!(&[#(#s),*]));
        self.table.extend(quote! {
            tensor_tests::Compiled { name: #name, source: #source, calls: &[("f", #module::#call)], sizes: &[#(#sizes),*] },
        });
    }

    fn write(self, file: &str) {
        let Output { modules, table, .. } = self;
        let table = quote!(pub const PROGRAMS: &[tensor_tests::Compiled] = &[#table];);
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join(file);
        fs::write(out, format!("{modules}{table}")).expect("the build folder can be written");
    }
}

/// The body of a program that is one function, without conditions on sizes: an inline block has none, and calls none.
fn inline_body(source: &str) -> Option<&str> {
    let is_alone = source.matches("fn ").count() == 1 && !Header::of(source).result.contains(" where ");
    let body = source.split_once(" {\n")?.1.strip_suffix("}\n")?;
    is_alone.then_some(body)
}

/// A program with a Rust constant for each extent of 3, if it is still accepted: then the constant may be any.
fn with_constants(source: &str) -> Option<String> {
    const THREE: &str = "tensor_tests::THREE";
    let other = [("; 3]", "; 3"), (", 3]", ", 3"), ("in 0..3 ", "in 0..3")]
        .iter()
        .fold(source.to_string(), |s, (old, end)| {
            s.replace(old, &old.replace(end, &end.replace('3', THREE)))
        });
    (other != source && tensor_core::analyze(tokens(&other)).is_ok()).then_some(other)
}

fn tokens(source: &str) -> TokenStream {
    source.parse().expect("tokens")
}

fn block(source: &str) -> Block {
    tensor_core::analyze(tokens(source))
        .unwrap_or_else(|e| panic!("{source}\n{:?}", e.0.iter().map(|e| &e.message).collect::<Vec<_>>()))
}

/// A program with the linear maps of all of its functions, and with the derivatives that they are.
fn linear_maps(source: &str) -> [String; 2] {
    let block = block(source);
    let written = block.functions.iter().filter(|f| matches!(f.body, Some(Definition::Expr(_))));
    let names: Vec<String> = written.map(|f| f.name.to_string()).collect();
    let with =
        |items: &dyn Fn(&String) -> String| source.to_string() + &names.iter().map(items).collect::<String>();
    [
        with(&|f| format!("fn {f}_linear = linearize({f});\n")),
        with(&|f| format!("fn {f}_linear_jvp = jvp({f}); fn {f}_linear_vjp = vjp({f});\n")),
    ]
}

/// The programs of a folder, by name.
fn files(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).expect("the folder of programs is there");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
    paths.sort();
    let name = |p: &Path| p.file_stem().expect("a name").to_string_lossy().into_owned();
    paths.iter().map(|p| (name(p), fs::read_to_string(p).expect("readable"))).collect()
}
