package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"parley/client"
)

// Over SIP, a phone that nobody speaks into is found out and hung up; one that counts as a mailbox gets its message once it is quiet.
func TestAnswersOfAPhone(t *testing.T) {
	t.Parallel()
	phone := newSoftphone(t)
	s := serve(t, filepath.Join(t.TempDir(), "data"), trunk(phone.address))
	for _, tc := range []struct{ name, detection, class, reason string }{
		{"nobody", `{"enabled": true, "no_speech_ms": 2000, "actions": {"silence": {"do": "end"}}}`, client.AnsweredSilence, "agent_ended"},
		{"mailbox", `{"enabled": true, "window_ms": 1500, "on_timeout": "voicemail",
			"actions": {"voicemail": {"do": "leave_message", "text": "Hello, please call us back."}}}`, client.AnsweredVoicemail, "voicemail_left"},
	} {
		config := fmt.Sprintf(`{"prompt": {"system": "You call people.", "greeting": "Good morning."}, "answer_detection": %s, %s}`, tc.detection, offlineSpeech)
		ask(t, s, http.MethodPost, "/api/v1/agents", object{"name": tc.name, "config": json.RawMessage(config)}, nil)
		var dispatched struct {
			CallID string `json:"call_id"`
		}
		ask(t, s, http.MethodPost, "/api/v1/webhooks/ingest", object{"agent_slug": tc.name, "phone_number": softphoneNumber}, &dispatched)
		c := awaitEnd(t, s, dispatched.CallID, client.Completed, tc.reason)
		if c.AnsweredBy == nil || c.AnsweredBy.Class != tc.class || c.AnsweredBy.AfterMS < 1000 {
			t.Errorf("%s: answered by %+v", tc.name, c.AnsweredBy)
		}
		phone.awaitEnd(t)
	}
	if heard := phone.received(t); heard < time.Second || heard > 10*time.Second {
		t.Errorf("the phone received %v of speech, want the message alone", heard)
	}
}
