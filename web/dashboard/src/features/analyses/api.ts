import { queryOptions } from '@tanstack/react-query';
import { api, result } from '../../api/client';
import { allPages } from '../../api/pages';
import type { components } from '../../generated/schema';
import type { Range } from '../analytics/api';

export type Analysis = components['schemas']['AnalysisBody'];
export type AnalysisVersion = components['schemas']['AnalysisVersionBody'];
export type Criterion = components['schemas']['Criterion'];

export const analyses = queryOptions({
  queryKey: ['analyses'],
  queryFn: ({ signal }) =>
    allPages((offset) => result(api.GET('/api/v1/analyses', { params: { query: { limit: 100, offset } }, signal }))),
});
export const analysis = (name: string) =>
  queryOptions({
    queryKey: ['analyses', name],
    queryFn: ({ signal }) => result(api.GET('/api/v1/analyses/{name}', { params: { path: { name } }, signal })),
    refetchOnWindowFocus: false,
  });
export type Result = components['schemas']['ResultItem'];
export type ResultGroup = 'none' | 'day' | 'agent' | 'workflow';

/** analysisResults are how often calls of a range were answered with what. */
export const analysisResults = (name: string, range: Range, group: ResultGroup) =>
  queryOptions({
    queryKey: ['analytics', 'results', name, range, group],
    queryFn: ({ signal }) =>
      result(
        api.GET('/api/v1/analytics/results', {
          params: { query: { ...range, analysis: name, group_by: group } },
          signal,
        }),
      ),
    placeholderData: (before) => before,
  });
export const analysisVersions = (name: string) =>
  queryOptions({
    queryKey: ['analyses', name, 'versions'],
    queryFn: ({ signal }) =>
      allPages((offset) =>
        result(
          api.GET('/api/v1/analyses/{name}/versions', {
            params: { path: { name }, query: { limit: 100, offset } },
            signal,
          }),
        ),
      ),
  });
