package llm

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

type read struct{ Name, Data string }

// readAll returns all events of a stream and the error that ended them.
func readAll(r io.Reader, limit int) (all []read, failure error) {
	for event, err := range events(r, limit) {
		if err != nil {
			return all, err
		}
		if !event.Done {
			all = append(all, read{event.Name, string(event.Data)})
		}
	}
	return all, nil
}

func TestEventsAreRead(t *testing.T) {
	for name, test := range map[string]struct {
		stream string
		want   []read
	}{
		"nothing":                    {"", nil},
		"one":                        {"data: a\n\n", []read{{"", "a"}}},
		"no space after the colon":   {"data:a\n\n", []read{{"", "a"}}},
		"one space is removed":       {"data:  a \n\n", []read{{"", " a "}}},
		"names hold for one event":   {"event: x\ndata: a\n\ndata: b\n\n", []read{{"x", "a"}, {"", "b"}}},
		"name after data":            {"data: a\nevent: x\n\n", []read{{"x", "a"}}},
		"data in several lines":      {"data: a\ndata:\ndata: b\n\n", []read{{"", "a\n\nb"}}},
		"comments":                   {": hello\n\n:\ndata: a\n: b\n\n", []read{{"", "a"}}},
		"other fields":               {"id: 7\nretry: 10\ndata: a\nfoo: b\nfoo\n\n", []read{{"", "a"}}},
		"colons in data":             {"data: {\"a\": \"b:c\"}\n\n", []read{{"", `{"a": "b:c"}`}}},
		"lines that end in CRLF":     {"event: x\r\ndata: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", []read{{"x", "a\nb"}, {"", "c"}}},
		"lines that end in CR":       {"event: x\rdata: a\rdata: b\r\rdata: c\r\r", []read{{"x", "a\nb"}, {"", "c"}}},
		"lines that end in all ways": {"data: a\r\ndata: b\rdata: c\n\r\ndata: d\n\n", []read{{"", "a\nb\nc"}, {"", "d"}}},
		"several empty lines":        {"\n\n\ndata: a\n\n\n\ndata: b\n\n", []read{{"", "a"}, {"", "b"}}},
		"a byte order mark":          {"\ufeffdata: a\n\n", []read{{"", "a"}}},
		"a byte order mark later":    {"\n\ufeffdata: a\n\n", nil},
		"events without data":        {"event: ping\n\ndata\n\nevent: x\ndata: \n\ndata: a\n\n", []read{{"", "a"}}},
		"cut off in an event":        {"data: a\n\ndata: b\n", []read{{"", "a"}}},
		"cut off in a line":          {"data: a\n\ndata: b", []read{{"", "a"}}},
		"done":                       {"data: a\n\ndata: [DONE]\n\ndata: b\n\n", []read{{"", "a"}}},
		"done without a space":       {"data:[DONE]\r\n\r\ndata: b\n\n", nil},
		"field names are lower case": {"Data: a\n\n data: a\n\n", nil},
		"as large as allowed":        {strings.Repeat("data: 1234567\n", 4) + "\n", []read{{"", "1234567\n1234567\n1234567\n1234567"}}},
		"as long as allowed":         {"data:" + strings.Repeat("a", 27) + "\n\n", []read{{"", strings.Repeat("a", 27)}}},
	} {
		for kind, r := range map[string]io.Reader{
			"at once":         strings.NewReader(test.stream),
			"byte by byte":    iotest.OneByteReader(strings.NewReader(test.stream)),
			"data with error": iotest.DataErrReader(strings.NewReader(test.stream)),
		} {
			got, err := readAll(r, 32)
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("%s, %s: %v (-want +got):\n%s", name, kind, err, diff)
			}
		}
	}
}

// An event is delivered when its last line has ended, though the stream continues.
func TestEventsAreNotHeldBack(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		r, w := io.Pipe()
		go io.WriteString(w, "data: a"+end+end)
		for event, err := range Events(r) {
			if string(event.Data) != "a" || err != nil {
				t.Errorf("%q: %+v, %v", end, event, err)
			}
			break
		}
		r.Close()
	}
}

func TestEventsEndWithErrors(t *testing.T) {
	broken := errors.New("connection reset")
	for name, test := range map[string]struct {
		stream io.Reader
		want   string
	}{
		"a broken connection": {io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)), broken.Error()},
		"a long line":         {strings.NewReader("data: a\n\ndata: " + strings.Repeat("b", 27) + "\n\n"), "longer than 32 bytes"},
		"a long comment":      {strings.NewReader("data: a\n\n:" + strings.Repeat("b", 100)), "longer than 32 bytes"},
		"a large event":       {strings.NewReader("data: a\n\n" + strings.Repeat("data: 1234567\n", 5) + "\n"), "larger than 32 bytes"},
		"empty lines of data": {strings.NewReader("data: a\n\n" + strings.Repeat("data\n", 100)), "larger than 32 bytes"},
	} {
		got, err := readAll(test.stream, 32)
		if len(got) != 1 || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: read %v, %v", name, got, err)
		}
	}
}

// FuzzEvents compares with a reader of the whole stream.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"data: a\n\n", "event: x\r\ndata: a\r\n\r\n", "\ufeffdata:a\rdata\r\r: c\ndata: [DONE]\n\n", "data: " + strings.Repeat("a", 70) + "\n\n",
		strings.Repeat("data\n", 70) + "\n", "event:x\n\nid: 1\nretry: 2\ndata: b"} {
		f.Add([]byte(seed))
	}
	const limit = 64
	f.Fuzz(func(t *testing.T, stream []byte) {
		got, err := readAll(iotest.HalfReader(bytes.NewReader(stream)), limit)
		want, whole := wholeStream(string(stream), limit)
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != whole {
			t.Errorf("%q: %v (-want +got):\n%s", stream, err, diff)
		}
		for _, event := range got {
			if len(event.Data) > limit || len(event.Name) > limit {
				t.Errorf("%q: an event of %d bytes named with %d", stream, len(event.Data), len(event.Name))
			}
		}
	})
}

// wholeStream returns the events before the first that exceeds the limit, and
// whether there is none such.
func wholeStream(stream string, limit int) (all []read, whole bool) {
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\r", "\n"), "\n")
	var name string
	var data []string
	for i, line := range lines {
		if len(line) > limit {
			return all, false
		}
		if i == len(lines)-1 {
			break // without an end
		}
		if i == 0 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			joined := strings.Join(data, "\n")
			if strings.HasPrefix(joined, "[DONE]") {
				return all, true
			}
			if joined != "" {
				all = append(all, read{name, joined})
			}
			name, data = "", nil
		case field == "event":
			name = value
		case field == "data":
			if data = append(data, value); len(strings.Join(data, "\n")) > limit {
				return all, false
			}
		}
	}
	return all, true
}
