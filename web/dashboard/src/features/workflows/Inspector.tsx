import {
  ActionIcon,
  Button,
  Group,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { ArrowRight, Trash2, X } from 'lucide-react';
import { may, me } from '../../api/me';
import { analyses } from '../analyses/api';
import { workflowTexts } from './texts';
import { texts } from '../../ui/texts';
import type { Choice } from './Canvas';
import { ConditionField } from './ConditionField';
import { changedNode, type Draft, withConnection, withoutNodes } from './draft';
import { MappingFields } from './MappingFields';
import type { Fault } from './rules';
import { CallHookFields } from '../../ui/resource/CallHookFields';

const t = workflowTexts;

interface Props {
  draft: Draft;
  choice: Choice;
  faults: Fault[];
  agents: { value: string; label: string }[];
  known: string[];
  sample: string;
  isNew: boolean;
  readOnly: boolean;
  onChange: (draft: Draft, tag?: string) => void;
  onChoose: (choice: Choice) => void;
  onSample: (sample: string) => void;
}

/** Inspector has the fields of what is chosen on the canvas, or of the workflow. */
export function Inspector(props: Props) {
  const { choice, draft } = props;
  if (choice && 'node' in choice && draft.nodes[choice.node])
    return <NodeFields key={`n${choice.node}`} {...props} index={choice.node} />;
  if (choice && 'connection' in choice && draft.connections[choice.connection])
    return <ConnectionFields key={`c${choice.connection}`} {...props} index={choice.connection} />;
  return <WorkflowFields {...props} />;
}

function Head({ title, close }: { title: string; close: () => void }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text component="h2" fw={600} className="one-line">
        {title}
      </Text>
      <ActionIcon variant="subtle" color="gray" onClick={close} aria-label={t.settings}>
        <X size={16} />
      </ActionIcon>
    </Group>
  );
}

function WorkflowFields({ draft, faults, isNew, readOnly, onChange }: Props) {
  const error = (field: string) => faults.find((f) => f.field === field)?.message;
  const reads = may(useQuery(me).data?.scopes, 'analyses:read');
  const analysesKnown = (useQuery({ ...analyses, enabled: reads }).data ?? []).map((a) => a.name);
  return (
    <Stack gap="sm">
      <Text component="h2" fw={600}>
        {t.settings}
      </Text>
      <TextInput
        label={t.name}
        required
        value={draft.name}
        error={error('name')}
        readOnly={readOnly}
        onChange={(e) => onChange({ ...draft, name: e.currentTarget.value }, 'name')}
      />
      {isNew && (
        <TextInput
          label={t.slug}
          description={t.slugHint}
          required
          value={draft.slug}
          error={error('slug')}
          onChange={(e) => onChange({ ...draft, slug: e.currentTarget.value }, 'slug')}
        />
      )}
      <Textarea
        label={t.description}
        autosize
        minRows={2}
        maxRows={6}
        value={draft.description}
        error={error('description')}
        readOnly={readOnly}
        onChange={(e) => onChange({ ...draft, description: e.currentTarget.value }, 'description')}
      />
      <TagsInput
        label={t.shared}
        description={t.sharedHint}
        value={draft.shared}
        readOnly={readOnly}
        placeholder={draft.shared.length ? undefined : texts.common.none}
        onChange={(shared) => onChange({ ...draft, shared })}
        error={faults.find((f) => f.field?.startsWith('config.shared_context'))?.message}
      />
      <TagsInput
        label={t.analyses}
        description={t.analysesHint}
        data={analysesKnown}
        value={draft.analyses}
        readOnly={readOnly}
        placeholder={draft.analyses.length ? undefined : texts.common.none}
        onChange={(analyses) => onChange({ ...draft, analyses })}
        error={faults.find((f) => f.field?.startsWith('config.analyses'))?.message}
      />
      <CallHookFields
        value={draft.hook}
        error={faults.find((f) => f.field?.startsWith('config.call_hook'))?.message}
        readOnly={readOnly}
        onChange={(hook) => onChange({ ...draft, hook }, 'hook')}
      />
    </Stack>
  );
}

function NodeFields({
  draft,
  index,
  faults,
  agents,
  known,
  sample,
  readOnly,
  onChange,
  onChoose,
  onSample,
}: Props & { index: number }) {
  const node = draft.nodes[index];
  if (!node) return null;
  const mine = faults.filter((f) => f.node === index);
  const error = (field: string) => mine.find((f) => f.field === field)?.message;
  const general = mine.filter((f) => f.field === undefined || f.field === '' || f.field === 'is_entry');
  const set = (part: Partial<typeof node>, tag?: string) =>
    onChange(changedNode(draft, index, part), tag && `${tag} ${index}`);
  const leads = draft.connections.flatMap((c, i) => (c.source_id === node.id ? [{ ...c, i }] : []));
  const targets = [...new Set(draft.nodes.map((n) => n.id))].filter(
    (id) => id !== node.id && !leads.some((c) => c.target_id === id),
  );
  const choices = agents.some((a) => a.value === node.agent_name)
    ? agents
    : [...agents, { value: node.agent_name, label: node.agent_name }];
  return (
    <Stack gap="sm">
      <Head title={t.nodeOf(node.id)} close={() => onChoose(undefined)} />
      {general.map((f) => (
        <Text key={f.message} size="sm" style={{ color: 'var(--mantine-color-error)' }}>
          {f.message}
        </Text>
      ))}
      <Select
        label={t.agent}
        data={choices}
        value={node.agent_name}
        searchable
        allowDeselect={false}
        readOnly={readOnly}
        error={error('agent_name')}
        onChange={(value) => value && set({ agent_name: value })}
      />
      <Link
        to="/agents/$name"
        params={{ name: node.agent_name }}
        style={{ fontSize: 13, textDecoration: 'underline', color: 'var(--quiet)' }}
      >
        {t.openAgent}
      </Link>
      <TextInput
        label={t.id}
        value={node.id}
        readOnly={readOnly}
        error={error('id')}
        onChange={(e) => set({ id: e.currentTarget.value }, 'id')}
      />
      <Switch
        label={t.entry}
        description={t.entryHint}
        checked={node.is_entry ?? false}
        disabled={readOnly}
        onChange={(e) => set({ is_entry: e.currentTarget.checked })}
      />
      <Switch
        label={t.exit}
        description={t.exitHint}
        checked={node.is_exit ?? false}
        disabled={readOnly}
        onChange={(e) => set({ is_exit: e.currentTarget.checked })}
      />
      <div>
        <Text size="sm" fw={500} mb={4}>
          {t.connections}
        </Text>
        {leads.map((c) => (
          <UnstyledButton key={c.i} className="nav" w="100%" onClick={() => onChoose({ connection: c.i })}>
            <ArrowRight size={14} aria-hidden />
            <span className="grow one-line">{c.target_id}</span>
            <Text size="xs" c="dimmed" className="one-line" maw={140}>
              {c.condition}
            </Text>
          </UnstyledButton>
        ))}
        {!readOnly && targets.length > 0 && (
          <Select
            aria-label={t.connectTo}
            placeholder={t.connectTo}
            size="sm"
            data={targets}
            value={null}
            searchable
            clearable={false}
            onChange={(id) => id && onChange(withConnection(draft, node.id, id))}
          />
        )}
        {leads.length === 0 && (readOnly || targets.length === 0) && (
          <Text size="sm" c="dimmed">
            {texts.common.none}
          </Text>
        )}
      </div>
      <ConditionField
        label={t.skip}
        description={t.skipHint}
        value={node.skip_condition ?? ''}
        error={error('skip_condition')}
        known={known}
        sample={sample}
        readOnly={readOnly}
        onSample={onSample}
        onChange={(v) => set({ skip_condition: v }, 'skip')}
      />
      <MappingFields
        mapping={(node.context_mapping ?? {}) as Record<string, string>}
        known={known}
        readOnly={readOnly}
        error={mine.find((f) => f.field?.startsWith('context_mapping'))?.message}
        onChange={(m) => set({ context_mapping: m }, 'mapping')}
      />
      {!readOnly && (
        <Button
          variant="subtle"
          color="red"
          c="var(--mantine-color-error)"
          px="xs"
          leftSection={<Trash2 size={15} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => {
            const only = draft.nodes.filter((n) => n.id === node.id).length > 1;
            onChange(
              only ? { ...draft, nodes: draft.nodes.filter((_, i) => i !== index) } : withoutNodes(draft, [node.id]),
            );
            onChoose(undefined);
          }}
        >
          {t.remove}
        </Button>
      )}
    </Stack>
  );
}

function ConnectionFields({
  draft,
  index,
  faults,
  known,
  sample,
  readOnly,
  onChange,
  onChoose,
  onSample,
}: Props & { index: number }) {
  const connection = draft.connections[index];
  if (!connection) return null;
  const mine = faults.filter((f) => f.connection === index);
  return (
    <Stack gap="sm">
      <Head title={t.connectionOf(connection.source_id, connection.target_id)} close={() => onChoose(undefined)} />
      {mine
        .filter((f) => f.field !== 'condition')
        .map((f) => (
          <Text key={f.message} size="sm" style={{ color: 'var(--mantine-color-error)' }}>
            {f.message}
          </Text>
        ))}
      <ConditionField
        label={t.condition}
        description={t.conditionHint}
        value={connection.condition ?? ''}
        error={mine.find((f) => f.field === 'condition')?.message}
        known={known}
        sample={sample}
        readOnly={readOnly}
        onSample={onSample}
        onChange={(condition) =>
          onChange(
            { ...draft, connections: draft.connections.map((c, i) => (i === index ? { ...c, condition } : c)) },
            `condition ${index}`,
          )
        }
      />
      <Textarea
        label={t.connectionDescription}
        description={t.connectionDescriptionHint}
        autosize
        minRows={2}
        maxRows={6}
        maxLength={500}
        value={connection.description ?? ''}
        error={mine.find((f) => f.field === 'description')?.message}
        readOnly={readOnly}
        onChange={(e) => {
          const description = e.currentTarget.value;
          onChange(
            { ...draft, connections: draft.connections.map((c, i) => (i === index ? { ...c, description } : c)) },
            `description ${index}`,
          );
        }}
      />
      {!readOnly && (
        <Button
          variant="subtle"
          color="red"
          c="var(--mantine-color-error)"
          px="xs"
          leftSection={<Trash2 size={15} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => {
            onChange({ ...draft, connections: draft.connections.filter((_, i) => i !== index) });
            onChoose(undefined);
          }}
        >
          {t.remove}
        </Button>
      )}
    </Stack>
  );
}
