package sound

import (
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
)

// Bundled sounds are as loud as stored ones, have no clicks where they begin again, and are made in a moment.
func TestBundledSounds(t *testing.T) {
	for _, name := range (Directory{}).Bundled() {
		began := time.Now()
		pcm := bundled[name]()
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%s takes %v", name, took)
		}
		if len(pcm) != int(bundledLength.Seconds())*rate {
			t.Errorf("%s has %d samples", name, len(pcm))
		}
		if got := audio.Level(pcm); got < level-1 || got > level+1 {
			t.Errorf("%s has %.1f dBFS", name, got)
		}
		step := 0
		for i := 1; i < len(pcm); i++ {
			step = max(step, abs(int(pcm[i])-int(pcm[i-1])))
		}
		if seam := abs(int(pcm[0]) - int(pcm[len(pcm)-1])); seam > step {
			t.Errorf("%s jumps by %d where it begins again", name, seam)
		}
	}
}

func abs(v int) int { return max(v, -v) }

// A tenant's sound comes before a bundled one of its name.
func TestSourceOfASound(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		if _, err := In(db.Tenant(acme)).Create(t.Context(), "office", wav(t, 1000, 8000, 2*time.Second, 1)); err != nil {
			t.Fatal(err)
		}
		l := NewLibrary(db)
		for name, tone := range map[string]bool{"office": true, "cafe": false} {
			source, err := l.Source(t.Context(), acme, name)
			if err != nil {
				t.Fatal(err)
			}
			var heard []int16
			for range 150 { // more than the tenant's has
				pcm, err := source.Next()
				if err != nil || len(pcm) != frame {
					t.Fatalf("%s: %d samples, %v", name, len(pcm), err)
				}
				heard = append(heard, pcm...)
			}
			if is := audio.Power(heard[rate/2:rate], 1000, rate) > 0.8; is != tone {
				t.Errorf("%s: the tone of the tenant's sound: %t", name, is)
			}
		}
		if _, err := l.Source(t.Context(), acme, "none"); !fault.Is(err, fault.NotFound) {
			t.Error(err)
		}
	})
}
