package offline

import (
	"context"
	"fmt"
)

// Check verifies that the offline speech works on this machine: the programs, libraries and models are installed,
// and a process of each kind responds. Its error names what is missing and how to install it.
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
