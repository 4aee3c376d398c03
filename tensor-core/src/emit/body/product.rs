//! Products of matrices: calls of the kernel.

use super::expr::Tokens;
use crate::index::{Affine, Atom};
use crate::loops::{Band, Mirror, Part, Place, Product};
use crate::ssa::Index;
use proc_macro2::TokenStream;
use quote::quote;

/// A call of the kernel for products of matrices, each with its offset and its strides by rows and columns.
pub(super) fn product(t: &Tokens<'_>, p: &Product) -> TokenStream {
    let elem = t.elem();
    let matrix = |place: &Place, rows: Index, cols: Index| {
        let starts = |i: Index| p.part.as_ref().is_some_and(|q| q.index == i);
        let goes = |t: &Atom| [rows, cols].iter().any(|i| *t == i.atom() && !starts(*i));
        let zero = |a: &Affine| {
            let terms = a.terms.iter().filter(|(t, _)| !goes(t));
            Affine { terms: terms.cloned().collect(), ..a.clone() }
        };
        let at = Place { var: place.var, at: place.at.iter().map(zero).collect() };
        let offset = t.offset(&at);
        let stride = |i: Index| t.stride(place, i);
        let (rows, cols) = (stride(rows), stride(cols));
        quote!(::tensor_rt::gemm::Matrix {
            offset: #offset as usize, rows: #rows as usize, cols: #cols as usize,
        })
    };
    let (m, n, k) = (p.rows.0, p.cols.0, p.inner.0);
    let (a_at, b_at, c_at) = (matrix(&p.a, m, k), matrix(&p.b, k, n), matrix(&p.c, m, n));
    let (a, b, c, work) = (t.var(p.a.var), t.var(p.b.var), t.var(p.c.var), t.var(p.work));
    let part = t.helper("count");
    let count = |(i, count): &(Index, Affine)| match p.part.as_ref().filter(|q| q.index == *i) {
        None => t.affine(count),
        Some(_) => quote!(#part),
    };
    let (rows, cols, inner) = (count(&p.rows), count(&p.cols), count(&p.inner));
    let (adds, scale) = (p.adds, t.number(p.scale));
    let diagonal = p.band.as_ref().map(|band| t.affine(band.diagonal()));
    let (kernel, band) = match &p.band {
        None => (quote!(gemm), quote!()),
        Some(Band::From(_)) => (quote!(gemm_band), quote!(::tensor_rt::gemm::Band::from(#diagonal),)),
        Some(Band::UpTo(_)) => (quote!(gemm_band), quote!(::tensor_rt::gemm::Band::up_to(#diagonal),)),
    };
    let call = quote! {
        ::tensor_rt::gemm::#kernel::<#elem>(
            #band (#rows as usize, #cols as usize, #inner as usize),
            &#a[..], #a_at, &#b[..], #b_at, &mut #c[..], #c_at, #adds, #scale, &mut #work[..],
        );
    };
    match &p.part {
        None => call,
        Some(q) => of_part(t, p, q, &call),
    }
}

/// A call of the kernel that copies one side of a diagonal to the other.
pub(super) fn mirror(t: &Tokens<'_>, m: &Mirror) -> TokenStream {
    let (elem, c) = (t.elem(), t.var(m.c.var));
    let (rows, block) = (t.affine(&m.rows), t.affine(&m.block));
    // It takes what is above the diagonal.
    let strides =
        if m.above { quote!(rows: #rows as usize, cols: 1) } else { quote!(rows: 1, cols: #rows as usize) };
    quote! {
        ::tensor_rt::gemm::mirror::<#elem>(
            #rows as usize, #block as usize, &mut #c[..], ::tensor_rt::gemm::Matrix { offset: 0, #strides },
        );
    }
}

/// A call for the iterations of a part, if there are any: from that of the index, `count` of them.
fn of_part(t: &Tokens<'_>, p: &Product, q: &Part, call: &TokenStream) -> TokenStream {
    let all = [&p.rows, &p.cols, &p.inner].into_iter().find(|d| d.0 == q.index).map(|d| t.affine(&d.1));
    let (i, lower, upper) = (t.index(q.index), t.affine(&q.lower), t.affine(&q.upper.clone().step(1)));
    let count = t.helper("count");
    quote!({
        let #i: isize = ::core::cmp::Ord::max(0isize, #lower);
        let #count: isize = ::core::cmp::Ord::min(#all, #upper) - #i;
        if #count > 0isize {
            #call
        }
    })
}
