//! Writes the programs that rustc is to compile: those of `programs`, and some random ones, each in `f64` and in `f32`, with a function that
//! calls them on tensors of any shape.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::path::{Path, PathBuf};
use std::{env, fs};
use tensor_core::typed::{Function, Type};

/// How many random programs are compiled.
const RANDOM: u64 = 40;

fn main() {
    println!("cargo::rerun-if-changed=programs");
    println!("cargo::rerun-if-changed=build.rs");
    let mut sources = files(Path::new("programs"));
    sources.extend((0..RANDOM).map(|seed| (format!("random_{seed}"), random(seed))));
    let mut modules = String::new();
    let mut table = TokenStream::new();
    for (name, source) in &sources {
        for elem in ["f64", "f32"] {
            let source = source.replace("f64", elem);
            let module = format_ident!("{name}_{elem}");
            let (items, functions) = program(&source, elem);
            modules += &format!("{}\n", quote!(mod #module { #items }));
            let calls = functions.iter().map(|f| {
                let text = f.to_string();
                quote!((#text, #module::calls::#f as crate::Call))
            });
            table.extend(quote!(crate::Compiled { name: #name, source: #source, calls: &[#(#calls),*] },));
        }
    }
    let table = quote!(pub const PROGRAMS: &[crate::Compiled] = &[#table];);
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("programs.rs");
    fs::write(out, format!("{modules}{table}")).expect("the build folder can be written");
}

/// The programs of a folder, by name.
fn files(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).expect("the folder of programs is there");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
    paths.sort();
    let name = |p: &Path| p.file_stem().expect("a name").to_string_lossy().into_owned();
    paths.iter().map(|p| (name(p), fs::read_to_string(p).expect("readable"))).collect()
}

/// A random program with its derivatives.
fn random(seed: u64) -> String {
    let source = tensor_judge::generate::program(seed).source;
    format!("{source} fn f_jvp = jvp(f); fn f_vjp = vjp(f);")
}

/// The block and a module `calls` with a function for each of its functions.
fn program(source: &str, elem: &str) -> (TokenStream, Vec<proc_macro2::Ident>) {
    let tokens: TokenStream = source.parse().expect("tokens");
    let block = match tensor_core::analyze(tokens.clone()) {
        Ok(block) => block,
        Err(errors) => panic!("{source}\n{:?}", errors.0.iter().map(|e| &e.message).collect::<Vec<_>>()),
    };
    let elem = format_ident!("{elem}");
    // A transform inside another is no item, and a linear map no tensor.
    let items = || block.functions.iter().filter(|f| !f.is_inner && f.linearization.is_none());
    let calls = items().map(|f| call(f, &elem));
    let names = items().map(|f| f.name.clone()).collect();
    (quote!(tensor_rt::tensor! { #tokens } pub mod calls { #(#calls)* }), names)
}

/// `pub fn f(sizes, args) -> results`, of flat tensors.
fn call(f: &Function, elem: &proc_macro2::Ident) -> TokenStream {
    let (mut leaf, mut size) = (0, 0_usize);
    let mut lets = TokenStream::new();
    let mut args = vec![];
    for p in &f.params {
        args.push(match &p.ty {
            Type::Size => {
                size += 1;
                let k = size - 1;
                quote!(sizes[#k])
            }
            ty => argument(ty, 0, &mut leaf, &mut lets, elem),
        });
    }
    let name = &f.name;
    quote! {
        #[allow(unused_variables)]
        pub fn #name(sizes: &[usize], args: &[crate::Tensor]) -> Result<Vec<crate::Tensor>, tensor_rt::Error> {
            #lets
            let result = super::#name(#(#args),*)?;
            Ok(crate::Flatten::flatten(&result))
        }
    }
}

/// An argument of a type, of `rank` more dimensions around it.
fn argument(
    ty: &Type,
    rank: usize,
    leaf: &mut usize,
    lets: &mut TokenStream,
    elem: &proc_macro2::Ident,
) -> TokenStream {
    match ty {
        Type::Real => {
            let k = *leaf;
            *leaf += 1;
            let name = format_ident!("leaf{k}");
            lets.extend(quote!(let #name = args[#k].elements::<#elem>();));
            if rank == 0 {
                return quote!(#name[0]);
            }
            let shape = (0..rank).map(|d| quote!(args[#k].shape[#d]));
            lets.extend(quote!(let #name = (&#name[..], [#(#shape),*]);));
            quote!(&#name)
        }
        Type::Array(extents, element) => argument(element, rank + extents.len(), leaf, lets, elem),
        Type::Tuple(parts) => {
            let parts: Vec<_> = parts.iter().map(|p| argument(p, rank, leaf, lets, elem)).collect();
            quote!((#(#parts),*,))
        }
        Type::Size => quote!(0),
    }
}
