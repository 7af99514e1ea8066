#!/bin/sh
# Installs the packages of FOLDER into the new folder TARGET, as a user does. Usage: install.sh FOLDER TARGET
set -eu
packages=$(cd "$1" && pwd)
scripts=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
cd "$2"
npm init --yes >/dev/null
# npm also installs optional packages that exist for this platform.
npm install --no-audit --no-fund --loglevel=error ${ISCCD_NPM_FLAGS:-} "$packages"/*.tgz
[ -n "${ISCCD_NPM_FLAGS:-}" ] || npm cache clean --force >/dev/null 2>&1
cp "$scripts/health.sh" health
