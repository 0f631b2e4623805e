package s3event

import (
	"errors"
	"strconv"
	"sync/atomic"
)

var errLeftOut = errors.New("this build sends no events to message queues")

// InitKafkaEventService takes the place of a client of Kafka.
func InitKafkaEventService(_, _, _ string, _ EventFilter) (S3EventSender, error) {
	return nil, errLeftOut
}

// InitNatsEventService takes the place of a client of NATS.
func InitNatsEventService(_, _ string, _ EventFilter) (S3EventSender, error) {
	return nil, errLeftOut
}

// InitRabbitmqEventService takes the place of a client of RabbitMQ.
func InitRabbitmqEventService(_, _, _ string, _ EventFilter) (S3EventSender, error) {
	return nil, errLeftOut
}

var events atomic.Int64

// genSequencer numbers the events of this process, in hexadecimal digits.
func genSequencer() string {
	return strconv.FormatInt(events.Add(1), 16)
}
