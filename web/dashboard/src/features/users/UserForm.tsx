import { PasswordInput, Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { api, result } from '../../api/client';
import { mayGrant, me } from '../../api/me';
import { FormModal } from '../../ui/resource/FormModal';
import { errorAt, useSave } from '../../ui/resource/save';
import { texts } from '../../ui/texts';
import { ScopeChoice } from '../../ui/resource/ScopeChoice';
import { scopesTexts } from '../../ui/scopes';
import { type User, users } from './api';
import { usersTexts } from './texts';

const t = usersTexts;

/** UserForm makes a user, or changes one, with scopes that its maker holds. */
export function UserForm({ user, close }: { user?: User; close: () => void }) {
  const scopes = useQuery(me).data?.scopes;
  const form = useForm({
    initialValues: {
      email: user?.email ?? '',
      password: '',
      all: user?.scopes?.includes('*') ? 'all' : 'chosen',
      scopes: user?.scopes ?? ['calls:read'].filter((s) => mayGrant(scopes, s)),
    },
  });
  const save = useSave(form, {
    send: async (v): Promise<unknown> => {
      const granted = v.all === 'all' ? ['*'] : v.scopes.filter((s) => s !== '*');
      return user
        ? result(
            api.PATCH('/api/v1/users/{id}', {
              params: { path: { id: user.id } },
              body: { scopes: granted, password: v.password || undefined },
            }),
          )
        : result(api.POST('/api/v1/users', { body: { email: v.email.trim(), password: v.password, scopes: granted } }));
    },
    refresh: [users.queryKey],
    said: user && t.changed,
    done: close,
  });
  return (
    <FormModal
      title={user ? t.changeTitle(user.email) : t.newTitle}
      submit={user ? texts.resource.save : texts.resource.create}
      saving={save.isPending}
      error={save.error}
      fields={['email', 'password', 'scopes']}
      onSubmit={() => save.mutate(form.getValues())}
      onClose={close}
    >
      {!user && (
        <TextInput
          label={t.email}
          type="email"
          required
          data-autofocus
          autoComplete="off"
          {...form.getInputProps('email')}
        />
      )}
      <PasswordInput
        label={user ? t.newPassword : t.password}
        description={user ? t.newPasswordHint : t.passwordHint}
        required={!user}
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
      <Radio.Group
        label={t.scopes}
        description={t.scopesHint}
        {...form.getInputProps('all')}
        error={errorAt(form.errors, 'scopes')}
      >
        <Stack gap={10} mt={8}>
          <Radio value="chosen" label={scopesTexts.chosen} />
          {mayGrant(scopes, '*') && <Radio value="all" label={scopesTexts.full} description={scopesTexts.fullHint} />}
        </Stack>
      </Radio.Group>
      {form.values.all === 'chosen' && (
        <ScopeChoice
          label={t.scopes}
          value={form.values.scopes}
          onChange={(chosen) => form.setFieldValue('scopes', chosen)}
        />
      )}
    </FormModal>
  );
}
