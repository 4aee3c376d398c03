//! Builds `c/all.c` once by each C compiler and vector width, and `c/blas.c` where an OpenBLAS links.

use std::path::Path;
use std::process::Command;

const FLAGS: [&str; 5] = ["-O3", "-march=native", "-ffast-math", "-fopenmp-simd", "-std=gnu11"];

/// A build of the C references: what it is called, its compiler, and flags of its own.
struct Build {
    name: &'static str,
    compiler: &'static str,
    flags: &'static [&'static str],
}

const BUILDS: [Build; 4] = [
    Build { name: "gcc", compiler: "gcc", flags: &[] },
    Build { name: "gcc512", compiler: "gcc", flags: &["-mprefer-vector-width=512"] },
    Build { name: "clang", compiler: "clang", flags: &["-fveclib=libmvec"] },
    Build { name: "clang512", compiler: "clang", flags: &["-fveclib=libmvec", "-mprefer-vector-width=512"] },
];

fn main() {
    println!("cargo::rerun-if-changed=c");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PYTHON");
    println!("cargo::rerun-if-env-changed=PATH");
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    let (mut versions, mut builds) = (Vec::new(), Vec::new());
    for build in BUILDS {
        println!("cargo::rustc-check-cfg=cfg({})", build.name);
        let Some((program, version)) = newest(build.compiler) else { continue };
        compile(&build, &program, "c/all.c", &[("FIND", &format!("{}_find", build.name))]);
        println!("cargo::rustc-cfg={}", build.name);
        builds.push(format!("{} (`{}`)", build.name, [&[program.as_str()], build.flags].concat().join(" ")));
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    blas(&out);
    if links(&out, &["-lmvec".to_owned()]) {
        println!("cargo::rustc-link-lib=mvec");
    }
    println!("cargo::rustc-link-lib=m");
    versions.extend(first_line("rustc", &["--version"]));
    println!("cargo::rustc-env=COMPILERS={}", versions.join("; "));
    println!("cargo::rustc-env=BUILDS={}", builds.join(", "));
    println!("cargo::rustc-env=C_FLAGS={}", FLAGS.join(" "));
}

/// The newest compiler of a name that is installed, as `clang-22` where there is also `clang`, and the first line of what it says of itself.
fn newest(name: &str) -> Option<(String, String)> {
    let numbered = (9..40).rev().map(|n| format!("{name}-{n}"));
    let all = numbered.chain([name.to_owned()]).filter_map(|program| {
        let major = first_line(&program, &["-dumpversion"])?.split('.').next()?.parse::<u32>().ok()?;
        Some((major, first_line(&program, &["--version"])?, program))
    });
    all.max_by_key(|found| found.0).map(|(_, version, program)| (program, version))
}

fn compile(build: &Build, program: &str, file: &str, defines: &[(&str, &str)]) {
    let mut cc = cc::Build::new();
    cc.compiler(program).file(file).opt_level(3).warnings(false).pic(true);
    for (name, value) in defines {
        cc.define(name, *value);
    }
    for flag in FLAGS.iter().chain(build.flags) {
        cc.flag_if_supported(flag);
    }
    let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    cc.compile(&format!("{stem}_{}", build.name));
}

/// Links OpenBLAS: that of the wheel `scipy-openblas32` where Python has it, which is built for all processors and is current, else the one that the
/// system links.
fn blas(out: &str) {
    println!("cargo::rustc-check-cfg=cfg(blas)");
    let Some((program, _)) = newest(BUILDS[0].compiler) else { return };
    let (prefix, library, folder) = match wheel() {
        Some((folder, library)) => ("scipy_", library, Some(folder)),
        None => ("", "openblas".to_owned(), None),
    };
    let search = folder.iter().flat_map(|f| [format!("-L{f}"), format!("-Wl,-rpath,{f}")]);
    if !links(out, &search.chain([format!("-l{library}")]).collect::<Vec<_>>()) {
        println!(
            "cargo::warning=OpenBLAS does not link (pip install scipy-openblas32, or libopenblas-dev): its column is left out"
        );
        return;
    }
    compile(&BUILDS[0], &program, "c/blas.c", &[("FIND", "blas_find"), ("PREFIX", prefix)]);
    println!("cargo::rustc-cfg=blas");
    if let Some(folder) = folder {
        println!("cargo::rustc-link-search=native={folder}");
        println!("cargo::rustc-link-arg-bins=-Wl,-rpath,{folder}");
    }
    println!("cargo::rustc-link-lib=dylib={library}");
}

/// The folder and the name of the library in the wheel, where Python (`PYTHON`, or `python3`) has it and it can be linked on this system.
fn wheel() -> Option<(String, String)> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = "import scipy_openblas32 as b; print(b.get_lib_dir() + '|' + b.get_library())";
    let line = first_line(&python, &["-c", script])?;
    let (folder, library) = line.split_once('|')?;
    Some((folder.to_owned(), library.to_owned()))
}

fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok().filter(|o| o.status.success())?;
    String::from_utf8(output.stdout).ok()?.lines().next().map(str::to_owned)
}

/// Whether a program links with these arguments.
fn links(folder: &str, arguments: &[String]) -> bool {
    let (source, program) = (Path::new(folder).join("probe.c"), Path::new(folder).join("probe"));
    let written = std::fs::write(&source, "int main(void) { return 0; }\n").is_ok();
    let status = Command::new("cc").arg(&source).args(arguments).arg("-o").arg(&program).output();
    written && status.is_ok_and(|o| o.status.success())
}
