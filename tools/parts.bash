# shellcheck shell=bash
# What .ci/run and tools/night share: $tier is the name of the one, and each line of $table a part, its name and its command for bash.
# All that a part prints is in .build/parts/NAME.log; here it prints how it ended and how long it took,
# and if it failed all of that log.
# shellcheck disable=SC2154  # both are theirs
logs=.build/parts

names() { awk '{ print $1 }' <<<"$table"; }

begin_parts() {
    mkdir -p -- "$logs"
    : >"$logs/ended"
}

part() { # NAME
    local begin=$SECONDS result=passed status=0
    (eval "$(sed -n "s/^$1  *//p" <<<"$table")") >"$logs/$1.log" 2>&1 </dev/null || status=$?
    ((status == 0)) || result=FAILED
    echo "$1 $((SECONDS - begin)) $result" >>"$logs/ended"
    # Of the tests the lines of all suites, of others what they end with.
    if ((status)) || [[ $1 == test ]]; then cat -- "$logs/$1.log"; else tail -n 3 -- "$logs/$1.log"; fi
    echo "$tier: $1: $result, $((SECONDS - begin)) s"
    return "$status"
}

# All of them, whatever fails.
all_of() { # NAME...
    local status=0
    for name in "$@"; do part "$name" || status=1; done
    return "$status"
}

# The last lines: each part with its seconds, and those that failed.
sum_up() {
    local failed
    echo "$tier: $(awk '{ printf "%s%s %d s", (NR > 1 ? ", " : ""), $1, $2 }' "$logs/ended"); in all $SECONDS s"
    failed=$(awk '$3 == "FAILED" { print $1 }' "$logs/ended")
    if [[ $failed ]]; then echo "$tier: failed: ${failed//$'\n'/ }" >&2; fi
}
