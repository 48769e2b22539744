// The Go sender as a program for tests, with the commands of sender.mjs and those of sender-programs.ts.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"time"

	events "example.com/operational-events"
)

type options struct {
	URL            string `json:"url"`
	APIKey         string `json:"apiKey"`
	Source         string `json:"source"`
	MaxBatchEvents int    `json:"maxBatchEvents"`
	MaxBatchBytes  int    `json:"maxBatchBytes"`
	MaxQueuedBytes int    `json:"maxQueuedBytes"`
	MaxWaitMs      int    `json:"maxWaitMs"`
	TimeoutMs      int    `json:"timeoutMs"`
}

type command struct {
	Do        string           `json:"do"`
	Events    []map[string]any `json:"events"`
	Value     string           `json:"value"`
	TimeoutMs int              `json:"timeoutMs"`
}

type loss struct {
	Reason string `json:"reason"`
	Events int    `json:"events"`
	Status int    `json:"status,omitempty"`
	Detail any    `json:"detail,omitempty"`
}

var (
	mutex  sync.Mutex
	losses = []loss{}
)

func main() {
	var given options
	must(json.Unmarshal([]byte(os.Args[1]), &given))
	sender, err := events.NewSender(events.Options{
		URL:            given.URL,
		APIKey:         given.APIKey,
		Source:         given.Source,
		MaxBatchEvents: given.MaxBatchEvents,
		MaxBatchBytes:  given.MaxBatchBytes,
		MaxQueuedBytes: given.MaxQueuedBytes,
		MaxWait:        time.Duration(given.MaxWaitMs) * time.Millisecond,
		Timeout:        time.Duration(given.TimeoutMs) * time.Millisecond,
		OnLoss: func(lost events.Loss) {
			mutex.Lock()
			defer mutex.Unlock()
			losses = append(losses, loss{string(lost.Reason), lost.Events, lost.Status, lost.Detail})
		},
	})
	must(err)
	defer within(5_000, sender.Close)

	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var next command
		must(json.Unmarshal(lines.Bytes(), &next))
		isDone := run(sender, next)
		mutex.Lock()
		must(answers.Encode(map[string]any{"pending": sender.Pending(), "losses": losses, "isDone": isDone}))
		mutex.Unlock()
	}
}

func run(sender *events.Sender, next command) any {
	switch next.Do {
	case "send":
		for _, members := range next.Events {
			sender.Send(eventOf(members))
		}
	case "send value":
		sender.Send(events.Event{Type: "order.paid", Payload: map[string]any{"n": 0, "value": value(next.Value)}})
	case "flush":
		return within(next.TimeoutMs, sender.Flush)
	case "close":
		return within(next.TimeoutMs, sender.Close)
	case "http":
		serve(sender)
	}
	return nil
}

func eventOf(members map[string]any) events.Event {
	event := events.Event{Fields: map[string]any{}}
	for name, member := range members {
		text, _ := member.(string)
		switch name {
		case "event_type":
			event.Type = text
		case "source":
			event.Source = text
		case "payload":
			event.Payload = member
		default:
			event.Fields[name] = member
		}
	}
	return event
}

func value(name string) any {
	switch name {
	case "circle":
		circle := []any{nil}
		circle[0] = circle
		return circle
	case "unknown":
		return make(chan int)
	case "not finite":
		return []any{math.NaN(), math.Inf(1), 1}
	}
	return "a\xffb\x00c\\u0000"
}

func serve(sender *events.Sender) {
	shop := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/shop/orders/17":
			w.WriteHeader(http.StatusCreated)
		case "/broken":
			panic(http.ErrAbortHandler)
		default:
			http.NotFound(w, r)
		}
	})
	route := func(r *http.Request) string {
		if strings.HasPrefix(r.URL.Path, "/shop/orders/") {
			return "/shop/orders/{id}"
		}
		return ""
	}
	server := httptest.NewServer(events.RecordRequests(sender, shop, events.RequestOptions{Route: route}))
	defer server.Close()
	for _, next := range [][2]string{{"GET", "/shop/orders/17"}, {"POST", "/nowhere"}, {"GET", "/broken"}} {
		request, err := http.NewRequest(next[0], server.URL+next[1]+"?token=secret", nil)
		must(err)
		if response, err := http.DefaultClient.Do(request); err == nil {
			response.Body.Close()
		}
	}
}

func within(milliseconds int, wait func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(milliseconds)*time.Millisecond)
	defer cancel()
	return wait(ctx) == nil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
