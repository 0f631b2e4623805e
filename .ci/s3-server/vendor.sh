#!/usr/bin/env bash
# Fetches the sources of the S3 server without the clients of message queues, directories and statistics that it would only
# use with other settings: they are a quarter of what has to be compiled.
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
