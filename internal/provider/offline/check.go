package offline

import (
	"context"
	"fmt"
)

// Check proves that the offline speech works on this machine: the programs are
// in PATH, the libraries load, the models are there and a process of each kind
// answers. Its error is one sentence that names the program and the remedy.
func Check(ctx context.Context) error {
	model, err := recognizerModel()
	if err != nil {
		return err
	}
	if err := synthesizerProgram(); err != nil {
		return err
	}
	probes := []struct {
		program string
		start   func() (*process, error)
	}{
		{"pocketsphinx_continuous", func() (*process, error) {
			files, err := grammarFiles(model)
			if err != nil {
				return nil, err
			}
			defer closeAll(files)
			return startClosed(model, files)
		}},
		{"flite", func() (*process, error) { return startVoice(Voices[0]) }},
	}
	for _, probe := range probes {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := probe.start()
		if err != nil {
			return fmt.Errorf("%s does not work here (%w): %s", probe.program, err, advice)
		}
		p.close()
	}
	return nil
}
