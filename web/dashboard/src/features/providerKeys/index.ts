import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Waypoints } from 'lucide-react';
import type { Feature } from '../../feature';
import { shell } from '../../routes';
import { providerKeysTexts } from './texts';

export const providerKeys = {
  group: 'setUp',
  path: '/provider-keys',
  label: providerKeysTexts.title,
  icon: Waypoints,
  scopes: ['provider-keys:read'],
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/provider-keys',
      component: lazyRouteComponent(() => import('./ProviderKeys'), 'ProviderKeys'),
    }),
  ],
} as const satisfies Feature;
