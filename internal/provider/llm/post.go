package llm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"

	"parley/internal/dialogue"
	"parley/internal/provider/vendorerror"
)

// Post sends a request over the connections of language models and returns the response when it starts; its body must
// be closed. A status other than 200 is an error, dialogue.ErrRefused if a retry is useless. The context also ends the
// response.
func Post(ctx context.Context, a Account, address string, header http.Header, contentType string, body []byte) (*http.Response, error) {
	return roundTrip(ctx, a, http.MethodPost, address, header, contentType, body)
}

// Reach sends a GET request, which opens a connection for the next ones. It returns an error if the server does not respond, or
// rejects the key. Other statuses are no error: a valid key may lack permission for this address, and a server may not have
// it.
func Reach(ctx context.Context, a Account, address string, header http.Header) error {
	response, err := roundTrip(ctx, a, http.MethodGet, address, header, "", nil)
	if status := new(statusError); errors.As(err, &status) {
		if status.code == http.StatusUnauthorized || status.code == http.StatusTooManyRequests || status.code >= 500 && status.code != http.StatusNotImplemented {
			return err
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(response.Body, maxDrained))
	return err
}

// statusError is the error of an answer with another status than 200.
type statusError struct {
	code int
	error
}

func (s *statusError) Unwrap() error { return s.error }

func roundTrip(ctx context.Context, a Account, method, address string, header http.Header, contentType string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, dialogue.NewError("the base URL is not valid")
	}
	maps.Copy(r.Header, header)
	r.Header.Set("User-Agent", userAgent)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	sender := client
	if a.Client != nil {
		sender = a.Client
	}
	response, err := sender.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if within := new(url.Error); errors.As(err, &within) {
			err = within.Err // without the address
		}
		return nil, vendorerror.HideKey(dialogue.Wrap("the request failed", err), a.Key)
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, maxDrained))
	report := vendorerror.Read(response.StatusCode, text)
	return nil, &statusError{report.Status, report.Err(a.Key)}
}
