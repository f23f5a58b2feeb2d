#!/bin/bash
# start-pgbouncer.sh DIR PORT SERVER_PORT: starts PgBouncer (Debian 'pgbouncer') on 127.0.0.1 in transaction mode, with two connections
# to each database of the PostgreSQL at SERVER_PORT. Every client has its user "app". It writes DIR/pid and DIR/log, and ends with
# `kill -KILL -- -PID`; by itself after LIFETIME seconds (600). Root runs it as the user 'postgres'.
set -euo pipefail
D=$1; PORT=$2; SERVER=$3
mkdir -p "$D"
cat > "$D/pgbouncer.ini" <<INI
[databases]
* = host=127.0.0.1 port=$SERVER user=app
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $PORT
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
logfile = $D/log
INI
as=(); [[ $(id -u) == 0 ]] && { as=(-u postgres); chown postgres "$D"; }
(
    for fd in /proc/"$BASHPID"/fd/*; do fd=${fd##*/}; ((fd <= 2)) || eval "exec $fd>&-"; done
    exec setsid timeout --signal=KILL "${LIFETIME:-600}" /usr/sbin/pgbouncer "${as[@]}" "$D/pgbouncer.ini"
) > "$D/output" 2>&1 < /dev/null & echo $! > "$D/pid"
B=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
for _ in $(seq 2000); do "$B/pg_isready" -q -h 127.0.0.1 -p "$PORT" && exit 0; sleep 0.05; done
cat "$D/output" "$D/log" >&2
exit 1
