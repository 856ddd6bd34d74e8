// Package eval runs scripted conversations in writing against agents and
// compares what they do with what is expected: regression tests for prompts,
// tools and workflows. docs/evaluation.md has the file's form.
package eval

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Suite is the conversations of a file.
type Suite struct {
	Name          string // of the file
	Conversations []Conversation
}

// Conversation is one script, with a workflow or an agent.
type Conversation struct {
	Name            string
	Workflow, Agent string
	User            map[string]any
	Greeting        *Expect
	Turns           []Turn
	// Analyses are expected of the whole conversation, by analysis.
	Analyses []ExpectAnalysis
}

// Turn is a line to say, and what is expected of the reply.
type Turn struct {
	Say    string
	Expect Expect
}

// Expect is what a reply must be like. What is nil or "" is not looked at.
type Expect struct {
	Words    []string // each is said: words side by side, whatever their case and punctuation
	NotWords []string // none is said
	Tools    []string // each is called; none at all when it is empty and not nil
	Agent    string   // has the conversation then
	Ended    *bool    // whether the agent ended the conversation
}

// FileError is what is wrong with a file, in one line.
type FileError struct {
	File    string
	Line    int // 0 for the file as a whole
	Problem string
}

func (e *FileError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Problem)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Problem)
}

// ReadFile reads a suite. Its error is a *FileError.
func ReadFile(path string) (*Suite, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		var pathError *os.PathError
		if errors.As(err, &pathError) {
			err = pathError.Err
		}
		return nil, &FileError{File: path, Problem: err.Error()}
	}
	return Parse(path, content)
}

// Parse reads a suite from a file's content. Its error is a *FileError.
func Parse(name string, content []byte) (*Suite, error) {
	var document yaml.Node
	decoder := yaml.NewDecoder(strings.NewReader(string(content)))
	if err := decoder.Decode(&document); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, &FileError{File: name, Problem: "holds no conversation"}
		}
		return nil, &FileError{File: name, Problem: strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	if decoder.Decode(new(yaml.Node)) == nil {
		return nil, &FileError{File: name, Problem: "holds more than one document"}
	}
	suite := &Suite{Name: name}
	err := each(document.Content[0], "the file", func(n *yaml.Node) error {
		c, err := conversation(n)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(suite.Conversations, func(other Conversation) bool { return other.Name == c.Name }) {
			return at(n, "there is another conversation named %q", c.Name)
		}
		suite.Conversations = append(suite.Conversations, c)
		return nil
	})
	var wrong *place
	switch {
	case errors.As(err, &wrong):
		return nil, &FileError{File: name, Line: wrong.line, Problem: wrong.problem}
	case len(suite.Conversations) == 0:
		return nil, &FileError{File: name, Problem: "holds no conversation"}
	}
	return suite, nil
}

func conversation(n *yaml.Node) (c Conversation, err error) {
	err = object(n, "a conversation", fields{
		"name":         text(&c.Name),
		"workflow":     text(&c.Workflow),
		"agent":        text(&c.Agent),
		"user_context": func(n *yaml.Node) error { return jsonObject(n, &c.User) },
		"greeting":     func(n *yaml.Node) error { c.Greeting = new(Expect); return expect(n, "greeting", c.Greeting) },
		"analyses":     analyses(&c.Analyses),
		"turns": func(n *yaml.Node) error {
			return each(n, "turns", func(n *yaml.Node) error {
				t, err := turn(n)
				c.Turns = append(c.Turns, t)
				return err
			})
		},
	})
	switch {
	case err != nil:
		return c, err
	case c.Name == "":
		return c, at(n, "a conversation needs a name")
	case (c.Workflow == "") == (c.Agent == ""):
		return c, at(n, "conversation %q: name either an agent or a workflow", c.Name)
	case len(c.Turns) == 0 && c.Greeting == nil:
		return c, at(n, "conversation %q: there are no turns", c.Name)
	}
	return c, nil
}

func turn(n *yaml.Node) (t Turn, err error) {
	err = object(n, "a turn", fields{
		"say":    text(&t.Say),
		"expect": func(n *yaml.Node) error { return expect(n, "expect", &t.Expect) },
	})
	if err == nil && len(tokens(t.Say)) == 0 {
		err = at(n, "a turn needs words to say")
	}
	return t, err
}

func expect(n *yaml.Node, name string, e *Expect) error {
	return object(n, name, fields{
		"words":     phrases(&e.Words),
		"not_words": phrases(&e.NotWords),
		"tool":      texts(&e.Tools),
		"tools":     texts(&e.Tools),
		"agent":     text(&e.Agent),
		"ended":     func(n *yaml.Node) error { e.Ended = new(bool); return boolean(n, e.Ended) },
	})
}

// phrases reads texts with a word in them: others would hold, or fail, always.
func phrases(to *[]string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if err := texts(to)(n); err != nil {
			return err
		}
		if slices.ContainsFunc(*to, func(phrase string) bool { return len(tokens(phrase)) == 0 }) {
			return mustBe(n, "words, each with a letter or digit")
		}
		return nil
	}
}
