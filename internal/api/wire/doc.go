// Package wire is what the resources of package api are made of: operations with their checks of credential, scope and
// body (Register), the values of bodies and queries (Answer, Page, Time, ID, Optional), the error envelope, and the OpenAPI
// description that follows from them.
package wire
