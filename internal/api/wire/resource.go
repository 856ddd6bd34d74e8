package wire

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"path"
	"reflect"
	"strings"

	"parley/internal/auth"
	"parley/internal/fault"
)

// Resource is a kind of record with operations under one path. S is its store, R a record of the store, T its body in
// answers. List, Create, Get, Update, Delete and Do register operations: ID, path, tag, summary, scope, status and the usual
// errors follow from the resource; the Operation that is given has the description and what differs.
type Resource[S, R, T any] struct {
	Router *Router
	Tag    string
	// Path is the collection's. Its last segment names the records in IDs: /api/v1/agents has list-agents and create-agent.
	Path string
	// Key is the path parameter of one record, such as name.
	Key string
	// Singular is the last segment of the path for one record, where it is not that without its s.
	Singular string
	// Title is a record with its article, in summaries: "an agent".
	Title string
	// Scope is the scopes' resource: agents requires agents:read for GET and agents:write for the rest.
	Scope string
	// LiveOnly rejects test keys, except for GET.
	LiveOnly bool
	// Answer is the size of a large record; see Operation.
	Answer int
	Store  func(auth.Principal) S
	// Show returns the body of a record, with the warnings of its creation or update.
	Show func(record *R, warnings []string) T
	// Changed is called when a record was created, updated or changed its state; nil does nothing.
	Changed func(who auth.Principal, record *R)
}

// changed reports a change that succeeded, and returns its result.
func (r Resource[S, R, T]) changed(who auth.Principal, record *R, warnings []string, err error) (*Answer[T], error) {
	if err == nil && r.Changed != nil {
		r.Changed(who, record)
	}
	return r.answer(record, warnings, err)
}

// Body returns what Show returns, without warnings.
func (r Resource[S, R, T]) Body(record *R) T { return r.Show(record, nil) }

// paged is an input that selects a page: PageIn, or a struct that embeds it.
type paged interface{ page() PageIn }

func (p PageIn) page() PageIn { return p }

// List registers the list of records, each shown by item.
func List[S, R, T any, In paged, Item any](r Resource[S, R, T], op Operation, list func(context.Context, S, *In) ([]R, int64, error), item func(*R) Item) {
	op = r.operation(op, http.MethodGet, "list", "")
	Register(r.Router, op, func(ctx context.Context, who auth.Principal, in *In) (*Answer[Page[Item]], error) {
		found, total, err := list(ctx, r.Store(who), in)
		if err != nil {
			return nil, err
		}
		return ListOf(found, total, (*in).page(), item), nil
	})
}

// Create registers the creation of a record.
func Create[S, R, T, In any](r Resource[S, R, T], op Operation, create func(context.Context, S, *In) (*R, []string, error)) {
	op.Status, op.OwnRules = http.StatusCreated, true
	op = r.operation(op, http.MethodPost, "create", "", fault.Conflict)
	Register(r.Router, op, func(ctx context.Context, who auth.Principal, in *In) (*Answer[T], error) {
		record, warnings, err := create(ctx, r.Store(who), in)
		return r.changed(who, record, warnings, err)
	})
}

// Get registers the read of one record. In has the path parameter.
func Get[In, S, R, T any](r Resource[S, R, T], op Operation, get func(S, context.Context, string) (*R, error)) {
	r.Changed = nil
	registerOne[In](r, r.operation(op, http.MethodGet, "get", "/{"+r.Key+"}", fault.NotFound), get)
}

// Do registers an operation that changes the state of one record, such as activate, at the record's path with the verb.
func Do[In, S, R, T any](r Resource[S, R, T], verb string, op Operation, do func(S, context.Context, string) (*R, error)) {
	registerOne[In](r, r.operation(op, http.MethodPost, verb, "/{"+r.Key+"}/"+verb, fault.NotFound), do)
}

func registerOne[In, S, R, T any](r Resource[S, R, T], op Operation, do func(S, context.Context, string) (*R, error)) {
	key := keyOf[In](r.Key)
	Register(r.Router, op, func(ctx context.Context, who auth.Principal, in *In) (*Answer[T], error) {
		record, err := do(r.Store(who), ctx, key(in))
		return r.changed(who, record, nil, err)
	})
}

// Update registers the change of one record by the fields of a body. In has the path parameter, and a RawBody.
func Update[In, S, R, T any](r Resource[S, R, T], op Operation, update func(S, context.Context, string, []byte) (*R, []string, error)) {
	op.OwnRules = true
	op = r.operation(op, http.MethodPut, "update", "/{"+r.Key+"}", fault.NotFound)
	key, raw := keyOf[In](r.Key), fieldOf[In](func(f reflect.StructField) bool { return f.Name == "RawBody" })
	Register(r.Router, op, func(ctx context.Context, who auth.Principal, in *In) (*Answer[T], error) {
		record, warnings, err := update(r.Store(who), ctx, key(in), raw(in).Bytes())
		return r.changed(who, record, warnings, err)
	})
}

// WithoutWarnings adapts an update that returns no warnings.
func WithoutWarnings[S, R any](update func(S, context.Context, string, []byte) (*R, error)) func(S, context.Context, string, []byte) (*R, []string, error) {
	return func(store S, ctx context.Context, key string, patch []byte) (*R, []string, error) {
		record, err := update(store, ctx, key, patch)
		return record, nil, err
	}
}

// Delete registers the deletion of one record. In has the path parameter.
func Delete[In, S, R, T any](r Resource[S, R, T], op Operation, remove func(S, context.Context, string) error) {
	op = r.operation(op, http.MethodDelete, "delete", "/{"+r.Key+"}", fault.NotFound)
	key := keyOf[In](r.Key)
	Register(r.Router, op, func(ctx context.Context, who auth.Principal, in *In) (*Empty, error) {
		return nil, remove(r.Store(who), ctx, key(in))
	})
}

// operation completes an operation with what follows from the resource; fields that are set have precedence.
func (r Resource[S, R, T]) operation(op Operation, method, verb, below string, errors ...fault.Code) Operation {
	collection := path.Base(r.Path)
	name, title := cmp.Or(r.Singular, strings.TrimSuffix(collection, "s")), r.Title
	if verb == "list" {
		if _, title, _ = strings.Cut(r.Title+"s", " "); r.Singular != "" {
			title = collection
		}
		name = collection
	}
	scope := r.Scope + ":write"
	if method == http.MethodGet {
		scope = r.Scope + ":read"
	}
	op.ID, op.Tag, op.Path = verb+"-"+name, r.Tag, r.Path+below
	op.Method = cmp.Or(op.Method, method)
	op.Summary = cmp.Or(op.Summary, strings.ToUpper(verb[:1])+verb[1:]+" "+title)
	op.Scope = cmp.Or(op.Scope, scope)
	op.LiveOnly = op.LiveOnly || r.LiveOnly && method != http.MethodGet
	if op.Method != http.MethodGet && op.Method != http.MethodDelete {
		op.Answer = r.Answer
	}
	if op.Errors == nil {
		op.Errors = errors
	}
	return op
}

func (r Resource[S, R, T]) answer(record *R, warnings []string, err error) (*Answer[T], error) {
	if err != nil {
		return nil, err
	}
	return NewAnswer(r.Show(record, warnings)), nil
}

// keyOf returns the reader of an input's path parameter, a text or an ID.
func keyOf[In any](name string) func(*In) string {
	field := fieldOf[In](func(f reflect.StructField) bool { return f.Tag.Get("path") == name })
	return func(in *In) string { return fmt.Sprint(field(in).Interface()) }
}

// fieldOf returns the reader of a field of an input; an input without the field is a programming error.
func fieldOf[In any](is func(reflect.StructField) bool) func(*In) reflect.Value {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[In]()) {
		if is(f) {
			return func(in *In) reflect.Value { return reflect.ValueOf(in).Elem().FieldByIndex(f.Index) }
		}
	}
	panic(fmt.Sprintf("%v lacks a field", reflect.TypeFor[In]()))
}
