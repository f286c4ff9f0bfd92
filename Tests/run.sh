#!/usr/bin/env bash
# Runs the tests that were built: Tests/run.sh SECONDS
#
# Few at once, because many block while they wait for a program: all at once, each would take as long as the whole run.
# A run that is not over in time prints a backtrace of every thread, and fails. What failed, or did not end, is repeated
# at the end, because many keep only that.
set -uo pipefail
seconds=$1
log=.build/test.log

exec {output}> >(exec tee "$log")
tee=$!
# By the line, so that the log tells what was running.
SWIFT_BACKTRACE=enable=yes,threads=all,images=none,color=no,interactive=no stdbuf -oL \
    swift test --configuration release --skip-build --experimental-maximum-parallelization-width 4 \
    >&"$output" 2>&1 {output}>&- &
run=$!
sleep "$seconds" {output}>&- &
bound=$!

children() {
    cat /proc/"$1"/task/*/children 2> /dev/null
}

descendants() {
    local child
    for child in $(children "$1"); do
        echo "$child"
        descendants "$child"
    done
}

# Ends what is still running, and waits for the log; what has ended is not signalled, for its id may be another's.
finish() {
    local job
    for job in $(jobs -rp); do
        kill -KILL $(descendants "$job") "$job" 2> /dev/null
    done
    wait "$run" "$bound" 2> /dev/null
    exec {output}>&-
    wait "$tee"
}
trap 'finish; exit 130' INT
trap 'finish; exit 143' TERM HUP

wait -n -p ended "$run" "$bound"
status=$?
if [ "$ended" = "$bound" ]; then
    echo "The tests are not over after $seconds seconds." >&"$output"
    kill -ABRT $(children "$run")
    sleep 60 {output}>&- &
    bound=$!
    wait -n "$run" "$bound"
    status=124
fi
finish

if [ "$status" != 0 ]; then
    echo
    grep -a -A 4 'recorded an issue' "$log" | tail -n 100
    # Lines of several threads may be interleaved.
    begins='started\.$'
    ends='(with [0-9]+ test cases? )?(passed|failed|skipped|was cancelled) after'
    grep -aoE "Test \"([^\"\\]|\\\\.)*\" ($begins|$ends)" "$log" \
        | awk '{
            ends = !sub(/ started\.$/, "")
            if (ends) sub(/" (with [0-9]+ test cases? )?[a-z ]+ after$/, "\"")
            running[$0] += ends ? -1 : 1
        }
        END { for (name in running) if (running[name] > 0) print "did not end:", name }' | sort
fi
exit "$status"
