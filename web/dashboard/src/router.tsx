import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import type { AuditFilter, DeliveryFilter } from './api/admin';
import { Home } from './pages/Home';
import { NotFound } from './pages/NotFound';
import { SignIn } from './pages/SignIn';
import { Shell } from './parts/Shell';

const root = createRootRouteWithContext<{ queries: QueryClient }>()({ notFoundComponent: NotFound });

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignIn,
  validateSearch: (search: Record<string, unknown>): { to?: string; expired?: boolean } => ({ to: text(search.to), expired: search.expired === true || undefined }),
});

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });

const home = createRoute({ getParentRoute: () => shell, path: '/', component: Home });

const agents = createRoute({ getParentRoute: () => shell, path: '/agents', component: lazyRouteComponent(() => import('./pages/Agents'), 'Agents') });
const editor = () => import('./pages/Editor');
const newAgent = createRoute({
  getParentRoute: () => shell,
  path: '/agents/new',
  component: lazyRouteComponent(editor, 'NewAgent'),
  validateSearch: (search: Record<string, unknown>): { from?: string; imported?: boolean } => ({ from: text(search.from), imported: search.imported === true || undefined }),
});
const agent = createRoute({
  getParentRoute: () => shell,
  path: '/agents/$name',
  component: lazyRouteComponent(editor, 'EditAgent'),
});

const workflows = createRoute({ getParentRoute: () => shell, path: '/workflows', component: lazyRouteComponent(() => import('./pages/Workflows'), 'Workflows') });
const workflowEditor = () => import('./pages/Workflow');
const newWorkflow = createRoute({ getParentRoute: () => shell, path: '/workflows/new', component: lazyRouteComponent(workflowEditor, 'NewWorkflow') });
const workflow = createRoute({ getParentRoute: () => shell, path: '/workflows/$slug', component: lazyRouteComponent(workflowEditor, 'EditWorkflow') });

export interface CallFilter {
  page?: number;
  status?: string;
  user?: string;
  workflow?: string;
  mode?: 'live' | 'test';
  from?: string;
  to?: string;
}

const calls = createRoute({
  getParentRoute: () => shell,
  path: '/calls',
  component: lazyRouteComponent(() => import('./pages/Calls'), 'Calls'),
  validateSearch: (search: Record<string, unknown>): CallFilter => ({
    page: Number(search.page) > 1 ? Math.floor(Number(search.page)) : undefined,
    status: text(search.status),
    user: search.user === undefined ? undefined : text(String(search.user)),
    workflow: text(search.workflow),
    mode: search.mode === 'live' || search.mode === 'test' ? search.mode : undefined,
    from: text(search.from),
    to: text(search.to),
  }),
});
const call = createRoute({
  getParentRoute: () => shell,
  path: '/calls/$id',
  component: lazyRouteComponent(() => import('./pages/Call'), 'Call'),
  validateSearch: (search: Record<string, unknown>): { turn?: number } => ({ turn: Number.isInteger(search.turn) && Number(search.turn) >= 0 ? Number(search.turn) : undefined }),
});

export interface AnalyticsFilter {
  period?: string;
  from?: string;
  to?: string;
}

const analytics = createRoute({
  getParentRoute: () => shell,
  path: '/analytics',
  component: lazyRouteComponent(() => import('./pages/Analytics'), 'Analytics'),
  validateSearch: (search: Record<string, unknown>): AnalyticsFilter => ({ period: text(search.period), from: text(search.from), to: text(search.to) }),
});

const pageOf = (search: Record<string, unknown>) => (Number(search.page) > 1 ? Math.floor(Number(search.page)) : undefined);

const webhooks = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./pages/Webhooks'), 'Webhooks'),
  validateSearch: (search: Record<string, unknown>): DeliveryFilter & { delivery?: string } => ({
    page: pageOf(search),
    status: text(search.status),
    event: text(search.event),
    delivery: text(search.delivery),
  }),
});
const apiKeys = createRoute({ getParentRoute: () => shell, path: '/api-keys', component: lazyRouteComponent(() => import('./pages/APIKeys'), 'APIKeys') });
const providerKeys = createRoute({ getParentRoute: () => shell, path: '/provider-keys', component: lazyRouteComponent(() => import('./pages/ProviderKeys'), 'ProviderKeys') });
const tools = createRoute({ getParentRoute: () => shell, path: '/tools', component: lazyRouteComponent(() => import('./pages/Tools'), 'Tools') });
const toolPage = () => import('./pages/Tool');
const newTool = createRoute({ getParentRoute: () => shell, path: '/tools/new', component: lazyRouteComponent(toolPage, 'NewTool') });
const editTool = createRoute({ getParentRoute: () => shell, path: '/tools/$name', component: lazyRouteComponent(toolPage, 'EditTool') });

const prompts = createRoute({ getParentRoute: () => shell, path: '/prompts', component: lazyRouteComponent(() => import('./pages/Prompts'), 'Prompts') });
const promptPage = () => import('./pages/Prompt');
const newPrompt = createRoute({
  getParentRoute: () => shell,
  path: '/prompts/new',
  component: lazyRouteComponent(promptPage, 'NewPrompt'),
  validateSearch: (search: Record<string, unknown>): { from?: string } => ({ from: text(search.from) }),
});
const editPrompt = createRoute({ getParentRoute: () => shell, path: '/prompts/$slug', component: lazyRouteComponent(promptPage, 'EditPrompt') });

const phone = createRoute({ getParentRoute: () => shell, path: '/phone', component: lazyRouteComponent(() => import('./pages/Phone'), 'Phone') });
const auditLog = createRoute({
  getParentRoute: () => shell,
  path: '/audit-log',
  component: lazyRouteComponent(() => import('./pages/AuditLog'), 'AuditLog'),
  validateSearch: (search: Record<string, unknown>): AuditFilter => ({
    page: pageOf(search),
    actor: text(search.actor),
    action: text(search.action),
    type: text(search.type),
    resource: search.resource === undefined ? undefined : text(String(search.resource)),
    from: text(search.from),
    to: text(search.to),
  }),
});
const limits = createRoute({ getParentRoute: () => shell, path: '/limits', component: lazyRouteComponent(() => import('./pages/Limits'), 'Limits') });

export const router = createRouter({
  routeTree: root.addChildren([signIn, shell.addChildren([home, agents, newAgent, agent, workflows, newWorkflow, workflow, calls, call, analytics, webhooks, apiKeys, providerKeys, tools, newTool, editTool, prompts, newPrompt, editPrompt, phone, auditLog, limits])]),
  context: { queries: undefined as unknown as QueryClient },
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
