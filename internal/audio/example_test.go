package audio_test

import (
	"fmt"
	"time"

	"parley/internal/audio"
)

// A tone stays the same tone at another rate.
func ExampleResampler() {
	tone := audio.Tone(440, 48_000, 200*time.Millisecond)
	resampled := audio.NewResampler(48_000, 16_000).Process(tone, nil)
	fmt.Printf("%.1f %.1f\n", audio.Power(resampled, 440, 16_000), audio.Power(resampled, 880, 16_000))
	// Output: 1.0 0.0
}
