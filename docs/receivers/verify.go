// Go. body is read whole and not parsed yet.
package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

func IsGenuine(body []byte, header http.Header, secret string, tolerance time.Duration) bool {
	timestamp := header.Get("X-Service-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return false
	}
	age := time.Since(time.Unix(seconds, 0))
	if age > tolerance || age < -tolerance {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	expected := []byte("v1=" + hex.EncodeToString(mac.Sum(nil)))
	for _, one := range strings.Split(header.Get("X-Service-Signature"), ",") {
		if hmac.Equal([]byte(strings.TrimSpace(one)), expected) {
			return true
		}
	}
	return false
}
