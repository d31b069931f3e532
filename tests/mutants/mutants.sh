# The word mutants of ../../rondo, which reads this file: one-line faults, and the test that has to see each.
#
# A mutant is a block in one of the *.txt files beside this one:
#
#   mutant   a_second_cancel_wins                      its name
#   file     runtime/include/rondo/detail/job.hpp      what is changed
#   within   inline void worklist::add                 if the line is there more than once: the text of a line before it
#   line     if (j.reason != cancel_reason::none) return;     the whole line, but for the white space around it
#   becomes  if (false) return;                        what takes its place; may be left out, then nothing does
#   program  runtime_jobs                              the test program, without _test
#   test     a second cancel changes nothing: the first reason stays
#
# Keep a mutant free of warnings, which are errors here.
# shellcheck shell=bash disable=SC2154  # root is the caller's

declare -A mutant_file=() mutant_within=() mutant_line=() mutant_becomes=() mutant_program=() mutant_test=()
mutant_names=()

read_mutants() {
    local table key value name=''
    for table in "$root"/tests/mutants/*.txt; do
        while read -r key value; do
            case $key in
                '' | '#'*) continue ;;
                mutant)
                    name=$value
                    [[ -z ${mutant_file[$name]+known} ]] || fail "$table: two mutants are called $name"
                    mutant_names+=("$name")
                    mutant_file[$name]='' mutant_within[$name]='' mutant_line[$name]='' mutant_becomes[$name]=''
                    ;;
                file) mutant_file[$name]=$value ;;
                within) mutant_within[$name]=$value ;;
                line) mutant_line[$name]=$value ;;
                becomes) mutant_becomes[$name]=$value ;;
                program) mutant_program[$name]=$value ;;
                test) mutant_test[$name]=$value ;;
                *) fail "$table: no such key: $key" ;;
            esac
        done <"$table"
    done
    for name in "${mutant_names[@]}"; do
        [[ -n ${mutant_file[$name]} && -n ${mutant_line[$name]} && -n ${mutant_program[$name]-} && -n ${mutant_test[$name]-} ]] ||
            fail "mutant $name: a file, a line, a program and a test belong to it"
    done
}

trimmed() {
    local text=$1
    text=${text#"${text%%[![:space:]]*}"}
    printf '%s' "${text%"${text##*[![:space:]]}"}"
}

# Prints the file with the mutant in it. Fails if its line is not there, or is there twice.
mutated() { # name file
    local -a lines
    local i found=-1 begin=0 text within=${mutant_within[$1]}
    mapfile -t lines <"$2"
    if [[ -n $within ]]; then
        for ((i = 0; i < ${#lines[@]}; ++i)); do [[ ${lines[i]} != *"$within"* ]] || break; done
        begin=$i
    fi
    for ((i = begin; i < ${#lines[@]}; ++i)); do
        [[ ${lines[i]} == *"${mutant_line[$1]}"* ]] || continue
        text=$(trimmed "${lines[i]}")
        [[ $text == "${mutant_line[$1]}" ]] || continue
        ((found < 0)) || return 1
        found=$i
        [[ -z $within ]] || break
    done
    ((found >= 0)) || return 1
    lines[found]=${mutant_becomes[$1]}
    printf '%s\n' "${lines[@]}"
}

# Makes the copy like the tree: files that differ are copied and get a new date, so that what was built of a mutant is
# built again.
sync_copy() { # copy
    local file
    while IFS= read -r file; do
        [[ -f $root/$file ]] || continue
        if ! cmp -s -- "$root/$file" "$1/$file"; then
            mkdir -p -- "$(dirname -- "$1/$file")"
            cp -- "$root/$file" "$1/$file"
        fi
    done < <(cd -- "$root" && find . -path './build*' -prune -o -path ./.git -prune -o -path ./tests/fuzz/corpus -prune -o \
        -type f -print)
}

# run_case COPY PROGRAM TEST : that case alone, which must be there. Its status; 124 when it took too long.
run_case() {
    local status=0 good=0 bad=0 _ tally=$1/build/tally spec=$3
    spec=$(sed 's/[][\\,*"~]/\\&/g' <<<"$spec")
    : >"$tally"
    (
        ulimit -v 16000000
        cd -- "$1" && RONDO_TEST_TALLY=$tally timeout -k 5 60 "build/dev/tests/$2_test" "$spec"
    ) >"$1/build/case.log" 2>&1 || status=$?
    if ((status == 0)); then
        read -r _ good bad <"$tally" || true
        ((good == 1 && bad == 0)) || status=125
    fi
    return "$status"
}

build_programs() { # copy program...
    local copy=$1
    shift
    (cd -- "$copy" && cmake --build --preset dev --parallel "$(nproc)" --target "${@/%/_test}") >"$copy/build/build.log" 2>&1
}

# The tests must be green as long as nothing is planted, or a red one says nothing.
check_unmutated() { # copy name...
    local copy=$1 name wrong=0
    shift
    local -A programs=() cases=()
    for name in "$@"; do
        programs[${mutant_program[$name]}]=1
        cases["${mutant_program[$name]}|${mutant_test[$name]}"]=1
    done
    say "building ${!programs[*]}"
    if ! build_programs "$copy" "${!programs[@]}"; then
        tail -n 20 -- "$copy/build/build.log" >&2
        fail "cannot build the tests; all that was said is in ${copy#"$root/"}/build/build.log"
    fi
    for name in "${!cases[@]}"; do
        local status=0
        run_case "$copy" "${name%%|*}" "${name#*|}" || status=$?
        ((status != 0)) || continue
        if ((status == 125)); then say "no such test in ${name%%|*}: ${name#*|}"; else say "red without a mutant: ${name%%|*}: ${name#*|}"; fi
        wrong=1
    done
    ((wrong == 0)) || exit 1
}

mutants() {
    read_mutants
    if [[ ${1-} == --list ]]; then
        local name
        for name in "${mutant_names[@]}"; do
            printf '%-44s %s: %s\n' "$name" "${mutant_program[$name]}" "${mutant_test[$name]}"
        done
        return
    fi
    local -a chosen=("$@")
    local name
    for name in "${chosen[@]}"; do
        [[ -n ${mutant_file[$name]+known} ]] && continue
        say "no such mutant: $name. ./rondo mutants --list names them"
        exit 2
    done
    ((${#chosen[@]} > 0)) || chosen=("${mutant_names[@]}")
    need cmake ninja-build g++ liburing-dev libfmt-dev redis-tools catch2 curl apache2-utils python3

    local copy=$root/build/mutants begin=$SECONDS
    mkdir -p -- "$copy/build"
    sync_copy "$copy"
    if [[ ! -e $copy/build/dev/build.ninja ]]; then
        say "configuring build/mutants"
        (cd -- "$copy" && cmake --preset dev) >"$copy/build/configure.log" 2>&1 ||
            fail "cannot configure build/mutants; all that was said is in build/mutants/build/configure.log"
    fi
    check_unmutated "$copy" "${chosen[@]}"

    local killed=0 wrong=0 file program status verdict
    for name in "${chosen[@]}"; do
        file=${mutant_file[$name]} program=${mutant_program[$name]} status=0
        if [[ ! -f $root/$file ]] || ! mutated "$name" "$root/$file" >"$copy/build/mutated"; then
            verdict="DOES NOT APPLY: its line is not in $file, or is there twice"
        else
            cp -- "$copy/build/mutated" "$copy/$file"
            if ! build_programs "$copy" "$program"; then
                verdict="DOES NOT BUILD: $(grep -m 1 -o 'error: .*' "$copy/build/build.log" || true)"
            else
                run_case "$copy" "$program" "${mutant_test[$name]}" || status=$?
                case $status in
                    0) verdict="SURVIVED $program: ${mutant_test[$name]}" ;;
                    124 | 137) verdict='killed (it hangs)' ;;
                    *) if ((status > 128)); then verdict='killed (it crashes)'; else verdict='killed'; fi ;;
                esac
            fi
            cp -- "$root/$file" "$copy/$file"
        fi
        printf '%-44s %s\n' "$name" "$verdict"
        if [[ $verdict == killed* ]]; then killed=$((killed + 1)); else wrong=$((wrong + 1)); fi
    done
    printf '%d mutants killed, %d not, in %d s\n' "$killed" "$wrong" $((SECONDS - begin))
    ((wrong == 0))
}
