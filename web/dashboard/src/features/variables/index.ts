import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Braces } from 'lucide-react';
import type { Feature } from '../../feature';
import { shell } from '../../routes';
import { variablesTexts } from './texts';

export const variables = {
  group: 'build',
  path: '/variables',
  label: variablesTexts.title,
  icon: Braces,
  scopes: ['variables:read', 'secrets:read'],
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/variables',
      component: lazyRouteComponent(() => import('./Variables'), 'Variables'),
    }),
  ],
} as const satisfies Feature;
