import { Button, Code, CopyButton, Group, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Check, ChevronDown, ChevronRight, Grid3x3, Link2, Play } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { callPrompts } from '../api';
import { may, me } from '../../../api/me';
import { milliseconds, money, time } from '../../../format';
import { callsTexts, callTexts } from '../texts';
import { texts } from '../../../ui/texts';
import { longest, spans } from './waterfall';
import { incidentText } from './incidents';
import type { Turn } from './turns';

const t = callTexts;
const parts = ['endpointing', 'stt', 'llm', 'tts'] as const;

interface Props {
  call: string;
  turns: Turn[];
  selected?: number;
  choose: (number: number | undefined) => void;
  hear?: (turn: Turn) => void;
}

/** Turns lists the turns of a call with their latencies on one scale; the chosen one has all that is known of it. */
export function Turns({ call, turns, selected, choose, hear }: Props) {
  const measured = turns.flatMap((turn) => turn.measured ?? []);
  const axis = longest(measured);
  const shown = turns.filter(
    (turn) =>
      turn.number > 0 ||
      turn.replies.length > 0 ||
      turn.tools.length > 0 ||
      turn.errors.length > 0 ||
      turn.overlaps.length > 0,
  );
  if (shown.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t.noTurns}
      </Text>
    );
  return (
    <>
      {measured.length > 0 && (
        <Group gap="md" mb="sm">
          {parts.map((part) => (
            <span key={part} className="key">
              <span className="swatch" style={{ background: `var(--${part})` }} />
              {t[part]}
            </span>
          ))}
        </Group>
      )}
      {shown.map((turn) => (
        <Row
          key={turn.number}
          call={call}
          turn={turn}
          axis={axis}
          open={turn.number === selected}
          choose={choose}
          hear={hear && (() => hear(turn))}
        />
      ))}
    </>
  );
}

/** Keys marks what follows as keys of the phone. */
export const Keys = () => (
  <span className="keys">
    <Grid3x3 size={13} aria-hidden /> {t.keys}{' '}
  </span>
);

const nameOf = (turn: Turn) => (turn.number === 0 ? t.opening : t.turnNumber(turn.number));

function Row({
  call,
  turn,
  axis,
  open,
  choose,
  hear,
}: {
  call: string;
  turn: Turn;
  axis: number;
  open: boolean;
  choose: Props['choose'];
  hear?: () => void;
}) {
  const row = useRef<HTMLDivElement>(null);
  const { measured } = turn;
  const at = time(new Date(turn.at).toISOString());
  useEffect(() => {
    if (open) row.current?.scrollIntoView({ block: 'nearest' });
  }, [open]);
  const interruption = turn.overlaps.find((e) => e.type === 'agent_interrupted');
  const faulty = turn.errors.some((e) => e.level === 'error');
  return (
    <div className={open ? 'turn open' : 'turn'} ref={row}>
      <div className="turn-head">
        {hear ? (
          <UnstyledButton className="numbers when" onClick={hear} aria-label={t.hearFrom(at)}>
            <Play size={11} aria-hidden /> {at}
          </UnstyledButton>
        ) : (
          <span className="numbers when">{at}</span>
        )}
        <div className="grow">
          <UnstyledButton
            className="turn-name"
            aria-expanded={open}
            onClick={() => choose(open ? undefined : turn.number)}
          >
            {open ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
            <span className="one-line">
              <b>{nameOf(turn)}</b> {turn.keys && <Keys />}
              {turn.said ?? turn.replies[0]?.text}
            </span>
          </UnstyledButton>
          {measured && (
            <div
              className="bars"
              role="img"
              aria-label={`${t.chart(turn.number, milliseconds(measured.voice_to_voice_ms))} ${spans(measured)
                .map((s) => `${t[s.part]} ${milliseconds(s.to - s.from)}`)
                .join(', ')}`}
            >
              {spans(measured).map((s) => (
                <div
                  key={s.part}
                  className={`bar ${s.part}`}
                  title={`${t[s.part]}: ${milliseconds(s.to - s.from)}`}
                  style={{ left: `${(s.from / axis) * 100}%`, width: `${((s.to - s.from) / axis) * 100}%` }}
                />
              ))}
            </div>
          )}
          {!open && (turn.tools.length > 0 || turn.handoffs.length > 0 || turn.errors.length > 0 || interruption) && (
            <Group gap={6} mt={4}>
              {turn.tools.map((e, i) => (
                <span key={i} className="chip">
                  <span className="moment tool_call" />
                  {e.name}
                </span>
              ))}
              {turn.handoffs.map((e, i) => (
                <span key={i} className="chip">
                  <span className="moment handoff" />
                  {e.agent}
                </span>
              ))}
              {interruption && (
                <span className="chip">
                  <span className="moment agent_interrupted" />
                  {incidentText(interruption)}
                </span>
              )}
              {turn.errors.length > 0 && (
                <span className="chip">
                  <span className="moment error" />
                  {faulty ? t.errors : t.warnings}
                </span>
              )}
            </Group>
          )}
        </div>
        <Text size="sm" ta="right" className="numbers turn-total">
          {measured ? milliseconds(measured.voice_to_voice_ms) : ''}
        </Text>
      </div>
      {open && <Detail call={call} turn={turn} hear={hear} />}
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Detail({ call, turn, hear }: { call: string; turn: Turn; hear?: () => void }) {
  const { measured: m } = turn;
  const speaker = m?.agent ?? turn.replies.at(-1)?.agent;
  return (
    <div className="turn-detail">
      <dl style={{ margin: 0 }}>
        {turn.said !== undefined && (
          <Fact label={t.caller}>
            {turn.keys && <Keys />}
            {turn.said}
          </Fact>
        )}
        {turn.replies.map((r, i) => (
          <Fact key={i} label={r.agent ?? t.agent}>
            {r.text}
          </Fact>
        ))}
        {turn.replies.length === 0 && turn.number > 0 && (
          <Fact label={t.agent}>
            <Text span size="sm" c="dimmed">
              {t.notAnswered}
            </Text>
          </Fact>
        )}
        {m && (
          <Fact label={t.latency}>
            {[
              `${milliseconds(m.voice_to_voice_ms)}${m.interrupted ? `, ${t.interruptedBy}` : ''}`,
              ...spans(m).map((s) => `${t[s.part]} ${milliseconds(s.to - s.from)}`),
            ].join(' · ')}
          </Fact>
        )}
        {m && (
          <Fact label={t.providers}>
            {[m.stt_provider, m.llm_provider, m.tts_provider].filter(Boolean).join(' · ') || '–'}
          </Fact>
        )}
        {m && (
          <Fact label={t.tokens}>
            {m.input_tokens == null && m.output_tokens == null
              ? t.noTokens
              : t.tokensOf(m.input_tokens ?? 0, m.output_tokens ?? 0)}
          </Fact>
        )}
        {m?.cost && (
          <Fact label={callsTexts.cost}>
            {money(m.cost)}
            {m.cost.unknown.length > 0 && (
              <Text size="xs" c="dimmed">
                {callsTexts.noPrice(m.cost.unknown)}
              </Text>
            )}
          </Fact>
        )}
        {turn.tools.map((e, i) => (
          <Fact key={i} label={t.tool}>
            <Text span size="sm" ff="monospace">
              {e.name}
            </Text>
            {e.duration_ms ? (
              <Text span size="sm" c="dimmed">
                , {milliseconds(e.duration_ms)}
              </Text>
            ) : null}
            <Code block mt={4} tabIndex={0}>
              {JSON.stringify(e.arguments ?? {}, null, 2)}
            </Code>
            {e.answer && (
              <>
                <Text size="xs" c="dimmed" mt={6}>
                  {t.toolAnswer}
                </Text>
                <Code block mt={4} tabIndex={0}>
                  {e.answer}
                </Code>
              </>
            )}
          </Fact>
        ))}
        {turn.handoffs.map((e, i) => (
          <Fact key={i} label={t.handoff}>
            {e.previous_agent ? `${e.previous_agent} → ` : ''}
            {e.agent}
          </Fact>
        ))}
        {turn.overlaps.length > 0 && (
          <Fact label={t.overlap}>
            {turn.overlaps.map((e, i) => (
              <div key={i}>{incidentText(e)}</div>
            ))}
          </Fact>
        )}
        {turn.errors.map((e, i) => (
          <Fact key={i} label={e.level === 'error' ? texts.common.error : texts.common.warning}>
            {e.service}: {e.message}
          </Fact>
        ))}
        {speaker && <Prompt call={call} agent={speaker} />}
      </dl>
      <Group gap="xs" mt="sm">
        {hear && (
          <Button size="xs" variant="default" leftSection={<Play size={14} />} onClick={hear}>
            {t.hear}
          </Button>
        )}
        <CopyButton value={`${location.origin}${location.pathname}?turn=${turn.number}`}>
          {({ copied, copy }) => (
            <Button
              size="xs"
              variant="default"
              onClick={copy}
              leftSection={copied ? <Check size={14} /> : <Link2 size={14} />}
            >
              {copied ? texts.common.copied : t.copyLink}
            </Button>
          )}
        </CopyButton>
      </Group>
    </div>
  );
}

/** Prompt is an agent's system prompt as it was when the call was created, with the templates that it refers to. */
function Prompt({ call, agent }: { call: string; agent: string }) {
  const scopes = useQuery(me).data?.scopes;
  const found = useQuery({
    ...callPrompts(call),
    enabled: may(scopes, 'agents:read') && may(scopes, 'prompts:read'),
    retry: false,
  }).data;
  const system = found?.agents.find((a) => a.agent === agent)?.system;
  if (!system) return null;
  const templates = found.prompts.filter((p) => system.includes(`prompt.${p.slug}`));
  return (
    <Fact label={t.prompt}>
      <details>
        <summary>{t.promptOf(agent)}</summary>
        <pre className="code" tabIndex={0}>
          {system}
        </pre>
        {templates.flatMap((p) =>
          Object.entries(p.content).map(([language, text]) => (
            <div key={`${p.slug} ${language}`}>
              <Text size="xs" c="dimmed" mt={6}>
                {t.promptTemplate(p.slug, language)}
              </Text>
              <pre className="code" tabIndex={0}>
                {text}
              </pre>
            </div>
          )),
        )}
      </details>
    </Fact>
  );
}
