# The word fuzz of ../../rondo, which reads this file. Also fuzz_stage, for its word test.
# shellcheck shell=bash disable=SC2154,SC2119,SC2120  # root, passed and failed are the caller's; so are arguments

fuzzer_names() {
    local file
    for file in "$root"/tests/fuzz/*_fuzz.cpp; do
        [[ -e $file ]] || continue
        file=${file##*/}
        echo "${file%_fuzz.cpp}"
    done
}

# run_fuzzer NAME [libFuzzer's flags, directories and files] : with the limits and the dictionary of that fuzzer.
run_fuzzer() {
    local name=$1
    shift
    mkdir -p -- "$root/build/fuzz/found"
    "$root/build/fuzz/tests/fuzz/${name}_fuzz" -dict="$root/tests/fuzz/dictionaries/$name.dict" -timeout=20 \
        -rss_limit_mb=1024 -max_len=4096 -artifact_prefix="$root/build/fuzz/found/$name-" "$@"
}

# Says what libFuzzer has told in a log about an input that it has found.
show_found() { # name log
    local input
    grep -vE '^(#|INFO|NOTE|stat::|Dictionary|MS: |Base64|\tNEW_FUNC|0x|cpu | +#[0-9]+ .* (fuzzer::|main|_start|__libc))|^$' -- "$2" | tail -n 40 >&2
    input=$(sed -n 's/.*Test unit written to //p' "$2" | head -n 1)
    # shellcheck disable=SC2015  # printing cannot fail
    [[ -n $input ]] && say "$1: found ${input#"$root/"}. To run it again: ./rondo fuzz $1 ${input#"$PWD/"}" ||
        say "$1: failed; all it said is in ${2#"$root/"}"
}

# Reads libFuzzer's log: copies it to a file, and prints a line every few seconds.
show_fuzzing() { # log
    local line edges=0 shown=$SECONDS begin=$SECONDS
    while IFS= read -r line; do
        printf '%s\n' "$line" >&3
        if [[ $line =~ \(([0-9]+)\ inline\ 8-bit\ counters\) ]]; then
            edges=${BASH_REMATCH[1]}
        elif ((SECONDS >= shown + 5)) && [[ $line =~ ^#([0-9]+).*\ cov:\ ([0-9]+)\ .*\ corp:\ ([0-9]+)/ ]]; then
            shown=$SECONDS
            printf '  %4d s: %d executions, %d of %d edges, %d inputs kept\n' $((SECONDS - begin)) \
                "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "$edges" "${BASH_REMATCH[3]}" >&2
        fi
    done 3>"$1"
}

# fuzz_for NAME SECONDS KEPT [FLAG...] : new inputs, which go to the directory KEPT; a line about them at the end.
fuzz_for() {
    local name=$1 seconds=$2 kept=$3 log=$root/build/fuzz/$1.log status=0 TIMEFORMAT='cpu %U %S'
    shift 3
    mkdir -p -- "$kept"
    { time run_fuzzer "$name" -max_total_time="$seconds" -print_final_stats=1 "$@" "$kept" "$root/tests/fuzz/corpus/$name"; } 2>&1 |
        show_fuzzing "$log" || status=$?
    if ((status != 0)); then
        show_found "$name" "$log"
        return 1
    fi
    awk -v name="$name" '
        match($0, /\([0-9]+ inline/) { edges = substr($0, RSTART + 1, RLENGTH - 8) }
        match($0, / cov: [0-9]+/) { covered = substr($0, RSTART + 6, RLENGTH - 6) }
        /^stat::number_of_executed_units/ { executions = $2 }
        /^cpu / { cpu = $2 + $3 }
        END { printf "%s: %d executions in %.0f s of CPU, %d of %d edges, nothing found\n", name, executions, cpu, covered, edges }
    ' "$log"
}

# The corpus of one fuzzer again, then new inputs for some seconds from there alone. A line each. Always the same seed: a
# gate says the same of the same tree, and who looks for new faults calls ./rondo fuzz NAME.
check_fuzzer() { # name seconds
    local log=$root/build/fuzz/$1.log scratch=$root/build/fuzz/scratch/$1 count
    count=$(find "$root/tests/fuzz/corpus/$1" -type f | wc -l)
    if ((count > 0)) && run_fuzzer "$1" -runs=0 "$root/tests/fuzz/corpus/$1" >"$log" 2>&1; then
        printf 'passed %s: %d inputs of its corpus\n' "$1" "$count"
    else
        ((count > 0)) && show_found "$1" "$log"
        printf 'failed %s: %d inputs of its corpus\n' "$1" "$count"
    fi
    rm -rf -- "$scratch"
    local said
    if said=$(fuzz_for "$1" "$2" "$scratch" -seed=1); then echo "passed $said"; else echo "failed $1: new inputs"; fi
}

# fuzz_stage [seconds] : what is run before a merge: each corpus, then 20 s of new inputs, two fuzzers at a time. A test
# in the sum each.
fuzz_stage() {
    local seconds=${1-20} begin=$SECONDS built name status=0 before=$failed
    if ! build fuzz; then
        failed=$((failed + 1))
        return 1
    fi
    built=$SECONDS
    local -a names
    mapfile -t names < <(fuzzer_names)
    for name in "${names[@]}"; do
        while (($(jobs -rp | wc -l) >= 2)); do wait -n || true; done
        check_fuzzer "$name" "$seconds" >"$root/build/fuzz/$name.result" 2>"$root/build/fuzz/$name.said" &
    done
    wait
    for name in "${names[@]}"; do
        if grep -q '^failed ' "$root/build/fuzz/$name.result"; then cat -- "$root/build/fuzz/$name.said" >&2; fi
        cat -- "$root/build/fuzz/$name.result"
        passed=$((passed + $(grep -c '^passed ' "$root/build/fuzz/$name.result" || true)))
        failed=$((failed + $(grep -c '^failed ' "$root/build/fuzz/$name.result" || true)))
    done
    ((${#names[@]} > 0)) || failed=$((failed + 1))
    ((failed == before)) || status=1
    printf 'stage fuzz: %d s (build %d s, tests %d s)%s\n' $((SECONDS - begin)) $((built - begin)) \
        $((SECONDS - built)) "$( ((status == 0)) || echo ', FAILED')"
    return "$status"
}

fuzz() {
    local name=${1-} what=${2-60} names
    names=$(fuzzer_names | sed -z 's/\n$//; s/\n/, /g')
    if [[ -z $name ]]; then
        echo "fuzzers: $names"
        return
    fi
    if [[ $name != --all && ", $names, " != *", $name, "* ]]; then
        say "no such fuzzer: $name. There are: $names"
        exit 2
    fi
    if [[ $what != merge && ! $what =~ ^[1-9][0-9]{0,6}$ && ! -f $what ]] || (($# > 2)) || [[ $name == --all && $# -gt 1 ]]; then
        say "usage: ./rondo fuzz NAME [seconds | FILE | merge], or ./rondo fuzz --all"
        exit 2
    fi

    need cmake ninja-build g++ liburing-dev clang-19 libclang-rt-19-dev
    if [[ $name == --all ]]; then
        local status=0
        fuzz_stage || status=$?
        printf '%d passed, %d failed\n' "$passed" "$failed"
        exit "$status"
    fi
    build fuzz || exit 1
    local kept=$root/build/fuzz/corpus/$name
    if [[ -f $what ]]; then
        run_fuzzer "$name" "$what"
    elif [[ $what == merge ]]; then
        mkdir -p -- "$kept"
        run_fuzzer "$name" -merge=1 -use_counters=0 -max_len=1024 "$root/tests/fuzz/corpus/$name" "$kept" 2>&1 | grep '^MERGE-OUTER: [0-9]* new'
        du -sh --apparent-size -- "$root/tests/fuzz/corpus/$name"
    else
        say "fuzzing $name for $what s; what reaches new code is kept in build/fuzz/corpus/$name"
        fuzz_for "$name" "$what" "$kept"
    fi
}
