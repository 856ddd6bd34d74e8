package media

import (
	"strings"
	"testing"
)

// What a server says about itself; the room in which it is asked is gone afterwards.
func TestInspect(t *testing.T) {
	t.Parallel()
	info, err := Inspect(t.Context(), server.URL(), tokens, rooms())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(info.Version, "1.") || len(info.TURN) > 0 {
		t.Errorf("the embedded server is %+v", info)
	}
	await(t, "the room is gone", func() bool {
		there, err := rooms().List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, room := range there {
			if strings.HasPrefix(room.Name, "parley-doctor-") {
				return false
			}
		}
		return true
	})
	if _, err := Inspect(t.Context(), "ws://127.0.0.1:1", tokens, rooms()); err == nil {
		t.Error("a server that is unavailable says something")
	}
}
