# shellcheck shell=bash
# The word bench of ./rondo, which sources this: root, say, need, missing_of and build are its own.

# add_peer NAME PACKAGE : a contender that is somebody else's. One that cannot be had is named in a line, and left out.
add_peer() {
    local log reason
    log=$(mktemp)
    [[ -z $(missing_of "$2") ]] || say "looking for $2"
    if (need "$2") 2>"$log" && build bench "bench_$1" >>"$log" 2>&1; then
        contenders+=("$1=$root/build/bench/bench/bench_$1")
    else
        reason=$(grep -E '^rondo: |error: ' "$log" | head -n 1)
        say "without $1: ${reason#rondo: }"
    fi
    rm -f -- "$log"
}

bench_usage() {
    say "bench: $*"
    exit 2
}

bench() {
    local scenarios compiler with_peers=1 command="./rondo bench $*"
    local -a pass=() contenders=()
    scenarios=$(sed -n '/micro_suite/,/^};/s/^ *{"\([a-z0-9_]*\)".*/\1/p' "$root/bench/support/suite.hpp")
    [[ ${1-} == micro ]] || bench_usage "${1:+no suite is named \"$1\"; }the suites are: micro"
    shift
    while (($#)); do
        case $1 in
            --rounds | --seconds | --only | --json | --peers) (($# > 1)) || bench_usage "$1 wants a value" ;;
            *) bench_usage "no such argument: $1; there are --rounds, --seconds, --only, --json and --peers" ;;
        esac
        case $1=$2 in
            --peers=yes) with_peers=1 ;;
            --peers=no) with_peers=0 ;;
            --peers=*) bench_usage "--peers takes yes or no" ;;
            --json=*) pass+=("$1" "$(readlink -m -- "$2")") ;;
            --only=*)
                grep -qxF -e "$2" <<<"$scenarios" ||
                    bench_usage "no scenario is named \"$2\"; there are: ${scenarios//$'\n'/, }"
                pass+=("$1" "$2")
                ;;
            *)
                [[ $2 =~ ^[1-9][0-9]*$ ]] || bench_usage "$1 takes a whole number from 1 on, not \"$2\""
                pass+=("$1" "$2")
                ;;
        esac
        shift 2
    done

    need cmake ninja-build g++ liburing-dev clang-19
    for compiler in '' -clang; do build "bench$compiler" || exit 1; done
    for compiler in '' -clang; do contenders+=("rondo$compiler=$root/build/bench$compiler/bench/bench_rondo"); done
    for compiler in '' -clang; do contenders+=("floor$compiler=$root/build/bench$compiler/bench/bench_floor"); done
    if ((with_peers)); then
        add_peer asio libasio-dev
        add_peer libuv libuv1-dev
        add_peer go golang-go
    fi
    printf '%-10s%s\n' command: "$command" \
        machine: "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), load $(cut -d ' ' -f 1 /proc/loadavg)" \
        g++: "$(g++ --version | head -n 1)" clang: "$(clang++-19 --version | head -n 1)" \
        flags: "$(sed -n 's/^CMAKE_CXX_FLAGS_RELEASE:[A-Z]*=//p' "$root/build/bench/CMakeCache.txt") -std=c++20"
    exec "$root/build/bench/bench/bench_compare" micro "${pass[@]}" "${contenders[@]}"
}
