#!/bin/sh
# What the entry point of the official PostgreSQL image does, as far as compose.cluster.yaml needs it: creates user and
# database in an empty folder, then runs the command. SOCKETS is the folder of its Unix socket.
set -eu
set -- "$@" -c "unix_socket_directories=$SOCKETS" -c fsync=off
if ! [ -s "$PGDATA/PG_VERSION" ]; then
  printf '%s\n' "$POSTGRES_PASSWORD" > "$SOCKETS/password"
  initdb -D "$PGDATA" -U "$POSTGRES_USER" --pwfile="$SOCKETS/password" -E UTF8 -N
  pg_ctl -D "$PGDATA" -w -o "-c listen_addresses= -c unix_socket_directories=$SOCKETS" start
  createdb -h "$SOCKETS" -U "$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl -D "$PGDATA" -w -m fast stop
fi
exec "$@"
