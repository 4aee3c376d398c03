#!/usr/bin/env bash
# Measures what a user waits for: the macro, rustc on what it emits, a clean build. Prints a table and puts it at the end of RESULTS.md.
set -euo pipefail
benches=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$benches"

now() { date +%s.%N; }

# Processor seconds of a command, user and system.
processor() {
    local TIMEFORMAT="%U %S"
    { time "$@" >"$work/log" 2>&1; } 2>&1 | awk '{ printf "%.1f\n", $1 + $2 }'
}

# Seconds of a command.
seconds() {
    local start
    start=$(now)
    "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
    awk -v a="$start" -v b="$(now)" 'BEGIN { printf "%.2f\n", b - a }'
}

# The median of three times that cargo takes to build the user's crate again.
rebuild() {
    for _ in 1 2 3; do
        touch src/main.rs
        seconds cargo build --release
    done | sort -n | sed -n 2p
}

line() { echo "| $1 | $2 | $3 | $(awk -v a="$2" -v b="$3" 'BEGIN { print (a + 0 <= b + 0 ? "yes" : "no") }') |" >>"$work/table"; }

crate() {
    mkdir -p "$work/user/src"
    printf '[package]\nname = "user"\nversion = "0.1.0"\nedition = "2024"\n[dependencies]\ntensor-rt = { path = "%s" }\n[workspace]\n' \
        "$benches/../tensor-rt" >"$work/user/Cargo.toml"
    printf 'fn main() {\n    std::hint::black_box(tensor_rt::Workspace::<f64>::new());\n}\n' >"$work/user/src/main.rs"
}

echo "| what | time | at most | reached |" >"$work/table"
echo "| --- | --- | --- | --- |" >>"$work/table"

# The macro, in an optimized build and as cargo builds macros.
cargo build --quiet --release -p macro-time
cargo build --quiet --profile unoptimized -p macro-time
fast=$(./target/release/macro-time)
slow=$(./target/unoptimized/macro-time)
field() { sed -n "$2p" <<<"$1" | cut -d'|' -f2; }
line "macro, GMM with its gradient, optimized" "$(field "$fast" 1) ms" "20 ms"
line "macro, a small function with its gradient, optimized" "$(field "$fast" 2) ms" "5 ms"
line "macro, GMM with its gradient, unoptimized as cargo builds macros" "$(field "$slow" 1) ms" "150 ms"
echo "| macro, a small function with its gradient, unoptimized | $(field "$slow" 2) ms | | |" >>"$work/table"

# A user's crate, built clean; then without and with the module of the GMM.
crate
cd "$work/user"
cargo fetch --quiet
# Crates from a registry are never compiled incrementally; those from a path would be.
export CARGO_INCREMENTAL=0
line "clean build of a crate that uses \`tensor-rt\`, debug" "$(seconds cargo build) s" "15 s"
rm -rf target
echo "| its processor time, all cores | $(processor cargo build) s | | |" >>"$work/table"
rm -rf target
line "the same, release" "$(seconds cargo build --release) s" "15 s"
empty=$(rebuild)
cp "$benches/src/programs/gmm.rs" src/gmm.rs
cat >src/main.rs <<'RUST'
mod gmm;

fn main() {
    let (mut a, mut b, mut c, mut d) = ([0.0], [[0.0]], [[0.0]], [[[0.0]]]);
    let mut work = tensor_rt::Workspace::new();
    let value = gmm::gmm_grad_into(&[1.0], &[[1.0]], &[[1.0]], &[[[0.0]]], &[[1.0]], 1.0, 0.0, &mut a, &mut b, &mut c, &mut d, &mut work);
    println!("{value:?} {}", gmm::gmm(&[1.0], &[[1.0]], &[[1.0]], &[[[0.0]]], &[[1.0]], 1.0, 0.0).is_ok());
}
RUST
full=$(rebuild)
module=$(awk -v a="$full" -v b="$empty" 'BEGIN { printf "%.2f", a - b }')
line "the module of the GMM at \`opt-level = 3\`: macro and rustc, less an empty crate" "$module s" "1.5 s"

title="## Compile time"
{
    sed "/^$title/,\$d" "$benches/RESULTS.md" 2>/dev/null | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
    printf '\n%s\n\nWritten by `benches/compile_time.sh`.\n\n' "$title"
    cat "$work/table"
} >"$work/results"
cp "$work/results" "$benches/RESULTS.md"
cat "$work/table"
