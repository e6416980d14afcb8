#!/usr/bin/env bash
# Builds Citus from its sources beside the PostgreSQL of this machine, and runs a small cluster of it: a coordinator and two workers.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: citus.sh <command>

  build <source> <prefix>   builds Citus from a folder of its sources (or a git folder of them, at CITUS_TAG) into <prefix>,
                            with a copy of the server that it belongs to. The PostgreSQL of the machine stays as it is.
  start <prefix> <data>     starts a coordinator and two workers, or those that do not run, and prints their URLs.
                            It creates them first if <data> has none.
  stop <data>               stops them.

Settings, from the environment:
  CITUS_TAG     the version to build from a git folder (v13.2.2)
  CITUS_PORT    the port of the coordinator (19070); the workers have the next two
  PG_CONFIG     the pg_config of the server to build for (that of PostgreSQL 15 in Debian's folder)

A build needs the headers of the server, its libraries' (curl, lz4, zstd, ssl, krb5, selinux, xml2, xslt, pam, readline, zlib), flex, bison, autoconf,
make and gcc.
TEXT
}

pg_config=${PG_CONFIG:-/usr/lib/postgresql/15/bin/pg_config}
# Below the ports that Linux gives to clients: one of these could be in use.
port=${CITUS_PORT:-19070}
names=(coordinator worker-1 worker-2)

# PostgreSQL refuses to run as root.
unprivileged() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --clear-groups env -C / HOME=/tmp "$@"; else "$@"; fi
}

# A copy of the server's folders is a whole server, since it finds its files relative to its own binary.
build() {
  local source=$1 prefix=$2 work
  work=$(mktemp -d)
  trap "rm -rf '$work'" EXIT
  if git --git-dir="$source" rev-parse --is-bare-repository >/dev/null 2>&1; then
    git --git-dir="$source" archive "${CITUS_TAG:-v13.2.2}" | tar -x -C "$work"
  else
    cp -a "$source/." "$work"
  fi
  (
    cd "$work"
    # Citus 13.2.2 has a static function that later releases of PostgreSQL 15 declare themselves.
    if grep -q 'bool have_createdb_privilege' "$("$pg_config" --includedir-server)/commands/dbcommands.h"; then
      sed -i 's/^have_createdb_privilege(void)$/citus_have_createdb_privilege(void)/' src/include/pg_version_compat.h
    fi
    # Bitcode would need the clang that Debian's server was built with.
    ./configure PG_CONFIG="$pg_config" --quiet >build.log 2>&1 &&
      make -s -j"$(nproc)" with_llvm=no extension >>build.log 2>&1 &&
      rm -rf "$prefix" && mkdir -p "$prefix" &&
      make -s with_llvm=no install-extension DESTDIR="$prefix" >>build.log 2>&1
  ) || { tail -40 "$work/build.log" >&2; return 1; }
  local folder
  for folder in "$("$pg_config" --bindir)" "$("$pg_config" --pkglibdir)" "$("$pg_config" --sharedir)"; do
    mkdir -p "$prefix$folder" && cp -an "$folder/." "$prefix$folder/"
  done
  "$prefix$("$pg_config" --bindir)/postgres" --version
}

create() {
  local bin=$1 folder=$2
  mkdir -p "$folder"
  [ "$(id -u)" != 0 ] || chown postgres:postgres "$folder"
  unprivileged "$bin/initdb" -D "$folder" -U muster -A trust -E UTF8 --locale=C.UTF-8 -N >/dev/null
  cat >>"$folder/postgresql.conf" <<'CONF'
shared_preload_libraries = 'citus'
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
timezone = 'UTC'
max_connections = 400
max_prepared_transactions = 400
max_locks_per_transaction = 512
max_worker_processes = 400
wal_level = logical
shared_buffers = 128MB
# Nothing here has to survive a crash of the machine.
fsync = off
full_page_writes = off
log_min_messages = warning
citus.node_conninfo = 'sslmode=prefer'
# Two shards on each worker: tests create many databases.
citus.shard_count = 4
citus.enable_statistics_collection = off
CONF
}

start() {
  local bin data=$2 place folder
  bin=$(cd "$1" && pwd)$("$pg_config" --bindir)
  mkdir -p "$data"
  data=$(cd "$data" && pwd)
  echo "$bin" >"$data/bin"
  for place in "${!names[@]}"; do
    folder=$data/${names[$place]}
    [ -e "$folder/PG_VERSION" ] || create "$bin" "$folder"
    ! unprivileged "$bin/pg_ctl" -D "$folder" status >/dev/null || continue
    unprivileged "$bin/pg_ctl" -D "$folder" -w -t 60 -o "-p $((port + place))" -l "$folder/server.log" start >/dev/null ||
      { tail -5 "$folder/server.log" >&2; return 1; }
  done
  echo "CITUS_URL=postgres://muster@127.0.0.1:$port/postgres"
  echo "CITUS_WORKERS=127.0.0.1:$((port + 1)),127.0.0.1:$((port + 2))"
}

stop() {
  local bin name
  bin=$(cat "$1/bin")
  for name in "${names[@]}"; do unprivileged "$bin/pg_ctl" -D "$1/$name" -m fast -w stop >/dev/null || true; done
}

case "${1:-} $#" in
  'build 3') build "$2" "$3" ;;
  'start 3') start "$2" "$3" ;;
  'stop 2') stop "$2" ;;
  '--help 1' | '-h 1') usage ;;
  *) usage >&2; exit 2 ;;
esac
