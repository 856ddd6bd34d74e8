import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Globe } from 'lucide-react';
import type { Feature } from '../../feature';
import { shell } from '../../routes';
import { embedTexts } from './texts';

export const embed = {
  group: 'setUp',
  path: '/embed',
  label: embedTexts.title,
  icon: Globe,
  scopes: ['public-tokens:read'],
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/embed',
      component: lazyRouteComponent(() => import('./Embed'), 'Embed'),
    }),
  ],
} as const satisfies Feature;
