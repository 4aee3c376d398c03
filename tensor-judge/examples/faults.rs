//! Faults that are put into the passes on purpose, and after how many programs the judge finds each.
//!
//! `cargo run -p tensor-judge --example faults -- [PROGRAMS] [NAME…]`, from the root of the repository. The faults stand in
//! `tensor-judge/faults.txt`: a file, a piece of its text that occurs once, an expression, and what stands in its place. All are put into a
//! work tree of their own, `target/faults`, behind a question that an environment variable answers, so that one build has them all. A fault whose text
//! is not found any more is named; bring it up to date.

use std::path::Path;
use std::process::Command;

/// A piece of a pass, and what is wrong instead.
struct Fault<'a> {
    name: &'a str,
    file: &'a str,
    old: String,
    new: String,
}

/// What the compiler asks.
const ASK: &str = "//! Faults on purpose.

/// Whether this one is asked for.
pub fn is(k: usize) -> bool {
    static WANTED: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
    *WANTED.get_or_init(|| std::env::var(\"TENSOR_FAULT\").ok()?.parse().ok()) == Some(k)
}
";

fn main() -> Result<(), String> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let most = match arguments.first().and_then(|a| a.parse::<u64>().ok()) {
        Some(n) => {
            arguments.remove(0);
            n
        }
        None => 2000,
    };
    let text = std::fs::read_to_string("tensor-judge/faults.txt").map_err(|e| format!("faults.txt: {e}"))?;
    let faults = read(&text)?;
    build(&faults)?;
    let range = format!("0..{most}");
    let judge = |more: &[&str], k: Option<usize>| {
        let mut command = Command::new("target/faulty/release/tensor-judge");
        command.args(more);
        if let Some(k) = k {
            command.env("TENSOR_FAULT", k.to_string());
        }
        let out = command.output().map_err(|e| e.to_string())?.stdout;
        Ok::<String, String>(String::from_utf8_lossy(&out).into_owned())
    };
    // What is wrong without any of them says nothing of them.
    let number = |l: &str| l.strip_prefix("program ")?.split(' ').next()?.parse::<u64>().ok();
    let known: Vec<String> = judge(&[&range, "--random", "--dry"], None)?
        .lines()
        .filter_map(number)
        .map(|n| n.to_string())
        .collect();
    let except = if known.is_empty() { "none".to_string() } else { known.join(",") };
    println!("without a fault, {} of {most} programs fail: {except}\n", known.len());
    println!("| fault | pass | found |\n| --- | --- | --- |");
    for (k, f) in faults.iter().enumerate() {
        if arguments.is_empty() || arguments.iter().any(|a| f.name.contains(a.as_str())) {
            let out = judge(&[&range, "--random", "--first", "--except", &except], Some(k))?;
            let mut found = out.lines().last().unwrap_or_default().to_string();
            if found == "nothing" {
                // Those that once went wrong.
                found = judge(&["--first"], Some(k))?.lines().last().unwrap_or_default().to_string();
            }
            println!("| {} | `{}` | {found} |", f.name, f.file);
        }
    }
    Ok(())
}

/// Puts all faults into the work tree, and builds what judges there.
fn build(faults: &[Fault<'_>]) -> Result<(), String> {
    let tree = Path::new("target/faults");
    if !tree.exists() {
        run(Command::new("git").args(["worktree", "add", "--detach", "target/faults"]))?;
    }
    run(Command::new("git").args(["-C", "target/faults", "checkout", "--force", "--detach", &head()?]))?;
    for (k, f) in faults.iter().enumerate() {
        if let Err(e) = put(tree, k, f) {
            println!("{}: {e}", f.name);
        }
    }
    let core = tree.join("tensor-core/src");
    std::fs::write(core.join("fault.rs"), ASK).map_err(|e| e.to_string())?;
    let lib = std::fs::read_to_string(core.join("lib.rs")).map_err(|e| e.to_string())?;
    let lib = lib.replacen("pub mod ad;", "pub mod ad;\npub mod fault;", 1);
    std::fs::write(core.join("lib.rs"), lib).map_err(|e| e.to_string())?;
    let build = ["build", "--release", "--target-dir", "target/faulty"];
    run(Command::new("cargo").args(build).args(["--manifest-path", "target/faults/tensor-judge/Cargo.toml"]))
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|e| format!("{command:?}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} fails")) }
}

/// The commit that is checked out.
fn head() -> Result<String, String> {
    let out = Command::new("git").args(["rev-parse", "HEAD"]).output().map_err(|e| e.to_string())?;
    Ok(String::from_utf8_lossy(&out.stdout).trim().to_string())
}

/// `fault NAME`, `file PATH`, `old`, lines, `new`, lines, `end`
fn read(text: &str) -> Result<Vec<Fault<'_>>, String> {
    let mut out = vec![];
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(name) = line.strip_prefix("fault ") else { continue };
        let file = lines.next().and_then(|l| l.strip_prefix("file ")).ok_or(format!("{name}: no file"))?;
        lines.next().filter(|l| *l == "old").ok_or(format!("{name}: no old"))?;
        let old: Vec<&str> = lines.by_ref().take_while(|l| *l != "new").collect();
        let new: Vec<&str> = lines.by_ref().take_while(|l| *l != "end").collect();
        out.push(Fault { name, file, old: old.join("\n"), new: new.join("\n") });
    }
    Ok(out)
}

/// `old` becomes `(if fault { new } else { old })`.
fn put(tree: &Path, k: usize, f: &Fault) -> Result<(), String> {
    let path = tree.join("tensor-core/src").join(f.file);
    let text = std::fs::read_to_string(&path).map_err(|e| e.to_string())?;
    let count = text.matches(f.old.as_str()).count();
    if count != 1 {
        return Err(format!("its text occurs {count} times in {}", f.file));
    }
    let by = format!("(if crate::fault::is({k}) {{ {} }} else {{ {} }})", f.new, f.old);
    std::fs::write(&path, text.replacen(&f.old, &by, 1)).map_err(|e| e.to_string())
}
