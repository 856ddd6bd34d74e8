import { limitsTitle } from './title';

export const limitsTexts = {
  title: limitsTitle,
  lead: 'What this tenant may have and do at once. The operator of the server sets other numbers.',
  names: {
    agents: 'Agents',
    workflows: 'Workflows',
    tools: 'Tools',
    prompts: 'Prompts',
    analyses: 'Analyses',
    api_keys: 'API keys',
    phone_numbers: 'Phone numbers',
    sip_trunks: 'SIP trunks',
    provider_keys: 'Provider keys',
    variables: 'Variables',
    secrets: 'Secrets',
    users: 'Users',
    waiting_calls: 'Calls that wait for a worker',
    active_calls: 'Calls at once, waiting ones included',
    dispatches_per_minute: 'Calls started a minute',
    sse_streams: 'Live streams at once on a node',
    stored_bytes: 'Bytes that calls store',
  } as Record<string, string>,
  of: (used: string, limit: string) => `${used} of ${limit}`,
  none: 'No limit',
};
