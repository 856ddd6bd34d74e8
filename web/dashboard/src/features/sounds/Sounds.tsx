import { Button, FileInput, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { audioOf, nameOf, remove, type Sound, sounds, upload } from './api';
import { may, me } from '../../api/me';
import { date, duration } from '../../format';
import { Empty, Page } from '../../ui/Page';
import { Confirm } from '../../ui/resource/Confirm';
import { FormModal } from '../../ui/resource/FormModal';
import { List } from '../../ui/resource/List';
import { useAction, useSave } from '../../ui/resource/save';
import { soundsTexts } from './texts';
import { texts } from '../../ui/texts';

const t = soundsTexts;

export function Sounds() {
  const found = useQuery(sounds);
  const writes = may(useQuery(me).data?.scopes, 'sounds:write');
  const [uploading, setUploading] = useState(false);
  const [deleting, setDeleting] = useState<Sound>();
  const removal = useAction({
    send: remove,
    refresh: [sounds.queryKey],
    said: texts.resource.deleted,
    done: () => setDeleting(undefined),
  });
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        writes && (
          <Button leftSection={<Plus size={16} />} onClick={() => setUploading(true)}>
            {t.create}
          </Button>
        )
      }
    >
      <List query={found} empty={<Empty title={t.title}>{t.empty}</Empty>}>
        {(s) => (
          <div key={s.id} className="row wraps">
            <div className="grow">
              <Text size="sm" fw={550} className="one-line" ff="monospace">
                {s.name}
              </Text>
              <Text size="xs" c="dimmed" className="one-line">
                {t.facts(duration(s.duration_ms / 1000), date(s.created_at))}
              </Text>
            </div>
            <audio controls preload="none" src={audioOf(s.name)} aria-label={t.listen(s.name)} />
            {writes && (
              <Button
                size="xs"
                variant="default"
                onClick={() => setDeleting(s)}
                aria-label={`${texts.resource.delete} ${s.name}`}
              >
                {texts.resource.delete}
              </Button>
            )}
          </div>
        )}
      </List>
      {uploading && <Upload close={() => setUploading(false)} />}
      {deleting && (
        <Confirm
          title={t.deleteTitle(deleting.name)}
          confirm={texts.resource.delete}
          busy={removal.isPending}
          onConfirm={() => removal.mutate(deleting.name)}
          onClose={() => setDeleting(undefined)}
        >
          {t.deleteText}
        </Confirm>
      )}
    </Page>
  );
}

function Upload({ close }: { close: () => void }) {
  const form = useForm({ initialValues: { name: '', body: null as File | null } }); // named as the API names what is wrong
  const save = useSave(form, { send: upload, refresh: [sounds.queryKey], said: t.uploaded, done: close });
  const { onChange, ...file } = form.getInputProps('body');
  return (
    <FormModal
      title={t.newTitle}
      lead={t.rights}
      submit={t.upload}
      saving={save.isPending}
      error={save.error}
      fields={['name', 'body']}
      size="md"
      onSubmit={() => save.mutate(form.getValues())}
      onClose={close}
    >
      <FileInput
        label={t.file}
        description={t.fileHint}
        placeholder={t.choose}
        accept="audio/wav,audio/ogg,.wav,.ogg,.opus"
        required
        {...file}
        onChange={(chosen: File | null) => {
          onChange(chosen);
          if (chosen && !form.getValues().name) form.setFieldValue('name', nameOf(chosen.name));
        }}
      />
      <TextInput label={t.name} description={t.nameHint} required {...form.getInputProps('name')} />
    </FormModal>
  );
}
