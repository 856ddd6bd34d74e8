package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/prompt"
)

// registerPromptExport adds the export, whose answer is written while it is
// read: a tenant may have more templates than fit into memory.
func (s *Server) registerPromptExport(op wire.Operation) {
	wire.Register(s.router, op, func(_ context.Context, who auth.Principal, _ *struct{}) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(ctx huma.Context) { s.exportPrompts(ctx, who) }}, nil
	})
	s.huma.OpenAPI().Paths[op.Path].Get.Responses["200"] = &huma.Response{
		Description: http.StatusText(http.StatusOK),
		Content: map[string]*huma.MediaType{"application/json": {
			Schema: s.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[promptsBody](), true, ""),
		}},
	}
}

// exportPrompts writes {"templates": [...]}. When the database fails on the way,
// the answer breaks off: the status is out.
func (s *Server) exportPrompts(ctx huma.Context, who auth.Principal) {
	r, w := humago.Unwrap(ctx)
	control, out := http.NewResponseController(w), bufio.NewWriter(w)
	begun := false
	begin := func() {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		_, _ = out.WriteString(`{"templates":[`) // an error stays with the writer
		begun = true
	}
	err := s.prompts(who).Export(r.Context(), func(t *prompt.Template) error {
		if begun {
			_ = out.WriteByte(',') // likewise
		} else {
			begin()
		}
		text, err := json.Marshal(promptFields{t.Slug, t.Name, t.Description, &t.Category, t.Content, t.Variables, t.Metadata})
		if err != nil {
			return err
		}
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // a test's recorder has none
		_, err = out.Write(text)
		return err
	})
	switch {
	case err != nil && !begun:
		wire.WriteProblem(w, r, err)
		return
	case err != nil:
		wire.ExchangeOf(r.Context()).Cause = err
		panic(http.ErrAbortHandler)
	case !begun:
		begin()
	}
	_, _ = out.WriteString("]")
	if warnings := wire.ExchangeOf(r.Context()).IgnoredWarnings(); len(warnings) > 0 {
		text, err := json.Marshal(warnings)
		if err != nil {
			panic(err) // texts can be encoded
		}
		_, _ = fmt.Fprintf(out, `,"warnings":%s`, text)
	}
	_, _ = out.WriteString("}\n")
	_ = out.Flush() // an error is the client's leaving
}
