package wire

// ListIn selects a page of records that may be inactive.
type ListIn struct {
	PageIn
	IsActive OptionalParam[bool] `query:"is_active" doc:"Filter by is_active: true for active items, false for inactive ones. Default: both."`
}

// Page is a list's answer in the offset style.
type Page[T any] struct {
	Items  []T   `json:"items"`
	Total  int64 `json:"total"`
	Limit  int64 `json:"limit"`
	Offset int64 `json:"offset"`
}

// PageIn selects a page of a list.
type PageIn struct {
	Limit  int64 `query:"limit" default:"50" minimum:"1" maximum:"100" doc:"Maximum number of items to return."`
	Offset int64 `query:"offset" default:"0" minimum:"0" doc:"Number of items to skip."`
}

// ItemsBody is the answer of a list without pages.
type ItemsBody[T any] struct {
	Items []T `json:"items"`
}

// NewPage returns a page of items.
func NewPage[T any](items []T, total, limit, offset int64) Page[T] {
	return Page[T]{Items: items, Total: total, Limit: limit, Offset: offset}
}

// ListOf answers a list with the page that was asked for: what the store found, each as show makes it.
func ListOf[R, T any](found []R, total int64, in PageIn, show func(*R) T) *Answer[Page[T]] {
	items := make([]T, len(found))
	for i := range found {
		items[i] = show(&found[i])
	}
	return NewAnswer(NewPage(items, total, in.Limit, in.Offset))
}
