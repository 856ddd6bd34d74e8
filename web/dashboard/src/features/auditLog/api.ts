import { queryOptions } from '@tanstack/react-query';
import { api, result } from '../../api/client';
import { pageSize } from '../../api/pages';

export interface AuditFilter {
  page?: number;
  actor?: string;
  action?: string;
  type?: string;
  resource?: string;
  from?: string;
  to?: string;
}
export const auditLog = ({ page = 1, actor, action, type, resource, from, to }: AuditFilter) =>
  queryOptions({
    queryKey: ['audit', { page, actor, action, type, resource, from, to }],
    queryFn: ({ signal }) =>
      result(
        api.GET('/api/v1/audit-log', {
          params: {
            query: {
              limit: pageSize,
              offset: (page - 1) * pageSize,
              actor,
              action,
              resource_type: type,
              resource_id: resource,
              from: from && new Date(from).toISOString(),
              to: to && new Date(to).toISOString(),
            },
          },
          signal,
        }),
      ),
    placeholderData: (before) => before,
  });
