package events

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// takingService stands in for the service: it keeps the events of each request and accepts all of them.
type takingService struct {
	events []map[string]any
}

func (s *takingService) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(body), "\n")
	for _, line := range lines {
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			return nil, err
		}
		s.events = append(s.events, event)
	}
	results := strings.TrimSuffix(strings.Repeat(`{"accepted":true},`, len(lines)), ",")
	answer := io.NopCloser(strings.NewReader(fmt.Sprintf(`{"results":[%s]}`, results)))
	return &http.Response{StatusCode: http.StatusOK, Body: answer, Request: request}, nil
}

func startSender(t *testing.T) (*Sender, *takingService) {
	t.Helper()
	service := &takingService{}
	sender, err := NewSender(Options{
		URL:       "http://events.example.com",
		Source:    "shop",
		MaxWait:   time.Hour,
		Transport: service,
		OnLoss:    func(loss Loss) { t.Errorf("lost: %+v", loss) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return sender, service
}

func flush(t *testing.T, sender *Sender) {
	t.Helper()
	if err := sender.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestSenderRefusesWrongOptions(t *testing.T) {
	for _, options := range []Options{{}, {URL: "events.example.com"}, {URL: "ftp://x"}, {URL: "http://x", APIKey: "a\n"}} {
		if _, err := NewSender(options); err == nil {
			t.Errorf("accepted %+v", options)
		}
	}
}

func TestListenerMayPanic(t *testing.T) {
	sender, err := NewSender(Options{URL: "http://events.example.com", OnLoss: func(Loss) { panic("a broken listener") }})
	if err != nil {
		t.Fatal(err)
	}
	sender.Send(Event{Type: "a", Payload: make(chan int)})
}
