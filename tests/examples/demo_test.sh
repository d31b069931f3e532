#!/usr/bin/env bash
# demo_test.sh CASE DEMO [MORE]... : runs the demo program as its users do and looks at what it says.
#   all, timers, redis, http, blocking  the parts, alone and together
#   redis_url                           against a redis-server of our own, with a coarse clock
#   http_url SLOW_SERVER                against a foreign server
#   broken_url                          servers that do not answer
#   lost_output                         nobody takes what it prints
#   bad_flag                            the complaint and the exit status
#   interrupted                         Ctrl-C leaves neither a redis-server nor a directory behind
#   no_ring WITHOUT_IO_URING            a kernel that forbids io_uring
#   example                             ten_promises (as DEMO), at its full ten seconds
# The time is never judged here.
set -euo pipefail

case_name=$1 demo=$2
shift 2
work=$(mktemp -d)
export TMPDIR=$work
children=()
trap 'kill "${children[@]}" 2>/dev/null || true; rm -rf -- "$work"' EXIT

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    sed 's/^/  | /' "$work"/out "$work"/err >&2 2>/dev/null || true
    exit 1
}

# run STATUS FLAG... : runs the demo; its output is in out and err.
run() {
    local expected=$1 status=0
    shift
    "$demo" --no-time-check "$@" >"$work/out" 2>"$work/err" || status=$?
    ((status == expected)) || fail "expected exit status $expected, got $status"
}

said() { grep -qE -- "$1" "$work/out" || fail "expected on stdout: $1"; }
warned() { grep -qE -- "$1" "$work/err" || fail "expected on stderr: $1"; }

# in_order PART... : just these parts printed their promises, each 10 to 1, and the report agrees.
in_order() {
    local part
    for part in "$@"; do
        local order
        order=$(sed -nE "s/^ *[0-9.]+ s  $part +Success: Promise ([0-9]+) is fulfilled!\$/\1/p" "$work/out" | xargs)
        [[ $order == '10 9 8 7 6 5 4 3 2 1' ]] || fail "expected $part 10 to 1, got: $order"
        said "^$part +10 9 8 7 6 5 4 3 2 1  in order,"
    done
    (($(grep -c 'is fulfilled!$' "$work/out") == 10 * $#)) || fail "expected $(($# * 10)) promises"
    said '^rondo, this run .* verified$'
    [[ ! -s $work/err ]] || fail "expected nothing on stderr"
    [[ -z $(find "$work" -name 'rondo-demo-*') ]] || fail "expected no directory to be left"
}

# wait_for COMMAND... : until it succeeds. The test's watchdog is the limit.
wait_for() { until "$@" 2>/dev/null; do sleep 0.01; done; }

# server_of PID : the pid of the redis-server that this demo started, once it can be asked.
server_of() {
    local sockets=("$work"/rondo-demo-*/s)
    [[ -S ${sockets[0]} ]] && tr -d ' ' <"/proc/$1/task/$1/children"
}

# start_redis HZ : a server on a unix socket, as redis-tools brings it.
start_redis() {
    local program
    program=$(command -v redis-server || command -v redis-check-rdb)
    (exec -a redis-server "$program" --port 0 --unixsocket "$work/redis" --save '' --hz "$1" --dynamic-hz no \
        >"$work/redis.log" 2>&1) &
    children+=($!)
    wait_for redis-cli -s "$work/redis" PING >/dev/null
}

case $case_name in
    all)
        run 0 --scale 0.05
        in_order timers redis http
        said 'PHPThread published +10\.044'
        said 'PHPThread measured by us .* 22 '
        ;;
    timers)
        run 0 --scale 0.01 --only timers
        in_order timers
        ;;
    redis | http)
        run 0 --scale 0.05 --only "$case_name"
        in_order "$case_name"
        ;;
    blocking)
        run 0 --scale 0.05 --only timers --blocking
        in_order timers
        said '^rondo, this run +[0-9.]+ +[0-9.]+ +1 +11 '
        ;;
    redis_url)
        start_redis 20
        run 0 --scale 0.1 --only redis --redis "unix://$work/redis"
        in_order redis
        said "server's grain of 50 ms"
        ;;
    http_url)
        mkfifo "$work/port"
        python3 "$1" >"$work/port" &
        children+=($!)
        read -r port <"$work/port"
        port=${port##*[!0-9]}
        run 0 --scale 0.05 --only http --http "http://127.0.0.1:$port"
        in_order http
        run 0 --scale 0.05 --only http --http "http://127.0.0.1:$port/"
        in_order http
        ;;
    broken_url)
        run 1 --scale 0.01 --only redis --redis "unix://$work/nobody"
        warned 'nobody'
        run 1 --scale 0.01 --only http --http 'http://127.0.0.1:1'
        warned '127\.0\.0\.1:1'
        ;;
    lost_output)
        status=0
        "$demo" --no-time-check --scale 0.01 --only timers >/dev/full 2>"$work/err" || status=$?
        ((status == 1)) || fail "expected exit status 1, got $status"
        warned '^rondo demo: cannot write the output: No space left on device$'
        status=0
        "$demo" --no-time-check --scale 0.01 --only timers <&- >&- 2>"$work/err" || status=$?
        ((status == 1)) || fail "expected exit status 1, got $status"
        warned '^rondo demo: cannot write the output: Bad file descriptor$'
        status=0
        "$demo" --help >/dev/full 2>"$work/err" || status=$?
        ((status == 1)) || fail "expected exit status 1, got $status"
        "$demo" --no-time-check --scale 0.01 --only timers >"$work/out" 2>&- || fail "expected exit status 0, got $?"
        : >"$work/err"
        in_order timers
        ;;
    bad_flag)
        run 2 --fast
        warned '^rondo demo: --fast: unknown flag'
        [[ ! -s $work/out ]] || fail "expected nothing on stdout"
        run 2 --redis 'redis:/x'
        warned "^rondo demo: --redis: redis URL 'redis:/x': "
        run 2 --http 'ftp://127.0.0.1'
        warned '^rondo demo: --http: URL "ftp://127.0.0.1": '
        run 0 --help
        said '^usage: rondo demo'
        ;;
    interrupted)
        for signal in INT TERM; do
            # A shell's background job ignores SIGINT; env gives the default back.
            env --default-signal=INT "$demo" --plain --scale 10 >"$work/out" 2>"$work/err" &
            pid=$!
            children+=("$pid")
            wait_for server_of "$pid" >"$work/server"
            server=$(<"$work/server")
            kill -s "$signal" "$pid"
            status=0
            wait "$pid" || status=$?
            ((status == 128 + $(kill -l "$signal"))) || fail "expected death by $signal, got status $status"
            ! kill -0 "$server" 2>/dev/null || fail "expected redis-server to be gone"
            [[ -z $(find "$work" -name 'rondo-demo-*') ]] || fail "expected no directory to be left"
        done
        ;;
    no_ring)
        without=$1 status=0
        "$without" "$demo" --scale 0.01 --only timers >"$work/out" 2>"$work/err" || status=$?
        ((status == 1)) || fail "expected exit status 1, got $status"
        warned '^rondo demo: .*io_uring'
        (($(wc -l <"$work/err") == 1)) || fail "expected one line"
        ;;
    example)
        "$demo" >"$work/out" 2>"$work/err" || fail "expected exit status 0, got $?"
        [[ $(sed -nE 's/^Success: Promise ([0-9]+) is fulfilled!$/\1/p' "$work/out" | xargs) == \
            '10 9 8 7 6 5 4 3 2 1' ]] || fail "expected ten promises from 10 to 1"
        ;;
    *) fail "no such case: $case_name" ;;
esac
