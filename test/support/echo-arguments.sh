#!/bin/sh
printf '%s|' "$@"
