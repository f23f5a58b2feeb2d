#!/bin/bash
# start-glewlwyd.sh DIR [PORT]: starts Glewlwyd (Debian 'glewlwyd') on 127.0.0.1 with a fresh SQLite database in DIR,
# an OIDC plugin "oidc" (code+PKCE, client_credentials, refresh one-use, device, revoke/introspect, PAR, DPoP, registration),
# scope "read"/"write", user alice/alicepass, public client "native", confidential "web"/"websecret", machine "m2m"/"m2msecret",
# and writes DIR/pid, DIR/issuer. End it with `kill -KILL -- -PID`; it ends by itself after LIFETIME seconds (600). Needs: glewlwyd sqlite3 curl openssl python3 (python only to JSON-encode).
set -euo pipefail
D=$1; PORT=${2:-4593}; B=http://localhost:$PORT
mkdir -p "$D"; rm -rf "$D/db.sqlite" "$D/cookies" "$D/webapp"
cp -rL /usr/share/glewlwyd/webapp "$D/"; rm -rf "$D/webapp/config.json"; cp /usr/share/glewlwyd/templates/config.json "$D/webapp/config.json"  # the packaged files are symlinks, which the static file server refuses
sqlite3 "$D/db.sqlite" < /usr/share/dbconfig-common/data/glewlwyd/install/sqlite3
sed -e "s#^port=.*#port=$PORT#" -e 's/^#\(bind_address\)/\1/' -e "s#^external_url=.*#external_url=\"$B\"#" \
    -e 's#^\# *static_files_path=.*#static_files_path="'"$D"'/webapp/"#' \
    -e "s#^log_mode=.*#log_mode=\"console\"#" -e "s#^log_level=.*#log_level=\"${LOG:-INFO}\"#" \
    -e 's#^@include .*#database = { type = "sqlite3"  path = "'"$D"'/db.sqlite" };#' /etc/glewlwyd/glewlwyd.conf > "$D/glewlwyd.conf"
# Its lifetime is limited, so that killed tests leave no server behind. It has its own process group. Inherited descriptors
# are closed: a parent may wait until no process holds the other end of a pipe or socket.
(
    for fd in /proc/"$BASHPID"/fd/*; do fd=${fd##*/}; ((fd <= 2)) || eval "exec $fd>&-"; done
    exec setsid timeout --signal=KILL "${LIFETIME:-600}" glewlwyd -c "$D/glewlwyd.conf"
) > "$D/log" 2>&1 < /dev/null & echo $! > "$D/pid"
for i in $(seq 2000); do curl -sf --max-time 5 -o /dev/null "$B/config" && break; sleep 0.05; done
c() { curl -sS --max-time 20 -b "$D/cookies" -c "$D/cookies" -H 'Content-Type: application/json' -w '%{http_code}\n' "$@"; }
ok() { [ "${!#}" ]; local r; r=$(c "${@:2}"); [ "${r##*$'\n'}" = 200 ] || { echo "FAIL $1: $r" >&2; exit 1; }; }
ok login -X POST "$B/api/auth" -d '{"username":"admin","password":"password"}'
for s in read write offline_access; do ok scope-$s -X POST "$B/api/scope" -d "{\"name\":\"$s\",\"display_name\":\"$s\",\"password_required\":true,\"password_max_age\":0,\"scheme\":{}}"; done
# Glewlwyd cuts a zero byte at the start of a coordinate off its JWKS (RFC 7518, section 6.2.1.2, wants all 32 bytes), and a strict
# verifier refuses every token of such a key, one key in 128. Another one is made then.
while
    openssl ecparam -genkey -name prime256v1 -noout -out "$D/ec.key" 2>/dev/null; openssl ec -in "$D/ec.key" -pubout -out "$D/ec.pub" 2>/dev/null
    point=$(openssl ec -pubin -in "$D/ec.pub" -outform DER 2>/dev/null | tail -c 64 | od -An -v -tx1 | tr -d ' \n')
    [[ $point = 00* || ${point:64} = 00* ]]
do :; done
python3 - "$D" "$B" > "$D/plugin.json" <<'P'
import json,os,sys
d,b=sys.argv[1:]
print(json.dumps({"module":"oidc","name":"oidc","display_name":"oidc","enabled":True,"parameters":{
 "iss":b+"/api/oidc","jwt-type":"ecdsa","jwt-key-size":"256","key":open(d+"/ec.key").read(),"cert":open(d+"/ec.pub").read(),
 "access-token-duration":int(os.environ.get("ACCESS_SECONDS","3600")),"refresh-token-duration":1209600,"code-duration":600,"refresh-token-rolling":True,
 "refresh-token-one-use":"always","allow-non-oidc":True,
 "auth-type-code-enabled":True,"auth-type-code-revoke-replayed":True,"auth-type-token-enabled":False,"auth-type-implicit-enabled":False,
 "auth-type-password-enabled":False,"auth-type-client-enabled":True,"auth-type-device-enabled":True,"auth-type-refresh-enabled":True,
 "jwks-show":True,"pkce-allowed":True,"pkce-method-plain-allowed":False,"pkce-required":False,"pkce-required-public-client":True,
 "introspection-revocation-allowed":True,"introspection-revocation-allow-target-client":True,
 "register-client-allowed":True,"register-client-auth-scope":[],"register-client-credentials-scope":["read"],"register-client-management-allowed":True,
 "device-authorization-expiration":600,"device-authorization-interval":2,
 "oauth-dpop-allowed":True,"oauth-dpop-iat-duration":60,"oauth-dpop-iat-gap-duration":5,"oauth-dpop-nonce-counter":3,"oauth-dpop-nonce-mandatory":bool(os.environ.get("DPOP_NONCE")),
 "oauth-par-allowed":True,"oauth-par-required":False,"oauth-par-request_uri-prefix":"urn:ietf:params:oauth:request_uri:","oauth-par-duration":90,
 "resource-allowed":False,"session-management-allowed":False,"subject-type":"public","oauth-as-iss-id":True}}))
P
ok plugin -X POST "$B/api/mod/plugin" -d @"$D/plugin.json"
ok user -X POST "$B/api/user" -d '{"username":"alice","password":"alicepass","name":"Alice","email":"alice@example.com","enabled":true,"scope":["openid","read","write","offline_access","g_profile"]}'
ok native -X POST "$B/api/client" -d '{"client_id":"native","name":"native app","enabled":true,"confidential":false,"redirect_uri":["http://127.0.0.1:8400/cb","com.example.app:/cb"],"authorization_type":["code","refresh_token","device_authorization"],"token_endpoint_auth_method":["none"]}'
ok web -X POST "$B/api/client" -d '{"client_id":"web","client_secret":"websecret","name":"web app","enabled":true,"confidential":true,"redirect_uri":["http://127.0.0.1:8400/cb"],"authorization_type":["code","refresh_token","device_authorization"],"token_endpoint_auth_method":["client_secret_basic","client_secret_post"]}'
ok m2m -X POST "$B/api/client" -d '{"client_id":"m2m","client_secret":"m2msecret","name":"m2m","enabled":true,"confidential":true,"scope":["read"],"redirect_uri":[],"authorization_type":["client_credentials"],"token_endpoint_auth_method":["client_secret_basic","client_secret_post"]}'
echo "$B/api/oidc" > "$D/issuer"; echo "glewlwyd pid $(cat "$D/pid") issuer $(cat "$D/issuer")"
