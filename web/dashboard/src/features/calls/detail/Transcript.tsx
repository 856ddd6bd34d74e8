import { Text, UnstyledButton } from '@mantine/core';
import { Play } from 'lucide-react';
import { time } from '../../../format';
import { Empty } from '../../../ui/Page';
import { callTexts as t } from '../texts';
import { Keys } from './Turns';
import type { Line } from './turns';

type Hear = ((line: Line) => void) | undefined;

/** entryID is the id of the element that shows an entry. */
export const entryID = (id: number) => `entry-${id}`;

/** When is a time of day, which plays the recording from there if there is one. */
function When({ line, hear }: { line: Line; hear: Hear }) {
  const at = time(line.timestamp);
  if (!hear) return <span className="numbers">{at}</span>;
  return (
    <UnstyledButton className="numbers when" onClick={() => hear(line)} aria-label={t.hearFrom(at)}>
      <Play size={11} aria-hidden /> {at}
    </UnstyledButton>
  );
}

/** Transcript is what was said, with the tools that were called. */
export function Transcript({ entries, marked, hear }: { entries: Line[]; marked?: number; hear: Hear }) {
  if (entries.length === 0) return <Empty>{t.noTranscript}</Empty>;
  return (
    <div className="bubbles">
      {entries.map((e) => {
        const entry = {
          id: entryID(e.id),
          tabIndex: -1,
          'data-marked': e.id === marked || undefined,
          'aria-current': e.id === marked || undefined,
        };
        const tool = e.tool_call as { name: string; arguments?: unknown; phase?: string } | null | undefined;
        if (tool) {
          return (
            <Text key={e.id} {...entry} size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {tool.name}({JSON.stringify(tool.arguments ?? {})}){e.content && ` → ${e.content}`}
              {tool.phase && `, ${t.toolPhases[tool.phase]}`}
            </Text>
          );
        }
        const mine = e.role === 'user';
        return (
          <div key={e.id} {...entry} className={mine ? 'bubble mine' : 'bubble agent'}>
            <div className="who">
              {mine ? t.caller : e.agent_name} · <When line={e} hear={hear} />
            </div>
            {e.dtmf && <Keys />}
            {e.content}
          </div>
        );
      })}
    </div>
  );
}
