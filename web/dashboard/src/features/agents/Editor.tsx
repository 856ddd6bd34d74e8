import { Alert, Badge, Button, Group, JsonInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api, Problem, result } from '../../api/client';
import { type Agent, agent, type AgentConfig, agents, providers } from './api';
import { may, me } from '../../api/me';
import { type Draft, draftConfig, emptyDraft, filledIn } from './draft';
import { formPath, mergePatch } from '../../api/patch';
import { importedKey } from './ImportAgent';
import { AgentForm } from './AgentForm';
import { Page } from '../../ui/Page';
import { Loading, message, Trouble } from '../../ui/Trouble';
import { Guard } from '../../ui/resource/Guard';
import { agentsTexts, editorTexts } from './texts';
import { download } from '../../download';
import { toYAML } from './yaml';
import { texts } from '../../ui/texts';

const Talk = lazy(() => import('../calls/talk/Talk').then((m) => ({ default: m.Talk })));

const draftOf = (a: Agent): Draft => ({
  name: a.name,
  display_name: a.display_name ?? '',
  config: draftConfig(a.config),
});

export function NewAgent() {
  const { from, imported } = useSearch({ from: '/shell/agents/new' });
  const [read] = useState(useQueryClient().getQueryData<Draft>(importedKey));
  const catalogue = useQuery(providers);
  const origin = useQuery({ ...agent(from ?? ''), enabled: from !== undefined });
  const error = catalogue.error ?? origin.error;
  if (error) return <Trouble error={error} retry={() => void catalogue.refetch()} />;
  if (!catalogue.data || (from && !origin.data)) return <Loading />;
  if (imported && read) return <Editor key="imported" draft={read} />;
  const draft = origin.data
    ? { ...draftOf(origin.data), name: origin.data.name + editorTexts.copySuffix }
    : emptyDraft(catalogue.data.items ?? []);
  return <Editor key={from ?? ''} draft={draft} />;
}

export function EditAgent() {
  const { name } = useParams({ from: '/shell/agents/$name' });
  const found = useQuery(agent(name));
  if (found.error && !found.data) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <Loading />;
  return <Editor key={name} draft={draftOf(found.data)} saved={found.data} />;
}

function Editor({ draft, saved }: { draft: Draft; saved?: Agent }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const writes = may(useQuery(me).data?.scopes, 'agents:write');
  const [view, setView] = useState<'form' | 'json'>('form');
  const [json, setJSON] = useState<string>();
  const [warnings, setWarnings] = useState<string[]>([]);
  const form = useForm<Draft>({ initialValues: draft });
  const dirty = writes && (form.isDirty() || json !== undefined);

  const keep = (kept: Agent) => {
    queries.setQueryData(agent(kept.name).queryKey, kept);
    void queries.invalidateQueries({ queryKey: agents.queryKey });
    form.setInitialValues(draftOf(kept));
    form.setValues(draftOf(kept));
    form.resetDirty(draftOf(kept));
    setWarnings((kept.warnings ?? []) as string[]);
  };
  const showFaults = (problem: Problem) => {
    setView('form');
    form.setErrors(Object.fromEntries(problem.details.map((d) => [formPath(d.field), d.message])));
  };
  const save = useMutation({
    mutationFn: ({ name, display_name, config }: Draft) => {
      const body = { display_name: display_name || null, config: filledIn(config) };
      if (!saved) return result(api.POST('/api/v1/agents', { body: { ...body, name } }));
      const before = { display_name: saved.display_name ?? null, config: saved.config };
      return result(
        api.PUT('/api/v1/agents/{name}', { params: { path: { name: saved.name } }, body: mergePatch(before, body) }),
      );
    },
    onSuccess: (kept) => {
      keep(kept as Agent);
      setJSON(undefined);
      notifications.show({ message: editorTexts.saved, color: 'teal' });
      if (!saved) void navigate({ to: '/agents/$name', params: { name: (kept as Agent).name }, ignoreBlocker: true });
    },
    onError: (error) => {
      if (!(error instanceof Problem)) return;
      showFaults(error);
      if (error.code === 'conflict') form.setFieldError('name', error.message);
    },
  });
  const toggle = useMutation({
    mutationFn: () => {
      const path = { params: { path: { name: draft.name } } };
      return result(
        saved?.is_active
          ? api.POST('/api/v1/agents/{name}/deactivate', path)
          : api.POST('/api/v1/agents/{name}/activate', path),
      );
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: agent(draft.name).queryKey });
      void queries.invalidateQueries({ queryKey: agents.queryKey });
    },
    onError: (error) => notifications.show({ message: message(error), color: 'red' }),
  });

  const parsed = () => {
    if (json === undefined) return form.getValues();
    return { ...form.getValues(), config: draftConfig(JSON.parse(json) as AgentConfig) };
  };
  const switchTo = (to: string) => {
    if (to === 'form' && json !== undefined) {
      try {
        form.setValues(parsed());
        setJSON(undefined);
      } catch {
        return;
      }
    }
    setView(to as 'form' | 'json');
  };
  let valid = true;
  try {
    parsed();
  } catch {
    valid = false;
  }
  const submit = () => valid && save.mutate(parsed());
  const title = saved ? saved.display_name || saved.name : editorTexts.newTitle;
  const unplaced = save.error && (!(save.error instanceof Problem) || save.error.details.length === 0);
  return (
    <Page
      title={title}
      lead={
        saved && (
          <Group gap="xs">
            {saved.name}
            {!saved.is_active && (
              <Badge size="sm" variant="default">
                {texts.common.inactive}
              </Badge>
            )}
          </Group>
        )
      }
      actions={
        writes && (
          <>
            {dirty && (
              <Text size="sm" c="dimmed" role="status">
                {editorTexts.unsaved}
              </Text>
            )}
            {saved && (
              <Button
                variant="default"
                onClick={() =>
                  void toYAML(draftOf(saved)).then((text) => download(`${saved.name}.yaml`, 'application/yaml', text))
                }
              >
                {editorTexts.exportYAML}
              </Button>
            )}
            {saved && (
              <Button
                variant="default"
                onClick={() => void navigate({ to: '/agents/new', search: { from: saved.name } })}
              >
                {editorTexts.duplicate}
              </Button>
            )}
            {saved && (
              <Button variant="default" loading={toggle.isPending} onClick={() => toggle.mutate()}>
                {saved.is_active ? editorTexts.deactivate : editorTexts.activate}
              </Button>
            )}
            <Button onClick={submit} loading={save.isPending} disabled={!valid || (saved && !dirty)}>
              {saved ? editorTexts.save : editorTexts.create}
            </Button>
          </>
        )
      }
    >
      {!writes && <Alert mb="md">{editorTexts.readOnly}</Alert>}
      {save.error && (unplaced || Object.keys(form.errors).length > 0) && (
        <Alert color="red" mb="md" role="alert">
          {unplaced ? message(save.error) : texts.resource.faults}
        </Alert>
      )}
      {warnings.length > 0 && (
        <Alert color="yellow" mb="md" title={editorTexts.warnings}>
          {warnings.map((w) => (
            <Text key={w} size="sm">
              {w}
            </Text>
          ))}
        </Alert>
      )}
      <div className="split">
        <Stack gap="md">
          <SegmentedControl
            value={view}
            onChange={switchTo}
            w={180}
            aria-label={`${editorTexts.form} / ${editorTexts.json}`}
            data={[
              { value: 'form', label: editorTexts.form },
              { value: 'json', label: editorTexts.json },
            ]}
          />
          {view === 'form' ? (
            <AgentForm form={form} isNew={!saved} readOnly={!writes} />
          ) : (
            <JsonInput
              label={editorTexts.json}
              description={editorTexts.jsonHint}
              autosize
              minRows={20}
              maxRows={40}
              readOnly={!writes}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
              value={json ?? JSON.stringify(filledIn(form.values.config), null, 2)}
              onChange={setJSON}
              error={valid ? undefined : editorTexts.jsonWrong}
              spellCheck={false}
            />
          )}
        </Stack>
        {(saved || writes) && (
          <aside className="aside" aria-label={agentsTexts.talk}>
            <Suspense fallback={<Loading />}>
              <Talk
                target={{ agent: saved?.name ?? (form.values.name || 'draft') }}
                draft={writes && valid && (dirty || !saved) ? () => filledIn(parsed().config) : undefined}
                refused={showFaults}
              />
            </Suspense>
          </aside>
        )}
      </div>
      <Guard dirty={dirty} />
    </Page>
  );
}
