// Package google is a client of Gemini as a language model and as voices, with the Gemini API's own protocol.
// https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
package google

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"parley/internal/dialogue"
	"parley/internal/provider/llm"
	"parley/internal/provider/vendorerror"
)

// name is the provider's in the catalogue.
const name = "google"

// Options configures a LanguageModel or a Synthesizer.
type Options struct {
	Key string
	// BaseURL defaults to https://generativelanguage.googleapis.com; a trailing /v1beta is optional.
	BaseURL string
	// Client makes the connections; nil for the process's own.
	Client *http.Client
}

// LanguageModel is a dialogue.LanguageModel. It holds neither connection nor goroutine.
type LanguageModel struct {
	account llm.Account
	base    string
	header  http.Header
}

// New returns a LanguageModel. It makes no request.
func New(o Options) *LanguageModel {
	base := strings.TrimSuffix(llm.BaseURL(o.BaseURL, "https://generativelanguage.googleapis.com"), "/v1beta") + "/v1beta"
	return &LanguageModel{account: llm.Account{Key: o.Key, Client: o.Client}, base: base, header: http.Header{"X-Goog-Api-Key": {o.Key}}}
}

// Generate implements dialogue.LanguageModel.
func (m *LanguageModel) Generate(ctx context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return llm.Generate(ctx, m.account, func(x *llm.Exchange, emit llm.Emit) error {
		body, err := llm.JSON(newRequest(p))
		if err != nil {
			return err
		}
		if err := x.Post(m.base+"/models/"+url.PathEscape(p.Model)+":streamGenerateContent?alt=sse", m.header, body); err != nil {
			return err
		}
		return relay(x, emit)
	})
}

// Check implements dialogue.Checker.
// https://ai.google.dev/api/models#method:-models.get
func (m *LanguageModel) Check(ctx context.Context, model string) error {
	return llm.Check(ctx, m.account, m.base+"/models/"+url.PathEscape(model), m.header)
}

// chunk is a part of the streamed answer.
type chunk struct {
	Candidates []struct {
		Content      content `json:"content"`
		FinishReason string  `json:"finishReason"`
	} `json:"candidates"`
	PromptFeedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage *struct {
		Prompt     float64 `json:"promptTokenCount"`
		Candidates float64 `json:"candidatesTokenCount"`
		Thoughts   float64 `json:"thoughtsTokenCount"`
		Cached     float64 `json:"cachedContentTokenCount"`
	} `json:"usageMetadata"`
}

// relay emits the answer as it streams. It is finished when a chunk has a finish reason; the usage of each chunk
// counts the answer so far.
func relay(x *llm.Exchange, emit llm.Emit) error {
	var calls llm.Calls
	var usage *dialogue.Usage
	finish := ""
	for c, err := range llm.Answer[chunk](x) {
		if err != nil {
			return err
		}
		if c.PromptFeedback.BlockReason != "" {
			return vendorerror.Stopped(dialogue.ErrPromptDeclined, "the vendor's content filter blocked the conversation", c.PromptFeedback.BlockReason)
		}
		if u := c.Usage; u != nil {
			usage = &dialogue.Usage{InputTokens: int(u.Prompt), OutputTokens: int(u.Candidates + u.Thoughts), CachedTokens: int(u.Cached)}
		}
		for _, candidate := range c.Candidates {
			for _, part := range candidate.Content.Parts {
				if err := handlePart(part, &calls, emit); err != nil {
					return err
				}
			}
			if candidate.FinishReason != "" {
				finish = candidate.FinishReason
			}
		}
	}
	if finish == "" {
		if err := x.EndUnmarked(&calls); err != nil {
			return err
		}
	}
	x.Complete()
	complete, err := calls.Finish()
	if finish != "" && finish != "STOP" && finish != "MAX_TOKENS" { // SAFETY, RECITATION, MALFORMED_FUNCTION_CALL and others
		err = vendorerror.Stopped(dialogue.ErrDeclined, "the vendor stopped the answer", finish)
	}
	if err != nil {
		return err
	}
	if len(complete) > 0 {
		if err := emit(dialogue.Delta{ToolCalls: complete}); err != nil {
			return err
		}
	}
	if usage == nil {
		return nil
	}
	return emit(dialogue.Delta{Usage: usage})
}

var errNameless = dialogue.NewError("the model called a function without a name")

// handlePart emits the text of a part, or keeps its call. Thoughts are not spoken.
func handlePart(p part, calls *llm.Calls, emit llm.Emit) error {
	switch {
	case p.Call != nil:
		if p.Call.Name == "" {
			return errNameless
		}
		index := calls.Len()
		calls.Add(index, p.Call.ID, p.Call.Name, string(p.Call.Args))
		if p.Signature != "" {
			signature, err := json.Marshal(p.Signature)
			if err != nil {
				return err
			}
			calls.Attach(index, name, signature)
		}
	case p.Text != "" && !p.Thought:
		return emit(dialogue.Delta{Text: p.Text})
	}
	return nil
}
