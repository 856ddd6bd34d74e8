package client

import (
	"net/url"
	"strconv"
	"time"
)

// PageOptions selects a page of a list. The zero value is the first page, of the server's default size.
type PageOptions struct{ Limit, Offset int }

func (o PageOptions) query() url.Values {
	q := url.Values{}
	setQuery(q, "limit", o.Limit)
	setQuery(q, "offset", o.Offset)
	return q
}

// setQuery sets a query parameter to a string, a number, a time or a pointer to a bool, unless that is zero.
func setQuery(q url.Values, name string, value any) {
	switch v := value.(type) {
	case string:
		if v != "" {
			q.Set(name, v)
		}
	case int:
		if v > 0 {
			q.Set(name, strconv.Itoa(v))
		}
	case time.Time:
		if !v.IsZero() {
			q.Set(name, v.UTC().Format(time.RFC3339Nano))
		}
	case *bool:
		if v != nil {
			q.Set(name, strconv.FormatBool(*v))
		}
	}
}
