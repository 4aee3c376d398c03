//! Random functions, as text for [`super::text`]. Accesses are in range by construction.

use super::Random;

#[derive(Clone)]
struct Tensor {
    name: String,
    extents: Vec<&'static str>,
}

struct Writer {
    random: Random,
    tensors: Vec<Tensor>,
    names: usize,
    text: String,
}

const EXTENTS: [&str; 4] = ["n", "m", "n + 1", "2*n"];

/// A function of three parameters with `statements` statements. Sizes are `n m`, at least 1.
pub fn program(seed: u64, statements: usize) -> String {
    let text = "size n m\n assume 1 <= n, 1 <= m\n".to_string();
    let mut w =
        Writer { random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)), tensors: vec![], names: 0, text };
    for name in ["x", "y", "z"] {
        let extents = w.extents(2);
        w.text += &format!("param {name}[{}]\n", extents.join(", "));
        w.tensors.push(Tensor { name: name.into(), extents });
    }
    for k in 0..statements {
        w.statement(k);
    }
    let count = w.tensors.len();
    let k = w.below(count);
    let other = w.tensors[k].name.clone();
    w.text += &format!("result {} {other}\n", w.tensors[count - 1].name);
    w.text
}

type Scope = Vec<(String, &'static str)>;

impl Writer {
    fn below(&mut self, n: usize) -> usize {
        ((self.random.next() + 1.0) / 2.0 * n as f64) as usize % n
    }

    fn extents(&mut self, most: usize) -> Vec<&'static str> {
        let rank = self.below(most + 1);
        (0..rank).map(|_| EXTENTS[self.below(4)]).collect()
    }

    fn index(&mut self) -> String {
        self.names += 1;
        format!("i{}", self.names)
    }

    fn statement(&mut self, k: usize) {
        let extents = self.extents(2);
        let mut scope: Scope = extents.iter().map(|e| (self.index(), *e)).collect();
        let gens: Vec<String> = scope.iter().map(|(i, e)| format!("{i} < {e}")).collect();
        let rhs = match self.below(8) {
            0..4 => self.contract(&scope),
            4..7 => {
                let guard = self.guard(&scope);
                self.prim(&scope, &guard)
            }
            _ => {
                let (i, e) = (self.index(), EXTENTS[self.below(4)]);
                scope.push((i.clone(), e));
                let op = ["max", "min"][self.below(2)];
                let guard = self.guard(&scope);
                // ∞ where nothing is live; only as much as keeps something live.
                let guard = if guard.is_empty() { guard } else { format!("[0 <= {i}]") };
                format!("{op} {i} < {e} . {guard} {}", self.access(&scope))
            }
        };
        let name = format!("t{k}");
        self.text += &format!("{name}[{}] = {rhs}\n", gens.join(", "));
        self.tensors.push(Tensor { name, extents });
    }

    fn contract(&mut self, gens: &Scope) -> String {
        let count = 1 + self.below(2);
        let terms: Vec<String> = (0..count).map(|_| self.term(gens)).collect();
        terms.join(" + ")
    }

    fn term(&mut self, gens: &Scope) -> String {
        let mut scope = gens.clone();
        let mut head = String::new();
        for _ in 0..self.below(3) {
            let (i, e) = (self.index(), EXTENTS[self.below(4)]);
            head += &format!(" {i} < {e}");
            scope.push((i, e));
        }
        if !head.is_empty() {
            head = format!("sum{head} . ");
        }
        let guard = self.guard(&scope);
        let coeff = ["", "- ", "0.5 ", "- 2.5 "][self.below(4)];
        let first = self.access(&scope);
        let second = match self.below(4) {
            0 => first.clone(),
            1 => String::new(),
            _ => self.access(&scope),
        };
        format!("{head}{guard} {coeff}{first} {second}")
    }

    fn prim(&mut self, scope: &Scope, guard: &str) -> String {
        let one = ["sin", "cos", "tanh", "atan", "sigmoid", "softplus", "abs", "asinh", "erf"];
        let two = ["max", "min", "hypot", "atan2"];
        let k = self.below(one.len() + two.len());
        match one.get(k) {
            Some(f) => format!("{guard} {f}({})", self.access(scope)),
            None => format!("{guard} {}({}, {})", two[k - one.len()], self.access(scope), self.access(scope)),
        }
    }

    fn guard(&mut self, scope: &Scope) -> String {
        let mut conds = vec![];
        while self.below(5) < 2 {
            let c = match (self.below(3), scope.len()) {
                (_, 0) | (0, _) => {
                    format!("{} {} {}", self.access(scope), ["<", "<="][self.below(2)], self.access(scope))
                }
                (k, len) => {
                    let (i, j) = (scope[self.below(len)].0.clone(), scope[self.below(len)].0.clone());
                    let op = ["<=", "==", "<", "!="][self.below(4)];
                    match k {
                        1 => format!("{i} {op} {j}"),
                        _ => format!(
                            "{i} {} {}",
                            ["<=", "!=", "=="][self.below(3)],
                            ["1", "m", "n - 1"][self.below(3)]
                        ),
                    }
                }
            };
            conds.push(c);
        }
        if conds.is_empty() { String::new() } else { format!("[{}]", conds.join(", ")) }
    }

    fn access(&mut self, scope: &Scope) -> String {
        let recent = self.tensors.len().min(5);
        let back = self.below(recent);
        let t = self.tensors[self.tensors.len() - 1 - back].clone();
        let at: Vec<String> = t.extents.iter().map(|e| self.place(e, scope)).collect();
        format!("{}[{}]", t.name, at.join(", "))
    }

    /// An affine form that is in `0..extent`.
    fn place(&mut self, extent: &str, scope: &Scope) -> String {
        let mut all = vec!["0".to_string(), format!("{extent} - 1")];
        for (i, e) in scope {
            match (extent, *e) {
                _ if extent == *e => {
                    all.extend([i.clone(), i.clone(), i.clone(), format!("{extent} - 1 - {i}")])
                }
                ("n + 1", "n") => all.extend([i.clone(), format!("{i} + 1")]),
                ("2*n", "n") => {
                    all.extend([format!("2*{i}"), format!("2*{i} + 1"), format!("{i} + n"), i.clone()])
                }
                _ => {}
            }
        }
        let first = if all.len() > 2 && self.below(6) > 0 { 2 } else { 0 };
        let k = first + self.below(all.len() - first);
        all.swap_remove(k)
    }
}
