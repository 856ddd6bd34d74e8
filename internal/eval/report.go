package eval

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// Print writes a line for each conversation and each failure, for people to
// read.
func (r *Report) Print(w io.Writer) error {
	var b strings.Builder
	for _, c := range r.Conversations {
		verdict := "ok  "
		if !c.Passed() {
			verdict = "FAIL"
		}
		fmt.Fprintf(&b, "%s  %s (%.1f s)\n", verdict, c.Name, c.Seconds)
		for _, failure := range c.messages() {
			fmt.Fprintf(&b, "      %s\n", failure)
		}
	}
	fmt.Fprintf(&b, "%d of %d conversations as expected\n", len(r.Conversations)-r.Failed, len(r.Conversations))
	_, err := io.WriteString(w, b.String())
	return err
}

// messages returns the failed expectations, and behind them the error that ended the conversation.
func (o Outcome) messages() []string {
	if o.Broken == "" {
		return o.Failures
	}
	return append(o.Failures[:len(o.Failures):len(o.Failures)], o.Broken)
}

// The form that continuous integration servers read: Jenkins' junit-10.xsd.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name      string      `xml:"name,attr"`
		Tests     int         `xml:"tests,attr"`
		Failures  int         `xml:"failures,attr"`
		Errors    int         `xml:"errors,attr"`
		Time      string      `xml:"time,attr"`
		Timestamp string      `xml:"timestamp,attr"`
		Cases     []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Error   *junitProblem `xml:"error"`
		Failure *junitProblem `xml:"failure"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes the report as JUnit's XML. A conversation that could not be
// held is an error, one that was not as expected a failure.
func (r *Report) JUnit(w io.Writer, begun time.Time) error {
	suite := junitSuite{Name: r.Suite, Tests: len(r.Conversations), Timestamp: begun.UTC().Format("2006-01-02T15:04:05")}
	total := 0.0
	for _, c := range r.Conversations {
		total += c.Seconds
		one := junitCase{Name: c.Name, Class: r.Suite, Time: seconds(c.Seconds), Out: c.talk()}
		text := strings.Join(c.messages(), "\n")
		switch {
		case c.Broken != "":
			suite.Errors++
			one.Error = &junitProblem{Message: c.Broken, Text: text}
		case len(c.Failures) > 0:
			suite.Failures++
			one.Failure = &junitProblem{Message: c.Failures[0], Text: text}
		}
		suite.Cases = append(suite.Cases, one)
	}
	suite.Time = seconds(total)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	err := encoder.Encode(junitSuites{Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Time: suite.Time, Suites: []junitSuite{suite}})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

// talk returns the conversation as it went.
func (o Outcome) talk() string {
	var b strings.Builder
	for _, t := range o.Turns {
		if t.Said != "" {
			fmt.Fprintf(&b, "  caller  %s\n", t.Said)
		}
		_ = t.Print(&b) // a strings.Builder takes all
	}
	return b.String()
}
