package events

import (
	"context"
	"errors"
	"math/rand"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	firstBackoff = 250 * time.Millisecond
	maxBackoff   = 30 * time.Second
	// maxEventsPerRequest is what the service accepts.
	maxEventsPerRequest = 1_000
)

// Options of a sender. URL and APIKey are required.
type Options struct {
	// URL is the address of the service, such as https://events.example.com.
	URL string
	// APIKey is a key with the scope events:write.
	APIKey string
	// Source is the source of events that name none.
	Source string
	// MaxBatchEvents is the largest number of events per request, up to 1,000. Default 200.
	MaxBatchEvents int
	// MaxBatchBytes is the largest size of a request, up to 5 MiB. Default 512 KiB.
	MaxBatchBytes int
	// MaxWait is how long an event waits for others. Default 1 s.
	MaxWait time.Duration
	// MaxQueuedBytes limits the waiting events. Further events are lost with the reason Full. Default 8 MiB.
	MaxQueuedBytes int
	// Timeout limits one request. Default 10 s.
	Timeout time.Duration
	// OnLoss is called for events that will never be stored, in the goroutine of Send or in the background. A panic in
	// it is ignored.
	OnLoss func(Loss)
	// Transport replaces http.DefaultTransport.
	Transport http.RoundTripper
}

// Sender sends events in a background goroutine. Send costs a line of JSON and neither waits nor panics. One batch is
// under way at a time. It is sent until the service has decided on it, through restarts of the service, and it is
// stored once. All methods may be called from any goroutine.
type Sender struct {
	options Options
	target  target

	mutex sync.Mutex
	queue eventQueue
	// held is the batch that has no answer yet.
	held *batch
	// isRunning: a goroutine sends.
	isRunning bool
	timer     *time.Timer
	flushing  int
	// woken is closed and replaced to end the waits of the background goroutine.
	woken chan struct{}
	// decidedMore is closed and replaced when events are decided on.
	decidedMore    chan struct{}
	taken, decided int64
	// isClosed: no more events are accepted. When it has given up, none is sent either.
	isClosed, hasGivenUp bool
}

// NewSender returns an error for an address or a key that cannot be one.
func NewSender(options Options) (*Sender, error) {
	address, err := url.Parse(options.URL)
	if err != nil {
		return nil, err
	}
	if (address.Scheme != "http" && address.Scheme != "https") || address.Host == "" {
		return nil, errors.New("events: not an address of http or https: " + options.URL)
	}
	if strings.ContainsAny(options.APIKey, "\r\n\x00") {
		return nil, errors.New("events: the API key has characters that no key has, such as a line end")
	}
	setDefault(&options.MaxBatchEvents, 200)
	setDefault(&options.MaxBatchBytes, 512<<10)
	setDefault(&options.MaxQueuedBytes, 8<<20)
	setDefault(&options.MaxWait, time.Second)
	setDefault(&options.Timeout, 10*time.Second)
	if options.MaxBatchEvents > maxEventsPerRequest {
		options.MaxBatchEvents = maxEventsPerRequest
	}
	client := &http.Client{
		Transport: options.Transport,
		Timeout:   options.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
	return &Sender{
		options:     options,
		target:      target{url: strings.TrimRight(options.URL, "/") + "/v1/events/ingest", apiKey: options.APIKey, client: client},
		queue:       eventQueue{maxBytes: options.MaxQueuedBytes},
		woken:       make(chan struct{}),
		decidedMore: make(chan struct{}),
	}, nil
}

func setDefault[T int | time.Duration](option *T, value T) {
	if *option <= 0 {
		*option = value
	}
}

// Pending returns the number of events that are not known to be stored.
func (s *Sender) Pending() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return int(s.taken - s.decided)
}

// Send queues an event. It is written as JSON at once, so that later changes to it have no effect.
func (s *Sender) Send(event Event) {
	line, err := lineOf(event, s.options.Source)
	if err != nil {
		s.lose(Loss{Reason: Unserializable, Events: 1})
		return
	}
	if reason := s.enqueue(line); reason != "" {
		s.lose(Loss{Reason: reason, Events: 1})
	}
}

// enqueue returns why the event is lost, or "".
func (s *Sender) enqueue(line []byte) LossReason {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.isClosed {
		return Closed
	}
	held := 0
	if s.held != nil {
		held = s.held.size
	}
	if !s.queue.add(line, held) {
		return Full
	}
	s.taken++
	switch {
	case s.isRunning:
	case len(s.queue.lines) >= s.options.MaxBatchEvents || s.queue.size >= s.options.MaxBatchBytes:
		s.start()
	case s.timer == nil:
		s.timer = time.AfterFunc(s.options.MaxWait, func() {
			s.mutex.Lock()
			defer s.mutex.Unlock()
			s.start()
		})
	}
	return ""
}

// Flush sends waiting events now. It returns nil when all events that were sent before are stored or refused, and the
// error of the context when that took too long.
func (s *Sender) Flush(ctx context.Context) error {
	s.mutex.Lock()
	until := s.taken
	s.flushing++
	s.wake()
	s.start()
	for s.decided < until {
		more := s.decidedMore
		s.mutex.Unlock()
		select {
		case <-more:
		case <-ctx.Done():
			s.mutex.Lock()
			s.flushing--
			s.mutex.Unlock()
			return ctx.Err()
		}
		s.mutex.Lock()
	}
	s.flushing--
	s.mutex.Unlock()
	return nil
}

// Close accepts no more events, and flushes. Events without an answer are then lost. It returns what Flush does.
func (s *Sender) Close(ctx context.Context) error {
	s.mutex.Lock()
	s.isClosed = true
	s.mutex.Unlock()
	err := s.Flush(ctx)
	if err == nil {
		return nil
	}
	s.mutex.Lock()
	lost := 0
	if !s.hasGivenUp {
		s.hasGivenUp = true
		lost = int(s.taken - s.decided)
	}
	s.wake()
	s.mutex.Unlock()
	if lost > 0 {
		s.lose(Loss{Reason: Closed, Events: lost})
	}
	return err
}

// wake ends the wait for the next attempt. The caller holds the mutex.
func (s *Sender) wake() {
	close(s.woken)
	s.woken = make(chan struct{})
}

// start sends what waits, unless a goroutine does so already. The caller holds the mutex.
func (s *Sender) start() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	if !s.isRunning {
		s.isRunning = true
		go s.run()
	}
}

func (s *Sender) run() {
	for {
		s.mutex.Lock()
		s.held = nil
		if !s.hasGivenUp {
			s.held = s.queue.take(s.options.MaxBatchEvents, s.options.MaxBatchBytes)
		}
		next := s.held
		if next == nil {
			s.isRunning = false
			s.mutex.Unlock()
			return
		}
		s.mutex.Unlock()
		s.deliver(next)
	}
}

// deliver sends a batch until the service has decided on all of it, or until the sender gives up.
func (s *Sender) deliver(b *batch) {
	for attempts := 0; !s.givesUp(); attempts++ {
		result := s.target.attempt(b)
		if result.kind == again {
			s.pause(result.after, backoff(attempts))
			continue
		}
		if result.kind == tooLarge && len(b.lines) > 1 {
			for _, half := range b.halves() {
				s.deliver(half)
			}
			return
		}
		if result.kind != stored {
			s.lose(Loss{Reason: Refused, Events: len(b.lines), Status: result.status, Detail: result.detail})
		} else if result.refusedLines > 0 {
			s.lose(Loss{Reason: Refused, Events: result.refusedLines, Status: result.status, Detail: result.detail})
		}
		break
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.decided += int64(len(b.lines))
	close(s.decidedMore)
	s.decidedMore = make(chan struct{})
}

func (s *Sender) givesUp() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.hasGivenUp
}

// pause waits until the next attempt, or until somebody flushes. A flush does not wait for a long Retry-After.
func (s *Sender) pause(asked, backoff time.Duration) {
	s.mutex.Lock()
	woken := s.woken
	wait := backoff
	if s.flushing == 0 && asked > backoff {
		wait = asked
	}
	s.mutex.Unlock()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-woken:
	}
}

func (s *Sender) lose(loss Loss) {
	if s.options.OnLoss == nil {
		return
	}
	// A program that sends events must not fail because of the listener to their loss.
	defer func() { _ = recover() }()
	s.options.OnLoss(loss)
}

// backoff doubles up to half a minute, less up to a half by chance, so that many senders do not return as one.
func backoff(attempts int) time.Duration {
	wait := maxBackoff
	if attempts < 7 {
		wait = firstBackoff << attempts
	}
	return time.Duration(float64(wait) * (1 - rand.Float64()/2))
}
