import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Music } from 'lucide-react';
import type { Feature } from '../../feature';
import { shell } from '../../routes';
import { soundsTitle } from './title';

export const sounds = {
  group: 'build',
  path: '/sounds',
  label: soundsTitle,
  icon: Music,
  scopes: ['sounds:read'],
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/sounds',
      component: lazyRouteComponent(() => import('./Sounds'), 'Sounds'),
    }),
  ],
} as const satisfies Feature;
