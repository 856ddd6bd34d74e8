package api

// listIn selects a page of records that may be inactive.
type listIn struct {
	Limit    int64               `query:"limit" default:"50" minimum:"1" maximum:"100" doc:"At most so many items."`
	Offset   int64               `query:"offset" default:"0" minimum:"0" doc:"How many items to leave out at the beginning."`
	IsActive optionalParam[bool] `query:"is_active" doc:"Lists only the active, or only the inactive ones."`
}

// page is a list's answer in the offset style.
type page[T any] struct {
	Items  []T   `json:"items"`
	Total  int64 `json:"total"`
	Limit  int64 `json:"limit"`
	Offset int64 `json:"offset"`
}

// pageIn selects a page of a list.
type pageIn struct {
	Limit  int64 `query:"limit" default:"50" minimum:"1" maximum:"100" doc:"At most so many items."`
	Offset int64 `query:"offset" default:"0" minimum:"0" doc:"How many items to leave out at the beginning."`
}

// itemsBody is a list's answer that comes whole.
type itemsBody[T any] struct {
	Items []T `json:"items"`
}
