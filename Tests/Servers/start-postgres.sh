#!/bin/bash
# start-postgres.sh DIR [PORT]: starts PostgreSQL (Debian 'postgresql') on 127.0.0.1 with a fresh cluster in DIR, or with an
# existing one. Users: "app" without a password, and "guarded" with the password "right". It logs all statements with their
# parameters, writes DIR/pid and ends with `kill -KILL -- -PID`; by itself it ends after LIFETIME seconds (600).
# Root runs it as the user 'postgres', who must be able to reach DIR.
set -euo pipefail
D=$1; PORT=${2:-54329}; B=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
as=(); [[ $(id -u) == 0 ]] && as=(runuser -u postgres --)
cd /
if [[ ! -d $D/data ]]; then
    mkdir -p "$D"
    [[ $(id -u) == 0 ]] && chown postgres "$D"
    "${as[@]}" "$B/initdb" -D "$D/data" -A trust -U app --no-sync -E UTF8 --locale C > "$D/log" 2>&1
    printf 'host all guarded 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\nlocal all all trust\nhost replication all 127.0.0.1/32 trust\n' > "$D/data/pg_hba.conf"
fi
rm -f "$D/data/postmaster.pid"  # left by a server that was killed
# Its lifetime is limited, so that killed tests leave no server behind. It has its own process group. Inherited descriptors
# are closed: a parent may wait until no process holds the other end of a pipe or socket.
(
    for fd in /proc/"$BASHPID"/fd/*; do fd=${fd##*/}; ((fd <= 2)) || eval "exec $fd>&-"; done
    exec setsid timeout --signal=KILL "${LIFETIME:-600}" "${as[@]}" "$B/postgres" -D "$D/data" \
        -c listen_addresses=127.0.0.1 -c port="$PORT" -c unix_socket_directories="$D" -c fsync=off \
        -c log_statement=all -c log_parameter_max_length=-1 -c max_connections=200
) >> "$D/log" 2>&1 < /dev/null & echo $! > "$D/pid"
for _ in $(seq 2000); do
    "$B/pg_isready" -q -h 127.0.0.1 -p "$PORT" -U app && break
    kill -0 "$(cat "$D/pid")" || { cat "$D/log" >&2; exit 1; }
    sleep 0.05
done
[[ $("$B/psql" -qAt -h 127.0.0.1 -p "$PORT" -U app postgres -c "select count(*) from pg_roles where rolname = 'guarded'") == 1 ]] ||
    "$B/psql" -qAt -h 127.0.0.1 -p "$PORT" -U app postgres -c "create role guarded login password 'right'"
echo "postgres pid $(cat "$D/pid") postgresql://app@127.0.0.1:$PORT/postgres"
