import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Wrench } from 'lucide-react';
import type { Feature } from '../../feature';
import { shell } from '../../routes';
import { toolsTitle } from './title';

const editor = () => import('./Tool');

export const tools = {
  group: 'build',
  path: '/tools',
  label: toolsTitle,
  icon: Wrench,
  scopes: ['tools:read'],
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/tools',
      component: lazyRouteComponent(() => import('./Tools'), 'Tools'),
    }),
    createRoute({ getParentRoute: () => shell, path: '/tools/new', component: lazyRouteComponent(editor, 'NewTool') }),
    createRoute({
      getParentRoute: () => shell,
      path: '/tools/$name',
      component: lazyRouteComponent(editor, 'EditTool'),
    }),
  ],
} as const satisfies Feature;
