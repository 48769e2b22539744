#!/bin/bash
# The health check of the image: exits with 0 when the service answers 200 on /health. Debian's bash connects by itself,
# so the check starts no second Node. Without an operations port it uses the port of the API.
port=${OPS_PORT:-9464}
if [ "$port" = 0 ]; then port=${PORT:-3000}; fi
exec 3<>"/dev/tcp/127.0.0.1/$port" || exit 1
printf 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
read -r -t 4 _ status _ <&3
[ "$status" = 200 ]
