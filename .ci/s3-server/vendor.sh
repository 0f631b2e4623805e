#!/usr/bin/env bash
# Fetches the sources of the S3 server without clients that it would only use with other settings: those of directories,
# message queues, statistics and other S3 servers. Compiling it takes about half the CPU without them, and without the
# gateway's command line. What is in _left-out/ takes their place. Its functions only fail.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

rm -rf vendor
go mod vendor
gateway=vendor/github.com/versity/versitygw
rm "$gateway"/auth/iam_{ldap,s3_object,standalone,vault}.go
rm "$gateway"/metrics/{dogstats,statsd}.go
rm "$gateway"/s3event/{kafka,nats,rabbitmq}.go
for package in auth metrics s3event; do
  cp "_left-out/$package.go" "$gateway/$package/left_out.go"
done

# Of the client of S3, the gateway uses only the types of requests and responses.
client=vendor/github.com/aws/aws-sdk-go-v2/service/s3
types=$(sed -n '/^type [A-Za-z0-9]*\(Input\|Output\) struct {$/,/^}$/p' "$client"/api_op_*.go)
rm "$client"/*.go
{ cat _left-out/s3.go && echo "$types"; } >"$client/types.go"
