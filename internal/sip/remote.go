package sip

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/livekit/protocol/auth"
)

// Paths at which a process with a gateway serves those without one: GET checks the gateway, POST dials or transfers.
// Requests carry a token of the media server's key with the grant to dial.
const (
	remotePath         = "/parley/phones"
	remoteDialPath     = remotePath + "/dial"
	remoteTransferPath = remotePath + "/transfer"
)

// remoteLimit is the most bytes of a request and of a response.
const remoteLimit = 256 << 10

// Phones is the interface of a gateway for other processes.
type Phones interface {
	Dial(ctx context.Context, d DialRequest) error
	Transfer(ctx context.Context, room, identity, number string) error
	Check(ctx context.Context) error
}

type remoteTransfer struct{ Room, Identity, Number string }

// remoteAnswer is the result of a request; neither field is set for success.
type remoteAnswer struct {
	DialError *DialError `json:"Refusal,omitempty"`
	Error     string     `json:",omitempty"`
}

// RemoteHandler answers the requests of Remote with a gateway, to holders of the media server's key. A request that
// is closed cancels its ringing.
func RemoteHandler(phones Phones, key, secret string) http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, do func(r *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if !mayDial(r, key, secret) {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			r.Body = http.MaxBytesReader(w, r.Body, remoteLimit)
			answerRemote(w, do(r))
		})
	}
	handle("GET "+remotePath, func(r *http.Request) error { return phones.Check(r.Context()) })
	handle("POST "+remoteDialPath, func(r *http.Request) error {
		var d DialRequest
		if err := json.NewDecoder(r.Body).Decode(&d); err != nil {
			return fmt.Errorf("read request to dial: %w", err)
		}
		return phones.Dial(r.Context(), d)
	})
	handle("POST "+remoteTransferPath, func(r *http.Request) error {
		var t remoteTransfer
		if err := json.NewDecoder(r.Body).Decode(&t); err != nil {
			return fmt.Errorf("read request to transfer: %w", err)
		}
		return phones.Transfer(r.Context(), t.Room, t.Identity, t.Number)
	})
	return mux
}

func mayDial(r *http.Request, key, secret string) bool {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	verifier, err := auth.ParseAPIToken(token)
	if err != nil || verifier.APIKey() != key {
		return false
	}
	_, grants, err := verifier.Verify(secret)
	return err == nil && grants.SIP != nil && grants.SIP.Call
}

func answerRemote(w http.ResponseWriter, err error) {
	var answer remoteAnswer
	if !errors.As(err, &answer.DialError) && err != nil {
		answer.Error = err.Error()
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // a worker that has disconnected reads no answer
}

// Remote dials and transfers through the gateway of the process that has the embedded media server.
type Remote struct {
	url, key, secret string
	client           *http.Client
}

// NewRemote returns the phones of the gateway beside the media server at a URL. It makes no connection yet.
func NewRemote(url, key, secret string) *Remote {
	return &Remote{url: strings.TrimSuffix(httpURL(url), "/"), key: key, secret: secret, client: &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}}
}

// Dial behaves as Gateway.Dial.
func (r *Remote) Dial(ctx context.Context, d DialRequest) error {
	return r.do(ctx, http.MethodPost, remoteDialPath, d)
}

// Transfer behaves as Gateway.Transfer.
func (r *Remote) Transfer(ctx context.Context, room, identity, number string) error {
	return r.do(ctx, http.MethodPost, remoteTransferPath, remoteTransfer{room, identity, number})
}

// remoteCheckTimeout bounds a check of the gateway through its process.
const remoteCheckTimeout = 10 * time.Second

// Check returns an error when no call can be dialled at present.
func (r *Remote) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, remoteCheckTimeout)
	defer cancel()
	return r.do(ctx, http.MethodGet, remotePath, nil)
}

// do makes a request. Its error is a *DialError, or says that the outcome is unknown.
func (r *Remote) do(ctx context.Context, method, path string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, r.url+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	token, err := auth.NewAccessToken(r.key, r.secret).SetSIPGrant(&auth.SIPGrant{Call: true}).SetValidFor(tokenTTL).ToJWT()
	if err != nil {
		return fmt.Errorf("sign a request to the SIP gateway: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := r.client.Do(request)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("ask the SIP gateway: %w", context.Cause(ctx))
	case err != nil:
		return fmt.Errorf("ask the SIP gateway: %w", err)
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return unreachable("The server with the media server has no gateway to the telephone network.")
	default:
		return fmt.Errorf("ask the SIP gateway: it answers %s", http.StatusText(answer.StatusCode))
	}
	var result remoteAnswer
	if err := json.NewDecoder(io.LimitReader(answer.Body, remoteLimit)).Decode(&result); err != nil {
		return fmt.Errorf("read the SIP gateway's answer: %w", err)
	}
	switch {
	case result.DialError != nil:
		return result.DialError
	case result.Error != "":
		return errors.New(result.Error)
	}
	return nil
}
