import { createRoute, createRouter } from '@tanstack/react-router';
import { features } from './features';
import { queries } from './queries';
import { root, shell } from './routes';
import { type SearchParams, textParam } from './searchParams';
import { Shell } from './shell/Shell';
import { SignIn } from './shell/SignIn';

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignIn,
  validateSearch: (search: SearchParams): { to?: string; expired?: boolean } => ({
    to: textParam(search.to),
    expired: search.expired === true || undefined,
  }),
});

type FeatureRoute = (typeof features)[number]['routes'][number];

shell.update({ component: Shell });

export const router = createRouter({
  routeTree: root.addChildren([signIn, shell.addChildren(features.flatMap<FeatureRoute>((f) => f.routes))]),
  context: { queries },
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
