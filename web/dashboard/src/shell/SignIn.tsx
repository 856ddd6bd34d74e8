import { Alert, Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { api, result } from '../api/client';
import { signIn } from '../api/session';
import { Logo } from '../ui/Logo';
import { signInTexts } from './texts';
import { texts } from '../ui/texts';

/** inside is a path of this dashboard to go to after signing in. */
const inside = (to?: string) => (to?.startsWith('/') && !to.startsWith('//') ? to : '/agents');

const signInMethods = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: ({ signal }) => result(api.GET('/api/v1/auth/methods', { signal })),
});

export function SignIn() {
  const { to, expired, failed } = useSearch({ from: '/sign-in' });
  const other = useQuery(signInMethods).data?.oidc;
  const { history } = useRouter();
  const queries = useQueryClient();
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = `${signInTexts.submit} · ${texts.product}`;
  }, []);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setError('');
    try {
      const response = await signIn(String(form.get('email')), String(form.get('password')));
      if (response.ok) {
        queries.clear();
        history.push(inside(to));
        return;
      }
      const body = await response.json().catch(() => undefined);
      setError(response.status === 401 ? signInTexts.wrong : (body?.error?.message ?? texts.common.failed));
    } catch {
      setError(signInTexts.unreachable);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack component="main" align="center" justify="center" mih="100dvh" p="md" gap="lg">
      <Logo size={40} />
      <Title order={1} ta="center">
        {signInTexts.title}
      </Title>
      <form onSubmit={submit} style={{ width: '100%', maxWidth: 360 }} className="panel">
        <Stack p="lg" gap="md">
          {expired && !error && <Alert color="yellow">{texts.connection.expired}</Alert>}
          {failed && !error && (
            <Alert color="red" role="alert">
              {signInTexts.failed[failed]}
            </Alert>
          )}
          {error && (
            <Alert color="red" role="alert">
              {error}
            </Alert>
          )}
          <TextInput
            name="email"
            type="email"
            label={signInTexts.email}
            autoComplete="username"
            required
            withAsterisk={false}
            autoFocus
          />
          <PasswordInput
            name="password"
            label={signInTexts.password}
            autoComplete="current-password"
            required
            withAsterisk={false}
          />
          <Button type="submit" loading={busy} fullWidth>
            {signInTexts.submit}
          </Button>
          {other && (
            <Button component="a" href={other.url} variant="default" fullWidth>
              {signInTexts.with(other.name)}
            </Button>
          )}
        </Stack>
      </form>
      <Text size="sm" c="dimmed" ta="center" maw={360}>
        {signInTexts.hint}
      </Text>
    </Stack>
  );
}
