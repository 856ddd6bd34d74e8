package redistest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
)

// ServerEnv is an environment variable with the URL of a redis-server, Server.URL,
// that serves all test processes of a run. Without it each process starts one.
const ServerEnv = "PARLEY_TEST_REDIS"

// SharedDatabases is how many databases a shared server has, one for each caller
// of DatabaseURL; number 0 counts those in use. A server takes longer to remove
// expired keys the more it has.
const SharedDatabases = 10_000

// DatabaseURL returns the URL of an empty database on a server that tests share, for
// tests that neither stop the server nor use its channels.
func DatabaseURL(t testing.TB) string {
	t.Helper()
	needServer(t)
	server, err := shared()
	if err != nil {
		t.Fatalf("redis-server: %v", err)
	}
	options, err := redis.ParseURL(server)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	defer client.Close()
	number, err := client.Incr(context.Background(), "databases").Result()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s/%d", server, number)
}

var shared = sync.OnceValues(func() (string, error) {
	if url := os.Getenv(ServerEnv); url != "" {
		return url, nil
	}
	s, err := New(os.TempDir(), SharedDatabases) // it writes nothing
	if err != nil {
		return "", err
	}
	return s.URL, nil
})

// needServer skips tests that need Redis while -short asks for those without
// services.
func needServer(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs redis-server")
	}
}
