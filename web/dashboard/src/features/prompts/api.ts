import { queryOptions } from '@tanstack/react-query';
import { api, result } from '../../api/client';
import { allPages } from '../../api/pages';
import type { components } from '../../generated/schema';

export type Prompt = components['schemas']['PromptBody'];
export type PromptVersion = components['schemas']['PromptVersionBody'];
export const prompts = queryOptions({
  queryKey: ['prompts'],
  queryFn: ({ signal }) =>
    allPages((offset) => result(api.GET('/api/v1/prompts', { params: { query: { limit: 100, offset } }, signal }))),
});
export const prompt = (slug: string) =>
  queryOptions({
    queryKey: ['prompts', slug],
    queryFn: ({ signal }) => result(api.GET('/api/v1/prompts/{slug}', { params: { path: { slug } }, signal })),
    refetchOnWindowFocus: false,
  });
export const promptVersions = (slug: string) =>
  queryOptions({
    queryKey: ['prompts', slug, 'versions'],
    queryFn: ({ signal }) =>
      allPages((offset) =>
        result(
          api.GET('/api/v1/prompts/{slug}/versions', {
            params: { path: { slug }, query: { limit: 100, offset } },
            signal,
          }),
        ),
      ),
  });
