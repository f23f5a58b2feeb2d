#!/bin/bash
# start-postgres-standby.sh DIR PORT PRIMARY_PORT: starts an asynchronous standby in DIR of the server at PRIMARY_PORT, as
# start-postgres.sh starts a server. `SELECT pg_promote()` makes it a primary.
set -euo pipefail
D=$1; PORT=$2; PRIMARY=$3; B=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
as=(); [[ $(id -u) == 0 ]] && as=(runuser -u postgres --)
mkdir -p "$D"
[[ $(id -u) == 0 ]] && chown postgres "$D"
cd /
"${as[@]}" "$B/pg_basebackup" -h 127.0.0.1 -p "$PRIMARY" -U app -D "$D/data" --checkpoint=fast --write-recovery-conf \
    --no-sync > "$D/log" 2>&1 || { cat "$D/log" >&2; exit 1; }
exec bash "$(dirname "$0")/start-postgres.sh" "$D" "$PORT"
