import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import type { Feature } from '../../feature';
import { shell } from '../../routes';
import { apiKeysTexts } from './texts';

export const apiKeys = {
  group: 'setUp',
  path: '/api-keys',
  label: apiKeysTexts.title,
  icon: KeyRound,
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/api-keys',
      component: lazyRouteComponent(() => import('./APIKeys'), 'APIKeys'),
    }),
  ],
} as const satisfies Feature;
