#!/usr/bin/env bash
# bench_compare with stand-in contenders: what it prints, its JSON, and what it says to bad input.
#
# usage: compare_test.sh BENCH_COMPARE
# shellcheck disable=SC2016,SC2028  # the stand-ins and conditions in quotes are expanded when they run
set -euo pipefail

compare=$1
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
# shellcheck source=tests/script/expect.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../script/expect.sh"

contender() { # name, its scenarios, body from stdin
    {
        echo '#!/bin/bash'
        echo "if ((\$# == 0)); then printf '%s\\n' $2; exit; fi"
        echo "echo \"$1 \$1\" >>'$scratch/calls'; echo \"\$2\" >'$scratch/units-$1'"
        cat
    } >"$scratch/$1"
    chmod +x -- "$scratch/$1"
}

run() { # arguments: what it printed, in $out and $err, and its $status
    status=0
    : >"$scratch/calls"
    "$compare" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
    out=$(<"$scratch/out")
    err=$(<"$scratch/err")
}

refuses() { # text: ends with 2 after one line that says it
    exits 2 && is_one_line "$err" && [[ $err == *"$1"* ]]
}
row() { # scenario contender: the table's row, spaces squeezed; the scenario stands only in the first of its rows
    awk -v s="$1" -v c="$2" '/^[a-z0-9_]+ +[a-z]/ { name = $1; sub(/^[a-z0-9_]+/, "") } name == s && $1 == c { $1 = $1; print }' "$scratch/out"
}

# The first time each says 30, then 10, then 20: median 20, best 10, worst 30.
for c in rondo floor; do
    contender $c 'task_call yield sleepers_1m' <<END
n=\$(cat "$scratch/$c.\$1" 2>/dev/null || echo 0)
echo \$((n + 1)) >"$scratch/$c.\$1"
values=(30 10 20)
echo "cpu_time ns \$((\${values[n % 3]} * $([[ $c == rondo ]] && echo 2 || echo 1)))"
echo "wall_time s 0.5"
[[ \$1 != sleepers_1m ]] || echo "memory B 150"
END
done
contender asio task_call <<<'echo "cpu_time ns 55"; echo "wall_time s 0.25"'
three=(rondo="$scratch/rondo" floor="$scratch/floor" asio="$scratch/asio")

run micro --rounds 3 --json "$scratch/json" "${three[@]}"
expect "a run ends with 0" exits 0
expect "a row has median, best, worst, the ratio and the verdict" \
    eval '[[ $(row task_call rondo) == "rondo 40.0 20.0 60.0 2.00 <= 1.30 x MISSED" ]]'
expect "the floor has no ratio to itself" eval '[[ $(row task_call floor) == "floor 20.0 10.0 30.0" ]]'
expect "a peer has a ratio and no target" eval '[[ $(row task_call asio) == "asio 55.0 55.0 55.0 5.50" ]]'
expect "a figure besides time has its own table" eval '[[ $out == *"rondo "*"<= 200 B  met"* ]]'
expect "missed targets are counted" eval '[[ $out == *"3 targets missed" ]]'
expect "each round and scenario is a line of progress" eval '[[ $(grep -c "^round . of 3" "$scratch/err") == 9 ]]'
expect "contenders take turns, those that have the scenario" eval \
    '[[ $(tr "\n" " " <"$scratch/calls") == "rondo task_call floor task_call asio task_call rondo yield floor yield "* ]]'
expect "the JSON is a list of rows with all nine keys" python3 - "$scratch/json" <<'END'
import json, sys
rows = json.load(open(sys.argv[1]))
keys = ["suite", "scenario", "contender", "metric", "unit", "median", "min", "max", "runs"]
assert all(list(r) == keys for r in rows), rows
assert {r["contender"] for r in rows} == {"rondo", "floor", "asio"}
wanted = dict(zip(keys, ["micro", "task_call", "rondo", "cpu_time", "ns", 40, 20, 60, 3]))
assert wanted in rows, rows
assert [r for r in rows if r["metric"] == "memory" and r["median"] == 150 and r["unit"] == "B"]
END

run micro --rounds 1 --only yield "${three[@]}"
expect "--only runs one scenario" eval '[[ $(sort -u "$scratch/calls") == $'\''floor yield\nrondo yield'\'' ]]'

run micro --rounds 1 --only task_call "${three[@]}"
expect "a peer does fewer units" eval '(($(<"$scratch/units-asio") * 20 == $(<"$scratch/units-rondo")))'

contender rondo-clang yield <<<'echo "cpu_time ns 10"; echo "wall_time s 1"'
contender floor-clang yield <<<'echo "cpu_time ns 8"; echo "wall_time s 1"'
run micro --rounds 1 --only yield "${three[@]}" rondo-clang="$scratch/rondo-clang" floor-clang="$scratch/floor-clang"
expect "clang's build is compared with clang's floor" \
    eval '[[ $(row yield rondo-clang) == "rondo-clang 10.0 10.0 10.0 1.25 <= 1.30 x met" ]]'

contender slow yield <<<'sleep 1.1; echo "cpu_time ns 10"; echo "wall_time s 1"'
run micro --rounds 3 --seconds 1 --only yield rondo="$scratch/slow"
expect "no round begins after the time is over, and that is said" eval '[[ $out == *"1 rounds in"*"--seconds 1 ended it"* ]]'

run
expect "no suite: says which there are" refuses "There is: micro"
run nano "${three[@]}"
expect "a suite that is none: named, with those there are" refuses "no suite is named 'nano'. There is: micro"
run micro --only frob "${three[@]}"
expect "a scenario that is none: named, with those there are" refuses "no scenario is named 'frob'. There are: task_call, task_call_depth10,"
run micro --rounds many "${three[@]}"
expect "rounds that are no number" refuses "--rounds takes a number"
run micro --frob 1 "${three[@]}"
expect "a flag that is none" refuses "cannot use '--frob'"
run micro
expect "no contender" refuses "no contender"

run micro --rounds 1 rondo="$scratch/nothing"
expect "a contender that is not there: ends with 1" exits 1
expect "a contender that is not there: named in one line" eval 'is_one_line "$err" && [[ $err == *"cannot run $scratch/nothing" ]]'
contender broken yield <<<'exit 3'
run micro --rounds 1 --only yield rondo="$scratch/broken"
expect "a contender that fails: ends with 1" exits 1
expect "a contender that fails: named with its scenario" eval '[[ $err == *"rondo failed in yield" ]]'
contender vague yield <<<'echo "about ten"'
run micro --rounds 1 --only yield rondo="$scratch/vague"
expect "a contender that prints something else has failed" eval '[[ $status == 1 && $err == *"rondo failed in yield" ]]'
run micro --rounds 1 --json "$scratch/no/where" "${three[@]}"
expect "a JSON file that cannot be written is said before anything runs" \
    eval '[[ $status == 1 && ! -s $scratch/calls && $err == *"cannot write $scratch/no/where: No such file"* ]]'

((failures == 0))
