#!/bin/sh
# Packs the npm packages into FOLDER. Usage, in a checkout: ops/image/build.sh FOLDER
set -eu
ISCCD_SETUP_APT=off exec node scripts/pack.mjs "$1"
