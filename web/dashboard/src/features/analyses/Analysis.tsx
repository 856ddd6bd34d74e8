import {
  Alert,
  Badge,
  Button,
  Fieldset,
  MultiSelect,
  NumberInput,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { providers } from '../agents/api';
import { ProviderFields } from '../agents/ProviderFields';
import { type Analysis, analyses, analysis } from './api';
import { api, Problem, result } from '../../api/client';
import { may, me } from '../../api/me';
import { answeredByClass } from '../../generated/enums';
import { CriteriaFields } from './CriteriaFields';
import { bodyOf, type Draft, draftOf, patchOf, schemaOf } from './draft';
import { Results } from './Results';
import { Runs } from './Runs';
import { SchemaField } from './SchemaField';
import { analysesTexts } from './texts';
import { Page } from '../../ui/Page';
import { Confirm } from '../../ui/resource/Confirm';
import { Faults } from '../../ui/resource/FormModal';
import { Guard } from '../../ui/resource/Guard';
import { errorAt, useAction, useSave } from '../../ui/resource/save';
import { texts } from '../../ui/texts';
import { Loaded } from '../../ui/Trouble';
import { Versions } from './Versions';

const t = analysesTexts;

export function NewAnalysis() {
  return <Editor />;
}

export function EditAnalysis() {
  const { name } = useParams({ from: '/shell/analyses/$name' });
  return <Loaded query={useQuery(analysis(name))}>{(a) => <Editor key={`${a.id} ${a.version}`} saved={a} />}</Loaded>;
}

function Part({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <Fieldset className="panel" p="lg">
      <Text component="h2" fw={600} mb={hint ? 0 : 'sm'}>
        {title}
      </Text>
      {hint && (
        <Text size="sm" c="dimmed" mb="md">
          {hint}
        </Text>
      )}
      {children}
    </Fieldset>
  );
}

/** Editor makes an analysis, or changes a saved one. */
function Editor({ saved }: { saved?: Analysis }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const catalogue = useQuery(providers).data?.items ?? [];
  const scopes = useQuery(me).data?.scopes;
  const writes = may(scopes, 'analyses:write');
  const sees = may(scopes, 'analytics:read') || may(scopes, 'calls:read');
  const [deleting, setDeleting] = useState(false);
  const form = useForm<Draft>({ initialValues: draftOf(saved) });
  const save = useSave(form, {
    send: (draft: Draft) =>
      saved
        ? result(
            api.PUT('/api/v1/analyses/{name}', {
              params: { path: { name: saved.name } },
              body: patchOf(draftOf(saved), draft),
            }),
          )
        : result(api.POST('/api/v1/analyses', { body: { ...bodyOf(draft), name: draft.name } })),
    refresh: [analyses.queryKey],
    said: t.saved,
    done: (kept) => {
      form.resetDirty();
      queries.setQueryData(analysis(kept.name).queryKey, kept);
      if (!saved) void navigate({ to: '/analyses/$name', params: { name: kept.name }, ignoreBlocker: true });
    },
  });
  const remove = useAction({
    send: () => result(api.DELETE('/api/v1/analyses/{name}', { params: { path: { name: saved?.name ?? '' } } })),
    said: texts.resource.deleted,
    done: () => {
      queries.removeQueries({ queryKey: analyses.queryKey });
      void navigate({ to: '/analyses', ignoreBlocker: true });
    },
  });
  const dirty = writes && form.isDirty();
  const { criteria, conditions, schema } = form.values;
  const field = (path: string) => ({ readOnly: !writes, ...form.getInputProps(path) });
  const conflict = save.error instanceof Problem && save.error.code === 'conflict' ? save.error.message : undefined;
  return (
    <Page
      title={saved?.name ?? t.newTitle}
      lead={
        saved && (
          <Badge size="sm" variant="default">
            {t.version(saved.version)}
          </Badge>
        )
      }
      actions={
        <>
          {dirty && (
            <Text size="sm" c="dimmed" role="status">
              {texts.resource.unsaved}
            </Text>
          )}
          {saved && writes && (
            <Button variant="default" onClick={() => setDeleting(true)}>
              {texts.resource.delete}
            </Button>
          )}
          {writes && (
            <Button
              loading={save.isPending}
              disabled={schemaOf(schema) === undefined || (saved && !dirty)}
              onClick={() => save.mutate(form.getValues())}
            >
              {saved ? texts.resource.save : texts.resource.create}
            </Button>
          )}
        </>
      }
    >
      <Stack gap="md" maw={820}>
        {!writes && <Alert variant="default">{t.readOnly}</Alert>}
        {!conflict && (
          <Faults
            error={save.error}
            fields={['name', 'description', 'instructions', 'criteria', 'schema', 'conditions', 'llm']}
          />
        )}
        {((saved?.warnings ?? []) as string[]).map((w) => (
          <Alert key={w} color="yellow" variant="default">
            {w}
          </Alert>
        ))}
        {saved && sees && <Results of={saved.name} />}
        {saved && <Runs of={saved} writes={writes} />}
        <Fieldset className="panel" p="lg">
          <Stack>
            {!saved && (
              <TextInput
                label={t.name}
                description={t.nameHint}
                required
                {...field('name')}
                error={form.errors.name ?? conflict}
              />
            )}
            <Textarea label={t.description} autosize maxRows={8} {...field('description')} />
          </Stack>
        </Fieldset>
        <Part title={t.criteria} hint={t.criteriaHint}>
          <CriteriaFields
            value={criteria}
            errors={form.errors}
            readOnly={!writes}
            onChange={(changed) => {
              form.clearFieldError('criteria');
              form.setFieldValue('criteria', changed);
            }}
          />
        </Part>
        <Part title={t.data}>
          <SchemaField
            value={schema}
            errors={form.errors}
            readOnly={!writes}
            onChange={(text) => {
              form.setErrors(
                Object.fromEntries(Object.entries(form.errors).filter(([at]) => !at.startsWith('schema'))),
              );
              form.setFieldValue('schema', text);
            }}
          />
        </Part>
        <Part title={t.conditions} hint={t.conditionsHint}>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <NumberInput
              label={t.minDuration}
              suffix=" s"
              min={0}
              allowDecimal={false}
              clampBehavior="none"
              {...field('conditions.min_duration_seconds')}
            />
            <NumberInput
              label={t.minTurns}
              min={0}
              allowDecimal={false}
              clampBehavior="none"
              {...field('conditions.min_turns')}
            />
            <TagsInput
              label={t.reasons}
              description={t.reasonsHint}
              placeholder={conditions.reasons.length ? undefined : t.all}
              {...field('conditions.reasons')}
              error={errorAt(form.errors, 'conditions.reasons')}
            />
            <MultiSelect
              label={t.answeredBy}
              description={t.answeredByHint}
              data={answeredByClass.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
              placeholder={conditions.answered_by.length ? undefined : t.all}
              {...field('conditions.answered_by')}
              error={errorAt(form.errors, 'conditions.answered_by')}
            />
          </SimpleGrid>
        </Part>
        <Part title={t.llm} hint={t.llmHint}>
          <Stack>
            <div role="group" aria-label={t.llm}>
              <ProviderFields
                kind="llm"
                path="llm"
                form={form}
                catalogue={catalogue}
                readOnly={!writes}
                clearable
                basic
              />
            </div>
            <Textarea
              label={t.instructions}
              description={t.instructionsHint}
              autosize
              minRows={3}
              maxRows={20}
              {...field('instructions')}
            />
          </Stack>
        </Part>
        {saved && <Versions of={saved} writes={writes} />}
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
