#!/usr/bin/env bash
# What ./rondo says and does, seen from outside: with a PATH of our own on which cmake, ctest, apt-get and sudo are
# small stand-ins, in a copy of the script under a directory with a space in its name.
#
# usage: rondo_test.sh SOURCE_TREE
# shellcheck disable=SC2016  # the stand-ins and conditions in quotes are expanded when they run
set -euo pipefail

source_tree=$1
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
tree="$scratch/a tree"
mkdir -- "$tree" "$scratch/bin"
mkdir -p -- "$tree/tests"
cp -r -- "$source_tree/tests/lint" "$tree/tests/"
cp -- "$source_tree/rondo" "$source_tree/CMakePresets.json" "$tree/"
mkdir -p -- "$tree/bench/support"
cp -- "$source_tree/bench/bench.sh" "$tree/bench/"
cp -- "$source_tree/bench/support/suite.hpp" "$tree/bench/support/"
rondo=$tree/rondo
# shellcheck source=tests/script/expect.sh
source "$source_tree/tests/script/expect.sh"

# --- stand-ins

tool() { # name, body from stdin
    rm -f -- "$scratch/bin/$1"
    {
        echo '#!/bin/bash'
        cat
    } >"$scratch/bin/$1"
    chmod +x -- "$scratch/bin/$1"
}

without() { rm -f -- "${@/#/$scratch/bin/}"; }

everything_present() {
    local name
    for name in bash env cat chmod rm mkdir mktemp dirname readlink sed grep awk sort head tail tee cut nproc flock true; do
        ln -sf -- "$(command -v "$name")" "$scratch/bin/$name"
    done
    for name in ninja redis-server ab curl python3; do tool "$name" <<<'exit 0'; done
    tool g++ <<<'exit 0'
    tool apt-get <<<"echo \"\$*\" >>'$scratch/apt-calls'"
    tool dpkg-query <<<'exit 1'
    tool sudo <<<'[[ $1 == -n ]] && shift; exec "$@"'
    tool cmake <<'END'
case $1 in
    --version) echo "cmake version 3.25.1" ;;
    --fresh) mkdir -p "build/$3" && echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >"build/$3/CMakeCache.txt" && : >"build/$3/build.ninja" ;;
    --build)
        mkdir -p "build/$3/examples"
        printf '#!/bin/bash\nprintf "demo got:"; printf " <%%s>" "$@"; echo; exit 7\n' >"build/$3/examples/demo"
        chmod +x "build/$3/examples/demo"
        mkdir -p "build/$3/bench"
        printf '#!/bin/bash\nprintf "compare got:"; printf " <%%s>" "$@"; echo; exit 5\n' >"build/$3/bench/bench_compare"
        chmod +x "build/$3/bench/bench_compare"
        ;;
esac
END
    : >"$scratch/apt-calls"
    rm -rf -- "$tree/build"
}

# --- the questions asked

# run ARGUMENT... : what the script printed, in $out and $err, and its $status.
run() {
    status=0
    PATH=$scratch/bin "$rondo" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
    out=$(<"$scratch/out")
    err=$(<"$scratch/err")
}

# as_nobody ARGUMENT... : the same without any right to install.
as_nobody() {
    local launcher=()
    if ((EUID == 0)); then
        chmod -R a+rwX -- "$scratch"
        launcher=("$(command -v setpriv)" --reuid=65534 --regid=65534 --clear-groups)
    fi
    status=0
    PATH=$scratch/bin "${launcher[@]}" "$rondo" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
    out=$(<"$scratch/out")
    err=$(<"$scratch/err")
}

says() { [[ $err == *"$1"* ]]; }
last_line_is() { [[ ${out##*$'\n'} == "$1" ]]; }
no_apt() { [[ ! -s $scratch/apt-calls ]]; }

# --- words

everything_present
run frobnicate
expect "an unknown word ends with 2" exits 2
expect "an unknown word is named, in one line" says "no such word: frobnicate"
expect "an unknown word gives one line" is_one_line "$err"
for word in help --help -h; do
    run $word
    expect "$word prints the words" eval '[[ $status == 0 && $out == *demo*test*help* ]]'
done
: >"$tree/build"
run demo
expect "a tree that cannot be written: ends with 1" exits 1
expect "a tree that cannot be written: says so and why" says "rondo: cannot write build/: Not a directory"
expect "a tree that cannot be written: one line" is_one_line "$err"
rm -f -- "$tree/build"
mkdir -p -- "$tree/build/lock"
run demo
expect "a lock that cannot be written: says so and why" says "rondo: cannot write build/: Is a directory"
rm -rf -- "$tree/build"
ln -s -- "$rondo" "$scratch/link"
mkdir -- "$scratch/elsewhere"
status=0
out=$(cd -- "$scratch/elsewhere" && PATH=$scratch/bin "$scratch/link" demo "b c" 2>"$scratch/err") || status=$?
err=$(<"$scratch/err")
expect "the demo gets its arguments, called by a link from elsewhere" eval '[[ $out == "demo got: <b c>" ]]'
expect "the demo's exit status is the script's" exits 7
expect "with everything there nothing is installed" no_apt

# --- fuzz

mkdir -p -- "$tree/tests/fuzz" "$tree/tests/fuzz/corpus/alpha" "$tree/tests/fuzz/corpus/beta"
cp -- "$source_tree/tests/fuzz/fuzz.sh" "$tree/tests/fuzz/"
: >"$tree/tests/fuzz/alpha_fuzz.cpp"
: >"$tree/tests/fuzz/beta_fuzz.cpp"
: >"$tree/tests/fuzz/corpus/alpha/seed"
: >"$tree/tests/fuzz/corpus/beta/seed"
run fuzz
expect "without a name the fuzzers are listed" eval '[[ $status == 0 && $out == "fuzzers: alpha, beta" ]]'
run fuzz gamma 5
expect "an unknown fuzzer ends with 2" exits 2
expect "an unknown fuzzer: the names, in one line" eval 'is_one_line "$err" && says "There are: alpha, beta"'
for seconds in 0 -1 1.5 soon ""; do
    run fuzz alpha "$seconds"
    expect "'$seconds' seconds of fuzzing are refused" eval '[[ $status == 2 ]] && is_one_line "$err" && says "usage:"'
done
run fuzz alpha 5 6
expect "too many arguments of fuzz are refused" eval '[[ $status == 2 ]] && is_one_line "$err"'

# fuzzers OUTCOME : alpha finds nothing, beta has that outcome.
fuzzers() {
    everything_present
    for name in find wc; do ln -sf -- "$(command -v "$name")" "$scratch/bin/$name"; done
    tool clang++-19 <<<"echo '$scratch/bin/bash'"
    tool cmake <<END
case \$1 in
    --version) echo "cmake version 3.25.1" ;;
    --fresh) mkdir -p "build/\$3" && echo "CMAKE_HOME_DIRECTORY:INTERNAL=\$PWD" >"build/\$3/CMakeCache.txt" && : >"build/\$3/build.ninja" ;;
    --build)
        mkdir -p build/fuzz/tests/fuzz
        printf '#!/bin/bash\necho "INFO: Loaded 1 modules   (90 inline 8-bit counters): 90 [a, b),"\necho "#7 DONE cov: 40 ft: 50 corp: 3/9b"\necho "stat::number_of_executed_units: 7"\n' >build/fuzz/tests/fuzz/alpha_fuzz
        printf '#!/bin/bash\necho "wrong: it is not right"\necho "Test unit written to \$PWD/build/fuzz/found/beta-crash-1"\n$1\n' >build/fuzz/tests/fuzz/beta_fuzz
        chmod +x build/fuzz/tests/fuzz/*_fuzz
        ;;
esac
END
}
fuzzers "exit 77"
run fuzz alpha 1
expect "a fuzzer that finds nothing ends with 0" exits 0
expect "a fuzzer tells its executions and coverage" eval '[[ $out == "alpha: 7 executions in "*" s of CPU, 40 of 90 edges, nothing found" ]]'
run fuzz beta 1
expect "a fuzzer that finds something ends with 1" exits 1
expect "a finding says what is wrong" says "wrong: it is not right"
expect "a finding says how to run it again" says "./rondo fuzz beta build/fuzz/found/beta-crash-1"
run fuzz --all
expect "corpora and new inputs are counted as tests" last_line_is "2 passed, 2 failed"
expect "a finding in one of all ends with 1" exits 1
fuzzers "exit 0"
run fuzz --all
expect "nothing found in all of them ends with 0" eval '((status == 0)) && last_line_is "4 passed, 0 failed"'
rm -rf -- "$tree/build"

# --- mutants

mkdir -p -- "$tree/tests/mutants" "$tree/src"
cp -- "$source_tree/tests/mutants/mutants.sh" "$tree/tests/mutants/"
printf '%s\n' one '  two [*]' three one >"$tree/src/part.cpp"
mutant() { printf 'mutant %s\nfile %s\nline %s\nbecomes bad\nprogram alpha\ntest a, [b]\n\n' "$@"; }
{
    mutant seen src/part.cpp 'two [*]'
    mutant unseen src/part.cpp three
    mutant twice src/part.cpp one
    mutant gone src/part.cpp four
    mutant in_no_file src/none.cpp one
} >"$tree/tests/mutants/table.txt"

everything_present
for name in find cmp cp timeout; do ln -sf -- "$(command -v "$name")" "$scratch/bin/$name"; done
# The test program alpha is green while the second line is there.
tool cmake <<'END'
case $1 in
    --preset) mkdir -p build/dev/tests && : >build/dev/build.ninja ;;
    --build)
        printf '#!/bin/bash\n[[ $1 == "a\\, \\[b\\]" ]] || exit 0\ngrep -q two src/part.cpp && echo "alpha_test 1 0" >"$RONDO_TEST_TALLY"\n' >build/dev/tests/alpha_test
        chmod +x build/dev/tests/alpha_test
        ;;
esac
END
run mutants --list
expect "mutants are listed" eval '[[ $status == 0 && $(wc -l <"$scratch/out") == 5 && $out == seen*"alpha: a, [b]"* ]]'
run mutants seen unknown
expect "an unknown mutant ends with 2 and one line" eval '[[ $status == 2 ]] && is_one_line "$err" && says "no such mutant: unknown"'
run mutants seen
expect "a mutant that a test sees is killed" eval '[[ $status == 0 && $out == seen*killed* && ${out##*$'"'\n'"'} == "1 mutants killed, 0 not,"* ]]'
run mutants seen unseen twice gone in_no_file
expect "a mutant that nobody sees survives, and is named with the test" eval '[[ $status == 1 && $out == *unseen*"SURVIVED alpha: a, [b]"* ]]'
for name in twice gone in_no_file; do
    expect "a mutant that does not apply is named: $name" eval '[[ $out == *$name*"DOES NOT APPLY"* ]]'
done
expect "survivors and what does not apply are counted" eval '[[ $out == *"1 mutants killed, 4 not,"* ]]'
expect "the tree itself is left alone" eval '[[ $(<"$tree/src/part.cpp") == one*two*three*one ]]'
sed -i 's/two/other/' "$tree/src/part.cpp"
run mutants unseen
expect "a test that is red without a mutant ends it" eval '[[ $status == 1 ]] && says "red without a mutant: alpha: a, [b]"'
rm -rf -- "$tree/build"

# --- what is missing

everything_present
without ninja sudo
as_nobody demo
expect "no root, no sudo: ends with 1" exits 1
expect "no root, no sudo: one line" is_one_line "$err"
expect "no root, no sudo: the command to run as root" says "apt-get install -y --no-install-recommends ninja-build"

everything_present
without g++ apt-get dpkg-query
run demo
expect "not a Debian: ends with 1" exits 1
expect "not a Debian: one line" is_one_line "$err"
expect "not a Debian: names what is missing" says "missing: g++"

everything_present
without ninja
tool apt-get <<END
echo "\$*" >>'$scratch/apt-calls'
[[ \$1 == update ]] && exit
grep -qx update '$scratch/apt-calls' || exit 100
echo "Setting up ninja-build"; printf '#!/bin/bash\n' >'$scratch/bin/ninja'; chmod a+x '$scratch/bin/ninja'
END
run demo
expect "stale package lists: installed after an update" exits 7
expect "an installation says what and why" says "ninja-build          runs the build"
expect "an installation says the command" says "apt-get install -y --no-install-recommends ninja-build"
expect "no daemon is installed" eval '! grep -qE "redis-server|nginx" "$scratch/apt-calls"'

everything_present
without ninja
tool apt-get <<<'echo "E: no network"; exit 100'
run demo
expect "no network: ends with 1" exits 1
expect "no network: says what to do" says "Install by hand, then run me again: apt-get install"

everything_present
tool cmake <<<'echo "cmake version 3.22.1"'
run demo
expect "an old cmake: ends with 1" exits 1
expect "an old cmake: says which is needed" says "needs cmake 3.25 or newer"

everything_present
tool cmake <<<'[[ $1 == --version ]] && echo "cmake version 3.25.1" && exit; echo "CMake Error at x: broken"; exit 1'
run demo
expect "a failed configuration: ends with 1" exits 1
expect "a failed configuration: shows the error" says "CMake Error at x: broken"

# --- benchmarks

everything_present
for name in clang++-19 go; do tool $name <<<'exit 0'; done
run bench micro --only yield --rounds 3 --json "a file"
contenders=
for contender in rondo floor; do
    for compiler in '' -clang; do contenders+=" <$contender$compiler=$tree/build/bench$compiler/bench/bench_$contender>"; done
done
for contender in asio libuv go; do contenders+=" <$contender=$tree/build/bench/bench/bench_$contender>"; done
expect "bench runs every contender, with the arguments given" \
    last_line_is "compare got: <micro> <--only> <yield> <--rounds> <3> <--json> <$PWD/a file>$contenders"
expect "bench ends as the comparison did" exits 5
expect "bench says what was called" eval '[[ $out == *"./rondo bench micro --only yield --rounds 3"* ]]'
run bench micro --peers no
expect "bench leaves the peers out" eval '[[ $status == 5 && $out != *asio* && $out != *libuv* && $out != *bench_go* ]]'

tool apt-get <<<'echo "E: no network"; exit 100'
without go
run bench micro --only yield
expect "a peer that cannot be had is left out" eval '[[ $status == 5 && $out == *bench_libuv* && $out != *bench_go* ]]'
expect "a peer that cannot be had is told in a line" eval '[[ $(grep -c "^rondo: without go: " "$scratch/err") == 1 ]]'

refuses() { ((status == 2)) && is_one_line "$err" && says "$1"; }
run bench
expect "bench without a suite: the suites, in one line" refuses "bench: the suites are: micro"
run bench nano
expect "a suite that is none: named, with the suites" refuses 'no suite is named "nano"; the suites are: micro'
run bench micro --only frob
expect "a scenario that is none: named, with the scenarios" refuses 'no scenario is named "frob"; there are: task_call, '
expect "the scenarios end where the suite does" says ', cancel_depth1, cancel_depth5, cancel_depth10'
run bench micro --rounds none
expect "rounds that are no number" refuses '--rounds takes a whole number from 1 on, not "none"'
run bench micro --json
expect "a flag without its value" refuses '--json wants a value'
run bench micro --frob 1
expect "a flag that is none: named, with the flags" refuses 'no such argument: --frob; there are --rounds, '

# --- the sum of a test run

ctest_reports() { # exit status, tally; the junit body comes from stdin
    everything_present
    {
        echo "printf '%s' '$2' >\"\$RONDO_TEST_TALLY\""
        echo 'while [[ $1 != --output-junit ]]; do shift; done'
        echo "cat >\"\$2\" <<'XML'"
        cat
        echo "XML"
        echo "exit $1"
    } | tool ctest
}

ctest_reports 0 $'alpha_test 12 0\n' <<'END'
<testsuite><testcase name="alpha" classname="alpha" time="0.1" status="run"><system-out>3 passed</system-out></testcase>
<testcase name="layers" classname="layers" time="0.1" status="run"/>
<testcase name="old" classname="old" time="0.1" status="notrun"/></testsuite>
END
run test
expect "a program's tests are counted, other entries are one each" last_line_is "13 passed, 0 failed, 1 skipped"
expect "all passed: ends with 0" exits 0

ctest_reports 8 $'alpha_test 12 2\n' <<'END'
<testsuite><testcase name="alpha" classname="alpha" time="0.1" status="fail"/>
<testcase name="crashed" classname="crashed" time="0.1" status="fail"/></testsuite>
END
run test
expect "failures are counted, a crash is one" last_line_is "12 passed, 3 failed"
expect "a failure: ends with 1" exits 1

ctest_reports 8 '' <<<'<testsuite/>'
run test -R nothing
expect "no test at all is a failure" last_line_is "0 passed, 1 failed"
expect "no test at all: ends with 1" exits 1

ctest_reports 0 $'alpha_test 12 0\n' <<<'<testsuite><testcase name="alpha" status="run"/></testsuite>'
tool clang++-19 <<<"echo '$scratch/bin/bash'"
run test --all
# This tree has no fuzzers that run and no sources whose form could be looked at: two corpora, two searches, two checks.
expect "the stages are added up, with those that cannot run" last_line_is "60 passed, 6 failed"
expect "each stage tells its seconds" eval '[[ $(grep -cE "^stage [a-z-]+: [0-9]+ s" "$scratch/out") == 8 ]]'

ctest_reports 0 '' <<<''
tool cmake <<<'[[ $1 == --version ]] && echo "cmake version 3.25.1" && exit; [[ $1 == --fresh ]]'
run test
expect "a build that fails is one failure" last_line_is "0 passed, 1 failed"
expect "a build that fails: ends with 1" exits 1

((failures == 0))
