package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"

	"parley/internal/api/wire"
	"parley/internal/audit"
	"parley/internal/auth"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/fault"
)

// Actions of users, which no operation's ID gives.
const (
	signIn       = "user.sign_in"
	signInFailed = "user.sign_in_failed"
	signOut      = "user.sign_out"
)

// auditTimeout bounds the write of a failed sign-in, which follows the response.
const auditTimeout = 30 * time.Second

// auditKey is the context key of an operation's audit entry.
type auditKey struct{}

// audit runs an operation and writes its entry with its change. The resource is
// named by the path's parameter and by id, name or slug of the answer.
func (s *Server) audit(ctx context.Context, op wire.Operation, who auth.Principal, in any, run func(context.Context) (any, error)) error {
	return audit.Record(ctx, s.deps.DB, func(ctx context.Context) ([]audit.Entry, error) {
		e := newEntry(ctx, op.AuditAction())
		out, err := run(context.WithValue(ctx, auditKey{}, &e))
		if err != nil {
			return nil, err
		}
		if who.TenantID != "" {
			setActor(&e, who)
		}
		if op.Method == http.MethodPut || op.Method == http.MethodPatch {
			e.Changes = wire.ExchangeOf(ctx).Fields
		}
		input, body := reflect.ValueOf(in).Elem(), reflect.ValueOf(out).Elem()
		if !body.IsValid() || body.Kind() != reflect.Struct { // nil, of the output empty
			body = reflect.ValueOf(wire.Empty{})
		} else if b := body.FieldByName("Body"); b.IsValid() {
			body = b
		}
		e.ResourceID = cmp.Or(e.ResourceID, field(input, "path", "id"), field(body, "json", "id"), field(reflect.Indirect(reflect.ValueOf(database.Changed(ctx))), "bun", "id"))
		e.ResourceName = cmp.Or(e.ResourceName, field(input, "path", "name"), field(input, "path", "slug"), field(input, "path", "purpose"), field(body, "json", "slug"), field(body, "json", "name"))
		return []audit.Entry{e}, nil
	})
}

// newEntry returns an entry of a request about an action.
func newEntry(ctx context.Context, action string) audit.Entry {
	x := wire.ExchangeOf(ctx)
	e := audit.Entry{Action: action, RequestID: x.ID}
	e.ResourceType, _, _ = strings.Cut(action, ".")
	if x.Client.IsValid() {
		e.ClientAddress = x.Client.Unmap().String()
	}
	return e
}

// setActor sets tenant and actor of an entry.
func setActor(e *audit.Entry, who auth.Principal) {
	e.TenantID, e.ActorType, e.ActorID = who.TenantID, audit.APIKey, who.KeyID
	if who.Session {
		e.ActorType, e.ActorID = audit.User, who.UserID
	}
}

// auditStart returns what adds the start of a call by a request to the audit log, in the call's transaction.
func auditStart(ctx context.Context, who auth.Principal) call.OnCreate {
	e := newEntry(ctx, "call.start")
	setActor(&e, who)
	return func(ctx context.Context, tx database.Tx, callID string) error {
		e.ResourceID = callID
		return audit.Add(ctx, tx, e)
	}
}

// auditRequest records a request that has succeeded, in a transaction of its own: the change is a worker's, or came after a long look.
func (s *Server) auditRequest(ctx context.Context, who auth.Principal, action, resourceID, resourceName string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditTimeout)
	defer cancel()
	e := newEntry(ctx, action)
	setActor(&e, who)
	e.ResourceID, e.ResourceName = resourceID, resourceName
	if err := audit.Write(ctx, s.deps.DB, e); err != nil {
		s.deps.Log.WarnContext(ctx, "write a request to the audit log", "action", action, "resource", resourceID, "error", err)
	}
}

// auditUser sets the user of a public operation's entry. Without a user nothing is written.
func auditUser(ctx context.Context, who auth.Principal) {
	if e, ok := ctx.Value(auditKey{}).(*audit.Entry); ok {
		e.TenantID, e.ActorType, e.ActorID, e.ResourceID = who.TenantID, audit.User, who.UserID, who.UserID
	}
}

// auditFailedSignIn records a failed sign-in of a user. For an unknown address it does nothing.
func (s *Server) auditFailedSignIn(ctx context.Context, email string) {
	ctx, cancel := context.WithTimeout(ctx, auditTimeout)
	defer cancel()
	u, err := s.deps.Auth.UserWith(ctx, email)
	if fault.Is(err, fault.NotFound) {
		return
	}
	if err == nil {
		e := newEntry(ctx, signInFailed)
		e.TenantID, e.ActorType, e.ActorID, e.ResourceID = u.TenantID, audit.User, u.ID, u.ID
		err = audit.Write(ctx, s.deps.DB, e)
	}
	if err != nil {
		s.deps.Log.WarnContext(ctx, "failed to write the audit entry of a failed sign-in", "error", err)
	}
}

// field returns the text of a struct's field that a tag names, "" for none. Fields of
// embedded structs count.
func field(of reflect.Value, tag, name string) string {
	if !of.IsValid() || of.Kind() != reflect.Struct {
		return ""
	}
	for _, f := range reflect.VisibleFields(of.Type()) {
		tagged, _, _ := strings.Cut(f.Tag.Get(tag), ",")
		if tagged != name || !f.IsExported() {
			continue
		}
		value, err := of.FieldByIndexErr(f.Index)
		if err != nil {
			return ""
		}
		switch value := value.Interface().(type) {
		case string:
			return value
		case fmt.Stringer:
			return value.String()
		}
	}
	return ""
}
