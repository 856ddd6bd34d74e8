import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { PhoneCall } from 'lucide-react';
import type { Feature } from '../../feature';
import { shell } from '../../routes';
import { phoneTitle } from './title';

export const phone = {
  group: 'setUp',
  path: '/phone',
  label: phoneTitle,
  icon: PhoneCall,
  scopes: ['sip:read'],
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/phone',
      component: lazyRouteComponent(() => import('./Phone'), 'Phone'),
    }),
  ],
} as const satisfies Feature;
