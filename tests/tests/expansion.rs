//! What expansions look like: the same bytes each time, and never `unsafe`.

use proc_macro2::{TokenStream, TokenTree};
use tensor_judge::generate;

fn sources() -> Vec<String> {
    let folder = std::fs::read_dir("programs").expect("the programs");
    let mut all: Vec<String> =
        folder.map(|e| std::fs::read_to_string(e.expect("readable").path()).expect("readable")).collect();
    let random = |seed| format!("{} fn f_jvp = jvp(f); fn f_vjp = vjp(f);", generate::wide(seed).source);
    all.extend((100..140).map(random));
    all
}

fn has_unsafe(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|t| match t {
        TokenTree::Ident(i) => i == "unsafe",
        TokenTree::Group(g) => has_unsafe(g.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

#[test]
fn no_expansion_is_unsafe() {
    for source in sources() {
        let tokens = tensor_core::compile(source.parse().expect("tokens"));
        assert!(!tokens.is_empty());
        assert!(!has_unsafe(tokens), "{source}");
    }
}

#[test]
fn expansions_are_reproducible() {
    for source in sources() {
        let expand = || tensor_core::compile(source.parse().expect("tokens")).to_string();
        assert_eq!(expand(), expand());
    }
}

/// The macro reserves as much as the kernel needs.
#[test]
fn products_have_the_room_that_they_need() {
    assert_eq!(usize::try_from(tensor_core::loops::PRODUCT_WORK), Ok(tensor_rt::gemm::WORK));
}
