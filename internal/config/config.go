// Package config is Parley's configuration: environment variables, each also a flag, with defaults and validation.
// docs/configuration.md has the same table.
package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Store is the settings of data and secrets, for every command that uses the database.
type Store struct {
	DataDir           string   `name:"data-dir" env:"PARLEY_DATA_DIR" default:"./data" placeholder:"DIR" help:"Folder for the SQLite database, generated secrets, recordings and the demo tenant's API key; readable by its owner only."`
	DatabaseURL       string   `name:"database-url" env:"DATABASE_URL" secret:"" placeholder:"URL" help:"postgres://… for PostgreSQL 15 or later. Default: SQLite in the data folder."`
	JWTSecret         string   `name:"jwt-secret" env:"JWT_SECRET" secret:"" placeholder:"SECRET" help:"Signs session tokens, at least 32 characters. Default: generated in the data folder on SQLite; required on PostgreSQL."`
	EncryptionKey     string   `name:"encryption-key" env:"ENCRYPTION_KEY" secret:"" placeholder:"KEY" help:"Encrypts contexts and secrets, and hashes API keys: exactly 32 bytes, or 64 hexadecimal digits. Default: generated in the data folder on SQLite; required on PostgreSQL."`
	EncryptionKeysOld []string `name:"encryption-keys-old" env:"ENCRYPTION_KEYS_OLD" secret:"" placeholder:"KEY" help:"Earlier encryption keys, used for decryption only."`
	LogFormat         string   `name:"log-format" env:"PARLEY_LOG_FORMAT" enum:"text,json" default:"text" help:"Format of log lines on standard error: text, or json, which leaves nothing else on standard output and standard error."`
	LogLevel          string   `name:"log-level" env:"PARLEY_LOG_LEVEL" enum:"debug,info,warn,error" default:"info" help:"Minimum log level: debug, info, warn or error."`
}

// Server is the settings that serve and worker share.
type Server struct {
	Store
	Vendors
	Addr      string `name:"addr" env:"PARLEY_ADDR" default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"HTTP listener: API, documentation, and the media server's signalling at /rtc."`
	PublicURL string `name:"public-url" env:"PARLEY_PUBLIC_URL" placeholder:"URL" help:"Base URL under which clients reach the server; dispatch responses derive the media server's URL from it. Default: http:// and the listener's address."`

	RedisURL                 string   `name:"redis-url" env:"REDIS_URL" secret:"" placeholder:"URL" help:"redis://host:port, or rediss:// for TLS: shares rate limits and notifications between nodes. Default: rate limits for each process, and notifications through PostgreSQL."`
	SessionRateLimit         int      `name:"session-rate-limit" env:"PARLEY_SESSION_RATE_LIMIT" default:"600" placeholder:"N" help:"Requests a minute that a signed-in user may make; 0 for any number. API keys have their own limits."`
	MaxKeyRateLimit          int      `name:"max-key-rate-limit" env:"PARLEY_MAX_KEY_RATE_LIMIT" default:"100000" placeholder:"N" help:"Upper limit of requests a minute for an API key, whatever its own limit is."`
	StreamsPerTenant         int      `name:"sse-streams-per-tenant" env:"PARLEY_SSE_STREAMS_PER_TENANT" default:"100" placeholder:"N" help:"Live streams (SSE) that a tenant may have open at once on one node."`
	TrustedProxies           []string `name:"trusted-proxies" env:"PARLEY_TRUSTED_PROXIES" placeholder:"CIDR,…" help:"Proxies whose X-Forwarded-For header is trusted for a client's address: addresses or networks such as 10.0.0.0/8. Default: none."`
	MaxConnections           int      `name:"max-connections" env:"PARLEY_MAX_CONNECTIONS" default:"10000" placeholder:"N" help:"Limit of concurrent client connections; further ones are refused. At most three quarters of the process's file limit, which is also the value of 0."`
	MaxConnectionsPerAddress int      `name:"max-connections-per-address" env:"PARLEY_MAX_CONNECTIONS_PER_ADDRESS" default:"2000" placeholder:"N" help:"Limit of concurrent connections from one client address (a /64 of IPv6), except trusted proxies. 0 for no limit."`
	CORSOrigins              []string `name:"cors-origins" env:"PARLEY_CORS_ORIGINS" placeholder:"ORIGIN,…" help:"Origins of web pages that may use the API, such as https://app.example.com, or * for all, without credentials. Default: none."`
	MetricsAddr              string   `name:"metrics-addr" env:"PARLEY_METRICS_ADDR" placeholder:"HOST:PORT" help:"Second HTTP listener, without authentication: all of /metrics, and the health checks; of parley worker too, unless PARLEY_WORKER_ADDR is set. Default: none."`
	WorkerAddr               string   `name:"worker-addr" env:"PARLEY_WORKER_ADDR" placeholder:"HOST:PORT" help:"HTTP listener of parley worker, without authentication: all of /metrics, and the health checks. Default: PARLEY_METRICS_ADDR."`
	MetricsToken             string   `name:"metrics-token" env:"PARLEY_METRICS_TOKEN" secret:"" placeholder:"TOKEN" help:"Bearer token for all of /metrics, at least 16 characters. Default: none."`
	OTLPEndpoint             string   `name:"otlp-endpoint" env:"OTEL_EXPORTER_OTLP_ENDPOINT" placeholder:"URL" help:"OpenTelemetry collector for traces over HTTP (OTLP), such as http://127.0.0.1:4318. Default: no traces."`

	LiveKitURL       string `name:"livekit-url" env:"LIVEKIT_URL" placeholder:"URL" help:"URL of a separate LiveKit server. Default: the embedded one."`
	LiveKitAPIKey    string `name:"livekit-api-key" env:"LIVEKIT_API_KEY" private:"" placeholder:"KEY" help:"API key of the separate LiveKit server."`
	LiveKitAPISecret string `name:"livekit-api-secret" env:"LIVEKIT_API_SECRET" secret:"" placeholder:"SECRET" help:"API secret of the separate LiveKit server."`
	ProxySignalling  bool   `name:"proxy-signalling" env:"PARLEY_PROXY_SIGNALLING" placeholder:"true|false" help:"Separate LiveKit server: callers reach its signalling at PARLEY_PUBLIC_URL, through this server, instead of at LIVEKIT_URL; a caller whose network changes then resumes within 5 s instead of 14."`

	RTCPort    int    `name:"rtc-port" env:"PARLEY_RTC_PORT" default:"7880" help:"Embedded media server: signalling, on loopback only."`
	RTCTCPPort int    `name:"rtc-tcp-port" env:"PARLEY_RTC_TCP_PORT" default:"7881" help:"Embedded media server: media over TCP."`
	RTCUDPPort int    `name:"rtc-udp-port" env:"PARLEY_RTC_UDP_PORT" default:"7882" help:"Embedded media server: media over UDP."`
	RTCNodeIP  string `name:"rtc-node-ip" env:"PARLEY_RTC_NODE_IP" placeholder:"IP" help:"Embedded media server: the address that callers send media to. Default: 127.0.0.1 while the listener is on loopback, else the machine's first other address."`

	SIPPort     *int   `name:"sip-port" env:"PARLEY_SIP_PORT" placeholder:"PORT" help:"SIP gateway: signalling, over UDP and TCP. Default: 5060, or a free port if another program uses that."`
	SIPTLSPort  int    `name:"sip-tls-port" env:"PARLEY_SIP_TLS_PORT" default:"5061" placeholder:"PORT" help:"SIP gateway: signalling over TLS, with PARLEY_SIP_TLS_CERT."`
	SIPTLSCert  string `name:"sip-tls-cert" env:"PARLEY_SIP_TLS_CERT" placeholder:"FILE" help:"SIP gateway: certificate (PEM, with its chain) for trunks that call over TLS; read again when it changes. Default: none, no calls over TLS come in."`
	SIPTLSKey   string `name:"sip-tls-key" env:"PARLEY_SIP_TLS_KEY" placeholder:"FILE" help:"SIP gateway: key (PEM) of that certificate."`
	SIPRTPPorts string `name:"sip-rtp-ports" env:"PARLEY_SIP_RTP_PORTS" default:"10000-20000" placeholder:"FROM-TO" help:"SIP gateway: range of UDP ports for audio; each phone call uses one even port."`

	SIPTrunkAddress   string `name:"sip-trunk-address" env:"PARLEY_SIP_TRUNK_ADDRESS" placeholder:"HOST[:PORT]" help:"SIP trunk of tenants that have none. Default: none."`
	SIPTrunkTransport string `name:"sip-trunk-transport" env:"PARLEY_SIP_TRUNK_TRANSPORT" enum:"udp,tcp,tls" default:"udp" help:"Its transport: udp, tcp or tls."`
	SIPTrunkUsername  string `name:"sip-trunk-username" env:"PARLEY_SIP_TRUNK_USERNAME" private:"" placeholder:"NAME" help:"Its user name."`
	SIPTrunkPassword  string `name:"sip-trunk-password" env:"PARLEY_SIP_TRUNK_PASSWORD" secret:"" placeholder:"PASSWORD" help:"Its password."`
	SIPTrunkCallerID  string `name:"sip-trunk-caller-id" env:"PARLEY_SIP_TRUNK_CALLER_ID" private:"" placeholder:"NUMBER" help:"Its caller ID for outbound calls, E.164."`

	SIPTrunkDefaultCountry   string   `name:"sip-trunk-default-country" env:"PARLEY_SIP_TRUNK_DEFAULT_COUNTRY" placeholder:"CC" help:"Country (ISO 3166) in which its numbers are dialled without a country code. Default: none, E.164 only."`
	SIPTrunkAllowedAddresses []string `name:"sip-trunk-allowed-addresses" env:"PARLEY_SIP_TRUNK_ALLOWED_ADDRESSES" placeholder:"CIDR,…" help:"IP addresses and networks that its calls come from. Default: none."`
	SIPTrunkMediaEncryption  string   `name:"sip-trunk-media-encryption" env:"PARLEY_SIP_TRUNK_MEDIA_ENCRYPTION" enum:"off,allow,require" default:"off" help:"Whether its audio is encrypted (SRTP): off, allow or require."`
	SIPOpenNumbers           []string `name:"sip-open-numbers" env:"PARLEY_SIP_OPEN_NUMBERS" private:"" placeholder:"NUMBER,…" help:"Phone numbers, E.164, that accept calls from any address. Default: none; a call must come from its number's trunk."`
	SIPCallsPerNumber        int      `name:"sip-calls-per-number" env:"PARLEY_SIP_CALLS_PER_NUMBER" default:"20" placeholder:"N" help:"Limit of concurrent inbound calls to a phone number; 0 for none."`
	SIPCallsPerTrunk         int      `name:"sip-calls-per-trunk" env:"PARLEY_SIP_CALLS_PER_TRUNK" default:"50" placeholder:"N" help:"Limit of concurrent inbound calls through a tenant's SIP trunk; 0 for none."`
	SIPCallsPerTenant        int      `name:"sip-calls-per-tenant" env:"PARLEY_SIP_CALLS_PER_TENANT" default:"50" placeholder:"N" help:"Limit of concurrent inbound calls to a tenant's phone numbers; 0 for none."`
	SIPCallsPerAddress       int      `name:"sip-calls-per-address" env:"PARLEY_SIP_CALLS_PER_ADDRESS" default:"100" placeholder:"N" help:"Limit of concurrent inbound calls from an IP address; 0 for none."`
	SIPNewCallsPerNumber     int      `name:"sip-new-calls-per-number" env:"PARLEY_SIP_NEW_CALLS_PER_NUMBER" default:"120" placeholder:"N" help:"Limit of new inbound calls a minute to a phone number; 0 for none."`
	SIPNewCallsPerTenant     int      `name:"sip-new-calls-per-tenant" env:"PARLEY_SIP_NEW_CALLS_PER_TENANT" default:"300" placeholder:"N" help:"Limit of new inbound calls a minute to a tenant's phone numbers; 0 for none."`
	SIPNewCallsPerAddress    int      `name:"sip-new-calls-per-address" env:"PARLEY_SIP_NEW_CALLS_PER_ADDRESS" default:"1200" placeholder:"N" help:"Limit of new inbound calls a minute from an IP address; 0 for none."`
	SIPOutboundPrefixes      []string `name:"sip-outbound-prefixes" env:"PARLEY_SIP_OUTBOUND_PREFIXES" placeholder:"PREFIX,…" help:"Prefixes allowed for dialled numbers and transfer targets, such as +49. Default: all. Tenants may have narrower ones (parley tenant set)."`
	SIPOutboundRanges        []string `name:"sip-outbound-ranges" env:"PARLEY_SIP_OUTBOUND_RANGES" placeholder:"RANGE,…" help:"Special number ranges allowed for dialling: premium_rate, shared_cost, satellite. Default: none."`
	SIPOutboundAtOnce        int      `name:"sip-outbound-at-once" env:"PARLEY_SIP_OUTBOUND_AT_ONCE" default:"100" placeholder:"N" help:"Limit of a tenant's concurrent outbound phone calls, unless it has its own limit; 0 for none."`
	SIPOutboundPerMinute     int      `name:"sip-outbound-per-minute" env:"PARLEY_SIP_OUTBOUND_PER_MINUTE" default:"120" placeholder:"N" help:"Limit of a tenant's outbound phone calls a minute, likewise."`
	SIPOutboundPerDay        int      `name:"sip-outbound-per-day" env:"PARLEY_SIP_OUTBOUND_PER_DAY" default:"10000" placeholder:"N" help:"Limit of a tenant's outbound phone calls in 24 hours, likewise."`
	SIPTrace                 bool     `name:"sip-trace" env:"PARLEY_SIP_TRACE" help:"SIP gateway: stores the SIP messages of phone calls for a day, without credentials, media keys and pressed keys, for tenants to read."`
	SIPSandboxAddress        string   `name:"sip-sandbox-address" env:"PARLEY_SIP_SANDBOX_ADDRESS" placeholder:"HOST[:PORT]" help:"SIP address, over UDP, for phone calls made with test keys. Default: none; they fail with no_trunk."`

	Bucket
	OIDC

	AllowPrivateNetworks string `name:"allow-private-networks" env:"PARLEY_ALLOW_PRIVATE_NETWORKS" enum:"auto,true,false" default:"auto" help:"Lets webhooks, tools and the base URLs of tenants' provider keys have private addresses and plain http, and tenants have SIP trunks at private addresses: true, false, or auto, which is true while the listener and PARLEY_PUBLIC_URL are on loopback."`

	AdminEmail    string `name:"admin-email" env:"PARLEY_ADMIN_EMAIL" private:"" placeholder:"EMAIL" help:"E-mail address of a user that is created at start if it does not exist."`
	AdminPassword string `name:"admin-password" env:"PARLEY_ADMIN_PASSWORD" secret:"" placeholder:"PASSWORD" help:"Its password."`
	AdminTenant   string `name:"admin-tenant" env:"PARLEY_ADMIN_TENANT" placeholder:"NAME" help:"Its tenant, created as well if it does not exist."`
	Demo          string `name:"demo" env:"PARLEY_DEMO" enum:"auto,true,false" default:"auto" help:"Creates a demo tenant with an agent and a workflow on the offline providers in an empty database: true, false, or auto, which is true while the listener and PARLEY_PUBLIC_URL are on loopback and no admin is configured."`

	JoinTimeout          time.Duration `name:"join-timeout" env:"PARLEY_JOIN_TIMEOUT" default:"60s" help:"How long a call waits for its caller to join to join."`
	RingTimeout          time.Duration `name:"ring-timeout" env:"PARLEY_RING_TIMEOUT" default:"45s" help:"How long a phone may ring."`
	MaxCallDuration      time.Duration `name:"max-call-duration" env:"PARLEY_MAX_CALL_DURATION" default:"1h" help:"Maximum duration of a call."`
	SilenceTimeout       time.Duration `name:"silence-timeout" env:"PARLEY_SILENCE_TIMEOUT" default:"5m" help:"Silence of both sides after which a call ends."`
	MaxWaitingCalls      int64         `name:"max-waiting-calls" env:"PARLEY_MAX_WAITING_CALLS" default:"10000" help:"Limit of calls that wait for a worker; beyond it, dispatches get 503; 0 for none."`
	StoredBytesPerTenant int64         `name:"stored-bytes-per-tenant" env:"PARLEY_STORED_BYTES_PER_TENANT" default:"10000000000" placeholder:"N" help:"Limit of the bytes that a tenant's calls store (plans, contexts, transcripts, events), unless it has its own limit; beyond it, dispatches get 409; 0 for none."`
	PricesFile           string        `name:"prices-file" env:"PARLEY_PRICES_FILE" placeholder:"FILE" help:"JSON file with the currency of costs and prices of providers, which take precedence over the shipped ones. Default: the shipped prices, in USD."`
	SpeechCacheBytes     int64         `name:"speech-cache-bytes" env:"PARLEY_SPEECH_CACHE_BYTES" default:"268435456" placeholder:"N" help:"Limit of the bytes that the cached speech of greetings and other fixed texts takes in the data folder, of which the least recently used goes; 0 for no cache."`
	DrainDelay           time.Duration `name:"drain-delay" env:"PARLEY_DRAIN_DELAY" default:"0s" help:"How long a stopping server keeps serving, at least, while /health/ready is 503: longer than a load balancer needs to notice."`
	AuditRetention       time.Duration `name:"audit-retention" env:"PARLEY_AUDIT_RETENTION" default:"8760h" help:"Retention of audit log entries: at least a day, 8760h is a year; 0 for ever."`
	VADModel             string        `name:"vad-model" env:"PARLEY_VAD_MODEL" placeholder:"FILE" help:"Neural network for speech detection, an RNNoise model or a file written by tools/hearing. Default: the built-in one."`
	WorkerCapacity       int           `name:"worker-capacity" env:"PARLEY_WORKER_CAPACITY" placeholder:"N" help:"Limit of concurrent calls of a worker. Default: 40 per processor core."`
}

// Error is an invalid setting: its variable, and the reason.
type Error struct{ Variable, Problem string }

func (e *Error) Error() string { return e.Variable + ": " + e.Problem }

func wrong(variable, format string, args ...any) error {
	return &Error{variable, fmt.Sprintf(format, args...)}
}

// Check returns the first invalid setting, if any.
func (s *Server) Check() error {
	if err := s.Store.check(); err != nil {
		return err
	}
	if _, _, err := net.SplitHostPort(s.Addr); err != nil {
		return wrong("PARLEY_ADDR", "%q is not host:port", s.Addr)
	}
	if s.PublicURL != "" {
		u, err := url.Parse(s.PublicURL)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return wrong("PARLEY_PUBLIC_URL", "want an address such as https://voice.example.com")
		}
	}
	if err := s.checkNetwork(); err != nil {
		return err
	}
	if err := s.Vendors.check(); err != nil {
		return err
	}
	if err := s.Bucket.Check(); err != nil {
		return err
	}
	if s.LiveKitURL != "" {
		u, err := url.Parse(s.LiveKitURL)
		if err != nil || u.Host == "" || (u.Scheme != "ws" && u.Scheme != "wss" && u.Scheme != "http" && u.Scheme != "https") {
			return wrong("LIVEKIT_URL", "want an address such as wss://livekit.example.com")
		}
		if s.LiveKitAPIKey == "" {
			return wrong("LIVEKIT_API_KEY", "is required with LIVEKIT_URL")
		}
		if s.LiveKitAPISecret == "" {
			return wrong("LIVEKIT_API_SECRET", "is required with LIVEKIT_URL")
		}
	}
	for _, port := range []struct {
		variable string
		number   *int
	}{{"PARLEY_RTC_PORT", &s.RTCPort}, {"PARLEY_RTC_TCP_PORT", &s.RTCTCPPort}, {"PARLEY_RTC_UDP_PORT", &s.RTCUDPPort}, {"PARLEY_SIP_PORT", s.SIPPort}} {
		if port.number != nil && (*port.number < 1 || *port.number > 65535) {
			return wrong(port.variable, "%d is no port, want 1 to 65535", *port.number)
		}
	}
	if _, _, err := s.RTPPorts(); err != nil {
		return err
	}
	if s.RTCNodeIP != "" {
		ip, err := netip.ParseAddr(s.RTCNodeIP)
		if err != nil {
			return wrong("PARLEY_RTC_NODE_IP", "%q is no IP address", s.RTCNodeIP)
		}
		if !ip.IsLoopback() && slices.Contains(loopbackAddresses(), ip) {
			return wrong("PARLEY_RTC_NODE_IP", "%s is an address of the loopback interface, which takes no media; give one of another interface, or the public one in front of it", ip)
		}
	}
	for _, d := range []struct {
		variable string
		value    time.Duration
	}{{"PARLEY_JOIN_TIMEOUT", s.JoinTimeout}, {"PARLEY_RING_TIMEOUT", s.RingTimeout}, {"PARLEY_MAX_CALL_DURATION", s.MaxCallDuration}, {"PARLEY_SILENCE_TIMEOUT", s.SilenceTimeout}} {
		if d.value < time.Second || d.value > 24*time.Hour {
			return wrong(d.variable, "%s is out of range, want 1s to 24h", d.value)
		}
	}
	if s.DrainDelay < 0 || s.DrainDelay > time.Hour {
		return wrong("PARLEY_DRAIN_DELAY", "%s is out of range, want 0s to 1h", s.DrainDelay)
	}
	if s.AuditRetention != 0 && s.AuditRetention < 24*time.Hour {
		return wrong("PARLEY_AUDIT_RETENTION", "%s is too short, want 24h or more, or 0 for ever", s.AuditRetention)
	}
	if s.MaxWaitingCalls < 0 {
		return wrong("PARLEY_MAX_WAITING_CALLS", "%d is no number of calls", s.MaxWaitingCalls)
	}
	if s.StoredBytesPerTenant < 0 {
		return wrong("PARLEY_STORED_BYTES_PER_TENANT", "%d is no number of bytes", s.StoredBytesPerTenant)
	}
	if s.SpeechCacheBytes < 0 {
		return wrong("PARLEY_SPEECH_CACHE_BYTES", "%d is no number of bytes", s.SpeechCacheBytes)
	}
	if s.WorkerCapacity < 0 {
		return wrong("PARLEY_WORKER_CAPACITY", "%d is no number of calls", s.WorkerCapacity)
	}
	set := 0
	for _, v := range []string{s.AdminEmail, s.AdminPassword, s.AdminTenant} {
		if v != "" {
			set++
		}
	}
	if set != 0 && set != 3 {
		return wrong("PARLEY_ADMIN_EMAIL", "PARLEY_ADMIN_EMAIL, PARLEY_ADMIN_PASSWORD and PARLEY_ADMIN_TENANT go together; only some are set")
	}
	return nil
}

// Loopback reports whether the listener is on a loopback address.
func (s *Server) Loopback() bool {
	host, _, _ := net.SplitHostPort(s.Addr)
	return loopback(host)
}

// Private reports whether only this machine is served: both the listener and the public URL are on loopback.
func (s *Server) Private() bool {
	if s.PublicURL == "" {
		return s.Loopback()
	}
	u, err := url.Parse(s.PublicURL)
	return err == nil && s.Loopback() && loopback(u.Hostname())
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// PrivateNetworks reports whether webhooks and tools may reach private addresses.
func (s *Server) PrivateNetworks() bool { return choose(s.AllowPrivateNetworks, s.Private()) }

// DemoTenant reports whether an empty database gets a demo tenant.
func (s *Server) DemoTenant() bool { return choose(s.Demo, s.Private() && s.AdminEmail == "") }

func choose(setting string, auto bool) bool {
	if setting == "auto" {
		return auto
	}
	chosen, _ := strconv.ParseBool(setting)
	return chosen
}

// NodeIP returns the address to which callers send media.
func (s *Server) NodeIP() (string, error) {
	if s.RTCNodeIP != "" {
		return s.RTCNodeIP, nil
	}
	if s.Loopback() {
		return "127.0.0.1", nil
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return "", wrong("PARLEY_RTC_NODE_IP", "cannot be found out, set it: %v", err)
	}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			return n.IP.String(), nil
		}
	}
	return "", wrong("PARLEY_RTC_NODE_IP", "this machine has no address but loopback; set it, or listen on loopback (PARLEY_ADDR)")
}

// loopbackAddresses returns the addresses of this machine's loopback interfaces, some of which may be public ones.
func loopbackAddresses() (all []netip.Addr) {
	interfaces, err := net.Interfaces()
	if err != nil { // NodeIP reports it where it matters
		return nil
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagLoopback == 0 {
			continue
		}
		addresses, _ := i.Addrs()
		for _, a := range addresses {
			if n, ok := a.(*net.IPNet); ok {
				ip, _ := netip.AddrFromSlice(n.IP)
				all = append(all, ip.Unmap())
			}
		}
	}
	return all
}

// RTPPorts returns the first and the last port of phone calls' audio.
func (s *Server) RTPPorts() (from, to int, err error) {
	first, last, ranged := strings.Cut(s.SIPRTPPorts, "-")
	from, err = strconv.Atoi(first)
	if ranged && err == nil {
		to, err = strconv.Atoi(last)
	}
	if !ranged || err != nil || from < 1 || to > 65535 || from >= to {
		return 0, 0, wrong("PARLEY_SIP_RTP_PORTS", "%q is no range of ports such as 10000-20000", s.SIPRTPPorts)
	}
	return from, to, nil
}

// Reachable returns Public without a trailing slash, and "" where the listener's address is not the clients'.
func (s *Server) Reachable() string {
	host, _, _ := net.SplitHostPort(s.Addr) // validated by Check
	if s.PublicURL == "" && (host == "" || net.ParseIP(host).IsUnspecified()) {
		return ""
	}
	return strings.TrimRight(s.Public(), "/")
}

// PublicPort returns the port of Public.
func (s *Server) PublicPort() int {
	u, err := url.Parse(s.Public())
	if err != nil {
		return 0 // refused by Check
	}
	if port, err := strconv.Atoi(u.Port()); err == nil {
		return port
	}
	if u.Scheme == "https" {
		return 443
	}
	return 80
}

// Public returns the URL at which clients reach the server.
func (s *Server) Public() string {
	if s.PublicURL != "" {
		return s.PublicURL
	}
	return "http://" + s.Addr
}
