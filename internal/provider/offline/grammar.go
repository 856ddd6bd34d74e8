package offline

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"
)

// grammar has the sentences of the demo, in JSGF (https://www.w3.org/TR/jsgf/). Everything else is recognised by the open
// model, less reliably.
//
//go:embed grammar.jsgf
var grammar string

var (
	grammarRule = regexp.MustCompile(`<[a-z_]+>`)
	grammarWord = regexp.MustCompile(`[a-z][a-z']*`)
)

// grammarWords lists the words that a grammar's sentences are made of.
func grammarWords(jsgf string) map[string]bool {
	words := map[string]bool{}
	for line := range strings.Lines(jsgf) {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "grammar ") {
			continue
		}
		line = grammarRule.ReplaceAllString(strings.TrimPrefix(line, "public "), "")
		for _, w := range grammarWord.FindAllString(line, -1) {
			words[w] = true
		}
	}
	return words
}

// pronunciations selects the lines of a CMU dictionary that have one of the words. The whole dictionary would cost each
// process some 15 MB and 0.2 s. Alternative pronunciations are numbered: read(2).
func pronunciations(dictionary []byte, words map[string]bool) ([]byte, error) {
	var kept bytes.Buffer
	found := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(dictionary))
	for lines.Scan() {
		entry, _, _ := strings.Cut(lines.Text(), " ")
		word, _, _ := strings.Cut(entry, "(")
		if words[word] {
			found[word] = true
			kept.Write(lines.Bytes())
			kept.WriteByte('\n')
		}
	}
	for w := range words {
		if !found[w] {
			return nil, fmt.Errorf("the dictionary has no word %q", w)
		}
	}
	return kept.Bytes(), lines.Err()
}

// memoryFile holds data under a descriptor, for programs that read files only.
func memoryFile(name string, data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make memory file %s: %w", name, err)
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := f.Write(data); err != nil {
		f.Close()
		return nil, fmt.Errorf("fill memory file %s: %w", name, err)
	}
	return f, nil
}

// firstMean is the cepstral mean that a call begins with; pocketsphinx follows
// the caller's from there. It is what it found in the four flite voices after
// Opus; with the model's own, made from other microphones, the first sentence
// of a call scored up to 10 less than the same later on.
const firstMean = "48.1,4.8,2.3,15.4,-2.4,-0.7,2.8,-4.7,-1.8,-2.5,2.5,1.1,0.8"

var meanOption = regexp.MustCompile(`(?m)^-cmninit .*$`)

// features returns a model's feature parameters, but for the mean. They are a file
// of their own because those of the model overrule the command line.
func features(model string) ([]byte, error) {
	parameters, err := os.ReadFile(filepath.Join(model, "en-us", "feat.params"))
	if err != nil {
		return nil, fmt.Errorf("read feature parameters: %w", err)
	}
	kept := bytes.TrimSpace(meanOption.ReplaceAll(parameters, nil))
	return append(kept, "\n-cmninit "+firstMean+"\n"...), nil
}

// grammarFiles makes the demo's dictionary, its grammar and the feature
// parameters ready for the descriptors 3 to 5 of a recogniser's process.
func grammarFiles(model string) ([]*os.File, error) {
	path := filepath.Join(model, "cmudict-en-us.dict")
	dictionary, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read dictionary: %w", err)
	}
	small, err := pronunciations(dictionary, grammarWords(grammar))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	parameters, err := features(model)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for _, part := range []struct {
		name string
		data []byte
	}{{"dictionary", small}, {"grammar", []byte(grammar)}, {"features", parameters}} {
		f, err := memoryFile(part.name, part.data)
		if err != nil {
			closeAll(files)
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
