//! Builds `c/all.c` once by each C compiler and vector width, and `c/blas.c` where OpenBLAS links.

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
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    let mut versions = Vec::new();
    for build in BUILDS {
        println!("cargo::rustc-check-cfg=cfg({})", build.name);
        let Some(version) = first_line(build.compiler, &["--version"]) else { continue };
        compile(&build, "c/all.c", &format!("{}_find", build.name), &format!("kernels_{}", build.name));
        println!("cargo::rustc-cfg={}", build.name);
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    println!("cargo::rustc-check-cfg=cfg(blas)");
    if links(&out, "openblas") {
        compile(&BUILDS[0], "c/blas.c", "blas_find", "kernels_blas");
        println!("cargo::rustc-cfg=blas");
        println!("cargo::rustc-link-lib=openblas");
    } else {
        println!("cargo::warning=OpenBLAS does not link (libopenblas-dev): its column is left out");
    }
    if links(&out, "mvec") {
        println!("cargo::rustc-link-lib=mvec");
    }
    println!("cargo::rustc-link-lib=m");
    versions.extend(first_line("rustc", &["--version"]));
    println!("cargo::rustc-env=COMPILERS={}", versions.join("; "));
    println!("cargo::rustc-env=C_FLAGS={}", FLAGS.join(" "));
}

fn compile(build: &Build, file: &str, find: &str, library: &str) {
    let mut cc = cc::Build::new();
    cc.compiler(build.compiler).file(file).define("FIND", find).opt_level(3).warnings(false).pic(true);
    for flag in FLAGS.iter().chain(build.flags) {
        cc.flag_if_supported(flag);
    }
    cc.compile(library);
}

fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    String::from_utf8(output.stdout).ok()?.lines().next().map(str::to_owned)
}

/// Whether a program links against a library.
fn links(folder: &str, library: &str) -> bool {
    let (source, program) = (Path::new(folder).join("probe.c"), Path::new(folder).join("probe"));
    let written = std::fs::write(&source, "int main(void) { return 0; }\n").is_ok();
    let status = Command::new("cc").arg(&source).arg(format!("-l{library}")).arg("-o").arg(&program).output();
    written && status.is_ok_and(|o| o.status.success())
}
