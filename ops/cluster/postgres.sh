#!/bin/sh
# Starts one of two PostgreSQL servers, each other's standby. Runs before the entry point of the official image, as
# `postgres`. POSTGRES_PEER is the other server; the one with POSTGRES_FIRST=1 creates the database.
#
# A server starts as a copy of its peer if the peer is the primary and this server is not its standby yet: when it is
# empty, and when it was the primary before its peer was promoted. Nothing is lost: commits waited for the standby.
set -eu
export PGPASSWORD="$POSTGRES_PASSWORD" PGCONNECT_TIMEOUT=3

on_peer() {
  psql -h "$POSTGRES_PEER" -U "$POSTGRES_USER" -d postgres -Atqc "$1"
}

peer_is_primary() {
  [ "$(on_peer 'select pg_is_in_recovery()' 2>/dev/null)" = f ]
}

copy_peer() {
  echo "copying $POSTGRES_PEER"
  # Writes need not wait for a standby that is gone.
  on_peer 'alter system reset synchronous_standby_names' && on_peer 'select pg_reload_conf()' >/dev/null
  find "$PGDATA" -mindepth 1 -delete
  pg_basebackup -h "$POSTGRES_PEER" -U "$POSTGRES_USER" -D "$PGDATA" -R -X stream -c fast
}

# From now on, every commit of the primary waits until this server has it.
make_synchronous() {
  while [ -e "$PGDATA/standby.signal" ]; do
    if [ "$(on_peer "select count(*) from pg_stat_replication where state = 'streaming'" 2>/dev/null)" = 1 ]; then
      on_peer "alter system set synchronous_standby_names = '*'" && on_peer 'select pg_reload_conf()' >/dev/null && return
    fi
    sleep 1
  done
}

while ! [ -s "$PGDATA/PG_VERSION" ] || ! [ -e "$PGDATA/standby.signal" ]; do
  if peer_is_primary; then
    until copy_peer; do sleep 1; done
  elif [ -s "$PGDATA/PG_VERSION" ] || [ "${POSTGRES_FIRST:-0}" = 1 ]; then
    break
  else
    sleep 1
  fi
done

if [ -e "$PGDATA/standby.signal" ]; then make_synchronous & fi
exec docker-entrypoint.sh "$@"
