//go:build go1.21

package events

import (
	"context"
	"log/slog"
)

const (
	maxMessageRunes = 2_000
	// levelCritical is one step of slog above slog.LevelError.
	levelCritical = slog.LevelError + 4
)

// SlogOptions of a SlogHandler. The zero value is a good default.
type SlogOptions struct {
	// EventType is the type of the events. Default "log".
	EventType string
	// Level is the lowest level that is sent. Default slog.LevelInfo.
	Level slog.Leveler
}

// SlogHandler sends records of log/slog as events with message (up to 2,000 characters), severity, the time of the
// record, and its attributes as payload. Records of slog.LevelError and above get the status "error" unless they have
// an attribute "status".
type SlogHandler struct {
	sender  *Sender
	options SlogOptions
	// scopes are the open groups, from the outside in, each with its attributes.
	scopes []scope
}

type scope struct {
	name  string
	attrs []slog.Attr
}

// NewSlogHandler returns a handler for slog.New.
func NewSlogHandler(sender *Sender, options SlogOptions) *SlogHandler {
	if options.EventType == "" {
		options.EventType = "log"
	}
	if options.Level == nil {
		options.Level = slog.LevelInfo
	}
	return &SlogHandler{sender: sender, options: options, scopes: []scope{{}}}
}

// Enabled implements slog.Handler.
func (h *SlogHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= h.options.Level.Level()
}

// Handle implements slog.Handler. It never fails: the sender reports losses.
func (h *SlogHandler) Handle(_ context.Context, record slog.Record) error {
	own := make([]slog.Attr, 0, record.NumAttrs())
	record.Attrs(func(attr slog.Attr) bool {
		own = append(own, attr)
		return true
	})
	// From the inside out, so that a group without attributes is left out.
	var payload map[string]any
	for at := len(h.scopes) - 1; at >= 0; at-- {
		members := map[string]any{}
		addAttrs(members, h.scopes[at].attrs)
		if at == len(h.scopes)-1 {
			addAttrs(members, own)
		} else if len(payload) > 0 {
			members[h.scopes[at+1].name] = payload
		}
		payload = members
	}
	event := Event{
		Type:     h.options.EventType,
		Time:     record.Time,
		Message:  cut(record.Message),
		Severity: severityOf(record.Level),
		Payload:  payload,
	}
	if _, hasStatus := payload["status"]; record.Level >= slog.LevelError && !hasStatus {
		event.Status = "error"
	}
	h.sender.Send(event)
	return nil
}

// WithAttrs implements slog.Handler.
func (h *SlogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(attrs) == 0 {
		return h
	}
	copied := *h
	copied.scopes = append([]scope(nil), h.scopes...)
	last := &copied.scopes[len(copied.scopes)-1]
	last.attrs = append(last.attrs[:len(last.attrs):len(last.attrs)], attrs...)
	return &copied
}

// WithGroup implements slog.Handler.
func (h *SlogHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	copied := *h
	copied.scopes = append(h.scopes[:len(h.scopes):len(h.scopes)], scope{name: name})
	return &copied
}

func addAttrs(members map[string]any, attrs []slog.Attr) {
	for _, attr := range attrs {
		value := attr.Value.Resolve()
		switch {
		case value.Kind() != slog.KindGroup:
			if attr.Key != "" || value.Any() != nil {
				members[attr.Key] = jsonValue(value)
			}
		case attr.Key == "":
			addAttrs(members, value.Group())
		case len(value.Group()) > 0:
			group := map[string]any{}
			addAttrs(group, value.Group())
			members[attr.Key] = group
		}
	}
}

// jsonValue writes errors and durations as text, as slog.TextHandler does.
func jsonValue(value slog.Value) any {
	if value.Kind() == slog.KindDuration {
		return value.Duration().String()
	}
	if err, isError := value.Any().(error); isError {
		return err.Error()
	}
	return value.Any()
}

func severityOf(level slog.Level) string {
	switch {
	case level >= levelCritical:
		return "critical"
	case level >= slog.LevelError:
		return "error"
	case level >= slog.LevelWarn:
		return "warning"
	}
	return "info"
}

func cut(message string) string {
	runes := 0
	for at := range message {
		if runes == maxMessageRunes {
			return message[:at]
		}
		runes++
	}
	return message
}
