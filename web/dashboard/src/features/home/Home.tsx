import { Alert, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { homeQueries } from './api';
import { agents } from '../agents/api';
import { may, me } from '../../api/me';
import { useLiveCalls } from '../../api/stream';
import { ErrorList, LatencyTable, Section, Stat } from '../analytics/figures';
import { toolsFirst } from '../analytics/errorGroups';
import { success } from '../analytics/range';
import { duration } from '../../format';
import { LiveCalls } from '../calls/LiveCalls';
import { Empty, Page } from '../../ui/Page';
import { Loaded, Loading, Trouble } from '../../ui/Trouble';
import { agentsTexts } from '../agents/texts';
import { callsTexts } from '../calls/texts';
import { homeTexts } from './texts';
import { texts } from '../../ui/texts';

const t = homeTexts;
const linked = { fontSize: 13, textDecoration: 'underline', color: 'var(--quiet)' };

/** Home shows today as it happens, and what to do next where nothing has. */
export function Home() {
  const scopes = useQuery(me).data?.scopes;
  const sees = may(scopes, 'calls:read');
  useLiveCalls(sees);
  const day = new Date().toDateString();
  const asked = useMemo(() => homeQueries(Date.now()), [day]);
  const figures = useQuery({ ...asked.figures, enabled: sees });
  const yesterday = useQuery({ ...asked.yesterday, enabled: sees }).data;
  const providers = useQuery({ ...asked.providers, enabled: sees });
  const wrong = useQuery({ ...asked.errors, enabled: sees });
  const active = useQuery({ ...asked.active, enabled: sees });
  const ever = useQuery({ ...asked.calls, enabled: sees }).data?.total;
  const seesAgents = may(scopes, 'agents:read');
  const made = useQuery({ ...agents, enabled: seesAgents }).data;
  if (!sees)
    return (
      <Page title={t.title}>
        <Alert>{texts.common.callsHidden}</Alert>
      </Page>
    );
  if (figures.error && !figures.data) return <Trouble error={figures.error} retry={() => void figures.refetch()} />;
  if (!figures.data) return <Loading />;
  const f = figures.data;
  const rate = success(f);
  const before = yesterday && success(yesterday);
  const writes = may(scopes, 'agents:write');
  return (
    <Page title={t.title} lead={t.lead}>
      {ever === 0 && (
        <div className="panel" style={{ marginBottom: 16 }}>
          {made?.length === 0 ? (
            <Empty
              title={t.startTitle}
              action={
                writes && (
                  <Button component={Link} to="/agents/new">
                    {agentsTexts.create}
                  </Button>
                )
              }
            >
              {t.start}
            </Empty>
          ) : (
            <Empty
              title={t.tryTitle}
              action={
                seesAgents && (
                  <Button component={Link} to="/agents">
                    {t.toAgents}
                  </Button>
                )
              }
            >
              {t.try}
            </Empty>
          )}
        </div>
      )}
      <div className="stats">
        <Stat label={t.live} value={active.data?.length ?? '–'} />
        <Stat label={t.calls} value={f.total_calls} hint={yesterday && t.yesterday(String(yesterday.total_calls))} />
        <Stat label={t.success} value={rate ?? '–'} hint={before && t.yesterday(before)} />
        <Stat label={t.duration} value={rate ? duration(f.avg_duration_seconds) : '–'} />
      </div>
      <div className="halves">
        <Stack gap="md">
          <Section
            title={t.liveCalls}
            action={
              <Link to="/calls" style={linked}>
                {t.allCalls}
              </Link>
            }
          >
            <Loaded query={active}>
              {(calls) =>
                calls?.length ? (
                  <div style={{ margin: '0 -16px' }}>
                    <LiveCalls calls={calls} most={8} />
                  </div>
                ) : (
                  <Text size="sm" c="dimmed">
                    {callsTexts.noneLive}
                  </Text>
                )
              }
            </Loaded>
          </Section>
          <Section
            title={t.latency}
            action={
              <Link to="/analytics" style={linked}>
                {t.more}
              </Link>
            }
          >
            <Loaded query={providers}>{(found) => <LatencyTable items={found ?? []} empty={t.noLatency} />}</Loaded>
          </Section>
        </Stack>
        <Section title={t.errors}>
          <Loaded query={wrong}>
            {(found) => <ErrorList groups={toolsFirst(found ?? []).slice(0, 6)} empty={t.noErrors} />}
          </Loaded>
        </Section>
      </div>
    </Page>
  );
}
