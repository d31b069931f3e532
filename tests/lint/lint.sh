# The words format and tidy of ../../rondo, which reads this file.
# shellcheck shell=bash disable=SC2154  # root is the caller's

# --- the form of the sources -------------------------------------------------------------------------------------

sources() { # suffix...
    local suffix
    for suffix in "$@"; do
        find "$root"/{runtime,net,redis,http,tests,bench,examples} -name "*.$suffix" -type f
    done | sort
}

format() {
    local check=0 path unformatted=0
    case ${1-} in
        '') ;;
        --check) check=1 ;;
        *) fail "format: no such argument: $1; there is only --check" ;;
    esac
    need clang-format-19
    local -a paths=()
    mapfile -t paths < <(sources hpp cpp)
    while IFS= read -r path; do
        unformatted=$((unformatted + 1))
        printf '%s: %s\n' "${path#"$root"/}" "$( ((check)) && echo 'not in the form of .clang-format' || echo formatted)"
    done < <(printf '%s\0' "${paths[@]}" | xargs -0 -P "$(nproc)" -n 20 clang-format-19 --dry-run -Werror 2>&1 |
        sed -n 's/^\(.*\):[0-9]*:[0-9]*: error: code should be clang-formatted.*/\1/p' | sort -u)
    ((check)) || printf '%s\0' "${paths[@]}" | xargs -0 clang-format-19 -i
    if ((check && unformatted)); then
        say "$unformatted files are not in form; ./rondo format mends them"
        return 1
    fi
    say "${#paths[@]} files in form"
}

# --- static checks -----------------------------------------------------------------------------------------------

# each TITLE COMMAND... : runs the command on each path of standard input, as many at a time as there are cores, and
# prints what it says.
each() {
    local title=$1 out
    shift
    out=$(mktemp -d)
    local -a paths=()
    mapfile -t paths
    say "$title: ${#paths[@]} files"
    # shellcheck disable=SC2016  # expanded by the inner shell
    printf '%s\0' "${paths[@]}" |
        xargs -0 -P "$(nproc)" -n 1 bash -c '"${@:2}" >"$(mktemp "$1/XXXXXX")" 2>&1; echo' each "$out" "$@" |
        awk -v all="${#paths[@]}" '{ print "[" NR "/" all "]"; fflush() }' | show_progress
    find "$out" -type f -exec cat {} +
    rm -rf -- "$out"
}

tidy() {
    (($# == 0)) || fail "tidy takes no arguments"
    need cmake ninja-build g++ liburing-dev libfmt-dev catch2 python3 clang-19 clang-tidy-19 clang-tools-19
    local build=$root/build/tidy faults='' form
    mkdir -p -- "$build"
    is_configured tidy || configure tidy || exit 1

    # What is in the build, without what the build itself made.
    local -a units=() own=() coroutines=()
    mapfile -t units < <(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" |
        grep -v "^$root/build/" | sort -u)
    mapfile -t own < <(printf '%s\n' "${units[@]}" | grep -v "^$root/tests/")
    mapfile -t coroutines < <(grep -l co_await "${units[@]}")

    say "awaits in conditions and test macros"
    # Without the one file that is about the compiler's fault.
    local found
    found=$({
        sources hpp cpp | grep -v /dropped_body_test.cpp
        find "$root" -name build -prune -o -name '*.md' -print
    } | xargs -d '\n' python3 "$root/tests/lint/check_awaits.py" 2>&1) || faults+=$found$'\n'

    local query=$root/tests/lint/coroutines.query bad
    bad=$(clang-query-19 -f "$query" "$root/tests/lint/bad_forms.cpp" -- -std=c++20 "-I$root/runtime/include" 2>&1)
    while IFS= read -r form; do
        [[ $bad == *"\"$form\" binds here"* ]] || faults+="coroutines.query does not find the form $form in bad_forms.cpp"$'\n'
    done < <(sed -n 's/.*bind("\([a-z_]*\)").*/\1/p' "$query")
    faults+=$(printf '%s\n' "${coroutines[@]}" | each "clang-query" clang-query-19 -p "$build" -f "$query" |
        sed -n 's/note: "\([a-z_]*\)" binds here/g++ 12 miscompiles this form: \1/p; /fatal error/p' | grep -v ': root$' | sort -u) || true
    faults+=$(printf '%s\n' "${own[@]}" | each "clang-tidy" clang-tidy-19 -p "$build" --quiet |
        grep -E ': (warning|(fatal )?error): ' | sort -u) || true

    [[ -n $faults ]] || return 0
    printf '%s\n' "${faults//$root\//}"
    say "$(grep -c . <<<"$faults") faults"
    return 1
}
