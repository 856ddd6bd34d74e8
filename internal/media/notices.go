package media

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"google.golang.org/protobuf/proto"
)

const (
	// noticePath is where LiveKit accepts workers of its agents framework: https://docs.livekit.io/agents/server/lifecycle/
	noticePath = "/agent?protocol=1"
	// noticeRetry is the pause before another connection, and noticePing the time between two checks of one.
	noticeRetry, noticePing = 2 * time.Second, 10 * time.Second
)

// NoticesOptions configures Notices.
type NoticesOptions struct {
	URL    string // of an outside LiveKit
	Tokens Tokens
	// Agent is the name that a room's configuration lists for its notices.
	Agent string
	// Joined is called when somebody joins such a room. It must not block.
	Joined func(room string, who Member)
	Log    *slog.Logger
}

// Notices receives notices of participants who join rooms, until ctx ends. LiveKit sends each to one of the processes that are
// connected, in the form of a job of its agents framework, which ends when it is accepted. Nobody is notified of those who join while
// no process is connected.
func Notices(ctx context.Context, o NoticesOptions) {
	lost := false // logged already
	for ctx.Err() == nil {
		began := time.Now()
		err := o.receive(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > noticePing {
			lost = false
		}
		if !lost {
			o.Log.WarnContext(ctx, "no notices of callers from LiveKit; its rooms are listed once a second", "error", err)
			lost = true
		}
		select {
		case <-time.After(noticeRetry):
		case <-ctx.Done():
		}
	}
}

// receive connects and handles LiveKit's messages until the connection is lost.
func (o NoticesOptions) receive(ctx context.Context) error {
	token, err := auth.NewAccessToken(o.Tokens.Key, o.Tokens.Secret).SetVideoGrant(&auth.VideoGrant{Agent: true}).SetValidFor(time.Minute).ToJWT()
	if err != nil {
		return fmt.Errorf("sign a request to LiveKit: %w", err)
	}
	dialing, cancel := context.WithTimeout(ctx, signalTimeout)
	//nolint:bodyclose // the library closes the body, or returns it in memory after a failure
	socket, answer, err := websocket.Dial(dialing, strings.TrimSuffix(o.URL, "/")+noticePath, &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + token}},
	})
	cancel()
	if err != nil {
		return dialError(answer, err)
	}
	socket.SetReadLimit(signalLimit)
	ctx, end := context.WithCancel(ctx)
	pinged := make(chan struct{})
	go func() {
		defer close(pinged)
		pingUntilLost(ctx, socket)
	}()
	defer func() {
		end()
		_ = socket.CloseNow()
		<-pinged
	}()
	register := &livekit.WorkerMessage{Message: &livekit.WorkerMessage_Register{Register: &livekit.RegisterWorkerRequest{
		Type: livekit.JobType_JT_PARTICIPANT, AgentName: o.Agent, Version: lksdk.Version,
	}}}
	if err := writeWorkerMessage(ctx, socket, register); err != nil {
		return err
	}
	for {
		_, data, err := socket.Read(ctx)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnreachable, err)
		}
		message := new(livekit.ServerMessage)
		if err := proto.Unmarshal(data, message); err != nil {
			return fmt.Errorf("read LiveKit's message: %w", err)
		}
		job := message.GetAvailability().GetJob()
		if job == nil {
			continue
		}
		accept := &livekit.WorkerMessage{Message: &livekit.WorkerMessage_Availability{Availability: &livekit.AvailabilityResponse{
			JobId: job.Id, Available: true, Terminate: true,
		}}}
		if err := writeWorkerMessage(ctx, socket, accept); err != nil {
			return err
		}
		if who := job.GetParticipant(); who != nil {
			o.Joined(job.GetRoom().GetName(), memberOf(who))
		}
	}
}

func writeWorkerMessage(ctx context.Context, socket *websocket.Conn, m *livekit.WorkerMessage) error {
	data, err := proto.Marshal(m)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, signalTimeout)
	defer cancel()
	if err := socket.Write(limited, websocket.MessageBinary, data); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return nil
}

// pingUntilLost closes a connection whose peer does not answer.
func pingUntilLost(ctx context.Context, socket *websocket.Conn) {
	ticker := time.NewTicker(noticePing)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		limited, cancel := context.WithTimeout(ctx, signalTimeout)
		err := socket.Ping(limited)
		cancel()
		if err != nil {
			_ = socket.CloseNow()
			return
		}
	}
}
