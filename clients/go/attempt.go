package events

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	maxAnswerBytes = 16 << 20
	// maxRetryAfter: a limit may be raised earlier than a longer Retry-After says.
	maxRetryAfter = time.Hour
)

type outcomeKind int

const (
	// again: it is unknown whether the batch was stored, or it cannot be stored now. Send the same request again.
	again outcomeKind = iota
	// stored: the service has decided on every line.
	stored
	// refused: the whole batch was refused and would be refused again.
	refused
	// tooLarge: the request is larger than the service, or a proxy, accepts. Nothing was stored.
	tooLarge
)

type outcome struct {
	kind outcomeKind
	// after is how long to wait before the same request is sent again.
	after time.Duration
	// refusedLines of a stored batch, the first with detail.
	refusedLines int
	status       int
	detail       any
}

type target struct {
	url    string
	apiKey string
	client *http.Client
}

// attempt sends a batch once. With the same key the service stores it once, however often it is sent.
func (t *target) attempt(b *batch) outcome {
	request, err := http.NewRequest(http.MethodPost, t.url, bytes.NewReader(b.body()))
	if err != nil {
		return outcome{kind: again}
	}
	request.Header.Set("Content-Type", "application/x-ndjson")
	request.Header.Set("Idempotency-Key", b.key)
	request.Header.Set("X-API-Key", t.apiKey)
	response, err := t.client.Do(request)
	if err != nil {
		return outcome{kind: again}
	}
	defer response.Body.Close()
	return outcomeOf(response, len(b.lines))
}

func outcomeOf(response *http.Response, lines int) outcome {
	status := response.StatusCode
	switch {
	case isRedirect(status):
		// A redirect would take the key elsewhere, and following it would hide that the address is wrong.
		detail := "Redirects are not followed"
		if location := response.Header.Get("Location"); location != "" {
			detail += ": " + location
		}
		return outcome{kind: refused, status: status, detail: detail}
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooManyRequests, status >= 500:
		// 409: the same request is still running.
		return outcome{kind: again, after: retryAfter(response.Header.Get("Retry-After"))}
	}
	var received answer
	err := read(response, &received)
	isOK := status >= 200 && status < 300
	// 422: every line was refused for a reason of its own.
	if isOK || (status == http.StatusUnprocessableEntity && len(received.Results) == lines) {
		if err != nil {
			return outcome{kind: again}
		}
		return decisionOf(received, status, lines)
	}
	// The status says that the batch was refused, also when the body is missing or broken off.
	kind := refused
	if status == http.StatusRequestEntityTooLarge {
		kind = tooLarge
	}
	return outcome{kind: kind, status: status, detail: received.Detail}
}

type answer struct {
	Detail  any `json:"detail"`
	Results []struct {
		Accepted *bool `json:"accepted"`
		Detail   any   `json:"detail"`
	} `json:"results"`
}

// decisionOf believes only an answer with a result for each line. A proxy may answer 200, too.
func decisionOf(received answer, status, lines int) outcome {
	if len(received.Results) != lines {
		return outcome{kind: again}
	}
	decided := outcome{kind: stored, status: status}
	for _, result := range received.Results {
		if result.Accepted == nil {
			return outcome{kind: again}
		}
		if !*result.Accepted {
			if decided.refusedLines == 0 {
				decided.detail = result.Detail
			}
			decided.refusedLines++
		}
	}
	return decided
}

func read(response *http.Response, into *answer) error {
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

func isRedirect(status int) bool {
	switch status {
	case 301, 302, 303, 307, 308:
		return true
	}
	return false
}

// retryAfter reads seconds, as the service writes them.
func retryAfter(seconds string) time.Duration {
	wait, err := strconv.ParseFloat(seconds, 64)
	if err != nil || !(wait > 0) {
		return 0
	}
	if wait > maxRetryAfter.Seconds() {
		return maxRetryAfter
	}
	return time.Duration(wait * float64(time.Second))
}
