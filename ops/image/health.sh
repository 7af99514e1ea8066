#!/bin/bash
# The image's health check: whether each service that `isccd serve` has started in the container is ready. The same answer as that
# of `isccd check health --started`, which starts Node.js each time: 0.3 s of a core.
set -u
shopt -s nullglob
folder=${TMPDIR:-/tmp}/isccd-$UID
services=0
failures=0

# Usage: status HOST PORT. Prints the status of /readyz.
status() {
  exec {socket}<>"/dev/tcp/$1/$2" || return
  printf 'GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&"$socket"
  IFS=' ' read -r -t 4 _ code _ <&"$socket"
  exec {socket}>&-
  printf '%s' "${code:-}"
}

for file in "$folder"/*.json; do
  pid=${file##*/}
  # A crash leaves its file.
  [ -d "/proc/${pid%.json}" ] || continue
  rest=$(<"$file")
  while [[ $rest =~ \{\"name\":\"([a-z]+)\"(,\"url\":\"http://(\[[0-9a-f:.]+\]|[^\":/]+):([0-9]+)\")?\} ]]; do
    rest=${rest#*"${BASH_REMATCH[0]}"}
    name=${BASH_REMATCH[1]} host=${BASH_REMATCH[3]} port=${BASH_REMATCH[4]}
    services=$((services + 1))
    if [ -z "$port" ]; then
      answer='is starting'
    else
      host=${host#[}
      answer=$(status "${host%]}" "$port" 2>/dev/null)
    fi
    if [ "$answer" = 200 ]; then
      echo "$name: healthy"
      continue
    fi
    failures=$((failures + 1))
    echo "$name: unhealthy: ${answer:-no response}"
  done
done
[ "$services" -gt 0 ] || echo "no service is running, as far as $folder says"
[ "$services" -gt 0 ] && [ "$failures" -eq 0 ]
