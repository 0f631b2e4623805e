// An S3 server for the tests: the VersityGW gateway on a folder, without its other storage backends.
package main

import (
	"context"
	"log"
	"os"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

func main() {
	address, folder := os.Args[1], os.Args[2]
	storage, err := posix.New(folder, meta.XattrMeta{}, posix.PosixOpts{Concurrency: 64})
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(embedgw.RunVersityGW(context.Background(), storage, &embedgw.Config{
		RootUserAccess:    os.Getenv("ACCESS_KEY"),
		RootUserSecret:    os.Getenv("SECRET_KEY"),
		Region:            "us-east-1",
		Ports:             []string{address},
		MaxConnections:    1024,
		MultipartMaxParts: 10000,
		MaxRequests:       1024,
		KeepAlive:         true,
		Quiet:             true,
	}))
}
