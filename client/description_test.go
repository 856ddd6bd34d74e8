package client_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/tools/openapi/description"
)

// free stands for all fields of an object that the caller of the client makes.
const free = "*"

// deepest is how many objects within one another are looked at: an action of a tool has actions.
const deepest = 4

// notOperations are the methods of the client that send no request of their own.
var notOperations = []string{"Session", "Calls.Wait"}

type schema struct {
	Ref        string             `json:"$ref"`
	AllOf      []schema           `json:"allOf"`
	Properties map[string]*schema `json:"properties"`
	Items      *schema            `json:"items"`
}

type content map[string]struct {
	Schema schema `json:"schema"`
}

type operation struct {
	ID         string `json:"operationId"`
	Parameters []struct {
		Name string `json:"name"`
		In   string `json:"in"`
	} `json:"parameters"`
	RequestBody struct {
		Content content `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content content `json:"content"`
	} `json:"responses"`
}

type document struct {
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

func served(t *testing.T) document {
	t.Helper()
	served, err := description.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(served, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// resolve returns what a schema refers to.
func (d document) resolve(s schema) schema {
	for s.Ref != "" || len(s.AllOf) == 1 {
		if s.Ref == "" {
			s = s.AllOf[0]
			continue
		}
		s = d.Components.Schemas[path.Base(s.Ref)]
	}
	return s
}

// find returns the operation that serves a request.
func (d document) find(method, requested string) (operation, bool) {
	var found operation
	literal := -1
	for template, operations := range d.Paths {
		o, ok := operations[strings.ToLower(method)]
		n, fits := fit(template, requested)
		if ok && fits && n > literal {
			found, literal = o, n
		}
	}
	return found, literal >= 0
}

// fit reports whether a path has the form of a template, and how many of its segments are literal.
func fit(template, requested string) (literal int, fits bool) {
	want, have := strings.Split(template, "/"), strings.Split(requested, "/")
	if len(want) != len(have) {
		return 0, false
	}
	for i := range want {
		if want[i] == have[i] {
			literal++
		} else if !strings.HasPrefix(want[i], "{") {
			return 0, false
		}
	}
	return literal, true
}

// filled is a value of a type in which every field is set, so that a request has all the fields that the client can send.
func filled(of reflect.Type, depth int) reflect.Value {
	v := reflect.New(of).Elem()
	switch {
	case depth > 2*deepest:
	case of == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(1, 0)))
	case of == reflect.TypeFor[json.RawMessage]():
		v.Set(reflect.ValueOf(json.RawMessage(`{"` + free + `":1}`)))
	case of.Kind() == reflect.Pointer:
		v.Set(reflect.New(of.Elem()))
		v.Elem().Set(filled(of.Elem(), depth+1))
	case of.Kind() == reflect.Slice:
		v.Set(reflect.Append(v, filled(of.Elem(), depth+1)))
	case of.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(of))
		v.SetMapIndex(reflect.ValueOf(free).Convert(of.Key()), filled(of.Elem(), depth+1))
	case of.Kind() == reflect.Struct:
		for i := range of.NumField() {
			v.Field(i).Set(filled(of.Field(i).Type, depth+1))
		}
	case of.Kind() == reflect.Interface:
		v.Set(reflect.ValueOf(map[string]any{free: 1}))
	case of.Kind() == reflect.String:
		v.SetString("x")
	case of.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(7)
	case v.CanFloat():
		v.SetFloat(7)
	}
	return v
}

// methods calls use with each method of the client that is an operation.
func methods(c *client.Client, use func(name string, method reflect.Value)) {
	of := func(prefix string, v reflect.Value) {
		for i := range v.NumMethod() {
			if name := prefix + v.Type().Method(i).Name; !slices.Contains(notOperations, name) {
				use(name, v.Method(i))
			}
		}
	}
	of("", reflect.ValueOf(c))
	for _, f := range reflect.VisibleFields(reflect.TypeFor[client.Client]()) {
		if f.IsExported() && !f.Anonymous {
			of(f.Name+".", reflect.ValueOf(*c).FieldByIndex(f.Index))
		}
	}
}

// Every operation that the server describes has a method, which can send all its fields and returns all that it is answered with.
func TestClientHasWhatIsDescribed(t *testing.T) {
	d := served(t)
	var request *http.Request
	var body any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, body = r, nil
		_ = json.NewDecoder(r.Body).Decode(&body)
		_, _ = w.Write([]byte("null"))
	}))
	defer server.Close()
	covered := map[string]string{}
	methods(client.New(server.URL, "key", client.WithAttempts(1)), func(name string, method reflect.Value) {
		in := []reflect.Value{reflect.ValueOf(context.Background())}
		for i := 1; i < method.Type().NumIn(); i++ {
			in = append(in, filled(method.Type().In(i), 0))
		}
		request = nil
		out := method.Call(in)
		if out[0].Kind() == reflect.Func { // a stream begins when it is read
			for range out[0].Seq2() {
				break
			}
		}
		if request == nil {
			t.Errorf("%s sends no request", name)
			return
		}
		o, known := d.find(request.Method, request.URL.Path)
		if !known {
			t.Errorf("%s: %s %s is not described", name, request.Method, request.URL.Path)
			return
		}
		covered[o.ID] = name
		for _, p := range o.Parameters {
			if p.Name == "Range" || p.Name == "Last-Event-ID" {
				continue // recordings are returned whole, and the client itself continues streams
			}
			if prefix, family := strings.CutSuffix(p.Name, "{key}"); family {
				if !strings.Contains(request.URL.RawQuery, prefix) {
					t.Errorf("%s cannot send the parameters %s", name, p.Name)
				}
				continue
			}
			if (p.In == "query" && !request.URL.Query().Has(p.Name)) || (p.In == "header" && request.Header.Get(p.Name) == "") {
				t.Errorf("%s cannot send the parameter %s", name, p.Name)
			}
		}
		for _, missing := range d.unsent(o.RequestBody.Content["application/json"].Schema, body, "") {
			t.Errorf("%s cannot send %s", name, missing)
		}
		for status, r := range o.Responses {
			if answer, ok := r.Content["application/json"]; ok && status < "300" {
				for _, missing := range d.unread(answer.Schema, method.Type().Out(0), "") {
					t.Errorf("%s does not return %s", name, missing)
				}
			}
		}
	})
	for template, operations := range d.Paths {
		for method, o := range operations {
			if covered[o.ID] == "" {
				t.Errorf("the client has no method for %s: %s %s", o.ID, strings.ToUpper(method), template)
			}
		}
	}
}

// unsent returns the fields of a schema that a body lacks.
func (d document) unsent(s schema, body any, at string) (missing []string) {
	if strings.Count(at, ".") >= deepest {
		return nil
	}
	s = d.resolve(s)
	if list, ok := body.([]any); ok && s.Items != nil && len(list) > 0 {
		return d.unsent(*s.Items, list[0], at+"[]")
	}
	object, _ := body.(map[string]any)
	if _, any := object[free]; any {
		return nil
	}
	for name, property := range s.Properties {
		if value, ok := object[name]; ok {
			missing = append(missing, d.unsent(*property, value, at+"."+name)...)
		} else {
			missing = append(missing, at+"."+name)
		}
	}
	return missing
}

// unread returns the fields of a schema that a type lacks.
func (d document) unread(s schema, of reflect.Type, at string) (missing []string) {
	if strings.Count(at, ".") >= deepest {
		return nil
	}
	s = d.resolve(s)
	for of.Kind() == reflect.Pointer || (of.Kind() == reflect.Slice && of != reflect.TypeFor[json.RawMessage]()) {
		if of.Kind() == reflect.Slice && s.Items != nil {
			s = d.resolve(*s.Items)
		} else if of.Kind() == reflect.Slice && s.Properties["items"] != nil {
			s = d.resolve(*d.resolve(*s.Properties["items"]).Items)
		}
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[time.Time]() {
		return nil
	}
	fields := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields[name] = f.Type
	}
	for name, property := range s.Properties {
		if field, ok := fields[name]; ok {
			missing = append(missing, d.unread(*property, field, at+"."+name)...)
		} else {
			missing = append(missing, at+"."+name)
		}
	}
	return missing
}
