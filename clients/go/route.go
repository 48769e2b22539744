//go:build go1.23

package events

import "net/http"

func routeOfMux(r *http.Request) string {
	return pathOfPattern(r.Pattern)
}
