//! Matmuls: calls of the kernel.

use super::expr::Tokens;
use crate::emit::runtime::RT;
use crate::index::{Affine, Atom};
use crate::loops::{Band, Part, Place, Product, Symmetrize, Way};
use crate::ssa::Index;
use proc_macro2::TokenStream;
use quote::quote;

/// A call of the kernel for matmuls, each with its offset and its strides by rows and columns.
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
        quote!(#RT::gemm::Matrix {
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
    // The end of a sum may stand before its beginning, as in `sum k in n..m`.
    let inner =
        if may_be_negative(&p.inner.1) { quote!(::core::cmp::Ord::max(#inner, 0isize)) } else { inner };
    let (adds, scale) = (p.adds, t.number(p.scale));
    let diagonal = p.band.as_ref().map(|band| t.affine(band.diagonal()));
    let (kernel, band) = match &p.band {
        None => (quote!(gemm), quote!()),
        Some(Band::From(_)) => (quote!(gemm_band), quote!(#RT::gemm::Band::from(#diagonal),)),
        Some(Band::UpTo(_)) => (quote!(gemm_band), quote!(#RT::gemm::Band::up_to(#diagonal),)),
    };
    let (kernel, sizes) = if p.across {
        (quote!(gemm_symmetric), quote!((#rows as usize, #inner as usize)))
    } else {
        (kernel, quote!(#band (#rows as usize, #cols as usize, #inner as usize)))
    };
    let threads = t.program.threads.then(|| quote!(threads::));
    let call = quote! {
        #RT::gemm::#threads #kernel::<#elem>(
            #sizes,
            &#a[..], #a_at, &#b[..], #b_at, &mut #c[..], #c_at, #adds, #scale, &mut #work[..],
        );
    };
    match &p.part {
        None => call,
        Some(q) => of_part(t, p, q, &call),
    }
}

/// Whether a form of sizes is a difference.
fn may_be_negative(a: &Affine) -> bool {
    a.constant < 0 || a.terms.iter().any(|t| t.1 < 0)
}

/// A call of the kernel that copies one side of a diagonal to the other.
pub(super) fn symmetrize(t: &Tokens<'_>, m: &Symmetrize) -> TokenStream {
    let (elem, c) = (t.elem(), t.var(m.c.var));
    let (first, stride) = (t.offset(&m.c), t.affine(&m.stride));
    let (rows, block) = (t.affine(&m.rows), t.affine(&m.block));
    match m.way {
        Way::Registers => {
            let isa = t.helper("isa");
            quote!(#RT::simd::symmetrize_square(#isa, &mut #c[..], #first as usize, #stride as usize);)
        }
        Way::Loops => {
            let (i, j) = (t.helper("row"), t.helper("column"));
            let below = quote!((#first + #i * #stride + #j) as usize);
            let above = quote!((#first + #j * #stride + #i) as usize);
            let (to, from) = if m.above { (below, above) } else { (above, below) };
            quote!(for #i in 0isize..#rows { for #j in 0isize..#i { #c[#to] = #c[#from]; } })
        }
        Way::Kernel => {
            // It takes what is above the diagonal.
            let strides = if m.above {
                quote!(rows: #stride as usize, cols: 1)
            } else {
                quote!(rows: 1, cols: #stride as usize)
            };
            quote! {
                #RT::gemm::symmetrize::<#elem>(
                    #rows as usize, #block as usize, &mut #c[..], #RT::gemm::Matrix { offset: #first as usize, #strides },
                );
            }
        }
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
