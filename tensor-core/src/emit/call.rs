//! The bodies of `f` and `f_into`.

use super::entry::{Entry, length_var, size};
use super::leaves::{hidden, local};
use super::signature::{Leaf, Signature, literals};
use crate::emit::runtime::RT;
use crate::loops::Program;
use crate::typed::{Function, Param, Type};
use proc_macro2::{Ident, Literal, TokenStream};

/// The body of a function that had errors.
pub(super) fn not_compiled(s: &Signature, into: bool) -> TokenStream {
    let bind = s.bind_inputs();
    let inputs = s.inputs.iter().map(|l| &l.var);
    let by_value = s.by_value_params();
    let outputs = s.tensors().filter(|_| into).map(|l| &l.var);
    let work = into.then(|| s.work()).into_iter();
    hygienic! {
        #bind
        let _ = (#(&#inputs,)* #(&#by_value,)* #(&#outputs,)* #(&#work,)*);
        ::core::result::Result::Err(#RT::Error::NotCompiled)
    }
}

/// The body of `f`: allocates the outputs and calls `f_into`.
pub(super) fn allocating(f: &Function, s: &Signature, program: &Program, into: &Ident) -> TokenStream {
    let args = f.params.iter().map(|p| &p.name);
    let dynamic = s.tensors().any(|l| literals(&l.extents).is_none());
    let extents = if dynamic {
        let entry = Entry::new(f, s, program);
        let (items, bind) = (entry.extents(), s.bind_inputs());
        let (shapes, dims) = shapes(s, &s.inputs.iter().collect::<Vec<_>>());
        let (by_value, entry) = (entry.by_value(), s.entry());
        hygienic! {
            #items
            let __extents = {
                #bind
                #shapes
                #entry([#(#dims),*], [#(#by_value),*])?
            };
        }
    } else {
        TokenStream::new()
    };
    let mut first = 0;
    let outputs = s.tensors().map(|l| {
        let (var, zeros) = (&l.var, zeros(l, first));
        first += l.extents.len();
        hygienic!(let mut #var = #zeros;)
    });
    let vars = s.tensors().map(|l| &l.var);
    let (scalars, elem, result) = (s.scalar_vars(), s.elem(), s.result_value());
    hygienic! {
        #extents
        #(#outputs)*
        let #scalars = #into(#(#args,)* #(&mut #vars,)* &mut #RT::Workspace::<#elem>::new())?;
        ::core::result::Result::Ok(#result)
    }
}

/// A new output; its extents stand in `extents` from `first` on.
pub(super) fn zeros(leaf: &Leaf, first: usize) -> TokenStream {
    if let Some(lengths) = literals(&leaf.extents) {
        return lengths.iter().rev().fold(hygienic!(0.0), |row, len| {
            let len = Literal::usize_unsuffixed(*len);
            hygienic!([#row; #len])
        });
    }
    let at = (first..first + leaf.extents.len()).map(Literal::usize_unsuffixed);
    let shape = hygienic!([#(__extents[#at]),*]);
    match leaf.extents.len() {
        1..=6 => hygienic!(#RT::ndarray::Array::zeros(#shape)),
        _ => hygienic!(#RT::ndarray::ArrayD::zeros(&#shape[..])),
    }
}

/// `let shape0 = shape("x", x)?;` for every tensor, and all their dimensions.
pub(super) fn shapes(s: &Signature, leaves: &[&Leaf]) -> (TokenStream, Vec<TokenStream>) {
    let elem = s.elem();
    let (mut lets, mut dims) = (TokenStream::new(), vec![]);
    for (k, l) in leaves.iter().enumerate().filter(|(_, l)| l.is_tensor()) {
        let (shape, name, var) = (hidden(&format!("shape{k}")), &l.name, &l.var);
        let rank = Literal::usize_unsuffixed(l.extents.len());
        lets.extend(hygienic! {
            let #shape = #RT::__private::shape::<#elem, _, #rank>(#name, &*#var)?;
        });
        dims.extend((0..l.extents.len()).map(Literal::usize_unsuffixed).map(|d| hygienic!(#shape[#d])));
    }
    (lets, dims)
}

/// The names that a tensor has on its way through `f_into`.
struct Passed<'a> {
    leaf: &'a Leaf,
    /// Its length.
    length: Ident,
    /// Its elements, if they are contiguous.
    slice: Ident,
    /// Where they are copied if they are not.
    buffer: Ident,
}

/// The tensors among the leaves; their lengths are numbered from `first` on.
fn passed<'a>(leaves: impl Iterator<Item = &'a Leaf>, first: usize) -> Vec<Passed<'a>> {
    let one = |(k, leaf)| Passed {
        leaf,
        length: length_var(k),
        slice: hidden(&format!("slice{k}")),
        buffer: hidden(&format!("buffer{k}")),
    };
    (first..).zip(leaves.filter(|l| l.is_tensor())).map(one).collect()
}

/// The body of `f_into`, around the function `body`.
pub(super) fn into(f: &Function, s: &Signature, program: &Program, body: &TokenStream) -> TokenStream {
    let entry = Entry::new(f, s, program);
    let items = entry.complete(program);
    let bind = s.bind_inputs();
    let (shapes, dims) = shapes(s, &s.inputs.iter().chain(s.tensors()).collect::<Vec<_>>());
    let by_value = entry.by_value();
    let sizes: Vec<Ident> = (0..program.function.sizes.len()).map(size).collect();
    let inputs = passed(s.inputs.iter(), 0);
    let outputs = passed(s.tensors(), inputs.len());
    let work: Vec<Ident> =
        (0..program.workspace().count()).map(|k| length_var(inputs.len() + outputs.len() + k)).collect();
    let lengths = inputs.iter().chain(&outputs).map(|p| &p.length).chain(&work);
    let slices = slices(&inputs, &outputs);
    let buffers = buffers(s, program, &inputs, &outputs, &work);
    let run = run(s, program, &sizes, &inputs, &outputs);
    let (scalars, entry, elem) = (s.scalar_vars(), s.entry(), super::body::elem_type(f.elem));
    // Around the body, these may be names of other types.
    hygienic! {
        use ::core::primitive::{#elem, isize, usize};
        #body
        #items
        #bind
        #shapes
        let ([#(#sizes),*], [#(#lengths),*]) = #entry([#(#dims),*], [#(#by_value),*])?;
        #slices
        #buffers
        #run
        ::core::result::Result::Ok(#scalars)
    }
}

/// `let slice0 = slice("x", x, length0)?;`, for outputs as well.
fn slices(inputs: &[Passed], outputs: &[Passed]) -> TokenStream {
    let one = |p: &Passed, function: &str, reborrow: TokenStream| {
        let Passed { leaf: Leaf { name, var, extents }, length, slice, .. } = p;
        let (function, rank) = (local(function), Literal::usize_unsuffixed(extents.len()));
        hygienic! {
            let #slice = #RT::__private::#function::<_, _, #rank>(#name, #reborrow #var, #length)?;
        }
    };
    let inputs = inputs.iter().map(|p| one(p, "slice", hygienic!(&*)));
    let outputs = outputs.iter().map(|p| one(p, "slice_mut", hygienic!(&mut *)));
    hygienic!(#(#inputs)* #(#outputs)*)
}

/// Takes the workspace and cuts it: copies of what is not contiguous, then the buffers of the program.
fn buffers(
    s: &Signature,
    program: &Program,
    inputs: &[Passed],
    outputs: &[Passed],
    work: &[Ident],
) -> TokenStream {
    let copies = inputs
        .iter()
        .chain(outputs)
        .map(|Passed { slice, length, .. }| hygienic!(#RT::__private::copied(&#slice, #length)));
    let copies: Vec<_> = copies.collect();
    let of = |indices: bool| {
        let lengths = program.workspace().zip(work).filter(move |(b, _)| b.holds_indices == indices);
        lengths.map(|(_, l)| hygienic!(#l)).collect::<Vec<_>>()
    };
    let (reals, indices) = (of(false), of(true));
    let names = inputs.iter().chain(outputs).map(|p| &p.buffer);
    let cuts = program.workspace().zip(work).enumerate().map(|(k, (b, length))| {
        let (var, rest) = (work_var(k), hidden(if b.holds_indices { "indices" } else { "reals" }));
        hygienic!(let #var = #RT::__private::cut(&mut #rest, #length);)
    });
    let (workspace, rt) = (s.work(), RT);
    hygienic! {
        let (::core::option::Option::Some(__all_reals), ::core::option::Option::Some(__all_indices)) = (
            #RT::__private::total(&[#(#copies,)* #(#reals,)*]),
            #RT::__private::total(&[#(#indices),*]),
        ) else {
            return ::core::result::Result::Err(#RT::__private::memory("work", &[], &[]));
        };
        let (mut __reals, mut __indices) = #RT::Workspace::buffers(#workspace, __all_reals, __all_indices);
        #(let #names = #rt::__private::cut(&mut __reals, #copies);)*
        #(#cuts)*
    }
}

fn work_var(k: usize) -> Ident {
    hidden(&format!("work{k}"))
}

/// Calls the body, and writes what is not contiguous.
fn run(
    s: &Signature,
    program: &Program,
    sizes: &[Ident],
    inputs: &[Passed],
    outputs: &[Passed],
) -> TokenStream {
    let reads = inputs.iter().map(|Passed { leaf: Leaf { var, extents, .. }, slice, buffer, .. }| {
        let rank = Literal::usize_unsuffixed(extents.len());
        hygienic!(let #slice = #RT::__private::read::<_, _, #rank>(&*#var, #slice, #buffer);)
    });
    let mut tensors = inputs.iter();
    let arguments: Vec<_> = s
        .inputs
        .iter()
        .map(|l| {
            let slice = if l.is_tensor() { tensors.next().map(|p| &p.slice) } else { None };
            slice.unwrap_or(&l.var)
        })
        .collect();
    let flags: Vec<Ident> = (0..outputs.len()).map(|k| hidden(&format!("is_apart{k}"))).collect();
    let (out_slices, out_buffers): (Vec<_>, Vec<_>) = outputs.iter().map(|p| (&p.slice, &p.buffer)).unzip();
    let vars = outputs.iter().map(|p| &p.leaf.var);
    let ranks = outputs.iter().map(|p| Literal::usize_unsuffixed(p.leaf.extents.len()));
    let work = (0..program.workspace().count()).map(work_var);
    let (scalars, elem, body, rt) = (s.scalar_vars(), s.elem(), s.body(), RT);
    hygienic! {
        #(#reads)*
        #(let #flags = ::core::option::Option::is_none(&#out_slices);)*
        #(let #out_slices = match #out_slices {
            ::core::option::Option::Some(__slice) => __slice,
            ::core::option::Option::None => &mut *#out_buffers,
        };)*
        let #scalars = #body(#(#sizes,)* #(#arguments,)* #(#out_slices,)* #(#work),*);
        #(if #flags {
            #rt::AsTensorMut::<#elem, #ranks>::copy_from(#vars, #out_buffers);
        })*
    }
}

impl Signature<'_> {
    /// The parameters that are sizes.
    fn by_value_params(&self) -> Vec<&Ident> {
        let is_size = |p: &&Param| p.ty == Type::Size;
        self.all_params().iter().filter(is_size).map(|p| &p.name).collect()
    }
}
