package trial

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/internal/answering"
	"parley/internal/audio"
)

// ReadFolder reads an operator's recordings, dir/<class>/<language>/<name>.wav, each from the answer on. What is said may be beside it in
// <name>.txt.
func ReadFolder(dir string) (all []Recording, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "*.wav"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	for _, file := range files {
		r, err := readRecording(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no recordings: they are expected as <class>/<language>/<name>.wav", dir)
	}
	return all, nil
}

func readRecording(file string) (r Recording, err error) {
	folder := filepath.Dir(file)
	class := filepath.Base(filepath.Dir(folder))
	if !answering.IsClass(class) {
		return r, fmt.Errorf("its folder %q is no class", class)
	}
	f, err := os.Open(file) //nolint:gosec // a file that the operator names
	if err != nil {
		return r, err
	}
	defer f.Close()
	r = Recording{Name: filepath.Join(class, filepath.Base(folder), filepath.Base(file)), Language: filepath.Base(folder), Class: answering.Class(class)}
	if r.PCM, err = audio.ReadWAV(f, Rate); err != nil {
		return r, err
	}
	text, err := os.ReadFile(strings.TrimSuffix(file, ".wav") + ".txt") //nolint:gosec // beside the recording
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if said := strings.Join(strings.Fields(string(text)), " "); said != "" {
		r.Said = []Segment{spokenIn(r.PCM, said)}
	}
	return r, err
}

// spokenIn returns a text as spoken from the first to the last loud sample.
func spokenIn(pcm []int16, text string) Segment {
	const quiet = 500
	loud := func(v int16) bool { return v > quiet || v < -quiet }
	first, last := slices.IndexFunc(pcm, loud), len(pcm)
	for last > 0 && !loud(pcm[last-1]) {
		last--
	}
	at := func(samples int) time.Duration { return time.Duration(samples) * time.Second / Rate }
	return Segment{text, at(max(first, 0)), at(last)}
}
