import { Button, Fieldset, Group, NumberInput, SimpleGrid, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { Plus, Trash2 } from 'lucide-react';
import type { Draft } from './draft';
import { editorTexts } from './texts';
import { moment } from '../../format';

const t = editorTexts.servers;

/** most is how many servers an agent may have. */
const most = 5;

/** ServerFields has the MCP servers of an agent, with the tools that each offered when the agent was saved. */
export function ServerFields({
  form,
  field,
  readOnly,
}: {
  form: UseFormReturnType<Draft>;
  field: (path: string) => object;
  readOnly: boolean;
}) {
  const servers = form.values.config.mcp_servers ?? [];
  return (
    <Fieldset className="panel" p="lg">
      <Text component="h2" fw={600}>
        {t.title}
      </Text>
      <Text size="sm" c="dimmed" mb="sm">
        {t.hint}
      </Text>
      <Stack>
        {servers.map((server, i) => {
          const path = `config.mcp_servers.${i}`;
          const offered = (server.listed_tools ?? []).map((tool) => tool.name);
          return (
            <div key={i} className="part" role="group" aria-label={t.server(i + 1)}>
              <SimpleGrid cols={{ base: 1, xs: 2 }}>
                <TextInput label={t.url} placeholder="https://crm.example.com/mcp" {...field(`${path}.url`)} />
                <TextInput
                  label={t.credential}
                  description={t.credentialHint}
                  placeholder="Bearer {{secrets.crm}}"
                  readOnly={readOnly}
                  value={server.headers?.Authorization ?? ''}
                  error={form.errors[`${path}.headers.Authorization`]}
                  onChange={(e) => {
                    const { Authorization: _, ...others } = server.headers ?? {};
                    const value = e.currentTarget.value;
                    form.setFieldValue(`${path}.headers`, value ? { ...others, Authorization: value } : others);
                  }}
                />
                <TagsInput
                  label={t.allow}
                  data={offered}
                  readOnly={readOnly}
                  value={server.allow ?? []}
                  placeholder={server.allow?.length ? undefined : t.all}
                  error={form.errors[`${path}.allow`]}
                  onChange={(value) => form.setFieldValue(`${path}.allow`, value.length ? value : undefined)}
                />
                <NumberInput
                  label={t.timeout}
                  suffix=" ms"
                  step={500}
                  min={100}
                  max={60_000}
                  clampBehavior="none"
                  placeholder="5000 ms"
                  {...field(`${path}.timeout_ms`)}
                />
              </SimpleGrid>
              <Group justify="space-between" mt="xs">
                <Text size="xs" c="dimmed">
                  {server.listed_at ? t.listed(offered, moment(server.listed_at)) : t.unlisted}
                </Text>
                {!readOnly && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    color="red"
                    leftSection={<Trash2 size={14} />}
                    onClick={() => form.removeListItem('config.mcp_servers', i)}
                  >
                    {t.remove}
                  </Button>
                )}
              </Group>
            </div>
          );
        })}
        {!readOnly && servers.length < most && (
          <Group>
            <Button
              variant="default"
              leftSection={<Plus size={16} />}
              onClick={() => form.setFieldValue('config.mcp_servers', [...servers, { url: '' }])}
            >
              {t.add}
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  );
}
