import {
  ActionIcon,
  Alert,
  Badge,
  Button,
  Fieldset,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { type Prompt, prompt, prompts } from './api';
import { api, Problem, result } from '../../api/client';
import { may, me } from '../../api/me';
import { mergePatch } from '../../api/patch';
import { Page } from '../../ui/Page';
import { Preview } from './Preview';
import { Versions } from './Versions';
import { Confirm } from '../../ui/resource/Confirm';
import { Faults } from '../../ui/resource/FormModal';
import { Guard } from '../../ui/resource/Guard';
import { Loaded } from '../../ui/Trouble';
import { errorAt, useAction, useSave } from '../../ui/resource/save';
import { promptsTexts } from './texts';
import { texts } from '../../ui/texts';

const t = promptsTexts;

interface Draft extends Record<string, unknown> {
  slug: string;
  name: string;
  description: string;
  category: Prompt['category'];
  content: Record<string, string>;
}

const draftOf = (p?: Prompt): Draft => ({
  slug: p?.slug ?? '',
  name: p?.name ?? '',
  description: p?.description ?? '',
  category: p?.category ?? 'instruction',
  content: p?.content ?? { en: '' },
});
const bodyOf = ({ name, description, category, content }: Draft) => ({
  name,
  description: description || null,
  category,
  content,
});

export function NewPrompt() {
  const { from } = useSearch({ from: '/shell/prompts/new' });
  const origin = useQuery({ ...prompt(from ?? ''), enabled: from !== undefined });
  return from ? <Loaded query={origin}>{(p) => <Editor origin={p} />}</Loaded> : <Editor />;
}

export function EditPrompt() {
  const { slug } = useParams({ from: '/shell/prompts/$slug' });
  return <Loaded query={useQuery(prompt(slug))}>{(p) => <Editor key={`${p.id} ${p.version}`} saved={p} />}</Loaded>;
}

/** Editor makes a prompt, of another where origin is given, or changes a saved one. */
function Editor({ saved, origin }: { saved?: Prompt; origin?: Prompt }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayWrite = may(useQuery(me).data?.scopes, 'prompts:write');
  const writes = mayWrite && !saved?.is_system;
  const [deleting, setDeleting] = useState(false);
  const [language, setLanguage] = useState('');
  const form = useForm<Draft>({ initialValues: draftOf(saved ?? origin) });
  const save = useSave(form, {
    send: (draft: Draft) => {
      if (!saved)
        return result(
          api.POST('/api/v1/prompts', {
            body: {
              ...bodyOf(draft),
              slug: draft.slug,
              variables: origin?.variables ?? undefined,
              metadata: origin?.metadata,
            },
          }),
        );
      return result(
        api.PATCH('/api/v1/prompts/{slug}', {
          params: { path: { slug: saved.slug } },
          body: mergePatch(bodyOf(draftOf(saved)), bodyOf(draft)),
        }),
      );
    },
    refresh: [prompts.queryKey],
    said: t.saved,
    done: (kept) => {
      form.resetDirty();
      queries.setQueryData(prompt(kept.slug).queryKey, kept);
      if (!saved) void navigate({ to: '/prompts/$slug', params: { slug: kept.slug }, ignoreBlocker: true });
    },
  });
  const remove = useAction({
    send: () => result(api.DELETE('/api/v1/prompts/{slug}', { params: { path: { slug: saved?.slug ?? '' } } })),
    said: texts.resource.deleted,
    done: () => {
      queries.removeQueries({ queryKey: prompts.queryKey });
      void navigate({ to: '/prompts', ignoreBlocker: true });
    },
  });
  const dirty = writes && form.isDirty();
  const { content } = form.values;
  const setContent = (next: Record<string, string>) => form.setFieldValue('content', next);
  const add = () => {
    const code = language.trim();
    if (code && !(code in content)) setContent({ ...content, [code]: '' });
    setLanguage('');
  };
  const conflict = save.error instanceof Problem && save.error.code === 'conflict' ? save.error.message : undefined;
  return (
    <Page
      title={saved?.name ?? t.newTitle}
      lead={
        saved && (
          <Group gap="xs">
            {saved.slug}
            <Badge size="sm" variant="default">
              {saved.is_system ? t.platform : t.version(saved.version)}
            </Badge>
          </Group>
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
          {saved?.is_system && mayWrite && (
            <Button onClick={() => void navigate({ to: '/prompts/new', search: { from: saved.slug } })}>
              {t.customize}
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
      <div className={saved ? 'split' : undefined}>
        <Stack gap="md">
          {saved?.is_system && <Alert variant="default">{t.platformHint}</Alert>}
          {!conflict && <Faults error={save.error} fields={['slug', 'name', 'description', 'category', 'content']} />}
          <Fieldset className="panel" p="lg">
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              {!saved && (
                <TextInput
                  label={t.slug}
                  description={t.slugHint}
                  required
                  {...form.getInputProps('slug')}
                  error={form.errors.slug ?? conflict}
                />
              )}
              <TextInput
                label={t.name}
                required
                readOnly={!writes}
                {...form.getInputProps('name')}
                styles={saved ? undefined : { root: { alignSelf: 'end' } }}
              />
              <Select
                label={t.category}
                allowDeselect={false}
                readOnly={!writes}
                data={Object.entries(t.categories).map(([value, label]) => ({ value, label }))}
                {...form.getInputProps('category')}
              />
              <TextInput label={t.description} readOnly={!writes} {...form.getInputProps('description')} />
            </SimpleGrid>
          </Fieldset>
          <Fieldset className="panel" p="lg">
            <Text component="h2" fw={600} mb="sm">
              {t.languages}
            </Text>
            <Stack>
              {Object.entries(content).map(([code, text]) => (
                <Group key={code} gap="xs" align="flex-start" wrap="nowrap">
                  <Textarea
                    className="grow"
                    label={t.text(code)}
                    autosize
                    minRows={4}
                    maxRows={20}
                    readOnly={!writes}
                    value={text}
                    error={errorAt(form.errors, `content.${code}`)}
                    onChange={(e) => setContent({ ...content, [code]: e.currentTarget.value })}
                  />
                  {writes && Object.keys(content).length > 1 && (
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      size={34}
                      mt={25}
                      aria-label={t.removeLanguage(code)}
                      onClick={() =>
                        setContent(Object.fromEntries(Object.entries(content).filter(([c]) => c !== code)))
                      }
                    >
                      <Trash2 size={16} />
                    </ActionIcon>
                  )}
                </Group>
              ))}
              {form.errors.content && (
                <Text size="sm" c="var(--mantine-color-error)">
                  {String(form.errors.content)}
                </Text>
              )}
              {writes && (
                <Group gap="xs" align="flex-end">
                  <TextInput
                    size="xs"
                    label={t.language}
                    description={t.languageHint}
                    value={language}
                    w={180}
                    onChange={(e) => setLanguage(e.currentTarget.value)}
                    onKeyDown={(e) => {
                      if (e.key === 'Enter') add();
                    }}
                  />
                  <Button size="xs" variant="default" leftSection={<Plus size={14} />} onClick={add}>
                    {t.addLanguage}
                  </Button>
                </Group>
              )}
            </Stack>
          </Fieldset>
          {saved && <Versions of={saved} writes={writes} />}
        </Stack>
        {saved && (
          <aside className="aside late">
            <Preview of={saved} unsaved={dirty} />
          </aside>
        )}
      </div>
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
