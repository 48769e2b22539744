#!/bin/sh
# The command "oes" of the image.
exec node /app/dist/src/cli.js "$@"
