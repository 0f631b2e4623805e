// An S3 server for the tests: the VersityGW gateway on a folder, without its other storage backends and without the clients
// that vendor.sh leaves out.
package main

import (
	"log"
	"os"

	"github.com/versity/versitygw/auth"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/s3api"
	"github.com/versity/versitygw/s3api/middlewares"
)

func main() {
	address, folder := os.Args[1], os.Args[2]
	access, secret := os.Getenv("ACCESS_KEY"), os.Getenv("SECRET_KEY")
	storage, err := posix.New(folder, meta.XattrMeta{}, posix.PosixOpts{Concurrency: 64})
	if err != nil {
		log.Fatal(err)
	}
	accounts := auth.NewIAMServiceSingle(auth.Account{Access: access, Secret: secret, Role: auth.RoleAdmin})
	server, err := s3api.New(
		storage,
		middlewares.RootUserConfig{Access: access, Secret: secret},
		"us-east-1",
		accounts,
		nil, // no log of requests
		nil, // no log of administration
		nil, // no events
		nil, // no statistics
		s3api.WithConcurrencyLimiter(1024, 1024),
		s3api.WithMpMaxParts(10000),
		s3api.WithKeepAlive(),
		s3api.WithQuiet(),
	)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(server.ServeMultiPort([]string{address}))
}
