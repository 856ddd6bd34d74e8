// Package api is the HTTP API: routes, wire shapes, scopes, the error envelope and the OpenAPI description. A resource is one
// file with one function, listed in New, that registers its operations.
package api

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"go.opentelemetry.io/otel/trace"

	"parley/internal/agent"
	"parley/internal/analysis"
	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/cost"
	"parley/internal/database"
	"parley/internal/prompt"
	"parley/internal/providerkey"
	"parley/internal/seal"
	"parley/internal/sip"
	"parley/internal/sound"
	"parley/internal/tool"
	"parley/internal/variable"
	"parley/internal/workflow"
)

// Deps are what the API opens to clients.
type Deps struct {
	DB      *database.DB
	Auth    *auth.Service
	Log     *slog.Logger
	Version string
	// PublicURL is what clients reach, without a slash at its end; "" where
	// that is not known.
	PublicURL string
	// Agents, Workflows and Tools are the rules and the records of each.
	Agents agent.Registry
	// AgentSaved is called when an active agent was created or changed. It does not wait. nil does nothing.
	AgentSaved func(tenantID, agent string)
	Workflows  workflow.Registry
	Tools      tool.Registry
	Prompts    prompt.Registry
	Analyses   analysis.Registry
	Sounds     sound.Registry
	// Trials runs a tool outside a call.
	Trials Trials
	// ToolTenant returns what the requests of a tenant's tools are made with.
	ToolTenant func(tenantID string) tool.Tenant
	// Sealer encrypts the tenants' secrets.
	Sealer  *seal.Sealer
	Secrets variable.SecretRegistry
	// ProviderKeys are the tenants' own keys for providers.
	ProviderKeys providerkey.Registry
	KeyChecks    KeyChecks
	// SIP stores trunks and phone numbers.
	SIP    sip.Registry
	Probes Probes
	Calls  Calls
	Media  Media
	// MediaPorts are the ports of the embedded media server.
	MediaPorts MediaPorts
	// Lacks returns what a provider lacks, for the warnings of a dispatch.
	Lacks Readiness
	// Webhooks and Deliveries are the tenants' webhooks and what went to them.
	Webhooks   Webhooks
	Deliveries Deliveries
	Analytics  Analytics
	Prices     *cost.List
	// Limits are those of a tenant that are not of records.
	Limits Limits
	// Metrics counts requests and is served at /metrics; nil for neither.
	Metrics Metrics
	// MetricsToken is the operator's credential for /metrics; "" for none.
	MetricsToken string
	// Live opens the streams of what happens in calls.
	Live Live
	// SignOn is sign-in at an OpenID Connect provider; nil for none.
	SignOn *SingleSignOn
	// Docs holds swagger.html and redoc.html and what they load; see web.Docs.
	Docs fs.FS
	// Dashboard holds index.html of the dashboard and its assets; see
	// web.Dashboard. Nil for none.
	Dashboard fs.FS
	// Widget holds the scripts of <parley-agent>; see web.Widget. Nil for none.
	Widget fs.FS
	// TransferPage holds index.html of the page of a person to whom a caller is transferred, and what it loads; see web.TransferPage.
	// Nil for none.
	TransferPage fs.FS
	// Ready returns why this process accepts no new work, such as draining; nil if it does.
	Ready func() error
	// Health watches what this process depends on; nil for the database alone.
	Health Health
	// Redis checks the Redis that is set up; nil when none is.
	Redis func(ctx context.Context) error
	// TrustedProxies are the networks whose X-Forwarded-For is trusted.
	TrustedProxies []netip.Prefix
	// CORSOrigins are those whose pages may use the API; * means all of them.
	CORSOrigins []string
	// Connections bounds those at /rtc by the client's address, behind trusted
	// proxies as well.
	Connections ConnectionLimits
	// Secure reports that clients use https; responses then have Strict-Transport-Security.
	Secure bool
	// Tracer makes a span of each request; nil for none.
	Tracer trace.Tracer
	// Recordings are where the sound of calls is kept.
	Recordings Recordings
	// Signalling makes the handler that carries /rtc to the media server; refuse
	// answers a request with an error. Nil when callers reach the media server
	// themselves.
	Signalling func(refuse func(http.ResponseWriter, *http.Request, error)) (http.Handler, error)
}

// Server is the API as an http.Handler.
type Server struct {
	deps    Deps
	mux     *http.ServeMux
	huma    huma.API
	router  *wire.Router
	handler http.Handler
	// description returns the API's description.
	description func() ([]byte, error)

	credentials *credentials // of open streams
	pageStreams pageStreams
}

// New returns the API.
func New(deps Deps) (*Server, error) {
	s := &Server{deps: deps, mux: http.NewServeMux(), pageStreams: pageStreams{open: map[string]int{}}}
	config := huma.DefaultConfig("Parley", deps.Version)
	config.Info.Description = "Voice agents over WebRTC and telephone: agents, workflows, calls and their events.\n\n" +
		"Unknown query parameters and body fields are ignored, and named under `warnings` in an answer that is an object."
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", "" // serveDocuments does
	config.CreateHooks = nil                                             // no $schema field in bodies
	config.Transformers = []huma.Transformer{wire.WarnOfIgnored}
	config.Formats = map[string]huma.Format{"application/json": huma.DefaultJSONFormat}
	config.AllowAdditionalPropertiesByDefault = true
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"bearer": {Type: "http", Scheme: "bearer", Description: "A session's access token, or an API key."},
		"apiKey": {Type: "apiKey", In: "header", Name: "X-API-Key"},
		"session": {Type: "http", Scheme: "bearer", BearerFormat: "JWT",
			Description: "The access token of a user's session, see `POST /api/v1/auth/login`. An API key is rejected with `authorization_error`."},
	}
	if deps.PublicURL != "" {
		config.Servers = append(config.Servers, &huma.Server{URL: deps.PublicURL, Description: "Public URL of the server."})
	}
	config.Servers = append(config.Servers, &huma.Server{URL: "/", Description: "The server that this description was read from."})
	config.Info.License = &huma.License{Name: "Apache-2.0", URL: "https://www.apache.org/licenses/LICENSE-2.0"}
	s.huma = humago.New(s.mux, config)
	s.router = &wire.Router{Huma: s.huma, Texts: &texts, Authenticate: s.authenticateLimited, Audit: s.audit}
	s.credentials = newCredentials(s.checkCredential, accessCookie.in(s.deps.Secure).name)
	for _, resource := range []func(){
		s.registerHealth,
		s.registerCalls,
		s.registerSessions,
		s.registerAPIKeys,
		s.registerUsers,
		s.registerSingleSignOn,
		s.registerAgents,
		s.registerWorkflows,
		s.registerConditions,
		s.registerTools,
		s.registerAnalyses, s.registerAnalysisRuns,
		s.registerSounds,
		s.registerVariables,
		s.registerPrices,
		s.registerSigning,
		s.registerPublicTokens,
		s.registerProviderKeys,
		s.registerProviders,
		s.registerPrompts,
		s.registerTrunks,
		s.registerPhoneNumbers,
		s.registerWebhooks,
		s.registerWebhookEndpoints,
		s.registerAnalytics,
		s.registerStreams,
		s.registerAuditLog,
		s.registerLimits,
	} {
		resource()
	}
	if deps.Signalling != nil {
		signalling, err := deps.Signalling(wire.WriteProblem)
		if err != nil {
			return nil, err
		}
		signalling = newConnections(deps.Connections, deps.Log).bound(signalling)
		s.mux.Handle("/rtc", signalling)
		s.mux.Handle("/rtc/", signalling)
	}
	answered := func(string, string, string, int, time.Duration) {}
	if deps.Metrics != nil {
		s.serveMetrics()
		answered = deps.Metrics.Answered
	}
	s.serveDocuments()
	s.serveMCP()
	s.serveDashboard()
	s.serveWidget()
	s.serveTransferPages()
	s.handler = edge(s.mux, &s.deps, s.dashboardPage, answered)
	return s, nil
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// HTTPServer wraps the API, or a handler around it, for a Listener. Slow headers, idle connections, large headers and
// bodies that do not arrive are bounded here; sizes and answers at the edge, for streams and /rtc live longer.
func HTTPServer(handler http.Handler, log *slog.Logger) *http.Server {
	server := &http.Server{
		Handler:           limitBodies(handler),
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeaders,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	watchConns(server)
	return server
}

// bodyTimeout bounds how long a request's body may take to arrive, also one that no handler reads: net/http reads the
// first 256 KiB of it before a response that is longer than its buffer.
const bodyTimeout = 15 * time.Second

// limitBodies applies bodyTimeout. Once the body has arrived the connection has no read deadline, so that a handler may
// take longer.
func limitBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			control := http.NewResponseController(w)
			// A test's recorder has no deadlines.
			_ = control.SetReadDeadline(time.Now().Add(bodyTimeout))
			r.Body = limitedBody{r.Body, control}
		}
		next.ServeHTTP(w, r)
	})
}

// limitedBody is a body whose end removes the connection's read deadline.
type limitedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
