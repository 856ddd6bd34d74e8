package sip

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
	"parley/internal/provider/catalogtest"
	"parley/internal/seal"
	"parley/internal/workflow"
)

const (
	acme  = "0193a6f0-0000-7000-8000-000000000001"
	other = "0193a6f0-0000-7000-8000-000000000002"
)

// catalogue offers every provider.

// each runs f on both databases with the stores of two tenants; the first has
// the agent desk and the workflow flow.
func each(t *testing.T, f func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store)) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := context.Background()
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, other, "other")
		var a agent.Config
		if err := json.Unmarshal([]byte(`{"prompt":{"system":"x"},"stt":{"provider":"a","model":"a"},"tts":{"provider":"a","voice_id":"a"},"llm":{"provider":"a","model":"a"}}`), &a); err != nil {
			t.Fatal(err)
		}
		if _, _, err := (agent.Registry{Providers: catalogtest.Any{}}).In(db.Tenant(acme)).Create(ctx, agent.Draft{Name: "desk", Config: a}); err != nil {
			t.Fatal(err)
		}
		var w workflow.Draft
		if err := json.Unmarshal([]byte(`{"slug":"flow","name":"Flow","config":{"nodes":[{"id":"a","agent_name":"desk","is_entry":true,"is_exit":true}],"connections":[]}}`), &w); err != nil {
			t.Fatal(err)
		}
		if _, _, err := (workflow.Registry{Agents: agent.Directory{}}).In(db.Tenant(acme)).Create(ctx, w); err != nil {
			t.Fatal(err)
		}
		sealer, err := seal.New(bytes.Repeat([]byte{5}, seal.KeySize))
		if err != nil {
			t.Fatal(err)
		}
		r := Registry{Sealer: sealer}
		f(t, ctx, db, r.In(db.Tenant(acme)), r.In(db.Tenant(other)))
	})
}

func trunk(t *testing.T, s Store, name string, isDefault bool) *Trunk {
	t.Helper()
	made, err := s.CreateTrunk(t.Context(), TrunkDraft{Name: name, Address: "sip.example.com", Password: new("pa55word"), Headers: map[string]string{"X-Account": "planted"}, IsDefault: isDefault})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// dials is the name of the trunk that a tenant dials through.
func (s Store) dials(t *testing.T, r Registry) string {
	t.Helper()
	name := ""
	err := s.scope.Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
		found, err := r.DefaultTrunk(ctx, tx)
		if fault.Is(err, fault.NotFound) {
			name = "none"
			return nil
		}
		if err == nil {
			name = found.Name + " " + *found.Password
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestTrunkLife(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		made := trunk(t, s, "one", false)
		if bytes.Contains(made.SealedSecrets, []byte("pa55word")) || bytes.Contains(made.SealedSecrets, []byte("planted")) {
			t.Error("the password or the headers are stored as they are")
		}
		got, err := s.Trunk(ctx, made.ID)
		if err != nil || got.Transport != UDP || *got.Password != "pa55word" || got.Headers["X-Account"] != "planted" || got.Username != nil || !got.CreatedAt.Equal(made.CreatedAt) {
			t.Errorf("got %+v, %v", got, err)
		}
		for _, patch := range []string{`{"address":"198.51.100.1"}`, `{"transport":"tls"}`, `{"username":"u"}`, `{"name":"x","address":"sip.example.com:5070"}`} {
			_, err := s.UpdateTrunk(ctx, made.ID, []byte(patch))
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != fault.Validation || len(f.Details) != 2 || f.Details[0].Field != "password" || f.Details[1].Field != "headers.X-Account" {
				t.Errorf("the password or a header goes along with %s: %v", patch, err)
			}
		}
		if _, err = s.UpdateTrunk(ctx, made.ID, []byte(`{"headers":{"x-account":"********"}}`)); !fault.Is(err, fault.Validation) {
			t.Errorf("a header twice: %v", err)
		}
		if got, err = s.UpdateTrunk(ctx, made.ID, []byte(`{"headers":{"X-Account":"********"}}`)); err != nil || got.Headers["X-Account"] != "planted" {
			t.Errorf("a masked header: %+v, %v", got, err)
		}
		if _, err = s.CreateTrunk(ctx, TrunkDraft{Name: "masked", Address: "a", Headers: map[string]string{"X-Account": "********"}}); !fault.Is(err, fault.Validation) {
			t.Errorf("a header that was never given: %v", err)
		}
		if got, err = s.UpdateTrunk(ctx, made.ID, []byte(`{"password":"pa55word","transport":"tls","username":"u","headers":{"X-Account":null,"X-B":"1"},"is_default":true}`)); err != nil ||
			got.Transport != TLS || *got.Username != "u" || *got.Password != "pa55word" || len(got.Headers) != 1 || !got.IsDefault {
			t.Errorf("updated to %+v, %v", got, err)
		}
		if got, err = s.UpdateTrunk(ctx, made.ID, []byte(`{"password":null,"username":null,"headers":null,"transport":null}`)); err != nil || got.Password != nil || got.Username != nil || len(got.Headers) != 0 || got.Transport != UDP {
			t.Errorf("null removes: %+v, %v", got, err)
		}
		for patch, field := range map[string]string{`{"address":null}`: "address", `{"caller_id":"030"}`: "caller_id", `{"headers":7}`: "headers", `[]`: "body"} {
			_, err := s.UpdateTrunk(ctx, made.ID, []byte(patch))
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != fault.Validation || f.Details[0].Field != field {
				t.Errorf("%s: %v", patch, err)
			}
		}
		missing := fault.Missing("trunk").Error()
		_, getErr := foreign.Trunk(ctx, made.ID)
		_, updateErr := foreign.UpdateTrunk(ctx, made.ID, []byte(`{"name":"stolen"}`))
		for what, err := range map[string]error{"get": getErr, "update": updateErr, "delete": foreign.DeleteTrunk(ctx, made.ID)} {
			if !fault.Is(err, fault.NotFound) || err.Error() != missing {
				t.Errorf("%s of another tenant's: %v", what, err)
			}
		}
		if page, total, err := foreign.Trunks(ctx, 50, 0); err != nil || total != 0 || len(page) != 0 {
			t.Errorf("the other tenant lists %v of %d, %v", page, total, err)
		}
		trunk(t, s, "two", false)
		if page, total, err := s.Trunks(ctx, 1, 1); err != nil || total != 2 || len(page) != 1 || page[0].Name != "one" {
			t.Errorf("second page %v of %d, %v", page, total, err)
		}
		if err := s.DeleteTrunk(ctx, made.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.DeleteTrunk(ctx, made.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("a second time: %v", err)
		}
	})
}

func TestDefaultTrunk(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		r := s.registry
		platform := Registry{Sealer: r.Sealer, Platform: &TrunkDraft{Name: "platform", Address: "a", Password: new("p")}}
		has := func(r Registry, tenant string) bool {
			t.Helper()
			_, err := r.OutboundRoute(ctx, db, tenant, "", true)
			if err != nil && !errors.Is(err, ErrNoTrunk) {
				t.Fatal(err)
			}
			return err == nil
		}
		if s.dials(t, r) != "none" || s.dials(t, platform) != "platform p" || has(r, acme) || !has(platform, acme) {
			t.Errorf("without a trunk: %s, %s", s.dials(t, r), s.dials(t, platform))
		}
		trunk(t, s, "one", false)
		trunk(t, s, "two", false)
		if got := s.dials(t, platform); got != "one pa55word" || !has(r, acme) {
			t.Errorf("without a default: %s", got)
		}
		trunk(t, s, "three", true)
		four := trunk(t, s, "four", true)
		if got := s.dials(t, r); got != "four pa55word" {
			t.Errorf("the default: %s", got)
		}
		if _, err := s.UpdateTrunk(ctx, four.ID, []byte(`{"is_default":false}`)); err != nil || s.dials(t, r) != "one pa55word" {
			t.Errorf("no longer the default: %s, %v", s.dials(t, r), err)
		}
		if foreign.dials(t, r) != "none" || has(r, other) {
			t.Errorf("another tenant dials through %s", foreign.dials(t, r))
		}
		var wg sync.WaitGroup
		for n := range 12 {
			wg.Go(func() {
				made := trunk(t, s, fmt.Sprint("t", n), n%2 == 0)
				if _, err := s.UpdateTrunk(ctx, made.ID, []byte(`{"is_default":true}`)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		page, _, err := s.Trunks(ctx, 100, 0)
		defaults := 0
		for _, p := range page {
			if p.IsDefault {
				defaults++
			}
		}
		if err != nil || defaults != 1 {
			t.Errorf("%d defaults, %v", defaults, err)
		}
	})
}

func TestPhoneNumbers(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		own, theirs := trunk(t, s, "own", false), trunk(t, foreign, "theirs", false)
		made, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: "+4930123456", WorkflowSlug: new("flow"), TrunkID: &own.ID})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Assign(ctx, db, acme, "+4930123457"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: "+4930123457", AgentName: new("desk")}); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			draft NumberDraft
			want  string
		}{
			{NumberDraft{}, "number workflow_slug"},
			{NumberDraft{Number: "+4930123458", AgentName: new("desk")}, "trunk_id"},
			{NumberDraft{Number: "030", WorkflowSlug: new("flow"), AgentName: new("desk")}, "agent_name number"},
			{NumberDraft{Number: "+4930123458", WorkflowSlug: new("none"), TrunkID: &theirs.ID}, "workflow_slug trunk_id"},
			{NumberDraft{Number: "+4930123458", AgentName: new("none")}, "agent_name trunk_id"},
		} {
			_, err := s.CreatePhoneNumber(ctx, test.draft)
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != fault.Validation {
				t.Errorf("%+v: %v", test.draft, err)
				continue
			}
			var fields []string
			for _, d := range f.Details {
				fields = append(fields, d.Field)
			}
			if got := strings.Join(fields, " "); got != test.want {
				t.Errorf("%+v: faults in %s, want %s", test.draft, got, test.want)
			}
		}
		// Another tenant does not learn the owner of a number, and cannot use this one's agents.
		_, again := s.CreatePhoneNumber(ctx, NumberDraft{Number: "+4930123456", AgentName: new("desk"), TrunkID: &own.ID})
		if !fault.Is(again, fault.Conflict) {
			t.Errorf("a number twice: %v", again)
		}
		if _, err := foreign.CreatePhoneNumber(ctx, NumberDraft{Number: "+4930123459", AgentName: new("desk")}); !fault.Is(err, fault.Validation) {
			t.Errorf("another tenant's agent: %v", err)
		}
		if err := s.DeleteTrunk(ctx, own.ID); !fault.Is(err, fault.Conflict) {
			t.Errorf("a trunk in use: %v", err)
		}
		if err := foreign.DeletePhoneNumber(ctx, made.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("another tenant's number: %v", err)
		}
		page, total, err := s.PhoneNumbers(ctx, 1, 1)
		if err != nil || total != 2 || len(page) != 1 || page[0].Number != "+4930123456" || *page[0].WorkflowSlug != "flow" || page[0].AgentName != nil || *page[0].TrunkID != own.ID {
			t.Errorf("second page %+v of %d, %v", page, total, err)
		}
		if page, total, err := foreign.PhoneNumbers(ctx, 50, 0); err != nil || total != 0 || len(page) != 0 {
			t.Errorf("the other tenant lists %v of %d, %v", page, total, err)
		}
		if err := s.DeletePhoneNumber(ctx, made.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.DeleteTrunk(ctx, own.ID); err != nil {
			t.Errorf("a trunk that is free again: %v", err)
		}
	})
}

// A number is unique within its trunk, so that no tenant can block another's number. On the platform's trunk the operator
// assigns it.
func TestNumbersAreUniqueWithinTheirTrunk(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		const number = "+4930123456"
		holders := func() (tenants []string) {
			lines, err := s.registry.InboundRoutes(ctx, db, number)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range lines {
				tenants = append(tenants, l.TenantID+l.TrunkID)
			}
			return tenants
		}
		theirs, own := trunk(t, foreign, "theirs", false), trunk(t, s, "own", false)
		hold(t, db, other, number, &theirs.ID)
		if _, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: number, AgentName: new("desk"), TrunkID: &own.ID}); err != nil {
			t.Errorf("a number that another has on another trunk: %v", err)
		}
		if _, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: number, AgentName: new("desk"), TrunkID: &own.ID}); !fault.Is(err, fault.Conflict) {
			t.Errorf("a number twice on a trunk: %v", err)
		}
		if diff := cmp.Diff([]string{other + theirs.ID, acme + own.ID}, holders()); diff != "" {
			t.Errorf("the oldest is not first:\n%s", diff)
		}
		if _, err := Assign(ctx, db, acme, number); err != nil {
			t.Fatal(err)
		}
		if _, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: number, AgentName: new("desk")}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{other + theirs.ID, acme + own.ID, acme}, holders()); diff != "" {
			t.Errorf("with one on the platform's trunk:\n%s", diff)
		}
		if _, err := Assign(ctx, db, other, number); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{other + theirs.ID, acme + own.ID}, holders()); diff != "" {
			t.Errorf("after it went to another tenant:\n%s", diff)
		}
		if _, err := Assign(ctx, db, other, "030"); !fault.Is(err, fault.Validation) {
			t.Errorf("what is no number: %v", err)
		}
	})
}

func TestTrunkRules(t *testing.T) {
	for address, ok := range map[string]bool{
		"sip.example.com": true, "sip.example.com:5061": true, "10.0.0.1": true, "10.0.0.1:65535": true, "[2001:db8::1]": true, "[::1]:5060": true, "pbx": true,
		"": false, "sip:sip.example.com": false, "a b": false, "host:": false, "host:0": false, "host:65536": false, "host:05060": false, "::1": false, "[::1": false,
		"[::1%eth0]": false, "[10.0.0.1]": false, "-a.example": false, "a..b": false, "a.example/x": false, "u@a.example": false, "a;b": false, strings.Repeat("a.", 127): false,
	} {
		if d := (TrunkDraft{Name: "n", Address: address}); (d.Check() == nil) != ok {
			t.Errorf("%q: %v", address, d.Check())
		}
	}
	d := TrunkDraft{Name: " ", Address: "a:b", Transport: "sctp", Username: new("a\r\n"), Password: new(strings.Repeat("x", 256)), CallerID: new("030"),
		Headers: map[string]string{"X A": "", "via": "x", "X-A": "a\nb", "X-B": "1", "x-b": "2", "X-C": strings.Repeat("x", 1025)}}
	d.AllowedAddresses, d.MediaEncryption = []string{"10.0.0.1", "10.1.2.3/16", "x", "0.0.0.0/0", "2001:db8::/31", "::ffff:10.0.0.1", "2001:db8::1", "2001:db8::/32"}, "maybe"
	var fields []string
	for _, f := range d.validate() {
		fields = append(fields, f.Field)
	}
	want := strings.Fields("name address transport username password caller_id media_encryption allowed_addresses[2] allowed_addresses[3] allowed_addresses[4] allowed_addresses[5] headers.X!A headers.X-A headers.X-C headers.via headers.x-b")
	want[11] = "headers.X A"
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}
