import { Checkbox, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { mayGrant, me } from '../../api/me';
import { scopesTexts, scopeTexts } from '../scopes';

const t = scopesTexts;

/** ScopeChoice chooses scopes of a key or a user, among those that the signed-in user may grant. */
export function ScopeChoice({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string[];
  onChange: (scopes: string[]) => void;
}) {
  const scopes = useQuery(me).data?.scopes;
  return (
    <Checkbox.Group value={value} onChange={onChange} aria-label={label}>
      <div className="panel">
        {scopeTexts.map((s) => (
          <div key={s.resource} className="row scopes">
            <Text size="sm" fw={550}>
              {s.label}
            </Text>
            {(['read', 'write'] as const).map((action) => {
              const scope = `${s.resource}:${action}`;
              return s[action] ? (
                <Checkbox
                  key={action}
                  value={scope}
                  label={t[action]}
                  description={s[action]}
                  aria-label={`${s.label}: ${t[action]}`}
                  disabled={!mayGrant(scopes, scope)}
                />
              ) : (
                <span key={action} />
              );
            })}
          </div>
        ))}
      </div>
    </Checkbox.Group>
  );
}
