import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Gauge } from 'lucide-react';
import type { Feature } from '../../feature';
import { shell } from '../../routes';
import { limitsTitle } from './title';

export const limits = {
  group: 'setUp',
  path: '/limits',
  label: limitsTitle,
  icon: Gauge,
  scopes: ['limits:read'],
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/limits',
      component: lazyRouteComponent(() => import('./Limits'), 'Limits'),
    }),
  ],
} as const satisfies Feature;
