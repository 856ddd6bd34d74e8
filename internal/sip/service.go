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

// ServiceOptions say where an outside LiveKit is, and what it may be asked for.
type ServiceOptions struct {
	URL, Key, Secret string
	// AllowPrivateNetworks lets tenants' trunks be at private addresses.
	AllowPrivateNetworks bool
}

// Service dials through the SIP service that belongs to an outside LiveKit.
type Service struct {
	options ServiceOptions
	network network
	// sip is no client of LiveKit's SDK: that one asks another region again when the first fails, and a number would ring
	// twice.
	sip   livekit.SIP
	rooms *lksdk.RoomServiceClient

	presence presence
}

// NewService connects to nothing yet.
func NewService(o ServiceOptions) *Service {
	url := httpURL(o.URL)
	return &Service{
		options: o, network: network{allowPrivate: o.AllowPrivateNetworks},
		sip: livekit.NewSIPProtobufClient(url, http.DefaultClient), rooms: lksdk.NewRoomServiceClient(url, o.Key, o.Secret),
	}
}

const (
	// glance is how often a phone that was dialled is looked at: whether it rings.
	glance = time.Second
	// answerGrace is how much longer than the phone may ring its answer may take to come through LiveKit.
	answerGrace = 10 * time.Second
	// authorized is how long LiveKit may take to begin with a request.
	authorized = time.Minute
)

// Dial is as the gateway's. Where it cannot be known how a dial ended, the phone's participant is removed, which ends the
// ringing or the call: nobody is left with a phone that nobody else knows of.
func (s *Service) Dial(ctx context.Context, d Dial) error {
	at, refusal := s.network.resolve(ctx, d.Trunk)
	if refusal == nil {
		refusal = s.network.allows(d.Trunk, at.Addr())
	}
	if refusal != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("dial: %w", context.Cause(ctx))
		}
		return refusal
	}
	allowed, err := s.authorize(ctx)
	if err != nil {
		return err
	}
	from, domain := d.Trunk.from()
	watching, stop := context.WithCancel(ctx)
	var rang atomic.Bool
	var watch sync.WaitGroup
	watch.Go(func() { s.watch(watching, d, &rang) })
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
	watch.Wait()
	if err == nil {
		s.presence.record(true, time.Now())
		return nil
	}
	var told twirp.Error
	if errors.As(err, &told) {
		// Without a SIP status, "unavailable" is LiveKit's bus: no service answered the request.
		away := strings.Contains(told.Msg(), "sip not connected") || told.Code() == twirp.Unavailable && told.Meta("sip_status_code") == ""
		s.presence.record(!away, time.Now())
		status, err := strconv.Atoi(told.Meta("sip_status_code"))
		switch {
		case err == nil && status == 408 && !rang.Load(): // LiveKit's own word for what did not even ring
			return unreachable("The trunk does not answer.")
		case err == nil:
			return refused(status)
		case strings.Contains(told.Msg(), "sip not connected"): // LiveKit's words; it has no code for it
			return unreachable("The media server has no SIP service to dial with.")
		}
	}
	s.remove(d)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("dial: %w", context.Cause(ctx))
	case rang.Load():
		return &Refusal{Cause: RingTimeout, Detail: "Nobody answered the phone within " + d.RingTimeout.String() + "."}
	case time.Since(start) >= d.RingTimeout:
		return unreachable("The trunk does not answer.")
	}
	if told != nil {
		return fmt.Errorf("ask LiveKit to dial: %s", told.Code())
	}
	return fmt.Errorf("ask LiveKit to dial: %s", personal.ReplaceAllString(err.Error(), "…"))
}

// authorize is a context with which LiveKit may be asked to dial.
func (s *Service) authorize(ctx context.Context) (context.Context, error) {
	token, err := auth.NewAccessToken(s.options.Key, s.options.Secret).SetSIPGrant(&auth.SIPGrant{Call: true}).SetValidFor(authorized).ToJWT()
	if err != nil {
		return nil, fmt.Errorf("sign a request to LiveKit: %w", err)
	}
	ctx, err = twirp.WithHTTPRequestHeaders(ctx, http.Header{"Authorization": {"Bearer " + token}})
	if err != nil {
		return nil, fmt.Errorf("sign a request to LiveKit: %w", err)
	}
	return ctx, nil
}

// watch looks whether the phone rings.
func (s *Service) watch(ctx context.Context, d Dial, rang *atomic.Bool) {
	tick := time.NewTicker(glance)
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

func (s *Service) remove(d Dial) {
	ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
	defer cancel()
	_, _ = s.rooms.RemoveParticipant(ctx, &livekit.RoomParticipantIdentity{Room: d.Room, Identity: d.Identity}) // it may be gone already
}

// Transfer is as the gateway's, of any phone in a room.
func (s *Service) Transfer(ctx context.Context, room, identity, number string) error {
	limited, cancel := context.WithTimeout(ctx, transferWait+answerGrace)
	defer cancel()
	_, err := s.sip.TransferSIPParticipant(limited, &livekit.TransferSIPParticipantRequest{
		RoomName: room, ParticipantIdentity: identity, TransferTo: "tel:" + number, RingingTimeout: durationpb.New(transferWait),
	})
	var told twirp.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &told) && told.Meta("sip_status_code") != "":
		return fmt.Errorf("the trunk did not transfer the call (SIP %s)", told.Meta("sip_status_code"))
	}
	return errors.New("LiveKit did not transfer the call")
}
