//! What forms, terms and statements read and mention.

use super::Substitution;
use crate::index::{Affine, Atom, Cond, Pred};
use crate::prim::{Formula, Prim};
use crate::sorted::Set;
use crate::ssa::{Access, ArrayId, Function, Index, Rhs, Term};

/// The indices that an affine form mentions, at any depth, with repetitions.
pub fn indices_of(a: &Affine) -> Box<dyn Iterator<Item = Index> + '_> {
    Box::new(a.terms.iter().flat_map(|(t, _)| atom_indices(t)))
}

/// The indices that an atom mentions, at any depth, with repetitions.
pub fn atom_indices(a: &Atom) -> Box<dyn Iterator<Item = Index> + '_> {
    match a {
        Atom::Size(_) => Box::new(std::iter::empty()),
        Atom::Index(i) => Box::new(std::iter::once(Index(*i))),
        Atom::Floor(e, _) => indices_of(e),
        Atom::Element(_, at) => Box::new(at.iter().flat_map(indices_of)),
        Atom::Product(factors) => Box::new(factors.iter().flat_map(atom_indices)),
    }
}

/// The indices that a condition mentions, with repetitions.
pub fn cond_indices(c: &Cond) -> impl Iterator<Item = Index> + '_ {
    c.affines().into_iter().flat_map(indices_of)
}

/// The elements of index arrays in an affine form, inner ones first.
pub fn elements_of<'a>(a: &'a Affine, visit: &mut dyn FnMut(ArrayId, &'a [Affine])) {
    fn atom<'a>(t: &'a Atom, visit: &mut dyn FnMut(ArrayId, &'a [Affine])) {
        match t {
            Atom::Size(_) | Atom::Index(_) => {}
            Atom::Floor(e, _) => elements_of(e, visit),
            Atom::Element(k, at) => {
                at.iter().for_each(|e| elements_of(e, visit));
                visit(ArrayId(*k), at);
            }
            Atom::Product(factors) => factors.iter().for_each(|f| atom(f, visit)),
        }
    }
    a.terms.iter().for_each(|(t, _)| atom(t, visit));
}

/// How a statement reads an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Read {
    /// As a factor of the term of this number.
    Factor(usize),
    /// As an argument of a primitive or a reduction.
    Argument,
    /// All of it, or of its last dimensions, by a Rust function.
    Whole,
    /// In a comparison of reals.
    Compared,
    /// As an element of an index array.
    Element,
}

impl Term {
    /// A term without guard and sums.
    #[must_use]
    pub fn product(coeff: f64, factors: Vec<Access>) -> Term {
        Term { sums: vec![], guard: vec![], coeff, factors }
    }

    /// The indices that the factors mention.
    #[must_use]
    pub fn factor_indices(&self) -> Set<Index> {
        self.factors.iter().flat_map(|a| a.at.iter().flat_map(indices_of)).collect()
    }

    /// The same term with private sums of its own.
    #[must_use]
    pub fn freshened(&self, f: &mut Function) -> Option<Term> {
        let fresh = f.fresh(&self.sums);
        let mut t = Substitution::renaming(&self.sums, &fresh).term(self)?;
        t.sums = fresh;
        Some(t)
    }
}

impl Rhs {
    /// The guards, one for each term.
    #[must_use]
    pub fn guards(&self) -> Vec<&Pred> {
        match self {
            Rhs::Contract(terms) => terms.iter().map(|t| &t.guard).collect(),
            Rhs::Prim { guard, .. } | Rhs::Extreme { guard, .. } | Rhs::ArgExtreme { guard, .. } => {
                vec![guard]
            }
            Rhs::Call(call) => vec![&call.guard],
            Rhs::OfIndex(_) | Rhs::Constant(_) => vec![],
        }
    }

    /// The same, to be changed.
    pub fn guards_mut(&mut self) -> Vec<&mut Pred> {
        match self {
            Rhs::Contract(terms) => terms.iter_mut().map(|t| &mut t.guard).collect(),
            Rhs::Prim { guard, .. } | Rhs::Extreme { guard, .. } | Rhs::ArgExtreme { guard, .. } => {
                vec![guard]
            }
            Rhs::Call(call) => vec![&mut call.guard],
            Rhs::OfIndex(_) | Rhs::Constant(_) => vec![],
        }
    }

    /// Factors and arguments.
    #[must_use]
    pub fn accesses(&self) -> Vec<(Read, &Access)> {
        match self {
            Rhs::Contract(terms) => terms
                .iter()
                .enumerate()
                .flat_map(|(k, t)| t.factors.iter().map(move |a| (Read::Factor(k), a)))
                .collect(),
            Rhs::Prim { args, .. } => args.iter().map(|a| (Read::Argument, a)).collect(),
            Rhs::Extreme { arg, .. } | Rhs::ArgExtreme { arg, .. } => vec![(Read::Argument, arg)],
            Rhs::Call(call) => call.args.iter().map(|a| (Read::Whole, &a.access)).collect(),
            Rhs::OfIndex(_) | Rhs::Constant(_) => vec![],
        }
    }

    /// The same, to be changed.
    pub fn accesses_mut(&mut self) -> Vec<&mut Access> {
        match self {
            Rhs::Contract(terms) => terms.iter_mut().flat_map(|t| t.factors.iter_mut()).collect(),
            Rhs::Prim { args, .. } => args.iter_mut().collect(),
            Rhs::Extreme { arg, .. } | Rhs::ArgExtreme { arg, .. } => vec![arg],
            Rhs::Call(call) => call.args.iter_mut().map(|a| &mut a.access).collect(),
            Rhs::OfIndex(_) | Rhs::Constant(_) => vec![],
        }
    }

    /// The indices that the right-hand side binds.
    #[must_use]
    pub fn bound(&self) -> Vec<Index> {
        match self {
            Rhs::Contract(terms) => terms.iter().flat_map(|t| t.sums.iter().copied()).collect(),
            Rhs::Extreme { over, .. } | Rhs::ArgExtreme { over, .. } => vec![*over],
            Rhs::Call(call) => call.args.iter().flat_map(|a| a.own.iter().copied()).collect(),
            Rhs::Prim { .. } | Rhs::OfIndex(_) | Rhs::Constant(_) => vec![],
        }
    }

    /// Every affine form in it, those of guards too.
    pub fn affines(&self) -> Vec<&Affine> {
        let mut out: Vec<&Affine> = self.guards().into_iter().flatten().flat_map(Cond::affines).collect();
        out.extend(self.accesses().into_iter().flat_map(|(_, a)| &a.at));
        match self {
            Rhs::Prim { prim, .. } => prim_affines(prim, &mut out),
            Rhs::OfIndex(e) => out.push(e),
            Rhs::Contract(_) | Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => {}
            Rhs::Constant(_) | Rhs::Call(_) => {}
        }
        out
    }

    /// Every read: factors, arguments, what guards compare, elements of index arrays.
    pub fn reads<'a>(&'a self, f: &Function, visit: &mut dyn FnMut(Read, ArrayId)) {
        self.accesses().into_iter().for_each(|(how, a)| visit(how, a.array));
        for guard in self.guards() {
            guard.iter().for_each(|c| f.each_compared(c, &mut |a| visit(Read::Compared, a.array)));
        }
        for a in self.affines() {
            elements_of(a, &mut |array, _: &'a [Affine]| visit(Read::Element, array));
        }
    }
}

fn prim_affines<'a>(p: &'a Prim, out: &mut Vec<&'a Affine>) {
    match p {
        Prim::Powi(e) => out.push(e),
        Prim::Formula(e) => formula_affines(e, out),
        Prim::Unary(_) | Prim::Binary(_) | Prim::Clamp | Prim::Stop | Prim::FiniteOrZero | Prim::Outer(_) => {
        }
    }
}

fn formula_affines<'a>(e: &'a Formula, out: &mut Vec<&'a Affine>) {
    match e {
        Formula::Arg(_) | Formula::Number(_) => {}
        Formula::OfIndex(a) => out.push(a),
        Formula::Neg(a) => formula_affines(a, out),
        Formula::Add(a, b) | Formula::Mul(a, b) => {
            formula_affines(a, out);
            formula_affines(b, out);
        }
        Formula::Apply(p, args) => {
            prim_affines(p, out);
            args.iter().for_each(|a| formula_affines(a, out));
        }
    }
}
