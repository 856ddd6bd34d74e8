package recognition

import (
	"fmt"
	"net/url"
	"strings"
)

// Endpoint returns the address of a vendor's stream: version ("/v1") and path ("/listen") under the base URL, with
// the query. The base URL may include the version.
func Endpoint(base, version, path string, query url.Values) (string, error) {
	u, err := url.Parse(base)
	if err != nil {
		return "", fmt.Errorf("base URL %q: %w", base, err)
	}
	switch u.Scheme {
	case "http", "https", "ws", "wss":
	default:
		return "", fmt.Errorf("base URL %q: it must begin with https:// or wss://", base)
	}
	if u.Host == "" {
		return "", fmt.Errorf("base URL %q: it names no host", base)
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), version) + version + path
	u.RawPath, u.Fragment = "", ""
	u.RawQuery = query.Encode()
	return u.String(), nil
}
