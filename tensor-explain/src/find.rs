//! The `tensor!` blocks of a file, by its tokens: in items, bodies, modules and other macros.

use proc_macro2::{Span, TokenStream, TokenTree};

/// A block.
pub(crate) struct Found {
    /// What stands between its delimiters.
    pub tokens: TokenStream,
    /// The word `tensor`.
    pub span: Span,
    /// The delimiters.
    pub open: Span,
    /// The modules and functions around it.
    pub around: Vec<String>,
}

/// All blocks, in order.
pub(crate) fn blocks(tokens: &TokenStream) -> Vec<Found> {
    let mut out = vec![];
    walk(tokens, &[], &mut out);
    out
}

fn walk(tokens: &TokenStream, around: &[String], out: &mut Vec<Found>) {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    // The `mod a` or `fn f` whose braces come next.
    let mut item: Option<String> = None;
    for (k, t) in tokens.iter().enumerate() {
        match t {
            TokenTree::Group(g) => {
                if let Some(span) = is_block(&tokens[..k]) {
                    let around = around.to_vec();
                    out.push(Found { tokens: g.stream(), span, open: g.span(), around });
                } else {
                    let is_body = g.delimiter() == proc_macro2::Delimiter::Brace;
                    let name = if is_body { item.take() } else { None };
                    let inside: Vec<String> = around.iter().cloned().chain(name).collect();
                    walk(&g.stream(), &inside, out);
                }
            }
            TokenTree::Ident(i) if i == "mod" || i == "fn" => {
                if let Some(TokenTree::Ident(name)) = tokens.get(k + 1) {
                    item = Some(format!("{i} {name}"));
                }
            }
            TokenTree::Punct(p) if p.as_char() == ';' => item = None,
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Whether `tensor !` stands before.
fn is_block(before: &[TokenTree]) -> Option<Span> {
    match before {
        [.., TokenTree::Ident(name), TokenTree::Punct(p)] if name == "tensor" && p.as_char() == '!' => {
            Some(name.span())
        }
        _ => None,
    }
}
