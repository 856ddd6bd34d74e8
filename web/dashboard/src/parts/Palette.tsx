import { Modal, ScrollArea, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Bot, Phone, Plus, Search, Workflow } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { agents, callList, may, me, workflows } from '../api/queries';
import { moment } from '../format';
import { navigation } from '../navigation';
import { router } from '../router';
import { texts } from '../texts';

interface Item {
  id: string;
  group: string;
  label: string;
  hint?: string;
  icon: ReactNode;
  go: () => void;
}

const isID = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** Palette finds agents and calls, by keyboard alone too. */
export function Palette({ close }: { close: () => void }) {
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const scopes = useQuery(me).data?.scopes;
  const foundAgents = useQuery({ ...agents, enabled: may(scopes, 'agents:read') }).data ?? [];
  const foundCalls = useQuery({ ...callList({}), enabled: may(scopes, 'calls:read') }).data?.items ?? [];
  const foundWorkflows = useQuery({ ...workflows, enabled: may(scopes, 'workflows:read') }).data ?? [];
  const needle = query.trim().toLowerCase();
  const matches = (...values: (string | null | undefined)[]) => values.some((v) => v?.toLowerCase().includes(needle));
  const items: Item[] = [
    ...[
      ...navigation(scopes).flatMap(({ pages }) => pages.map(({ to, label, icon: Icon }) => ({ id: to, label, icon: <Icon size={16} />, go: () => void router.navigate({ to }) }))),
      ...(may(scopes, 'agents:write') ? [{ id: 'new', label: texts.palette.newAgent, icon: <Plus size={16} />, go: () => void router.navigate({ to: '/agents/new' }) }] : []),
    ]
      .filter((i) => matches(i.label))
      .map((i) => ({ ...i, group: texts.palette.pages })),
    ...foundAgents
      .filter((a) => matches(a.name, a.display_name))
      .slice(0, 8)
      .map((a) => ({
        id: a.id, group: texts.palette.agents, label: a.display_name || a.name, hint: a.name, icon: <Bot size={16} />,
        go: () => void router.navigate({ to: '/agents/$name', params: { name: a.name } }),
      })),
    ...foundWorkflows
      .filter((w) => matches(w.slug, w.name))
      .slice(0, 8)
      .map((w) => ({
        id: w.id, group: texts.palette.workflows, label: w.name, hint: w.slug, icon: <Workflow size={16} />,
        go: () => void router.navigate({ to: '/workflows/$slug', params: { slug: w.slug } }),
      })),
    ...foundCalls
      .filter((c) => matches(c.id, c.user_id, c.workflow_slug, ...(c.agent_history ?? [])))
      .slice(0, 6)
      .map((c) => ({
        id: c.id, group: texts.palette.calls, label: c.agent_history?.join(', ') || c.workflow_slug || c.id, hint: c.started_at ? moment(c.started_at) : texts.status[c.status],
        icon: <Phone size={16} />, go: () => void router.navigate({ to: '/calls/$id', params: { id: c.id } }),
      })),
  ];
  if (isID(needle) && !items.some((i) => i.id === needle)) {
    items.push({ id: needle, group: texts.palette.calls, label: texts.palette.callById, hint: needle, icon: <Phone size={16} />, go: () => void router.navigate({ to: '/calls/$id', params: { id: needle } }) });
  }
  const chosen = Math.min(at, items.length - 1);
  const open = (item?: Item) => {
    if (!item) return;
    close();
    item.go();
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt((chosen + 1) % Math.max(1, items.length));
    else if (event.key === 'ArrowUp') setAt((chosen + items.length - 1) % Math.max(1, items.length));
    else if (event.key === 'Enter') open(items[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Modal opened onClose={close} withCloseButton={false} padding={0} size="lg" yOffset="12vh" attributes={{ content: { 'aria-label': texts.shell.find } }}>
      <TextInput
        data-autofocus size="md" variant="unstyled" px="md" py={6} leftSection={<Search size={17} />} placeholder={texts.palette.placeholder} aria-label={texts.palette.placeholder}
        value={query} onKeyDown={keys} role="combobox" aria-expanded aria-controls="found" aria-activedescendant={items[chosen] ? `found-${items[chosen].id}` : undefined}
        onChange={(e) => {
          setQuery(e.currentTarget.value);
          setAt(0);
        }}
      />
      <ScrollArea.Autosize mah={380} style={{ borderTop: '1px solid var(--line)' }} p="xs" tabIndex={-1}>
        <div id="found" role="listbox" aria-label={texts.shell.find}>
          {items.map((item, i) => (
            <UnstyledButton
              key={item.id} id={`found-${item.id}`} role="option" aria-selected={i === chosen} tabIndex={-1} w="100%" className={i === chosen ? 'nav active' : 'nav'}
              onClick={() => open(item)} onMouseMove={() => setAt(i)}
            >
              {item.icon}
              <span className="grow one-line">{item.label}</span>
              <Text size="xs" c="dimmed" className="one-line" maw="50%">{item.hint ?? item.group}</Text>
            </UnstyledButton>
          ))}
        </div>
        {items.length === 0 && <Text c="dimmed" size="sm" p="md" ta="center">{texts.palette.nothing}</Text>}
      </ScrollArea.Autosize>
    </Modal>
  );
}
