import { Autocomplete, NumberInput, SimpleGrid } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { errorAt } from '../../ui/resource/save';
import type { Draft } from './draft';
import { editorTexts } from './texts';

const t = editorTexts;

/** bundled are the sounds that come with the server. */
const bundled = ['cafe', 'keyboard', 'office'];

/** SoundFields has what callers hear in the background: ambience, and a sound while the agent thinks. */
export function SoundFields({
  form,
  sounds,
  readOnly,
}: {
  form: UseFormReturnType<Draft>;
  sounds: string[];
  readOnly: boolean;
}) {
  const { ambience, thinking_sound: thinking } = form.values.config;
  const data = [...new Set([...sounds, ...bundled])].sort();
  const number = (value: string | number) => (value === '' ? undefined : Number(value));
  const volume = { suffix: ' dB', min: -60, max: 0, clampBehavior: 'none', placeholder: '-20 dB', readOnly } as const;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
      <Autocomplete
        label={t.ambience}
        description={t.ambienceHint}
        data={data}
        readOnly={readOnly}
        value={ambience?.sound ?? ''}
        error={errorAt(form.errors, 'config.ambience.sound')}
        onChange={(sound) => form.setFieldValue('config.ambience', sound ? { ...ambience, sound } : undefined)}
      />
      {ambience && (
        <NumberInput
          label={t.volume}
          description={t.volumeHint}
          {...volume}
          value={ambience.volume_db ?? ''}
          error={errorAt(form.errors, 'config.ambience.volume_db')}
          onChange={(value) => form.setFieldValue('config.ambience', { ...ambience, volume_db: number(value) })}
        />
      )}
      <Autocomplete
        label={t.thinkingSound}
        description={t.thinkingSoundHint}
        data={data}
        readOnly={readOnly}
        value={thinking?.sound ?? ''}
        error={errorAt(form.errors, 'config.thinking_sound.sound')}
        onChange={(sound) => form.setFieldValue('config.thinking_sound', sound ? { ...thinking, sound } : undefined)}
      />
      {thinking && (
        <>
          <NumberInput
            label={t.volume}
            description={t.volumeHint}
            {...volume}
            value={thinking.volume_db ?? ''}
            error={errorAt(form.errors, 'config.thinking_sound.volume_db')}
            onChange={(value) => form.setFieldValue('config.thinking_sound', { ...thinking, volume_db: number(value) })}
          />
          <NumberInput
            label={t.thinkingAfter}
            description={t.thinkingAfterHint}
            suffix=" ms"
            min={0}
            max={10_000}
            step={100}
            clampBehavior="none"
            placeholder="800 ms"
            readOnly={readOnly}
            value={thinking.after_ms ?? ''}
            error={errorAt(form.errors, 'config.thinking_sound.after_ms')}
            onChange={(value) => form.setFieldValue('config.thinking_sound', { ...thinking, after_ms: number(value) })}
          />
        </>
      )}
    </SimpleGrid>
  );
}
