package netguard

import (
	"net/url"
	"strings"
)

// Origin returns the scheme, host and port of a URL, in lower case and with the port that the scheme implies; the text itself if it is no
// URL.
func Origin(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[strings.ToLower(u.Scheme)]
	}
	return strings.ToLower(u.Scheme + "://" + u.Hostname() + ":" + port)
}
