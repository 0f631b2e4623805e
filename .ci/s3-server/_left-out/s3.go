// Package s3 has the types of requests and responses, which vendor.sh adds to this file. The imports are theirs.
package s3

import (
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/document"
	"github.com/aws/smithy-go/middleware"
)

type noSmithyDocumentSerde = document.NoSerde

// SelectObjectContentEventStream takes the place of a stream that no test asks for.
type SelectObjectContentEventStream struct{}

