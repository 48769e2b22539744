package events

import (
	"bufio"
	"net"
	"net/http"
	"strings"
	"time"
)

// RequestOptions of RecordRequests. The zero value is a good default.
type RequestOptions struct {
	// EventType is the type of the events. Default "http.request".
	EventType string
	// Route returns the pattern of the route of a request, or "". It is called when the response has ended. Default: the
	// pattern of http.ServeMux, which Go 1.23 and newer know.
	Route func(*http.Request) string
}

// RecordRequests sends an event for each request: method, endpoint, path, route, status_code and latency_ms. The
// endpoint is the route where it is known, so that ids in paths do not make endpoints of their own. The query is never
// sent. A handler that panics counts as 500.
func RecordRequests(sender *Sender, next http.Handler, options RequestOptions) http.Handler {
	if options.EventType == "" {
		options.EventType = "http.request"
	}
	if options.Route == nil {
		options.Route = routeOfMux
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		startedAt := time.Now()
		// A handler may change the path of the request.
		method, path := r.Method, r.URL.Path
		recorded := &recordedWriter{ResponseWriter: w}
		isDone := false
		defer func() {
			if !isDone && recorded.status == 0 {
				recorded.status = http.StatusInternalServerError
			}
			payload := map[string]any{
				"method":      method,
				"endpoint":    path,
				"path":        path,
				"status_code": recorded.statusCode(),
				"latency_ms":  time.Since(startedAt).Round(time.Millisecond).Milliseconds(),
			}
			if route := options.Route(r); route != "" {
				payload["endpoint"], payload["route"] = route, route
			}
			sender.Send(Event{Type: options.EventType, Payload: payload})
		}()
		next.ServeHTTP(recorded, r)
		isDone = true
	})
}

// pathOfPattern returns the path of a pattern of http.ServeMux, such as "GET example.com/orders/{id}".
func pathOfPattern(pattern string) string {
	if slash := strings.IndexByte(pattern, '/'); slash >= 0 {
		return pattern[slash:]
	}
	return ""
}

// recordedWriter keeps the status of a response.
type recordedWriter struct {
	http.ResponseWriter
	status int
}

func (w *recordedWriter) statusCode() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}

func (w *recordedWriter) WriteHeader(status int) {
	// Informational responses come before the response itself.
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recordedWriter) Write(body []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(body)
}

// Unwrap lets http.ResponseController find the writer of the server.
func (w *recordedWriter) Unwrap() http.ResponseWriter {
	return w.ResponseWriter
}

func (w *recordedWriter) Flush() {
	if flusher, ok := w.ResponseWriter.(http.Flusher); ok {
		flusher.Flush()
	}
}

func (w *recordedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	hijacker, ok := w.ResponseWriter.(http.Hijacker)
	if !ok {
		return nil, nil, http.ErrNotSupported
	}
	return hijacker.Hijack()
}
