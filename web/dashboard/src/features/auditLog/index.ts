import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import type { Feature } from '../../feature';
import { shell } from '../../routes';
import { anyTextParam, pageParam, type SearchParams, textParam } from '../../searchParams';
import type { AuditFilter } from './api';
import { auditTexts } from './texts';

export const auditLog = {
  group: 'setUp',
  path: '/audit-log',
  label: auditTexts.title,
  icon: ScrollText,
  scopes: ['audit:read'],
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/audit-log',
      component: lazyRouteComponent(() => import('./AuditLog'), 'AuditLog'),
      validateSearch: (search: SearchParams): AuditFilter => ({
        page: pageParam(search.page),
        actor: textParam(search.actor),
        action: textParam(search.action),
        type: textParam(search.type),
        resource: anyTextParam(search.resource),
        from: textParam(search.from),
        to: textParam(search.to),
      }),
    }),
  ],
} as const satisfies Feature;
