package vendorerror

import (
	"errors"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
)

// Summaries have status, known codes and what a message is about, and nothing else of what a vendor sent.
func TestSummary(t *testing.T) {
	const said = "my card is 4111111111111111"
	closed := websocket.CloseError{Code: websocket.StatusPolicyViolation, Reason: said}
	for _, test := range []struct {
		err  error
		want string
	}{
		{Read(400, []byte(`{"error":{"message":"`+said+`","type":"invalid_request_error","code":"`+said+`"}}`)).Err(""), "the request is refused by the provider (HTTP 400, invalid_request_error)"},
		{Read(404, []byte(`{"error":{"message":"The model gpt-9 does not exist","code":"model_not_found"}}`)).Err(""),
			"the request is refused by the provider (HTTP 404, model_not_found, the model is not found or not available)"},
		{Read(404, []byte(`{"error":"model 'x' not found"}`)).Err(""), "the request is refused by the provider (HTTP 404, the model is not found or not available)"},
		{Read(400, []byte(`{"error":{"code":400,"message":"`+said+`","status":"INVALID_ARGUMENT"}}`)).Err(""), "the request is refused by the provider (HTTP 400, INVALID_ARGUMENT)"},
		{Read(401, []byte(`{"err_code":"INVALID_AUTH","err_msg":"Invalid credentials."}`)).Err(""), "the key is refused by the provider (HTTP 401, INVALID_AUTH, about the key)"},
		{Read(500, []byte(said)).Err(""), "the provider fails with status 500"},
		{Read(0, []byte(`{"error":{"message":"`+said+`"}}`)).Err(""), "the provider reports an error"},
		{OfMessage("Acme", false, "quota_exceeded", said), "Acme reports an error (quota_exceeded)"},
		{OfMessage("Acme", true, "4711", said), "Acme: refused by the provider (4711)"},
		{OfMessage("Acme", false, said, said), "Acme reports an error"},
		{OfEnd("Acme", closed, 1, nil, ""), "Acme closed the connection (1008)"},
		{OfEnd("Acme", closed, 1, func(websocket.StatusCode, string) bool { return true }, ""), "Acme: refused by the provider (1008)"},
		{OfEnd("Acme", errors.New(said), 1, nil, ""), "connection to Acme: an error outside of the provider's protocol"},
		{OfHandshake(errors.New(said), nil, 0, ""), "the provider cannot be reached: an error outside of the provider's protocol"},
		{Stopped(dialogue.ErrDeclined, "the vendor stopped the answer", "SAFETY"), "the vendor stopped the answer (SAFETY)"},
		{Stopped(dialogue.ErrDeclined, "the vendor stopped the answer", said), "the vendor stopped the answer"},
		{Unexpected("the answer is no audio", said), "the answer is no audio"},
	} {
		if got := dialogue.Summary(test.err); got != test.want {
			t.Errorf("%v: %q, want %q", test.err, got, test.want)
		}
		if strings.Contains(dialogue.Summary(test.err), "4111") {
			t.Errorf("%v: %s", test.err, dialogue.Summary(test.err))
		}
	}
}
