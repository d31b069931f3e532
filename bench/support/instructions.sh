#!/usr/bin/env bash
# Instructions of a unit of work, which no load on the machine changes: the difference that callgrind counts between two
# lengths of run.
#
# usage: instructions.sh CONTENDER [SCENARIO...]      needs valgrind
set -euo pipefail

contender=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT

count() { # scenario units
    valgrind --tool=callgrind --callgrind-out-file="$scratch/out" "$contender" "$1" "$2" 2>&1 >/dev/null |
        sed -n 's/.*Collected : //p'
}

for scenario in "${@:-task_call task_call_depth10 yield when_all_10 when_all_1000 spawn_1m sleepers_1m timer_arm_cancel}"; do
    for name in $scenario; do
        less=$(count "$name" 20000)
        more=$(count "$name" 60000)
        awk -v name="$name" -v n=$((more - less)) 'BEGIN { printf "%-20s%8.1f\n", name, n / 40000 }'
    done
done
