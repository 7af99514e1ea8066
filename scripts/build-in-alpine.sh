#!/bin/sh
# Builds the addon for musl and tries its packages. Usage, in a container of the image rust:1.95-alpine with the checkout as
# its working folder: sh scripts/build-in-alpine.sh
set -eu
apk add --no-cache bash build-base cmake git linux-headers nasm nodejs npm perl util-linux-misc
# The checkout belongs to a user of the machine outside of the container.
git config --global --add safe.directory "$PWD"
npm run build
npm run release -- --dry-run
