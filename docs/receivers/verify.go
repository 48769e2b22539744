// Go. body is read whole and not parsed yet.
package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// IsGenuine verifies a webhook of an alert destination. The secret is the text that was typed.
func IsGenuine(body []byte, header http.Header, secret string, tolerance time.Duration) bool {
	timestamp := header.Get("X-Service-Timestamp")
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	expected := "v1=" + hex.EncodeToString(mac.Sum(nil))
	return isFresh(timestamp, tolerance) && isOneOf(strings.Split(header.Get("X-Service-Signature"), ","), expected)
}

// IsGenuineOfChannel verifies a webhook of a channel, by its signing secret (whsec_…).
func IsGenuineOfChannel(body []byte, header http.Header, secret string, tolerance time.Duration) bool {
	timestamp := header.Get("webhook-timestamp")
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header.Get("webhook-id") + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return isFresh(timestamp, tolerance) && isOneOf(strings.Split(header.Get("webhook-signature"), " "), expected)
}

func isFresh(timestamp string, tolerance time.Duration) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	age := time.Since(time.Unix(seconds, 0))
	return err == nil && age <= tolerance && age >= -tolerance
}

func isOneOf(given []string, expected string) bool {
	for _, one := range given {
		if hmac.Equal([]byte(strings.TrimSpace(one)), []byte(expected)) {
			return true
		}
	}
	return false
}
