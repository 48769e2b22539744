//go:build go1.21

package events

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/slogtest"
	"time"
)

func TestSlogHandlerKeepsTheRulesOfSlog(t *testing.T) {
	sender, service := startSender(t)
	results := func() []map[string]any {
		flush(t, sender)
		var records []map[string]any
		for _, event := range service.events {
			record, _ := event["payload"].(map[string]any)
			if record == nil {
				record = map[string]any{}
			}
			// The service stores a time for every event, so the sender adds the one that is missing.
			if message := event["message"]; message != nil {
				record[slog.MessageKey] = message
			}
			record[slog.LevelKey] = event["severity"]
			record[slog.TimeKey] = event["timestamp"]
			records = append(records, record)
		}
		return records
	}
	err := slogtest.TestHandler(NewSlogHandler(sender, SlogOptions{}), results)
	for _, line := range strings.Split(errorText(err), "\n") {
		if line != "" && !strings.Contains(line, "Record.Time") {
			t.Error(line)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestSlogHandlerSendsEvents(t *testing.T) {
	sender, service := startSender(t)
	logger := slog.New(NewSlogHandler(sender, SlogOptions{EventType: "shop.log"}))
	logger.Debug("not sent")
	logger.With("request", 7).WithGroup("order").Error("payment failed",
		"id", 17, "took", 2*time.Second, "err", errors.New("declined"))
	logger.Log(context.Background(), slog.LevelError+4, strings.Repeat("ö", 2_001), "status", "retried")
	flush(t, sender)
	if len(service.events) != 2 {
		t.Fatalf("sent %v", service.events)
	}
	first, second := service.events[0], service.events[1]
	order := first["payload"].(map[string]any)["order"].(map[string]any)
	if first["event_type"] != "shop.log" || first["source"] != "shop" || first["message"] != "payment failed" ||
		first["severity"] != "error" || first["status"] != "error" || first["payload"].(map[string]any)["request"] != 7.0 ||
		order["id"] != 17.0 || order["took"] != "2s" || order["err"] != "declined" {
		t.Errorf("sent %v", first)
	}
	if second["severity"] != "critical" || second["status"] != nil || second["message"] != strings.Repeat("ö", 2_000) {
		t.Errorf("sent %v", second)
	}
}
