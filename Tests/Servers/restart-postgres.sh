#!/bin/bash
# restart-postgres.sh DIR [PORT]: ends the server that start-postgres.sh has started in DIR as a crash would (SIGQUIT: no checkpoint,
# and sessions cannot finish), waits AWAY seconds (1), and starts it again. It returns when it accepts connections.
set -euo pipefail
D=$1
PID=$(head -1 "$D/data/postmaster.pid")
kill -QUIT "$PID"
timeout 30 tail --pid="$PID" -f /dev/null
sleep "${AWAY:-1}"
exec bash "$(dirname "$0")/start-postgres.sh" "$@"
