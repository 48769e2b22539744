package events

import "time"

// Event is an event as POST /v1/events/ingest accepts it. Empty members are left out.
type Event struct {
	// Type says what happened, such as "order.paid".
	Type string
	// Source says where. Default: the source of the sender.
	Source string
	// Time says when. Default: the time of Send.
	Time        time.Time
	Message     string
	Severity    string
	Status      string
	Environment string
	// ID is the event's own id (event_id).
	ID string
	// Payload is a map, or a struct that JSON writes as an object.
	Payload any
	// Fields are further members of the event. A nil value leaves a member out.
	Fields map[string]any
}

// LossReason says why events will never be stored.
type LossReason string

const (
	// Full: the queue had no room, because the service is away or slower than the program.
	Full LossReason = "full"
	// Unserializable: the event cannot be written as JSON.
	Unserializable LossReason = "unserializable"
	// Refused: the service has refused the event and would refuse it again.
	Refused LossReason = "refused"
	// Closed: the sender was closed before the event was stored.
	Closed LossReason = "closed"
)

// Loss describes events that will never be stored.
type Loss struct {
	Reason LossReason
	// Events is how many events are lost.
	Events int
	// Status is the status of the response where the service refused the events, else 0.
	Status int
	// Detail is the detail of the response, or of the first refused line, as JSON decodes it. Of a redirect, its target.
	Detail any
}
