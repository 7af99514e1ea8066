#!/bin/sh
# Prints the ISCC-CODE of a file. Usage: code.sh FILE
set -eu
# The header is for names of any characters; plain ones can be in the address: iscc?filename=photo.jpg
name=$(basename "$1" | tr -d '\n' | base64 | tr -d '\n')
result=$(curl --silent --show-error --fail-with-body --data-binary @"$1" -H "X-Upload-Filename: $name" \
  "${CODES_URL:-http://127.0.0.1:8000}/api/v1/iscc")
printf '%s\n' "$result" | sed -n 's/.*"iscc":"\([^"]*\)".*/\1/p'
