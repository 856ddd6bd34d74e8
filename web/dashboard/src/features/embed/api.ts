import { queryOptions } from '@tanstack/react-query';
import { api, result } from '../../api/client';
import { allPages } from '../../api/pages';
import type { components } from '../../generated/schema';

export type PublicToken = components['schemas']['PublicTokenBody'];

export const publicTokens = queryOptions({
  queryKey: ['public-tokens'],
  queryFn: ({ signal }) =>
    allPages((offset) =>
      result(api.GET('/api/v1/public-tokens', { params: { query: { limit: 100, offset } }, signal })),
    ),
});

/** widgetScript is where the script of <parley-agent> is, and its hash. */
export const widgetScript = queryOptions({
  queryKey: ['widget'],
  queryFn: async ({ signal }) => (await (await fetch('/widget.json', { signal })).json()) as WidgetScript,
});

interface WidgetScript {
  script: string;
  integrity: string;
}

/** snippet is what a page has of an agent: the server's current script, or only the given one, which is gone after an update of the server. */
export const snippet = (pinned: WidgetScript | undefined, token: string) =>
  `<script type="module" src="${location.origin}${pinned ? `${pinned.script}" integrity="${pinned.integrity}" crossorigin` : '/widget.js"'}></script>
<parley-agent token="${token}" position="bottom-right"></parley-agent>`;

/** policy is what the content security policy of such a page permits. */
export const policy = () =>
  `script-src ${location.origin}; connect-src ${location.origin} ${location.origin.replace(/^http/, 'ws')}`;
