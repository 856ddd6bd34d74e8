package e2e

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/media"
)

// A caller keeps joining while the call is ended, and continues afterwards: once it is over nobody gets into its room again,
// and there is none.
func TestRoomOfAnEndedCallStaysClosed(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), nil)
	secret, err := os.ReadFile(filepath.Join(s.Dir, "livekit-secret"))
	if err != nil {
		t.Fatal(err)
	}
	rooms := media.NewRooms("ws://127.0.0.1:"+s.RTCPort, "parley", strings.TrimSpace(string(secret)))
	for range 3 {
		d, _ := silentWith(t, s, "demo")
		var joining sync.WaitGroup
		over := make(chan struct{})
		for range 4 {
			joining.Go(func() {
				for {
					if p, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token}); err == nil {
						p.Leave()
					}
					select {
					case <-over:
						return
					default:
					}
				}
			})
		}
		if _, err := s.API.Calls.End(t.Context(), d.CallID); err != nil {
			t.Fatal(err)
		}
		await(t, "the room of "+d.CallID+" is gone", func() bool {
			there, err := rooms.List(t.Context(), d.RoomName)
			if err != nil {
				t.Fatal(err)
			}
			return len(there) == 0
		})
		close(over)
		joining.Wait()
		// The joins so far may be all that the proxy passes on for a while (docs/limits.md).
		for refused := 0; refused < 3; {
			_, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token})
			switch {
			case errors.Is(err, media.ErrNoRoom):
				refused++
			case err == nil || !strings.Contains(err.Error(), http.StatusText(http.StatusTooManyRequests)):
				t.Fatalf("joining the room of a call that is over: %v", err)
			default:
				time.Sleep(time.Second)
			}
		}
		// LiveKit makes a room again when somebody joins while it is deleted; it lets nobody in, and the next sweep deletes it.
		await(t, "no room of the call that is over is left", func() bool {
			there, err := rooms.List(t.Context(), d.RoomName)
			return err == nil && len(there) == 0
		})
		if c, err := s.API.Calls.Get(t.Context(), d.CallID); err != nil || c.EndedAt == nil {
			t.Errorf("call %+v, %v", c, err)
		}
	}
}
