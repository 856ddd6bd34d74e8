package api

import (
	"context"
	"net/http"

	"parley/internal/auth"
	"parley/internal/provider"
)

type providerBody struct {
	Kind   provider.Kind `json:"kind" enum:"stt,tts,llm"`
	Name   string        `json:"name" doc:"What an agent's configuration calls it." example:"deepgram"`
	Models []string      `json:"models" doc:"The models known to work, the default first. Others are accepted with a warning." example:"[\"nova-3\"]"`
	Voices []string      `json:"voices,omitempty" doc:"Its voices, where they are few and fixed."`
	Label  string        `json:"label" doc:"Its name, for people." example:"Deepgram"`
	Demo   bool          `json:"demo" doc:"For demonstrations and tests only."`
}

func (s *Server) registerProviders() {
	register(s.router, operation{
		ID: "list-providers", Method: http.MethodGet, Path: "/api/v1/providers", Tag: "Providers",
		Summary: "List what agents can hear, think and speak with", Description: "Any credential will do.",
	}, func(context.Context, auth.Principal, *struct{}) (*answer[itemsBody[providerBody]], error) {
		items := make([]providerBody, len(provider.Catalog))
		for i, e := range provider.Catalog {
			items[i] = providerBody(e)
		}
		return &answer[itemsBody[providerBody]]{itemsBody[providerBody]{items}}, nil
	})
}
