package negotiation

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
)

// ContentType is that of session descriptions.
const ContentType = "application/sdp"

// maxParts limits the parts of a message's body, nested ones included.
const maxParts = 16

// Find returns the session description in a message's body of a content type: the body itself, or its part in a multipart body,
// beside a location or ISUP. It is nil if there is none. The error is a Refusal.
func Find(contentType string, body []byte) (found []byte, err error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, nil
	}
	if contentType == "" {
		contentType = ContentType
	}
	left := maxParts
	return find(contentType, body, &left)
}

func find(contentType string, body []byte, left *int) ([]byte, error) {
	kind, parameters, err := mime.ParseMediaType(contentType)
	if err != nil && kind == "" {
		kind, _, _ = strings.Cut(strings.ToLower(contentType), ";")
	}
	switch {
	case kind == ContentType:
		return body, nil
	case !strings.HasPrefix(kind, "multipart/"):
		return nil, &Refusal{Status: 415, Text: "The body is not a session description."}
	case parameters["boundary"] == "":
		return nil, malformed("The body of several parts has no boundary.")
	}
	for parts := multipart.NewReader(bytes.NewReader(body), parameters["boundary"]); ; {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if *left--; err != nil || *left < 0 {
			return nil, malformed("The parts of the body cannot be read, or there are too many.")
		}
		inner, err := io.ReadAll(io.LimitReader(p, maxDescription+1))
		if err != nil {
			return nil, malformed("A part of the body cannot be read.")
		}
		if strings.EqualFold(p.Header.Get("Content-Transfer-Encoding"), "base64") {
			if inner, err = base64.StdEncoding.DecodeString(string(bytes.Join(bytes.Fields(inner), nil))); err != nil {
				return nil, malformed("A part of the body is not base64.")
			}
		}
		kind := p.Header.Get("Content-Type")
		if kind == "" {
			kind = "text/plain" // RFC 2046 5.1
		}
		found, err := find(kind, inner, left)
		var refusal *Refusal
		if errors.As(err, &refusal) && refusal.Status == 415 { // another part may be one
			continue
		}
		if found != nil || err != nil {
			return found, err
		}
	}
}
