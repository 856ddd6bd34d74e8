package vendorerror

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/internal/dialogue"
)

// The vendors' forms of errors, each with its class, its sentence, and no key in it.
func TestRead(t *testing.T) {
	const key = "sk-1234567890"
	for _, test := range []struct {
		status  int
		body    string
		refused bool
		want    string
	}{
		{401, `{"error":{"message":"Bad key ` + key + `, or sk-12****90.","code":"invalid_api_key"}}`, true, "the key is refused by the provider: Bad key [key], or [key]."},
		{403, `{"detail":{"status":"missing_permissions","message":"Not allowed."}}`, true, "the key is refused by the provider: Not allowed."},
		{402, `{"error":{"type":"billing_error"}}`, true, "the account is refused by the provider: billing_error"},
		{422, `{"detail":"no such field"}`, true, "the request is refused by the provider: no such field"},
		{400, `{"err_code":"X","err_msg":"Bad\n\u0000language."}`, true, "the request is refused by the provider: Bad language."},
		{429, `{"error":{"message":"Slow down."}}`, false, "too many requests at once: Slow down."},
		{429, `{"error":{"message":"No credit.","code":"insufficient_quota"}}`, true, "the account is refused by the provider: No credit."},
		{408, ``, false, "the provider gave up waiting"},
		{409, `{"title":"Conflict","status_code":409}`, false, "the provider asks to try again: Conflict"},
		{307, ``, true, "the request is refused by the provider"},
		{304, ``, false, "the provider fails with status 304"},
		{500, `{"error":"Oops.","code":7}`, false, "the provider fails with status 500: Oops."},
		{502, `<html>Bad gateway</html>`, false, "the provider fails with status 502"},
		{0, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, false, "the provider reports an error: Overloaded"},
		{0, `{"error":{"type":"authentication_error","message":"No."}}`, true, "the key is refused by the provider: No."},
		{0, `{"message":"Invalid API key","error":"invalid_api_key"}`, false, "the provider reports an error: Invalid API key"},
	} {
		err := Read(test.status, []byte(test.body)).Err(key)
		if err.Error() != test.want || errors.Is(err, dialogue.ErrRefused) != test.refused {
			t.Errorf("%d %s: %v, refused %v", test.status, test.body, err, errors.Is(err, dialogue.ErrRefused))
		}
	}
}

func TestOfHandshake(t *testing.T) {
	if err := OfHandshake(context.DeadlineExceeded, nil, time.Second, "k"); err.Error() != "the provider cannot be reached: no answer within 1s" {
		t.Error(err)
	}
	if err := OfHandshake(errors.New("no route for secret"), nil, time.Second, "secret"); err.Error() != "the provider cannot be reached: no route for [key]" {
		t.Error(err)
	}
	if err := OfHandshake(errors.New("bad handshake"), &http.Response{StatusCode: http.StatusUnauthorized}, time.Second, ""); !errors.Is(err, dialogue.ErrRefused) {
		t.Error(err)
	}
}

func TestClean(t *testing.T) {
	if got := Clean(strings.Repeat("ü", 500), ""); got != strings.Repeat("ü", maxMessage)+"…" {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}
