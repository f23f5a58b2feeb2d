#!/bin/bash
# start-nginx.sh DIR PORT REPLICA_PORT…: starts nginx (Debian 'nginx-light') on 127.0.0.1, which passes requests to the replicas in turn,
# and those of an unavailable replica to another. Its answers name the replica in `X-Replica`. It writes DIR/pid and DIR/log, and ends with
# `kill -KILL -- -PID`; by itself after LIFETIME seconds (600).
set -euo pipefail
D=$1; PORT=$2; shift 2
mkdir -p "$D"
cat > "$D/nginx.conf" <<CONF
daemon off;
pid $D/nginx.pid;
error_log $D/log;
worker_processes 1;
events {}
http {
    access_log off;
    client_body_temp_path $D/body;
    proxy_temp_path $D/proxy;
    fastcgi_temp_path $D/fastcgi;
    uwsgi_temp_path $D/uwsgi;
    scgi_temp_path $D/scgi;
    upstream replicas {
$(for replica; do echo "        server 127.0.0.1:$replica max_fails=1 fail_timeout=1s;"; done)
    }
    server {
        listen 127.0.0.1:$PORT;
        location / {
            proxy_pass http://replicas;
            # The site refuses requests for another host, and uses this host in its redirect URI.
            proxy_set_header Host \$http_host;
            add_header X-Replica \$upstream_addr always;
        }
    }
}
CONF
as=(); [[ $(id -u) == 0 ]] && as=(-g 'user root;')
(
    for fd in /proc/"$BASHPID"/fd/*; do fd=${fd##*/}; ((fd <= 2)) || eval "exec $fd>&-"; done
    exec setsid timeout --signal=KILL "${LIFETIME:-600}" /usr/sbin/nginx "${as[@]}" -e "$D/log" -c "$D/nginx.conf"
) > "$D/output" 2>&1 < /dev/null & echo $! > "$D/pid"
for _ in $(seq 2000); do (: < "/dev/tcp/127.0.0.1/$PORT") 2> /dev/null && exit 0; sleep 0.05; done
cat "$D/output" "$D/log" >&2
exit 1
