import { describe, expect, test } from 'vitest';
import { changedNode, configOf, type Draft, emptyDraft, withConnection, withNode, withoutNodes } from './draft';
import { begin, change, redo, undo } from './history';
import { laidOut } from './layout';
import { completions, knownPaths } from './paths';
import { faults, firstCycle, placed } from './rules';

const at = { x: 0, y: 0 };
const two = withConnection(withNode(withNode(emptyDraft, 'desk', at), 'care', at), 'desk', 'care');
const sound: Draft = changedNode(two, 1, { is_exit: true });

describe('rules', () => {
  const messages = (d: Draft, agents = ['desk', 'care']) =>
    faults(d, agents).map((f) => [f.node ?? f.connection ?? '', f.message.split(' ').slice(0, 4).join(' ')]);
  test('a workflow that keeps them has no faults', () => expect(faults(sound, ['desk', 'care'])).toEqual([]));
  test('one entry', () => {
    expect(messages(changedNode(sound, 0, { is_entry: false }))).toEqual([['', 'No node is the']]);
    const both = { ...sound, nodes: sound.nodes.map((n) => ({ ...n, is_entry: true })) };
    expect(messages(both)).toEqual([[1, 'Another node is the']]);
  });
  test('an exit', () =>
    expect(messages({ ...sound, nodes: sound.nodes.map((n) => ({ ...n, is_exit: false })) })).toEqual([
      ['', 'No node is an'],
    ]));
  test('agents exist, when they are known', () => {
    expect(messages(sound, ['desk'])).toEqual([[1, 'There is no agent']]);
    expect(faults(sound, undefined)).toEqual([]);
  });
  test('no cycle', () => {
    const circle = withConnection(sound, 'care', 'desk');
    expect(firstCycle(circle)).toEqual(['desk', 'care', 'desk']);
    expect(messages(circle)).toEqual([[0, 'Ways lead in a']]);
    expect(firstCycle(withConnection(sound, 'care', 'care'))).toEqual(['care', 'care']);
  });
  test('ids are unique', () =>
    expect(messages({ ...sound, connections: [], nodes: sound.nodes.map((n) => ({ ...n, id: 'a' })) })).toEqual([
      [1, 'The id a is'],
    ]));
  test('connections lead between nodes', () =>
    expect(messages({ ...sound, connections: [{ source_id: 'desk', target_id: 'gone' }] })).toEqual([
      [0, 'There is no node'],
    ]));
  test('what a server refuses is put at its place', () => {
    expect(
      placed([
        { field: 'config.nodes[1].agent_name', message: 'a' },
        { field: 'config.connections[0].condition', message: 'b' },
        { field: 'slug', message: 'c' },
      ]),
    ).toEqual([
      { node: 1, field: 'agent_name', message: 'a' },
      { connection: 0, field: 'condition', message: 'b' },
      { field: 'slug', message: 'c' },
    ]);
  });
});

describe('draft', () => {
  test('the first node is entry and exit; ids stay apart', () => {
    const d = withNode(withNode(emptyDraft, 'desk', at), 'desk', at, 'desk');
    expect(d.nodes.map((n) => [n.id, n.is_entry, n.is_exit])).toEqual([
      ['desk', true, true],
      ['desk-2', false, false],
    ]);
    expect(d.connections).toEqual([{ source_id: 'desk', target_id: 'desk-2' }]);
  });
  test('connections follow a new id, and go with their node', () => {
    expect(changedNode(sound, 1, { id: 'help' }).connections).toEqual([{ source_id: 'desk', target_id: 'help' }]);
    expect(withoutNodes(sound, ['care']).connections).toEqual([]);
  });
  test('a new entry is the only one', () =>
    expect(changedNode(sound, 1, { is_entry: true }).nodes.map((n) => n.is_entry)).toEqual([false, true]));
  test('what is empty is left out', () =>
    expect(
      configOf({ ...sound, nodes: [{ ...sound.nodes[0], skip_condition: '', context_mapping: {} }] }).nodes?.[0],
    ).not.toHaveProperty('skip_condition', ''));
  test('arranged from left to right', () => {
    const [a, b] = laidOut(sound).nodes;
    expect(a?.position?.x).toBeLessThan(b?.position?.x ?? 0);
  });
});

test('changes are undone and redone, those of a field together', () => {
  let h = change(change(change(begin('a'), 'b'), 'bc', 'name'), 'bcd', 'name');
  h = undo(h);
  expect(h.present).toBe('b');
  expect(undo(h).present).toBe('a');
  expect(redo(h).present).toBe('bcd');
  expect(undo(begin('a')).present).toBe('a');
});

describe('context paths', () => {
  const known = knownPaths(
    {
      ...sound,
      shared: ['order'],
      connections: [{ source_id: 'desk', target_id: 'care', condition: 'user.age > 3 and "x"' }],
    },
    [
      { type: 'set_flag', name: 'booked' },
      { type: 'set_context', key: 'day' },
    ],
    { user: { plan: { name: 'gold' } }, other: 1 },
  );
  test('are those of the workflow, its tools and the sample', () =>
    expect(known).toEqual(['flags.booked', 'user.age', 'user.plan.name', 'workflow.day', 'workflow.order']));
  test('complete what stands before the caret', () => {
    expect(completions('flags.b', 7, known)).toEqual({ from: 0, options: ['flags.booked'] });
    expect(completions('not {{us', 8, known).options).toEqual(['user.', 'user.age', 'user.plan.name']);
    expect(completions('user.name == "us', 16, known).options).toEqual([]);
    expect(completions('', 0, known).options).toEqual([]);
  });
});
