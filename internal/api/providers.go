package api

import (
	"context"
	"net/http"
	"time"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/database"
	"parley/internal/provider"
	"parley/internal/providerkey"
)

type providerBody struct {
	Kind         provider.Kind       `json:"kind" enum:"stt,tts,llm,realtime"`
	Name         string              `json:"name" doc:"Identifier of the provider in agent configurations." example:"deepgram"`
	Models       []string            `json:"models" doc:"Models known to work, the default first. Others are accepted with a warning." example:"[\"nova-3\"]"`
	ModelDetails []providerModelBody `json:"model_details" doc:"The same models in the same order, with the settings that each supports."`
	Voices       []string            `json:"voices,omitempty" doc:"Voices of the provider; empty where any voice of your account can be used."`
	Label        string              `json:"label" doc:"Display name of the provider." example:"Deepgram"`
	Demo         bool                `json:"demo" doc:"Whether the provider is for demonstrations and tests only."`
	KeySource    string              `json:"key_source" enum:"tenant,platform,not_needed,missing" doc:"Key that your calls use: your own, the platform's, none because none is needed, or missing." example:"tenant"`
	Lacks        string              `json:"lacks,omitempty" doc:"What must be set up before calls can use the provider; absent if nothing." example:"the stt provider \"deepgram\" is not set up on this server: it needs DEEPGRAM_API_KEY or the tenant's own key"`
}

type providerModelBody struct {
	Name         string              `json:"name" doc:"Identifier of the model in agent configurations." example:"nova-3"`
	Status       provider.Status     `json:"status" enum:"current,deprecated,shut_down" doc:"Whether the vendor serves the model: without an announced end, until its shutdown date, or no longer." example:"current"`
	ShutdownDate string              `json:"shutdown_date,omitempty" format:"date" doc:"Date on which the vendor switches the model off; absent if none is announced." example:"2027-01-14"`
	Languages    []string            `json:"languages,omitempty" doc:"Language codes that a speech model supports, in the vendor's spelling; absent if unknown." example:"[\"en\",\"de\"]"`
	Parameters   []providerParameter `json:"parameters,omitzero" doc:"Optional settings that the model supports. Others are not sent, with a warning when the agent is saved. Absent if unknown: then all are sent."`
}

// providerParameter is an optional setting of a model.
type providerParameter provider.Parameter

func (s *Server) registerProviders() {
	wire.Register(s.router, wire.Operation{
		ID: "list-providers", Method: http.MethodGet, Path: "/api/v1/providers", Tag: "Providers",
		Summary: "List providers", Description: "Lists providers of speech to text, language models, text to speech and speech to speech (realtime), with the settings that their models support. No scope is required.",
	}, func(ctx context.Context, who auth.Principal, _ *struct{}) (*wire.Answer[wire.ItemsBody[providerBody]], error) {
		var held map[[2]string]bool
		err := s.deps.DB.Tenant(who.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) (err error) {
			held, err = providerkey.Held(ctx, tx)
			return err
		})
		if err != nil {
			return nil, err
		}
		items := make([]providerBody, len(provider.Catalog))
		for i, e := range provider.Catalog {
			items[i] = s.provider(e, held[[2]string{string(provider.KeyKind(e.Kind)), e.Name}], time.Now())
		}
		return wire.NewAnswer(wire.ItemsBody[providerBody]{Items: items}), nil
	})
}

// provider describes an entry of the catalogue to a tenant, with or without its own key.
func (s *Server) provider(e provider.Entry, ownKey bool, now time.Time) providerBody {
	b := providerBody{Kind: e.Kind, Name: e.Name, Models: e.Models, Voices: e.Voices, Label: e.Label, Demo: e.Demo, ModelDetails: []providerModelBody{}}
	for _, name := range e.Models {
		b.ModelDetails = append(b.ModelDetails, modelOf(e, name, now))
	}
	if s.deps.Lacks != nil {
		b.Lacks = s.deps.Lacks(string(e.Kind), e.Name, ownKey)
	}
	switch {
	case e.Demo:
		b.KeySource = "not_needed"
	case ownKey:
		b.KeySource = "tenant"
	case b.Lacks == "":
		b.KeySource = "platform"
	default:
		b.KeySource = "missing"
	}
	return b
}

func modelOf(e provider.Entry, name string, now time.Time) providerModelBody {
	m := providerModelBody{Name: name}
	m.Status, m.ShutdownDate = provider.StatusOf(e.Name, name, now)
	if f, known := provider.FamilyOf(e.Kind, e.Name, name); known {
		m.Languages, m.Parameters = f.Languages(), []providerParameter{}
		for _, p := range f.Parameters {
			m.Parameters = append(m.Parameters, providerParameter(p))
		}
	}
	return m
}
