package client

import (
	"encoding/json"
	"time"
)

// The statuses of the analysis of a call.
const (
	AnalysisPending = "pending" // waits, runs, or is tried again later
	AnalysisDone    = "done"
	AnalysisSkipped = "skipped" // the call does not meet the conditions
	AnalysisFailed  = "failed"
)

// CallAnalysis is an analysis of a call that has ended. An event has no more than Name, Version, Status, Reason, Data and Criteria.
type CallAnalysis struct {
	Name       string            `json:"name"`    // of the analysis
	Version    int64             `json:"version"` // of the analysis that ran; 0 before
	Status     string            `json:"status"`
	Reason     *string           `json:"reason"` // why it was skipped or failed, or why a pending one is tried again
	Data       json.RawMessage   `json:"data"`   // fits the analysis's schema; null without one
	Criteria   []CriterionAnswer `json:"criteria"`
	LLM        *CallAnalysisLLM  `json:"llm"` // that was asked
	Attempts   int               `json:"attempts"`
	CreatedAt  time.Time         `json:"created_at"`
	FinishedAt *time.Time        `json:"finished_at"`
}

// CallAnalysisLLM is the language model of an analysis.
type CallAnalysisLLM struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
}

// CriterionAnswer is the answer to a criterion.
type CriterionAnswer struct {
	Name      string   `json:"name"`
	Answer    string   `json:"answer"`   // yes, no or unknown; empty for a score
	Score     *float64 `json:"score"`    // 0 to 10; nil if it is unknown, and for yes or no
	Evidence  []int64  `json:"evidence"` // ids of entries of the transcript
	Rationale string   `json:"rationale"`
	Unproven  bool     `json:"unproven"` // the model answered without sufficient evidence
}
