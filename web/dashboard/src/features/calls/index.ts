import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Phone } from 'lucide-react';
import { oneOf } from '../../choice';
import type { Feature } from '../../feature';
import { answeredByClass, callBodyDirection, callBodyStatus } from '../../generated/enums';
import { shell } from '../../routes';
import { anyTextParam, countParam, pageParam, type SearchParams, textParam } from '../../searchParams';
import type { CallFilter } from './api';
import { useFoundCalls } from './search';
import { callsTexts } from './texts';

export const calls = {
  group: 'watch',
  path: '/calls',
  label: callsTexts.title,
  icon: Phone,
  scopes: ['calls:read'],
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/calls',
      component: lazyRouteComponent(() => import('./Calls'), 'Calls'),
      validateSearch: (search: SearchParams): CallFilter => ({
        page: pageParam(search.page),
        status: oneOf(callBodyStatus, search.status),
        reason: textParam(search.reason),
        number: anyTextParam(search.number),
        direction: oneOf(callBodyDirection, search.direction),
        answered: oneOf(answeredByClass, search.answered),
        agent: anyTextParam(search.agent),
        metadata: textParam(search.metadata),
        result: textParam(search.result),
        user: anyTextParam(search.user),
        workflow: textParam(search.workflow),
        mode: search.mode === 'live' || search.mode === 'test' ? search.mode : undefined,
        time: search.time === 'created' ? search.time : undefined,
        from: textParam(search.from),
        to: textParam(search.to),
      }),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: '/calls/$id',
      component: lazyRouteComponent(() => import('./Call'), 'Call'),
      validateSearch: (search: SearchParams): { turn?: number; entry?: number } => ({
        turn: countParam(search.turn),
        entry: countParam(search.entry),
      }),
    }),
  ],
  search: { label: callsTexts.recent, useFound: useFoundCalls },
} as const satisfies Feature;
