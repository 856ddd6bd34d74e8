package template

import (
	"slices"

	"github.com/expr-lang/expr/ast"
)

// Warnings returns the parts of a condition that can never be true: paths that never have a value, and sources as a
// whole where a value is required, without duplicates.
func (c *Condition) Warnings() []string { return c.warnings }

// Paths returns the paths that the condition names, without duplicates.
func (c *Condition) Paths() []string { return c.paths }

// checker collects the warnings and the paths of an expression.
type checker struct{ found, paths []string }

func (c *checker) path(path string) {
	if !slices.Contains(c.paths, path) {
		c.paths = append(c.paths, path)
	}
	c.add(InCondition.Warning(path))
}

func (c *checker) add(why string) {
	if why != "" && !slices.Contains(c.found, why) {
		c.found = append(c.found, why)
	}
}

// visit adds the warnings of a node. whole reports that an object is valid in its place, as in len(user).
func (c *checker) visit(node ast.Node, whole bool) {
	if path, ok := pathOf(node); ok {
		c.path(path)
		if !whole {
			c.add(InCondition.Whole(path))
		}
		return
	}
	switch n := node.(type) {
	case *ast.StringNode:
		for _, path := range Paths(n.Value) {
			c.path(path)
		}
	case *ast.ChainNode:
		c.visit(n.Node, whole)
	case *ast.MemberNode:
		c.visit(n.Node, true)
		c.visit(n.Property, false)
	case *ast.UnaryNode:
		c.visit(n.Node, false)
	case *ast.BinaryNode:
		c.operands(n, whole)
	case *ast.ConditionalNode:
		c.visit(n.Cond, false)
		c.visit(n.Exp1, whole)
		c.visit(n.Exp2, whole)
	case *ast.ArrayNode:
		for _, item := range n.Nodes {
			c.visit(item, true)
		}
	case *ast.BuiltinNode:
		c.arguments(n.Name, n.Arguments)
	case *ast.CallNode:
		if name, ok := n.Callee.(*ast.IdentifierNode); ok {
			c.arguments(name.Value, n.Arguments)
		}
	}
}

func (c *checker) operands(n *ast.BinaryNode, whole bool) {
	left, right := false, false
	switch n.Operator {
	case "??":
		left, right = whole, whole
	case "in":
		right = true
	case "==", "!=":
		left, right = nothing(n.Right), nothing(n.Left)
	}
	c.visit(n.Left, left)
	c.visit(n.Right, right)
}

func (c *checker) arguments(name string, arguments []ast.Node) {
	for _, argument := range arguments {
		c.visit(argument, name == "len" || name == "string")
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
