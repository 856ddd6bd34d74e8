import { PasswordInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { api, result } from '../../api/client';
import { FormModal } from '../../ui/resource/FormModal';
import { useSave } from '../../ui/resource/save';
import { usersTexts } from './texts';

const t = usersTexts;

/** OwnPassword changes the password of the signed-in user, whose sessions end. */
export function OwnPassword({ changed, close }: { changed: () => void; close: () => void }) {
  const form = useForm({ initialValues: { current_password: '', password: '' } });
  const save = useSave(form, {
    send: (body) => result(api.POST('/api/v1/auth/password', { body })),
    done: changed,
  });
  return (
    <FormModal
      title={t.ownTitle}
      saving={save.isPending}
      error={save.error}
      fields={['current_password', 'password']}
      size="sm"
      onSubmit={() => save.mutate(form.getValues())}
      onClose={close}
    >
      <PasswordInput
        label={t.current}
        required
        data-autofocus
        autoComplete="current-password"
        {...form.getInputProps('current_password')}
      />
      <PasswordInput
        label={t.newPassword}
        description={t.ownHint}
        required
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
    </FormModal>
  );
}
