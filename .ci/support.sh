# Sourced by `run`: runs named steps, prints how long each took, and prints a summary.

wanted=("$@")
failed=()
durations=()
logs=$(mktemp -d)

# Sets `processor_time` to the seconds that all steps so far have used: unlike their time, it does not depend on what else runs.
read_processor_time() {
    times >"$logs/times"  # a subshell would print its own
    processor_time=$(awk 'NR == 2 { gsub(/[ms]/, " "); print int($1 * 60 + $2 + $3 * 60 + $4) }' "$logs/times")
}

# step NAME LIMIT COMMAND…
step() {
    local name=$1 limit=$2 start=$SECONDS status=0 before
    read_processor_time
    before=$processor_time
    shift 2
    if ((${#wanted[@]})) && [[ " ${wanted[*]} " != *" $name "* ]]; then return; fi
    echo "== step $name: $*"
    # Not a pipe: a process that a step leaves behind must not keep the step from ending.
    timeout --kill-after=10s "$limit" "$@" </dev/null > >(tee "$logs/$name") 2>&1 || status=$?
    local seconds=$((SECONDS - start))
    read_processor_time
    local used=$((processor_time - before))
    if ((status == 0)); then
        echo "== step $name: ok after ${seconds} s, ${SECONDS} s since the start"
    else
        ((status == 124)) && echo "step $name took longer than $limit"
        echo "== step $name: FAILED (exit $status) after ${seconds} s"
        failed+=("$name")
    fi
    durations+=("$(printf '%6d s  %6d s of a processor  %-18s %s' "$seconds" "$used" "$name" "$( ((status)) && echo FAILED || echo ok)")")
}

# Prints the lines that explain a failure again: the output above may be long, and only its end may be kept.
reasons() {
    local name=$1
    echo "== why $name failed, in parts"
    grep -nE '✘|error:|FAILED|not so|exit code|Fatal|took longer' "$logs/$name" | head -n 15 | cut -c 1-400
    echo "…"
    tail -n 10 "$logs/$name" | cut -c 1-400
}

summary() {
    for name in "${failed[@]}"; do reasons "$name"; done
    echo "== all steps after ${SECONDS} s"
    printf '%s\n' "${durations[@]}"
    if ((${#durations[@]} == 0)); then
        echo "== no step is called ${wanted[*]}"
        exit 2
    fi
    if ((${#failed[@]})); then
        echo "== FAILED: ${failed[*]}"
        exit 1
    fi
    echo "== everything passed"
    exit 0
}
