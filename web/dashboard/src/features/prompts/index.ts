import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { MessageSquareText } from 'lucide-react';
import type { Feature } from '../../feature';
import { shell } from '../../routes';
import { type SearchParams, textParam } from '../../searchParams';
import { promptsTitle } from './title';

const editor = () => import('./Prompt');

export const prompts = {
  group: 'build',
  path: '/prompts',
  label: promptsTitle,
  icon: MessageSquareText,
  scopes: ['prompts:read'],
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/prompts',
      component: lazyRouteComponent(() => import('./Prompts'), 'Prompts'),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: '/prompts/new',
      component: lazyRouteComponent(editor, 'NewPrompt'),
      validateSearch: (search: SearchParams): { from?: string } => ({ from: textParam(search.from) }),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: '/prompts/$slug',
      component: lazyRouteComponent(editor, 'EditPrompt'),
    }),
  ],
} as const satisfies Feature;
