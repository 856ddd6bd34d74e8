package media

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"google.golang.org/protobuf/proto"
)

const (
	signalPath = "/rtc/v1"
	// signalLimit limits a message of the server, in bytes; the largest lists all participants.
	signalLimit = 4 << 20
	// signalTimeout bounds sending a message.
	signalTimeout = 5 * time.Second
)

// openSocket opens the connection's signalling and returns the server's first message.
func (c *connection) openSocket(ctx context.Context, at, token string, request *livekit.JoinRequest) (*livekit.SignalResponse, error) {
	socket, first, err := openSignalling(ctx, at, token, request)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.socket, c.ended = socket, make(chan struct{})
	c.mu.Unlock()
	return first, nil
}

// openSignalling opens a signalling and returns the server's first message.
func openSignalling(ctx context.Context, at, token string, request *livekit.JoinRequest) (*websocket.Conn, *livekit.SignalResponse, error) {
	request.ClientInfo = &livekit.ClientInfo{Sdk: livekit.ClientInfo_GO, Version: lksdk.Version, Protocol: lksdk.PROTOCOL}
	request.ConnectionSettings = &livekit.ConnectionSettings{AutoSubscribe: true}
	packed, err := packJoin(request)
	if err != nil {
		return nil, nil, err
	}
	query := url.Values{joinRequestParameter: {packed}}
	//nolint:bodyclose // the library closes the body, or returns it in memory after a failure
	socket, answer, err := websocket.Dial(ctx, strings.TrimSuffix(at, "/")+signalPath+"?"+query.Encode(), &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + token}},
	})
	if err != nil {
		return nil, nil, dialError(answer, err)
	}
	socket.SetReadLimit(signalLimit)
	first, err := readResponse(ctx, socket)
	if err != nil {
		_ = socket.CloseNow()
		return nil, nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return socket, first, nil
}

// dialError returns the error of a failed attempt to open the signalling. The library's errors contain the whole URL,
// with the token.
func dialError(answer *http.Response, err error) error {
	var status int
	if answer != nil {
		status = answer.StatusCode
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return ErrUnauthorized
	case http.StatusNotFound:
		return ErrNoRoom
	case 0:
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return fmt.Errorf("%w: it answers %s", ErrUnreachable, http.StatusText(status))
}

func readResponse(ctx context.Context, socket *websocket.Conn) (*livekit.SignalResponse, error) {
	_, data, err := socket.Read(ctx)
	if err != nil {
		return nil, err
	}
	response := new(livekit.SignalResponse)
	return response, proto.Unmarshal(data, response)
}

// send sends a message to the server.
func (c *connection) send(request *livekit.SignalRequest) error {
	data, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	c.mu.Lock()
	socket := c.socket
	c.mu.Unlock()
	if socket == nil {
		return ErrLost
	}
	ctx, cancel := context.WithTimeout(context.Background(), signalTimeout)
	defer cancel()
	return socket.Write(ctx, websocket.MessageBinary, data)
}

// startReading handles the server's messages in a goroutine until the signalling ends.
func (c *connection) startReading() {
	c.mu.Lock()
	socket, ended := c.socket, c.ended
	c.mu.Unlock()
	read := func() {
		defer close(ended)
		for {
			response, err := readResponse(c.participant.ctx, socket)
			if err != nil {
				break
			}
			c.handleResponse(response)
		}
		_ = socket.CloseNow()
		c.fail(ErrLost)
		c.participant.handleConnectionLost(c, true)
	}
	if !c.participant.start(read) {
		close(ended)
	}
}

// setAttributes sets attributes of the participant.
func (c *connection) setAttributes(attributes map[string]string) {
	_ = c.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_UpdateMetadata{
		UpdateMetadata: &livekit.UpdateParticipantMetadata{Attributes: attributes},
	}}) // resendState repeats it on the next connection
}

// permitOnly permits one participant alone to subscribe to the participant's tracks.
func (c *connection) permitOnly(identity string) error {
	return c.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_SubscriptionPermission{
		SubscriptionPermission: &livekit.SubscriptionPermission{
			TrackPermissions: []*livekit.TrackPermission{{ParticipantIdentity: identity, AllTracks: true}},
		},
	}})
}

// disableTrack requests the server to stop sending a track.
func (c *connection) disableTrack(track string) {
	_ = c.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_TrackSetting{
		TrackSetting: &livekit.UpdateTrackSettings{TrackSids: []string{track}, Disabled: true},
	}}) // data that arrives anyway is discarded
}

func (c *connection) sendLeaveRequest(reason livekit.DisconnectReason) error {
	return c.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_Leave{
		Leave: &livekit.LeaveRequest{Reason: reason},
	}})
}

// leaveConfirmLimit bounds the wait for the server to confirm a leave request by closing the signalling.
const leaveConfirmLimit = 500 * time.Millisecond

// sendLeave sends the participant's leave request, and waits for the confirmation.
func (c *connection) sendLeave(reason livekit.DisconnectReason) {
	c.mu.Lock()
	ended := c.ended
	c.mu.Unlock()
	if c.sendLeaveRequest(reason) != nil {
		return
	}
	select {
	case <-ended:
	case <-time.After(leaveConfirmLimit):
	}
}

// closeSocket closes the signalling.
func (c *connection) closeSocket() {
	c.mu.Lock()
	socket := c.socket
	c.socket = nil
	c.mu.Unlock()
	if socket != nil {
		_ = socket.CloseNow()
	}
}
