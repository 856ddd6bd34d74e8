import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { evaluation } from './evaluation';
import { incidentText } from './incidents';
import { routingText } from './routing';
import { oggStreams } from './ogg';
import { inCall, inFile, placesOf } from './places';
import { figures } from './quality';
import { type Entry, type Line, turnsOf } from './turns';
import { begins, outline, type Part, step } from './waveform';

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 22, 9, 0, 0) + seconds * 1000).toISOString();
const started = Date.parse(at(0));

const transcript: Line[] = [
  { id: 1, role: 'assistant', content: 'Hello: how can I help?', timestamp: at(0.5), agent_name: 'front' },
  { id: 2, role: 'user', content: 'book a table', timestamp: at(4) },
  {
    id: 3,
    role: 'assistant',
    content: '',
    timestamp: at(4.5),
    agent_name: 'front',
    tool_call: { name: 'handoff_to_desk', arguments: {} },
  },
  { id: 4, role: 'assistant', content: 'For how many?', timestamp: at(5), agent_name: 'desk' },
  { id: 5, role: 'user', content: 'four', timestamp: at(6.8) },
  { id: 6, role: 'assistant', content: 'Booked. Goodbye.', timestamp: at(7.4), agent_name: 'desk' },
];
const timeline: Entry[] = [
  { type: 'status', status: 'active', timestamp: at(0) },
  { type: 'tool_call', name: 'handoff_to_desk', timestamp: at(4.5) },
  { type: 'handoff', agent: 'desk', previous_agent: 'front', timestamp: at(4.6) },
  { type: 'overlap_ignored', cause: 'noise', timestamp: at(5.2) },
  { type: 'agent_interrupted', cause: 'word', timestamp: at(6.5) },
  // The caller interrupts: the turn is noted after the next one's last sound.
  { type: 'turn', timestamp: at(7), voice_to_voice_ms: 1000, interrupted: true },
  { type: 'tool_call', name: 'end_call', timestamp: at(7.3) },
  { type: 'error', level: 'warning', service: 'tts', message: 'slow', timestamp: at(7.5) },
  { type: 'turn', timestamp: at(9), voice_to_voice_ms: 600 },
];

describe('turns', () => {
  const turns = turnsOf(transcript, timeline, started);
  test('what the caller says begins one', () => {
    expect(turns.map((t) => [t.number, t.said, t.replies.map((r) => r.text).join(' ')])).toEqual([
      [0, undefined, 'Hello: how can I help?'],
      [1, 'book a table', 'For how many?'],
      [2, 'four', 'Booked. Goodbye.'],
    ]);
  });
  test('measurements belong to the turn that was answered', () =>
    expect(turns.map((t) => t.measured?.voice_to_voice_ms)).toEqual([undefined, 1000, 600]));
  test('tools, handoffs and errors are in the turn in which they happened', () => {
    expect(
      turns.map((t) => [...t.tools, ...t.handoffs, ...t.errors].map((e) => e.name ?? e.agent ?? e.message)),
    ).toEqual([[], ['handoff_to_desk', 'desk'], ['end_call', 'slow']]);
  });
  test('what is heard of the caller while the agent speaks is in the turn of the answer', () => {
    expect(turns.map((t) => t.overlaps.map(incidentText))).toEqual([
      [],
      ['Agent spoke on over noise', 'Caller interrupted (word)'],
      [],
    ]);
  });
  test('an incident without a text of its own is named by type and cause', () => {
    const entry = (type: string, cause?: string): Entry => ({ type, cause, timestamp: at(0) });
    expect(
      [entry('agent_resumed', 'noise'), entry('taken_over', 'process_died'), entry('room_moved', 'node_lost')].map(
        incidentText,
      ),
    ).toEqual(['Agent continued after noise', 'Another worker continues the call', 'room moved: node lost']);
  });
  test('a decision of a workflow says what was set, what is offered, and what is not, and why', () => {
    expect(
      routingText({
        agent: 'triage',
        set: [
          { path: 'flags.verified', reason: 'tool', tool: 'verify' },
          { path: 'workflow.name', reason: 'context_mapping' },
        ],
        offered: [{ function: 'handoff_to_billing', agent: 'billing', node_id: 'b' }, { function: 'end_call' }],
        skipped: [
          { agent: 'identity', node_id: 'i', reason: 'skip_condition', condition: 'flags.verified' },
          { agent: 'vip', node_id: 'v', reason: 'condition', condition: 'user.vip' },
          { agent: 'old', reason: 'unavailable' },
        ],
      }),
    ).toEqual([
      'Can lead to: billing, the end of the call',
      'Set: flags.verified (verify), workflow.name (by context mapping)',
      'identity is skipped: flags.verified',
      'Not to vip, as this is false: user.vip',
      'Not to old: it is not active',
    ]);
    expect(routingText({ agent: 'triage', set: [], offered: [], skipped: [] })).toEqual(['Can lead to: nowhere']);
  });
  test('a call in which nothing happened has an opening', () => expect(turnsOf([], [], started)).toHaveLength(1));
});

describe('a test of a call', () => {
  const turns = turnsOf(transcript, timeline, started);
  test('expects tools, agents and the end', async () => {
    const text = await evaluation({ id: 'c1', workflow_slug: 'demo', status_reason: 'agent_ended' }, turns);
    expect(parse(text)).toEqual([
      {
        name: 'call c1',
        workflow: 'demo',
        greeting: { tools: [], agent: 'front', ended: false },
        turns: [
          { say: 'book a table', expect: { tools: ['handoff_to_desk'], agent: 'desk', ended: false } },
          { say: 'four', expect: { tools: ['end_call'], agent: 'desk', ended: true } },
        ],
      },
    ]);
    expect(text).toContain('# replied: Booked. Goodbye.');
  });
  test('expects the answers of the analyses that are done', async () => {
    const criterion = { evidence: [1] };
    const text = await evaluation({ id: 'c1', workflow_slug: 'demo' }, turns, [
      {
        name: 'outcome',
        status: 'done',
        criteria: [
          { ...criterion, name: 'booked', answer: 'yes' },
          { ...criterion, name: 'angry', answer: 'unknown' },
          { ...criterion, name: 'polite', score: 9 },
        ],
        data: { service: 'cleaning', count: '2', person: { name: 'Ada', tags: ['a'] }, of: { 'a.b': 1 } },
      },
      { name: 'later', status: 'pending', criteria: [] },
      { name: 'unsure', status: 'done', criteria: [{ ...criterion, name: 'angry', answer: 'unknown' }] },
    ]);
    expect((parse(text) as { analyses: unknown }[])[0].analyses).toEqual({
      outcome: {
        booked: 'yes',
        polite: '>= 9',
        'data.service': 'cleaning',
        'data.count': '2',
        'data.person.name': 'Ada',
        'data.person.tags': ['a'],
        'data.of': { 'a.b': 1 },
      },
    });
  });
  test('names the agent of a call without a workflow, and leaves out what has no words', async () => {
    const text = await evaluation(
      { id: 'c1', agent_name: 'front' },
      turnsOf([{ id: 1, role: 'user', content: '…', timestamp: at(1) }], [], started),
    );
    expect(parse(text)).toEqual([
      { name: 'call c1', agent: 'front', greeting: { tools: [], agent: 'front', ended: false }, turns: [] },
    ]);
  });
});

const ascii = (text: string) => [...new TextEncoder().encode(text)];

/** page is an Ogg page of whole packets. */
function page(...packets: number[][]): number[] {
  const table = packets.flatMap((p) => [...Array<number>(Math.floor(p.length / 255)).fill(255), p.length % 255]);
  return [...ascii('OggS'), 0, 0, ...Array<number>(20).fill(0), table.length, ...table, ...packets.flat()];
}

describe('recordings', () => {
  const head = [...ascii('OpusHead'), 1, 2, 0x00, 0x0f, 0, 0, 0, 0, 0, 0, 0];
  const tags = [...ascii('OpusTags'), 0];
  const long = Array<number>(600).fill(7);
  test('packets of every size are found, in every part', () => {
    const file = new Uint8Array([
      ...page(head),
      ...page(tags),
      ...page([1, 2], long, [3]),
      ...page(head),
      ...page(tags),
      ...page([4]),
    ]);
    expect(oggStreams(file).map((s) => [s.preSkip, s.packets.map((p) => p.length)])).toEqual([
      [3840, [2, 600, 1]],
      [3840, [1]],
    ]);
  });
  test('a packet over two pages is one', () => {
    const first = [...ascii('OggS'), 0, 0, ...Array<number>(20).fill(0), 1, 255, ...Array<number>(255).fill(1)];
    const second = [...ascii('OggS'), 0, 1, ...Array<number>(20).fill(0), 1, 5, ...Array<number>(5).fill(1)];
    expect(oggStreams(new Uint8Array([...page(head), ...first, ...second]))[0].packets.map((p) => p.length)).toEqual([
      260,
    ]);
  });
  test('what is no Ogg has none', () => expect(oggStreams(new Uint8Array(100))).toEqual([]));

  const part = (seconds: number): Part => ({
    caller: new Float32Array(seconds / step),
    agent: new Float32Array(seconds / step),
    skipped: 0.08,
  });
  test('a further part lies where another worker took over', () => {
    const places = placesOf([part(10), part(5)], [{ type: 'taken_over', timestamp: at(14) }], started);
    expect(places.map((p) => p.at)).toEqual([0, 14]);
    for (const moment of [2, 9.5, 15, 18]) expect(inCall(places, inFile(places, moment))).toBeCloseTo(moment, 5);
    expect(inFile(places, 14.1)).toBeCloseTo(9.92 + 0.02, 5);
  });
  test('speech begins after the last pause', () => {
    const side = new Float32Array(500);
    side.fill(0.5, 50, 100); // 1 s to 2 s
    side.fill(0.5, 200, 240); // 4 s to 4.8 s
    side.fill(0.5, 250, 300); // after a pause of 200 ms
    expect(begins(side, 6)).toBeCloseTo(4, 1);
  });
  test('an outline has no more columns than it is wide', () => {
    expect(outline(new Float32Array(5000).fill(0.5), 100).match(/L/g)).toHaveLength(201);
    expect(outline(new Float32Array(0), 10)).not.toContain('NaN');
  });
});

describe('quality', () => {
  const known = { packets: 1000, packets_lost: 15, jitter_ms: 4.14, mos: 4.07 };
  const unknown = { packets: 900, packets_lost: null, jitter_ms: null, mos: null };
  test('what is not known is a dash', () => {
    expect(figures({ codec: 'PCMA', received: known, sent: unknown, round_trip_ms: null, measured_at: at(1) })).toEqual(
      [
        ['MOS (estimate)', '4.1', '–'],
        ['Packet loss', '1.5 %', '–'],
        ['Jitter', '4.1 ms', '–'],
        ['Packets', '1000', '900'],
        ['Round trip', '–'],
        ['Codec', 'PCMA'],
      ],
    );
  });
  test('keys are marked in the turns', () => {
    expect(
      turnsOf(
        [
          { id: 1, role: 'user', content: '12', dtmf: true, timestamp: at(1) },
          { id: 2, role: 'user', content: 'hello', timestamp: at(2) },
        ],
        [],
        started,
      ).map((t) => t.keys),
    ).toEqual([undefined, true, undefined]);
  });
});
