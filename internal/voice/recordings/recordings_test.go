package recordings_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/audio"
	"parley/internal/hearing/corpus"
	"parley/internal/voice/recordings"
)

// Words interrupt the agent, typing and "okay" do not; hiss is speech that is missed, and a folder without recordings is refused.
func TestRecordings(t *testing.T) {
	dir := t.TempDir()
	word, err := corpus.Speech("wait a moment", "en-gb+m5")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "speech", "wait.wav"), word, "Wait a moment.")
	write(t, filepath.Join(dir, "noise", "typing.wav"), corpus.Typing(1, 5), "")
	write(t, filepath.Join(dir, "noise", "okay.wav"), word, "okay")
	write(t, filepath.Join(dir, "noise", "somebody.wav"), word, "are you there")
	write(t, filepath.Join(dir, "speech", "hiss.wav"), corpus.Hiss(1, 2), "")
	all, err := recordings.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var results []recordings.Result
	verdicts := map[string]bool{}
	for _, r := range all {
		result := recordings.Play(r, "en")
		results = append(results, result)
		verdicts[r.Name] = result.Wrong()
		if r.Name == "speech/wait.wav" && (result.Interrupted == 0 || result.Lowered > result.Interrupted || result.Silenced == 0) {
			t.Errorf("%s: %+v", r.Name, result)
		}
	}
	for name, want := range map[string]bool{"speech/wait.wav": false, "noise/typing.wav": false, "noise/okay.wav": false, "noise/somebody.wav": true, "speech/hiss.wav": true} {
		if wrong, played := verdicts[name]; wrong != want || !played {
			t.Errorf("%s is wrong: %v, want %v", name, wrong, want)
		}
	}
	var out bytes.Buffer
	if err := recordings.Write(&out, results); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "speech missed: 1 of 2; other sound that interrupted: 1 of 3") {
		t.Errorf("the table is\n%s", out.String())
	}
	if _, err := recordings.Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "has no recordings") {
		t.Errorf("an empty folder: %v", err)
	}
}

func write(t *testing.T, path string, s corpus.Sound, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := audio.WriteWAV(f, s.PCM(), corpus.Rate); err != nil {
		t.Fatal(err)
	}
	if text == "" {
		return
	}
	if err := os.WriteFile(strings.TrimSuffix(path, ".wav")+".txt", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
