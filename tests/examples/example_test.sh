#!/usr/bin/env bash
# Runs an example as a reader does, and holds what it prints to expected/NAME.txt, whose lines are extended regular
# expressions. usage: example_test.sh NAME BINARY
set -euo pipefail

name=$1 binary=$2
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT

status=0
case $name in
    graceful_shutdown)
        mkfifo "$scratch/pipe"
        "$binary" >"$scratch/pipe" &
        child=$!
        {
            while IFS= read -r line; do
                printf '%s\n' "$line"
                [[ $line != serving* ]] || kill -INT "$child"
            done
        } <"$scratch/pipe" >"$scratch/out"
        wait "$child" || status=$?
        expected_status=130
        ;;
    *)
        "$binary" >"$scratch/out" || status=$?
        expected_status=0
        ;;
esac

cat -- "$scratch/out"
if ((status != expected_status)); then
    echo "NOT: $name ends with $expected_status, but with $status"
    exit 1
fi
mapfile -t expected <"$here/expected/$name.txt"
mapfile -t got <"$scratch/out"
for ((n = 0; n < ${#expected[@]} || n < ${#got[@]}; ++n)); do
    if ! [[ ${got[n]-(nothing)} =~ ^${expected[n]-(nothing)}$ ]]; then
        echo "NOT: line $((n + 1)) is '${got[n]-}' and not '${expected[n]-}'"
        exit 1
    fi
done
