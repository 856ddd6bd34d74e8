package signing

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/seal"
)

const (
	acme  = "0193a6f0-0000-7000-8000-000000000001"
	other = "0193a6f0-0000-7000-8000-000000000002"
)

// Requests are signed with the secret of their purpose; while a rotated one overlaps, with both, and afterwards with the new one alone.
func TestRotation(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, other, "other")
		sealer, err := seal.New(bytes.Repeat([]byte{7}, seal.KeySize))
		if err != nil {
			t.Fatal(err)
		}
		ctx, s := t.Context(), In(db.Tenant(acme), sealer)
		signer := NewSigner(db.Tenant(acme), sealer, Tools)
		content := RequestContent("GET", "https://api.example.com/a?b=c", nil)
		if _, err := signer.Sign(ctx, content); !errors.Is(err, ErrNone) {
			t.Errorf("without a secret: %v", err)
		}
		rotate := func(overlap time.Duration) string {
			t.Helper()
			_, secret, err := s.Rotate(ctx, Tools, overlap)
			if err != nil {
				t.Fatal(err)
			}
			return secret
		}
		fits := func(secret string) bool {
			t.Helper()
			header, err := signer.Sign(ctx, content)
			if err != nil {
				t.Fatal(err)
			}
			return client.VerifyToolRequest("GET", "https://api.example.com/a?b=c", nil, header, secret, time.Now()) == nil
		}
		first := rotate(0)
		time.Sleep(readAgain)
		if !strings.HasPrefix(first, "tlsec_") || !fits(first) {
			t.Errorf("not signed with the first secret %s", first)
		}
		second := rotate(time.Hour)
		time.Sleep(readAgain)
		if !fits(first) || !fits(second) {
			t.Error("not signed with both while they overlap")
		}
		gone, cancel := context.WithCancel(ctx)
		cancel()
		time.Sleep(readAgain)
		if header, err := signer.Sign(gone, content); err != nil || client.VerifyWebhook(content, header, second, time.Now()) != nil {
			t.Errorf("while the database is away: %q, %v", header, err)
		}
		time.Sleep(time.Hour)
		if fits(first) || !fits(second) {
			t.Error("after the overlap")
		}
		if third := rotate(0); third == second {
			t.Error("the same secret again")
		}
		time.Sleep(readAgain)
		if fits(second) {
			t.Error("signed with a secret that was replaced without overlap")
		}
		if _, err := NewSigner(db.Tenant(acme), sealer, "other").Sign(ctx, content); !errors.Is(err, ErrNone) {
			t.Errorf("for another purpose: %v", err)
		}
		if _, err := NewSigner(db.Tenant(other), sealer, Tools).Sign(ctx, content); !errors.Is(err, ErrNone) {
			t.Errorf("for another tenant: %v", err)
		}
		if _, _, err := s.Rotate(ctx, Tools, MaxOverlap+1); err == nil {
			t.Error("a longer overlap")
		}
		if err := s.Delete(ctx, "tools"); err != nil {
			t.Error(err)
		}
		time.Sleep(readAgain)
		if _, err := signer.Sign(ctx, content); !errors.Is(err, ErrNone) {
			t.Errorf("after the deletion: %v", err)
		}
	})
}
