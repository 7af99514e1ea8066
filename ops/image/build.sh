#!/bin/sh
# Builds the packages that would be published into FOLDER. Usage, in a checkout: ops/image/build.sh FOLDER
set -eu
ISCCD_SETUP_APT=off exec node scripts/pack.mjs "$1"
