import { may } from './api/me';
import type { Feature, Group } from './feature';
import { agents } from './features/agents';
import { analyses } from './features/analyses';
import { analytics } from './features/analytics';
import { apiKeys } from './features/apiKeys';
import { auditLog } from './features/auditLog';
import { calls } from './features/calls';
import { embed } from './features/embed';
import { home } from './features/home';
import { limits } from './features/limits';
import { phone } from './features/phone';
import { prompts } from './features/prompts';
import { providerKeys } from './features/providerKeys';
import { sounds } from './features/sounds';
import { tools } from './features/tools';
import { users } from './features/users';
import { variables } from './features/variables';
import { webhooks } from './features/webhooks';
import { workflows } from './features/workflows';

/** features is every feature, in the order of the navigation. */
export const features = [
  home,
  calls,
  analytics,
  agents,
  workflows,
  tools,
  prompts,
  analyses,
  sounds,
  variables,
  phone,
  embed,
  webhooks,
  providerKeys,
  apiKeys,
  users,
  auditLog,
  limits,
] as const;

const groups: readonly Group[] = ['watch', 'build', 'setUp'];

/** visible reports whether a holder of scopes may see a feature. */
export const visible = ({ scopes }: Feature, held: string[] | undefined) => !scopes || scopes.some((s) => may(held, s));

/** navigation is the features that a holder of scopes may see, in groups. */
export function navigation(scopes: string[] | undefined) {
  const shown = features.filter((f) => visible(f, scopes));
  return groups
    .map((group) => ({ group, features: shown.filter((f) => f.group === group) }))
    .filter((g) => g.features.length > 0);
}
