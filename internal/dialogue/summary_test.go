package dialogue_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"parley/internal/dialogue"
	"parley/internal/netguard"
)

func TestSummary(t *testing.T) {
	var number struct{ N int }
	mistyped := json.Unmarshal([]byte(`{"N": 41111111111111111111}`), &number)
	for _, test := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{errors.New("what was said"), "an error outside of the provider's protocol"},
		{fmt.Errorf("what was said: %w", dialogue.ErrRefused), "refused by the provider"},
		{fmt.Errorf("what was said: %w", dialogue.NewError("no voice")), "no voice"},
		{dialogue.Errorf("the request is %w: no voice", dialogue.ErrRefused), "the request is refused by the provider: no voice"},
		{dialogue.Wrap("connect", errors.New("what was said")), "connect: an error outside of the provider's protocol"},
		{dialogue.Wrap("connect", fmt.Errorf("what was said: %w", syscall.ECONNREFUSED)), "connect: connection refused"},
		{&net.DNSError{Name: "what.was.said"}, "the host name does not resolve"},
		{x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{"what.was.said"}}, Host: "h"}, "the server's certificate is not valid"},
		{fmt.Errorf("dial: %w", netguard.ErrRefused), netguard.ErrRefused.Error()},
		{fmt.Errorf("read: %w", context.DeadlineExceeded), "no answer in time"},
		{fmt.Errorf("read: %w", io.ErrUnexpectedEOF), "the connection was closed before the end"},
		{mistyped, "the answer cannot be read"},
	} {
		if got := dialogue.Summary(test.err); got != test.want {
			t.Errorf("%v: %q, want %q", test.err, got, test.want)
		}
	}
	if err := dialogue.Errorf("the request is %w", dialogue.ErrRefused); !errors.Is(err, dialogue.ErrRefused) {
		t.Errorf("%v is not refused", err)
	}
}
