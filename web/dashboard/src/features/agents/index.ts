import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import type { Feature } from '../../feature';
import { shell } from '../../routes';
import { type SearchParams, textParam } from '../../searchParams';
import { useFoundAgents } from './search';
import { agentsTexts } from './texts';

const editor = () => import('./Editor');

export const agents = {
  group: 'build',
  path: '/agents',
  label: agentsTexts.title,
  icon: Bot,
  scopes: ['agents:read'],
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/agents',
      component: lazyRouteComponent(() => import('./Agents'), 'Agents'),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: '/agents/new',
      component: lazyRouteComponent(editor, 'NewAgent'),
      validateSearch: (search: SearchParams): { from?: string; imported?: boolean } => ({
        from: textParam(search.from),
        imported: search.imported === true || undefined,
      }),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: '/agents/$name',
      component: lazyRouteComponent(editor, 'EditAgent'),
    }),
  ],
  actions: [{ path: '/agents/new', label: agentsTexts.create, scope: 'agents:write' }],
  search: { label: agentsTexts.title, useFound: useFoundAgents },
} as const satisfies Feature;
