# Sourced by `run`: runs named steps, prints how long each took, and prints a summary.

wanted=("$@")
failed=()
durations=()
logs=$(mktemp -d)

# step NAME LIMIT COMMAND…
step() {
    local name=$1 limit=$2 start=$SECONDS status=0
    shift 2
    if ((${#wanted[@]})) && [[ " ${wanted[*]} " != *" $name "* ]]; then return; fi
    echo "== step $name: $*"
    # Not a pipe: a process that a step leaves behind must not keep the step from ending.
    timeout --kill-after=10s "$limit" "$@" </dev/null > >(tee "$logs/$name") 2>&1 || status=$?
    local seconds=$((SECONDS - start))
    if ((status == 0)); then
        echo "== step $name: ok after ${seconds} s"
    else
        ((status == 124)) && echo "step $name took longer than $limit"
        echo "== step $name: FAILED (exit $status) after ${seconds} s"
        failed+=("$name")
    fi
    durations+=("$(printf '%6d s  %-18s %s' "$seconds" "$name" "$( ((status)) && echo FAILED || echo ok)")")
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
