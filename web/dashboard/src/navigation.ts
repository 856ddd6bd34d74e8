import { Bot, ChartColumn, Gauge, House, KeyRound, type LucideIcon, MessageSquareText, Phone, PhoneCall, ScrollText, Waypoints, Webhook, Workflow, Wrench } from 'lucide-react';
import { may } from './api/queries';
import { texts } from './texts';

const t = texts.shell;

interface Entry {
  to: '/' | '/agents' | '/workflows' | '/analytics' | '/calls' | '/phone' | '/audit-log' | '/limits' | '/tools' | '/prompts' | '/webhooks' | '/provider-keys' | '/api-keys';
  label: string;
  icon: LucideIcon;
  /** What a user needs to see the page. */
  scope?: string;
  /** What is enough as well. */
  orScope?: string;
}

const groups: { title: string; pages: Entry[] }[] = [
  {
    title: t.watch,
    pages: [
      { to: '/', label: t.home, icon: House },
      { to: '/calls', label: t.calls, icon: Phone, scope: 'calls:read' },
      { to: '/analytics', label: t.analytics, icon: ChartColumn, scope: 'analytics:read', orScope: 'calls:read' },
    ],
  },
  {
    title: t.build,
    pages: [
      { to: '/agents', label: t.agents, icon: Bot, scope: 'agents:read' },
      { to: '/workflows', label: t.workflows, icon: Workflow, scope: 'workflows:read' },
      { to: '/tools', label: t.tools, icon: Wrench, scope: 'tools:read' },
      { to: '/prompts', label: t.prompts, icon: MessageSquareText, scope: 'prompts:read' },
    ],
  },
  {
    title: t.setUp,
    pages: [
      { to: '/phone', label: t.phone, icon: PhoneCall, scope: 'sip:read' },
      { to: '/webhooks', label: t.webhooks, icon: Webhook, scope: 'webhooks:read' },
      { to: '/provider-keys', label: t.providerKeys, icon: Waypoints, scope: 'provider-keys:read' },
      { to: '/api-keys', label: t.apiKeys, icon: KeyRound },
      { to: '/audit-log', label: t.auditLog, icon: ScrollText, scope: 'audit:read' },
      { to: '/limits', label: t.limits, icon: Gauge, scope: 'limits:read' },
    ],
  },
];

/** navigation is the pages that a holder of scopes may see, in groups. */
export function navigation(scopes: string[] | undefined) {
  return groups.map((g) => ({ ...g, pages: g.pages.filter((p) => !p.scope || may(scopes, p.scope) || (p.orScope !== undefined && may(scopes, p.orScope))) })).filter((g) => g.pages.length > 0);
}
