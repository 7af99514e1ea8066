#!/bin/sh
# Starts a container of an image as a user does, and makes the code of a photo. Usage: try-image.sh IMAGE
set -eu
photo=$(dirname "$0")/../test/fixtures/codes/files/photo-q85_a.jpg
container=$(docker run --detach --publish 127.0.0.1::8000 "$1")
trap 'docker logs "$container"; docker rm --force "$container" >/dev/null' EXIT
address=http://$(docker port "$container" 8000/tcp | head -n 1)
for _ in $(seq 60); do
  curl --fail --silent "$address/healthz" >/dev/null && break
  sleep 1
done
code=$(curl --fail --silent --show-error --data-binary @"$photo" "$address/api/v1/iscc?filename=photo.jpg")
echo "$code"
printf '%s' "$code" | grep -q '"iscc":"ISCC:KE'
