package recording

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/fault"
)

// service is an S3-compatible service with one bucket, as far as recordings
// need it: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations.html
type service struct {
	t   *testing.T
	URL string

	mu      sync.Mutex
	objects map[string][]byte
	broken  bool
}

func startService(t *testing.T) *service {
	s := &service{t: t, objects: map[string][]byte{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if got := r.Header.Get("Authorization"); !strings.HasPrefix(got, "AWS4-HMAC-SHA256 Credential=key-id/") || !strings.Contains(got, "/eu-test-1/s3/aws4_request") {
		s.t.Errorf("%s %s is signed %q", r.Method, r.URL, got)
	}
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	object, there := s.objects[key]
	switch {
	case s.broken:
		s.refuse(w, http.StatusServiceUnavailable, "SlowDown")
	case bucket != "calls":
		s.refuse(w, http.StatusNotFound, "NoSuchBucket")
	case key == "":
		w.WriteHeader(http.StatusOK)
	case r.Method == http.MethodPut:
		if got := r.Header.Get("Content-Type"); got != MediaType {
			s.t.Errorf("put as %q", got)
		}
		s.objects[key] = s.body(r)
		w.Header().Set("ETag", `"tag"`)
	case r.Method == http.MethodDelete:
		delete(s.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case !there:
		s.refuse(w, http.StatusNotFound, "NoSuchKey")
	default:
		w.Header().Set("ETag", `"tag"`)
		http.ServeContent(w, r, "", time.Unix(1, 0), bytes.NewReader(object))
	}
}

func (s *service) refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>no</Message></Error>", code)
}

// body is what was sent, extracted from the chunks that are signed one by one:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
func (s *service) body(r *http.Request) []byte {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			s.t.Error(err)
		}
		return body
	}
	var body []byte
	for in := bufio.NewReader(r.Body); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			s.t.Errorf("read chunk: %v", err)
			return body
		}
		length, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		n, err := strconv.ParseInt(length, 16, 64)
		if err != nil {
			s.t.Errorf("chunk %q: %v", line, err)
			return body
		}
		if n == 0 {
			return body
		}
		chunk := make([]byte, n+2)
		if _, err := io.ReadFull(in, chunk); err != nil {
			s.t.Errorf("read chunk: %v", err)
			return body
		}
		body = append(body, chunk[:n]...)
	}
}

func (s *service) breakDown(broken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = broken
}

func (s *service) bucket(t *testing.T, name string) *Bucket {
	b, err := NewBucket(BucketOptions{Bucket: name, Endpoint: s.URL, Region: "eu-test-1", KeyID: "key-id", Secret: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// write makes a recording of some bytes.
func write(t *testing.T, s *Store, name, text string) {
	t.Helper()
	f, err := s.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, s *Store, name string) string {
	t.Helper()
	c, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Seek(2, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(c)
	if err != nil || c.Size() != int64(len(rest))+2 {
		t.Fatalf("%d bytes and %d more, %v", c.Size(), len(rest), err)
	}
	return string(rest)
}

func TestRecordingsStayInTheFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	s := NewStore(dir, nil, slog.New(slog.DiscardHandler))
	name := Name("tenant", "call", 1)
	write(t, s, name, "ogg of a call")
	if err := s.Keep(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "tenant", "call-1.ogg"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if got := read(t, s, name); got != "g of a call" {
		t.Errorf("read %q", got)
	}
	for range 2 {
		if err := s.Delete(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Open(t.Context(), name); !fault.Is(err, fault.NotFound) {
		t.Errorf("open what was deleted: %v", err)
	}
}

func TestRecordingsMoveToTheBucket(t *testing.T) {
	service := startService(t)
	bucket := service.bucket(t, "s3://calls/kept/here")
	if err := bucket.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := service.bucket(t, "s3://others").Check(t.Context()); err == nil || !strings.Contains(err.Error(), "no bucket others") {
		t.Errorf("a bucket that is not there: %v", err)
	}
	dir := t.TempDir()
	s := NewStore(dir, bucket, slog.New(slog.DiscardHandler))
	name := Name("tenant", "call", 1)
	write(t, s, name, "ogg of a call")
	if err := s.Keep(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, name)); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	if string(service.objects["kept/here/tenant/call-1.ogg"]) != "ogg of a call" {
		t.Errorf("the bucket holds %q", service.objects)
	}
	if got := read(t, s, name); got != "g of a call" {
		t.Errorf("read %q", got)
	}
	if err := s.Delete(t.Context(), name); err != nil || len(service.objects) != 0 {
		t.Errorf("deleted: %v, %q are left", err, service.objects)
	}
	if _, err := s.Open(t.Context(), name); !fault.Is(err, fault.NotFound) {
		t.Errorf("open what was deleted: %v", err)
	}
}

// A recording that the bucket did not take is not lost: the next process that
// has the folder brings it there. One that is being written stays.
func TestRecordingsLeftBehind(t *testing.T) {
	service := startService(t)
	s := NewStore(t.TempDir(), service.bucket(t, "s3://calls"), slog.New(slog.DiscardHandler))
	s.Recover(t.Context())
	write(t, s, Name("tenant", "left", 1), "ogg of a call")
	going, err := s.Create(Name("tenant", "going", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer going.Close()
	service.breakDown(true)
	s.putWait = time.Millisecond
	s.Recover(t.Context())
	if len(service.objects) != 0 {
		t.Errorf("a broken bucket holds %q", service.objects)
	}
	service.breakDown(false)
	s.Recover(t.Context())
	if len(service.objects) != 1 || service.objects["tenant/left-1.ogg"] == nil {
		t.Errorf("the bucket holds %q", service.objects)
	}
}

func TestWrongBuckets(t *testing.T) {
	for _, o := range []BucketOptions{{Bucket: "calls"}, {Bucket: "s3://"}, {Bucket: "https://calls"}, {Bucket: "s3://calls", Endpoint: "minio:9000"}} {
		if _, err := NewBucket(o); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
