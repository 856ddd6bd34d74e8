import { Alert, Autocomplete, NumberInput, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { agents } from '../agents/api';
import type { Analysis } from './api';
import { api, result } from '../../api/client';
import { may, me } from '../../api/me';
import { fieldErrors, newRun, type RunDraft, runBody, runEstimate } from './runs';
import { runsTexts } from './runsTexts';
import { FormModal } from '../../ui/resource/FormModal';
import { unplaced, useSave } from '../../ui/resource/save';
import { texts } from '../../ui/texts';

const t = runsTexts;
const fields = ['from', 'to', 'agent_name', 'livemode', 'sample', 'max_cost'];

/** StartRun chooses the calls of a run, says what it would do, and starts it. */
export function StartRun({ of: analysis, onClose }: { of: Analysis; onClose: () => void }) {
  const sees = may(useQuery(me).data?.scopes, 'agents:read');
  const names = useQuery({ ...agents, enabled: sees }).data?.map((a) => a.name) ?? [];
  const form = useForm<RunDraft>({ initialValues: newRun, onValuesChange: () => form.clearErrors() });
  const body = runBody(form.values);
  const [asked] = useDebouncedValue(body, 400);
  const estimate = useQuery(runEstimate(analysis.name, asked));
  const current = JSON.stringify(asked) === JSON.stringify(body) && !estimate.isFetching;
  const wrong = current ? fieldErrors(estimate.error) : {};
  const save = useSave(form, {
    send: (draft: RunDraft) =>
      result(
        api.POST('/api/v1/analyses/{name}/runs', { params: { path: { name: analysis.name } }, body: runBody(draft) }),
      ),
    refresh: [['analysis-runs']],
    said: t.started,
    done: onClose,
  });
  const field = (name: keyof RunDraft & string) => ({
    ...form.getInputProps(name),
    error: (form.errors[name] as string | undefined) ?? wrong[name],
  });
  return (
    <FormModal
      title={t.startTitle}
      lead={t.startLead(analysis.version)}
      submit={t.start}
      saving={save.isPending}
      disabled={!current || !estimate.data?.calls}
      error={save.error}
      fields={fields}
      onSubmit={() => save.mutate(form.getValues())}
      onClose={onClose}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput type="datetime-local" label={t.from} {...field('from')} />
        <TextInput type="datetime-local" label={t.to} {...field('to')} />
        <Autocomplete label={t.agent} placeholder={t.anyAgent} data={names} {...field('agent_name')} />
        <Select
          label={t.mode}
          placeholder={t.anyMode}
          clearable
          data={Object.entries(t.modes).map(([value, label]) => ({ value, label }))}
          clearButtonProps={{ 'aria-label': texts.common.clear }}
          {...field('livemode')}
        />
        <NumberInput
          label={t.sample}
          description={t.sampleHint}
          placeholder={t.allCalls}
          min={1}
          allowDecimal={false}
          clampBehavior="none"
          {...field('sample')}
        />
        <TextInput
          label={t.maxCost}
          description={t.maxCostHint}
          inputMode="decimal"
          rightSection={estimate.data?.currency && <Text size="xs">{estimate.data.currency}</Text>}
          rightSectionWidth={48}
          {...field('max_cost')}
        />
      </SimpleGrid>
      {current && estimate.error ? (
        <Alert color="red" role="alert">
          {unplaced(estimate.error, fields).join(' ') || texts.resource.faults}
        </Alert>
      ) : (
        <Alert variant="default" role="status" title={t.estimate}>
          {current && estimate.data ? t.estimated(estimate.data) : t.estimating}
        </Alert>
      )}
    </FormModal>
  );
}
