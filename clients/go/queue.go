package events

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
)

// bytesOfALine is what a queued event takes in addition to its text.
const bytesOfALine = 64

// batch is one request: its events as lines, and the key under which the service stores them once.
type batch struct {
	key   string
	lines [][]byte
	// size is the number of bytes of the body, with a line end for each line.
	size int
}

func batchOf(lines [][]byte) *batch {
	size := 0
	for _, line := range lines {
		size += len(line) + 1
	}
	return &batch{key: newKey(), lines: lines, size: size}
}

// halves returns two batches with keys of their own, because a key belongs to one body.
func (b *batch) halves() [2]*batch {
	middle := (len(b.lines) + 1) / 2
	return [2]*batch{batchOf(b.lines[:middle]), batchOf(b.lines[middle:])}
}

func (b *batch) body() []byte {
	return bytes.Join(b.lines, []byte("\n"))
}

func newKey() string {
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		// A key that is not unique could make the service drop a batch as a repeat.
		panic("events: the system has no random numbers: " + err.Error())
	}
	return hex.EncodeToString(random[:])
}

// eventQueue has lines in the order in which they were sent. It never holds more than maxBytes.
type eventQueue struct {
	maxBytes int
	lines    [][]byte
	size     int
}

// add returns false when there is no room. The batch under way takes held bytes.
func (q *eventQueue) add(line []byte, held int) bool {
	size := len(line) + 1 + bytesOfALine
	if q.size+held+size > q.maxBytes {
		return false
	}
	q.lines = append(q.lines, line)
	q.size += size
	return true
}

// take returns the oldest events, as many as fit into one request and at least one. Nil when none waits.
func (q *eventQueue) take(maxEvents, maxBytes int) *batch {
	count, size := 0, 0
	for _, line := range q.lines {
		if count > 0 && (count >= maxEvents || size+len(line)+1 > maxBytes) {
			break
		}
		size += len(line) + 1
		count++
	}
	if count == 0 {
		return nil
	}
	taken := append([][]byte(nil), q.lines[:count]...)
	for at := range q.lines[:count] {
		// The array of the slice lives on; its sent lines must not.
		q.lines[at] = nil
	}
	q.lines = q.lines[count:]
	if len(q.lines) == 0 {
		q.lines = nil
	}
	q.size -= size + count*bytesOfALine
	return batchOf(taken)
}
