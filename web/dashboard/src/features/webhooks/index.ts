import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Webhook } from 'lucide-react';
import { oneOf } from '../../choice';
import type { Feature } from '../../feature';
import { deliveryBodyStatus } from '../../generated/enums';
import { shell } from '../../routes';
import { pageParam, type SearchParams, textParam } from '../../searchParams';
import type { DeliveryFilter } from './api';
import { deliveredTypes } from './events';
import { webhooksTitle } from './title';

export const webhooks = {
  group: 'setUp',
  path: '/webhooks',
  label: webhooksTitle,
  icon: Webhook,
  scopes: ['webhooks:read'],
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/webhooks',
      component: lazyRouteComponent(() => import('./Webhooks'), 'Webhooks'),
      validateSearch: (search: SearchParams): DeliveryFilter & { delivery?: string } => ({
        page: pageParam(search.page),
        status: oneOf(deliveryBodyStatus, search.status),
        event: oneOf(deliveredTypes, search.event),
        webhook: textParam(search.webhook),
        delivery: textParam(search.delivery),
      }),
    }),
  ],
} as const satisfies Feature;
