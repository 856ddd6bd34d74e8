import { createRoute } from '@tanstack/react-router';
import { House } from 'lucide-react';
import type { Feature } from '../../feature';
import { shell } from '../../routes';
import { Home } from './Home';
import { homeTexts } from './texts';

export const home = {
  group: 'watch',
  path: '/',
  label: homeTexts.title,
  icon: House,
  // Not a chunk of its own: it is the page that most sessions begin with.
  routes: [createRoute({ getParentRoute: () => shell, path: '/', component: Home })],
} as const satisfies Feature;
