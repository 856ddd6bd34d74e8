import { createRoute, createRouter } from '@tanstack/react-router';
import { features } from './features';
import { queries } from './queries';
import { root, shell } from './routes';
import { type SearchParams, textParam } from './searchParams';
import { Shell } from './shell/Shell';
import { SignIn } from './shell/SignIn';
import { type SignInFailure, signInFailures } from './shell/texts';

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignIn,
  validateSearch: (search: SearchParams): { to?: string; expired?: boolean; failed?: SignInFailure } => ({
    to: textParam(search.to),
    expired: search.expired === true || undefined,
    failed: signInFailures.find((reason) => reason === search.failed),
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
