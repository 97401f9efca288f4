#!/usr/bin/env bash
# Generates clients from the document of a running service with the generators that people use, compiles
# each, and makes the same few calls with it. Needs curl, Java 17 with Maven, Go, Python 3 and npm; takes
# some minutes. `scripts/clients/run.sh go java` runs only some of them.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
all=(python go java oapi-codegen openapi-python-client hey-api)
export OUTRIDER_URL="http://127.0.0.1:${PORT:-3999}"

main() {
  trap clean_up EXIT
  start_service
  local failed=()
  for client in "${@:-${all[@]}}"; do
    echo "== $client"
    mkdir "$work/$client"
    # In a shell of its own, where the first command that fails ends it.
    if (cd "$work/$client" && bash -euo pipefail -c "source '$here/generators.sh'; client-$client") \
      >"$work/$client.log" 2>&1; then
      grep 'as expected' "$work/$client.log"
    else
      grep -vE '^\s+at |INFO|download' "$work/$client.log" | tail -n 40 ||
      tail -n 30 "$work/$client.log"
      failed+=("$client")
    fi
  done
  [[ ${#failed[@]} -eq 0 ]] || { echo "failed: ${failed[*]}"; exit 1; }
}

start_service() {
  export DATA_DIR="$work/data" PORT="${PORT:-3999}"
  mkdir "$DATA_DIR"
  (cd "$root" && exec npm start >"$work/service.log" 2>&1) &
  service=$!
  curl --silent --fail --retry 120 --retry-delay 1 --retry-all-errors "$OUTRIDER_URL/ready" >/dev/null ||
    { cat "$work/service.log"; exit 1; }
  OUTRIDER_KEY=$(cd "$root" && npx outrider keys create --name clients --scopes 'all:*' --json |
    node -p 'JSON.parse(fs.readFileSync(0)).key')
  export OUTRIDER_KEY CLIENTS="$here" DOCUMENT="$work/openapi.json"
  # As of another installation: a client has to go where it is told.
  curl --silent --fail "$OUTRIDER_URL/openapi.json" |
    sed "s#$OUTRIDER_URL#https://other.example.com#g" >"$DOCUMENT"
}

clean_up() {
  kill "${service:-}" 2>/dev/null && wait "$service" || true
  rm -rf "$work"
}

main "$@"
