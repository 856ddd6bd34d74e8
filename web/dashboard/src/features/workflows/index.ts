import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Workflow } from 'lucide-react';
import type { Feature } from '../../feature';
import { shell } from '../../routes';
import { useFoundWorkflows } from './search';
import { workflowsTexts } from './texts';

const editor = () => import('./Workflow');

export const workflows = {
  group: 'build',
  path: '/workflows',
  label: workflowsTexts.title,
  icon: Workflow,
  scopes: ['workflows:read'],
  wide: true,
  routes: [
    createRoute({
      getParentRoute: () => shell,
      path: '/workflows',
      component: lazyRouteComponent(() => import('./Workflows'), 'Workflows'),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: '/workflows/new',
      component: lazyRouteComponent(editor, 'NewWorkflow'),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: '/workflows/$slug',
      component: lazyRouteComponent(editor, 'EditWorkflow'),
    }),
  ],
  search: { label: workflowsTexts.title, useFound: useFoundWorkflows },
} as const satisfies Feature;
