package sip

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/twitchtv/twirp"
	"google.golang.org/protobuf/types/known/durationpb"
)

// ServiceOptions configures the SIP service of an outside LiveKit.
type ServiceOptions struct {
	URL, Key, Secret string
	// AllowPrivateNetworks permits private addresses for tenants' trunks.
	AllowPrivateNetworks bool
}

// Service dials through the SIP service of an outside LiveKit.
type Service struct {
	options ServiceOptions
	network network
	// sip is not a client of LiveKit's SDK, which retries in another region: a number could be dialled twice.
	sip   livekit.SIP
	rooms *lksdk.RoomServiceClient

	availability availability
}

// transports maps the transports to LiveKit's.
var transports = map[Transport]livekit.SIPTransport{
	UDP: livekit.SIPTransport_SIP_TRANSPORT_UDP,
	TCP: livekit.SIPTransport_SIP_TRANSPORT_TCP,
	TLS: livekit.SIPTransport_SIP_TRANSPORT_TLS,
}

// config returns the equivalent LiveKit configuration.
func (e MediaEncryption) config() *livekit.SIPMediaConfig {
	encryption := livekit.SIPMediaEncryption_SIP_MEDIA_ENCRYPT_DISABLE
	switch e {
	case EncryptionAllow:
		encryption = livekit.SIPMediaEncryption_SIP_MEDIA_ENCRYPT_ALLOW
	case EncryptionRequire:
		encryption = livekit.SIPMediaEncryption_SIP_MEDIA_ENCRYPT_REQUIRE
	}
	return &livekit.SIPMediaConfig{Encryption: &encryption}
}

func httpURL(url string) string {
	if rest, ok := strings.CutPrefix(url, "ws"); ok {
		return "http" + rest
	}
	return url
}

// removeTimeout bounds removing a phone from its room.
const removeTimeout = 10 * time.Second

// NewService returns a Service; it makes no connection yet.
func NewService(o ServiceOptions) *Service {
	url := httpURL(o.URL)
	return &Service{
		options: o, network: network{allowPrivate: o.AllowPrivateNetworks},
		sip: livekit.NewSIPProtobufClient(url, http.DefaultClient), rooms: lksdk.NewRoomServiceClient(url, o.Key, o.Secret),
	}
}

const (
	// pollInterval is how often a dialled phone is polled for ringing.
	pollInterval = time.Second
	// answerGrace is added to the ring timeout for the response to arrive through LiveKit.
	answerGrace = 10 * time.Second
	// tokenTTL is how long a request's token is valid; LiveKit checks it when the request starts.
	tokenTTL = time.Minute
)

// Dial behaves as Gateway.Dial. When the outcome of a dial is unknown, the phone's participant is removed, which
// ends the ringing or the call, so that no phone stays connected unnoticed.
func (s *Service) Dial(ctx context.Context, d DialRequest) error {
	targets, dialErr := s.network.targets(ctx, d.Trunk)
	if dialErr == nil && targets[0].Address.Addr().Is6() {
		dialErr = unreachable("The trunk has no IPv4 address, and LiveKit's SIP service uses no other.")
	}
	if dialErr != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("dial: %w", context.Cause(ctx))
		}
		return dialErr
	}
	allowed, err := s.authorize(ctx, d.Room)
	if err != nil {
		return err
	}
	from, domain := d.Trunk.from()
	polling, stop := context.WithCancel(ctx)
	var rang atomic.Bool
	var poll sync.WaitGroup
	poll.Go(func() { s.pollRinging(polling, d, &rang) })
	limited, cancel := context.WithTimeout(allowed, d.RingTimeout+answerGrace)
	defer cancel()
	request := &livekit.CreateSIPParticipantRequest{
		Trunk: &livekit.SIPOutboundConfig{Hostname: d.Trunk.Address, Transport: transports[d.Trunk.Transport],
			AuthUsername: d.Trunk.Username, AuthPassword: d.Trunk.Password, FromHost: domain},
		SipCallTo: d.Number, SipNumber: from, RoomName: d.Room, ParticipantIdentity: d.Identity, HidePhoneNumber: true,
		Headers: d.Trunk.Headers, Media: d.Trunk.Encryption.config(), RingingTimeout: durationpb.New(d.RingTimeout), WaitUntilAnswered: true,
	}
	if d.MaxDuration > 0 {
		request.MaxCallDuration = durationpb.New(d.MaxDuration)
	}
	start := time.Now()
	_, err = s.sip.CreateSIPParticipant(limited, request)
	stop()
	poll.Wait()
	if err == nil {
		s.availability.recordDial(true, time.Now())
		return nil
	}
	var twirpError twirp.Error
	noService := false
	if errors.As(err, &twirpError) {
		// Without a SIP status, "unavailable" is LiveKit's bus: no service accepted the request, so that nothing was dialled.
		noService = strings.Contains(twirpError.Msg(), "sip not connected") || twirpError.Code() == twirp.Unavailable && twirpError.Meta("sip_status_code") == ""
		s.availability.recordDial(!noService, time.Now())
		status, err := strconv.Atoi(twirpError.Meta("sip_status_code"))
		switch {
		case err == nil && status == 408 && !rang.Load(): // LiveKit's status for a call that did not even ring
			return unreachable("The trunk does not answer.")
		case err == nil:
			return dialErrorOf(status)
		case strings.Contains(twirpError.Msg(), "sip not connected"): // LiveKit has no code for it
			return unreachable("The media server has no SIP service to dial with.")
		}
	}
	s.removePhone(d)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("dial: %w", context.Cause(ctx))
	case noService:
		return unreachable("The media server has no SIP service to dial with.")
	case rang.Load():
		return &DialError{Cause: RingTimeout, Detail: "Nobody answered the phone within " + d.RingTimeout.String() + "."}
	case time.Since(start) >= d.RingTimeout:
		return unreachable("The trunk does not answer.")
	}
	if twirpError != nil {
		return fmt.Errorf("ask LiveKit to dial: %s", twirpError.Code())
	}
	return fmt.Errorf("ask LiveKit to dial: %s", errorText(err))
}

// authorize returns a context with a token to dial for a room, and to transfer its phone.
func (s *Service) authorize(ctx context.Context, room string) (context.Context, error) {
	token, err := auth.NewAccessToken(s.options.Key, s.options.Secret).SetSIPGrant(&auth.SIPGrant{Call: true}).
		SetVideoGrant(&auth.VideoGrant{RoomAdmin: true, Room: room}).SetValidFor(tokenTTL).ToJWT()
	if err != nil {
		return nil, fmt.Errorf("sign a request to LiveKit: %w", err)
	}
	ctx, err = twirp.WithHTTPRequestHeaders(ctx, http.Header{"Authorization": {"Bearer " + token}})
	if err != nil {
		return nil, fmt.Errorf("sign a request to LiveKit: %w", err)
	}
	return ctx, nil
}

// pollRinging polls whether the phone rings.
func (s *Service) pollRinging(ctx context.Context, d DialRequest, rang *atomic.Bool) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			p, err := s.rooms.GetParticipant(ctx, &livekit.RoomParticipantIdentity{Room: d.Room, Identity: d.Identity})
			if err == nil && p.Attributes[livekit.AttrSIPCallStatus] == "ringing" {
				rang.Store(true)
				return
			}
		}
	}
}

func (s *Service) removePhone(d DialRequest) {
	ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
	defer cancel()
	_, _ = s.rooms.RemoveParticipant(ctx, &livekit.RoomParticipantIdentity{Room: d.Room, Identity: d.Identity}) // it may have left already
}

// Transfer behaves as Gateway.Transfer, for any phone in a room.
func (s *Service) Transfer(ctx context.Context, room, identity, number string) error {
	allowed, err := s.authorize(ctx, room)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(allowed, transferTimeout+answerGrace)
	defer cancel()
	_, err = s.sip.TransferSIPParticipant(limited, &livekit.TransferSIPParticipantRequest{
		RoomName: room, ParticipantIdentity: identity, TransferTo: "tel:" + number, RingingTimeout: durationpb.New(transferTimeout),
	})
	var twirpError twirp.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &twirpError) && twirpError.Meta("sip_status_code") != "":
		return fmt.Errorf("the trunk did not transfer the call (SIP %s)", twirpError.Meta("sip_status_code"))
	}
	return errors.New("LiveKit did not transfer the call")
}
