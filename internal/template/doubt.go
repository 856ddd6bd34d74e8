package template

import (
	"slices"

	"github.com/expr-lang/expr/ast"
)

// Doubts returns the parts of a condition that can never be true: paths that never have a value, and sources as a
// whole where a value is required, without duplicates.
func (c *Condition) Doubts() []string { return c.doubts }

// doubter collects the doubts of an expression.
type doubter struct{ found []string }

func (d *doubter) add(why string) {
	if why != "" && !slices.Contains(d.found, why) {
		d.found = append(d.found, why)
	}
}

// look visits a node. whole reports that an object is valid in its place, as in len(user).
func (d *doubter) look(node ast.Node, whole bool) {
	if path, ok := pathOf(node); ok {
		d.add(InCondition.Doubt(path))
		if !whole {
			d.add(InCondition.Whole(path))
		}
		return
	}
	switch n := node.(type) {
	case *ast.StringNode:
		for _, path := range Paths(n.Value) {
			d.add(InCondition.Doubt(path))
		}
	case *ast.ChainNode:
		d.look(n.Node, whole)
	case *ast.MemberNode:
		d.look(n.Node, true)
		d.look(n.Property, false)
	case *ast.UnaryNode:
		d.look(n.Node, false)
	case *ast.BinaryNode:
		d.operands(n, whole)
	case *ast.ConditionalNode:
		d.look(n.Cond, false)
		d.look(n.Exp1, whole)
		d.look(n.Exp2, whole)
	case *ast.ArrayNode:
		for _, item := range n.Nodes {
			d.look(item, true)
		}
	case *ast.BuiltinNode:
		d.arguments(n.Name, n.Arguments)
	case *ast.CallNode:
		if name, ok := n.Callee.(*ast.IdentifierNode); ok {
			d.arguments(name.Value, n.Arguments)
		}
	}
}

func (d *doubter) operands(n *ast.BinaryNode, whole bool) {
	left, right := false, false
	switch n.Operator {
	case "??":
		left, right = whole, whole
	case "in":
		right = true
	case "==", "!=":
		left, right = nothing(n.Right), nothing(n.Left)
	}
	d.look(n.Left, left)
	d.look(n.Right, right)
}

func (d *doubter) arguments(name string, arguments []ast.Node) {
	for _, argument := range arguments {
		d.look(argument, name == "len" || name == "string")
	}
}

// nothing reports whether a node is nil or null.
func nothing(node ast.Node) bool {
	name, named := node.(*ast.IdentifierNode)
	_, null := node.(*ast.NilNode)
	return null || named && name.Value == "null"
}

// pathOf returns the path of a node as written in the expression.
func pathOf(node ast.Node) (path string, ok bool) {
	switch n := node.(type) {
	case *ast.IdentifierNode:
		return n.Value, n.Value != "null"
	case *ast.ChainNode:
		return pathOf(n.Node)
	case *ast.MemberNode:
		of, ok := pathOf(n.Node)
		if !ok {
			return "", false
		}
		switch property := n.Property.(type) {
		case *ast.StringNode:
			return of + "." + property.Value, true
		case *ast.ConstantNode:
			return of + "[" + Text(property.Value) + "]", true
		}
	}
	return "", false
}
