#!/bin/bash
# start-apache-resource-server.sh DIR PORT ISSUER: starts Apache with mod_oauth2 on 127.0.0.1 as a resource server for the tokens
# of a running Glewlwyd: /bearer/ (RFC 6750), /dpop/ (RFC 9449) and /opaque/ (introspection by the client "web", of its own tokens).
# Each answers {"ok":true}. Writes DIR/pid. End it with `kill -KILL -- -PID`; it ends by itself after LIFETIME seconds (600).
# Needs: apache2-bin libapache2-mod-oauth2 curl. Runs as any user. For root the user www-data must be able to reach DIR.
set -euo pipefail
PATH=$PATH:/usr/sbin  # an ordinary user's lacks it
D=$1; PORT=$2; ISSUER=$3; B=http://127.0.0.1:$PORT
mkdir -p "$D"; rm -rf "$D/htdocs"
for p in bearer dpop opaque; do mkdir -p "$D/htdocs/$p"; echo '{"ok":true}' > "$D/htdocs/$p/index.json"; done
cat > "$D/apache.conf" <<C
ServerRoot /usr/lib/apache2
ServerName localhost
Listen 127.0.0.1:$PORT
DefaultRuntimeDir $D
PidFile $D/apache.pid
ErrorLog $D/error.log
LogLevel warn oauth2:${LOG:-warn}
$([ "$(id -u)" = 0 ] && printf 'User www-data\nGroup www-data')
LoadModule mpm_event_module modules/mod_mpm_event.so
LoadModule authn_core_module modules/mod_authn_core.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule authz_user_module modules/mod_authz_user.so
LoadModule dir_module modules/mod_dir.so
LoadModule oauth2_module modules/mod_oauth2.so
StartServers 1
DocumentRoot $D/htdocs
DirectoryIndex index.json
<Directory $D/htdocs>
 Require all granted
</Directory>
<Location /bearer>
 AuthType oauth2
 OAuth2TokenVerify jwks_uri $ISSUER/jwks
 OAuth2TargetPass prefix=
 Require oauth2_claim iss:$ISSUER
</Location>
# A proof may be a minute old, because the machine may be busy. This version accepts a second use of a jti and a wrong ath.
<Location /dpop>
 AuthType oauth2
 OAuth2AcceptTokenIn header name=Authorization&type=DPoP
 OAuth2TokenVerify jwks_uri $ISSUER/jwks type=dpop&dpop.iat.slack.before=60
 Require oauth2_claim iss:$ISSUER
</Location>
<Location /opaque>
 AuthType oauth2
 OAuth2TokenVerify introspect $ISSUER/introspect introspect.auth=client_secret_basic&client_id=web&client_secret=websecret
 Require valid-user
</Location>
C
# Its lifetime is limited, so that killed tests leave no server behind. It has its own process group, which its children
# share. Inherited descriptors are closed: a parent may wait until no process holds the other end of a pipe or socket.
(
    for fd in /proc/"$BASHPID"/fd/*; do fd=${fd##*/}; ((fd <= 2)) || eval "exec $fd>&-"; done
    exec setsid timeout --signal=KILL "${LIFETIME:-600}" apache2 -f "$D/apache.conf" -D FOREGROUND
) > "$D/log" 2>&1 < /dev/null & echo $! > "$D/pid"
for i in $(seq 2000); do
    answer=$(curl -s --max-time 5 -o /dev/null -w '%{http_code}' "$B/bearer/") || true
    [ "$answer" != 401 ] || { echo "apache pid $(cat "$D/pid") $B"; exit 0; }
    { [ "$answer" = 000 ] && kill -0 "$(cat "$D/pid")" 2>/dev/null; } || break
    sleep 0.05
done
echo "FAIL apache answers $answer:" >&2
tail -n 5 "$D/log" "$D/error.log" >&2 || true
exit 1
