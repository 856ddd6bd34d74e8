package api

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"parley/internal/api/mcpserver"
	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
)

// mcpPath is where tools of the Model Context Protocol are served.
const mcpPath = "/mcp"

var (
	errNoHeaderCredential = fault.New(fault.Authentication,
		"an API key is needed: X-API-Key, or Authorization: Bearer")
	errPageOrigin = fault.New(fault.Authorization,
		"pages of this origin may not use the tools: add it to PARLEY_CORS_ORIGINS")
	errBatch = fault.Invalid([]fault.Detail{{Field: "body", Message: "must be one message: batches are not supported"}})
)

// serveMCP adds the MCP server. It is made on its first request, for it needs the API's description. Clients that ask for a stream
// of notifications, with GET, are answered that the method is not allowed, as the protocol has it for servers without one.
func (s *Server) serveMCP() {
	server := sync.OnceValues(func() (*mcpserver.Server, error) {
		description, err := s.description()
		if err != nil {
			return nil, err
		}
		return mcpserver.New(s.deps.Version, s, description, s.router.Operations)
	})
	s.mux.HandleFunc("POST "+mcpPath, func(w http.ResponseWriter, r *http.Request) {
		who, err := s.admitMessage(w, r)
		if err != nil {
			wire.WriteProblem(w, r, err)
			return
		}
		tools, err := server()
		if err != nil {
			wire.WriteProblem(w, r, err)
			return
		}
		tools.Serve(w, r, who)
	})
}

// admitMessage checks the origin, the credential and the size of a message. Cookies are no credential here: a page of another site
// that has a browser send them cannot call tools.
func (s *Server) admitMessage(w http.ResponseWriter, r *http.Request) (who auth.Principal, err error) {
	if origin := r.Header.Get("Origin"); origin != "" && !s.mayCallTools(origin) {
		return who, errPageOrigin
	}
	key, bearer, err := headerCredential(r)
	if err != nil {
		return who, err
	}
	if key == "" && bearer == "" {
		return who, errNoHeaderCredential
	}
	if who, err = s.authenticateLimited(w, r); err != nil {
		return who, err
	}
	message, err := wire.ReceiveMessage(w, r, mcpserver.MaxBody)
	if err == nil && bytes.HasPrefix(bytes.TrimSpace(message), []byte("[")) {
		err = errBatch
	}
	return who, err
}

// mayCallTools reports whether pages of an origin may: those of the public URL, and those that may use the API. The Host of a
// request proves nothing, because a page may have its own name resolved to this server's address (DNS rebinding).
func (s *Server) mayCallTools(origin string) bool {
	for _, allowed := range s.deps.CORSOrigins {
		if allowed == allOrigins || strings.EqualFold(allowed, origin) {
			return true
		}
	}
	public, err := url.Parse(s.deps.PublicURL)
	return err == nil && s.deps.PublicURL != "" && strings.EqualFold(origin, public.Scheme+"://"+public.Host)
}
