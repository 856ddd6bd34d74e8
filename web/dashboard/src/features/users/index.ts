import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Users } from 'lucide-react';
import type { Feature } from '../../feature';
import { shell } from '../../routes';
import { usersTitle } from './title';

export const users = {
  group: 'setUp',
  path: '/users',
  label: usersTitle,
  icon: Users,
  scopes: ['users:read'],
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/users',
      component: lazyRouteComponent(() => import('./Users'), 'Users'),
    }),
  ],
} as const satisfies Feature;
