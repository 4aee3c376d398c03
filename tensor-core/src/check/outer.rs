//! What the language does not define: functions of Rust, and derivatives that are given.

use super::context::{Binding, Cx, real};
use super::names;
use crate::ast::{self, Item, TypeKind};
use crate::error::{Errors, Span};
use crate::names::plain;
use crate::typed::{self, ExprKind, Type};
use proc_macro2::{Ident, TokenStream};

/// A derivative that is given, of the function of a block.
pub(super) struct Given<'a> {
    rule: &'a ast::Rule,
    /// By these parameters.
    wrt: Vec<Ident>,
    /// What is called with directions in the place of tangents: the function given, or its transpose.
    forward: Ident,
}

impl Given<'_> {
    /// Whether it is of this function.
    pub fn is_of(&self, f: &Ident) -> bool {
        self.rule.of == *f
    }
}

/// The derivatives that are given, and for each the transpose of the function given, which is of use if that is a `vjp` and otherwise shows
/// that it is linear.
pub(super) fn given<'a>(block: &'a ast::Block, errors: &mut Errors) -> (Vec<Given<'a>>, Vec<Item>) {
    let (mut out, mut items): (Vec<Given>, Vec<Item>) = (vec![], vec![]);
    for rule in &block.rules {
        if out.iter().any(|g| g.is_of(&rule.of)) {
            errors.push(rule.of.span(), format!("`{}` has a derivative already", rule.of));
        } else if let Some((g, item)) = one(block, rule, errors) {
            out.push(g);
            items.push(item);
        }
    }
    (out, items)
}

fn function<'a>(block: &'a ast::Block, name: &Ident, errors: &mut Errors) -> Option<&'a ast::Function> {
    for item in &block.items {
        match item {
            Item::Function(f) if f.name == *name && f.outer.is_none() => return Some(f),
            Item::Function(_) | Item::Transform(_) => {}
        }
    }
    if !block.broken.contains(name) {
        errors.push(name.span(), format!("`{name}` is no function with a body in this block"));
    }
    None
}

fn one<'a>(block: &ast::Block, rule: &'a ast::Rule, errors: &mut Errors) -> Option<(Given<'a>, Item)> {
    let is_jvp = rule.mode == "jvp";
    if !is_jvp && rule.mode != "vjp" {
        let message = format!("`{}`: a derivative is given as a `jvp` or as a `vjp`", rule.mode);
        errors.push(rule.mode.span(), message);
        return None;
    }
    let (of, by) = (function(block, &rule.of, errors)?, function(block, &rule.by, errors)?);
    let real = of.params.iter().filter(|p| !matches!(p.ty.kind, TypeKind::Size)).map(|p| p.name.clone());
    let real: Vec<Ident> = real.collect();
    let bad = rule.wrt.iter().find(|w| w.field.is_some() || !real.contains(&w.name));
    if let Some(w) = bad {
        errors.push(w.span, format!("a derivative is given for whole parameters of `{}`", of.name));
        return None;
    }
    let named: Vec<Ident> = rule.wrt.iter().map(|w| w.name.clone()).collect();
    let wrt = if named.is_empty() { real } else { named };
    let added = if is_jvp { wrt.len() } else { 1 };
    if by.params.len() != of.params.len() + added {
        let then = if is_jvp { "a tangent for each of these" } else { "the cotangent of its result" };
        let list: Vec<String> = wrt.iter().map(|w| format!("`{w}`")).collect();
        let message = format!(
            "the {mode} of `{f}` by {} takes the parameters of `{f}`, then {then}",
            list.join(", "),
            mode = rule.mode,
            f = of.name
        );
        errors.push(rule.by.span(), message);
        return None;
    }
    let name =
        Ident::new(&format!("transpose_of_{}_for_{}", plain(&by.name), plain(&of.name)), rule.by.span());
    let last = by.params[of.params.len()..].iter();
    let item = ast::Transform {
        is_inner: true,
        attrs: TokenStream::new(),
        threads: false,
        vis: TokenStream::new(),
        name: name.clone(),
        transform: Ident::new("transpose", rule.by.span()),
        of: rule.by.clone(),
        wrt: last
            .map(|p| ast::Wrt { name: p.name.clone(), field: None, span: rule.by.span().into() })
            .collect(),
    };
    let forward = if is_jvp { rule.by.clone() } else { name };
    Some((Given { rule, wrt, forward }, Item::Transform(item)))
}

fn name_of(name: &Ident, span: Span) -> ast::Expr {
    ast::Expr { kind: ast::ExprKind::Name(name.clone()), span }
}

impl Cx<'_> {
    /// `path(x, y)` with its partials.
    pub(super) fn outer(&mut self, f: &ast::Function, o: &ast::Outer) -> Option<typed::Expr> {
        let path = o.path.to_string().replace(' ', "");
        let span: Span = f.name.span().into();
        let (mut args, mut partials) = (vec![], vec![]);
        for p in &f.params {
            let Some(Binding::Value(var, Type::Real)) = self.lookup(&p.name.to_string()).cloned() else {
                let name = &p.name;
                return self
                    .error(p.ty.span, format!("an `extern fn` takes scalars, but `{name}` is not one"));
            };
            args.push(real(ExprKind::Var(var), span));
            let by = format!(
                "`{path}` is differentiated with respect to `{}` here, but has no such partial derivative",
                p.name
            );
            let advice = format!(": declare it, `extern fn {}(…) -> … {{ {}: … }}`", f.name, p.name);
            partials.push(Err(by + &advice));
        }
        for (k, (name, e)) in o.partials.iter().enumerate() {
            let value = self.expr(e);
            let Some(at) = f.params.iter().position(|p| p.name == *name) else {
                return self.error(name.span(), format!("`{}` has no parameter `{name}`", f.name));
            };
            if o.partials[..k].iter().any(|p| p.0 == *name) {
                return self.error(name.span(), format!("there are two partial derivatives by `{name}`"));
            }
            let value = value?;
            if value.ty != Type::Real {
                let (text, found) = (names::expr(e), self.type_text(&value.ty));
                return self
                    .error(e.span, format!("a partial derivative is a scalar, but `{text}` is `{found}`"));
            }
            partials[at] = Ok(value);
        }
        Some(real(ExprKind::Outer(Box::new(typed::Outer { path, args, partials })), span))
    }

    /// The value of `f` with the derivative that is given.
    pub(super) fn ruled(
        &mut self,
        f: &typed::Function,
        value: typed::Expr,
        given: &Given,
    ) -> Option<typed::Expr> {
        let span: Span = given.rule.by.span().into();
        let depth = self.scope.len();
        let mut args: Vec<ast::Expr> = f.params.iter().map(|p| name_of(&p.name, span)).collect();
        let (mut copies, mut dots) = (vec![], vec![]);
        for x in &given.wrt {
            let Some(Binding::Value(var, ty)) = self.lookup(&x.to_string()).cloned() else { return None };
            let mut name = format!("{}_dot", plain(x));
            while self.lookup(&name).is_some() {
                name.push('_');
            }
            let copy = self.new_var(&name);
            self.bind(&name, Binding::Value(copy, ty));
            copies.push((copy, var));
            dots.push(name_of(&Ident::new(&name, given.rule.by.span()), span));
        }
        if given.rule.mode == "jvp" || dots.len() == 1 {
            args.extend(dots);
        } else {
            args.push(ast::Expr { kind: ast::ExprKind::Tuple(dots), span });
        }
        let surrogate = self.call(&given.forward, &args.iter().collect::<Vec<_>>(), span, false);
        self.scope.truncate(depth);
        let surrogate = surrogate?;
        if !self.same_type(&f.result, &surrogate.ty) {
            let (wanted, found) = (self.type_text(&f.result), self.type_text(&surrogate.ty));
            let of = &f.name;
            return self.error(
                span,
                format!("the derivative of `{of}` in a direction is `{wanted}`, and this gives `{found}`"),
            );
        }
        let left = f.params.iter().filter(|p| p.ty != Type::Size && !given.wrt.contains(&p.name));
        let (of, mode) = (&f.name, &given.rule.mode);
        let words = |x: &Ident| {
            format!(
                "`{of}` is differentiated with respect to `{x}` here, and `impl {mode}({of}, …)` does not give that"
            )
        };
        let missing = left.filter_map(|p| Some((p.var?, words(&p.name)))).collect();
        let ty = value.ty.clone();
        let kind = ExprKind::Ruled(Box::new(typed::Ruled { value, copies, surrogate, missing }));
        Some(typed::Expr { kind, ty, span })
    }
}
