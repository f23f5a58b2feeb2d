# Sourced by `run`: runs named steps, prints how long each took, and prints a summary.

wanted=("$@")
logs=$(mktemp -d)
touch "$logs/durations" "$logs/failed"

# A run ends within 90 minutes, also on a machine that is slow or busy. What is left of them goes to the samples.
readonly longest=5150

# step NAME LIMIT COMMAND…: the run fails if it fails, or takes longer.
step() { run_step "$1" "$2" "$(seconds "$2")" "${@:3}"; }

# sample NAME LIMIT COMMAND…: the same, but it is left out if the run would take too long.
sample() {
    local remaining=$((longest - SECONDS)) limit
    limit=$(seconds "$2")
    ((limit > remaining)) && limit=$remaining
    run_step "$1" "$2" "$limit" "${@:3}"
}

seconds() { echo $((${1%m} * 60)); }

# run_step NAME LIMIT SECONDS COMMAND…: with fewer seconds than the limit says, it is not a failure if they do not suffice.
run_step() {
    local name=$1 limit=$2 most=$3 start=$SECONDS status=0 used=0 result=ok
    shift 3
    if ((${#wanted[@]})) && [[ " ${wanted[*]} " != *" $name "* ]]; then return; fi
    echo "== step $name: $*"
    if ((most < 60)); then
        status=124
    else
        # A process of its own, whose `times` are those of this step only.
        (
            # Not a pipe: a process that a step leaves behind must not keep the step from ending.
            timeout --kill-after=10s "$most" "$@" </dev/null > >(tee "$logs/$name") 2>&1
            status=$?
            times >"$logs/times.$name"
            exit "$status"
        ) || status=$?
        used=$(awk 'NR == 2 { gsub(/[ms]/, " "); print int($1 * 60 + $2 + $3 * 60 + $4) }' "$logs/times.$name")
    fi
    local seconds=$((SECONDS - start))
    if ((status == 124 && most < $(seconds "$limit"))); then
        result="left out: the machine is slow"
        echo "== step $name: $result, ${SECONDS} s since the start"
    elif ((status == 0)); then
        echo "== step $name: ok after ${seconds} s, ${SECONDS} s since the start"
    else
        ((status == 124)) && echo "step $name took longer than $limit"
        echo "== step $name: FAILED (exit $status) after ${seconds} s"
        echo "$name" >>"$logs/failed"
        result=FAILED
    fi
    printf '%6d s  %6d s of a processor  %-18s %s\n' "$seconds" "$used" "$name" "$result" >>"$logs/durations"
}

lanes=()

# beside FUNCTION: runs its steps beside those that follow, until `join`, which prints their output.
beside() {
    echo "== beside the next steps: $1"
    (
        TMPDIR=$(mktemp -d "$TMPDIR/beside.XXXX")
        chmod 711 "$TMPDIR"
        "$1"
    ) >"$logs/beside.$1" 2>&1 &
    lanes+=("$! $1")
}

join() {
    local lane
    for lane in "${lanes[@]}"; do
        # Its steps have noted their failures. A lane that aborts has skipped steps.
        wait "${lane% *}" || echo "beside.${lane#* }" >>"$logs/failed"
        cat "$logs/beside.${lane#* }"
    done
    lanes=()
}

# Prints the lines that explain a failure again: the output above may be long, and only its end may be kept.
reasons() {
    local name=$1 most=$((1600 / $2 / 200))
    ((most < 2)) && most=2
    echo "== why $name failed, in parts"
    # The lines after a failed test say what was found; its documentation comes after them.
    grep -E '✘|↳ [^/]|error:|FAILED|MISSED|SUMMARY: ThreadSanitizer|^Round|Error:|not so|exit code|Fatal|took longer' \
        "$logs/$name" | grep -vE '↳ (Testing Library|Target Platform)|✘ (Suite|Test run) ' |
        tail -n "$most" | cut -c 1-200
    tail -n 2 "$logs/$name" | cut -c 1-200
}

summary() {
    echo "== all steps after ${SECONDS} s"
    cat "$logs/durations"
    local name failed
    for name in "${wanted[@]}"; do
        awk -v name="$name" '$8 == name { found = 1 } END { exit !found }' "$logs/durations" && continue
        echo "== no step is called $name"
        exit 2
    done
    mapfile -t failed <"$logs/failed"
    if ((${#failed[@]})); then
        for name in "${failed[@]}"; do reasons "$name" ${#failed[@]}; done
        echo "== FAILED: ${failed[*]}"
        exit 1
    fi
    if grep -q "left out" "$logs/durations"; then echo "== passed, but for what was left out"; else echo "== everything passed"; fi
    exit 0
}
