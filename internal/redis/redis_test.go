package redis_test

import (
	"strings"
	"testing"

	"parley/internal/redis"
	"parley/internal/redis/redistest"
)

func TestOpen(t *testing.T) {
	server := redistest.Start(t)
	client, err := redis.Open(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.Set(t.Context(), "k", "v", 0).Err(); err != nil {
		t.Fatal(err)
	}
	server.Stop()
	if client.Ping(t.Context()).Err() == nil {
		t.Error("a stopped server answers")
	}
	if _, err := redis.Open(t.Context(), server.URL); err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(server.URL, "redis://")) || strings.Contains(err.Error(), "\n") {
		t.Errorf("a server that is unavailable: %v, want one line that says where", err)
	}
	server.Restart()
	if err := client.Ping(t.Context()).Err(); err != nil {
		t.Errorf("after its restart: %v", err)
	}
}

func TestParse(t *testing.T) {
	for _, wrong := range []string{"", "localhost:6379", "http://localhost", "redis://me:hush@host:port", "redis://me:hush@host/base", "redis://me:hush@%zz", "postgres://me:hush@host/"} {
		_, err := redis.Parse(wrong)
		if err == nil {
			t.Errorf("%q is accepted", wrong)
		} else if strings.Contains(err.Error(), "hush") {
			t.Errorf("%q: the error contains the password: %v", wrong, err)
		}
	}
	for url, want := range map[string]string{"redis://host": "host:6379", "rediss://me:hush@host:7000/3": "host:7000", "unix:///run/redis.sock": "/run/redis.sock"} {
		if o, err := redis.Parse(url); err != nil || o.Addr != want {
			t.Errorf("%s: %+v, %v", url, o, err)
		}
	}
}
