package sip

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	"github.com/twitchtv/twirp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Provisioner keeps the phone numbers at the SIP service of an outside LiveKit: an inbound trunk for each, and a dispatch rule that
// gives each of its calls a room. It changes no trunk and no rule of others.
type Provisioner struct {
	o       ProvisionerOptions
	service livekit.SIP
	// refused counts by the number's id how often in a row LiveKit refused it.
	refused map[string]int
}

// ProvisionerOptions configures a Provisioner.
type ProvisionerOptions struct {
	URL, Key, Secret string // of LiveKit
	// Installation marks what belongs to this installation: several may share one LiveKit.
	Installation string
	// Agent is the name under which this installation is notified of rooms, see Notices.
	Agent string
	// RingTimeout is how long a caller waits for an agent. Empty and Departure are those of the rooms.
	RingTimeout, Empty, Departure time.Duration
	Log                           *slog.Logger
}

// NewProvisioner makes no connection yet.
func NewProvisioner(o ProvisionerOptions) *Provisioner {
	return &Provisioner{o: o, service: livekit.NewSIPProtobufClient(httpURL(o.URL), http.DefaultClient), refused: map[string]int{}}
}

// inboundRoomPrefix begins the names of rooms that LiveKit makes for inbound calls. The number's id follows.
const inboundRoomPrefix = "call-in-"

// InboundRoom returns the id of the phone number that the caller in a room dialled, false for any other room.
func InboundRoom(name string) (numberID string, ok bool) {
	rest, ok := strings.CutPrefix(name, inboundRoomPrefix)
	id, _, cut := strings.Cut(rest, "_")
	return id, ok && cut && len(id) == 36 && uuid.Validate(id) == nil
}

// mark is the metadata of a trunk or rule of this installation.
type mark struct {
	Installation string `json:"parley_installation"`
	Number       string `json:"phone_number_id"`
	// Version identifies the settings, so that a changed one is replaced. LiveKit Cloud does not return passwords.
	Version string `json:"version"`
}

func (p *Provisioner) markOf(metadata string) (m mark, own bool) {
	err := json.Unmarshal([]byte(metadata), &m)
	return m, err == nil && m.Installation == p.o.Installation && m.Number != ""
}

// metadata marks the settings of a number's trunk or rule.
func (p *Provisioner) metadata(numberID string, settings proto.Message) string {
	plain, _ := proto.MarshalOptions{Deterministic: true}.Marshal(settings) // valid by construction
	sum := hmac.New(sha256.New, []byte(p.o.Secret))
	sum.Write(plain)
	text, _ := json.Marshal(mark{p.o.Installation, numberID, hex.EncodeToString(sum.Sum(nil)[:8])})
	return string(text)
}

// trunk returns the inbound trunk of a route, nil if no call would be accepted: the trunk has neither addresses nor credentials. A
// trunk of LiveKit's accepts calls that have the address and the digest. With addresses none is required, as at the gateway.
func (p *Provisioner) trunk(r InboundRoute) *livekit.SIPInboundTrunkInfo {
	t := &livekit.SIPInboundTrunkInfo{
		Name: "parley", Numbers: []string{r.Number, "00" + r.Number[1:]}, Media: r.Encryption.config(), RingingTimeout: durationpb.New(p.o.RingTimeout),
	}
	for _, n := range r.Addresses {
		t.AllowedAddresses = append(t.AllowedAddresses, n.String())
	}
	switch {
	case len(r.Addresses) > 0:
	case r.hasCredentials():
		t.AuthUsername, t.AuthPassword = r.Username, r.Password
	default:
		return nil
	}
	t.Metadata = p.metadata(r.ID, t)
	return t
}

// rule returns the dispatch rule of a number's trunk.
func (p *Provisioner) rule(numberID, trunkID string) *livekit.SIPDispatchRuleInfo {
	d := &livekit.SIPDispatchRuleInfo{
		Name: "parley", TrunkIds: []string{trunkID},
		Rule: &livekit.SIPDispatchRule{Rule: &livekit.SIPDispatchRule_DispatchRuleCallee{
			DispatchRuleCallee: &livekit.SIPDispatchRuleCallee{RoomPrefix: inboundRoomPrefix + numberID, Randomize: true},
		}},
		RoomConfig: &livekit.RoomConfiguration{
			EmptyTimeout: uint32(p.o.Empty.Seconds()), DepartureTimeout: uint32(p.o.Departure.Seconds()), MaxParticipants: 1,
			Agents: []*livekit.RoomAgentDispatch{{AgentName: p.o.Agent}},
		},
	}
	d.Metadata = p.metadata(numberID, d)
	return d
}

// Provision makes LiveKit's trunks and rules those of the routes, of which a number has one.
func (p *Provisioner) Provision(ctx context.Context, routes []InboundRoute) error {
	token, err := auth.NewAccessToken(p.o.Key, p.o.Secret).SetSIPGrant(&auth.SIPGrant{Admin: true}).SetValidFor(tokenTTL).ToJWT()
	if err == nil {
		ctx, err = twirp.WithHTTPRequestHeaders(ctx, http.Header{"Authorization": {"Bearer " + token}})
	}
	if err != nil {
		return fmt.Errorf("sign a request to LiveKit: %w", err)
	}
	wanted := map[string]*livekit.SIPInboundTrunkInfo{} // by the number's id
	for _, r := range routes {
		if t := p.trunk(r); t != nil {
			wanted[r.ID] = t
		}
	}
	refused := map[string]int{}
	trunks, err := p.provisionTrunks(ctx, wanted, refused)
	if err != nil {
		return err
	}
	if err := p.provisionRules(ctx, trunks, refused); err != nil {
		return err
	}
	p.refused = refused
	return nil
}

// provisionTrunks returns the ids of the trunks by the id of their number, without those that LiveKit refused.
func (p *Provisioner) provisionTrunks(ctx context.Context, wanted map[string]*livekit.SIPInboundTrunkInfo, refused map[string]int) (ids map[string]string, err error) {
	list, err := p.service.ListSIPInboundTrunk(ctx, &livekit.ListSIPInboundTrunkRequest{})
	if err != nil {
		return nil, fmt.Errorf("list LiveKit's inbound trunks: %w", concise(err))
	}
	ids = map[string]string{}
	for _, t := range list.Items {
		m, own := p.markOf(t.Metadata)
		if !own {
			continue
		}
		want := wanted[m.Number]
		switch {
		case want == nil || ids[m.Number] != "":
			if _, err := p.service.DeleteSIPTrunk(ctx, &livekit.DeleteSIPTrunkRequest{SipTrunkId: t.SipTrunkId}); err != nil && !absent(err) {
				return nil, fmt.Errorf("delete an inbound trunk at LiveKit: %w", concise(err))
			}
			continue
		case want.Metadata != t.Metadata:
			_, err := p.service.UpdateSIPInboundTrunk(ctx, &livekit.UpdateSIPInboundTrunkRequest{
				SipTrunkId: t.SipTrunkId, Action: &livekit.UpdateSIPInboundTrunkRequest_Replace{Replace: want},
			})
			if err := p.noteRefusal(ctx, m.Number, err, refused); err != nil {
				return nil, err
			}
		}
		ids[m.Number] = t.SipTrunkId
	}
	for id, want := range wanted {
		if ids[id] != "" {
			continue
		}
		made, err := p.service.CreateSIPInboundTrunk(ctx, &livekit.CreateSIPInboundTrunkRequest{Trunk: want})
		if err == nil {
			ids[id] = made.SipTrunkId
		}
		if err := p.noteRefusal(ctx, id, err, refused); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// noteRefusal counts a number that LiveKit refuses, because another trunk there has it, and logs the second refusal: the first may be
// due to another node, which provisions at the same moment. It returns any other error.
func (p *Provisioner) noteRefusal(ctx context.Context, numberID string, err error, refused map[string]int) error {
	var answer twirp.Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &answer) || answer.Code() != twirp.InvalidArgument:
		return fmt.Errorf("set up a phone number at LiveKit: %w", concise(err))
	}
	if refused[numberID] = p.refused[numberID] + 1; refused[numberID] == 2 {
		p.o.Log.WarnContext(ctx, "LiveKit refuses a phone number; another inbound trunk there may have it", "phone_number", numberID)
	}
	return nil
}

// provisionRules makes a rule for each trunk, by the id of its number.
func (p *Provisioner) provisionRules(ctx context.Context, trunks map[string]string, refused map[string]int) error {
	list, err := p.service.ListSIPDispatchRule(ctx, &livekit.ListSIPDispatchRuleRequest{})
	if err != nil {
		return fmt.Errorf("list LiveKit's dispatch rules: %w", concise(err))
	}
	made := map[string]bool{} // by the number's id
	for _, d := range list.Items {
		m, own := p.markOf(d.Metadata)
		if !own {
			continue
		}
		if id := trunks[m.Number]; id != "" && !made[m.Number] && d.Metadata == p.rule(m.Number, id).Metadata {
			made[m.Number] = true
			continue
		}
		if _, err := p.service.DeleteSIPDispatchRule(ctx, &livekit.DeleteSIPDispatchRuleRequest{SipDispatchRuleId: d.SipDispatchRuleId}); err != nil && !absent(err) {
			return fmt.Errorf("delete a dispatch rule at LiveKit: %w", concise(err))
		}
	}
	for number, trunk := range trunks {
		if made[number] {
			continue
		}
		_, err := p.service.CreateSIPDispatchRule(ctx, &livekit.CreateSIPDispatchRuleRequest{DispatchRule: p.rule(number, trunk)})
		if err := p.noteRefusal(ctx, number, err, refused); err != nil {
			return err
		}
	}
	return nil
}

// absent reports whether LiveKit does not know what a request named.
func absent(err error) bool {
	var answer twirp.Error
	return errors.As(err, &answer) && answer.Code() == twirp.NotFound
}

// concise is LiveKit's error without what it quotes.
func concise(err error) error {
	var answer twirp.Error
	if errors.As(err, &answer) && answer.Code() != twirp.Internal {
		return errors.New(string(answer.Code()))
	}
	return errors.New(errorText(err))
}
