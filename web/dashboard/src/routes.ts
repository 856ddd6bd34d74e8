import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute } from '@tanstack/react-router';
import { NotFound } from './ui/NotFound';

export const root = createRootRouteWithContext<{ queries: QueryClient }>()({ notFoundComponent: NotFound });

/** shell is the route above every feature's; router.tsx gives it its component, which has the navigation. */
export const shell = createRoute({ getParentRoute: () => root, id: 'shell' });
