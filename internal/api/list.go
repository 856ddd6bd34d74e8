package api

// listIn selects a page of records that may be inactive.
type listIn struct {
	Limit    int64               `query:"limit" default:"50" minimum:"1" maximum:"100" doc:"Maximum number of items to return."`
	Offset   int64               `query:"offset" default:"0" minimum:"0" doc:"Number of items to skip."`
	IsActive optionalParam[bool] `query:"is_active" doc:"Filter by activity: true for active agents, false for inactive ones. Default: both."`
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
	Limit  int64 `query:"limit" default:"50" minimum:"1" maximum:"100" doc:"Maximum number of items to return."`
	Offset int64 `query:"offset" default:"0" minimum:"0" doc:"Number of items to skip."`
}

// itemsBody is a list's answer that comes whole.
type itemsBody[T any] struct {
	Items []T `json:"items"`
}
