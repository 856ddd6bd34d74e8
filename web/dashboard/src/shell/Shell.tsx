import {
  ActionIcon,
  Alert,
  AppShell,
  Burger,
  Group,
  Kbd,
  Text,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { BookOpen, Moon, Search, Sun, UserRound, WifiOff } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { onSignedOut, Problem } from '../api/client';
import { me } from '../api/me';
import { hadSession, onSessionEnded, signOut } from '../api/session';
import { features, navigation } from '../features';
import { shellTexts } from './texts';
import { texts } from '../ui/texts';
import { Loading, Trouble } from '../ui/Trouble';
import { Logo } from '../ui/Logo';

const AccountMenu = lazy(() => import('./AccountMenu').then((m) => ({ default: m.AccountMenu })));
const OwnPassword = lazy(() => import('../features/users/OwnPassword').then((m) => ({ default: m.OwnPassword })));
const Palette = lazy(() => import('./Palette').then((m) => ({ default: m.Palette })));

/** useSignIn returns a function that opens the sign-in page, which leads back to the page that the user is on now. */
function useSignIn() {
  const router = useRouter();
  return useCallback(
    (expired: boolean) => {
      const { pathname, searchStr } = router.state.location;
      if (pathname === '/sign-in') return;
      const search = { to: pathname + searchStr, expired: (expired && hadSession()) || undefined };
      void router.navigate({ to: '/sign-in', search, replace: true, ignoreBlocker: true });
    },
    [router],
  );
}

/** useReachable asks the server, while it does not answer, whether it is back. */
function useReachable(): boolean {
  const queries = useQueryClient();
  const [away, setAway] = useState(false);
  useEffect(() => {
    const look = async () => {
      try {
        const response = await fetch('/health/live');
        setAway((was) => {
          if (was && response.ok) void queries.invalidateQueries();
          return !response.ok;
        });
      } catch {
        setAway(true);
      }
    };
    const timer = setInterval(look, away ? 2000 : 10_000);
    return () => clearInterval(timer);
  }, [away, queries]);
  return !away;
}

export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const [finding, find] = useDisclosure();
  const [passwordOpened, { open: openPassword, close: closePassword }] = useDisclosure();
  const [accountOpened, { open: openAccount }] = useDisclosure();
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  const queries = useQueryClient();
  const who = useQuery(me);
  const reachable = useReachable();
  const toSignIn = useSignIn();
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);
  useEffect(() => {
    onSignedOut(() => toSignIn(true));
    return onSessionEnded(() => toSignIn(true));
  }, [toSignIn]);
  useHotkeys([['mod+K', find.open]], []);
  const leave = async () => {
    if (!(await signOut())) {
      notifications.show({ message: shellTexts.notSignedOut, color: 'red' });
      return;
    }
    queries.clear();
    toSignIn(false);
  };
  const wide = features.some((f) => 'wide' in f && pathname.startsWith(`${f.path}/`));
  if (who.isPending || (who.error instanceof Problem && who.error.status === 401)) return <Loading />;
  const account = (
    <ActionIcon variant="subtle" color="gray" size={34} aria-label={shellTexts.account} onClick={openAccount}>
      <UserRound size={17} />
    </ActionIcon>
  );
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', sm: 'lg' }}
    >
      <a href="#content" className="skip">
        {shellTexts.skip}
      </a>
      <AppShell.Header style={{ background: 'var(--panel)', borderColor: 'var(--line)' }}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={shellTexts.menu} />
            <Link to="/" aria-label={texts.product}>
              <Group gap={10} wrap="nowrap">
                <Logo />
                <Text fw={650}>{texts.product}</Text>
              </Group>
            </Link>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <UnstyledButton
              onClick={find.open}
              className="panel"
              px={10}
              h={34}
              style={{ display: 'flex', alignItems: 'center', gap: 8 }}
              aria-label={`${shellTexts.find} ⌘K`}
            >
              <Search size={15} aria-hidden />
              <Text size="sm" c="dimmed" visibleFrom="sm">
                {shellTexts.find}
              </Text>
              <Kbd size="xs" visibleFrom="sm">
                ⌘K
              </Kbd>
            </UnstyledButton>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={34}
              onClick={() => setColorScheme(dark ? 'light' : 'dark')}
              aria-label={shellTexts.theme}
            >
              {dark ? <Sun size={17} /> : <Moon size={17} />}
            </ActionIcon>
            <Suspense fallback={account}>
              {accountOpened ? (
                <AccountMenu
                  target={account}
                  email={who.data?.user?.email}
                  tenant={who.data?.tenant.name}
                  changePassword={openPassword}
                  leave={leave}
                />
              ) : (
                account
              )}
            </Suspense>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        p="sm"
        style={{ background: 'var(--panel)', borderColor: 'var(--line)' }}
        aria-label={shellTexts.menu}
      >
        <AppShell.Section grow style={{ overflowY: 'auto' }}>
          {navigation(who.data?.scopes).map(({ group, features }) => (
            <div key={group} role="group" aria-label={shellTexts.groups[group]}>
              <div className="nav-group" aria-hidden>
                {shellTexts.groups[group]}
              </div>
              {features.map(({ path: to, label, icon: Icon }) => (
                <Link
                  key={to}
                  to={to}
                  className={pathname === to || (to !== '/' && pathname.startsWith(`${to}/`)) ? 'nav active' : 'nav'}
                >
                  <Icon size={17} aria-hidden /> {label}
                </Link>
              ))}
            </div>
          ))}
        </AppShell.Section>
        <AppShell.Section>
          <a href="/docs" className="nav" target="_blank" rel="noreferrer">
            <BookOpen size={17} aria-hidden /> {shellTexts.documentation}
          </a>
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content">
        <div style={{ maxWidth: wide ? undefined : 1180, margin: '0 auto' }}>
          {!reachable && (
            <Alert color="orange" icon={<WifiOff size={18} />} mb="md" role="status">
              {texts.connection.unreachable}
            </Alert>
          )}
          {who.error ? (
            <Trouble error={who.error} retry={() => void who.refetch()} />
          ) : (
            <Suspense fallback={<Loading />}>
              <Outlet />
            </Suspense>
          )}
        </div>
      </AppShell.Main>
      {finding && (
        <Suspense>
          <Palette close={find.close} />
        </Suspense>
      )}
      {passwordOpened && (
        <Suspense>
          <OwnPassword changed={() => toSignIn(true)} close={closePassword} />
        </Suspense>
      )}
    </AppShell>
  );
}
