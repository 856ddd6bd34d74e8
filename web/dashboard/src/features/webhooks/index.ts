import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Webhook } from 'lucide-react';
import type { Feature } from '../../feature';
import { shell } from '../../routes';
import { pageParam, type SearchParams, textParam } from '../../searchParams';
import type { DeliveryFilter } from './api';
import { webhooksTexts } from './texts';

export const webhooks = {
  group: 'setUp',
  path: '/webhooks',
  label: webhooksTexts.title,
  icon: Webhook,
  scopes: ['webhooks:read'],
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/webhooks',
      component: lazyRouteComponent(() => import('./Webhooks'), 'Webhooks'),
      validateSearch: (search: SearchParams): DeliveryFilter & { delivery?: string } => ({
        page: pageParam(search.page),
        status: textParam(search.status),
        event: textParam(search.event),
        delivery: textParam(search.delivery),
      }),
    }),
  ],
} as const satisfies Feature;
