package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"time"
)

// maxCopyDepth limits the copy that replaces numbers. The service accepts less depth.
const maxCopyDepth = 200

// escapes matches whole escapes, so that a backslash of the text is not taken for the start of one.
var escapes = regexp.MustCompile(`\\(?:u0000|.)`)

var nulEscape = []byte(`\u0000`)

var errTooDeep = errors.New("events: the payload is nested too deeply")

// lineOf returns the event as one line of JSON. NaN and infinities in maps, slices and pointers become null. The
// database stores neither NUL nor invalid UTF-8, so U+FFFD replaces them.
func lineOf(event Event, source string) (line []byte, err error) {
	// A marshaler of the program may panic.
	defer func() {
		if cause := recover(); cause != nil {
			line, err = nil, fmt.Errorf("events: %v", cause)
		}
	}()
	members := membersOf(event, source)
	line, err = marshal(members)
	var unsupported *json.UnsupportedValueError
	if errors.As(err, &unsupported) {
		var copied any
		if copied, err = withoutNaN(reflect.ValueOf(members), 0); err == nil {
			line, err = marshal(copied)
		}
	}
	if bytes.Contains(line, nulEscape) {
		line = escapes.ReplaceAllFunc(line, func(escape []byte) []byte {
			if bytes.Equal(escape, nulEscape) {
				return []byte("\ufffd")
			}
			return escape
		})
	}
	return line, err
}

func membersOf(event Event, source string) map[string]any {
	members := make(map[string]any, len(event.Fields)+9)
	for name, value := range event.Fields {
		if !isAbsent(value) {
			members[name] = value
		}
	}
	if event.Source == "" {
		event.Source = source
	}
	if event.Time.IsZero() {
		event.Time = time.Now()
	}
	for name, text := range map[string]string{
		"source": event.Source, "message": event.Message, "severity": event.Severity, "status": event.Status,
		"environment": event.Environment, "event_id": event.ID,
	} {
		if text != "" {
			members[name] = text
		}
	}
	if !isAbsent(event.Payload) {
		members["payload"] = event.Payload
	}
	members["event_type"] = event.Type
	members["timestamp"] = event.Time.UTC().Format("2006-01-02T15:04:05.000000Z")
	return members
}

// isAbsent reports whether JSON would write null, which the service refuses as a member of an event.
func isAbsent(value any) bool {
	if value == nil {
		return true
	}
	switch of := reflect.ValueOf(value); of.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		return of.IsNil()
	case reflect.Float32, reflect.Float64:
		return isNotFinite(of.Float())
	}
	return false
}

func marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// withoutNaN copies maps, slices and pointers. Structs and marshalers stay as they are.
func withoutNaN(value reflect.Value, depth int) (any, error) {
	if depth > maxCopyDepth {
		return nil, errTooDeep
	}
	if !value.IsValid() {
		return nil, nil
	}
	if _, isMarshaler := value.Interface().(json.Marshaler); isMarshaler {
		return value.Interface(), nil
	}
	switch value.Kind() {
	case reflect.Float32, reflect.Float64:
		if isNotFinite(value.Float()) {
			return nil, nil
		}
	case reflect.Interface, reflect.Pointer:
		return withoutNaN(value.Elem(), depth+1)
	case reflect.Map:
		if value.Type().Key().Kind() == reflect.String && !value.IsNil() {
			return copyOfMap(value, depth)
		}
	case reflect.Slice, reflect.Array:
		// JSON writes bytes as base64.
		if value.Type().Elem().Kind() != reflect.Uint8 {
			return copyOfSlice(value, depth)
		}
	}
	return value.Interface(), nil
}

func copyOfMap(value reflect.Value, depth int) (any, error) {
	copied := make(map[string]any, value.Len())
	for entries := value.MapRange(); entries.Next(); {
		member, err := withoutNaN(entries.Value(), depth+1)
		if err != nil {
			return nil, err
		}
		copied[entries.Key().String()] = member
	}
	return copied, nil
}

func copyOfSlice(value reflect.Value, depth int) (any, error) {
	copied := make([]any, value.Len())
	for at := range copied {
		element, err := withoutNaN(value.Index(at), depth+1)
		if err != nil {
			return nil, err
		}
		copied[at] = element
	}
	return copied, nil
}

func isNotFinite(number float64) bool {
	return math.IsNaN(number) || math.IsInf(number, 0)
}
