package call

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"parley/internal/database"
)

// AgentMetrics aggregates one agent's turns in a call, and all tokens used for it. Latencies are averages in
// milliseconds; 0 means not measured.
type AgentMetrics struct {
	Agent          string  `bun:"agent"`
	Turns          int64   `bun:"turns"`
	STTMS          float64 `bun:"stt_ms"`
	LLMMS          float64 `bun:"llm_ms"`
	TTSMS          float64 `bun:"tts_ms"`
	VoiceToVoiceMS float64 `bun:"voice_to_voice_ms"`
	TotalTokens    int64   `bun:"total_tokens"`
}

// AgentMetrics returns the metrics of the agents that answered in a call, ordered by first turn, followed by agents
// that used tokens outside any turn.
func (s *Service) AgentMetrics(ctx context.Context, tenantID, id string) ([]AgentMetrics, error) {
	agents := []AgentMetrics{}
	err := s.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		c, err := get(ctx, tx, id)
		if err != nil {
			return err
		}
		err = tx.NewSelect().Table("call_turns").
			ColumnExpr("agent_name AS agent, COUNT(*) AS turns").
			ColumnExpr("COALESCE(AVG(stt_ms), 0.0) AS stt_ms, COALESCE(AVG(llm_ms), 0.0) AS llm_ms, COALESCE(AVG(tts_ms), 0.0) AS tts_ms").
			ColumnExpr("COALESCE(AVG(voice_to_voice_ms), 0.0) AS voice_to_voice_ms").
			ColumnExpr("CAST(COALESCE(SUM(COALESCE(input_tokens, 0) + COALESCE(output_tokens, 0)), 0) AS BIGINT) AS total_tokens").
			Where("tenant_id = ? AND call_id = ?", tenantID, id).GroupExpr("agent_name").OrderExpr("MIN(id)").Scan(ctx, &agents)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(c.Metrics.OtherTokens)) {
			n := slices.IndexFunc(agents, func(a AgentMetrics) bool { return a.Agent == name })
			if n < 0 {
				n, agents = len(agents), append(agents, AgentMetrics{Agent: name})
			}
			agents[n].TotalTokens += c.Metrics.OtherTokens[name]
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read agent metrics: %w", err)
	}
	return agents, nil
}
