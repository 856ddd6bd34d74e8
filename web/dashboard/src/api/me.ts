import { queryOptions } from '@tanstack/react-query';
import { api, result } from './client';

export const me = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => result(api.GET('/api/v1/auth/me', { signal })),
  staleTime: 60_000,
});

/** may reports whether scopes let their holder do something. */
export function may(scopes: string[] | undefined, scope: string): boolean {
  const resource = scope.split(':')[0];
  return (scopes ?? []).some((s) => s === '*' || s === scope || s === `${resource}:*`);
}

/** mayGrant reports whether a holder of scopes may give another credential a scope: all of a resource is held as such or by *. */
export function mayGrant(scopes: string[] | undefined, scope: string): boolean {
  return scope.endsWith('*') ? (scopes ?? []).some((s) => s === '*' || s === scope) : may(scopes, scope);
}
