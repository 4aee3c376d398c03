//! What is known while one function is checked.

use super::names;
use crate::ast::Elem;
use crate::error::{Errors, Span};
use crate::index::omega::Work;
use crate::index::query::{Facts, entails};
use crate::index::{Affine, Atom, Cond, Names, Pred};
use crate::sorted::{Map, Set};
use crate::typed::{self, Binder, Comparison, Expr, ExprKind, LetArg, Size, SizeOrigin, Type, Var};

/// The functions of the block: their signatures, and by name their number (`None`: the signature had errors, which are reported).
pub(super) struct Signatures {
    pub functions: Vec<typed::Function>,
    pub by_name: Map<String, Option<usize>>,
}

/// What a name stands for.
#[derive(Clone)]
pub(super) enum Binding {
    /// A parameter or a `let`.
    Value(Var, Type),
    /// A size, an index, or a `let` of an affine form.
    Index(Affine),
    /// What a recurrence gives, within it: of this type once it is finished.
    Unfinished(Var, Type),
    /// A `let` of integer literals: an index and a number.
    Number(Affine, Var),
    /// Something whose definition had errors: its uses are silent.
    Error,
}

/// An index and, while its range is to be inferred, the extents that it was seen to walk.
pub(super) struct IndexInfo {
    pub name: String,
    pub range: IndexRange,
}

/// See [`IndexInfo`].
pub(super) enum IndexRange {
    /// Written, or inferred: `lower..upper`.
    Known(Affine, Affine),
    /// The extents seen, each with the access that it is of.
    Open(Vec<(Affine, String)>),
    /// Not to be inferred: its range had errors.
    Error,
}

/// An `argmax` to be bound around the expression that it stands in.
pub(super) struct Lifted {
    pub element: u32,
    /// What messages call it.
    pub name: String,
    pub is_max: bool,
    pub binder: Binder,
    pub guard: Pred,
    pub value: Expr,
}

/// What stands between a body's opening and its value.
pub(super) enum Bound {
    Let(Var, Expr),
    Arg(Lifted),
}

/// Lengths of untyped captures: free until an index or another length gives them.
#[derive(Default)]
pub(super) struct Flexible {
    /// Their sizes.
    pub sizes: Vec<u32>,
    /// What was found of them.
    pub found: Vec<(u32, Affine)>,
}

/// The state of the check of one function.
pub(super) struct Cx<'a> {
    pub block: &'a Signatures,
    pub errors: &'a mut Errors,
    pub elem: Elem,
    pub sizes: Vec<Size>,
    pub indices: Vec<IndexInfo>,
    pub variables: Vec<String>,
    /// Those of `#[recompute] let`.
    pub recomputed: Set<Var>,
    pub comparisons: Vec<Comparison>,
    pub elements: Vec<(Affine, Affine)>,
    /// What messages call them.
    pub element_names: Vec<String>,
    /// Extents as the user wrote them.
    pub written: Vec<(Affine, String)>,
    /// What holds of the sizes.
    pub facts: Pred,
    pub scope: Vec<(String, Binding)>,
    pub lifted: Vec<Lifted>,
    /// The functions called.
    pub calls: Vec<usize>,
    /// In inline blocks.
    pub flexible: Option<Flexible>,
    /// What the `let`s bind whose values are looked at.
    pub defining: Vec<String>,
    /// How many recurrences are around.
    pub recurrences: usize,
    /// Only types are asked for.
    pub guessing: bool,
}

impl<'a> Cx<'a> {
    pub(super) fn new(block: &'a Signatures, elem: Elem, errors: &'a mut Errors) -> Cx<'a> {
        Cx {
            block,
            errors,
            elem,
            sizes: vec![],
            indices: vec![],
            variables: vec![],
            recomputed: Set::new(),
            comparisons: vec![],
            elements: vec![],
            element_names: vec![],
            written: vec![],
            facts: vec![],
            scope: vec![],
            lifted: vec![],
            calls: vec![],
            flexible: None,
            defining: vec![],
            recurrences: 0,
            guessing: false,
        }
    }

    /// Reports a mistake.
    pub(super) fn error<T>(&mut self, span: impl Into<Span>, message: impl Into<String>) -> Option<T> {
        self.errors.push(span, message);
        None
    }

    /// The result of `f`, its mistakes forgotten.
    pub(super) fn quietly<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.errors.0.len();
        let out = f(self);
        self.errors.0.truncate(before);
        out
    }

    pub(super) fn names(&self) -> Names {
        Names {
            sizes: self.sizes.iter().map(|s| s.name.clone()).collect(),
            indices: self.indices.iter().map(|i| i.name.clone()).collect(),
            arrays: self.element_names.clone(),
            written: self.written.clone(),
            ..Names::default()
        }
    }
    pub(super) fn affine_text(&self, a: &Affine) -> String {
        self.names().affine(a)
    }
    pub(super) fn type_text(&self, t: &Type) -> String {
        names::ty(t, self.elem, &self.names())
    }

    pub(super) fn lookup(&self, name: &str) -> Option<&Binding> {
        self.scope.iter().rev().find(|b| b.0 == name).map(|b| &b.1)
    }
    pub(super) fn bind(&mut self, name: impl ToString, binding: Binding) {
        self.scope.push((name.to_string(), binding));
    }

    /// Reports a name that nothing is bound to.
    pub(super) fn unknown<T>(&mut self, name: &proc_macro2::Ident) -> Option<T> {
        let text = name.to_string();
        if self.block.by_name.contains_key(&text) || super::call::built_in().any(|b| b == text) {
            return self.error(name.span(), format!("`{text}` is a function: call it, `{text}(…)`"));
        }
        if self.defining.contains(&text) {
            let message = format!(
                "`{text}` is not known within its own definition: a tensor of which an element reads those before it is written `let {text} = rec i in 0..n {{ … }}`"
            );
            return self.error(name.span(), message);
        }
        let own = crate::emit::constants::OWN.iter().filter(|c| c.eq_ignore_ascii_case(&text));
        let mut advice = match own.copied().next() {
            Some(constant) => format!("; did you mean `{constant}`?"),
            None => names::suggestion(&text, self.scope.iter().map(|b| b.0.as_str())),
        };
        if advice.is_empty() && self.scope.len() <= 4 {
            let known: Set<_> = self.scope.iter().map(|b| format!("`{}`", b.0)).collect();
            let known: Vec<_> = known.into_iter().collect();
            if !known.is_empty() {
                advice = format!("; known here: {}", known.join(", "));
            } else {
                advice = "; a size is declared after the name of the function: `fn f<n>(…)`".into();
            }
        }
        self.error(name.span(), format!("`{text}` is not known{advice}"))
    }

    pub(super) fn new_size(&mut self, name: impl ToString, origin: SizeOrigin) -> Affine {
        self.sizes.push(Size { name: name.to_string(), origin });
        Atom::Size(number(self.sizes.len() - 1)).into()
    }
    /// The size that is the Rust constant of this path.
    pub(super) fn constant_size(&mut self, path: proc_macro2::TokenStream) -> Affine {
        let name = path.to_string().replace(' ', "");
        match self.known_constant(&name) {
            Some(k) => Atom::Size(k).into(),
            None => self.new_size(name, SizeOrigin::Constant(path)),
        }
    }
    /// Makes these constants sizes, but for names that are something else here.
    pub(super) fn constant_sizes(&mut self, paths: Vec<proc_macro2::TokenStream>) {
        for path in paths {
            if self.lookup(&path.to_string()).is_none() {
                self.constant_size(path);
            }
        }
    }
    /// The number of the size that is the Rust constant `path`, if it is one already.
    pub(super) fn known_constant(&self, path: &str) -> Option<u32> {
        let is = |s: &Size| s.name == path && matches!(s.origin, SizeOrigin::Constant(_));
        self.sizes.iter().position(is).map(number)
    }

    pub(super) fn new_index(&mut self, name: impl ToString, range: IndexRange) -> u32 {
        self.indices.push(IndexInfo { name: name.to_string(), range });
        number(self.indices.len() - 1)
    }
    pub(super) fn new_var(&mut self, name: impl ToString) -> Var {
        self.variables.push(name.to_string());
        Var(number(self.variables.len() - 1))
    }
    /// Fresh indices that walk `extents`.
    pub(super) fn walk(&mut self, extents: &[Affine], span: Span) -> Vec<Binder> {
        let one = |(d, e): (usize, &Affine)| {
            let name = ["k", "l", "p", "q"].get(d).copied().unwrap_or("r");
            let index = self.new_index(name, IndexRange::Known(0.into(), e.clone()));
            Binder { index, lower: 0.into(), upper: e.clone(), span }
        };
        extents.iter().enumerate().map(one).collect()
    }

    /// Whether `a = b` for all sizes that the facts allow.
    pub(super) fn same_extent(&mut self, a: &Affine, b: &Affine) -> bool {
        let Some(difference) = a.plus_scaled(-1, b) else { return false };
        if difference.is_constant() {
            return difference.constant == 0;
        }
        let equal = [Cond::Zero(difference)];
        entails(&self.facts, &equal, &Facts::default(), &mut Work::default()) || self.unify(a, b)
    }

    /// What to say of two lengths that differ but may be meant to be equal.
    pub(super) fn equal_if(&self, a: &Affine, b: &Affine) -> String {
        let [Some(_), Some(_)] = [a, b].map(Affine::as_atom) else { return String::new() };
        let (a, b) = (self.affine_text(a), self.affine_text(b));
        format!("\n  help: if they are meant to be equal, use one name for both, or say `where {a} == {b}`")
    }

    /// The same of two types that differ in one length.
    pub(super) fn equal_if_types(&mut self, s: &Type, t: &Type) -> String {
        let (Type::Array(d, x), Type::Array(e, y)) = (s, t) else { return String::new() };
        if d.len() != e.len() || !self.same_type(x, y) {
            return String::new();
        }
        let differ: Vec<_> = d.iter().zip(e).filter(|(d, e)| !self.same_extent(d, e)).collect();
        match differ.as_slice() {
            [(d, e)] => self.equal_if(d, e),
            _ => String::new(),
        }
    }

    /// Whether `a` and `b` may be taken to be equal, because one is the length of an untyped capture.
    pub(super) fn unify(&mut self, a: &Affine, b: &Affine) -> bool {
        let Some(flexible) = &mut self.flexible else { return false };
        for (a, b) in [(b, a), (a, b)] {
            if let ([(Atom::Size(k), 1)], 0) = (a.terms.as_slice(), a.constant)
                && flexible.sizes.contains(k)
                && !b.mentions(&Atom::Size(*k))
                && is_affine_of_sizes(b)
            {
                flexible.found.push((*k, b.clone()));
                return true;
            }
        }
        false
    }

    /// Whether the types are equal for all sizes that the facts allow.
    pub(super) fn same_type(&mut self, a: &Type, b: &Type) -> bool {
        match (a, b) {
            (Type::Real, Type::Real) | (Type::Size, Type::Size) => true,
            (Type::Array(d, x), Type::Array(e, y)) => {
                d.len() == e.len()
                    && d.iter().zip(e).all(|(d, e)| self.same_extent(d, e))
                    && self.same_type(x, y)
            }
            (Type::Tuple(xs), Type::Tuple(ys)) => {
                xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| self.same_type(x, y))
            }
            (Type::Real | Type::Size | Type::Array(..) | Type::Tuple(_), _) => false,
        }
    }

    /// `lets; value`
    pub(super) fn wrap(bounds: Vec<Bound>, value: Expr) -> Expr {
        bounds.into_iter().rev().fold(value, |rest, b| {
            let (ty, span) = (rest.ty.clone(), rest.span);
            let kind = match b {
                Bound::Let(var, e) => ExprKind::Let(var, Box::new(e), Box::new(rest)),
                Bound::Arg(l) => {
                    let Lifted { element, name, is_max, binder, guard, value } = l;
                    let may_be_empty = false;
                    ExprKind::LetArg(Box::new(LetArg {
                        element,
                        name,
                        is_max,
                        binder,
                        guard,
                        may_be_empty,
                        value,
                        rest,
                    }))
                }
            };
            Expr { kind, ty, span }
        })
    }
    /// Binds what was lifted since `mark` around `e`.
    pub(super) fn bind_lifted(&mut self, mark: usize, e: Expr) -> Expr {
        let lifted = self.lifted.split_off(mark);
        Cx::wrap(lifted.into_iter().map(Bound::Arg).collect(), e)
    }
}

/// Ids are `u32`; a function with more of them than that does not fit into memory.
pub(super) fn number(k: usize) -> u32 {
    u32::try_from(k).unwrap_or(u32::MAX)
}

fn is_affine_of_sizes(a: &Affine) -> bool {
    a.terms.iter().all(|t| matches!(t.0, Atom::Size(_)))
}

/// Whether `a` speaks of sizes alone.
pub(super) fn of_sizes(a: &Affine) -> bool {
    fn one(a: &Atom) -> bool {
        match a {
            Atom::Size(_) => true,
            Atom::Index(_) | Atom::Element(..) => false,
            Atom::Floor(e, _) => of_sizes(e),
            Atom::Product(fs) => fs.iter().all(one),
        }
    }
    a.terms.iter().all(|t| one(&t.0))
}

/// An expression of a scalar.
pub(super) fn real(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, ty: Type::Real, span }
}
