#!/usr/bin/env bash
# Runs the tests that were built: Tests/run.sh SECONDS
#
# Few at once, because many block while they wait for a program: all at once, each would take as long as the whole run.
# A run that is not over in time prints where every thread stands, and fails. What failed, or did not end, is repeated at
# the end, because many keep only that.
set -uo pipefail
seconds=$1
log=.build/test.log

# By the line, so that the log tells what was running.
SWIFT_BACKTRACE=enable=yes,threads=all,images=none,color=no,interactive=no stdbuf -oL \
    swift test --configuration release --skip-build --experimental-maximum-parallelization-width 4 > >(tee "$log") 2>&1 &
run=$!

end_late_run() {
    sleep "$seconds" &
    trap "kill $!; exit" TERM
    wait
    echo "The tests are not over after $seconds seconds." | tee -a "$log"
    for child in $(cat /proc/"$run"/task/*/children); do
        kill -ABRT "$child"
    done
    sleep 60
    kill -KILL "$run"
}
end_late_run &
bound=$!

wait "$run"
status=$?
kill "$bound" 2> /dev/null
if [ "$status" != 0 ]; then
    echo
    grep -A 4 'recorded an issue' "$log" | tail -n 100
    # What has started and not ended is named once.
    grep -oE '^(◇|✔|✘) Test "[^"]+"' "$log" | cut -d ' ' -f 2- | sort | uniq -c | awk '$1 % 2 { $1 = "did not end:"; print }'
fi
exit "$status"
