import { Badge, Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CallAnalysis } from '../api';
import { type Answer, answerText, stateText, values } from './analyses';
import { analysesTexts } from './analysesTexts';
import { may, me } from '../../../api/me';
import { time } from '../../../format';
import { Fact } from '../../../ui/resource/List';
import { callTexts } from '../texts';
import type { Line } from './turns';

const t = analysesTexts;
const colors = { yes: 'teal', no: 'red', unknown: 'gray' } as const;
const stateColors = { pending: 'yellow', done: 'teal', skipped: 'gray', failed: 'red' } as const;

interface Props {
  analyses: CallAnalysis[];
  /** The transcript, which the evidence is of. */
  lines: Line[];
  /** Is called when an entry is followed, also one that is marked already. */
  onFollow: (entry: number) => void;
}

/** Analyses lists the analyses of a call: the answers with their evidence, and the data. */
export function Analyses({ analyses, ...evidence }: Props) {
  const sees = may(useQuery(me).data?.scopes, 'analyses:read');
  return analyses.map((a) => {
    const state = stateText(a);
    const linked = sees && a.reason !== 'analysis_deleted';
    return (
      <section key={a.name} className="analysis" aria-label={a.name}>
        <Group gap="xs">
          <Text component="h3" size="sm" fw={600}>
            {linked ? (
              <Link to="/analyses/$name" params={{ name: a.name }} className="link">
                {a.name}
              </Link>
            ) : (
              a.name
            )}
          </Text>
          {a.version > 0 && (
            <Text size="xs" c="dimmed">
              {t.version(a.version)}
            </Text>
          )}
          <Badge size="xs" variant="light" color={stateColors[a.status]}>
            {t.states[a.status]}
          </Badge>
        </Group>
        {state && (
          <Text size="sm" c="dimmed" mt={4} role="status">
            {state}
          </Text>
        )}
        {a.criteria.map((answer) => (
          <Criterion key={answer.name} answer={answer} {...evidence} />
        ))}
        {a.data && Object.keys(a.data).length > 0 && (
          <dl className="data">
            {values(a.data).map(({ name, text, json }) => (
              <Fact key={name} label={name}>
                {json ? (
                  <Code block tabIndex={0}>
                    {text}
                  </Code>
                ) : (
                  text
                )}
              </Fact>
            ))}
          </dl>
        )}
      </section>
    );
  });
}

function Criterion({ answer, lines, onFollow }: { answer: Answer } & Omit<Props, 'analyses'>) {
  const color = answer.score === undefined ? colors[answer.answer ?? 'unknown'] : 'indigo';
  return (
    <div className="criterion">
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Text size="sm" fw={550} className="grow" style={{ overflowWrap: 'anywhere' }}>
          {answer.name}
        </Text>
        <Badge variant="light" color={color} style={{ flex: 'none' }}>
          {answerText(answer)}
        </Badge>
      </Group>
      {answer.unproven && <Text size="sm">{answer.answer ? t.unprovenAnswer : t.unprovenScore}</Text>}
      {answer.rationale && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {answer.rationale}
        </Text>
      )}
      {answer.evidence.length > 0 && (
        <ul className="evidence" aria-label={t.evidence(answer.name)}>
          {answer.evidence.map((id) => (
            <li key={id}>
              <Link
                from="/calls/$id"
                to="/calls/$id"
                search={(search) => ({ ...search, entry: id })}
                replace
                resetScroll={false}
                className="one-line"
                onClick={(e) => !e.ctrlKey && !e.metaKey && onFollow(id)}
              >
                <Entry id={id} line={lines.find((l) => l.id === id)} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Entry is an entry of the transcript in a line. */
function Entry({ id, line }: { id: number; line?: Line }) {
  if (!line) return t.entry(id);
  const tool = line.tool_call as { name: string } | null | undefined;
  return (
    <>
      <span className="numbers">{time(line.timestamp)}</span>{' '}
      {tool ? tool.name : line.role === 'user' ? callTexts.caller : line.agent_name}: {line.content}
    </>
  );
}
