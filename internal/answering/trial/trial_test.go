package trial

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/answering"
	"parley/internal/audio"
)

func writeWAV(t *testing.T, path string, pcm []int16) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := audio.WriteWAV(f, pcm, Rate); err != nil {
		t.Fatal(err)
	}
}

// An operator's recordings are judged by their folders; what was wrong is listed with its evidence.
func TestOperatorsRecordings(t *testing.T) {
	dir := t.TempDir()
	writeWAV(t, filepath.Join(dir, "silence", "de", "quiet.wav"), make([]int16, 7*Rate))
	writeWAV(t, filepath.Join(dir, "fax", "de", "fax.wav"), audio.Tone(2100, Rate, 3*time.Second))
	writeWAV(t, filepath.Join(dir, "human", "en", "wrong.wav"), audio.Tone(2100, Rate, 3*time.Second))
	noise := audio.Tone(300, Rate, 3*time.Second)
	writeWAV(t, filepath.Join(dir, "voicemail", "en", "said.wav"), noise)
	if err := os.WriteFile(filepath.Join(dir, "voicemail", "en", "said.txt"), []byte("Please leave a message\nafter the tone."), 0o600); err != nil {
		t.Fatal(err)
	}
	recordings, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	for _, recording := range recordings {
		r.Results = append(r.Results, Run(recording, true))
	}
	var table, wrong strings.Builder
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteWrong(&wrong); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"| `human` | – | 0/1 | – |", "| people taken for a machine | 100.0 % (1 of 1) |"} {
		if !strings.Contains(table.String(), strings.TrimSuffix(line, " – |")) {
			t.Errorf("the table lacks %q:\n%s", line, table.String())
		}
	}
	if w := wrong.String(); strings.Count(w, "taken for") != 1 || !strings.Contains(w, "human/en/wrong.wav: human, taken for fax") || !strings.Contains(w, "fax_tone (2100 Hz)") {
		t.Errorf("wrong ones:\n%s", w)
	}
}

func TestFoldersThatCannotBeJudged(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadFolder(dir); err == nil {
		t.Error("an empty folder")
	}
	writeWAV(t, filepath.Join(dir, "robot", "en", "a.wav"), make([]int16, Rate))
	if _, err := ReadFolder(dir); err == nil || !strings.Contains(err.Error(), "robot") {
		t.Errorf("an unknown class: %v", err)
	}
}

// A message that begins before a mailbox takes it is counted.
func TestCutOff(t *testing.T) {
	early := Result{Recording: Recording{Class: answering.Voicemail, MessageFrom: 3 * time.Second}, MessageAt: 2 * time.Second}
	late := early
	late.MessageAt = 3500 * time.Millisecond
	if f := (Report{Results: []Result{early, late}}).CutOff(); f.Count != 1 || f.Of != 2 {
		t.Errorf("%v", f)
	}
}
