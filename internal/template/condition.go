package template

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// Limits of a condition. It has no loops and no variables. What its evaluation costs is bounded by MaxSteps, what its
// patterns cost by the limits of patterns.
const (
	maxConditionLength = 2000 // characters
	maxConditionNodes  = 200
)

// sources are the roots of paths in conditions.
var sources = append([]string{"params"}, InCondition.sources...)

// Condition is a compiled condition. It is safe for concurrent use.
type Condition struct {
	value    eval
	warnings []string
	paths    []string
}

// eval computes a node's value. A missing path is nil, and so is what the steps do not suffice for.
type eval func(evaluation) any

// evaluation is the data of one evaluation.
type evaluation struct {
	Scope
	steps *Steps
}

// counted returns an eval that counts a visit of its node, and is nil without steps.
func counted(f eval) eval {
	return func(e evaluation) any {
		if !e.steps.spend(stepsPerValue) {
			return nil
		}
		return f(e)
	}
}

// Compile compiles an expression in the language of expr-lang/expr (without
// its loops, variables and functions but the few in the table functions) over
// the sources of InCondition and params. {{path}} means the path, {{expression}}
// the expression. The error says what is wrong with the expression, fit for
// its author.
//
// expr-lang parses; the evaluation is this package's own, because expr's
// machine fails on the first missing path, runs loops over values of any
// length, and has no numbers but int and float64.
func Compile(expression string) (*Condition, error) {
	if n := utf8.RuneCountInString(expression); n > maxConditionLength {
		return nil, fmt.Errorf("is longer than %d characters", maxConditionLength)
	}
	if strings.TrimSpace(expression) == "" {
		return nil, errors.New("is empty")
	}
	unbraced, err := unbrace(expression)
	if err != nil {
		return nil, err
	}
	config := conf.CreateNew()
	config.MaxNodes = maxConditionNodes
	tree, err := parser.ParseWithConfig(unbraced, config)
	if err != nil {
		var at *file.Error
		if errors.As(err, &at) {
			return nil, errors.New(at.Message) // without the snippet, which shows the unbraced form
		}
		return nil, err
	}
	ast.Walk(&tree.Node, literals{[]rune(unbraced)})
	var c compiler
	value, err := c.compile(tree.Node)
	if err != nil {
		return nil, err
	}
	var warnings checker
	warnings.visit(tree.Node, false)
	return &Condition{value, warnings.found, warnings.paths}, nil
}

// Holds reports whether the condition's value is true, a number other than 0, a text other than "", "0" and
// "false", or a non-empty object or array. A missing path is false; comparing it, searching it and calculating with
// it is false too. Without enough steps it returns false and ErrSteps, or the error of the context that ended.
func (c *Condition) Holds(steps *Steps, scope Scope) (bool, error) {
	holds := truthy(steps, c.value(evaluation{scope, steps}))
	return holds && steps.err == nil, steps.err
}

// writeReference writes a reference at indices of its submatches as an expression.
func writeReference(b *strings.Builder, text string, at []int) {
	path := segments(text[at[2]:at[3]])
	other, hasDefault := defaultOf(text, at)
	if hasDefault {
		b.WriteByte('(')
	}
	b.WriteString(path[0])
	for _, segment := range path[1:] {
		fmt.Fprintf(b, "[%q]", segment)
	}
	if hasDefault {
		fmt.Fprintf(b, " ?? %q)", other)
	}
}

// unbrace converts {{path}} and {{expression}} outside quotes to plain expressions. Quoted texts keep their braces:
// they are rendered.
func unbrace(expression string) (string, error) {
	var b strings.Builder
	open := 0
	for i := 0; i < len(expression); {
		rest := expression[i:]
		switch c := rest[0]; {
		case c == '"' || c == '\'' || c == '`':
			n := quoted(rest)
			b.WriteString(rest[:n])
			i += n
		case strings.HasPrefix(rest, "{{"):
			if at := reference.FindStringSubmatchIndex(rest); at != nil && at[0] == 0 {
				writeReference(&b, rest, at)
				i += at[1]
				continue
			}
			open++
			b.WriteByte('(')
			i += 2
		case open > 0 && strings.HasPrefix(rest, "}}"):
			open--
			b.WriteByte(')')
			i += 2
		case '0' <= c && c <= '9':
			digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
			b.WriteString(digits)
			if tooLong(expression[:i], digits, rest[len(digits):]) {
				b.WriteString(".0")
			}
			i += len(digits)
		default:
			b.WriteByte(c)
			i++
		}
	}
	if open > 0 {
		return "", errors.New("has {{ without }}")
	}
	return b.String(), nil
}

// quoted returns the length of the literal that a text starts with, or of the whole text if it is not terminated.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == text[0]:
			return i + 1
		case text[i] == '\\' && text[0] != '`':
			i++
		}
	}
	return len(text)
}

// compiler compiles the nodes of a condition.
type compiler struct{ patterns patterns }

func (c *compiler) compile(node ast.Node) (eval, error) {
	value, err := c.compileNode(node)
	if err != nil {
		return nil, err
	}
	return counted(plain(value)), nil
}

// plain returns an eval of what operators and functions take: a moment's text.
func plain(f eval) eval {
	return func(e evaluation) any {
		value := f(e)
		if m, ok := value.(Moment); ok {
			return m.String()
		}
		return value
	}
}

func (c *compiler) compileNode(node ast.Node) (eval, error) {
	switch n := node.(type) {
	case *ast.NilNode:
		return constant(nil), nil
	case *ast.BoolNode:
		return constant(n.Value), nil
	case *ast.ConstantNode: // a number, see literals
		return constant(n.Value), nil
	case *ast.StringNode:
		return compileText(n.Value)
	case *ast.IdentifierNode:
		return compileName(n.Value)
	case *ast.ChainNode:
		return c.compileNode(n.Node)
	case *ast.MemberNode:
		return c.compileMember(n)
	case *ast.UnaryNode:
		return c.compileUnary(n)
	case *ast.BinaryNode:
		return c.compileBinary(n)
	case *ast.ConditionalNode:
		parts, err := c.compileAll([]ast.Node{n.Cond, n.Exp1, n.Exp2})
		if err != nil {
			return nil, err
		}
		return func(e evaluation) any {
			if truthy(e.steps, parts[0](e)) {
				return parts[1](e)
			}
			return parts[2](e)
		}, nil
	case *ast.ArrayNode:
		items, err := c.compileAll(n.Nodes)
		if err != nil {
			return nil, err
		}
		return func(e evaluation) any { return evaluateAll(items, e) }, nil
	case *ast.BuiltinNode:
		return c.compileCall(n.Name, n.Arguments)
	case *ast.CallNode:
		if name, ok := n.Callee.(*ast.IdentifierNode); ok {
			return c.compileCall(name.Value, n.Arguments)
		}
		return nil, errors.New("calls a method, which a condition cannot")
	default:
		return nil, errors.New("uses variables, ranges, slices or object literals, which a condition cannot")
	}
}

func constant(value any) eval { return func(evaluation) any { return value } }

func (c *compiler) compileAll(nodes []ast.Node) ([]eval, error) {
	compiled := make([]eval, len(nodes))
	for i, node := range nodes {
		var err error
		if compiled[i], err = c.compile(node); err != nil {
			return nil, err
		}
	}
	return compiled, nil
}

func evaluateAll(items []eval, e evaluation) []any {
	values := make([]any, len(items))
	for i, item := range items {
		values[i] = item(e)
	}
	return values
}

// compileText compiles a quoted text: "{{user.plan}}" is the path's value; references among other text are
// rendered.
func compileText(text string) (eval, error) {
	for _, path := range Paths(text) {
		if source := segments(path)[0]; !slices.Contains(sources, source) {
			return nil, unknown(source)
		}
	}
	if IsReference(text) {
		return func(e evaluation) any {
			value, _ := e.Value(text)
			return value
		}, nil
	} else if reference.MatchString(text) {
		return func(e evaluation) any {
			return e.steps.render(text, e.Scope)
		}, nil
	}
	return constant(text), nil
}

func compileName(name string) (eval, error) {
	if name == "null" {
		return constant(nil), nil
	}
	if !slices.Contains(sources, name) {
		return nil, unknown(name)
	}
	return func(e evaluation) any { return e.Scope[name] }, nil
}

func unknown(name string) error {
	return fmt.Errorf("names %s, but a condition sees only %s%s", name, strings.Join(InCondition.sources, ", "), suggested(InCondition.sources, name, name))
}

func (c *compiler) compileMember(n *ast.MemberNode) (eval, error) {
	of, err := c.compileNode(n.Node) // not plain: a moment has fields
	if err != nil {
		return nil, err
	}
	of = counted(of)
	if key, ok := n.Property.(*ast.StringNode); ok {
		return func(e evaluation) any {
			value, _ := step(of(e), key.Value)
			return value
		}, nil
	}
	key, err := c.compile(n.Property)
	if err != nil {
		return nil, err
	}
	return func(e evaluation) any {
		value, _ := step(of(e), e.steps.segment(key(e)))
		return value
	}, nil
}

// segment returns a computed segment of a path: 1, 1.0 and "1" are the same.
func (s *Steps) segment(value any) string {
	if n, ok := s.number(value); ok {
		return n.value().String()
	}
	return s.text(value)
}

func (c *compiler) compileUnary(n *ast.UnaryNode) (eval, error) {
	of, err := c.compile(n.Node)
	if err != nil {
		return nil, err
	}
	switch n.Operator {
	case "!", "not":
		return func(e evaluation) any { return !truthy(e.steps, of(e)) }, nil
	case "-":
		return signed(of, decimal.negate), nil
	default: // "+"
		return signed(of, func(d decimal) decimal { return d }), nil
	}
}

func signed(of eval, sign func(decimal) decimal) eval {
	return func(e evaluation) any {
		if n, ok := e.steps.number(of(e)); ok {
			return sign(n).value()
		}
		return nil
	}
}

func (c *compiler) compileBinary(n *ast.BinaryNode) (eval, error) {
	if n.Operator == "matches" {
		return c.compileMatch(n)
	}
	left, err := c.compile(n.Left)
	if err != nil {
		return nil, err
	}
	right, err := c.compile(n.Right)
	if err != nil {
		return nil, err
	}
	switch n.Operator {
	case "&&", "and":
		return func(e evaluation) any { return truthy(e.steps, left(e)) && truthy(e.steps, right(e)) }, nil
	case "||", "or":
		return func(e evaluation) any { return truthy(e.steps, left(e)) || truthy(e.steps, right(e)) }, nil
	case "??":
		return func(e evaluation) any {
			if value := left(e); value != nil {
				return value
			}
			return right(e)
		}, nil
	}
	operate, ok := operators[n.Operator]
	if !ok {
		return nil, fmt.Errorf("uses the operator %s, which a condition cannot", n.Operator)
	}
	return func(e evaluation) any { return operate(e.steps, left(e), right(e)) }, nil
}

func (c *compiler) compileCall(name string, arguments []ast.Node) (eval, error) {
	f, ok := functions[name]
	if !ok {
		return nil, fmt.Errorf("calls %s, which a condition cannot", name)
	}
	if len(arguments) < f.least || len(arguments) > f.most {
		return nil, fmt.Errorf("calls %s with %d arguments", name, len(arguments))
	}
	compiled, err := c.compileAll(arguments)
	if err != nil {
		return nil, err
	}
	return func(e evaluation) any { return f.call(e.steps, evaluateAll(compiled, e)) }, nil
}
