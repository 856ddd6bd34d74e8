export const scopesTexts = {
  full: 'Everything',
  fullHint: 'All of the below, and what later versions add.',
  chosen: 'Only what is chosen',
  read: 'Read',
  write: 'Change',
  everything: 'Everything',
  nothing: 'Nothing',
};

/** scopesSummary names scopes in a line. */
export const scopesSummary = (scopes: string[]) =>
  scopes.includes('*') ? scopesTexts.everything : scopes.join(', ') || scopesTexts.nothing;

/** What each resource's scopes let a key do. */
export const scopeTexts: { resource: string; label: string; read?: string; write?: string }[] = [
  { resource: 'calls', label: 'Calls', read: 'See calls, transcripts and recordings', write: 'Start and end calls' },
  { resource: 'analyses', label: 'Analyses', read: 'See analyses', write: 'Make and change analyses' },
  { resource: 'agents', label: 'Agents', read: 'See agents and their prompts', write: 'Make and change agents' },
  { resource: 'workflows', label: 'Workflows', read: 'See workflows', write: 'Make and change workflows' },
  { resource: 'tools', label: 'Tools', read: 'See tools and their requests', write: 'Make and change tools' },
  { resource: 'prompts', label: 'Prompts', read: 'See prompt templates', write: 'Make and change templates' },
  { resource: 'sounds', label: 'Sounds', read: 'See and listen to sounds', write: 'Upload and delete sounds' },
  { resource: 'analytics', label: 'Analytics', read: 'See volume, latency and errors' },
  {
    resource: 'webhooks',
    label: 'Webhooks',
    read: 'See the webhook and its deliveries',
    write: 'Change it and send events again',
  },
  {
    resource: 'provider-keys',
    label: 'Provider keys',
    read: 'See which keys are stored',
    write: 'Set and delete keys',
  },
  { resource: 'sip', label: 'Phone', read: 'See trunks and numbers', write: 'Change trunks and numbers' },
  {
    resource: 'public-tokens',
    label: 'Web pages',
    read: 'See public tokens',
    write: 'Make and revoke public tokens',
  },
  { resource: 'variables', label: 'Variables', read: 'See variables', write: 'Make and change variables' },
  { resource: 'secrets', label: 'Secrets', read: 'See which secrets exist', write: 'Set and delete secrets' },
  { resource: 'users', label: 'Users', read: 'See who may sign in', write: 'Make, change and delete users' },
  { resource: 'audit', label: 'Audit log', read: 'See who changed what' },
  { resource: 'limits', label: 'Limits', read: 'See limits and what of them is used' },
];
