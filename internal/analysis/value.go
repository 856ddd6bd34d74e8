package analysis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// Value is an answer of a done analysis of a call, by which calls are found and counted: the answer to a criterion, or a property of the
// data that is a text, a number, true or false.
type Value struct {
	bun.BaseModel `bun:"table:analysis_values,alias:v"`

	TenantID string    `bun:"tenant_id"`
	CallID   string    `bun:"call_id"`
	Analysis string    `bun:"analysis"`
	Name     string    `bun:"name"`  // of the criterion, or data. and the name of the property
	Value    string    `bun:"value"` // a number as JSON writes it
	Number   *float64  `bun:"number"`
	Agent    string    `bun:"agent"`    // that has held the call last
	Workflow string    `bun:"workflow"` // slug; "" for a call of an agent
	Livemode bool      `bun:"livemode"` // the call's
	At       time.Time `bun:"at"`       // the time by which lists order the call
}

// ofData begins the names of values of data.
const ofData = "data."

// IsOfData reports whether a value is a property of the data, and not the answer to a criterion.
func IsOfData(name string) bool { return strings.HasPrefix(name, ofData) }

// maxValue bounds the values that are kept, and the names of their properties, in characters. Longer ones are only in the result.
const maxValue = 200

// Key is the name of the value among those of all analyses, such as outcome.booked or outcome.data.service.
func (v Value) Key() string { return v.Analysis + "." + v.Name }

// JSON returns the value as JSON has it.
func (v Value) JSON() json.RawMessage {
	if v.Number != nil || IsOfData(v.Name) && (v.Value == "true" || v.Value == "false") {
		return json.RawMessage(v.Value)
	}
	encoded, _ := json.Marshal(v.Value) // a string always can be
	return encoded
}

// values returns the values of a result; none of one that is not done.
func (r *OfCall) values() (values []Value) {
	if r.Status != Done {
		return nil
	}
	add := func(name, value string, number *float64) {
		if value != "" && utf8.RuneCountInString(value) <= maxValue && utf8.RuneCountInString(name) <= maxValue {
			values = append(values, Value{TenantID: r.TenantID, CallID: r.CallID, Analysis: r.Name, Name: name, Value: value, Number: number, Livemode: r.Livemode})
		}
	}
	for _, c := range r.Criteria {
		switch {
		case c.Score != nil:
			add(c.Name, strconv.FormatFloat(*c.Score, 'f', -1, 64), c.Score)
		case c.Answer != "":
			add(c.Name, c.Answer, nil)
		default:
			add(c.Name, Unknown, nil)
		}
	}
	var data map[string]any
	if json.Unmarshal(r.Data, &data) != nil {
		return values
	}
	for name, v := range data {
		switch v := v.(type) {
		case string:
			add(ofData+name, v, nil)
		case bool:
			add(ofData+name, strconv.FormatBool(v), nil)
		case float64:
			add(ofData+name, strconv.FormatFloat(v, 'g', -1, 64), &v)
		}
	}
	return values
}

// Origin says which calls an answer counts for.
type Origin struct {
	Agent, Workflow string
	At              time.Time
}

// storeValues replaces the values of a result.
func (r *OfCall) storeValues(ctx context.Context, tx database.Tx, of Origin) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM analysis_values WHERE tenant_id = ? AND call_id = ? AND analysis = ?", r.TenantID, r.CallID, r.Name); err != nil {
		return fmt.Errorf("replace the values of an analysis: %w", err)
	}
	values := r.values()
	if len(values) == 0 {
		return nil
	}
	for n := range values {
		values[n].Agent, values[n].Workflow, values[n].At = of.Agent, of.Workflow, of.At
	}
	if _, err := tx.NewInsert().Model(&values).Exec(ctx); err != nil {
		return fmt.Errorf("store the values of an analysis: %w", err)
	}
	return nil
}

// ValuesOf returns the values of calls of the transaction's tenant, by their calls, in the order of their keys.
func ValuesOf(ctx context.Context, tx database.Tx, callIDs []string) (map[string][]Value, error) {
	byCall := map[string][]Value{}
	if len(callIDs) == 0 {
		return byCall, nil
	}
	var values []Value
	err := tx.NewSelect().Model(&values).Where("tenant_id = ? AND call_id IN (?)", tx.TenantID(), bun.List(callIDs)).OrderExpr("call_id, analysis, name").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the values of analyses: %w", err)
	}
	for _, v := range values {
		byCall[v.CallID] = append(byCall[v.CallID], v)
	}
	return byCall, nil
}

// Match is a condition of calls: the value that an analysis has to have.
type Match struct {
	Analysis   string // "" for any
	Name       string // as Value has it
	Value      string
	Least, Top *float64 // of a range, both included; nil for none
}

// ParseMatch reads a condition such as booked=yes, outcome.booked=yes, outcome.polite=7..10 or outcome.data.service=cleaning.
func ParseMatch(key, value string) (m Match, err error) {
	m = Match{Name: key, Value: value}
	analysis, name, ofAnalysis := strings.Cut(key, ".")
	if ofAnalysis {
		m.Analysis, m.Name = analysis, name
	}
	property, isData := strings.CutPrefix(m.Name, ofData)
	switch {
	case ofAnalysis && !nameForm.MatchString(m.Analysis), isData && property == "", !isData && !criterionForm.MatchString(m.Name):
		return m, errors.New("must be result.<criterion>, result.<analysis>.<criterion> or result.<analysis>.data.<property>")
	}
	if least, top, ok := strings.Cut(value, ".."); ok && value != ".." {
		from, err := bound(least)
		to, otherErr := bound(top)
		if err == nil && otherErr == nil {
			m.Least, m.Top = from, to
			return m, nil
		}
	}
	if isData {
		return m, nil
	}
	switch number, err := strconv.ParseFloat(value, 64); {
	case value == Yes, value == No, value == Unknown:
	case err == nil && number >= 0 && number <= 10:
		m.Least, m.Top = &number, &number
	default:
		return m, errors.New("must be yes, no, unknown, a score from 0 to 10, or a range of scores such as 7..10, 7.. or ..3")
	}
	return m, nil
}

// bound reads an end of a range; nil for an open one.
func bound(text string) (*float64, error) {
	if text == "" {
		return nil, nil
	}
	number, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(number) || math.IsInf(number, 0)) {
		err = strconv.ErrRange
	}
	return &number, err
}

// Apply adds the condition to a query of calls with the alias c.
func (m Match) Apply(q *bun.SelectQuery) *bun.SelectQuery {
	condition, args := m.condition()
	return q.Where("EXISTS (SELECT 1 FROM analysis_values v WHERE v.tenant_id = c.tenant_id AND v.call_id = c.id AND "+condition+")", args...)
}

// Values selects the values of the transaction's tenant, with the alias v, that meet the condition. With an analysis, each is of another
// call, and they are read by an index in the order of their times.
func (m Match) Values(tx database.Tx) *bun.SelectQuery {
	table := "analysis_values AS v"
	if !tx.Postgres() { // without statistics SQLite may choose an index that selects all values
		table += " INDEXED BY analysis_values_found"
	}
	condition, args := m.condition()
	return tx.NewSelect().TableExpr(table).Where("v.tenant_id = ?", tx.TenantID()).Where(condition, args...)
}

// condition is that of values with the alias v.
func (m Match) condition() (condition string, args []any) {
	condition, args = "v.name = ?", []any{m.Name}
	add := func(more string, arg any) { condition, args = condition+" AND "+more, append(args, arg) }
	if m.Analysis != "" {
		add("v.analysis = ?", m.Analysis)
	}
	if m.Least == nil && m.Top == nil {
		add("v.value = ?", m.Value)
	}
	if m.Least != nil {
		add("v.number >= ?", *m.Least)
	}
	if m.Top != nil {
		add("v.number <= ?", *m.Top)
	}
	return condition, args
}

// OfOne returns the condition with its analysis: if it has none, that which has answers of this name. It is false if several have.
func (m Match) OfOne(ctx context.Context, tx database.Tx) (Match, bool, error) {
	if m.Analysis != "" {
		return m, true, nil
	}
	bound := func(order string) (name string, err error) {
		err = tx.NewSelect().Table("analysis_values").Column("analysis").Where("tenant_id = ? AND name = ?", tx.TenantID(), m.Name).OrderExpr("analysis "+order).Limit(1).Scan(ctx, &name)
		if err != nil && !database.NoRows(err) {
			return "", fmt.Errorf("find the analysis of an answer: %w", err)
		}
		return name, nil
	}
	first, err := bound("ASC")
	if err != nil {
		return m, false, err
	}
	last, err := bound("DESC")
	m.Analysis = first
	return m, first != "" && first == last, err
}
