package contract

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/client"
)

// startGoClient calls the methods of the Go client, each of which it finds by the request that it sends.
func startGoClient(t *testing.T, d *document) clientDriver {
	t.Helper()
	methods := goMethods(t, d)
	return func(t *testing.T, c clientCall) clientOutcome {
		t.Helper()
		path, ok := methods[c.Operation]
		if !ok {
			t.Fatalf("the Go client has no method for %s", c.Operation)
		}
		made := client.New(c.BaseURL, c.APIKey, client.WithAttempts(1), client.WithHeaders(c.Headers))
		if c.AccessToken != "" {
			made = made.Session(c.AccessToken)
		}
		method := goMethod(made, path)
		err := callGo(method, goArguments(t, method.Type(), c))
		if err == nil {
			return clientOutcome{}
		}
		var refused *client.Error
		if !errors.As(err, &refused) {
			return clientOutcome{Broken: err.Error()}
		}
		raised := &clientError{Code: refused.Code, Message: refused.Message, Status: refused.Status, RequestID: refused.RequestID}
		for _, d := range refused.Details {
			raised.Details = append(raised.Details, struct{ Field, Message string }{d.Field, d.Message})
		}
		return clientOutcome{Error: raised}
	}
}

// callGo calls a method, reads one message if it returns a stream, and returns the error.
func callGo(method reflect.Value, arguments []reflect.Value) error {
	out := method.Call(arguments)
	last := out[len(out)-1]
	if last.Kind() == reflect.Func {
		for _, err := range last.Seq2() {
			last = err
			break
		}
	}
	err, _ := last.Interface().(error)
	return err
}

// goPath leads to a method of the client: the field of a service, "" for the client itself, and a name.
type goPath struct{ service, method string }

func goMethod(c *client.Client, p goPath) reflect.Value {
	of := reflect.ValueOf(c)
	if p.service != "" {
		of = of.Elem().FieldByName(p.service)
	}
	return of.MethodByName(p.method)
}

// goMethods are the methods of the client by the operation that each calls.
func goMethods(t *testing.T, d *document) map[string]goPath {
	t.Helper()
	var called *operation
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		called = d.route(r.Method, r.URL.Path)
		_, _ = w.Write([]byte("null"))
	}))
	defer server.Close()
	c := client.New(server.URL, "key", client.WithAttempts(1))
	paths := []goPath{}
	for i := range reflect.TypeFor[*client.Client]().NumMethod() {
		paths = append(paths, goPath{"", reflect.TypeFor[*client.Client]().Method(i).Name})
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[client.Client]()) {
		if f.IsExported() && !f.Anonymous {
			for i := range f.Type.NumMethod() {
				paths = append(paths, goPath{f.Name, f.Type.Method(i).Name})
			}
		}
	}
	methods := map[string]goPath{}
	for _, p := range paths {
		if p.method == "Session" || p.method == "Wait" { // these send no request of their own
			continue
		}
		method := goMethod(c, p)
		called = nil
		_ = callGo(method, goArguments(t, method.Type(), clientCall{Path: []string{"x", "1"}})) // null is no answer of theirs
		if called != nil {
			methods[called.OperationID] = p
		}
	}
	return methods
}

// goArguments are the arguments of a method. Strings and numbers take what is in the path, then the headers, then the fields of the
// body by their names in alphabetical order; a struct or map takes the body, and a query its parameters.
func goArguments(t *testing.T, method reflect.Type, c clientCall) []reflect.Value {
	t.Helper()
	in := []reflect.Value{reflect.ValueOf(context.Background())}
	simple := []any{}
	for _, p := range c.Path {
		simple = append(simple, p)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Header)) {
		simple = append(simple, c.Header[name])
	}
	if body, ok := c.Body.(object); ok {
		for _, name := range slices.Sorted(maps.Keys(body)) {
			simple = append(simple, body[name])
		}
	}
	for i := 1; i < method.NumIn(); i++ {
		argument := reflect.New(method.In(i))
		var value any
		switch name := method.In(i).Name(); {
		case method.In(i) == reflect.TypeFor[[]byte]():
			file, _ := c.Body.([]byte)
			argument.Elem().SetBytes(file)
		case method.In(i).Kind() == reflect.Struct && (strings.HasSuffix(name, "Query") || strings.HasSuffix(name, "Options")):
			setTexts(argument.Elem(), c.Query)
		case method.In(i).Kind() == reflect.Struct || method.In(i).Kind() == reflect.Map:
			value = c.Body
		case len(simple) > 0 && (reflect.TypeOf(simple[0]).Kind() == reflect.String) == (method.In(i).Kind() == reflect.String):
			value, simple = simple[0], simple[1:]
		}
		if value != nil {
			if err := json.Unmarshal(encoded(t, value), argument.Interface()); err != nil {
				t.Fatalf("%s: %v", c.Operation, err)
			}
		}
		in = append(in, argument.Elem())
	}
	return in
}

// setTexts sets the fields of a query that are texts.
func setTexts(query reflect.Value, values map[string]string) {
	for name, value := range values {
		field := query.FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, strings.ReplaceAll(name, "_", "")) })
		if field.IsValid() && field.Kind() == reflect.String {
			field.SetString(value)
		}
	}
}
