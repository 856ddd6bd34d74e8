package api

import (
	"context"
	"net/http"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/provider"
)

type providerBody struct {
	Kind   provider.Kind `json:"kind" enum:"stt,tts,llm"`
	Name   string        `json:"name" doc:"Identifier of the provider in agent configurations." example:"deepgram"`
	Models []string      `json:"models" doc:"Models known to work, the default first. Others are accepted with a warning." example:"[\"nova-3\"]"`
	Voices []string      `json:"voices,omitempty" doc:"Voices of the provider; empty where any voice of your account can be used."`
	Label  string        `json:"label" doc:"Display name of the provider." example:"Deepgram"`
	Demo   bool          `json:"demo" doc:"Whether the provider is for demonstrations and tests only."`
}

func (s *Server) registerProviders() {
	wire.Register(s.router, wire.Operation{
		ID: "list-providers", Method: http.MethodGet, Path: "/api/v1/providers", Tag: "Providers",
		Summary: "List providers", Description: "Lists providers of speech to text, language models and text to speech. No scope is required.",
	}, func(context.Context, auth.Principal, *struct{}) (*wire.Answer[wire.ItemsBody[providerBody]], error) {
		items := make([]providerBody, len(provider.Catalog))
		for i, e := range provider.Catalog {
			items[i] = providerBody(e)
		}
		return wire.NewAnswer(wire.ItemsBody[providerBody]{Items: items}), nil
	})
}
