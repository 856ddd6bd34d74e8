package analysis

import "parley/internal/redact"

// Redact masks personal data in an entry, as calls of tenants with redaction are masked.
func (e *Entry) Redact() {
	e.Text, e.Arguments, e.Result = redact.Text(e.Text), redact.JSON(e.Arguments), redact.Text(e.Result)
}

// Redact masks personal data in answers: a language model may have put together what was masked in parts.
func (a *Answers) Redact() {
	a.Data = redact.JSON(a.Data)
	for n := range a.Criteria {
		a.Criteria[n].Rationale = redact.Text(a.Criteria[n].Rationale)
	}
}
