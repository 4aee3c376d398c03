//! Primitives and formulas.

use super::Printer;
use super::value::{Level, Text, number, product};
use crate::prim::{Binary, Formula, Prim};

impl Printer {
    /// A primitive of its arguments.
    pub(super) fn prim(&self, prim: &Prim, args: &[Text]) -> Text {
        let method = |name: &str| {
            let rest: Vec<String> = args.iter().skip(1).map(|a| a.at(Level::Sum)).collect();
            let first = args.first().map(|a| a.at(Level::Operand)).unwrap_or_default();
            Text::new(format!("{first}.{name}({})", rest.join(", ")), Level::Operand)
        };
        let only = || args.first().map(|a| a.at(Level::Sum)).unwrap_or_default();
        match prim {
            Prim::Unary(f) => method(f.name()),
            Prim::Binary(Binary::Div) => match args {
                [a, b] => {
                    Text::new(format!("{} / {}", a.at(Level::Product), b.at(Level::Cast)), Level::Product)
                }
                _ => method("div"),
            },
            Prim::Binary(f) => method(f.name()),
            Prim::Clamp => method("clamp"),
            Prim::Powi(e) => {
                let first = args.first().map(|a| a.at(Level::Operand)).unwrap_or_default();
                Text::new(format!("{first}.powi({})", self.affine(e)), Level::Operand)
            }
            Prim::Stop => Text::new(format!("stop({})", only()), Level::Operand),
            Prim::FiniteOrZero => {
                let x = only();
                let choice = format!("if -INFINITY < {x} && {x} < INFINITY {{ {x} }} else {{ 0.0 }}");
                Text::new(format!("stop({choice})"), Level::Operand)
            }
            Prim::Outer(f) => {
                let args: Vec<String> = args.iter().map(|a| a.at(Level::Sum)).collect();
                Text::new(format!("{}({})", f.name(), args.join(", ")), Level::Operand)
            }
            Prim::Formula(e) => self.formula(e, args),
        }
    }

    fn formula(&self, e: &Formula, args: &[Text]) -> Text {
        match e {
            Formula::Arg(k) => {
                args.get(*k).cloned().unwrap_or_else(|| Text::new(format!("argument{k}"), Level::Operand))
            }
            Formula::Number(x) => number(*x),
            Formula::OfIndex(e) => Text::new(format!("{} as {}", self.operand(e), self.elem()), Level::Cast),
            Formula::Neg(a) => self.formula(a, args).negated(),
            Formula::Add(a, b) => {
                let left = self.formula(a, args).at(Level::Sum);
                let text = match b.as_ref() {
                    Formula::Neg(b) => format!("{left} - {}", self.formula(b, args).at(Level::Product)),
                    _ => format!("{left} + {}", self.formula(b, args).at(Level::Product)),
                };
                Text::new(text, Level::Sum)
            }
            Formula::Mul(a, b) => product(&[self.formula(a, args), self.formula(b, args)]),
            Formula::Apply(prim, of) => {
                let of: Vec<Text> = of.iter().map(|a| self.formula(a, args)).collect();
                self.prim(prim, &of)
            }
        }
    }
}
