# What tests of command lines share: a run leaves $status, $out and $err, and each expectation is a sentence.
# shellcheck shell=bash disable=SC2034,SC2154  # status, out and err are set by the caller's run; it reads failures
failures=0

expect() { # sentence, condition...
    local sentence=$1
    shift
    if "$@"; then
        echo "ok: $sentence"
    else
        echo "NOT: $sentence"
        printf '  status %s\n  out: %s\n  err: %s\n' "$status" "$out" "$err"
        failures=$((failures + 1))
    fi
}
exits() { ((status == $1)); }
is_one_line() { [[ -n $1 && $1 != *$'\n'* ]]; }
