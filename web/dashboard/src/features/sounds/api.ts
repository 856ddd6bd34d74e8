import { queryOptions } from '@tanstack/react-query';
import { api, result } from '../../api/client';
import { allPages } from '../../api/pages';
import type { components } from '../../generated/schema';

export type Sound = components['schemas']['SoundBody'];

export const sounds = queryOptions({
  queryKey: ['sounds'],
  queryFn: ({ signal }) =>
    allPages((offset) => result(api.GET('/api/v1/sounds', { params: { query: { limit: 100, offset } }, signal }))),
});

/** audioOf is the address of a sound as callers hear it. */
export const audioOf = (name: string) => `/api/v1/sounds/${encodeURIComponent(name)}/audio`;

/** upload sends a file, which the description types as a text. The server looks at what the file is. */
export const upload = ({ name, body: file }: { name: string; body: File | null }) =>
  result(
    api.POST('/api/v1/sounds', {
      params: { query: { name } },
      headers: { 'Content-Type': /\.(ogg|oga|opus)$/i.test(file?.name ?? '') ? 'audio/ogg' : 'audio/wav' },
      body: '',
      bodySerializer: () => file ?? '',
    }),
  );

export const remove = (name: string) => result(api.DELETE('/api/v1/sounds/{name}', { params: { path: { name } } }));

/** nameOf suggests a name for a file. */
export const nameOf = (file: string) =>
  file
    .replace(/\.[^.]*$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[-_]+|-+$/g, '')
    .slice(0, 100);
