package api

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/seal"
	"parley/internal/sip"
)

type createTrunkBody struct {
	Name             string              `json:"name" minLength:"1" maxLength:"255" example:"Carrier"`
	Address          string              `json:"address" doc:"SIP address of the carrier, as host or host:port." example:"sip.example.com:5061"`
	Transport        sip.Transport       `json:"transport,omitempty" enum:"udp,tcp,tls" default:"udp"`
	Username         *string             `json:"username,omitempty" nullable:"true" maxLength:"255" example:"parley"`
	Password         *string             `json:"password,omitempty" nullable:"true" maxLength:"255" doc:"Encrypted at rest and never returned." example:"correct horse battery staple"`
	CallerID         *string             `json:"caller_id,omitempty" nullable:"true" maxLength:"64" doc:"Caller ID shown to the callee, in E.164 format, or as it is dialled in default_country." example:"+4930123456"`
	Headers          map[string]string   `json:"headers,omitempty" doc:"SIP headers added to every outbound call. Encrypted at rest; the values are never returned. Headers of the protocol itself are not allowed." example:"{\"X-Account\":\"4711\"}"`
	AllowedAddresses []string            `json:"allowed_addresses,omitempty" nullable:"false" maxItems:"50" doc:"IP addresses and networks (CIDR, prefix of /16 or longer, of IPv6 /32) of the trunk's inbound calls. Calls from other addresses must authenticate with username and password." example:"[\"203.0.113.0/24\"]"`
	MediaEncryption  sip.MediaEncryption `json:"media_encryption,omitempty" enum:"off,allow,require" default:"off" doc:"Media encryption (SRTP): off, allow (the other side decides) or require. Default: off."`
	AcceptTransfers  bool                `json:"accept_transfers,omitempty"`
	FromDomain       *string             `json:"from_domain,omitempty" nullable:"true" maxLength:"253" doc:"Host of the From header, and of the identity headers. Default: the host of address if there is a username, otherwise the server's address." example:"acme.example"`
	Identity         sip.Identity        `json:"identity,omitempty" enum:"from,p_asserted,p_preferred" default:"from" doc:"Header that has the caller ID: From, P-Asserted-Identity or P-Preferred-Identity (RFC 3325). With the last two, From has the username."`
	Privacy          sip.Privacy         `json:"privacy,omitempty" enum:"none,id" default:"none" doc:"id withholds the caller ID from the callee: an anonymous From and the header Privacy: id (RFC 3323)."`
	DefaultCountry   *string             `json:"default_country,omitempty" nullable:"true" maxLength:"2" doc:"Country (ISO 3166, two letters) in which numbers without a country code are dialled. Without it, numbers are E.164." example:"US"`
	AllowURIs        bool                `json:"allow_uris,omitempty" doc:"Whether calls may be dispatched to extensions (1001) and to SIP URIs at the trunk (sip:alice@pbx.example)."`
	HeadersIn        []string            `json:"headers_in,omitempty" nullable:"false" maxItems:"20" doc:"Names of SIP headers of inbound calls that become variables: X-Account becomes {{user.sip.x_account}}." example:"[\"X-Account\"]"`
	HeadersOut       []string            `json:"headers_out,omitempty" nullable:"false" maxItems:"20" doc:"Names of SIP headers that the sip_headers of a dispatch may have." example:"[\"X-Order\"]"`
	IsDefault        bool                `json:"is_default,omitempty" doc:"Whether the trunk becomes the default, replacing the current one. Without a default the oldest trunk is used."`
}

// updateTrunkBody is read from the raw body: it is a JSON Merge Patch.
type updateTrunkBody struct{}

// updateTrunkFields describes the patch where it differs from a creation.
type updateTrunkFields struct {
	Name             string             `json:"name,omitempty" maxLength:"255"`
	Address          string             `json:"address,omitempty" doc:"SIP address of the carrier, as host or host:port."`
	Transport        string             `json:"transport,omitempty" enum:"udp,tcp,tls"`
	Username         string             `json:"username,omitempty" nullable:"true" maxLength:"255" doc:"Set to null to remove." example:"parley"`
	Password         string             `json:"password,omitempty" nullable:"true" maxLength:"255" doc:"Set to null to remove; unchanged if absent. Required when address, transport or username of a trunk with a password changes." example:"correct horse battery staple"`
	CallerID         string             `json:"caller_id,omitempty" nullable:"true" doc:"Caller ID in E.164 format; null removes it."`
	Headers          map[string]*string `json:"headers,omitempty" doc:"Merged with the stored headers; null removes a header, a masked value keeps the stored one. Values are required again when address, transport or username changes." example:"{\"X-Account\":\"4711\"}"`
	AllowedAddresses []string           `json:"allowed_addresses,omitempty" nullable:"true" maxItems:"50" doc:"IP addresses and networks (CIDR, prefix of /16 or longer, of IPv6 /32) of the trunk's inbound calls; null removes them." example:"[\"203.0.113.0/24\"]"`
	MediaEncryption  string             `json:"media_encryption,omitempty" enum:"off,allow,require"`
	AcceptTransfers  bool               `json:"accept_transfers,omitempty"`
	FromDomain       string             `json:"from_domain,omitempty" nullable:"true" maxLength:"253" doc:"Host of the From header, and of the identity headers; null removes it."`
	Identity         string             `json:"identity,omitempty" enum:"from,p_asserted,p_preferred"`
	Privacy          string             `json:"privacy,omitempty" enum:"none,id"`
	DefaultCountry   string             `json:"default_country,omitempty" nullable:"true" maxLength:"2" doc:"Country (ISO 3166, two letters) in which numbers without a country code are dialled; null removes it. Stored numbers stay as they are."`
	AllowURIs        bool               `json:"allow_uris,omitempty"`
	HeadersIn        []string           `json:"headers_in,omitempty" nullable:"true" maxItems:"20" doc:"Names of SIP headers of inbound calls that become variables; null removes them." example:"[\"X-Account\"]"`
	HeadersOut       []string           `json:"headers_out,omitempty" nullable:"true" maxItems:"20" doc:"Names of SIP headers that the sip_headers of a dispatch may have; null removes them." example:"[\"X-Order\"]"`
	IsDefault        bool               `json:"is_default,omitempty"`
}

// Schema describes the patch.
func (updateTrunkBody) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[updateTrunkFields](), true, "")
}

type trunkBody struct {
	ID               string              `json:"id" format:"uuid"`
	Name             string              `json:"name" example:"Carrier"`
	Address          string              `json:"address" example:"sip.example.com:5061"`
	Transport        sip.Transport       `json:"transport" enum:"udp,tcp,tls"`
	Username         *string             `json:"username" nullable:"true"`
	HasPassword      bool                `json:"has_password"`
	CallerID         *string             `json:"caller_id" nullable:"true"`
	Headers          map[string]string   `json:"headers" doc:"SIP headers of outbound calls. Values are masked: ********." example:"{\"X-Account\":\"********\"}"`
	AllowedAddresses []string            `json:"allowed_addresses" nullable:"false"`
	MediaEncryption  sip.MediaEncryption `json:"media_encryption" enum:"off,allow,require"`
	AcceptTransfers  bool                `json:"accept_transfers"`
	FromDomain       *string             `json:"from_domain" nullable:"true"`
	Identity         sip.Identity        `json:"identity" enum:"from,p_asserted,p_preferred"`
	Privacy          sip.Privacy         `json:"privacy" enum:"none,id"`
	DefaultCountry   *string             `json:"default_country" nullable:"true"`
	AllowURIs        bool                `json:"allow_uris"`
	HeadersIn        []string            `json:"headers_in" nullable:"false"`
	HeadersOut       []string            `json:"headers_out" nullable:"false"`
	IsDefault        bool                `json:"is_default"`
	CreatedAt        wire.Time           `json:"created_at"`
	UpdatedAt        wire.Time           `json:"updated_at"`
}

func showTrunk(t *sip.Trunk, _ []string) trunkBody {
	return trunkBody{t.ID, t.Name, t.Address, t.Transport, t.Username, t.Password != nil, t.CallerID, seal.MaskHeaders(t.Headers), t.AllowedAddresses, t.MediaEncryption, t.AcceptTransfers,
		t.FromDomain, t.Identity, t.Privacy, t.DefaultCountry, t.AllowURIs, t.HeadersIn, t.HeadersOut, t.IsDefault, wire.Time(t.CreatedAt), wire.Time(t.UpdatedAt)}
}

// Probes is what the API needs to ask trunks whether they are there.
type Probes interface {
	Probe(ctx context.Context, tenantID string, t *sip.Trunk) (sip.ProbeResult, error)
}

type trunkCheckBody struct {
	Reached    bool    `json:"reached" doc:"Whether a SIP server responded." example:"true"`
	SIPStatus  *int    `json:"sip_status" nullable:"true" doc:"SIP status of the response; null without one." example:"200"`
	Message    string  `json:"message" doc:"Explanation of the result." example:"The trunk responds."`
	DurationMS float64 `json:"duration_ms" doc:"Time from the request to the response, in milliseconds." example:"34"`
}

type trunkIn struct {
	ID wire.ID `path:"id" doc:"Unique identifier of the trunk."`
}

type createTrunkIn struct {
	Body createTrunkBody
}

type updateTrunkIn struct {
	ID      wire.ID `path:"id" doc:"Unique identifier of the trunk."`
	Body    updateTrunkBody
	RawBody []byte
}

func (s *Server) registerTrunks() {
	const tag, path = "SIP trunks", "/api/v1/sip-trunks"
	trunks := wire.Resource[sip.Store, sip.Trunk, trunkBody]{
		Router: s.router, Tag: tag, Path: path, Key: "id", Title: "a SIP trunk", Scope: "sip", LiveOnly: true, Store: s.sip, Show: showTrunk,
	}
	wire.List(trunks, wire.Operation{Description: "Newest first."},
		func(ctx context.Context, store sip.Store, in *wire.PageIn) ([]sip.Trunk, int64, error) {
			return store.Trunks(ctx, in.Limit, in.Offset)
		}, trunks.Body)
	wire.Create(trunks, wire.Operation{}, func(ctx context.Context, store sip.Store, in *createTrunkIn) (*sip.Trunk, []string, error) {
		b := in.Body
		trunk, err := store.CreateTrunk(ctx, sip.TrunkDraft{Name: b.Name, Address: b.Address, Transport: b.Transport,
			Username: b.Username, Password: b.Password, CallerID: b.CallerID, Headers: b.Headers,
			AllowedAddresses: b.AllowedAddresses, MediaEncryption: b.MediaEncryption, AcceptTransfers: b.AcceptTransfers, IsDefault: b.IsDefault,
			CallSettings: sip.CallSettings{FromDomain: b.FromDomain, Identity: b.Identity, Privacy: b.Privacy, DefaultCountry: b.DefaultCountry,
				AllowURIs: b.AllowURIs, HeadersIn: b.HeadersIn, HeadersOut: b.HeadersOut}})
		return trunk, nil, err
	})
	wire.Get[trunkIn](trunks, wire.Operation{}, sip.Store.Trunk)
	wire.Update[updateTrunkIn](trunks, wire.Operation{
		Method: http.MethodPatch, MergePatch: true, Errors: []fault.Code{fault.NotFound, fault.Conflict},
		Description: "The body is a JSON Merge Patch (RFC 7396). The result is validated as on creation. When `address`, `transport` or `username` changes, the password and the values of kept headers must be given again. A change after which inbound calls could belong to another tenant's trunk as well, by addresses or credentials, is rejected.",
	}, wire.WithoutWarnings(sip.Store.UpdateTrunk))
	wire.Delete[trunkIn](trunks, wire.Operation{
		Description: "A trunk that phone numbers use cannot be deleted.", Errors: []fault.Code{fault.NotFound, fault.Conflict},
	}, sip.Store.DeleteTrunk)
	wire.Register(s.router, wire.Operation{
		ID: "check-sip-trunk", Method: http.MethodPost, Path: path + "/{id}/check", Tag: tag, LiveOnly: true, Scope: "sip:write",
		Summary: "Check a SIP trunk", Description: "Sends OPTIONS to the trunk, without credentials, and waits at most 10 seconds for the response. A response does not mean that the trunk accepts calls.",
		Errors: []fault.Code{fault.NotFound},
	}, s.checkTrunk)
}

func (s *Server) sip(who auth.Principal) sip.Store {
	return s.deps.SIP.In(s.deps.DB.Tenant(who.TenantID))
}

func (s *Server) checkTrunk(ctx context.Context, who auth.Principal, in *trunkIn) (*wire.Answer[trunkCheckBody], error) {
	t, err := s.sip(who).Trunk(ctx, in.ID.String())
	if err != nil {
		return nil, err
	}
	probed, err := s.deps.Probes.Probe(ctx, who.TenantID, t)
	if err != nil {
		return nil, err
	}
	body := trunkCheckBody{Reached: probed.Reached, Message: probed.Detail, DurationMS: float64(probed.Duration) / float64(time.Millisecond)}
	if probed.Status != 0 {
		body.SIPStatus = &probed.Status
	}
	return wire.NewAnswer(body), nil
}
