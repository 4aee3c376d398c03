//! Functions as text, much as `ad::tests::text` reads them.

use crate::index::Names;
use crate::prim::Prim;
use crate::sorted::Map;
use crate::ssa::{Access, ArrayId, Extreme, Function, Index, RealCompare, Rhs, Stmt};

/// The statements and results of a function, a line each.
pub fn show(f: &Function) -> String {
    let mut s = Show { f, arrays: Map::new() };
    let mut taken: Vec<String> = vec![];
    for a in f.params.iter().copied().chain(f.stmts.iter().map(|s| s.array)) {
        let name = unique(&f.array(a).name, &taken);
        taken.push(name.clone());
        s.arrays.insert(a, name);
    }
    let mut out: Vec<String> = f.stmts.iter().map(|x| s.stmt(x)).collect();
    out.push(format!(
        "result {}",
        f.results.iter().map(|r| s.arrays[r].clone()).collect::<Vec<_>>().join(" ")
    ));
    out.join("\n")
}

fn unique(name: &str, taken: &[String]) -> String {
    let free = |n: &String| !taken.contains(n);
    std::iter::once(name.to_string()).chain((2..).map(|k| format!("{name}{k}"))).find(free).unwrap()
}

struct Show<'a> {
    f: &'a Function,
    arrays: Map<ArrayId, String>,
}

impl Show<'_> {
    fn stmt(&self, s: &Stmt) -> String {
        let mut indices = self.f.indices.clone();
        let mut taken = vec![];
        for i in s.gens.iter().copied().chain(s.rhs.bound()) {
            let name = unique(&indices[i.0 as usize], &taken);
            taken.push(name.clone());
            indices[i.0 as usize] = name;
        }
        let names = self.names(indices);
        let gens: Vec<String> = s
            .gens
            .iter()
            .zip(&self.f.array(s.array).extents)
            .map(|(g, e)| format!("{} < {}", names.affine(&g.affine()), names.affine(e)))
            .collect();
        format!("{}[{}] = {}", self.arrays[&s.array], gens.join(", "), self.rhs(&s.rhs, &names))
    }

    fn names(&self, indices: Vec<String>) -> Names {
        let arrays = (0..self.f.arrays.len() as u32)
            .map(|k| self.arrays.get(&ArrayId(k)).cloned().unwrap_or_default())
            .collect();
        let relations = self
            .f
            .comparisons
            .iter()
            .map(|c| {
                let op = match c.op {
                    RealCompare::Lt => "<",
                    RealCompare::Le => "<=",
                    RealCompare::Eq => "==",
                };
                let name = |a: &ArrayId| self.arrays.get(a).cloned().unwrap_or_default();
                format!("{}{op}{}", name(&c.left), name(&c.right))
            })
            .collect();
        Names { sizes: self.f.sizes.clone(), indices, arrays, relations, written: vec![] }
    }

    fn access(&self, a: &Access, names: &Names) -> String {
        let at: Vec<String> = a.at.iter().map(|e| names.affine(e)).collect();
        format!("{}[{}]", self.arrays[&a.array], at.join(", "))
    }

    fn rhs(&self, rhs: &Rhs, names: &Names) -> String {
        let guard = |p: &Vec<crate::index::Cond>| {
            if p.is_empty() {
                String::new()
            } else {
                format!("[{}] ", p.iter().map(|c| names.cond(c)).collect::<Vec<_>>().join(", "))
            }
        };
        let index = |i: &Index| names.affine(&i.affine());
        match rhs {
            Rhs::Contract(terms) if terms.is_empty() => "0".into(),
            Rhs::Contract(terms) => {
                let one = |t: &crate::ssa::Term| {
                    let mut out = String::new();
                    if !t.sums.is_empty() {
                        out += &format!("sum {}. ", t.sums.iter().map(index).collect::<Vec<_>>().join(" "));
                    }
                    out += &guard(&t.guard);
                    let mut parts: Vec<String> = vec![];
                    if t.coeff != 1.0 || t.factors.is_empty() {
                        parts.push(t.coeff.to_string());
                    }
                    parts.extend(t.factors.iter().map(|a| self.access(a, names)));
                    out + &parts.join(" ")
                };
                terms.iter().map(one).collect::<Vec<_>>().join(" + ")
            }
            Rhs::Prim { guard: p, prim, args } => {
                let name = match prim {
                    Prim::Unary(u) => u.name().to_string(),
                    Prim::Binary(b) => b.name().to_string(),
                    Prim::Powi(e) => format!("powi {}", names.affine(e)),
                    Prim::Clamp | Prim::Stop | Prim::FiniteOrZero | Prim::Outer(_) | Prim::Formula(_) => {
                        format!("{prim:?}")
                    }
                };
                let args: Vec<String> = args.iter().map(|a| self.access(a, names)).collect();
                format!("{}{name}({})", guard(p), args.join(", "))
            }
            Rhs::Extreme { op, over, guard: p, arg } => {
                let op = if *op == Extreme::Max { "max" } else { "min" };
                format!("{op} {}. {}{}", index(over), guard(p), self.access(arg, names))
            }
            Rhs::ArgExtreme { op, over, guard: p, arg } => {
                let op = if *op == Extreme::Max { "argmax" } else { "argmin" };
                format!("{op} {}. {}{}", index(over), guard(p), self.access(arg, names))
            }
            Rhs::OfIndex(e) => format!("index {}", names.affine(e)),
            Rhs::Constant(path) => path.clone(),
            Rhs::Call(call) => {
                let args: Vec<String> = call.args.iter().map(|a| self.access(&a.access, names)).collect();
                format!("{}{:?}.{}({})", guard(&call.guard), call.target, call.part, args.join(", "))
            }
        }
    }
}
