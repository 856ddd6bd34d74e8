import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ClipboardCheck } from 'lucide-react';
import type { Feature } from '../../feature';
import { shell } from '../../routes';
import { analysesTitle } from './title';

const editor = () => import('./Analysis');

export const analyses = {
  group: 'build',
  path: '/analyses',
  label: analysesTitle,
  icon: ClipboardCheck,
  scopes: ['analyses:read'],
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/analyses',
      component: lazyRouteComponent(() => import('./Analyses'), 'Analyses'),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: '/analyses/new',
      component: lazyRouteComponent(editor, 'NewAnalysis'),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: '/analyses/$name',
      component: lazyRouteComponent(editor, 'EditAnalysis'),
    }),
  ],
} as const satisfies Feature;
