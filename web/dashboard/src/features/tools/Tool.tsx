import { Alert, Button, Fieldset, NumberInput, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type Action, type Parameter, type Tool, tool } from './api';
import { api, Problem, result } from '../../api/client';
import { may, me } from '../../api/me';
import { tools } from './api';
import { mergePatch } from '../../api/patch';
import { Page } from '../../ui/Page';
import { Confirm } from '../../ui/resource/Confirm';
import { Faults } from '../../ui/resource/FormModal';
import { Guard } from '../../ui/resource/Guard';
import { Loaded } from '../../ui/Trouble';
import { useAction, useSave } from '../../ui/resource/save';
import { Actions } from './Actions';
import { Parameters } from './Parameters';
import { Trial } from './Trial';
import { toolsTexts } from './texts';
import { texts } from '../../ui/texts';

const t = toolsTexts;

interface Draft extends Record<string, unknown> {
  name: string;
  description: string;
  config: {
    parameters: Parameter[];
    actions: Action[];
    filler: string;
    async: boolean;
    on_wait: { text: string; after_ms: number | '' };
  };
}

const draftOf = (k?: Tool): Draft => ({
  name: k?.name ?? '',
  description: k?.description ?? '',
  config: {
    parameters: k?.config.parameters ?? [],
    actions: k?.config.actions ?? [{ type: 'api_call' } as Action],
    filler: k?.config.filler ?? '',
    async: k?.config.async ?? false,
    on_wait: { text: (k?.config.on_wait?.text ?? []).join('\n'), after_ms: k?.config.on_wait?.after_ms ?? '' },
  },
});

const bodyOf = ({ description, config: { filler, async, on_wait, ...config } }: Draft) => {
  const text = on_wait.text.split('\n').filter((line) => line.trim() !== '');
  return {
    description: description || null,
    config: {
      ...config,
      ...(filler && { filler }),
      ...(async && { async }),
      ...(text.length > 0 && { on_wait: { text, ...(on_wait.after_ms !== '' && { after_ms: on_wait.after_ms }) } }),
    },
  };
};

export function NewTool() {
  return <Editor />;
}

export function EditTool() {
  const { name } = useParams({ from: '/shell/tools/$name' });
  return <Loaded query={useQuery(tool(name))}>{(k) => <Editor key={k.updated_at} saved={k} />}</Loaded>;
}

function Editor({ saved }: { saved?: Tool }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const scopes = useQuery(me).data?.scopes;
  const writes = may(scopes, 'tools:write');
  const [deleting, setDeleting] = useState(false);
  const form = useForm<Draft>({ initialValues: draftOf(saved) });
  const save = useSave(form, {
    send: (draft: Draft) => {
      const body = bodyOf(draft);
      if (!saved) return result(api.POST('/api/v1/tools', { body: { ...body, name: draft.name } }));
      return result(
        api.PUT('/api/v1/tools/{name}', {
          params: { path: { name: saved.name } },
          body: mergePatch(bodyOf(draftOf(saved)), body),
        }),
      );
    },
    refresh: [tools.queryKey],
    said: t.saved,
    done: (kept) => {
      form.resetDirty();
      queries.setQueryData(tool(kept.name).queryKey, kept);
      if (!saved) void navigate({ to: '/tools/$name', params: { name: kept.name }, ignoreBlocker: true });
    },
  });
  const remove = useAction({
    send: () => result(api.DELETE('/api/v1/tools/{name}', { params: { path: { name: saved?.name ?? '' } } })),
    refresh: [tools.queryKey],
    said: texts.resource.deleted,
    done: () => void navigate({ to: '/tools', ignoreBlocker: true }),
  });
  const dirty = writes && form.isDirty();
  const { config } = form.values;
  const nameError =
    form.errors.name ??
    (save.error instanceof Problem && save.error.code === 'conflict' ? save.error.message : undefined);
  return (
    <Page
      title={saved?.name ?? t.unnamed}
      actions={
        <>
          {dirty && (
            <Text size="sm" c="dimmed" role="status">
              {texts.resource.unsaved}
            </Text>
          )}
          {saved && (writes || may(scopes, 'tools:delete')) && (
            <Button variant="default" onClick={() => setDeleting(true)}>
              {texts.resource.delete}
            </Button>
          )}
          {writes && (
            <Button loading={save.isPending} disabled={saved && !dirty} onClick={() => save.mutate(form.getValues())}>
              {saved ? texts.resource.save : texts.resource.create}
            </Button>
          )}
        </>
      }
    >
      <Stack gap="md" maw={820}>
        {!writes && <Alert variant="default">{t.readOnly}</Alert>}
        <Faults error={save.error} fields={['name', 'description', 'config']} />
        {((saved?.warnings ?? []) as string[]).map((w) => (
          <Alert key={w} color="yellow" variant="default">
            {w}
          </Alert>
        ))}
        <Fieldset className="panel" p="lg">
          <Stack>
            {!saved && (
              <TextInput
                label={t.name}
                description={t.nameHint}
                required
                {...form.getInputProps('name')}
                error={nameError}
              />
            )}
            <Textarea
              label={t.description}
              description={t.descriptionHint}
              autosize
              minRows={2}
              maxRows={8}
              readOnly={!writes}
              {...form.getInputProps('description')}
            />
            <TextInput
              label={t.filler}
              description={t.fillerHint}
              readOnly={!writes}
              {...form.getInputProps('config.filler')}
            />
            <Textarea
              label={t.onWait}
              description={t.onWaitHint}
              autosize
              minRows={1}
              maxRows={10}
              readOnly={!writes}
              {...form.getInputProps('config.on_wait.text')}
            />
            {config.on_wait.text !== '' && (
              <NumberInput
                label={t.onWaitAfter}
                description={t.onWaitAfterHint}
                min={200}
                max={30000}
                step={100}
                suffix=" ms"
                allowDecimal={false}
                readOnly={!writes}
                {...form.getInputProps('config.on_wait.after_ms')}
              />
            )}
            <Switch
              label={t.async}
              description={t.asyncHint}
              disabled={!writes}
              {...form.getInputProps('config.async', { type: 'checkbox' })}
            />
          </Stack>
        </Fieldset>
        <Fieldset className="panel" p="lg">
          <Text component="h2" fw={600}>
            {t.parameters}
          </Text>
          <Text size="sm" c="dimmed" mb="md">
            {t.parametersHint}
          </Text>
          <Parameters
            value={config.parameters}
            errors={form.errors}
            readOnly={!writes}
            onChange={(parameters) => form.setFieldValue('config.parameters', parameters)}
          />
        </Fieldset>
        <Fieldset className="panel" p="lg">
          <Text component="h2" fw={600}>
            {t.actions}
          </Text>
          <Text size="sm" c="dimmed" mb="md">
            {t.actionsHint}
          </Text>
          <Actions
            path="config.actions"
            value={config.actions}
            errors={form.errors}
            readOnly={!writes}
            onChange={(actions) => form.setFieldValue('config.actions', actions)}
          />
        </Fieldset>
        {saved && writes && (
          <section className="panel" style={{ padding: 20 }} aria-label={t.trial.title}>
            <Text component="h2" fw={600}>
              {t.trial.title}
            </Text>
            <Text size="sm" c="dimmed" mb="md">
              {t.trial.hint}
            </Text>
            <Trial tool={saved} dirty={dirty} />
          </section>
        )}
      </Stack>
      <Guard dirty={dirty} />
      {deleting && saved && (
        <Confirm
          title={t.deleteTitle(saved.name)}
          confirm={texts.resource.delete}
          busy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setDeleting(false)}
        >
          {t.deleteText}
        </Confirm>
      )}
    </Page>
  );
}
