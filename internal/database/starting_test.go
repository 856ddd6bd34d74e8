package database_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	neturl "net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/database/databasetest"
)

// A PostgreSQL that is starting (57P03) is awaited; a refused connection fails the start immediately.
func TestStartingPostgres(t *testing.T) {
	url, err := neturl.Parse(databasetest.PostgresURL(t))
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(url.Query().Get("host"), ".s.PGSQL.5432")
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var refused atomic.Int64
	go func() {
		for {
			client, err := front.Accept()
			if err != nil {
				return
			}
			go func() {
				defer client.Close()
				if refused.Add(1) <= 2 {
					refuseStart(client)
					return
				}
				server, err := net.Dial("unix", socket)
				if err != nil {
					return
				}
				defer server.Close()
				go io.Copy(server, client)
				io.Copy(client, server)
			}()
		}
	}()
	address := "postgres://" + url.User.String() + "@" + front.Addr().String() + url.Path + "?sslmode=disable"
	db, err := database.Open(t.Context(), address, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(t.Context()); err != nil || refused.Load() < 3 {
		t.Errorf("%v after %d connections", err, refused.Load())
	}
	db.Close()
	front.Close()
	limited, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := database.Open(limited, address, ""); err == nil || !strings.Contains(err.Error(), "DATABASE_URL") || limited.Err() != nil {
		t.Errorf("with nobody there: %v", err)
	}
}

// refuseStart answers the startup message as a server that starts: an ErrorResponse of code 57P03.
func refuseStart(client net.Conn) {
	if _, err := io.ReadFull(client, make([]byte, 8)); err != nil {
		return
	}
	fields := "SFATAL\x00VFATAL\x00C57P03\x00Mthe database system is starting up\x00\x00"
	answer := binary.BigEndian.AppendUint32([]byte{'E'}, uint32(4+len(fields)))
	_, _ = client.Write(append(answer, fields...))
}
