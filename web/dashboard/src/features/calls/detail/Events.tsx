import { Code, Text } from '@mantine/core';
import { milliseconds, time } from '../../../format';
import { texts } from '../../../ui/texts';
import { answeredText, answeredTexts, evidenceText } from '../answered';
import { callTexts as t, statusTexts } from '../texts';
import { incidentText } from './incidents';
import { routingText } from './routing';
import type { Entry } from './turns';

/** Events are the entries of the timeline, other than turns and quality, which are shown elsewhere. */
export function Events({ entries }: { entries: Entry[] }) {
  return entries
    .filter((e) => e.type !== 'turn' && e.type !== 'quality')
    .map((e, i) => (
      <div key={`${e.timestamp}-${i}`} style={{ display: 'flex', gap: 12, padding: '6px 0', fontSize: 14 }}>
        <Text size="sm" c="dimmed" className="numbers" style={{ flex: 'none' }}>
          {time(e.timestamp)}
        </Text>
        <div className="grow" style={{ overflowWrap: 'anywhere' }}>
          <EventText e={e} />
        </div>
      </div>
    ));
}

function EventText({ e }: { e: Entry }) {
  switch (e.type) {
    case 'status':
      return (
        <>
          {t.statusChanged}: {statusTexts[e.status ?? ''] ?? e.status}
          {e.status_reason && (
            <Text span c="dimmed" size="sm">
              {' '}
              ({e.status_reason.replaceAll('_', ' ')})
            </Text>
          )}
        </>
      );
    case 'tool_call':
      return (
        <>
          {t.tool}: <Code>{e.name}</Code>{' '}
          <Text span c="dimmed" size="sm">
            {JSON.stringify(e.arguments ?? {})}
            {e.answer ? ` → ${e.answer}` : ''}
            {e.duration_ms ? `, ${milliseconds(e.duration_ms)}` : ''}
            {e.phase ? `, ${t.toolPhases[e.phase]}` : ''}
          </Text>
        </>
      );
    case 'transfer':
      return (
        <>
          {t.transfer}: {e.to} {t.transferPhases[e.phase ?? '']}
          <Text span c="dimmed" size="sm">
            {e.reason ? ` (${e.reason.replaceAll('_', ' ')}${e.sip_status ? `, SIP ${e.sip_status}` : ''})` : ''}
            {e.summary ? `, ${e.summary}` : ''}
          </Text>
        </>
      );
    case 'answer':
      return (
        <>
          {answeredTexts.title}:{' '}
          {e.class &&
            answeredText({
              class: e.class,
              cause: e.cause ?? '',
              confidence: e.confidence ?? 0,
              after_ms: e.after_ms ?? 0,
            })}
          {e.evidence?.map((found) => (
            <Text key={`${found.layer} ${found.after_ms}`} c="dimmed" size="sm">
              {evidenceText(found)}
            </Text>
          ))}
        </>
      );
    case 'control':
      return (
        <>
          {t.controls[e.control ?? '']} {t.controlStates[e.control_status ?? '']}
          <Text span c="dimmed" size="sm">
            {e.message ? ` (${e.message})` : ''}
          </Text>
        </>
      );
    case 'routing': {
      const [leads, ...rest] = e.routing ? routingText(e.routing) : [];
      return (
        <>
          {e.agent}: {leads}
          {rest.map((line) => (
            <Text key={line} c="dimmed" size="sm" style={{ overflowWrap: 'anywhere' }}>
              {line}
            </Text>
          ))}
        </>
      );
    }
    case 'handoff':
    case 'agent_changed':
      return (
        <>
          {t.handoff}: {e.previous_agent ? `${e.previous_agent} → ` : ''}
          {e.agent}
        </>
      );
    case 'error':
      return (
        <>
          {texts.common.error}: {e.message}
        </>
      );
    default:
      return <>{incidentText(e)}</>;
  }
}
