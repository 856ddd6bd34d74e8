import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ChartColumn } from 'lucide-react';
import type { Feature } from '../../feature';
import { shell } from '../../routes';
import { type SearchParams, textParam } from '../../searchParams';
import type { AnalyticsFilter } from './api';
import { analyticsTexts } from './texts';

export const analytics = {
  group: 'watch',
  path: '/analytics',
  label: analyticsTexts.title,
  icon: ChartColumn,
  scopes: ['analytics:read', 'calls:read'],
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/analytics',
      component: lazyRouteComponent(() => import('./Analytics'), 'Analytics'),
      validateSearch: (search: SearchParams): AnalyticsFilter => ({
        period: textParam(search.period),
        from: textParam(search.from),
        to: textParam(search.to),
      }),
    }),
  ],
} as const satisfies Feature;
