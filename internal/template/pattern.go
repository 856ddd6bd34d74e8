package template

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// Limits of the regular expressions of a condition, together.
const (
	maxPatternClasses = 16  // \pL, [[:alpha:]] and the like, which stand for hundreds of ranges each
	maxPatternProgram = 500 // instructions
)

// maxMatchedLength is the longest text that "matches" searches, in bytes; longer texts do not match.
const maxMatchedLength = 4096

// compileMatch compiles a regular expression in advance. Patterns from data are not allowed: each evaluation would compile them.
func (c *compiler) compileMatch(n *ast.BinaryNode) (eval, error) {
	literal, ok := n.Right.(*ast.StringNode)
	if !ok || reference.MatchString(literal.Value) {
		return nil, errors.New("matches against something other than a quoted pattern")
	}
	pattern, size, err := c.patterns.compile(literal.Value)
	if err != nil {
		return nil, err
	}
	text, err := c.compile(n.Left)
	if err != nil {
		return nil, err
	}
	return func(e evaluation) any {
		value, ok := text(e).(string)
		return ok && len(value) <= maxMatchedLength && e.steps.spend(len(value)*(1+size)) && pattern.MatchString(value) // each byte may meet each instruction
	}, nil
}

// patterns are the regular expressions of a condition.
type patterns struct{ classes, size int }

var errPatterns = errors.New("has too large a pattern")

// compile compiles a regular expression and returns its size in instructions. The size is measured before anything is
// built from the pattern, for x{1000} is written in few characters.
func (p *patterns) compile(text string) (pattern *regexp.Regexp, size int, err error) {
	p.classes += strings.Count(text, `\p`) + strings.Count(text, `\P`) + strings.Count(text, "[:")
	if p.classes > maxPatternClasses {
		return nil, 0, errPatterns
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, 0, fmt.Errorf("has a bad pattern: %w", err)
	}
	size = programSize(parsed)
	if p.size += size; p.size > maxPatternProgram {
		return nil, 0, errPatterns
	}
	if pattern, err = regexp.Compile(text); err != nil {
		return nil, 0, fmt.Errorf("has a bad pattern: %w", err)
	}
	return pattern, size, nil
}

// programSize returns about how many instructions a regular expression compiles to. It stops counting above maxPatternProgram.
func programSize(re *syntax.Regexp) (size int) {
	for _, part := range re.Sub {
		if size += programSize(part); size > maxPatternProgram {
			return size
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpRepeat: // x{2,5} is xx(x(x(x)?)?)?, and x{2,} is xx+
		if re.Max < 0 {
			return size*max(re.Min, 1) + 1
		}
		return size*re.Max + re.Max - re.Min
	case syntax.OpAlternate:
		return size + len(re.Sub)
	case syntax.OpCapture:
		return size + 2
	case syntax.OpConcat, syntax.OpNoMatch:
		return size
	}
	return size + 1
}
