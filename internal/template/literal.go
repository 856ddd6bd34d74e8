package template

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
)

// literals keeps the digits of an expression's numbers, which expr's parser converts to int or float64.
type literals struct{ source []rune }

// Visit replaces a number by a constant.
func (l literals) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IntegerNode:
		ast.Patch(node, &ast.ConstantNode{Value: l.number(n, strconv.Itoa(n.Value))})
	case *ast.FloatNode:
		ast.Patch(node, &ast.ConstantNode{Value: l.number(n, strconv.FormatFloat(n.Value, 'g', -1, 64))})
	}
}

// number returns a literal's number: as written, or as parsed for other notations, such as 0xff.
func (l literals) number(n ast.Node, parsed string) json.Number {
	at := n.Location()
	if 0 <= at.From && at.From <= at.To && at.To <= len(l.source) {
		written := strings.ReplaceAll(string(l.source[at.From:at.To]), "_", "")
		if d, ok := parseDecimal(written); ok {
			return d.value()
		}
	}
	return json.Number(parsed)
}

// tooLong reports whether digits are an integer literal that may not fit into 64 bits, which expr's parser rejects
// without a fraction.
func tooLong(before, digits, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return len(digits) > 18 && !joined(last) && !joined(first)
}

// joined reports whether a character next to digits makes them part of a name or of another number.
func joined(r rune) bool { return r == '.' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
