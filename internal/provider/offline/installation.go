package offline

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// advice is how the missing part of the offline speech is got.
const advice = "install it with `apt-get install flite pocketsphinx pocketsphinx-en-us`, or put its folder in PATH"

// recognizerModel locates pocketsphinx's English model relative to its program: share/pocketsphinx/model/en-us is beside
// bin/pocketsphinx_continuous.
func recognizerModel() (string, error) {
	program, err := exec.LookPath("pocketsphinx_continuous")
	if err != nil {
		return "", fmt.Errorf("pocketsphinx_continuous is not in PATH: %s", advice)
	}
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	model := filepath.Join(filepath.Dir(filepath.Dir(program)), "share", "pocketsphinx", "model", "en-us")
	for _, part := range []string{"en-us/mdef", "en-us/means", "cmudict-en-us.dict", "en-us.lm.bin"} {
		if _, err := os.Stat(filepath.Join(model, part)); err != nil {
			return "", fmt.Errorf("pocketsphinx_continuous has no English model (%s is missing): %s", filepath.Join(model, part), advice)
		}
	}
	return model, nil
}

// synthesizerProgram proves that flite is installed.
func synthesizerProgram() error {
	if _, err := exec.LookPath("flite"); err != nil {
		return fmt.Errorf("flite is not in PATH: %s", advice)
	}
	return nil
}
