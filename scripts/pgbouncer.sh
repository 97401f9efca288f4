#!/usr/bin/env bash
# Prints the path of a PgBouncer that keeps prepared statements (1.21 or later). Where Debian's own is
# older, as in Debian 12, the next release's source is built, once: 20 s. Needs root for its packages,
# and fails where the mirror that this machine uses has no sources.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

built=$PWD/node_modules/.cache/pgbouncer/pgbouncer

main() {
  local program
  for program in /usr/sbin/pgbouncer "$built"; do
    if keeps_names "$program"; then
      echo "$program"
      return
    fi
  done
  build >&2
  echo "$built"
}

keeps_names() {
  local minor
  minor=$("$1" --version 2>/dev/null | sed -n 's/^PgBouncer 1\.\([0-9]*\).*/\1/p')
  ((${minor:-0} >= 21))
}

build() {
  local folder lists mirror
  folder=$(mktemp -d)
  lists=$folder/lists
  mkdir "$lists"
  mirror=$(apt-get indextargets --format '$(REPO_URI)' | awk '/\/debian\/$/ && !found++')
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$folder/trixie.list"
  local apt=(apt-get -qq -o "Dir::Etc::sourcelist=$folder/trixie.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$lists")
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    gcc make libc6-dev pkg-config libevent-dev libssl-dev dpkg-dev
  "${apt[@]}" update
  (
    cd "$folder"
    "${apt[@]}" source --download-only pgbouncer
    tar xzf pgbouncer_*.orig.tar.gz
    cd pgbouncer-*/
    ./configure --quiet
    make -j2 pgbouncer
  ) >"$folder/log" 2>&1 || { cat "$folder/log"; return 1; }
  mkdir -p "$(dirname "$built")"
  cp "$folder"/pgbouncer-*/pgbouncer "$built"
  rm -rf "$folder"
}

main
