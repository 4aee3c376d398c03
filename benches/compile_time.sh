#!/usr/bin/env bash
# Measures what a user waits for: the macro, rustc on what it emits, a clean build. Prints tables and puts them at the end of RESULTS.md.
# compile_time.sh WORD…: only the programs whose names have one of these words, and nothing is written.
# LIMIT: processor seconds after which a compilation is given up (120).
set -euo pipefail
limit=${LIMIT:-120}
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

# The wrapper of rustc that measures it: user seconds of the one process that compiles the crate TIMED, threads and macros among them.
cat >"$work/timed" <<'BASH'
#!/usr/bin/env bash
case " $* " in
*" --crate-name $TIMED "*)
    ulimit -t "$LIMIT"
    TIMEFORMAT=%U
    { time "$@" 2>"$TIMED_IN/log"; } 2>"$TIMED_IN/seconds"
    ;;
*) exec "$@" ;;
esac
BASH
chmod +x "$work/timed"

# User seconds of rustc for a program's crate, its dependencies being built: of which program, in which profile.
rustc_seconds() {
    local name=$1 profile=$2
    local flags=()
    if [ "$profile" = release ]; then flags=(--release); fi
    rm -f "$work/seconds"
    (
        cd "$work/$name"
        touch src/lib.rs
        export CARGO_TARGET_DIR=$work/target CARGO_INCREMENTAL=0
        export RUSTC_WORKSPACE_WRAPPER=$work/timed TIMED=$name TIMED_IN=$work LIMIT=$limit
        cargo build --quiet "${flags[@]}" >"$work/cargo" 2>&1
    ) && tail -n 1 "$work/seconds" && return
    # The limit ends it by a signal; all else is an error.
    if awk -v l="$limit" '/^[0-9.]+$/ { if ($1 > 0.9 * l) over = 1 } END { exit !over }' "$work/seconds"; then
        echo "> $limit"
    else
        cat "$work/log" "$work/cargo" >&2
        echo failed
    fi
}

# A crate of its own for a program of macro_time.
program_crate() {
    mkdir -p "$work/$1/src"
    printf '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2024"\n[dependencies]\ntensor-rt = { path = "%s" }\n[workspace]\n' \
        "$1" "$benches/../tensor-rt" >"$work/$1/Cargo.toml"
    "$benches/target/release/programs" "$1" >"$work/$1/src/lib.rs"
}

# The seconds in release that a program should take at most.
asked() {
    case $1 in
    bundle_residual) echo 1 ;;
    bundle_gradient | springs_hessian) echo 2 ;;
    bundle_hvp) echo 4 ;;
    cloth_gradient_hvp | runge_kutta_20 | lstm_gradient) echo 3 ;;
    mixture_gradient) echo 2 ;;
    esac
}

# The table of programs, of those whose names have one of the words; then the law: random bodies by their operations.
programs() {
    local names name release debug most reached kind profile size n row
    names=$("$benches/target/release/programs" | { grep -F "$(printf '%s\n' "$@")" || true; })
    # Dependencies first, by a crate that has nothing else.
    mkdir -p "$work/nothing/src"
    program_crate runge_kutta_20
    sed 's/runge_kutta_20/nothing/' "$work/runge_kutta_20/Cargo.toml" >"$work/nothing/Cargo.toml"
    echo >"$work/nothing/src/lib.rs"
    rustc_seconds nothing release >/dev/null
    rustc_seconds nothing debug >/dev/null
    echo "| program | release | debug | at most, in release | reached |"
    echo "| --- | --- | --- | --- | --- |"
    for name in $(grep -v '^random' <<<"$names"); do
        program_crate "$name"
        release=$(rustc_seconds "$name" release)
        debug=$(rustc_seconds "$name" debug)
        most=$(asked "$name")
        reached=
        if [ -n "$most" ]; then
            reached=$(awk -v a="$release" -v b="$most" 'BEGIN { print (a ~ /^[0-9.]+$/ && a + 0 <= b + 0 ? "yes" : "no") }')
        fi
        echo "| ${name//_/ } | $release | $debug | $most | $reached |"
    done
    echo
    n=$(sed -n 's/^random_value_//p' <<<"$names" | tr '\n' ' ')
    if [ -z "$n" ]; then return; fi
    echo "| operations of a random body | ${n// / | }greatest ratio | at most | reached |"
    echo "| --- | $(for _ in $n; do printf -- '--- | '; done)--- | --- | --- |"
    for kind in value gradient; do
        for profile in release debug; do
            row="| $kind, $profile |"
            for size in $n; do
                name=random_${kind}_$size
                program_crate "$name"
                row+=" $(for _ in 1 2 3; do rustc_seconds "$name" "$profile"; done | sort -n | sed -n 2p) |"
            done
            # Of each with the one before, which has half as many operations.
            awk -v row="$row" 'BEGIN {
                for (k = 4; k < split(row, t, "|"); k++) {
                    if (t[k] + 0 == 0 || t[k - 1] + 0 == 0) given_up = 1
                    else if (t[k] / t[k - 1] > most) most = t[k] / t[k - 1]
                }
                printf "%s %.2f | 2.2 | %s |\n", row, most, most <= 2.2 && !given_up ? "yes" : "no"
            }'
        done
    done
}

crate() {
    mkdir -p "$work/user/src"
    printf '[package]\nname = "user"\nversion = "0.1.0"\nedition = "2024"\n[dependencies]\ntensor-rt = { path = "%s" }\n[workspace]\n' \
        "$benches/../tensor-rt" >"$work/user/Cargo.toml"
    printf 'fn main() {\n    std::hint::black_box(tensor_rt::Workspace::<f64>::new());\n}\n' >"$work/user/src/main.rs"
}

cargo build --quiet --release -p macro-time
if [ $# -gt 0 ]; then
    programs "$@"
    exit
fi

echo "| what | time | at most | reached |" >"$work/table"
echo "| --- | --- | --- | --- |" >>"$work/table"

# The macro, in an optimized build and as cargo builds macros.
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

export -n CARGO_INCREMENTAL
programs _ | tee "$work/programs"

title="## Compile time"
{
    sed "/^$title/,\$d" "$benches/RESULTS.md" 2>/dev/null | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
    printf '\n%s\n\nWritten by `benches/compile_time.sh`.\n\n' "$title"
    cat "$work/table"
    printf '\nProcessor seconds of rustc for the crate of one program, its dependencies being built; given up after %s.\n\n' "$limit"
    cat "$work/programs"
} >"$work/results"
cp "$work/results" "$benches/RESULTS.md"
cat "$work/table"
