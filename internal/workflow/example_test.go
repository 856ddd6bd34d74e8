package workflow_test

import (
	"context"
	"fmt"

	"parley/internal/template"
	"parley/internal/workflow"
)

// A call begins at the entry and can follow the connections whose conditions hold.
func ExampleGraph() {
	graph := workflow.NewGraph(workflow.Config{
		Nodes: []workflow.Node{
			{ID: "start", AgentName: "reception", IsEntry: true},
			{ID: "book", AgentName: "booking-desk", IsExit: true},
			{ID: "complain", AgentName: "manager", IsExit: true},
		},
		Connections: []workflow.Connection{
			{SourceID: "start", TargetID: "book", Condition: "flags.wants_table"},
			{SourceID: "start", TargetID: "complain", Condition: "not flags.wants_table"},
		},
	})
	state := template.Scope{"flags": map[string]any{"wants_table": true}}
	for _, connection := range graph.Next(graph.Entry().ID) {
		condition, err := template.Compile(connection.Condition)
		if err != nil {
			fmt.Println(err)
			return
		}
		node, _ := graph.Node(connection.TargetID)
		holds, err := condition.Holds(template.NewSteps(context.Background()), state)
		fmt.Println(node.AgentName, holds, err)
	}
	// Output:
	// booking-desk true <nil>
	// manager false <nil>
}
