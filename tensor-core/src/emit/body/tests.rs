//! What is emitted is one function item, for every program that scheduling is tested on.

use super::function;
use crate::schedule::schedule;
use crate::schedule::tests::{PROGRAMS, derived};
use quote::format_ident;

#[test]
fn functions_parse() {
    for (name, text, _, of) in PROGRAMS {
        let tokens = function(&schedule(&derived(text, *of)), &format_ident!("f"));
        let parsed = syn::parse2::<syn::DeriveInput>(tokens.clone()).is_ok();
        assert!(!parsed, "{name}");
        let text = tokens.to_string();
        assert!(!text.contains("unsafe"), "{name}");
    }
}

#[test]
fn scratch() {
    use crate::loops::{Storage, eval::run};
    let Ok(out) = std::env::var("EMIT_OUT") else { return };
    let mut file = String::from("#![deny(warnings)]\n");
    let mut main = String::new();
    for (k, (name, text, sizes, of)) in PROGRAMS.iter().enumerate() {
        let f = derived(text, *of);
        let p = schedule(&f);
        file += &format!("// {name}\n{}\n", function(&p, &format_ident!("f{k}")));
        let x = crate::schedule::tests::arguments(&f, sizes);
        let leaves: Vec<Vec<f64>> = x.iter().map(|t| t.data.clone()).collect();
        let (found, _) = run(&p, sizes, &leaves, &|_| 1.25);
        let mut args: Vec<String> = sizes.iter().map(|s| format!("{s}")).collect();
        for t in &x {
            args.push(if t.shape.is_empty() { format!("{:?}", t.data[0]) } else { format!("&{:?}", t.data) });
        }
        let len = |e: &[crate::index::Affine]| e.iter().map(|e| e.eval(&|a| match a { crate::index::Atom::Size(k) => sizes[*k as usize], _ => 0 })).product::<i64>();
        main += &format!("{{ println!(\"{name}\");\n");
        let mut checks = String::new();
        let mut scalars = vec![];
        for (j, r) in p.function.results.iter().enumerate() {
            let e = &p.function.array(*r).extents;
            if e.is_empty() { scalars.push(found[j][0]); continue; }
            main += &format!("let mut o{j} = vec![f64::NAN; {}];\n", len(e));
            args.push(format!("&mut o{j}"));
            checks += &format!("check(&o{j}, &{:?});\n", found[j]);
        }
        for (j, b) in p.work.iter().enumerate() {
            let (init, _) = if b.holds_indices { ("-99isize", 0) } else { ("f64::NAN", 0) };
            main += &format!("let mut w{j} = vec![{init}; {}];\n", len(&b.extents));
            args.push(format!("&mut w{j}"));
        }
        let _ = Storage::Local;
        main += &format!("let r = f{k}({});\n", args.join(", "));
        match scalars.len() {
            0 => main += "let () = r;\n",
            1 => main += &format!("check(&[r], &{scalars:?});\n"),
            n => { let parts: Vec<String> = (0..n).map(|j| format!("r.{j}")).collect(); main += &format!("check(&[{}], &{scalars:?});\n", parts.join(", ")); }
        }
        main += &checks;
        main += "}\n";
    }
    file += &format!("fn check(a: &[f64], b: &[f64]) {{ assert_eq!(a.len(), b.len()); for (x, y) in a.iter().zip(b) {{ assert!((x - y).abs() <= 1e-12 * (1.0 + y.abs()), \"{{a:?}} {{b:?}}\"); }} }}\nfn main() {{ {main} }}\n");
    std::fs::write(out, file).unwrap();
}
